#include "alembert/start/redundancy.h"

#include <algorithm>
#include <numeric>

#include "alembert/base/lists.h"
#include "alembert/linear/rank.h"
#include "alembert/start/dense.h"
#include "alembert/start/messages.h"

namespace alembert::internal {

namespace {

/// Rows have unit length. Redundant ones are so to rounding, 1e-16 times the condition of the others.
constexpr double redundant_tolerance = 1e-10;
/// How far from the start it is looked, as a share of the positions, and how large a row's own part must be there to
/// count: singular values grow at least with the square of the distance, and the projection has rounding.
constexpr double nearby_share = 1e-2;
constexpr double nearby_tolerance = 1e-7;
/// The size of positions that are all 0.
constexpr double least_size = 1e-3;

}  // namespace

Redundancy::Redundancy(const Equations& e, const Level& level) : holonomic_(static_cast<int>(e.g.size())) {
  if (level.written != level.constraints.size() || level.unknowns.size() != e.z.size())
    rows_.emplace(joined<Expr>(e.t, e.y, e.z), joined<Expr>(e.g_dot, e.k), e.z);
}

SparseRows Redundancy::rows(const State& state, const NearestPoint& velocities) const {
  return rows_ ? (*rows_)(flat(state)) : velocities.constraints().derivative(flat(state));
}

RankReport Redundancy::at(const State& state, const NearestPoint& velocities) const {
  return analyse_rows(rows(state, velocities), redundant_tolerance);
}

bool Redundancy::more_rank_nearby(const State& state, int rank, const NearestPoint& positions,
                                  const NearestPoint& velocities, const SparseRows& metric) const {
  if (state.y.size() > static_cast<std::size_t>(largest_dense)) return false;
  State nearby = state;
  if (holonomic_ > 0) {
    NearestPoint::Request request{{state.t}, state.y, std::vector<bool>(state.y.size(), false), metric, {}};
    request.active.resize(static_cast<std::size_t>(holonomic_));
    std::iota(request.active.begin(), request.active.end(), 0);
    const double size = std::max(max_abs(state.y), least_size);
    Scatter scatter;
    for (double& y : request.given) y += nearby_share * size * scatter.next();
    const NearestPoint::Result moved = positions.solve(request);
    if (!moved.converged) return false;
    nearby.y = moved.x;
  }
  return analyse_rows(rows(nearby, velocities), nearby_tolerance).rank > rank;
}

void describe_redundant(const RankReport& report, bool singular_position, const Level& velocities,
                        InitialValues& result) {
  result.singular_position = singular_position;
  for (std::size_t k = 0; k < report.dependent_rows.size(); ++k) {
    const int row = report.dependent_rows[k];
    const bool powerless = report.follows_from[k].empty();
    std::string text = velocities.names[row];
    text += powerless ? " does not restrict the velocities"
                      : " follows from " + listed(chosen(velocities.names, report.follows_from[k]));
    if (singular_position)
      text += std::string(" at the start (a singular position: nearby it does") + (powerless ? ")" : " not)");
    result.redundant.push_back(std::move(text));
    result.redundant_constraints.push_back(velocities.numbers[row]);
    result.redundant_rows.push_back(row);
    if (powerless) result.powerless.push_back(velocities.numbers[row]);
  }
}

}  // namespace alembert::internal
