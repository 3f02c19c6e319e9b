// Events with a direction, and events that set something.

#include "alembert/run/resets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "output/rows.h"

namespace alembert::internal::testing {
namespace {

Report run_events(const std::string& text, const char* name, double step, double end, bool tolerance = false) {
  SimulateOptions options;
  options.step = step;
  options.end = end;
  if (tolerance) options.steps.control = Control::tolerance;
  const Model model = model_from_text(text);
  return simulate(model, derive(model), method(name), options);
}

std::vector<double> times(const Report& report, const std::string& name) {
  std::vector<double> list;
  for (const EventRecord& record : report.events)
    if (report.names.events[record.event] == name) list.push_back(record.t);
  return list;
}

TEST(Directions, RisingAndFallingAreInTheDirectionOfTime) {
  const std::string text =
      "coordinate x = 1\nkinetic x'^2/2\npotential x^2/2\nevent up: x = 0 rising\nevent down: x = 0 falling\nevent "
      "both: x = 0\n";
  const double half = M_PI / 2;
  const Report forward = run_events(text, "gauss(4)", 0.1, 10);
  ASSERT_EQ(times(forward, "down").size(), 2u);
  ASSERT_EQ(times(forward, "up").size(), 1u);
  EXPECT_EQ(times(forward, "both").size(), 3u);
  EXPECT_NEAR(times(forward, "down")[0], half, 1e-9);
  EXPECT_NEAR(times(forward, "up")[0], 3 * half, 1e-9);
  // Backward in time, x still rises at -pi/2 with growing t.
  const Report backward = run_events(text, "gauss(4)", -0.1, -10);
  ASSERT_EQ(times(backward, "up").size(), 2u);
  EXPECT_NEAR(times(backward, "up")[0], -half, 1e-9);
}

TEST(Resets, KeepTheOrderOfTheMethod) {
  // A ball on a spring to the ground, reset at every hit: between hits it is an oscillation.
  const std::string text =
      "parameter e = 0.9\ncoordinate y = 1\nkinetic y'^2/2\npotential 3*y + y^2/2\nevent hit: y = 0 falling\n"
      "when hit: y' = -e*y'\n";
  // y + 3 = A cos(t - d): from 1 at rest 4 cos t; hits at acos(3/4) with speed sqrt(7), then amplitude^2 = 9 + v^2.
  const double end = 3;
  double t = std::acos(0.75), v = 0.9 * std::sqrt(7.0);
  for (;;) {
    const double swing = 2 * std::atan2(v, 3.0);
    if (t + swing > end) break;
    t += swing;
    v *= 0.9;
  }
  const double y = -3 + 3 * std::cos(end - t) + v * std::sin(end - t);
  for (const auto& [name, order] : {std::pair("gauss(3)", 6.0), std::pair("lobatto(3)", 4.0)}) {
    const double coarse = std::abs(run_events(text, name, 0.2, end).y[0] - y);
    const double fine = std::abs(run_events(text, name, 0.05, end).y[0] - y);
    EXPECT_LT(fine, 1e-5);
    EXPECT_GT(std::log2(coarse / fine) / 2, order - 0.6) << name;
    EXPECT_NEAR(run_events(text, name, 0.05, end, true).y[0], y, 1e-6) << name << " with a tolerance";
  }
}

TEST(Resets, RowsStayOnTheGridAndTheBooksAreKept) {
  const Model model = model_from_text(
      "coordinate y = 1\nkinetic y'^2/2\npotential 10*y\nevent hit: y = 0 falling\nwhen hit: y' = -y'/2\n");
  SimulateOptions options;
  options.step = 0.1;
  options.end = 1;
  Rows rows;
  const Report report = run_rows(model, "gauss(3)", options, rows);
  ASSERT_EQ(rows.rows.size(), 11u);
  for (std::size_t i = 0; i < rows.rows.size(); ++i) EXPECT_NEAR(rows.rows[i][0], 0.1 * static_cast<double>(i), 1e-14);
  EXPECT_EQ(report.steps, 10);
  ASSERT_TRUE(report.account);
  // 10, of which a quarter is left after each hit: at sqrt(0.2) and sqrt(0.2) 2 later.
  EXPECT_EQ(times(report, "hit").size(), 2u);
  EXPECT_NEAR(report.account->dissipated, 10 * (1 - 1.0 / 16), 1e-9);
  EXPECT_LT(report.energy.max_error, 1e-12);
  EXPECT_NEAR(report.events[0].state[1], std::sqrt(20.0) / 2, 1e-9) << "behind what it set";
}

/// Where a tolerance asks for the steps there is no grid: one that an event has cut is a step as all others.
TEST(Resets, EveryStepByAToleranceCountsAndHasItsRow) {
  const Model model = model_from_text(
      "parameter k = 1\ncoordinate x = 1\nkinetic x'^2/2\npotential k*x^2/2\nevent z: x = 0 rising\n"
      "when z: k = k*1.1\n");
  SimulateOptions options;
  options.step = 0.01;
  options.end = 30;
  options.steps.control = Control::tolerance;
  options.steps.tolerance = 1e-7;
  Rows rows;
  const Report report = run_rows(model, "gauss(2)", options, rows);
  const auto times_of_rows = [](const Rows& rows) {
    std::vector<double> t;
    for (const auto& row : rows.rows) t.push_back(row[0]);
    return t;
  };
  const std::vector<double> t = times_of_rows(rows);
  ASSERT_EQ(t.size(), static_cast<std::size_t>(report.steps) + 1);
  double hole = 0, all = 0;
  for (std::size_t i = 1; i < t.size(); ++i) hole = std::max(hole, t[i] - t[i - 1]);
  all = t.back() - t.front();
  EXPECT_NEAR(all, 30, 1e-12);
  EXPECT_NEAR(hole, report.largest_step, 1e-12);
  EXPECT_LT(hole, 0.5) << "a period is 6";
  // The frequency grows by the root of 1.1 at every event: half a period and a quarter, then whole ones.
  const double pi = 3.141592653589793;
  std::vector<double> expected = {1.5 * pi};
  for (int n = 1; expected.back() + 2 * pi * std::pow(1.1, -0.5 * n) < 30; ++n)
    expected.push_back(expected.back() + 2 * pi * std::pow(1.1, -0.5 * n));
  const std::vector<double> met = times(report, "z");
  ASSERT_EQ(met.size(), expected.size());
  for (std::size_t i = 0; i < met.size(); ++i) {
    EXPECT_NEAR(met[i], expected[i], 1e-4);
    EXPECT_NE(std::find(t.begin(), t.end(), met[i]), t.end()) << "no row at the event at t = " << met[i];
  }
  options.steps.most_steps = 110;
  Rows some;
  const Report cut = run_rows(model, "gauss(2)", options, some);
  ASSERT_GT(report.steps, 110);
  EXPECT_EQ(cut.ending, Ending::failed);
  EXPECT_EQ(cut.steps, 110);
  EXPECT_EQ(some.rows.size(), 111u);
  options.steps.most_steps = 0;
  options.every = 10;
  Rows tenth;
  const Report again = run_rows(model, "gauss(2)", options, tenth);
  EXPECT_EQ(again.y, report.y);
  EXPECT_EQ(tenth.rows.size(), static_cast<std::size_t>((report.steps + 9) / 10 + 1));
}

TEST(Resets, OtherStatesChangeLeastInTheMassMetricSoThatConstraintsHold) {
  // A rod with masses 1 and 3 at its ends, free in the plane: one end is given a velocity across the rod and along it.
  const std::string text =
      "coordinate a[2], b[2]\nkinetic norm2(a')/2 + 3*norm2(b')/2\nconstraint rod: norm2(a - b) = 4\n"
      "initial b = (2, 0)\nwhen t = 0.5: a' = (1, 1)\n";
  const Report report = run_events(text, "gauss(3)", 0.1, 0.5 + 1e-6);
  ASSERT_EQ(report.events.size(), 1u);
  const std::vector<double>& s = report.events[0].state;
  EXPECT_EQ(s[4], 1);
  EXPECT_EQ(s[5], 1);
  EXPECT_NEAR(s[6], 1, 1e-12) << "along the rod the other end must follow";
  EXPECT_NEAR(s[7], 0, 1e-12) << "across it nothing forces it";
  EXPECT_EQ(report.ending, Ending::done);
  const Report impossible =
      run_events("coordinate x = 1, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x^2 + y^2 = 1\nwhen t = 1/2: x = 3\n",
                 "gauss(2)", 0.1, 1);
  EXPECT_EQ(impossible.ending, Ending::failed);
  EXPECT_NE(impossible.reason.find("no state with these values of x"), std::string::npos) << impossible.reason;
}

TEST(Resets, ABodyMayBeBroughtToRest) {
  // Velocities that vanish have no size of their own that rounding could be judged by.
  const std::string pendulum =
      "body p mass 2 inertia (0.1, 0.1, 0.1) at (0, 0.5, 0)\ngravity (0, 0, -10)\n"
      "joint revolute h from ground axis (1, 0, 0) to p point (0, -0.5, 0)\n";
  for (const char* set : {"p.r[3]' = 0", "p.r[2]' = 0", "p.r' = (0, 0, 0)"}) {
    const Report report = run_events(pendulum + "when t = 0.25: " + set + "\n", "gauss(3)", 0.01, 0.25);
    ASSERT_EQ(report.ending, Ending::done) << set << ": " << report.reason;
    for (const double v : report.z) EXPECT_NEAR(v, 0, 1e-14) << set;
  }
}

TEST(Resets, SwitchParametersCountAndStop) {
  const std::string text =
      "parameter k = 1, n = 0, m = 0\ncoordinate x = 1\nkinetic x'^2/2\npotential k*x^2/2\n"
      "event turn: x' = 0\nwhen turn: n = n + 1, m = n\nwhen t = 10: k = 4*k\nobserve count: n\nobserve before: "
      "m\nstop after 6 turn\n";
  const Report report = run_events(text, "gauss(4)", 0.1, 100);
  EXPECT_EQ(report.stopped, "turn");
  EXPECT_EQ(report.observed[0].final, 6);
  EXPECT_EQ(report.observed[1].final, 5) << "all is made of what was before";
  // Turns at pi, 2 pi, 3 pi; then at t = 10 the frequency doubles.
  const double x = std::cos(10.0), v = -std::sin(10.0), next = std::atan2(v / 2, x) / 2;
  const double first = 10 + (next > 0 ? next : next + M_PI / 2);
  EXPECT_NEAR(report.t, first + M_PI, 1e-8);
}

TEST(Resets, WhatTheLastOneDidToTheEnergyIsNoError) {
  const Report report = run_events(
      "parameter l = 1\ncoordinate x = 0.6, y = -0.8\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
      "constraint rod: x^2 + y^2 = l^2\nevent bottom: x = 0\nwhen bottom: l = 0.9*l\nstop after 2 bottom\n",
      "lobatto(3)", 0.01, 2);
  EXPECT_EQ(report.stopped, "bottom");
  EXPECT_TRUE(report.warnings.empty());
  ASSERT_TRUE(report.account && report.accuracy);
  EXPECT_GT(report.account->supplied, 1);
  EXPECT_LT(report.account->error, 1e-7);
  EXPECT_LT(report.accuracy->per_time, 1e-6);
}

TEST(Resets, SetFirstOrderStatesAndWorkInTheHamiltonianForm) {
  const Report states =
      run_events("coordinate x\nvariable z = 1\nkinetic x'^2/2\nrate z' = -z\nevent low: z = 0.5\nwhen low: z = 2*z\n",
                 "gauss(4)", 0.05, 3);
  const std::vector<double> low = times(states, "low");
  ASSERT_EQ(low.size(), 4u);
  for (std::size_t i = 0; i < low.size(); ++i) EXPECT_NEAR(low[i], std::log(2.0) * static_cast<double>(i + 1), 1e-8);
  const Report momentum = run_events(
      "coordinate q = 1\nmomentum p of q\nhamiltonian p^2/2 + 10*q\nevent hit: q = 0 falling\nwhen hit: p = -p\n",
      "gauss(3)", 0.1, 2);
  EXPECT_NEAR(momentum.energy.final, 10, 1e-10);
  // A mass that doubles keeps its velocity, and its momentum doubles.
  const Report heavier = run_events(
      "parameter m = 1\ncoordinate q\nmomentum p of q\nhamiltonian p^2/(2*m)\ninitial p = 3\nwhen t = 1/2: m = 2*m\n",
      "gauss(2)", 0.1, 1);
  EXPECT_NEAR(heavier.y[0], 3, 1e-12);
  EXPECT_NEAR(heavier.z[0], 6, 1e-12);
}

}  // namespace
}  // namespace alembert::internal::testing
