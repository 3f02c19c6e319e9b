#pragma once

// Sums of products with fewer operations: what elimination makes of entries that are numbers times the same few
// factors.

#include <cstdint>
#include <vector>

#include "alembert/expr.h"

namespace alembert::internal {

/// A product: a number times factors, the numbers of their nodes in ascending order.
struct ProductTerm {
  Quad coefficient = 1;
  std::vector<std::uint32_t> factors;
};

/// A sum as its terms; sums inside products are factors. Equal products are one, those that cancel are none.
std::vector<ProductTerm> terms_of_sum(Expr sum);

/// The same value but for rounding: equal products together, what all terms share outside, terms with the same number
/// under one, so that sums that differ in a factor only are one expression.
Expr gathered(Expr sum);

}  // namespace alembert::internal
