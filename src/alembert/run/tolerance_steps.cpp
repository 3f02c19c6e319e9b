#include "alembert/run/tolerance_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "alembert/base/finite.h"

namespace alembert::internal {

namespace {

// Where nothing happens steps would grow without bound, and could jump over what comes: at least so many in a run, so
// that a step meets what lasts for a twentieth of it.
constexpr double fewest_steps = 20;
// Two steps that are followed by ones this much shorter did not see what was at their end. An estimate that is right
// asks for less: the usual error grows by 2^(order + 1) where a motion becomes twice as fast.
constexpr double cliff = 0.1;
// Each time by `shrink`: with the usual 0.2 down to 1e-14 of the size.
constexpr int most_again = 20;
// The last two are followed by nothing that would be used, and the equations may end with them.
constexpr int most_again_at_end = 6;
// Steps are given up soon where Newton finds none, so that shorter ones are tried; not so often from one point that all
// of them may have no other reason.
constexpr int most_brief = 6;
// After the first ones by more each time; behind a kink, where nothing is known of the size, from the first one on: a
// wall may ask for a millionth of those of the fall.
constexpr int most_little = 3, most_brief_from_scratch = 8;
// Where a motion leaves a kink to another side than was thought, the steps are made again on that, so often at most.
constexpr int most_turns = 3;
// A motion that is held goes on in steps shorter than this part of the longest; it is asked for with steps of the
// other.
constexpr double steps_of_held = 1e-6, asked_with = 1e-3;
// Where Newton finds no step, the next trial is this part of it.
constexpr double shorter_where_lost = 0.6;

/// Shorter steps than this do not change the time for certain.
double least_length(double from, double to) {
  return 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(from), std::abs(to));
}

}  // namespace

ToleranceSteps::ToleranceSteps(Engine& engine, const StepOptions& options, int order, double smallest, double end,
                               double step, const GridPoint& start)
    : StepControl(engine),
      options_(options),
      order_(order),
      smallest_(smallest),
      largest_(options.largest > 0 ? options.largest
                                   : std::max(std::abs(end - start.t) / fewest_steps, least_length(start.t, end))),
      end_(end),
      share_(1 / (std::pow(2.0, std::min(order, trusted_order)) - 1)),
      staged_(step_.has_stages()),
      defect_order_(order),
      motion_(engine.motion),
      check_(step_.clone()),
      ahead_(step_.clone()),
      check_to_(start),
      beyond_{start, start},
      kinks_{engine.kinks ? &*engine.dense : nullptr,
             engine.kinks ? &*engine.kinks : nullptr,
             engine.sides,
             false,
             {},
             {},
             {},
             {}},
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
      pair_{start, start, 0, 2, false, now_, {}, {}, {}, {}, {}},
      next_(pair_),
      again_(pair_) {
  if (kinks_.zeros) {
    kinks_.zeros->begin(start, now_.kinks);
    held_ = held(start, step);
  }
  look_ahead(start, step);
  for (const StageSeries& series : step_.series())
    if (series.state >= static_cast<int>(n_y_))
      defect_order_ = std::min<int>(order, static_cast<int>(series.nodes.size()) + (series.rates ? 1 : 0));
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
  fields(smallest_, largest_, made_, made_until_, check_, ahead_, check_to_, beyond_[0], beyond_[1], kinks_.from,
         kinks_.middle, middle_rates_, end_rates_, middle_slopes_, end_slopes_, defects_, tried_, first_, second_,
         moved_, labour_.iterations, labour_.unsolved, now_, shorter_, pair_, next_, again_, ready_, dead_end_,
         internal_, error_);
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
  if (!held_.empty()) return fail(held_);
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
  // The motion between their ends may be asked for now.
  if (kinks_.zeros) std::copy(pair_.sides.begin(), pair_.sides.end(), kinks_.sides.begin());
  last = pair_.last;
  held_ = pair_.held;
  if (ready_) std::swap(pair_, next_);
  for (int i = 0; i < count; ++i) {
    to[i].off_kink = i == 0 && behind_;
    to[i].on_grid = true;
  }
  behind_.reset();
  return count;
}

// Makes the two steps behind pair_. False where they say that pair_ was too long.
bool ToleranceSteps::sees_on() {
  ready_ = false;
  if (pair_.last) return goes_on(pair_);
  if (!pair_.held.empty()) return true;
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
  const bool narrow = pair.count == 2 && course.economy.too_wide(course.h);
  const double h = narrow ? course.h / 2 : course.h;
  pair.last = std::abs(left) <= pair.count * std::abs(h);
  if (pair.last) return left / pair.count;
  return std::abs(left) < 2 * pair.count * std::abs(h) ? left / (2 * pair.count) : h;
}

bool ToleranceSteps::make(const GridPoint& from, const Course& course, Pair& pair) {
  pair.course = course;
  pair.held.clear();
  kinks_.from = course.kinks;
  tried_.h = 0;
  failures_ = 0;
  labour_.unsolved = false;
  double& h = pair.course.h;
  Aim aim;
  if (kinks_.zeros) hold(pair.sides);
  int turns = 0;
  for (;;) {
    pair.count = pair.course.ratio.alone > 0 && aim.length == 0 ? 1 : 2;
    const double now = size_now(from, aim, pair);
    prepare(from, now, pair.course);
    bool solved = solve(from, now, pair.last ? end_ : from.t + pair.count * now, pair);
    if (solved && kinks_.zeros && aim.length == 0) {
      solved = look_for_kinks(from, now, pair, aim);
      if (kinks_.turned && turns++ < most_turns) {
        hold(pair.sides);
        aim = {};
        continue;
      }
      if (aim.length != 0) continue;
    }
    const double error = !solved ? INFINITY : pair.count == 1 ? judge_alone(from, now, pair) : judge(from, now, pair);
    if (error <= 1) {
      if (aim.length != 0 && !on_kink(now, pair, aim)) continue;
      settle(from, now, error, pair);
      const bool short_ = std::abs(now) < steps_of_held * largest_;
      if (kinks_.zeros && (pair.end.kink || short_))
        pair.held = held(pair.end, short_ ? asked_with * largest_ : now, short_);
      return true;
    }
    rejected_ += pair.count;
    labour_.unsolved = labour_.unsolved || (!solved && !lone_);
    if (!solved) ++failures_;
    if (!solved && !lone_ && kinks_.zeros && failures_ == 1) {
      dead_end_ = held(from, std::max(std::abs(now), asked_with * largest_), true);
      if (!dead_end_.empty()) return false;
    }
    if (!solved && !lone_) labour_.too_long = now;
    pair.course.good = 0;
    pair.course.ratio.alone = 0;
    aim = {};
    if (!solved && lone_) {
      pair.course.economy.lost(now);
      h = now;
      continue;
    }
    const bool by_more = failures_ > most_little || pair.course.last.h == 0;
    const double unsolved = by_more ? options_.shrink : shorter_where_lost;
    h = now * (solved ? std::clamp(safety * std::pow(error, -1.0 / (order_ + 1)), options_.shrink, 0.9) : unsolved);
    if (!solved && kinks_.zeros && cross_kink(from, pair)) return true;
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
  labour_.iterations = step_.statistics().iterations - before.iterations;
  labour_.factorizations = step_.statistics().factorizations - before.factorizations;
  labour_.compared = check_.statistics().iterations - compared_before;
  if (!solved) made_ = 0;
  else if (staged_ && pair.count == 1) tried_ = second_;
  return solved;
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
