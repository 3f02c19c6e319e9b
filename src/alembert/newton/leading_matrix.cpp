#include "alembert/newton/leading_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/code/kernel.h"
#include "alembert/linear/linear.h"

namespace alembert::internal {

namespace {

/// Orders are seen from what a step that is 2^-10 as long makes of a term.
constexpr int halvings = 10;
/// Of a term that vanishes: above the order of any other, and sums of it over all unknowns fit an int.
constexpr int no_order = 1000;

/// How an expression depends on the unknowns.
enum class Degree { none, linear, higher };

Degree degree_of(Op op, Degree a, Degree b) {
  const Degree both = std::max(a, b);
  if (both == Degree::none || op == Op::add || op == Op::subtract || op == Op::negate) return both;
  if (op == Op::multiply && std::min(a, b) == Degree::none) return both;
  if (op == Op::divide && b == Degree::none) return both;
  return Degree::higher;
}

/// The equations with symbols in place of what is linear in the unknowns, depends on h, and stands in something that is
/// not linear: positions and velocities of stages.
class OpenedEquations {
 public:
  explicit OpenedEquations(const LeadingProblem& problem) : inner(problem.inner) {
    Graph& graph = problem.h.graph();
    const std::vector<std::uint32_t> order = reachable(problem.equations);
    struct Known {
      Degree degree = Degree::none;
      bool of_h = false, opened = false;
      Expr image;
    };
    std::unordered_map<std::uint32_t, Known> known;
    for (const std::uint32_t id : order) known[id].image = Expr(&graph, id);
    const auto is_in = [&](std::uint32_t id, const Exprs& list) {
      return std::any_of(list.begin(), list.end(), [&](Expr e) { return e.id() == id; });
    };
    for (const InnerValue& one : inner)
      if (known.count(one.symbol.id())) known[one.symbol.id()].degree = Degree::linear;
    for (const std::uint32_t id : order) {
      Known& own = known[id];
      const Node node = graph.node(id);
      if (id == problem.h.id()) own.of_h = true;
      if (is_in(id, problem.unknowns)) own.degree = Degree::linear;
      const int operands = operand_count(node.op);
      if (operands == 0) continue;
      const Known &a = known[node.a], &b = operands == 2 ? known[node.b] : known[node.a];
      own.degree = degree_of(node.op, a.degree, operands == 2 ? b.degree : Degree::none);
      own.of_h = a.of_h || b.of_h;
      for (const std::uint32_t operand : {node.a, operands == 2 ? node.b : node.a}) {
        Known& inside = known[operand];
        const bool opens = own.degree == Degree::higher && inside.degree == Degree::linear && inside.of_h;
        inside.opened = inside.opened || opens;
      }
    }
    for (const std::uint32_t id : order) {
      Known& own = known[id];
      if (own.opened) {
        inner.push_back({graph.symbol("opened"), Expr(&graph, id)});
        own.image = inner.back().symbol;
        continue;
      }
      const Node node = graph.node(id);
      const int operands = operand_count(node.op);
      if (operands == 1) own.image = graph.make(node.op, known[node.a].image);
      if (operands == 2) own.image = graph.make(node.op, known[node.a].image, known[node.b].image);
    }
    for (const Expr equation : problem.equations) equations.push_back(known[equation.id()].image);
  }

  std::vector<InnerValue> inner;
  Exprs equations;
};

/// A term of an entry of the matrix, as h^order.
struct MatrixTerm {
  int row, column;
  Expr factor, through;  // through: of an inner value, or none
  int order = 0;
  Expr value() const { return through ? factor * through : factor; }
};

std::vector<MatrixTerm> terms_of(const OpenedEquations& opened, const Exprs& unknowns) {
  Exprs symbols, values;
  for (const InnerValue& one : opened.inner) {
    symbols.push_back(one.symbol);
    values.push_back(one.value);
  }
  const SparseExprs direct = jacobian(opened.equations, unknowns), outer = jacobian(opened.equations, symbols);
  const SparseExprs inner = jacobian(values, unknowns);
  std::vector<MatrixTerm> terms;
  for (int i = 0; i < direct.rows; ++i) {
    for (int k = direct.row_start[i]; k < direct.row_start[i + 1]; ++k)
      terms.push_back({i, direct.column[k], direct.value[k], {}});
    for (int k = outer.row_start[i]; k < outer.row_start[i + 1]; ++k) {
      const int via = outer.column[k];
      for (int m = inner.row_start[via]; m < inner.row_start[via + 1]; ++m)
        terms.push_back({i, inner.column[m], outer.value[k], inner.value[m]});
    }
  }
  return terms;
}

std::vector<double> values_at(const Exprs& inputs, const std::vector<double>& at, const Exprs& list) {
  const Kernel<double> kernel(inputs, list, interpreted);
  std::vector<double> result(list.size()), work(kernel.work());
  kernel(at.data(), result.data(), work.data());
  return result;
}

/// Whether all orders are seen.
bool find_orders(const LeadingProblem& problem, const OpenedEquations& opened, std::vector<MatrixTerm>& terms) {
  Exprs inputs = problem.inputs, list;
  std::vector<double> at = problem.values;
  Exprs own_symbols, own_values;
  for (std::size_t i = problem.inner.size(); i < opened.inner.size(); ++i) {
    own_symbols.push_back(opened.inner[i].symbol);
    own_values.push_back(opened.inner[i].value);
  }
  const std::vector<double> inside = values_at(inputs, at, own_values);
  append(inputs, own_symbols);
  at.insert(at.end(), inside.begin(), inside.end());
  // What vanishes at the values only, such as a coordinate of a start, does so no longer beside them.
  for (std::size_t i = 0; i < at.size(); ++i)
    at[i] += 0.01 * (std::abs(at[i]) + 0.1) * std::sin(1.0 + 7.0 * static_cast<double>(i));
  for (const MatrixTerm& term : terms) list.push_back(term.value());
  const auto place = static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), problem.h) - inputs.begin());
  const std::vector<double> now = values_at(inputs, at, list);
  at[place] = std::ldexp(at[place], -halvings);
  const std::vector<double> shorter = values_at(inputs, at, list);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (!std::isfinite(now[i]) || !std::isfinite(shorter[i])) return false;
    const bool vanishes = now[i] == 0 || shorter[i] == 0;
    terms[i].order =
        vanishes ? no_order : static_cast<int>(std::lround(std::log2(std::abs(now[i] / shorter[i])) / halvings));
  }
  return true;
}

/// The powers of h that belong to rows and columns: the dual values of an assignment of rows to columns with the least
/// sum of orders (the Hungarian method).
struct StepPowers {
  std::vector<int> row, column;
};

std::optional<StepPowers> powers_of(int n, const std::vector<MatrixTerm>& terms) {
  std::vector<std::vector<int>> cost(n + 1, std::vector<int>(n + 1, no_order));
  for (const MatrixTerm& t : terms) cost[t.row + 1][t.column + 1] = std::min(cost[t.row + 1][t.column + 1], t.order);
  std::vector<int> u(n + 1, 0), v(n + 1, 0), match(n + 1, 0);
  for (int i = 1; i <= n; ++i) {
    std::vector<int> least(n + 1, std::numeric_limits<int>::max()), way(n + 1, 0);
    std::vector<bool> used(n + 1, false);
    match[0] = i;
    int j0 = 0;
    while (match[j0] != 0) {
      used[j0] = true;
      const int row = match[j0];
      int delta = std::numeric_limits<int>::max(), next = 0;
      for (int j = 1; j <= n; ++j) {
        if (used[j]) continue;
        const int reduced = cost[row][j] - u[row] - v[j];
        if (reduced < least[j]) {
          least[j] = reduced;
          way[j] = j0;
        }
        if (least[j] < delta) {
          delta = least[j];
          next = j;
        }
      }
      for (int j = 0; j <= n; ++j) {
        if (used[j]) {
          u[match[j]] += delta;
          v[j] -= delta;
        } else {
          least[j] -= delta;
        }
      }
      j0 = next;
    }
    for (; j0 != 0; j0 = way[j0]) match[j0] = match[way[j0]];
  }
  for (int j = 1; j <= n; ++j)
    if (cost[match[j]][j] >= no_order) return {};
  return StepPowers{{u.begin() + 1, u.end()}, {v.begin() + 1, v.end()}};
}

SparseExprs matrix_of(int n, const std::vector<MatrixTerm>& terms) {
  SparseExprs matrix;
  matrix.rows = matrix.columns = n;
  matrix.row_start.push_back(0);
  for (int i = 0; i < n; ++i) {
    std::map<int, Expr> row;
    for (const MatrixTerm& term : terms) {
      if (term.row != i) continue;
      Expr& entry = row[term.column];
      entry = entry ? entry + term.value() : term.value();
    }
    for (const auto& [column, value] : row) {
      matrix.column.push_back(column);
      matrix.value.push_back(value);
    }
    matrix.row_start.push_back(static_cast<int>(matrix.column.size()));
  }
  return matrix;
}

std::vector<double> dense_values(const LeadingProblem& problem, const SparseExprs& A) {
  const std::vector<double> entries = values_at(problem.inputs, problem.values, A.value);
  std::vector<double> full(static_cast<std::size_t>(A.rows) * A.rows, 0.0);
  for (int i = 0; i < A.rows; ++i)
    for (int k = A.row_start[i]; k < A.row_start[i + 1]; ++k) full[i * A.rows + A.column[k]] = entries[k];
  return full;
}

/// The rate at which errors shrink under x -> x - A^-1 J x. Nothing where A is singular.
std::optional<double> contraction_of(const std::vector<double>& J, const std::vector<double>& A, int n) {
  DenseLu<double> lu(n);
  if (!lu.factor(A.data())) return {};
  constexpr int first = 3, last = 12;  // the first rounds forget where the iteration began
  std::vector<double> x(n), image(n);
  for (int i = 0; i < n; ++i) x[i] = std::cos(1.0 + 3.0 * i);
  double logarithm = 0;
  for (int round = 0; round < last; ++round) {
    for (int i = 0; i < n; ++i) {
      image[i] = 0;
      for (int j = 0; j < n; ++j) image[i] += J[i * n + j] * x[j];
    }
    lu.solve(image.data());
    double size = 0;
    for (int i = 0; i < n; ++i) size = std::max(size, std::abs(x[i] -= image[i]));
    if (!std::isfinite(size)) return {};
    if (size == 0) return 0;
    for (double& value : x) value /= size;
    if (round >= first) logarithm += std::log(size);
  }
  return std::exp(logarithm / (last - first));
}

}  // namespace

std::optional<LeadingMatrix> leading_matrix(const LeadingProblem& problem) {
  const int n = static_cast<int>(problem.unknowns.size());
  const OpenedEquations opened(problem);
  std::vector<MatrixTerm> terms = terms_of(opened, problem.unknowns);
  if (!find_orders(problem, opened, terms)) return {};
  const std::optional<StepPowers> powers = powers_of(n, terms);
  if (!powers) return {};
  Exprs symbols, values;
  for (std::size_t i = problem.inner.size(); i < opened.inner.size(); ++i) {
    symbols.push_back(opened.inner[i].symbol);
    values.push_back(opened.inner[i].value);
  }
  const auto closed = [&](SparseExprs matrix) {
    if (!symbols.empty()) matrix.value = substitute(matrix.value, symbols, values, problem.h.graph());
    return matrix;
  };
  const std::vector<double> all = dense_values(problem, closed(matrix_of(n, terms)));
  std::erase_if(terms, [&](const MatrixTerm& t) { return t.order > powers->row[t.row] + powers->column[t.column]; });
  LeadingMatrix result{closed(matrix_of(n, terms)), 0};
  const std::optional<double> rate = contraction_of(all, dense_values(problem, result.matrix), n);
  if (!rate) return {};
  result.contraction = *rate;
  return result;
}

}  // namespace alembert::internal
