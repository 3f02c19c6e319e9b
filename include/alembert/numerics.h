#pragma once

// Numbers, and how equations are solved with them: precision, compiled code, Newton's method.

#include <string>
#include <string_view>
#include <vector>

namespace alembert {

/// The extended precision in which coefficients, constants and references are kept (113 bits); double is what runs.
using Quad = __float128;

/// The fewest digits that read back as the same double ("0.1", "100000", "1e-300", "nan", "inf").
std::string to_text(double value);
/// The fewest digits that read back as the same Quad: the double's text where that is enough, else up to 36 digits.
std::string to_text(Quad value);
/// Reads a whole decimal number ("1", ".5", "-1e-3"), the same in every locale; false when the text is not one.
/// A number that is too large gives infinity.
bool read_number(std::string_view text, Quad& value);

// Functions of the same name for other things must not hide these.
namespace internal {
using alembert::to_text;
}

// How the equations of a step are compiled and solved. The defaults suit everybody; experts measure.

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

/// The work that Newton's method had.
struct SolverStatistics {
  long iterations = 0, factorizations = 0, evaluations = 0;
  std::vector<int> factorization_sizes;  // of the matrices that are factorised
};

}  // namespace alembert
