#include "alembert/run/control.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/epsilon.h"
#include "alembert/base/finite.h"
#include "alembert/error.h"
#include "alembert/run/tolerance_steps.h"

namespace alembert::internal {

namespace {

/// A grid of equal steps, but for the last one.
struct Steps {
  long count = 0;
  double last = 0;  // the size of the last one; 0: as the others
};

// A rest shorter than this part of a step is no step of its own, which would be rounding for the most part; the last
// step is that much longer, or shorter where the end is just missed.
constexpr double shortest_rest = 1e-9;

// More than this cannot be told apart as double numbers, and takes centuries: a run by tolerance with a far end starts
// so.
constexpr double countable_steps = 0x1p53;
long as_count(double steps) { return static_cast<long>(steps < countable_steps ? steps : countable_steps); }

Steps divided(double t0, double end, double h) {
  if (end == t0) return {};
  const double ratio = (end - t0) / h;
  // Half a unit in the last place each of t0, end, h, of their difference and of the quotient, and as much again for
  // decimals that were meant to divide each other.
  const double rounding = 4 * epsilon * (ratio + std::abs(t0 / h));
  const double whole = std::round(ratio);
  if (whole >= 1 && std::abs(ratio - whole) <= rounding) return {as_count(whole), 0};
  const bool nearly = whole >= 1 && std::abs(ratio - whole) <= shortest_rest;
  const double before = nearly ? whole - 1 : std::floor(ratio);
  return {as_count(before) + 1, end - (t0 + before * h)};
}

// Steps shorter than this part of the whole time would never get through it.
constexpr double shortest_part = 1e-13;
// Below, the rounding of a state (1e-16 an operation) would be judged; above, nothing of a motion is followed.
constexpr double smallest_tolerance = 1e-14, largest_tolerance = 0.1;

// Kinks so near to the ends of a step, as a part of it, are at the ends: what they do in between is rounding.
constexpr double at_end = 1e-9;
// A step ends this part of it before a kink, and the next begins as far behind it: small enough for straight lines.
constexpr double margin = 1e-10;
// Across a jump of the forces a step may have no solution, and its kinks cannot be found. It is then halved this often
// at most, to a millionth.
constexpr int most_halvings = 20;
// It then comes near to the kink in ever shorter parts, and passes over it from this part of a step on.
constexpr double nearly_there = 1e-5;
// Where a motion leaves a kink to another side than was thought, the step is made again on that, so often at most: each
// time for one kink more, and where it goes to neither side it is held.
constexpr int most_turns = 3;
// More parts of a step than this are those of something that chatters; the rest is made without looking for kinks.
constexpr int most_parts = 50;
// Nor into more than this because parts of them have no solution: a motion that would have to stick goes on in parts of
// 1e-7 of a step for ever.
constexpr int most_short_parts = 500;

// From here on it is looked whether a motion is held that is not known to be in a kink.
constexpr int doubtful_parts = 4;

class FixedSteps final : public StepControl {
 public:
  FixedSteps(Engine& engine, const GridPoint& start, double t0, double end, double h, Guess guess)
      : StepControl(engine),
        t0_(t0),
        end_(end),
        h_(h),
        steps_(divided(t0, end, h)),
        guess_(guess),
        dense_(engine.kinks ? &*engine.dense : nullptr),
        kinks_(engine.kinks ? &*engine.kinks : nullptr),
        sides_(engine.sides) {
    if (kinks_) {
      kinks_->begin(start, here_);
      starts_in_kink_ = leaves_kink(start);
      held_ = held(start, h_);
    }
    if (start.t == t0) return;
    // Inside a step of the grid: the rest of it comes first.
    n_ = std::min(as_count(std::floor((start.t - t0) / h * (1 + 4 * epsilon))), steps_.count - 1);
    // What is left of it may be rounding alone.
    const double rest = (t0_ - start.t) / h_ + static_cast<double>(n_ + 1);
    if (rest < shortest_rest && n_ + 1 < steps_.count) ++n_;
    parts_ = start.t == t0_ + static_cast<double>(n_) * h_ ? 0 : 1;
  }

  int advance(const GridPoint& from, GridPoint* to, bool& last) override {
    const bool cut = steps_.last != 0 && n_ + 1 == steps_.count;
    const double t_end = cut ? end_ : t0_ + static_cast<double>(n_ + 1) * h_;
    double h = cut ? steps_.last : h_;
    if (parts_ > 0) h = t_end - from.t;
    if (!held_.empty()) return fail(held_);
    const int halvings = kinks_ ? most_halvings : 0;
    double length = h;
    for (int i = 0; !make_part(from, length, length == h ? t_end : from.t + length, to[0]); ++i) {
      if (parts_ > most_short_parts) return 0;
      if (kinks_ && i == 0) held_ = held(from, h_, true);
      if (!held_.empty()) return fail(held_);
      if (i < halvings) {
        length /= 2;
        continue;
      }
      if (!kinks_ || !kinks_->cross(from, here_, nearly_there * h, to[0], next_)) return 0;
      std::swap(here_, next_);
      made_ = 0;
      break;
    }
    const bool many = kinks_ && parts_ >= doubtful_parts;
    if (many || to[0].kink || to[0].at_kink) held_ = held(to[0], h_, many);
    to[0].on_grid = to[0].t == t_end && !to[0].kink;
    if (!to[0].on_grid) {
      ++parts_;
      return 1;
    }
    parts_ = 0;
    ++n_;
    last = n_ == steps_.count;
    return 1;
  }

  Ahead ahead() const override {
    if (kinks_ || parts_ > 0 || guess_ != Guess::extrapolated) return {};
    return {t0_, h_, n_, steps_.count - 1 - n_};
  }
  void pass(long steps) override {
    n_ += steps;
    made_ = h_;
  }

  void save(ByteWriter& out) const override {
    out.write(made_);
    out.write(here_.sides);
  }
  void load(ByteReader& in) override {
    in.read(made_);
    in.refill(here_.sides);
  }
  void archive(Archive& fields) override {
    StepControl::archive(fields);
    fields(n_, made_, parts_, starts_in_kink_, here_);
  }

 private:
  void restart(const GridPoint& from) {
    if (made_ == 0) return;  // the run begins
    const std::span<const double> here = multipliers_.at(from.t, from.state);
    if (all_finite(here)) step_.restart(here.data());
  }

  void guess_anew(const GridPoint& from) {
    const std::span<const double> here = multipliers_.at(from.t, from.state);
    if (!all_finite(here)) return;
    values_.assign(here.begin(), here.end());
    if (guess_ == Guess::naive) std::fill_n(values_.begin(), from.state.size() - n_y_, 0.0);
    step_.guess_from(values_.data());
  }

  // A step of this length, or up to the first kink in it. False where it has no solution, or parts of it have none, so
  // that kinks cannot be found.
  bool make_part(const GridPoint& from, double length, double t_end, GridPoint& to) {
    to.kink = false;
    to.at_kink = false;
    if (!kinks_) return step(from, length, t_end, to);
    const GridPoint& start = behind_kink(from, length);
    to.off_kink = &start != &from;
    const double h = length - (start.t - from.t);
    for (int i = 0;; ++i) {
      kinks_->hold(here_, sides_);
      // Across more kinks than are met both sides count.
      if (parts_ >= most_parts) kinks_->let_go(sides_);
      if (!step(start, h, t_end, to)) return false;
      dense_->begin(start, h);
      if (!kinks_->search(start, here_, to, next_, false, found_)) return false;
      if (i >= most_turns || !kinks_->turn(found_, at_end, here_)) break;
    }
    const auto inside = [](const ZeroSearch::Zero& zero) { return zero.share > at_end && zero.share < 1 - at_end; };
    const auto first = std::find_if(found_.begin(), found_.end(), inside);
    crowded_ = crowded_ || kinks_->unsure() || (first != found_.end() && parts_ >= most_parts);
    if (first != found_.end() && parts_ < most_parts) {
      if (!end_at(start, (first->share - margin) * h, to)) return false;
      kinks_->pass(to, 2 * margin * h, next_);
      for (auto zero = found_.begin(); zero != found_.end() && zero->share <= first->share + at_end; ++zero) {
        next_.sides[zero->function] = zero->side;
        next_.signs[zero->function] = 0;
      }
      to.kink = true;
    } else if (first == found_.end() && touches(next_, here_)) {
      // In the end of the step itself a force that jumps would be seen from the other side.
      if (!end_at(start, (1 - margin) * h, to)) return false;
      kinks_->pass(to, margin * h, next_, 0);
      to.t = t_end;
      kinks_->settle(to);
      to.at_kink = true;
    }
    std::swap(here_, next_);
    starts_in_kink_ = false;
    return true;
  }

  // Whether the motion begins where a function is zero, but for rounding, and leaves that.
  bool leaves_kink(const GridPoint& start) {
    next_ = here_;
    moved_ = start;
    kinks_->pass(moved_, margin * h_, next_, 1);
    return next_.signs != here_.signs;
  }

  // Whether a function that had a side has none there.
  static bool touches(const ZeroSearch::Values& there, const ZeroSearch::Values& before) {
    for (std::size_t i = 0; i < there.signs.size(); ++i)
      if (there.signs[i] == 0 && before.sides[i] != 0 && std::isfinite(there.values[i])) return true;
    return false;
  }

  // A step of this part that ends in front of a kink.
  bool end_at(const GridPoint& from, double part, GridPoint& to) {
    if (!step(from, part, from.t + part, to)) return false;
    next_.come_from(here_);
    kinks_->know(to, next_);
    to.before = to.state;
    to.t_before = to.t;
    return true;
  }

  // Where a step that begins in a kink begins instead.
  const GridPoint& behind_kink(const GridPoint& from, double length) {
    if (!from.at_kink && !starts_in_kink_) return from;
    moved_ = from;
    kinks_->pass(moved_, margin * length, here_, 1);
    return moved_;
  }

  bool step(const GridPoint& from, double h, double t_end, GridPoint& to) {
    if (h != made_) restart(from);
    made_ = h;
    if (guess_ != Guess::extrapolated) guess_anew(from);
    return maker_.make(step_, from, h, t_end, to);
  }

  double t0_, end_, h_;
  Steps steps_;
  long n_ = 0;
  double made_ = 0;  // the size of the last step
  int parts_ = 0;    // of the present step that were made
  bool starts_in_kink_ = false;
  Guess guess_;
  std::vector<double> values_;
  DenseOutput* dense_;
  ZeroSearch* kinks_;  // null where the equations have none
  std::span<double> sides_;
  ZeroSearch::Values here_, next_;
  std::vector<ZeroSearch::Zero> found_;
  GridPoint moved_;
};

/// rho_{n+1/2} = rho_{n-1/2} + step G(y_n), h_{n+1/2} = step / rho_{n+1/2}, with the density rho = 1 at the start and
/// G = d/dt log(density).
class ReversibleSteps final : public StepControl {
 public:
  ReversibleSteps(Engine& engine, double step, double smallest, double end)
      : StepControl(engine), step_size_(step), smallest_(smallest), end_(end), rate_(*engine.density) {}

  int advance(const GridPoint& from, GridPoint* to, bool& last) override {
    const double rate = rate_.at(from.t, from.state);
    rho_ += (first_ ? 0.5 : 1.0) * step_size_ * rate;
    first_ = false;
    double h = step_size_ / rho_;
    if (!std::isfinite(rate) || !(rho_ > 0) || std::abs(h) < smallest_)
      return fail(
          !std::isfinite(rate) ? "the density of steps is not a finite number above 0 at t = " + time_text(from.t)
          : rho_ > 0 ? "steps would have to be shorter than " + to_text(smallest_) + " at t = " + time_text(from.t) +
                           "; allow shorter ones (`smallest`)"
                     : "the density of steps falls too fast for steps of this size at t = " + time_text(from.t) +
                           "; try a smaller `step`");
    const double left = end_ - from.t;
    // The times before are sums of thousands of sizes: a step that ends there but for their rounding is the last.
    constexpr double rounding_of_sums = 1e-12;
    last = std::abs(h) >= std::abs(left) * (1 - rounding_of_sums);
    if (last) {
      const std::span<const double> here = multipliers_.at(from.t, from.state);
      if (all_finite(here)) step_.restart(here.data());
      h = left;
    }
    to[0].on_grid = true;
    return maker_.make(step_, from, h, last ? end_ : from.t + h, to[0]) ? 1 : 0;
  }

  void archive(Archive& fields) override {
    StepControl::archive(fields);
    fields(rho_, first_);
  }

 private:
  double step_size_, smallest_, end_;
  double rho_ = 1;
  bool first_ = true;
  DensityRate& rate_;
};

double smallest_step(const StepOptions& options, double t0, double end) {
  return options.smallest > 0 ? options.smallest : shortest_part * std::abs(end - t0);
}

}  // namespace

void check_steps(const StepOptions& o, const Method& method, double t0, double end, double h) {
  if (!std::isfinite(h) || h == 0)
    throw InputError("the step must be a finite number other than 0, not " + to_text(h),
                     "say `step` 0.01, or 'solve ... step 0.01' in the model");
  if (!std::isfinite(end)) throw InputError("the end must be a finite number, not " + to_text(end));
  const double ratio = (end - t0) / h;
  if (ratio < 0)
    throw InputError("with step " + to_text(h) + " the time never reaches the end " + to_text(end),
                     "step and end - start must have the same sign");
  if (ratio > countable_steps)
    throw InputError("steps of " + to_text(h) + " are too small to reach the end " + to_text(end) + ": " +
                         time_text(ratio) + " steps",
                     "choose a larger step or an earlier end");
  // Fewer steps than that from 0 to the start, too: else t + h is t, and rows of different states have one time.
  if (std::abs(t0 / h) > 9e15)
    throw InputError(
        "steps of " + to_text(h) + " are too small for times about " + to_text(t0) + ": rounding of the time is larger",
        "choose a larger step or an earlier start");
  if (o.most_steps < 0) throw InputError("`most_steps` must be at least 1");
  if (o.control == Control::fixed) return;
  const auto positive = [](const char* name, double value, double low, double high, const char* range) {
    if (!(value > low && value < high))
      throw InputError(std::string(name) + " must be " + range + ", not " + to_text(value));
  };
  if (o.smallest != 0) positive("`smallest`", o.smallest, 0, INFINITY, "a number above 0");
  if (o.control == Control::reversible) {
    if (method.claims.symmetric) return;
    throw InputError("`control` reversible needs a symmetric method, and " + method.name + " is none",
                     "`describe_methods()` says which are; `control` tolerance takes every method");
  }
  if (!(o.tolerance >= smallest_tolerance && o.tolerance <= largest_tolerance))
    throw InputError("`tolerance` must be between " + to_text(smallest_tolerance) + " and " +
                         to_text(largest_tolerance) + ", not " + to_text(o.tolerance),
                     "it is the relative error that a step may make");
  if (!(o.absolute >= 0 && std::isfinite(o.absolute)))
    throw InputError("`absolute` must be a number of at least 0, not " + to_text(o.absolute));
  if (o.largest != 0) positive("`largest`", o.largest, 0, INFINITY, "a number above 0");
  if (o.largest != 0 && std::abs(end - t0) / o.largest > countable_steps)
    throw InputError(
        "steps of at most `largest` " + to_text(o.largest) + " are too small to reach the end " + to_text(end),
        "allow longer steps, or choose an earlier end");
  positive("`growth`", o.growth, 1, INFINITY, "a number above 1");
  positive("`shrink`", o.shrink, 0, 1, "between 0 and 1");
  if (o.good_steps < 1) throw InputError("`good_steps` must be at least 1");
  if (o.largest != 0 && o.smallest > o.largest)
    throw InputError("`smallest` " + to_text(o.smallest) + " is above `largest` " + to_text(o.largest));
  if (std::abs(h) < o.smallest)
    throw InputError("`step` " + to_text(h) + " is below `smallest` " + to_text(o.smallest));
}

double count_steps(double t0, double end, double step) {
  const Steps steps = divided(t0, end, step);
  return static_cast<double>(steps.count);
}

int StepControl::fail(std::string words) {
  failure_ = std::move(words);
  return 0;
}

std::string StepControl::held(const GridPoint& point, double h, bool in_doubt) {
  std::string why = jumps_.held(point.t, point.state, h, in_doubt, multipliers_);
  if (why.empty() && point.kink) why = jumps_.held(point.t_before, point.before, h, in_doubt, multipliers_);
  return why.empty() ? why : "no step leads on from t = " + time_text(point.t) + ": " + why;
}

std::unique_ptr<StepControl> make_control(Engine& engine, const StepOptions& options, double end, double first_step,
                                          const GridPoint& start, double t0) {
  const double smallest = smallest_step(options, t0, end);
  const Claims& claims = engine.method.claims;
  const int order = std::max(1, std::min(claims.order_q, claims.order_v));
  switch (options.control) {
    case Control::fixed: break;
    case Control::tolerance:
      return std::make_unique<ToleranceSteps>(engine, options, order, smallest, end, first_step, start);
    case Control::reversible: return std::make_unique<ReversibleSteps>(engine, first_step, smallest, end);
  }
  return std::make_unique<FixedSteps>(engine, start, t0, end, first_step, options.guess);
}

}  // namespace alembert::internal
