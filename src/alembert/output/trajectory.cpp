#include "alembert/trajectory.h"

#include <algorithm>

#include "alembert/output/columns.h"

namespace alembert {

void Recorder::begin(const Columns& columns, const RunDescription& run) {
  trajectory = {run, columns, std::vector<std::vector<double>>(columns.names.size()), {}, 1, ""};
  count_ = 0;
}

void Recorder::row(std::span<const double> values) {
  last_.assign(values.begin(), values.end());
  if (count_++ % trajectory.every != 0) return;
  for (std::size_t i = 0; i < trajectory.values.size(); ++i) trajectory.values[i].push_back(values[i]);
  if (trajectory.rows() < most_) return;
  for (std::vector<double>& list : trajectory.values) {
    for (std::size_t i = 0; 2 * i < list.size(); ++i) list[i] = list[2 * i];
    list.resize((list.size() + 1) / 2);
  }
  trajectory.every *= 2;
}

void Recorder::event(int number, std::span<const double> values) {
  trajectory.events.push_back({number, {values.begin(), values.end()}});
}

void Recorder::end() {
  // The end of a run is always shown.
  if (last_.empty() || trajectory.rows() == 0 || trajectory.t().back() == last_[0]) return;
  for (std::size_t i = 0; i < trajectory.values.size(); ++i) trajectory.values[i].push_back(last_[i]);
}

namespace internal {
namespace {

bool is_multiplier(const std::string& name) { return name.starts_with("lambda.") || name.starts_with("psi."); }
bool is_momentum(const std::string& name) { return name.starts_with("p."); }
bool is_velocity(const std::string& name) { return name.ends_with('\''); }
bool is_port(const std::string& name) {
  return name.starts_with("input.") || name.starts_with("energy.") || name == "balance.stored";
}

}  // namespace

Columns columns_from_names(const std::vector<std::string>& names, const std::vector<std::string>& observed) {
  const int count = static_cast<int>(names.size());
  // Chosen columns have lost their landmark: all of them are just columns.
  if (std::find(names.begin(), names.end(), "residual.position") == names.end()) {
    Columns columns;
    columns.names = names;
    for (ColumnRange* range : {&columns.coordinates, &columns.velocities, &columns.momenta, &columns.multipliers,
                               &columns.energy, &columns.residuals, &columns.invariants})
      *range = {1, 1};
    columns.observed = {1, count};
    columns.ports = {count, count};
    return columns;
  }
  // The first column from `from` on that fits; `limit` where none does before it.
  const auto find = [&](int from, int limit, const auto& fits) {
    const auto begin = names.begin() + from, end = names.begin() + std::max(from, limit);
    return static_cast<int>(std::find_if(begin, end, fits) - names.begin());
  };
  const int residuals = find(1, count, [](const std::string& name) { return name == "residual.position"; });
  const bool has_energy = residuals > 1 && residuals < count && names[residuals - 1] == "energy";
  const int energy = has_energy ? residuals - 1 : residuals;
  const int multipliers = find(1, energy, is_multiplier);
  const int momenta = find(1, multipliers, is_momentum);
  int velocities = find(1, momenta, is_velocity);
  // Without velocities: as many momenta as coordinates.
  if (velocities == momenta) velocities = 1 + (momenta - 1) / 2;
  const int invariants = std::min(count, residuals + 3);
  const int ports = find(invariants, count, is_port);
  int first_observed = ports;
  while (first_observed > invariants &&
         std::find(observed.begin(), observed.end(), names[first_observed - 1]) != observed.end())
    --first_observed;

  Columns columns;
  columns.names = names;
  columns.coordinates = {1, velocities};
  columns.velocities = {velocities, momenta};
  columns.momenta = {momenta, multipliers};
  columns.multipliers = {multipliers, energy};
  columns.energy = {energy, residuals};
  columns.residuals = {residuals, invariants};
  columns.invariants = {invariants, first_observed};
  columns.observed = {first_observed, ports};
  columns.ports = {ports, count};
  return columns;
}

}  // namespace internal
}  // namespace alembert
