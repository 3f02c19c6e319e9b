#pragma once

// The account of the energy of a model on which something does work: what was dissipated and supplied. Methods that
// tell the work of a step are believed: their quadrature has their order, however long the step is. Else it is the
// integral of the power over the grid points of a run.

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
  /// Whether so few points are known that those between the last and the next grid point would help.
  bool few(double next) const { return !last_.empty() && (last_.size() < points || uneven(next)); }
  double last_t() const { return last_.back().t; }

  /// Whether the work of a step that a method tells is what is asked for.
  bool tells(std::span<const double> work) const {
    return begun_ && work.size() == static_cast<std::size_t>(kernel_.outputs());
  }
  /// The end of a step, with its work.
  void take(double t, std::span<const double> state, double energy, std::span<const double> work,
            Multipliers& multipliers);
  /// A grid point of the run, with the energy there. multipliers are asked only where the power depends on them.
  void look(double t, std::span<const double> state, double energy, Multipliers& multipliers);
  EnergyAccount account() const;
  /// By how much the account differs from the energy now; 0 while too few points are known.
  double off() const { return sure_ ? off_ : 0; }
  /// All that was ever supplied, whatever was taken away meanwhile, about.
  double gained() const { return gained_; }
  /// The largest and the smallest power that was supplied, at least and at most 0.
  double most_supplied() const { return most_; }
  double least_supplied() const { return least_; }
  /// Whether the power could not be told at several points in a row; at a singular position it cannot at one.
  bool lost() const { return unknown_ > most_unknown; }
  /// The parts of what was dissipated that Equations::friction_powers took.
  const std::vector<double>& friction() const { return friction_; }
  /// All that it has seen.
  template <class A>
  void archive(A& fields) {
    fields(begun_, rates_, last_, from_, settled_, first_energy_, unknown_, off_, sure_, gained_, most_, least_,
           account_, friction_);
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
  void gain(const Sample& now);
  void settle(const Work& all, double energy);
  void make_room();
  bool uneven(double next) const;

  // A polynomial of degree 5 goes through the last points.
  static constexpr std::size_t points = 6, middle = 2;
  static constexpr int most_unknown = 3;

  bool begun_ = false;
  bool with_multipliers_;
  std::size_t multipliers_;  // lambda and psi
  Kernel<double> kernel_;
  std::vector<double> in_, work_, rates_;
  std::vector<Sample> last_;  // of the points
  std::size_t from_ = 0;      // the point up to which the work is settled
  Work settled_;
  double first_energy_ = 0;
  int unknown_ = 0;              // points in a row
  double off_ = 0;               // by which the account differs from the energy now
  bool sure_ = false;            // enough points are known for it
  double gained_ = 0;            // work that was positive
  double most_ = 0, least_ = 0;  // rates of supply
  EnergyAccount account_;
  std::vector<double> friction_;
};

/// Forces that never did positive work are friction: what they took counts as dissipated. most, least: of the power.
void count_as_damping(EnergyAccount& account, double most, double least);

}  // namespace alembert::internal
