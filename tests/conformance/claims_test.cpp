// What every method claims, measured from both sides: orders, symplecticity, symmetry, constraints. Orders are measured
// in extended precision, so that high ones are not hidden by rounding.

#include <gtest/gtest.h>

#include <cmath>

#include "alembert/study/verify.h"
#include "problems.h"

namespace alembert::internal::testing {
namespace {

Model spark_problem(const std::string& name) {
  return model_from_text(spark_model_text(reference("spark")["problems"][name]));
}

// Between two step sizes, in extended precision, against the index-reduced system solved far more accurately.
Errors measured_orders(const Model& model, const std::string& method_text, long coarse, Quad end = 1) {
  const Equations e = derive(model);
  const MeasuredOrders measured = measure_orders(e, make_consistent(model, e), method(method_text), 0, end, coarse, 1);
  EXPECT_EQ(measured.failure, "") << method_text;
  EXPECT_TRUE(measured.extended);
  return measured.order;
}

void expect_claimed_orders(const std::string& problem, const std::string& method_text, int coarse, double slack = 0.2) {
  SCOPED_TRACE(problem + " " + method_text);
  const Claims claims = method(method_text).claims;
  const Errors measured = measured_orders(spark_problem(problem), method_text, coarse);
  EXPECT_NEAR(measured.q, claims.order_q, slack);
  EXPECT_NEAR(measured.v, claims.order_v, slack);
  EXPECT_NEAR(measured.multiplier, claims.order_multiplier, slack);
}

TEST(Claims, OrdersOnThePendulum) {
  for (const int s : {1, 2, 3, 4}) expect_claimed_orders("H_pendulum", "gauss(" + std::to_string(s) + ")", 40);
  for (const int s : {2, 3, 4, 5}) expect_claimed_orders("H_pendulum", "lobatto(" + std::to_string(s) + ")", 40);
}

TEST(Claims, OrdersOfTheMultibodySolvers) {
  for (const char* name :
       {"murua(1)", "murua(2)", "murua(3)", "murua_ggl(1)", "murua_ggl(2)", "murua_ggl(3)", "lobatto_c(2)",
        "lobatto_c(3)", "lobatto_c(3, index1)", "lobatto_c(3, ggl)", "lobatto_damped(2)", "lobatto_damped(3)",
        "lobatto_damped(4)", "gauss_collocation(2, index1)"})
    expect_claimed_orders("H_pendulum", name, 40);
  for (const int s : {1, 2, 3, 4}) {
    // The velocity errors are normal to the circle, so the multiplier sees their squares only: 2s here, less elsewhere.
    const std::string name = "gauss_collocation(" + std::to_string(s) + ")";
    const Errors measured = measured_orders(spark_problem("H_pendulum"), name, 40);
    EXPECT_NEAR(measured.q, 2 * s, 0.2) << name;
    EXPECT_NEAR(measured.v, method(name).claims.order_v, 0.2) << name;
    EXPECT_NEAR(measured.multiplier, 2 * s, 0.2) << name;
  }
  for (const char* name : {"murua(2)", "murua_ggl(2)", "lobatto_c(3)", "lobatto_damped(3)", "gauss_collocation(2)"})
    expect_claimed_orders("HN_knife_paraboloid", name, 32);
}

TEST(Claims, ConstraintsOfTheMultibodySolvers) {
  // A bowl of third degree: quadratic constraints are kept by more methods than claim it.
  const Model model = model_from_text(R"(
coordinate x, y, z, theta
kinetic (x'^2 + y'^2 + z'^2)/2 + theta'^2/4
potential z
constraint edge: sin(theta)*x' = cos(theta)*y'
constraint bowl: z = (x^2 + y^2)/2 + x^3/9
initial x = 1, z = 1/2 + 1/9, x' = 1/2, theta' = 1
)");
  for (const char* name : {"murua(2)", "murua_ggl(2)", "lobatto_c(3)", "lobatto_c(3, index1)", "lobatto_c(3, ggl)",
                           "lobatto_damped(3)", "gauss_collocation(2)", "gauss_collocation(2, ggl)"}) {
    SCOPED_TRACE(name);
    const Claims claims = method(name).claims;
    const Report report = run(model, name, 0.1, 5);
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    const auto expect = [](bool claimed, double residual) {
      if (claimed) EXPECT_LT(residual, 1e-13);
      else EXPECT_GT(residual, 1e-10);
    };
    expect(claims.position, report.position);
    expect(claims.velocity, report.velocity);
    expect(claims.nonholonomic, report.nonholonomic);
  }
}

TEST(Claims, OrdersOfTheOtherFamiliesWithBothKindsOfConstraints) {
  for (const char* name : {"gauss(1)", "gauss(2)", "lobatto(2)", "lobatto(3)", "lobatto_abd(2)", "lobatto_abd(3)",
                           "lobatto_d(2)", "lobatto_d(3)", "radau(2)", "radau(3)"})
    expect_claimed_orders("HN_knife_paraboloid", name, 32);
}

TEST(Claims, OrdersOnTheNonholonomicParticle) {
  for (const char* name : {"gauss(1)", "gauss(2)", "gauss(3)", "lobatto(2)", "lobatto(3)", "lobatto(4)",
                           "lobatto_abd(2)", "lobatto_abd(3)", "lobatto_d(2)", "lobatto_d(3)", "radau(1)", "radau(2)",
                           "lobatto_modified", "mclachlan_perlmutter"})
    expect_claimed_orders("P81_particle", name, 32);
  for (const char* name : {"euler_spark_1", "euler_spark_2"}) expect_claimed_orders("P81_particle", name, 256);
}

double defect_at_start(const Model& model, const std::string& method_text, Quad h) {
  const Equations e = derive(model);
  const MotionPoint<Quad> start = polish<Quad>(e, make_consistent(model, e), 0);
  const std::optional<double> defect = symplectic_defect<Quad>(e, method(method_text), start, 0, h);
  EXPECT_TRUE(defect) << method_text;
  return defect.value_or(1);
}

TEST(Claims, SymplecticToRoundingOrMeasurablyNot) {
  for (const char* name : {"gauss(1)", "gauss(2)", "gauss(3)", "lobatto(2)", "lobatto(3)", "lobatto(4)", "lobatto_d(2)",
                           "lobatto_d(3)", "radau(2)", "radau(3)", "murua(2)", "murua_ggl(2)", "lobatto_c(3)",
                           "gauss_collocation(2)", "lobatto_damped(3)"}) {
    SCOPED_TRACE(name);
    for (const char* problem : {"H_pendulum", "H_double_pendulum"}) {
      const double defect = defect_at_start(spark_problem(problem), name, Quad(1) / 10);
      if (method(name).claims.symplectic) { EXPECT_LT(defect, 1e-28) << problem; }
    }
    // Here the forces are not constant and the mass matrix depends on q.
    const double defect = defect_at_start(gallery("cart_pendulum"), name, Quad(1) / 10);
    if (method(name).claims.symplectic) {
      EXPECT_LT(defect, 1e-28);
    } else {
      EXPECT_GT(defect, 1e-10);
    }
  }
}

TEST(Claims, SymmetricStepsAreUndoneByTheStepBack) {
  for (const char* name :
       {"gauss(1)", "gauss(3)", "lobatto(2)", "lobatto(3)", "lobatto_abd(3)", "lobatto_d(2)", "radau(2)", "murua(2)",
        "murua_ggl(2)", "gauss_collocation(2)", "lobatto_c(3)", "lobatto_damped(3)"}) {
    SCOPED_TRACE(name);
    const Model model = spark_problem("HN_knife_paraboloid");
    const Equations e = derive(model);
    const MotionPoint<Quad> start = polish<Quad>(e, make_consistent(model, e), 0);
    const std::optional<double> defect = symmetry_defect<Quad>(e, method(name), start, 0, Quad(1) / 10, 5);
    ASSERT_TRUE(defect);
    const double error = *defect;
    if (method(name).claims.symmetric) {
      EXPECT_LT(error, 1e-27);
    } else {
      EXPECT_GT(error, 1e-9);
    }
  }
}

TEST(Claims, TheNegativeControlKeepsEnergyAndLosesTheConstraint) {
  const Report report = run(spark_problem("P81_particle"), "gauss_standard(1)", 0.2, 50);
  EXPECT_LT(report.energy.max_error, 1e-12);
  EXPECT_GT(report.nonholonomic, 1e-2);
}

}  // namespace
}  // namespace alembert::internal::testing
