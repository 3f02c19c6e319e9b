// Every kind of linear system solves A d = F(x), says where it fails, and goes on after it was saved. The equations are
// a ring of springs with a weak nonlinearity, whose matrix is written down by hand and solved by Eigen.

#include "alembert/linear/linear_system.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>

#include "alembert/linear/dense_system.h"
#include "alembert/linear/elimination.h"
#include "alembert/linear/minimum_norm_system.h"
#include "alembert/linear/sparse_system.h"
#include "alembert/linear/unrolled_system.h"

namespace alembert::internal {
namespace {

constexpr int n = 12;

/// F_i = c u_i + u_i^3 - u_{i+1} - p u_{i-1}, indices around the ring; c is the only input, p a parameter (usually
/// 1/2).
struct Ring {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  Expr c = graph->symbol("c");
  Exprs u = graph->symbols("u", n);
  Exprs all{c}, F;
  SparseExprs J;

  Ring() {
    const Expr p = graph->parameter(0, "p", Quad(1) / 2);
    all.insert(all.end(), u.begin(), u.end());
    for (int i = 0; i < n; ++i) F.push_back(c * u[i] + u[i] * u[i] * u[i] - u[(i + 1) % n] - p * u[(i + n - 1) % n]);
    J = jacobian(F, u);
  }
  WideKernel<double> equations() const { return {all, F, interpreted}; }
  JacobianValues<double> matrix() const { return {all, J, interpreted}; }
};

Eigen::MatrixXd ring_matrix(const std::vector<double>& x, double p = 0.5) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    A(i, i) = x[0] + 3 * x[1 + i] * x[1 + i];
    A(i, (i + 1) % n) = -1;
    A(i, (i + n - 1) % n) = -p;
  }
  return A;
}

Eigen::VectorXd ring_equations(const std::vector<double>& x, double p = 0.5) {
  Eigen::VectorXd F(n);
  for (int i = 0; i < n; ++i)
    F(i) = x[0] * x[1 + i] + std::pow(x[1 + i], 3) - x[1 + (i + 1) % n] - p * x[1 + (i + n - 1) % n];
  return F;
}

std::vector<double> point(double c) {
  std::vector<double> x{c};
  for (int i = 0; i < n; ++i) x.push_back(std::sin(1.0 + i));
  return x;
}

using Make = std::function<std::unique_ptr<LinearSystem<double>>(const Ring&)>;
struct Kind {
  const char* name;
  Make make;
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class LinearSystems : public ::testing::TestWithParam<Kind> {
 protected:
  Ring ring;
  std::unique_ptr<LinearSystem<double>> system = GetParam().make(ring);

  std::vector<double> solved(LinearSystem<double>& by, const std::vector<double>& x) {
    std::vector<double> d(n);
    by.solve(x.data(), d.data());
    return d;
  }
  double distance(const std::vector<double>& d, const Eigen::VectorXd& expected) {
    return (Eigen::Map<const Eigen::VectorXd>(d.data(), n) - expected).cwiseAbs().maxCoeff();
  }
  bool remembers() const { return system->kind() != MatrixKind::at_every_solve; }
};

TEST_P(LinearSystems, solve_as_eigen_does) {
  const std::vector<double> x = point(3);
  ASSERT_TRUE(system->factor(x.data()));
  EXPECT_LT(distance(solved(*system, x), ring_matrix(x).partialPivLu().solve(ring_equations(x))), 1e-14);
  EXPECT_EQ(system->name(), GetParam().name);
  EXPECT_EQ(system->sizes(), std::vector<int>{n});
}

TEST_P(LinearSystems, keep_the_matrix_of_the_point_where_it_was_taken) {
  const std::vector<double> x = point(3), other = point(5);
  ASSERT_TRUE(system->factor(x.data()));
  const Eigen::MatrixXd A = ring_matrix(remembers() ? x : other);
  EXPECT_LT(distance(solved(*system, other), A.partialPivLu().solve(ring_equations(other))), 1e-14);
}

TEST_P(LinearSystems, clones_have_a_memory_of_their_own) {
  const std::vector<double> x = point(3), other = point(5);
  const auto clone = system->clone();
  ASSERT_TRUE(clone->factor(other.data()));
  ASSERT_TRUE(system->factor(x.data()));
  EXPECT_LT(distance(solved(*clone, other), ring_matrix(other).partialPivLu().solve(ring_equations(other))), 1e-14);
  EXPECT_LT(distance(solved(*system, x), ring_matrix(x).partialPivLu().solve(ring_equations(x))), 1e-14);
}

TEST_P(LinearSystems, read_bound_parameters_and_so_do_later_clones) {
  const std::vector<double> x = point(4);
  const double p = -0.25;
  system->bind(&p);
  const auto clone = system->clone();
  for (LinearSystem<double>* one : {system.get(), clone.get()}) {
    ASSERT_TRUE(one->factor(x.data()));
    EXPECT_LT(distance(solved(*one, x), ring_matrix(x, p).partialPivLu().solve(ring_equations(x, p))), 1e-14);
  }
}

TEST_P(LinearSystems, go_on_with_the_same_bits_after_they_were_saved) {
  // Pivots chosen at one point, factors of another: KLU keeps the pivots.
  const std::vector<double> first = point(3), second = point(2.5), third = point(2.7);
  ASSERT_TRUE(system->factor(first.data()));
  ASSERT_TRUE(system->factor(second.data()));
  ByteWriter out;
  system->save(out);
  const auto other = GetParam().make(ring);
  ByteReader in(out.bytes());
  other->load(in);
  in.finish();
  EXPECT_EQ(solved(*other, third), solved(*system, third));
  ASSERT_TRUE(system->factor(third.data()));
  ASSERT_TRUE(other->factor(third.data()));
  EXPECT_EQ(solved(*other, first), solved(*system, first));
}

TEST_P(LinearSystems, say_what_is_no_number) {
  if (!remembers()) return;
  std::vector<double> x = point(3);
  x[4] = std::nan("");
  EXPECT_FALSE(system->factor(x.data()));
  EXPECT_FALSE(system->failure().finite);
  x = point(3);
  EXPECT_TRUE(system->factor(x.data())) << "a failure is forgotten";
  EXPECT_TRUE(system->failure().finite);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, LinearSystems,
    ::testing::Values(
        Kind{"dense", [](const Ring& r) { return std::make_unique<DenseSystem<double>>(r.equations(), r.matrix()); }},
        Kind{"sparse", [](const Ring& r) { return std::make_unique<SparseSystem>(r.equations(), r.matrix()); }},
        Kind{"minimum norm",
             [](const Ring& r) {
               return std::make_unique<MinimumNormSystem<double>>(r.equations(), r.matrix(), std::vector<bool>(n));
             }},
        Kind{"unrolled", [](const Ring& r) -> std::unique_ptr<LinearSystem<double>> {
               std::vector<double> values(r.J.value.size()), work;
               const Kernel<double> probe(r.all, r.J.value, interpreted);
               work.resize(probe.work());
               probe(point(3).data(), values.data(), work.data());
               const auto order = choose_pivots(r.J, values, std::vector<bool>(n, true));
               return std::make_unique<UnrolledSystem<double>>(
                   Kernel<double>(r.all, eliminate(r.J, r.F, *order), interpreted));
             }}));

TEST(DenseSystem, names_the_row_without_a_pivot) {
  Graph graph;
  const Exprs u = graph.symbols("u", 3);
  const Exprs F{u[0] + u[1], u[1] * u[2], u[0] + u[1] + u[1] * u[2]};  // the last depends on the others
  DenseSystem<double> system({u, F, interpreted}, {u, jacobian(F, u), interpreted});
  const std::vector<double> x{1, 2, 4};
  EXPECT_FALSE(system.factor(x.data()));
  EXPECT_TRUE(system.failure().finite);
  EXPECT_GE(system.failure().row, 0);
}

TEST(Equilibration, makes_a_light_body_like_a_heavy_one) {
  Graph graph;
  const Exprs u = graph.symbols("u", 3);  // two accelerations and the force between the bodies
  const double light = 1e-12;
  const Exprs F = {Quad(light) * u[0] + u[2], u[1] - u[2], u[0] + u[1]};
  const SparseExprs J = jacobian(F, u);
  std::vector<double> values;
  for (const Expr entry : J.value) values.push_back(static_cast<double>(constant_value(entry)));
  const Equilibration scales = equilibrate(J, values, {true, true, false});
  ASSERT_EQ(scales.row.size(), 3u);
  scale(J, scales, values);
  for (int i = 0; i < 2; ++i) {
    double largest = 0, own = 0;
    for (int k = J.row_start[i]; k < J.row_start[i + 1]; ++k) {
      largest = std::max(largest, std::abs(values[k]));
      if (J.column[k] == i) own = std::abs(values[k]);
    }
    EXPECT_GE(own, largest / 4) << i;  // its own acceleration stays a good pivot
    EXPECT_LE(largest, 2) << i;
  }
}

TEST(JacobianValues, scales_change_the_factors_and_not_the_solution) {
  const Ring ring;
  const std::vector<double> x = point(3);
  JacobianValues<double> scaled = ring.matrix();
  Equilibration scales{std::vector<double>(n, 1), std::vector<double>(n, 1)};
  for (int i = 0; i < n; ++i) {
    scales.row[i] = std::ldexp(1.0, i);
    scales.column[i] = std::ldexp(1.0, -2 * i);
  }
  scaled.equilibrate(scales);
  scaled.take(x.data());
  EXPECT_EQ(scaled.inputs(), 1);
  std::vector<double> full(n * n);
  scaled.assemble(full);
  const Eigen::MatrixXd A = ring_matrix(x);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) EXPECT_DOUBLE_EQ(full[i * n + j], std::ldexp(A(i, j), i - 2 * j));
  DenseSystem<double> system(ring.equations(), scaled);
  ASSERT_TRUE(system.factor(x.data()));
  std::vector<double> d(n);
  system.solve(x.data(), d.data());
  const Eigen::VectorXd expected = A.partialPivLu().solve(ring_equations(x));
  for (int i = 0; i < n; ++i) EXPECT_NEAR(d[i], expected(i), 1e-14);
}

}  // namespace
}  // namespace alembert::internal
