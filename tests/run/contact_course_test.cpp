// Single steps of models with contacts by methods that follow them from impact to impact.

#include <gtest/gtest.h>

#include <cmath>

#include "alembert/alembert.h"
#include "source_folder.h"

namespace alembert {
namespace {

std::vector<double> list(std::span<const double> values) { return {values.begin(), values.end()}; }

const char falling[] =
    "parameter g = 9.81, e = 0.8, F = 0\ncoordinate y = 1\nkinetic y'^2/2\npotential g*y\nforce y = F\n"
    "contact floor: y >= 0 restitution e\n";

Stepper ball(const std::vector<std::string>& inputs = {}, double step = 0.01) {
  return compile(find_method("gauss(2)"), derive(read_model_text(falling), {.inputs = inputs}), {.step = step});
}

/// The height of a ball that bounces: between impacts it is a parabola.
double height(double t, double e = 0.8) {
  double v = std::sqrt(2 * 9.81), begin = std::sqrt(2 / 9.81);
  if (t < begin) return 1 - 9.81 * t * t / 2;
  for (;;) {
    v *= e;
    const double flight = 2 * v / 9.81;
    if (v < 1e-9) return 0;
    if (t < begin + flight) return v * (t - begin) - 9.81 * (t - begin) * (t - begin) / 2;
    begin += flight;
  }
}

TEST(ContactCourse, ABallBouncesAsItDoes) {
  Stepper stepper = ball();
  std::vector<double> impacts;
  for (int i = 1; i <= 500; ++i) {
    ASSERT_TRUE(stepper.step()) << stepper.failure();
    ASSERT_EQ(stepper.t(), i * 0.01);
    // Next to the accumulation at t = 4.0637 the last flights are lost in rounding.
    ASSERT_NEAR(stepper.value("y"), height(stepper.t()), 1e-9) << stepper.t();
    for (const EventRecord& event : stepper.events()) {
      EXPECT_EQ(stepper.event_names().at(static_cast<std::size_t>(event.event)), "floor");
      if (event.kind == "impact") impacts.push_back(event.t);
    }
  }
  ASSERT_GT(impacts.size(), 10u);
  EXPECT_NEAR(impacts[0], std::sqrt(2 / 9.81), 1e-12);
  EXPECT_NEAR(impacts[1], std::sqrt(2 / 9.81) * 2.6, 1e-11);
  EXPECT_EQ(stepper.steps_made(), 500);
  // It rests: what acts is the contact's too.
  EXPECT_NEAR(stepper.accelerations()[0], 0, 1e-12);
  EXPECT_NEAR(stepper.energy(), 0, 1e-12);
}

TEST(ContactCourse, WhatIsSetBetweenStepsActsAtOnce) {
  Stepper stepper = ball({"F"});
  stepper.set({{"y", 0}, {"y'", 0}});
  ASSERT_TRUE(stepper.steps(10));
  EXPECT_NEAR(stepper.value("y"), 0, 1e-30);
  EXPECT_NEAR(stepper.accelerations()[0], 0, 1e-14);
  stepper.parameters()[0] = 5;
  ASSERT_TRUE(stepper.steps(10));
  EXPECT_NEAR(stepper.value("y"), 0, 1e-30) << "its weight is more";
  stepper.parameters()[0] = 11.81;
  EXPECT_NEAR(stepper.accelerations()[0], 2, 1e-13) << "from now on";
  ASSERT_TRUE(stepper.step()) << stepper.failure();
  ASSERT_EQ(stepper.events().size(), 1u);
  EXPECT_EQ(stepper.events()[0].kind, "open");
  ASSERT_TRUE(stepper.steps(49));
  EXPECT_NEAR(stepper.value("y"), 0.25, 1e-12);
  EXPECT_NEAR(stepper.value("y'"), 1, 1e-12);
  stepper.set("y'", -2);
  stepper.parameters()[0] = 9.81;
  ASSERT_TRUE(stepper.steps(50));
  EXPECT_NEAR(stepper.value("y"), 0.6, 1e-11) << "0.125 s down, and up again at 1.6";
  EXPECT_NEAR(stepper.value("y'"), 1.6, 1e-12);
}

// A block on rough ground: a force below the bound does not move it, one above it does, and without it stops.
TEST(ContactCourse, FrictionSticksSlipsAndSticks) {
  const Model model = read_model_text(
      "parameter F = 0\ncoordinate x, y\nkinetic x'^2/2 + y'^2/2\npotential 10*y\nforce x = F\n"
      "contact ground: y >= 0 friction 0.3 along x'\nobserve pushed: F\n");
  Stepper stepper = compile(find_method("lobatto(3)"), derive(model, {.inputs = {"F"}}), {.step = 0.01});
  stepper.parameters()[0] = 2.9;
  ASSERT_TRUE(stepper.steps(20)) << stepper.failure();
  EXPECT_NEAR(stepper.value("x"), 0, 1e-30);
  stepper.parameters()[0] = 5;
  ASSERT_TRUE(stepper.steps(100)) << stepper.failure();
  EXPECT_NEAR(stepper.value("x"), 1, 1e-11);
  EXPECT_NEAR(stepper.value("x'"), 2, 1e-12);
  EXPECT_NEAR(stepper.accelerations()[0], 2, 1e-12);
  EXPECT_EQ(stepper.value("pushed"), 5);
  stepper.parameters()[0] = 0;
  std::vector<std::string> kinds;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(stepper.step()) << stepper.failure();
    for (const EventRecord& event : stepper.events()) kinds.push_back(event.kind);
  }
  EXPECT_EQ(kinds, std::vector<std::string>{"stick"});
  EXPECT_NEAR(stepper.value("x"), 1 + 2.0 / 3, 1e-10) << "v^2/(2 mu g)";
  EXPECT_EQ(stepper.value("x'"), 0);
}

TEST(ContactCourse, CopiesAndSavedStatesGoOnWithTheSameBits) {
  const Model model = read_model(source_folder() + "/models/rocking_block.alm");
  const Equations equations = derive(model);
  Stepper stepper = compile(find_method("gauss(3)"), equations, {.step = 0.01});
  ASSERT_TRUE(stepper.steps(60)) << stepper.failure();
  Stepper copy(stepper);
  const std::vector<std::byte> bytes = stepper.save();
  Stepper loaded = compile(find_method("gauss(3)"), equations, {.step = 0.01});
  loaded.load(bytes);
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(stepper.step()) << stepper.failure();
    ASSERT_TRUE(copy.step());
    copy.multipliers();  // who looks changes nothing
    ASSERT_TRUE(loaded.step());
    ASSERT_EQ(list(copy.state()), list(stepper.state())) << i;
    ASSERT_EQ(list(loaded.state()), list(stepper.state())) << i;
  }
  // The same as a run, but for the history that each step begins without.
  const alembert::Run run = simulate(compile(find_method("gauss(3)"), equations, {.step = 0.01}), {.end = 1.2});
  ASSERT_EQ(run.report.ending, Ending::done);
  for (std::size_t i = 0; i < run.report.y.size(); ++i) EXPECT_NEAR(stepper.state()[i], run.report.y[i], 1e-10);
  // And a run goes on from where a stepper stands.
  const alembert::Run behind = simulate(copy, {.end = 2});
  EXPECT_EQ(behind.report.ending, Ending::done);
}

TEST(ContactCourse, WhatCannotBeIsSaidAndLeavesAllAsItWas) {
  Stepper stepper = ball({"e"});
  ASSERT_TRUE(stepper.steps(10));
  const std::vector<double> before = list(stepper.state());
  EXPECT_THROW(stepper.set("y", -1), InputError) << "inside the floor";
  EXPECT_THROW(stepper.set_state(std::vector<double>{-1, 0}), InputError);
  EXPECT_THROW(stepper.set_step(-0.01), InputError) << "an impact cannot be undone";
  EXPECT_EQ(list(stepper.state()), before);
  EXPECT_EQ(stepper.h(), 0.01);
  ASSERT_TRUE(stepper.steps(10));
  EXPECT_NEAR(stepper.value("y"), height(0.2), 1e-12);
  EXPECT_THROW(ball({}, -0.01), InputError);
  // The events of a model stop its contacts, too.
  const Model stops = read_model_text(
      "coordinate y = 1\nkinetic y'^2/2\npotential 9.81*y\ncontact floor: y >= 0 restitution 0.5\n"
      "stop after 1 floor\n");
  Stepper ends = compile(find_method("gauss(2)"), derive(stops), {.step = 0.1});
  ASSERT_TRUE(ends.steps(5)) << ends.failure();
  EXPECT_EQ(ends.stopped().empty(), false);
  EXPECT_NEAR(ends.t(), std::sqrt(2 / 9.81), 1e-12);
  EXPECT_FALSE(ends.step());
  EXPECT_NE(ends.failure().find("has stopped the motion"), std::string::npos) << ends.failure();
}

TEST(ContactCourse, StepsThatAnImpactCutAreCounted) {
  // The motion is a parabola: nothing limits the steps but the largest one.
  SimulateOptions options{.end = 1, .step = 0.1};
  options.steps.control = Control::tolerance;
  options.steps.tolerance = 1e-6;
  options.steps.largest = 0.1;
  const Report report = simulate(ball(), options).report;
  ASSERT_EQ(report.ending, Ending::done);
  EXPECT_GE(report.steps, 5 + 6) << "0.4515 to the impact, and 0.5485 behind it";
}

}  // namespace
}  // namespace alembert
