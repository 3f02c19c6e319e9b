#pragma once

// Is everything finite at the start? And if not: what, and which part of the expression is to blame.

#include <string>
#include <vector>

#include "alembert/derive/equations.h"
#include "alembert/model/model.h"

namespace alembert::internal {

struct State {
  double t = 0;
  std::vector<double> y, z;
};

/// The values of t, y, z, one after the other, as kernels on (t, y, z) take them.
std::vector<double> flat(const State& state);

/// Throws InputError when the given values themselves are not finite.
void check_given_values(const Model& model, const Equations& equations);
/// Throws InputError when energies, forces, constraints or other functions of the system are not finite there; names
/// each, with the smallest part of the expression that is not.
void check_finite(const Model& model, const Equations& equations, const State& state);

/// "1/x is inf", the first part of f that is not finite although its operands are; "" when all is finite.
std::string first_not_finite(Expr f, const Exprs& symbols, const std::vector<double>& values);

/// The place of the coordinate (or momentum, variable) with this flat number.
Place place_of(const std::vector<Block>& blocks, int flat_number);

}  // namespace alembert::internal
