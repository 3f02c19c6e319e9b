// Where something is 0 and has no size of its own: reactions that a load which grows from nothing brings about, bodies
// that stand.

#include <gtest/gtest.h>

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

// gauss(3) and lobatto(4) have order 6: 1e-12 for steps of 0.1.
TEST(ReactionsFromNothing, AreInTheFirstStep) {
  for (const Rubbing& one : rubbing())
    for (const char* name : {"gauss(3)", "lobatto(4)", "radau(3)", "murua(3)", "gauss_collocation(3)"}) {
      if (!refusal(method(name), derive(model_from_text(one.text))).empty()) continue;
      const Report report = run_of(one.text, name, 0.1);
      ASSERT_EQ(report.ending, Ending::done) << name << ": " << report.reason << "\n" << one.text;
      EXPECT_NEAR(report.v[0], one.speed, 1e-11) << name << "\n" << one.text;
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

/// Bodies that stand, on what constrains them or in balance, at the origin and elsewhere.
const std::vector<std::string> standing{
    "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint table: y = 0\n",
    "coordinate x = 3, y = 2\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint table: y = 2\n",
    "coordinate x, y = -1\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n",
    "coordinate y = -0.00981\nkinetic y'^2/2\npotential 9.81*y + 1000*y^2/2\n",
    "coordinate x, y\nkinetic (x'^2 + 3*y'^2)/2\npotential 9.81*y + 50*x^2\nconstraint table: y = x^2\n",
    "coordinate a[2], b[2] = (0, -1)\nkinetic (norm2(a') + 1e-3*norm2(b'))/2\npotential 9.81*(a[2] + 1e-3*b[2])\n"
    "constraint a[1] = 0\nconstraint a[2] = 0\nconstraint norm2(b - a) = 1\n"};

TEST(Rest, BodiesThatStandAreIntegrated) {
  for (const std::string& text : standing)
    for (const char* name : {"gauss(3)", "lobatto(3)", "lobatto(2)", "radau(2)", "murua_ggl(3)", "lobatto_c(3)",
                             "energy_momentum", "true_euler(1/2)"}) {
      if (!refusal(method(name), derive(model_from_text(text))).empty()) continue;
      const Report report = run_of(text, name, 0.01);
      ASSERT_EQ(report.ending, Ending::done) << name << ": " << report.reason << "\n" << text;
      EXPECT_TRUE(report.warnings.empty()) << name << ": " << report.warnings[0].text << "\n" << text;
      for (const double v : report.v) EXPECT_LT(std::abs(v), 1e-12) << name << "\n" << text;
      EXPECT_LT(report.newton.iterations, 800) << name << "\n" << text;  // of 100 steps
    }
}

TEST(Rest, BodiesThatStandAreIntegratedByATolerance) {
  for (const std::string& text : standing)
    for (const char* name : {"gauss(3)", "lobatto(3)", "radau(3)"})
      for (const double tolerance : {1e-4, 1e-8}) {
        SimulateOptions options;
        options.step = 0.001;
        options.end = 10;
        options.steps.control = Control::tolerance;
        options.steps.tolerance = tolerance;
        const Report report = run_of(text, name, options);
        ASSERT_EQ(report.ending, Ending::done) << name << ": " << report.reason << "\n" << text;
        EXPECT_TRUE(report.warnings.empty()) << name << ": " << report.warnings[0].text << "\n" << text;
        for (const double v : report.v) EXPECT_LT(std::abs(v), 1e-12) << name << "\n" << text;
        EXPECT_LT(report.steps, 200) << name << "\n" << text;
      }
}

}  // namespace
}  // namespace alembert::internal::testing
