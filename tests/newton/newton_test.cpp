// Newton's method by itself, on equations whose roots are known.

#include "alembert/newton/newton.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alembert/base/bytes.h"
#include "conformance/problems.h"
#include "newton/allocations.h"

namespace alembert::internal {
namespace {

using testing::interpreted_newton;

/// Equations in one graph; all unknowns in one group that is measured against itself.
struct Problem {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  ImplicitEquations system;
  Problem(int inputs, int unknowns) {
    system.inputs = graph->symbols("a", inputs);
    system.unknowns = graph->symbols("u", unknowns);
    system.groups = {{0, unknowns, graph->constant(0)}};
    system.graph = graph;
  }
  const Expr& a(int i) const { return system.inputs[i]; }
  const Expr& u(int i) const { return system.unknowns[i]; }
  void equation(Expr e) { system.equations.push_back(e); }
};

/// u^2 = a
Problem square_root() {
  Problem p(1, 1);
  p.equation(p.u(0) * p.u(0) - p.a(0));
  return p;
}

/// The circle of radius a about 0 and the line u0 - u1 = 1.
Problem circle_and_line() {
  Problem p(1, 2);
  p.equation(p.u(0) * p.u(0) + p.u(1) * p.u(1) - p.a(0) * p.a(0));
  p.equation(p.u(0) - p.u(1) - Quad(1));
  return p;
}

/// u_i^3 + 4 u_i - u_{i-1} - u_{i+1} = a around a ring; u_i = s with s^3 + 2 s = a solves it.
Problem ring(int n) {
  Problem p(1, n);
  for (int i = 0; i < n; ++i)
    p.equation(p.u(i) * p.u(i) * p.u(i) + Quad(4) * p.u(i) - p.u((i + 1) % n) - p.u((i + n - 1) % n) - p.a(0));
  return p;
}

class NewtonBy : public ::testing::TestWithParam<LinearSolver> {};

TEST_P(NewtonBy, finds_known_roots_to_rounding) {
  const Problem p = circle_and_line();
  Newton<double> newton(p.system, {5, 3, 2}, interpreted_newton(GetParam()));
  std::vector<double> x{5, 3, 2};
  const NewtonResult result = newton.solve(x.data());
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_DOUBLE_EQ(x[1], 4);
  EXPECT_DOUBLE_EQ(x[2], 3);
  EXPECT_LE(result.iterations, 8) << "quadratic convergence; the last one only sees that nothing changes any more";
  x = {5, -3, -2};
  newton.forget();
  EXPECT_EQ(newton.solve(x.data()).outcome, Outcome::converged);
  EXPECT_DOUBLE_EQ(x[1], -3) << "the other root, where the guess is near that one";
  EXPECT_DOUBLE_EQ(x[2], -4);
}

TEST_P(NewtonBy, finds_them_in_extended_precision) {
  const Problem p = square_root();
  Newton<Quad> newton(p.system, {2, 1}, interpreted_newton(GetParam()));
  std::vector<Quad> x{2, 1};
  const NewtonResult result = newton.solve(x.data());
  EXPECT_EQ(result.outcome, Outcome::converged);
  const Quad root = x[1];
  EXPECT_LT(std::abs(static_cast<double>(root * root - 2)), 1e-33);
}

TEST_P(NewtonBy, reaches_what_only_damped_newton_reaches) {
  // atan u = 0 from 3: undamped iterates grow from |u| = 1.39 on.
  Problem p(0, 1);
  p.equation(atan(p.u(0)));
  p.system.groups = {{0, 1, p.graph->constant(1)}};
  Newton<double> newton(p.system, {3}, interpreted_newton(GetParam()));
  std::vector<double> x{3};
  EXPECT_EQ(newton.solve(x.data()).outcome, Outcome::converged);
  EXPECT_LT(std::abs(x[0]), 1e-15);
}

TEST_P(NewtonBy, says_that_there_is_no_root) {
  Problem p(0, 1);
  p.equation(p.u(0) * p.u(0) + Quad(1));
  Newton<double> newton(p.system, {1}, interpreted_newton(GetParam()));
  std::vector<double> x{0.7};
  const NewtonResult result = newton.solve(x.data());
  EXPECT_NE(result.outcome, Outcome::converged);
  EXPECT_EQ(result.equation, 0);
  EXPECT_GE(result.residual, 1);
}

TEST_P(NewtonBy, says_that_values_are_no_numbers) {
  Problem p(0, 2);
  p.equation(p.u(0) - Quad(1));
  p.equation(log(p.u(1)) - Quad(1));
  Newton<double> newton(p.system, {1, 1}, interpreted_newton(GetParam()));
  std::vector<double> x{1, -1};
  const NewtonResult result = newton.solve(x.data());
  EXPECT_EQ(result.outcome, Outcome::not_finite);
  EXPECT_EQ(result.equation, 1);
}

TEST_P(NewtonBy, solves_follow_a_slowly_changing_input) {
  const int n = 9;
  const Problem p = ring(n);
  std::vector<double> x(1 + n, 1.0);
  x[0] = 3;
  Newton<double> newton(p.system, x, interpreted_newton(GetParam()));
  for (int k = 0; k < 50; ++k) {
    x[0] = 3 + 0.001 * k;
    ASSERT_EQ(newton.solve(x.data()).outcome, Outcome::converged);
    for (int i = 0; i < n; ++i) ASSERT_NEAR(x[1 + i] * (x[1 + i] * x[1 + i] + 2), x[0], 2e-15);
  }
  const NewtonStatistics& statistics = newton.statistics();
  EXPECT_EQ(statistics.factorization_sizes, std::vector<int>{n});
  EXPECT_GE(statistics.iterations, 50);
  if (newton.memoryless()) {
    EXPECT_EQ(statistics.factorizations, statistics.iterations);
  } else {
    EXPECT_LE(statistics.factorizations, 5) << "simplified Newton keeps its matrix";
    const long before = statistics.factorizations;
    newton.forget();
    newton.solve(x.data());
    EXPECT_EQ(statistics.factorizations, before + 1);
  }
}

TEST_P(NewtonBy, clones_remember_nothing_and_disturb_nothing) {
  const Problem p = ring(5);
  const std::vector<double> start{3, 1, 1, 1, 1, 1};
  Newton<double> newton(p.system, start, interpreted_newton(GetParam()));
  std::vector<double> x = start;
  newton.solve(x.data());
  Newton<double> clone = newton.clone();
  EXPECT_EQ(clone.statistics().iterations, 0);
  EXPECT_EQ(clone.statistics().factorization_sizes, newton.statistics().factorization_sizes);
  std::vector<double> other{33, 3.1, 3.1, 3.1, 3.1, 3.1};
  EXPECT_EQ(clone.solve(other.data()).outcome, Outcome::converged);
  EXPECT_DOUBLE_EQ(other[1], 3) << "3^3 + 6 = 33";
  Newton<double> fresh(p.system, start, interpreted_newton(GetParam()));
  std::vector<double> y = start;
  fresh.solve(y.data());
  x[0] = y[0] = 3.01;
  newton.solve(x.data());
  fresh.solve(y.data());
  EXPECT_EQ(x, y);
}

TEST_P(NewtonBy, reads_bound_parameters) {
  Problem p(0, 1);
  p.equation(p.u(0) * p.u(0) - p.graph->parameter(0, "a", 4));
  Newton<double> newton(p.system, {1}, interpreted_newton(GetParam()));
  std::vector<double> x{1};
  newton.solve(x.data());
  EXPECT_DOUBLE_EQ(x[0], 2);
  double table = 9;
  newton.bind(&table);
  newton.solve(x.data());
  EXPECT_DOUBLE_EQ(x[0], 3);
  Newton<double> clone = newton.clone();
  table = 16;
  for (Newton<double>* one : {&newton, &clone}) {
    x = {3};
    EXPECT_EQ(one->solve(x.data()).outcome, Outcome::converged);
    EXPECT_DOUBLE_EQ(x[0], 4);
  }
}

TEST_P(NewtonBy, goes_on_with_the_same_bits_after_it_was_saved) {
  const int n = 20;
  const Problem p = ring(n);
  std::vector<double> x(1 + n, 1.0);
  x[0] = 3;
  const std::vector<double> typical = x;
  Newton<double> newton(p.system, typical, interpreted_newton(GetParam()));
  const auto advance = [](Newton<double>& by, std::vector<double>& at, int k) {
    at[0] = 3 + std::sin(0.3 * k);
    at[1] += 0.001;  // the guess is not symmetric
    EXPECT_EQ(by.solve(at.data()).outcome, Outcome::converged);
  };
  for (int k = 0; k < 20; ++k) advance(newton, x, k);
  ByteWriter out;
  newton.save(out);
  Newton<double> loaded(p.system, typical, interpreted_newton(GetParam()));
  ByteReader in(out.bytes());
  loaded.load(in);
  in.finish();
  std::vector<double> y = x;
  for (int k = 20; k < 40; ++k) {
    advance(newton, x, k);
    advance(loaded, y, k);
    ASSERT_EQ(x, y) << k;
  }
  EXPECT_EQ(loaded.statistics().iterations, newton.statistics().iterations);
  EXPECT_EQ(loaded.statistics().factorizations, newton.statistics().factorizations);
  Newton<double> other(ring(n + 1).system, std::vector<double>(2 + n, 1.0), interpreted_newton(GetParam()));
  const auto load_into_other = [&] {
    ByteReader wrong(out.bytes());
    other.load(wrong);
    wrong.finish();
  };
  if (!newton.memoryless()) { EXPECT_THROW(load_into_other(), InputError); }
}

TEST_P(NewtonBy, does_not_allocate) {
  if (!tests::allocations_are_counted()) GTEST_SKIP() << "allocations cannot be counted in this build";
  const Problem p = ring(7);
  std::vector<double> x(8, 1.0);
  Newton<double> newton(p.system, x, interpreted_newton(GetParam()));
  newton.solve(x.data());
  const long before = tests::allocations();
  for (int k = 0; k < 20; ++k) {
    x[0] = 3 + 0.1 * k;
    newton.solve(x.data());
  }
  EXPECT_EQ(tests::allocations(), before);
}

INSTANTIATE_TEST_SUITE_P(Kinds, NewtonBy,
                         ::testing::Values(LinearSolver::automatic, LinearSolver::dense, LinearSolver::sparse,
                                           LinearSolver::minimum_norm));

TEST(Newton, chooses_its_linear_system_by_size) {
  const auto name = [](int n, LinearSolver wish) {
    return std::string(
        Newton<double>(ring(n).system, std::vector<double>(1 + n, 1.0), interpreted_newton(wish)).linear_system());
  };
  EXPECT_EQ(name(6, LinearSolver::automatic), "unrolled");
  EXPECT_EQ(name(6, LinearSolver::two_matrix), "unrolled") << "equations without stages have no two matrices";
  EXPECT_EQ(name(6, LinearSolver::sparse), "sparse");
  EXPECT_EQ(name(6, LinearSolver::minimum_norm), "minimum norm");
  EXPECT_EQ(name(80, LinearSolver::dense), "dense");
  EXPECT_EQ(name(80, LinearSolver::automatic), "sparse");
  EXPECT_EQ(name(200, LinearSolver::exact), "sparse");
  EXPECT_EQ(Newton<Quad>(ring(200).system, std::vector<Quad>(201, 1), interpreted_newton(LinearSolver::exact))
                .linear_system(),
            "dense");
}

TEST(Newton, without_unknowns_everything_is_solved) {
  Newton<double> newton({}, {}, {});
  EXPECT_EQ(newton.solve(nullptr).outcome, Outcome::converged);
  EXPECT_EQ(newton.solve_singular(nullptr).outcome, Outcome::converged);
  EXPECT_EQ(newton.clone().solve(nullptr).iterations, 0);
}

TEST(Newton, converges_quadratically_with_the_exact_matrix) {
  // From 3/2 to the root of 2 the errors are 9e-2, 2e-3, 2e-6, 2e-12, 9e-25, 3e-49: six corrections at most.
  const Problem p = square_root();
  Newton<Quad> newton(p.system, {2, Quad(3) / 2}, interpreted_newton(LinearSolver::unrolled));
  std::vector<Quad> x{2, Quad(3) / 2};
  EXPECT_LE(newton.solve(x.data()).iterations, 6);
  // A double has half as many digits: one less.
  Newton<double> in_double(p.system, {2, 1.5}, interpreted_newton(LinearSolver::unrolled));
  std::vector<double> y{2, 1.5};
  EXPECT_LE(in_double.solve(y.data()).iterations, 5);
}

TEST(Newton, names_the_equation_that_makes_the_matrix_singular) {
  Problem p(0, 2);
  p.equation(p.u(0) + p.u(1) - Quad(1));
  p.equation(Quad(2) * p.u(0) + Quad(2) * p.u(1) - Quad(2));
  Newton<double> newton(p.system, {0, 0}, interpreted_newton(LinearSolver::dense));
  std::vector<double> x{0, 0};
  const NewtonResult result = newton.solve(x.data());
  EXPECT_EQ(result.outcome, Outcome::singular);
  EXPECT_GE(result.equation, 0);
}

TEST(Newton, minimum_norm_solves_equations_that_depend_on_each_other_and_sees_contradictions) {
  Problem p(1, 2);
  p.equation(p.u(0) + p.u(1) - Quad(1));
  p.equation(p.u(0) + p.u(1) - p.a(0));
  p.system.groups = {{0, 1, p.graph->constant(1)}, {1, 1, Expr()}};  // u1 is a multiplier
  Newton<double> newton(p.system, {1, 0, 0}, interpreted_newton(LinearSolver::minimum_norm));
  std::vector<double> x{1, 0, 0};
  EXPECT_EQ(newton.solve(x.data()).outcome, Outcome::converged);
  EXPECT_DOUBLE_EQ(x[1] + x[2], 1);
  x = {2, 0, 0};
  const NewtonResult result = newton.solve(x.data());
  EXPECT_EQ(result.outcome, Outcome::contradiction);
  EXPECT_NEAR(std::abs(result.residual), 0.5, 1e-12) << "between 1 and 2";
}

TEST(Newton, stops_where_rounding_hides_the_rest) {
  // (u + c) - c = 1e-7 with c = 1e10: the left side is a multiple of 2^-19, so that every correction is 1e-7, as large
  // as u itself; but the equation holds as well as numbers of this size let it.
  Problem p(2, 1);
  p.equation((p.u(0) + p.a(0)) - p.a(0) - p.a(1));
  for (const LinearSolver linear : {LinearSolver::unrolled, LinearSolver::dense}) {
    std::vector<double> x{1e10, 1e-7, 0};
    Newton<double> newton(p.system, x, interpreted_newton(linear));
    EXPECT_EQ(newton.solve(x.data()).outcome, Outcome::converged);
    EXPECT_LT(std::abs(x[2]), 1e-6);
  }
}

TEST(Newton, a_loose_tolerance_leaves_small_corrections_out) {
  const Problem p = square_root();
  NewtonOptions options = interpreted_newton(LinearSolver::dense);
  options.tolerance = 1e-3;
  Newton<double> newton(p.system, {2, 1.5}, options);
  std::vector<double> x{2, 1.5};
  const NewtonResult result = newton.solve(x.data());
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_LE(result.correction, 1e-3);
  EXPECT_GT(std::abs(x[1] - std::sqrt(2.0)), 1e-9);
  EXPECT_LT(std::abs(x[1] - std::sqrt(2.0)), 1e-3);
}

TEST(Newton, groups_without_a_scale_follow_the_others) {
  // u1 = 1e-30 a multiplier: its corrections do not count, those of u0 do.
  Problem p(0, 2);
  p.equation(p.u(0) - Quad(1) + p.u(1));
  p.equation(p.u(1) - Quad(1e-30));
  p.system.groups = {{0, 1, p.graph->constant(0)}, {1, 1, Expr()}};
  Newton<double> newton(p.system, {0, 0}, interpreted_newton(LinearSolver::dense));
  std::vector<double> x{0.5, 0};
  const NewtonResult result = newton.solve(x.data());
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_EQ(x[0], 1);
  EXPECT_LE(result.iterations, 2);
}

TEST(Newton, a_singular_position_is_crossed_where_it_is_asked_for) {
  // The point nearest to (a, b) on two circles of radius 1 about 0 and (2, 0), which touch in (1, 0): there their
  // gradients depend on each other, and y is a double root.
  Problem p(2, 4);
  const Expr x = p.u(0), y = p.u(1), l1 = p.u(2), l2 = p.u(3);
  p.equation(x - p.a(0) + l1 * x + l2 * (x - Quad(2)));
  p.equation(y - p.a(1) + l1 * y + l2 * y);
  p.equation(x * x + y * y - Quad(1));
  p.equation((x - Quad(2)) * (x - Quad(2)) + y * y - Quad(1));
  p.system.groups = {{0, 2, p.graph->constant(1)}, {2, 2, Expr()}};
  const std::vector<double> start{1.1, 0, 1.001, 1e-6, 0, 0};
  Newton<double> newton(p.system, start, interpreted_newton(LinearSolver::dense));
  std::vector<double> at = start;
  const NewtonResult result = newton.solve_singular(at.data());
  EXPECT_EQ(result.outcome, Outcome::converged);
  EXPECT_TRUE(result.singular_position);
  EXPECT_NEAR(at[2], 1, 1e-9);
  EXPECT_NEAR(at[3], 0, 1e-5);
}

}  // namespace
}  // namespace alembert::internal
