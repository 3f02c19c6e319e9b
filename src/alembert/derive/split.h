#pragma once

// Which part of a force belongs to which multipliers.

#include <optional>

#include "alembert/expr/derivative.h"

namespace alembert::internal {

/// force = free + holonomic(lambda) + nonholonomic(psi).
struct ForceParts {
  Exprs free, holonomic, nonholonomic;
};

/// Takes sums apart, through negation and factors or denominators without multipliers. `mixed` gets the number of an
/// entry in which the two kinds of multipliers cannot be told apart (a product of both), else -1.
ForceParts split_force(ExprSpan force, ExprSpan lambda, ExprSpan psi, Graph& graph, int& mixed);

/// The degree in x if e is homogeneous in x (0: does not contain it), by the rules of sums, products, quotients and
/// constant powers; nothing where these do not tell.
std::optional<double> homogeneous_degree(Expr e, ExprSpan x);

}  // namespace alembert::internal
