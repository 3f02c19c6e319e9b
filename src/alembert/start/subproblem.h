#pragma once

// The quadratic subproblems of NearestPoint: min |d - deviation|_M^2 / 2 + d^T H d / 2 subject to c + J d = 0.

#include <Eigen/Core>
#include <memory>

#include "alembert/linear/sparse_rows.h"

namespace alembert::internal {

/// What a subproblem is made of, for the free unknowns and the active constraints only.
struct Quadratic {
  SparseRows metric;   // M
  SparseRows hessian;  // of mu^T c; without entries in a Gauss-Newton step
  SparseRows jacobian;
  Eigen::VectorXd deviation;  // x_given - x
  Eigen::VectorXd residual;   // c
};

class Subproblem {
 public:
  virtual ~Subproblem() = default;
  /// False when the matrix is singular or H makes the subproblem unbounded.
  virtual bool factor(const Quadratic& q, bool with_hessian) = 0;
  virtual void solve(const Quadratic& q, Eigen::VectorXd& step, Eigen::VectorXd& mu) = 0;
  /// The smallest step that removes the residual c to first order, with the factors at hand.
  virtual Eigen::VectorXd correction(const Eigen::VectorXd& c) = 0;
};

/// Dense up to some hundreds of unknowns. cautious: rows that nearly depend on others are left out of the steps
/// (sparse: count less), not only those that do so to rounding.
std::unique_ptr<Subproblem> make_subproblem(bool dense, bool cautious);

Eigen::VectorXd times(const SparseRows& a, const Eigen::VectorXd& x);
/// 1 where nothing stands on the diagonal.
Eigen::VectorXd diagonal(const SparseRows& a);
/// One over the length of each row in the dual metric (its diagonal): residuals become distances.
Eigen::VectorXd row_scales(const SparseRows& jacobian, const Eigen::VectorXd& mass);

}  // namespace alembert::internal
