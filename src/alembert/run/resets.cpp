#include "alembert/run/resets.h"

#include <algorithm>
#include <cmath>

#include "alembert/base/decompositions.h"
#include "alembert/base/finite.h"
#include "alembert/base/lists.h"
#include "alembert/error.h"

namespace alembert::internal {

namespace {

bool sets_velocities(const Model& model, const Action& action) {
  if (action.to == Action::To::prescribed) return model.prescribed[static_cast<std::size_t>(action.entry)].moves;
  return action.to == Action::To::z;
}

}  // namespace

Resets::Resets(Engine& engine)
    : engine_(engine),
      kernel_(joined<Expr>(engine.e.t, engine.e.y, engine.e.z, engine.e.lambda, engine.e.psi), engine.e.actions,
              interpreted),
      in_(kernel_.inputs()),
      out_(kernel_.outputs()),
      work_(kernel_.work()) {
  std::size_t next = 0;
  for (const std::vector<Event>* events : {&engine.model.events, &engine.model.contact_events})
    for (const Event& event : *events) {
      events_.push_back(&event);
      first_.push_back(next);
      next += event.actions.size();
    }
  const double* const table = engine.parameters.empty() ? nullptr : engine.parameters.data();
  kernel_.bind(table);
  const Equations& e = engine.e;
  if (e.form != Form::hamiltonian) return;
  Exprs v(e.v.begin(), e.v.begin() + static_cast<std::ptrdiff_t>(e.z.size()));
  for (const Exprs& row : dense(jacobian(v, e.z), *e.graph)) append(v, row);
  mobility_.emplace(joined<Expr>(e.t, e.y, e.z), v, interpreted);
  mobility_->bind(table);
}

/// v and v_p at a point.
std::vector<double> Resets::velocities(const GridPoint& point) {
  std::vector<double> in(mobility_->inputs()), out(mobility_->outputs()), work(mobility_->work());
  in[0] = point.t;
  std::copy(point.state.begin(), point.state.end(), in.begin() + 1);
  (*mobility_)(in.data(), out.data(), work.data());
  return out;
}

/// Where a parameter of the kinetic energy changed, the momenta do, by Newton on v(p) = before. False where they
/// cannot.
bool Resets::keep_velocities(const std::vector<double>& before, GridPoint& point) {
  const std::size_t n = engine_.e.z.size(), first = engine_.e.y.size();
  double size = 0;
  for (std::size_t k = 0; k < n; ++k) size = std::max(size, std::abs(before[k]));
  std::vector<double> missing(n), slope(n * n), change(n);
  FullPivotLu lu;
  for (int i = 0; i < 20; ++i) {
    const std::vector<double> now = velocities(point);
    if (!all_finite(now)) return false;
    double off = 0;
    for (std::size_t k = 0; k < n; ++k) {
      missing[k] = before[k] - now[k];
      off = std::max(off, std::abs(missing[k]));
      for (std::size_t j = 0; j < n; ++j) slope[j * n + k] = now[n + k * n + j];
    }
    if (off <= 1e-14 * size) return true;
    lu.factor({slope.data(), static_cast<long>(n), static_cast<long>(n)});
    lu.solve({missing.data(), static_cast<long>(n), 1}, change.data());
    if (!all_finite(change)) return false;
    for (std::size_t k = 0; k < n; ++k) point.state[first + k] += change[k];
  }
  return true;
}

std::vector<double> reactions_at(Engine& engine, const Engine& base, double t, std::span<const double> state) {
  const std::span<const double> all = engine.multipliers.at(t, state).subspan(engine.e.z.size());
  const auto lambda = all.first(base.e.lambda.size());
  const auto psi = all.subspan(engine.e.lambda.size(), base.e.psi.size());
  std::vector<double> reactions(lambda.begin(), lambda.end());
  reactions.insert(reactions.end(), psi.begin(), psi.end());
  return reactions;
}

std::string Resets::apply(int number, GridPoint& point, std::span<const double> reactions) {
  const Event& event = *events_[static_cast<std::size_t>(number)];
  in_[0] = point.t;
  const auto behind = std::copy(point.state.begin(), point.state.end(), in_.begin() + 1);
  std::copy(reactions.begin(), reactions.end(), behind);
  kernel_(in_.data(), out_.data(), work_.data());
  NamedValues values;
  for (std::size_t i = 0; i < event.actions.size(); ++i) {
    const double value = out_[first_[static_cast<std::size_t>(number)] + i];
    if (!std::isfinite(value)) return "'" + event.actions[i].name + "' would not be finite";
    values[event.actions[i].name] = value;
  }
  const bool switches = std::any_of(event.actions.begin(), event.actions.end(),
                                    [](const Action& action) { return action.to == Action::To::parameter; });
  const bool pushes = std::any_of(event.actions.begin(), event.actions.end(),
                                  [&](const Action& action) { return sets_velocities(engine_.model, action); });
  const std::vector<double> before = mobility_ && switches && !pushes ? velocities(point) : std::vector<double>();
  try {
    if (!engine_.keeps_shape(values))
      return "the equations would have another shape: a coefficient that decides which of them are algebraic is 0 "
             "before it or behind it, and not on the other side";
    engine_.set(values, point);
    if (!before.empty() && !keep_velocities(before, point)) return "the velocities cannot stay as they were";
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
  point.work.clear();
  return "";
}

}  // namespace alembert::internal
