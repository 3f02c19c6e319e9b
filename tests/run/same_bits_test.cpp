// Whoever looks changes nothing; copies and what was loaded go on with the same bits (docs/determinism.md).

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "alembert/alembert.h"
#include "source_folder.h"

namespace alembert {
namespace {

std::vector<double> copied(std::span<const double> values) { return {values.begin(), values.end()}; }

Stepper gallery_stepper(const std::string& name, const std::string& method, double step) {
  return compile(find_method(method), derive(read_model(source_folder() + "/models/" + name + ".alm")), {.step = step});
}

SimulateOptions by_tolerance(double end, double tolerance) {
  SimulateOptions options;
  options.end = end;
  options.steps.control = Control::tolerance;
  options.steps.tolerance = tolerance;
  return options;
}

/// Of two runs: the same end, the same number of steps.
void expect_same_end(const Report& a, const Report& b, const std::string& what) {
  EXPECT_EQ(a.steps, b.steps) << what;
  EXPECT_EQ(a.y, b.y) << what;
  EXPECT_EQ(a.z, b.z) << what;
  EXPECT_EQ(a.lambda, b.lambda) << what;
  EXPECT_EQ(a.psi, b.psi) << what;
}

void expect_same_rows(const Trajectory& a, const Trajectory& b, const std::string& what) {
  ASSERT_EQ(a.rows(), b.rows()) << what;
  for (std::size_t i = 0; i < a.values.size(); ++i) EXPECT_EQ(a.values[i], b.values[i]) << what << ": column " << i;
}

struct Looked {
  const char* model;
  double step, end, tolerance;  // 0: steps of one size
};
void PrintTo(const Looked& run, std::ostream* out) { *out << run.model; }

class LookedAt : public ::testing::TestWithParam<Looked> {};

TEST_P(LookedAt, ARunIsTheSameWithRowsAndWithout) {
  const Looked& run = GetParam();
  SimulateOptions options = run.tolerance > 0 ? by_tolerance(run.end, run.tolerance) : SimulateOptions();
  options.end = run.end;
  const Stepper stepper = gallery_stepper(run.model, "gauss(2)", run.step);
  const Report unseen = follow(stepper, options);
  const alembert::Run seen = simulate(stepper, options);
  ASSERT_GT(seen.trajectory.rows(), 20u);
  expect_same_end(unseen, seen.report, run.model);
  ASSERT_EQ(unseen.account.has_value(), seen.report.account.has_value());
  if (unseen.account) {
    EXPECT_EQ(unseen.account->dissipated, seen.report.account->dissipated);
    EXPECT_EQ(unseen.account->supplied, seen.report.account->supplied);
  }
}

INSTANTIATE_TEST_SUITE_P(Runs, LookedAt,
                         ::testing::Values(Looked{"double_pendulum", 0.01, 3, 1e-6}, Looked{"chain", 0.01, 1, 1e-5},
                                           Looked{"slider_crank", 0.005, 1, 0}, Looked{"coin_throw", 0.005, 0.5, 0}));

class Asked : public ::testing::TestWithParam<const char*> {};

TEST_P(Asked, MultipliersAreAFunctionOfTheState) {
  Stepper one = gallery_stepper(GetParam(), "gauss(2)", 0.01), other = one;
  for (int n = 1; n <= 20; ++n) {
    ASSERT_TRUE(one.step() && other.step()) << one.failure();
    const std::vector<double> first = copied(one.multipliers()), acceleration = copied(one.accelerations());
    EXPECT_EQ(copied(one.multipliers()), first);
    // A stepper that comes by here for the first time, and from elsewhere.
    if (n % 5 != 0) continue;
    EXPECT_EQ(copied(other.multipliers()), first) << n;
    EXPECT_EQ(copied(other.accelerations()), acceleration) << n;
  }
}

TEST_P(Asked, TheStepsBehindAreTheSame) {
  Stepper one = gallery_stepper(GetParam(), "gauss(2)", 0.01), asked = one;
  for (int n = 0; n < 10; ++n) {
    ASSERT_TRUE(one.step() && asked.step()) << one.failure();
    asked.multipliers();
    const double h = 0.01 - 0.0005 * n;
    one.set_step(h);
    asked.set_step(h);
  }
  ASSERT_TRUE(one.steps(10) && asked.steps(10));
  EXPECT_EQ(copied(one.state()), copied(asked.state()));
  const SimulateOptions options = by_tolerance(one.t() + 0.5, 1e-6);
  asked.accelerations();
  expect_same_end(follow(one, options), follow(asked, options), "a run from there");
}

INSTANTIATE_TEST_SUITE_P(Models, Asked,
                         ::testing::Values("double_pendulum", "slider_crank", "rolling_disk", "chain",
                                           "parallel_four_bar"));

const char watched_pendulum[] =
    "parameter m1 = 3, m2 = 1, gravity = 9.81\ncoordinate x1 = 1, y1, x2 = 2, y2\n"
    "kinetic m1/2*(x1'^2 + y1'^2) + m2/2*(x2'^2 + y2'^2)\npotential m1*gravity*y1 + m2*gravity*y2\n"
    "constraint rod1: x1^2 + y1^2 = 1\nconstraint rod2: (x2 - x1)^2 + (y2 - y1)^2 = 1\n";

class Watched : public ::testing::TestWithParam<const char*> {
 protected:
  Stepper fresh() const {
    return compile(find_method("gauss(2)"), derive(read_model_text(watched_pendulum + std::string(GetParam()))),
                   {.step = 0.01});
  }
};

TEST_P(Watched, CopiesAndLoadedSteppersGoOn) {
  Stepper through = fresh();
  ASSERT_TRUE(through.steps(37)) << through.failure();
  const std::vector<std::byte> saved = through.save();
  Stepper loaded = fresh(), copy = through;
  loaded.load(saved);
  EXPECT_EQ(loaded.save(), saved);
  EXPECT_EQ(copy.save(), saved);
  SimulateOptions fixed;
  fixed.end = through.t() + 1;
  for (const SimulateOptions& options : {fixed, by_tolerance(fixed.end, 1e-7)}) {
    const alembert::Run run = simulate(through, options);
    expect_same_rows(run.trajectory, simulate(loaded, options).trajectory, "loaded");
    expect_same_rows(run.trajectory, simulate(copy, options).trajectory, "copied");
  }
  ASSERT_TRUE(through.steps(60) && loaded.steps(60) && copy.steps(60));
  EXPECT_EQ(copied(loaded.state()), copied(through.state()));
  EXPECT_EQ(copied(copy.state()), copied(through.state()));
}

INSTANTIATE_TEST_SUITE_P(Events, Watched,
                         ::testing::Values("event low: y1 = -0.5 rising\n", "event never: y1 = 7\n",
                                           "event low: y2 = -0.5\nwhen low: gravity = 1.01*gravity\n",
                                           "force x1 = -abs(x1')*x1'/10\n"));

}  // namespace
}  // namespace alembert
