#pragma once

// How the equations of a step are compiled and solved. The defaults suit everybody; experts measure.

namespace alembert {

/// automatic: native code where the program has a compiler and it pays off; native: an error where it has none.
enum class Backend { automatic, interpreter, native };

struct KernelOptions {
  Backend backend = Backend::automatic;
  bool optimise = true;  // native: for long runs, or the fastest start
  // How often it will be called, as far as one knows: automatic interprets what is called a few thousand times only,
  // and optimises what is called very often.
  double calls = 1e9;
};

/// exact: whatever suits Newton's own matrix; two_matrix: where the equations have stages (a run of other methods
/// is refused, other equations are solved exactly); minimum_norm: for equations that depend on each other, with the
/// smallest multipliers.
enum class LinearSolver { automatic, exact, unrolled, dense, sparse, two_matrix, minimum_norm };

struct NewtonOptions {
  KernelOptions kernel = {};
  LinearSolver linear = LinearSolver::automatic;
  int max_iterations = 60;
  /// Relative corrections of at most this size are not made; 0: to rounding. Only to show what loose solvers do.
  double tolerance = 0;
};

}  // namespace alembert
