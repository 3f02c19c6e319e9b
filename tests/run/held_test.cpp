// Motions that are held where a force jumps: dry friction by signs and conditions ends with its reason, and soon.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "output/rows.h"

namespace alembert::internal::testing {
namespace {

/// A model, when it comes to be held, and what the reason names.
struct Held {
  const char* text;
  double t;
  const char* name;
};

// x'' = -x - 0.3 sign(x') from 2: each half turn takes 0.6 off the amplitude, and 0.2 is held.
const double third_turn = 3 * std::numbers::pi;

const Held cases[] = {
    {"coordinate x = 2\nkinetic x'^2/2\npotential x^2/2\nforce x = -0.3*sign(x')\n", third_turn, "sign(x') jumps"},
    {"coordinate x = 2\nkinetic x'^2/2\npotential x^2/2\nrayleigh 0.3*abs(x')\n", third_turn, "sign(x') jumps"},
    {"coordinate x = 2\nkinetic x'^2/2\npotential x^2/2\nforce x = if(x' > 0, -0.3, 0.3)\n", third_turn,
     "if(x' > 0, ...) jumps"},
    {"variable z = 1\ncoordinate x = 2\nkinetic x'^2/2\npotential x^2/2\nrate z' = -sign(z)\n", 1, "sign(z) jumps"},
    {"variable z = 0.5\ncoordinate x\nkinetic x'^2/2\nforce x = z\nrate z' = -2*sign(z - t/2)\n", 0.2, "jumps there"},
    {"family i = 1..3\ncoordinate x[i]\nkinetic sum(i, x[i]'^2/2)\nforce x[i] = -sign(x[i]')\n"
     "initial x[i]' = i/2\n",
     0.5, "sign(x[1]') jumps"},
    {"body arm mass 1 inertia (0.1, 0.2, 0.2) at (0.3, 0, -0.4)\n"
     "joint revolute h from ground axis (0, 1, 0) to arm point (-0.3, 0, 0.4)\n"
     "drive rub joint h torque -3*sign(h.rate)\ninitial h.rate = 2\n",
     0.3, "sign(h.rate) jumps"},
    {"body arm mass 1 inertia (0.1, 0.2, 0.2) at (0.3, 0, -0.4)\ngravity (0, 0, -9.81)\n"
     "joint revolute h from ground axis (0, 1, 0) to arm point (-0.3, 0, 0.4)\n"
     "drive rub joint h torque -3*sign(h.rate)\n",
     0, "sign(h.rate) jumps"},
};

TEST(Held, EndsWithItsReasonWhereItComesToRest) {
  for (const Held& one : cases)
    for (const char* name : {"gauss(3)", "lobatto(3)"})
      for (const Control control : {Control::fixed, Control::tolerance}) {
        if (control == Control::tolerance && name[0] == 'l') continue;  // the same, with many shorter steps
        SCOPED_TRACE(std::string(one.text) + name + (control == Control::fixed ? "" : " by tolerance"));
        SimulateOptions options;
        options.step = 0.01;
        options.end = 12;
        options.steps.control = control;
        options.steps.tolerance = 1e-8;
        const Model model = model_from_text(one.text);
        const Report report = simulate(model, derive(model), find_method(name), options);
        EXPECT_EQ(report.ending, Ending::failed);
        EXPECT_NEAR(report.t, one.t, options.step);  // a step of lobatto(3) across the jump sees both its sides
        EXPECT_NE(report.reason.find(one.name), std::string::npos) << report.reason;
        EXPECT_NE(report.reason.find("it sticks"), std::string::npos) << report.reason;
        EXPECT_LT(report.newton.iterations, 200000);  // without an end there were millions
      }
}

// By tolerance with a method that has no stage at the jump: steps become ever shorter, and Newton solves all of them.
TEST(Held, EndsWithItsReasonWhereStepsBecomeEverShorter) {
  const Model model = model_from_text(
      "family i = 1..3\ncoordinate x[i]\nkinetic sum(i, x[i]'^2/2)\nforce x[i] = -sign(x[i]')\ninitial x[i]' = i/2\n");
  SimulateOptions options;
  options.step = 0.01;
  options.end = 12;
  options.steps.control = Control::tolerance;
  options.steps.tolerance = 1e-8;
  const Report report = simulate(model, derive(model), find_method("radau_collocation(3)"), options);
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_NEAR(report.t, 0.5, options.step);
  EXPECT_NE(report.reason.find("it sticks"), std::string::npos) << report.reason;
  EXPECT_LT(report.newton.iterations, 200000);
}

// sign(0) = 0: what is at rest and is not moved stays so, exactly.
TEST(Held, RestsWhereNothingMovesIt) {
  const Model model = model_from_text("coordinate x\nkinetic x'^2/2\npotential x^2/2\nforce x = -0.3*sign(x')\n");
  SimulateOptions options;
  options.step = 0.01;
  options.end = 1;
  const Report report = simulate(model, derive(model), find_method("gauss(3)"), options);
  EXPECT_EQ(report.ending, Ending::done) << report.reason;
  EXPECT_EQ(report.y[0], 0);
}

// What passes a jump is not held: x'' = 2 - sign(x') from -1 takes 1/3 to 0, and 1 from there.
TEST(Held, IsNothingThatPasses) {
  const Model model = model_from_text("coordinate x\nkinetic x'^2/2\nforce x = 2 - sign(x')\ninitial x' = -1\n");
  for (const Control control : {Control::fixed, Control::tolerance}) {
    SimulateOptions options;
    options.step = 0.01;
    options.end = 1 + 1.0 / 3;
    options.steps.control = control;
    const Report report = simulate(model, derive(model), find_method("gauss(3)"), options);
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    EXPECT_NEAR(report.y[0], -1.0 / 6 + 0.5, 1e-9);
  }
}

}  // namespace
}  // namespace alembert::internal::testing
