#include "alembert/expr/operators.h"

#include <array>

#include "alembert/error.h"
#include "alembert/expr/piecewise.h"

namespace alembert::internal {
namespace {

constexpr std::array<Operator, 30> table = {{
    {Op::constant, "", "", "", 0},
    {Op::parameter, "", "", "", 0},
    {Op::symbol, "", "", "", 0},
    {Op::add, "+", "+", "", 2},
    {Op::subtract, "-", "-", "", 2},
    {Op::multiply, "*", "", "", 2},
    {Op::divide, "/", "\\frac", "", 2},
    {Op::power, "^", "^", "pow", 2},
    {Op::atan2, "atan2", "\\operatorname{atan2}", "atan2", 2},
    {Op::min, "min", "\\min", "", 2},
    {Op::max, "max", "\\max", "", 2},
    {Op::where, "where", "\\operatorname{where}", "", 2},
    {Op::piecewise, "", "", "alembert_piecewise", 2},
    {Op::hypot, "hypot", "\\operatorname{hypot}", "hypot", 2},
    {Op::negate, "-", "-", "", 1},
    {Op::sin, "sin", "\\sin", "sin", 1},
    {Op::cos, "cos", "\\cos", "cos", 1},
    {Op::tan, "tan", "\\tan", "tan", 1},
    {Op::asin, "asin", "\\arcsin", "asin", 1},
    {Op::acos, "acos", "\\arccos", "acos", 1},
    {Op::atan, "atan", "\\arctan", "atan", 1},
    {Op::sinh, "sinh", "\\sinh", "sinh", 1},
    {Op::cosh, "cosh", "\\cosh", "cosh", 1},
    {Op::tanh, "tanh", "\\tanh", "tanh", 1},
    {Op::exp, "exp", "\\exp", "exp", 1},
    {Op::log, "log", "\\log", "log", 1},
    {Op::sqrt, "sqrt", "\\sqrt", "", 1},
    {Op::abs, "abs", "\\operatorname{abs}", "", 1},
    {Op::positive, "positive", "\\operatorname{positive}", "", 1},
    {Op::sign, "sign", "\\operatorname{sign}", "", 1},
}};

constexpr bool table_is_in_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (std::size_t(table[i].op) != i || table[i].operands != operand_count(table[i].op)) return false;
  }
  return std::size_t(Op::sign) + 1 == table.size();
}
static_assert(table_is_in_order());

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

}  // namespace

const Operator& operator_of(Op op) { return table[std::size_t(op)]; }

std::span<const Operator> operators() { return table; }

const Operator* find_function(std::string_view name) {
  if (name.empty() || !is_letter(name[0])) return nullptr;
  for (const Operator& entry : table) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

Expr partial(Expr node, int operand) {
  check(bool(node), "an empty expression has no derivative");
  Graph& graph = node.graph();
  const Node n = graph.node(node.id());
  const int operands = operand_count(n.op);
  check(operand >= 0 && operand < operands, "no such operand");
  const Expr a(&graph, n.a);
  const Expr b = operands == 2 ? Expr(&graph, n.b) : a;
  const bool first = operand == 0;
  switch (n.op) {
    case Op::add: return graph.constant(1);
    case Op::subtract: return graph.constant(first ? 1 : -1);
    case Op::multiply: return first ? b : a;
    case Op::divide: return first ? 1 / b : -(node / b);
    case Op::power: return first ? b * pow(a, b - 1) : node * log(a);
    case Op::atan2: return first ? b / (pow(a, 2) + pow(b, 2)) : -(a / (pow(a, 2) + pow(b, 2)));
    // Where both are equal each takes half: the mean of the derivatives from either side.
    case Op::min: return (first ? 1 + graph.make(Op::sign, b - a) : 1 - graph.make(Op::sign, b - a)) / 2;
    case Op::max: return (first ? 1 - graph.make(Op::sign, b - a) : 1 + graph.make(Op::sign, b - a)) / 2;
    // Of the condition, which is 0 or 1 and never in between, nothing is seen.
    case Op::where: return first ? graph.constant(0) : where(a, graph.constant(1));
    case Op::piecewise: return first ? piecewise(a, piecewise_of(node).slope()) : graph.constant(0);
    case Op::hypot: return (first ? a : b) / node;
    case Op::negate: return graph.constant(-1);
    case Op::sin: return cos(a);
    case Op::cos: return -sin(a);
    case Op::tan: return 1 + pow(node, 2);
    // (1 - a)(1 + a) instead of 1 - a^2: no cancellation near the ends.
    case Op::asin: return 1 / sqrt((1 - a) * (1 + a));
    case Op::acos: return -(1 / sqrt((1 - a) * (1 + a)));
    case Op::atan: return 1 / (1 + pow(a, 2));
    case Op::sinh: return graph.make(Op::cosh, a);
    case Op::cosh: return graph.make(Op::sinh, a);
    case Op::tanh: return 1 - pow(node, 2);
    case Op::exp: return node;
    case Op::log: return 1 / a;
    case Op::sqrt: return 1 / (2 * node);
    case Op::abs: return graph.make(Op::sign, a);
    case Op::positive:
    case Op::sign: return graph.constant(0);
    case Op::constant:
    case Op::parameter:
    case Op::symbol: break;
  }
  check(false, "constants and symbols have no operands");
  return {};
}

}  // namespace alembert::internal
