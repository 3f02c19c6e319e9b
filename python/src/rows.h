#pragma once

// The rows of a run in one block of memory, so that NumPy sees all columns, and any group of neighbours, without a
// copy.

#include "core.h"

namespace alembert::python {

class RowStore final : public Observer {
 public:
  RowStore() = default;
  explicit RowStore(const Trajectory& trajectory);
  /// Rows and events as rows() and event_rows() give them.
  RowStore(Columns columns, RunDescription run, std::span<const double> rows, std::vector<int> event_numbers,
           std::span<const double> event_rows);

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

/// What a run says of itself, in the forms that Python asks for.
struct Told {
  py::object tree = py::dict();  // of the report
  std::string text;
  std::string ending = "done", reason;
  std::vector<Warning> warnings;
  std::vector<std::string> kinds, notes;  // of its events, where it has all of them
};

/// What Python calls a run.
struct RunData {
  RowStore rows;
  std::optional<Report> report;    // none for rows that were read from a file or pickled
  std::optional<Told> kept;        // of a run that was pickled and had a report
  py::object raised = py::none();  // what ended it from outside: KeyboardInterrupt
  std::string note;                // what is to be said of the file that it was read from

  bool has_report() const { return report || kept; }
};

/// Everything of a run but `raised`, as objects that can be pickled, and the run made of them.
py::tuple run_state(const py::object& run);
std::shared_ptr<RunData> run_again(const py::tuple& state);
Told told(const RunData& run);
std::string word(Ending how);

}  // namespace alembert::python
