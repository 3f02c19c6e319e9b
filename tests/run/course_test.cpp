// A stepper meets events and kinks as a run does, and goes on with the same bits from what was saved.

#include "alembert/run/course.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alembert/alembert.h"

namespace alembert {
namespace {

const char* const bouncing = R"(
parameter e = 0.8, n = 0, g = 9.81, drag = 0
coordinate y = 1
kinetic y'^2/2
potential g*y
force y = -drag*y'
event hit: y = 0 falling
when hit: y' = -e*y', n = n + 1
when t = 1.5: drag = 2
observe bounces: n
)";

Stepper stepper_of(const std::string& text, const std::string& method, double h) {
  return compile(find_method(method), derive(read_model_text(text)), {.step = h});
}

TEST(Course, StepsOfAStepperAreThoseOfARun) {
  for (const char* method : {"gauss(3)", "lobatto(2)", "lobatto(3)", "murua(2)"}) {
    Stepper stepper = stepper_of(bouncing, method, 0.02);
    const alembert::Run run = simulate(stepper, {.end = 2});
    std::vector<double> times;
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(stepper.step()) << stepper.failure();
      for (const EventRecord& record : stepper.events()) times.push_back(record.t);
    }
    ASSERT_EQ(times.size(), run.report.events.size()) << method;
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(times[i], run.report.events[i].t);
    EXPECT_EQ(stepper.state()[0], run.report.y[0]) << method;
    EXPECT_EQ(stepper.state()[1], run.report.z[0]) << method;
    // Closed form of the first two impacts: sqrt(2/g), and 2 e sqrt(2/g) later.
    EXPECT_NEAR(times[0], std::sqrt(2 / 9.81), 1e-13);
    EXPECT_NEAR(times[1], 2.6 * std::sqrt(2 / 9.81), 1e-13);
  }
}

const char* const on_a_floor = R"(
parameter n = 0, closed = 0
coordinate x, y = 1
kinetic (x'^2 + y'^2)/2
potential 9.81*y
contact floor: y >= 0 restitution 0.8 friction 0.1 along x'
when floor: n = n + 1, x' = x' + 1
when floor.stick: closed = t
stop after 6 floor
observe bounces: n
)";

// Changes of contacts act in single steps as they do in a run, and go on from what was saved.
TEST(Course, ChangesOfContactsAct) {
  for (const char* method : {"moreau", "nonsmooth_rattle", "true_euler", "true_euler_adjoint"}) {
    Stepper stepper = stepper_of(on_a_floor, method, 0.01), other = stepper_of(on_a_floor, method, 0.01);
    const alembert::Run run = simulate(stepper, {.end = 20});
    ASSERT_EQ(run.report.stopped, "floor");
    std::vector<double> impacts;
    int made = 0;
    while (stepper.stopped().empty() && made < 2000) {
      if (made == 150) other.load(stepper.save());
      ASSERT_TRUE(stepper.step()) << stepper.failure();
      ++made;
      for (const EventRecord& record : stepper.events())
        if (record.kind == std::string("impact")) impacts.push_back(record.t);
    }
    EXPECT_EQ(stepper.stopped(), "floor") << method;
    EXPECT_EQ(stepper.event_names().back(), "floor");
    ASSERT_EQ(impacts.size(), 6u) << method;
    EXPECT_EQ(stepper.t(), run.report.t) << method;
    EXPECT_EQ(stepper.state()[0], run.report.y[0]) << method;
    EXPECT_EQ(stepper.state()[3], run.report.z[1]) << method;
    EXPECT_EQ(stepper.value("bounces"), 6) << method;
    // The first three impacts, within a few steps: sqrt(2/g) (1, 1 + 2 e, 1 + 2 e + 2 e^2).
    const double fall = std::sqrt(2 / 9.81);
    EXPECT_NEAR(impacts[2], fall * (1 + 1.6 + 1.28), 0.06) << method;
    while (other.stopped().empty()) ASSERT_TRUE(other.step()) << other.failure();
    for (std::size_t i = 0; i < stepper.state().size(); ++i) EXPECT_EQ(other.state()[i], stepper.state()[i]) << method;
    EXPECT_FALSE(stepper.step()) << "it has been stopped";
  }
}

TEST(Course, WhatWasSavedGoesOnWithTheSameBits) {
  Stepper whole = stepper_of(bouncing, "gauss(3)", 0.02), part = whole;
  const alembert::Run run = simulate(whole, {.end = 2});
  ASSERT_TRUE(whole.steps(100));
  ASSERT_TRUE(part.steps(61));
  Stepper other = stepper_of(bouncing, "gauss(3)", 0.02);
  other.load(part.save());
  const alembert::Run rest = simulate(other, {.end = 2});
  const Stepper copy = other;
  ASSERT_TRUE(other.steps(39));
  EXPECT_EQ(other.state()[0], whole.state()[0]);
  EXPECT_EQ(other.value("bounces"), whole.value("bounces"));
  EXPECT_EQ(rest.report.y[0], run.report.y[0]);
  EXPECT_EQ(copy.t(), 61 * 0.02);
}

TEST(Course, AJumpOfAForceIsMetWhereItIs) {
  const std::string text = "coordinate x\nkinetic x'^2/2\nforce x = if(t < 1, 0, 5)\n";
  Stepper stepper = stepper_of(text, "gauss(3)", 0.03);
  ASSERT_TRUE(stepper.steps(50));
  EXPECT_NEAR(stepper.state()[0], 5 * 0.5 * 0.5 / 2, 1e-12);
  // And where a run begins in it.
  Stepper at_start = stepper_of("coordinate x\nkinetic x'^2/2\nforce x = if(t > 0, 5, 0)\n", "lobatto(2)", 0.1);
  ASSERT_TRUE(at_start.steps(10));
  EXPECT_NEAR(at_start.state()[0], 2.5, 1e-13);
}

TEST(Course, AnEventThatStopsEndsTheMotion) {
  const std::string text = "coordinate x = 1\nkinetic x'^2/2\ninitial x' = -1\nevent wall: x = 0.3\nstop when x = 0\n";
  Stepper stepper = stepper_of(text, "lobatto(3)", 0.13);
  while (stepper.step() && stepper.stopped().empty()) {}
  EXPECT_EQ(stepper.stopped(), "stop");
  EXPECT_NEAR(stepper.t(), 1, 1e-13);
  EXPECT_FALSE(stepper.step());
  EXPECT_NE(stepper.failure().find("has stopped the motion at t = 1"), std::string::npos) << stepper.failure();
  EXPECT_NEAR(stepper.t(), 1, 1e-13) << "the state stays";
}

TEST(Course, DamageAndOtherParametersAreRefused) {
  Stepper stepper = stepper_of(bouncing, "gauss(3)", 0.02);
  ASSERT_TRUE(stepper.steps(10));
  std::vector<std::byte> bytes = stepper.save();
  for (std::size_t i = 0; i < bytes.size(); i += 7) {
    bytes[i] ^= std::byte{4};
    EXPECT_THROW(stepper.load(bytes), InputError) << i;
    bytes[i] ^= std::byte{4};
  }
  stepper.load(bytes);
  Stepper other = compile(find_method("gauss(3)"), derive(read_model_text(bouncing, {"g=10"})), {.step = 0.02});
  EXPECT_THROW(other.load(bytes), InputError) << "its equations have another g";
}

// A drive whose table begins at once and has a corner: the velocity is that behind the corner, the energy is booked.
TEST(Course, ADriveWithCornersJumps) {
  const std::string text =
      "table ramp(t) = (0, 0), (1, 2), (3, 2) linear\nbody cart mass 1 inertia (1, 1, 1)\n"
      "joint prismatic rail from ground axis (1, 0, 0) to cart\ndrive motor joint rail distance ramp(t)\n";
  for (const double h : {0.03, 0.25}) {  // the corner inside a step, and at its end
    const alembert::Run run = simulate(stepper_of(text, "lobatto(3)", h), {.end = 2});
    EXPECT_EQ(run.report.ending, Ending::done) << run.report.reason;
    EXPECT_NEAR(run.report.initial.z[0], 2, 1e-14);
    EXPECT_NEAR(run.report.y[0], 2, 1e-13);
    EXPECT_NEAR(run.report.z[0], 0, 1e-13);
    ASSERT_TRUE(run.report.account);
    EXPECT_NEAR(run.report.account->dissipated, 2, 1e-12) << "the kinetic energy that the stop takes";
    EXPECT_LT(run.report.velocity, 1e-13);
    ASSERT_EQ(run.report.warnings.size(), 1u);
    EXPECT_EQ(run.report.warnings[0].code, "impulse");
  }
}

// What cannot move has no motion that steps could be too long for.
TEST(Course, ABodyThatIsFixedRaisesNoAlarm) {
  const std::string text =
      "body b mass 0.6 inertia (0.12, 0.1, 0.15) at (0.05, 0.15, 0.2)\ngravity (4, 7, -3)\n"
      "joint fixed j from ground point (0.28, 0.43, -0.1) to b point (0.23, 0.28, -0.3)\n";
  for (const char* method : {"gauss(4)", "lobatto(3)"}) {
    const alembert::Run run = simulate(stepper_of(text, method, 0.01), {.end = 1});
    EXPECT_TRUE(run.report.warnings.empty()) << run.report.warnings[0].text;
  }
}

// Forces that switch at grid points are no reason for an alarm: each part of the motion is exact.
TEST(Course, SwitchesAtGridPointsRaiseNoAlarm) {
  const std::string text = "coordinate x\nkinetic x'^2/2\nforce x = if(t < 1, 1, -1)\n";
  const alembert::Run run = simulate(stepper_of(text, "lobatto(3)", 0.25), {.end = 2});
  EXPECT_NEAR(run.report.y[0], 1, 1e-13);
  EXPECT_TRUE(run.report.warnings.empty()) << run.report.warnings[0].text;
}

}  // namespace
}  // namespace alembert
