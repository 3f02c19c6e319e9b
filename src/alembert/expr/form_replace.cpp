#include "alembert/expr/form_replace.h"

#include <quadmath.h>

#include <algorithm>
#include <set>

namespace alembert::internal::form {

namespace {

template <class Use>
void for_each_factor(const std::vector<Sum>& sums, const Use& use) {
  for (const Sum& sum : sums)
    for (const Term& term : sum.terms)
      for (const Factor& factor : term.factors) use(factor);
}

bool is_half(Quad exponent) { return !is_integer(exponent) && is_integer(2 * exponent); }

/// Choices are read as cases with conditions (form_cases.h), which a name in their place would hide.
bool chooses(const FormTable& table, int number) {
  const Atom& atom = table.atom(number);
  if (atom.op == Op::where || atom.op == Op::positive) return true;
  bool any = false;
  for_each_factor(atom.arguments, [&](const Factor& factor) { any = any || chooses(table, factor.atom); });
  return any;
}

/// Whether a name makes the page easier to read: names are read as two characters (FormTable::cost).
bool deserves_name(double uses, int cost) {
  constexpr int shortest = 10;        // sin(a + b) and x2 - x1 are read at a glance
  constexpr double least_saved = 28;  // about two terms of three names: what a definition takes to be read itself
  return uses > 1 && cost >= shortest && (uses - 1) * (cost - 2) >= least_saved;
}

}  // namespace

void Replacement::replace(int atom, const Factor& by) {
  by_.insert_or_assign(atom, by);
  known_.clear();
}

Factor Replacement::replaced(int atom) {
  if (const auto at = by_.find(atom); at != by_.end()) return at->second;
  if (const auto at = known_.find(atom); at != known_.end()) return at->second;
  const Factor result{with_parts(atom), 1};
  known_.emplace(atom, result);
  return result;
}

int Replacement::with_parts(int atom) {
  const Op op = table_.atom(atom).op;
  const std::vector<Sum> before = table_.atom(atom).arguments;  // atoms move in memory while new ones are made
  if (before.empty()) return atom;
  std::vector<Sum> arguments;
  for (const Sum& argument : before) arguments.push_back((*this)(argument));
  return op == Op::add ? table_.whole(arguments[0]) : table_.function(op, std::move(arguments));
}

Sum Replacement::operator()(const Sum& sum) {
  // Where all of it has a name, as in exp(a1).
  if (sum.terms.size() > 1)
    if (const auto at = by_.find(table_.whole(sum)); at != by_.end()) return Sum{{{1, {at->second}}}};
  Sum result = sum;
  for (Term& term : result.terms)
    for (Factor& factor : term.factors) {
      const Factor by = replaced(factor.atom);
      factor = {by.atom, by.exponent * factor.exponent};
    }
  return result;
}

std::vector<int> atoms_in(const FormTable& table, const std::vector<Sum>& sums) {
  std::set<int> seen;
  std::vector<int> open;
  const auto meet = [&](const Factor& factor) {
    if (seen.insert(factor.atom).second) open.push_back(factor.atom);
  };
  for_each_factor(sums, meet);
  for (std::size_t i = 0; i < open.size(); ++i) for_each_factor(table.atom(open[i]).arguments, meet);
  return open;
}

std::vector<RepeatedPart> repeated_parts(const FormTable& table, const std::vector<Sum>& sums) {
  const std::vector<int> all = atoms_in(table, sums);
  std::unordered_map<int, double> uses;
  std::set<int> under_root, named;
  const auto count = [&](const std::vector<Sum>& list, double times) {
    for_each_factor(list, [&](const Factor& factor) {
      uses[factor.atom] += times;
      if (is_half(factor.exponent)) under_root.insert(factor.atom);
    });
  };
  count(sums, 1);
  std::vector<int> longest_first = all;  // an atom costs more than any of its parts: these are counted behind it
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [&](int a, int b) { return table.atom(a).cost > table.atom(b).cost; });
  for (const int number : longest_first) {
    const Atom& atom = table.atom(number);
    if (atom.arguments.empty()) continue;
    const bool name = !chooses(table, number) && deserves_name(uses[number], atom.cost);
    if (name) named.insert(number);
    count(atom.arguments, name ? 1 : uses[number]);
  }
  std::unordered_map<int, int> level;  // how many named parts stand inside each other
  for (auto shorter = longest_first.rbegin(); shorter != longest_first.rend(); ++shorter) {
    const int number = *shorter;
    int inner = 0;
    for_each_factor(table.atom(number).arguments, [&](const Factor& factor) {
      inner = std::max(inner, level[factor.atom] + (named.contains(factor.atom) ? 1 : 0));
    });
    level[number] = inner;
  }
  std::vector<RepeatedPart> parts;
  for (const int number : all)
    if (named.contains(number)) parts.push_back({number, under_root.contains(number), level[number]});
  std::stable_sort(parts.begin(), parts.end(),
                   [](const RepeatedPart& a, const RepeatedPart& b) { return a.level < b.level; });
  return parts;
}

Sum IdleBrackets::removed(FormTable& table, const Sum& sum) {
  Sum result;
  for (const Term& term : sum.terms) {
    Term now = term;
    for (Factor& factor : now.factors) {
      const Op op = table.atom(factor.atom).op;
      std::vector<Sum> arguments = table.atom(factor.atom).arguments;
      if (arguments.empty()) continue;
      if (const auto at = known_.find(factor.atom); at != known_.end()) {
        factor.atom = at->second;
        continue;
      }
      for (Sum& argument : arguments) argument = removed(table, argument);
      const int before = factor.atom;
      factor.atom = op == Op::add ? table.whole(arguments[0]) : table.function(op, std::move(arguments));
      known_.emplace(before, factor.atom);
    }
    const bool alone = now.factors.size() == 1 && now.factors[0].exponent == 1 && fabsq(now.coefficient) == 1;
    if (alone && table.atom(now.factors[0].atom).op == Op::add) {
      const Sum inner = table.atom(now.factors[0].atom).arguments[0];
      result = table.added(result, inner, now.coefficient > 0 ? 1 : -1);
    } else {
      result = table.added(result, Sum{{std::move(now)}});
    }
  }
  return result;
}

}  // namespace alembert::internal::form
