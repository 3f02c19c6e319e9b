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
// Runs of so few steps have all of them compared, where that costs no more than a companion may.
constexpr double few_steps = 32;
// Until then the prediction does not know the motion yet: it extrapolates from fewer steps than later.
constexpr long first_predictions = 8;
// A step that was predicted worse by this factor than all compared ones is compared too.
constexpr double surprise = 4;
// Predictions that are better than this differ by rounding.
constexpr double predicted_well = 1e-12;
// Ranges are taken from one step in this many, when the companion has ended.
constexpr long between_ranges = 16;
// An entry that moves less is compared with this part of the range of its vector, or of all of its kind.
constexpr double part_of_vector = 0.1;
constexpr double part_of_kind = 1e-9;
// Errors grow like t or t^2 where motions are regular: above this factor in the second half of a time they grow
// exponentially.
constexpr double regular_growth = 8;
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

// Not less than rounding of the largest: what is constant but for that has no range of its own.
double StateRanges::largest(std::size_t first, std::size_t last) const {
  double most = 0;
  for (std::size_t i = first; i < last; ++i) most = std::max({most, high_[i] - low_[i], rounding(i)});
  return most;
}

double StateRanges::farthest() const {
  double most = 0;
  for (std::size_t i = 0; i < n_y_; ++i) most = std::max({most, std::abs(low_[i]), std::abs(high_[i])});
  return most;
}

double StateRanges::rounding(std::size_t i) const {
  return rounding_units * std::numeric_limits<double>::epsilon() * std::max(std::abs(low_[i]), std::abs(high_[i]));
}

std::vector<double> StateRanges::scales() const {
  std::vector<double> in_vector(low_.size(), 0);
  for (std::size_t i = 0; i < low_.size(); ++i) {
    double& most = in_vector[group_[i]];
    most = std::max(most, high_[i] - low_[i]);
  }
  const double q = part_of_kind * positions(), v = part_of_kind * velocities();
  std::vector<double> scales(low_.size());
  for (std::size_t i = 0; i < low_.size(); ++i)
    scales[i] = std::max({high_[i] - low_[i], part_of_vector * in_vector[group_[i]], i < n_y_ ? q : v});
  return scales;
}

// An entry that stands still does not count.
double StateRanges::resolution() const {
  const double range[2] = {positions(), velocities()};
  double most = 1;
  for (std::size_t i = 0; i < low_.size(); ++i)
    if (high_[i] - low_[i] > rounding(i))
      most = std::max(most, std::max(std::abs(low_[i]), std::abs(high_[i])) / range[i < n_y_ ? 0 : 1]);
  return most;
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
      step_error_(start.state.size(), 0) {
  const double free_steps = companion_unknowns / std::max(1, engine.step.unknowns());
  companion_steps_ = static_cast<long>(std::min(steps, std::max(free_steps, companion_share * steps)));
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
  fields(multipliers_, ranges_, n_, next_look_, surprised_, t_, companion_steps_, window_, before_window_, growth_,
         resets_, parts_at_, step_error_, predicted_worst_, worst_, worst_t_, worst_early_, compared_, inside_, cut_,
         cut_compared_);
}

void AccuracyProbe::look(const GridPoint& from, const GridPoint& to) {
  if (companion_ || n_ % between_ranges == 0) ranges_.add(to.state);
  // At the ends of such steps others would see either side of the kink.
  const bool at_kink = to.at_kink || to.off_kink;
  if (companion_) follow_companion(to);
  // Those between two kinks, or two events, with nothing of the grid between them are the same for the companion: it
  // sees no error of theirs.
  const bool inside = !from.on_grid && !to.on_grid;
  if (inside && ++cut_ <= most_cut) compare_inside(from, to);
  else if (!at_kink && due(to.prediction_error)) compare_parts(from, to);
  const auto next = [&](long every) { return (n_ / every + 1) * every; };
  const bool early = all_compared_ || n_ < first_predictions;
  next_look_ = early ? n_ + 1 : std::min(next(between_ranges), next(between_comparisons));
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

void AccuracyProbe::begin_window(const GridPoint& from) {
  companion_.emplace(engine_, from, 2 * h_);
  if (!companion_->ready()) companion_.reset();
  window_ = {.t0 = from.t, .end = from.t, .grid = from.t, .seen = {}, .error = {}};
  window_.error.assign(from.state.size(), 0);
  resets_ = 0;
}

void AccuracyProbe::follow_companion(const GridPoint& to) {
  window_.end = to.t;
  if (!to.on_grid) return;
  const double passed = to.t - std::exchange(window_.grid, to.t);
  if (std::abs(passed - h_) > 1e-9 * std::abs(h_)) {
    // The run may begin within a step of its grid.
    companion_.reset();
    if (window_.steps == 0) begin_window(to);
    return;
  }
  if (++window_.steps % 2 != 0) return;
  if (!companion_->advance(to.t)) {
    window_.failed = !companion_->stopped() && window_.seen.size() < fewest_seen;
    return companion_.reset();
  }
  if (among_events()) return;
  window_.seen.push_back(compare(companion_->point(), to, window_.error));
  const bool parted = window_.seen.size() >= fewest_seen && relative(window_.seen.back()) > lost;
  if (parted) return end_window(to);
  if (n_ >= companion_steps_ && !prolonged()) companion_.reset();
}

void AccuracyProbe::jumped(const GridPoint& at, std::size_t events) {
  resets_ += static_cast<long>(events);
  ranges_.add(at.state);
  // Its companion would not see an event where it begins.
  if (companion_ && at.t == window_.t0) begin_window(at);
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
  const double growth = growth_of_window(), length = std::abs(window_.end - window_.t0);
  growth_ = std::max(growth_, growth);
  before_window_ = before_window_ * std::exp(growth * length) + largest(window_.error) / (trusted_gain() - 1);
  companion_.reset();
  if (before_window_ < 1 && (growth > 0 || n_ < companion_steps_)) begin_window(to);
}

// Growth that looks exponential is not extrapolated while it can be seen: the companion goes on, as long again.
bool AccuracyProbe::prolonged() {
  if (growth_of_window() == 0) return false;
  companion_steps_ += companion_steps_;
  return true;
}

// The largest distances in the first half of the companion's time, and in all of it.
AccuracyProbe::Halves AccuracyProbe::distances() const {
  Halves found;
  const double middle = std::abs(window_.end - window_.t0) / 2;
  for (const Distance& d : window_.seen) {
    if (std::abs(d.t - window_.t0) <= middle) found.first = std::max(found.first, relative(d));
    found.whole = std::max(found.whole, relative(d));
  }
  return found;
}

// In e-folds per time; 0 where errors grow like a power of time, as they do in regular motions.
double AccuracyProbe::growth_of_window() const {
  if (window_.seen.size() < fewest_seen) return 0;
  const Halves d = distances();
  if (d.first == 0 || d.whole <= regular_growth * d.first) return 0;
  return std::log(d.whole / d.first) / (std::abs(window_.end - window_.t0) / 2);
}

long AccuracyProbe::until_compared() const {
  if (companion_ || all_compared_ || n_ < first_predictions) return 1;
  return between_comparisons - n_ % between_comparisons;
}

bool AccuracyProbe::due(double prediction_error) {
  if (n_ == 1 || all_compared_) return true;
  if (n_ < first_predictions) return false;
  return n_ == first_predictions || n_ % between_comparisons == 0 ||
         prediction_error > surprise * std::max(predicted_well, predicted_worst_);
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
  const double h = end.t - from.t, first = first_part * h;
  for (const auto& [t, part] : {std::pair(from.t, first), std::pair(from.t + first, h - first)}) {
    const StepResult result = parts_->advance(t, part, parts_at_.state.data(), parts_at_.compensation.data());
    if (result.newton.outcome != Outcome::converged) return;
  }
  ranges_.add(to.state);
  take(relative(compare(parts_at_, end, step_error_)), to);
}

// By halves that meet kinks for themselves.
void AccuracyProbe::compare_inside(const GridPoint& from, const GridPoint& to) {
  if (!engine_.kinks) return compare_parts(from, to);
  const double half = (to.t - from.t) / 2;
  Companion halves(engine_, from, half);
  if (!halves.ready() || !halves.advance(from.t + half) || !halves.advance(to.t)) return;
  if (halves.resets() > 0) return compare_parts(from, to);  // it is behind an event in front of which the run stands
  ranges_.add(to.state);
  const double error = relative(compare(halves.point(), to, step_error_));
  inside_ += error;
  ++cut_compared_;
  take(error, to);
}

void AccuracyProbe::take(double error, const GridPoint& to) {
  ++compared_;
  if (companion_ || n_ == 1) worst_early_ = std::max(worst_early_, error);
  if (error <= worst_) return;
  worst_ = error;
  worst_t_ = to.t;
}

// How many times the errors of the companion are larger than those of the run. Where it has left the motion its steps
// are too long for the order of the method to show, and so it is where kinks and events cut them.
double AccuracyProbe::trusted_gain() const {
  constexpr double gain_of_long_steps = 8;
  const bool cut = Companion::meets_kinks(engine_);
  return cut || distances().whole > lost ? std::min(gain_, gain_of_long_steps) : gain_;
}

// By the end, from what the companion has seen.
double AccuracyProbe::error_at_end(double of_step) const {
  const double covered = std::abs(window_.end - window_.t0), length = std::abs(t_ - window_.t0);
  if (before_window_ >= 1) return before_window_;
  if (window_.failed || window_.seen.empty()) return before_window_ + of_step * static_cast<double>(n_);
  const double error = largest(window_.error) / (trusted_gain() - 1);
  const double growth = growth_of_window();
  if (growth > 0) return before_window_ * std::exp(growth * length) + error * std::exp(growth * (length - covered));
  // Errors may shrink again by themselves, but nobody counts on it.
  const Halves d = distances();
  const double power = d.first > 0 ? std::clamp(std::log2(d.whole / d.first), 1.0, 2.0) : 1;
  return before_window_ + error * std::pow(length / covered, power);
}

// They add up, and what is wrong with a velocity behind one goes on until the next.
double AccuracyProbe::error_inside() const {
  if (cut_compared_ == 0) return 0;
  const auto all = static_cast<double>(cut_);
  return inside_ * all / static_cast<double>(cut_compared_) * std::max(1.0, all / 4);
}

std::optional<AccuracyProbe::Result> AccuracyProbe::finish(std::size_t singular_positions,
                                                           const Growth& of_rounding) const {
  const double length = std::abs(t_ - t0_);
  if (length == 0 || (compared_ == 0 && window_.seen.empty())) return {};
  const double rounding = rounding_of(n_, ranges_.resolution(), singular_positions) * of_rounding.factor;
  const double left = std::pow(first_part, order_ + 1) + std::pow(1 - first_part, order_ + 1);
  const double of_step = largest(step_error_) / (1 - left);
  double at_end = error_at_end(of_step) + error_inside();
  // Later steps may be worse than those that the companion saw.
  if (worst_early_ > 0 && worst_ > worst_early_) at_end *= worst_ / worst_early_;
  // More than all cannot be lost: the stated accuracy ends there.
  Result result;
  result.at_end = std::max({at_end, of_step, rounding});
  result.rounding = rounding;
  result.growth = std::max({growth_, growth_of_window(), of_rounding.rate});
  result.accuracy = {.per_time = std::min(result.at_end, 1.0) / length,
                     .per_step = of_step,
                     .worst_t = worst_t_,
                     .compared = std::min(compared_, n_)};
  result.better = std::abs(h_) * std::pow(std::min(1.0, wanted_error / result.at_end), 1.0 / order_);
  return result;
}

}  // namespace alembert::internal
