#pragma once

// What error two steps may make, entry by entry of the state.

#include "alembert/derive/equations.h"
#include "alembert/run/grid_point.h"
#include "alembert/run/multipliers.h"

namespace alembert::internal {

/// A quantity (a number, or a vector of up to four entries, whose directions are as good as each other) may be off by
///     absolute + relative * size,
/// where size is the largest of it at both ends and of its own past, which is forgotten: so it may pass zero, nothing
/// is judged by what is large elsewhere, and a bad step does not loosen the later ones. Nothing is asked that rounding
/// does not allow: rounding is that of all that the quantity is coupled with by the equations. What begins to move from
/// nothing is judged by a tiny part of what all that moves with it does in these steps.
class ErrorScale {
 public:
  ErrorScale(const Equations& equations, double relative, double absolute, const GridPoint& start);

  /// The largest difference of two results for the end of the same steps, in units of what is allowed; infinite where
  /// something is no number.
  double error(const GridPoint& from, const GridPoint& to, const GridPoint& other);
  /// Whether the velocities (z) changed in two steps of size h as the accelerations at their three points say: far from
  /// what the tolerance asks for, but the points may be where no stage of the method was. After error() of the same.
  bool fits(const GridPoint& from, const GridPoint& to, double h, std::span<const double> rates_from,
            std::span<const double> rates_middle, std::span<const double> rates_to) const;
  /// Whether the defects of a step (the slopes at its ends, times h, without those of its stages) are those of the same
  /// motion: far from what the tolerance asks for. After error() of the same.
  bool slight(const GridPoint& from, const GridPoint& to, std::span<const double> defects) const;
  /// Two steps were accepted.
  void accept(const GridPoint& from, const GridPoint& to);

  /// From here on h is one of two steps from this point, and rounding of the state and of forces that cancel is
  /// asked for what it does to the accelerations. Costs as much as a few accelerations; until the next accept().
  void measure_rounding(Multipliers& multipliers, const GridPoint& from, double h);

  /// What it has seen of the motion.
  template <class A>
  void archive(A& fields) {
    fields(recent_, lasting_, largest_, changes_, rounding_, disturbed_, rates_);
  }

 private:
  double size(const GridPoint& point, std::size_t group) const;
  double size(const GridPoint& from, const GridPoint& to, std::size_t group) const;
  double rounding(int entry) const;
  void measure_changes(const GridPoint& from, const GridPoint& to);

  std::size_t n_y_;
  double relative_, absolute_;
  std::vector<int> first_;        // of every group its first entry; then the number of entries
  std::vector<int> cluster_;      // of every entry; those of y and z are counted apart
  std::vector<double> recent_;    // size of every group, forgotten soon
  std::vector<double> lasting_;   // forgotten slowly
  std::vector<double> largest_;   // of every cluster at the last point
  std::vector<double> changes_;   // of every cluster, the largest in the steps that are judged
  std::vector<double> rounding_;  // of every entry, where it was measured
  std::vector<double> disturbed_, rates_;
};

}  // namespace alembert::internal
