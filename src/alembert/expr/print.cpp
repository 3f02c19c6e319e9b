#include "alembert/expr/print.h"

#include "alembert/error.h"
#include "alembert/expr/operators.h"
#include "alembert/expr/piecewise.h"
#include "alembert/expr/writer.h"

namespace alembert::internal {
namespace {

Form constant_form(Quad value) {
  long p, q;
  if (value < 0) {
    Form form = constant_form(-value);
    form.pieces.insert(form.pieces.begin(), "-");
    return {Level::sum, form.pieces, true};
  }
  if (as_fraction(value, p, q)) return {Level::product, {std::to_string(p) + "/" + std::to_string(q)}};
  return {Level::atom, {constant_text(value)}};
}

// behind: what is written first must not begin with a minus.
Form form_of(Expr e, bool behind) {
  Graph& graph = e.graph();
  const Node n = graph.node(e.id());
  const int operands = operand_count(n.op);
  const Expr a(&graph, n.a), b(&graph, n.b);
  const auto reciprocal = [&](Expr factor, Expr& divisor) {
    const Node m = graph.node(factor.id());
    divisor = Expr(&graph, m.b);
    return m.op == Op::divide && is_constant(Expr(&graph, m.a), 1);
  };
  switch (n.op) {
    case Op::constant: return constant_form(graph.value(e.id()));
    case Op::parameter:
    case Op::symbol: return {Level::atom, {graph.name(e.id())}};
    case Op::add: return {Level::sum, {{a, Level::sum, behind}, " + ", {b, Level::sum, true}}};
    case Op::subtract: return {Level::sum, {{a, Level::sum, behind}, " - ", {b, Level::product, true}}};
    case Op::negate: return {Level::sum, {"-", {a, Level::product, true}}, true};
    case Op::multiply: {
      Expr divisor;
      if (is_constant(a)) {
        const Quad factor = graph.value(n.a);
        const bool minus = factor < 0;
        const Level level = minus ? Level::sum : Level::product;
        Pieces pieces;
        if (minus) pieces.push_back("-");
        long half;
        if (as_half(minus ? -factor : factor, half)) {
          pieces.push_back({b, Level::product, minus || behind});
          pieces.push_back("/" + std::to_string(half));
        } else {
          for (Piece& piece : constant_form(minus ? -factor : factor).pieces) pieces.push_back(std::move(piece));
          pieces.push_back("*");
          pieces.push_back({b, Level::product, true});
        }
        return {level, pieces, minus};
      }
      if (reciprocal(b, divisor)) return {Level::product, {{a, Level::product, behind}, "/", {divisor, Level::power}}};
      if (reciprocal(a, divisor)) return {Level::product, {{b, Level::product, behind}, "/", {divisor, Level::power}}};
      return {Level::product, {{a, Level::product, behind}, "*", {b, Level::product, true}}};
    }
    case Op::divide: {
      if (!is_constant(a) || !(graph.value(n.a) < 0)) {
        return {Level::product, {{a, Level::product, behind}, "/", {b, Level::power, true}}};
      }
      Form form = constant_form(graph.value(n.a));  // -3/x needs no brackets of its own
      form.pieces.push_back("/");
      form.pieces.push_back({b, Level::power, true});
      return form;
    }
    case Op::piecewise: return {Level::atom, {piecewise_of(e).name() + "(", {a, Level::sum}, ")"}};
    case Op::power: return {Level::power, {{a, Level::atom, behind}, "^", {b, Level::atom, true}}};
    default: break;
  }
  Pieces pieces = {std::string(operator_of(n.op).name) + "(", {a, Level::sum}};
  if (operands == 2) {
    pieces.push_back(", ");
    pieces.push_back({b, Level::sum});
  }
  pieces.push_back(")");
  return {Level::atom, pieces};
}

}  // namespace

std::string to_infix(Expr e) {
  check(bool(e), "an empty expression cannot be printed");
  return write(e, [](const Piece& piece) -> Pieces {
    Form form = form_of(piece.e, piece.behind);
    if (form.level >= piece.level && !(form.minus && piece.behind)) return std::move(form.pieces);
    return {"(", {piece.e, Level::sum}, ")"};
  });
}

}  // namespace alembert::internal

namespace alembert {

std::string to_text(Expr e) { return internal::to_infix(e); }

}  // namespace alembert
