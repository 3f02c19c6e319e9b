#pragma once

// The linear system A d = F(x) of a Newton iteration behind one interface: F are the equations, A is their matrix at
// some point, d the correction (x - d is the next iterate). The strategies of newton/ know nothing else of matrices.

#include <memory>
#include <string_view>
#include <vector>

#include "alembert/base/bytes.h"

namespace alembert::internal {

/// What A is. at_every_solve: Newton's own matrix at the x of each solve(); factor() has nothing to do.
/// exact: Newton's own where factor() took it. approximate: never Newton's own, so that convergence is linear.
enum class MatrixKind { at_every_solve, exact, approximate };

/// Instantiated for double and Quad. factor and solve neither allocate nor throw (SparseLu says when it does).
template <class T>
class LinearSystem {
 public:
  virtual ~LinearSystem() = default;
  LinearSystem() = default;
  LinearSystem& operator=(const LinearSystem&) = delete;

  /// Takes the matrix at x (inputs, then unknowns). False where it is singular or not finite: failure() says more, and
  /// solve() must not be called.
  virtual bool factor(const T* x) noexcept = 0;
  /// d with A d = F(x).
  virtual void solve(const T* x, T* d) noexcept = 0;

  /// As if nothing had been factorised before: what the next factor() gives depends on its x alone.
  virtual void start_afresh() noexcept {}

  struct Failure {
    bool finite = true;  // all entries are numbers
    int row = -1;        // the equation in which no pivot was left; -1 where that is not known
  };
  virtual Failure failure() const noexcept { return {}; }

  virtual MatrixKind kind() const noexcept { return MatrixKind::exact; }
  virtual std::string_view name() const noexcept = 0;
  virtual std::vector<int> sizes() const = 0;                // of the matrices that one factor() factorises
  virtual int factorizations() const noexcept { return 1; }  // how many they are

  /// The same system with a memory of its own, the compiled code shared. It must be factorised before it solves.
  virtual std::unique_ptr<LinearSystem> clone() const = 0;
  /// Where all kernels read parameters from, see Kernel.
  virtual void bind(const T* parameters) noexcept = 0;
  /// The factorisation, such that one that was loaded solves with the same bits as the one that was saved.
  virtual void save(ByteWriter& out) const = 0;
  virtual void load(ByteReader& in) = 0;

 protected:
  LinearSystem(const LinearSystem&) = default;
};

}  // namespace alembert::internal
