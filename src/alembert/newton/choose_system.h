#pragma once

// Which linear system suits which equations.

#include <optional>

#include "alembert/linear/jacobian_values.h"
#include "alembert/linear/linear_system.h"
#include "alembert/newton/newton.h"

namespace alembert::internal {

template <class T>
struct ChosenSystems {
  WideKernel<T> equations;
  std::unique_ptr<LinearSystem<T>> usual;
  /// Newton's own matrix with a memory, for damped Newton; empty where the usual system serves for that, too.
  std::unique_ptr<LinearSystem<T>> with_memory;
  /// Newton's own matrix as it is, for singular positions; nothing where the two matrices are used or it is too large.
  std::optional<JacobianValues<T>> plain_matrix;

  bool linear = false;  // the equations, in their unknowns, where that is known

  /// See LinearSystem.
  ChosenSystems clone() const;
  void bind(const T* parameters) noexcept;
};

/// Whether the two matrices of two_matrix.h would be chosen, whatever the rest of the equations is.
bool takes_two_matrices(const ImplicitEquations& equations, const NewtonOptions& options);

/// multiplier[j]: unknown j belongs to a group without a scale. typical, matrix: as for Newton. Without unknowns:
/// nothing.
template <class T>
ChosenSystems<T> choose_systems(const ImplicitEquations& equations, const std::vector<bool>& multiplier,
                                const std::vector<T>& typical, const NewtonOptions& options, const SparseExprs* matrix);

}  // namespace alembert::internal
