#pragma once

// Line plots as SVG text: readable in print and on dark screens, with colours (Okabe and Ito) that colour-blind people
// tell apart, and a marker of its own for every curve. Nothing but text is needed, and the same figure gives the same
// text. Long curves are thinned to what can be seen, so that files stay small.

#include <cmath>
#include <string>
#include <vector>

namespace alembert::internal {

/// Curves of a panel that have colours of their own; from there on they come again.
inline constexpr int colours = 7;

struct Curve {
  std::string name;          // in the legend; curves of equal name share colour, marker and entry; "" has no entry
  std::vector<double> x, y;  // points that an axis cannot show (not finite; not positive on a log axis) are left out
  enum class Line { solid, dashed, dotted, none } line = Line::solid;
  double slope = 0;  // where not 0 and both axes are logarithmic: a thin triangle of this slope beside it
  enum class Marks { automatic, shown, hidden } marks = Marks::automatic;  // automatic: where the points are few
};

struct Axis {
  std::string label;
  bool logarithmic = true;
  double low = NAN, high = NAN;  // where not given: what the curves need
};

/// A word inside a panel, at a point of its axes.
struct Inscription {
  double x = 0, y = 0;
  std::string text;
};

struct Panel {
  std::string title;
  Axis x, y;
  std::vector<Curve> curves;
  bool equal_scales = false;  // a unit is as long on both (linear) axes: positions in a plane
  std::vector<Inscription> inscriptions = {};
};

struct Figure {
  std::string title;
  std::vector<Panel> panels;
  std::vector<std::string> notes;  // lines below the legend: what the kinds of lines mean
  int columns = 0;                 // panels side by side; 0: up to three in one row, more in rows of two
  std::string about;               // what the file says of itself beside what it shows
  bool own_legends = false;        // every panel has colours and a legend of its own, instead of one for all
};

std::string to_svg(const Figure& figure);

/// Where an axis from low to high is marked, ascending and inside the range: powers of ten (with their multiples 2 and
/// 5 where few powers fit), or multiples of 1, 2 or 5 times a power of ten.
std::vector<double> axis_marks(double low, double high, bool logarithmic);

/// Text inside XML and HTML: the characters that mean something there are written out, control characters dropped.
std::string escaped(const std::string& text);

}  // namespace alembert::internal
