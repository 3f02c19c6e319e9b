// Events against closed forms.

#include "alembert/run/events.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "output/rows.h"

namespace alembert::internal::testing {
namespace {

constexpr double pi = std::numbers::pi;

Report run_events(const std::string& text, const std::string& method_text, double step, double end, Rows& rows) {
  const Model model = model_from_text(text);
  SimulateOptions options;
  options.step = step, options.end = end;
  return run_rows(model, method_text, options, rows);
}

std::vector<double> times(const Rows& rows, const std::string& name) {
  std::vector<double> list;
  for (const auto& [event, row] : rows.events)
    if (event == name) list.push_back(row[0]);
  return list;
}

/// pi/2 over the arithmetic-geometric mean: the complete elliptic integral K(sin(angle)).
double elliptic(double angle) {
  double a = 1, b = std::cos(angle);
  for (int i = 0; i < 8; ++i) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b), a = mean;
  }
  return pi / 2 / a;
}

const char ball[] =
    "parameter gravity = 9.81\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential gravity*y\n"
    "initial y = 2, x' = 3\nevent half: y = 1\nevent fast: y' = -5\nstop when y = 0\n";

TEST(Events, BallThatFallsStopsOnTheGround) {
  for (const double step : {0.1, 0.05, 7.0}) {
    Rows rows;
    const Report report = run_events(ball, "lobatto(3)", step, 70, rows);
    EXPECT_EQ(report.ending, Ending::done);
    EXPECT_EQ(report.stopped, "stop");
    EXPECT_NEAR(report.t, std::sqrt(4 / 9.81), 1e-14);
    EXPECT_NEAR(report.y[0], 3 * std::sqrt(4 / 9.81), 1e-14);
    EXPECT_NEAR(report.y[1], 0, 1e-14);
    EXPECT_NEAR(report.z[1], -std::sqrt(4 * 9.81), 1e-13);
    EXPECT_EQ(rows.rows.back()[0], report.t);
    ASSERT_EQ(report.events.size(), 3u);
    ASSERT_EQ(times(rows, "half").size(), 1u);
    EXPECT_NEAR(times(rows, "half")[0], std::sqrt(2 / 9.81), 1e-14);
    EXPECT_NEAR(times(rows, "fast").at(0), 5 / 9.81, 1e-14);
    EXPECT_EQ(times(rows, "stop").at(0), report.t);
  }
}

TEST(Events, BackwardInTime) {
  Rows rows;
  const Report report =
      run_events("coordinate y\nkinetic y'^2/2\npotential 9.81*y\ninitial y = 2, y' = -1\nstop when y = 0\n",
                 "gauss(2)", -0.1, -9, rows);
  EXPECT_EQ(report.stopped, "stop");
  EXPECT_NEAR(report.t, (-1 - std::sqrt(1 + 4 * 9.81)) / 9.81, 1e-14);
}

TEST(Events, PendulumCrossesTheBottomAtHalfPeriods) {
  const double amplitude = 1.5, period = 4 * elliptic(amplitude / 2) / std::sqrt(9.81);
  const std::string text =
      "parameter gravity = 9.81, a = 1.5\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential gravity*y\n"
      "constraint rod: x^2 + y^2 = 1\ninitial x = sin(a), y = -cos(a)\nevent bottom: x = 0\nevent turn: x' = 0\n";
  Rows rows;
  const Report report = run_events(text, "gauss(6)", 0.04, 4, rows);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  const std::vector<double> bottom = times(rows, "bottom"), turn = times(rows, "turn");
  ASSERT_EQ(bottom.size(), 3u);
  // It rests at the start: that is where it is, not where it turns.
  ASSERT_EQ(turn.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(bottom[i], (0.25 + 0.5 * i) * period, 1e-13);
    EXPECT_NEAR(turn[i], 0.5 * (i + 1) * period, 1e-13);
  }
  for (const auto& [name, row] : rows.events) {
    EXPECT_LT(rows.at(row, "residual.position"), 1e-15);
    EXPECT_LT(rows.at(row, "residual.velocity"), 1e-14);
    if (name == "bottom") {
      EXPECT_NEAR(std::abs(rows.at(row, "x'")), std::sqrt(2 * 9.81 * (1 - std::cos(amplitude))), 1e-12);
    }
  }
}

TEST(Events, MultipliersMayBeCompared) {
  // The rod of a pendulum slackens where v^2 = gravity*y; with E = v^2/2 + gravity*y that is y = 2 E/(3 gravity).
  const std::string text =
      "parameter gravity = 10\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential gravity*y\n"
      "constraint rod(pull): x^2 + y^2 = 1\ninitial y = -1, x' = 6\nstop when pull = 0\n";
  Rows rows;
  const Report report = run_events(text, "gauss(5)", 0.02, 4, rows);
  ASSERT_EQ(report.stopped, "stop");
  EXPECT_NEAR(report.y[1], 2 * (18.0 - 10) / 30, 1e-12);
  EXPECT_NEAR(report.events.back().lambda.at(0), 0, 1e-12);
}

TEST(Events, SeveralInOneStepInTheirOrder) {
  Rows rows;
  run_events(
      "family i = 1..9\ncoordinate x\nkinetic x'^2/2\ninitial x' = 1\nevent tick: sin(20*pi*t) = 0\n"
      "event third: x = 1/3\nevent grid: 10*x = i for i = 1..9\n",
      "gauss(1)", 0.4, 1, rows);
  const std::vector<double> tick = times(rows, "tick");
  ASSERT_EQ(tick.size(), 20u);  // 0.05 .. 1; the one at the end counts, the one at the start does not
  for (int i = 0; i < 20; ++i) EXPECT_NEAR(tick[i], (i + 1) / 20.0, 1e-15);
  EXPECT_NEAR(times(rows, "third").at(0), 1 / 3.0, 1e-15);
  for (int i = 1; i <= 9; ++i) {
    const std::vector<double> one = times(rows, "grid[" + std::to_string(i) + "]");
    ASSERT_EQ(one.size(), 1u) << i;  // also 0.4 and 0.8, which are grid points
    EXPECT_NEAR(one[0], i / 10.0, 1e-15);
  }
  for (std::size_t i = 1; i < rows.events.size(); ++i)
    EXPECT_GE(rows.events[i].second[0], rows.events[i - 1].second[0] - 1e-15);
}

TEST(Events, TwoThatLieCloseTogetherAndOneThatOnlyTouches) {
  Rows rows;
  run_events(
      "coordinate x\nkinetic x'^2/2\ninitial x' = 1\nevent close: (x - 0.501)*(x - 0.509) = 0\n"
      "event touch: (x - 1/2)^2 = 0\nevent near: (x - 0.5)^2 + 1e-9 = 0\n",
      "gauss(1)", 0.4, 1, rows);
  const std::vector<double> close = times(rows, "close");
  ASSERT_EQ(close.size(), 2u);
  EXPECT_NEAR(close[0], 0.501, 1e-14);
  EXPECT_NEAR(close[1], 0.509, 1e-14);
  EXPECT_TRUE(times(rows, "touch").empty());
  EXPECT_TRUE(times(rows, "near").empty());
}

TEST(Events, RoundingIsNoEvent) {
  // What is conserved is zero all the time, up to rounding.
  const std::string text =
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
      "initial x = 1\nevent length: x^2 + y^2 = 1\nevent moving: x*x' + y*y' = 0\n";
  Rows rows;
  const Report report = run_events(text, "lobatto(3)", 0.02, 4, rows);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  EXPECT_TRUE(rows.events.empty());
}

TEST(Events, OrbitOnTheSphereClosesAfterItsPeriod) {
  // dt = dphi/(L (1 + cot^2)), L^2 = gamma p: the trapezoidal rule is exact to rounding for a periodic function.
  const double e = 0.9, p = 0.2;
  double period = 0;
  const int n = 4000;
  for (int i = 0; i < n; ++i) {
    const double u = (1 + e * std::cos(2 * pi * i / n)) / p;
    period += 2 * pi / n / (std::sqrt(p) * (1 + u * u));
  }
  const Model model = gallery("sphere_kepler");
  SimulateOptions options;
  options.step = 0.05, options.end = 3 * period + 0.1;
  options.steps.control = Control::reversible;
  Rows rows;
  const Report report = run_rows(model, "gauss(6)", options, rows);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  const std::vector<double> turn = times(rows, "turn");
  ASSERT_EQ(turn.size(), 6u);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(turn[i], (i + 1) * period / 2, 1e-11);
}

const char fast_oscillator[] = "coordinate x\nkinetic x'^2/2\npotential 100*x^2/2\n";

TEST(Events, ALongStepHidesNothing) {
  // x = sin(10 t) is above 0.9999 for 0.0028: far less than a step.
  const std::string text = std::string(fast_oscillator) + "initial x' = 10\nstop when x = 0.9999\n";
  for (const double step : {0.05, 0.1, 0.2, 0.25}) {
    Rows rows;
    const Report report = run_events(text, "gauss(5)", step, 5, rows);
    EXPECT_EQ(report.stopped, "stop") << step;
    EXPECT_NEAR(report.t, std::asin(0.9999) / 10, 1e-8) << step;
  }
  // Backward in time it is there first on the way down.
  Rows rows;
  const Report report = run_events(text, "gauss(5)", -0.2, -5, rows);
  EXPECT_NEAR(report.t, -(pi + std::asin(0.9999)) / 10, 1e-7);
}

TEST(Events, NoDipOfAStepIsTooNarrow) {
  // Uniform motion through a pulse: x = t, and a step is up to 5,000 times as long as the pulse.
  for (const double width : {0.1, 0.01, 1e-3, 1e-4})
    for (const double step : {0.05, 0.31, 0.5}) {
      SCOPED_TRACE(to_text(width) + " " + to_text(step));
      const std::string pulse = "exp(-((x - 3.1417)/" + to_text(width) + ")^2)";
      const std::string text = "coordinate x\nkinetic x'^2/2\ninitial x' = 1\nevent pulse: " + pulse + " = 0.5\n";
      Rows rows;
      const Report report = run_events(text, "gauss(3)", step, 6.2, rows);
      EXPECT_TRUE(report.warnings.empty());
      ASSERT_EQ(times(rows, "pulse").size(), 2u);
      EXPECT_NEAR(times(rows, "pulse")[0], 3.1417 - width * std::sqrt(std::log(2)), 1e-13);
      EXPECT_NEAR(times(rows, "pulse")[1], 3.1417 + width * std::sqrt(std::log(2)), 1e-13);
    }
}

TEST(Events, ClustersInAStepAreCounted) {
  // 159 zeros in a step, and one more that a slow motion hides among them.
  for (const double often : {100.0, 1000.0}) {
    const std::string text = "coordinate x\nkinetic x'^2/2\ninitial x' = 1\nevent zero: sin(" + to_text(often) +
                             "*x) = 0\nstop after 400 zero\n";
    Rows rows;
    const Report report = run_events(text, "gauss(2)", 0.5, 100, rows);
    EXPECT_TRUE(report.warnings.empty());
    EXPECT_EQ(report.stopped, "zero");
    EXPECT_NEAR(report.t, 400 * pi / often, 1e-12) << often;
  }
  // More than can be found: said.
  Rows rows;
  const Report report = run_events("coordinate x\nkinetic x'^2/2\ninitial x' = 1\nevent zero: sin(1e6*x) = 0\n",
                                   "gauss(2)", 0.5, 1, rows);
  ASSERT_FALSE(report.warnings.empty());
  EXPECT_EQ(report.warnings[0].code, "events");
}

TEST(Events, WideBoundsAreNotManyEvents) {
  // A rate that is zero at the start and nowhere else, in the words of a joint whose angle is followed.
  Rows rows;
  const Report report = run_events(
      "body a mass 1 inertia (0.2, 0.2, 0.2)\njoint revolute h from ground axis (0, 0, 1) to a\ndrive d joint h torque "
      "1\nevent w: h.rate = 0\nobserve angle: h.angle\n",
      "gauss(3)", 0.01, 0.1, rows);
  EXPECT_TRUE(report.warnings.empty());
  EXPECT_TRUE(report.events.empty());
}

TEST(Events, AStepOfAWholePeriodIsNoRest) {
  // Every grid point is the same: x = 1, x' = 0. The method is accurate; what lies between is not seen by its ends.
  const std::string text = std::string(fast_oscillator) + "initial x = 1\nevent down: x = -0.5\nevent rest: x' = 0\n";
  Rows rows;
  run_events(text, "gauss(12)", pi / 5, 2 * pi / 5, rows);
  const std::vector<double> down = times(rows, "down");
  ASSERT_EQ(down.size(), 4u);
  const double expected[] = {2 * pi / 3, 4 * pi / 3, 8 * pi / 3, 10 * pi / 3};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(down[i], expected[i] / 10, 1e-7);
  EXPECT_GE(times(rows, "rest").size(), 3u);  // at the end it rests but for the error of the method
}

TEST(Events, TouchesAndNearMisses) {
  // At its top sin(10 t) touches 1, goes through 1 - 1e-10 twice, and stays away from 1 + 1e-10.
  const std::string text = std::string(fast_oscillator) +
                           "initial x' = 10\nevent touch: x = 1\nevent twice: x = 1 - 1e-10\n"
                           "event never: x = 1 + 1e-10\n";
  Rows rows;
  run_events(text, "gauss(8)", 0.04, 0.3, rows);
  EXPECT_TRUE(times(rows, "never").empty());
  const std::vector<double> twice = times(rows, "twice");
  ASSERT_EQ(twice.size(), 2u);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(twice[i], pi / 20 + (i == 0 ? -1 : 1) * std::acos(1 - 1e-10) / 10, 1e-8);
}

TEST(Events, WhatIsZeroAtTheStartCountsWhenItComesBack) {
  Rows rows;
  run_events(std::string(fast_oscillator) + "initial x' = 10\nevent middle: x = 0\n", "gauss(5)", 0.1, 1, rows);
  const std::vector<double> middle = times(rows, "middle");
  ASSERT_EQ(middle.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(middle[i], (i + 1) * pi / 10, 1e-9);
}

TEST(Events, StepsByATolerance) {
  const Model model =
      model_from_text(std::string(fast_oscillator) + "initial x' = 10\nevent up: x = 0.99\nstop when x = -0.9999\n");
  for (const char* name : {"gauss(2)", "lobatto(3)", "gauss(6)"}) {
    SimulateOptions options;
    options.step = 0.01;
    options.end = 5;
    options.steps.control = Control::tolerance;
    options.steps.tolerance = 1e-7;
    Rows rows;
    const Report report = run_rows(model, name, options, rows);
    EXPECT_EQ(report.stopped, "stop");
    EXPECT_NEAR(report.t, (pi + std::asin(0.9999)) / 10, 1e-5) << name;
    const std::vector<double> up = times(rows, "up");
    ASSERT_EQ(up.size(), 2u) << name;
    EXPECT_NEAR(up[0], std::asin(0.99) / 10, 1e-6);
    EXPECT_NEAR(up[1], (pi - std::asin(0.99)) / 10, 1e-6);
  }
}

TEST(EventsThatAct, BothHappenWhereOnlyRoundingIsBetweenThem) {
  const Model model = model_from_text(R"(
parameter e = 0.8
coordinate x = 1, y = 1.000000000000001
kinetic (x'^2 + y'^2)/2
potential 9.81*(x + y)
event a: x = 0 falling
event b: y = 0 falling
when a: x' = -e*x'
when b: y' = -e*y'
)");
  SimulateOptions options;
  options.step = 0.02, options.end = 2;
  const Report report = simulate(model, derive(model), method("gauss(3)"), options);
  EXPECT_NEAR(report.y[1], report.y[0], 1e-12);
  EXPECT_GT(report.y[1], 0);
}

TEST(EventsThatAct, AtOnceInTheOrderOfTheTextWhateverTheStep) {
  const Model model = model_from_text(R"(
parameter a = 0
coordinate x = 1
kinetic x'^2/2
potential x^2/2
event z: x = 0
event y: x = 0 falling
event w: 2*x = 0
event s: sin(x) = 0
when z: a = a + 1
when y: a = 2*a
when w: a = a + 10
when s: a = 3*a
observe a: a
)");
  for (const double step : {0.3, 0.1, 0.07, 0.029, 0.017, 0.013}) {
    SimulateOptions options;
    options.step = step, options.end = 2;
    const Report report = simulate(model, derive(model), method("gauss(3)"), options);
    ASSERT_EQ(report.events.size(), 4u) << step;
    EXPECT_EQ(report.observed[0].final, 36) << step;
    EXPECT_EQ(report.events[0].t, report.events[3].t) << step;
  }
}

TEST(EventsThatAct, AFamilyIsCountedTogether) {
  const Model model = model_from_text(R"(
parameter N = 3
coordinate x[N]
kinetic norm2(x')/2
initial x[i]' = i for i = 1..N
event cross: x[i] = 1 for i = 1..N
stop after 2 cross
)");
  SimulateOptions options;
  options.step = 0.03, options.end = 5;
  const Report report = simulate(model, derive(model), method("gauss(2)"), options);
  EXPECT_FALSE(report.stopped.empty());
  EXPECT_NEAR(report.t, 0.5, 1e-12);  // the third crosses at 1/3, the second at 1/2
}

TEST(EventsThatAct, TimesThatAccumulateEndTheRun) {
  const Model model = model_from_text(R"(
coordinate y = 1
kinetic y'^2/2
potential 9.81*y
event hit: y = 0 falling
when hit: y' = -0.8*y'
)");
  SimulateOptions options;
  options.step = 0.02, options.end = 6;
  const Report report = simulate(model, derive(model), method("gauss(3)"), options);
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_NE(report.reason.find("write a `contact`"), std::string::npos) << report.reason;
  // The limit of the bounces is at sqrt(2/g) (1 + e)/(1 - e); the ball is still above the floor.
  EXPECT_NEAR(report.t, std::sqrt(2 / 9.81) * 9, 0.05);
  EXPECT_GT(report.y[0], -1e-9);
}

}  // namespace
}  // namespace alembert::internal::testing
