#include "alembert/newton/leading_matrix.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alembert/base/lists.h"
#include "alembert/code/kernel.h"

namespace alembert::internal {
namespace {

/// One step of a pendulum of mass m on a spring k, with a multiplier: velocities u, v at its end and l are the
/// unknowns, positions follow from them.
class LeadingMatrixTest : public ::testing::Test {
 protected:
  Graph graph;
  Expr h = graph.symbol("h"), x0 = graph.symbol("x0"), y0 = graph.symbol("y0");
  Expr u = graph.symbol("u"), v = graph.symbol("v"), l = graph.symbol("l");
  double stiffness = 1;

  std::optional<LeadingMatrix> leading(const std::vector<double>& at) {
    const Expr x = x0 + h * u, y = y0 + h * v, m = graph.constant(2), k = graph.constant(Quad(stiffness));
    const Exprs equations{m * u + h * (Quad(2) * x * l + k * sin(x)), m * v + h * (Quad(2) * y * l + k * y * y * y),
                          x * x + y * y - 1};
    return leading_matrix({equations, {u, v, l}, {}, h, {h, x0, y0, u, v, l}, at});
  }
  std::vector<double> dense_at(const LeadingMatrix& found, const std::vector<double>& at) const {
    const SparseExprs& A = found.matrix;
    const Kernel<double> kernel(Exprs{h, x0, y0, u, v, l}, A.value, interpreted);
    std::vector<double> values(A.value.size()), work(kernel.work()), full(9, 0.0);
    kernel(at.data(), values.data(), work.data());
    for (int i = 0; i < 3; ++i)
      for (int e = A.row_start[i]; e < A.row_start[i + 1]; ++e) full[3 * i + A.column[e]] = values[e];
    return full;
  }
};

TEST_F(LeadingMatrixTest, IsMassesAndGradients) {
  const std::vector<double> at{0.01, 0.6, -0.8, 0.3, 0.2, 4};
  const std::optional<LeadingMatrix> found = leading(at);
  ASSERT_TRUE(found);
  const double x = 0.6 + 0.01 * 0.3, y = -0.8 + 0.01 * 0.2, step = 0.01;
  const std::vector<double> expected{2, 0, 2 * step * x, 0, 2, 2 * step * y, 2 * step * x, 2 * step * y, 0};
  const std::vector<double> entries = dense_at(*found, at);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(entries[i], expected[i], 1e-15) << i;
  // What is left out is h^2 times second derivatives, of about 2 l = 8, over the mass.
  EXPECT_LT(found->contraction, 0.01 * 0.01 * 8);
  EXPECT_GT(found->contraction, 0.01 * 0.01 * 1);
}

TEST_F(LeadingMatrixTest, KeepsWhatVanishesOnlyWhereItIsLookedAt) {
  const std::vector<double> at{0.01, 1, 0, 0, 0, 0};  // y = 0, all at rest
  const std::optional<LeadingMatrix> found = leading(at);
  ASSERT_TRUE(found);
  const std::vector<double> elsewhere{0.01, 0.6, -0.8, 0, 0, 0};
  EXPECT_NEAR(dense_at(*found, elsewhere)[5], -0.016, 1e-15);
}

TEST_F(LeadingMatrixTest, SaysWhereItDoesNotContract) {
  stiffness = 1e6;
  const std::optional<LeadingMatrix> found = leading({0.01, 0.6, -0.8, 0, 0, 0});
  ASSERT_TRUE(found);
  EXPECT_GT(found->contraction, 1);
}

TEST_F(LeadingMatrixTest, IsNoneWhereTheMatrixIsSingular) { EXPECT_FALSE(leading({0.01, 0, 0, 0, 0, 1})); }

}  // namespace
}  // namespace alembert::internal
