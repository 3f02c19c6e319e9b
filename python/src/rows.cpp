#include "rows.h"

namespace alembert::python {

RowStore::RowStore(const Trajectory& trajectory) {
  begin(trajectory.columns, trajectory.run);
  rows_.resize(trajectory.rows() * width());
  for (std::size_t j = 0; j < width(); ++j)
    for (std::size_t i = 0; i < trajectory.rows(); ++i) rows_[i * width() + j] = trajectory.values[j][i];
  for (const Trajectory::EventRow& one : trajectory.events) event(one.event, one.values);
}

RowStore::RowStore(Columns columns, RunDescription run, std::span<const double> rows, std::vector<int> event_numbers,
                   std::span<const double> event_rows)
    : columns_(std::move(columns)),
      run_(std::move(run)),
      rows_(rows.begin(), rows.end()),
      event_rows_(event_rows.begin(), event_rows.end()),
      event_numbers_(std::move(event_numbers)) {}

void RowStore::begin(const Columns& columns, const RunDescription& run) {
  columns_ = columns;
  run_ = run;
  rows_.clear();
  event_rows_.clear();
  event_numbers_.clear();
}

void RowStore::event(int number, std::span<const double> values) {
  event_numbers_.push_back(number);
  event_rows_.insert(event_rows_.end(), values.begin(), values.end());
}

void RowStore::replay(Observer& to) const {
  to.begin(columns_, run_);
  // Events have their time in front, as rows have: each comes before the first row that is later.
  const bool backward = count() > 1 && row_at(count() - 1)[0] < row_at(0)[0];
  std::size_t next = 0;
  const auto event_at = [&](std::size_t k) { return std::span(event_rows_.data() + k * width(), width()); };
  for (std::size_t i = 0; i < count(); ++i) {
    const double t = row_at(i)[0];
    for (; next < event_numbers_.size(); ++next) {
      const double at = event_at(next)[0];
      if (backward ? at <= t : at >= t) break;
      to.event(event_numbers_[next], event_at(next));
    }
    to.row(row_at(i));
  }
  for (; next < event_numbers_.size(); ++next) to.event(event_numbers_[next], event_at(next));
  to.end();
}

Trajectory RowStore::thinned(std::size_t most) const {
  Recorder recorder(most);
  replay(recorder);
  return std::move(recorder.trajectory);
}

}  // namespace alembert::python
