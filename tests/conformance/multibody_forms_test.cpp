// The multibody form of the language: contact points, rectangular kinematics, masses; each against the same motion
// written another way.

#include <gtest/gtest.h>

#include <cmath>

#include "problems.h"

namespace alembert::internal::testing {
namespace {

// x = u^3 + u, y = u^2: the curve of models/curve_parameter.alm without its contact point.
const char* const parameter_only = R"(
parameter m = 1, gravity = 9.81
coordinate u
kinetic m/2*((3*u^2 + 1)^2 + 4*u^2)*u'^2
potential m*gravity*u^2
initial u = 1
)";

TEST(ContactPoints, FollowTheMotionWrittenWithoutThem) {
  const Report without = run(model_from_text(parameter_only), "gauss(6)", 0.005, 2);
  const double u = without.y[0], rate = without.z[0];
  for (const char* method_text : {"murua_ggl(4)", "lobatto_damped(6)", "lobatto_c(6, ggl)"}) {
    SCOPED_TRACE(method_text);
    const Report report = run(gallery("curve_parameter"), method_text, 0.005, 2);
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    EXPECT_NEAR(report.y[0], u * u * u + u, 1e-11);
    EXPECT_NEAR(report.y[1], u * u, 1e-11);
    EXPECT_NEAR(report.y[2], u, 1e-11);
    EXPECT_NEAR(report.z[0], (3 * u * u + 1) * rate, 1e-10);
    EXPECT_LT(report.position, 1e-13);
  }
}

TEST(ContactPoints, StandInForcesToo) {
  // The potential of the height of the contact point, y = s^2, instead of the particle's own.
  const char* const text = R"(
coordinate x
auxiliary s: s^3 + s = x
kinetic x'^2/2
potential 9.81*s^2
initial x = 2, s = 1
)";
  const char* const without = R"(
coordinate u
kinetic (3*u^2 + 1)^2*u'^2/2
potential 9.81*u^2
initial u = 1
)";
  const Report a = run(model_from_text(text), "murua_ggl(4)", 0.005, 1);
  const Report b = run(model_from_text(without), "gauss(6)", 0.005, 1);
  ASSERT_EQ(a.ending, Ending::done) << a.reason;
  EXPECT_NEAR(a.y[1], b.y[0], 1e-11);
}

TEST(ContactPoints, OfTheMultibodyFormAndVectorsOfThem) {
  const char* const text = R"(
coordinate x, y
auxiliary s[2]: (s[1]^3 + s[1], s[2] + s[1]) = (x, x + y)
velocity v[2]
kinematics x' = v[1], y' = v[2]
mass v = 1
potential 9.81*y
constraint curve: y = s[1]^2
initial x = 2, y = 1, s = (1, 2)
)";
  const Report a = run(model_from_text(text), "murua_ggl(4)", 0.005, 2);
  const Report b = run(gallery("curve_parameter"), "murua_ggl(4)", 0.005, 2);
  ASSERT_EQ(a.ending, Ending::done) << a.reason;
  EXPECT_NEAR(a.y[0], b.y[0], 1e-11);
  EXPECT_NEAR(a.y[3], a.y[0] + a.y[1] - a.y[2], 1e-12);
}

TEST(ContactPoints, HoldAtEveryGridPointForEveryMethodThatTakesThem) {
  // Definition 2.1: c(P_i, S_i) = 0 is solved, not integrated. On the velocity level it drifted by 2e-5.
  const Report without = run(model_from_text(parameter_only), "gauss(6)", 0.005, 2);
  const double u = without.y[0];
  const Model model = model_from_text(R"(
parameter m = 1, gravity = 9.81
coordinate x = 2, y = 1
auxiliary s = 1: s^3 + s = x
kinetic m/2*(x'^2 + y'^2)
potential m*gravity*y
constraint curve: y = s^2
conserve c: s^3 + s - x
)");
  struct Case {
    const char* method;
    double tolerance;
  };
  for (const Case& c : {Case{"lobatto(2)", 1e-2},
                        Case{"lobatto(4)", 1e-7},
                        Case{"gauss(1)", 1e-2},
                        Case{"gauss(3)", 1e-8},
                        Case{"radau(3)", 1e-6},
                        Case{"lobatto_d(3)", 1e-5},
                        Case{"lobatto_abd(3)", 1e-4},
                        Case{"murua(3)", 1e-7},
                        Case{"murua_ggl(3)", 1e-7},
                        Case{"gauss_collocation(4)", 1e-5},
                        Case{"gauss_collocation(3, index1)", 1e-7},
                        Case{"lobatto_c(4)", 1e-6},
                        Case{"lobatto_c(4, ggl)", 1e-6},
                        Case{"radau_collocation(3)", 1e-5},
                        Case{"lobatto_damped(4)", 1e-6},
                        Case{"true_euler(1/2)", 1},
                        Case{"true_conjugate_euler(1/2)", 1},
                        Case{"symmetric(true_euler)", 1e-2},
                        Case{"adjoint_of(gauss(2))", 1e-5},
                        Case{"suzuki(rattle)", 1e-4}}) {
    SCOPED_TRACE(c.method);
    const Report report = run(model, c.method, 0.01, 2);
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    EXPECT_NEAR(report.y[2], u, c.tolerance);
    EXPECT_LT(report.invariants[0].max_error, 2e-14) << "c";
    EXPECT_LT(std::abs(report.invariants[0].initial), 1e-15) << "c";
  }
}

TEST(ContactPoints, HaveTheOrderOfTheMethod) {
  const Report without = run(model_from_text(parameter_only), "gauss(6)", 0.005, 1);
  const auto error = [&](const char* method_text, double h) {
    const Report report = run(gallery("curve_parameter"), method_text, h, 1);
    EXPECT_EQ(report.ending, Ending::done) << report.reason;
    return std::abs(report.y[2] - without.y[0]);
  };
  EXPECT_NEAR(std::log2(error("lobatto(3)", 0.01) / error("lobatto(3)", 0.005)), 4, 0.4);
  EXPECT_NEAR(std::log2(error("gauss(2)", 0.01) / error("gauss(2)", 0.005)), 4, 0.4);
  EXPECT_NEAR(std::log2(error("murua(2)", 0.01) / error("murua(2)", 0.005)), 4, 0.4);
}

TEST(ContactPoints, StartNearWhatIsGivenAndHaveNoMultiplier) {
  const auto start = [](const char* guess) {
    const Model model = model_from_text(std::string("coordinate x = 4\nauxiliary s = ") + guess +
                                        ": s^2 = x\nkinetic x'^2/2\npotential s\n");
    const Report report = run(model, "gauss(2)", 0.01, 0.1);
    EXPECT_TRUE(report.lambda.empty());
    EXPECT_NEAR(report.y[1] * report.y[1], report.y[0], 1e-14);
    return report.y[1];
  };
  EXPECT_NEAR(start("1"), 2, 0.01);
  EXPECT_NEAR(start("-1"), -2, 0.01);
}

TEST(ContactPoints, GiveTheReactionOfTheTotalDerivative) {
  // The curve y = s(x)^2 with s = x: the same constraint without a contact point has the same multiplier.
  const Report with = run(model_from_text("coordinate x = 1, y = 1\nauxiliary s = 1: s + 0*s^3 = x\n"
                                          "kinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint curve: y = s^2\n"),
                          "lobatto(3)", 0.01, 1);
  const Report without = run(model_from_text("coordinate x = 1, y = 1\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                                             "constraint curve: y = x^2\n"),
                             "lobatto(3)", 0.01, 1);
  ASSERT_EQ(with.ending, Ending::done) << with.reason;
  EXPECT_NEAR(with.y[0], without.y[0], 1e-12);
  EXPECT_NEAR(with.lambda[0], without.lambda[0], 1e-10);
}

TEST(MultibodyForm, AQuaternionTurnsAsEulersEquationsSay) {
  const Report report = run(gallery("spinning_body"), "gauss_collocation(4)", 0.05, 20);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  EXPECT_LT(report.energy.max_error, 1e-13);
  for (const Watched& w : report.invariants) EXPECT_LT(w.max_error, 1e-8);
  EXPECT_LT(report.invariants[0].max_error, 1e-13);  // |e|, kept by Gauss as every quadratic invariant
  // The same body rates without any rotation: Euler's equations alone.
  const Report rates = run(model_from_text(R"(
variable a = 0, w[3] = (0.1, 2, 0.1)
rate a' = 1
rate w' = (-w[2]*w[3], w[1]*w[3], -w[1]*w[2]/3) + reaction((0, 0, 0))
)"),
                           "gauss_collocation(4)", 0.05, 20);
  ASSERT_EQ(rates.ending, Ending::done) << rates.reason;
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(report.z[i], rates.z[i], 1e-12);
}

TEST(MultibodyForm, AMassThatChangesAgreesWithItsLagrangian) {
  // Polar coordinates: M = diag(1, r^2), and f must hold the centrifugal forces that a Lagrangian brings by itself.
  const Report a = run(model_from_text(R"(
coordinate r, phi
velocity v[2]
kinematics r' = v[1], phi' = v[2]
mass v = (1, r^2)
force v = (r*v[2]^2 - r, -2*r*v[1]*v[2])
initial r = 1, v = (0.1, 0.7)
)"),
                       "gauss_collocation(5)", 0.02, 3);
  const Report b = run(model_from_text(R"(
coordinate r, phi
kinetic (r'^2 + r^2*phi'^2)/2
potential r^2/2
initial r = 1, r' = 0.1, phi' = 0.7
)"),
                       "gauss(5)", 0.02, 3);
  ASSERT_EQ(a.ending, Ending::done) << a.reason;
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(a.y[i], b.y[i], 1e-12);
    EXPECT_NEAR(a.z[i], b.z[i], 1e-12);
  }
}

TEST(MultibodyForm, AConstrainedBodyHasTheReactionsZTransposedGTransposed) {
  // A pendulum in rates that turn with it: x' = cos(a) v1 - sin(a) v2, ..., with a third rate for a.
  const Report a = run(model_from_text(R"(
coordinate x = 1, y, a = 0.3
velocity v[3]
kinematics x' = cos(a)*v[1] - sin(a)*v[2], y' = sin(a)*v[1] + cos(a)*v[2], a' = v[3]
mass v = (1, 1, 2)
force v = (v[3]*v[2], -v[3]*v[1], 0)
potential 9.81*y + a^2
constraint rod: (x^2 + y^2)/2 = 1/2
)"),
                       "murua_ggl(4)", 0.01, 1);
  const Report b = run(model_from_text(R"(
coordinate x = 1, y, a = 0.3
kinetic (x'^2 + y'^2)/2 + a'^2
potential 9.81*y + a^2
constraint rod: (x^2 + y^2)/2 = 1/2
)"),
                       "murua_ggl(4)", 0.01, 1);
  ASSERT_EQ(a.ending, Ending::done) << a.reason;
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(a.y[i], b.y[i], 1e-10);
  EXPECT_NEAR(a.lambda[0], b.lambda[0], 1e-9);
  EXPECT_NEAR(a.energy.initial, b.energy.initial, 1e-14);
}

}  // namespace
}  // namespace alembert::internal::testing
