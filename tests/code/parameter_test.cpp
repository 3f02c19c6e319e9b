// Parameters: constants whose values are given when a kernel is called.

#include <gtest/gtest.h>

#include <cmath>

#include "alembert/code/wide.h"
#include "alembert/expr/derivative.h"
#include "alembert/expr/print.h"

namespace alembert::internal {
namespace {

template <class K>
std::vector<double> values(const K& kernel, const std::vector<double>& in) {
  std::vector<double> out(kernel.outputs()), work(kernel.work());
  kernel(in.data(), out.data(), work.data());
  return out;
}

TEST(Parameter, the_same_number_is_the_same_expression) {
  Graph graph;
  const Expr m = graph.parameter(2, "m", 3);
  EXPECT_EQ(m, graph.parameter(2, "m", 3));
  EXPECT_NE(m, graph.parameter(1, "l", 3));
  EXPECT_FALSE(is_constant(m));
  EXPECT_EQ(to_infix(m), "m");
  const Expr x = graph.symbol("x");
  EXPECT_FALSE(is_constant(m * x));
  EXPECT_EQ(gradient(m * x * x, Exprs{x})[0], 2 * (m * x));
}

TEST(Parameter, is_carried_into_another_graph) {
  Graph graph, other;
  const Expr x = graph.symbol("x"), u = other.symbol("u");
  const Expr moved = substitute(graph.parameter(1, "k", 5) * x, Exprs{x}, Exprs{u}, other);
  EXPECT_EQ(moved, other.parameter(1, "k", 5) * u);
}

class ParameterKernel : public ::testing::TestWithParam<Backend> {};

TEST_P(ParameterKernel, reads_its_usual_values_or_the_bound_ones) {
  if (GetParam() == Backend::native && !native_available()) return;
  Graph graph;
  const Expr x = graph.symbol("x"), m = graph.parameter(0, "m", 3), k = graph.parameter(3, "k", Quad(1) / 4);
  const Exprs in{x}, out{m * x + k, k, pow(x, m), sin(k * x)};
  Kernel<double> kernel(in, out, {.backend = GetParam()});
  EXPECT_EQ(values(kernel, {2}), (std::vector<double>{6.25, 0.25, std::pow(2.0, 3.0), std::sin(0.5)}));
  std::vector<double> table{5, 0, 0, 2};
  kernel.bind(table.data());
  EXPECT_EQ(values(kernel, {2}), (std::vector<double>{12, 2, std::pow(2.0, 5.0), std::sin(4.0)}));
  table[0] = -1;
  Kernel<double> copy = kernel;
  EXPECT_EQ(values(copy, {2})[0], 0);
  copy.bind(nullptr);
  EXPECT_EQ(values(copy, {2})[0], 6.25);
  EXPECT_EQ(values(kernel, {2})[0], 0);
}

TEST_P(ParameterKernel, in_many_chunks_and_at_many_places) {
  if (GetParam() == Backend::native && !native_available()) return;
  Graph graph;
  const int n = 3000;
  const Exprs x = graph.symbols("x", n);
  const Expr k = graph.parameter(0, "k", 2), l = graph.parameter(1, "l", 1);
  Exprs out;
  for (int i = 0; i + 1 < n; ++i) out.push_back(k * (sqrt(pow(x[i + 1] - x[i], 2)) - l));
  WideKernel<double> kernel(x, out, {.backend = GetParam()});
  EXPECT_GT(kernel.repeated(), 0);
  std::vector<double> in(n);
  for (int i = 0; i < n; ++i) in[i] = i * i;
  const std::vector<double> table{10, 3};
  kernel.bind(table.data());
  const std::vector<double> found = values(kernel, in);
  for (int i = 0; i + 1 < n; ++i) ASSERT_EQ(found[i], 10.0 * ((2 * i + 1) - 3.0));
}

INSTANTIATE_TEST_SUITE_P(Backends, ParameterKernel, ::testing::Values(Backend::interpreter, Backend::native));

}  // namespace
}  // namespace alembert::internal
