#include "alembert/run/simulate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "alembert/derive/massless.h"
#include "alembert/derive/ports/port_equations.h"
#include "alembert/error.h"
#include "alembert/model/ports/port.h"
#include "alembert/run/events.h"
#include "alembert/run/failure.h"
#include "alembert/run/rank_watch.h"
#include "alembert/run/reactions.h"
#include "alembert/run/report_names.h"
#include "alembert/run/watch.h"
#include "alembert/start/initial.h"

namespace alembert::internal {

namespace {

// Constraints nearer to dependence than this leave the velocities of a step's end to rounding. The volume of their
// gradients, which is at hand, may be much smaller where several directions are lost together.
constexpr double singular_position = 1e-4, small_volume = 1e-3;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

KernelOptions code_for(double calls, KernelOptions asked) {
  asked.calls = calls;
  return asked;
}

/// Constraints that depend on each other: by minimum norm, as long as the matrix of a step is not too large for it.
/// What cannot be handled is named where it stands.
void handle_redundant(const Model& model, const InitialValues& initial, const StepPlan& plan, NewtonOptions& newton) {
  std::size_t unknowns = 0;
  for (const StepEquations& part : plan.parts) unknowns = std::max(unknowns, part.unknowns.size());
  newton.linear = LinearSolver::minimum_norm;
  const bool too_large = unknowns > static_cast<std::size_t>(most_minimum_norm_unknowns);
  std::vector<Diagnostic> diagnostics;
  for (std::size_t i = 0; i < initial.redundant.size(); ++i) {
    const int constraint = initial.redundant_constraints[i];
    if (model.port) {
      diagnostics.push_back({model.source, model.constraints[constraint].place,
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
    diagnostics.push_back(
        {model.source, model.constraints[constraint].place, "redundant constraint: " + initial.redundant[i], hint});
  }
  if (!diagnostics.empty()) throw InputError(std::move(diagnostics));
}

/// The times at which rows are wanted, in the order of the run.
class SampleTimes {
 public:
  SampleTimes(const SimulateOptions& o) : at_(o.at), t0_(o.t0), end_(o.end), sample_(o.sample) {
    const double direction = o.step < 0 ? -1 : 1;
    for (const double t : at_)
      if (!std::isfinite(t) || (t - t0_) * direction < 0 || (end_ - t) * direction < 0)
        throw InputError("`at` " + to_text(t) + " is not between the start " + to_text(t0_) + " and the end " +
                         to_text(end_));
    std::sort(at_.begin(), at_.end(), [&](double a, double b) { return a * direction < b * direction; });
    if (sample_ == 0) return;
    if (!std::isfinite(sample_) || sample_ < 0) throw InputError("`sample` must be a number above 0");
    samples_ = std::floor(std::abs(end_ - t0_) / sample_ * (1 + 1e-12)) + 1;
    if (samples_ > 9e15) throw InputError("`sample` " + to_text(sample_) + " is too small to reach the end");
    sample_ *= direction;
  }

  bool any() const { return !at_.empty() || sample_ != 0; }
  double count() const { return static_cast<double>(at_.size()) + samples_; }
  /// The next time up to t, each once; nothing where there is none.
  std::optional<double> next(double t) {
    const double direction = end_ < t0_ ? -1 : 1;
    for (;;) {
      const bool listed = next_at_ < at_.size(), regular = next_sample_ < samples_;
      const double one = listed ? at_[next_at_] : 0;
      const double other =
          (end_ - (t0_ + next_sample_ * sample_)) * direction < 0 ? end_ : t0_ + next_sample_ * sample_;
      if (!listed && !regular) return {};
      const bool first = listed && (!regular || one * direction <= other * direction);
      const double time = first ? one : other;
      if (time * direction > t * direction) return {};
      first ? static_cast<void>(++next_at_) : static_cast<void>(++next_sample_);
      if (last_ && *last_ == time) continue;
      return last_ = time;
    }
  }

 private:
  std::vector<double> at_;
  double t0_, end_, sample_, samples_ = 0, next_sample_ = 0;
  std::size_t next_at_ = 0;
  std::optional<double> last_;
};

GridPoint first_point(const InitialValues& initial, double t0) {
  GridPoint point;
  point.t = t0, point.state = initial.y;
  point.state.insert(point.state.end(), initial.z.begin(), initial.z.end());
  point.rest.assign(point.state.size(), 0);
  return point;
}

Step<double> make_step(const Equations& e, const Method& method, const SimulateOptions& options, const GridPoint& start,
                       const InitialValues& initial, double steps) {
  std::vector<double> hints = initial.z_dot;
  hints.insert(hints.end(), initial.lambda.begin(), initial.lambda.end());
  hints.insert(hints.end(), initial.psi.begin(), initial.psi.end());
  NewtonOptions newton = options.newton;
  newton.kernel = code_for(2 * steps, options.newton.kernel);
  return Step<double>(method.step(e), options.t0, options.step, start.state, hints, newton);
}

void add_step(EnergyBalance& balance, double predicted, double change) {
  ++balance.steps;
  balance.predicted += predicted;
  balance.actual += change;
  balance.max_change = std::max(balance.max_change, std::abs(change));
  balance.max_residual = std::max(balance.max_residual, std::abs(predicted - change));
}

/// A run from its first row to its report.
class Simulation {
 public:
  Simulation(const Model& model, const Equations& e, const Method& method, const SimulateOptions& options,
             const InitialValues& initial, SampleTimes samples, Report& report, double steps)
      : model_(model),
        e_(e),
        options_(options),
        samples_(std::move(samples)),
        report_(report),
        n_y_(e.y.size()),
        n_z_(e.z.size()),
        every_(options.every.value_or(samples_.any() ? 0 : 1)),
        point_(first_point(initial, options.t0)),
        for_rows_(with_calls(
            options.newton,
            options.observers.empty() ? 1 : samples_.count() + (every_ > 0 ? steps / static_cast<double>(every_) : 0))),
        // Where constraints always depend on each other there is no rank to be lost.
        watch_(e, code_for(steps, options.newton.kernel), initial.redundant.empty() || initial.singular_position),
        rank_(e, watch_),
        multipliers_(e, initial, options.t0,
                     options.steps.control == Control::reversible || !e.events.empty()
                         ? with_calls(options.newton, steps)
                         : for_rows_),
        columns_(make_columns(model, e, options.dirac)) {
    control_ = make_control(e, method, options.steps, options.end, options.step, point_, initial, multipliers_,
                            make_step(e, method, options, point_, initial, steps + samples_.count()),
                            with_calls(options.newton, steps));
    point_.carried = control_->step().carried();
    if (samples_.any() || !e.events.empty())
      dense_.emplace(e, control_->step(), point_, multipliers_, with_calls(options.newton, samples_.count()));
    if (!e.events.empty())
      events_.emplace(model, e, *dense_, multipliers_, point_, code_for(16 * steps, options.newton.kernel));
    Exprs at_state{e.t}, momentum_and_velocity = e.p;
    for (const Exprs* list : {&e.y, &e.z}) at_state.insert(at_state.end(), list->begin(), list->end());
    momentum_and_velocity.insert(momentum_and_velocity.end(), e.v.begin(), e.v.end());
    motion_ = Kernel<double>(at_state, momentum_and_velocity, for_rows_.kernel);
    motion_in_.resize(at_state.size()), moving_.resize(momentum_and_velocity.size()), work_.resize(motion_.work());
    row_.reserve(columns_.names.size());
    if (e.port) {
      Exprs at_ports = at_state, values = e.port->inputs;
      at_ports.insert(at_ports.end(), e.psi.begin(), e.psi.end());
      for (const Exprs* list : {&e.port->outputs, &e.port->energies})
        values.insert(values.end(), list->begin(), list->end());
      for (const Exprs* list : {&e.port->flows, &e.port->efforts})
        if (options.dirac) values.insert(values.end(), list->begin(), list->end());
      ports_ = Kernel<double>(at_ports, values, for_rows_.kernel);
      ports_in_.resize(at_ports.size()), ports_out_.resize(values.size()), ports_work_.resize(ports_.work());
      std::vector<double> solved(n_z_, 0.0);
      solved.insert(solved.end(), initial.psi.begin(), initial.psi.end());
      take_ports(options.t0, point_.state, solved);
      report.port->first_energies.assign(energies_now().begin(), energies_now().end());
    }
    report.has_discrete = control_->step().has_discrete();
    if (!method.claims.velocity) watch_.velocity_ranges.resize(e.g.size());
    next_[0] = next_[1] = point_;
    control_->positions = n_y_;
    control_->ends_singular = [this](double t, std::span<const double> state) { return ends_singular(t, state); };
  }
  Simulation(const Simulation&) = delete;

  const Columns& columns() const { return columns_; }
  void run();
  void finish();

  std::string light;  // a body whose velocity the method loses; "" where there is none

 private:
  static NewtonOptions with_calls(NewtonOptions options, double calls) {
    options.kernel = code_for(calls, options.kernel);
    return options;
  }
  std::span<const double> y(const GridPoint& p) const { return {p.state.data(), n_y_}; }
  std::span<const double> z(const GridPoint& p) const { return {p.state.data() + n_y_, n_z_}; }
  // Newton's matrix of the constraints is that of the gradients only where z are the velocities.
  std::span<const double> longest() const { return e_.v == e_.z ? watch_.longest() : std::span<const double>(); }

  void end(Ending ending, std::string reason) {
    if (report_.ending == Ending::done) report_.ending = ending, report_.reason = std::move(reason);
  }
  void take_motion(double t, std::span<const double> state);
  void take_ports(double t, std::span<const double> state, std::span<const double> solved);
  void make_row(double t, std::span<const double> state);
  void record(double t, std::span<const double> state);
  bool between(const GridPoint& from, GridPoint& to, bool last);
  bool samples(const GridPoint& from, const GridPoint& to, double up_to, bool from_kept, bool to_kept);
  bool arrive(const GridPoint& from, GridPoint& to, bool last);
  void keep(const GridPoint& point);
  void take_balance(const GridPoint& point);
  void explain();
  bool ends_singular(double t, std::span<const double> state);

  const Model& model_;
  const Equations& e_;
  const SimulateOptions& options_;
  SampleTimes samples_;
  Report& report_;
  std::size_t n_y_, n_z_;
  long every_;  // 0: no rows for steps
  GridPoint point_, next_[2];
  NewtonOptions for_rows_;
  Watch watch_;
  RankWatch rank_;
  Multipliers multipliers_;
  Columns columns_;
  std::unique_ptr<StepControl> control_;
  std::optional<DenseOutput> dense_;
  std::optional<EventWatch> events_;
  std::vector<EventRecord> found_;
  std::span<const double> energies_now() const {  // of the components, where take_ports looked last
    return {ports_out_.data() + 2 * e_.port->inputs.size(), e_.port->energies.size()};
  }
  Kernel<double> motion_, ports_;
  std::vector<double> ports_in_, ports_out_, ports_work_;
  std::vector<double> motion_in_, moving_, work_, row_, sampled_;
  bool recorded_ = false;               // the present point has its row
  bool in_view_ = false;                // the watch looked at it last
  double energy_ = 0;                   // at the last grid point
  double balanced_ = 0, residual_ = 0;  // its time, and the residual of the balance of the step to it
};

void Simulation::take_motion(double t, std::span<const double> state) {
  motion_in_[0] = t;
  std::copy(state.begin(), state.end(), motion_in_.begin() + 1);
  motion_(motion_in_.data(), moving_.data(), work_.data());
}

// Inputs, outputs, energies of the components.
void Simulation::take_ports(double t, std::span<const double> state, std::span<const double> solved) {
  ports_in_[0] = t;
  const auto behind = std::copy(state.begin(), state.end(), ports_in_.begin() + 1);
  std::copy(solved.begin() + static_cast<long>(n_z_), solved.end(), behind);
  ports_(ports_in_.data(), ports_out_.data(), ports_work_.data());
}

// The watch has the state in view.
void Simulation::make_row(double t, std::span<const double> state) {
  take_motion(t, state);
  row_.assign(1, t);
  row_.insert(row_.end(), state.begin(), state.end());
  if (!columns_.momenta.empty()) row_.insert(row_.end(), moving_.begin(), moving_.begin() + static_cast<long>(n_z_));
  const std::span<const double> solved = multipliers_.at(t, state);
  row_.insert(row_.end(), solved.begin() + static_cast<long>(n_z_), solved.end());
  if (report_.has_energy) row_.push_back(watch_.energy());
  row_.insert(row_.end(), {watch_.position(), watch_.velocity(), watch_.nonholonomic()});
  row_.insert(row_.end(), watch_.invariants().begin(), watch_.invariants().end());
  if (!e_.port) return;
  take_ports(t, state, solved);
  row_.insert(row_.end(), ports_out_.begin(), ports_out_.end());
  // The parts are known at grid points only.
  const EnergyBalance& sums = report_.balance;
  const bool known = t == balanced_ && (sums.parted || report_.steps == 0);
  const double stored = watch_.energy() - watch_.energy_watched.initial, none = std::nan("");
  row_.push_back(stored);
  row_.push_back(known ? sums.dissipated : none);
  row_.push_back(known ? sums.supplied : none);
  row_.push_back(known ? residual_ : none);
}

void Simulation::record(double t, std::span<const double> state) {
  if (options_.observers.empty()) return;
  make_row(t, state);
  for (Observer* observer : options_.observers) observer->row(row_);
}

// The row of a grid point, once.
void Simulation::keep(const GridPoint& point) {
  if (options_.observers.empty() || std::exchange(recorded_, true)) return;
  if (!in_view_) watch_.glance(point.t, point.state);
  record(point.t, point.state);
}

// What happens inside a step: events, which may end it early, and rows. False where the dense output fails.
bool Simulation::between(const GridPoint& from, GridPoint& to, bool last) {
  if (!dense_) return true;
  dense_->begin(from, to.t - from.t);
  if (!events_) return true;
  if (!events_->search(from, to, last, found_)) return false;
  for (EventRecord& record : found_) {
    if (!options_.observers.empty()) {
      watch_.glance(record.t, record.state);
      make_row(record.t, record.state);
      for (Observer* observer : options_.observers) observer->event(record.event, row_);
    }
    const Event& event = model_.events[record.event];
    if (event.stop && report_.stopped.empty()) {
      report_.stopped = event.name;
      to.t = record.t, to.state = record.state;
      to.energy_change.reset();
    }
    report_.events.push_back(std::move(record));
  }
  return true;
}

// kept: the grid points have rows of their own.
bool Simulation::samples(const GridPoint& from, const GridPoint& to, double up_to, bool from_kept, bool to_kept) {
  while (const std::optional<double> t = options_.observers.empty() ? std::nullopt : samples_.next(up_to)) {
    const double h = to.t - from.t;
    // Within rounding of a grid point it is that point.
    const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(to.t), std::abs(h));
    std::span<const double> state = to.state;
    if (std::abs(*t - from.t) <= rounding) {
      if (from_kept) continue;
      state = from.state;
    } else if (std::abs(to.t - *t) <= rounding) {
      if (to_kept) continue;
    } else {
      if (!dense_->at(dense_->share(*t), sampled_)) return false;
      state = sampled_;
    }
    watch_.glance(*t, state);
    in_view_ = false;
    record(*t, state);
  }
  return true;
}

// The watch has just looked at the point.
void Simulation::take_balance(const GridPoint& point) {
  const double before = std::exchange(energy_, watch_.energy());
  report_.discrete = std::max(report_.discrete, point.discrete);
  if (!report_.has_energy || !point.energy_change) return;
  EnergyBalance& sums = report_.balance;
  add_step(sums, *point.energy_change, energy_ - before);
  if (!point.energy_parts) return;
  sums.parted = true;
  sums.dissipated += point.energy_parts->first, sums.supplied += point.energy_parts->second;
  balanced_ = point.t, residual_ = energy_ - before - *point.energy_change;
}

// A new grid point. False where the run ends with it.
bool Simulation::arrive(const GridPoint& from, GridPoint& to, bool last) {
  if (!between(from, to, last))
    end(Ending::failed, "the events between t = " + time_text(from.t) + " and " + time_text(to.t) +
                            " could not be found: part of the step has no solution; try a smaller step");
  const bool stopped = !report_.stopped.empty();
  report_.t = to.t;
  bool row = false;  // by its number
  if (!(stopped && to.t == from.t)) {
    ++report_.steps;
    const double h = std::abs(to.t - from.t);
    report_.smallest_step = report_.steps == 1 ? h : std::min(report_.smallest_step, h);
    report_.largest_step = std::max(report_.largest_step, h);
    const bool kept = std::exchange(recorded_, false);
    row = every_ > 0 && (last || stopped || report_.steps % every_ == 0);
    in_view_ = true;
    watch_.look(to.t, y(to), z(to));
    take_balance(to);
    if (!watch_.finite())
      end(Ending::failed,
          "energy or constraints are not finite at t = " + time_text(report_.t) + "; try a smaller step");
    const RankWatch::Rank seen = rank_.look(to.t, to.state);
    if (seen == RankWatch::Rank::lost) end(Ending::failed, explain_rank(e_, report_.t, to.state, longest()));
    if (seen == RankWatch::Rank::passed)
      report_.singular_positions.push_back({to.t, dependence(e_, to.t, to.state, longest()).words});
    if (watch_.finite() && !samples(from, to, last && !stopped ? options_.end : to.t, kept, row))
      end(Ending::failed, "the motion between t = " + time_text(from.t) + " and " + time_text(to.t) +
                              " could not be sampled: part of the step has no solution; try a smaller step");
  }
  if (options_.interrupt && options_.interrupt->load(std::memory_order_relaxed))
    end(Ending::interrupted, "interrupted at t = " + time_text(report_.t));
  last = last || stopped;
  if (!last && options_.steps.most_steps > 0 && report_.steps >= options_.steps.most_steps)
    end(Ending::failed, "the largest number of steps, " + std::to_string(options_.steps.most_steps) +
                            ", was made at t = " + time_text(report_.t) + "; allow more with `most_steps`");
  const bool early = report_.ending != Ending::done || stopped;
  if (row || early) keep(to);
  std::swap(point_, to);
  return !last && !early;
}

// Close to a singular position: a step that ends there is made again in the way that suits it.
bool Simulation::ends_singular(double t, std::span<const double> state) {
  return watch_.watches_rank() && watch_.independence() < 0.5 && watch_.independence_at(t, state) < small_volume &&
         dependence(e_, t, {state.begin(), state.end()}, longest()).distance < singular_position;
}

void Simulation::explain() {
  const StepControl::Failure& why = control_->failure();
  if (!why.words.empty()) return end(Ending::failed, why.words);
  std::string reason =
      explain_step(e_, why.result.newton, control_->step().label(why.result), why.t, why.h, why.state, longest());
  if (!light.empty()) reason += "; " + light;
  end(Ending::failed, std::move(reason));
}

void Simulation::run() {
  const Clock::time_point started = Clock::now();
  watch_.look(point_.t, y(point_), z(point_));
  energy_ = watch_.energy();
  balanced_ = point_.t;
  in_view_ = true;
  if (every_ > 0) keep(point_);
  rank_.look(point_.t, point_.state);
  samples(point_, point_, point_.t, every_ > 0, every_ > 0);
  double shown = 0;
  bool going = options_.end != options_.t0;
  while (going) {
    bool last = false;
    const int count = control_->advance(point_, next_, last);
    if (count == 0) {
      explain();
      keep(point_);
      break;
    }
    for (int i = 0; i < count && going; ++i) going = arrive(point_, next_[i], last && i + 1 == count);
    if (going && options_.progress && (report_.steps & 255) == 0) {
      const double elapsed = seconds_since(started);
      if (elapsed - shown > 0.1) {
        shown = elapsed;
        options_.progress((report_.t - options_.t0) / (options_.end - options_.t0));
      }
    }
  }
  for (Observer* observer : options_.observers) observer->end();
  report_.run_seconds = seconds_since(started);
}

void Simulation::finish() {
  report_.rejected = control_->rejected();
  report_.energy = watch_.energy_watched;
  report_.drift = watch_.drift.fit();
  report_.position = watch_.max_position, report_.velocity = watch_.max_velocity,
  report_.nonholonomic = watch_.max_nonholonomic;
  report_.velocity_ranges = watch_.velocity_ranges;
  report_.invariants = watch_.invariants_watched();
  report_.newton = reported(control_->statistics());
  take_motion(report_.t, point_.state);
  const std::span<const double> solved = multipliers_.at(report_.t, point_.state);
  const auto part = [&](std::size_t from, std::size_t to) {
    return std::vector<double>(solved.begin() + static_cast<long>(from), solved.begin() + static_cast<long>(to));
  };
  report_.y.assign(y(point_).begin(), y(point_).end()), report_.z.assign(z(point_).begin(), z(point_).end());
  report_.momentum.assign(moving_.begin(), moving_.begin() + static_cast<long>(n_z_));
  report_.v.assign(moving_.begin() + static_cast<long>(n_z_), moving_.end());
  report_.lambda = part(n_z_, n_z_ + e_.lambda.size());
  report_.psi = part(n_z_ + e_.lambda.size(), solved.size());
  if (e_.port) {
    take_ports(report_.t, point_.state, solved);
    const auto outputs = ports_out_.begin() + static_cast<long>(e_.port->inputs.size());
    const auto energies = outputs + static_cast<long>(e_.port->inputs.size());
    PortReport& port = *report_.port;
    port.x = port_states(*model_.port, report_.z, report_.psi);
    port.u.assign(ports_out_.begin(), outputs);
    port.y.assign(outputs, energies);
    port.energies.assign(energies_now().begin(), energies_now().end());
  }
  report_.joints = joint_forces(e_, report_.t, point_.state, report_.lambda, report_.psi);
  if (report_.steps == 0) return;
  // A step that an event cut short was made once more, as long as it then was.
  const bool cut = !report_.stopped.empty() && report_.events.back().share > 0 && report_.events.back().share < 1;
  report_.internal = cut ? dense_->internal() : control_->step().internal();
  report_.internal_names = control_->step().internal_names();
}

}  // namespace

Report simulate(const Model& model, const Equations& e, const Method& method, const SimulateOptions& options) {
  const Clock::time_point begin = Clock::now();
  const std::string reason = refusal(method, e);
  if (!reason.empty()) {
    // Where masses are missing, the coordinate is shown.
    const Massless without = massless(e);
    const auto& blocks = model.form == Form::lagrangian ? model.coordinates : model.momenta;
    const bool shown = !method.massless && !without.z.empty() && reason.starts_with(without.reason);
    throw InputError({Diagnostic{shown ? model.source : nullptr, shown ? place_of(blocks, without.z.front()) : Place{},
                                 "method " + method.name + " cannot integrate this model: " + reason,
                                 "'alembert check' lists the methods that apply"}});
  }
  check_steps(options.steps, method, options.t0, options.end, options.step);
  if (options.every && *options.every < 1) throw InputError("`every` must be at least 1");
  SampleTimes samples(options);

  Report report;
  describe(report, model, e, method);
  if (method.remark) {
    const std::string remark = method.remark(e);
    if (!remark.empty()) report.note = remark;
  }
  report.control = options.steps.control;
  report.step = options.step;
  report.t = options.t0;
  const InitialValues initial = make_consistent(model, e, {options.t0});
  report.initial = reported(initial);
  std::vector<double> state = initial.y;
  state.insert(state.end(), initial.z.begin(), initial.z.end());
  // The last column of Lobatto IIIB is zero: its steps feel light bodies long before the others do.
  const double share = method.name.starts_with("lobatto") ? 1 : 1e-6;
  const std::string light =
      method.massless ? std::string() : explain_light_mass(e, options.t0, options.step, state, share);
  if (!light.empty() && report.note.empty()) report.note = light;

  SimulateOptions chosen = options;
  if (!initial.redundant.empty()) handle_redundant(model, initial, method.step(e), chosen.newton);
  const double steps = count_steps(options.t0, options.end, options.step);
  Simulation simulation(model, e, method, chosen, initial, std::move(samples), report, steps);
  simulation.light = light;
  for (Observer* observer : options.observers) observer->begin(simulation.columns(), report);
  report.compile_seconds = seconds_since(begin);
  simulation.run();
  simulation.finish();
  return report;
}

}  // namespace alembert::internal
