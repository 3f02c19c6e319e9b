#include "alembert/output/trajectory.h"

#include <algorithm>
#include <cmath>

namespace alembert::internal {

void Recorder::begin(const Columns& columns, const std::map<std::string, std::string>& attributes) {
  trajectory = {columns, attributes, std::vector<std::vector<double>>(columns.names.size()), 1};
  count_ = 0;
}

void Recorder::row(std::span<const double> values) {
  last_.assign(values.begin(), values.end());
  if (count_++ % trajectory.every != 0) return;
  for (std::size_t i = 0; i < trajectory.values.size(); ++i) trajectory.values[i].push_back(values[i]);
  if (trajectory.rows() < most_) return;
  for (std::vector<double>& list : trajectory.values) {
    for (std::size_t i = 0; 2 * i < list.size(); ++i) list[i] = list[2 * i];
    list.resize((list.size() + 1) / 2);
  }
  trajectory.every *= 2;
}

void Recorder::end() {
  // The end of a run is always shown.
  if (last_.empty() || trajectory.rows() == 0 || trajectory.t().back() == last_[0]) return;
  for (std::size_t i = 0; i < trajectory.values.size(); ++i) trajectory.values[i].push_back(last_[i]);
}

namespace {

/// "r[4][2]" is entry 2 of "r[4]"; index 0 where the name has none.
struct Entry {
  std::string name;
  int index = 0;
};

Entry entry_of(const std::string& name) {
  const std::size_t open = name.rfind('[');
  if (open == std::string::npos || name.back() != ']') return {name, 0};
  return {name.substr(0, open), std::atoi(name.c_str() + open + 1)};
}

}  // namespace

std::vector<MovingPoint> points_of(const Trajectory& trajectory) {
  const Columns& c = trajectory.columns;
  std::vector<MovingPoint> points;
  const auto is_coordinate = [&](const std::string& name) {
    for (int i = c.y; i < c.z; ++i) {
      if (c.names[i] == name) return i;
    }
    return -1;
  };
  for (int i = c.y; i < c.z; ++i) {
    const Entry entry = entry_of(c.names[i]);
    if (entry.index == 1) {
      int size = 1;
      while (i + size < c.z && entry_of(c.names[i + size]).name == entry.name) ++size;
      if (size != 2 && size != 3) continue;
      MovingPoint point{entry.name, {}};
      for (int k = 0; k < size; ++k) point.columns.push_back(i + k);
      points.push_back(point);
      continue;
    }
    if (entry.index != 0) continue;
    // x1 and y1: the same name but for one letter.
    for (std::size_t at = 0; at < entry.name.size(); ++at) {
      if (entry.name[at] != 'x') continue;
      std::string y = entry.name, z = entry.name;
      y[at] = 'y', z[at] = 'z';
      const int second = is_coordinate(y), third = is_coordinate(z);
      if (second < 0) continue;
      MovingPoint point{entry.name.size() == 1 ? "(x, y)" : entry.name, {i, second}};
      if (third >= 0) point.columns.push_back(third);
      if (entry.name.size() == 1 && third >= 0) point.name = "(x, y, z)";
      points.push_back(point);
      break;
    }
  }
  // What is drawn together has to live in one space: the larger kind wins where both occur.
  const bool spatial =
      std::any_of(points.begin(), points.end(), [](const MovingPoint& p) { return p.columns.size() == 3; });
  std::erase_if(points, [&](const MovingPoint& p) { return spatial && p.columns.size() != 3; });
  return points;
}

std::vector<Link> links_of(const Trajectory& trajectory, const std::vector<MovingPoint>& points) {
  constexpr std::size_t samples = 40, most_points = 400;
  constexpr double same = 1e-4;  // of the distance; the eye sees less
  std::vector<Link> links;
  const std::size_t rows = trajectory.rows();
  if (rows < 2) return links;
  const auto distance = [&](int a, int b, std::size_t row) {
    double sum = 0;
    for (std::size_t k = 0; k < points[a].columns.size(); ++k) {
      const double from = b < 0 ? 0 : trajectory.values[points[b].columns[k]][row];
      sum += std::pow(trajectory.values[points[a].columns[k]][row] - from, 2);
    }
    return std::sqrt(sum);
  };
  const auto rigid = [&](int a, int b) {
    const double length = distance(a, b, 0);
    if (!(length > 0)) return false;
    bool moved = false;
    for (std::size_t i = 1; i <= samples; ++i) {
      const std::size_t row = i * (rows - 1) / samples;
      if (!(std::abs(distance(a, b, row) - length) < same * length)) return false;
      for (const int column : points[a].columns)
        moved = moved || trajectory.values[column][row] != trajectory.values[column][0];
    }
    return moved;
  };
  const int count = static_cast<int>(std::min(points.size(), most_points));
  for (int a = 0; a < count; ++a) {
    for (int b = -1; b < a; ++b) {
      if (rigid(a, b)) links.push_back({a, b});
    }
  }
  return links;
}

Columns columns_from_names(const std::vector<std::string>& names) {
  Columns c;
  c.names = names;
  c.count = static_cast<int>(names.size());
  const auto find = [&](int from, const auto& fits) {
    int i = from;
    while (i < c.count && !fits(names[i])) ++i;
    return i;
  };
  const auto starts = [](const std::string& name, const char* with) { return name.rfind(with, 0) == 0; };
  c.residuals = find(1, [&](const std::string& n) { return n == "residual.position"; });
  c.energy =
      c.residuals > 1 && c.residuals < c.count && names[c.residuals - 1] == "energy" ? c.residuals - 1 : c.residuals;
  c.multipliers =
      std::min(c.energy, find(1, [&](const std::string& n) { return starts(n, "lambda.") || starts(n, "psi."); }));
  c.momentum = std::min(c.multipliers, find(1, [&](const std::string& n) { return starts(n, "p."); }));
  c.z = std::min(c.momentum, find(1, [&](const std::string& n) { return n.back() == '\''; }));
  // Without velocities: as many momenta as coordinates.
  if (c.z == c.momentum) c.z = 1 + (c.momentum - 1) / 2;
  c.invariants = std::min(c.count, c.residuals + 3);
  c.ports = find(c.invariants, [&](const std::string& n) {
    return starts(n, "input.") || starts(n, "energy.") || n == "balance.stored";
  });
  return c;
}

}  // namespace alembert::internal
