#pragma once

// Forms that choose, as one writes them: cases with conditions instead of sums of `where`. Private to expr/.

#include <optional>
#include <string>
#include <vector>

#include "alembert/expr/form.h"

namespace alembert::internal::form {

struct Condition {
  enum class Kind { more, at_most, not_zero, all, any };
  Kind kind = Kind::more;
  Sum side;                           // is more than 0, at most 0, not 0
  std::vector<Condition> parts = {};  // of which all hold, or any
};

/// The first case whose condition holds; the last one has none.
struct Case {
  std::optional<Condition> when;
  Sum value;
};
using Cases = std::vector<Case>;

/// A sum as terms that do not choose and some cases; nested ones are one list.
struct ChoosingSum {
  Sum plain;
  std::vector<Cases> cases;
};
ChoosingSum take_apart(const FormTable& table, const Sum& sum);

/// How conditions are written.
struct ConditionWords {
  std::string more, less, at_most, at_least, unequal, conjunction, disjunction;
  std::string (*sum_text)(const FormTable&, const Sum&);
};
/// What moves stands on the left where that can be: x < a, not a - x > 0.
std::string condition_text(const FormTable& table, const Condition& condition, const ConditionWords& words);

}  // namespace alembert::internal::form
