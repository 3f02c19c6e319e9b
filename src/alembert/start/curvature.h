#pragma once

// The curvature of constraints: the Hessian of mu^T c(a, x) in x.

#include <memory>
#include <vector>

#include "alembert/start/sparse_derivative.h"

namespace alembert::internal {

/// Of large systems it is made when it is first asked for: most models start where their constraints hold, and never
/// ask. Copies share the code; threads may share one, as long as nobody makes expressions meanwhile.
class Curvature {
 public:
  /// c_x: the derivative of the constraints.
  Curvature(const Exprs& inputs, const Exprs& unknowns, const Exprs& constraints, const SparseExprs& c_x);
  ~Curvature();
  Curvature(const Curvature&);
  Curvature(Curvature&&) noexcept;

  /// in: a, x, mu.
  SparseRows operator()(const std::vector<double>& in) const;
  /// From now on parameters are read from this table, which must outlive the object; null: their usual values.
  void bind(const double* parameters) { parameters_ = parameters; }

 private:
  struct Body;
  std::shared_ptr<Body> body_;
  const double* parameters_ = nullptr;
};

}  // namespace alembert::internal
