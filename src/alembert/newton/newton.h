#pragma once

// Newton's method for equations given as expressions, to rounding. Failure is a returned value.
//
// Small systems: the elimination of the Newton matrix is unrolled into the compiled code (exact Newton).
// Larger ones: dense or sparse factorisations, kept over iterations and steps while they contract well; for the stages
// of SPARK steps only the two small matrices of two_matrix.h. Where the matrix has no full rank, as near a singular
// position of the constraints, the directions that are lost are left to the other equations (minimum_norm.h).

#include <memory>
#include <string>
#include <vector>

#include "alembert/code/kernel.h"
#include "alembert/expr/derivative.h"
#include "alembert/newton/two_matrix.h"

namespace alembert::internal {

/// Unknowns that are measured together: a correction counts relative to max(scale, largest of the group).
struct UnknownGroup {
  int first = 0, count = 0;
  Expr scale;  // of the inputs; empty: the group follows the others and does not decide (multipliers)
};

/// F(inputs, unknowns) = 0.
struct ImplicitEquations {
  Exprs inputs, unknowns;  // symbols
  Exprs equations;         // as many as unknowns
  std::vector<UnknownGroup> groups;
  std::shared_ptr<const StageStructure> stages;  // where the equations are a SPARK step; else empty
  std::shared_ptr<Graph> graph;                  // of the equations, where it is not kept alive by others
};

/// contradiction: equations that depend on each other ask for different things.
enum class Outcome { converged, diverged, singular, not_finite, contradiction };

struct NewtonResult {
  Outcome outcome = Outcome::converged;
  int iterations = 0;
  double correction = 0;           // the last one, relative to the scales
  int equation = -1;               // the worst equation: largest residual, or the row of the vanishing pivot
  double residual = 0;             // of that equation
  bool singular_position = false;  // converged, but some unknowns are hardly determined there (multipliers, mostly)
};

/// exact: whatever suits Newton's own matrix; two_matrix: only where the equations have stages (the others: exact);
/// minimum_norm: for equations that depend on each other, with the smallest multipliers.
enum class LinearSolver { automatic, exact, unrolled, dense, sparse, two_matrix, minimum_norm };

/// The most unknowns of a system that is solved with minimum_norm: its matrix is dense.
constexpr int most_minimum_norm_unknowns = 1500;

struct NewtonOptions {
  KernelOptions kernel;
  LinearSolver linear = LinearSolver::automatic;
  int max_iterations = 60;
  /// Relative corrections of at most this size are not made; 0: to rounding. Only to show what loose solvers do.
  double tolerance = 0;
};

struct NewtonStatistics {
  long iterations = 0, factorizations = 0, evaluations = 0;
  std::vector<int> factorization_sizes;  // of the matrices that are factorised
};

/// Compiled once; solve() neither allocates nor throws, save that it takes memory when it first meets a singular
/// position. Not shared between threads: each brings its own copy.
template <class T>
class Newton {
 public:
  /// typical: values of inputs and unknowns near which the equations will be solved; the order of the unrolled
  /// elimination is chosen there.
  Newton(const ImplicitEquations& equations, const std::vector<T>& typical, NewtonOptions options = {});
  ~Newton();
  Newton(Newton&&) noexcept;
  Newton& operator=(Newton&&) noexcept;
  /// The same equations with a memory of their own; the compiled code is shared.
  Newton clone() const;

  /// x holds the inputs, then the unknowns: a guess before, the solution after (the last iterate when it failed).
  NewtonResult solve(T* x) noexcept;
  /// The same where the solution is known to be a singular position: directions that are lost there are left to the
  /// other equations at once.
  NewtonResult solve_singular(T* x) noexcept;
  /// Throws the kept factorisation away (after a jump in the inputs).
  void forget() noexcept;
  /// Whether solve() leaves nothing behind that the next one would use (unrolled code).
  bool keeps_nothing() const;
  const NewtonStatistics& statistics() const;

 private:
  struct Body;
  explicit Newton(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace alembert::internal
