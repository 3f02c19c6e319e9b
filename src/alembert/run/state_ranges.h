#pragma once

// What errors are compared with: the ranges of a motion; where nothing moves, what the forces would do that cancel.

#include <cstddef>
#include <span>
#include <vector>

#include "alembert/run/multipliers.h"
#include "alembert/run/report_names.h"

namespace alembert::internal {

/// What the forces at a point, which cancel, would each make of every velocity in a step of size h; empty where they do
/// not cancel.
std::vector<double> balanced_forces(Multipliers& multipliers, const GridPoint& at, std::size_t n_y, double h);
/// Of what the forces would do: no velocity is known better.
constexpr double rounding_of_forces = 1e-13;

/// The least and the largest value of every entry of a state.
class StateRanges {
 public:
  StateRanges(const ReportNames& names, std::size_t n_y, std::span<const double> state);
  void add(std::span<const double> state);

  /// What an error of the entry is compared with: its own range; of those that hardly move, a part of their size, of
  /// the range of the vector that they belong to, or of all positions or velocities.
  std::vector<double> scales() const;
  /// The largest range of all positions, and of all velocities.
  double positions() const { return largest(0, n_y_); }
  double velocities() const { return largest(n_y_, low_.size()); }
  double time() const { return velocities() > 0 ? positions() / velocities() : 0; }
  /// Where rounding of the entry begins to count.
  double rounding(std::size_t i) const;
  /// What rounding of the entries is, in units of rounding, relative to their range: large where a motion lies far from
  /// the origin.
  double resolution() const;
  double farthest() const;  // the largest |position| so far
  /// Whether nothing moves but rounding of what balanced forces would make of the velocities (balanced_forces), in so
  /// much time.
  bool rest_beside(const std::vector<double>& forces, double time) const;
  template <class A>
  void archive(A& fields) {
    fields(low_, high_);
  }

 private:
  double largest(std::size_t first, std::size_t last) const;
  double size(std::size_t i) const;

  std::size_t n_y_;
  std::vector<double> low_, high_;
  std::vector<int> group_;  // vectors that entries belong to
};

}  // namespace alembert::internal
