#pragma once

// z' and the multipliers along a motion, from the index-reduced system: a function of the state, whatever was asked
// before.

#include <memory>
#include <span>

#include "alembert/code/kernel.h"
#include "alembert/newton/newton.h"
#include "alembert/start/accelerations.h"
#include "alembert/start/initial.h"

namespace alembert::internal {

class Multipliers {
 public:
  Multipliers(const Equations& equations, const InitialValues& initial, double t0, NewtonOptions options);
  /// accelerations: of the same equations, where they are at hand.
  Multipliers(const Equations& equations, const AccelerationSystem& accelerations, const InitialValues& initial,
              double t0, NewtonOptions options);
  /// The compiled code is shared.
  Multipliers(const Multipliers& other);
  Multipliers& operator=(const Multipliers&) = delete;

  void bind(const double* parameters);
  /// Another motion begins here.
  void begin(const InitialValues& initial, double t0);
  /// What the values depend on, beside the state and the parameters.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

  /// z', lambda, psi at a state (y, then z); NaN everywhere where the system is singular. They last until the next
  /// call.
  std::span<const double> at(double t, std::span<const double> state);
  /// How far rounding of forces that cancel moves z' where at() was called last, as if masses were not coupled. They
  /// last until the next call.
  std::span<const double> rounding();

 private:
  /// A copy keeps the order in which a large matrix is eliminated.
  void take_order(const Multipliers& other);
  /// Where masses vanish, or almost, accelerations may be undetermined or lost in rounding; multipliers are not.
  bool by_least_squares(double t, std::span<const double> state);
  void refine();
  void measure_masses();

  std::size_t inputs_, n_y_, n_z_;
  bool massless_;
  std::vector<double> guess_;  // of the unknowns
  std::vector<double> x_, failed_;
  std::vector<double> once_ = x_;  // before it is refined
  std::shared_ptr<const ImplicitEquations> reduced_;
  Kernel<double> balances_;  // x_ -> equations of z'; made where rounding is asked for
  std::vector<double> masses_, errors_;
  const double* parameters_ = nullptr;
  Newton<double> newton_;
  AccelerationSystem accelerations_;
};

}  // namespace alembert::internal
