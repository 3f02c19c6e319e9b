#pragma once

// Parts of plot.cpp that stand alone: scales and marks of axes, and the thinning of long curves.

#include <string>
#include <vector>

#include "alembert/plot/plot.h"

namespace alembert::internal::plotting {

struct Range {
  double low = INFINITY, high = -INFINITY;
  bool empty() const { return !(low <= high); }
  void include(double value);
};

/// Some room at both ends, and never of length zero.
Range widened(Range range, bool logarithmic);

/// Maps values of one axis to pixels.
class Scale {
 public:
  Scale(Range range, bool logarithmic, double from, double to);
  double operator()(double value) const { return from_ + (map(value) - low_) / (high_ - low_) * (to_ - from_); }

 private:
  double map(double value) const { return logarithmic_ ? std::log10(value) : value; }
  bool logarithmic_;
  double low_, high_, from_, to_;
};

/// The marks of an axis with their labels (SVG text), the short marks between them, and what all labels are to be
/// multiplied by ("" for nothing).
struct Marks {
  std::vector<double> at, between;
  std::vector<std::string> labels;
  std::string factor;
};
Marks marks_of(Range range, bool logarithmic);

struct Pixel {
  double x = 0, y = 0;
};
/// A line through fewer pixels that looks the same: where it only goes right, the ends and extremes of every half
/// pixel; else without what lies within a fraction of a pixel of the line.
std::vector<Pixel> thinned(const std::vector<Pixel>& line);
/// Single points: one for every place that can be told apart.
std::vector<Pixel> thinned_points(const std::vector<Pixel>& points);

}  // namespace alembert::internal::plotting
