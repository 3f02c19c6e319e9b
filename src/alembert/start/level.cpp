#include "alembert/start/level.h"

#include "alembert/base/lists.h"

namespace alembert::internal {

namespace {

Exprs multipliers(const Equations& e) { return joined<Expr>(e.lambda, e.psi); }

void write(Level& level, const Model& model, const Exprs& constraints, const std::vector<std::string>& names,
           const std::vector<int>& numbers) {
  append(level.constraints, constraints);
  append(level.names, names);
  append(level.numbers, numbers);
  for (const int i : numbers) level.places.push_back(model.constraints[i].place);
  level.written = level.constraints.size();
}

void add(Level& level, Expr row, const std::string& name) {
  level.constraints.push_back(row);
  level.names.push_back("the " + name);
  level.places.push_back({});
  level.numbers.push_back(-1);
}

/// Whether an added row is one of positions alone; its derivative then is one of velocities.
bool of_positions(const Equations& e, Expr row) { return !depends(row, e.z) && !depends(row, multipliers(e)); }

}  // namespace

Exprs Level::symbols() const { return joined<Expr>(inputs, unknowns); }

std::vector<std::string> Level::written_names() const {
  return {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(written)};
}

Level position_level(const Model& model, const Equations& e, const Massless& masses) {
  Level level;
  level.values = "positions";
  level.inputs = {e.t};
  level.unknowns = e.y;
  level.unknown_names = e.y_names;
  write(level, model, e.g, e.g_names, e.g_constraint);
  for (std::size_t i = 0; i < e.auxiliary.size(); ++i) {
    add(level, e.auxiliary[i].equation, "equation of " + model.auxiliary[i].name);
    level.places.back() = e.auxiliary[i].place;
  }
  for (std::size_t i = 0; i < masses.rows.size(); ++i)
    if (of_positions(e, masses.rows[i])) add(level, masses.rows[i], masses.names[i]);
  return level;
}

Level velocity_level(const Model& model, const Equations& e, const Massless& masses) {
  Level level;
  level.values = "velocities";
  level.inputs = joined<Expr>(e.t, e.y);
  level.unknowns = e.z;
  level.unknown_names = e.z_names;
  write(level, model, e.g_dot, e.g_names, e.g_constraint);
  write(level, model, e.k, e.k_names, e.k_constraint);
  Exprs moving, others;
  std::vector<std::string> moving_names, other_names;
  for (std::size_t i = 0; i < masses.rows.size(); ++i) {
    const bool moves = of_positions(e, masses.rows[i]);
    (moves ? moving : others).push_back(masses.rows[i]);
    (moves ? moving_names : other_names).push_back(masses.names[i]);
  }
  const Exprs along = joined<Expr>(e.graph->constant(1), e.v);
  const Exprs derivatives = directional(moving, level.inputs, along);
  for (std::size_t i = 0; i < moving.size(); ++i) add(level, derivatives[i], "derivative of the " + moving_names[i]);
  if (!depends(others, e.z)) return level;
  for (std::size_t i = 0; i < others.size(); ++i) add(level, others[i], other_names[i]);
  append(level.unknowns, multipliers(e));
  return level;
}

Level with_prescribed(Level level, const Model& model, const Equations& e, bool velocities) {
  for (std::size_t i = 0; i < model.prescribed.size(); ++i) {
    const Prescribed& one = model.prescribed[i];
    if (one.moves != velocities) continue;
    const Expr wanted = e.graph->symbol("value of " + one.name);
    add(level, e.prescribed[i] - wanted, "value of " + one.name);
    level.places.back() = one.place;
    level.inputs.push_back(wanted);
    level.prescribed.push_back(static_cast<int>(i));
  }
  return level;
}

}  // namespace alembert::internal
