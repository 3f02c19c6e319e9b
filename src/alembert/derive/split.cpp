#include "alembert/derive/split.h"

#include <unordered_map>
#include <unordered_set>

#include "alembert/expr/operators.h"

namespace alembert::internal {

namespace {

enum Content : unsigned char { nothing = 0, has_lambda = 1, has_psi = 2, both = 3 };

/// A node as a sum of parts; an empty Expr stands for 0. `tangled`: contains both kinds and is not such a sum.
struct Parts {
  Expr free, holonomic, nonholonomic;
  Content content = nothing;
  bool tangled = false;
};

Expr combine(Op op, Expr a, Expr b) {
  if (op == Op::subtract) return !b ? a : a ? a - b : -b;
  return !b ? a : a ? a + b : b;
}

Parts added(Op op, const Parts& a, const Parts& b) {
  Parts c;
  c.free = combine(op, a.free, b.free);
  c.holonomic = combine(op, a.holonomic, b.holonomic);
  c.nonholonomic = combine(op, a.nonholonomic, b.nonholonomic);
  c.tangled = a.tangled || b.tangled;
  return c;
}

template <class Scale>
Parts scaled(const Parts& a, Scale scale) {
  Parts c;
  if (a.free) c.free = scale(a.free);
  if (a.holonomic) c.holonomic = scale(a.holonomic);
  if (a.nonholonomic) c.nonholonomic = scale(a.nonholonomic);
  c.tangled = a.tangled;
  return c;
}

/// A node that is no sum: it goes as a whole to where its multipliers say.
Parts whole(Expr e, Content content) {
  Parts c;
  if (content == nothing) c.free = e;
  if (content == has_lambda) c.holonomic = e;
  if (content == has_psi) c.nonholonomic = e;
  c.tangled = content == both;
  return c;
}

Parts parts_of_node(Expr e, const Node& n, const Parts& a, const Parts& b, Content content) {
  if (content == nothing) return whole(e, content);
  switch (n.op) {
    case Op::add:
    case Op::subtract: return added(n.op, a, b);
    case Op::negate: return scaled(a, [](Expr x) { return -x; });
    case Op::multiply:
      if (a.content == nothing) return scaled(b, [&](Expr x) { return a.free * x; });
      if (b.content == nothing) return scaled(a, [&](Expr x) { return x * b.free; });
      return whole(e, content);
    case Op::divide:
      if (b.content == nothing) return scaled(a, [&](Expr x) { return x / b.free; });
      return whole(e, content);
    default: return whole(e, content);
  }
}

}  // namespace

ForceParts split_force(ExprSpan force, ExprSpan lambda, ExprSpan psi, Graph& graph, int& mixed) {
  std::unordered_map<std::uint32_t, Content> kind;
  for (Expr e : lambda) kind[e.id()] = has_lambda;
  for (Expr e : psi) kind[e.id()] = has_psi;

  std::unordered_map<std::uint32_t, Parts> parts;
  for (std::uint32_t id : reachable(force)) {
    const Node n = graph.node(id);
    const Expr e(&graph, id);
    if (operand_count(n.op) == 0) {
      const auto found = kind.find(id);
      const Content content = found == kind.end() ? nothing : found->second;
      Parts p = whole(e, content);
      p.content = content;
      parts[id] = p;
      continue;
    }
    const Parts a = parts.at(n.a);
    const Parts b = operator_of(n.op).operands == 2 ? parts.at(n.b) : Parts{};
    const Content content = static_cast<Content>(a.content | b.content);
    Parts p = parts_of_node(e, n, a, b, content);
    p.content = content;
    parts[id] = p;
  }

  ForceParts result;
  mixed = -1;
  const Expr zero = graph.constant(0);
  for (std::size_t i = 0; i < force.size(); ++i) {
    const Parts& p = parts.at(force[i].id());
    if (p.tangled && mixed < 0) mixed = static_cast<int>(i);
    result.free.push_back(p.free ? p.free : zero);
    result.holonomic.push_back(p.holonomic ? p.holonomic : zero);
    result.nonholonomic.push_back(p.nonholonomic ? p.nonholonomic : zero);
  }
  return result;
}

std::optional<double> homogeneous_degree(Expr e, ExprSpan x) {
  std::unordered_set<std::uint32_t> variables;
  for (Expr s : x) variables.insert(s.id());
  Graph& graph = e.graph();
  std::unordered_map<std::uint32_t, std::optional<double>> degree;
  const Exprs root = {e};
  for (std::uint32_t id : reachable(root)) {
    const Node n = graph.node(id);
    std::optional<double> d;
    if (operand_count(n.op) == 0) {
      degree[id] = variables.contains(id) ? 1.0 : 0.0;
      continue;
    }
    const bool two = operator_of(n.op).operands == 2;
    const std::optional<double> a = degree.at(n.a);
    const std::optional<double> b = two ? degree.at(n.b) : std::optional<double>(0.0);
    if (a && b) {
      switch (n.op) {
        case Op::add:
        case Op::subtract:
          if (*a == *b) d = a;
          break;
        case Op::negate:
        case Op::abs: d = a; break;
        case Op::multiply: d = *a + *b; break;
        case Op::divide: d = *a - *b; break;
        case Op::sqrt: d = *a / 2; break;
        case Op::power:
          if (graph.node(n.b).op == Op::constant) d = *a * static_cast<double>(graph.value(n.b));
          else if (*a == 0 && *b == 0) d = 0.0;
          break;
        default:
          if (*a == 0 && *b == 0) d = 0.0;
      }
    }
    degree[id] = d;
  }
  return degree.at(e.id());
}

}  // namespace alembert::internal
