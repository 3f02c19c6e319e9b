#pragma once

// Where functions of the motion may be zero inside a step. Bounds over boxes around the curve between two grid points
// say where nothing can be; boxes that leave it open are halved. So no dip is too narrow to be seen.

#include <span>
#include <vector>

#include "alembert/code/enclosure.h"

namespace alembert::internal {

class ZeroBoxes {
 public:
  /// Functions of t and the state. The tape may have further inputs, which are fixed over a step or on which functions
  /// that are asked for do not depend; it outlives this.
  ZeroBoxes(const Tape& tape, std::size_t states);

  /// An end of the step: the state and its rates of change.
  struct End {
    double t = 0;
    std::span<const double> y, z, y_rates, z_rates;
  };
  /// The cubics through both ends, each entry of the state with a margin beside it.
  /// fixed: values of the last inputs of the tape.
  void begin(const End& from, const End& to, std::span<const double> margin, std::span<const double> fixed,
             const double* parameters);
  /// Whether the function may be zero somewhere in the step.
  bool may_be_zero(int function) const { return whole_[static_cast<std::size_t>(function)].contains(0); }
  /// Shares of the step, in order, between which the function has one sign, beginning with `side`, and where it may
  /// have another. False where these are not all: there are too many, or bounds leave too much open.
  bool find(int function, int side, std::vector<double>& shares);

 private:
  struct Box {
    double left, right;
    int depth;
  };
  struct Cubic {
    double points[4];  // of Bezier
  };
  struct Place {
    double share;
    int sign;  // 0: not known
  };
  bool one_of_each(int side, std::vector<double>& shares);
  void enclose_part(double left, double right);
  bool margin_dominates() const;
  bool as_open_at(int function, double share, Interval bounds);
  int sign_at(int function, double share);

  const Tape& tape_;
  double t_ = 0, h_ = 0;
  const double* parameters_ = nullptr;
  std::vector<Cubic> curves_;
  std::vector<double> margin_;
  std::vector<Interval> in_, whole_, out_, work_;
  std::vector<Box> boxes_;
  std::vector<Place> places_;
};

}  // namespace alembert::internal
