// Semismooth Newton on the equations of a block.

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/decompositions.h"
#include "alembert/base/finite.h"
#include "alembert/base/nth.h"
#include "alembert/linear/linear.h"
#include "alembert/newton/semismooth_block.h"

namespace alembert::internal {

namespace {

// Up to here a dense matrix is faster than a sparse one.
constexpr int most_dense = 60;
// Of one attempt with rates that are linear; two to eight are usual. So often they are made linear anew.
constexpr int most_newton = 25, most_linearised = 20;
// Behind sweeps Newton is near where it goes: a correction behind which more is left is halved so often.
constexpr int most_halvings = 8;
// Corrections below this part of the terms of an equation are rounding. Forces of contacts that share a load may move
// among them without moving anything else: theirs count less.
constexpr double rounding_of_terms = 2e-15, weight_of_forces = 1e-5;
// Where corrections no longer shrink, this part of the largest force, and of the terms, is good enough.
constexpr double stagnant = 1e-11;

}  // namespace

/// delta = J^-1 F on what takes part. False where the matrix is singular.
bool Semismooth::Block::linear() {
  const auto n = taken.size();
  std::vector<int> start{0}, column;
  reduced.clear();
  delta.resize(n);
  diagonal.assign(n, 0);
  for (std::size_t row = 0; row < n; ++row) {
    const int i = taken[row];
    for (int k = places.row_start[i]; k < places.row_start[i + 1]; ++k) {
      const int j = number[static_cast<std::size_t>(places.column[k])];
      if (j < 0) continue;
      double value = entry(static_cast<std::size_t>(k));
      if (places.column[k] == i) {
        diagonal[row] = value;
        // What is held back is regular by itself.
        if (held == 0 || !of_contact[static_cast<std::size_t>(i)]) value += soft[static_cast<std::size_t>(i)];
      }
      column.push_back(j);
      reduced.push_back(value);
    }
    start.push_back(static_cast<int>(column.size()));
    delta[row] = F[static_cast<std::size_t>(i)];
  }
  if (n <= most_dense) {
    std::vector<double> A(n * n, 0);
    for (std::size_t row = 0; row < n; ++row)
      for (int k = start[row]; k < start[row + 1]; ++k)
        A[static_cast<std::size_t>(column[static_cast<std::size_t>(k)]) * n + row] =
            reduced[static_cast<std::size_t>(k)];
    solve_regular({A.data(), static_cast<long>(n), static_cast<long>(n)}, {delta.data(), static_cast<long>(n), 1},
                  delta.data());
    return all_finite(delta);
  }
  if (!lu || lu_taken != taken) {
    lu = std::make_shared<SparseLu>(static_cast<int>(n), start, column);
    lu_taken = taken;
  }
  if (!lu->factor(reduced.data())) return false;
  lu->solve(delta.data());
  return all_finite(delta);
}

double Semismooth::Block::force_size() const {
  double most = 0;
  for (const ContactPlace& c : contacts) {
    if (!c.active) continue;
    double sum = 0;
    for (int k = slope_pattern.row_start[c.slope]; k < slope_pattern.row_start[c.slope + 1]; ++k)
      sum += std::abs(slope[static_cast<std::size_t>(k)]) * scale[static_cast<std::size_t>(slope_pattern.column[k])];
    most = std::max(most, sum * x_weights[c.weight]);
  }
  return most;
}

/// Whether the corrections are rounding. worst: the largest, against the terms and the largest force.
bool Semismooth::Block::arrived(const double* x, double& worst) const {
  const double* const u = x + offset;
  double force = force_size();
  for (const int i : taken)
    if (of_contact[static_cast<std::size_t>(i)]) force = std::max(force, std::abs(u[i]));
  std::vector<double> largest(static_cast<std::size_t>(count) + 1, 0);
  for (const int i : taken) {
    double& size = largest[static_cast<std::size_t>(group[static_cast<std::size_t>(i)])];
    size = std::max(size, std::abs(u[i]));
  }
  worst = 0;
  bool small = true;
  for (std::size_t row = 0; row < taken.size(); ++row) {
    const auto i = static_cast<std::size_t>(taken[row]);
    double size = std::abs(u[i]);
    if (of_contact[i]) {
      size = force;
    } else if (diagonal[row] != 0) {
      double sum = std::abs(F[i]);
      for (int k = places.row_start[i]; k < places.row_start[i + 1]; ++k)
        sum += std::abs(entry(static_cast<std::size_t>(k)) * u[places.column[k]]);
      size = std::max(
          {size, sum / std::abs(diagonal[row]), scale[nth(count) + i], largest[static_cast<std::size_t>(group[i])]});
    } else {
      continue;  // follows the others
    }
    const double part = std::abs(delta[row]) / std::max(size, 1e-300) * (of_contact[i] ? weight_of_forces : 1);
    worst = std::max(worst, part);
    small = small && part <= rounding_of_terms;
  }
  return small;
}

/// What is left of the equations at u, each against `left_scale`.
double Semismooth::Block::left(const double* u) {
  evaluate(u);
  double sum = 0;
  for (const int i : taken) {
    const double part = F[static_cast<std::size_t>(i)] / left_scale[static_cast<std::size_t>(i)];
    sum += part * part;
  }
  return sum;
}

void Semismooth::Block::measure_left(const double* u) {
  double force = std::max(force_size(), 1e-300);
  left_scale.assign(static_cast<std::size_t>(count), 1);
  for (const int i : taken)
    if (of_contact[static_cast<std::size_t>(i)]) force = std::max(force, std::abs(u[i]));
  for (const int i : taken) {
    double& size = left_scale[static_cast<std::size_t>(i)];
    size = force;
    if (of_contact[static_cast<std::size_t>(i)]) continue;
    for (int m = places.row_start[i]; m < places.row_start[i + 1]; ++m)
      size += std::abs(entry(static_cast<std::size_t>(m)) * u[places.column[m]]);
  }
}

/// A part of the correction behind which less is left. F belongs to where it ends.
void Semismooth::Block::go_damped(double* u, double before) {
  double part = 1, best = INFINITY, best_part = 1;
  const std::vector<double> from(u, u + count);
  const auto go = [&] {
    for (std::size_t row = 0; row < taken.size(); ++row) u[taken[row]] = from[nth(taken[row])] - part * delta[row];
    return left(u);
  };
  for (int n = 0; n < most_halvings; ++n) {
    const double now = go();
    if (now < best) {
      best = now;
      best_part = part;
    }
    if (now < before) return;
    part /= 2;
  }
  part = best_part;
  go();
}

/// Semismooth Newton for rates that are linear: the unknowns at the end; whether it got there.
bool Semismooth::Block::iterate(double* x, NewtonResult& result, NewtonStatistics& statistics) {
  double* const u = unknowns(x);
  double last = INFINITY;
  if (damped) measure_left(u);
  for (int n = 0; n < most_newton; ++n) {
    evaluate(u);
    if (!std::all_of(taken.begin(), taken.end(),
                     [&](int i) { return std::isfinite(F[static_cast<std::size_t>(i)]); })) {
      result.outcome = Outcome::not_finite;
      return false;
    }
    ++statistics.factorizations;
    if (!linear()) {
      result.outcome = Outcome::singular;
      return false;
    }
    if (damped) go_damped(u, left(u));
    else
      for (std::size_t row = 0; row < taken.size(); ++row) u[taken[row]] -= delta[row];
    ++statistics.iterations;
    ++result.iterations;
    double worst = 0;
    const bool there = arrived(x, worst);
    result.correction = worst;
    if (there || (worst <= stagnant && worst > last / 4)) return true;
    last = worst;
  }
  result.outcome = Outcome::diverged;
  return false;
}

bool Semismooth::Block::newton(double* x, NewtonResult& result, NewtonStatistics& statistics) {
  if (taken.empty()) return true;
  const double* const u = unknowns(x);
  double last = INFINITY;
  for (int n = 0; n < most_linearised; ++n) {
    ++statistics.evaluations;
    if (!iterate(x, result, statistics)) return false;
    if (linear_in_unknowns) return true;
    // How far the solution is from where the rates were made linear.
    delta.resize(taken.size());
    for (std::size_t row = 0; row < taken.size(); ++row)
      delta[row] = u[taken[row]] - point[static_cast<std::size_t>(taken[row])];
    double worst = 0;
    const bool there = arrived(x, worst);
    if (there || (worst <= stagnant && worst > last / 4)) return true;
    last = worst;
    take(x);
  }
  result.outcome = Outcome::diverged;
  return false;
}

}  // namespace alembert::internal
