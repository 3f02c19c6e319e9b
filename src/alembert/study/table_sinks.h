#pragma once

// Who takes the rows of a study: files, statistics, a map.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "alembert/plot/map.h"
#include "alembert/study/statistics.h"
#include "alembert/study/sweep.h"

namespace alembert::internal {

/// The table as a file that can be read while it grows: .csv, .json or .h5 by its ending. The same rows give the same
/// bytes. Throws InputError where the ending is unknown or the file cannot be written; what was in it stays until rows
/// come.
std::unique_ptr<SweepSink> make_table_sink(const std::string& path);
/// The JSON of the table, piece by piece.
std::unique_ptr<SweepSink> make_json_sink(std::function<void(std::string_view)> write);

/// Statistics of all columns that have numbers.
class StatisticsSink final : public SweepSink {
 public:
  /// path: a JSON file that is written anew about once a second, and at the end; "": none.
  explicit StatisticsSink(std::string path = {}) : path_(std::move(path)) {}
  void begin(const SweepHeader& header) override;
  void row(std::uint64_t member, const SweepRow& row) override;
  void end() override;
  std::vector<ColumnStatistics> statistics() const;

 private:
  void write() const;

  std::string path_;
  SweepHeader header_;
  std::uint64_t rows_ = 0, failed_ = 0;
  std::vector<RunningStatistics> columns_;
  std::chrono::steady_clock::time_point written_;
};

/// Keeps the first rows for the eye, and the first with a failure or a warning.
class FirstRows final : public SweepSink {
 public:
  explicit FirstRows(std::size_t most) : most_(most) {}
  void begin(const SweepHeader& header) override;
  void row(std::uint64_t member, const SweepRow& row) override;
  /// A line for each of the first members (from 1) with something to say.
  std::string notes() const;
  Sweep sweep;

 private:
  std::string notes_;
  int noted_ = 0;
  std::size_t most_;
};

/// "l1, l2 -> events.flip.t"
struct MapRequest {
  std::string x, y, column;
};
/// What is wrong is added to `wrong`.
MapRequest read_map(const std::string& text, std::vector<Diagnostic>& wrong);

/// A column over two axes: the mean of all members that have a number at a point.
class MapSink final : public SweepSink {
 public:
  /// Throws InputError where x and y are not two of the axes.
  MapSink(MapRequest request, const std::vector<SweepAxis>& axes);
  void begin(const SweepHeader& header) override;
  void row(std::uint64_t member, const SweepRow& row) override;
  HeatMap map() const;

 private:
  MapRequest request_;
  SweepAxis x_, y_;
  std::uint64_t x_stride_ = 1, y_stride_ = 1;  // in members, divided by the draws of each point
  std::uint64_t points_ = 1, draws_ = 1;
  std::size_t column_ = 0;
  std::string title_;
  bool several_ = false;  // members at a point
  std::vector<double> sums_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace alembert::internal
