#pragma once

// The rewritings that every node passes at birth. Used by Graph::make alone.

#include "alembert/expr.h"

namespace alembert::internal {

/// A simpler expression with the value of op(a, b) up to rounding wherever that is finite; empty when there is none and
/// op(a, b) is to be stored as it stands. For an operator of one operand b is a. Never loops: each rewriting leads to
/// operands that it does not apply to.
Expr simplify(Op op, Expr a, Expr b);

}  // namespace alembert::internal
