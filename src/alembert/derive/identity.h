#pragma once

// Whether two lists of expressions are the same functions, however they are written.

#include "alembert/expr/derivative.h"

namespace alembert::internal {

/// Compares values in extended precision at a few points without structure, which no two different formulas share in
/// practice: in all symbols, and in parameters, whose values are known only later. Where a value is not finite the
/// texts must be equal. Both lists in one graph.
bool equal_functions(ExprSpan a, ExprSpan b);

}  // namespace alembert::internal
