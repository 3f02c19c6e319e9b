#pragma once

// Expressions simplified for the reader: like terms gathered, powers collected, sin^2 + cos^2 = 1, common factors taken
// out, factors and terms in the usual order. For display only; equations that are computed with never pass through
// here.

#include <unordered_map>
#include <vector>

#include "alembert/expr/form.h"
#include "alembert/expr/form_replace.h"

namespace alembert::internal {

/// What the symbols are, in the order in which they are read; those in no list are parameters.
struct SymbolKinds {
  Exprs multipliers, coordinates, velocities, accelerations;
};

/// Takes expressions of one graph one after the other; what they share is worked out once. Makes no nodes in the graph.
class Collector {
 public:
  explicit Collector(const SymbolKinds& kinds);

  /// The shorter of the expression as it stands and of its terms gathered and factored. With `unknowns` the
  /// coefficients of their products are gathered where that is not much longer: (M + m)*x'' + m*l*cos(phi)*phi''. Equal
  /// to the expression to rounding wherever that is finite.
  form::Sum collect(Expr e, const Exprs& unknowns = {});
  const form::FormTable& table() const { return table_; }
  form::FormTable& table() { return table_; }

 private:
  struct Forms {
    form::Sum shown;                    // the shortest one
    std::optional<form::Sum> expanded;  // a sum of products of atoms, where that is not too long
  };
  const Forms& forms(Expr e);
  Forms made(Graph& graph, std::uint32_t id);
  Forms made_of_two(Op op, const Forms& a, const Forms& b);
  Forms power(const Forms& a, Quad exponent);
  form::Sum shorter(const Forms& f, std::size_t longest);
  form::Sum written(Expr e);
  form::Sum chosen(Expr e, const Exprs& unknowns);
  form::Sum gathered(const form::Sum& expanded, const std::vector<int>& unknowns);
  bool is_gathered(const form::Sum& sum, const std::vector<int>& unknowns) const;
  int symbol_atom(Expr e);

  form::FormTable table_;
  form::IdleBrackets idle_;
  struct Place {
    form::Kind kind;
    std::uint32_t rank;
  };
  std::unordered_map<std::uint32_t, Place> places_;
  std::unordered_map<std::uint32_t, Forms> known_;
};

}  // namespace alembert::internal
