#pragma once

// Is everything finite at the start? And if not: what, and which part of the expression is to blame.

#include <string>
#include <vector>

#include "alembert/code/kernel.h"
#include "alembert/derive/equations.h"
#include "alembert/start/start_values.h"
#include "alembert/start/state.h"

namespace alembert::internal {

/// Throws InputError when the given values themselves are not finite.
void check_given_values(const Model& model, const Equations& equations, const StartValues& given);

/// Evaluates all that a model and its equations consist of. Made once; the model and the equations given to check() are
/// those that it was made from.
class FiniteCheck {
 public:
  FiniteCheck(const Model& model, const Equations& equations);
  /// Throws InputError when energies, forces, constraints or other functions of the system are not finite there; names
  /// each, with the smallest part of the expression that is not.
  void check(const Model& model, const Equations& equations, const State& state) const;
  void bind(const double* parameters);

 private:
  std::vector<double> model_values(const Model& model, const State& state) const;

  Exprs potential_force_;            // gradient of the potential, in the graph of the model
  Kernel<double> parameter_values_;  // of the model, in the graph of the equations
  Kernel<double> model_functions_, equation_functions_;
  const double* parameters_ = nullptr;
};

/// "1/x is inf", the first part of f that is not finite although its operands are; "" when all is finite. parameters:
/// their table, as kernels take it.
std::string first_not_finite(Expr f, const Exprs& symbols, const std::vector<double>& values,
                             const double* parameters = nullptr);

}  // namespace alembert::internal
