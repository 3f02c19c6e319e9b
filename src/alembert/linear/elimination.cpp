#include "alembert/linear/elimination.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "alembert/error.h"
#include "alembert/expr/gather.h"
#include "alembert/expr/operators.h"

namespace alembert::internal {

namespace {

// A pivot must not be smaller than this times the largest of its row (rows are compared after scaling).
constexpr double threshold = 0.05;

}  // namespace

Equilibration equilibrate(const SparseExprs& J, const std::vector<double>& values, const std::vector<bool>& preferred) {
  // Rows and columns whose sizes are further apart lose half of their digits in a pivot that is chosen by size.
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

void scale(const SparseExprs& J, const Equilibration& scales, std::vector<double>& values) {
  if (scales.row.empty()) return;
  for (int i = 0; i < J.rows; ++i)
    for (int k = J.row_start[i]; k < J.row_start[i + 1]; ++k) values[k] *= scales.row[i] * scales.column[J.column[k]];
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

SymbolicFactors factorise(const SparseExprs& A, const PivotOrder& order, bool gather) {
  const int n = A.rows;
  std::vector<std::map<int, Expr>> rows(n);
  for (int i = 0; i < n; ++i)
    for (int e = A.row_start[i]; e < A.row_start[i + 1]; ++e) rows[i][A.column[e]] = A.value[e];
  SymbolicFactors factors;
  std::vector<bool> done(n, false);
  for (int k = 0; k < n; ++k) {
    const int p = order.rows[k], c = order.columns[k];
    done[p] = true;
    const Expr reciprocal = Quad(1) / rows[p].at(c);
    gather = gather && free_symbols(Exprs{reciprocal}).empty();
    if (gather) factors.plain = k + 1;
    for (int i = 0; i < n; ++i) {
      if (done[i] || !rows[i].count(c)) continue;
      const Expr factor = gather ? gathered(rows[i].at(c) * reciprocal) : rows[i].at(c) * reciprocal;
      rows[i].erase(c);
      if (is_zero(factor)) continue;
      for (const auto& [j, a] : rows[p]) {
        if (j == c) continue;
        const auto there = rows[i].find(j);
        const Expr now = there == rows[i].end() ? -(factor * a) : there->second - factor * a;
        rows[i][j] = gather ? gathered(now) : now;
      }
      if (gather) std::erase_if(rows[i], [](const auto& entry) { return is_zero(entry.second); });
      factors.lower.push_back({i, p, factor});
    }
    SymbolicFactors::Pivot pivot{p, c, reciprocal, {}};
    for (const auto& entry : rows[p])
      if (entry.first != c) pivot.rest.push_back(entry);
    factors.pivots.push_back(std::move(pivot));
  }
  return factors;
}

Exprs solve(const SymbolicFactors& A, ExprSpan F) {
  Exprs right(F.begin(), F.end());
  for (const SymbolicFactors::Below& below : A.lower)
    right[below.row] = right[below.row] - below.factor * right[below.pivot_row];
  Exprs d(F.size());
  for (auto pivot = A.pivots.rbegin(); pivot != A.pivots.rend(); ++pivot) {
    Expr value = right[pivot->row];
    for (const auto& [j, a] : pivot->rest) value = value - a * d[j];
    d[pivot->column] = value * pivot->reciprocal;
  }
  return d;
}

Exprs solve_gathered(const SymbolicFactors& A, ExprSpan F, Graph& graph) {
  const int n = static_cast<int>(F.size());
  const Exprs given = graph.symbols("r", n), later = graph.symbols("d", n);
  std::vector<bool> plain(n, false), plain_column(n, false);
  for (int k = 0; k < A.plain; ++k) {
    plain[A.pivots[k].row] = true;
    plain_column[A.pivots[k].column] = true;
  }
  Exprs right = given;
  const auto reduce = [&](const SymbolicFactors::Below& b) {
    right[b.row] = right[b.row] - b.factor * right[b.pivot_row];
  };
  for (const SymbolicFactors::Below& below : A.lower)
    if (plain[below.pivot_row]) reduce(below);
  for (Expr& value : right) value = gathered(value);
  Exprs first = right;  // of plain rows
  right = substitute(right, given, F, graph);
  for (const SymbolicFactors::Below& below : A.lower)
    if (!plain[below.pivot_row]) reduce(below);
  Exprs d(F.size()), from = given, to(F.begin(), F.end());
  for (auto pivot = A.pivots.rbegin(); pivot != A.pivots.rend(); ++pivot) {
    const bool early = plain[pivot->row];
    Expr value = early ? first[pivot->row] : right[pivot->row];
    for (const auto& [j, a] : pivot->rest) value = value - a * (early && !plain_column[j] ? later[j] : d[j]);
    d[pivot->column] = early ? gathered(value * pivot->reciprocal) : value * pivot->reciprocal;
  }
  for (const SymbolicFactors::Pivot& pivot : A.pivots) {
    if (plain[pivot.row]) continue;
    from.push_back(later[pivot.column]);
    to.push_back(d[pivot.column]);
  }
  return substitute(d, from, to, graph);
}

Exprs eliminate(const SparseExprs& J, ExprSpan F, const PivotOrder& order) {
  check(static_cast<int>(F.size()) == J.rows, "elimination: sizes differ");
  return solve(factorise(J, order), F);
}

NamedEntries name_entries(SymbolicFactors& factors, Graph& graph, const std::function<bool(Expr)>& open) {
  NamedEntries named;
  std::map<std::uint32_t, Expr> known;
  const auto name = [&](Expr& entry) {
    if (operand_count(graph.node(entry.id()).op) == 0 || (open && open(entry))) return;
    Expr& symbol = known[entry.id()];
    if (!symbol) {
      symbol = graph.symbol("a" + std::to_string(named.values.size() + 1));
      named.values.push_back(entry);
      named.symbols.push_back(symbol);
    }
    entry = symbol;
  };
  for (SymbolicFactors::Below& below : factors.lower) name(below.factor);
  for (SymbolicFactors::Pivot& pivot : factors.pivots) {
    name(pivot.reciprocal);
    for (auto& entry : pivot.rest) name(entry.second);
  }
  return named;
}

}  // namespace alembert::internal
