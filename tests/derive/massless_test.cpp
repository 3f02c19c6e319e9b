// Coordinates without mass, also where masses stay open; identities that must hold for all parameters.

#include "alembert/derive/massless.h"

#include <gtest/gtest.h>

#include "alembert/derive/identity.h"
#include "model/support.h"

namespace alembert::internal {
namespace {

using test::model_of;

Massless massless_of(const std::string& text, const std::vector<std::string>& open = {}) {
  return massless(derive(model_of(text), {.inputs = open}));
}

TEST(Massless, EmptyRowOfTheMassMatrix) {
  const std::string text = "parameter m = 1\ncoordinate x, s\nkinetic m/2*x'^2\npotential x^2 + s^2\n";
  for (const std::vector<std::string>& open : {std::vector<std::string>{}, std::vector<std::string>{"m"}}) {
    const Massless found = massless_of(text, open);
    EXPECT_EQ(found.z, (std::vector<int>{1}));
    EXPECT_EQ(found.names, (std::vector<std::string>{"motion of s'"}));
    EXPECT_EQ(found.reason, "there is no kinetic energy in s'");
  }
}

TEST(Massless, CoordinatesThatMoveTogether) {
  const std::string text = "parameter m = 2\ncoordinate a, b\nkinetic m/2*(a' + b')^2\npotential a^2 + 3*b^2\n";
  for (const std::vector<std::string>& open : {std::vector<std::string>{}, std::vector<std::string>{"m"}}) {
    const Equations e = derive(model_of(text), {.inputs = open});
    const Massless found = massless(e);
    EXPECT_EQ(found.z, (std::vector<int>{0, 1}));
    EXPECT_EQ(found.reason, "a', b' can change together without kinetic energy");
    ASSERT_EQ(found.rows.size(), 1u);
    // The difference of both rows, up to a factor: 2 a - 6 b.
    test::Numbers numbers;
    numbers.set(e.t, 0);
    numbers.set(e.y, {0.5, 0.25});
    numbers.set(e.z, {0.1, 0.2});
    EXPECT_NEAR(std::abs(numbers(found.rows[0])), 0.5, 1e-15);
  }
}

TEST(Massless, SingularAtTheUsualValuesOnlyIsNotMassless) {
  // m (a'^2 + b'^2)/2 + c a' b' has determinant m^2 - c^2.
  const std::string text = "parameter m = 1, c = 1\ncoordinate a, b\nkinetic m/2*(a'^2 + b'^2) + c*a'*b'\n";
  EXPECT_FALSE(massless_of(text).empty());
  EXPECT_TRUE(massless_of(text, {"c"}).empty());
  EXPECT_TRUE(massless_of(text, {"m"}).empty());
}

TEST(Identity, HoldsForAllValuesOfParameters) {
  Graph graph;
  const Expr x = graph.symbol("x");
  const Expr one = graph.parameter(0, "one", 1);
  EXPECT_FALSE(equal_functions(Exprs{one * x}, Exprs{x}));
  EXPECT_TRUE(equal_functions(Exprs{one * x + x}, Exprs{x * (one + 1)}));
}

}  // namespace
}  // namespace alembert::internal
