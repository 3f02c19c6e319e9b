// What a run with contacts states about its accuracy: impacts and slips carry errors on, and what lies between two of
// them may be shorter than a step. Compared with short steps of a method of higher order.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <random>

#include "output/rows.h"

namespace alembert::internal::testing::contact_accuracy {
namespace {

using Generator = std::mt19937_64;

double between(Generator& g, double low, double high) { return std::uniform_real_distribution<double>(low, high)(g); }

/// Two masses on springs that hit each other.
std::string hitting(Generator& g) {
  return fmt::format(
      "coordinate a = 0, b = {}\nkinetic (a'^2 + {}*b'^2)/2\npotential {}/2*(a^2 + (b - 1)^2) + a^4\n"
      "contact hit: b - a >= {} restitution {}\ninitial a' = {}, b' = {}\n",
      between(g, 1, 1.5), between(g, 0.2, 5), between(g, 2, 40), between(g, 0.3, 0.9), between(g, 0.2, 1),
      between(g, 0, 3), between(g, -3, 0));
}

/// A block that is shaken: it sticks, and slips for a short time.
std::string shaken(Generator& g) {
  return fmt::format(
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y + {}*x^2\nforce x = {}*sin({}*t)\n"
      "contact ground: y >= 0 friction {} static {} along x'\n",
      between(g, 0.1, 10), between(g, 4.5, 8), between(g, 4, 15), between(g, 0.1, 0.4), between(g, 0.4, 0.5));
}

/// A rope that becomes slack and tightens.
std::string roped(Generator& g) {
  return fmt::format(
      "coordinate x = {}, y = {}\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
      "contact rope: norm((x, y)) <= 1 restitution {}\ninitial x' = {}\n",
      between(g, 0.2, 0.8), between(g, -0.4, 0.2), between(g, 0, 0.6), between(g, -2, 2));
}

/// A puck whose slip turns.
std::string sliding(Generator& g) {
  return fmt::format(
      "coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z + {}*(x^2 + {}*y^2)\n"
      "contact ground: z >= 0 friction {} along x', y'\ninitial x = {}, y = {}, x' = {}, y' = {}\n",
      between(g, 0.5, 20), between(g, 0.2, 2), between(g, 0.05, 0.4), between(g, -1, 1), between(g, -1, 1),
      between(g, -1, 1), between(g, -1, 1));
}

Report run(const std::string& text, const std::string& name, double step, double end, double tolerance = 0) {
  SimulateOptions options;
  options.step = step;
  options.end = end;
  options.newton.kernel = {Backend::interpreter, false};
  if (tolerance > 0) {
    options.steps.control = Control::tolerance;
    options.steps.tolerance = tolerance;
  }
  Rows rows;
  return run_rows(model_from_text(text), name, options, rows);
}

/// Of positions and velocities at the end, against the sizes that these motions have.
double apart(const Report& a, const Report& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.y.size(); ++i) most = std::max(most, std::abs(a.y[i] - b.y[i]));
  for (std::size_t i = 0; i < a.z.size(); ++i) most = std::max(most, std::abs(a.z[i] - b.z[i]) / 4);
  return most;
}

TEST(ContactAccuracy, NoContactRunIsWrongInSilence) {
  Generator g(20261118);
  const std::vector<std::string> methods{"gauss(1)", "gauss(2)", "lobatto(2)", "radau(2)", "gauss(3)"};
  using Make = std::string (*)(Generator&);
  const std::vector<Make> kinds{hitting, shaken, roped, sliding};
  int silent = 0, wrong = 0, warned = 0, failed = 0, unknown = 0;
  for (int i = 0; i < 48; ++i) {
    const std::string text = kinds[static_cast<std::size_t>(i) % kinds.size()](g);
    const std::string& name = methods[static_cast<std::size_t>(i) % methods.size()];
    const double step = std::pow(10, between(g, -2.3, -0.8)), end = between(g, 1, 4);
    const double tolerance = i % 3 == 0 ? std::pow(10, between(g, -8, -3)) : 0;
    const Report report = run(text, name, step, end, tolerance);
    if (report.ending != Ending::done || !report.warnings.empty()) {
      ++(report.ending != Ending::done ? failed : warned);
      continue;
    }
    const Report fine = run(text, "gauss(3)", 0.004, end), finer = run(text, "gauss(3)", 0.0023, end);
    const double known = apart(fine, finer);
    if (fine.ending != Ending::done || finer.ending != Ending::done || known > 1e-6) {
      ++unknown;
      continue;
    }
    ++silent;
    ASSERT_TRUE(report.accuracy) << text;
    const double error = apart(report, finer), stated = report.accuracy->per_time * report.t;
    if (error <= 10 * (stated + known) + 1e-11) continue;
    ++wrong;
    ADD_FAILURE() << fmt::format("{} step {} end {} tolerance {}: error {:.1e}, stated {:.1e}\n{}", name, step, end,
                                 tolerance, error, stated, text);
  }
  std::cout << fmt::format(
      "48 runs with contacts: {} failed, {} warned, {} said nothing, of which {} were wrong; {} "
      "without a reference\n",
      failed, warned, silent, wrong, unknown);
  EXPECT_GT(silent, 30) << "else this test tests nothing";
}

/// A ball that bounces and rubs.
std::string bouncing(Generator& g) {
  return fmt::format(
      "coordinate x, y = {}\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
      "contact floor: y >= 0 restitution {} friction {} along x'\ninitial x' = {}\n",
      between(g, 0.3, 1.5), between(g, 0, 0.9), between(g, 0, 0.5), between(g, -2, 2));
}

// By methods that step through the contacts, in steps of which each knows the time of an impact no better than to
// itself.
TEST(ContactAccuracy, NoRunThatStepsThroughContactsIsWrongInSilence) {
  Generator g(20261119);
  const std::vector<std::string> methods{"moreau", "nonsmooth_rattle", "true_euler", "true_euler_adjoint"};
  using Make = std::string (*)(Generator&);
  const std::vector<Make> kinds{hitting, shaken, roped, sliding, bouncing};
  int silent = 0, wrong = 0, warned = 0;
  for (int i = 0; i < 60; ++i) {
    // One coefficient of friction is all that these methods know.
    std::string text = kinds[static_cast<std::size_t>(i) % kinds.size()](g);
    if (const std::size_t at = text.find(" static "); at != std::string::npos) text.erase(at, text.find(" along") - at);
    const std::string& name = methods[static_cast<std::size_t>(i) / kinds.size() % methods.size()];
    const double step = std::pow(10, between(g, -3.2, -1.6)), end = between(g, 1, 2);
    const Report report = run(text, name, step, end);
    ASSERT_EQ(report.ending, Ending::done) << report.reason << "\n" << text;
    if (!report.warnings.empty()) {
      ++warned;
      continue;
    }
    const Report fine = run(text, "gauss(3)", 0.004, end);
    ASSERT_EQ(fine.ending, Ending::done) << fine.reason << "\n" << text;
    ++silent;
    ASSERT_TRUE(report.accuracy) << text;
    const double error = apart(report, fine), stated = report.accuracy->per_time * report.t;
    if (error <= 10 * stated + 1e-8) continue;
    ++wrong;
    ADD_FAILURE() << fmt::format("{} step {} end {}: error {:.1e}, stated {:.1e}\n{}", name, step, end, error, stated,
                                 text);
  }
  std::cout << fmt::format("60 runs that step through contacts: {} warned, {} said nothing, of which {} were wrong\n",
                           warned, silent, wrong);
  EXPECT_GT(silent, 40) << "else this test tests nothing";
}

// Slips and kinks cut every step of both runs alike: with the same steps between them they would agree whatever they
// err by.
TEST(ContactAccuracy, KinksAndSlipsDoNotMakeBothRunsTheSame) {
  const std::string shaft =
      "table torque(s) = (0, 0), (0.2, 5), (1, 5), (1.1, 0), (9, 0) linear\ncoordinate a, b\n"
      "kinetic a'^2 + b'^2/2\npotential 200*(a - b)^2\nforce a = torque(t)\ncontact brake load 3 friction 0.5 along "
      "b'\n";
  const Report fine = run(shaft, "gauss(3)", 0.001, 3);
  for (const double step : {1.0, 0.7, 0.3}) {
    const Report report = run(shaft, "gauss(3)", step, 3);
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    ASSERT_TRUE(report.accuracy);
    EXPECT_LT(apart(report, fine), 10 * report.accuracy->per_time * report.t) << step;
  }
}

// A ball bounces, comes to rest on the floor after infinitely many impacts, slides on and stops. In each impact
// friction has the whole of mu P, so that all of it is known. Errors depend on where in a step impacts are: the mean of
// ten.
TEST(ContactAccuracy, MoreauHasOrderOneBeyondAnAccumulation) {
  const double gravity = 9.81, e = 0.6, mu = 0.11, high = 0.37, fast = 2.3;
  const double fall = std::sqrt(2 * high / gravity);
  double x = fast * fall, along = fast - mu * (1 + e) * gravity * fall, up = e * gravity * fall;
  for (; up > 1e-16; up *= e) {
    x += along * 2 * up / gravity;
    along -= mu * (1 + e) * up;
  }
  x += along * along / (2 * mu * gravity);
  const std::string ball =
      "coordinate x, y = 0.37\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
      "contact floor: y >= 0 restitution 0.6 friction 0.11 along x'\ninitial x' = 2.3\n";
  std::vector<double> sizes, errors;
  double mean_size = 0, mean_error = 0, above = 0, below = 0;
  for (const double step : {0.008, 0.004, 0.002, 0.001, 0.0005}) {
    double squares = 0;
    for (int k = 0; k < 10; ++k) {
      const Report report = run(ball, "moreau", step * (1 - 0.045 * k), 2.6);
      EXPECT_NEAR(report.v[0], 0, 1e-15) << step;
      squares += (report.y[0] - x) * (report.y[0] - x) / 10;
    }
    sizes.push_back(std::log(step));
    errors.push_back(std::log(squares) / 2);
    mean_size += sizes.back() / 5;
    mean_error += errors.back() / 5;
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    above += (sizes[i] - mean_size) * (errors[i] - mean_error);
    below += (sizes[i] - mean_size) * (sizes[i] - mean_size);
  }
  EXPECT_NEAR(above / below, 1, 0.15);
  EXPECT_LT(errors.back(), std::log(3e-5));
}

// Elastic, between walls of which one is round: errors grow with each impact. Free flight has no errors of its own, so
// that nothing between the impacts tells of it.
TEST(ContactAccuracy, ImpactsThatPartMotionsAreSaid) {
  const std::string elastic =
      "coordinate x = 0.9, y = 0.1\nkinetic (x'^2 + y'^2)/2\ncontact left: x >= -2 restitution 1\n"
      "contact right: x <= 2 restitution 1\ncontact low: y >= -2 restitution 1\ncontact high: y <= 2 restitution 1\n"
      "contact pillar: norm((x, y)) >= 0.8 restitution 1\ninitial x' = 1, y' = 0.3\n";
  const Report brief = run(elastic, "gauss(2)", 0.1, 4);
  ASSERT_EQ(brief.ending, Ending::done) << brief.reason;
  EXPECT_TRUE(brief.warnings.empty()) << brief.warnings[0].text;
  const Report late = run(elastic, "gauss(2)", 0.1, 200);
  ASSERT_EQ(late.ending, Ending::done) << late.reason;
  ASSERT_EQ(late.warnings.size(), 1u);
  EXPECT_EQ(late.warnings[0].code, "accuracy");
}

// The slip of a disk that falls on its edge becomes fast, turns and ends within four steps: a step that led past its
// end found friction that points back, and took 2e-3 too little.
TEST(ContactAccuracy, NoStepLeadsPastTheEndOfASlipInSpace) {
  const std::string disk =
      "body d mass 1 inertia (0.01, 0.012, 0.02) at (0, 0, 0.3) rotated 0.4 about (1, 0.3, 0) velocity (0.5, 0, 0) "
      "spin (1, 2, 3)\ngravity (0, 0, -9.81)\n"
      "contact c from d disk 0.2 axis (0, 0, 1) to ground plane axis (0, 0, 1) restitution 0.2 friction 0.3 static "
      "0.4\n";
  const auto sticks = [](const Report& report) {
    for (const EventRecord& event : report.events)
      if (event.kind == "stick") return event.t;
    return 0.0;
  };
  const Report report = run(disk, "gauss(3)", 0.002, 0.276), other = run(disk, "gauss(4)", 0.00125, 0.276);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  ASSERT_EQ(other.ending, Ending::done) << other.reason;
  EXPECT_NEAR(sticks(report), sticks(other), 1e-6);
  EXPECT_GT(sticks(report), 0.27);
  EXPECT_LT(apart(report, other), 1e-5);
  EXPECT_LT(report.energy.max_error, 1e-4);
}

// With steps by a tolerance, impacts that accumulate left pieces shorter than the rounding of the time: the run made
// steps of length 0 for ever.
TEST(ContactAccuracy, AccumulationsEndByATolerance) {
  const Report report =
      run("coordinate y = 0.18548664843556734\nkinetic y'^2/2\npotential 9.81*y\n"
          "contact table: y - 0.0484865904315624*sin(10.709374355386423*t) >= -0.2 restitution 0.4342994549882869\n",
          "lobatto(2)", 0.0004510341383734964, 0.6681486152331908, 0.00023304470044312325);
  EXPECT_EQ(report.ending, Ending::done) << report.reason;
  EXPECT_LT(report.steps, 2000);
}

}  // namespace
}  // namespace alembert::internal::testing::contact_accuracy
