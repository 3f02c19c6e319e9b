#include "alembert/run/state_ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "alembert/base/finite.h"

namespace alembert::internal {

namespace {

// An entry that moves less is compared with this part of the range of its vector, or of all of its kind.
constexpr double part_of_vector = 0.1;
constexpr double part_of_kind = 1e-9;
// One that changes by less than this part of its size stands still, as the rates of a disk that rolls evenly do, unless
// it lies far from all that moves.
constexpr double part_of_size = 0.01;
// Errors of companion and parts below this many units of rounding are none.
constexpr double rounding_units = 1000;
constexpr double rounding_of_size = rounding_units * std::numeric_limits<double>::epsilon();

std::vector<int> groups_of(const ReportNames& names, std::size_t n_y, std::size_t n) {
  std::vector<int> group(n);
  for (std::size_t i = 0; i < n; ++i) group[i] = static_cast<int>(i);
  // The single entries have names like "r[2,1]" and "r[2,1]'": those of one vector or family begin alike.
  std::map<std::pair<bool, std::string>, int> first;
  for (std::size_t i = 0; i < std::min(n, names.states.size()); ++i) {
    std::string name = names.states[i];
    if (name.ends_with('\'')) name.pop_back();
    const std::size_t whole = name.size();
    while (name.ends_with(']')) name.resize(name.rfind('['));  // of link[2].r[1] the last
    if (name.size() == whole) continue;
    group[i] = first.try_emplace({i < n_y, name}, static_cast<int>(i)).first->second;
  }
  return group;
}

}  // namespace

StateRanges::StateRanges(const ReportNames& names, std::size_t n_y, std::span<const double> state)
    : n_y_(n_y), low_(state.begin(), state.end()), high_(low_), group_(groups_of(names, n_y, state.size())) {}

void StateRanges::add(std::span<const double> state) {
  for (std::size_t i = 0; i < state.size(); ++i) {
    low_[i] = std::min(low_[i], state[i]);
    high_[i] = std::max(high_[i], state[i]);
  }
}

// Where all are constant but for rounding, none has a range: then their size.
double StateRanges::largest(std::size_t first, std::size_t last) const {
  double most = 0, largest = 0;
  for (std::size_t i = first; i < last; ++i) {
    most = std::max(most, high_[i] - low_[i]);
    largest = std::max(largest, size(i));
  }
  return most > rounding_of_size * largest ? most : largest;
}

double StateRanges::farthest() const {
  double most = 0;
  for (std::size_t i = 0; i < n_y_; ++i) most = std::max(most, size(i));
  return most;
}

double StateRanges::size(std::size_t i) const { return std::max(std::abs(low_[i]), std::abs(high_[i])); }

double StateRanges::rounding(std::size_t i) const { return rounding_of_size * size(i); }

bool StateRanges::rest_beside(const std::vector<double>& forces, double time) const {
  if (forces.empty()) return false;
  const double most = *std::max_element(forces.begin(), forces.end());
  for (std::size_t i = 0; i < low_.size(); ++i) {
    const double moved = high_[i] - low_[i], allowed = rounding_of_forces * (i < n_y_ ? most * time : forces[i - n_y_]);
    if (moved > std::max(allowed, rounding(i))) return false;
  }
  return true;
}

std::vector<double> balanced_forces(Multipliers& multipliers, const GridPoint& at, std::size_t n_y, double h) {
  // Where nothing acts there is still the rounding of what acts elsewhere, by this share.
  constexpr double shared = 1e-6;
  const std::span<const double> here = multipliers.at(at.t, at.state);
  if (!all_finite(here)) return {};
  const std::vector<double> rates(here.begin(), here.begin() + static_cast<long>(at.state.size() - n_y));
  std::vector<double> made;
  for (const double rounding : multipliers.rounding())
    made.push_back(std::isfinite(rounding) ? rounding / std::numeric_limits<double>::epsilon() : 0);
  const double most = made.empty() ? 0 : *std::max_element(made.begin(), made.end());
  for (std::size_t j = 0; j < made.size(); ++j) {
    made[j] = std::max(made[j], shared * most);
    if (std::abs(rates[j]) > rounding_of_forces * made[j]) return {};
    made[j] *= std::abs(h);
  }
  return made;
}

std::vector<double> StateRanges::scales() const {
  std::vector<double> in_vector(low_.size(), 0);
  for (std::size_t i = 0; i < low_.size(); ++i) {
    double& most = in_vector[group_[i]];
    most = std::max(most, high_[i] - low_[i]);
  }
  const double q = positions(), v = velocities();
  std::vector<double> scales(low_.size());
  for (std::size_t i = 0; i < low_.size(); ++i) {
    const double kind = i < n_y_ ? q : v;
    scales[i] = std::max({high_[i] - low_[i], part_of_vector * in_vector[group_[i]],
                          part_of_size * std::min(size(i), kind), part_of_kind * kind});
  }
  return scales;
}

// An entry that stands still does not count.
double StateRanges::resolution() const {
  const double range[2] = {positions(), velocities()};
  double most = 1;
  for (std::size_t i = 0; i < low_.size(); ++i)
    if (high_[i] - low_[i] > rounding(i)) most = std::max(most, size(i) / range[i < n_y_ ? 0 : 1]);
  return most;
}

}  // namespace alembert::internal
