// Formulas by kinds: what one of a kind says, with the inputs of another, is what that other says; and kernels made of
// kinds compute what plain kernels compute, bit for bit.

#include "alembert/code/alike.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "alembert/code/wide.h"
#include "alembert/expr/derivative.h"

namespace alembert::internal {
namespace {

/// Pulls between neighbours, of which the first is another kind, with squares and a constant between them.
struct Pulls {
  Graph graph;
  Exprs inputs, formulas;

  explicit Pulls(int n) {
    const Expr h = graph.symbol("h");
    const Exprs x = graph.symbols("x", n), k = graph.symbols("k", n);
    inputs = {h};
    inputs.insert(inputs.end(), x.begin(), x.end());
    inputs.insert(inputs.end(), k.begin(), k.end());
    for (int i = 0; i < n; ++i) {
      const Expr left = i > 0 ? x[i] - x[i - 1] : x[i];
      formulas.push_back(h * k[i] * left + graph.make(Op::sin, x[i]));
      formulas.push_back(left * left - Quad(1));
    }
    formulas.push_back(graph.constant(3));
  }
};

std::vector<double> computed(const WideKernel<double>& kernel, const std::vector<double>& in) {
  std::vector<double> out(kernel.outputs(), -7), work(kernel.work());
  kernel(in.data(), out.data(), work.data());
  return out;
}

std::vector<double> some_numbers(std::size_t count) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-2, 2);
  std::vector<double> values(count);
  for (double& value : values) value = number(random);
  return values;
}

TEST(FormulaList, SaysWhatEachFormulaSays) {
  const Pulls pulls(40);
  const auto list = FormulaList::read(pulls.inputs, pulls.formulas);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->size(), 81);
  EXPECT_EQ(list->kinds(), 5) << "two of the first point, two of the others, the constant";
  EXPECT_EQ(list->kind(2), list->kind(78));
  EXPECT_NE(list->kind(0), list->kind(2));
  for (int i = 0; i < list->size(); ++i) EXPECT_EQ(list->written(i, pulls.inputs), pulls.formulas[i]) << i;
  EXPECT_EQ(list->inputs(2).size(), 4u);
  EXPECT_EQ(list->inputs(80).size(), 0u);
}

TEST(FormulaList, KernelsOfKindsComputeWhatPlainOnesCompute) {
  for (const int n : {3, 40, 800}) {  // two formulas a point: 1,000 of them are many
    const Pulls pulls(n);
    const auto list = FormulaList::read(pulls.inputs, pulls.formulas);
    ASSERT_TRUE(list);
    std::vector<AlikeFormulas> places;
    list->place(0, list->size(), 0, pulls.inputs, places);
    const std::vector<double> in = some_numbers(pulls.inputs.size());
    const WideKernel<double> plain(pulls.inputs, pulls.formulas, {Backend::interpreter, false});
    for (const KernelOptions& options : {KernelOptions{Backend::interpreter, false}, KernelOptions{}}) {
      const WideKernel<double> kinds(pulls.inputs, places, options);
      EXPECT_EQ(kinds.repeated() > 0, n == 800);
      EXPECT_EQ(computed(kinds, in), computed(plain, in)) << n;
    }
  }
}

TEST(FormulaList, InputsThatStandForOthersMakeOtherKinds) {
  const Pulls pulls(30);
  const auto list = FormulaList::read(pulls.inputs, pulls.formulas);
  ASSERT_TRUE(list);
  // k[i] is x[i] for the first twenty.
  std::vector<std::uint32_t> stands_for(pulls.inputs.size());
  std::iota(stands_for.begin(), stands_for.end(), 0u);
  for (std::uint32_t i = 0; i < 20; ++i) stands_for[31 + i] = 1 + i;
  const FormulaList merged = list->merged(stands_for, pulls.inputs);
  EXPECT_EQ(merged.size(), list->size());
  EXPECT_NE(merged.kind(2), merged.kind(58));
  EXPECT_EQ(merged.kind(2), merged.kind(38));
  EXPECT_EQ(merged.inputs(2).size(), 3u);
  Exprs to;
  for (const std::uint32_t k : stands_for) to.push_back(pulls.inputs[k]);
  Graph& graph = pulls.inputs.front().graph();
  const Exprs expected = substitute(pulls.formulas, pulls.inputs, to, graph);
  for (int i = 0; i < merged.size(); ++i) EXPECT_EQ(merged.written(i, pulls.inputs), expected[i]) << i;
}

TEST(FormulaList, IsNotMadeOfSumsOverAllOrOfOtherSymbols) {
  Pulls pulls(3000);
  EXPECT_TRUE(FormulaList::read(pulls.inputs, pulls.formulas));
  const Exprs whole{sum(pulls.graph, pulls.formulas)};
  EXPECT_FALSE(FormulaList::read(pulls.inputs, whole));
  const Exprs other{pulls.graph.symbol("other") + pulls.inputs[1]};
  EXPECT_FALSE(FormulaList::read(pulls.inputs, other));
}

}  // namespace
}  // namespace alembert::internal
