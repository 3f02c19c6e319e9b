#pragma once

// Forms with other atoms in them: abbreviations for what is written several times, and names in place of others.

#include <unordered_map>
#include <vector>

#include "alembert/expr/form.h"

namespace alembert::internal::form {

/// Sums with other atoms in place of some, however deep they stand. The order of terms and factors stays.
class Replacement {
 public:
  explicit Replacement(FormTable& table) : table_(table) {}

  /// From here on the atom to the power n is `by.atom` to the power n * by.exponent.
  void replace(int atom, const Factor& by);
  Sum operator()(const Sum& sum);
  /// The atom with its parts replaced, but not itself.
  int with_parts(int atom);

 private:
  FormTable& table_;
  std::unordered_map<int, Factor> by_;     // as it was asked for
  std::unordered_map<int, Factor> known_;  // worked out from these
  Factor replaced(int atom);
};

/// All atoms in the sums in the order in which they come, then those inside of them, and so on; each once.
std::vector<int> atoms_in(const FormTable& table, const std::vector<Sum>& sums);

struct RepeatedPart {
  int atom;
  bool root;      // it stands under a root: the root of it is what deserves a name
  int level = 0;  // how many such parts stand inside each other in it
};
/// The atoms that are written so often that a name for them leaves less to read: inner ones before those that hold
/// them, else in the order in which they come.
std::vector<RepeatedPart> repeated_parts(const FormTable& table, const std::vector<Sum>& sums);

/// (a + (b - c)) - d without the inner brackets. What was worked out once is kept.
class IdleBrackets {
 public:
  Sum removed(FormTable& table, const Sum& sum);

 private:
  std::unordered_map<int, int> known_;  // atoms, and the same without
};

}  // namespace alembert::internal::form
