// What the error of steps by tolerance is, and what follows for the size of the next.

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/finite.h"
#include "alembert/run/tolerance_steps.h"

namespace alembert::internal {

namespace {

// Decays of defects are measured in steps that may be too long for them: so much of it is believed.
constexpr double trusted_decay = 0.75;
// With these gains of the control a wrong size decays by half at every step, whatever the order is.
constexpr double integral = 0.7, proportional = 0.2;
// Steps aim at no more than this part of the error that is allowed: what is judged by defects is known to a factor.
constexpr double most_aimed_at = 0.15;
// The error of two steps at whose end the forces are others than they saw.
constexpr double blind = 1000;
// Errors below this say nothing about how they grow.
constexpr double least_error = 1e-10;
// Steps between two comparisons: the comparison then costs an eighth of all steps. With 8 the
// accuracy of a run in front of a push that grows like exp(-t^2) was stated 18 times too small.
constexpr int most_alone = 6;
// What a comparison said of defects holds for steps of about the size that it was made with.
// Or of twice that, where it could not be made with longer ones.
constexpr double like_size = 1.6, like_narrow = 2.05;
// How much a step that nothing was compared with may be longer than the one before.
constexpr double growth_alone = 1.5;
// How much of what defects were, or meant, before is forgotten at once.
constexpr double forget_ratio = 0.5;
// Comparisons may find so much more than was foreseen from defects. Errors below the second are far from what is
// allowed.
constexpr double surprise = 3, no_error = 1e-4;
// What a defect says of the error is uncertain by this factor where the motion changes its character.
constexpr double caution = 2;

}  // namespace

// Two steps of order p are 2^p - 1 times nearer to the solution than to the one step beside them, or more. Whether
// steps are short enough for that is seen from their defects.
double ToleranceSteps::judge(const GridPoint& from, double h, Pair& pair) {
  ErrorScale& scale = pair.course.scale;
  look_at_rates(pair);
  const bool seen = look_at_defects(from, h, pair);
  const double share = share_of_error();
  double error = share * scale.error(from, pair.end, check_to_);
  if (error > 1 && std::isfinite(error)) {
    scale.measure_rounding(multipliers_, from, h);
    error = share * scale.error(from, pair.end, check_to_);
  }
  pair.error.resize(pair.end.state.size());
  for (std::size_t i = 0; i < pair.error.size(); ++i) pair.error[i] = share * (pair.end.state[i] - check_to_.state[i]);
  if (error > 1) return error;
  return seen && (staged_ || fits(from, h, pair)) ? error : blind;
}

// Accelerations at the middle and at the end of two steps.
void ToleranceSteps::look_at_rates(const Pair& pair) {
  const std::span<const double> middle = multipliers_.at(pair.middle.t, pair.middle.state);
  middle_rates_.assign(middle.begin(), middle.end());
  const std::span<const double> end = multipliers_.at(pair.end.t, pair.end.state);
  end_rates_.assign(end.begin(), end.end());
}

// The defects of two steps and of the one beside them. False where the accelerations at some end are far from those
// that the stages saw: something is there that no stage has met. Where there are no accelerations nothing can be said.
bool ToleranceSteps::look_at_defects(const GridPoint& from, double h, Pair& pair) {
  defect_ = 0;
  wide_defect_ = 0;
  Course& course = pair.course;
  if (!staged_ || !all_finite(course.rates) || !all_finite(middle_rates_) || !all_finite(end_rates_)) return true;
  slopes_at(pair.middle, middle_rates_, middle_slopes_);
  slopes_at(pair.end, end_rates_, end_slopes_);
  const auto one = [&](const GridPoint& start, const SolvedStep<double>& step, const std::vector<double>& slopes_from,
                       const std::vector<double>& slopes_to, const GridPoint& end, bool& fits) {
    const double found = defect(start, step, slopes_from, slopes_to, end, course.scale);
    fits = course.scale.slight(start, end, defects_);
    if (!fits) {
      course.scale.measure_rounding(multipliers_, from, h);
      fits = course.scale.slight(start, end, defects_);
    }
    return found;
  };
  bool first = true, second = true;
  defect_ = std::max(one(from, first_, course.slopes, middle_slopes_, pair.middle, first),
                     one(pair.middle, second_, middle_slopes_, end_slopes_, pair.end, second));
  wide_defect_ = defect(from, tried_, course.slopes, end_slopes_, pair.end, course.scale);
  return first && second;
}

// The part of a difference that is the error of the two steps, at most.
double ToleranceSteps::share_of_error() const {
  if (!(defect_ > 0) || !std::isfinite(wide_defect_)) return share_;
  const double decay = std::log2(wide_defect_ / defect_) / defect_order_;
  const double order =
      std::clamp(trusted_decay * decay * order_, std::min<double>(order_, trusted_order), 1.0 * order_);
  return 1 / (std::pow(2.0, order) - 1);
}

/// How much the curve of a step differs from the accelerations at its ends, in units of what is allowed.
double ToleranceSteps::defect(const GridPoint& from, const SolvedStep<double>& step,
                              const std::vector<double>& slopes_from, const std::vector<double>& slopes_to,
                              const GridPoint& to, ErrorScale& scale) {
  slope_defects(step_.series(), step, slopes_from, slopes_to, defects_);
  moved_.state.assign(to.state.begin(), to.state.end());
  for (std::size_t i = 0; i < defects_.size(); ++i) moved_.state[i] += defects_[i];
  return scale.error(from, to, moved_);
}

/// The error that a defect means. Where defects grow with the size of the steps or with the speed of the motion, errors
/// grow by a higher power; where they shrink nobody counts on it.
double ToleranceSteps::foreseen(const Ratio& ratio, double defect) const {
  const double grown = defect / ratio.defect;
  return ratio.error * std::pow(grown, grown > 1 ? (order_ + 1.0) / defect_order_ : 1);
}

// One step by itself: what its defect says.
double ToleranceSteps::judge_alone(const GridPoint& from, double h, Pair& pair) {
  Course& course = pair.course;
  const std::span<const double> end = multipliers_.at(pair.end.t, pair.end.state);
  end_rates_.assign(end.begin(), end.end());
  if (!all_finite(end_rates_)) return blind;
  slopes_at(pair.end, end_rates_, end_slopes_);
  Ratio& ratio = course.ratio;
  const double seen = defect(from, second_, course.slopes, end_slopes_, pair.end, course.scale);
  // A defect passes through zero where the error does not.
  const double like_before = ratio.recent * std::pow(std::abs(h / ratio.h), defect_order_);
  const double found = std::max(seen, forget_ratio * like_before);
  ratio.recent = found;
  ratio.h = h;
  const double error = caution * foreseen(ratio, found);
  pair.error.resize(defects_.size());
  for (std::size_t i = 0; i < defects_.size(); ++i) {
    const double by_defect = defects_[i] * error / found, by_comparison = ratio.errors[i] * error / ratio.error;
    pair.error[i] = std::max(std::abs(by_defect), std::abs(by_comparison)) / 2;
  }
  return error;
}

// After a comparison: how much of the defects is error.
void ToleranceSteps::take_ratio(double h, double error, Pair& pair) {
  Course& course = pair.course;
  course.ratio.alone = 0;
  if (!staged_ || !all_finite(middle_rates_) || !all_finite(end_rates_)) return;
  const double found = defect_;
  if (!(found > 0) || !std::isfinite(found)) return;
  const Ratio& old = course.ratio;
  const bool known = old.defect > 0;
  // A method may be exact where a motion begins, and err later: defects are trusted where they foresaw the error.
  const bool right = known && error <= surprise * std::max(foreseen(old, found), no_error);
  const int trust = right ? std::min(most_alone, 2 * old.trust + 1) : 0;
  const double before = known ? forget_ratio * old.error / old.defect : 0;
  course.ratio = {std::max({error, least_error, before * found}), found, trust, pair.error, found, h, trust};
}

// Whether the forces at the end are those that the steps saw. Where there are no accelerations nothing can be said.
bool ToleranceSteps::fits(const GridPoint& from, double h, Pair& pair) {
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
  slopes_at(pair.end, end_rates_, end_slopes_);
  if (pair.count == 1) --course.ratio.alone;
  else if (!pair.end.kink) take_ratio(h, error, pair);
  course.scale.accept(from, pair.end);
  course.rates = end_rates_;
  course.slopes = end_slopes_;
  if (staged_) {
    course.last = second_;
    pair.first = pair.count == 2 ? first_ : second_;
  }
  if (pair.end.kink) {
    course.good = 0;
    course.error = 1;
    course.ratio = {};
    course.economy = {};
    course.last.h = 0;
    made_ = 0;
    return;
  }
  const double now = std::max(error, least_error);
  const double power = 1.0 / (order_ + 1);
  const double wanted = std::pow(std::min(std::pow(safety, order_ + 1), most_aimed_at) / now, power);
  double factor = std::pow(wanted, integral) * std::pow(std::exchange(course.error, now) / now, proportional * power);
  const double growth = pair.count == 2 ? options_.growth : std::min(options_.growth, growth_alone);
  factor = std::clamp(factor, options_.shrink, growth);
  if (++course.good < options_.good_steps) factor = std::min(factor, 1.0);
  // Nearly the same size is the same: matrices are kept.
  constexpr double nearly_longer = 1.15, nearly_shorter = 0.95;
  if (wanted > nearly_longer || wanted < nearly_shorter)
    course.h = limited((std::abs(h) < std::abs(course.h) ? h : course.h) * factor);
  course.h = course.economy.next(h, course.h, pair.count, labour_, staged_);
  const double change = std::abs(course.h / h);
  const double like = course.economy.compares_narrowly() ? like_narrow : like_size;
  if (!(change < like && change > 1 / like)) course.ratio.alone = 0;
}

}  // namespace alembert::internal
