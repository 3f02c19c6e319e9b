#pragma once

// A number over two others as colours: one pixel a point.

#include <string>
#include <vector>

namespace alembert::internal {

struct HeatMap {
  std::string title, x_label, y_label, label;
  std::vector<double> x, y;    // of the points, ascending or descending
  std::vector<double> values;  // x.size() for each y; what is not finite is grey
};

/// With axes and a scale of colours. The scale is logarithmic where all values are above 0 and the largest is more than
/// a hundred times the smallest: its label says so.
std::string to_svg(const HeatMap& map);
/// The points alone.
std::string to_png(const HeatMap& map);
/// A page that needs nothing else.
std::string to_html(const HeatMap& map, const std::string& words);

}  // namespace alembert::internal
