// Random expressions: every way to compute them gives the same, whatever was simplified, derived, compiled or printed.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>

#include "alembert/code/wide.h"
#include "alembert/expr/derivative.h"
#include "alembert/expr/print.h"
#include "alembert/text/syntax.h"
#include "expr/reader.h"

namespace alembert::internal {
namespace {

constexpr int variables = 3;

/// An expression and the value that it has, computed beside it by the formulas as they stand.
struct Valued {
  Expr expression;
  Quad value;
};

/// Each number of the recipe is one operation on what was made before. Denominators, roots and logarithms stay away
/// from zero, and values from infinity.
Valued made_by(Graph& graph, const Exprs& x, const std::vector<Quad>& at, const std::vector<unsigned>& recipe) {
  std::vector<Valued> made;
  for (int i = 0; i < variables; ++i) made.push_back({x[i], at[i]});
  for (const unsigned number : recipe) {
    const Valued a = made[number / 16 % made.size()], b = made[number / 512 % made.size()];
    const Quad c = Quad(static_cast<int>(number / 4096 % 17) - 8) / 4;
    const Expr e = graph.constant(c);
    Valued next;
    switch (number % 12) {
      case 0: next = {a.expression + b.expression, a.value + b.value}; break;
      case 1: next = {a.expression - b.expression, a.value - b.value}; break;
      case 2: next = {a.expression * b.expression, a.value * b.value}; break;
      case 3: next = {a.expression / (pow(b.expression, Quad(2)) + Quad(1)), a.value / (b.value * b.value + 1)}; break;
      case 4: next = {graph.make(Op::sin, a.expression), sinq(a.value)}; break;
      case 5: next = {graph.make(Op::cos, a.expression), cosq(a.value)}; break;
      case 6: next = {graph.make(Op::exp, graph.make(Op::sin, a.expression)), expq(sinq(a.value))}; break;
      case 7: next = {graph.make(Op::sqrt, pow(a.expression, Quad(2)) + Quad(1)), sqrtq(a.value * a.value + 1)}; break;
      case 8: next = {pow(a.expression, Quad(3)), a.value * a.value * a.value}; break;
      case 9: next = {a.expression * e, a.value * c}; break;
      case 10: next = {a.expression + e, a.value + c}; break;
      default: next = {-a.expression, -a.value}; break;
    }
    if (fabsq(next.value) < 1e6) made.push_back(next);
  }
  return made.back();
}

std::vector<Quad> places(const std::vector<int>& numbers) {
  std::vector<Quad> at;
  for (int i = 0; i < variables; ++i)
    at.push_back(Quad(numbers.empty() ? i + 1 : numbers[static_cast<std::size_t>(i) % numbers.size()] % 97 + i) / 64);
  return at;
}

template <class T>
std::vector<T> computed(const Exprs& x, const Exprs& outputs, const std::vector<Quad>& at, KernelOptions options) {
  const Kernel<T> kernel(x, outputs, options);
  std::vector<T> in, out(outputs.size()), work(kernel.work());
  for (const Quad value : at) in.push_back(static_cast<T>(value));
  kernel(in.data(), out.data(), work.data());
  return out;
}

Quad size_of(Quad value) { return 1 + fabsq(value); }

RC_GTEST_PROP(RandomExpressions, SimplifyingKeepsValues,
              (const std::vector<unsigned>& recipe, const std::vector<int>& n)) {
  Graph graph;
  const Exprs x = graph.symbols("x", variables);
  const std::vector<Quad> at = places(n);
  const Valued made = made_by(graph, x, at, recipe);
  const Quad value = computed<Quad>(x, {made.expression}, at, interpreted)[0];
  RC_ASSERT(fabsq(value - made.value) < Quad(1e-24) * size_of(made.value));
}

RC_GTEST_PROP(RandomExpressions, DerivativesAreThoseOfDifferences,
              (const std::vector<unsigned>& recipe, const std::vector<int>& n)) {
  Graph graph;
  const Exprs x = graph.symbols("x", variables);
  const std::vector<Quad> at = places(n);
  const Expr f = made_by(graph, x, at, recipe).expression;
  const Exprs slopes = gradient(f, x);
  const std::vector<Quad> exact = computed<Quad>(x, slopes, at, interpreted);
  const Quad h = Quad(1e-8);
  for (std::size_t i = 0; i < at.size(); ++i) {
    std::vector<Quad> values;
    for (const int k : {-2, -1, 1, 2}) {
      std::vector<Quad> there = at;
      there[i] += k * h;
      values.push_back(computed<Quad>(x, {f}, there, interpreted)[0]);
    }
    // Of fourth order: errors of h^4 and of 1e-34/h.
    const Quad difference = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h);
    Quad largest = fabsq(exact[i]);
    for (const Quad value : values) largest = fmaxq(largest, fabsq(value));
    RC_ASSERT(fabsq(difference - exact[i]) < Quad(1e-14) * (1 + largest * largest));
  }
}

RC_GTEST_PROP(RandomExpressions, CompiledCodeAndLanesHaveTheBitsOfTheInterpreter,
              (const std::vector<unsigned>& recipe, const std::vector<int>& n)) {
  Graph graph;
  const Exprs x = graph.symbols("x", variables);
  const std::vector<Quad> at = places(n);
  const Expr f = made_by(graph, x, at, recipe).expression;
  Exprs outputs = gradient(f, x);
  outputs.push_back(f);
  const std::vector<double> slow = computed<double>(x, outputs, at, interpreted);
  const auto same = [&](const std::vector<double>& other) {
    return std::memcmp(slow.data(), other.data(), slow.size() * sizeof(double)) == 0;
  };
  RC_ASSERT(same(computed<double>(x, outputs, at, {.optimise = false})));
  RC_ASSERT(same(computed<double>(x, outputs, at, {})));
  const WideKernel<double> wide(x, outputs, {});
  std::vector<double> in, out(outputs.size()), work(wide.work());
  for (const Quad value : at) in.push_back(static_cast<double>(value));
  wide(in.data(), out.data(), work.data());
  RC_ASSERT(same(out));
}

RC_GTEST_PROP(RandomExpressions, WhatIsPrintedMeansTheSame,
              (const std::vector<unsigned>& recipe, const std::vector<int>& n)) {
  Graph graph;
  const Exprs x = graph.symbols("x", variables);
  const std::vector<Quad> at = places(n);
  const Valued made = made_by(graph, x, at, recipe);
  const std::string text = to_infix(made.expression);
  RC_PRE(text.size() < 20000);
  std::map<std::string, Quad> names;
  for (int i = 0; i < variables; ++i) names[graph.name(x[i].id())] = at[i];
  const Quad read = testing_expr::Reader(text, names).read();
  RC_ASSERT(fabsq(read - made.value) < Quad(1e-22) * size_of(made.value));
  // And the language reads and prints it as it stands.
  const auto source = std::make_shared<const Source>(Source{"printed", text});
  const Term term = parse_term(source);
  const std::string again = print(term);
  RC_ASSERT(parse_term(std::make_shared<const Source>(Source{"printed", again})) == term);
}

}  // namespace
}  // namespace alembert::internal
