#pragma once

// The rows of a trajectory: made from a state that the watch has in view, and handed to the observers.

#include <span>
#include <vector>

#include "alembert/run/engine.h"
#include "alembert/trajectory.h"

namespace alembert::internal {

class Rows {
 public:
  /// The engine and the observers outlive the rows.
  Rows(Engine& engine, std::vector<Observer*> observers);

  const Columns& columns() const { return columns_; }
  bool wanted() const { return !observers_.empty(); }
  void begin(const RunDescription& run);
  /// In place of begin(): the files go on behind these marks.
  void go_on(const RunDescription& run, std::span<const Observer::Mark> marks);
  void end();
  /// Where all observers stand.
  std::vector<Observer::Mark> marks();
  /// Why rows could not be written; "" where all could. An observer that failed gets no more.
  const std::string& failure() const { return failure_; }

  /// What is known of the balance of power at a grid point: over all steps, and the residual of the last one.
  struct Balance {
    double t = 0;
    bool parted = false;
    double dissipated = 0, supplied = 0, residual = 0;
  };
  /// A row, for the observers. The watch has the state in view. Between grid points the balance is not known.
  void record(double t, std::span<const double> state, const Balance& balance);
  void record_event(int number, double t, std::span<const double> state, const Balance& balance);

 private:
  void make(double t, std::span<const double> state, const Balance& balance);
  template <class Do>
  void each(const Do& act);
  void add(std::span<const double> values) { row_.insert(row_.end(), values.begin(), values.end()); }

  Engine& engine_;
  std::vector<Observer*> observers_;
  Columns columns_;
  std::vector<double> row_;
  std::vector<bool> broken_;  // observers that failed
  std::string failure_;
};

}  // namespace alembert::internal
