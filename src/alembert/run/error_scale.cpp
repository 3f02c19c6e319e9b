#include "alembert/run/error_scale.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "alembert/base/epsilon.h"
#include "alembert/base/lists.h"

namespace alembert::internal {

namespace {

// What a quantity was counts for this much less after each two steps: an oscillation passes zero within a few of them.
constexpr double forget = 0.9;
// What it once was counts for a thousandth, so that what has died away need not be followed for ever; it too is
// forgotten, in some hundred steps.
constexpr double once = 1e-3;
constexpr double forget_once = 0.99;
// Where a motion starts from rest some quantities grow like t^2, others like t^8: their own size says nothing at first.
constexpr double negligible = 1e-6;
// Simpson's rule misses so much of an oscillation, as a part of it, in two steps of 2 radians each: longer than any
// step that a tolerance allows.
constexpr double misfit = 0.25;
// What a force at an end counts in a step, as in that rule: it may jump there.
constexpr double end_weight = 1.0 / 3;
// Of what moves with it; a wall changes more than that.
constexpr double slight_change = 0.01;
// Below this nothing is followed: what an input far in the future adds to a body at rest, whose digits numbers that
// small do not have.
constexpr double smallest = 1e-100;
// Sums of a step round a few times.
constexpr double roundings = 16;
// A longer list is a family of numbers rather than a vector.
constexpr int longest_vector = 4;

/// "q[2,1]" -> "q[2,": entries of one vector are alike but for the last number.
std::string vector_of(const std::string& name) {
  const std::size_t open = name.rfind('[');
  if (open == std::string::npos) return "";
  const std::size_t comma = name.rfind(',');
  return name.substr(0, comma != std::string::npos && comma > open ? comma + 1 : open + 1);
}

void add_groups(const std::vector<std::string>& names, int offset, std::vector<int>& first) {
  const int n = static_cast<int>(names.size());
  for (int i = 0; i < n;) {
    const std::string vector = vector_of(names[i]);
    int end = i + 1;
    while (!vector.empty() && end < n && vector_of(names[end]) == vector) ++end;
    const bool together = end - i <= longest_vector;
    for (int j = i; j < end; ++j)
      if (!together || j == i) first.push_back(offset + j);
    i = end;
  }
}

int root(std::vector<int>& parent, int i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

/// Entries of the state that the equations connect, directly or by others, have the same number.
std::vector<int> clusters(const Equations& e) {
  const Exprs state = joined<Expr>(e.y, e.z);
  const Exprs unknowns = joined<Expr>(e.z_dot, e.lambda, e.psi);
  std::vector<int> parent(e.graph->size());
  std::iota(parent.begin(), parent.end(), 0);
  std::vector<bool> moves(parent.size(), false);  // depends on the state
  for (const Expr s : joined<Expr>(state, unknowns)) moves[s.id()] = true;
  const Exprs rows = joined<Expr>(e.v, e.p, e.g, e.k, e.reduced);
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    if (moves[a] && moves[b]) parent[root(parent, static_cast<int>(a))] = root(parent, static_cast<int>(b));
  };
  for (const std::uint32_t id : reachable(rows)) {
    const Node& node = e.graph->node(id);
    const int operands = operand_count(node.op);
    if (operands > 0) moves[id] = moves[id] || moves[node.a];
    if (operands > 1) moves[id] = moves[id] || moves[node.b];
    if (operands > 0) join(id, node.a);
    if (operands > 1) join(id, node.b);
  }
  for (std::size_t i = 0; i < e.y.size(); ++i) join(e.y[i].id(), e.v[i].id());
  for (std::size_t i = 0; i < e.z.size(); ++i) {
    join(e.z[i].id(), e.p[i].id());
    join(e.z[i].id(), e.z_dot[i].id());
  }
  std::map<std::pair<int, bool>, int> numbers;
  std::vector<int> result;
  for (std::size_t i = 0; i < state.size(); ++i) {
    const int in = root(parent, static_cast<int>(state[i].id()));
    const int next = static_cast<int>(numbers.size());
    result.push_back(numbers.try_emplace({in, i < e.y.size()}, next).first->second);
  }
  return result;
}

}  // namespace

ErrorScale::ErrorScale(const Equations& e, double relative, double absolute, const GridPoint& start)
    : n_y_(e.y.size()),
      relative_(relative),
      absolute_(absolute),
      cluster_(clusters(e)),
      rounding_(start.state.size(), 0.0),
      disturbed_(start.state.size()) {
  add_groups(e.y_names, 0, first_);
  add_groups(e.z_names, static_cast<int>(n_y_), first_);
  first_.push_back(static_cast<int>(start.state.size()));
  recent_.assign(first_.size() - 1, 0.0);
  lasting_.assign(first_.size() - 1, 0.0);
  largest_.assign(cluster_.size(), 0.0);
  changes_.assign(cluster_.size(), 0.0);
  accept(start, start);
}

double ErrorScale::size(const GridPoint& point, std::size_t group) const {
  double largest = 0;
  for (int i = first_[group]; i < first_[group + 1]; ++i) largest = std::max(largest, std::abs(point.state[i]));
  return largest;
}

double ErrorScale::size(const GridPoint& from, const GridPoint& to, std::size_t group) const {
  return std::max({size(from, group), size(to, group), recent_[group], once * lasting_[group]});
}

double ErrorScale::rounding(int entry) const {
  return roundings * epsilon * largest_[cluster_[entry]] + rounding_[entry];
}

void ErrorScale::measure_changes(const GridPoint& from, const GridPoint& to) {
  std::fill(changes_.begin(), changes_.end(), 0.0);
  for (std::size_t i = 0; i < cluster_.size(); ++i) {
    double& change = changes_[cluster_[i]];
    change = std::max(change, std::abs(to.state[i] - from.state[i]));
  }
}

double ErrorScale::error(const GridPoint& from, const GridPoint& to, const GridPoint& other) {
  measure_changes(from, to);
  double worst = 0;
  for (std::size_t group = 0; group + 1 < first_.size(); ++group) {
    const double allowed = absolute_ + smallest + relative_ * size(from, to, group);
    for (int i = first_[group]; i < first_[group + 1]; ++i) {
      const double difference = std::abs(to.state[i] - other.state[i]);
      if (!std::isfinite(difference)) return INFINITY;
      if (difference == 0) continue;
      worst = std::max(worst, difference / (allowed + negligible * relative_ * changes_[cluster_[i]] + rounding(i)));
    }
  }
  return worst;
}

bool ErrorScale::fits(const GridPoint& from, const GridPoint& to, double h, std::span<const double> rates_from,
                      std::span<const double> rates_middle, std::span<const double> rates_to) const {
  for (std::size_t group = 0; group + 1 < first_.size(); ++group) {
    if (first_[group] < static_cast<int>(n_y_)) continue;
    const double now = size(from, to, group);
    for (int i = first_[group]; i < first_[group + 1]; ++i) {
      const std::size_t j = i - n_y_;
      const double allowed = absolute_ + misfit * std::max(now, slight_change * changes_[cluster_[i]]);
      const double expected = h / 3 * (rates_from[j] + 4 * rates_middle[j] + rates_to[j]);
      if (std::abs(to.state[i] - from.state[i] - expected) > allowed + rounding(i)) return false;
    }
  }
  return true;
}

bool ErrorScale::slight(const GridPoint& from, const GridPoint& to, std::span<const double> defects) const {
  for (std::size_t group = 0; group + 1 < first_.size(); ++group) {
    if (first_[group] < static_cast<int>(n_y_)) continue;
    const double now = size(from, to, group);
    for (int i = first_[group]; i < first_[group + 1]; ++i) {
      const double allowed = absolute_ + misfit * std::max(now, slight_change * changes_[cluster_[i]]);
      if (!(end_weight * defects[i] <= allowed + rounding(i) + smallest)) return false;
    }
  }
  return true;
}

void ErrorScale::accept(const GridPoint& from, const GridPoint& to) {
  for (std::size_t group = 0; group + 1 < first_.size(); ++group) {
    const double now = std::max(size(from, group), size(to, group));
    recent_[group] = std::max(now, forget * recent_[group]);
    lasting_[group] = std::max(now, forget_once * lasting_[group]);
  }
  std::fill(largest_.begin(), largest_.end(), 0.0);
  for (std::size_t i = 0; i < cluster_.size(); ++i) {
    double& largest = largest_[cluster_[i]];
    largest = std::max(largest, std::abs(to.state[i]));
  }
  std::fill(rounding_.begin(), rounding_.end(), 0.0);
}

void ErrorScale::measure_rounding(Multipliers& multipliers, const GridPoint& from, double h) {
  const std::size_t n_z = from.state.size() - n_y_;
  const std::span<const double> here = multipliers.at(from.t, from.state);
  rates_.assign(here.begin(), here.begin() + static_cast<long>(n_z));
  const std::span<const double> cancelled = multipliers.rounding();
  for (std::size_t j = 0; j < n_z; ++j) rounding_[n_y_ + j] = std::isfinite(cancelled[j]) ? cancelled[j] : 0;
  // Signs without a pattern, so that what moves together is moved apart.
  unsigned random = 1;
  for (std::size_t i = 0; i < from.state.size(); ++i) {
    random = random * 1103515245U + 12345U;
    disturbed_[i] = from.state[i] * ((random >> 16 & 1U) != 0 ? 1 + epsilon : 1 - epsilon);
  }
  const std::span<const double> there = multipliers.at(from.t, disturbed_);
  for (std::size_t j = 0; j < n_z; ++j) {
    const double change = std::abs(there[j] - rates_[j]);
    if (std::isfinite(change)) rounding_[n_y_ + j] += change;
    rounding_[n_y_ + j] *= roundings * 2 * std::abs(h);
    if (n_z == n_y_) rounding_[j] = 2 * std::abs(h) * rounding_[n_y_ + j];
  }
}

}  // namespace alembert::internal
