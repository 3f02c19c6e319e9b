#include "alembert/model/ports/port_variables.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace alembert::internal {

namespace {

/// Under a number in brackets the name stands for a whole vector, under an index for a member of a family.
const Term& without_size(const Term& target) {
  const bool sized = target.form == Term::Form::index && target.parts[1].form == Term::Form::number;
  return sized ? without_size(target.parts[0]) : target;
}

std::string base_name(const Term& target) {
  const bool inner = target.form == Term::Form::index || target.form == Term::Form::prime;
  return inner ? base_name(target.parts[0]) : target.text;
}

/// w[2]' is the prime of an index, q'[2] the index of a prime: either way what is differentiated.
Term without_prime(const Term& target) {
  if (target.form == Term::Form::prime) return target.parts[0];
  Term result = target;
  if (!result.parts.empty()) result.parts[0] = without_prime(result.parts[0]);
  return result;
}

class Rewriting {
 public:
  Rewriting(const Text& text, std::vector<Diagnostic>& errors) : text_(text), errors_(errors) {}

  Text made() {
    for (const Statement& s : text_.statements)
      if (s.keyword == "variable")
        for (const Item& item : s.items) variables_.emplace(base_name(item.target), item.target.place);
    Text result = text_;
    result.statements.clear();
    for (const Statement& s : text_.statements) {
      if (s.keyword == "variable") add_states(s, result.statements);
      else if (s.keyword == "rate") add_drift(s, result.statements);
      else result.statements.push_back(s);
    }
    for (const auto& [name, place] : variables_)
      if (!moved_.contains(name))
        error(place, "the rate of '" + name + "' is missing", "add: rate " + name + "' = ...");
    return result;
  }

 private:
  void error(const Place& place, std::string message, std::string hint) {
    errors_.push_back({text_.source, place, std::move(message), std::move(hint)});
  }

  static void add_states(const Statement& s, std::vector<Statement>& to) {
    Statement states = s;
    states.keyword = "state";
    Statement efforts = s;
    efforts.keyword = "effort";
    efforts.comments.clear();
    for (Item& item : efforts.items) {
      item.target = without_size(item.target);
      const Term zero{Term::Form::number, item.target.place, "0", {}};
      item.value = Term{Term::Form::chain, item.target.place, "*", {zero, item.target}};
      item.unit.clear();
    }
    to.push_back(std::move(states));
    to.push_back(std::move(efforts));
  }

  void add_drift(const Statement& s, std::vector<Statement>& to) {
    Statement drift = s;
    drift.keyword = "drift";
    drift.items.clear();
    for (const Item& item : s.items) {
      const std::string name = base_name(item.target);
      moved_.insert(name);
      if (!variables_.contains(name)) {
        error(item.target.place, "'" + name + "' is no variable: its rate follows from the structure of the system",
              "a rate belongs to a first-order state beside it: variable " + name + " = 0");
        continue;
      }
      if (!item.value) continue;
      drift.items.push_back(
          {without_prime(item.target), {}, Term{Term::Form::negate, item.value->place, "", {*item.value}}});
    }
    if (!drift.items.empty()) to.push_back(std::move(drift));
  }

  const Text& text_;
  std::vector<Diagnostic>& errors_;
  std::map<std::string, Place> variables_;
  std::set<std::string> moved_;
};

}  // namespace

Text with_variables_as_states(const Text& text, std::vector<Diagnostic>& errors) {
  return Rewriting(text, errors).made();
}

}  // namespace alembert::internal
