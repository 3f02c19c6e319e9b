#pragma once

// The point nearest to a given one on the manifold c(a, x) = 0, in a metric M, with some components of x held fixed:
//     min (x - x_given)^T M (x - x_given) / 2   subject to   c(a, x) = 0
// By sequential quadratic programming with the exact Hessian, a line search on the l1 merit function and second-order
// corrections. Rows that depend on others are left out of a step, and must vanish all the same in the end.

#include <memory>
#include <vector>

#include "alembert/start/differentiable.h"

namespace alembert::internal {

/// Above this many unknowns and constraints together sparse factorisations are used.
inline constexpr int largest_dense = 300;
/// A residual of at most this many rounding levels counts as zero.
inline constexpr double rounding_allowance = 4;

class NearestPoint {
 public:
  /// inputs a and unknowns x are symbols; constraints c depend on no others.
  NearestPoint(const Exprs& inputs, const Exprs& unknowns, const Exprs& constraints);
  NearestPoint(const NearestPoint& other);
  NearestPoint(NearestPoint&&) noexcept;
  ~NearestPoint();

  struct Request {
    std::vector<double> inputs, given;
    std::vector<bool> fixed;  // one per unknown
    SparseRows metric;
    std::vector<int> active;  // numbers of the constraints that count
  };
  struct Result {
    bool converged = false;
    std::vector<double> x;         // the last iterate when it did not converge
    std::vector<double> residual;  // of all constraints there
    int iterations = 0;
  };
  /// x stays `given` to the last bit where that is consistent to rounding. Not converged: no point near the given one
  /// was found, or something on the way was not finite.
  Result solve(const Request& request) const;

  /// c and its derivative at a point.
  const DifferentiableList& constraints() const;
  /// From now on parameters are read from this table, which must outlive the object; null: their usual values.
  void bind(const double* parameters);

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace alembert::internal
