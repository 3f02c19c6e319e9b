#pragma once

// How much functions change between two points, without the cancellation of f(x1) - f(x0).

#include <optional>

#include "alembert/expr/derivative.h"

namespace alembert::internal {

/// f(x1) - f(x0) for x1 = x0 + dx, by the slopes of sums, products, quotients and constant powers between the points:
/// rounding is of the size of the change. f in the symbols x (each once); the others are expressions of the target
/// graph. Nothing where other functions of x occur, whose slopes would cost more than the functions themselves.
std::optional<Exprs> change_between(ExprSpan f, ExprSpan x, ExprSpan x0, ExprSpan x1, ExprSpan dx, Graph& target);

}  // namespace alembert::internal
