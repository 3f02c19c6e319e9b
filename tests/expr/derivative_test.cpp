#include "alembert/expr/derivative.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "evaluator.h"

namespace alembert::internal {
namespace {

using testing_expr::difference;
using testing_expr::distance;
using testing_expr::random_graph;
using testing_expr::Values;

std::vector<Quad> random_point(std::size_t n, std::mt19937& random) {
  std::vector<Quad> at;
  for (std::size_t i = 0; i < n; ++i) at.push_back(2.0 * random() / random.max() - 1);
  return at;
}

TEST(DerivativeTest, AllWaysAgreeOnRandomGraphs) {
  std::mt19937 random(99);
  int nonzero = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Graph graph;
    const int n = 2 + trial % 7, m = 1 + trial % 11;
    const Exprs x = graph.symbols("x", n), d = graph.symbols("d", n), w = graph.symbols("w", m);
    const Exprs pool = random_graph(graph, x, 30 + 3 * trial, random);
    const Exprs f(pool.end() - m, pool.end());

    const SparseExprs sparse = jacobian(f, x);
    ASSERT_EQ(sparse.rows, m);
    ASSERT_EQ(sparse.columns, n);
    ASSERT_EQ(sparse.row_start.size(), std::size_t(m) + 1);
    for (int i = 0; i < m; ++i) {
      for (int k = sparse.row_start[i]; k < sparse.row_start[i + 1]; ++k) {
        EXPECT_TRUE(k == sparse.row_start[i] || sparse.column[k - 1] < sparse.column[k]);
        EXPECT_FALSE(is_zero(sparse.value[k]));
      }
    }
    const std::vector<Exprs> full = dense(sparse, graph);
    std::vector<Exprs> rows;
    for (const Expr e : f) rows.push_back(gradient(e, x));
    const Exprs along = directional(f, x, d), back = transposed_product(f, x, w);

    const std::vector<Quad> at = random_point(n, random), dv = random_point(n, random), wv = random_point(m, random);
    Exprs symbols = x;
    std::vector<Quad> point = at;
    symbols.insert(symbols.end(), d.begin(), d.end());
    point.insert(point.end(), dv.begin(), dv.end());
    symbols.insert(symbols.end(), w.begin(), w.end());
    point.insert(point.end(), wv.begin(), wv.end());
    const Values<Quad> values(graph, symbols, point);
    std::vector<Quad> product(n, 0);
    for (int i = 0; i < m; ++i) {
      Quad expected = 0;
      for (int j = 0; j < n; ++j) {
        const Quad entry = values(rows[i][j]);
        EXPECT_LT(distance(values(full[i][j]), entry), 1e-28);
        expected += entry * dv[j];
        product[j] += wv[i] * entry;
        const auto through = [&](Quad t) {
          std::vector<Quad> moved = at;
          moved[j] = t;
          return Values<Quad>(graph, x, moved)(f[i]);
        };
        if (trial < 25) {
          const Quad slope = difference(through, at[j], Quad(1e-5));
          // Long random chains may be steep; then the difference is what is inexact.
          EXPECT_TRUE(fabsq(slope) > 1e3 || distance(entry, slope) < 1e-16) << "trial " << trial;
        }
        nonzero += entry != 0;
      }
      EXPECT_LT(distance(values(along[i]), expected), 1e-27);
    }
    for (int j = 0; j < n; ++j) EXPECT_LT(distance(values(back[j]), product[j]), 1e-27);
  }
  EXPECT_GT(nonzero, 500);
}

TEST(DerivativeTest, HessianVectorAgreesWithJacobianOfGradient) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 20; ++trial) {
    Graph graph;
    const int n = 2 + trial % 4;
    const Exprs x = graph.symbols("x", n), d = graph.symbols("d", n);
    const Expr f = random_graph(graph, x, 25, random).back();
    const Exprs slope = gradient(f, x);
    const std::vector<Exprs> hessian = dense(jacobian(slope, x), graph);
    const Exprs times = hessian_vector(f, x, d);
    std::vector<Quad> point = random_point(2 * n, random);
    Exprs symbols = x;
    symbols.insert(symbols.end(), d.begin(), d.end());
    const Values<Quad> values(graph, symbols, point);
    for (int i = 0; i < n; ++i) {
      Quad expected = 0;
      for (int j = 0; j < n; ++j) {
        EXPECT_LT(distance(values(hessian[i][j]), values(hessian[j][i])), 1e-26);
        expected += values(hessian[i][j]) * point[n + j];
      }
      EXPECT_LT(distance(values(times[i]), expected), 1e-26);
    }
  }
}

TEST(DerivativeTest, DirectionMayDependOnTheVariables) {
  Graph graph;
  const Expr x = graph.symbol("x");
  const Expr f = pow(x, 3);
  const Expr times = hessian_vector(f, std::vector{x}, std::vector{x})[0];  // 6 x d at d = x
  EXPECT_EQ(Values<double>(graph, std::vector{x}, {1.5})(times), 13.5);
}

TEST(DerivativeTest, ResultsAreTheFormulasOneWrites) {
  Graph graph;
  const Expr m = graph.symbol("m"), x = graph.symbol("x"), y = graph.symbol("y"), u = graph.symbol("u"),
             v = graph.symbol("v");
  const Exprs p = gradient(m / 2 * (pow(u, 2) + pow(v, 2)), std::vector{u, v});
  EXPECT_EQ(p[0], m * u);
  EXPECT_EQ(p[1], m * v);
  EXPECT_EQ(gradient(p[0], std::vector{u})[0], m);
  const Expr r = sqrt(pow(x, 2) + pow(y, 2));
  EXPECT_EQ(gradient(r, std::vector{x})[0], x * (1 / r));  // the reciprocal is shared with the other components
  EXPECT_TRUE(is_zero(gradient(sin(x), std::vector{y})[0]));
  EXPECT_EQ(gradient(x, std::vector{y, x})[1], graph.constant(1));
  EXPECT_TRUE(gradient(x, {}).empty());
  const SparseExprs j = jacobian(std::vector{x * y, graph.constant(3), y}, std::vector{x, y});
  EXPECT_EQ(j.row_start, (std::vector<int>{0, 2, 2, 3}));
  EXPECT_EQ(j.column, (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(j.value, (Exprs{y, x, graph.constant(1)}));
}

TEST(DerivativeTest, EmptyLists) {
  Graph graph;
  const Expr x = graph.symbol("x");
  EXPECT_EQ(jacobian({}, {}).row_start, std::vector<int>{0});
  EXPECT_EQ(jacobian(std::vector{x}, {}).row_start, (std::vector<int>{0, 0}));
  EXPECT_EQ(jacobian({}, std::vector{x}).columns, 1);
  EXPECT_TRUE(directional({}, std::vector{x}, std::vector{x}).empty());
  EXPECT_TRUE(is_zero(directional(std::vector{x}, {}, {})[0]));
  EXPECT_TRUE(is_zero(transposed_product({}, std::vector{x}, {})[0]));
  EXPECT_TRUE(reachable({}).empty());
  EXPECT_TRUE(free_symbols({}).empty());
  EXPECT_FALSE(depends(ExprSpan(), std::vector{x}));
}

TEST(DerivativeTest, WrongUseIsOurError) {
  Graph graph, other;
  const Expr x = graph.symbol("x"), u = other.symbol("u");
  EXPECT_THROW(gradient(x, std::vector{u}), std::logic_error);
  EXPECT_THROW(gradient(x, std::vector{sin(x)}), std::logic_error);
  EXPECT_THROW(gradient(x, std::vector{x, x}), std::logic_error);
  EXPECT_THROW(gradient(Expr(), std::vector{x}), std::logic_error);
  EXPECT_THROW(directional(std::vector{x}, std::vector{x}, {}), std::logic_error);
  EXPECT_THROW(substitute(sin(x), {}, {}, other), std::logic_error);
  EXPECT_THROW(substitute(sin(x), std::vector{x, x}, std::vector{u, u}, other), std::logic_error);
}

TEST(RewriteTest, SubstituteAcrossGraphsKeepsValues) {
  std::mt19937 random(11);
  Graph graph, other;
  const Exprs x = graph.symbols("x", 3), u = other.symbols("u", 2);
  const Exprs pool = random_graph(graph, x, 100, random);
  const Exprs f(pool.end() - 5, pool.end());
  const Exprs to = {u[0] * u[1], sin(u[0]), other.constant(0.25)};
  const Exprs moved = substitute(f, x, to, other);
  const std::vector<Quad> at = {0.3, -0.8};
  const Values<Quad> values(graph, x, {at[0] * at[1], sinq(at[0]), 0.25}), images(other, u, at);
  for (std::size_t i = 0; i < f.size(); ++i) EXPECT_LT(distance(images(moved[i]), values(f[i])), 1e-30);
}

TEST(RewriteTest, SubstituteIsSimultaneousAndSimplifies) {
  Graph graph;
  const Expr x = graph.symbol("x"), y = graph.symbol("y"), z = graph.symbol("z");
  EXPECT_EQ(substitute(x - 2 * y, std::vector{x, y}, std::vector{y, x}, graph), y - 2 * x);
  EXPECT_EQ(substitute(x * y + z, std::vector{x}, std::vector{graph.constant(0)}, graph), z);
  const Expr kept = sin(y) * z;
  EXPECT_EQ(substitute(kept, std::vector{x}, std::vector{y}, graph), kept);
}

TEST(RewriteTest, WhatOccurs) {
  Graph graph;
  const Expr x = graph.symbol("x"), y = graph.symbol("y"), z = graph.symbol("z");
  const Expr f = sin(z) + x * 2;
  EXPECT_EQ(free_symbols(std::vector{f}), (Exprs{x, z}));
  EXPECT_TRUE(depends(f, std::vector{x}));
  EXPECT_TRUE(depends(f, std::vector{y, z}));
  EXPECT_FALSE(depends(f, std::vector{y}));
  EXPECT_FALSE(depends(f, {}));
  EXPECT_TRUE(depends(std::vector{y, f}, std::vector{x}));
  const std::vector<std::uint32_t> order = reachable(std::vector{f, y});
  EXPECT_EQ(order.size(), 7u);  // x y z 2 sin(z) 2*x and the sum
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

}  // namespace
}  // namespace alembert::internal
