// Kernels of many outputs compute what plain kernels compute, bit for bit, and find the formulas that repeat.

#include "alembert/code/wide.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "alembert/expr/derivative.h"

namespace alembert::internal {
namespace {

struct ChainOutputs {
  Graph graph;
  Exprs inputs, outputs;

  explicit ChainOutputs(int n) {
    const Expr h = graph.symbol("h");
    const Exprs x = graph.symbols("x", n), lambda = graph.symbols("lambda", n);
    inputs = {h};
    inputs.insert(inputs.end(), x.begin(), x.end());
    inputs.insert(inputs.end(), lambda.begin(), lambda.end());
    Exprs squares;
    for (int i = 1; i + 1 < n; ++i) {
      const Expr left = x[i] - x[i - 1], right = x[i + 1] - x[i];
      outputs.push_back(h * (lambda[i] * left - lambda[i + 1] * right) + graph.make(Op::sin, x[i]));
      outputs.push_back(left * left - Quad(1));
      squares.push_back(pow(x[i], Quad(2)));
    }
    outputs.push_back(sum(graph, squares));  // depends on everything: a formula of its own
    outputs.push_back(graph.constant(3));
    outputs.push_back(h);
  }
};

void expect_equal(const ChainOutputs& chain, KernelOptions options) {
  const Kernel<double> plain(chain.inputs, chain.outputs, {Backend::interpreter, false});
  const WideKernel<double> wide(chain.inputs, chain.outputs, options);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-2, 2);
  std::vector<double> in(chain.inputs.size()), a(chain.outputs.size()), b(chain.outputs.size(), -7);
  std::vector<double> work_a(plain.work()), work_b(wide.work());
  for (double& value : in) value = number(random);
  plain(in.data(), a.data(), work_a.data());
  wide(in.data(), b.data(), work_b.data());
  EXPECT_EQ(wide.outputs(), static_cast<int>(chain.outputs.size()));
  EXPECT_EQ(a, b);
}

TEST(WideKernel, ComputesWhatAPlainKernelComputes) {
  for (const int n : {3, 10, 600, 3000}) {
    const ChainOutputs chain(n);
    expect_equal(chain, {Backend::interpreter, false});
    expect_equal(chain, {});
  }
}

// Machine code goes through the places by itself: forward and backward, over inputs that stay, with both sine and
// cosine of a number, with parameters, and with outputs that are nothing but inputs and constants.
TEST(WideKernel, MachineCodeWalksThroughThePlaces) {
  if (!native_available()) GTEST_SKIP() << "this build has no compiler";
  constexpr int n = 1500;
  Graph graph;
  const Expr h = graph.symbol("h"), g = graph.parameter(0, "g", 9.81);
  const Exprs x = graph.symbols("x", 3 * n), v = graph.symbols("v", n);
  Exprs inputs{h}, outputs;
  inputs.insert(inputs.end(), x.begin(), x.end());
  inputs.insert(inputs.end(), v.begin(), v.end());
  for (int i = 0; i < n; ++i) {
    const int back = n - 1 - i;
    outputs.push_back(h * sin(x[3 * i]) * v[back] - cos(x[3 * i]) * x[3 * i + 1]);
    outputs.push_back(g * x[3 * i + 2] / (1 + v[back] * v[back]));
    outputs.push_back(v[back]);
  }
  for (const bool optimise : {false, true}) {
    const KernelOptions options{.backend = Backend::native, .optimise = optimise};
    const Kernel<double> plain(inputs, outputs, interpreted);
    WideKernel<double> wide(inputs, outputs, options);
    EXPECT_GE(wide.repeated(), 1);
    std::mt19937 random(11);
    std::uniform_real_distribution<double> number(-2, 2);
    std::vector<double> in(inputs.size()), a(outputs.size()), b(outputs.size(), -7);
    std::vector<double> work_a(plain.work()), work_b(wide.work());
    for (double& value : in) value = number(random);
    for (const double gravity : {9.81, 1.62}) {
      wide.bind(gravity == 9.81 ? nullptr : &gravity);
      plain.call(in.data(), a.data(), work_a.data(), &gravity);
      wide(in.data(), b.data(), work_b.data());
      EXPECT_EQ(a, b);
    }
  }
}

// A sum over the whole system: its terms repeat.
TEST(WideKernel, LongSumsAreMadeOfFormulasThatRepeat) {
  for (const bool many : {false, true}) {
    ChainOutputs chain(20'000);
    Exprs terms;
    for (std::size_t i = 2; i < 20'000; ++i) {
      const Expr x = chain.inputs[i], before = chain.inputs[i - 1];
      terms.push_back(Quad(0.1) * pow(x, Quad(2)) + cos(x - before) * chain.inputs[0] - x / (pow(before, Quad(2)) + 3));
    }
    const Exprs sums = {sum(chain.graph, terms), largest(chain.graph, terms), -sum(chain.graph, terms)};
    if (!many) chain.outputs.clear();
    chain.outputs.insert(chain.outputs.end(), sums.begin(), sums.end());
    expect_equal(chain, {Backend::interpreter, false});
    expect_equal(chain, {});
    const Kernel<double> plain(chain.inputs, chain.outputs, {Backend::interpreter, false});
    const WideKernel<double> wide(chain.inputs, chain.outputs, {Backend::interpreter, false});
    EXPECT_LT(wide.work(), plain.work() / 4);  // no register for every operation
  }
}

TEST(WideKernel, FindsTheFormulasThatRepeat) {
  const ChainOutputs few(10), many(2000);
  EXPECT_EQ(WideKernel<double>(few.inputs, few.outputs).repeated(), 0);
  const int found = WideKernel<double>(many.inputs, many.outputs).repeated();
  EXPECT_GE(found, 1);
  EXPECT_LE(found, 4);  // not one for each place
}

// Two coordinates of each point, with the same formula: its places alternate.
TEST(WideKernel, FindsPlacesThatAlternate) {
  if (!native_available()) GTEST_SKIP() << "this build has no compiler";
  constexpr int n = 400;
  Graph graph;
  const Expr h = graph.symbol("h");
  const Exprs x = graph.symbols("x", 3 * n), lambda = graph.symbols("lambda", n);
  Exprs inputs{h}, outputs;
  inputs.insert(inputs.end(), x.begin(), x.end());
  inputs.insert(inputs.end(), lambda.begin(), lambda.end());
  for (int i = 0; i < n; ++i) {
    for (int d = 0; d < 2; ++d) outputs.push_back(h * lambda[i] * x[3 * i + d] - x[3 * i + d] * x[3 * i + d]);
    outputs.push_back(h * lambda[i] * x[3 * i + 2] - Quad(9.81));
  }
  const WideKernel<double> wide(inputs, outputs, {.backend = Backend::native, .optimise = false});
  EXPECT_EQ(wide.repeated(), 3) << "machine code that walks: one of each coordinate";
  const Kernel<double> plain(inputs, outputs, interpreted);
  std::vector<double> in(inputs.size()), a(outputs.size()), b(outputs.size(), -7), work(plain.work() + wide.work());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::sin(1.0 + static_cast<double>(i));
  plain(in.data(), a.data(), work.data());
  wide(in.data(), b.data(), work.data());
  EXPECT_EQ(a, b);
}

TEST(WideKernel, WorksInExtendedPrecision) {
  const ChainOutputs chain(1200);
  const Kernel<Quad> plain(chain.inputs, chain.outputs);
  const WideKernel<Quad> wide(chain.inputs, chain.outputs);
  std::vector<Quad> in(chain.inputs.size(), Quad(1) / 3), a(chain.outputs.size()), b(a),
      work(std::max(plain.work(), wide.work()));
  plain(in.data(), a.data(), work.data());
  wide(in.data(), b.data(), work.data());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(a[i] == b[i]) << i;
}

}  // namespace
}  // namespace alembert::internal
