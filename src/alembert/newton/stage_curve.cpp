#include "alembert/newton/stage_curve.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alembert::internal {

namespace {

// Methods have at most 30 stages; both ends of the step come with them.
constexpr int most_nodes = 34;
// Multipliers of stages are rough, and the equations are almost linear in them: a parabola is enough.
constexpr int nodes_of_multipliers = 3;

/// Where a quantity is known: at both ends of a step (of states), and at its stages inside.
struct Nodes {
  std::array<double, most_nodes> at;  // ascending
  std::array<int, most_nodes> first;  // the unknowns there; -1: an end of the step
  int count = 0;

  void add(double node, int unknown) {
    if (count == most_nodes) return;
    at[count] = node;
    first[count++] = unknown;
  }
};

bool inside(double node) { return node > 1e-9 && node < 1 - 1e-9; }

/// What the state has grown by: known at both ends of the step too.
bool has_grown(const StageSeries& series) { return series.state >= 0 && !series.rates; }

/// Stages at the ends themselves are others' guesses of what the states there are.
Nodes nodes_of(const StageSeries& series) {
  Nodes nodes;
  const bool grown = has_grown(series);
  if (grown) nodes.add(0, -1);
  for (std::size_t i = 0; i < series.nodes.size(); ++i)
    if (!grown || inside(series.nodes[i])) nodes.add(series.nodes[i], series.first[i]);
  if (grown) nodes.add(1, -1);
  return nodes;
}

/// Those of the nodes, which ascend, that are nearest to a place.
Nodes nearest(const Nodes& nodes, double place, int most) {
  int first = 0, last = nodes.count;
  while (last - first > most) {
    if (std::abs(nodes.at[first] - place) >= std::abs(nodes.at[last - 1] - place)) ++first;
    else --last;
  }
  Nodes result;
  for (int i = first; i < last; ++i) result.add(nodes.at[i], nodes.first[i]);
  return result;
}

/// Lagrange's polynomials at a place.
std::array<double, most_nodes> weights_at(const Nodes& nodes, double place) {
  std::array<double, most_nodes> weights{};
  for (int j = 0; j < nodes.count; ++j) {
    double w = 1;
    for (int k = 0; k < nodes.count; ++k)
      if (k != j) w *= (place - nodes.at[k]) / (nodes.at[j] - nodes.at[k]);
    weights[j] = w;
  }
  return weights;
}

/// Their slopes there.
std::array<double, most_nodes> slopes_at(const Nodes& nodes, double place) {
  std::array<double, most_nodes> slopes{};
  for (int j = 0; j < nodes.count; ++j)
    for (int left_out = 0; left_out < nodes.count; ++left_out) {
      if (left_out == j) continue;
      double product = 1 / (nodes.at[j] - nodes.at[left_out]);
      for (int k = 0; k < nodes.count; ++k)
        if (k != j && k != left_out) product *= (place - nodes.at[k]) / (nodes.at[j] - nodes.at[k]);
      slopes[j] += product;
    }
  return slopes;
}

/// The step that is nearest to a time.
template <class T>
const SolvedStep<T>& step_at(std::span<const SolvedStep<T>* const> steps, T t) {
  const SolvedStep<T>* found = steps.front();
  for (const SolvedStep<T>* step : steps)
    if ((t - step->t) / step->h >= 0) found = step;
  return *found;
}

/// What a series is at one of the nodes, since the start of the step.
template <class T>
T value_at(const Nodes& nodes, int node, const StageSeries& series, const SolvedStep<T>& step, int entry) {
  const int first = nodes.first[node];
  if (first >= 0) return step.unknowns[first + entry];
  return nodes.at[node] == 0 ? T(0) : step.to[series.state + entry] - step.from[series.state + entry];
}

/// How many of the nodes, those next to a place behind the step, continue a series best: each one more is a term more,
/// and terms shrink until the polynomial swings out.
template <class T>
int best_count(const Nodes& all, const StageSeries& series, const SolvedStep<T>& step, double place) {
  constexpr int fewest = 2;  // one node has no direction
  if (all.count <= fewest) return all.count;
  double least = INFINITY;
  int best = fewest;
  Nodes before_nodes = nearest(all, place, fewest);
  auto before = weights_at(before_nodes, place);
  for (int count = fewest + 1; count <= all.count; ++count) {
    const Nodes nodes = nearest(all, place, count);
    const auto weights = weights_at(nodes, place);
    double change = 0;
    for (int k = 0; k < series.count; ++k) {
      double term = 0;
      for (int j = 0; j < nodes.count; ++j)
        term += weights[j] * static_cast<double>(value_at(nodes, j, series, step, k));
      for (int j = 0; j < before_nodes.count; ++j)
        term -= before[j] * static_cast<double>(value_at(before_nodes, j, series, step, k));
      change += term * term;
    }
    if (change < least) {
      least = change;
      best = count;
    }
    before_nodes = nodes;
    before = weights;
  }
  return best;
}

}  // namespace

template <class T>
void guess_from_steps(const std::vector<StageSeries>& series, std::span<const SolvedStep<T>* const> steps, T t, T h,
                      const T* state, T* unknowns) noexcept {
  for (const StageSeries& one : series) {
    const Nodes all = nodes_of(one);
    const bool grown = has_grown(one);
    int count = one.state >= 0 ? all.count : nodes_of_multipliers;
    if (one.state >= 0) {
      const double node = *std::max_element(one.nodes.begin(), one.nodes.end());
      const SolvedStep<T>& last = *steps.back();
      const double place = static_cast<double>((t + T(node) * h - last.t) / last.h);
      if (place > 1) count = best_count(all, one, last, place);
    }
    for (std::size_t i = 0; i < one.nodes.size(); ++i) {
      const T at = t + T(one.nodes[i]) * h;
      const SolvedStep<T>& step = step_at(steps, at);
      const double place = static_cast<double>((at - step.t) / step.h);
      const Nodes nodes = place > 1 || one.state < 0 ? nearest(all, place, count) : all;
      const T factor = one.rates ? h / step.h : T(1);
      const auto weights = weights_at(nodes, place);
      for (int k = 0; k < one.count; ++k) {
        T sum = grown ? step.from[one.state + k] - state[one.state + k] : T(0);
        for (int j = 0; j < nodes.count; ++j) sum += T(weights[j]) * factor * value_at(nodes, j, one, step, k);
        unknowns[one.first[i] + k] = sum;
      }
    }
  }
}

void slope_defects(const std::vector<StageSeries>& series, const SolvedStep<double>& step,
                   std::span<const double> rates_from, std::span<const double> rates_to, std::vector<double>& defects) {
  defects.assign(step.from.size(), 0.0);
  for (const StageSeries& one : series) {
    if (one.state < 0) continue;
    const Nodes nodes = nodes_of(one);
    const auto first = one.rates ? weights_at(nodes, 0) : slopes_at(nodes, 0);
    const auto last = one.rates ? weights_at(nodes, 1) : slopes_at(nodes, 1);
    for (int k = 0; k < one.count; ++k) {
      const int i = one.state + k;
      double at_from = 0, at_to = 0;
      for (int j = one.rates ? 0 : 1; j < nodes.count; ++j) {
        const double value = nodes.first[j] >= 0 ? step.unknowns[nodes.first[j] + k] : step.to[i] - step.from[i];
        at_from += first[j] * value;
        at_to += last[j] * value;
      }
      defects[i] = std::max(std::abs(step.h * rates_from[i] - at_from), std::abs(step.h * rates_to[i] - at_to));
    }
  }
}

template void guess_from_steps(const std::vector<StageSeries>&, std::span<const SolvedStep<double>* const>, double,
                               double, const double*, double*) noexcept;
template void guess_from_steps(const std::vector<StageSeries>&, std::span<const SolvedStep<Quad>* const>, Quad, Quad,
                               const Quad*, Quad*) noexcept;

}  // namespace alembert::internal
