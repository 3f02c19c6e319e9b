#pragma once

// One part of a step, compiled: everything that is computed around the solution of its equations. Private to newton/.

#include <memory>
#include <string>
#include <vector>

#include "alembert/code/wide.h"
#include "alembert/newton/newton.h"
#include "alembert/newton/step_equations.h"

namespace alembert::internal {

/// Of the equations and of the internal values.
struct StepNames {
  std::vector<std::string> labels, internal;
};

/// Inputs of all kernels begin with t0, h, state. Copies share the code and guess_newton.
template <class T>
struct StepPart {
  /// guess_values: of equations.guess_inputs near which steps will be made, and t0, h, state as well.
  StepPart(const StepEquations& equations, T t0, T h, const std::vector<T>& state, const std::vector<T>& guess_values,
           const NewtonOptions& options);

  /// Inputs of the equations: t0, h, state.
  int inputs() const { return 2 + states; }
  std::size_t work() const;  // that any of the kernels needs
  void bind(const T* parameters) noexcept;

  int states = 0, unknowns = 0, guess_unknowns = 0;
  int positions = 0;  // of the states, before those that guess_inputs begins with the rates of
  std::shared_ptr<const StepNames> names;
  WideKernel<T> guess;                      // further inputs: guess_inputs, guess_unknowns
  std::shared_ptr<Newton<T>> guess_newton;  // for guess_unknowns, where there are some
  WideKernel<T> increments;                 // further inputs of this and the next: the unknowns
  WideKernel<T> internal;
  Kernel<T> balance;   // energy: its change, dissipated and supplied; discrete constraints; work; what there is
  Kernel<T> contacts;  // what contacts did; inputs as of balance
  Kernel<T> carried;   // further inputs: the unknowns, what is carried; empty where nothing is
  std::vector<int> multipliers;  // among the unknowns of a small part
  bool inclusions = false;       // unilateral laws are among the equations
  bool tells_energy = false;     // that its change is more than always 0
  bool tells_parts = false;      // dissipated and supplied energy
  int first_discrete = 0;        // among the outputs of balance
  int first_work = 0;            // likewise
};

}  // namespace alembert::internal
