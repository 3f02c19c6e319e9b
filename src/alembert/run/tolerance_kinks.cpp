// Steps by tolerance at kinks: two of them end in front of one, and the next begin behind it.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "alembert/run/tolerance_steps.h"

namespace alembert::internal {

namespace {

// Kinks so near to the ends of two steps, as a part of them, are at the ends: what they do in between is rounding.
constexpr double at_end = 1e-9;
// Steps end this part of two before a kink, and the next begin as far behind it: small enough for straight lines, large
// enough to be met. Secants do it in two or three trials.
constexpr double margin = 1e-11;
constexpr int most_trials = 6;
// Where no step leads across a jump, it is passed over from this part of the longest step on.
constexpr double nearly_there = 1e-7;
// A margin is above rounding by this.
constexpr double clear = 32;

}  // namespace

// What is known where the motion begins. In a kink it begins behind it: stages at the start would see neither side.
void ToleranceSteps::look_ahead(const GridPoint& start, double step) {
  const std::vector<int>& signs = now_.kinks.signs;
  if (std::find(signs.begin(), signs.end(), 0) != signs.end()) {
    behind_ = start;
    const double least = clear * std::numeric_limits<double>::epsilon() * std::abs(start.t);
    kinks_.zeros->pass(*behind_, std::copysign(std::max(margin * std::abs(step), least), step), now_.kinks, 1);
  }
  const GridPoint& from = behind_ ? *behind_ : start;
  const std::span<const double> rates = multipliers_.at(from.t, from.state);
  now_.rates.assign(rates.begin(), rates.end());
  slopes_at(from, now_.rates, now_.slopes);
}

// Passes over a jump that no step leads across. The size of steps is what it was in front of it.
bool ToleranceSteps::cross_kink(const GridPoint& from, Pair& pair) {
  const double longest = std::copysign(nearly_there * std::max(largest_, smallest_), pair.course.h);
  if (!kinks_.zeros->cross(from, kinks_.from, longest, pair.end, pair.course.kinks)) return false;
  const double h = pair.end.t - from.t;
  if (std::abs(pair.end.t) >= std::abs(end_)) return false;
  pair.count = 1;
  pair.last = false;
  pair.error.assign(pair.end.state.size(), 0.0);
  const std::span<const double> rates = multipliers_.at(pair.end.t, pair.end.state);
  end_rates_.assign(rates.begin(), rates.end());
  pair.course.ratio.alone = 1;
  settle(from, h, 1, pair);
  pair.course.h = std::copysign(std::max(std::abs(pair.course.h), smallest_ / options_.shrink), h);
  return true;
}

// The steps to be made see the sides on which they begin.
void ToleranceSteps::hold(std::vector<double>& sides) {
  kinks_.zeros->hold(kinks_.from, kinks_.sides);
  sides.assign(kinks_.sides.begin(), kinks_.sides.end());
}

// Sets an aim where there is a kink inside both steps. False where that cannot be found out.
bool ToleranceSteps::look_for_kinks(const GridPoint& from, double h, Pair& pair, Aim& aim) {
  kinks_.dense->begin(from, h);
  const bool alone = pair.count == 1;
  const GridPoint& first = alone ? pair.end : pair.middle;
  if (!kinks_.zeros->search(from, kinks_.from, first, alone ? pair.course.kinks : kinks_.middle, false, kinks_.found))
    return false;
  kinks_.turned = kinks_.zeros->turn(kinks_.found, at_end, kinks_.from);
  if (kinks_.turned) return true;
  double start = 0;
  std::erase_if(kinks_.found, [](const ZeroSearch::Zero& zero) { return zero.share <= at_end; });
  if (kinks_.found.empty() && !alone) {
    start = 1;
    kinks_.dense->begin(pair.middle, h);
    if (!kinks_.zeros->search(pair.middle, kinks_.middle, pair.end, pair.course.kinks, false, kinks_.found))
      return false;
    kinks_.turned = kinks_.zeros->turn({}, 0, kinks_.from);
    if (kinks_.turned) return true;
  }
  if (kinks_.found.empty()) return true;
  const double share = kinks_.found[0].share;
  const double length = (start + share) * h;
  // The next two begin there.
  if (start + share >= pair.count * (1 - at_end) || std::abs(length) >= std::abs(end_ - from.t) * (1 - at_end))
    return true;
  aim = {.length = length, .function = kinks_.found[0].function};
  std::erase_if(kinks_.found, [&](const ZeroSearch::Zero& zero) { return zero.share > share + at_end; });
  std::swap(kinks_.passed, kinks_.found);
  return true;
}

// Whether the two steps end at the kink that they aim at; else the aim is taken better.
bool ToleranceSteps::on_kink(double h, Pair& pair, Aim& aim) {
  ZeroSearch::Values& values = pair.course.kinks;
  values.come_from(kinks_.from);
  kinks_.zeros->know(pair.end, values);
  const double value = values.values[aim.function];
  const double length = 2 * h;
  if (aim.tries == 0) {
    kinks_.zeros->know(pair.middle, kinks_.middle);
    aim.before = h;
    aim.before_value = kinks_.middle.values[aim.function];
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
  if (std::abs(left) < std::abs(h)) kinks_.zeros->pass(pair.end, left + gap, values);
  pair.end.kink = true;
  for (const ZeroSearch::Zero& zero : kinks_.passed) {
    values.sides[zero.function] = zero.side;
    values.signs[zero.function] = 0;
  }
  end_rates_ = values.rates;
  return true;
}

}  // namespace alembert::internal
