#pragma once

// Newton's method for equations given as expressions, to rounding. Failure is a returned value.
//
// Small systems: the elimination of the Newton matrix is unrolled into the compiled code (exact Newton).
// Larger ones: dense or sparse factorisations, kept over iterations and steps while they contract well (simplified
// Newton); for the stages of SPARK steps only two small matrices (two_matrix.h, explicit_stages.h). Where that fails,
// damped Newton, and Newton's own matrix. Where the matrix has no full rank, as near a singular position of the
// constraints, the directions that are lost are left to the other equations (minimum_norm.h). Of constraints that are
// redundant everywhere some are left out (fewer_equations.h); it is seen to that they hold, else minimum norm serves.
//
// linear/linear_system.h is what matrices are known by, strategies.h holds the iterations, convergence.h says when they
// have arrived, choose_system.h which matrix suits which equations.

#include <memory>
#include <string_view>
#include <vector>

#include "alembert/code/kernel.h"
#include "alembert/newton/implicit_equations.h"
#include "alembert/newton/newton_result.h"

namespace alembert::internal {

class ByteReader;
class ByteWriter;

/// The most unknowns of a system that is solved with minimum_norm: its matrix is dense.
constexpr int most_minimum_norm_unknowns = 1500;

/// Compiled once; solve() neither allocates nor throws, save that it takes memory when it first meets a singular
/// position or equations that the two matrices cannot solve. Not shared between threads: each brings its own clone.
template <class T>
class Newton {
 public:
  /// typical: values of inputs and unknowns near which the equations will be solved; the order of the unrolled
  /// elimination is chosen there. Parameters have their usual values until bind(). matrix: the derivative of the
  /// equations in the unknowns, where it is at hand.
  Newton(const ImplicitEquations& equations, const std::vector<T>& typical, NewtonOptions options = {},
         const SparseExprs* matrix = nullptr);
  ~Newton();
  Newton(Newton&&) noexcept;
  Newton& operator=(Newton&&) noexcept;
  /// The same equations with a memory of their own, empty at first; the compiled code is shared.
  Newton clone() const;

  /// From now on parameters are read from this table (see Kernel), also by clones made later. forget() where its values
  /// jump.
  void bind(const T* parameters) noexcept;

  /// What a guess consists of: so many unknowns from that one on, where the others follow from them; 0: of all.
  struct Guessed {
    int first = 0, count = 0;
  };
  Guessed guessed() const;
  /// Makes the others in x follow from them.
  void complete(T* x) noexcept;

  /// x holds the inputs, then the unknowns: a guess before, the solution after (the last iterate when it failed).
  NewtonResult solve(T* x) noexcept;
  /// The same in the usual way alone, which ends after a few iterations: for those who would rather have a better
  /// guess.
  NewtonResult solve_briefly(T* x) noexcept;
  /// The same where the solution is known to be a singular position: directions that are lost there are left to the
  /// other equations at once.
  NewtonResult solve_singular(T* x) noexcept;
  /// Where redundant equations were left out their multipliers are 0 in x: they, and the others with them, become the
  /// smallest ones that do the same.
  void make_multipliers_smallest(T* x) noexcept;
  /// From now on a correction of this size is the last one where a matrix is kept; 0: to rounding.
  void be_rough(double enough) noexcept;
  /// Throws the kept factorisation away (after a jump in the inputs).
  void forget() noexcept;
  /// As if nothing had been solved before, but for the statistics: the next solution is a function of x and the
  /// parameters.
  void start_afresh() noexcept;
  /// Whether solve() leaves nothing behind that the next one would use (unrolled code).
  bool memoryless() const;
  const NewtonStatistics& statistics() const;
  /// What the linear system is called: unrolled, dense, sparse, two-matrix, explicit stages, minimum norm, or "".
  std::string_view linear_system() const;

  /// All that the next solve() uses of the ones before. Loaded into a Newton of the same equations, typical values and
  /// options, it goes on with the same bits. InputError where the bytes are not those of such a one: then forget().
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Body;
  explicit Newton(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace alembert::internal
