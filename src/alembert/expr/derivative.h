#pragma once

// Exact derivatives and other rewritings of lists of expressions. All cost time linear in the nodes reached
// (jacobian: in the nodes reached times the variables that each depends on) and never recurse.

#include <span>
#include <vector>

#include "alembert/expr.h"

namespace alembert::internal {

using ExprSpan = std::span<const Expr>;

/// df/dx_i for each i, by one reverse sweep.
Exprs gradient(Expr f, ExprSpan x);
/// J^T w for f(x): sum_i w_i df_i/dx_j, by one reverse sweep.
Exprs transposed_product(ExprSpan f, ExprSpan x, ExprSpan w);
/// J d: the derivative of each f_i along d, by one forward sweep.
Exprs directional(ExprSpan f, ExprSpan x, ExprSpan d);
/// Second derivative of f times d.
Exprs hessian_vector(Expr f, ExprSpan x, ExprSpan d);

/// A matrix of expressions, by rows, columns ascending; entries that are identically zero are not stored.
struct SparseExprs {
  int rows = 0, columns = 0;
  std::vector<int> row_start;  // rows + 1
  std::vector<int> column;
  Exprs value;
};
SparseExprs jacobian(ExprSpan f, ExprSpan x);
/// The same as rows of full length with zeros.
std::vector<Exprs> dense(const SparseExprs& matrix, Graph& graph);

/// Replaces each symbol (or parameter) from[i] by to[i] in f; the result lives in `target` (which may be another graph:
/// symbols that are not replaced must then not occur).
Exprs substitute(ExprSpan f, ExprSpan from, ExprSpan to, Graph& target);
Expr substitute(Expr f, ExprSpan from, ExprSpan to, Graph& target);

/// Whether any of f depends on any of x.
bool depends(ExprSpan f, ExprSpan x);
bool depends(Expr f, ExprSpan x);
/// The symbols that occur in f, in the order of their numbers.
Exprs free_symbols(ExprSpan f);
/// Nodes reached from f, in an order where operands come first.
std::vector<std::uint32_t> reachable(ExprSpan f);

}  // namespace alembert::internal
