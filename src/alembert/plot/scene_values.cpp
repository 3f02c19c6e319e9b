#include "alembert/plot/scene_values.h"

#include <algorithm>
#include <cmath>

#include "alembert/expr/operators.h"

namespace alembert::internal {
namespace {

Op op_named(const std::string& name) {
  if (name == "negate") return Op::negate;  // shares its sign with another
  for (const Operator& one : operators())
    if (one.name == name && one.op != Op::negate) return one.op;
  throw std::logic_error("a scene has the unknown operator " + name);
}

}  // namespace

SceneValues::SceneValues(const SceneProgram& program, const Trajectory& trajectory)
    : trajectory_(trajectory), constants_(program.constants), tables_(program.tables) {
  const std::vector<std::string>& names = trajectory.columns.names;
  for (const std::string& name : program.inputs) {
    const auto found = std::find(names.begin(), names.end(), name);
    columns_.push_back(found == names.end() ? -1 : static_cast<int>(found - names.begin()));
  }
  inputs_.resize(columns_.size());
  const std::vector<int>& code = program.code;
  for (std::size_t k = 0; k < code.size(); k += 3) {
    const std::string& name = program.operators[static_cast<std::size_t>(code[k])];
    Step step{Step::Kind::operation, Op::constant, static_cast<std::size_t>(code[k + 1]),
              static_cast<std::size_t>(code[k + 2])};
    if (name == "input") step.kind = Step::Kind::input;
    else if (name == "constant") step.kind = Step::Kind::constant;
    else if (name == "table") step.kind = Step::Kind::table;
    else step.op = op_named(name);
    steps_.push_back(step);
  }
}

double SceneValues::table_value(std::size_t table, double x) const {
  const auto& [knots, pieces] = tables_[table];
  const auto piece =
      static_cast<std::size_t>(std::upper_bound(knots.begin(), knots.end(), x) - knots.begin()) * std::size_t(5);
  const double u = x - pieces[piece];
  return pieces[piece + 1] + u * (pieces[piece + 2] + u * (pieces[piece + 3] + u * pieces[piece + 4]));
}

void SceneValues::compute(std::vector<double>& results) const {
  results.resize(steps_.size());
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    const Step& step = steps_[k];
    switch (step.kind) {
      case Step::Kind::input: results[k] = inputs_[step.a]; break;
      case Step::Kind::constant: results[k] = constants_[step.a]; break;
      case Step::Kind::table: results[k] = table_value(step.b, results[step.a]); break;
      case Step::Kind::operation: results[k] = evaluate<double>(step.op, results[step.a], results[step.b]); break;
    }
  }
}

void SceneValues::go(std::size_t row) {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    inputs_[i] = columns_[i] < 0 ? std::nan("") : trajectory_.values[static_cast<std::size_t>(columns_[i])][row];
  compute(results_);
}

double SceneValues::number(const Ref& ref) const {
  return ref ? results_[static_cast<std::size_t>(*ref)] : std::nan("");
}

Spot SceneValues::spot(const Refs& refs) const {
  Spot place = {0, 0, 0};
  for (std::size_t k = 0; k < std::min<std::size_t>(refs.size(), 3); ++k) place[k] = number(refs[k]);
  return place;
}

double SceneValues::with(int result, const Refs& refs, const Spot& place) {
  const std::vector<double> kept = inputs_;
  for (std::size_t k = 0; k < refs.size(); ++k)
    if (refs[k]) inputs_[steps_[static_cast<std::size_t>(*refs[k])].a] = place[k];
  compute(trial_);
  inputs_ = kept;
  return trial_[static_cast<std::size_t>(result)];
}

}  // namespace alembert::internal
