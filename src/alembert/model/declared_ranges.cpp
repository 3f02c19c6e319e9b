#include "alembert/model/declared_ranges.h"

#include <algorithm>
#include <set>

#include "alembert/model/bodies/expand.h"

namespace alembert::internal {

namespace {

bool is_declaration(const Statement& s) {
  static const std::set<std::string> keywords = {"parameter",  "coordinate", "velocity", "momentum", "variable",
                                                 "multiplier", "quantity",   "state",    "input",    "output"};
  return keywords.contains(s.keyword);
}

const Term& root_of_declared(const Term& target) {
  const Term* at = &target;
  while (at->form == Term::Form::index) at = &at->parts[0];
  return *at;
}

/// input motor.V = ... gives a value to what a component has declared.
bool gives_values(const Statement& s) {
  return s.string != from_assembly && std::all_of(s.items.begin(), s.items.end(), [](const Item& item) {
           return root_of_declared(item.target).text.find('.') != std::string::npos;
         });
}

/// Whether the index stands in the brackets of a declared name.
bool stands_in_brackets(const Term& target, const std::string& index) {
  for (const Term* at = &target; at->form == Term::Form::index; at = &at->parts[0])
    if (at->parts[1].form == Term::Form::name && at->parts[1].text == index) return true;
  return false;
}

void put_name(Term& term, const std::string& from, const std::string& to) {
  if (term.form == Term::Form::name && term.text == from) term.text = to;
  for (Term& part : term.parts) put_name(part, from, to);
}

/// momentum p[i] of q[i]: the whole of p belongs to the whole of q.
void name_whole_owners(Statement& s) {
  for (Item& item : s.items) {
    while (item.owner && item.owner->form == Term::Form::index && item.owner->parts[1].form == Term::Form::name &&
           stands_in_brackets(item.target, item.owner->parts[1].text)) {
      Term whole = item.owner->parts[0];
      item.owner = std::move(whole);
    }
  }
}

void take_range(Statement& s, const Range& range, Text& out, std::vector<Diagnostic>& errors) {
  const std::string& index = range.index.text;
  const auto found = std::find_if(s.items.begin(), s.items.end(),
                                  [&](const Item& item) { return stands_in_brackets(item.target, index); });
  if (found == s.items.end()) {
    const Item& item = s.items[0];
    const std::string& name = root_of_declared(item.target).text;
    errors.push_back({out.source, item.target.place, "'" + index + "' does not occur in the brackets of '" + name + "'",
                      "write " + s.keyword + " " + name + "[" + index + "] for " + index + " = ..."});
  }
  const std::string own =
      index + " of " + root_of_declared((found == s.items.end() ? s.items.front() : *found).target).text;
  Statement family;
  family.keyword = "family";
  family.place = s.place;
  family.ranges.push_back(range);
  family.ranges[0].index.text = own;
  for (Item& item : s.items) {
    if (!stands_in_brackets(item.target, index)) continue;  // parameter N = 3, m[i] = i for i = 1..N
    put_name(item.target, index, own);
    if (item.value) put_name(*item.value, index, own);
  }
  out.statements.push_back(std::move(family));
}

}  // namespace

Text with_declared_families(const Text& text, std::vector<Diagnostic>& errors) {
  Text result;
  result.source = text.source;
  result.comments = text.comments;
  for (const Statement& s : text.statements) {
    const bool own = is_declaration(s) && !s.ranges.empty() && !s.items.empty() && !gives_values(s);
    Statement plain = s;
    if (is_declaration(s)) name_whole_owners(plain);
    if (!own) {
      result.statements.push_back(std::move(plain));
      continue;
    }
    plain.ranges.clear();
    for (const Range& range : s.ranges) take_range(plain, range, result, errors);
    result.statements.push_back(std::move(plain));
  }
  return result;
}

}  // namespace alembert::internal
