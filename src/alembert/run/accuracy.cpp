#include "alembert/run/accuracy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
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
// One step in this many is compared by its number: a prime, so that no period of the motion hides.
constexpr long between_comparisons = 499;
// Runs of so few steps have all of them compared, where that costs no more than a companion may: steps that are too
// long err for one or two of them in a swing of the motion, and a swing is no more than ten or twenty of them.
constexpr double few_steps = 100;
// Until then the prediction does not know the motion yet: it extrapolates from fewer steps than later.
constexpr long first_predictions = 8;
// The first ones are compared: what a damping method takes away at once is right nowhere else.
constexpr long first_compared = 4;
// Behind a step that was predicted so badly, and behind the companion, comparisons are this near to each other at
// first, then twice as far each time: what errs for a short time only is not taken for the usual.
constexpr long near_comparison = 4;
// The companion goes beside the run again where a step errs by this factor more than those that it has seen: twice as
// fast a motion, and a method of order 2; and behind these parts of the steps. That costs a third of what is left of
// this share, or of the free steps.
constexpr double much_worse = 8;
constexpr double later_share = 0.01;
constexpr double later_parts[] = {0.9, 0.5};
// A step that was predicted worse by this factor than all compared ones is compared too.
constexpr double surprise = 4;
// Predictions that are better than this differ by rounding.
constexpr double predicted_well = 1e-12;
// Ranges are taken from one step in this many, when the companion has ended.
constexpr long between_ranges = 16;
// An entry that moves less is compared with this part of the range of its vector, or of all of its kind.
constexpr double part_of_vector = 0.1;
constexpr double part_of_kind = 1e-9;
// One that changes by less than this part of its size stands still, as the rates of a disk that rolls evenly do, unless
// it lies far from all that moves.
constexpr double part_of_size = 0.01;
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
// Of the steps that are cut at both ends so many are made again: each takes a copy of all that a run has.
constexpr long most_cut = 100;
// A step is made again in two parts, of the golden section: equal ones could both miss what a period hides.
constexpr double first_part = 0.381966011250105;
// Errors of companion and parts below this many units of rounding are none.
constexpr double rounding_units = 1000;
constexpr double rounding_of_size = rounding_units * std::numeric_limits<double>::epsilon();
// What a better step is to reach.
constexpr double wanted_error = 0.01;

std::vector<int> groups_of(const ReportNames& names, std::size_t n_y, std::size_t n) {
  std::vector<int> group(n);
  for (std::size_t i = 0; i < n; ++i) group[i] = static_cast<int>(i);
  // The single entries have names like "r[2,1]" and "r[2,1]'": those of one vector or family begin alike.
  std::map<std::pair<bool, std::string>, int> first;
  for (std::size_t i = 0; i < std::min(n, names.states.size()); ++i) {
    std::string name = names.states[i];
    if (name.ends_with('\'')) name.pop_back();
    const std::size_t whole = name.size();
    while (name.ends_with(']')) name.resize(name.rfind('['));  // of link[2].r[1] the last
    if (name.size() == whole) continue;
    group[i] = first.try_emplace({i < n_y, name}, static_cast<int>(i)).first->second;
  }
  return group;
}

}  // namespace

StateRanges::StateRanges(const ReportNames& names, std::size_t n_y, std::span<const double> state)
    : n_y_(n_y), low_(state.begin(), state.end()), high_(low_), group_(groups_of(names, n_y, state.size())) {}

void StateRanges::add(std::span<const double> state) {
  for (std::size_t i = 0; i < state.size(); ++i) {
    low_[i] = std::min(low_[i], state[i]);
    high_[i] = std::max(high_[i], state[i]);
  }
}

// Where all are constant but for rounding, none has a range: then their size.
double StateRanges::largest(std::size_t first, std::size_t last) const {
  double most = 0, largest = 0;
  for (std::size_t i = first; i < last; ++i) {
    most = std::max(most, high_[i] - low_[i]);
    largest = std::max(largest, size(i));
  }
  return most > rounding_of_size * largest ? most : largest;
}

double StateRanges::farthest() const {
  double most = 0;
  for (std::size_t i = 0; i < n_y_; ++i) most = std::max(most, size(i));
  return most;
}

double StateRanges::size(std::size_t i) const { return std::max(std::abs(low_[i]), std::abs(high_[i])); }

double StateRanges::rounding(std::size_t i) const { return rounding_of_size * size(i); }

bool StateRanges::rest_beside(const std::vector<double>& forces, double time) const {
  if (forces.empty()) return false;
  const double most = *std::max_element(forces.begin(), forces.end());
  for (std::size_t i = 0; i < low_.size(); ++i) {
    const double moved = high_[i] - low_[i], allowed = rounding_of_forces * (i < n_y_ ? most * time : forces[i - n_y_]);
    if (moved > std::max(allowed, rounding(i))) return false;
  }
  return true;
}

std::vector<double> balanced_forces(Multipliers& multipliers, const GridPoint& at, std::size_t n_y, double h) {
  // Where nothing acts there is still the rounding of what acts elsewhere, by this share.
  constexpr double shared = 1e-6;
  const std::span<const double> here = multipliers.at(at.t, at.state);
  if (!all_finite(here)) return {};
  const std::vector<double> rates(here.begin(), here.begin() + static_cast<long>(at.state.size() - n_y));
  std::vector<double> made;
  for (const double rounding : multipliers.rounding())
    made.push_back(std::isfinite(rounding) ? rounding / std::numeric_limits<double>::epsilon() : 0);
  const double most = made.empty() ? 0 : *std::max_element(made.begin(), made.end());
  for (std::size_t j = 0; j < made.size(); ++j) {
    made[j] = std::max(made[j], shared * most);
    if (std::abs(rates[j]) > rounding_of_forces * made[j]) return {};
    made[j] *= std::abs(h);
  }
  return made;
}

AccuracyProbe::Result AccuracyProbe::Result::of_rest(long steps, double time) {
  Result result;
  result.at_end = result.rounding = rounding_of(steps, 1, 0);
  result.accuracy = {.per_time = result.at_end / time, .per_step = 0, .worst_t = 0, .compared = 0};
  return result;
}

std::vector<double> StateRanges::scales() const {
  std::vector<double> in_vector(low_.size(), 0);
  for (std::size_t i = 0; i < low_.size(); ++i) {
    double& most = in_vector[group_[i]];
    most = std::max(most, high_[i] - low_[i]);
  }
  const double q = positions(), v = velocities();
  std::vector<double> scales(low_.size());
  for (std::size_t i = 0; i < low_.size(); ++i) {
    const double kind = i < n_y_ ? q : v;
    scales[i] = std::max({high_[i] - low_[i], part_of_vector * in_vector[group_[i]],
                          part_of_size * std::min(size(i), kind), part_of_kind * kind});
  }
  return scales;
}

// An entry that stands still does not count.
double StateRanges::resolution() const {
  const double range[2] = {positions(), velocities()};
  double most = 1;
  for (std::size_t i = 0; i < low_.size(); ++i)
    if (high_[i] - low_[i] > rounding(i)) most = std::max(most, size(i) / range[i < n_y_ ? 0 : 1]);
  return most;
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
      all_compared_(steps <= few_steps && steps * engine.step.unknowns() <= companion_unknowns),
      h_(h),
      t0_(start.t),
      n_y_(engine.e.y.size()),
      ranges_(names, n_y_, start.state),
      t_(start.t),
      parts_at_(start),
      step_error_(start.state.size(), 0),
      now_(step_error_),
      last_(step_error_),
      accompanied_(step_error_),
      sum_(step_error_) {
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
  fields(multipliers_, ranges_, run_before_, n_, next_look_, next_compared_, gap_, surprised_, t_, companion_steps_,
         later_steps_, later_, window_, windows_, growth_, resets_, parts_at_, step_error_, now_, last_, accompanied_,
         sum_, summed_, predicted_worst_, worst_, worst_t_, compared_, unsolved_, inside_, cut_, cut_compared_,
         last_kink_, shortest_contact_);
}

void AccuracyProbe::look(const GridPoint& from, const GridPoint& to, const SolvedStep<double>* run) {
  if (companion_ || n_ % between_ranges == 0) ranges_.add(to.state);
  if (to.kink || to.at_kink)
    shortest_contact_ = std::min(shortest_contact_, std::abs(to.t - std::exchange(last_kink_, to.t)));
  // At the ends of such steps others would see either side of the kink.
  const bool at_kink = to.at_kink || to.off_kink;
  if (companion_) follow_companion(to, run);
  // Those between two kinks, or two events, with nothing of the grid between them are the same for the companion: it
  // sees no error of theirs.
  const bool inside = !from.on_grid && !to.on_grid;
  if (inside && ++cut_ <= most_cut) compare_inside(from, to);
  else if (!at_kink && due(to.prediction_error)) compare_parts(from, to);
  const auto next = [&](long every) { return (n_ / every + 1) * every; };
  const bool early = all_compared_ || n_ < first_predictions;
  next_look_ = early ? n_ + 1 : std::min(next(between_ranges), std::max(n_ + 1, next_compared_));
  surprised_ = surprise * std::max(predicted_well, predicted_worst_);
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
             .sum_before = sum_,
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
  if (!by_number && largest(error) <= much_worse * largest(accompanied_)) return;
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
  window_.sum_until = sum_;
  next_compared_ = n_ + 1;
  gap_ = near_comparison;
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

long AccuracyProbe::until_compared() const {
  if (companion_ || all_compared_ || n_ < first_predictions) return 1;
  return std::max(1L, next_compared_ - n_);
}

bool AccuracyProbe::due(double prediction_error) {
  if (all_compared_) return true;
  if (n_ > 1 && n_ <= first_compared) return true;
  if (n_ > 1 && n_ < first_predictions) return false;
  const bool surprising = n_ > 1 && prediction_error > surprise * std::max(predicted_well, predicted_worst_);
  if (n_ < next_compared_ && !surprising) return false;
  const long by_number = (n_ / between_comparisons + 1) * between_comparisons;
  gap_ = surprising ? near_comparison : 2 * gap_;
  next_compared_ = n_ == 1 ? first_predictions : gap_ == 0 ? by_number : std::min(by_number, n_ + gap_);
  if (gap_ > between_comparisons) gap_ = 0;
  return true;
}

void AccuracyProbe::compare_parts(const GridPoint& from, const GridPoint& to) {
  if (n_ >= first_predictions) predicted_worst_ = std::max(predicted_worst_, to.prediction_error);
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
      ++unsolved_;
      return;
    }
  }
  std::fill(now_.begin(), now_.end(), 0);
  ranges_.add(to.state);
  compare(parts_at_, end, now_);
  take(to);
  begin_later_window(to, now_);
}

// By halves that meet kinks for themselves.
void AccuracyProbe::compare_inside(const GridPoint& from, const GridPoint& to) {
  if (!engine_.kinks) return compare_parts(from, to);
  const double half = (to.t - from.t) / 2;
  Companion halves(engine_, from, half);
  if (!halves.ready() || !halves.advance(from.t + half) || !halves.advance(to.t)) return;
  if (halves.resets() > 0) return compare_parts(from, to);  // it is behind an event in front of which the run stands
  ranges_.add(to.state);
  std::fill(now_.begin(), now_.end(), 0);
  inside_ += relative(compare(halves.point(), to, now_));
  ++cut_compared_;
  take(to);
}

void AccuracyProbe::take(const GridPoint& to) {
  ++compared_;
  add_up();
  for (std::size_t i = 0; i < now_.size(); ++i) {
    step_error_[i] = std::max(step_error_[i], now_[i]);
    if (companion_ || n_ == 1) accompanied_[i] = std::max(accompanied_[i], now_[i]);
  }
  const double error = largest(now_);
  if (error <= worst_) return;
  worst_ = error;
  worst_t_ = to.t;
}

// The errors of all steps up to here.
void AccuracyProbe::add_up() {
  const auto steps = static_cast<double>(n_ - std::exchange(summed_, n_));
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += (last_[i] + now_[i]) / 2 * steps;
  last_ = now_;
}

// What a step behind the beginning of the window adds, on the average, to what one adds beside which the companion
// went. At the beginning of a run nobody counts on steps that are better later.
double AccuracyProbe::share_of(const Window& window) const {
  if (window.last <= window.first || n_ <= window.last) return 1;
  std::vector<double> inside = window.sum_until, behind = sum_;
  for (std::size_t i = 0; i < sum_.size(); ++i) {
    inside[i] -= window.sum_before[i];
    behind[i] += last_[i] * static_cast<double>(n_ - summed_) - window.sum_before[i];
  }
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
  if (shortest_contact_ < few_of_contact * std::abs(h_)) return std::min(gain_, gain_of_brief_contacts);
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

// They add up, and what is wrong with a velocity behind one goes on until the next.
double AccuracyProbe::error_inside() const {
  if (cut_compared_ == 0) return 0;
  const auto all = static_cast<double>(cut_);
  return inside_ * all / static_cast<double>(cut_compared_) * std::max(1.0, all / 4);
}

std::optional<AccuracyProbe::Result> AccuracyProbe::finish(const GridPoint& at, std::size_t singular_positions,
                                                           const Growth& of_rounding) {
  if (t_ == t0_ || (compared_ == 0 && window_.seen.empty())) return {};
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
  const double of_step = largest(step_error_) / (1 - left);
  // Where small errors do not grow so, distances that look like it come from steps that err more later.
  const auto growth = [&](const Window& window) { return of_rounding.regular ? 0 : growth_of(window); };
  double at_end = error_until(t_, window_, of_step, growth(window_));
  // What was wrong early goes on to grow.
  for (const Window& window : windows_) at_end = std::max(at_end, error_until(t_, window, of_step, growth(window)));
  at_end += error_inside();
  // Where the companion saw nothing but rounding, later steps add up what they err by. Few steps, each of which was
  // compared, are too few and too long for the companion to show the order, and what they err by may add up on the way.
  if (largest(accompanied_) == 0 || all_compared_) at_end = std::max(at_end, largest(sum_) / (1 - left));
  // Two steps may swing to and fro about the motion, and the companion sees every second of them only.
  if (compared_ == 0 && unsolved_ > 0) at_end = std::max(at_end, 1.0);
  // More than all cannot be lost: the stated accuracy ends there.
  Result result;
  result.at_end = std::max({at_end, of_step, rounding});
  result.rounding = rounding;
  result.moves = ranges_.time();
  if (!of_rounding.regular) result.growth = std::max({growth_, growth_of(window_), of_rounding.rate});
  result.mean = of_rounding.mean;
  result.accuracy = {.per_time = std::min(result.at_end, 1.0) / length,
                     .per_step = of_step,
                     .worst_t = worst_t_,
                     .compared = std::min(compared_, n_)};
  result.better = std::abs(h_) * std::pow(std::min(1.0, wanted_error / result.at_end), 1.0 / order_);
  return result;
}

}  // namespace alembert::internal
