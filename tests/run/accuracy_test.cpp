// What a run says about itself: the estimate of its error is near the error, steps that are too long are found out, and
// what a method claims and does not hold ends the run.

#include "alembert/run/accuracy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <regex>

#include "alembert/base/cpu_time.h"
#include "alembert/run/integrate.h"
#include "alembert/run/simulate.h"
#include "output/rows.h"
#include "source_folder.h"

namespace alembert::internal::testing {
namespace {

Report run_model(const Model& model, const std::string& method, double step, double end, bool strict = false) {
  SimulateOptions options;
  options.step = step;
  options.end = end;
  options.strict = strict;
  Rows rows;
  return run_rows(model, method, options, rows);
}

Report run_judged(const std::string& text, const std::string& method, double step, double end, bool strict = false) {
  return run_model(model_from_text(text), method, step, end, strict);
}

std::string codes(const Report& report) {
  std::string all;
  for (const Warning& warning : report.warnings) all += (all.empty() ? "" : " ") + warning.code;
  return all;
}

const std::string oscillator = "coordinate x\nkinetic x'^2/2\npotential x^2/2\ninitial x = 1\n";

TEST(Accuracy, EstimateIsNearTheErrorOfAnOscillator) {
  struct Case {
    const char* method;
    double step, end;
  };
  for (const Case& c : {Case{"lobatto(2)", 0.05, 20},
                        {"lobatto(2)", 0.01, 200},
                        {"lobatto(3)", 0.1, 50},
                        {"gauss(2)", 0.2, 100},
                        {"gauss(3)", 0.5, 60},
                        {"radau_collocation(2)", 0.05, 10}}) {
    SCOPED_TRACE(std::string(c.method) + " " + to_text(c.step));
    const Report report = run_judged(oscillator, c.method, c.step, c.end);
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    ASSERT_TRUE(report.accuracy);
    const double error = std::hypot(report.y[0] - std::cos(c.end), report.v[0] + std::sin(c.end)) / 2;
    const double stated = report.accuracy->per_time * c.end;
    EXPECT_GT(stated, error / 5);
    EXPECT_LT(stated, error * 20);
  }
}

// A force along the circle turns the point by 0.15 t^2: the companion goes beside the run while it is slow.
TEST(Accuracy, AMotionThatBecomesFasterIsLookedAtAgain) {
  const std::string ring =
      "coordinate x = 1, y\nkinetic (x'^2 + y'^2)/2\nforce x = -0.3*y, y = 0.3*x\n"
      "constraint x^2 + y^2 = 1\n";
  for (const auto& [method, end] : {std::pair("gauss(2)", 60.0), std::pair("lobatto(2)", 40.0)}) {
    SCOPED_TRACE(method);
    const Report report = run_judged(ring, method, 0.001, end);
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    const double angle = 0.15 * end * end;
    const double error = std::hypot(report.y[0] - std::cos(angle), report.y[1] - std::sin(angle)) / 2;
    const double stated = report.accuracy->per_time * end;
    EXPECT_GT(stated, error / 5);
    EXPECT_LT(stated, error * 50);
  }
}

// Both angles of the disk turn evenly: their rates have no range of their own, and nothing is lost where they are off
// by 1e-9. Closed form: theta = 2 t, phi = 3/4 t.
TEST(Accuracy, WhatStandsStillIsComparedWithItsSize) {
  const Model disk = read_model(source_folder() + "/models/rolling_disk.alm");
  const Report report = run_model(disk, "energy_momentum", 0.001, 3);
  EXPECT_EQ(codes(report), "");
  const double x = 4.0 / 3 * std::sin(2.25), error = std::abs(report.y[0] - x) / 6;
  EXPECT_GT(report.accuracy->per_time * 3, error / 5);
  EXPECT_LT(report.accuracy->per_time * 3, 1e-4);
}

// Far from zero the times of the grid are not as far apart as the steps are long, but the steps are.
TEST(Accuracy, LateTimesAreNoErrors) {
  const Model model = model_from_text(oscillator);
  SimulateOptions options;
  options.end = 1e9 + 1;
  options.step = 1e-4;
  const Report report = simulate(model, derive(model), method("gauss(2)"), options, 1e9);
  EXPECT_EQ(codes(report), "");
  EXPECT_NEAR(report.y[0], std::cos(1.0), 1e-12);
  EXPECT_LT(report.accuracy->per_time, 1e-10);
}

// A ball falls into a bowl, bounces, and slides to and fro in it: its first flight is exact, what follows is not.
TEST(Accuracy, ContactsStateWhatAllTheirSegmentsErrBy) {
  const std::string bowl =
      "coordinate x = -1, y = 1.3\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
      "contact ground: y - x^2 >= 0 restitution 0.5\n";
  const Report exact = run_judged(bowl, "gauss(4)", 0.002, 3), report = run_judged(bowl, "gauss(2)", 0.02, 3);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  const double error = std::abs(report.y[0] - exact.y[0]) / 2;
  EXPECT_GT(error, 1e-9) << "else this shows nothing";
  EXPECT_GT(report.accuracy->per_time * 3, error / 10);
  EXPECT_LT(report.accuracy->per_time * 3, 1e4 * error);
}

TEST(Accuracy, StepsThatEndInAKinkAreComparedInFrontOfIt) {
  const std::string kinked = "coordinate x\nkinetic x'^2/2\npotential abs(x) + 0.3*max(x - 0.7, 0)^3\ninitial x = 1\n";
  const double exact = -0.94776847798;  // gauss(4), tolerance 1e-12
  for (const char* name : {"lobatto(2)", "lobatto(3)", "radau(2)", "gauss(2)"}) {
    const Report report = run_judged(kinked, name, 0.2, 20);
    EXPECT_EQ(codes(report), "") << name;
    ASSERT_TRUE(report.accuracy) << name;
    EXPECT_LT(report.accuracy->per_time * 20, 0.02) << name;
    EXPECT_LT(std::abs(report.y[0] - exact) / 2, 10 * 20 * report.accuracy->per_time) << name;
  }
}

TEST(Accuracy, ErrorsBehindEventsThatActAreStated) {
  // An oscillator that jumps over to the other side of x = 1/2: what comes later than the first jump is stated too.
  const std::string text = oscillator + "parameter n = 0, w = 1\nwhen x = 0.5: n = n + 1\nforce x = -(w^2 - 1)*x\n";
  const Report still = run_judged(text + "when t = 1: w = 9\n", "lobatto(2)", 0.05, 20);
  EXPECT_FALSE(codes(still).empty()) << to_text(still);
  const Report fine = run_judged(text + "when t = 1: w = 9\n", "gauss(3)", 0.01, 20);
  EXPECT_EQ(codes(fine), "");
  const double a = std::cos(1), b = -std::sin(1) / 9;  // behind t = 1
  const double exact = a * std::cos(9 * 19) + b * std::sin(9 * 19);
  EXPECT_LE(std::abs(fine.y[0] - exact) / 2, 10 * 20 * fine.accuracy->per_time);
}

// x = sin(t) until t = pi; lobatto(2) is there too early, and turns at an event that the motion has not met by the end.
TEST(Accuracy, AnEventThatTheErrorDecidesAboutIsNamed) {
  const std::string model =
      "coordinate x\nkinetic x'^2/2\npotential x^2/2\ninitial x' = 1\n"
      "event hit: x = 0 falling\nwhen hit: x' = -x'\n";
  for (const double end : {3.135, 3.131}) {  // before and behind the event of the run
    const Report report = run_judged(model, "lobatto(2)", 0.3, end);
    EXPECT_EQ(codes(report), "events") << end;
  }
  EXPECT_EQ(codes(run_judged(model, "lobatto(2)", 0.3, 1.5)), "");
  EXPECT_EQ(codes(run_judged(model, "lobatto(2)", 0.3, 4.7)), "");
}

// radau(3) takes away the fast swing of a stiff spring in its first steps, which err by more than all others.
TEST(Accuracy, WhatIsDampedAtOnceIsSeen) {
  const Model model = model_from_text(
      "coordinate x = 0.924836, y = -0.380366\nkinetic 1.548814*(x'^2 + y'^2)/2\n"
      "potential 1.548814*9.81*y + 13792.577228/2*(sqrt(x^2 + y^2) - 1)^2\nforce x = 9.854484*cos(3.118892*t)\n");
  SimulateOptions options;
  options.step = 2.824 / 46;
  options.end = 2.824;
  Rows rows, fine;
  const Report report = run_rows(model, "radau(3)", options, rows);
  options.step /= 100;
  options.every = 100;
  run_rows(model, "gauss(4)", options, fine);
  ASSERT_EQ(rows.rows.size(), fine.rows.size());
  double error = 0;
  for (std::size_t i = 0; i < rows.rows.size(); ++i)
    error = std::max(error, std::abs(rows.at(rows.rows[i], "x'") - fine.at(fine.rows[i], "x'")));
  EXPECT_TRUE(!report.warnings.empty() || report.accuracy->per_time * report.t * 10 > error / 8) << error;
}

// At the bottom of an ellipse one step in ten errs, by a percent, and what is lost there is seen far behind it: steps
// that are compared here and there miss all of them.
TEST(Accuracy, ShortRunsAreComparedStepByStep) {
  const std::string ellipse =
      "coordinate x = 0.5368392136602917, y = 0\nkinetic (x'^2 + y'^2)/2\npotential y\n"
      "constraint x^2/0.2881963413234004 + y^2/0.5619141702109124 = 1\ninitial y' = 1.3382312681122905\n";
  const double end = 16.773502936278256;
  const Report fine = run_judged(ellipse, "gauss(4)", 0.02, end);
  ASSERT_EQ(codes(fine), "");
  for (const char* name : {"murua(3)", "gauss(3)", "murua(4)", "lobatto(4)"})
    for (const double step : {0.4864571780965852, 0.4, 0.3, 0.2}) {
      SCOPED_TRACE(std::string(name) + " " + to_text(step));
      const Report report = run_judged(ellipse, name, step, end);
      if (report.ending != Ending::done || !report.warnings.empty()) continue;
      const double error = std::hypot(report.y[0] - fine.y[0], report.y[1] - fine.y[1]) / 1.5;
      EXPECT_LT(error, 10 * report.accuracy->per_time * end);
    }
}

// A block that friction(...) holds creeps with v = 1e-6/sqrt((mu N)^2 - 1). A method that does not damp swings about
// that, and where the parts of its steps have no solution only twice as long ones are known, which swing alike.
TEST(Accuracy, StepsThatSwingToAndFroAreNotRight) {
  SimulateOptions options;
  options.step = 0.01;
  options.end = 1;
  options.steps.guess = Guess::naive;
  Rows rows;
  const Report report =
      run_rows(model_from_text("coordinate x\nkinetic x'^2/2\nforce x = friction(0.5, 9.81, x') + 1\n"), "lobatto(3)",
               options, rows);
  const double creep = 1e-6 / std::sqrt(4.905 * 4.905 - 1);
  const bool right = report.ending == Ending::done && std::abs(report.v[0] - creep) < 0.1 * creep;
  EXPECT_TRUE(right || report.ending == Ending::failed || !report.warnings.empty()) << report.v[0];
}

TEST(Accuracy, WhatRoundingGrowsToIsStated) {
  // From the top, 1e-9 away from it, and back to it at t = 13.7: what rounding does there grows a billion times.
  const std::string top = "coordinate th\nkinetic th'^2/2\npotential 9.81*cos(th)\ninitial th = 1e-9\n";
  for (const double step : {0.01, 0.001}) {
    const Report once = run_judged(top, "gauss(3)", step, 10);
    EXPECT_EQ(codes(once), "") << step;
    const Report twice = run_judged(top, "gauss(3)", step, 20);
    EXPECT_EQ(codes(twice), "sensitive") << step;
  }
}

TEST(Accuracy, AToleranceOfNewtonThatBreaksConstraintsIsNamed) {
  const Model model =
      model_from_text("coordinate x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint x^2 + y^2 = 1\n");
  for (const double tolerance : {1e-2, 1e-4, 1e-6, 0.0}) {
    SimulateOptions options;
    options.step = 0.01;
    options.end = 3;
    options.newton.tolerance = tolerance;
    Rows rows;
    const Report report = run_rows(model, "lobatto(2)", options, rows);
    EXPECT_EQ(codes(report).find("newton") != std::string::npos, tolerance > 0) << to_text(report);
  }
}

// Errors of a ball between two springs grow like t. Its twin meets the springs at times of its own.
TEST(Accuracy, StiffWallsMakeNothingSensitive) {
  const std::string box =
      "coordinate x = 0.3\nkinetic x'^2/2\npotential 1e6/2*(min(x, 0)^2 + max(x - 1, 0)^2)\ninitial x' = 1\n";
  // Between the walls it needs 1, in each of them pi/1000.
  const double end = 0.7 + std::numbers::pi / 1000 + 1 + std::numbers::pi / 1000 + 0.25;
  const Report report = run_judged(box, "gauss(3)", 0.0005, end);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  EXPECT_EQ(codes(report), "");
  const double error = std::abs(report.y[0] - 0.25);
  EXPECT_LT(error, 1e-6);
  EXPECT_GT(report.accuracy->per_time * end, error / 10);
  EXPECT_EQ(codes(run_judged(box, "gauss(3)", 0.0005, 20)), "");
}

// A linear oscillator is not sensitive, whatever its steps pass over.
TEST(Accuracy, PulsesThatAreMissedMakeNothingSensitive) {
  const std::string pulses =
      "coordinate x = 0.2\nkinetic x'^2/2\npotential 11.6*x^2/2\nrayleigh 0.1*x'^2/2\n"
      "force x = 96.8*exp(-(sin(pi*(t - 0.77)/2.02)/0.00856)^2)\n";
  const Report report = run_judged(pulses, "gauss(1)", 0.0072, 8.64);
  EXPECT_NE(codes(report), "");
  EXPECT_EQ(codes(report).find("sensitive"), std::string::npos) << codes(report);
}

// Five steps in one, each with three iterations.
TEST(Accuracy, CompositionsDoNotLabour) {
  const std::string pendulum =
      "coordinate x = 1, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint x^2 + y^2 = 1\n";
  const Report report = run_judged(pendulum, "suzuki(gauss(1))", 0.1, 60);
  EXPECT_GT(report.newton.iterations, 12 * report.steps) << "else this tests nothing";
  EXPECT_GT(60 * report.accuracy->per_time, 0.01) << "else nobody asks";
  EXPECT_EQ(codes(report), "");
}

// Steps so long that Newton needs a good guess: what goes beside the run takes its guesses from the run. Without them
// it costs six times as much as the run itself.
TEST(Accuracy, CostsLessThanTheRunWhereStepsAreLong) {
  const Model model = read_model(std::string(source_folder()) + "/bench/regular_pendulum.alm");
  const Equations e = derive(model);
  const Method method = find_method("gauss(4)");
  constexpr double h = 0.16;
  constexpr long steps = 100;
  NewtonOptions newton;
  newton.kernel = interpreted;
  SimulateOptions options;
  options.step = h;
  options.end = h * steps;
  options.newton = newton;
  double alone = INFINITY, watched = INFINITY;
  for (int round = 0; round < 3; ++round) {
    const Endpoint<double> end =
        integrate<double>(e, method, polish<double>(e, make_consistent(model, e), 0), 0, h, steps, newton);
    ASSERT_EQ(end.failure, "");
    alone = std::min(alone, end.seconds);
    Engine engine(model, e, method, engine_options(e, options));
    ASSERT_TRUE(engine.begin({}));
    const double before = thread_seconds();
    ASSERT_EQ(simulate(engine, options).ending, Ending::done);
    watched = std::min(watched, thread_seconds() - before);
  }
  EXPECT_LT(watched, 3 * alone);
}

TEST(Accuracy, FewerThanOneStepInTwentyIsComparedInLongRuns) {
  const Report report = run_judged(oscillator, "lobatto(2)", 0.01, 2000);
  ASSERT_TRUE(report.accuracy);
  EXPECT_LT(report.accuracy->compared, report.steps / 200);
  EXPECT_GT(report.accuracy->compared, report.steps / 1000);
}

TEST(Accuracy, LongStepsAreFoundOut) {
  // A fast top: energy, constraints and invariants look well, and the motion is wrong.
  for (const char* name : {"gyroscope", "heavy_top"}) {
    const Report report = run_model(gallery(name), "lobatto(3)", 0.02, 0.2);
    EXPECT_TRUE(report.ending == Ending::failed || !report.warnings.empty()) << name;
  }
}

TEST(Accuracy, ARareFastMotionIsFoundOut) {
  // Free fall onto a stiff exponential wall: only a few steps out of thousands are too long.
  const std::string wall = "coordinate y\nkinetic y'^2/2\npotential 9.81*y + exp(-500*y)\ninitial y = 1\n";
  const Report coarse = run_judged(wall, "gauss(3)", 0.004, 40);
  EXPECT_TRUE(coarse.ending == Ending::failed || !coarse.warnings.empty()) << to_text(coarse);
  const Report fine = run_judged(wall, "gauss(3)", 0.0002, 2);
  EXPECT_EQ(codes(fine), "");
}

TEST(Accuracy, ASensitiveMotionIsCalledSo) {
  const Report report = run_model(gallery("double_pendulum"), "lobatto(3)", 0.01, 100);
  EXPECT_EQ(codes(report), "sensitive");
  const Report beginning = run_model(gallery("double_pendulum"), "lobatto(3)", 0.01, 2);
  EXPECT_EQ(codes(beginning), "");
  // Steps so short that few of them can be made twice.
  EXPECT_EQ(codes(run_model(gallery("double_pendulum"), "lobatto(3)", 0.001, 60)), "sensitive");
  EXPECT_EQ(codes(run_model(gallery("kepler"), "lobatto(2)", 0.001, 200)), "");
}

TEST(Accuracy, AnInputThatIsJumpedOverIsNamed) {
  const std::string bump =
      "coordinate x\nkinetic x'^2/2\npotential x^2/2\nforce x = 100*exp(-(200*(t - 3.31))^2)\n"
      "initial x = 1\n";
  const Report report = run_judged(bump, "gauss(2)", 0.1, 10);
  EXPECT_NE(codes(report).find("input"), std::string::npos) << to_text(report);
  EXPECT_NEAR(report.warnings[0].t, 3.31, 0.1);
  EXPECT_EQ(codes(run_judged(bump, "gauss(2)", 0.0005, 10)), "");
}

TEST(Accuracy, StrictRunsFailWhereOthersWarn) {
  const Report report = run_model(gallery("double_pendulum"), "lobatto(3)", 0.01, 100, true);
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_NE(report.reason.find("sensitive"), std::string::npos) << report.reason;
  EXPECT_EQ(report.warnings.size(), 1u);
}

// A quarter of a period in a step: a polynomial through the grid points knows nothing of the power between them.
TEST(Account, OfLongStepsHasTheOrderOfTheMethod) {
  const std::string fast = "coordinate x = 1\nkinetic x'^2/2\npotential 50*x^2\n";
  // What is dissipated is what the energy has lost; with a quadratic energy Gauss's formula says so exactly.
  for (const char* method : {"gauss(4)", "gauss_collocation(4)", "murua(4)"}) {
    const Report report = run_judged(fast + "rayleigh 3/2*x'^2\n", method, 0.15, 3);
    ASSERT_TRUE(report.account) << method;
    EXPECT_EQ(report.account->supplied, 0) << method;
    EXPECT_NEAR(report.account->dissipated, 50 - report.energy.final, 1e-12) << method;
    EXPECT_LT(report.energy.max_error, 1e-12) << method;
  }
  // x = exp(-d t)*(cos(w t) + d/w*sin(w t)) with d = 1.5, w = sqrt(100 - d^2).
  const double d = 1.5, w = std::sqrt(100 - d * d), t = 3;
  const double x = std::exp(-d * t) * (std::cos(w * t) + d / w * std::sin(w * t));
  const double v = -100 / w * std::exp(-d * t) * std::sin(w * t);
  const double lost = 50 - v * v / 2 - 50 * x * x;
  double before = 0;
  for (const double h : {0.05, 0.025}) {
    const Report report = run_judged(fast + "rayleigh 3/2*x'^2\n", "lobatto(3)", h, t);
    const double error = std::abs(report.account->dissipated - lost);
    if (before > 0) { EXPECT_NEAR(std::log2(before / error), 4, 0.3); }
    before = error;
  }
}

// What moves a support does work through the multiplier, and a cut step does the work of its part.
TEST(Account, OfMovingSupportsAndOfStepsThatEndAtEvents) {
  const std::string text =
      "coordinate x, y = -1\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nrayleigh 0.05*(x'^2 + y'^2)\n"
      "constraint (x - 0.3*sin(5*t))^2 + y^2 = 1\nevent far: x = 0.2 rising\nstop after 3 far\n";
  const Report shorter = run_judged(text, "gauss(4)", 0.02, 10), longer = run_judged(text, "gauss(4)", 0.1, 10);
  ASSERT_EQ(shorter.stopped, "far");
  ASSERT_EQ(longer.stopped, "far");
  EXPECT_NEAR(longer.account->supplied, shorter.account->supplied, 1e-7);
  EXPECT_NEAR(longer.account->dissipated, shorter.account->dissipated, 1e-7);
  EXPECT_LT(longer.energy.max_error, 1e-7);
}

TEST(Account, ExplainsTheEnergyOfModelsOnWhichWorkIsDone) {
  // A damped oscillator loses what its damper takes, a driven one gains what the force supplies.
  const Report damped = run_judged(oscillator + "rayleigh 0.1/2*x'^2\n", "gauss(3)", 0.05, 20);
  ASSERT_TRUE(damped.account);
  EXPECT_EQ(damped.account->supplied, 0);
  EXPECT_NEAR(damped.account->dissipated, damped.energy.initial - damped.energy.final, 1e-9);
  EXPECT_LT(damped.energy.max_error, 1e-9);
  const Report driven = run_judged(oscillator + "force x = 0.3*sin(0.7*t)\n", "gauss(3)", 0.05, 20);
  ASSERT_TRUE(driven.account);
  EXPECT_NEAR(driven.account->supplied, driven.energy.final - driven.energy.initial, 1e-8);
  EXPECT_EQ(driven.account->dissipated, 0);
  // A method that does not tell the work of its steps: the power is integrated over the grid points.
  const Report untold = run_judged(oscillator + "rayleigh 0.1/2*x'^2\n", "adjoint_of(gauss(3))", 0.05, 20);
  ASSERT_TRUE(untold.account);
  EXPECT_NEAR(untold.account->dissipated, damped.account->dissipated, 1e-9);
  // Friction that was written as a force is no supply.
  const Report braked = run_judged(oscillator + "force x = -0.1*x'\n", "gauss(3)", 0.05, 20);
  EXPECT_NEAR(braked.account->dissipated, damped.account->dissipated, 1e-9);
  EXPECT_EQ(braked.account->supplied, 0);
  EXPECT_FALSE(run_judged(oscillator, "gauss(3)", 0.05, 20).account);
}

TEST(Account, ASwingLongerThanTheRunIsNoDrift) {
  const Report report = run_model(gallery("heavy_top"), "lobatto(2)", 0.0005, 0.3);
  EXPECT_LT(std::abs(report.drift.per_time), 2 * report.drift.uncertainty);
}

TEST(Judge, AnEnergyThatNothingChangedEndsTheRun) {
  // Of a stiff spring with steps of ten of its periods the energy once grew to 1e168 without a word.
  const std::string pendulum =
      "coordinate x = 1, y\nkinetic (x'^2 + y'^2)/2\n"
      "potential 9.81*y + 1e6/2*(sqrt(x^2 + y^2) - 1)^2\n";
  const Report report = run_judged(pendulum, "lobatto(3)", 0.01, 100);
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_NE(report.reason.find("the energy went from 0 to"), std::string::npos) << report.reason;
  EXPECT_LT(report.t, 10);
}

// At v = 0.2 both rates lead back: what would have to stay there is named, and does not go on in tiny steps for ever.
// A pendulum on a stiff spring, damped and driven: its energy is not conserved, but it is accounted for.
const std::string driven_spring_pendulum =
    "coordinate x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y + 2e4/2*(sqrt(x^2 + y^2) - 1)^2\n"
    "rayleigh 0.5*(x'^2 + y'^2)/2\nforce x = 3*cos(2*t)\n";

TEST(Judge, AnEnergyThatTheWorkDoesNotExplainEndsTheRun) {
  // 15 steps are fewer than those from which on the first ones are the measure; 60 are more.
  for (const double end : {0.75, 3.0}) {
    const Report wild = run_judged(driven_spring_pendulum, "lobatto(3)", 0.05, end);
    ASSERT_EQ(wild.ending, Ending::failed) << codes(wild);
    EXPECT_NE(wild.reason.find("the energy went from 0 to "), std::string::npos) << wild.reason;
    EXPECT_LT(wild.t, end);
  }
  const Report long_steps = run_judged(driven_spring_pendulum, "lobatto(3)", 0.02, 10);
  EXPECT_TRUE(long_steps.ending == Ending::failed || codes(long_steps).find("energy") != std::string::npos);
  EXPECT_EQ(codes(long_steps).find("sensitive"), std::string::npos) << codes(long_steps);
  const Report right = run_judged(driven_spring_pendulum, "lobatto(3)", 0.001, 10);
  EXPECT_EQ(right.ending, Ending::done) << right.reason;
  EXPECT_EQ(codes(right), "");
}

// From rest in the top, where the energy is 0, its motion becomes 1e8 times as fast: what is wrong with the energy then
// is much against the first steps, and nothing against the motion.
TEST(Judge, AMotionThatBecomesFasterByItselfIsNoExplosion) {
  const Report report =
      run_judged("coordinate a = 1e-8\nkinetic a'^2/2\npotential 9.81*(cos(a) - 1)\n", "lobatto(2)", 0.01, 8);
  EXPECT_EQ(report.ending, Ending::done) << report.reason;
}

// The same for explosions in the first steps of a motion on which nothing does work.
TEST(Judge, AnExplosionIsNoMeasureOfItself) {
  const Report report =
      run_judged("coordinate x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y + 2e4/2*(sqrt(x^2 + y^2) - 1)^2\n",
                 "lobatto(3)", 0.2, 8);
  ASSERT_EQ(report.ending, Ending::failed) << codes(report);
  EXPECT_LT(report.t, 4);
}

TEST(Judge, ARateThatSwitchesToAndFroEndsTheRun) {
  for (const double step : {0.1, 0.001}) {
    const Report report = run_judged("variable v = 1\nrate v' = if(v > 0.2, -v, 0.5)\n", "gauss(2)", step, 5);
    EXPECT_EQ(report.ending, Ending::failed);
    EXPECT_NEAR(report.t, std::log(5), 1e-4);
    EXPECT_NE(report.reason.find("can go on with neither of its values"), std::string::npos) << report.reason;
  }
}

TEST(Judge, AStateThatIsNotFiniteEndsTheRun) {
  const Report report = run_judged("variable x = 1\nrate x' = 1e308\n", "gauss_collocation(2)", 0.5, 10);
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_NE(report.reason.find("not finite"), std::string::npos) << report.reason;
  EXPECT_LT(report.t, 3);
}

TEST(Judge, WellBehavedRunsAreLeftAlone) {
  for (const char* name : {"pendulum", "chain", "four_bar", "skate", "rolling_disk", "car_axis", "conveyor"}) {
    const Model model = gallery(name);
    const Report report = run_model(model, "gauss(3)", *model.solve.step, *model.solve.end);
    EXPECT_EQ(report.ending, Ending::done) << name << ": " << report.reason;
    EXPECT_EQ(codes(report), "") << name;
  }
}

// The figure of the warning `sensitive` against the largest Lyapunov exponent, found by Benettin's method with steps
// and right-hand sides of its own: of two motions beside each other, brought back to the same small distance in every
// step.

using GrowthState = std::vector<double>;
using GrowthRates = std::function<GrowthState(double t, const GrowthState&)>;

GrowthState plus_times(const GrowthState& a, double factor, const GrowthState& b) {
  GrowthState sum = a;
  for (std::size_t i = 0; i < a.size(); ++i) sum[i] += factor * b[i];
  return sum;
}

/// The classical Runge-Kutta method.
GrowthState after_step(const GrowthRates& f, double t, const GrowthState& s, double h) {
  const GrowthState k1 = f(t, s), k2 = f(t + h / 2, plus_times(s, h / 2, k1)),
                    k3 = f(t + h / 2, plus_times(s, h / 2, k2)), k4 = f(t + h, plus_times(s, h, k3));
  GrowthState end = s;
  for (std::size_t i = 0; i < s.size(); ++i) end[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  return end;
}

/// Growth a unit of time between two times.
double benettin(const GrowthRates& f, GrowthState s, double from, double until) {
  constexpr double h = 0.002, apart = 1e-7;
  GrowthState beside = s;
  beside[0] += apart;
  double sum = 0, t = 0;
  for (long k = 1; t < until; ++k) {
    s = after_step(f, t, s, h);
    beside = after_step(f, t, beside, h);
    t = static_cast<double>(k) * h;
    const GrowthState d = plus_times(beside, -1, s);
    double squares = 0;
    for (const double x : d) squares += x * x;
    const double distance = std::sqrt(squares);
    if (t > from) sum += std::log(distance / apart);
    beside = plus_times(s, apart / distance, d);
  }
  return sum / (until - from);
}

struct Sensitive {
  const char* text;
  GrowthRates rates;
  GrowthState start;
  double step, end;
};

std::vector<Sensitive> sensitive_motions() {
  return {{"variable x = 1, y = 1, z = 20\nrate x' = 10*(y - x)\nrate y' = x*(28 - z) - y\nrate z' = x*y - 8/3*z\n",
           [](double, const GrowthState& s) {
             return GrowthState{10 * (s[1] - s[0]), s[0] * (28 - s[2]) - s[1], s[0] * s[1] - 8.0 / 3 * s[2]};
           },
           {1, 1, 20},
           0.02,
           60},
          {"coordinate a = 2, b = 2\nkinetic (2*a'^2 + b'^2 + 2*a'*b'*cos(a - b))/2\n"
           "potential -2*9.81*cos(a) - 9.81*cos(b)\n",
           [](double, const GrowthState& s) {
             const double c = std::cos(s[0] - s[1]), d = std::sin(s[0] - s[1]);
             const double first = -s[3] * s[3] * d - 2 * 9.81 * std::sin(s[0]);
             const double second = s[2] * s[2] * d - 9.81 * std::sin(s[1]);
             return GrowthState{s[2], s[3], (first - c * second) / (2 - c * c), (2 * second - c * first) / (2 - c * c)};
           },
           {2, 2, 0, 0},
           0.02,
           60},
          {"coordinate x = 1\nkinetic x'^2/2\npotential x^4/4 - x^2/2\nforce x = -0.25*x' + 0.3*cos(t)\n",
           [](double t, const GrowthState& s) {
             return GrowthState{s[1], s[0] - s[0] * s[0] * s[0] - 0.25 * s[1] + 0.3 * std::cos(t)};
           },
           {1, 0},
           0.02,
           400}};
}

TEST(Growth, IsThatOfBenettin) {
  for (const Sensitive& one : sensitive_motions())
    for (const char* name : {"gauss(3)", "gauss(4)"}) {
      SCOPED_TRACE(std::string(name) + "\n" + one.text);
      SimulateOptions options;
      options.step = one.step;
      options.end = one.end;
      Rows rows;
      const Report report = run_rows(model_from_text(one.text), name, options, rows);
      ASSERT_EQ(report.warnings.size(), 1U);
      EXPECT_EQ(report.warnings[0].code, "sensitive");
      std::smatch found;
      const std::regex figure("e-fold in ([0-9.]+) \u00b1 ([0-9.]+) units of time until t = ([0-9.]+)");
      ASSERT_TRUE(std::regex_search(report.warnings[0].text, found, figure)) << report.warnings[0].text;
      const double time = std::stod(found[1]), uncertainty = std::stod(found[2]), until = std::stod(found[3]);
      // What the figure leaves out at the beginning is a ninth of the time.
      EXPECT_NEAR(time, 1 / benettin(one.rates, one.start, until / 9, until), 2 * uncertainty);
      EXPECT_LT(uncertainty, time);
    }
}

// An exponent that is known, 0.9056 (Sprott 2003): of the motion that the first of them tends to.
TEST(Growth, OfBenettinIsTheKnownOne) {
  const Sensitive lorenz = sensitive_motions().front();
  EXPECT_NEAR(benettin(lorenz.rates, lorenz.start, 10, 300), 0.9056, 0.03);
}

}  // namespace
}  // namespace alembert::internal::testing
