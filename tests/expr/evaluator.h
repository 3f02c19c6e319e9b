#pragma once

// The plainest evaluator there is, for the tests of expr/: a loop over all node numbers.

#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "alembert/expr.h"
#include "alembert/expr/operators.h"

namespace alembert::internal::testing_expr {

/// Values of all nodes of a graph where symbols x have the values `at`; symbols that are not given are 0.
template <class T>
class Values {
 public:
  Values(const Graph& graph, std::span<const Expr> x, const std::vector<T>& at) : values_(graph.size()) {
    if (x.size() != at.size()) throw std::invalid_argument("sizes");
    for (std::size_t i = 0; i < x.size(); ++i) values_[x[i].id()] = at[i];
    for (std::uint32_t id = 0; id < graph.size(); ++id) {
      const Node& n = graph.node(id);
      if (n.op == Op::constant) values_[id] = T(graph.value(id));
      if (operand_count(n.op) == 1) values_[id] = evaluate<T>(n.op, values_[n.a], values_[n.a]);
      if (operand_count(n.op) == 2) values_[id] = evaluate<T>(n.op, values_[n.a], values_[n.b]);
    }
  }
  T operator()(Expr e) const { return values_[e.id()]; }

 private:
  std::vector<T> values_;
};

/// d/dx f(x) by the central difference of order 8; error about h^8 times the ninth derivative.
template <class F>
Quad difference(F f, Quad x, Quad h = 1e-3) {
  return Quad(4) / 5 * (f(x + h) - f(x - h)) / h - Quad(1) / 5 * (f(x + 2 * h) - f(x - 2 * h)) / h +
         Quad(4) / 105 * (f(x + 3 * h) - f(x - 3 * h)) / h - Quad(1) / 280 * (f(x + 4 * h) - f(x - 4 * h)) / h;
}

inline double distance(Quad a, Quad b) { return double(fabsq(a - b) / (1 + fabsq(a) + fabsq(b))); }

/// Smooth random expressions, everywhere defined: n nodes over x, the last of which reach far down.
inline Exprs random_graph(Graph& graph, const Exprs& x, int n, std::mt19937& random) {
  Exprs pool = x;
  const auto pick = [&] {
    const std::size_t recent = std::min<std::size_t>(pool.size(), 12);
    return random() % 3 == 0 ? pool[random() % pool.size()] : pool[pool.size() - 1 - random() % recent];
  };
  for (int i = 0; i < n; ++i) {
    const Expr a = pick(), b = pick();
    switch (random() % 14) {
      case 0: pool.push_back(a + b); break;
      case 1: pool.push_back(a - b); break;
      case 2: pool.push_back(sin(a) * b); break;
      case 3: pool.push_back(a / (2 + pow(b, 2))); break;
      case 4: pool.push_back(sin(a)); break;
      case 5: pool.push_back(-cos(a)); break;
      case 6: pool.push_back(graph.make(Op::tanh, a)); break;
      case 7: pool.push_back(sqrt(1 + pow(a, 2))); break;
      case 8: pool.push_back(exp(-pow(a, 2))); break;
      case 9: pool.push_back(log(3 + sin(b)) * a); break;
      case 10: pool.push_back(graph.make(Op::atan2, a, 1 + pow(b, 2))); break;
      case 11: pool.push_back(graph.make(Op::hypot, a, graph.constant(2))); break;
      case 12: pool.push_back(pow(2 + cos(a), sin(b))); break;
      case 13: pool.push_back(Quad(0.25) * a + 3 * b); break;
    }
  }
  return pool;
}

}  // namespace alembert::internal::testing_expr
