#include "alembert/expr/form.h"

#include <quadmath.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace alembert::internal::form {

namespace {

/// What is left of two coefficients that cancel is their rounding.
constexpr double rounding = 1e-30;

/// A sum or product of coefficients: what is an integer but for rounding is that integer.
Quad rounded(Quad value, Quad scale) {
  const Quad nearest = roundq(value);
  return fabsq(value - nearest) <= rounding * scale ? nearest : value;
}

/// The greatest common divisor where all coefficients are integers of few digits, else 1: 2*x - 4*l = 2*(x - 2*l).
Quad shared_divisor(const Sum& sum) {
  constexpr double largest = 1e6;  // more digits are no divisor that anybody sees
  long divisor = 0;
  for (const Term& term : sum.terms) {
    if (!is_integer(term.coefficient) || fabsq(term.coefficient) > largest) return 1;
    divisor = std::gcd(divisor, std::lround(static_cast<double>(term.coefficient)));
  }
  return divisor;
}

/// A name reads as two characters, however long it is.
constexpr int name_cost = 2;

/// Terms are alike when these are equal.
struct FactorsBefore {
  bool operator()(const std::vector<Factor>& a, const std::vector<Factor>& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](const Factor& f, const Factor& g) {
      return f.atom != g.atom ? f.atom < g.atom : f.exponent < g.exponent;
    });
  }
};

}  // namespace

bool is_integer(Quad x) { return floorq(x) == x; }

Quad exponent_of(const Term& term, int atom) {
  for (const Factor& factor : term.factors)
    if (factor.atom == atom) return factor.exponent;
  return 0;
}

bool is_same_size(Quad a, Quad b) { return fabsq(fabsq(a) - fabsq(b)) <= rounding * fabsq(a); }

std::vector<Factor> shared_factors(const std::vector<Factor>& a, const std::vector<Factor>& b) {
  std::vector<Factor> shared;
  for (const Factor& f : a)
    for (const Factor& g : b) {
      if (f.atom != g.atom || !(f.exponent * g.exponent > 0)) continue;
      shared.push_back(fabsq(f.exponent) < fabsq(g.exponent) ? f : g);
    }
  return shared;
}

int FormTable::intern(const std::string& key, Atom atom) {
  const auto [at, fresh] = numbers_.emplace(key, static_cast<int>(atoms_.size()));
  if (fresh) atoms_.push_back(std::move(atom));
  return at->second;
}

int FormTable::symbol(Expr e, Kind kind, std::uint32_t rank) {
  constexpr std::uint32_t operators = 64;  // functions of a symbol come behind it, before the next one
  return intern("s" + std::to_string(e.id()), {Op::symbol, e, {}, kind, operators * rank, name_cost});
}

int FormTable::name(Expr e, int atom) {
  const Atom& like = atoms_[atom];
  return intern("n" + std::to_string(e.id()), {Op::symbol, e, {}, like.kind, like.rank, name_cost});
}

int FormTable::function(Op op, std::vector<Sum> arguments) {
  std::string name = "f" + std::to_string(static_cast<int>(op));
  Atom atom{op, {}, {}, Kind::parameter, 0, 2};
  for (const Sum& argument : arguments) {
    name += "(" + key(argument) + ")";
    atom.cost += cost(argument);
    for (const Term& term : argument.terms) atom.kind = std::max(atom.kind, kind(term));
    // Functions of the first names stand first.
    if (!argument.terms.empty() && !argument.terms[0].factors.empty())
      atom.rank = std::max(atom.rank, atoms_[argument.terms[0].factors[0].atom].rank);
  }
  if (atom.kind > Kind::parameter) atom.kind = std::max(atom.kind, Kind::function);
  atom.rank += static_cast<std::uint32_t>(op);
  atom.arguments = std::move(arguments);
  return intern(name, std::move(atom));
}

Term FormTable::bracket(const Sum& sum) {
  if (sum.terms.empty()) return {0, {}};
  if (sum.terms.size() == 1) return sum.terms[0];
  const Term outside = common(sum);
  return multiplied(outside, {1, {{whole(multiplied(sum, power(outside, -1))), 1}}});
}

int FormTable::whole(const Sum& sum) {
  Atom atom{Op::add, {}, {sum}, Kind::number, 0, 1 + cost(sum)};
  for (const Term& term : sum.terms) atom.kind = std::max(atom.kind, kind(term));
  if (!sum.terms.empty())
    for (const Factor& factor : sum.terms[0].factors)
      if (atoms_[factor.atom].kind == atom.kind) atom.rank = std::max(atom.rank, atoms_[factor.atom].rank + 1);
  return intern("(" + key(sum) + ")", std::move(atom));
}

Sum FormTable::number(Quad value) { return value == 0 ? Sum{} : Sum{{{value, {}}}}; }

Sum FormTable::added(const Sum& a, const Sum& b, int sign) const {
  Sum sum = a;
  std::map<std::vector<Factor>, std::size_t, FactorsBefore> places;
  for (std::size_t i = 0; i < a.terms.size(); ++i) places.emplace(a.terms[i].factors, i);
  for (Term term : b.terms) {
    term.coefficient *= sign;
    const auto [at, fresh] = places.emplace(term.factors, sum.terms.size());
    if (fresh) {
      sum.terms.push_back(term);
      continue;
    }
    Quad& coefficient = sum.terms[at->second].coefficient;
    coefficient = rounded(coefficient + term.coefficient, fabsq(coefficient) + fabsq(term.coefficient));
  }
  std::erase_if(sum.terms, [](const Term& term) { return term.coefficient == 0; });
  sort(sum);
  return sum;
}

Term FormTable::multiplied(const Term& a, const Term& b) const {
  const Quad coefficient = a.coefficient * b.coefficient;
  Term product{rounded(coefficient, fabsq(coefficient)), a.factors};
  for (const Factor& factor : b.factors) {
    const auto same = std::find_if(product.factors.begin(), product.factors.end(),
                                   [&](const Factor& f) { return f.atom == factor.atom; });
    if (same == product.factors.end()) product.factors.push_back(factor);
    else same->exponent += factor.exponent;
  }
  std::erase_if(product.factors, [](const Factor& factor) { return factor.exponent == 0; });
  std::sort(product.factors.begin(), product.factors.end(),
            [this](const Factor& f, const Factor& g) { return before_in_product(f, g); });
  return product;
}

Sum FormTable::multiplied(const Sum& a, const Term& b) const {
  if (b.coefficient == 0) return {};
  Sum product;
  for (const Term& term : a.terms) product.terms.push_back(multiplied(term, b));
  sort(product);
  return product;
}

std::optional<Sum> FormTable::expanded(const Sum& a, const Sum& b, std::size_t longest) const {
  // Products that are longer by far do not become shorter than this by gathering.
  if (a.terms.size() * b.terms.size() > 16 * longest) return {};
  Sum sum;
  for (const Term& term : b.terms) sum = added(sum, multiplied(a, term));
  if (sum.terms.size() > longest) return {};
  return sum;
}

Term FormTable::power(const Term& a, Quad exponent) const {
  Term result{is_integer(exponent) ? powq(a.coefficient, exponent) : a.coefficient, a.factors};
  for (Factor& factor : result.factors) factor.exponent *= exponent;
  return result;
}

Term FormTable::common(const Sum& sum) const {
  if (sum.terms.empty()) return {};
  Term shared = sum.terms[0];
  const Quad size = fabsq(shared.coefficient);
  bool all_negative = true, same_size = true;
  for (const Term& term : sum.terms) {
    all_negative = all_negative && term.coefficient < 0;
    same_size = same_size && is_same_size(term.coefficient, size);
    shared.factors = shared_factors(shared.factors, term.factors);
  }
  shared.coefficient = (same_size ? size : shared_divisor(sum)) * (all_negative ? -1 : 1);
  return shared;
}

int FormTable::cost(const Term& term) const {
  int total = 1 + (fabsq(term.coefficient) != 1 || term.factors.empty() ? 1 : 0);
  for (const Factor& factor : term.factors) total += atoms_[factor.atom].cost + (fabsq(factor.exponent) != 1 ? 1 : 0);
  return total;
}

int FormTable::cost(const Sum& sum) const {
  int total = sum.terms.empty() ? 1 : 0;
  for (const Term& term : sum.terms) total += cost(term);
  return total;
}

Kind FormTable::kind(const Term& term) const {
  Kind highest = Kind::number;
  for (const Factor& factor : term.factors) highest = std::max(highest, atoms_[factor.atom].kind);
  return highest;
}

bool FormTable::contains(int atom, int part) const {
  if (atom == part) return true;
  for (const Sum& argument : atoms_[atom].arguments)
    for (const Term& term : argument.terms)
      for (const Factor& factor : term.factors)
        if (contains(factor.atom, part)) return true;
  return false;
}

std::string FormTable::key(const Sum& sum) const {
  std::string text;
  for (const Term& term : sum.terms) {
    text += "+" + to_text(term.coefficient);
    for (const Factor& factor : term.factors)
      text += "*" + std::to_string(factor.atom) + "^" + to_text(factor.exponent);
  }
  return text;
}

bool FormTable::before_in_product(const Factor& a, const Factor& b) const {
  const Atom& f = atoms_[a.atom];
  const Atom& g = atoms_[b.atom];
  // (M + m)*l*(x' + y'): brackets stand behind names of their kind, those of parameters before them.
  const auto behind = [](const Atom& atom) { return (atom.op == Op::add) == (atom.kind > Kind::parameter); };
  const bool f_behind = behind(f), g_behind = behind(g);
  return std::tie(f.kind, f_behind, f.rank, a.atom) < std::tie(g.kind, g_behind, g.rank, b.atom);
}

/// The highest kind decides, then the names within it, then the next kind: x'^2 + x'*y' + y'^2 + x*y + x + 1.
bool FormTable::before_in_sum(const Term& a, const Term& b) const {
  const auto reading = [this](const Term& term) {
    std::vector<Factor> list = term.factors;
    std::stable_sort(list.begin(), list.end(),
                     [this](const Factor& f, const Factor& g) { return atoms_[f.atom].kind > atoms_[g.atom].kind; });
    return list;
  };
  const std::vector<Factor> f = reading(a), g = reading(b);
  for (std::size_t i = 0; i < std::min(f.size(), g.size()); ++i) {
    const Kind f_kind = atoms_[f[i].atom].kind, g_kind = atoms_[g[i].atom].kind;
    if (f_kind != g_kind) return f_kind > g_kind;
    const std::uint32_t f_rank = atoms_[f[i].atom].rank, g_rank = atoms_[g[i].atom].rank;
    if (f[i].atom != g[i].atom) return std::tie(f_rank, f[i].atom) < std::tie(g_rank, g[i].atom);
    if (f[i].exponent != g[i].exponent) return f[i].exponent > g[i].exponent;
  }
  return f.size() > g.size();
}

void FormTable::sort(Sum& sum) const {
  std::stable_sort(sum.terms.begin(), sum.terms.end(),
                   [this](const Term& a, const Term& b) { return before_in_sum(a, b); });
}

}  // namespace alembert::internal::form
