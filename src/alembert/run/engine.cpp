#include "alembert/run/engine.h"

#include <algorithm>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/error.h"

namespace alembert::internal {

namespace {

// Constraints nearer to dependence than this leave the velocities of a step's end to rounding. The volume of their
// gradients, which is at hand, may be much smaller where several directions are lost together.
constexpr double singular_position = 1e-4, small_volume = 1e-3;
// Only where the volume has fallen to this part of its largest so far is a singular position looked for.
constexpr double suspicious_volume = 0.5;
// An event asks for the motion at about so many places of a step.
constexpr double places_of_events = 16;

KernelOptions code_for(double calls, KernelOptions asked) {
  asked.calls = calls;
  return asked;
}

NewtonOptions with_calls(NewtonOptions options, double calls) {
  options.kernel = code_for(calls, options.kernel);
  return options;
}

/// Redundant constraints: by minimum norm, as long as the matrix of a step is not too large for it. What cannot be
/// handled is named where it stands.
EngineOptions for_redundant(const Model& model, const InitialValues& initial, const StepPlan& plan,
                            EngineOptions options) {
  if (initial.redundant.empty()) return options;
  std::size_t unknowns = 0;
  for (const StepEquations& part : plan.parts) unknowns = std::max(unknowns, part.unknowns.size());
  options.newton.linear = LinearSolver::minimum_norm;
  const bool too_large = unknowns > static_cast<std::size_t>(most_minimum_norm_unknowns);
  std::vector<Diagnostic> diagnostics;
  for (std::size_t i = 0; i < initial.redundant.size(); ++i) {
    const int constraint = initial.redundant_constraints[i];
    const Place place = model.constraints[constraint].place;
    if (model.port) {
      diagnostics.push_back({model.source, place,
                             "the states do not determine '" + model.constraints[constraint].name + "': the row of " +
                                 initial.redundant[i],
                             "remove the algebraic state, or give its row an entry of the structure matrix"});
      continue;
    }
    const auto& powerless = initial.powerless;
    const bool without_force = std::find(powerless.begin(), powerless.end(), constraint) != powerless.end();
    if (!without_force && !too_large) continue;
    const std::string hint = without_force
                                 ? "start elsewhere, or write it so that its gradient does not vanish"
                                 : "remove it: " + std::to_string(unknowns) +
                                       " unknowns of a step are too many for dependent constraints (at most " +
                                       std::to_string(most_minimum_norm_unknowns) + ")";
    diagnostics.push_back({model.source, place, "redundant constraint: " + initial.redundant[i], hint});
  }
  if (!diagnostics.empty()) throw InputError(std::move(diagnostics));
  return options;
}

GridPoint first_point(const InitialValues& initial, double t0) {
  GridPoint point;
  point.t = t0;
  point.state = joined<double>(initial.y, initial.z);
  point.compensation.assign(point.state.size(), 0);
  return point;
}

std::vector<double> guess_values(const InitialValues& initial) {
  return joined<double>(initial.z_dot, initial.lambda, initial.psi);
}

std::vector<double> usual_values(const Equations& e) {
  std::vector<double> values;
  for (const OpenParameter& parameter : e.parameters) values.push_back(parameter.value);
  return values;
}

/// Multipliers are asked for in rows, and by some at every step.
double calls_of_multipliers(const Equations& e, const EngineOptions& o) {
  return o.reversible || !e.events.empty() ? o.steps : std::max(1.0, o.rows + o.samples);
}

}  // namespace

Engine::Engine(const Model& model_, const Equations& equations, const Method& method_, const EngineOptions& asked)
    : Engine(model_, equations, method_, method_.step(equations), ConsistentStart(model_, equations), asked) {}

Engine::Engine(const Model& model_, const Equations& equations, const Method& method_, const StepPlan& plan,
               ConsistentStart start, const EngineOptions& asked)
    : Engine(model_, equations, method_, plan, start, start.solve(asked.t0, start.given_by_model()), asked) {}

Engine::Engine(const Model& model_, const Equations& equations, const Method& method_, const StepPlan& plan,
               const ConsistentStart& start, const InitialValues& values, const EngineOptions& asked)
    : model(model_),
      e(equations),
      method(method_),
      options(for_redundant(model, values, plan, asked)),
      parameters(usual_values(e)),
      initial(values),
      step(plan, options.t0, options.step, joined<double>(values.y, values.z), guess_values(values),
           with_calls(options.newton, 2 * (options.steps + options.samples))),
      // Where constraints always depend on each other there is no rank to be lost.
      watch(e, code_for(options.steps, options.newton.kernel), values.redundant.empty() || values.singular_position),
      rank(e, watch),
      multipliers(e, values, options.t0, with_calls(options.newton, calls_of_multipliers(e, options))),
      motion(e, code_for(std::max(1.0, options.rows + options.samples), options.newton.kernel)),
      failure(e),
      light(method, e),
      joints(e),
      maker(e.y.size(), [this](double t, std::span<const double> state) { return ends_singular(t, state); }),
      start_(start),
      zero_tests_(Exprs(), e.zero_tests, {.backend = Backend::interpreter, .optimise = false}) {
  if (e.port) ports.emplace(e, options.dirac, code_for(std::max(1.0, options.rows), options.newton.kernel));
  if (options.samples > 0 || !e.events.empty())
    dense.emplace(e, step, point(), multipliers, with_calls(options.newton, options.samples));
  if (!e.events.empty())
    events.emplace(model, e, *dense, multipliers, code_for(places_of_events * options.steps, options.newton.kernel));
  if (options.reversible)
    density.emplace(e, values, options.t0, multipliers, with_calls(options.newton, options.steps));
  bind();
}

Engine::Engine(const Engine& other)
    : model(other.model),
      e(other.e),
      method(other.method),
      options(other.options),
      parameters(other.parameters),
      initial(other.initial),
      step(other.step.clone()),
      watch(other.watch),
      rank(other.rank, watch),
      multipliers(other.multipliers),
      motion(other.motion),
      ports(other.ports),
      failure(other.failure),
      light(other.light),
      joints(other.joints),
      maker(e.y.size(), [this](double t, std::span<const double> state) { return ends_singular(t, state); }),
      start_(other.start_),
      zero_tests_(other.zero_tests_) {
  if (other.dense) dense.emplace(*other.dense, multipliers);
  if (other.events) events.emplace(*other.events, *dense, multipliers);
  if (other.density) density.emplace(*other.density, multipliers);
  bind();
}

void Engine::bind() {
  const double* const table = parameters.empty() ? nullptr : parameters.data();
  step.bind(table);
  watch.bind(table);
  rank.bind(table);
  multipliers.bind(table);
  motion.bind(table);
  if (ports) ports->bind(table);
  if (dense) dense->bind(table);
  if (events) events->bind(table);
  if (density) density->bind(table);
  failure.bind(table);
  light.bind(table);
  joints.bind(table);
  start_.bind(table);
  zero_tests_.bind(table);
}

bool Engine::begin(const NamedValues& values) {
  const NamedValues others = take_parameters(values);
  if (!same_shape()) return false;
  StartValues given = start_.given_by_model();
  give(given, others);
  const InitialValues before = std::exchange(initial, start_.solve(options.t0, given));
  if (initial.redundant.empty() != before.redundant.empty() || initial.singular_position != before.singular_position ||
      initial.hidden != before.hidden)
    return false;
  step.begin(guess_values(initial).data());
  multipliers.begin(initial, options.t0);
  if (density) density->begin(initial, options.t0);
  return true;
}

// The values that are open parameters are written into the table; the others are left.
NamedValues Engine::take_parameters(const NamedValues& values) {
  NamedValues others = values;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto found = values.find(e.parameters[i].name);
    if (found == values.end()) continue;
    parameters[i] = found->second;
    others.erase(found->first);
  }
  return others;
}

/// Whether what the shape of the equations takes to be zero, or not, still is.
bool Engine::same_shape() const {
  std::vector<double> now(zero_tests_.outputs()), usual(now.size()), work(zero_tests_.work());
  zero_tests_(nullptr, now.data(), work.data());
  zero_tests_.call(nullptr, usual.data(), work.data(), nullptr);
  for (std::size_t i = 0; i < now.size(); ++i)
    if ((now[i] == 0) != (usual[i] == 0)) return false;
  return true;
}

void Engine::give(StartValues& given, const NamedValues& values) const {
  std::vector<Diagnostic> unknown;
  for (const auto& [name, value] : values) {
    const auto y = std::find(e.y_names.begin(), e.y_names.end(), name);
    const auto z = std::find(e.z_names.begin(), e.z_names.end(), name);
    if (y != e.y_names.end()) {
      given.y[y - e.y_names.begin()] = value;
    } else if (z != e.z_names.end()) {
      given.z[z - e.z_names.begin()] = value;
    } else {
      std::vector<std::string> names = joined<std::string>(e.y_names, e.z_names);
      for (const OpenParameter& parameter : e.parameters) names.push_back(parameter.name);
      const std::string near = nearest_name(name, names);
      unknown.push_back({nullptr,
                         {},
                         "'" + name + "' is no initial value, and no parameter that was left open",
                         near.empty() ? "" : "did you mean '" + near + "'?"});
    }
  }
  if (!unknown.empty()) throw InputError(std::move(unknown));
}

GridPoint Engine::point() const {
  GridPoint first = first_point(initial, options.t0);
  first.carried = step.carried();
  return first;
}

// Newton's matrix of the constraints is that of the gradients only where z are the velocities.
std::span<const double> Engine::longest() const {
  return e.v == e.z ? watch.longest() : std::span<const double>();
}

// Close to a singular position: a step that ends there is made again in the way that suits it.
bool Engine::ends_singular(double t, std::span<const double> state) {
  return watch.watches_rank() && watch.independence() < suspicious_volume &&
         watch.independence_at(t, state) < small_volume &&
         failure.dependence(t, state, longest()).distance < singular_position;
}

}  // namespace alembert::internal
