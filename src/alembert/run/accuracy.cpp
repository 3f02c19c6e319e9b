#include "alembert/run/accuracy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "alembert/base/finite.h"

namespace alembert::internal {

namespace {

// The companion costs half a step for each, so that these keep it below a few percent of a long run; the first ones are
// free for a run that is short anyway: 40,000 unknowns are solved for in a few milliseconds.
constexpr double companion_share = 0.04;
constexpr double companion_unknowns = 4e4;
constexpr long fewest_companion_steps = 4;
// Distances of the companion above this part of the range say nothing about smaller errors.
constexpr double lost = 0.05;
// Runs of so few steps have all of them compared, where that costs no more than a companion may.
constexpr double few_steps = 32;
// The companion goes beside the run again where a step errs by this factor more than those that it has seen: twice as
// fast a motion, and a method of order 2; and behind these parts of the steps. That costs a third of what is left of
// this share, or of the free steps.
constexpr double much_worse = 8;
constexpr double later_share = 0.01;
constexpr double later_parts[] = {0.9, 0.5};
// Ranges are taken from one step in this many, when the companion has ended.
constexpr long between_ranges = 16;
// Errors grow like t or t^2 where motions are regular: above this factor in the second half of a time they grow
// exponentially.
constexpr double regular_growth = 8;
// So many comparisons in a row they may be that far apart: where a motion jumps from slow to slow, one is there
// earlier.
constexpr long most_beyond = 8;
// Fewer comparisons than this show no trend, and the range of the motion is not known yet.
constexpr std::size_t fewest_seen = 16;
// So many comparisons in a row an event of the run and that of its companion may be apart.
constexpr long most_apart = 4;
// A step is made again in two parts, of the golden section: equal ones could both miss what a period hides.
constexpr double first_part = 0.381966011250105;
// What a better step is to reach.
constexpr double wanted_error = 0.01;

}  // namespace

AccuracyProbe::Result AccuracyProbe::Result::of_rest(long steps, double time) {
  Result result;
  result.at_end = result.rounding = rounding_of(steps, 1, 0);
  result.accuracy = {.per_time = result.at_end / time, .per_step = 0, .worst_t = 0, .compared = 0};
  return result;
}

double length_of(double from, double to, long steps, double h) {
  const double length = static_cast<double>(steps) * h, between = to - from;
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(from), std::abs(to));
  return h != 0 && std::abs(between - length) <= rounding ? length : between;
}

// As a random walk. A singular position lets its root through.
double rounding_of(long steps, double resolution, std::size_t singular_positions) {
  constexpr double unit = std::numeric_limits<double>::epsilon();
  return 10 * unit * resolution * std::sqrt(static_cast<double>(steps)) +
         10 * std::sqrt(unit) * static_cast<double>(singular_positions);
}

AccuracyProbe::AccuracyProbe(const Engine& engine, const ReportNames& names, double steps, double h,
                             const GridPoint& start)
    : engine_(engine),
      multipliers_(engine.multipliers),
      order_(std::max(1, std::min(engine.method.claims.order_q, engine.method.claims.order_v))),
      gain_(std::pow(2.0, order_)),
      h_(h),
      t0_(start.t),
      n_y_(engine.e.y.size()),
      ranges_(names, n_y_, start.state),
      plan_(steps <= few_steps && steps * engine.step.unknowns() <= companion_unknowns),
      t_(start.t),
      parts_at_(start),
      steps_(start.state.size()) {
  const double free_steps = companion_unknowns / std::max(1, engine.step.unknowns());
  companion_steps_ = static_cast<long>(std::min(steps, std::max(free_steps, companion_share * steps)));
  later_steps_ = static_cast<long>(std::max(free_steps, later_share * steps));
  for (const double share : later_parts)
    if (share * steps > 2 * static_cast<double>(companion_steps_)) later_.push_back(static_cast<long>(share * steps));
  if (companion_steps_ >= fewest_companion_steps) begin_window(start);
}

void AccuracyProbe::archive(Archive& fields) {
  bool accompanied = companion_.has_value(), parted = parts_.has_value();
  fields(accompanied, parted);
  if (!accompanied) companion_.reset();
  else if (!companion_) companion_.emplace(engine_, parts_at_, 2 * h_);
  if (companion_) fields(*companion_);
  if (!parted) parts_.reset();
  else if (!parts_) parts_ = engine_.step.clone();
  if (parts_) fields(*parts_);
  fields(multipliers_, ranges_, run_before_, n_, next_look_, plan_, surprised_, t_, companion_steps_, later_steps_,
         later_, window_, windows_, growth_, resets_, parts_at_, steps_, cut_);
}

void AccuracyProbe::look(const GridPoint& from, const GridPoint& to, const SolvedStep<double>* run) {
  if (companion_ || n_ % between_ranges == 0) ranges_.add(to.state);
  if (to.kink || to.at_kink) cut_.kink(to.t);
  // At the ends of such steps others would see either side of the kink.
  const bool at_kink = to.at_kink || to.off_kink;
  if (companion_) follow_companion(to, run);
  // Those between two kinks, or two events, with nothing of the grid between them are the same for the companion: it
  // sees no error of theirs.
  const bool inside = !from.on_grid && !to.on_grid;
  if (inside && cut_.due()) compare_inside(from, to);
  else if (!at_kink && plan_.due(n_, to.prediction_error)) compare_parts(from, to);
  const auto next = [&](long every) { return (n_ / every + 1) * every; };
  next_look_ = plan_.each(n_) ? n_ + 1 : std::min(next(between_ranges), std::max(n_ + 1, plan_.next()));
  surprised_ = plan_.surprising();
}

// Raises the largest differences of every entry.
AccuracyProbe::Distance AccuracyProbe::compare(const GridPoint& a, const GridPoint& b,
                                               std::vector<double>& largest) const {
  Distance d{.t = b.t};
  // Velocities that are no more than what rounding of the positions makes of them in a step are those of a body at
  // rest.
  const double rounding_v = std::numeric_limits<double>::epsilon() * ranges_.farthest() / std::abs(h_);
  const bool at_rest = ranges_.velocities() <= rounding_v;
  for (std::size_t i = 0; i < a.state.size(); ++i) {
    const double none = std::max(ranges_.rounding(i), at_rest && i >= n_y_ ? rounding_v : 0);
    const double difference = std::max(0.0, std::abs(a.state[i] - b.state[i]) - none);
    largest[i] = std::max(largest[i], difference);
    double& most = i < n_y_ ? d.q : d.v;
    most = std::max(most, difference);
  }
  return d;
}

// Relative to the ranges of positions and velocities so far.
double AccuracyProbe::relative(const Distance& d) const {
  const auto part = [](double x, double range) { return x > 0 ? x / range : 0; };
  return std::max(part(d.q, ranges_.positions()), part(d.v, ranges_.velocities()));
}

double AccuracyProbe::largest(const std::vector<double>& errors) const {
  const std::vector<double> scales = ranges_.scales();
  double most = 0;
  for (std::size_t i = 0; i < errors.size(); ++i)
    if (errors[i] > 0) most = std::max(most, errors[i] / scales[i]);
  return most;
}

// before: what the run is off by already.
void AccuracyProbe::begin_window(const GridPoint& from, double before) {
  companion_.emplace(engine_, from, 2 * h_);
  if (!companion_->ready()) companion_.reset();
  window_ = {.t0 = from.t,
             .end = from.t,
             .grid = from.t,
             .first = n_,
             .before = before,
             .sum_before = steps_.sum(),
             .sum_until = {},
             .seen = {},
             .error = std::vector<double>(from.state.size(), 0)};
  resets_ = 0;
}

// Where a step errs by much more than those that the companion has seen, and by number: what errs by less than rounding
// shows in a step adds up to more. error: of the step that ends here.
void AccuracyProbe::begin_later_window(const GridPoint& from, const std::vector<double>& error) {
  if (companion_ || !from.on_grid || window_.before >= 1) return;
  const bool by_number = !later_.empty() && n_ >= later_.back();
  if (!by_number && largest(error) <= much_worse * largest(steps_.accompanied())) return;
  if (by_number) later_.pop_back();
  const long steps = later_steps_ / 3;
  if (steps < 2 * static_cast<long>(fewest_seen)) return;
  later_steps_ -= steps;
  companion_steps_ = n_ + steps;
  const double before = error_until(from.t, window_, 0, growth_of(window_));
  windows_.push_back(std::move(window_));
  begin_window(from, before);
  window_.later = true;
}

void AccuracyProbe::leave_companion() {
  companion_.reset();
  window_.last = n_;
  window_.sum_until = steps_.sum();
  plan_.nearer(n_);
  if (!window_.later || window_.seen.size() >= fewest_seen) return;
  window_ = std::move(windows_.back());  // it has seen too little
  windows_.pop_back();
}

void AccuracyProbe::follow_companion(const GridPoint& to, const SolvedStep<double>* run) {
  window_.end = to.t;
  if (!to.on_grid) return;
  const double passed = length_of(std::exchange(window_.grid, to.t), to.t, 1, h_);
  if (std::abs(passed - h_) > 1e-9 * std::abs(h_)) {
    // The run may begin within a step of its grid.
    companion_.reset();
    if (window_.steps == 0) begin_window(to, window_.before);
    return;
  }
  if (++window_.steps % 2 != 0) {
    run_before_.h = 0;
    if (run) run_before_ = *run;
    return;
  }
  const bool both = run && run_before_.h != 0;
  if (!companion_->advance(to.t, both ? &run_before_ : nullptr, both ? run : nullptr)) {
    window_.failed = !companion_->stopped() && window_.seen.size() < fewest_seen;
    return leave_companion();
  }
  if (among_events()) return;
  window_.seen.push_back(compare(companion_->point(), to, window_.error));
  window_.beyond = relative(window_.seen.back()) > lost ? window_.beyond + 1 : 0;
  if (window_.seen.size() >= fewest_seen && window_.beyond > most_beyond) return end_window(to);
  if (n_ >= companion_steps_ && !prolonged()) leave_companion();
}

void AccuracyProbe::jumped(const GridPoint& at, std::size_t events) {
  resets_ += static_cast<long>(events);
  ranges_.add(at.state);
  // Its companion would not see an event where it begins.
  if (companion_ && at.t == window_.t0) begin_window(at, window_.before);
}

// Between an event of the run that sets something and the same event of the companion their states cannot be compared.
// Where that lasts they have gone different ways, and their distance says so.
bool AccuracyProbe::among_events() {
  window_.apart = companion_->resets() != resets_ ? window_.apart + 1 : 0;
  if (window_.apart <= most_apart) return window_.apart > 0;
  window_.apart = 0;
  resets_ = companion_->resets();
  return false;
}

// Companion and run have parted: it begins again beside the run. What was wrong before has grown with the errors of
// this time.
void AccuracyProbe::end_window(const GridPoint& to) {
  const double growth = growth_of(window_), length = std::abs(window_.end - window_.t0);
  growth_ = std::max(growth_, growth);
  const double before =
      window_.before * std::exp(growth * length) + largest(window_.error) / (trusted_gain(window_) - 1);
  leave_companion();
  window_.before = before;
  if (before < 1 && (growth > 0 || n_ < companion_steps_)) begin_window(to, before);
}

// Growth that looks exponential is not extrapolated while it can be seen: the companion goes on, as long again.
bool AccuracyProbe::prolonged() {
  if (growth_of(window_) == 0) return false;
  companion_steps_ += companion_steps_;
  return true;
}

// The largest distances in the first half of the companion's time, and in all of it.
AccuracyProbe::Halves AccuracyProbe::distances(const Window& window) const {
  Halves found;
  const double middle = std::abs(window.end - window.t0) / 2;
  for (const Distance& d : window.seen) {
    if (std::abs(d.t - window.t0) <= middle) found.first = std::max(found.first, relative(d));
    found.whole = std::max(found.whole, relative(d));
  }
  return found;
}

// In e-folds per time; 0 where errors grow like a power of time, as they do in regular motions.
double AccuracyProbe::growth_of(const Window& window) const {
  // At the beginning of any motion distances grow like powers of time: beside a short part of a run nothing else shows.
  if (window.seen.size() < fewest_seen || window.later) return 0;
  const Halves d = distances(window);
  if (d.first == 0 || d.whole <= regular_growth * d.first) return 0;
  return std::log(d.whole / d.first) / (std::abs(window.end - window.t0) / 2);
}

long AccuracyProbe::until_compared() const { return companion_ ? 1 : plan_.until(n_); }

void AccuracyProbe::compare_parts(const GridPoint& from, const GridPoint& to) {
  plan_.compared(n_, to.prediction_error);
  const std::span<const double> here = multipliers_.at(from.t, from.state);
  if (!all_finite(here) || from.at_kink) return;  // there the step began a little behind
  // In a kink itself forces may be seen from its other side.
  const bool in_kink = (to.kink || to.at_kink) && !to.before.empty();
  GridPoint end;
  end.t = in_kink ? to.t_before : to.t;
  end.state = in_kink ? to.before : to.state;
  if (!parts_) parts_ = engine_.step.clone();
  parts_->restart(here.data());
  parts_->carry_on(from.carried);
  parts_at_.state = from.state;
  parts_at_.compensation = from.compensation;
  const double h = in_kink ? end.t - from.t : length_of(from.t, end.t, 1, h_), first = first_part * h;
  for (const auto& [t, part] : {std::pair(from.t, first), std::pair(from.t + first, h - first)}) {
    const StepResult result = parts_->advance(t, part, parts_at_.state.data(), parts_at_.compensation.data());
    if (result.newton.outcome != Outcome::converged) {
      steps_.unsolved();
      return;
    }
  }
  ranges_.add(to.state);
  compare(parts_at_, end, steps_.begin());
  take(to);
  begin_later_window(to, steps_.now());
}

// By halves that meet kinks for themselves.
void AccuracyProbe::compare_inside(const GridPoint& from, const GridPoint& to) {
  if (!engine_.kinks) return compare_parts(from, to);
  const double half = (to.t - from.t) / 2;
  Companion halves(engine_, from, half);
  if (!halves.ready() || !halves.advance(from.t + half) || !halves.advance(to.t)) return;
  if (halves.resets() > 0) return compare_parts(from, to);  // it is behind an event in front of which the run stands
  ranges_.add(to.state);
  cut_.add(relative(compare(halves.point(), to, steps_.begin())));
  take(to);
}

void AccuracyProbe::take(const GridPoint& to) { steps_.take(n_, to.t, largest(steps_.now()), companion_ || n_ == 1); }

// What a step behind the beginning of the window adds, on the average, to what one adds beside which the companion
// went. At the beginning of a run nobody counts on steps that are better later.
double AccuracyProbe::share_of(const Window& window) const {
  if (window.last <= window.first || n_ <= window.last) return 1;
  std::vector<double> inside = window.sum_until;
  for (std::size_t i = 0; i < inside.size(); ++i) inside[i] -= window.sum_before[i];
  const std::vector<double> behind = steps_.sum_since(window.sum_before, n_);
  const double seen = largest(inside) / static_cast<double>(window.last - window.first);
  const double all = largest(behind) / static_cast<double>(n_ - window.first);
  if (seen == 0) return 1;
  return window.later ? all / seen : std::max(1.0, all / seen);
}

// How many times the errors of the companion are larger than those of the run. Where it has left the motion its steps
// are too long for the order of the method to show, and so it is where kinks and events cut them.
double AccuracyProbe::trusted_gain(const Window& window) const {
  // As a method of order 3 gains: higher orders are those of steps that are short against the motion.
  constexpr double gain_of_long_steps = 8;
  // What lasts for a few steps between two kinks is a single one for the companion. A damping method of order 5 on a
  // floor that is met for 1.5 steps: the companion is off by 1.5 times as much.
  constexpr double few_of_contact = 3, gain_of_brief_contacts = 2;
  const bool cut = Companion::meets_kinks(engine_);
  if (cut_.shortest_contact() < few_of_contact * std::abs(h_)) return std::min(gain_, gain_of_brief_contacts);
  return cut || distances(window).whole > lost ? std::min(gain_, gain_of_long_steps) : gain_;
}

// By a time, from what the companion has seen.
double AccuracyProbe::error_until(double t, const Window& window, double of_step, double growth) const {
  const double covered = std::abs(window.end - window.t0), length = std::abs(t - window.t0);
  if (window.before >= 1) return window.before;
  if (window.failed || window.seen.empty()) return window.before + of_step * static_cast<double>(n_);
  const double error = largest(window.error) / (trusted_gain(window) - 1);
  if (growth > 0) return window.before * std::exp(growth * length) + error * std::exp(growth * (length - covered));
  // Errors may shrink again by themselves, but nobody counts on it.
  const Halves d = distances(window);
  const double power = d.first > 0 ? std::clamp(std::log2(d.whole / d.first), 1.0, 2.0) : 1;
  return window.before + error * std::max(1.0, share_of(window) * std::pow(length / covered, power));
}

std::optional<AccuracyProbe::Result> AccuracyProbe::finish(const GridPoint& at, std::size_t singular_positions,
                                                           const Growth& of_rounding) {
  if (t_ == t0_ || (steps_.compared() == 0 && window_.seen.empty())) return {};
  const Result found = estimate(singular_positions, of_rounding);
  const double time = std::abs(t_ - t0_);
  if (found.at_end < may_be_rest || !ranges_.rest_beside(balanced_forces(multipliers_, at, n_y_, h_), time))
    return found;
  Result rest = Result::of_rest(n_, time);
  rest.accuracy.compared = found.accuracy.compared;
  return rest;
}

AccuracyProbe::Result AccuracyProbe::estimate(std::size_t singular_positions, const Growth& of_rounding) const {
  const double length = std::abs(t_ - t0_);
  const double rounding = rounding_of(n_, ranges_.resolution(), singular_positions) * of_rounding.factor;
  const double left = std::pow(first_part, order_ + 1) + std::pow(1 - first_part, order_ + 1);
  const double of_step = largest(steps_.largest()) / (1 - left);
  // Where small errors do not grow so, distances that look like it come from steps that err more later.
  const auto growth = [&](const Window& window) { return of_rounding.regular ? 0 : growth_of(window); };
  double at_end = error_until(t_, window_, of_step, growth(window_));
  // What was wrong early goes on to grow.
  for (const Window& window : windows_) at_end = std::max(at_end, error_until(t_, window, of_step, growth(window)));
  at_end += cut_.error();
  // Where the companion saw nothing but rounding, later steps add up what they err by. Few steps, each of which was
  // compared, are too few and too long for the companion to show the order, and what they err by may add up on the way.
  if (largest(steps_.accompanied()) == 0 || plan_.all()) at_end = std::max(at_end, largest(steps_.sum()) / (1 - left));
  // Two steps may swing to and fro about the motion, and the companion sees every second of them only.
  if (steps_.compared() == 0 && steps_.has_unsolved()) at_end = std::max(at_end, 1.0);
  // More than all cannot be lost: the stated accuracy ends there.
  Result result;
  result.at_end = std::max({at_end, of_step, rounding});
  result.rounding = rounding;
  result.moves = ranges_.time();
  if (!of_rounding.regular) result.growth = std::max({growth_, growth_of(window_), of_rounding.rate});
  result.mean = of_rounding.mean;
  result.accuracy = {.per_time = std::min(result.at_end, 1.0) / length,
                     .per_step = of_step,
                     .worst_t = steps_.worst_t(),
                     .compared = std::min(steps_.compared(), n_)};
  result.better = std::abs(h_) * std::pow(std::min(1.0, wanted_error / result.at_end), 1.0 / order_);
  return result;
}

}  // namespace alembert::internal
