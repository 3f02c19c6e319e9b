#pragma once

// What the model observes along a motion, and where tables are asked beyond their ends.

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "alembert/code/kernel.h"
#include "alembert/derive/equations.h"
#include "alembert/report.h"
#include "alembert/run/multipliers.h"

namespace alembert::internal {

class ObservedValues {
 public:
  /// The model outlives this.
  ObservedValues(const Model& model, const Equations& equations, KernelOptions options);
  void bind(const double* parameters) noexcept { kernel_.bind(parameters); }
  /// Forgets all looks.
  void restart();

  /// What acts in contacts and is asked for, contact after contact: tangential forces, force, state. 0 until it is
  /// said.
  void act(std::span<const double> acting);
  /// What the multipliers are taken for, where others do the same as those by which steps are made. Empty: those.
  using Share = std::function<void(double t, std::span<const double> state, std::vector<double>& multipliers)>;
  void share_by(Share share) { share_ = std::move(share); }
  /// Takes the values at a grid point of a run: they count for the ranges.
  void look(double t, std::span<const double> state, Multipliers& multipliers);
  /// The same for a state that does not count.
  void glance(double t, std::span<const double> state, Multipliers& multipliers);

  bool any() const { return !out_.empty(); }
  std::span<const double> values() const { return {out_.data(), watched_.size()}; }
  const std::vector<ObservedRange>& watched() const { return watched_; }
  /// The first table that was asked beyond its ends at a look, in words; "" where none was.
  const std::string& beyond() const { return beyond_; }
  /// All that it has seen.
  template <class A>
  void archive(A& fields) {
    fields(out_, watched_, beyond_, undefined_, first_);
  }
  /// The first value that was no number at a look; -1 where none was.
  int undefined() const { return undefined_; }

 private:
  const Model& model_;
  bool with_multipliers_;
  std::size_t n_z_;
  Kernel<double> kernel_;
  std::vector<double> in_, out_, work_;
  std::vector<ObservedRange> watched_;
  std::string beyond_;
  int undefined_ = -1;
  bool first_ = true;
  Share share_;
  std::vector<double> shared_;
};

}  // namespace alembert::internal
