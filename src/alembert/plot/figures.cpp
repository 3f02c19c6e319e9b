#include "alembert/plot/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alembert/numerics.h"

namespace alembert::internal {
namespace {

constexpr int most_curves = 12;  // in a panel: more cannot be told apart

std::vector<double> change(const std::vector<double>& list) {
  std::vector<double> result = list;
  for (double& value : result) value -= list[0];
  return result;
}

std::vector<double> size(const std::vector<double>& list) {
  std::vector<double> result = list;
  for (double& value : result) value = std::abs(value);
  return result;
}

bool anything(const std::vector<double>& list) {
  return std::any_of(list.begin(), list.end(), [](double value) { return value != 0; });
}

/// Where a point of space appears on paper: turned about the vertical, then seen from above.
std::pair<double, double> seen(double x, double y, double z) {
  constexpr double turn = -60 * M_PI / 180, height = 22 * M_PI / 180;  // no axis is seen along another
  const double across = -x * std::sin(turn) + y * std::cos(turn), depth = x * std::cos(turn) + y * std::sin(turn);
  return {across, z * std::cos(height) - depth * std::sin(height)};
}

/// The path of a point; single: its place at one row.
std::pair<double, double> place(const Trajectory& trajectory, const MovingPoint& point, std::size_t row) {
  const auto at = [&](std::size_t k) { return trajectory.values[point.columns[k]][row]; };
  if (point.columns.size() == 2) return {at(0), at(1)};
  return seen(at(0), at(1), at(2));
}

Curve curve(const std::string& name, const std::vector<double>& t, std::vector<double> values) {
  return {name, t, std::move(values), Curve::Line::solid, 0, Curve::Marks::hidden};
}

}  // namespace

Panel positions(const Trajectory& trajectory, const std::vector<MovingPoint>& points, std::size_t from,
                std::size_t to) {
  const bool spatial = !points.empty() && points[0].columns.size() == 3;
  Panel panel{"Positions", {spatial ? "" : "x", false}, {spatial ? "" : "y", false}, {}, true};
  to = std::min(to, trajectory.rows());
  if (from >= to) return panel;
  const int count = std::min<int>(static_cast<int>(points.size()), most_curves);
  for (int i = 0; i < count; ++i) {
    Curve path = curve(points[i].name, {}, {});
    for (std::size_t row = from; row < to; ++row) {
      const auto [x, y] = place(trajectory, points[i], row);
      path.x.push_back(x);
      path.y.push_back(y);
    }
    panel.curves.push_back(std::move(path));
  }
  for (const Link& link : links_of(trajectory, points)) {
    if (link.first >= count || link.second >= count) continue;
    const auto [x, y] = place(trajectory, points[link.first], from);
    const auto [x0, y0] = link.second < 0 ? std::pair(0.0, 0.0) : place(trajectory, points[link.second], from);
    panel.curves.push_back({"", {x0, x}, {y0, y}, Curve::Line::dotted, 0, Curve::Marks::hidden});
  }
  if (!spatial) return panel;
  // Arrows of the three directions, a quarter of what is shown.
  double reach = 0;
  for (int i = 0; i < count; ++i) {
    for (const int column : points[i].columns) {
      for (std::size_t row = from; row < to; ++row) reach = std::max(reach, std::abs(trajectory.values[column][row]));
    }
  }
  const char* names[3] = {"x", "y", "z"};
  for (int k = 0; k < 3; ++k) {
    const double end = reach / 4;
    const auto [x, y] = seen(k == 0 ? end : 0, k == 1 ? end : 0, k == 2 ? end : 0);
    panel.curves.push_back({"", {0, x}, {0, y}, Curve::Line::solid, 0, Curve::Marks::hidden});
    panel.inscriptions.push_back({x, y, names[k]});
  }
  return panel;
}

namespace {

std::string title_of(const RunDescription& run) {
  std::string title = run.model.empty() ? "Trajectory" : run.model;
  if (!run.method.empty()) title += ", " + run.method;
  if (run.step != 0) title += ", step " + to_text(run.step);
  return title;
}

}  // namespace

Figure figure_of(const Trajectory& trajectory) {
  const Columns& c = trajectory.columns;
  const std::vector<double>& t = trajectory.t();
  Figure figure;
  figure.own_legends = true;
  figure.title = title_of(trajectory.run);
  if (trajectory.every > 1) figure.notes.push_back(fmt::format("every {}th row is drawn", trajectory.every));

  // Curves of one panel from a group of columns; what is too much is said.
  const auto add = [&](const std::string& title, const std::string& label, ColumnRange range, const auto& values,
                       bool logarithmic, const std::string& without) {
    Panel panel{title, {"t", false}, {label, logarithmic}, {}};
    for (int i = range.begin; i < std::min(range.end, range.begin + most_curves); ++i) {
      std::string name = c.names[i];
      if (name.rfind(without, 0) == 0) name = name.substr(without.size());
      const auto at = static_cast<std::size_t>(i);
      if (at < c.units.size() && !c.units[at].empty()) name += " [" + c.units[at] + "]";
      std::vector<double> list = values(trajectory.values[i]);
      if (logarithmic && !anything(list)) continue;
      panel.curves.push_back(curve(name, t, std::move(list)));
      if (i - range.begin >= colours) panel.curves.back().line = Curve::Line::dashed;
    }
    if (range.size() > most_curves)
      figure.notes.push_back(fmt::format("{}: the first {} of {}", title, most_curves, range.size()));
    if (!panel.curves.empty()) figure.panels.push_back(std::move(panel));
  };
  const auto plain = [](const std::vector<double>& list) { return list; };

  const std::vector<MovingPoint> points = points_of(trajectory);
  if (!points.empty()) {
    figure.panels.push_back(positions(trajectory, points, 0, trajectory.rows()));
    if (points[0].columns.size() == 3) figure.notes.push_back("positions: seen from above, z upward");
    if (static_cast<int>(points.size()) > most_curves)
      figure.notes.push_back(fmt::format("Positions: the first {} of {} points", most_curves, points.size()));
  }
  add("Coordinates", "", c.coordinates, plain, false, "");
  if (trajectory.has_energy()) {
    Panel energy{"Energy error", {"t", false}, {"E − E(0)", false}, {}};
    energy.curves.push_back(curve("energy", t, change(trajectory.values[c.energy.begin])));
    figure.panels.push_back(std::move(energy));
  }
  add("Constraints", "largest residual", c.residuals, size, true, "residual.");
  add("Invariants", "change", c.invariants, change, false, "");
  add("Observed", "", c.observed, plain, false, "observed.");
  add("Multipliers", "", c.multipliers, plain, false, "");
  return figure;
}

}  // namespace alembert::internal
