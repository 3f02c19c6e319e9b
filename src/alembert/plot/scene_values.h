#pragma once

// The numbers of a scene (scene.h) at a row of its run, as a browser computes them.

#include <vector>

#include "alembert/expr.h"
#include "alembert/plot/scene.h"
#include "alembert/plot/spot.h"
#include "alembert/trajectory.h"

namespace alembert::internal {

class SceneValues {
 public:
  SceneValues(const SceneProgram& program, const Trajectory& trajectory);

  /// What follows speaks of this row.
  void go(std::size_t row);
  /// What a number of the scene refers to; nan where it is none.
  double number(const Ref& ref) const;
  Spot spot(const Refs& refs) const;
  /// A result with other values of some columns: `refs` are the numbers of their results.
  double with(int result, const Refs& refs, const Spot& place);

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
  std::vector<SceneProgram::Table> tables_;
};

}  // namespace alembert::internal
