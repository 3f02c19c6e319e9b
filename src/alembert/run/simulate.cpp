#include "alembert/run/simulate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "alembert/base/error.h"
#include "alembert/derive/massless.h"
#include "alembert/run/failure.h"
#include "alembert/run/rank_watch.h"
#include "alembert/solve/accelerations.h"
#include "alembert/solve/reduced.h"

namespace alembert {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Whole steps, and what is left for a shorter last one.
struct Steps {
  long whole = 0;
  double last = 0;
};

Steps count_steps(double t0, double end, double h) {
  if (!std::isfinite(h) || h == 0)
    throw InputError("the step must be a finite number other than 0, not " + to_text(h),
                     "say --step 0.01, or 'solve ... step 0.01' in the model");
  if (!std::isfinite(end)) throw InputError("the end must be a finite number, not " + to_text(end));
  const double ratio = (end - t0) / h;
  if (ratio < 0)
    throw InputError("with step " + to_text(h) + " the time never reaches the end " + to_text(end),
                     "step and end - start must have the same sign");
  if (ratio > 9e15)
    throw InputError("steps of " + to_text(h) + " are too small to reach the end " + to_text(end) + ": " +
                         time_text(ratio) + " steps",
                     "choose a larger step or an earlier end");
  Steps steps;
  steps.whole = std::lround(ratio);
  if (std::abs(ratio - static_cast<double>(steps.whole)) > 1e-9 * std::max(1.0, std::abs(ratio)) * 1e-3 + 1e-9) {
    steps.whole = static_cast<long>(std::floor(ratio));
    steps.last = end - (t0 + static_cast<double>(steps.whole) * h);
  }
  return steps;
}

KernelOptions code_for(double calls, KernelOptions asked) {
  asked.calls = calls;
  return asked;
}

/// z', lambda, psi at a point, from the index-reduced system.
class Multipliers {
 public:
  Multipliers(const Equations& e, const InitialValues& initial, double t0, NewtonOptions options)
      : inputs_(1 + e.y.size() + e.z.size()),
        n_y_(e.y.size()),
        n_z_(e.z.size()),
        massless_(!initial.hidden.empty()),
        newton_(make(e, initial, t0, options, x_)),
        accelerations_(e) {}

  /// NaN everywhere where the system is singular.
  std::span<const double> at(double t, std::span<const double> state) {
    x_[0] = t;
    std::copy(state.begin(), state.end(), x_.begin() + 1);
    const std::span<double> values(x_.data() + inputs_, x_.size() - inputs_);
    if (newton_.solve(x_.data()).outcome != Outcome::converged) {
      if (by_least_squares(t, state)) return failed_;
      failed_.assign(values.size(), std::nan(""));
      std::fill(values.begin(), values.end(), 0);
      return failed_;
    }
    return values;
  }

 private:
  /// Where masses vanish, or almost, accelerations may be undetermined or lost in rounding; multipliers are not.
  bool by_least_squares(double t, std::span<const double> state) {
    const auto middle = state.begin() + static_cast<long>(n_y_);
    const State here{t, {state.begin(), middle}, {middle, state.end()}};
    const std::vector<double> guess(x_.size() - inputs_ - n_z_, 0.0);
    const Accelerations found = accelerations_.solve(here, guess, massless_);
    if (found.z_dot.size() != n_z_ || !(found.solved || massless_)) return false;
    failed_ = found.z_dot;
    failed_.insert(failed_.end(), found.multipliers.begin(), found.multipliers.end());
    std::fill(x_.begin() + static_cast<long>(inputs_), x_.end(), 0);
    return true;
  }

  static Newton<double> make(const Equations& e, const InitialValues& initial, double t0, NewtonOptions options,
                             std::vector<double>& x) {
    x = {t0};
    for (const auto* list : {&initial.y, &initial.z, &initial.z_dot, &initial.lambda, &initial.psi})
      x.insert(x.end(), list->begin(), list->end());
    return Newton<double>(reduced_system(e), x, options);
  }

  std::size_t inputs_, n_y_, n_z_;
  bool massless_;
  std::vector<double> x_, failed_;
  Newton<double> newton_;
  AccelerationSystem accelerations_;
};

Columns make_columns(const Model& model, const Equations& e) {
  Columns columns;
  auto& names = columns.names;
  const auto add = [&](const std::vector<std::string>& list, const std::string& before) {
    const int from = static_cast<int>(names.size());
    for (const std::string& name : list) names.push_back(before + name);
    return from;
  };
  names.push_back("t");
  columns.y = add(e.y_names, "");
  columns.z = add(e.z_names, "");
  columns.momentum = model.form == Form::lagrangian ? add(e.y_names, "p.") : add({}, "");
  columns.multipliers = add(e.g_names, "lambda.");
  add(e.k_names, "psi.");
  columns.energy = e.energy ? add({"energy"}, "") : add({}, "");
  columns.residuals = add({"residual.position", "residual.velocity", "residual.nonholonomic"}, "");
  columns.invariants = static_cast<int>(names.size());
  for (const Block& block : model.invariants)
    for (int i = 0; i < block.size; ++i) names.push_back(entry_name(block, i));
  columns.count = static_cast<int>(names.size());
  return columns;
}

/// Their multipliers are not determined: every one of them is named where it stands.
void refuse_redundant(const Model& model, const InitialValues& initial) {
  std::vector<Diagnostic> diagnostics;
  for (std::size_t i = 0; i < initial.redundant.size(); ++i)
    diagnostics.push_back({model.source, model.constraints[initial.redundant_constraints[i]].place,
                           "redundant constraint: " + initial.redundant[i],
                           initial.singular_position
                               ? "start elsewhere, or write it so that its gradient does not vanish"
                               : "remove it: its multiplier is not determined"});
  if (!diagnostics.empty()) throw InputError(std::move(diagnostics));
}

}  // namespace

void EnergyForetold::add(double foretold, double change) {
  ++steps;
  total += foretold, actual += change;
  max_change = std::max(max_change, std::abs(change));
  max_residual = std::max(max_residual, std::abs(foretold - change));
}

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
  const Steps steps = count_steps(options.t0, options.end, options.step);
  if (options.every < 1) throw InputError("--every must be at least 1");

  Report report;
  report.model = model.title;
  report.method = method.name;
  report.stages = method.stages;
  report.claims = method.claims;
  if (method.remark) {
    const std::string remark = method.remark(e);
    if (!remark.empty()) report.claims.note = remark;
  }
  report.step = options.step;
  report.t = options.t0;
  report.has_energy = static_cast<bool>(e.energy);
  report.initial = make_consistent(model, e, {options.t0});
  const InitialValues& initial = report.initial;
  refuse_redundant(model, initial);

  const std::size_t n_y = e.y.size(), n_z = e.z.size();
  std::vector<double> state = initial.y, rest(n_y + n_z, 0.0), hints = initial.z_dot;
  state.insert(state.end(), initial.z.begin(), initial.z.end());
  hints.insert(hints.end(), initial.lambda.begin(), initial.lambda.end());
  hints.insert(hints.end(), initial.psi.begin(), initial.psi.end());
  const std::span<const double> y(state.data(), n_y), z(state.data() + n_y, n_z);

  // The last column of Lobatto IIIB is zero: its steps feel light bodies long before the others do.
  const double share = method.name.starts_with("lobatto") ? 1 : 1e-6;
  const std::string light =
      method.massless ? std::string() : explain_light_mass(e, options.t0, options.step, state, share);
  if (!light.empty() && report.claims.note.empty()) report.claims.note = light;

  NewtonOptions newton = options.newton;
  const double total = static_cast<double>(steps.whole);
  newton.kernel = code_for(2 * total, options.newton.kernel);
  Step<double> step(method.step(e), options.t0, options.step, state, hints, newton);
  Watch watch(e, code_for(total, options.newton.kernel));
  RankWatch rank(e, watch);
  const auto longest = [&] { return e.v == e.z ? watch.longest() : std::span<const double>(); };
  NewtonOptions for_rows = options.newton;
  const double rows = options.observers.empty() ? 1 : total / static_cast<double>(options.every);
  for_rows.kernel = code_for(rows, options.newton.kernel);
  Multipliers multipliers(e, initial, options.t0, for_rows);
  Exprs at_state{e.t}, momentum_and_velocity = e.p;
  for (const Exprs* list : {&e.y, &e.z}) at_state.insert(at_state.end(), list->begin(), list->end());
  momentum_and_velocity.insert(momentum_and_velocity.end(), e.v.begin(), e.v.end());
  const Kernel<double> motion(at_state, momentum_and_velocity, for_rows.kernel);
  std::vector<double> motion_in(at_state.size()), moving(momentum_and_velocity.size()), motion_work(motion.work());

  const Columns columns = make_columns(model, e);
  for (Observer* observer : options.observers)
    observer->begin(columns, {{"model", model.title}, {"method", method.name}, {"step", to_text(options.step)}});
  std::vector<double> row;
  row.reserve(columns.count);
  const auto take_motion = [&](double t) {
    motion_in[0] = t;
    std::copy(state.begin(), state.end(), motion_in.begin() + 1);
    motion(motion_in.data(), moving.data(), motion_work.data());
  };
  const auto record = [&](double t) {
    if (options.observers.empty()) return;
    take_motion(t);
    row.assign(1, t);
    row.insert(row.end(), state.begin(), state.end());
    if (columns.multipliers > columns.momentum)
      row.insert(row.end(), moving.begin(), moving.begin() + static_cast<long>(n_z));
    const std::span<const double> solved = multipliers.at(t, state);
    row.insert(row.end(), solved.begin() + static_cast<long>(n_z), solved.end());
    if (report.has_energy) row.push_back(watch.energy());
    row.insert(row.end(), {watch.position(), watch.velocity(), watch.nonholonomic()});
    row.insert(row.end(), watch.invariants().begin(), watch.invariants().end());
    for (Observer* observer : options.observers) observer->row(row);
  };

  report.compile_seconds = seconds_since(begin);
  const Clock::time_point started = Clock::now();
  watch.look(options.t0, y, z);
  record(options.t0);
  rank.lost(options.t0, state);
  double shown = 0;
  const long count = steps.whole + (steps.last != 0 ? 1 : 0);
  for (long n = 0; n < count; ++n) {
    const double t = options.t0 + static_cast<double>(n) * options.step;
    const bool shorter = n == steps.whole;
    const double h = shorter ? steps.last : options.step;
    if (shorter) {
      const std::span<const double> here = multipliers.at(t, state);
      if (std::isfinite(here.empty() ? 0 : here[0])) step.restart(here.data());
    }
    if (options.guess != Guess::extrapolated) {
      const std::span<const double> here = multipliers.at(t, state);
      if (std::all_of(here.begin(), here.end(), [](double v) { return std::isfinite(v); }))
        std::copy(here.begin(), here.end(), hints.begin());
      if (options.guess == Guess::naive) std::fill_n(hints.begin(), n_z, 0.0);
      step.guess_from(hints.data());
    }
    const StepResult result = step.advance(t, h, state.data(), rest.data());
    if (result.newton.outcome != Outcome::converged) {
      report.ending = Ending::failed;
      report.reason = explain_step(e, result.newton, step.label(result), t, h, state, longest());
      if (!light.empty()) report.reason += "; " + light;
      if (n % options.every != 0) record(t);
      break;
    }
    report.steps = n + 1;
    report.t = shorter ? options.end : options.t0 + static_cast<double>(n + 1) * options.step;
    const double energy_before = watch.energy();
    watch.look(report.t, y, z);
    if (const std::optional<double> change = step.energy_change())
      report.foretold.add(*change, watch.energy() - energy_before);
    if (!watch.finite()) {
      report.ending = Ending::failed;
      report.reason = "energy or constraints are not finite at t = " + time_text(report.t) + "; try a smaller step";
    }
    if (rank.lost(report.t, state) && report.ending == Ending::done) {
      report.ending = Ending::failed;
      report.reason = explain_rank(e, report.t, state, longest());
    }
    const bool interrupted = options.interrupt && options.interrupt->load(std::memory_order_relaxed);
    if (interrupted && report.ending == Ending::done) {
      report.ending = Ending::interrupted;
      report.reason = "interrupted at t = " + time_text(report.t);
    }
    const bool last = n + 1 == count || report.ending != Ending::done;
    if (last || (n + 1) % options.every == 0) record(report.t);
    if (last) break;
    if (options.progress && (n & 255) == 0) {
      const double elapsed = seconds_since(started);
      if (elapsed - shown > 0.1) {
        shown = elapsed;
        options.progress(static_cast<double>(n + 1) / static_cast<double>(count));
      }
    }
  }
  for (Observer* observer : options.observers) observer->end();
  report.run_seconds = seconds_since(started);

  report.energy = watch.energy_watched;
  report.drift = watch.drift.fit();
  report.position = watch.max_position, report.velocity = watch.max_velocity,
  report.nonholonomic = watch.max_nonholonomic;
  report.invariants = watch.invariants_watched();
  report.newton = step.statistics();
  take_motion(report.t);
  const std::span<const double> solved = multipliers.at(report.t, state);
  report.y.assign(y.begin(), y.end()), report.z.assign(z.begin(), z.end());
  report.momentum.assign(moving.begin(), moving.begin() + static_cast<long>(n_z));
  report.v.assign(moving.begin() + static_cast<long>(n_z), moving.end());
  report.lambda.assign(solved.begin() + static_cast<long>(n_z),
                       solved.begin() + static_cast<long>(n_z + e.lambda.size()));
  report.psi.assign(solved.begin() + static_cast<long>(n_z + e.lambda.size()), solved.end());
  if (report.steps > 0) {
    report.internal = step.internal();
    report.internal_names = step.internal_names();
  }
  return report;
}

}  // namespace alembert
