#pragma once

// Gaussian elimination written out as expressions: for small systems the solution of J d = F becomes straight-line
// code.

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "alembert/expr/derivative.h"

namespace alembert::internal {

/// Factors of rows and columns that make light and heavy bodies alike: each row that belongs to a preferred unknown by
/// its largest entry in preferred columns (accelerations), then columns, then rows, all by powers of two. Empty where
/// no row needs it: where those entries are not far below the others of their row.
struct Equilibration {
  std::vector<double> row, column;
};
Equilibration equilibrate(const SparseExprs& pattern, const std::vector<double>& values,
                          const std::vector<bool>& preferred);

/// Values of J times these factors.
void scale(const SparseExprs& J, const Equilibration& scales, std::vector<double>& values);

/// The order of the pivots, chosen once from values of J at a typical point.
struct PivotOrder {
  std::vector<int> rows, columns;  // pivot k stands at (rows[k], columns[k])
  std::size_t operations = 0;      // multiplications, divisions and subtractions of elimination and substitution
};

/// Sparse pivots (least fill) among those that are not small. preferred[i]: row i and column i belong to the block that
/// is eliminated first (the mass matrix, whose pivots stay good wherever the system moves); the rest is its Schur
/// complement. Nothing when J is singular there.
std::optional<PivotOrder> choose_pivots(const SparseExprs& J, const std::vector<double>& values,
                                        const std::vector<bool>& preferred);

/// A matrix factorised along an order of pivots.
struct SymbolicFactors {
  struct Below {
    int row, pivot_row;
    Expr factor;  // of the pivot row, which is subtracted from the row
  };
  struct Pivot {
    int row, column;
    Expr reciprocal;
    std::vector<std::pair<int, Expr>> rest;  // of its row: columns and entries
  };
  std::vector<Below> lower;   // in the order of the elimination
  std::vector<Pivot> pivots;  // likewise
  int plain = 0;              // so many pivots come first that are numbers, where this was looked for
};
/// gather: what is eliminated by pivots that are numbers is written with as few products as possible
/// (expr/gather.h).
SymbolicFactors factorise(const SparseExprs& A, const PivotOrder& order, bool gather = false);

/// d with A d = F.
Exprs solve(const SymbolicFactors& A, ExprSpan F);
/// The same but for rounding, with what plain pivots do gathered.
Exprs solve_gathered(const SymbolicFactors& A, ExprSpan F, Graph& graph);

/// d with J d = F.
Exprs eliminate(const SparseExprs& J, ExprSpan F, const PivotOrder& order);

/// The entries of the factors that take operations to compute, each once; the factors get symbols in their place.
struct NamedEntries {
  Exprs values, symbols;
};
/// open: those that stay what they are.
NamedEntries name_entries(SymbolicFactors& factors, Graph& graph, const std::function<bool(Expr)>& open = {});

}  // namespace alembert::internal
