#include "alembert/linear/elimination.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "alembert/error.h"

namespace alembert::internal {

namespace {

// A pivot must not be smaller than this times the largest of its row (rows are compared after scaling).
constexpr double threshold = 0.05;

}  // namespace

Equilibration equilibrate(const SparseExprs& J, const std::vector<double>& values, const std::vector<bool>& preferred) {
  constexpr double far = 1e-8;
  const int n = J.rows;
  const auto power_of_two = [](double size) { return std::ldexp(1.0, -std::ilogb(size)); };
  Equilibration scales{std::vector<double>(n, 1), std::vector<double>(n, 1)};
  bool needed = false;
  for (int i = 0; i < n; ++i) {
    double largest = 0, leading = 0;
    for (int e = J.row_start[i]; e < J.row_start[i + 1]; ++e) {
      largest = std::max(largest, std::abs(values[e]));
      if (preferred[i] && preferred[J.column[e]]) leading = std::max(leading, std::abs(values[e]));
    }
    if (!std::isfinite(largest) || largest == 0) return {};
    needed = needed || (leading > 0 && leading < far * largest);
    scales.row[i] = power_of_two(leading > 0 ? leading : largest);
  }
  if (!needed) return {};
  std::vector<double> column(n, 0), row(n, 0);
  for (int i = 0; i < n; ++i)
    for (int e = J.row_start[i]; e < J.row_start[i + 1]; ++e)
      column[J.column[e]] = std::max(column[J.column[e]], std::abs(values[e]) * scales.row[i]);
  for (int j = 0; j < n; ++j)
    if (column[j] > 0 && std::isfinite(column[j])) scales.column[j] = power_of_two(column[j]);
  for (int i = 0; i < n; ++i) {
    for (int e = J.row_start[i]; e < J.row_start[i + 1]; ++e)
      row[i] = std::max(row[i], std::abs(values[e]) * scales.row[i] * scales.column[J.column[e]]);
    if (row[i] > 0) scales.row[i] *= power_of_two(row[i]);
  }
  return scales;
}

std::optional<PivotOrder> choose_pivots(const SparseExprs& J, const std::vector<double>& values,
                                        const std::vector<bool>& preferred) {
  const int n = J.rows;
  // Structural entries keep their place even where the value happens to be zero: it may grow later.
  std::vector<std::map<int, double>> rows(n);
  for (int i = 0; i < n; ++i) {
    double largest = 0;
    for (int e = J.row_start[i]; e < J.row_start[i + 1]; ++e) largest = std::max(largest, std::abs(values[e]));
    if (!(largest > 0) || !std::isfinite(largest)) return {};
    for (int e = J.row_start[i]; e < J.row_start[i + 1]; ++e) rows[i][J.column[e]] = values[e] / largest;
  }
  PivotOrder order;
  std::vector<bool> row_done(n, false), column_done(n, false);
  const auto candidates = [&](bool only_preferred) {
    std::vector<int> in_column(n, 0);
    for (int i = 0; i < n; ++i)
      if (!row_done[i])
        for (const auto& [j, a] : rows[i]) in_column[j] += 1;
    int best_i = -1, best_j = -1;
    double best_cost = 0, best_size = 0;
    for (int i = 0; i < n; ++i) {
      if (row_done[i] || (only_preferred && !preferred[i])) continue;
      double largest = 0;
      for (const auto& [j, a] : rows[i])
        if (!only_preferred || preferred[j]) largest = std::max(largest, std::abs(a));
      if (largest < 1e-12) continue;
      for (const auto& [j, a] : rows[i]) {
        if ((only_preferred && !preferred[j]) || std::abs(a) < threshold * largest) continue;
        const double cost = double(rows[i].size() - 1) * double(in_column[j] - 1);
        const double size = std::abs(a) / largest;
        if (best_i < 0 || cost < best_cost || (cost == best_cost && size > best_size)) {
          best_i = i;
          best_j = j;
          best_cost = cost;
          best_size = size;
        }
      }
    }
    return std::pair{best_i, best_j};
  };
  for (int k = 0; k < n; ++k) {
    auto [p, c] = candidates(true);
    if (p < 0) std::tie(p, c) = candidates(false);
    if (p < 0) return {};
    order.rows.push_back(p);
    order.columns.push_back(c);
    row_done[p] = column_done[c] = true;
    const double pivot = rows[p].at(c);
    for (int i = 0; i < n; ++i) {
      if (row_done[i] || !rows[i].count(c)) continue;
      const double factor = rows[i].at(c) / pivot;
      rows[i].erase(c);
      for (const auto& [j, a] : rows[p]) {
        if (j == c) continue;
        rows[i][j] -= factor * a;
        order.operations += 2;
      }
      order.operations += 3;  // the factor and the right-hand side
    }
    order.operations += 2 * rows[p].size();  // back substitution
  }
  return order;
}

Exprs eliminate(const SparseExprs& J, ExprSpan F, const PivotOrder& order) {
  const int n = J.rows;
  check(static_cast<int>(F.size()) == n, "elimination: sizes differ");
  std::vector<std::map<int, Expr>> rows(n);
  Exprs right(F.begin(), F.end());
  for (int i = 0; i < n; ++i)
    for (int e = J.row_start[i]; e < J.row_start[i + 1]; ++e) rows[i][J.column[e]] = J.value[e];
  std::vector<bool> done(n, false);
  for (int k = 0; k < n; ++k) {
    const int p = order.rows[k], c = order.columns[k];
    done[p] = true;
    const Expr reciprocal = Quad(1) / rows[p].at(c);
    for (int i = 0; i < n; ++i) {
      if (done[i] || !rows[i].count(c)) continue;
      const Expr factor = rows[i].at(c) * reciprocal;
      rows[i].erase(c);
      if (is_zero(factor)) continue;
      for (const auto& [j, a] : rows[p]) {
        if (j == c) continue;
        const auto there = rows[i].find(j);
        if (there == rows[i].end()) rows[i][j] = -(factor * a);
        else there->second = there->second - factor * a;
      }
      right[i] = right[i] - factor * right[p];
    }
  }
  Exprs d(n);
  for (int k = n - 1; k >= 0; --k) {
    const int p = order.rows[k], c = order.columns[k];
    Expr value = right[p];
    for (const auto& [j, a] : rows[p])
      if (j != c) value = value - a * d[j];
    d[c] = value * (Quad(1) / rows[p].at(c));
  }
  return d;
}

}  // namespace alembert::internal
