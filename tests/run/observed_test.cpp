// What a model observes: values, ranges, columns, and names of their own.

#include "alembert/run/observed.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alembert/model.h"
#include "alembert/stepper.h"
#include "output/rows.h"

namespace alembert::internal::testing {
namespace {

SimulateOptions run_for(double step, double end) {
  SimulateOptions options;
  options.step = step;
  options.end = end;
  return options;
}

TEST(Observed, HasItsRangeAndItsEnd) {
  // Thrown up with 5 from 1: the top 1 + 25/20 at t = 1/2, a grid point.
  const Model model = model_from_text(
      "coordinate y\nkinetic y'^2/2\npotential 10*y\ninitial y = 1, y' = 5\nobserve height: y\nobserve speed: "
      "abs(y')\n");
  Rows rows;
  const Report report = run_rows(model, "gauss(3)", run_for(0.05, 1.5), rows);
  ASSERT_EQ(report.observed.size(), 2u);
  EXPECT_NEAR(report.observed[0].most, 2.25, 1e-12);
  EXPECT_NEAR(report.observed[0].final, 1 + 7.5 - 5 * 2.25, 1e-12);
  EXPECT_NEAR(report.observed[0].least, report.observed[0].final, 1e-12);
  EXPECT_NEAR(report.observed[1].final, 10, 1e-12);
  EXPECT_NEAR(report.observed[1].least, 0, 1e-12);
  EXPECT_NEAR(rows.at(rows.rows[10], "height"), 2.25, 1e-12);
  EXPECT_EQ(report.names.observed[0].name, "height");
}

TEST(Observed, ReactionsAreThoseOfAWheelOutOfBalance) {
  // A mass of 2 turns at 3 rad/s on an arm of 1/2: the bearing pulls it inward with m r w^2 = 9. The other way round,
  // the second body is the ground, and the same force acts on it outward.
  for (const bool ground_last : {false, true}) {
    const std::string joint = ground_last
                                  ? "joint revolute hinge from rotor point (-1/2, 0, 0) axis (0, 0, 1) to ground\n"
                                  : "joint revolute hinge from ground axis (0, 0, 1) to rotor point (-1/2, 0, 0)\n";
    const Model model =
        model_from_text("body rotor mass 2 inertia (1, 1, 1) at (1/2, 0, 0) velocity (0, 3/2, 0) spin (0, 0, 3)\n" +
                        joint + "observe f: hinge.force\nobserve m: hinge.moment\nobserve size: norm(hinge.force)\n");
    Rows rows;
    const Report report = run_rows(model, "gauss(4)", run_for(0.01, 1), rows);
    const double sign = ground_last ? 1 : -1;
    const std::vector<double>& last = rows.rows.back();
    EXPECT_NEAR(rows.at(last, "f[1]"), sign * 9 * std::cos(3.0), 1e-7);
    EXPECT_NEAR(rows.at(last, "f[2]"), sign * 9 * std::sin(3.0), 1e-7);
    EXPECT_NEAR(rows.at(last, "m[3]"), 0, 1e-7);
    EXPECT_NEAR(report.observed.back().least, 9, 1e-7);
    EXPECT_NEAR(report.observed.back().most, 9, 1e-7);
  }
}

TEST(Observed, SpringsSayTheirLengthAndForce) {
  const Model model = model_from_text(
      "body a planar mass 1 inertia 1 at (3, 4) velocity (0.6, 0.8)\n"
      "spring s from ground to a stiffness 7 length 2 damping 3\n"
      "joint prismatic slide from ground axis (3, 4) to a\n"
      "torsion t joint slide stiffness 2 rest 1 damping 4\n"
      "observe length: s.length\nobserve pull: s.force\nobserve push: t.force\n");
  Rows rows;
  run_rows(model, "gauss(3)", run_for(0.01, 0.01), rows);
  EXPECT_NEAR(rows.at(rows.rows[0], "length"), 5, 1e-13);
  EXPECT_NEAR(rows.at(rows.rows[0], "pull"), 7 * 3 + 3 * 1, 1e-13);
  EXPECT_NEAR(rows.at(rows.rows[0], "push"), -2 * 4 - 4 * 1, 1e-13);
}

TEST(Observed, NamesAreASpaceOfTheirOwn) {
  const Model model = model_from_text(
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential (x^2 + y^2)/2\ninitial x = 1\n"
      "observe x: 2*x\nobserve energy: 3*x\n");
  Rows rows;
  const Report report = run_rows(model, "gauss(3)", run_for(0.1, 1), rows);
  EXPECT_NEAR(rows.at(rows.rows.back(), "x"), std::cos(1.0), 1e-8);
  EXPECT_NEAR(rows.at(rows.rows.back(), "observed.x"), 2 * std::cos(1.0), 1e-8);
  EXPECT_NEAR(rows.at(rows.rows.back(), "observed.energy"), 3 * std::cos(1.0), 1e-8);
  EXPECT_EQ(report.names.observed[0].name, "x");
}

TEST(Observed, FamiliesAndPortsAreSeenToo) {
  const Model family = model_from_text(
      "parameter N = 3\nfamily i = 1..N\ncoordinate x[i]\nkinetic sum(i, x[i]'^2/2)\npotential sum(i, i^2*x[i]^2/2)\n"
      "initial x[i] = i for i = 1..N\nobserve twice[i]: 2*x[i]\nobserve last: x[N] - x[i] for i = 2..N\n");
  Rows rows;
  run_rows(family, "gauss(4)", run_for(0.05, 1), rows);
  EXPECT_NEAR(rows.at(rows.rows.back(), "twice[3]"), 6 * std::cos(3.0), 1e-8);
  EXPECT_NEAR(rows.at(rows.rows.back(), "last[2]"), 3 * std::cos(3.0) - 2 * std::cos(2.0), 1e-8);

  const Model circuit = model_from_text(
      "parameter L = 2, R = 3\nstate i = 0\nflow E(i, i) = L\ndissipation R(i, i) = R\nport B(i, U) = 1\n"
      "input U = 5\nhamiltonian L/2*i^2\nobserve drop: R*i\nobserve power: U*i\n");
  Rows electric;
  run_rows(circuit, "gauss_collocation(3)", run_for(0.01, 1), electric);
  const double current = 5.0 / 3 * (1 - std::exp(-1.5));
  EXPECT_NEAR(electric.at(electric.rows.back(), "drop"), 3 * current, 1e-10);
  EXPECT_NEAR(electric.at(electric.rows.back(), "power"), 5 * current, 1e-10);
}

TEST(Observed, TheStepperKnowsThem) {
  ModelBuilder b("Oscillator");
  const Expr x = b.coordinate("x", 1);
  b.kinetic(pow(b.rate(x), Quad(2)) / Quad(2));
  b.potential(pow(x, Quad(2)) / Quad(2));
  b.observe("square", pow(x, Quad(2)));
  Stepper stepper = compile(alembert::find_method("gauss(4)"), alembert::derive(b.model()), {.step = 0.1});
  ASSERT_TRUE(stepper.steps(10));
  EXPECT_NEAR(stepper.value("square"), std::cos(1.0) * std::cos(1.0), 1e-10);
  EXPECT_THROW(stepper.value("squares"), InputError);
}

}  // namespace
}  // namespace alembert::internal::testing
