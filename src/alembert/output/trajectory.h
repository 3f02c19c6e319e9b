#pragma once

// A trajectory in memory: taken from a run while it goes on, or read from what a run wrote.

#include <array>
#include <map>
#include <string>
#include <vector>

#include "alembert/run/simulate.h"

namespace alembert::internal {

struct Trajectory {
  Columns columns;
  std::map<std::string, std::string> attributes;  // "model", "method", "step", where they are known
  std::vector<std::vector<double>> values;        // one list per column
  long every = 1;                                 // rows of the run that one row here stands for

  std::size_t rows() const { return values.empty() ? 0 : values[0].size(); }
  const std::vector<double>& t() const { return values.at(0); }
  bool has_energy() const { return columns.residuals > columns.energy; }
};

/// Takes every row of a run, and every second, fourth ... one where they become too many to draw.
class Recorder : public Observer {
 public:
  explicit Recorder(std::size_t most_rows = 100'000) : most_(most_rows) {}
  void begin(const Columns& columns, const std::map<std::string, std::string>& attributes) override;
  void row(std::span<const double> values) override;
  void end() override;

  Trajectory trajectory;

 private:
  std::size_t most_;
  long count_ = 0;
  std::vector<double> last_;
};

/// A point of a mechanism: its two or three coordinates are columns of the trajectory.
struct MovingPoint {
  std::string name;
  std::vector<int> columns;
};

/// The points among the coordinates: vectors of two or three entries ("q1", "r[4]"), and scalars whose names differ in
/// x, y and z only ("x1" with "y1").
std::vector<MovingPoint> points_of(const Trajectory& trajectory);

/// Two points whose distance stays the same, so that one may draw a rod; second = -1: the origin.
struct Link {
  int first = 0, second = -1;
};
std::vector<Link> links_of(const Trajectory& trajectory, const std::vector<MovingPoint>& points);

/// The parts of a row, told by the names alone, as the writers give them.
Columns columns_from_names(const std::vector<std::string>& names);

/// A file that `alembert run --out` wrote: .csv, .h5 or .json by its ending. Throws InputError where it is none.
Trajectory read_trajectory(const std::string& path);

}  // namespace alembert::internal
