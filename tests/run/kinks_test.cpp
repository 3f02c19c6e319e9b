// Kinks of min, max, abs and sign: found in the equations, and steps end there.

#include "alembert/run/kinks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "output/rows.h"

namespace alembert::internal::testing {
namespace {

constexpr double g = 9.81;
constexpr double k = 100;

const char spring_floor[] = "coordinate y\nkinetic y'^2/2\npotential 9.81*y + 1e2/2*min(y, 0)^2\ninitial y = 1\n";

/// How long the spring is pressed: y = g/k (cos(w t) - 1) + v/w sin(w t) from 0 to 0, with v = -sqrt(2 g).
double contact_time() {
  const double w = std::sqrt(k);
  return 2 * (std::numbers::pi + std::atan(-std::sqrt(2 * g) / w * k / g)) / w;
}

/// The height in the second flight.
double height(double t) {
  const double flight = t - std::sqrt(2 / g) - contact_time();
  return std::sqrt(2 * g) * flight - g / 2 * flight * flight;
}

double speed(double t) { return std::sqrt(2 * g) - g * (t - std::sqrt(2 / g) - contact_time()); }

std::size_t count(const std::string& text) { return kinks(derive(model_from_text(text))).size(); }

TEST(Kinks, AreTheSwitchesOfTheEquations) {
  EXPECT_EQ(count(spring_floor), 1u);
  EXPECT_EQ(count("coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential max(x, y)^2 + abs(x - 3)^3\n"), 2u);
  EXPECT_EQ(count("parameter a = -1\ncoordinate x\nkinetic x'^2/2\npotential max(a, 0)*x^2 + abs(a)*x\n"), 0u);
  EXPECT_EQ(count("coordinate x\nkinetic x'^2/2\npotential cos(x)\n"), 0u);
}

TEST(Kinks, KeepTheOrderOfTheMethod) {
  const double end = std::sqrt(2 / g) + contact_time() + 0.3;
  struct Case {
    const char* method;
    double order;
  };
  for (const Case& c : {Case{"gauss(3)", 6}, Case{"lobatto(3)", 4}, Case{"gauss(2)", 4}}) {
    const Model model = model_from_text(spring_floor);
    const Equations e = derive(model);
    double sum_x = 0;
    double sum_y = 0;
    double sum_xx = 0;
    double sum_xy = 0;
    int n = 0;
    // Cut steps have all lengths: the order is that of many.
    for (double h = 0.06; h > 0.006; h *= 0.9) {
      SimulateOptions options;
      options.step = h;
      options.end = end;
      const Report report = simulate(model, e, method(c.method), options);
      EXPECT_EQ(report.kinks, 2);
      const double x = std::log(h);
      const double y = std::log(std::max(std::hypot(report.y[0] - height(end), report.z[0] - speed(end)), 1e-13));
      if (y < std::log(1e-12)) continue;  // rounding
      sum_x += x;
      sum_y += y;
      sum_xx += x * x;
      sum_xy += x * y;
      ++n;
    }
    ASSERT_GT(n, 8) << c.method;
    const double order = (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
    EXPECT_GT(order, c.order - 0.2) << c.method;
    EXPECT_LT(order, c.order + 0.6) << c.method;
  }
}

TEST(Kinks, LeaveTheGridAsItIs) {
  const Model model = model_from_text(spring_floor);
  SimulateOptions options;
  options.step = 0.05;
  options.end = 2;
  Rows rows;
  const Report report = run_rows(model, "gauss(3)", options, rows);
  EXPECT_EQ(report.steps, 40);
  EXPECT_EQ(report.kinks, 3);
  ASSERT_EQ(rows.rows.size(), 41u);
  for (std::size_t i = 0; i < rows.rows.size(); ++i) EXPECT_NEAR(rows.rows[i][0], 0.05 * static_cast<double>(i), 1e-14);
  EXPECT_LT(report.energy.max_error, 1e-6);
  // Between grid points too: at the deepest point all energy is in the spring.
  SimulateOptions sampled = options;
  sampled.at = {std::sqrt(2 / g) + contact_time() / 2, std::sqrt(2 / g) + contact_time() + 0.3};
  Rows between;
  run_rows(model, "gauss(3)", sampled, between);
  ASSERT_EQ(between.rows.size(), 2u);
  EXPECT_NEAR(between.at(between.rows[0], "y'"), 0, 1e-5);
  EXPECT_NEAR(between.at(between.rows[1], "y"), height(sampled.at[1]), 1e-6);
}

TEST(Kinks, JumpsOfTheForceAreSeenFromTheirOwnSide) {
  // x = 1 - t^2/2 falls for sqrt(2) to each side: the period is 4 sqrt(2). Stages at the ends of a step, too, see only
  // the force of their side.
  const Model model = model_from_text("coordinate x\nkinetic x'^2/2\npotential abs(x)\ninitial x = 1\n");
  for (const char* name : {"lobatto(3)", "radau(2)", "gauss(2)", "lobatto(2)"}) {
    SimulateOptions options;
    options.step = 0.1;
    options.end = 8 * std::sqrt(2.0);
    const Report fixed = simulate(model, derive(model), method(name), options);
    EXPECT_NEAR(fixed.y[0], 1, 1e-8) << name;
    EXPECT_EQ(fixed.kinks, 4) << name;
    options.step = -0.1;
    options.end *= -1;
    EXPECT_NEAR(simulate(model, derive(model), method(name), options).y[0], 1, 1e-8) << name;
    options.steps.control = Control::tolerance;
    options.steps.tolerance = 1e-8;
    const Report report = simulate(model, derive(model), method(name), options);
    EXPECT_EQ(report.ending, Ending::done) << report.reason;
    EXPECT_NEAR(report.y[0], 1, 1e-7) << name;
    // Steps of the largest size, a twentieth of the run, end in the second and in the fourth by themselves.
    EXPECT_GE(report.kinks, 2) << name;
  }
}

TEST(Kinks, TheEnergyAccountSeesBothSidesOfAJump) {
  // x'' = -4 x + F: F does the work 0.5 (x(1) - x(T)), on the grid and beside it.
  for (const double jump : {0.37, 0.375, 0.3}) {
    const Model model = model_from_text("parameter T = " + std::to_string(jump) +
                                        "\ncoordinate x = 1\nkinetic x'^2/2\npotential 2*x^2\n"
                                        "force x = if(t > T, 0.5, 0)\n");
    SimulateOptions options;
    options.step = 0.01;
    options.end = 1;
    const Report report = simulate(model, derive(model), method("gauss(3)"), options);
    ASSERT_TRUE(report.account);
    EXPECT_NEAR(report.account->supplied - report.account->dissipated, 0.5 * (report.y[0] - std::cos(2 * jump)), 1e-9)
        << jump;
    EXPECT_LT(report.account->error, 1e-9) << jump;
  }
}

TEST(Kinks, AnEventOnOneIsFoundOnce) {
  const Model model = model_from_text(std::string(spring_floor) + "event touch: y = 0\n");
  SimulateOptions options;
  options.step = 0.05;
  options.end = 1.2;
  for (const bool tolerance : {false, true}) {
    if (tolerance) options.steps.control = Control::tolerance;
    Rows rows;
    run_rows(model, "gauss(3)", options, rows);
    ASSERT_EQ(rows.events.size(), 2u) << tolerance;
    EXPECT_NEAR(rows.events[0].second[0], std::sqrt(2 / g), 1e-9);
    EXPECT_NEAR(rows.events[1].second[0], std::sqrt(2 / g) + contact_time(), 1e-5);
  }
}

TEST(Kinks, AnEventThatActsOnOneSeesItsOwnSide) {
  // A ball that is thrown back where damping begins, so that it is never damped: y = 1/2 every 2 sqrt(1/g).
  const std::string ball =
      "parameter g = 9.81\ncoordinate y = 1\nkinetic y'^2/2\npotential g*y\nforce y = if(y < 0.5, -0.8*y', 0)\n"
      "when y = 0.5 falling: y' = -y'\n";
  const double fall = std::sqrt(1 / 9.81), v = 9.81 * fall, late = std::fmod(2 - fall, 2 * fall);
  for (const char* name : {"lobatto(2)", "lobatto(3)", "gauss(2)", "radau(2)"})
    for (const double step : {0.1, 0.01}) {
      SimulateOptions options;
      options.step = step;
      options.end = 2;
      Rows rows;
      const Report report = run_rows(model_from_text(ball), name, options, rows);
      ASSERT_EQ(report.ending, Ending::done) << report.reason;
      EXPECT_NEAR(report.y[0], 0.5 + v * late - 9.81 / 2 * late * late, 1e-8) << name << " " << step;
      EXPECT_NEAR(report.energy.final, 9.81, 1e-7) << name << " " << step;
      EXPECT_LT(report.energy.max_error, 1e-7);
    }
  // Damping changes where a counter counts: the account sees either damper on its side.
  const std::string counted =
      "parameter n = 0\ncoordinate x = -1\nkinetic x'^2/2\ninitial x' = 2\nforce x = if(x < 0, -0.5*x', -2*x')\n"
      "event c: x = 0 rising\nwhen c: n = n + 1\n";
  SimulateOptions options;
  options.step = 0.01;
  options.end = 1.5;
  Rows rows;
  const Report report = run_rows(model_from_text(counted), "gauss(3)", options, rows);
  ASSERT_TRUE(report.account);
  EXPECT_LT(report.energy.max_error, 1e-8);
  // x' = 2 - (x + 1)/2 in front, x' = 3/2 - 2 x behind.
  const double there = 2 * std::log(4.0 / 3), final = 1.5 * std::exp(-2 * (1.5 - there));
  EXPECT_NEAR(report.z[0], final, 1e-9);
  EXPECT_NEAR(report.account->dissipated, 2 - final * final / 2, 1e-8);
}

bool warns_of_kinks(const Report& report) {
  return std::any_of(report.warnings.begin(), report.warnings.end(),
                     [](const Warning& w) { return w.code == "kinks"; });
}

// x'' = 1 from rest: in t = 0 itself the sign is 0, and a step that begins there would begin with no force at all.
TEST(Kinks, RowsInsideAStepThatBeginsInOneAreOnItsOtherSide) {
  const Model model = model_from_text("coordinate x\nkinetic x'^2/2\nforce x = sign(sin(t))\n");
  for (const Control control : {Control::fixed, Control::tolerance}) {
    SimulateOptions options;
    options.step = 0.5;
    options.end = 1;
    options.at = {0.1, 0.3, 0.45};
    options.steps.control = control;
    Rows rows;
    const Report report = run_rows(model, "lobatto(3)", options, rows);
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    for (const double t : options.at) {
      const auto row = std::find_if(rows.rows.begin(), rows.rows.end(), [&](const auto& r) { return r[0] == t; });
      ASSERT_NE(row, rows.rows.end());
      EXPECT_NEAR(rows.at(*row, "x"), t * t / 2, 1e-9);
      EXPECT_NEAR(rows.at(*row, "x'"), t, 1e-9);
    }
    EXPECT_NEAR(report.account->supplied, 0.5, 1e-9);
  }
}

// x'' = -x - 0.25 sign(x'): from 1 to -0.5 and to 0, where everything ends at once; what is left is no measure of it.
TEST(Kinks, AMotionThatSticksWhereAllIsZeroIsCalledSo) {
  const Model model = model_from_text("coordinate x = 1\nkinetic x'^2/2\npotential x^2/2\nforce x = -0.25*sign(x')\n");
  for (const char* method : {"lobatto(3)", "radau(3)", "gauss(2)", "radau_collocation(3)"})
    for (const Control control : {Control::fixed, Control::tolerance}) {
      SCOPED_TRACE(method);
      SimulateOptions options;
      options.step = 0.05;
      options.end = 10;
      options.steps.control = control;
      options.steps.tolerance = 1e-6;
      Rows rows;
      const Report report = run_rows(model, method, options, rows);
      EXPECT_EQ(report.ending, Ending::failed);
      EXPECT_NE(report.reason.find("it sticks"), std::string::npos) << report.reason;
    }
}

// What is divided by its own size jumps like a sign: with x'' = -2 sign(x') it stops at x = 0.25 and sticks.
TEST(Kinks, DryFrictionByADivisionSticksLikeASign) {
  for (const char* force :
       {"-2*x'/abs(x')", "-2*abs(x')/x'", "-(m*x'*2)/(m*abs(x'))", "-2*x'/sqrt(x'^2)", "-x'*2/abs(-x')"})
    for (const Control control : {Control::fixed, Control::tolerance}) {
      SCOPED_TRACE(force);
      const Model model = model_from_text(
          "parameter m = 3\ncoordinate x\nkinetic x'^2/2\ninitial x' = 1\nforce x = " + std::string(force) + "\n");
      SimulateOptions options;
      options.step = 0.03;
      options.end = 1;
      options.steps.control = control;
      const Report report = simulate(model, derive(model), method("gauss(3)"), options);
      EXPECT_EQ(report.ending, Ending::failed);
      EXPECT_NE(report.reason.find("sign(x') jumps there"), std::string::npos) << report.reason;
      EXPECT_NEAR(report.y[0], 0.25, 1e-9);
    }
  // In a plane the direction of a velocity has no value in rest.
  const Model plane =
      model_from_text("coordinate r[2]\nkinetic norm2(r')/2\ninitial r' = (1, 0.5)\nforce r = -2*r'/norm(r')\n");
  SimulateOptions options;
  options.step = 0.03;
  options.end = 1;
  const Report report = simulate(plane, derive(plane), method("gauss(3)"), options);
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_NE(report.reason.find("has no direction there, where it is 0"), std::string::npos) << report.reason;
}

// No motion follows a constraint that jumps; at a corner of one the velocities jump as by an impulse, in the end of a
// step, too.
TEST(Kinks, OfConstraintsAreMetAndTheirJumpsSaid) {
  const auto run = [](const std::string& text, double step) {
    SimulateOptions options;
    options.step = step;
    options.end = 1;
    const Model model = model_from_text(text);
    return simulate(model, derive(model), method("gauss(3)"), options);
  };
  const std::string hinge = "body b planar mass 1 inertia 1\njoint revolute h from ground to b\n";
  const std::string point = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\ninitial x' = 1\n";
  const std::string corner = "table c(s) = (0, 0), (0.5, 0), (1, 0.5), (3, 2.5) linear\n";
  for (const double step : {0.01, 0.0101}) {
    for (const std::string& torn :
         {hinge + "drive d joint h angle if(t < 0.5, 0, 1)\n", point + "constraint c: y = if(t < 0.5, 0, 0.3)\n",
          point + "constraint c: y = if(x < 0.5, 0, 0.3)\n"}) {
      const Report report = run(torn, step);
      EXPECT_EQ(report.ending, Ending::failed) << torn;
      EXPECT_NE(report.reason.find("the constraints jump at t = 0.5"), std::string::npos) << report.reason;
    }
    // Along the new slope half of the energy is left: x' = y' = 1/2.
    const Report turned = run(corner + point + "constraint k: y = c(x)\n", step);
    ASSERT_EQ(turned.ending, Ending::done) << turned.reason;
    EXPECT_NEAR(turned.y[0], 0.75, 1e-9);
    EXPECT_NEAR(turned.y[1], 0.25, 1e-9);
    ASSERT_FALSE(turned.warnings.empty());
    EXPECT_EQ(turned.warnings[0].code, "impulse");
    // A ramp has corners and no jump.
    EXPECT_EQ(run(point + "constraint c: y = if(t < 0.5, 0.6*t, 0.3)\n", step).ending, Ending::done);
  }
}

// The first part of a triple jump ends 0.35 steps behind the step, when time has passed the kink at which it ends. Of
// all other kinks it sees the side of the step.
TEST(Kinks, CompositionsThatReachOverThemInTimeSaySo) {
  const Model switched =
      model_from_text("coordinate y\nkinetic y'^2/2\npotential y^2\nforce y = if(t > 0.7, 1, 0)\ninitial y = 1\n");
  const Equations e = derive(switched);
  SimulateOptions options;
  options.step = 0.048, options.end = 1.2;
  EXPECT_TRUE(warns_of_kinks(simulate(switched, e, find_method("triple_jump(lobatto(2))"), options)));
  EXPECT_FALSE(warns_of_kinks(simulate(switched, e, find_method("suzuki(lobatto(2))"), options)));
  const Model spring = model_from_text(spring_floor);
  EXPECT_FALSE(warns_of_kinks(simulate(spring, derive(spring), find_method("triple_jump(lobatto(2))"), options)));
}

TEST(Kinks, TooManyInAStepAreSaid) {
  const Model model = model_from_text("coordinate x\nkinetic x'^2/2\nforce x = sign(sin(1000*t))\n");
  const Equations e = derive(model);
  SimulateOptions options;
  options.step = 0.5, options.end = 1;
  EXPECT_TRUE(warns_of_kinks(simulate(model, e, find_method("gauss(2)"), options)));
  options.step = 0.05;
  EXPECT_FALSE(warns_of_kinks(simulate(model, e, find_method("gauss(2)"), options)));
}

TEST(Kinks, WhatChattersEndsWithItsReason) {
  // Dry friction brings the block to rest, where sign has no solution that holds it.
  const Model model = model_from_text("coordinate x\nkinetic x'^2/2\nforce x = -sign(x')\ninitial x' = 1\n");
  for (const bool tolerance : {false, true}) {
    SimulateOptions options;
    options.step = 0.01;
    options.end = 3;
    options.steps.most_steps = 100000;
    if (tolerance) options.steps.control = Control::tolerance;
    const Report report = simulate(model, derive(model), method("gauss(2)"), options);
    if (report.ending == Ending::done) {
      EXPECT_NEAR(report.y[0], 0.5, 1e-3);
    } else {
      EXPECT_GT(report.t, 0.98);
      EXPECT_LT(report.t, 1.02);
    }
  }
}

}  // namespace
}  // namespace alembert::internal::testing
