#include "alembert/derive/identity.h"

#include <quadmath.h>

#include <unordered_map>

#include "alembert/expr/operators.h"

namespace alembert::internal {

namespace {

/// Fractions of multiples of the golden section: spread over (0, 1), the same on every run.
Quad scattered(int number) {
  const Quad golden = (sqrtq(Quad(5)) - 1) / 2;
  const Quad x = golden * number;
  return x - floorq(x);
}

}  // namespace

bool equal_functions(ExprSpan a, ExprSpan b) {
  if (a.size() != b.size()) return false;
  Exprs all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  if (all.empty()) return true;
  const Graph& graph = all[0].graph();
  const std::vector<std::uint32_t> order = reachable(all);
  for (int trial = 0; trial < 3; ++trial) {
    std::unordered_map<std::uint32_t, Quad> value;
    int symbols = 1 + 1000 * trial;
    for (std::uint32_t id : order) {
      const Node& n = graph.node(id);
      if (n.op == Op::constant) value[id] = graph.value(id);
      else if (operand_count(n.op) == 0) value[id] = scattered(symbols++) + Quad(1) / 10;
      else value[id] = evaluate<Quad>(n.op, value.at(n.a), operator_of(n.op).operands == 2 ? value.at(n.b) : Quad(0));
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] == b[i]) continue;
      const Quad x = value.at(a[i].id()), y = value.at(b[i].id());
      if (!finiteq(x) || !finiteq(y) || fabsq(x - y) > Quad(1e-24) * (1 + fabsq(x) + fabsq(y))) return false;
    }
  }
  return true;
}

}  // namespace alembert::internal
