#include "alembert/study/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

#include "alembert/base/trees.h"
#include "alembert/derive/identity.h"
#include "alembert/derive/ports/port_equations.h"
#include "alembert/methods/shared/euler.h"
#include "alembert/methods/shared/spark.h"
#include "alembert/newton/rounding.h"
#include "alembert/study/converge.h"

namespace alembert::internal {

namespace {

constexpr double order_slack = 0.2;    // what an order may fall short of its claim
constexpr long order_steps = 16;       // the interval over which orders are measured, in steps
constexpr int points_on_the_way = 3;   // where a step is examined
constexpr long between_points = 5;     // steps
constexpr long examined_steps = 10;    // for what is kept exactly
constexpr double standard_errors = 3;  // a slope beyond these is a drift

std::string brief(double value) { return value == 0 ? "0" : fmt::format("{:.2g}", value); }

Verdict judge(bool claimed, bool holds) {
  if (claimed) return holds ? Verdict::ok : Verdict::false_claim;
  return holds ? Verdict::holds : Verdict::does_not_hold;
}

Property not_applicable(std::string name, bool claimed, std::string why) {
  return {std::move(name), claimed ? "yes" : "", std::move(why), NAN, Verdict::does_not_apply};
}

/// A defect that is 0 up to rounding where the property holds.
Property defect(std::string name, bool claimed, std::optional<double> value, double tolerance) {
  const std::string said = claimed ? "yes" : "";
  if (!value) return {std::move(name), said, "a step failed", NAN, Verdict::not_measured};
  return {std::move(name), said, "defect " + brief(*value), *value, judge(claimed, *value <= tolerance)};
}

// Orders --------------------------------------------------------------------------------------------------------------

Verdict order_verdict(int claimed, double order) {
  if (claimed == 0) return order > order_slack ? Verdict::holds : Verdict::does_not_hold;
  if (order < claimed - order_slack) return Verdict::false_claim;
  return order > claimed + order_slack ? Verdict::higher : Verdict::ok;
}

Property order_row(const std::string& name, int claimed, double order, const MeasuredOrders& measured) {
  Property row{name, claimed > 0 ? std::to_string(claimed) : "", "", order, Verdict::not_measured};
  if (!measured.failure.empty()) {
    row.measured = measured.failure;
  } else if (std::isnan(order)) {
    row.measured = "the errors are at rounding";
  } else {
    row.measured = fmt::format("{:.2f}", order);
    row.verdict = order_verdict(claimed, order);
  }
  return row;
}

Property no_order(const std::string& name, int claimed, const std::string& why) {
  return {name, claimed > 0 ? std::to_string(claimed) : "", why, NAN, Verdict::does_not_apply};
}

/// What the method claims on this model: nothing where it says that it does not converge.
Claims claims_on(const Equations& e, const Method& method) {
  Claims claims = method.claims;
  if (!claims.nonlinear_multiplier && nonlinear_reaction(e)) claims.set_orders(0);
  return claims;
}

void verify_orders(Verification& result, const Equations& e, const InitialValues& initial, const Method& method,
                   double h) {
  const std::size_t size = e.y.size() + e.z.size() + e.g.size() + e.k.size();
  const int halvings = size <= 14 ? 4 : 3;
  // In double precision larger steps are needed for errors that stand above rounding.
  const int factor = extended_affordable(e) ? 1 : 4;
  const double length = static_cast<double>(factor * order_steps) * h;
  const Claims c = claims_on(e, method);
  const auto measured = [&](int count) {
    return measure_orders(e, initial, method, 0, factor * order_steps * Quad(h), order_steps, count);
  };
  MeasuredOrders m = measured(halvings);
  // An error that passes zero between two steps shows no order there: finer ones do.
  const bool short_of_claim =
      m.failure.empty() && (m.order.q < c.order_q - order_slack || m.order.v < c.order_v - order_slack ||
                            m.order.multiplier < c.order_multiplier - order_slack);
  if (short_of_claim) m = measured(halvings + 2);
  const char *q = "order of q", *v = "order of v", *multiplier = "order of the multiplier";
  auto& rows = result.properties;
  rows.push_back(e.y.empty() ? no_order(q, c.order_q, "no coordinates") : order_row(q, c.order_q, m.order.q, m));
  rows.push_back(order_row(v, c.order_v, m.order.v, m));
  rows.push_back(e.g.empty() && e.k.empty() ? no_order(multiplier, c.order_multiplier, "no constraints")
                                            : order_row(multiplier, c.order_multiplier, m.order.multiplier, m));
  if (m.failure.empty() && !m.steps.empty()) {
    result.notes.push_back(fmt::format("orders: at t = {:.6g} with {} and {} steps, in {}", length,
                                       m.steps[m.steps.size() - 2], m.steps.back(),
                                       m.extended ? "quadruple precision" : "double precision (a large model)"));
  }
}

// Steps ---------------------------------------------------------------------------------------------------------------

bool has_forces(const Model& model) {
  return std::any_of(model.force.begin(), model.force.end(), [](Expr f) { return !is_zero(f); });
}

/// Why the flow of the model is not symplectic on its constraints; "" when it is.
std::string not_symplectic(const Model& model, const Equations& e) {
  if (model.form == Form::general) return "the general form has no symplectic structure";
  if (e.port) return "the port-Hamiltonian form has ports and dissipation instead";
  if (!e.k.empty()) return "nonholonomic constraints: the motion is not symplectic";
  if (!e.ideal) return "the reactions are not ideal";
  if (model.rayleigh) return "dissipation";
  if (has_forces(model)) return "applied forces";
  return "";
}

/// Why Theorem 6.1, also with applied forces and holonomic constraints beside, says nothing here; "" when it does.
std::string no_discrete_principle(const Model& model, const Equations& e, const Method& method) {
  if (!method.spark) return "not a SPARK method";
  if (e.k.empty()) return "no nonholonomic constraints";
  if (model.form != Form::lagrangian) return "the model has no Lagrangian";
  if (!e.auxiliary.empty()) return "the model has auxiliary variables";
  if (!e.ideal) return "the reactions are not ideal";
  return "";
}

/// Whether the theorem has to be extended, since it knows neither forces nor holonomic constraints.
bool beyond_theorem(const Model& model, const Equations& e) {
  return !e.g.empty() || model.rayleigh || has_forces(model);
}

bool time_matters(const Equations& e) {
  const Exprs time{e.t};
  for (const Exprs* list : {&e.v, &e.p, &e.f, &e.N, &e.r, &e.g, &e.k}) {
    if (depends(*list, time)) return true;
  }
  return false;
}

/// The largest of what is measured at several points; nothing when one failed.
template <class T, class Measure>
std::optional<double> worst(const std::vector<std::pair<T, MotionPoint<T>>>& points, Measure measure) {
  double most = 0;
  for (const auto& [t, point] : points) {
    const std::optional<double> value = measure(t, point);
    if (!value) return {};
    if (!(*value <= most)) most = *value;
  }
  return most;
}

template <class T>
void verify_steps(Verification& result, const Model& model, const Equations& e, const InitialValues& initial,
                  const Method& method, T h) {
  // Far above rounding, far below what a step that lacks the property shows.
  const double tolerance = std::is_same_v<T, Quad> ? 1e-24 : 1e-10;
  const Claims& claims = method.claims;
  std::vector<std::pair<T, MotionPoint<T>>> points{{T(0), polish<T>(e, initial, T(0))}};
  while (static_cast<int>(points.size()) < points_on_the_way) {
    NewtonOptions options;
    options.kernel = interpreted;
    const auto& [t, point] = points.back();
    const Endpoint<T> end = integrate<T>(e, method, point, t, h, between_points, options);
    if (!end.failure.empty()) break;
    points.emplace_back(t + T(between_points) * h, end.point);
  }
  auto& rows = result.properties;

  const std::string why = not_symplectic(model, e);
  if (!why.empty()) {
    rows.push_back(not_applicable("symplectic", claims.symplectic, why));
  } else {
    rows.push_back(
        defect("symplectic", claims.symplectic,
               worst<T>(points, [&](T t, const MotionPoint<T>& x) { return symplectic_defect<T>(e, method, x, t, h); }),
               tolerance));
  }

  const std::string silent = no_discrete_principle(model, e, method);
  const char* principle = "discrete Lagrange-d'Alembert";
  if (!silent.empty()) {
    rows.push_back(not_applicable(principle, false, silent));
  } else {
    // The claim is the theorem's: where the coefficients satisfy (6.2).
    const bool claimed = variational_condition(*method.spark) < 1e-30;
    Property row =
        defect(principle, claimed,
               worst<T>(points,
                        [&](T t, const MotionPoint<T>& x) -> std::optional<double> {
                          const auto both = discrete_lagrange_dalembert<T>(e, method, x, t, h);
                          return both ? std::optional<double>(std::max(both->left, both->right)) : std::nullopt;
                        }),
               tolerance);
    if (claimed) row.claimed = beyond_theorem(model, e) ? "by (6.2), extended" : "by (6.2)";
    rows.push_back(row);
  }

  const std::string symmetry = "symmetric (h, then -h)", reversal = "reversible (v to -v)";
  rows.push_back(
      defect(symmetry, claims.symmetric,
             worst<T>(points, [&](T t, const MotionPoint<T>& x) { return symmetry_defect<T>(e, method, x, t, h, 3); }),
             tolerance));
  const std::optional<double> motion =
      worst<T>(points, [&](T t, const MotionPoint<T>& x) { return irreversibility<T>(e, x, t); });
  if (time_matters(e)) {
    rows.push_back(not_applicable(reversal, claims.symmetric, "the model contains the time"));
  } else if (!motion || *motion > tolerance) {
    rows.push_back(not_applicable(reversal, claims.symmetric, "the motion itself is not reversible"));
  } else {
    rows.push_back(defect(
        reversal, claims.symmetric,
        worst<T>(points, [&](T t, const MotionPoint<T>& x) { return reversibility_defect<T>(e, method, x, t, h, 3); }),
        tolerance));
  }
}

// A run ---------------------------------------------------------------------------------------------------------------

/// What rounding alone does to the watched values at the ends of a run.
struct RoundingLevels {
  double energy = 0, g = 0, g_dot = 0, k = 0;
  std::vector<double> invariants;
};

RoundingLevels levels(const Equations& e, const Report& report) {
  Exprs inputs{e.t}, outputs;
  for (const Exprs* list : {&e.y, &e.z}) inputs.insert(inputs.end(), list->begin(), list->end());
  outputs.push_back(e.energy ? e.energy : e.graph->constant(0));
  for (const Exprs* list : {&e.g, &e.g_dot, &e.k, &e.invariants})
    outputs.insert(outputs.end(), list->begin(), list->end());
  const Tape tape = make_tape(inputs, outputs);
  std::vector<double> most(outputs.size(), 0), value(outputs.size()), error(outputs.size());
  const auto look = [&](double t, const std::vector<double>& y, const std::vector<double>& z) {
    std::vector<double> in{t};
    in.insert(in.end(), y.begin(), y.end());
    in.insert(in.end(), z.begin(), z.end());
    rounding_levels(tape, in.data(), value.data(), error.data());
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], error[i]);
  };
  look(0, report.initial.y, report.initial.z);
  look(report.t, report.y, report.z);
  RoundingLevels result;
  std::size_t at = 0;
  const auto take = [&](std::size_t count) {
    double worst_level = 0;
    for (std::size_t i = 0; i < count; ++i) worst_level = std::max(worst_level, most[at++]);
    return worst_level;
  };
  result.energy = take(1);
  result.g = take(e.g.size());
  result.g_dot = take(e.g_dot.size());
  result.k = take(e.k.size());
  result.invariants.assign(most.begin() + static_cast<long>(at), most.end());
  return result;
}

Property residual_row(const std::string& name, bool claimed, bool exists, double residual, double tolerance) {
  if (!exists) return not_applicable(name, claimed, "no such constraints");
  return {name, claimed ? "yes" : "", "residual " + brief(residual), residual, judge(claimed, residual <= tolerance)};
}

/// Whether energy and invariants are kept to rounding: by a few steps in extended precision, where no truncation error
/// can be mistaken for rounding; for large models by the run itself.
std::vector<bool> kept_exactly(const Equations& e, const Method& method, const InitialValues& initial,
                               const Report& report, const RoundingLevels& rounding) {
  std::vector<double> level{rounding.energy}, change{report.energy.max_error};
  level.insert(level.end(), rounding.invariants.begin(), rounding.invariants.end());
  for (const Watched& w : report.invariants) change.push_back(w.max_error);
  // Roundings of many steps add up like a random walk.
  double allowance = 100 * std::sqrt(static_cast<double>(std::max(report.steps, 1L)));
  if (extended_affordable(e)) {
    const std::vector<double> exact =
        changes<Quad>(e, method, polish<Quad>(e, initial, Quad(0)), Quad(0), Quad(report.step), examined_steps);
    // The levels are those of double precision.
    if (!exact.empty()) {
      change = exact;
      allowance = 1e-24 / 0x1p-53;
    }
  }
  std::vector<bool> kept;
  for (std::size_t i = 0; i < change.size(); ++i) kept.push_back(change[i] <= allowance * level[i]);
  return kept;
}

void energy_rows(Verification& result, const Model& model, const Equations& e, const Report& report, bool claimed,
                 bool kept, double rounding) {
  const std::string said = claimed ? "yes" : "";
  const char *exact = "energy to rounding", *steady = "energy without drift";
  const std::vector<std::string> changing = energy_changes(model, e);
  if (!e.energy || !changing.empty()) {
    const std::string why =
        e.energy ? fmt::format("it changes by {}", fmt::join(changing, ", ")) : "the model has none";
    result.properties.push_back(not_applicable(exact, claimed, why));
    result.properties.push_back(not_applicable(steady, claimed, why));
    return;
  }
  const double error = report.energy.max_error;
  result.properties.push_back({exact, said, "max error " + brief(error), error, judge(claimed, kept)});
  const Drift& drift = report.drift;
  if (!std::isfinite(drift.uncertainty)) {
    result.properties.push_back({steady, said, "too few steps", NAN, Verdict::not_measured});
    return;
  }
  const double slope = std::abs(drift.per_time);
  const bool none = slope <= standard_errors * drift.uncertainty || slope * std::abs(report.t) <= 10 * rounding;
  result.properties.push_back({steady, said,
                               fmt::format("{} ± {} per time", brief(drift.per_time), brief(drift.uncertainty)),
                               drift.per_time, judge(claimed, none)});
}

void verify_run(Verification& result, const Model& model, const Equations& given, const Method& method,
                const VerifyOptions& options) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  std::atomic<bool> interrupt{false};
  SimulateOptions simulation;
  simulation.step = options.step;
  simulation.end = options.end;
  simulation.interrupt = &interrupt;
  simulation.progress = [&](double) {
    interrupt = std::chrono::duration<double>(Clock::now() - begin).count() > options.seconds;
  };
  // Momenta that the method promises are watched behind the invariants of the model.
  const InitialValues initial = make_consistent(model, given);
  const Momenta momenta = momenta_of(method, given, initial);
  Equations e = given;
  for (const Momenta::Preserved& one : momenta.preserved) e.invariants.push_back(one.value);
  const Report report = simulate(model, e, method, simulation);
  result.end = report.t;
  if (report.ending == Ending::failed) result.failure = report.reason;
  if (report.ending == Ending::interrupted) {
    result.notes.push_back(fmt::format("the run was cut at t = {} after {} s", to_text(report.t), options.seconds));
  }
  const RoundingLevels rounding = levels(e, report);
  // Rounding of positions returns in velocities divided by the step.
  const double allowance = 1000, by_step = 100 * rounding.g / std::abs(options.step);
  const Claims& c = method.claims;
  const bool holonomic = !e.g.empty();
  result.properties.push_back(residual_row("g = 0", c.position, holonomic, report.position, allowance * rounding.g));
  result.properties.push_back(
      residual_row("g' = 0", c.velocity, holonomic, report.velocity, allowance * rounding.g_dot + by_step));
  result.properties.push_back(
      residual_row("k = 0", c.nonholonomic, !e.k.empty(), report.nonholonomic, allowance * rounding.k + by_step));
  const std::vector<bool> kept = kept_exactly(e, method, initial, report, rounding);
  energy_rows(result, model, e, report, c.energy, kept[0], rounding.energy);
  for (const Block& block : model.invariants) {
    double error = 0;
    bool all_kept = true;
    for (int i = block.first; i < block.first + block.size; ++i) {
      if (!(report.invariants[i].max_error <= error)) error = report.invariants[i].max_error;
      all_kept = all_kept && kept[1 + i];
    }
    result.properties.push_back(
        {"invariant " + block.name, "", "max error " + brief(error), error, judge(false, all_kept)});
  }
  for (std::size_t i = 0; i < momenta.preserved.size(); ++i) {
    const std::size_t at = given.invariants.size() + i;
    if (!given.actions.empty()) {
      result.properties.push_back(not_applicable(momenta.preserved[i].name, true, "events set something"));
      continue;
    }
    const double error = report.invariants[at].max_error;
    result.properties.push_back(
        {momenta.preserved[i].name, "yes", "max error " + brief(error), error, judge(true, kept[1 + at])});
  }
}

}  // namespace

namespace {

/// k(t, y, c z) = c^n k(t, y, z) for all c and one n up to 4: then k_z z = n k, which vanishes with k.
bool homogeneous(const Equations& e, const SparseExprs& k_z, int i) {
  Expr along = e.graph->constant(0);
  for (int k = k_z.row_start[i]; k < k_z.row_start[i + 1]; ++k) along = along + k_z.value[k] * e.z[k_z.column[k]];
  for (int n = 1; n <= 4; ++n) {
    if (equal_functions(Exprs{along}, Exprs{e.graph->constant(n) * e.k[i]})) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> energy_changes(const Model& model, const Equations& e) {
  const Exprs time{e.t};
  std::vector<std::string> reasons;
  if (e.port) {
    if (!is_zero(e.port->dissipated)) reasons.push_back("dissipation");
    if (!is_zero(e.port->supplied)) reasons.push_back("ports");
    return reasons;
  }
  if (model.rayleigh) reasons.push_back("dissipation");
  if (!e.actions.empty()) reasons.push_back("events that set something");
  if (has_forces(model)) reasons.push_back("applied forces");
  if (e.energy && depends(e.energy, time)) reasons.push_back("time in the energy");
  if (depends(e.g, time) || depends(e.k, time)) reasons.push_back("moving constraints");
  if (!e.ideal) reasons.push_back("non-ideal constraint forces");
  const auto takes = [](const ContactFunctions& contact) {
    return !contact.friction.empty() || !is_constant(contact.restitution) ||
           contact.restitution.graph().value(contact.restitution.id()) != 1;
  };
  if (std::any_of(e.contacts.begin(), e.contacts.end(), takes)) reasons.push_back("contacts");
  // Ideal reactions N = -k_z^T psi do the work -psi k_z z, which is 0 where k is homogeneous in the velocities.
  if (!e.k.empty()) {
    const SparseExprs k_z = jacobian(e.k, e.z);
    for (int i = 0; i < k_z.rows; ++i) {
      if (homogeneous(e, k_z, i)) continue;
      const bool nonlinear = depends(k_z.value, e.z);
      reasons.push_back(nonlinear ? "nonlinear nonholonomic constraints" : "affine nonholonomic constraints");
      break;
    }
  }
  return reasons;
}

Verification verify(const Model& model, const Equations& e, const Method& method, const VerifyOptions& options) {
  if (!model.contacts.empty())
    throw InputError("contacts are not followed here: the motion between their events is what has an order",
                     "leave 'contact' out; `converge` follows them");
  const InitialValues initial = measurable_start(model, e, {method});
  Verification result;
  result.model = model.title;
  result.method = method.name;
  result.step = options.step;
  // The run first: it complains of a wrong step or end; its rows come last all the same.
  Verification of_run;
  verify_run(of_run, model, e, method, options);
  result.end = of_run.end;
  result.failure = of_run.failure;
  verify_orders(result, e, initial, method, options.step);
  if (extended_affordable(e)) {
    verify_steps<Quad>(result, model, e, initial, method, Quad(options.step));
  } else {
    verify_steps<double>(result, model, e, initial, method, options.step);
    result.notes.push_back(
        fmt::format("steps examined in double precision: the model has more than {} unknowns", largest_extended));
  }
  result.properties.insert(result.properties.end(), of_run.properties.begin(), of_run.properties.end());
  result.notes.insert(result.notes.end(), of_run.notes.begin(), of_run.notes.end());
  if (!method.claims.note.empty()) result.notes.push_back(method.name + ": " + method.claims.note);
  if (!e.actions.empty())
    result.notes.push_back("what steps do was measured on the motion between events; the run follows what these set");
  return result;
}

}  // namespace alembert::internal

namespace alembert {

const char* to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok: return "ok";
    case Verdict::higher: return "ok, higher here";
    case Verdict::false_claim: return "FALSE CLAIM";
    case Verdict::holds: return "not claimed, holds here";
    case Verdict::does_not_hold: return "not claimed, does not hold";
    case Verdict::does_not_apply: return "does not apply";
    case Verdict::not_measured: return "not measured";
  }
  return "";
}

bool Verification::has_false_claim() const {
  return std::any_of(properties.begin(), properties.end(),
                     [](const Property& p) { return p.verdict == Verdict::false_claim; });
}

std::string to_text(const Verification& v) {
  std::string text = fmt::format("{}: {}, step {}, run to t = {}\n", v.model.empty() ? "Model without a name" : v.model,
                                 v.method, to_text(v.step), to_text(v.end));
  if (!v.failure.empty()) text += "  failed      " + v.failure + "\n";
  std::vector<std::array<std::string, 4>> rows = {{"PROPERTY", "CLAIMED", "MEASURED", "VERDICT"}};
  for (const Property& p : v.properties) {
    const bool apart = p.verdict == Verdict::does_not_apply;
    rows.push_back({p.name, p.claimed.empty() ? "-" : p.claimed, apart ? "-" : p.measured,
                    apart ? std::string(to_text(p.verdict)) + ": " + p.measured : to_text(p.verdict)});
  }
  std::array<std::size_t, 4> widths = {};
  const auto width = [](const std::string& s) {
    return std::count_if(s.begin(), s.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; });
  };
  // A long reason why nothing was measured must not push the verdicts away.
  constexpr std::size_t widest = 30;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], std::min<std::size_t>(width(row[i]), widest));
    }
  }
  for (const auto& row : rows) {
    text += "  ";
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      const std::size_t used = width(row[i]);
      text += row[i] + std::string(used < widths[i] ? widths[i] - used + 2 : 2, ' ');
    }
    text += row.back() + "\n";
  }
  for (const std::string& note : v.notes) text += "  note        " + note + "\n";
  return text;
}

Tree to_tree(const Verification& v) {
  Tree::List rows;
  long false_claims = 0;
  for (const Property& p : v.properties) {
    false_claims += p.verdict == Verdict::false_claim;
    rows.push_back(Tree::Members{{"property", p.name},
                                 {"claimed", internal::text_or_nothing(p.claimed)},
                                 {"measured", p.measured},
                                 {"value", p.value},
                                 {"verdict", to_text(p.verdict)}});
  }
  return Tree::Members{{"model", v.model},   {"method", v.method},
                       {"step", v.step},     {"end", v.end},
                       {"properties", rows}, {"false_claims", false_claims},
                       {"notes", v.notes},   {"failed", internal::text_or_nothing(v.failure)}};
}

std::string to_json(const Verification& found) { return to_json(to_tree(found)); }

}  // namespace alembert
