// Steps by a tolerance: what they cost, what they state, and which method they take where none is named.
// Compiled only: what is judged here is the choice of steps.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "alembert/lab/benchmark.h"
#include "alembert/run/choose_method.h"
#include "output/rows.h"

namespace alembert::internal::testing {
namespace {

SimulateOptions tolerance_options(double tolerance, double step, double end) {
  SimulateOptions options;
  options.step = step;
  options.end = end;
  options.steps.control = Control::tolerance;
  options.steps.tolerance = tolerance;
  return options;
}

Report run_by_tolerance(const Model& model, const std::string& method_text, double tolerance, double step, double end) {
  return simulate(model, derive(model), method(method_text), tolerance_options(tolerance, step, end));
}

Report run_alone(const std::string& name, double tolerance) {
  const Model model = gallery(name);
  const Equations e = derive(model);
  const SimulateOptions options = tolerance_options(tolerance, *model.solve.step, *model.solve.end);
  return simulate(model, e, choose_method(model, e, options).method, options);
}

std::string warned_of(const Report& report) {
  std::string all;
  for (const Warning& warning : report.warnings) all += warning.code + ": " + warning.text + "\n";
  return all;
}

const char* const swing = "coordinate x\nkinetic x'^2/2\npotential x^2/2\ninitial x = 1\n";

TEST(ToleranceSteps, ErrorIsProportionalToTheTolerance) {
  // An oscillator over 10 periods: errors add up to no more than a hundred times what each step may make, and to no
  // less than a thousandth of it: else steps would be too short. With gauss(6) the longest steps allowed, half a
  // period, are more accurate than that.
  const Model model = model_from_text(swing);
  const double end = 20 * std::numbers::pi;
  for (const char* name : {"gauss(2)", "gauss(4)", "gauss(6)", "radau(3)", "lobatto(4)", "gauss_collocation(3)"}) {
    for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-9}) {
      const Report report = run_by_tolerance(model, name, tolerance, 0.1, end);
      ASSERT_EQ(report.ending, Ending::done) << name << ": " << report.reason;
      const double error = std::hypot(report.y[0] - 1, report.z[0]);
      EXPECT_LT(error, 100 * tolerance) << name << " " << tolerance;
      if (method(name).claims.order_q <= 8) { EXPECT_GT(error, 1e-3 * tolerance) << name << " " << tolerance; }
    }
  }
}

TEST(ToleranceSteps, FewStepsAreComparedWithOthers) {
  for (const char* name : {"gauss(2)", "gauss(4)", "radau(3)", "lobatto(4)", "gauss_collocation(3)"}) {
    const Report report = run_by_tolerance(model_from_text(swing), name, 1e-8, 0.1, 200);
    EXPECT_LT(static_cast<double>(report.comparisons), 0.25 * static_cast<double>(report.steps)) << name;
    EXPECT_GT(report.comparisons, report.steps / 20) << name;
  }
  // Compositions have no stages of their own: every second step has one beside it.
  const Report report = run_by_tolerance(model_from_text(swing), "triple_jump(lobatto(2))", 1e-6, 0.1, 20);
  EXPECT_GE(2 * report.comparisons, report.steps);
}

TEST(ToleranceSteps, NewtonHasLittleWorkWithStepsOfAnySize) {
  // Guesses from the stages of the step before: before there were such, long steps took 20 to 60 iterations each.
  struct Case {
    const char *model, *method;
  };
  for (const Case& c : {Case{"simple_pendulum", "gauss(4)"},
                        {"spherical_pendulum", "gauss(3)"},
                        {"andrews", "gauss(5)"},
                        {"turntable", "gauss(3)"},
                        {"kepler", "gauss(4)"}}) {
    const Model model = gallery(c.model);
    for (const double tolerance : {1e-4, 1e-8}) {
      const Report report =
          run_by_tolerance(model, c.method, tolerance, *model.solve.step, std::min(20.0, *model.solve.end));
      ASSERT_EQ(report.ending, Ending::done) << c.model << report.reason;
      const long made = report.steps + report.rejected + report.comparisons;
      EXPECT_LT(report.newton.iterations, 10 * made) << c.model << " " << tolerance;
    }
  }
}

TEST(ToleranceSteps, ALooserToleranceIsNotDearer) {
  for (const char* name : {"andrews", "car_axis", "cart_pendulum", "conveyor", "double_pendulum_viscous", "kepler",
                           "knife_edge", "moving_support", "nonholonomic_particle", "simple_pendulum", "snakeboard",
                           "spherical_pendulum", "turntable"}) {
    const Model model = gallery(name);
    long before = 0;
    std::printf("%-26s", name);
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      const Report report =
          run_by_tolerance(model, "gauss(4)", tolerance, *model.solve.step, std::min(50.0, *model.solve.end));
      ASSERT_EQ(report.ending, Ending::done) << name << report.reason;
      std::printf(" %8ld", report.newton.evaluations);
      EXPECT_GT(1.4 * static_cast<double>(report.newton.evaluations), before) << name << " " << tolerance;
      before = report.newton.evaluations;
    }
    std::printf("\n");
  }
}

TEST(ToleranceSteps, ALooserToleranceIsNotDearerWithTheMethodOfTheProgram) {
  // All stages count. Where Newton limits the steps a looser tolerance changes nothing: before, steps too long for it
  // cost several times as much.
  for (const char* name : {"andrews", "cart_pendulum", "heavy_top", "kepler", "simple_pendulum", "slider_crank",
                           "snakeboard", "spherical_pendulum", "turntable"}) {
    const Model model = gallery(name);
    const Equations e = derive(model);
    double before = 0;
    for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10}) {
      const SimulateOptions options = tolerance_options(tolerance, *model.solve.step, std::min(20.0, *model.solve.end));
      const Method chosen = choose_method(model, e, options).method;
      const Report report = simulate(model, e, chosen, options);
      ASSERT_EQ(report.ending, Ending::done) << name << report.reason;
      const double work = static_cast<double>(chosen.stages * report.newton.evaluations);
      EXPECT_GT(1.35 * work, before) << name << " " << tolerance;
      before = work;
    }
  }
}

TEST(ToleranceSteps, BehindAKinkLongStepsAreGivenUpSoon) {
  // A ball that falls on a wall of stiffness 1e8: 4,500 evaluations with tolerance 1e-5, half as many with 1e-10, when
  // steps as long as those of the fall were solved for on the wall.
  const Model model =
      model_from_text("coordinate y\nkinetic y'^2/2\npotential 9.81*y + 1e8*max(0, -y)^2/2\ninitial y = 1\n");
  double before = 0;
  for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
    const Report report = run_by_tolerance(model, "gauss(4)", tolerance, 0.01, 3);
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    const auto work = static_cast<double>(report.newton.evaluations);
    EXPECT_LT(work, 1700) << tolerance;
    EXPECT_GT(1.5 * work, before) << tolerance;
    before = work;
    // Between impacts of (pi/1e4) each it flies for 2 sqrt(2/g): at t = 3 it has met the wall three times.
    const double contact = std::numbers::pi / 1e4, fall = std::sqrt(2 / 9.81), t = 3 - fall - 3 * contact - 4 * fall;
    const double exact = std::sqrt(2 * 9.81) * t - 9.81 * t * t / 2;
    if (tolerance <= 1e-7) { EXPECT_NEAR(report.y[0], exact, 2e-4) << tolerance; }
  }
}

TEST(ToleranceSteps, AMotionMayBeginInAKink) {
  // x'' = -x + s, where s is 1 and -1 in turn, for pi/7 each: a circle around s.
  const Model model =
      model_from_text("coordinate x\nkinetic x'^2/2\npotential x^2/2\nforce x = sign(sin(7*t))\ninitial x = 1\n");
  double x = 1, v = 0, t = 0;
  for (int k = 0; t < 10; ++k) {
    const double s = k % 2 == 0 ? 1 : -1, part = std::min(std::numbers::pi / 7, 10 - t), q = x - s;
    x = s + q * std::cos(part) + v * std::sin(part);
    v = v * std::cos(part) - q * std::sin(part);
    t += part;
  }
  for (const char* name : {"gauss(2)", "gauss(4)", "lobatto(4)", "radau(3)"}) {
    const Report report = run_by_tolerance(model, name, 1e-8, 0.01, 10);
    ASSERT_EQ(report.ending, Ending::done) << name << report.reason;
    EXPECT_NEAR(report.y[0], x, 1e-6) << name;
    EXPECT_NEAR(report.z[0], v, 1e-6) << name;
  }
}

TEST(ToleranceSteps, ErrorsOfTheBenchmarksAreAboutTheTolerance) {
  // Relative errors at the end, multipliers among them, against references of 25 digits.
  for (const benchmark::Problem& problem : benchmark::problems()) {
    if (problem.name != "car_axis" && problem.name != "andrews" && problem.name != "pendulum") continue;
    const Model model = gallery(problem.model);
    const Equations e = derive(model);
    for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-9}) {
      SimulateOptions options = tolerance_options(tolerance, *model.solve.step, problem.end);
      options.steps.absolute = tolerance;
      const Report report = simulate(model, e, choose_method(model, e, options).method, options);
      ASSERT_EQ(report.ending, Ending::done) << problem.name << report.reason;
      MotionPoint<double> end;
      end.y = report.y;
      end.z = report.z;
      end.lambda = report.lambda;
      const double digits = benchmark::scd(problem.counted.value(end), problem.counted.expected);
      EXPECT_GT(digits, -std::log10(30 * tolerance)) << problem.name << " " << tolerance;
    }
  }
}

TEST(ToleranceSteps, StepsThatNewtonCannotMakeAreGivenUpSoon) {
  // Long steps of high order, with a tolerance that would allow them: their equations were solved by a hundred
  // iterations and more each.
  for (const char* name : {"kepler", "simple_pendulum", "heavy_top", "turntable"}) {
    const Model model = gallery(name);
    const Report report =
        run_by_tolerance(model, "gauss(6)", 1e-3, *model.solve.step, std::min(20.0, *model.solve.end));
    ASSERT_EQ(report.ending, Ending::done) << name << report.reason;
    const long made = report.steps + report.rejected + report.comparisons;
    EXPECT_LT(report.newton.evaluations, 15 * made) << name;
  }
}

TEST(ToleranceSteps, StateTheirAccuracy) {
  const Model model = model_from_text(swing);
  for (const char* name : {"gauss(1)", "gauss(2)", "gauss(4)", "radau(3)", "lobatto(3)", "triple_jump(lobatto(2))"})
    for (const double tolerance : {1e-3, 1e-5}) {
      const Report report = run_by_tolerance(model, name, tolerance, 0.1, 50);
      ASSERT_TRUE(report.accuracy) << name;
      EXPECT_EQ(warned_of(report), "") << name;
      const double error = std::hypot(report.y[0] - std::cos(50), report.z[0] + std::sin(50)) / 2;
      const double stated = report.accuracy->per_time * 50;
      EXPECT_GT(stated, error / 3) << name << " " << tolerance;
      EXPECT_LT(stated, 300 * tolerance) << name << " " << tolerance;
    }
}

// Errors that are made in the bottom of a swing change its energy, and with it when the top is passed; those made at
// the start, near the top, do not.
TEST(ToleranceSteps, StateWhatErrorsBecomeThatAreMadeInFastMotion) {
  const Model model = model_from_text(
      "coordinate x = 0.033600776254748096, y = 0.9994353344939724\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
      "constraint x^2 + y^2 = 1\n");
  const Report report = run_by_tolerance(model, "lobatto_c(3)", 3.30551e-06, 0.01, 15.505);
  SimulateOptions options;
  options.step = 15.505 / 3000;
  options.end = 15.505;
  const Report right = simulate(model, derive(model), method("gauss(4)"), options);
  const double error = std::max(std::abs(report.y[0] - right.y[0]), std::abs(report.y[1] - right.y[1])) / 2;
  EXPECT_GT(error, 0.01);
  EXPECT_TRUE(!report.warnings.empty() || report.accuracy->per_time * 15.505 > error / 5)
      << error << " " << report.accuracy->per_time * 15.505;
}

TEST(ToleranceSteps, ASensitiveMotionIsCalledSo) {
  const Report report = run_alone("double_pendulum", 1e-4);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  ASSERT_EQ(report.warnings.size(), 1U) << warned_of(report);
  EXPECT_EQ(report.warnings[0].code, "sensitive");
}

TEST(ToleranceSteps, AFirstStepAcrossAWallIsMadeShorter) {
  // Pivots were chosen for a matrix that has other entries behind the wall: no step at all had a solution.
  const Model model =
      model_from_text("coordinate y\nkinetic y'^2/2\npotential 9.81*y + 100/2*min(y, 0)^2\ninitial y = 1\n");
  const double fall = std::sqrt(2 / 9.81), speed = std::sqrt(2 * 9.81);
  for (const char* name : {"lobatto(2)", "lobatto(3)", "gauss(2)", "radau(3)"}) {
    const Report report = run_by_tolerance(model, name, 1e-6, 1, 0.45);
    ASSERT_EQ(report.ending, Ending::done) << name << ": " << report.reason;
    EXPECT_NEAR(report.y[0], 1 - 9.81 / 2 * 0.45 * 0.45, 1e-5) << name;
  }
  for (const double step : {1.0, 0.3}) {
    const Report report = run_by_tolerance(model, "lobatto(3)", 1e-8, step, fall + 0.1);
    // Behind the wall: y'' = -9.81 - 100 y from y = 0 with this speed downward.
    const double y = -0.0981 + 0.0981 * std::cos(1.0) - speed / 10 * std::sin(1.0);
    EXPECT_NEAR(report.y[0], y, 1e-6);
  }
}

TEST(ToleranceSteps, WhatOnlyRoundingMovesNeedsNoShortSteps) {
  // The weight and the reaction cancel to rounding, which was taken for a motion from nothing.
  for (const char* text :
       {"coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint y = 0\ninitial x' = 1\n",
        "coordinate x, y\nkinetic (x'^2 + 3*y'^2)/2\npotential 9.81*y + x\nconstraint y = 0\n"}) {
    const Model model = model_from_text(text);
    for (const char* name : {"gauss(3)", "lobatto(3)", "radau(3)"}) {
      SCOPED_TRACE(name);
      const Report report = run_by_tolerance(model, name, 1e-6, 0.01, 10);
      ASSERT_EQ(report.ending, Ending::done) << report.reason;
      EXPECT_TRUE(report.warnings.empty()) << warned_of(report);
      EXPECT_LT(report.steps, 1000);
      EXPECT_NEAR(report.y[0], report.z[0] > 0 ? 10 : -50, 1e-4);  // x = t, or -t^2/2
    }
  }
}

TEST(ToleranceSteps, ABodyThatTurnsUnderFrictionDoesNotStick) {
  // x'' = -x - 0.3 sign(x'): from 1 to -0.4 in half a period, and on from there; it sticks at -0.2 only.
  const Model model =
      model_from_text("coordinate x\nkinetic x'^2/2\npotential x^2/2\nforce x = -0.3*sign(x')\ninitial x = 1\n");
  const double end = 6, exact = -0.3 - 0.1 * std::cos(end - std::numbers::pi);
  for (const char* name : {"radau(2)", "radau(3)", "gauss(3)", "lobatto(3)"}) {
    SCOPED_TRACE(name);
    const Report controlled = run_by_tolerance(model, name, 1e-7, 0.01, end);
    EXPECT_EQ(controlled.ending, Ending::done) << controlled.reason;
    EXPECT_NEAR(controlled.y[0], exact, 1e-5);
    SimulateOptions options;
    options.step = 0.01;
    options.end = end;
    const Report fixed = simulate(model, derive(model), method(name), options);
    EXPECT_EQ(fixed.ending, Ending::done) << fixed.reason;
    EXPECT_NEAR(fixed.y[0], exact, 1e-4);
    if (std::string(name) == "lobatto(3)") continue;  // creeps on
    options.end = 8;                                  // past t = 2 pi, where the spring is weaker than the friction
    const Report stuck = simulate(model, derive(model), method(name), options);
    EXPECT_EQ(stuck.ending, Ending::failed);
    EXPECT_NE(stuck.reason.find("sticks"), std::string::npos) << stuck.reason;
  }
}

TEST(ChooseMethod, SuitsTheModelAndTheTolerance) {
  const auto chosen = [](const Model& model, double tolerance, double end = 10) {
    return choose_method(model, derive(model), tolerance_options(tolerance, 0.01, end));
  };
  const MethodChoice loose = chosen(gallery("pendulum"), 1e-4), tight = chosen(gallery("pendulum"), 1e-10);
  EXPECT_TRUE(loose.method.claims.symplectic);
  EXPECT_LT(loose.method.claims.order_q, tight.method.claims.order_q);
  EXPECT_NE(tight.reason.find("holonomic constraints"), std::string::npos) << tight.reason;
  EXPECT_NE(tight.reason.find("1e-10"), std::string::npos) << tight.reason;
  const Model stiff = model_from_text(
      "coordinate x\nkinetic x'^2/2\npotential x^2/2\nrayleigh 1e4*x'^2/2\n"
      "initial x = 1\n");
  EXPECT_FALSE(chosen(stiff, 1e-6).method.claims.symmetric);
  const Model kinked = model_from_text("coordinate x\nkinetic x'^2/2\npotential abs(x)\ninitial x = 1\n");
  EXPECT_LE(chosen(kinked, 1e-10).method.claims.order_q, 8);
  EXPECT_TRUE(chosen(gallery("ph_pendulum"), 1e-8).method.capabilities.port_hamiltonian);
}

TEST(ChooseMethod, TheChosenMethodRuns) {
  for (const char* name : {"andrews", "car_axis", "four_particles", "friction_double_pendulum", "heavy_top",
                           "ph_motor_pendulum", "rolling_disk", "rough_wire", "skate", "slider_crank", "spinning_body",
                           "steel_on_teflon", "mass_spring_damper_limit"}) {
    const Report report = run_alone(name, 1e-6);
    EXPECT_EQ(report.ending, Ending::done) << name << ": " << report.method << ": " << report.reason;
  }
}

}  // namespace
}  // namespace alembert::internal::testing
