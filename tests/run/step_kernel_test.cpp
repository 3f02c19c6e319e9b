// Runs whose steps are made many at a time by one compiled function, against runs whose steps the engine makes one by
// one.

#include "alembert/run/step_kernel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "alembert/run/simulate.h"
#include "source_folder.h"

namespace alembert::internal {
namespace {

struct Ran {
  Report report;
  Trajectory trajectory;
  bool kernel = false;
};

SimulateOptions options_for(double h, long steps, long every) {
  SimulateOptions options;
  options.step = h;
  options.end = h * static_cast<double>(steps);
  options.every = every;
  options.newton.kernel = {.backend = Backend::native, .optimise = false};
  return options;
}

/// As options_for(), by the engine: an interpreter has no kernel.
SimulateOptions by_engine(double h, long steps, long every) {
  SimulateOptions options = options_for(h, steps, every);
  options.newton.kernel.backend = Backend::interpreter;
  return options;
}

Ran ran(const std::string& name, const std::string& method, SimulateOptions options) {
  const Model model = read_model(source_folder() + "/models/" + name + ".alm");
  const Equations equations = derive(model);
  Recorder recorder(1'000'000);
  options.observers = {&recorder};
  Engine engine(model, equations, find_method(method), engine_options(equations, options));
  Ran result;
  result.kernel = engine.kernel != nullptr;
  result.report = simulate(engine, options);
  result.trajectory = std::move(recorder.trajectory);
  return result;
}

class StepKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!native_available()) GTEST_SKIP() << "no compiler in this build";
  }
};

void expect_same_report(const Report& one, const Report& other) {
  EXPECT_EQ(one.ending, other.ending) << one.reason << other.reason;
  EXPECT_EQ(one.steps, other.steps);
  EXPECT_EQ(one.t, other.t);
  EXPECT_NEAR(one.energy.final, other.energy.final, 1e-9);
  EXPECT_NEAR(one.energy.max_error, other.energy.max_error, 1e-9 + 1e-6 * other.energy.max_error);
  EXPECT_LT(one.position, 1e-13 + 4 * other.position);
  EXPECT_LT(one.velocity, 1e-12 + 4 * other.velocity);
  EXPECT_EQ(one.singular_positions.size(), other.singular_positions.size());
  EXPECT_EQ(one.warnings.size(), other.warnings.size());
  EXPECT_NEAR(one.smallest_step, other.smallest_step, 1e-12);
  EXPECT_NEAR(one.largest_step, other.largest_step, 1e-12);
  ASSERT_EQ(one.accuracy.has_value(), other.accuracy.has_value());
  if (one.accuracy) {
    // The largest error of the steps that were compared, and which those are depends on predictions: those of the
    // kernel are of higher degree.
    EXPECT_NEAR(one.accuracy->per_step, other.accuracy->per_step, 0.2 * other.accuracy->per_step + 1e-15);
  }
  // The work is counted by whoever does it. The kernel's predictions leave as much to do, or less where all is linear.
  const double ratio = static_cast<double>(one.newton.iterations) / static_cast<double>(other.newton.iterations);
  EXPECT_GT(ratio, 0.4);
  EXPECT_LT(ratio, 1.25);
  ASSERT_EQ(one.invariants.size(), other.invariants.size());
  for (std::size_t i = 0; i < one.invariants.size(); ++i) {
    EXPECT_EQ(one.invariants[i].initial, other.invariants[i].initial);
    EXPECT_NEAR(one.invariants[i].final, other.invariants[i].final, 1e-9);
    EXPECT_NEAR(one.invariants[i].max_error, other.invariants[i].max_error, 1e-9);
  }
}

struct Same {
  const char* model;
  const char* method;
  double h;
};

class KernelGoesTheSameWay : public StepKernels, public ::testing::WithParamInterface<Same> {};

/// States, energies and residuals at every tenth step, and what the report says.
TEST_P(KernelGoesTheSameWay, AsTheEngine) {
  const Same& one = GetParam();
  constexpr long steps = 1503;
  const Ran fast = ran(one.model, one.method, options_for(one.h, steps, 10));
  const Ran slow = ran(one.model, one.method, by_engine(one.h, steps, 1));
  ASSERT_TRUE(fast.kernel);
  ASSERT_FALSE(slow.kernel);
  ASSERT_EQ(fast.trajectory.rows(), 152U);
  for (std::size_t row = 0; row + 1 < fast.trajectory.rows(); ++row)
    for (std::size_t column = 0; column < fast.trajectory.values.size(); ++column) {
      const double a = fast.trajectory.values[column][row], b = slow.trajectory.values[column][10 * row];
      ASSERT_NEAR(a, b, 1e-8 * (1 + std::abs(b))) << "row " << row << ", column " << column;
    }
  expect_same_report(fast.report, slow.report);
}

INSTANTIATE_TEST_SUITE_P(
    Models, KernelGoesTheSameWay,
    ::testing::Values(Same{"double_pendulum", "lobatto(2)", 0.001}, Same{"double_pendulum", "lobatto(3)", 0.002},
                      Same{"double_pendulum", "gauss(2)", 0.002}, Same{"pendulum", "lobatto(2)", 0.01},
                      Same{"pendulum", "gauss(3)", 0.02}, Same{"pendulum", "lobatto(3)", -0.01},
                      Same{"spherical_pendulum", "lobatto(4)", 0.01}, Same{"heavy_top", "lobatto(2)", 0.0005},
                      Same{"rolling_disk", "lobatto(2)", 0.002}, Same{"nonholonomic_particle", "gauss(2)", 0.01},
                      Same{"four_particles_springs", "lobatto(2)", 0.005}, Same{"kepler", "lobatto(2)", 0.001},
                      Same{"oscillator", "true_euler(0.5)", 0.001}));

/// A run that is taken up again goes on with the bits of one that was not interrupted.
TEST_F(StepKernels, AreTakenUpWithTheSameBits) {
  const auto folder = std::filesystem::temp_directory_path() / "alembert_step_kernel_test";
  std::filesystem::create_directories(folder);
  SimulateOptions options = options_for(0.01, 3000, 50);
  const Ran whole = ran("double_pendulum", "lobatto(2)", options);
  ASSERT_TRUE(whole.kernel);
  options.checkpoint.path = (folder / "checkpoint").string();
  options.checkpoint.steps = 1111;
  const Ran left = ran("double_pendulum", "lobatto(2)", options);
  EXPECT_EQ(left.report.y, whole.report.y);
  std::ifstream file(options.checkpoint.path, std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  ASSERT_FALSE(bytes.empty());
  for (const char c : bytes) options.resume.push_back(static_cast<std::byte>(c));
  const Ran resumed = ran("double_pendulum", "lobatto(2)", options);
  EXPECT_EQ(resumed.report.y, whole.report.y);
  EXPECT_EQ(resumed.report.z, whole.report.z);
  EXPECT_EQ(resumed.report.energy.max_error, whole.report.energy.max_error);
  EXPECT_EQ(resumed.report.drift.per_time, whole.report.drift.per_time);
  EXPECT_EQ(resumed.report.newton.iterations, whole.report.newton.iterations);
  EXPECT_EQ(resumed.report.steps, 3000);
  std::filesystem::remove_all(folder);
}

/// Steps that are too long for the motion: the engine says so, at the same time as without a kernel.
TEST_F(StepKernels, LeaveWhatIsUnusualToTheEngine) {
  for (const double h : {0.1, 0.2, 0.35}) {
    const Ran fast = ran("double_pendulum", "lobatto(2)", options_for(h, 400, 10));
    const Ran slow = ran("double_pendulum", "lobatto(2)", by_engine(h, 400, 1));
    ASSERT_TRUE(fast.kernel);
    EXPECT_EQ(fast.report.ending, slow.report.ending) << h << " " << fast.report.reason << slow.report.reason;
  }
}

/// Singular positions of a linkage are passed in the same way, wherever the steps fall.
TEST_F(StepKernels, PassSingularPositions) {
  for (const auto& [method, list] :
       {std::pair("lobatto(2)", std::vector{0.00113, 0.003, 0.01}), std::pair("gauss(2)", std::vector{0.003})})
    for (const double h : list) {
      SCOPED_TRACE(std::string(method) + " " + std::to_string(h));
      const auto steps = static_cast<long>(4 / h);
      const Ran fast = ran("n_four_bar", method, options_for(h, steps, 10));
      const Ran slow = ran("n_four_bar", method, by_engine(h, steps, 1));
      ASSERT_TRUE(fast.kernel);
      EXPECT_EQ(fast.report.ending, slow.report.ending) << fast.report.reason << slow.report.reason;
      EXPECT_GE(slow.report.singular_positions.size(), 3U);
      ASSERT_EQ(fast.report.singular_positions.size(), slow.report.singular_positions.size());
      for (std::size_t i = 0; i < slow.report.singular_positions.size(); ++i) {
        EXPECT_EQ(fast.report.singular_positions[i].t, slow.report.singular_positions[i].t);
        EXPECT_EQ(fast.report.singular_positions[i].words, slow.report.singular_positions[i].words);
      }
    }
}

/// Rows between the steps, at the ends of steps and at given times.
TEST_F(StepKernels, AreSampled) {
  for (const double sample : {0.1, 0.1234}) {
    SimulateOptions options = options_for(0.002, 1500, 1);
    options.every.reset();
    options.sample = sample;
    options.at = {0.5, 0.777, 0.778, 2.999};
    const Ran fast = ran("double_pendulum", "lobatto(2)", options);
    options.steps.most_steps = 100'000;  // a limit on the steps leaves them to the engine
    const Ran slow = ran("double_pendulum", "lobatto(2)", options);
    ASSERT_TRUE(fast.kernel);
    ASSERT_FALSE(slow.kernel);
    ASSERT_GT(slow.trajectory.rows(), 20U);
    ASSERT_EQ(fast.trajectory.rows(), slow.trajectory.rows());
    for (std::size_t row = 0; row < slow.trajectory.rows(); ++row) {
      EXPECT_EQ(fast.trajectory.t()[row], slow.trajectory.t()[row]);
      for (std::size_t column = 1; column < slow.trajectory.values.size(); ++column)
        EXPECT_NEAR(fast.trajectory.values[column][row], slow.trajectory.values[column][row], 1e-8) << column;
    }
    expect_same_report(fast.report, slow.report);
  }
}

TEST_F(StepKernels, StopWhereTheyAreInterrupted) {
  SimulateOptions options = options_for(0.001, 100'000'000, 1000);
  std::atomic<bool> stop{false};
  options.interrupt = &stop;
  options.progress = [&](double done) { stop = done > 0; };
  const Ran result = ran("pendulum", "lobatto(2)", options);
  ASSERT_TRUE(result.kernel);
  EXPECT_EQ(result.report.ending, Ending::interrupted);
  EXPECT_GT(result.report.steps, 0);
}

/// A few steps are not worth compiling for.
TEST_F(StepKernels, AreNotMadeForShortRuns) {
  const Model model = read_model(source_folder() + "/models/double_pendulum.alm");
  const Equations equations = derive(model);
  SimulateOptions options;
  options.step = 0.01;
  for (const double end : {10.0, 1e7}) {
    options.end = end;
    const Engine engine(model, equations, find_method("lobatto(2)"), engine_options(equations, options));
    EXPECT_EQ(engine.kernel != nullptr, end > 1e6);
  }
}

}  // namespace
}  // namespace alembert::internal
