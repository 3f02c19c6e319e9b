#pragma once

// The numbers of a scene (scene.h) at a row of its run, as a browser computes them.

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "alembert/error.h"
#include "alembert/expr.h"
#include "alembert/plot/spot.h"
#include "alembert/trajectory.h"

namespace alembert::internal {

/// The scene itself, null where there is nothing to see; note: as in SceneText.
nlohmann::json scene_json(const Trajectory& trajectory, const std::shared_ptr<const Source>& source, std::string& note);

class SceneValues {
 public:
  SceneValues(const nlohmann::json& program, const Trajectory& trajectory);

  /// What follows speaks of this row.
  void go(std::size_t row);
  /// What a number of the scene refers to; nan where it is null.
  double number(const nlohmann::json& ref) const;
  Spot spot(const nlohmann::json& refs) const;
  /// A result with other values of some columns: `refs` are the numbers of their results.
  double with(const nlohmann::json& result, const nlohmann::json& refs, const Spot& place);

 private:
  struct Step {
    enum class Kind { input, constant, table, operation } kind;
    Op op;
    std::size_t a, b;
  };
  double table_value(std::size_t table, double x) const;
  void compute(std::vector<double>& results) const;

  const Trajectory& trajectory_;
  std::vector<Step> steps_;
  std::vector<int> columns_;  // of the inputs; -1 where there is none
  std::vector<double> constants_, inputs_, results_, trial_;
  struct Table {
    std::vector<double> knots, pieces;
  };
  std::vector<Table> tables_;
};

}  // namespace alembert::internal
