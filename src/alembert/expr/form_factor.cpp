// Identities of sines and cosines, and common factors.

#include <quadmath.h>

#include <algorithm>

#include "alembert/expr/form.h"

namespace alembert::internal::form {

namespace {

/// Beyond this many terms pairs are not compared any more: nobody reads such a sum.
constexpr std::size_t longest_compared = 200;

bool same_factors(const Term& a, const Term& b) { return a.factors == b.factors; }

bool is_sine_or_cosine(const Atom& atom) { return atom.op == Op::sin || atom.op == Op::cos; }

class Trigonometry {
 public:
  explicit Trigonometry(FormTable& table) : table_(table) {}

  /// One step that leads to fewer terms, or lower powers in as many; whether there was one.
  bool without_square(Sum& sum) {
    for (std::size_t i = 0; i < sum.terms.size(); ++i)
      for (std::size_t j = 0; j < sum.terms.size(); ++j)
        if (i != j && squares(sum, i, j)) return true;
    return false;
  }
  bool with_angle(Sum& sum) {
    for (std::size_t i = 0; i < sum.terms.size(); ++i)
      for (std::size_t j = i + 1; j < sum.terms.size(); ++j)
        if (angles(sum, i, j)) return true;
    return false;
  }

 private:
  int partner(int atom) {
    const Atom& of = table_.atom(atom);
    const Op op = of.op == Op::sin ? Op::cos : Op::sin;
    const std::vector<Sum> arguments = of.arguments;
    return table_.function(op, arguments);
  }

  void replace(Sum& sum, std::size_t i, std::size_t j, Quad rest_i, Quad rest_j, const Term& by) const {
    sum.terms[i].coefficient = rest_i;
    sum.terms[j].coefficient = rest_j;
    std::erase_if(sum.terms, [](const Term& term) { return term.coefficient == 0; });
    sum = table_.added(sum, Sum{{by}});
  }

  /// a s^2 + a c^2 = a, and a - a s^2 = a c^2, times anything; s may be the cosine.
  bool squares(Sum& sum, std::size_t i, std::size_t j) {
    const Term a = sum.terms[i], b = sum.terms[j];
    for (const Factor& factor : a.factors) {
      if (!is_sine_or_cosine(table_.atom(factor.atom)) || factor.exponent < 2) continue;
      const int other = partner(factor.atom);
      const Term without = table_.multiplied(a, {1, {{factor.atom, -2}}});
      const Term exchanged = table_.multiplied(without, {1, {{other, 2}}});
      if (same_factors(exchanged, b) && a.coefficient * b.coefficient > 0) {
        const Quad both = fabsq(a.coefficient) < fabsq(b.coefficient) ? a.coefficient : b.coefficient;
        const auto rest = [&](Quad c) { return is_same_size(c, both) ? 0 : c - both; };
        replace(sum, i, j, rest(a.coefficient), rest(b.coefficient), {both, without.factors});
        return true;
      }
      if (same_factors(without, b) && a.coefficient * b.coefficient < 0 && is_same_size(a.coefficient, b.coefficient)) {
        replace(sum, i, j, 0, 0, {b.coefficient, exchanged.factors});
        return true;
      }
    }
    return false;
  }

  /// sin a cos b +- cos a sin b = sin(a +- b), cos a cos b -+ sin a sin b = cos(a +- b), times anything.
  bool angles(Sum& sum, std::size_t i, std::size_t j) {
    const Term a = sum.terms[i], b = sum.terms[j];
    if (!is_same_size(a.coefficient, b.coefficient)) return false;
    const Term shared{1, shared_factors(a.factors, b.factors)};
    const std::vector<Factor> left = table_.multiplied(a, table_.power(shared, -1)).factors;
    const std::vector<Factor> right = table_.multiplied(b, table_.power(shared, -1)).factors;
    if (left.size() != 2 || right.size() != 2) return false;
    for (const std::vector<Factor>* pair : {&left, &right})
      for (const Factor& factor : *pair)
        if (factor.exponent != 1 || !is_sine_or_cosine(table_.atom(factor.atom))) return false;
    const int p = partner(left[0].atom), q = partner(left[1].atom);
    const bool exchanged = (right[0].atom == p && right[1].atom == q) || (right[0].atom == q && right[1].atom == p);
    if (!exchanged) return false;
    const bool mixed = table_.atom(left[0].atom).op != table_.atom(left[1].atom).op;
    // The sign that the second term has beside the first, where that is sin a cos b or cos a cos b.
    const bool same_sign = a.coefficient * b.coefficient > 0;
    const bool swapped = !mixed && table_.atom(left[0].atom).op == Op::sin;
    const bool sine_second = mixed && table_.atom(left[0].atom).op == Op::cos;
    const Sum first = table_.atom(left[sine_second ? 1 : 0].atom).arguments[0];
    const Sum second = table_.atom(left[sine_second ? 0 : 1].atom).arguments[0];
    Quad coefficient = swapped ? b.coefficient : a.coefficient;
    Sum angle = table_.added(first, second, (mixed == same_sign) ? 1 : -1);
    if (angle.terms.empty() || angle.terms[0].coefficient < 0) {
      angle = table_.multiplied(angle, {-1, {}});
      if (mixed) coefficient = -coefficient;
    }
    const int atom = table_.function(mixed ? Op::sin : Op::cos, {angle});
    replace(sum, i, j, 0, 0, table_.multiplied(shared, {coefficient, {{atom, 1}}}));
    return true;
  }

  FormTable& table_;
};

/// A factor of several terms of a sum.
struct Divisor {
  Term term;
  int saved = 0;
  Kind kind = Kind::number;
};

bool is_divisible(const Term& term, const Term& by) {
  if (by.coefficient != 1 && !is_same_size(term.coefficient, by.coefficient)) return false;
  for (const Factor& factor : by.factors) {
    const Quad exponent = exponent_of(term, factor.atom);
    if (!(exponent * factor.exponent > 0) || fabsq(exponent) < fabsq(factor.exponent)) return false;
  }
  return true;
}

/// The divisor whose writing once instead of several times saves most; of several the one of the highest kind.
Divisor best_divisor(const FormTable& table, const Sum& sum) {
  Divisor best;
  for (std::size_t i = 0; i < sum.terms.size(); ++i)
    for (std::size_t j = i + 1; j < sum.terms.size(); ++j) {
      const Term& a = sum.terms[i];
      const Term& b = sum.terms[j];
      Divisor found;
      found.term.factors = shared_factors(a.factors, b.factors);
      if (found.term.factors.empty()) continue;
      if (is_same_size(a.coefficient, b.coefficient)) found.term.coefficient = fabsq(a.coefficient);
      const auto terms = std::count_if(sum.terms.begin(), sum.terms.end(),
                                       [&](const Term& term) { return is_divisible(term, found.term); });
      // A term costs one more than its factors, a pair of brackets one.
      found.saved = static_cast<int>(terms - 1) * (table.cost(found.term) - 1) - 1;
      found.kind = table.kind(found.term);
      if (found.saved > best.saved || (found.saved == best.saved && found.saved > 0 && found.kind > best.kind))
        best = found;
    }
  return best;
}

/// The sum with its common factors before brackets.
Sum taken_out(FormTable& table, const Sum& sum, const Term& outside) {
  const Sum inside = factored(table, table.multiplied(sum, table.power(outside, -1)));
  return Sum{{table.multiplied(outside, table.bracket(inside))}};
}

}  // namespace

Sum without_squares_of_sines(FormTable& table, Sum sum) {
  if (sum.terms.size() > longest_compared) return sum;
  Trigonometry trigonometry(table);
  while (trigonometry.without_square(sum)) {}
  return sum;
}

Sum with_sums_of_angles(FormTable& table, Sum sum) {
  if (sum.terms.size() > longest_compared) return sum;
  Trigonometry trigonometry(table);
  while (trigonometry.with_angle(sum) || trigonometry.without_square(sum)) {}
  return sum;
}

Sum factored(FormTable& table, const Sum& sum) {
  if (sum.terms.size() < 2 || sum.terms.size() > longest_compared) return sum;
  const Term outside = table.common(sum);
  if (!outside.factors.empty() || outside.coefficient != 1) return taken_out(table, sum, outside);
  const Divisor divisor = best_divisor(table, sum);
  if (divisor.saved <= 0) return sum;
  Sum group, rest;
  for (const Term& term : sum.terms) (is_divisible(term, divisor.term) ? group : rest).terms.push_back(term);
  const Sum parts = table.added(factored(table, group), factored(table, rest));
  const Term again = table.common(parts);
  return again.factors.empty() ? parts : taken_out(table, parts, again);
}

}  // namespace alembert::internal::form
