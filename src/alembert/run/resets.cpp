#include "alembert/run/resets.h"

#include <algorithm>
#include <cmath>

#include "alembert/base/lists.h"
#include "alembert/error.h"

namespace alembert::internal {

Resets::Resets(Engine& engine)
    : engine_(engine),
      kernel_(joined<Expr>(engine.e.t, engine.e.y, engine.e.z, engine.e.lambda, engine.e.psi), engine.e.actions,
              interpreted),
      in_(kernel_.inputs()),
      out_(kernel_.outputs()),
      work_(kernel_.work()) {
  std::size_t next = 0;
  for (const Event& event : engine.model.events) {
    first_.push_back(next);
    next += event.actions.size();
  }
  kernel_.bind(engine.parameters.empty() ? nullptr : engine.parameters.data());
}

std::string Resets::apply(int number, GridPoint& point) {
  const Event& event = engine_.model.events[static_cast<std::size_t>(number)];
  in_[0] = point.t;
  const auto behind = std::copy(point.state.begin(), point.state.end(), in_.begin() + 1);
  const std::span<const double> solved = engine_.multipliers.at(point.t, point.state).subspan(engine_.e.z.size());
  std::copy(solved.begin(), solved.end(), behind);
  kernel_(in_.data(), out_.data(), work_.data());
  NamedValues values;
  for (std::size_t i = 0; i < event.actions.size(); ++i) {
    const double value = out_[first_[static_cast<std::size_t>(number)] + i];
    if (!std::isfinite(value)) return "'" + event.actions[i].name + "' would not be finite";
    values[event.actions[i].name] = value;
  }
  try {
    engine_.set(values, point);
  } catch (const InputError& error) {
    std::string names;
    for (const Action& action : event.actions) names += (names.empty() ? "" : ", ") + action.name;
    return "no state with these values of " + names + " fulfils the constraints (" + error.diagnostics().at(0).message +
           ")";
  }
  const std::span<const double> rates = engine_.multipliers.at(point.t, point.state);
  if (std::all_of(rates.begin(), rates.end(), [](double x) { return std::isfinite(x); })) {
    const std::vector<double> guess(rates.begin(), rates.end());
    engine_.step.begin(guess.data());
    point.carried = engine_.step.carried();
  }
  point.compensation.assign(point.state.size(), 0);
  point.energy_change.reset();
  point.energy_parts.reset();
  return "";
}

}  // namespace alembert::internal
