#pragma once

// A state that is near the constraints, moved onto them the shortest way: first y onto g = 0 and c = 0, then, y being
// kept, z onto g_t + g_y v = 0 and k = 0. Both hold to rounding afterwards.

#include "alembert/derive/equations.h"
#include "alembert/newton/newton.h"

namespace alembert::internal {

/// Compiled once; apply() neither allocates nor throws.
template <class T>
class Projection {
 public:
  /// typical: a state (y, z) at t near which others will be moved.
  Projection(const Equations& equations, T t, const std::vector<T>& typical, NewtonOptions options = {});
  /// With a memory of its own; the compiled code is shared.
  Projection(const Projection& other);

  /// Moves state (y, then z) at t. What does not converge leaves it as it was.
  Outcome apply(T t, T* state) noexcept;

  /// From now on parameters are read from this table, see Kernel.
  void bind(const T* parameters) noexcept;
  /// What the next states depend on.
  template <class A>
  void archive(A& fields) {
    fields(positions_, velocities_, position_, velocity_);
  }

 private:
  /// x such that onto(inputs, values + x) = 0, along the gradients at the values.
  Newton<T> level(const Equations& equations, const Exprs& inputs, const Exprs& unknowns, const Exprs& onto, T t,
                  const std::vector<T>& typical, NewtonOptions options, std::vector<T>& x) const;
  Outcome move(Newton<T>& newton, std::vector<T>& x, std::size_t first, std::size_t count, T t, T* state) noexcept;

  std::size_t n_y_, n_z_;
  std::vector<T> positions_, velocities_, moved_;  // inputs and unknowns of the two systems
  Newton<T> position_, velocity_;
};

}  // namespace alembert::internal
