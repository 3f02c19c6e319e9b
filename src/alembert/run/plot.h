#pragma once

// Line plots as SVG text: readable in print and on dark screens, with colours (Okabe and Ito) that colour-blind people
// tell apart, and a marker of its own for every curve. Nothing but text is needed, and the same figure gives the same
// text.

#include <string>
#include <vector>

namespace alembert {

struct Curve {
  std::string name;          // in the legend; curves of equal name share colour, marker and entry
  std::vector<double> x, y;  // points that an axis cannot show (not finite; not positive on a log axis) are left out
  enum class Line { solid, dashed, dotted } line = Line::solid;
  double slope = 0;  // where not 0 and both axes are logarithmic: a thin triangle of this slope beside it
};

struct Axis {
  std::string label;
  bool logarithmic = true;
};

struct Panel {
  std::string title;
  Axis x, y;
  std::vector<Curve> curves;
};

struct Figure {
  std::string title;
  std::vector<Panel> panels;       // side by side
  std::vector<std::string> notes;  // lines below the legend: what the kinds of lines mean
};

std::string to_svg(const Figure& figure);

/// Where an axis from low to high is marked, ascending and inside the range: powers of ten (with their multiples 2 and
/// 5 where few powers fit), or multiples of 1, 2 or 5 times a power of ten.
std::vector<double> axis_marks(double low, double high, bool logarithmic);

}  // namespace alembert
