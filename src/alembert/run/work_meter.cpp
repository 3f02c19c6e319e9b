#include "alembert/run/work_meter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/derive/work.h"
#include "alembert/expr/derivative.h"

namespace alembert::internal {

namespace {

// Of powers that are sums of a hundred terms.
constexpr double rounding_of_powers = 1e-12;
// Points whose distances differ by more than this are not on one polynomial: rounding in the close ones would grow by
// the fifth power of it in the others.
constexpr double most_uneven = 30;

/// The integral from a to b of the polynomial of degree 5 at most through the points (t[i], f[i]).
double integral_over(std::size_t n, const std::array<double, 6>& t, std::array<double, 6> f, double a, double b) {
  for (std::size_t level = 1; level < n; ++level)
    for (std::size_t i = n - 1; i >= level; --i) f[i] = (f[i] - f[i - 1]) / (t[i] - t[i - level]);
  // Gauss's formula with three points is exact for it.
  constexpr double place = 0.7745966692414834, outer = 5.0 / 18, inner = 8.0 / 18;  // sqrt(3/5)
  const auto value = [&](double x) {
    double sum = f[n - 1];
    for (std::size_t i = n - 1; i-- > 0;) sum = sum * (x - t[i]) + f[i];
    return sum;
  };
  const double middle = (a + b) / 2, half = (b - a) / 2;
  return (b - a) * (outer * (value(middle - place * half) + value(middle + place * half)) + inner * value(middle));
}

}  // namespace

WorkMeter::WorkMeter(const Equations& e, KernelOptions options)
    : with_multipliers_(depends(work_powers(e), joined<Expr>(e.lambda, e.psi))),
      multipliers_(e.lambda.size() + e.psi.size()),
      kernel_(joined<Expr>(e.t, e.y, e.z, e.lambda, e.psi), work_powers(e), options),
      in_(kernel_.inputs(), 0.0),
      work_(kernel_.work()) {
  last_.reserve(points);
  restart();
}

void WorkMeter::restart() {
  begun_ = false;
  last_.clear();
  from_ = 0;
  friction_.assign(kernel_.outputs() - 2, 0);
  settled_ = {0, 0, friction_};
  account_ = {};
  off_ = 0;
  sure_ = false;
  gained_ = 0;
  unknown_ = 0;
  most_ = 0;
  least_ = 0;
}

void WorkMeter::add(const Work& work, Work& to) {
  to.dissipated += work.dissipated;
  to.supplied += work.supplied;
  for (std::size_t i = 0; i < work.friction.size(); ++i) to.friction[i] += work.friction[i];
}

void WorkMeter::go_on(double jump) {
  if (last_.size() > 1) { add(between(from_, last_.size() - 1), settled_); }
  first_energy_ += jump;
  last_.clear();
  from_ = 0;
}

// A force that only ever takes energy, -c*x', is what its user calls damping.
void count_as_damping(EnergyAccount& account, double most, double least) {
  if (!(least < 0 && most <= -rounding_of_powers * least)) return;
  account.dissipated -= account.supplied;
  account.supplied = 0;
}

EnergyAccount WorkMeter::account() const {
  EnergyAccount account = account_;
  if (!(off_ <= account.error)) account.error = off_;
  // What differs from 0 by rounding alone is 0.
  const double size = std::max(std::abs(account.dissipated), std::abs(account.supplied));
  for (double* part : {&account.dissipated, &account.supplied})
    if (std::abs(*part) <= rounding_of_powers * size) *part = 0;
  return account;
}

WorkMeter::Sample WorkMeter::sample(double t, std::span<const double> state, Multipliers& multipliers) {
  in_[0] = t;
  std::copy(state.begin(), state.end(), in_.begin() + 1);
  if (with_multipliers_) {
    const std::span<const double> here = multipliers.at(t, state);
    std::copy(here.end() - static_cast<std::ptrdiff_t>(multipliers_), here.end(),
              in_.end() - static_cast<std::ptrdiff_t>(multipliers_));
  }
  rates_.resize(kernel_.outputs());
  kernel_(in_.data(), rates_.data(), work_.data());
  most_ = std::max(most_, rates_[1]);
  least_ = std::min(least_, rates_[1]);
  return {t, rates_[0], rates_[1], {rates_.begin() + 2, rates_.end()}};
}

WorkMeter::Work WorkMeter::between(std::size_t first, std::size_t last) const {
  std::array<double, points> t, dissipated, supplied;
  const std::size_t n = last_.size();
  for (std::size_t i = 0; i < n; ++i) {
    t[i] = last_[i].t;
    dissipated[i] = last_[i].dissipated;
    supplied[i] = last_[i].supplied;
  }
  Work work{integral_over(n, t, dissipated, t[first], t[last]), integral_over(n, t, supplied, t[first], t[last]), {}};
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    std::array<double, points> power{};
    for (std::size_t i = 0; i < n; ++i) power[i] = last_[i].friction[k];
    work.friction.push_back(integral_over(n, t, power, t[first], t[last]));
  }
  return work;
}

// From the last point to this one; by straight lines, for it is a scale only.
void WorkMeter::gain(const Sample& now) {
  if (last_.empty()) return;
  const auto positive = [](const Sample& at) { return std::max(0.0, at.supplied - at.dissipated); };
  gained_ += (positive(last_.back()) + positive(now)) / 2 * std::abs(now.t - last_.back().t);
}

bool WorkMeter::uneven(double next) const {
  if (last_.size() < 2) return false;
  const double before = std::abs(last_.back().t - last_[last_.size() - 2].t), now = std::abs(next - last_.back().t);
  return now > most_uneven * before || before > most_uneven * now;
}

// What lies in the middle of the points is known best, and stays.
void WorkMeter::make_room() {
  if (last_.size() < points) return;
  add(between(from_, middle + 1), settled_);
  from_ = middle;
  last_.erase(last_.begin());
}

void WorkMeter::take(double t, std::span<const double> state, double energy, std::span<const double> work,
                     Multipliers& multipliers) {
  if (last_.size() > 1) go_on(0);
  Sample now = sample(t, state, multipliers);
  const bool known = std::all_of(work.begin(), work.end(), [](double part) { return std::isfinite(part); });
  unknown_ = known ? 0 : unknown_ + 1;
  if (!known) return;
  gain(now);
  add({work[0], work[1], {work.begin() + 2, work.end()}}, settled_);
  last_.clear();
  from_ = 0;
  last_.push_back(std::move(now));
  settle(settled_, energy);
  sure_ = true;
  if (!(off_ <= account_.error)) account_.error = off_;
}

void WorkMeter::settle(const Work& all, double energy) {
  account_.dissipated = all.dissipated;
  account_.supplied = all.supplied;
  friction_ = all.friction;
  off_ = std::abs(energy - first_energy_ - account_.supplied + account_.dissipated);
}

void WorkMeter::look(double t, std::span<const double> state, double energy, Multipliers& multipliers) {
  if (!std::exchange(begun_, true)) first_energy_ = energy;
  else if (!last_.empty() && t == last_.back().t) return;
  Sample now = sample(t, state, multipliers);
  const bool known = std::isfinite(now.dissipated) && std::isfinite(now.supplied);
  unknown_ = known ? 0 : unknown_ + 1;
  if (!known) return;
  gain(now);
  if (uneven(t)) {
    Sample last = last_.back();
    go_on(0);
    last_.push_back(std::move(last));
  }
  make_room();
  last_.push_back(std::move(now));
  if (last_.size() == 1) return;
  Work all = between(from_, last_.size() - 1);
  add(settled_, all);
  settle(all, energy);
  // Through few points the power is known badly; in the end the account must say by how much.
  sure_ = last_.size() == points;
  if (sure_ && !(off_ <= account_.error)) account_.error = off_;
}

}  // namespace alembert::internal
