#pragma once

// Which members a study has: every combination of the values of its axes, each with a number of draws. A member's
// values are a function of its number: nothing is stored, and the order in which they are asked for does not matter.

#include <cstdint>
#include <string>
#include <vector>

#include "alembert/error.h"
#include "alembert/study.h"

namespace alembert::internal {

/// What is varied: a list of values as overrides take them ("0.5", "2^3"), or equal steps.
struct SweepAxis {
  std::string name;
  std::vector<std::string> values = {};  // empty where it is a range
  double first = 0, last = 0;            // of a range, both among its values
  std::size_t count = 0;                 // of a range

  std::size_t size() const { return values.empty() ? count : values.size(); }
  double number(std::size_t i) const;     // of a range
  std::string text(std::size_t i) const;  // as written, or the fewest digits
};

/// "l=0.5:2:100" (first, last, how many), "l=1,2,5"; the name may be an initial value. What is wrong is added to
/// `wrong`, each with its place in the text.
SweepAxis read_axis(const std::string& text, std::vector<Diagnostic>& wrong);
/// "x'=normal(0, 0.1)", "a=uniform(-pi, pi)".
Draw read_draw(const std::string& text, std::vector<Diagnostic>& wrong);
/// A number, or an expression without names: "0.5", "1/3", "2*pi"; nothing where it is something else.
std::optional<double> constant_value(const std::string& text);

class Design {
 public:
  /// members: draws for each combination of the axes; at least 1. Throws InputError where there are more than can be
  /// counted, a draw cannot be made, or there are more draws than Sobol's sequence has dimensions.
  Design(std::vector<SweepAxis> axes, std::vector<Draw> draws, std::uint64_t members, std::uint64_t seed,
         Sampling sampling);

  std::uint64_t size() const { return size_; }
  const std::vector<std::string>& names() const { return names_; }  // of the axes, then of the draws
  const std::vector<SweepAxis>& axes() const { return axes_; }
  const std::vector<Draw>& draws() const { return draws_; }
  std::uint64_t draws_each() const { return members_; }

  /// Which value of an axis a member has. The last axis varies faster than those before it, draws faster than all.
  std::size_t index(std::uint64_t member, std::size_t axis) const;
  /// The values as text, one a name.
  std::vector<std::string> texts(std::uint64_t member) const;
  double drawn(std::uint64_t member, std::size_t draw) const;

  /// Axes that are marked stay open: one compilation serves all their values, which are then numbers. Draws always do.
  void keep_open(const std::vector<bool>& axes);
  bool is_open(std::size_t axis) const { return open_[axis]; }
  std::vector<std::string> open_names() const;
  std::vector<double> open_values(std::uint64_t member) const;
  /// The members in another order, in which those with the same values of all closed axes follow each other.
  std::uint64_t group_size() const { return group_size_; }
  std::uint64_t groups() const { return size_ / group_size_; }
  std::uint64_t member(std::uint64_t group, std::uint64_t place) const;

 private:
  std::vector<SweepAxis> axes_;
  std::vector<Draw> draws_;
  std::uint64_t members_, seed_, size_ = 1, group_size_ = 1;
  Sampling sampling_;
  std::vector<std::string> names_;
  std::vector<bool> open_;
  std::vector<std::uint64_t> stride_;         // of an axis: how far the next of its values is
  std::vector<std::vector<double>> numbers_;  // of the values of open lists
};

}  // namespace alembert::internal
