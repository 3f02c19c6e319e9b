// Steps between two kinks see one side of each, wherever their stages lie: orders hold for methods with stages at the
// ends of a step, too, and jumps that velocities decide are met where they are.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "alembert/run/sides.h"
#include "apps/program.h"
#include "output/rows.h"

namespace alembert::internal::testing {
namespace {

using State = std::pair<double, double>;

/// x'' = -x + c from (x, v), a time later.
State swung(State from, double c, double time) {
  const auto [x, v] = from;
  return {c + (x - c) * std::cos(time) + v * std::sin(time), v * std::cos(time) - (x - c) * std::sin(time)};
}

struct Case {
  std::string forms[4];  // Lagrangian, Hamiltonian, general, port-Hamiltonian
  double met, end;       // when the first kink is met; before the second one
  std::function<State(double)> exact;
};

std::string rows_of(const std::string& force, const std::string& of, int form) {
  std::string text = force;
  const std::string v = form == 0 ? "x'" : form == 2 ? "z" : "p";
  for (std::size_t at = text.find(of); at != std::string::npos; at = text.find(of, at + v.size()))
    text.replace(at, of.size(), v);
  switch (form) {
    case 0: return "coordinate x\nkinetic x'^2/2\npotential x^2/2\nforce x = " + text + "\ninitial x = 1\n";
    case 1: return "coordinate x\nmomentum p of x\nhamiltonian p^2/2 + x^2/2\nforce x = " + text + "\ninitial x = 1\n";
    case 2: return "variable x = 1, z = 0\nrate x' = z\nrate z' = -x + " + text + "\n";
    default:
      return "state x = 1, p\nhamiltonian p^2/2 + x^2/2\nstructure J(x, p) = 1\nport B(p, F) = 1\ninput F = " + text +
             "\n";
  }
}

Case case_of(const std::string& force, double met, double end, const std::function<State(double)>& exact) {
  Case one{{}, met, end, exact};
  for (int form = 0; form < 4; ++form) one.forms[form] = rows_of(force, "V", form);
  return one;
}

/// A force that jumps where the velocity passes 0.2, on the way back.
Case velocity_jump() {
  const double before = -0.1, behind = 0.3;
  const double met = std::numbers::pi + std::asin(0.2 / (1 - before));
  return case_of("if(V > 0.2, 0.3, -0.1)", met, 1.4 * met, [=](double t) {
    return swung(swung({1, 0}, before, met), behind, t - met);
  });
}

/// A damper that is given by a table and has a kink where the velocity passes -0.6.
Case velocity_table() {
  // x'' + x + v/2 = 0 while v is above -0.6, then the table goes on level: x'' + x = 0.3.
  const double a = 0.25, w = std::sqrt(1 - a * a);
  const auto damped = [=](double t) {
    return State{std::exp(-a * t) * (std::cos(w * t) + a / w * std::sin(w * t)),
                 -std::exp(-a * t) * std::sin(w * t) / w};
  };
  double met = 0.7;
  for (int i = 0; i < 50; ++i) {
    const auto [x, v] = damped(met);
    met -= (v + 0.6) / (-x - v / 2);
  }
  // v is above -0.6 again where sin(s + phase) says so; this ends before.
  return case_of("wear(V)", met, met + 0.7, [=](double t) { return swung(damped(met), 0.3, t - met); });
}

/// The slope of log(error) over log(h), with the first kink at the same part of its step for every size.
double order_of(const Model& model, const Method& method, const Case& one, double longest, double shortest) {
  const Equations e = derive(model);
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  const int fewest = static_cast<int>(one.met / longest), most = static_cast<int>(one.met / shortest);
  for (int steps = fewest; steps <= most; steps += std::max(1, (most - fewest) / 10)) {
    SimulateOptions options;
    options.step = one.met / (steps + 0.37);
    options.end = one.end;
    const Report report = simulate(model, e, method, options);
    EXPECT_EQ(report.ending, Ending::done) << report.reason;
    EXPECT_EQ(report.kinks, 1) << options.step;
    const auto [x, v] = one.exact(one.end);
    const std::vector<double>& state = report.port ? report.port->x : report.y;
    const double error = std::hypot(state[0] - x, (report.port || report.z.empty() ? state[1] : report.z[0]) - v);
    if (error < 2e-12) continue;  // of that size is what passing over the kink adds
    n += 1;
    sx += std::log(options.step);
    sy += std::log(error);
    sxx += std::log(options.step) * std::log(options.step);
    sxy += std::log(options.step) * std::log(error);
  }
  EXPECT_GE(n, 5);
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

void expect_order(const std::string& text, const Case& one, const std::string& name) {
  SCOPED_TRACE(name + " on\n" + text);
  const Method method = find_method(name);
  // Collocation has its full order where nothing is constrained.
  const bool collocation = name.starts_with("gauss_collocation");
  const double order = collocation ? method.claims.order_q : std::min(method.claims.order_q, method.claims.order_v);
  const bool high = order > 5;
  // Before the first kink there are a few steps at least.
  const double longest = std::min(high ? 0.35 : 0.14, one.met / 4), shortest = high ? 0.25 * longest : 0.35 * longest;
  const double seen = order_of(model_from_text(text), method, one, longest, shortest);
  std::printf("%s: order %.2f of %.0f\n", name.c_str(), seen, order);
  // More than was claimed comes where errors of both signs meet.
  EXPECT_GT(seen, order - 0.2);
  EXPECT_LT(seen, order + 1);
}

// All of them have stages at one end of the step or at both; the last one beyond.
const char* const with_ends[] = {"lobatto(2)",   "lobatto(3)", "lobatto(4)", "lobatto_abd(3)",         "lobatto_c(3)",
                                 "lobatto_d(3)", "radau(3)",   "murua(3)",   "triple_jump(lobatto(2))"};

TEST(Sides, OrdersHoldWhereAVelocityDecides) {
  const Case jump = velocity_jump();
  for (const char* name : with_ends) expect_order(jump.forms[0], jump, name);
  for (const int form : {1, 2}) expect_order(jump.forms[form], jump, "lobatto(3)");
}

TEST(Sides, OrdersHoldWhereATableOfAVelocityHasAKink) {
  const Case table = velocity_table();
  const std::string points = "table wear(u) = (-5, 0.3), (-0.6, 0.3), (5, -2.5) linear\n";
  for (const char* name : {"lobatto(3)", "lobatto(4)", "lobatto_d(3)", "gauss(3)"})
    expect_order(points + table.forms[0], table, name);
}

TEST(Sides, OrdersHoldWhereAPositionDecidesAndStagesAreNotOnTheMotion) {
  // x passes -0.5 on its way down.
  const double met = std::acos(-0.4 / 1.1);
  const Case one = case_of("if(x < -0.5, 0.3, -0.1)", met, 1.6 * met, [=](double t) {
    return swung(swung({1, 0}, -0.1, met), 0.3, t - met);
  });
  for (const char* name : {"lobatto(3)", "lobatto_c(3)", "lobatto_d(3)", "radau(3)"})
    expect_order(one.forms[0], one, name);
}

TEST(Sides, OrdersHoldInPortHamiltonianSystems) {
  const Case jump = velocity_jump(), table = velocity_table();
  const std::string points = "table wear(u) = (-5, 0.3), (-0.6, 0.3), (5, -2.5) linear\n";
  for (const char* name :
       {"gauss_collocation(2)", "gauss_collocation(3)", "radau_collocation(3)", "lobatto_c(3)", "discrete_gradient"}) {
    expect_order(jump.forms[3], jump, name);
    expect_order(points + table.forms[3], table, name);
  }
}

/// A spring that is stiffer behind -0.5.
Case stiffer_behind() {
  // x'' = -x, and behind x = -0.5: x'' = -x - 3 (x + 0.5), about -0.375 with frequency 2.
  const double met = std::acos(-0.5);
  Case one{{}, met, 1.5 * met, [=](double t) {
             const auto [x, v] = swung({1, 0}, 0, met);
             const double u = 2 * (t - met), c = -0.375;
             return State{c + (x - c) * std::cos(u) + v / 2 * std::sin(u), v * std::cos(u) - 2 * (x - c) * std::sin(u)};
           }};
  const std::string energy = "x^2/2 + 3/2*min(x + 0.5, 0)^2\n";
  one.forms[0] = "coordinate x = 1\nkinetic x'^2/2\npotential " + energy;
  one.forms[1] = "coordinate x = 1\nmomentum p of x\nhamiltonian p^2/2 + " + energy;
  one.forms[3] = "state x = 1, p\nstructure J(x, p) = 1\nhamiltonian p^2/2 + " + energy;
  return one;
}

TEST(Sides, OrdersHoldWhereAnEnergyHasAKink) {
  const Case one = stiffer_behind();
  for (const char* name : {"gauss(3)", "lobatto(3)"}) expect_order(one.forms[0], one, name);
  for (const char* name : {"gauss(3)", "lobatto(3)", "energy_momentum"}) expect_order(one.forms[1], one, name);
  for (const char* name : {"gauss_collocation(3)", "discrete_gradient"}) expect_order(one.forms[3], one, name);
}

/// A servo that wraps its angle: x'' = -x + 2 pi n, where a half turn is passed.
TEST(Sides, AnglesThatJumpByATurnAreMet) {
  const double pi = std::numbers::pi, speed = 3.5, size = std::hypot(1, speed);
  const double met = std::atan2(speed, 1) - std::acos(pi / size), left = std::sqrt(size * size - pi * pi);
  const Case one = {{}, met, met + 1, [=](double t) {
                      const auto [x, v] = swung({-pi, left}, 0, t - met);
                      return State{x + 2 * pi, v};
                    }};
  const std::string text = "coordinate x = 1\nkinetic x'^2/2\nforce x = -atan2(sin(x), cos(x))\ninitial x' = 3.5\n";
  for (const char* name : {"gauss(3)", "lobatto(3)"}) expect_order(text, one, name);
  // An angle whose turns nobody feels has no kinks.
  EXPECT_EQ(
      kinks(derive(model_from_text("coordinate x\nkinetic x'^2/2\nforce x = sin(atan2(sin(x), cos(x)))\n"))).size(),
      0u);
}

TEST(Sides, StepsByToleranceKeepWhatIsAsked) {
  const Case jump = velocity_jump();
  const Model model = model_from_text(jump.forms[0]);
  for (const char* name : {"lobatto(3)", "lobatto_c(3)", "gauss(3)"}) {
    SimulateOptions options;
    options.step = 0.1;
    options.end = jump.end;
    options.steps.control = Control::tolerance;
    options.steps.tolerance = 1e-9;
    const Report report = simulate(model, derive(model), find_method(name), options);
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    EXPECT_EQ(report.kinks, 1);
    const auto [x, v] = jump.exact(jump.end);
    EXPECT_NEAR(report.y[0], x, 1e-7) << name;
    EXPECT_NEAR(report.z[0], v, 1e-7) << name;
  }
}

// A long step over a force that jumps has a solution on either side, so that the kink is found and met.
TEST(Sides, LongStepsMeetTheirKinks) {
  const Case jump = velocity_jump();
  const Model model = model_from_text(jump.forms[0]);
  SimulateOptions options;
  options.step = 0.4;
  options.end = jump.end;
  const Report report = simulate(model, derive(model), find_method("gauss(4)"), options);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  EXPECT_NEAR(report.y[0], jump.exact(jump.end).first, 1e-8);
}

// What stands in a kink for good has both sides.
TEST(Sides, WhatRestsInAKinkIsOnNone) {
  const Model model =
      model_from_text("coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential y^2/2 + abs(x)\ninitial y = 1\n");
  SimulateOptions options;
  options.step = 0.05;
  options.end = 1;
  const Report report = simulate(model, derive(model), find_method("lobatto(3)"), options);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  EXPECT_EQ(report.y[0], 0);
  EXPECT_NEAR(report.y[1], std::cos(1), 1e-7);
}

}  // namespace
}  // namespace alembert::internal::testing
