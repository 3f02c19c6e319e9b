#include "alembert/run/tolerance_steps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/finite.h"

namespace alembert::internal {

namespace {

// Where nothing happens steps would grow without bound, and could jump over what comes: at least so many in a run.
constexpr double fewest_steps = 20;
// Two steps that are followed by ones this much shorter did not see what was at their end. An estimate that is right
// asks for less: the usual error grows by 2^(order + 1) where a motion becomes twice as fast.
constexpr double cliff = 0.1;
// Each time by `shrink`: with the usual 0.2 down to 1e-14 of the size.
constexpr int most_again = 20;
// The last two are followed by nothing that would be used, and the equations may end with them.
constexpr int most_again_at_end = 6;
// Kinks so near to the ends of two steps, as a part of them, are at the ends: what they do in between is rounding.
constexpr double at_end = 1e-9;
// Steps end this part of two before a kink, and the next begin as far behind it: small enough for straight lines, large
// enough to be met. Secants do it in two or three trials.
constexpr double margin = 1e-11;
constexpr int most_trials = 6;
// A margin is above rounding by this.
constexpr double clear = 32;
// Differences fall by 2^order where steps are short enough for it. Longer ones, and stiff forces, fall short of high
// orders: on a wall exp(-1000 y), four stages with 255 in place of 15 lets a tolerance of 1e-4 pass where half is
// wrong.
constexpr int trusted_order = 4;
// The error of two steps at whose end the forces are others than they saw.
constexpr double blind = 1000;
// Errors below this say nothing about how they grow.
constexpr double least_error = 1e-10;

}  // namespace

ToleranceSteps::ToleranceSteps(Engine& engine, const StepOptions& options, int order, double smallest, double end,
                               double step, const GridPoint& start)
    : StepControl(engine),
      options_(options),
      order_(order),
      smallest_(smallest),
      largest_(options.largest > 0 ? options.largest : std::abs(end - start.t) / fewest_steps),
      end_(end),
      share_(1 / (std::pow(2.0, std::min(order, trusted_order)) - 1)),
      check_(step_.clone()),
      ahead_(step_.clone()),
      check_to_(start),
      beyond_{start, start},
      dense_(engine.kinks ? &*engine.dense : nullptr),
      kinks_(engine.kinks ? &*engine.kinks : nullptr),
      now_{limited(step), 0, 1, ErrorScale(engine.e, options.tolerance, options.absolute, start), {}, {}},
      shorter_(now_),
      pair_{start, start, 0, false, now_, {}},
      next_(pair_),
      again_(pair_) {
  if (kinks_) kinks_->begin(start, now_.kinks);
  const std::span<const double> rates = multipliers_.at(start.t, start.state);
  now_.rates.assign(rates.begin(), rates.end());
}

double ToleranceSteps::limited(double h) const { return std::abs(h) > largest_ ? std::copysign(largest_, h) : h; }

NewtonStatistics ToleranceSteps::statistics() const {
  NewtonStatistics total = step_.statistics();
  for (const Step<double>* step : {&check_, &ahead_}) {
    const NewtonStatistics more = step->statistics();
    total.iterations += more.iterations;
    total.factorizations += more.factorizations;
    total.evaluations += more.evaluations;
  }
  return total;
}

int ToleranceSteps::advance(const GridPoint& from, GridPoint* to, bool& last) {
  if (!ready_ && (!dead_end_.empty() || !make(from, now_, pair_))) return fail(dead_end_);
  const int most = pair_.last ? most_again_at_end : most_again;
  for (int i = 0; i < most && !sees_on(); ++i) {
    shorter_ = now_;
    shorter_.h = pair_.h * options_.shrink;
    shorter_.good = 0;
    if (std::abs(shorter_.h) < smallest_ / options_.shrink || !make(from, shorter_, again_)) break;
    rejected_ += 2;
    std::swap(pair_, again_);
    dead_end_.clear();
  }
  std::swap(to[0], pair_.middle);
  std::swap(to[1], pair_.end);
  std::swap(now_, pair_.course);
  std::swap(internal_, pair_.internal);
  last = pair_.last;
  if (ready_) std::swap(pair_, next_);
  return 2;
}

// Makes the two steps behind pair_. False where they say that pair_ was too long.
bool ToleranceSteps::sees_on() {
  ready_ = false;
  if (pair_.last) return goes_on(pair_);
  ready_ = make(pair_.end, pair_.course, next_);
  // Behind a kink all may be different, and in front of one steps may be short.
  if (pair_.end.kink) return true;
  return ready_ && (next_.end.kink || next_.last || std::abs(next_.h) >= cliff * std::abs(pair_.h));
}

// Whether the motion can be followed beyond the end of the run in steps that are not much shorter.
bool ToleranceSteps::goes_on(Pair& pair) {
  made_ = 0;
  for (const double part : {1.0, cliff}) {
    const double h = part * pair.h;
    const double t = pair.end.t;
    const std::span<const double> here = multipliers_.at(t, pair.end.state);
    if (!all_finite(here)) return true;  // nothing can be said
    check_.restart(here.data());
    ahead_.restart(here.data());
    const bool solved = maker_.make(check_, pair.end, 2 * h, t + 2 * h, check_to_) &&
                        maker_.make(ahead_, pair.end, h, t + h, beyond_[0]) &&
                        maker_.make(ahead_, beyond_[0], h, t + 2 * h, beyond_[1]);
    if (solved && share_ * pair.course.scale.error(pair.end, beyond_[1], check_to_) <= 1) return true;
  }
  return false;
}

bool ToleranceSteps::make(const GridPoint& from, const Course& course, Pair& pair) {
  pair.course = course;
  from_kinks_ = course.kinks;
  double& h = pair.course.h;
  Aim aim;
  for (;;) {
    // The last two pairs share what is left, so that none is tiny.
    const double left = end_ - from.t;
    double now = h;
    pair.last = aim.length == 0 && std::abs(left) <= 2 * std::abs(h);
    if (pair.last) now = left / 2;
    else if (std::abs(left) < 4 * std::abs(h)) now = left / 4;
    if (aim.length != 0) now = aim.length / 2;
    if (now != made_) begin(from, now);
    bool solved = solve(from, now, pair.last ? end_ : from.t + 2 * now, pair);
    if (solved && kinks_ && aim.length == 0) {
      solved = look_for_kinks(from, now, pair, aim);
      if (aim.length != 0) continue;
    }
    const double error = solved ? judge(from, now, pair) : INFINITY;
    if (error <= 1) {
      if (aim.length != 0 && !on_kink(now, pair, aim)) continue;
      settle(from, now, error, pair);
      return true;
    }
    rejected_ += 2;
    pair.course.good = 0;
    aim = {};
    const double factor =
        solved ? std::clamp(0.9 * std::pow(error, -1.0 / (order_ + 1)), options_.shrink, 0.9) : options_.shrink;
    h = now * factor;
    if (std::abs(h) < smallest_) return dead_end(from, solved);
  }
}

bool ToleranceSteps::dead_end(const GridPoint& from, bool solved) {
  const std::string limit = "steps would have to be shorter than " + to_text(smallest_);
  dead_end_ = solved ? limit + " to meet the tolerance at t = " + time_text(from.t) +
                           "; allow a larger error (`tolerance`), or shorter steps (`smallest`)"
                     : limit + " at t = " + time_text(maker_.failed.t) + ", for no other has a solution there";
  return false;
}

bool ToleranceSteps::solve(const GridPoint& from, double h, double t_end, Pair& pair) {
  pair.middle.kink = false;
  pair.end.kink = false;
  return maker_.make(check_, from, 2 * h, t_end, check_to_) && maker_.make(step_, from, h, from.t + h, pair.middle) &&
         maker_.make(step_, pair.middle, h, t_end, pair.end);
}

// Two steps of order p are 2^p - 1 times nearer to the solution than to the one step beside them, or more.
double ToleranceSteps::judge(const GridPoint& from, double h, Pair& pair) {
  ErrorScale& scale = pair.course.scale;
  double error = share_ * scale.error(from, pair.end, check_to_);
  if (error > 1 && std::isfinite(error)) {
    scale.measure_rounding(multipliers_, from, h);
    error = share_ * scale.error(from, pair.end, check_to_);
  }
  return error <= 1 && !fits(from, h, pair) ? blind : error;
}

// Whether the forces at the end are those that the steps saw. Where there are no accelerations nothing can be said.
bool ToleranceSteps::fits(const GridPoint& from, double h, Pair& pair) {
  const std::span<const double> middle = multipliers_.at(pair.middle.t, pair.middle.state);
  middle_rates_.assign(middle.begin(), middle.end());
  const std::span<const double> end = multipliers_.at(pair.end.t, pair.end.state);
  end_rates_.assign(end.begin(), end.end());
  const std::vector<double>& start = pair.course.rates;
  if (!all_finite(start) || !all_finite(middle_rates_) || !all_finite(end_rates_)) return true;
  ErrorScale& scale = pair.course.scale;
  if (scale.fits(from, pair.end, h, start, middle_rates_, end_rates_)) return true;
  scale.measure_rounding(multipliers_, from, h);
  return scale.fits(from, pair.end, h, start, middle_rates_, end_rates_);
}

// The size after an error that is allowed; what the error was before says where it is going (a PI control).
void ToleranceSteps::settle(const GridPoint& from, double h, double error, Pair& pair) {
  Course& course = pair.course;
  pair.h = h;
  pair.internal = step_.internal();
  course.scale.accept(from, pair.end);
  course.rates = end_rates_;
  if (pair.end.kink) {
    course.good = 0;
    course.error = 1;
    made_ = 0;
    return;
  }
  const double now = std::max(error, least_error);
  const double power = 1.0 / (order_ + 1);
  double factor = 0.9 * std::pow(now, -0.7 * power) * std::pow(std::exchange(course.error, now), 0.4 * power);
  factor = std::clamp(factor, options_.shrink, options_.growth);
  if (++course.good < options_.good_steps) factor = std::min(factor, 1.0);
  // Nearly the same size is the same: equal steps are predicted better.
  if (factor > 1.2 || factor < 0.9) course.h = limited(course.h * factor);
}

// Sets an aim where there is a kink inside both steps. False where that cannot be found out.
bool ToleranceSteps::look_for_kinks(const GridPoint& from, double h, Pair& pair, Aim& aim) {
  dense_->begin(from, h);
  if (!kinks_->search(from, from_kinks_, pair.middle, middle_kinks_, false, found_)) return false;
  double start = 0;
  std::erase_if(found_, [](const ZeroSearch::Zero& zero) { return zero.share <= at_end; });
  if (found_.empty()) {
    start = 1;
    dense_->begin(pair.middle, h);
    if (!kinks_->search(pair.middle, middle_kinks_, pair.end, pair.course.kinks, false, found_)) return false;
  }
  if (found_.empty()) return true;
  const double share = found_[0].share;
  const double length = (start + share) * h;
  // The next two begin there.
  if (start + share >= 2 * (1 - at_end) || std::abs(length) >= std::abs(end_ - from.t) * (1 - at_end)) return true;
  aim = {.length = length, .function = found_[0].function};
  std::erase_if(found_, [&](const ZeroSearch::Zero& zero) { return zero.share > share + at_end; });
  std::swap(passed_, found_);
  return true;
}

// Whether the two steps end at the kink that they aim at; else the aim is taken better.
bool ToleranceSteps::on_kink(double h, Pair& pair, Aim& aim) {
  ZeroSearch::Values& values = pair.course.kinks;
  values.sides = from_kinks_.sides;
  kinks_->know(pair.end, values);
  const double value = values.values[aim.function];
  const double length = 2 * h;
  if (aim.tries == 0) {
    kinks_->know(pair.middle, middle_kinks_);
    aim.before = h;
    aim.before_value = middle_kinks_.values[aim.function];
  }
  const double slope = (value - aim.before_value) / (length - aim.before);
  const double left = -value / slope;
  const double noise = clear * values.noise[aim.function] / std::abs(slope);
  const double gap = std::copysign(std::max(margin * std::abs(length), noise), h);
  const double past = left / gap;  // in front of the kink where it is positive
  const bool there = (past > 0.5 && past < 2) || !(std::abs(left) < std::abs(h)) || aim.tries == most_trials;
  if (!there) {
    aim = {length + left - gap, aim.function, length, value, aim.tries + 1};
    return false;
  }
  pair.end.before = pair.end.state;
  pair.end.t_before = pair.end.t;
  if (std::abs(left) < std::abs(h)) kinks_->pass(pair.end, left + gap, values);
  pair.end.kink = true;
  for (const ZeroSearch::Zero& zero : passed_) {
    values.sides[zero.function] = zero.side;
    values.signs[zero.function] = 0;
  }
  end_rates_ = values.rates;
  return true;
}

void ToleranceSteps::begin(const GridPoint& from, double h) {
  const std::span<const double> here = multipliers_.at(from.t, from.state);
  if (all_finite(here)) {
    step_.restart(here.data());
    check_.restart(here.data());
  }
  made_ = h;
}

}  // namespace alembert::internal
