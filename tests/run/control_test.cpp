// Steps of varying size: tolerances are met, limits are kept, and reversible control keeps what naive control loses.

#include "alembert/run/control.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "alembert/run/error_scale.h"
#include "output/rows.h"

namespace alembert::internal::testing {
namespace {

Report run_controlled(const Model& model, const std::string& method_text, double step, double end,
                      const StepOptions& steps, Rows& rows) {
  SimulateOptions options;
  options.step = step, options.end = end, options.steps = steps;
  return run_rows(model, method_text, options, rows);
}

StepOptions with_tolerance(double tolerance) {
  StepOptions steps;
  steps.control = Control::tolerance, steps.tolerance = tolerance;
  return steps;
}

/// Distance of the planet from Kepler's ellipse after one turn, in units of what the tolerance allows each two steps.
double turn_error(const std::string& method_text, double tolerance, double direction = 1) {
  const Model model = gallery("kepler");
  Rows rows;
  const Report report = run_controlled(model, method_text, direction * 0.02, direction * 2 * std::numbers::pi,
                                       with_tolerance(tolerance), rows);
  EXPECT_EQ(report.ending, Ending::done) << report.reason;
  EXPECT_EQ(rows.rows.size(), static_cast<std::size_t>(report.steps) + 1);
  EXPECT_EQ(report.t, direction * 2 * std::numbers::pi);
  double error = 0;
  for (std::size_t i = 0; i < report.y.size(); ++i)
    error = std::max(error, std::abs(report.y[i] - report.initial.y[i]));
  return error / (tolerance * static_cast<double>(report.steps) / 2);
}

TEST(StepControl, ErrorFollowsTheTolerance) {
  // An error in the speed at the sun is one in the half axis, and that makes 3 pi times as much of the phase in a turn.
  const double growth = 60;
  for (const char* name : {"gauss(2)", "lobatto(3)", "gauss(4)", "radau(2)", "triple_jump(lobatto(2))"}) {
    SCOPED_TRACE(name);
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) EXPECT_LT(turn_error(name, tolerance), growth) << tolerance;
    EXPECT_LT(turn_error(name, 1e-8, -1), growth);
  }
}

TEST(StepControl, EstimateIsTheErrorOfAStep) {
  // A free fall has no error at all; x = cos(t) has a known one.
  const Model model = model_from_text("coordinate x\nkinetic x'^2/2\npotential x^2/2\ninitial x = 1\n");
  StepOptions steps = with_tolerance(1e-7);
  steps.growth = 1.5;
  Rows rows;
  const Report report = run_controlled(model, "gauss(2)", 0.3, 20, steps, rows);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  // From one point to the next the phase may be off by the tolerance, and usually is by a good part of it. It would be
  // more had the first steps not been judged by the small velocities there; steps grow by 1.2 or not at all.
  double largest = 0;
  for (std::size_t i = 1; i < rows.rows.size(); ++i) {
    const auto& a = rows.rows[i - 1];
    const auto& b = rows.rows[i];
    const double h = b[0] - a[0];
    const double x = a[1] * std::cos(h) + a[2] * std::sin(h), v = a[2] * std::cos(h) - a[1] * std::sin(h);
    largest = std::max({largest, std::abs(b[1] - x), std::abs(b[2] - v)});
  }
  EXPECT_LT(largest, 1.05e-7);
  EXPECT_GT(largest, 0.05e-7);
}

TEST(StepControl, LimitsAreKept) {
  const Model model = gallery("kepler");
  StepOptions steps = with_tolerance(1e-8);
  steps.growth = 1.4, steps.shrink = 0.5, steps.largest = 0.15, steps.good_steps = 3;
  Rows rows;
  const Report report = run_controlled(model, "gauss(2)", 0.001, 10, steps, rows);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  std::vector<double> sizes;
  for (std::size_t i = 1; i < rows.rows.size(); ++i) sizes.push_back(rows.rows[i][0] - rows.rows[i - 1][0]);
  EXPECT_NEAR(sizes.front(), 0.001, 1e-15);
  int grown = 0;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    EXPECT_LE(sizes[i], 0.15 * (1 + 1e-12));
    EXPECT_LE(sizes[i], sizes[i - 1] * 1.4 * (1 + 1e-9));
    grown += sizes[i] > 1.01 * sizes[i - 1];
    // Two are compared, two again, and the next is judged by itself: that makes three that went well.
    if (i < 6) { EXPECT_NEAR(sizes[i], i < 5 ? 0.001 : 0.0014, 1e-12) << "three good ones first"; }
  }
  EXPECT_GT(grown, 5);
  EXPECT_NEAR(report.largest_step, *std::max_element(sizes.begin(), sizes.end()), 1e-14);
  EXPECT_NEAR(report.smallest_step, *std::min_element(sizes.begin(), sizes.end()), 1e-14);
}

TEST(StepControl, RejectedStepsAreCountedAndLeaveNoRow) {
  const Model model = gallery("kepler");
  Rows rows;
  const Report report = run_controlled(model, "gauss(2)", 1, 7, with_tolerance(1e-9), rows);  // far too long at first
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  EXPECT_GT(report.rejected, 4);
  EXPECT_EQ(rows.rows.size(), static_cast<std::size_t>(report.steps) + 1);
  for (std::size_t i = 1; i < rows.rows.size(); ++i) EXPECT_GT(rows.rows[i][0], rows.rows[i - 1][0]);
}

TEST(StepControl, WhatAMethodCarriesKnowsNothingOfRejectedSteps) {
  // The same steps once more, one by one: the multipliers that murua takes along are those of the accepted ones.
  const Model model = gallery("double_pendulum");
  const Equations e = derive(model);
  Rows rows;
  const Report report = run_controlled(model, "murua(2)", 0.5, 1, with_tolerance(1e-7), rows);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  ASSERT_GT(report.rejected, 0);
  const InitialValues initial = make_consistent(model, e);
  std::vector<double> state = initial.y, hints = initial.z_dot;
  state.insert(state.end(), initial.z.begin(), initial.z.end());
  hints.insert(hints.end(), initial.lambda.begin(), initial.lambda.end());
  std::vector<double> rest(state.size(), 0.0);
  Step<double> step(method("murua(2)").step(e), 0, 0.01, state, hints);
  ASSERT_FALSE(step.carried().empty());
  for (std::size_t i = 1; i < rows.rows.size(); ++i) {
    const double t = rows.rows[i - 1][0];
    ASSERT_EQ(step.advance(t, rows.rows[i][0] - t, state.data(), rest.data()).newton.outcome, Outcome::converged);
  }
  const std::vector<double>& replayed = step.internal();
  ASSERT_EQ(replayed.size(), report.internal.size());
  for (std::size_t i = 0; i < replayed.size(); ++i)
    EXPECT_NEAR(replayed[i], report.internal[i], 1e-8 * (1 + std::abs(replayed[i]))) << report.internal_names[i];
}

TEST(StepControl, AStepThatHasNoSolutionIsMadeShorter) {
  // With steps of 3 the rods of the double pendulum cannot be followed.
  const Model model = gallery("double_pendulum");
  Rows rows;
  const Report report = run_controlled(model, "lobatto(3)", 3, 6, with_tolerance(1e-7), rows);
  EXPECT_EQ(report.ending, Ending::done) << report.reason;
  EXPECT_GT(report.rejected, 0);
  EXPECT_LT(report.energy.max_error, 1e-3);
}

TEST(StepControl, EndsWithItsReasonAndItsRows) {
  const Model model = gallery("kepler");
  StepOptions steps = with_tolerance(1e-10);
  steps.smallest = 0.015;
  Rows rows;
  Report report = run_controlled(model, "gauss(1)", 0.02, 10, steps, rows);
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_NE(report.reason.find("shorter than 0.015"), std::string::npos) << report.reason;
  EXPECT_EQ(rows.rows.back()[0], report.t);

  steps.smallest = 0, steps.most_steps = 20;
  Rows more;
  report = run_controlled(model, "gauss(2)", 0.02, 10, steps, more);
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_NE(report.reason.find("number of steps, 20"), std::string::npos) << report.reason;
  EXPECT_EQ(report.steps, 20);
  EXPECT_EQ(more.rows.size(), 21u);

  StepOptions fixed;  // also where steps are equal
  fixed.most_steps = 7;
  Rows equal;
  EXPECT_EQ(run_controlled(model, "gauss(2)", 0.02, 10, fixed, equal).ending, Ending::failed);
  EXPECT_EQ(run_controlled(model, "gauss(2)", 0.02, 0.14, fixed, equal).ending, Ending::done);
}

TEST(StepControl, RefusesWhatMakesNoSense) {
  const Model model = gallery("kepler");
  const auto refused = [&](auto change, const char* method_text = "gauss(2)") {
    StepOptions steps = with_tolerance(1e-6);
    change(steps);
    Rows rows;
    EXPECT_THROW(run_controlled(model, method_text, 0.02, 1, steps, rows), InputError);
  };
  refused([](StepOptions& s) { s.tolerance = 0; });
  refused([](StepOptions& s) { s.tolerance = -1e-6; });
  refused([](StepOptions& s) { s.tolerance = 1e-16; });
  refused([](StepOptions& s) { s.tolerance = 0.2; });
  refused([](StepOptions& s) { s.tolerance = std::nan(""); });
  refused([](StepOptions& s) { s.absolute = -1; });
  refused([](StepOptions& s) { s.absolute = INFINITY; });
  refused([](StepOptions& s) { s.growth = 1; });
  refused([](StepOptions& s) { s.shrink = 1; });
  refused([](StepOptions& s) { s.good_steps = 0; });
  refused([](StepOptions& s) { s.smallest = 0.1, s.largest = 0.05; });
  refused([](StepOptions& s) { s.smallest = 0.1; });
  refused([](StepOptions& s) { s.control = Control::reversible; }, "radau(2)");
}

TEST(FixedSteps, AStepLongerThanTheRunIsCutToIt) {
  const Model model = model_from_text("coordinate x\nkinetic x'^2/2\ninitial x' = 3\n");
  struct Case {
    double step, end;
    long steps;
  };
  // Decimals that divide each other, a shorter last step, an end that is missed by less than a step is worth.
  for (const Case& c : {Case{1, 1e-10, 1}, Case{0.1, 0.3, 3}, Case{0.3, 1, 4}, Case{0.1, 1 + 1e-12, 10},
                        Case{0.1, 1 - 1e-12, 10}, Case{1e-3, 1e3, 1000000}, Case{-1, -1e-10, 1}, Case{5, 1, 1}}) {
    SimulateOptions options;
    options.step = c.step;
    options.end = c.end;
    options.steps.most_steps = c.steps + 10;
    const Report report = simulate(model, derive(model), method("gauss(1)"), options);
    EXPECT_EQ(report.ending, Ending::done) << report.reason;
    EXPECT_EQ(report.steps, c.steps) << c.step << " " << c.end;
    EXPECT_NEAR(report.t, c.end, 4e-16 * std::abs(c.end));
    EXPECT_NEAR(report.y[0], 3 * c.end, 1e-12 * std::abs(c.end));
  }
}

/// Largest error relative to amplitude, of a slow oscillation and a small one beside it that is not coupled with it.
double worst_of_two(const char* name, double tolerance, double absolute) {
  const Model model = model_from_text(
      "coordinate x, u\nkinetic (x'^2 + u'^2)/2\npotential x^2/2 + 100*u^2/2\ninitial x = 1e12, u = 1e-6\n");
  StepOptions steps = with_tolerance(tolerance);
  steps.absolute = absolute;
  Rows rows;
  const Report report = run_controlled(model, name, 0.01, 10, steps, rows);
  EXPECT_EQ(report.ending, Ending::done) << report.reason;
  return std::max({std::abs(report.y[0] / 1e12 - std::cos(10)), std::abs(report.y[1] / 1e-6 - std::cos(100)),
                   std::abs(report.z[1] / 1e-5 + std::sin(100))});
}

TEST(StepControl, LargeThingsDoNotSpoilSmallOnes) {
  for (const char* name : {"gauss(2)", "lobatto(3)", "gauss(4)"}) EXPECT_LT(worst_of_two(name, 1e-7, 0), 1e-4) << name;
  // What is below the absolute tolerance is nobody's concern.
  EXPECT_GT(worst_of_two("gauss(2)", 1e-7, 1e-3), 1e-2);
}

TEST(StepControl, ABodyFarAwayChangesNothing) {
  const std::string pendulum =
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint x^2 + y^2 = 1\ninitial x = 1\n";
  const std::string far =
      "coordinate x, y, a, b\nkinetic (x'^2 + y'^2 + a'^2 + b'^2)/2\npotential 9.81*y\n"
      "constraint x^2 + y^2 = 1\ninitial x = 1, a = 1e12, b' = 1e3\n";
  Rows rows;
  const Report alone = run_controlled(model_from_text(pendulum), "gauss(3)", 0.01, 5, with_tolerance(1e-7), rows);
  const Report both = run_controlled(model_from_text(far), "gauss(3)", 0.01, 5, with_tolerance(1e-7), rows);
  EXPECT_NEAR(alone.y[0], both.y[0], 1e-6);
  EXPECT_NEAR(alone.y[1], both.y[1], 1e-6);
  EXPECT_LT(both.energy.max_error, 2e-3);  // of 5e5: rounding of the far body
}

TEST(ErrorScale, ForgetsWhatWasLarge) {
  const Model model = model_from_text("coordinate x\nkinetic x'^2/2\n");
  const Equations e = derive(model);
  GridPoint small;
  small.state = {1, 1};
  GridPoint large = small;
  large.state = {1e6, 1};
  GridPoint other = small;
  other.state = {1 + 1e-6, 1};
  ErrorScale scale(e, 1e-6, 0, small);
  EXPECT_NEAR(scale.error(small, small, other), 1, 1e-6);
  scale.accept(small, large);
  EXPECT_LT(scale.error(small, small, other), 2e-6) << "it may pass zero";
  for (int i = 0; i < 30; ++i) scale.accept(small, small);
  EXPECT_GT(scale.error(small, small, other), 1e-5);
  for (int i = 0; i < 2000; ++i) scale.accept(small, small);
  EXPECT_NEAR(scale.error(small, small, other), 1, 1e-6);
  other.state[0] = std::nan("");
  EXPECT_EQ(scale.error(small, small, other), INFINITY);
}

TEST(StepControl, WhatStartsFromNothingDoesNotStopTheRun) {
  // Down a chain of pendulums that begins at rest the velocities grow like t, t^3, t^5, ...
  const Model model = model_from_text(
      "family i = 1..6\ncoordinate x[i]\nkinetic sum(i, x[i]'^2/2)\n"
      "potential sum(i, x[i]^2/2) + sum(i = 1..5, (x[i + 1] - x[i])^2/2)\ninitial x[1] = 1\n");
  for (const char* name : {"gauss(2)", "lobatto(3)"}) {
    Rows rows;
    const Report report = run_controlled(model, name, 0.05, 20, with_tolerance(1e-7), rows);
    EXPECT_EQ(report.ending, Ending::done) << report.reason;
    EXPECT_LT(report.energy.max_error, 1e-4);
    EXPECT_LT(report.steps, 2000);
  }
}

TEST(ToleranceControl, DoesNotFollowWhatNumbersCannotHold) {
  // Long before its time the push is 1e-300 and less. What it leaves in the end: the Fourier transform of a bell curve.
  const Model model =
      model_from_text("coordinate x\nkinetic x'^2/2\npotential x^2/2\nforce x = 5*exp(-((t - 7.3)/0.05)^2)\n");
  SimulateOptions options;
  options.step = 0.1, options.end = 10, options.steps = with_tolerance(1e-6);
  const Report report = simulate(model, derive(model), method("gauss(2)"), options);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  EXPECT_LT(report.steps, 10'000);
  const double amplitude = 5 * 0.05 * std::sqrt(std::numbers::pi) * std::exp(-0.05 * 0.05 / 4);
  EXPECT_NEAR(report.y[0], amplitude * std::sin(10 - 7.3), 1e-4);
}

TEST(ReversibleControl, KeepsTheEnergyOverAHundredThousandStepsWhereNaiveControlDrifts) {
  const Model model = gallery("sphere_kepler");
  const auto run_many = [&](StepOptions steps, double step) {
    steps.most_steps = 100'000;
    SimulateOptions options;
    options.step = step, options.end = 1e6, options.steps = steps;
    options.newton.linear = LinearSolver::exact;  // its iterations tell how good predictions are
    Model plain = model;
    plain.events.clear();
    return simulate(plain, derive(plain), method("gauss(2)"), options);
  };
  StepOptions reversible;
  reversible.control = Control::reversible;
  const Report kept = run_many(reversible, 0.1), naive = run_many(with_tolerance(1e-6), 0.1);
  ASSERT_EQ(kept.steps, 100'000);
  ASSERT_EQ(naive.steps, 100'000);
  std::printf("energy error after 1e5 steps (%.0f and %.0f turns): reversible %.2g, tolerance %.2g\n", kept.t / 2.44876,
              naive.t / 2.44876, kept.energy.max_error, naive.energy.max_error);
  EXPECT_LT(kept.energy.max_error, 5e-5);
  EXPECT_LT(std::abs(kept.drift.per_time), 3 * kept.drift.uncertainty);
  EXPECT_LT(std::abs(kept.drift.per_time) * kept.t, 1e-6);
  // Naive: the error at the end is what the drift makes of the time.
  EXPECT_GT(naive.energy.max_error, 2e-3);
  EXPECT_GT(std::abs(naive.drift.per_time), 10 * naive.drift.uncertainty);
  EXPECT_NEAR(naive.drift.per_time * naive.t, naive.energy.max_error, 0.3 * naive.energy.max_error);
  // Steps that change smoothly are predicted like equal ones.
  EXPECT_LT(static_cast<double>(kept.newton.iterations) / 1e5, 2.2);
  EXPECT_GT(kept.largest_step / kept.smallest_step, 20);
}

TEST(ReversibleControl, TheMotionsOwnDensityKeepsTheEnergyToo) {
  // Without a density in the model: by the accelerations.
  for (const char* name : {"sphere_kepler", "kepler"}) {
    SCOPED_TRACE(name);
    Model model = gallery(name);
    model.events.clear();
    model.density = Expr();
    SimulateOptions options;
    options.step = name[0] == 's' ? 0.04 : 0.02, options.end = 1e6;
    options.steps.control = Control::reversible, options.steps.most_steps = 20'000;
    const Report report = simulate(model, derive(model), method("gauss(2)"), options);
    ASSERT_EQ(report.steps, 20'000);
    EXPECT_LT(report.energy.max_error, 1e-3);
    EXPECT_LT(std::abs(report.drift.per_time), 3 * report.drift.uncertainty);
    EXPECT_GT(report.largest_step / report.smallest_step, 3);
  }
}

TEST(ReversibleControl, StepsFollowTheDensityFromTheFirstOneOn) {
  // Kepler's acceleration is 1/r^2, the density its root: steps are as r, up to second order. The start is no apsis.
  const Model model = model_from_text(
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential -1/sqrt(x^2 + y^2)\n"
      "initial x = 1, x' = -0.7, y' = 0.8\n");
  SimulateOptions options;
  options.step = 0.04, options.end = 7.7;
  options.steps.control = Control::reversible;
  Rows rows;
  run_rows(model, "gauss(2)", options, rows);
  double least = 1e300, most = 0;
  const auto r = [&](std::size_t i) { return std::hypot(rows.at(rows.rows[i], "x"), rows.at(rows.rows[i], "y")); };
  for (std::size_t i = 0; i + 2 < rows.rows.size(); ++i) {  // the last one is cut
    const double share = (rows.rows[i + 1][0] - rows.rows[i][0]) / ((r(i) + r(i + 1)) / 2);
    least = std::min(least, share), most = std::max(most, share);
  }
  EXPECT_NEAR(least, options.step, 0.001 * options.step);  // a whole kick at first would make all of them 1.4 % shorter
  EXPECT_NEAR(most, options.step, 0.001 * options.step);
}

TEST(ReversibleControl, TheWayBackIsTheWayThere) {
  // Half an orbit after the start the motion is symmetric: the steps there and back have the same sizes.
  Model model = gallery("sphere_kepler");
  SimulateOptions options;
  options.step = 0.08, options.end = 2.44876;
  options.steps.control = Control::reversible;
  Rows there;
  run_rows(model, "gauss(3)", options, there);
  Rows back;
  options.step = -0.08, options.end = -2.44876;
  run_rows(model, "gauss(3)", options, back);
  ASSERT_EQ(there.rows.size(), back.rows.size());
  for (std::size_t i = 0; i < there.rows.size(); ++i) {
    EXPECT_NEAR(there.rows[i][0], -back.rows[i][0], 1e-13);
    EXPECT_NEAR(there.at(there.rows[i], "q[1]"), back.at(back.rows[i], "q[1]"), 1e-12);
    EXPECT_NEAR(there.at(there.rows[i], "q[2]"), -back.at(back.rows[i], "q[2]"), 1e-12);
  }
}

}  // namespace
}  // namespace alembert::internal::testing
