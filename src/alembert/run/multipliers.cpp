#include "alembert/run/multipliers.h"

#include <algorithm>
#include <cmath>

#include "alembert/base/bytes.h"
#include "alembert/base/lists.h"
#include "alembert/newton/rounding.h"
#include "alembert/start/reduced.h"

namespace alembert::internal {

namespace {

std::vector<double> all_values(const InitialValues& initial, double t0) {
  return joined<double>(t0, initial.y, initial.z, initial.z_dot, initial.lambda, initial.psi);
}

/// Linear equations have one solution, which is best found from zero: nothing cancels. Others are given that of the
/// start: at zero roots of reactions have no derivative.
std::vector<double> guess_at(const InitialValues& initial, bool linear) {
  std::vector<double> guess = joined<double>(initial.z_dot, initial.lambda, initial.psi);
  if (linear) std::fill(guess.begin(), guess.end(), 0.0);
  return guess;
}

}  // namespace

Multipliers::Multipliers(const Equations& e, const InitialValues& initial, double t0, NewtonOptions options)
    : Multipliers(e, AccelerationSystem(e), initial, t0, options) {}

Multipliers::Multipliers(const Equations& e, const AccelerationSystem& accelerations, const InitialValues& initial,
                         double t0, NewtonOptions options)
    : inputs_(1 + e.y.size() + e.z.size()),
      n_y_(e.y.size()),
      n_z_(e.z.size()),
      massless_(!initial.hidden.empty()),
      guess_(guess_at(initial, accelerations.linear())),
      x_(all_values(initial, t0)),
      reduced_(std::make_shared<const ImplicitEquations>(reduced_system(e))),
      newton_(*reduced_, x_, options, &accelerations.matrix()),
      accelerations_(accelerations) {}

Multipliers::Multipliers(const Multipliers& other)
    : inputs_(other.inputs_),
      n_y_(other.n_y_),
      n_z_(other.n_z_),
      massless_(other.massless_),
      guess_(other.guess_),
      x_(other.x_),
      reduced_(other.reduced_),
      parameters_(other.parameters_),
      newton_(other.newton_.clone()),
      accelerations_(other.accelerations_) {
  take_order(other);
}

void Multipliers::take_order(const Multipliers& other) {
  if (newton_.memoryless()) return;
  ByteWriter out;
  other.newton_.save(out);
  ByteReader in(out.bytes());
  newton_.load(in);
}

void Multipliers::bind(const double* parameters) {
  parameters_ = parameters;
  balances_.bind(parameters);
  newton_.bind(parameters);
  accelerations_.bind(parameters);
}

void Multipliers::begin(const InitialValues& initial, double t0) {
  x_ = all_values(initial, t0);
  massless_ = !initial.hidden.empty();
  guess_ = guess_at(initial, accelerations_.linear());
}

void Multipliers::save(ByteWriter& out) const {
  out.write(guess_);
  if (!newton_.memoryless()) newton_.save(out);
}

void Multipliers::load(ByteReader& in) {
  in.refill(guess_);
  if (!newton_.memoryless()) newton_.load(in);
}

bool Multipliers::by_least_squares(double t, std::span<const double> state) {
  const auto middle = state.begin() + static_cast<long>(n_y_);
  const State here{t, {state.begin(), middle}, {middle, state.end()}};
  const std::vector<double> guess(x_.size() - inputs_ - n_z_, 0.0);
  const Accelerations found = accelerations_.solve(here, guess, massless_);
  if (found.z_dot.size() != n_z_ || !(found.solved || massless_)) return false;
  failed_ = found.z_dot;
  failed_.insert(failed_.end(), found.multipliers.begin(), found.multipliers.end());
  return true;
}

// How much the balances change when all accelerations change by one, or by one with signs that alternate: of the size
// of the masses, without their derivatives.
void Multipliers::measure_masses() {
  masses_.assign(n_z_, 0.0);
  std::vector<double> changed(n_z_), work(balances_.work()), values(n_z_);
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> moved = x_;
    double step = 1;
    for (std::size_t i = 0; i < n_z_; ++i, step *= sign) moved[inputs_ + i] += step;
    balances_(x_.data(), values.data(), work.data());
    balances_(moved.data(), changed.data(), work.data());
    for (std::size_t i = 0; i < n_z_; ++i) masses_[i] = std::max(masses_[i], std::abs(changed[i] - values[i]));
  }
}

std::span<const double> Multipliers::rounding() {
  if (errors_.empty()) {
    const std::span<const Expr> rows(reduced_->equations.data(), n_z_);
    balances_ = Kernel<double>(joined<Expr>(reduced_->inputs, reduced_->unknowns), rows, interpreted);
    balances_.bind(parameters_);
  }
  errors_.resize(n_z_);
  measure_masses();
  std::vector<double> values(n_z_);
  rounding_levels(balances_.tape(), x_.data(), values.data(), errors_.data(), parameters_);
  for (std::size_t i = 0; i < n_z_; ++i) errors_[i] = masses_[i] > 0 ? errors_[i] / masses_[i] : 0;
  return errors_;
}

std::span<const double> Multipliers::at(double t, std::span<const double> state) {
  x_[0] = t;
  std::copy(state.begin(), state.end(), x_.begin() + 1);
  const std::span<double> values(x_.data() + inputs_, x_.size() - inputs_);
  std::copy(guess_.begin(), guess_.end(), values.begin());
  newton_.start_afresh();
  // A contradiction is that of a singular position, where the multipliers are what can be said.
  const Outcome outcome = newton_.solve(x_.data()).outcome;
  if (outcome == Outcome::converged && accelerations_.linear()) refine();
  if (outcome != Outcome::converged && outcome != Outcome::contradiction) {
    if (by_least_squares(t, state)) return failed_;
    failed_.assign(values.size(), std::nan(""));
    return failed_;
  }
  return values;
}

// From zero linear equations are solved at once, with the rounding of the matrix; once more, with that of their sums.
void Multipliers::refine() {
  std::copy(x_.begin(), x_.end(), once_.begin());
  if (newton_.solve(x_.data()).outcome != Outcome::converged) std::copy(once_.begin(), once_.end(), x_.begin());
}

}  // namespace alembert::internal
