#include "alembert/study/verify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alembert/methods/shared/spark.h"
#include "conformance/problems.h"

namespace alembert::internal::testing {
namespace {

const char conserving_oscillator[] = R"(model "Oscillator"
coordinate x
kinetic x'^2/2
potential x^2/2
initial x = 1
conserve energy2: x'^2 + x^2
)";

struct Prepared {
  Model model;
  Equations e;
  MotionPoint<Quad> start;
};

Prepared prepare(const Model& model) {
  const Equations e = derive(model);
  return {model, e, polish<Quad>(e, make_consistent(model, e), 0)};
}

Verification verified(const Model& model, const Method& method, double step, double end) {
  VerifyOptions options;
  options.step = step, options.end = end;
  return verify(model, derive(model), method, options);
}

Property property(const Verification& v, const std::string& name) {
  for (const Property& p : v.properties) {
    if (p.name == name) return p;
  }
  ADD_FAILURE() << "no property " << name;
  return {};
}

Verdict verdict(const Verification& v, const std::string& name) { return property(v, name).verdict; }

// radau(1) is the implicit Euler rule: on x'' = -x its matrix D = (I - hJ)^{-1} has the determinant 1/(1 + h^2), and
// D(-h) D(h) is the identity divided by 1 + h^2.
TEST(Measurements, DefectsOfImplicitEulerAreItsClosedForms) {
  const Prepared p = prepare(model_from_text(conserving_oscillator));
  for (const Quad h : {Quad(1) / 10, Quad(1) / 7}) {
    const double expected = static_cast<double>(h * h / (1 + h * h));
    EXPECT_NEAR(symplectic_defect<Quad>(p.e, method("radau(1)"), p.start, 0, h).value(), expected, 1e-16);
    EXPECT_NEAR(symmetry_defect<Quad>(p.e, method("radau(1)"), p.start, 0, h, 1).value(), expected, 1e-16);
    EXPECT_NEAR(reversibility_defect<Quad>(p.e, method("radau(1)"), p.start, 0, h, 1).value(), expected, 1e-16);
    // n steps: 1 - (1 + h^2)^-n.
    EXPECT_NEAR(symmetry_defect<Quad>(p.e, method("radau(1)"), p.start, 0, h, 3).value(),
                static_cast<double>(1 - 1 / ((1 + h * h) * (1 + h * h) * (1 + h * h))), 1e-16);
    // The energy falls by the factor 1 + h^2 a step, from 1/2 and 1.
    const std::vector<double> change = changes<Quad>(p.e, method("radau(1)"), p.start, 0, h, 1);
    ASSERT_EQ(change.size(), 2u);
    EXPECT_NEAR(change[0], expected / 2, 1e-16);
    EXPECT_NEAR(change[1], expected, 1e-16);
  }
  EXPECT_LT(symplectic_defect<Quad>(p.e, method("gauss(1)"), p.start, 0, Quad(1) / 10).value(), 1e-32);
  EXPECT_LT(changes<Quad>(p.e, method("gauss(1)"), p.start, 0, Quad(1) / 10, 5)[0], 1e-32);
  EXPECT_NEAR(
      symplectic_defect<double>(p.e, method("radau(1)"), polish<double>(p.e, make_consistent(p.model, p.e), 0), 0, 0.1)
          .value(),
      0.01 / 1.01, 1e-14);
}

TEST(Measurements, TheMotionItselfMayNotBeReversible) {
  const char* head =
      "model \"m\"\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2 + y^4\ninitial x = 1, x' = 1, y' = 2\n";
  const auto measured = [&](const std::string& rest) {
    const Prepared p = prepare(model_from_text(head + rest));
    return irreversibility<Quad>(p.e, p.start, 0).value();
  };
  EXPECT_LT(measured(""), 1e-30);
  EXPECT_GT(measured("rayleigh x'^2/20\n"), 1e-3);
  EXPECT_GT(measured("force x = y'\nforce y = -x'\n"), 1e-3) << "a magnetic field is not";
  EXPECT_LT(measured("constraint y' = 2*x'\n"), 1e-30);
  EXPECT_GT(measured("constraint y' = x' + 1\n"), 1e-3) << "an affine constraint";
}

TEST(Measurements, DiscreteLagrangeDAlembertEquationsHoldBySixTwo) {
  const Prepared p = prepare(gallery("nonholonomic_particle"));
  const Quad h = Quad(1) / 10;
  for (const char* name : {"gauss(1)", "gauss(3)", "lobatto(2)", "lobatto(4)", "lobatto_abd(3)", "lobatto_d(2)",
                           "euler_spark_1", "euler_spark_2", "lobatto_modified"}) {
    SCOPED_TRACE(name);
    const Method m = method(name);
    EXPECT_LT(variational_condition(*m.spark), 1e-32);
    const auto both = discrete_lagrange_dalembert<Quad>(p.e, m, p.start, 0, h);
    ASSERT_TRUE(both);
    EXPECT_LT(both->left, 1e-31);
    EXPECT_LT(both->right, 1e-31);
  }
  const Method radau = method("radau(2)");
  EXPECT_GT(variational_condition(*radau.spark), 1e-3);
  EXPECT_GT(discrete_lagrange_dalembert<Quad>(p.e, radau, p.start, 0, h)->left, 1e-5);
}

// Beyond the theorem: applied forces, dissipation, and holonomic constraints beside.
TEST(Measurements, DiscreteEquationsHoldWithForcesAndHolonomicConstraintsBeside) {
  const std::string skate =
      "model \"m\"\ncoordinate x, y, phi\nkinetic (x'^2 + y'^2 + phi'^2)/2\npotential y\n"
      "constraint sin(phi)*x' = cos(phi)*y'\ninitial x' = 1, phi' = 2\n";
  const Prepared pushed = prepare(model_from_text(skate + "force x = cos(y)\nrayleigh (x'^2 + phi'^2)/3\n"));
  const Prepared bowl = prepare(gallery("knife_paraboloid"));
  for (const Prepared* p : {&pushed, &bowl}) {
    SCOPED_TRACE(p == &bowl ? "holonomic" : "forces");
    for (const char* name : {"gauss(1)", "gauss(3)", "lobatto(3)", "lobatto_abd(3)"}) {
      SCOPED_TRACE(name);
      const Method m = method(name);
      const Quad h = Quad(1) / 20;
      const MotionPoint<Quad> point = integrate<Quad>(p->e, m, p->start, 0, h, 4).point;
      const auto both = discrete_lagrange_dalembert<Quad>(p->e, m, point, 4 * h, h);
      ASSERT_TRUE(both);
      EXPECT_LT(both->left, 1e-30);
      EXPECT_LT(both->right, 1e-30);
    }
    // Wrong coefficients of either kind are seen.
    const Quad h = Quad(1) / 20;
    const MotionPoint<Quad> point = integrate<Quad>(p->e, method("gauss(3)"), p->start, 0, h, 4).point;
    Method wrong = method("lobatto(3)");
    auto coefficients = std::make_shared<SparkCoefficients>(*wrong.spark);
    (p == &bowl ? coefficients->A_tilde : coefficients->A)[1][0] += Quad(1) / 1000;
    wrong.spark = coefficients;
    const auto measured = discrete_lagrange_dalembert<Quad>(p->e, wrong, point, 4 * h, h);
    ASSERT_TRUE(measured);
    EXPECT_GT(std::max(measured->left, measured->right), 1e-8);
  }
}

// f_d^+ needs b' and not b^ (a misprint in the paper), f_d^- needs A': wrong ones must be seen.
TEST(Measurements, DiscreteEquationsSeeWrongCoefficients) {
  const Prepared p = prepare(gallery("nonholonomic_particle"));
  const Quad h = Quad(1) / 10;
  // Somewhere on the way, where all reactions act.
  const MotionPoint<Quad> point = integrate<Quad>(p.e, method("gauss(3)"), p.start, 0, h, 8).point;
  const auto measured = [&](auto change) {
    Method m = method("lobatto_abd(3)");
    auto coefficients = std::make_shared<SparkCoefficients>(*m.spark);
    change(*coefficients);
    m.spark = coefficients;
    return discrete_lagrange_dalembert<Quad>(p.e, m, point, 0, h).value();
  };
  const DiscreteEquations right = measured([](SparkCoefficients&) {});
  EXPECT_LT(right.left, 1e-31);
  EXPECT_LT(right.right, 1e-31);
  const DiscreteEquations wrong_b = measured([](SparkCoefficients& c) { c.b_prime[1] += Quad(1) / 1000; });
  EXPECT_LT(wrong_b.left, 1e-31);
  EXPECT_GT(wrong_b.right, 1e-8);
  EXPECT_GT(measured([](SparkCoefficients& c) { c.A_prime = c.A_hat; }).left, 1e-8) << "IIIB in the place of IIID";
  EXPECT_GT(measured([](SparkCoefficients& c) { c.b[1] += Quad(1) / 1000; }).left, 1e-6);
}

TEST(Measurements, OrdersStopAtRoundingAndSaySo) {
  const Model model = model_from_text("model \"free\"\ncoordinate x\nkinetic x'^2/2\ninitial x' = 1\n");
  const Equations e = derive(model);
  const MeasuredOrders m = measure_orders(e, make_consistent(model, e), method("gauss(1)"), 0, 1, 8, 2);
  EXPECT_EQ(m.failure, "");
  EXPECT_TRUE(std::isnan(m.order.q)) << "straight motion is exact";
  EXPECT_TRUE(std::isnan(m.order.multiplier));
  EXPECT_LT(m.error.q, 1e-30);
}

TEST(Verify, WhatIsClaimedHoldsOnThePendulum) {
  const Verification v = verified(gallery("spherical_pendulum"), method("lobatto(3)"), 0.01, 20);
  EXPECT_FALSE(v.has_false_claim());
  EXPECT_EQ(v.failure, "");
  for (const char* name : {"order of q", "order of v", "order of the multiplier", "symplectic",
                           "symmetric (h, then -h)", "reversible (v to -v)", "g = 0", "g' = 0"}) {
    EXPECT_EQ(verdict(v, name), Verdict::ok) << name;
  }
  EXPECT_NEAR(property(v, "order of q").value, 4, 0.05);
  EXPECT_EQ(verdict(v, "discrete Lagrange-d'Alembert"), Verdict::does_not_apply);
  EXPECT_EQ(verdict(v, "k = 0"), Verdict::does_not_apply);
  EXPECT_EQ(verdict(v, "energy to rounding"), Verdict::does_not_hold);
  EXPECT_EQ(verdict(v, "energy without drift"), Verdict::holds);
  EXPECT_EQ(verdict(v, "invariant vertical"), Verdict::holds);
}

// Velocities that are zero, and stay so at a stage, have no size of their own to be measured against.
TEST(Verify, FromRestEveryOrderIsMeasured) {
  const std::pair<const char*, const char*> cases[] = {{"pendulum", "moreau"}, {"cart_pendulum", "euler_spark_2"}};
  for (const auto& [model, name] : cases) {
    const Verification v = verified(gallery(model), method(name), 0.01, 1);
    for (const char* order : {"order of q", "order of v"}) EXPECT_EQ(verdict(v, order), Verdict::ok) << name << order;
    for (const Property& row : v.properties) EXPECT_NE(row.measured, "a step failed") << name << row.name;
  }
}

TEST(Verify, FalseClaimsAreFound) {
  const Model model = gallery("cart_pendulum");
  Method liar = method("radau(2)");
  liar.claims.order_q = 4;
  liar.claims.order_v = 2;
  liar.claims.symplectic = liar.claims.symmetric = true;
  const Verification v = verified(model, liar, 0.02, 4);
  EXPECT_TRUE(v.has_false_claim());
  EXPECT_EQ(verdict(v, "order of q"), Verdict::false_claim);
  EXPECT_EQ(verdict(v, "order of v"), Verdict::higher) << "not a failure";
  EXPECT_EQ(verdict(v, "symplectic"), Verdict::false_claim);
  EXPECT_EQ(verdict(v, "symmetric (h, then -h)"), Verdict::false_claim);
  EXPECT_EQ(verdict(v, "reversible (v to -v)"), Verdict::false_claim);
  EXPECT_EQ(verdict(v, "energy without drift"), Verdict::does_not_hold);
  EXPECT_NE(to_text(v).find("FALSE CLAIM"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(to_json(v))["false_claims"], 4);

  const Verification honest = verified(model, method("radau(2)"), 0.02, 4);
  EXPECT_FALSE(honest.has_false_claim());
  EXPECT_EQ(verdict(honest, "symplectic"), Verdict::does_not_hold);
}

// A coordinate without mass: no equation names its acceleration, which the reference needs. The rest is measured.
TEST(Verify, WithoutMassTheOrdersAreNotMeasuredAndItSaysWhy) {
  const Verification v = verified(gallery("mass_spring_damper_limit"), method("lobatto_c(3)"), 0.01, 1);
  EXPECT_EQ(v.failure, "");
  EXPECT_EQ(verdict(v, "order of q"), Verdict::not_measured);
  EXPECT_NE(property(v, "order of q").measured.find("the accelerations are not determined"), std::string::npos);
  EXPECT_FALSE(v.has_false_claim()) << to_text(v);
}

TEST(Verify, TheNegativeControlIsCaught) {
  const Model model = gallery("nonholonomic_particle");
  Method control = method("gauss_standard(1)");
  const Verification v = verified(model, control, 0.1, 20);
  EXPECT_EQ(verdict(v, "k = 0"), Verdict::does_not_hold);
  EXPECT_EQ(verdict(v, "energy to rounding"), Verdict::holds) << "which is why energy alone proves nothing";
  control.claims.nonholonomic = true;
  EXPECT_EQ(verdict(verified(model, control, 0.1, 20), "k = 0"), Verdict::false_claim);
  const Verification spark = verified(model, method("gauss(1)"), 0.1, 20);
  EXPECT_EQ(verdict(spark, "k = 0"), Verdict::ok);
  EXPECT_EQ(verdict(spark, "discrete Lagrange-d'Alembert"), Verdict::ok);
  EXPECT_EQ(verdict(spark, "energy to rounding"), Verdict::does_not_hold);
  EXPECT_EQ(verdict(spark, "symplectic"), Verdict::does_not_apply);
}

TEST(Verify, LargeModelsAreMeasuredInDouble) {
  const Verification v = verified(gallery("chain", {"N=8"}), method("lobatto(2)"), 0.001, 0.2);
  EXPECT_FALSE(v.has_false_claim()) << to_text(v);
  EXPECT_EQ(verdict(v, "order of q"), Verdict::ok) << to_text(v);
  EXPECT_EQ(verdict(v, "symplectic"), Verdict::ok);
  EXPECT_EQ(verdict(v, "invariant vertical"), Verdict::holds);
  EXPECT_NE(to_text(v).find("double precision"), std::string::npos);
}

TEST(Verify, AFailingRunIsSaid) {
  const Model model =
      model_from_text("model \"Wall\"\ncoordinate x\nkinetic x'^2/2\npotential 1e-6*sqrt(2 - x)\ninitial x' = 1\n");
  const Verification v = verified(model, method("gauss(1)"), 0.1, 4);
  EXPECT_NE(v.failure.find("t = "), std::string::npos);
  EXPECT_LT(v.end, 4);
  EXPECT_EQ(verdict(v, "symplectic"), Verdict::ok) << "the steps before are sound";
}

TEST(Verify, WrongInputIsTheUsersError) {
  const Model model = gallery("pendulum");
  EXPECT_THROW(verified(model, method("gauss(1)"), 0, 1), InputError);
  EXPECT_THROW(verified(model, method("gauss(1)"), 0.1, -1), InputError);
  EXPECT_THROW(verified(model, method("euler_spark_1"), 0.1, 1), InputError);
}

TEST(EnergyChanges, NamesEveryReason) {
  const auto reasons = [](const std::string& rest) {
    const Model model = model_from_text("model \"m\"\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\n" + rest);
    std::string all;
    for (const std::string& reason : energy_changes(model, derive(model))) all += reason + ";";
    return all;
  };
  EXPECT_EQ(reasons("potential x^2\nconstraint y' = x*x'\n"), "");
  EXPECT_EQ(reasons("potential x^2*t\n"), "time in the energy;");
  EXPECT_EQ(reasons("constraint x^2 + y^2 = 1 + t\ninitial x = 1\n"), "moving constraints;");
  EXPECT_EQ(reasons("rayleigh x'^2\nforce y = 1\n"), "dissipation;applied forces;");
  EXPECT_EQ(reasons("constraint y' = x' + 1\n"), "affine nonholonomic constraints;");
  EXPECT_EQ(reasons("constraint x'^2 + y'^2 = 1\ninitial x' = 1\n"), "nonlinear nonholonomic constraints;");
  EXPECT_EQ(reasons("constraint x'^2 = 4*y'^2\ninitial x' = 2, y' = 1\n"), "") << "homogeneous in the velocities";
}

}  // namespace
}  // namespace alembert::internal::testing
