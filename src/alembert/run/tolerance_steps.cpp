#include "alembert/run/tolerance_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
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
// Where no step leads across a jump, it is passed over from this part of the longest step on.
constexpr double nearly_there = 1e-7;
// A margin is above rounding by this.
constexpr double clear = 32;
// Differences fall by 2^order where steps are short enough for it. Longer ones, and stiff forces, fall short of high
// orders: on a wall exp(-1000 y), four stages with 255 in place of 15 lets a tolerance of 1e-4 pass where half is
// wrong.
constexpr int trusted_order = 4;
// Decays of defects are measured in steps that may be too long for them: so much of it is believed.
constexpr double trusted_decay = 0.75;
// The control of steps: they aim at this part of the size that would just do. With these gains a wrong size decays by
// half at every step, whatever the order is.
constexpr double safety = 0.9, integral = 0.7, proportional = 0.2;
// And at no more than this part of the error that is allowed: what is judged by defects is known to a factor.
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
// Steps are given up soon where Newton finds none, so that shorter ones are tried; not so often from one point that all
// of them may have no other reason.
constexpr int most_brief = 6;
// After the first ones by more each time; behind a kink, where nothing is known of the size, from the first one on: a
// wall may ask for a millionth of those of the fall.
constexpr int most_little = 3, most_brief_from_scratch = 8;
// Of the size of a step that was too long for a comparison: such ones are not tried again.
constexpr double wide_part = 0.9;
// How much of what defects were, or meant, before is forgotten at once.
constexpr double forget_ratio = 0.5;
// Comparisons may find so much more than was foreseen from defects. Errors below the second are far from what is
// allowed.
constexpr double surprise = 3, no_error = 1e-4;
// Iterations of a step from which on it is too long for Newton, with a matrix at every iterate and with one that is
// kept: beyond, it soon finds nothing any more, and ways that cost ten times as much follow. The first numbers are
// those from which on steps grow no longer.
constexpr double exact_enough = 4, exact_labour = 6, simplified_enough = 15, simplified_labour = 21;
// A step of twice the size is made for comparison in one of eight: it may cost so much more.
constexpr double comparison_labour = 3;
// What follows where Newton labours: steps by so much shorter; later they grow again, little by little.
constexpr double shorter_for_newton = 0.8, shorter_where_lost = 0.6, longer_again = 1.1;
// What a defect says of the error is uncertain by this factor where the motion changes its character.
constexpr double caution = 2;
// Longer steps are tried again after so many stretches, and twice as late where that goes on.
constexpr int fewest_stretches = 4, most_stretches = 64;

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
      staged_(step_.has_stages()),
      defect_order_(order),
      motion_(engine.motion),
      check_(step_.clone()),
      ahead_(step_.clone()),
      check_to_(start),
      beyond_{start, start},
      dense_(engine.kinks ? &*engine.dense : nullptr),
      kinks_(engine.kinks ? &*engine.kinks : nullptr),
      now_{limited(step),
           0,
           1,
           ErrorScale(engine.e, options.tolerance, options.absolute, start),
           {},
           {},
           {},
           {},
           {},
           {}},
      shorter_(now_),
      pair_{start, start, 0, 2, false, now_, {}, {}, {}},
      next_(pair_),
      again_(pair_) {
  if (kinks_) kinks_->begin(start, now_.kinks);
  look_ahead(start, step);
  for (const StageSeries& series : step_.series())
    if (series.state >= static_cast<int>(n_y_))
      defect_order_ = std::min<int>(order, static_cast<int>(series.nodes.size()) + (series.rates ? 1 : 0));
}

// What is known where the motion begins. In a kink it begins behind it: stages at the start would see neither side.
void ToleranceSteps::look_ahead(const GridPoint& start, double step) {
  const std::vector<int>& signs = now_.kinks.signs;
  if (std::find(signs.begin(), signs.end(), 0) != signs.end()) {
    behind_ = start;
    const double least = clear * std::numeric_limits<double>::epsilon() * std::abs(start.t);
    kinks_->pass(*behind_, std::copysign(std::max(margin * std::abs(step), least), step), now_.kinks, 1);
  }
  const GridPoint& from = behind_ ? *behind_ : start;
  const std::span<const double> rates = multipliers_.at(from.t, from.state);
  now_.rates.assign(rates.begin(), rates.end());
  slopes_at(from, now_.rates, now_.slopes);
}

void ToleranceSteps::slopes_at(const GridPoint& point, const std::vector<double>& rates, std::vector<double>& slopes) {
  motion_.look(point.t, point.state);
  const std::span<const double> v = motion_.velocity();
  slopes.assign(v.begin(), v.end());
  slopes.insert(slopes.end(), rates.begin(), rates.begin() + static_cast<long>(point.state.size() - n_y_));
}

double ToleranceSteps::limited(double h) const { return std::abs(h) > largest_ ? std::copysign(largest_, h) : h; }

void ToleranceSteps::archive(Archive& fields) {
  StepControl::archive(fields);
  fields(smallest_, largest_, made_, made_until_, check_, ahead_, check_to_, beyond_[0], beyond_[1], from_kinks_,
         middle_kinks_, middle_rates_, end_rates_, middle_slopes_, end_slopes_, defects_, tried_, first_, second_,
         moved_, iterations_, unsolved_, now_, shorter_, pair_, next_, again_, ready_, dead_end_, internal_, error_);
}

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

int ToleranceSteps::advance(const GridPoint& given, GridPoint* to, bool& last) {
  const GridPoint& from = behind_ ? *behind_ : given;
  if (!ready_ && (!dead_end_.empty() || !make(from, now_, pair_))) return fail(dead_end_);
  const int most = pair_.last ? most_again_at_end : most_again;
  for (int i = 0; i < most && !sees_on(); ++i) {
    shorter_ = now_;
    shorter_.h = pair_.h * options_.shrink;
    shorter_.good = 0;
    shorter_.ratio.alone = 0;
    if (std::abs(shorter_.h) < smallest_ / options_.shrink || !make(from, shorter_, again_)) break;
    rejected_ += pair_.count;
    std::swap(pair_, again_);
    dead_end_.clear();
  }
  const int count = pair_.count;
  if (count == 2) std::swap(to[0], pair_.middle);
  std::swap(to[count - 1], pair_.end);
  std::swap(now_, pair_.course);
  std::swap(internal_, pair_.internal);
  std::swap(error_, pair_.error);
  std::swap(handed_out_, pair_.first);
  last = pair_.last;
  if (ready_) std::swap(pair_, next_);
  for (int i = 0; i < count; ++i) to[i].off_kink = i == 0 && behind_;
  behind_.reset();
  return count;
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
    const SolvedStep<double>* last = staged_ && pair.course.last.h != 0 ? &pair.course.last : nullptr;
    for (Step<double>* step : {&check_, &ahead_}) {
      step->be_brief(last != nullptr);
      if (last) step->guess_from(here.data(), last);
      else step->restart(here.data());
    }
    const bool solved = maker_.make(check_, pair.end, 2 * h, t + 2 * h, check_to_) &&
                        maker_.make(ahead_, pair.end, h, t + h, beyond_[0]) &&
                        maker_.make(ahead_, beyond_[0], h, t + 2 * h, beyond_[1]);
    if (solved && share_ * pair.course.scale.error(pair.end, beyond_[1], check_to_) <= 1) return true;
  }
  return false;
}

/// The size of the steps to be made now. The last stretches share what is left, so that none is tiny.
double ToleranceSteps::size_now(const GridPoint& from, const Aim& aim, Pair& pair) const {
  pair.last = false;
  if (aim.length != 0) return aim.length / 2;
  const double left = end_ - from.t;
  // Where a step of twice the size is too long for Newton, two of half the size are compared with one.
  const Course& course = pair.course;
  const bool narrow = pair.count == 2 && course.economy.wide > 0 && 2 * std::abs(course.h) > course.economy.wide;
  const double h = narrow ? course.h / 2 : course.h;
  pair.last = std::abs(left) <= pair.count * std::abs(h);
  if (pair.last) return left / pair.count;
  return std::abs(left) < 2 * pair.count * std::abs(h) ? left / (2 * pair.count) : h;
}

bool ToleranceSteps::make(const GridPoint& from, const Course& course, Pair& pair) {
  pair.course = course;
  from_kinks_ = course.kinks;
  tried_.h = 0;
  failures_ = 0;
  unsolved_ = false;
  double& h = pair.course.h;
  Aim aim;
  for (;;) {
    pair.count = pair.course.ratio.alone > 0 && aim.length == 0 ? 1 : 2;
    const double now = size_now(from, aim, pair);
    prepare(from, now, pair.course);
    bool solved = solve(from, now, pair.last ? end_ : from.t + pair.count * now, pair);
    if (solved && kinks_ && aim.length == 0) {
      solved = look_for_kinks(from, now, pair, aim);
      if (aim.length != 0) continue;
    }
    const double error = !solved ? INFINITY : pair.count == 1 ? judge_alone(from, now, pair) : judge(from, now, pair);
    if (error <= 1) {
      if (aim.length != 0 && !on_kink(now, pair, aim)) continue;
      settle(from, now, error, pair);
      return true;
    }
    rejected_ += pair.count;
    unsolved_ = unsolved_ || (!solved && !lone_);
    if (!solved) ++failures_;
    if (!solved && !lone_) too_long_ = now;
    pair.course.good = 0;
    pair.course.ratio.alone = 0;
    aim = {};
    if (!solved && lone_) {
      pair.course.economy.wide = 2 * wide_part * std::abs(now);
      h = now;
      continue;
    }
    const bool by_more = failures_ > most_little || pair.course.last.h == 0;
    const double unsolved = by_more ? options_.shrink : shorter_where_lost;
    h = now * (solved ? std::clamp(safety * std::pow(error, -1.0 / (order_ + 1)), options_.shrink, 0.9) : unsolved);
    if (!solved && kinks_ && cross_kink(from, pair)) return true;
    if (std::abs(h) < smallest_) return dead_end(from, solved);
  }
}

// Passes over a jump that no step leads across. The size of steps is what it was in front of it.
bool ToleranceSteps::cross_kink(const GridPoint& from, Pair& pair) {
  const double longest = std::copysign(nearly_there * std::max(largest_, smallest_), pair.course.h);
  if (!kinks_->cross(from, from_kinks_, longest, pair.end, pair.course.kinks)) return false;
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

bool ToleranceSteps::dead_end(const GridPoint& from, bool solved) {
  const std::string limit = "steps would have to be shorter than " + to_text(smallest_);
  dead_end_ = solved ? limit + " to meet the tolerance at t = " + time_text(from.t) +
                           "; allow a larger error (`tolerance`), or shorter steps (`smallest`)"
                     : limit + " at t = " + time_text(maker_.failed.t) + ", for no other has a solution there";
  return false;
}

// Where Newton of the next step starts: from equal steps that went before, or from the curve of the last one.
void ToleranceSteps::prepare(const GridPoint& from, double h, const Course& course) {
  if (!staged_) {
    if (h != made_ || from.t != made_until_) begin(from, h);
    return;
  }
  made_ = h;
  const SolvedStep<double>& curve = tried_.h != 0 ? tried_ : course.last;
  if (all_finite(course.rates)) step_.guess_from(course.rates.data(), curve.h != 0 ? &curve : nullptr);
}

bool ToleranceSteps::solve(const GridPoint& from, double h, double t_end, Pair& pair) {
  pair.middle.kink = false;
  pair.end.kink = false;
  made_until_ = t_end;
  lone_ = false;
  const bool brief = staged_ && failures_ <= (pair.course.last.h == 0 ? most_brief_from_scratch : most_brief);
  step_.be_brief(brief);
  check_.be_brief(brief);
  const NewtonStatistics before = step_.statistics();
  const long compared_before = check_.statistics().iterations;
  const bool known = all_finite(pair.course.rates);
  bool solved = false;
  if (pair.count == 1) {
    solved = maker_.make(step_, from, h, t_end, pair.end);
    if (solved && staged_) step_.solved(pair.end.state.data(), second_);
  } else if (maker_.make(step_, from, h, from.t + h, pair.middle)) {
    if (staged_) {
      step_.solved(pair.middle.state.data(), first_);
      if (known) step_.guess_from(pair.course.rates.data(), &first_);
    }
    solved = maker_.make(step_, pair.middle, h, t_end, pair.end);
    if (solved && staged_) {
      step_.solved(pair.end.state.data(), second_);
      if (known) check_.guess_from(pair.course.rates.data(), &first_, &second_);
    }
    if (solved) {
      ++comparisons_;
      solved = maker_.make(check_, from, 2 * h, t_end, check_to_);
      lone_ = !solved && brief;
    }
    if (solved && staged_) check_.solved(check_to_.state.data(), tried_);
  }
  step_.be_brief(false);
  check_.be_brief(false);
  iterations_ = step_.statistics().iterations - before.iterations;
  factorizations_ = step_.statistics().factorizations - before.factorizations;
  compared_ = check_.statistics().iterations - compared_before;
  if (!solved) made_ = 0;
  else if (staged_ && pair.count == 1) tried_ = second_;
  return solved;
}

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

// Where steps are so long that Newton labours, shorter ones are cheaper: a looser tolerance must not be dearer.
void ToleranceSteps::economise(double h, Pair& pair) {
  Economy& economy = pair.course.economy;
  const bool exact = factorizations_ >= iterations_;
  const double each = static_cast<double>(iterations_) / pair.count;
  const double labour = exact ? exact_labour : simplified_labour;
  const bool labours = each > labour || compared_ > comparison_labour * labour;
  double& next = pair.course.h;
  if (economy.wide > 0 && pair.count == 2) economy.wide *= longer_again;
  if (economy.guessed && (labours || unsolved_)) {
    economy.longest = shorter_for_newton * std::abs(h);
    if (unsolved_) economy.longest = std::max(shorter_for_newton * std::abs(too_long_), std::abs(h));
    economy.again = std::clamp(2 * economy.again, fewest_stretches, most_stretches);
    economy.left = economy.again;
  } else if (economy.longest > 0 && --economy.left <= 0) {
    economy.longest *= longer_again;
    if (economy.longest > 2 * std::abs(next)) economy.longest = 0;
  }
  economy.guessed = staged_;
  const bool enough = each > (exact ? exact_enough : simplified_enough);
  if (enough && std::abs(next) > std::abs(h)) next = h;
  if (economy.longest > 0 && std::abs(next) > economy.longest) next = std::copysign(economy.longest, next);
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
  if (wanted > 1.15 || wanted < 0.95) course.h = limited((std::abs(h) < std::abs(course.h) ? h : course.h) * factor);
  economise(h, pair);
  const double change = std::abs(course.h / h);
  const double like = course.economy.wide > 0 ? like_narrow : like_size;
  if (!(change < like && change > 1 / like)) course.ratio.alone = 0;
}

// Sets an aim where there is a kink inside both steps. False where that cannot be found out.
bool ToleranceSteps::look_for_kinks(const GridPoint& from, double h, Pair& pair, Aim& aim) {
  dense_->begin(from, h);
  const bool alone = pair.count == 1;
  const GridPoint& first = alone ? pair.end : pair.middle;
  if (!kinks_->search(from, from_kinks_, first, alone ? pair.course.kinks : middle_kinks_, false, found_)) return false;
  double start = 0;
  std::erase_if(found_, [](const ZeroSearch::Zero& zero) { return zero.share <= at_end; });
  if (found_.empty() && !alone) {
    start = 1;
    dense_->begin(pair.middle, h);
    if (!kinks_->search(pair.middle, middle_kinks_, pair.end, pair.course.kinks, false, found_)) return false;
  }
  if (found_.empty()) return true;
  const double share = found_[0].share;
  const double length = (start + share) * h;
  // The next two begin there.
  if (start + share >= pair.count * (1 - at_end) || std::abs(length) >= std::abs(end_ - from.t) * (1 - at_end))
    return true;
  aim = {.length = length, .function = found_[0].function};
  std::erase_if(found_, [&](const ZeroSearch::Zero& zero) { return zero.share > share + at_end; });
  std::swap(passed_, found_);
  return true;
}

// Whether the two steps end at the kink that they aim at; else the aim is taken better.
bool ToleranceSteps::on_kink(double h, Pair& pair, Aim& aim) {
  ZeroSearch::Values& values = pair.course.kinks;
  values.come_from(from_kinks_);
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
