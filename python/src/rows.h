#pragma once

// The rows of a run in one block of memory, so that NumPy sees all columns, and any group of neighbours, without a
// copy.

#include "core.h"

namespace alembert::python {

class RowStore final : public Observer {
 public:
  RowStore() = default;
  explicit RowStore(const Trajectory& trajectory);

  void begin(const Columns& columns, const RunDescription& run) override;
  void row(std::span<const double> values) override { rows_.insert(rows_.end(), values.begin(), values.end()); }
  void event(int number, std::span<const double> values) override;
  void end() override {}

  const Columns& columns() const { return columns_; }
  const RunDescription& run() const { return run_; }
  std::size_t width() const { return columns_.names.size(); }
  std::size_t count() const { return width() == 0 ? 0 : rows_.size() / width(); }
  std::span<const double> row_at(std::size_t i) const { return {rows_.data() + i * width(), width()}; }
  const std::vector<double>& rows() const { return rows_; }
  const std::vector<int>& event_numbers() const { return event_numbers_; }
  const std::vector<double>& event_rows() const { return event_rows_; }

  /// Hands all of it to another observer, as the run did.
  void replay(Observer& to) const;
  /// At most so many rows, evenly spaced, and the last one.
  Trajectory thinned(std::size_t most) const;

 private:
  Columns columns_;
  RunDescription run_;
  std::vector<double> rows_, event_rows_;
  std::vector<int> event_numbers_;
};

/// What Python calls a run.
struct RunData {
  RowStore rows;
  std::optional<Report> report;    // none for rows that were read from a file
  py::object raised = py::none();  // what ended it from outside: KeyboardInterrupt
};

}  // namespace alembert::python
