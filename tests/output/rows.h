#pragma once

// An observer that keeps what a run hands out, and short ways to run.

#include "../conformance/problems.h"

namespace alembert::internal::testing {

class Rows : public Observer {
 public:
  void begin(const Columns& given, const RunDescription&) override { columns = given; }
  void row(std::span<const double> values) override { rows.emplace_back(values.begin(), values.end()); }
  void event(int number, std::span<const double> values) override {
    events.emplace_back(columns.events.at(number), std::vector<double>(values.begin(), values.end()));
  }
  void end() override {}

  double at(const std::vector<double>& row, const std::string& name) const {
    for (std::size_t i = 0; i < columns.names.size(); ++i)
      if (columns.names[i] == name) return row[i];
    throw std::logic_error("no column " + name);
  }
  /// The y and z of a row.
  std::vector<double> state(const std::vector<double>& row) const {
    return {row.begin() + columns.coordinates.begin, row.begin() + columns.velocities.end};
  }

  Columns columns;
  std::vector<std::vector<double>> rows;
  std::vector<std::pair<std::string, std::vector<double>>> events;
};

inline Report run_rows(const Model& model, const std::string& method_text, SimulateOptions options, Rows& rows) {
  options.observers = {&rows};
  return simulate(model, derive(model), method(method_text), options);
}

}  // namespace alembert::internal::testing
