// Compositions claim and take what all their parts claim and take.

#include "alembert/methods/shared/composition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "alembert/study/verify.h"
#include "conformance/problems.h"

namespace alembert::internal::testing {
namespace {

const char port_oscillator[] = R"(
state q = 1, p = 1/2
structure J(q, p) = 1
hamiltonian p^2/2 + q^2/2
)";

const char pendulum_text[] = R"(
coordinate x, y
kinetic (x'^2 + y'^2)/2
potential y
constraint x^2 + y^2 = 1
initial x = 1
)";

const char massless_text[] = R"(
coordinate x, y
kinetic x'^2/2
potential (x - y)^2/2 + x^2/2
rayleigh y'^2/2
initial x = 1
)";

std::string refused(const std::string& method_text, const std::string& model_text) {
  const Model model = model_from_text(model_text);
  return refusal(method(method_text), derive(model));
}

TEST(Composition, NineSharesAreThoseOfKahanAndLi) {
  // Hairer, Lubich, Wanner, Geometric Numerical Integration, V.3.2, (3.12).
  const double printed[] = {0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981,
                            0.082213596293550800230, 0.79854399093482996340};
  const std::vector<Quad> shares = nine_shares();
  ASSERT_EQ(shares.size(), 9u);
  Quad sum = 0, cubes = 0, fifths = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    const Quad g = shares[i];
    EXPECT_NEAR(static_cast<double>(g), printed[std::min(i, 8 - i)], 2e-16) << i;
    sum += g, cubes += g * g * g, fifths += g * g * g * g * g;
  }
  EXPECT_LT(std::abs(static_cast<double>(sum - 1)), 1e-30);
  EXPECT_LT(std::abs(static_cast<double>(cubes)), 1e-30);
  EXPECT_LT(std::abs(static_cast<double>(fifths)), 1e-30);
}

TEST(Composition, TakesWhatEveryPartTakes) {
  EXPECT_EQ(refused("composed(gauss_collocation(2), murua(2))", port_oscillator), "");
  EXPECT_NE(refused("composed(gauss_collocation(2), gauss(2))", port_oscillator), "");
  EXPECT_NE(refused("composed(gauss(2), gauss_collocation(2))", port_oscillator), "");
  EXPECT_NE(refused("suzuki(composed(gauss_collocation(2), gauss(2)))", port_oscillator), "");
  EXPECT_EQ(refused("composed(lobatto_c(2), lobatto_damped(2))", massless_text), "");
  EXPECT_NE(refused("composed(lobatto_c(2), lobatto(2))", massless_text).find("Lobatto IIIB is zero"),
            std::string::npos);
  EXPECT_NE(refused("symmetric(composed(lobatto_c(2), gauss(2)))", massless_text), "");
}

TEST(Composition, RefusesWithTheReasonOfThePart) {
  const std::string knife = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint y' = x*x'\ninitial x' = 1\n";
  const std::string reason = refused("composed(lobatto(2), true_euler)", knife);
  EXPECT_NE(reason.find("holonomic constraints only"), std::string::npos) << reason;
  EXPECT_EQ(refused("composed(lobatto(2), gauss(1))", knife), "");
}

TEST(Composition, ClaimsWhatEveryPartClaims) {
  const Claims mixed = method("composed(energy_momentum(projected), gauss(2))").claims;
  EXPECT_FALSE(mixed.energy);
  EXPECT_FALSE(mixed.symplectic);
  EXPECT_FALSE(mixed.symmetric);
  EXPECT_EQ(mixed.order_q, 2);
  const Claims both = method("composed(energy_momentum(projected), energy_momentum(4))").claims;
  EXPECT_TRUE(both.energy);
  const Claims control = method("composed(gauss(2), gauss_standard(2))").claims;
  EXPECT_FALSE(control.nonholonomic);
  EXPECT_FALSE(control.note.empty()) << "what a user must know of any part";
  EXPECT_FALSE(method("composed(true_euler, natural_euler)").claims.nonlinear_multiplier);
}

TEST(Composition, IsNotJudgedByAnInnerTableau) {
  for (const char* name : {"composed(gauss(2), lobatto(2))", "symmetric(radau(2))", "suzuki(lobatto(2))",
                           "triple_jump(gauss(1))", "yoshida(lobatto(2), 4)", "adjoint_of(radau(2))"}) {
    EXPECT_EQ(method(name).spark, nullptr) << name;
    EXPECT_FALSE(method(name).tableau) << name;
  }
  VerifyOptions options;
  options.step = 0.05;
  options.end = 1;
  const Model model = gallery("nonholonomic_particle");
  const Verification v = verify(model, derive(model), method("suzuki(lobatto(2))"), options);
  for (const Property& p : v.properties)
    if (p.name == "discrete Lagrange-d'Alembert") { EXPECT_EQ(p.verdict, Verdict::does_not_apply); }
}

TEST(Composition, PromisesOnlyTheMomentaThatAllPartsPreserve) {
  EXPECT_FALSE(method("composed(energy_momentum(projected), gauss(2))").momenta);
  EXPECT_FALSE(method("composed(gauss(2), energy_momentum(projected))").momenta);
  EXPECT_TRUE(method("composed(energy_momentum, energy_momentum(projected))").momenta);
  EXPECT_TRUE(method("suzuki(energy_momentum(projected))").momenta);
}

TEST(Composition, RaisesOrdersOnlyWhereThatIsTrue) {
  EXPECT_NE(refused("suzuki(gauss_collocation(2))", pendulum_text), "") << "order 4 is measured, not 6";
  EXPECT_NE(refused("triple_jump(energy_momentum)", pendulum_text), "");
  EXPECT_EQ(refused("suzuki(gauss_collocation(2, index1))", pendulum_text), "");
  EXPECT_EQ(refused("suzuki(gauss_collocation(2))", port_oscillator), "") << "there are no constraints";
  EXPECT_EQ(method("suzuki(true_euler)").claims.order_q, 1) << "second powers of real shares do not add up to 0";
  EXPECT_EQ(method("suzuki(lobatto(2))").claims.order_v, 4);
  EXPECT_EQ(method("symmetric(true_euler)").claims.order_multiplier, 2);
}

TEST(Composition, LightBodiesAreLostWhereAnyPartLosesThem) {
  EXPECT_EQ(method("lobatto(3)").capabilities.light_mass, 1);
  EXPECT_LT(method("gauss(3)").capabilities.light_mass, 1e-3);
  EXPECT_EQ(method("composed(gauss(1), lobatto(2))").capabilities.light_mass, 1);
  EXPECT_EQ(method("suzuki(lobatto(2))").capabilities.light_mass, 1);
}

}  // namespace
}  // namespace alembert::internal::testing
