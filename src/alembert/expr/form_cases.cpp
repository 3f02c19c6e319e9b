#include "alembert/expr/form_cases.h"

#include <algorithm>
#include <utility>

namespace alembert::internal::form {

namespace {

bool chooses(const Atom& atom) { return atom.op == Op::where || atom.op == Op::positive; }

/// The opposite.
Condition negated(const FormTable& table, Condition c) {
  using Kind = Condition::Kind;
  switch (c.kind) {
    case Kind::more: c.kind = Kind::at_most; break;
    case Kind::at_most: c.kind = Kind::more; break;
    case Kind::not_zero: c.side = table.added(FormTable::number(1), c.side, -1); break;  // it is 0 or 1
    case Kind::all:
    case Kind::any:
      c.kind = c.kind == Kind::all ? Kind::any : Kind::all;
      for (Condition& part : c.parts) part = negated(table, std::move(part));
  }
  return c;
}

Condition together(Condition::Kind kind, const std::vector<Condition>& list) {
  Condition c{kind, {}};
  for (const Condition& part : list) {
    if (part.kind == kind) c.parts.insert(c.parts.end(), part.parts.begin(), part.parts.end());
    else c.parts.push_back(part);
  }
  return c.parts.size() == 1 ? c.parts[0] : c;
}

/// What is 1 where it holds and else 0: products of positive(x), and 1 less such.
Condition read_condition(const FormTable& table, const Sum& asked) {
  Condition unknown{Condition::Kind::not_zero, asked};
  if (asked.terms.size() == 1 && asked.terms[0].coefficient == 1) {
    std::vector<Condition> all;
    for (const Factor& factor : asked.terms[0].factors) {
      const Atom& atom = table.atom(factor.atom);
      if (factor.exponent < 0 || (atom.op != Op::positive && atom.op != Op::add)) return unknown;
      all.push_back(atom.op == Op::positive ? Condition{Condition::Kind::more, atom.arguments[0]}
                                            : read_condition(table, atom.arguments[0]));
    }
    return all.empty() ? unknown : together(Condition::Kind::all, all);
  }
  if (asked.terms.size() != 2) return unknown;
  const bool first = asked.terms[0].factors.empty();
  const Term &one = asked.terms[first ? 0 : 1], &other = asked.terms[first ? 1 : 0];
  if (!one.factors.empty() || one.coefficient != 1 || other.coefficient != -1) return unknown;
  return negated(table, read_condition(table, Sum{{{1, other.factors}}}));
}

std::string key(const FormTable& table, const Condition& c) {
  std::vector<std::string> parts;
  for (const Condition& part : c.parts) parts.push_back(key(table, part));
  std::sort(parts.begin(), parts.end());
  std::string text = std::to_string(static_cast<int>(c.kind)) + "(" + table.key(c.side);
  for (const std::string& part : parts) text += "|" + part;
  return text + ")";
}

int negative_parts(const Condition& c) {
  int count = c.kind == Condition::Kind::at_most ? 1 : 0;
  for (const Condition& part : c.parts) count += negative_parts(part);
  return count;
}

struct Choice {
  Condition when;
  Sum then, otherwise;
};

/// The terms that choose, those of one condition and its opposite together; the others stay in `plain`.
std::vector<Choice> choices_of(const FormTable& table, const Sum& sum, Sum& plain) {
  std::vector<Choice> choices;
  for (const Term& term : sum.terms) {
    const auto chooser = std::find_if(term.factors.begin(), term.factors.end(), [&](const Factor& factor) {
      return factor.exponent == 1 && chooses(table.atom(factor.atom));
    });
    if (chooser == term.factors.end()) {
      plain.terms.push_back(term);
      continue;
    }
    Term rest = term;
    rest.factors.erase(rest.factors.begin() + (chooser - term.factors.begin()));
    const Atom& atom = table.atom(chooser->atom);
    const bool where = atom.op == Op::where;
    const Condition when =
        where ? read_condition(table, atom.arguments[0]) : Condition{Condition::Kind::more, atom.arguments[0]};
    const Sum value = where ? table.multiplied(atom.arguments[1], rest) : Sum{{rest}};
    const std::string same = key(table, when), opposite = key(table, negated(table, when));
    const auto known = std::find_if(choices.begin(), choices.end(), [&](const Choice& choice) {
      const std::string k = key(table, choice.when);
      return k == same || k == opposite;
    });
    if (known == choices.end()) {
      choices.push_back({when, value, {}});
      continue;
    }
    Sum& to = key(table, known->when) == same ? known->then : known->otherwise;
    to = table.added(to, value);
  }
  return choices;
}

Cases cases_of(const FormTable& table, Choice choice);

/// The value as cases of their own where it is nothing but these.
Cases cases_in(const FormTable& table, const Sum& value) {
  Sum plain;
  const std::vector<Choice> inner = choices_of(table, value, plain);
  if (inner.size() == 1 && plain.terms.empty()) return cases_of(table, inner[0]);
  return {{std::nullopt, value}};
}

Cases cases_of(const FormTable& table, Choice choice) {
  const Condition opposite = negated(table, choice.when);
  if (!choice.otherwise.terms.empty() && negative_parts(choice.when) > negative_parts(opposite)) {
    choice.when = opposite;
    std::swap(choice.then, choice.otherwise);
  }
  Cases all;
  for (Case& one : cases_in(table, choice.then)) {
    if (one.when) one.when = together(Condition::Kind::all, {choice.when, *one.when});
    else one.when = choice.when;
    all.push_back(std::move(one));
  }
  for (Case& one : cases_in(table, choice.otherwise)) all.push_back(std::move(one));
  return all;
}

bool moves(const FormTable& table, const Sum& sum) {
  return std::any_of(sum.terms.begin(), sum.terms.end(),
                     [&](const Term& term) { return table.kind(term) > Kind::parameter; });
}

std::string comparison(const FormTable& table, const Condition& c, const ConditionWords& words) {
  Sum left, right;
  Quad constant = 0;
  for (Term term : c.side.terms) {
    if (term.factors.empty()) {
      constant = term.coefficient;
      continue;
    }
    Sum& to = term.coefficient > 0 ? left : right;
    if (term.coefficient < 0) term.coefficient = -term.coefficient;
    to.terms.push_back(std::move(term));
  }
  const bool flipped = left.terms.empty() || (!right.terms.empty() && !moves(table, left) && moves(table, right));
  // left + constant > right
  Sum& with_constant = right.terms.empty() || (!left.terms.empty() && constant < 0) ? right : left;
  const Quad size = &with_constant == &left ? constant : -constant;
  with_constant = table.added(with_constant, FormTable::number(size));
  const std::string a = words.sum_text(table, left), b = words.sum_text(table, right);
  const bool more = c.kind == Condition::Kind::more;
  if (flipped) return b + " " + (more ? words.less : words.at_least) + " " + a;
  return a + " " + (more ? words.more : words.at_most) + " " + b;
}

}  // namespace

ChoosingSum take_apart(const FormTable& table, const Sum& sum) {
  ChoosingSum parts;
  for (const Choice& choice : choices_of(table, sum, parts.plain)) parts.cases.push_back(cases_of(table, choice));
  return parts;
}

std::string condition_text(const FormTable& table, const Condition& condition, const ConditionWords& words) {
  if (condition.kind == Condition::Kind::not_zero)
    return words.sum_text(table, condition.side) + " " + words.unequal + " 0";
  if (condition.parts.empty()) return comparison(table, condition, words);
  const bool all = condition.kind == Condition::Kind::all;
  std::string text;
  for (const Condition& part : condition.parts) {
    const std::string one = condition_text(table, part, words);
    text += text.empty() ? "" : " " + (all ? words.conjunction : words.disjunction) + " ";
    text += all && part.kind == Condition::Kind::any ? "(" + one + ")" : one;
  }
  return text;
}

}  // namespace alembert::internal::form
