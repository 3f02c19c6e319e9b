#include "alembert/study/converge.h"
#include "alembert/base/pulse.h"
#include "alembert/default_methods.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "alembert/error.h"
#include "alembert/run/kinks.h"
#include "alembert/run/simulate.h"
#include "alembert/study/broken_motion.h"

namespace alembert::internal {

namespace {

constexpr long default_steps = 100;     // of the model's own size
constexpr long most_steps = 1'000'000;  // more take minutes, for errors that are rounding
constexpr int fitted_rows = 3;          // the smallest steps, where an order shows
constexpr double cheap = 0.1;           // seconds

struct Grid {
  double end = 0;
  std::string note;
  std::vector<long> counts;  // ascending: largest step first
};

/// How many steps make up the end, when a whole number of them does.
std::optional<long> steps_to(double end, double h) {
  const double ratio = end / h;
  if (!(ratio > 0.5 && ratio <= most_steps)) return {};
  const double whole = std::round(ratio);
  if (std::abs(ratio - whole) > 1e-9 * whole) return {};
  return static_cast<long>(whole);
}

void require(double value, const char* what) {
  if (!std::isfinite(value) || value == 0) {
    throw InputError(std::string(what) + " must be a finite number other than 0, not " + to_text(value));
  }
}

/// The end where the user gave none: the model's, but not more than some of its steps.
std::optional<double> default_end(const SolveStatement& solve) {
  if (!solve.end) return {};
  if (!solve.step || *solve.end / *solve.step <= default_steps) return solve.end;
  return default_steps * *solve.step;
}

Grid choose_grid(const SolveStatement& solve, const ConvergeOptions& options) {
  Grid grid;
  const std::optional<double> usual = default_end(solve);
  if (options.end) {
    grid.end = *options.end;
  } else if (usual) {
    grid.end = *usual;
    grid.note = grid.end == solve.end ? "the model's end" : std::to_string(default_steps) + " of the model's steps";
  } else {
    throw InputError("the model says no end: give `end`",
                     "or write it into the model: solve " ALEMBERT_DEFAULT_METHOD " step 0.01 end 10");
  }
  require(grid.end, "the end");
  if (options.steps.empty()) {
    if (!solve.step) throw InputError("the model says no step: give `steps`", "such as `steps` 0.1,0.05,0.025");
    require(*solve.step, "the step");
    // The largest step is about four times the model's; all of them divide the end.
    const double ratio = std::abs(grid.end / (4 * *solve.step));
    if (ratio > most_steps / 8.0) throw InputError("that are too many steps", "give an earlier `end`, or `steps`");
    const long coarse = std::max(1L, std::lround(ratio));
    grid.counts = {coarse, 2 * coarse, 4 * coarse, 8 * coarse};
    return grid;
  }
  double largest = 0;
  for (const double h : options.steps) {
    require(h, "a step of `steps`");
    if (h / grid.end < 0) {
      throw InputError("with step " + to_text(h) + " the time never reaches the end " + to_text(grid.end),
                       "step and end must have the same sign");
    }
    if (std::abs(h) > std::abs(largest)) largest = h;
  }
  const auto all_divide = [&](double end) {
    return std::all_of(options.steps.begin(), options.steps.end(),
                       [&](double h) { return steps_to(end, h).has_value(); });
  };
  if (!options.end && !all_divide(grid.end)) {
    const double fitted = largest * std::max(1.0, std::round(grid.end / largest));
    if (all_divide(fitted)) {
      grid.end = fitted;
      grid.note = "a multiple of the steps near " + grid.note;
    }
  }
  for (const double h : options.steps) {
    const std::optional<long> count = steps_to(grid.end, h);
    if (!count && std::abs(grid.end / h) > most_steps) {
      throw InputError("step " + to_text(h) + " makes too many steps to the end " + to_text(grid.end));
    }
    if (!count) {
      throw InputError("step " + to_text(h) + " does not divide the end " + to_text(grid.end),
                       "choose steps of which a whole number makes up the end, or another `end`");
    }
    if (std::find(grid.counts.begin(), grid.counts.end(), *count) == grid.counts.end()) grid.counts.push_back(*count);
  }
  std::sort(grid.counts.begin(), grid.counts.end());
  return grid;
}

// Native code costs milliseconds to make without optimisation; with it, only long runs earn that back.
NewtonOptions newton_options(bool quad, long steps) {
  NewtonOptions options;
  options.kernel.optimise = steps > 5000;
  if (quad || !native_available()) options.kernel = interpreted;
  return options;
}

int highest_order(const std::vector<Method>& methods) {
  int order = 1;
  for (const Method& m : methods) {
    order = std::max({order, m.claims.order_q, m.claims.order_v, m.claims.order_multiplier});
  }
  return order;
}

/// Errors at the end of a run, and the work that it was.
template <class T>
Errors errors_of(const Endpoint<T>& result, const Reference& reference, ConvergeRow& row) {
  row.evaluations = result.statistics.evaluations;
  row.iterations = result.statistics.iterations;
  row.seconds = result.seconds;
  row.failure = result.failure;
  return row.failure.empty() ? errors(widened(result.point), reference.point) : Errors{NAN, NAN, NAN};
}

/// Ends a measurement from inside.
struct Interrupted {};
const char was_interrupted[] = "interrupted";

bool is_set(const std::atomic<bool>* interrupt) { return interrupt && interrupt->load(std::memory_order_relaxed); }

/// How many kinks of the equations the motion meets. A run locates them.
long kinks_met(const Model& model, const Equations& e, const Method& method, double end, double step,
               const std::atomic<bool>* interrupt) {
  if (kinks(e).empty()) return 0;
  SimulateOptions options;
  options.interrupt = interrupt;
  options.end = end;
  options.step = step;
  options.newton.kernel = interpreted;
  return simulate(model, e, method, options).kinks;
}

template <class T>
Errors run_row(const Equations& e, const Method& method, const MotionPoint<T>& start, double end,
               const Reference& reference, ConvergeRow& row) {
  const T h = T(end) / T(row.steps);
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  const auto run = [&] {
    return integrate<T>(e, method, start, T(0), h, row.steps, newton_options(std::is_same_v<T, Quad>, row.steps));
  };
  const Endpoint<T> result = run();
  const Errors error = errors_of(result, reference, row);
  // A short time is measured again, as long as that costs little: what else the machine does only makes it longer.
  for (int again = 0; again < 2 && result.failure.empty() && elapsed() < cheap; ++again) {
    row.seconds = std::min(row.seconds, run().seconds);
  }
  return error;
}

/// Makes the runs of the table, until they are interrupted.
class TableRuns {
 public:
  /// initial: null where runs follow a broken motion.
  TableRuns(const Model& model, const Equations& e, const ConvergeOptions& options, const InitialValues* initial,
            const Reference& reference, double end)
      : model_(model), e_(e), options_(options), broken_(initial == nullptr), reference_(reference), end_(end) {
    if (initial) start_ = polish<double>(e, *initial, 0);
    if (options.quad) exact_start_ = polish<Quad>(e, *initial, 0);
  }

  Errors measure(const Method& method, ConvergeRow& row) const {
    Errors error = {NAN, NAN, NAN};
    try {
      if (is_set(options_.interrupt)) throw Interrupted();
      error = run(method, row);
    } catch (const Interrupted&) { row.failure = was_interrupted; }
    return reference_.failure.empty() ? error : Errors{NAN, NAN, NAN};
  }

 private:
  Errors run(const Method& method, ConvergeRow& row) const {
    if (broken_)
      return errors_of(broken_motion(model_, e_, method, end_, row.step, options_.interrupt), reference_, row);
    return options_.quad ? run_row<Quad>(e_, method, exact_start_, end_, reference_, row)
                         : run_row<double>(e_, method, start_, end_, reference_, row);
  }

  const Model& model_;
  const Equations& e_;
  const ConvergeOptions& options_;
  bool broken_;
  const Reference& reference_;
  double end_;
  MotionPoint<double> start_;
  MotionPoint<Quad> exact_start_;
};

}  // namespace

ErrorColumn judge_errors(const std::vector<double>& h, const std::vector<double>& error, double claimed,
                         double reference, bool extended) {
  const double epsilon = extended ? 0x1p-112 : 0x1p-52;
  // Below the first a row is rounding in any case; between the two it is when the error has stopped falling.
  const double floor = 32 * epsilon, suspicious = 1e6 * epsilon;
  ErrorColumn column;
  column.error = error;
  std::vector<std::pair<double, double>> points;  // log h, log error of the good rows
  bool stalled = false;
  for (std::size_t i = 0; i < error.size(); ++i) {
    const double log_h = std::log(std::abs(h[i]));
    const bool comparable = i > 0 && error[i] > 0 && error[i - 1] > 0 && column.standing[i - 1] == Standing::good;
    const double slope = comparable ? std::log(error[i - 1] / error[i]) / (std::log(std::abs(h[i - 1])) - log_h) : NAN;
    stalled = stalled || error[i] <= floor || (error[i] < suspicious && slope < std::max(claimed, 1.0) / 2);
    // An error must stand ten times above what it was measured with.
    const Standing standing = error[i] <= 10 * reference ? Standing::reference
                              : stalled                  ? Standing::rounding
                                                         : Standing::good;
    column.standing.push_back(standing);
    const bool good = standing == Standing::good && error[i] > 0;  // false for a run that failed
    column.order.push_back(good ? slope : NAN);
    if (good) points.emplace_back(log_h, std::log(error[i]));
  }
  // The smallest steps show the order best; large ones may not show it yet.
  if (points.size() > fitted_rows) points.erase(points.begin(), points.end() - fitted_rows);
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (const auto& [x, y] : points) {
    sum_x += x;
    sum_y += y;
    sum_xx += x * x;
    sum_xy += x * y;
  }
  const double count = static_cast<double>(points.size());
  column.observed = count < 2 ? NAN : (count * sum_xy - sum_x * sum_y) / (count * sum_xx - sum_x * sum_x);
  return column;
}

InitialValues measurable_start(const Model& model, const Equations& e, const std::vector<Method>& methods) {
  for (const Method& method : methods) require_taken(method, model, e);
  InitialValues initial = make_consistent(model, e);
  if (!initial.redundant.empty()) {
    std::string list;
    for (const std::string& one : initial.redundant) list += (list.empty() ? "" : "; ") + one;
    throw InputError("redundant constraints: " + list,
                     "remove the dependent ones: their multipliers are not determined");
  }
  return initial;
}

Convergence converge(const Model& model, const Equations& e, const ConvergeOptions& options) {
  const Grid grid = choose_grid(model.solve, options);
  const bool acts = is_broken(model, e);
  if (acts && options.quad)
    throw InputError("motions with events that act, or with contacts, are followed in double precision only");
  for (const Method& method : options.methods) require_taken(method, model, e);
  const long met = acts || options.methods.empty()
                       ? 0
                       : kinks_met(model, e, options.methods[0], grid.end,
                                   grid.end / static_cast<double>(grid.counts.back()), options.interrupt);
  // Runs end steps at kinks, in double precision; steps of more digits go over them.
  const bool broken = acts || (met > 0 && !options.quad);
  const InitialValues initial = broken ? InitialValues() : measurable_start(model, e, options.methods);
  Convergence result;
  result.model = model.title;
  result.end = grid.end;
  result.end_note = grid.note;
  result.quad = options.quad;
  result.has_multipliers = !e.g.empty() || !e.k.empty();
  result.kinks = broken ? 0 : met;

  // Work so far, counted in steps; a step of the reference is the dearest.
  double done = 0, all = 0;
  const double reference_share = 20;
  const long finest = grid.counts.back();
  all += reference_share * static_cast<double>(3 * finest);
  for (const long n : grid.counts) all += static_cast<double>(n) * static_cast<double>(options.methods.size());
  const auto advance = [&](double work) {
    done += work;
    if (options.progress) options.progress(done / all);
  };
  const Pulse pulse([&] {
    advance(0);
    if (is_set(options.interrupt)) throw Interrupted();
  });
  const int stages = (highest_order(options.methods) + 5) / 2;  // at least four orders more
  Reference reference;
  try {
    reference =
        broken ? broken_reference(model, e, grid.end, 2 * finest, stages, options.methods.front(), options.interrupt)
               : make_reference(e, initial, 0, grid.end, 2 * finest, stages);
  } catch (const Interrupted&) { reference.failure = was_interrupted; }
  result.reference = reference;
  advance(reference_share * static_cast<double>(3 * finest));

  const TableRuns runs(model, e, options, broken ? nullptr : &initial, reference, grid.end);
  for (const Method& method : options.methods) {
    MethodConvergence measured;
    measured.method = method.name;
    const Claims& claims = method.claims;
    measured.claimed = {claims.order_q, claims.order_v, claims.order_multiplier};
    std::vector<double> h, q, v, multiplier;
    for (const long n : grid.counts) {
      ConvergeRow row;
      row.steps = n;
      row.step = grid.end / static_cast<double>(n);
      const Errors error = runs.measure(method, row);
      h.push_back(row.step);
      q.push_back(error.q);
      v.push_back(error.v);
      multiplier.push_back(error.multiplier);
      measured.rows.push_back(std::move(row));
      advance(static_cast<double>(n));
    }
    const Errors& known = reference.error;
    measured.q = judge_errors(h, q, method.claims.order_q, known.q, options.quad);
    measured.v = judge_errors(h, v, method.claims.order_v, known.v, options.quad);
    measured.multiplier = judge_errors(h, multiplier, method.claims.order_multiplier, known.multiplier, options.quad);
    result.methods.push_back(std::move(measured));
  }
  return result;
}

}  // namespace alembert::internal
