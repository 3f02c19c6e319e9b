#include "alembert/start/metrics.h"

#include <algorithm>

#include "alembert/base/lists.h"
#include "alembert/start/dense.h"

namespace alembert::internal {

namespace {

/// What has no mass moves before what has: its share of the largest mass, as small as the projection, which works with
/// square roots of masses, can take without loss of half its digits.
constexpr double light = 1e-6;
/// Stands for the largest mass where there is none at all; its products with `light` are normal numbers.
constexpr double least_mass = 1e-290;

/// The matrix, widened to n, with something light on the diagonal of empty rows.
SparseRows with_light_diagonal(const SparseRows& matrix, int n) {
  const double weight = light * std::max(max_abs(matrix.value), least_mass);
  SparseRows result;
  result.rows = n;
  result.columns = n;
  for (int i = 0; i < n; ++i) {
    bool any = false;
    for (int k = i < matrix.rows ? matrix.row_start[i] : 0; i < matrix.rows && k < matrix.row_start[i + 1]; ++k) {
      result.column.push_back(matrix.column[k]);
      result.value.push_back(matrix.value[k]);
      any = any || matrix.value[k] != 0;
    }
    if (!any) {
      result.column.push_back(i);
      result.value.push_back(weight);
    }
    result.row_start.push_back(static_cast<int>(result.column.size()));
  }
  return result;
}

}  // namespace

MassMetric::MassMetric(const Equations& e, bool massless, std::size_t velocity_unknowns)
    : hamiltonian_(e.form == Form::hamiltonian),
      of_mass_(e.form == Form::lagrangian || e.v == e.z),
      massless_(massless),
      n_y_(static_cast<int>(e.y.size())),
      n_z_(static_cast<int>(e.z.size())),
      velocity_unknowns_(static_cast<int>(velocity_unknowns)),
      mass_(joined<Expr>(e.t, e.y, e.z, e.z_dot), e.inertial, e.z_dot) {
  if (hamiltonian_) mobility_.emplace(joined<Expr>(e.t, e.y, e.z), e.v, e.z);
}

Metrics MassMetric::at(const State& state) const {
  Metrics metrics;
  if (hamiltonian_) {
    const SparseRows H_pp = mobility(state);
    metrics.positions = metric_from(H_pp, true);
    metrics.velocities = metric_from(H_pp, false);
  } else if (of_mass_) {
    metrics.positions = metric_from(mass(state), false);
    metrics.velocities = metrics.positions;
  }
  if (massless_ && n_y_ == n_z_) {
    const SparseRows M = mass(state);
    metrics.positions = metric_from(with_light_diagonal(M, n_y_), false);
    metrics.velocities = metric_from(with_light_diagonal(M, velocity_unknowns_), false);
  }
  // Auxiliary variables move before everything else.
  if (of_mass_ && n_y_ > n_z_) metrics.positions = metric_from(with_light_diagonal(mass(state), n_y_), false);
  if (metrics.positions.rows != n_y_) metrics.positions = identity_rows(n_y_);
  if (metrics.velocities.rows != velocity_unknowns_) metrics.velocities = identity_rows(velocity_unknowns_);
  return metrics;
}

SparseRows MassMetric::mass(const State& state) const {
  std::vector<double> in = flat(state);
  in.resize(in.size() + static_cast<std::size_t>(n_z_), 0.0);
  return mass_(in);
}

SparseRows MassMetric::mobility(const State& state) const { return mobility_.value()(flat(state)); }

void MassMetric::bind(const double* parameters) {
  mass_.bind(parameters);
  if (mobility_) mobility_->bind(parameters);
}

}  // namespace alembert::internal
