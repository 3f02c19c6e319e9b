#include "alembert/expr/collect.h"

#include <algorithm>

#include "alembert/expr/derivative.h"

namespace alembert::internal {

using namespace form;

namespace {

/// Longer sums are not written out: no reader gains by them.
constexpr std::size_t longest_expanded = 100;
/// Parts of an expression are tried in factored form up to this many terms; the search for factors is cubic in it.
constexpr std::size_t longest_factored = 24;
/// What its author has put into brackets stays as it is unless another form is shorter by a tenth.
bool is_clearly_shorter(int cost, int than) { return 10 * cost < 9 * than; }
/// Coefficients of unknowns that stand linearly are gathered unless that costs a third more.
bool is_not_much_longer(int cost, int than) { return 3 * cost <= 4 * than; }

/// The highest power of a sum that is multiplied out.
constexpr int highest_expanded_power = 4;

}  // namespace

Collector::Collector(const SymbolKinds& kinds) {
  const auto place = [this](const Exprs& symbols, Kind kind) {
    for (const Expr e : symbols) places_[e.id()] = {kind, static_cast<std::uint32_t>(places_.size())};
  };
  place(kinds.multipliers, Kind::multiplier);
  place(kinds.coordinates, Kind::coordinate);
  place(kinds.velocities, Kind::velocity);
  place(kinds.accelerations, Kind::acceleration);
}

int Collector::symbol_atom(Expr e) {
  const auto at = places_.find(e.id());
  return at == places_.end() ? table_.symbol(e, Kind::parameter, e.id())
                             : table_.symbol(e, at->second.kind, at->second.rank);
}

const Collector::Forms& Collector::forms(Expr e) {
  const Exprs root = {e};
  for (const std::uint32_t id : reachable(root)) {
    if (known_.contains(id)) continue;
    Forms f = made(e.graph(), id);
    if (f.expanded) f.expanded = without_squares_of_sines(table_, *std::move(f.expanded));
    f.shown = shorter(f, longest_factored);
    known_.emplace(id, std::move(f));
  }
  return known_.at(e.id());
}

Collector::Forms Collector::made(Graph& graph, std::uint32_t id) {
  const Node n = graph.node(id);
  const auto alike = [](const Sum& sum) { return Forms{sum, sum}; };
  if (n.op == Op::constant) return alike(FormTable::number(graph.value(id)));
  if (n.op == Op::symbol || n.op == Op::parameter) return alike(Sum{{{1, {{symbol_atom(Expr(&graph, id)), 1}}}}});
  const Forms& a = known_.at(n.a);
  const auto times = [&](Quad factor) {
    Forms f{table_.multiplied(a.shown, {factor, {}}), {}};
    if (a.expanded) f.expanded = table_.multiplied(*a.expanded, {factor, {}});
    return f;
  };
  switch (n.op) {
    case Op::negate: return times(-1);
    case Op::sqrt: return power(a, Quad(0.5));
    case Op::power:
      if (const Expr exponent(&graph, n.b); is_constant(exponent)) return power(a, constant_value(exponent));
      break;
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide: return made_of_two(n.op, a, known_.at(n.b));
    default: break;
  }
  std::vector<Sum> arguments = {a.shown};
  if (operand_count(n.op) == 2) arguments.push_back(known_.at(n.b).shown);
  return alike(Sum{{{1, {{table_.function(n.op, std::move(arguments)), 1}}}}});
}

Collector::Forms Collector::made_of_two(Op op, const Forms& a, const Forms& b) {
  Forms f;
  if (op == Op::add || op == Op::subtract) {
    const int sign = op == Op::add ? 1 : -1;
    f.shown = table_.added(a.shown, b.shown, sign);
    if (a.expanded && b.expanded && a.expanded->terms.size() + b.expanded->terms.size() <= longest_expanded)
      f.expanded = table_.added(*a.expanded, *b.expanded, sign);
    return f;
  }
  if (a.shown.terms.empty()) return a;
  const Forms divisor = op == Op::divide ? power(b, -1) : b;
  const Term product = table_.multiplied(table_.bracket(a.shown), table_.bracket(divisor.shown));
  if (product.coefficient != 0) f.shown.terms.push_back(product);
  if (a.expanded && divisor.expanded) f.expanded = table_.expanded(*a.expanded, *divisor.expanded, longest_expanded);
  return f;
}

Collector::Forms Collector::power(const Forms& a, Quad exponent) {
  Term base = table_.bracket(a.shown);
  if (!is_integer(exponent) && (base.coefficient != 1 || base.factors.size() != 1 || base.factors[0].exponent != 1)) {
    // Roots of products are not products of roots where factors are negative.
    base = {1, {{table_.whole(a.shown), 1}}};
  }
  Forms f{Sum{{table_.power(base, exponent)}}, {}};
  const bool several = a.shown.terms.size() > 1;
  if (!is_integer(exponent) || exponent < 0 || (!several && !a.expanded)) {
    f.expanded = f.shown;
  } else if (a.expanded && exponent <= highest_expanded_power) {
    f.expanded = *a.expanded;
    for (int i = 1; i < static_cast<int>(exponent) && f.expanded; ++i)
      f.expanded = table_.expanded(*f.expanded, *a.expanded, longest_expanded);
  }
  return f;
}

Sum Collector::shorter(const Forms& f, std::size_t longest) {
  if (!f.expanded || f.expanded->terms.size() > longest || f.expanded->terms.empty()) {
    return f.expanded && f.expanded->terms.empty() ? *f.expanded : f.shown;
  }
  Sum best = f.shown;
  int cost = table_.cost(best);
  // A sum of products has no grouping of its author's to lose; m/2*v^2 + m*g*y are two energies all the same.
  const std::vector<Term>& terms = f.expanded->terms;
  const bool alike = std::all_of(terms.begin(), terms.end(), [&](const Term& term) {
    return is_same_size(term.coefficient, terms[0].coefficient);
  });
  const bool plain = alike && table_.key(f.shown) == table_.key(*f.expanded);
  const Sum angles = with_sums_of_angles(table_, *f.expanded);
  for (const Sum& candidate : {*f.expanded, factored(table_, *f.expanded), angles, factored(table_, angles)}) {
    // As long, but in fewer terms: R*(a + b).
    const bool grouped = plain && table_.cost(candidate) == cost && candidate.terms.size() < best.terms.size();
    if (table_.cost(candidate) >= cost && !grouped) continue;
    if (!plain && !is_clearly_shorter(table_.cost(candidate), table_.cost(f.shown))) continue;
    best = candidate;
    cost = table_.cost(candidate);
  }
  return best;
}

/// Every unknown in one term only, to the first power and in no brackets.
bool Collector::is_gathered(const Sum& sum, const std::vector<int>& unknowns) const {
  for (const int unknown : unknowns) {
    int terms = 0;
    for (const Term& term : sum.terms) {
      const Quad exponent = exponent_of(term, unknown);
      if (exponent != 0 && exponent != 1) return false;
      terms += exponent != 0 ? 1 : 0;
      for (const Factor& factor : term.factors)
        if (factor.atom != unknown && table_.contains(factor.atom, unknown)) return false;
    }
    if (terms > 1) return false;
  }
  return true;
}

/// Terms with the same product of unknowns put together, its coefficient factored; the rest behind.
Sum Collector::gathered(const Sum& expanded, const std::vector<int>& unknowns) {
  Sum left = with_sums_of_angles(table_, expanded);
  const auto product_of = [&](const Term& term) {
    Term product;
    for (const Factor& factor : term.factors)
      if (std::find(unknowns.begin(), unknowns.end(), factor.atom) != unknowns.end()) product.factors.push_back(factor);
    return product;
  };
  Sum result, rest;
  while (!left.terms.empty()) {
    const Term product = product_of(left.terms[0]);
    Sum group, others;
    for (const Term& term : left.terms)
      (product_of(term).factors == product.factors ? group : others).terms.push_back(term);
    if (product.factors.empty()) {
      rest = group;
    } else {
      const Sum coefficient = factored(table_, table_.multiplied(group, table_.power(product, -1)));
      result = table_.added(result, Sum{{table_.multiplied(table_.bracket(coefficient), product)}});
    }
    left = others;
  }
  return table_.added(result, shorter({rest, rest}, longest_expanded));
}

/// The form that its author gave it, with the shortest forms of its parts.
Sum Collector::written(Expr e) {
  forms(e);
  return made(e.graph(), e.id()).shown;
}

Sum Collector::collect(Expr e, const Exprs& unknowns) { return idle_.removed(table_, chosen(e, unknowns)); }

Sum Collector::chosen(Expr e, const Exprs& unknowns) {
  const Forms f = forms(e);
  Sum best = shorter(f, longest_expanded);
  if (unknowns.empty() || !f.expanded) return best;
  std::vector<int> atoms;
  for (const Expr x : unknowns) atoms.push_back(symbol_atom(x));
  if (is_gathered(best, atoms)) return best;
  const Sum sum = gathered(*f.expanded, atoms);
  const int cost = table_.cost(sum);
  if (is_gathered(sum, atoms)) return is_not_much_longer(cost, table_.cost(best)) ? sum : best;
  const Sum by_author = written(e);
  return cost <= table_.cost(by_author) ? sum : by_author;
}

}  // namespace alembert::internal
