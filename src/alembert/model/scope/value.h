#pragma once

// What an expression of the language means: a scalar, a vector, or an array of vectors, entry by entry in the graph.

#include <string>
#include <vector>

#include "alembert/expr.h"

namespace alembert::internal {

using ArrayShape = std::vector<int>;

int shape_size(const ArrayShape& shape);
/// "a scalar", "a vector of 3", "an array of 4 x 3".
std::string shape_text(const ArrayShape& shape);

/// Entries in row order. A bad value comes from an error that has been reported: whatever is made from it is bad too,
/// and says nothing more.
struct Value {
  ArrayShape shape;
  Exprs entries;
  bool bad = false;

  static Value scalar(Expr e) { return {{}, {e}, false}; }
  static Value failed() { return {{}, {}, true}; }
  bool is_scalar() const { return !bad && shape.empty(); }
};

/// The part of an array that is left when the first indices are fixed; `offset` counts entries from 0.
Value slice(const ArrayShape& shape, const Exprs& entries, std::size_t indices, int offset);

}  // namespace alembert::internal
