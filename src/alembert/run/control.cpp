#include "alembert/run/control.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/error.h"

namespace alembert::internal {

namespace {

/// Whole steps, and what is left for a shorter last one.
struct Steps {
  long whole = 0;
  double last = 0;
};

Steps divided(double t0, double end, double h) {
  const double ratio = (end - t0) / h;
  Steps steps;
  steps.whole = std::lround(ratio);
  if (std::abs(ratio - static_cast<double>(steps.whole)) > 1e-9 * std::max(1.0, std::abs(ratio)) * 1e-3 + 1e-9) {
    steps.whole = static_cast<long>(std::floor(ratio));
    steps.last = end - (t0 + static_cast<double>(steps.whole) * h);
  }
  return steps;
}

// Steps shorter than this part of the whole time would never get through it.
constexpr double shortest_part = 1e-13;
constexpr double smallest_tolerance = 1e-14, largest_tolerance = 0.1;

bool finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

class FixedSteps final : public StepControl {
 public:
  FixedSteps(Engine& engine, double t0, double end, double h, Guess guess)
      : StepControl(engine), t0_(t0), end_(end), h_(h), steps_(divided(t0, end, h)), guess_(guess) {}

  int advance(const GridPoint& from, GridPoint* to, bool& last) override {
    const bool shorter = n_ == steps_.whole;
    if (shorter) {
      const std::span<const double> here = multipliers_.at(from.t, from.state);
      if (finite(here)) step_.restart(here.data());
    }
    if (guess_ != Guess::extrapolated) guess_anew(from);
    const double t_end = shorter ? end_ : t0_ + static_cast<double>(n_ + 1) * h_;
    if (!maker_.make(step_, from, shorter ? steps_.last : h_, t_end, to[0])) return 0;
    ++n_;
    last = n_ == steps_.whole + (steps_.last != 0 ? 1 : 0);
    return 1;
  }

 private:
  void guess_anew(const GridPoint& from) {
    const std::span<const double> here = multipliers_.at(from.t, from.state);
    if (!finite(here)) return;
    values_.assign(here.begin(), here.end());
    if (guess_ == Guess::naive) std::fill_n(values_.begin(), from.state.size() - n_y_, 0.0);
    step_.guess_from(values_.data());
  }

  double t0_, end_, h_;
  Steps steps_;
  long n_ = 0;
  Guess guess_;
  std::vector<double> values_;
};

class ToleranceSteps final : public StepControl {
 public:
  ToleranceSteps(Engine& engine, const StepOptions& options, int order, double smallest, double end, double h,
                 const GridPoint& start)
      : StepControl(engine),
        options_(options),
        order_(order),
        smallest_(smallest),
        end_(end),
        h_(limited(h)),
        check_(step_.clone()),
        check_to_(start) {}

  int advance(const GridPoint& from, GridPoint* to, bool& last) override {
    const double left = end_ - from.t;
    for (;;) {
      // The last two pairs share what is left, so that none is tiny.
      double h = h_;
      last = std::abs(left) <= 2 * std::abs(h);
      if (last) h = left / 2;
      else if (std::abs(left) < 4 * std::abs(h)) h = left / 4;
      if (h != made_) begin(from, h);
      const double middle = from.t + h, t_end = last ? end_ : from.t + 2 * h;
      const bool solved = maker_.make(check_, from, 2 * h, t_end, check_to_) &&
                          maker_.make(step_, from, h, middle, to[0]) && maker_.make(step_, to[0], h, t_end, to[1]);
      const double error = solved ? estimate(from, to[1]) : INFINITY;
      const bool accepted = error <= 1;
      if (accepted) {
        h_ = resized(error);
        return 2;
      }
      rejected_ += 2;
      good_ = 0;
      h_ =
          h * (solved ? std::clamp(0.9 * std::pow(error, -1.0 / (order_ + 1)), options_.shrink, 0.9) : options_.shrink);
      if (std::abs(h_) >= smallest_) continue;
      const std::string limit = " would have to be shorter than " + to_text(smallest_);
      if (solved)
        return fail("steps" + limit + " to meet the tolerance at t = " + time_text(from.t) +
                    "; allow a larger error (`tolerance`), or shorter steps (`smallest`)");
      return fail("steps" + limit + " at t = " + time_text(maker_.failed.t) + ", for no other has a solution there");
    }
  }

  NewtonStatistics statistics() const override {
    NewtonStatistics total = step_.statistics();
    const NewtonStatistics more = check_.statistics();
    total.iterations += more.iterations;
    total.factorizations += more.factorizations;
    total.evaluations += more.evaluations;
    return total;
  }

 private:
  // The size after an error that is allowed; what the error was before says where it is going (a PI control).
  double resized(double error) {
    const double now = std::max(error, 1e-10), power = 1.0 / (order_ + 1);
    double factor = 0.9 * std::pow(now, -0.7 * power) * std::pow(std::exchange(last_error_, now), 0.4 * power);
    factor = std::clamp(factor, options_.shrink, options_.growth);
    if (++good_ < options_.good_steps) factor = std::min(factor, 1.0);
    // Nearly the same size is the same: equal steps are predicted better.
    return factor > 1.2 || factor < 0.9 ? limited(h_ * factor) : h_;
  }

  double limited(double h) const {
    return options_.largest > 0 && std::abs(h) > options_.largest ? std::copysign(options_.largest, h) : h;
  }

  void begin(const GridPoint& from, double h) {
    const std::span<const double> here = multipliers_.at(from.t, from.state);
    if (finite(here)) {
      step_.restart(here.data());
      check_.restart(here.data());
    }
    made_ = h;
  }

  // Two steps of order p are 2^p - 1 times nearer to the solution than to the one step beside them.
  double estimate(const GridPoint& from, const GridPoint& to) {
    double worst = 0;
    const auto group = [&](std::size_t first, std::size_t last, double& scale) {
      double difference = 0;
      for (std::size_t i = first; i < last; ++i) {
        scale = std::max({scale, std::abs(from.state[i]), std::abs(to.state[i])});
        const double d = std::abs(to.state[i] - check_to_.state[i]);
        if (!(d <= difference)) difference = d;  // what is no number stays
      }
      if (difference != 0) worst = std::max(worst, difference / scale);
      if (std::isnan(difference)) worst = INFINITY;
    };
    group(0, n_y_, scale_y_);
    group(n_y_, to.state.size(), scale_z_);
    return worst / (std::pow(2.0, order_) - 1) / options_.tolerance;
  }

  StepOptions options_;
  int order_;
  double smallest_, end_, h_;
  double made_ = 0;  // the size that the predictions are for
  Step<double> check_;
  GridPoint check_to_;
  double scale_y_ = 0, scale_z_ = 0, last_error_ = 1;
  long good_ = 0;
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
    last = std::abs(h) >= std::abs(left) * (1 - 1e-12);
    if (last) {
      const std::span<const double> here = multipliers_.at(from.t, from.state);
      if (finite(here)) step_.restart(here.data());
      h = left;
    }
    return maker_.make(step_, from, h, last ? end_ : from.t + h, to[0]) ? 1 : 0;
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
  if (ratio > 9e15)
    throw InputError("steps of " + to_text(h) + " are too small to reach the end " + to_text(end) + ": " +
                         time_text(ratio) + " steps",
                     "choose a larger step or an earlier end");
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
                     "'alembert methods' says which are; `control` tolerance takes every method");
  }
  if (!(o.tolerance >= smallest_tolerance && o.tolerance <= largest_tolerance))
    throw InputError("`tolerance` must be between " + to_text(smallest_tolerance) + " and " +
                         to_text(largest_tolerance) + ", not " + to_text(o.tolerance),
                     "it is the relative error that two steps may make");
  if (o.largest != 0) positive("`largest`", o.largest, 0, INFINITY, "a number above 0");
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
  return static_cast<double>(steps.whole + (steps.last != 0 ? 1 : 0));
}

int StepControl::fail(std::string words) {
  failure_ = std::move(words);
  return 0;
}

std::unique_ptr<StepControl> make_control(Engine& engine, const StepOptions& options, double end, double first_step,
                                          const GridPoint& start) {
  const double smallest = smallest_step(options, start.t, end);
  const Claims& claims = engine.method.claims;
  const int order = std::max(1, std::min(claims.order_q, claims.order_v));
  switch (options.control) {
    case Control::fixed: break;
    case Control::tolerance:
      return std::make_unique<ToleranceSteps>(engine, options, order, smallest, end, first_step, start);
    case Control::reversible: return std::make_unique<ReversibleSteps>(engine, first_step, smallest, end);
  }
  return std::make_unique<FixedSteps>(engine, start.t, end, first_step, options.guess);
}

}  // namespace alembert::internal
