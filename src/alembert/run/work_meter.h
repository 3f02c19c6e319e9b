#pragma once

// The account of the energy of a model on which something does work: what was dissipated and supplied, as the integral
// of the power over the grid points of a run.

#include <cmath>
#include <span>
#include <vector>

#include "alembert/code/kernel.h"
#include "alembert/derive/equations.h"
#include "alembert/report.h"
#include "alembert/run/multipliers.h"

namespace alembert::internal {

class WorkMeter {
 public:
  WorkMeter(const Equations& equations, KernelOptions options);
  void bind(const double* parameters) noexcept { kernel_.bind(parameters); }
  void restart();
  /// The power jumps here, and the energy by this much: what comes is integrated for itself.
  void go_on(double jump);
  /// Whether so few points are known that those between grid points would help; the time of the last.
  bool few() const { return !last_.empty() && last_.size() < points; }
  double last_t() const { return last_.back().t; }

  /// A grid point of the run, with the energy there. multipliers are asked only where the power depends on them.
  void look(double t, std::span<const double> state, double energy, Multipliers& multipliers);
  /// Forces that never did positive work are friction: what they took counts as dissipated.
  EnergyAccount account() const;
  bool finite() const { return std::isfinite(account_.dissipated) && std::isfinite(account_.supplied); }
  /// The parts of what was dissipated that Equations::friction_powers took.
  const std::vector<double>& friction() const { return friction_; }
  /// All that it has seen.
  template <class A>
  void archive(A& fields) {
    fields(begun_, rates_, last_, from_, settled_, first_energy_, off_, most_, least_, account_, friction_);
  }

 private:
  struct Sample {
    double t = 0, dissipated = 0, supplied = 0;  // rates
    std::vector<double> friction;

    template <class A>
    void archive(A& fields) {
      fields(t, dissipated, supplied, friction);
    }
  };
  struct Work {
    double dissipated = 0, supplied = 0;
    std::vector<double> friction;

    template <class A>
    void archive(A& fields) {
      fields(dissipated, supplied, friction);
    }
  };
  static void add(const Work& work, Work& to);
  Sample sample(double t, std::span<const double> state, Multipliers& multipliers);
  Work between(std::size_t first, std::size_t last) const;

  // A polynomial of degree 5 goes through the last points.
  static constexpr std::size_t points = 6, middle = 2;

  bool begun_ = false;
  bool has_ports_;
  bool with_multipliers_;
  std::size_t multipliers_;  // lambda and psi
  Kernel<double> kernel_;
  std::vector<double> in_, work_, rates_;
  std::vector<Sample> last_;  // of the points
  std::size_t from_ = 0;      // the point up to which the work is settled
  Work settled_;
  double first_energy_ = 0;
  double off_ = 0;               // by which the account differs from the energy now
  double most_ = 0, least_ = 0;  // rates of supply
  EnergyAccount account_;
  std::vector<double> friction_;
};

}  // namespace alembert::internal
