// Reactions that a load which grows from nothing brings about, and forces that depend on them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "output/rows.h"

namespace alembert::internal::testing {
namespace {

Report run_of(const std::string& text, const std::string& method, SimulateOptions options) {
  Rows rows;
  return run_rows(model_from_text(text), method, options, rows);
}

Report run_of(const std::string& text, const std::string& method, double step, double newton_tolerance = 0) {
  SimulateOptions options;
  options.step = step;
  options.end = 1;
  options.newton.tolerance = newton_tolerance;
  return run_of(text, method, options);
}

/// The integral of sqrt((2t)^2 + 1) over a unit of time.
const double length_of_arc = std::sqrt(5) / 2 + std::asinh(2) / 4;

struct Rubbing {
  std::string text;
  double speed;  // at t = 1
};

/// What acts on one coordinate depends on reactions to a load on others, nonlinearly, and with no slope at the start.
std::vector<Rubbing> rubbing() {
  return {{"body block mass 2 inertia (1, 1, 1)\njoint prismatic rail from ground axis (1, 0, 0) to block\n"
           "load rope on block force (5, 0, 2*t)\ndrive brake joint rail force -0.3*sqrt(norm2(rail.force) + 1)\n",
           (5 - 0.3 * length_of_arc) / 2},
          {"coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint b(N): y = 0\nforce y = 2*t, x = -0.3*N^2\n", -0.4},
          {"coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint b(N): y' = 0\n"
           "force y = 2*t, x = 5 - 0.3*sqrt(N^2 + 1)\n",
           5 - 0.3 * length_of_arc},
          // A reaction to a force that itself comes of one.
          {"coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint b(N): y = 0\nconstraint c(M): z = 0\n"
           "force y = 2*t, z = sqrt(N^2 + 1), x = 5 - 0.3*M^2\n",
           5 - 0.3 * (1 + 4.0 / 3)}};
}

// gauss(3) and lobatto(4) have order 6: 1e-12 for steps of 0.1. radau(3) has 5.
TEST(ReactionsFromNothing, AreInTheFirstStep) {
  for (const Rubbing& one : rubbing())
    for (const char* name : {"gauss(3)", "lobatto(4)", "radau(3)", "murua(3)", "gauss_collocation(3)"}) {
      if (!refusal(method(name), derive(model_from_text(one.text))).empty()) continue;
      const Report report = run_of(one.text, name, 0.1);
      ASSERT_EQ(report.ending, Ending::done) << name << ": " << report.reason << "\n" << one.text;
      EXPECT_NEAR(report.v[0], one.speed, name == std::string("radau(3)") ? 1e-8 : 1e-11) << name << "\n" << one.text;
    }
}

TEST(ReactionsFromNothing, AreThereUnderALooseToleranceOfNewton) {
  for (const Rubbing& one : rubbing())
    for (const double tolerance : {1e-8, 1e-11, 1e-14}) {
      const Report report = run_of(one.text, "gauss(3)", 0.1, tolerance);
      ASSERT_EQ(report.ending, Ending::done) << report.reason << "\n" << one.text;
      EXPECT_NEAR(report.v[0], one.speed, 1e-11 + 100 * tolerance) << tolerance << "\n" << one.text;
    }
}

// Methods that converge to something else where reactions are nonlinear say so: by themselves, in parts, as adjoints.
TEST(ReactionsFromNothing, AreSaidToBeTooMuchForSomeMethods) {
  const auto said = [](const std::string& text, const char* name) {
    const Report report = run_of(text, name, 0.001);
    return std::any_of(report.warnings.begin(), report.warnings.end(),
                       [](const Warning& warning) { return warning.code == "inconsistent"; });
  };
  const std::string nonlinear = rubbing().front().text;
  const std::string linear = "coordinate x = 1, y\nkinetic (x'^2 + y'^2)/2\npotential y\nconstraint x^2 + y^2 = 1\n";
  for (const char* name :
       {"natural_euler(1/2)", "symmetric(natural_euler(1/2))", "adjoint_of(natural_euler(1/2))", "lobatto_d(2)"}) {
    EXPECT_TRUE(said(nonlinear, name)) << name;
    EXPECT_FALSE(said(linear, name)) << name;
  }
  EXPECT_FALSE(said(nonlinear, "true_euler(1/2)"));
}

// Orders that some lose there, measured against a load of polynomials and sines, and what they say.
TEST(ReactionsFromNothing, LowerTheOrderOfSomeMethods) {
  // N = 2 t + sin(3 t); x' is -0.3 times the integral of its square.
  const std::string text = rubbing()[1].text;
  const auto exact = -0.3 * (4.0 / 3 + 0.5 - std::sin(6.0) / 12 + 4 * (std::sin(3.0) - 3 * std::cos(3.0)) / 9);
  std::string with_sine = text;
  with_sine.replace(with_sine.find("y = 2*t"), 7, "y = 2*t + sin(3*t)");
  struct Case {
    const char* name;
    int order, less;
  };
  for (const Case& c : {Case{"lobatto_d(3)", 2, 2}, {"radau(2)", 2, 1}, {"gauss(2)", 4, 0}, {"lobatto(3)", 4, 0}}) {
    const auto error = [&](double step) { return std::abs(run_of(with_sine, c.name, step).v[0] - exact); };
    EXPECT_NEAR(std::log2(error(0.05) / error(0.025)), c.order, 0.2) << c.name;
    EXPECT_EQ(run_of(with_sine, c.name, 0.05).note.find("has order") != std::string::npos, c.less > 0) << c.name;
    EXPECT_EQ(method(c.name).claims.order_q, c.order + c.less) << c.name;
  }
}

}  // namespace
}  // namespace alembert::internal::testing
