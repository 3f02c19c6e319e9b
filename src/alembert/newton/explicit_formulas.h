#pragma once

// What follows from multipliers by formulas, and the matrix of the constraints that decide these, by kinds of formulas:
// what is derived for one rod of a chain holds for all. Private to newton/.

#include <cstdint>
#include <vector>

#include "alembert/code/alike.h"
#include "alembert/expr/derivative.h"

namespace alembert::internal {

Exprs slice(const Exprs& list, int first, int count);

/// A sparse matrix by rows, columns ascending. Of each entry its number.
struct NumberedRows {
  struct Entry {
    int column;
    std::uint32_t number;
  };
  std::vector<int> start{0};
  std::vector<Entry> entries;

  void end_row();
};

/// Unknowns, constraints, and multipliers, as many as constraints. Inputs of formulas are numbered as in `all`.
struct ExplicitFormulas {
  const Exprs& all;     // inputs and unknowns of a step
  int own = 0;          // the number of the first unknown that follows
  int multipliers = 0;  // of the first multiplier
  FormulaList values;   // at first the equation of each unknown
  FormulaList constraints;
  FormulaList rows = {};               // of the matrix: the constraints, with all that their derivatives take
  SparseExprs outer = {}, inner = {};  // of the first row of each kind: by the unknowns, and of these by multipliers

  /// Whether a formula takes an input with a number from `from` on and below `to`.
  static bool take(const FormulaList& formulas, int from, int to);
  /// The equation of each becomes what it is in terms of others, where that is linear in it, with a factor that no
  /// unknown changes, and has no other of them. False where it is not so.
  bool solve(const Exprs& unknowns);
  /// Where block `other` of so many unknowns has the same formulas as another.
  bool alike(int block, int other, int size) const;
  /// outer and inner.
  void derive();
  /// The matrix: its entries are numbered row by row, as the formulas give them.
  NumberedRows entries(std::vector<AlikeFormulas>& formulas) const;
  /// Entries of the derivatives: of all constraints, and of so many unknowns.
  std::size_t outer_entries() const;
  std::size_t inner_entries(int first, int count) const;

 private:
  bool is_own(std::uint32_t number) const {
    return number >= static_cast<std::uint32_t>(own) && number < static_cast<std::uint32_t>(own + values.size());
  }
  void find_rows();
};

}  // namespace alembert::internal
