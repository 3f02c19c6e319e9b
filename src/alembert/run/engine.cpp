#include "alembert/run/engine.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/derive/auxiliary.h"
#include "alembert/derive/names.h"
#include "alembert/derive/work.h"
#include "alembert/error.h"
#include "alembert/expr/derivative.h"
#include "alembert/methods/shared/euler.h"
#include "alembert/run/kinks.h"
#include "alembert/run/redundant.h"
#include "alembert/run/sides.h"
#include "alembert/run/step_kernel.h"

namespace alembert::internal {

namespace {

// Constraints nearer to dependence than this leave the velocities of a step's end to rounding. The volume of their
// gradients, which is at hand, may be much smaller where several directions are lost together.
constexpr double singular_position = 1e-4, small_volume = 1e-3;
// Only where the volume has fallen to this part of its largest so far is a singular position looked for.
constexpr double suspicious_volume = 0.5;
// And where it is below this, even if the gradients stay nearly as they are.
constexpr double near_volume = 0.01;
// Events and kinks are looked for at about so many places of a step.
constexpr double places_of_events = 8;

/// Says what is wrong with values of parameters: read with them the model says so itself where a mass is negative and
/// the like; else they only ask for other equations.
[[noreturn]] void refuse_shape(const Model& model, const Equations& e, const NamedValues& values) {
  std::vector<std::string> set;
  for (const OpenParameter& parameter : e.parameters)
    if (const auto found = values.find(parameter.name); found != values.end())
      set.push_back(parameter.name + "=" + to_text(found->second));
  read_model(model.source, set);
  throw InputError("these values ask for equations of another shape", "read and derive the model again with them");
}

KernelOptions code_for(double calls, KernelOptions asked) {
  asked.calls = calls;
  return asked;
}

NewtonOptions with_calls(NewtonOptions options, double calls) {
  options.kernel = code_for(calls, options.kernel);
  return options;
}

// Pivots are chosen for a step at the start. A long one would look across kinks, to where the matrix has entries that
// it has not at the start.
double size_for_pivots(const Equations& e, double step) {
  constexpr double part = 1e-3;  // a kink so near to the start is rare
  return kinks(e).empty() ? step : part * step;
}

void check_newton(const NewtonOptions& options) {
  if (options.max_iterations < 1) throw InputError("`max_iterations` must be at least 1");
  if (!(options.tolerance >= 0 && std::isfinite(options.tolerance)))
    throw InputError(
        "the tolerance of Newton's method must be a number of at least 0, not " + to_text(options.tolerance),
        "0 solves to rounding");
}

/// Redundant constraints: by minimum norm, as long as the matrix of a step is not too large for it. What cannot be
/// handled is named where it stands.
EngineOptions for_redundant(const Model& model, const InitialValues& initial, const StepPlan& plan,
                            EngineOptions options) {
  check_newton(options.newton);
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

/// Who asks for the two-matrix iteration gets it or hears why not.
void require_stages(const Method& method, const StepPlan& plan, const InitialValues& initial,
                    const EngineOptions& options) {
  if (options.newton.linear != LinearSolver::two_matrix) return;
  const bool stages =
      std::all_of(plan.parts.begin(), plan.parts.end(), [](const StepEquations& part) { return bool(part.stages); });
  if (!stages)
    throw InputError("`two_matrix` does nothing with " + method.name + ": its step has no stages to split",
                     "it goes with SPARK methods whose constraints stand at Lobatto points; leave it out for others");
  if (!initial.redundant.empty())
    throw InputError("`two_matrix` needs independent constraints, and " + initial.redundant.front(),
                     "leave it out: such steps are solved by minimum norm, or remove the constraint");
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

/// Positions that are nothing but what behind() added to the time.
void forget_shift(InitialValues& values) {
  constexpr double nothing = 1e-290;  // far below any position, far above the shift
  for (double& y : values.y)
    if (std::abs(y) < nothing) y = 0;
}

InitialValues solved(const Equations& e, ConsistentStart start, const std::vector<double>& table,
                     const EngineOptions& asked) {
  start.bind(table.empty() ? nullptr : table.data());
  const double t0 = have_kinks_in_time(e) ? just_behind(asked.t0, asked.step) : asked.t0;
  InitialValues values = start.solve(t0, start.given_by_model());
  forget_shift(values);
  return values;
}

std::vector<double> as_list(std::span<const double> values) { return {values.begin(), values.end()}; }

/// What compiled code reads: open parameters, and the sides of steps.
std::vector<double> table_of(const Equations& e, const std::vector<double>& parameters) {
  return joined<double>(parameters, Sides::unknown(kinks(e)));
}

/// The equations as steps see them.
Equations for_steps(const Equations& e) {
  const Kinks found = kinks(e);
  return found.empty() ? e : on_sides(e, found);
}

/// Without a copy of equations that are smooth.
StepPlan plan_for_steps(const Method& method, const Equations& e) {
  const Kinks found = kinks(e);
  return found.empty() ? step_plan(method, e) : step_plan(method, on_sides(e, found));
}

StepPlan without_redundant(const StepPlan& plan, const Method& method, const Equations& e, const InitialValues& values,
                           const EngineOptions& options) {
  if (values.redundant.empty()) return plan;
  return with_fewer_equations(plan, method, for_steps(e), values, options.t0, options.step);
}

/// Which of so many open parameters occur in expressions.
std::vector<bool> parameters_in(const Exprs& list, std::size_t count) {
  std::vector<bool> found(count, false);
  for (const std::uint32_t id : reachable(list)) {
    const Node& node = list[0].graph().node(id);
    if (node.op == Op::parameter) found[node.a] = true;
  }
  return found;
}

/// Multipliers are asked for in rows, and by some at every step.
double calls_of_multipliers(const Equations& e, const EngineOptions& o) {
  return o.reversible || !e.events.empty() ? o.steps : std::max(1.0, o.rows + o.samples);
}

}  // namespace

Engine::Engine(const Model& model_, const Equations& equations, const Method& method_, const EngineOptions& asked)
    : Engine(model_, equations, method_, plan_for_steps(method_, equations), ConsistentStart(model_, equations),
             usual_values(equations), asked) {}

Engine::Engine(const Model& model_, const Equations& equations, const Method& method_, const StepPlan& plan,
               const ConsistentStart& start, const std::vector<double>& table, const EngineOptions& asked)
    : Engine(model_, equations, method_, plan, start, solved(equations, start, table, asked), table, asked) {}

Engine::Engine(const Model& model_, const Equations& equations, const Method& method_, const StepPlan& plan,
               const ConsistentStart& start, const InitialValues& values, const std::vector<double>& table,
               const EngineOptions& wanted)
    : model(model_),
      e(equations),
      method(method_),
      asked(wanted),
      options(for_redundant(model, values, plan, wanted)),
      t0(options.t0),
      grid_start(options.t0),
      conservative(conserves_energy(e) && !(method.capabilities.inclusions && !e.contacts.empty())),
      table_(table_of(e, table)),
      parameters(std::span(table_).first(table.size())),
      sides(std::span(table_).subspan(table.size())),
      initial(values),
      step(without_redundant(plan, method, e, values, options), options.t0, size_for_pivots(e, options.step),
           joined<double>(values.y, values.z), guess_values(values),
           with_calls(options.newton, 2 * (options.steps + options.samples))),
      // Where constraints always depend on each other there is no rank to be lost.
      watch(e, code_for(options.steps, options.newton.kernel), values.redundant.empty() || values.singular_position),
      rank(e, watch),
      multipliers(e, start.accelerations(), values, options.t0,
                  with_calls(options.newton, calls_of_multipliers(e, options))),
      motion(e, code_for(std::max(1.0, options.rows + options.samples), options.newton.kernel)),
      observed(model, e, code_for(options.steps, options.newton.kernel)),
      failure(e, model.prescribed),
      light(method, e),
      joints(e),
      inputs(e),
      maker(e.y.size(), [this](double t, std::span<const double> state) { return ends_singular(t, state); }),
      expressions_(std::make_shared<std::shared_mutex>()),
      start_(start),
      zero_tests_(Exprs(), e.zero_tests, interpreted),
      model_parameters_(Exprs(), e.model_parameters, interpreted),
      in_constraints_(parameters_in(joined<Expr>(e.g, e.k), parameters.size())) {
  require_stages(method, plan, values, asked);
  if (method.remark) remark = method.remark(seen_by_methods(e));
  inconsistent = !method.claims.nonlinear_multiplier && nonlinear_reaction(seen_by_methods(e));
  if (e.port) ports.emplace(e, options.dirac, code_for(std::max(1.0, options.rows), options.newton.kernel));
  if (e.energy && !conservative) work.emplace(e, code_for(options.steps, options.newton.kernel));
  EngineOptions without_kernel = options;
  without_kernel.at_once = false;  // its parameters are not bound yet
  prepare(without_kernel);
  if (!e.events.empty())
    events.emplace(model, e, *dense, multipliers, code_for(places_of_events * options.steps, options.newton.kernel));
  if (const Kinks switches = internal::kinks(e); !switches.empty()) {
    if (!dense) make_dense(options);
    kinks.emplace(e, switches, *dense, multipliers, code_for(places_of_events * options.steps, options.newton.kernel));
    constraints_bend_ = constraints_have_kinks(e);
    kinks_in_time_ = have_kinks_in_time(e);
  }
  bind();
  failure.is_nearer(singular_position, t0, point().state, room_);  // takes the memory that steps use
  if (options.at_once) make_kernel(options.steps);
}

void Engine::make_kernel(double steps) {
  kernel = StepKernel::make(*this, steps);
  if (!kernel) no_kernel_for_ = steps;
}

void Engine::make_dense(const EngineOptions& asked) {
  dense.emplace(e, step, point(), multipliers, with_calls(options.newton, asked.samples));
  dense->bind(table());
}

void Engine::prepare(const EngineOptions& asked) {
  const bool needs_dense = !dense && (asked.samples > 0 || !e.events.empty());
  const bool needs_density = !density && asked.reversible;
  const bool needs_kernel = !kernel && asked.at_once && asked.steps > no_kernel_for_;
  if (!needs_dense && !needs_density && !needs_kernel) return;
  const std::unique_lock lock(*expressions_);
  if (needs_dense) make_dense(asked);
  if (needs_density) {
    density.emplace(e, initial, t0, multipliers, with_calls(options.newton, asked.steps));
    density->bind(table());
  }
  if (needs_kernel) make_kernel(asked.steps);
}

Engine::Engine(const Engine& other)
    : model(other.model),
      e(other.e),
      method(other.method),
      asked(other.asked),
      options(other.options),
      t0(other.t0),
      grid_start(other.grid_start),
      conservative(other.conservative),
      table_(other.table_),
      parameters(std::span(table_).first(other.parameters.size())),
      sides(std::span(table_).subspan(parameters.size())),
      initial(other.initial),
      step(other.step.clone()),
      watch(other.watch),
      rank(other.rank, watch),
      multipliers(other.multipliers),
      motion(other.motion),
      observed(other.observed),
      ports(other.ports),
      failure(other.failure),
      light(other.light),
      joints(other.joints),
      inputs(other.inputs),
      work(other.work),
      maker(e.y.size(), [this](double t, std::span<const double> state) { return ends_singular(t, state); }),
      kernel(other.kernel),
      remark(other.remark),
      inconsistent(other.inconsistent),
      expressions_(other.expressions_),
      start_(other.start_),
      zero_tests_(other.zero_tests_),
      model_parameters_(other.model_parameters_),
      room_(other.room_),
      begun_at_(other.begun_at_),
      in_constraints_(other.in_constraints_),
      constraints_bend_(other.constraints_bend_),
      kinks_in_time_(other.kinks_in_time_),
      no_kernel_for_(other.no_kernel_for_) {
  if (other.dense) dense.emplace(*other.dense, multipliers);
  if (other.events) events.emplace(*other.events, *dense, multipliers);
  if (other.kinks) kinks.emplace(*other.kinks, *dense, multipliers);
  if (other.density) density.emplace(*other.density, multipliers);
  bind();
}

void Engine::bind() {
  if (constraints_bend_) kinks->settle_by([this](GridPoint& point) { settle(point); });
  const double* const table = this->table();
  step.bind(table);
  watch.bind(table);
  rank.bind(table);
  multipliers.bind(table);
  motion.bind(table);
  observed.bind(table);
  if (ports) ports->bind(table);
  if (dense) dense->bind(table);
  if (events) events->bind(table);
  if (kinks) kinks->bind(table);
  if (density) density->bind(table);
  failure.bind(table);
  light.bind(table);
  joints.bind(table);
  inputs.bind(table);
  if (work) work->bind(table);
  start_.bind(table);
  zero_tests_.bind(table);
  model_parameters_.bind(table);
}

bool Engine::begin(const NamedValues& values) {
  const std::shared_lock lock(*expressions_);
  const NamedValues others = take_parameters(values);
  if (!same_shape()) return false;
  StartValues given = start_.given_by_model();
  give(given, others, false);
  t0 = options.t0;
  grid_start = t0;
  begun_at_.reset();
  const InitialValues before = std::exchange(initial, start_.solve(behind(t0), given));
  forget_shift(initial);
  if (initial.redundant.empty() != before.redundant.empty() || initial.singular_position != before.singular_position ||
      initial.hidden != before.hidden)
    return false;
  step.begin(guess_values(initial).data());
  multipliers.begin(initial, t0);
  if (density) density->begin(initial, t0);
  return true;
}

void Engine::begin_at(const GridPoint& point, double start_of_grid) {
  const double t = point.t;
  const std::span<const double> state = point.state;
  const auto middle = state.begin() + static_cast<std::ptrdiff_t>(e.y.size());
  const bool same = t == t0 && std::equal(initial.y.begin(), initial.y.end(), state.begin(), middle) &&
                    std::equal(initial.z.begin(), initial.z.end(), middle, state.end());
  if (same) return;
  const std::span<const double> rates = multipliers.at(t, state);
  t0 = t;
  grid_start = start_of_grid;
  begun_at_ = point;
  initial.changes.clear();
  initial.y.assign(state.begin(), middle);
  initial.z.assign(middle, state.end());
  auto from = rates.begin();
  for (std::vector<double>* list : {&initial.z_dot, &initial.lambda, &initial.psi}) {
    std::copy_n(from, list->size(), list->begin());
    from += static_cast<std::ptrdiff_t>(list->size());
  }
  step.begin(guess_values(initial).data());
  if (density) density->begin(initial, t0);
}

// The values that are open parameters are written into the table; the others are left.
NamedValues Engine::take_parameters(const NamedValues& values) {
  NamedValues others = values;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto found = values.find(e.parameters[i].name);
    if (found == values.end()) continue;
    check_parameter(i, found->second);
    parameters[i] = found->second;
    others.erase(found->first);
  }
  return others;
}

// Masses, inertias and lengths were checked when the model was read; a new value is checked in the same way.
void Engine::check_parameter(std::size_t number, double value) const {
  const std::string& name = e.parameters[number].name;
  for (std::size_t i = 0; i < model.parameter_symbols.size(); ++i) {
    const Expr s = model.parameter_symbols[i];
    if (s.graph().name(s.id()) == name && model.checked_on_read[i])
      read_model(model.source, {name + "=" + to_text(value)});
  }
}

void Engine::reset_parameters() {
  const std::vector<double> usual = usual_values(e);
  std::copy(usual.begin(), usual.end(), parameters.begin());
}

bool Engine::set(const NamedValues& values, GridPoint& point) {
  const std::shared_lock lock(*expressions_);
  bool constrained = false;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (in_constraints_[i] && values.contains(e.parameters[i].name)) constrained = true;
  if (!keeps_shape(values)) refuse_shape(model, e, values);
  const NamedValues others = take_parameters(values);
  if (others.empty() && !constrained) return false;
  StartValues given = given_at(point);
  give(given, others, true);
  move_onto_constraints(given, point);
  return true;
}

void Engine::set_state(std::span<const double> state, GridPoint& point) const {
  const std::shared_lock lock(*expressions_);
  GridPoint asked = point;
  asked.state.assign(state.begin(), state.end());
  move_onto_constraints(given_at(asked), asked);
  point = std::move(asked);
}

StartValues Engine::given_at(const GridPoint& point) const {
  const auto middle = point.state.begin() + static_cast<std::ptrdiff_t>(e.y.size());
  StartValues given = start_.given_by_model();
  given.set = true;
  given.y.assign(point.state.begin(), middle);
  given.z.assign(middle, point.state.end());
  given.y_pinned.assign(given.y.size(), false);
  given.z_pinned.assign(given.z.size(), false);
  given.prescribed.assign(given.prescribed.size(), {});
  // First-order states move by their rates alone.
  const auto states = given.y_pinned.end() - static_cast<std::ptrdiff_t>(e.auxiliary.size());
  std::fill(states - e.first_order, states, true);
  return given;
}

void Engine::move_onto_constraints(const StartValues& given, GridPoint& point) const {
  const InitialValues moved = start_.solve(behind(point.t), given);
  point.state = joined<double>(moved.y, moved.z);
  point.compensation.assign(point.state.size(), 0);
}

double Engine::behind(double t) const { return kinks_in_time_ ? just_behind(t, options.step) : t; }

GridPoint Engine::behind(const GridPoint& point) {
  constexpr double little = 1e-10;  // of a step: as far as steps keep away from kinks
  GridPoint moved = point;
  if (!kinks) return moved;
  ZeroSearch::Values here;
  kinks->begin(point, here);
  kinks->pass(moved, little * options.step, here, 0);
  return moved;
}

double Engine::moves(const FailedStep& failed) {
  double most = 0;
  if (failed.state.empty()) return most;
  const std::span<const double> rates = multipliers.at(failed.t, failed.state);
  for (std::size_t i = 0; i < e.z.size(); ++i)
    if (std::isfinite(rates[i])) most = std::max(most, std::abs(rates[i]));
  return most * std::abs(options.step);
}

// A step that began behind a kink is made again from there: in the kink itself forces may be those of its other side.
void Engine::begin_dense(const GridPoint& from, const GridPoint& to) {
  if (!to.off_kink) return dense->begin(from, to.t - from.t);
  const GridPoint start = behind(from);
  dense->begin(start, to.t - start.t);
}

void Engine::settle(GridPoint& point) {
  constexpr double rounding = 1e-7;  // of velocities next to a kink, where they were found by straight lines
  constexpr double gap = 1e-7;       // of places: what passing over a kink moves them by is far less
  const std::vector<double> before = point.state;
  if (point.before.empty()) watch.glance(just_behind(point.t, -options.step), before);
  else watch.glance(point.t_before, point.before);
  const double held = watch.position();
  // What a state passes is behind it a little later only.
  const GridPoint passed = behind(point);
  watch.glance(behind(point.t), passed.state);
  double size = 1;
  for (std::size_t i = 0; i < e.y.size(); ++i) size = std::max(size, std::abs(before[i]));
  if (watch.position() > held + gap * size) torn = {point.t, watch.position()};
  watch.glance(point.t, before);
  const double energy = watch.energy();
  try {
    point.state = passed.state;
    move_onto_constraints(given_at(point), point);
  } catch (const InputError&) {
    point.state = before;  // the next step finds no solution and says so
    return;
  }
  watch.glance(point.t, point.state);
  impulse_energy += watch.energy() - energy;
  for (std::size_t i = e.y.size(); i < before.size(); ++i)
    if (std::abs(point.state[i] - before[i]) > rounding * (1 + std::abs(before[i]))) impulse = point.t;
}

std::unique_ptr<Engine> Engine::begun(const NamedValues& values) const {
  check_names(model, e, values);
  auto fresh = std::make_unique<Engine>(*this);
  fresh->reset_parameters();
  try {
    if (fresh->begin(values)) return fresh;
  } catch (const InputError&) { return remade(values); }
  return remade(values);
}

std::unique_ptr<Engine> Engine::remade(const NamedValues& values) const {
  Engine wanted(*this);
  wanted.reset_parameters();
  wanted.take_parameters(values);
  if (!wanted.same_shape()) refuse_shape(model, e, values);
  std::unique_ptr<Engine> fresh;
  {
    const std::unique_lock lock(*expressions_);
    fresh.reset(new Engine(model, e, method, plan_for_steps(method, e), ConsistentStart(model, e),
                           as_list(wanted.parameters), asked));
  }
  fresh->expressions_ = expressions_;
  if (!fresh->begin(values))
    throw InputError("the constraints are redundant for some of these initial values and not for others",
                     "read and derive the model again with them");
  return fresh;
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

bool Engine::keeps_shape(const NamedValues& values) {
  if (zero_tests_.outputs() == 0) return true;
  const std::vector<double> before = as_list(parameters);
  take_parameters(values);
  const bool same = same_shape();
  std::copy(before.begin(), before.end(), parameters.begin());
  return same;
}

void Engine::give(StartValues& given, const NamedValues& values, bool pin) const {
  for (const auto& [name, value] : values) {
    const auto y = std::find(e.y_names.begin(), e.y_names.end(), name);
    const auto z = std::find(e.z_names.begin(), e.z_names.end(), name);
    if (y != e.y_names.end()) {
      const std::size_t i = static_cast<std::size_t>(y - e.y_names.begin());
      given.y[i] = value;
      // The angle of a joint has no value of its own: the bodies are turned to it.
      if (pin || i >= e.y.size() - closed_count(e)) given.y_pinned[i] = true;
    } else if (z != e.z_names.end()) {
      given.z[z - e.z_names.begin()] = value;
      if (pin) given.z_pinned[z - e.z_names.begin()] = true;
    } else {
      const auto same = [&name = name](const Prescribed& one) { return one.name == name; };
      const auto found = std::find_if(model.prescribed.begin(), model.prescribed.end(), same);
      if (found == model.prescribed.end()) check_names(model, e, values);  // throws
      given.prescribed[static_cast<std::size_t>(found - model.prescribed.begin())] = value;
    }
  }
}

std::vector<double> Engine::model_parameters() const {
  std::vector<double> values(model_parameters_.outputs()), work(model_parameters_.work());
  model_parameters_(nullptr, values.data(), work.data());
  return values;
}

GridPoint Engine::point() const {
  if (begun_at_) return *begun_at_;
  GridPoint first = first_point(initial, t0);
  first.carried = step.carried();
  return first;
}

// Newton's matrix of the constraints is that of the gradients only where z are the velocities.
std::span<const double> Engine::longest() const { return e.v == e.z ? watch.longest() : std::span<const double>(); }

// Close to a singular position: a step that ends there is made again in the way that suits it.
bool Engine::ends_singular(double t, std::span<const double> state) {
  return watch.independence() < suspicious_volume && watch.may_become_dependent(near_volume) &&
         watch.independence_at(t, state) < small_volume && failure.is_nearer(singular_position, t, state, room_);
}

void Engine::archive(Archive& fields) {
  const std::size_t count = table_.size();
  fields(table_, step, watch, rank, multipliers, observed, impulse, impulse_energy);
  if (table_.size() != count) throw InputError("the saved state belongs to other equations");
  if (dense) fields(*dense);
  if (events) fields(*events);
  if (kinks) fields(*kinks);
  if (density) fields(*density);
  if (work) fields(*work);
}

}  // namespace alembert::internal
