#include "alembert/plot/points.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace alembert::internal {
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

/// The column of a coordinate; -1 where there is none of that name.
int coordinate(const Columns& columns, const std::string& name) {
  for (int i = columns.coordinates.begin; i < columns.coordinates.end; ++i)
    if (columns.names[i] == name) return i;
  return -1;
}

/// A vector of two or three entries whose first one is column i.
std::optional<MovingPoint> vector_at(const Columns& columns, int i, const std::string& name) {
  MovingPoint point{name, {}};
  while (i < columns.coordinates.end && entry_of(columns.names[i]).name == name) point.columns.push_back(i++);
  const std::size_t size = point.columns.size();
  return size == 2 || size == 3 ? std::optional(std::move(point)) : std::nullopt;
}

/// x1 and y1: the same name but for one letter.
std::optional<MovingPoint> scalars_at(const Columns& columns, int i, const std::string& x) {
  for (std::size_t at = x.find('x'); at != std::string::npos; at = x.find('x', at + 1)) {
    std::string y = x, z = x;
    y[at] = 'y';
    z[at] = 'z';
    const int second = coordinate(columns, y), third = coordinate(columns, z);
    if (second < 0) continue;
    MovingPoint point{x, {i, second}};
    if (third >= 0) point.columns.push_back(third);
    if (x.size() == 1) point.name = third >= 0 ? "(x, y, z)" : "(x, y)";
    return point;
  }
  return {};
}

/// Asks at a few rows whether points keep their distance.
class Rods {
 public:
  Rods(const Trajectory& trajectory, const std::vector<MovingPoint>& points)
      : trajectory_(trajectory), points_(points) {}

  bool between(int a, int b) const {
    constexpr std::size_t samples = 40;  // of the run: no motion keeps a distance at all of them by chance
    constexpr double same = 1e-4;        // of the distance; the eye sees less
    const double length = distance(a, b, 0);
    if (!(length > 0)) return false;
    bool moved = false;
    for (std::size_t i = 1; i <= samples; ++i) {
      const std::size_t row = i * (trajectory_.rows() - 1) / samples;
      if (!(std::abs(distance(a, b, row) - length) < same * length)) return false;
      for (const int column : points_[a].columns) moved = moved || value(column, row) != value(column, 0);
    }
    return moved;
  }

 private:
  double value(int column, std::size_t row) const { return trajectory_.values[column][row]; }
  double distance(int a, int b, std::size_t row) const {
    double sum = 0;
    for (std::size_t k = 0; k < points_[a].columns.size(); ++k) {
      const double from = b < 0 ? 0 : value(points_[b].columns[k], row);
      sum += std::pow(value(points_[a].columns[k], row) - from, 2);
    }
    return std::sqrt(sum);
  }

  const Trajectory& trajectory_;
  const std::vector<MovingPoint>& points_;
};

}  // namespace

std::vector<MovingPoint> points_of(const Trajectory& trajectory) {
  const Columns& c = trajectory.columns;
  std::vector<MovingPoint> points;
  for (int i = c.coordinates.begin; i < c.coordinates.end; ++i) {
    const Entry entry = entry_of(c.names[i]);
    if (entry.index > 1) continue;
    std::optional<MovingPoint> point = entry.index == 1 ? vector_at(c, i, entry.name) : scalars_at(c, i, entry.name);
    if (point) points.push_back(std::move(*point));
  }
  // What is drawn together has to live in one space: the larger kind wins where both occur.
  const bool spatial =
      std::any_of(points.begin(), points.end(), [](const MovingPoint& p) { return p.columns.size() == 3; });
  std::erase_if(points, [&](const MovingPoint& p) { return spatial && p.columns.size() != 3; });
  return points;
}

std::vector<Link> links_of(const Trajectory& trajectory, const std::vector<MovingPoint>& points) {
  constexpr std::size_t most_points = 400;  // pairs of more would take seconds
  std::vector<Link> links;
  if (trajectory.rows() < 2) return links;
  const Rods rods(trajectory, points);
  const int count = static_cast<int>(std::min(points.size(), most_points));
  for (int a = 0; a < count; ++a) {
    for (int b = -1; b < a; ++b) {
      if (rods.between(a, b)) links.push_back({a, b});
    }
  }
  return links;
}

}  // namespace alembert::internal
