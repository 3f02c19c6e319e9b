#include "alembert/methods/shared/discrete_motion.h"

#include <algorithm>
#include <map>

#include "alembert/base/lists.h"
#include "alembert/error.h"

namespace alembert::internal {

namespace {

Exprs mean(const Exprs& a, const Exprs& b) {
  Exprs result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back((a[i] + b[i]) / Quad(2));
  return result;
}

Exprs part(const Exprs& list, std::size_t from, std::size_t count) {
  return {list.begin() + static_cast<long>(from), list.begin() + static_cast<long>(from + count)};
}

/// D_t, D_1, D_2 of functions of (t, y, z), weighted.
struct Derivatives {
  Expr time;
  Exprs y, z;
};

Derivatives derivatives(const Equations& e, const Exprs& f, const Exprs& weights, const Ends& x,
                        DiscreteGradient kind) {
  Graph& graph = x.t0.graph();
  const Exprs time{e.t}, t0{x.t0}, t1{x.t1};
  // Time and z take part only where they matter: the midpoint formula would see them otherwise.
  const bool moves = depends(f, time), z_moves = depends(f, e.z);
  const Exprs variables = moves ? joined<Expr>(time, e.y, e.z) : joined<Expr>(e.y, e.z);
  const Exprs from = moves ? joined<Expr>(t0, x.y0, x.z0) : joined<Expr>(x.y0, x.z0);
  const Exprs& z_to = z_moves ? x.z1 : x.z0;
  const Exprs to = moves ? joined<Expr>(t1, x.y1, z_to) : joined<Expr>(x.y1, z_to);
  const Exprs D = Secant(f, variables, from, to, graph, kind).transposed_product(weights);
  const std::size_t first = moves ? 1 : 0;
  return {moves ? D[0] : graph.constant(0), part(D, first, e.y.size()), part(D, first + e.y.size(), e.z.size())};
}

Derivatives of_energy(const Equations& e, EnergyGradient kind, const Ends& x) {
  Graph& graph = x.t0.graph();
  const Exprs H{e.energy}, one{graph.constant(1)};
  const DiscreteGradient gradient =
      kind == EnergyGradient::midpoint ? DiscreteGradient::midpoint : DiscreteGradient::chain;
  const auto with = [&](const Exprs& y0, const Exprs& y1, const Exprs& z0, const Exprs& z1, Expr t0, Expr t1) {
    return derivatives(e, H, one, {t0, t1, y0, y1, z0, z1}, gradient);
  };
  // A part that depends on q alone or on p alone is not mixed with the other by any of the formulas.
  const bool separable = !depends(e.v, e.y);
  if (kind == EnergyGradient::full || (kind == EnergyGradient::partitioned && separable))
    return with(x.y0, x.y1, x.z0, x.z1, x.t0, x.t1);
  if (kind == EnergyGradient::midpoint && !separable) return with(x.y0, x.y1, x.z0, x.z1, x.t0, x.t1);
  // Time moves with q.
  const Derivatives q0 = with(x.y0, x.y1, x.z0, x.z0, x.t0, x.t1), q1 = with(x.y0, x.y1, x.z1, x.z1, x.t0, x.t1);
  const Derivatives p0 = with(x.y0, x.y0, x.z0, x.z1, x.t0, x.t0), p1 = with(x.y1, x.y1, x.z0, x.z1, x.t1, x.t1);
  return {(q0.time + q1.time) / Quad(2), mean(q0.y, q1.y), mean(p0.z, p1.z)};
}

}  // namespace

bool needs_w(const Equations& e) { return e.form == Form::lagrangian && !e.constant_mass; }

SparseExprs nonholonomic_directions(const Equations& e) {
  SparseExprs A = jacobian(e.k, e.z);
  if (e.form == Form::lagrangian || e.k.empty()) return A;
  const SparseExprs H_pp = jacobian(e.v, e.z);  // diagonal: derive() sees to it
  for (std::size_t i = 0; i < A.value.size(); ++i) A.value[i] = A.value[i] / H_pp.value[H_pp.row_start[A.column[i]]];
  return A;
}

DiscreteMotion discrete_motion(const Equations& e, EnergyGradient kind, const Ends& x, const Exprs& w,
                               const Exprs& lambda, const Exprs& psi) {
  Graph& graph = x.t0.graph();
  const std::size_t n = e.y.size();
  const bool lagrangian = e.form == Form::lagrangian;
  const DiscreteGradient gradient =
      kind == EnergyGradient::midpoint ? DiscreteGradient::midpoint : DiscreteGradient::chain;
  DiscreteMotion d;
  Exprs powers;

  if (lagrangian) {
    // Constant mass: the kinetic energy takes no part, whatever the formula.
    Ends of_L = x;
    if (e.constant_mass) of_L.z1 = of_L.z0;
    const Derivatives L = derivatives(e, {e.L}, {graph.constant(1)}, of_L, gradient);
    d.u = mean(x.z0, x.z1);
    d.P = L.y;
    powers.push_back(-L.time);
    d.p_mean = mean(at(e, e.p, {x.t0, x.y0, x.z0}), at(e, e.p, {x.t1, x.y1, x.z1}));
    if (needs_w(e)) {
      const Derivatives p = derivatives(e, e.p, w, x, gradient);  // w.D_t p, C^T w, S^T w
      powers.push_back(-p.time);
      for (std::size_t i = 0; i < n; ++i) {
        d.w_equations.push_back(p.z[i] - (d.p_mean[i] - L.z[i]));
        d.u[i] = d.u[i] + w[i];
        d.P[i] = d.P[i] + p.y[i];
      }
    }
  } else {
    const Derivatives H = of_energy(e, kind, x);
    d.u = H.z;
    for (const Expr slope : H.y) d.P.push_back(-slope);
    powers.push_back(H.time);
    d.p_mean = mean(x.z0, x.z1);
  }

  const Point middle{(x.t0 + x.t1) / Quad(2), mean(x.y0, x.y1), lagrangian ? d.u : mean(x.z0, x.z1)};
  const Exprs F = at(e, e.applied, middle, lambda, psi);
  for (std::size_t i = 0; i < n; ++i) {
    d.P[i] = d.P[i] + F[i];
    powers.push_back(F[i] * d.u[i]);
  }
  if (!e.g.empty()) {
    const Derivatives g = derivatives(e, e.g, lambda, x, gradient);
    for (std::size_t i = 0; i < n; ++i) d.P[i] = d.P[i] - g.y[i];
    powers.push_back(g.time);
  }
  if (!e.k.empty()) {
    // k + A (u - v) at the mean point; what is left of A u is the part of k without velocities.
    const SparseExprs A = nonholonomic_directions(e);
    const Exprs directions = at(e, A.value, middle), v = at(e, e.v, middle);
    d.k = at(e, e.k, middle);
    for (int j = 0; j < A.rows; ++j) {
      Exprs own{d.k[j]};
      for (int i = A.row_start[j]; i < A.row_start[j + 1]; ++i) {
        const int c = A.column[i];
        d.P[c] = d.P[c] - directions[i] * psi[j];
        own.push_back(-(directions[i] * v[c]));
        d.k[j] = d.k[j] + directions[i] * (d.u[c] - v[c]);
      }
      powers.push_back(psi[j] * sum(graph, own));
    }
  }
  d.power = sum(graph, powers);
  return d;
}

namespace {

using Row = std::map<int, Expr>;

void add_to(Row& row, int column, Expr value) {
  if (is_zero(value)) return;
  const auto [entry, made] = row.try_emplace(column, value);
  if (!made) entry->second = entry->second + value;
}

/// L with L L^T = K, rows of the lower triangle.
std::vector<Row> cholesky(std::vector<Row> K) {
  const int n = static_cast<int>(K.size());
  std::vector<Row> L(n);
  // Columns from left to right; `below` lists the rows that have an entry in a column.
  std::vector<std::map<int, Expr>> below(n);
  for (int i = 0; i < n; ++i)
    for (const auto& [j, value] : K[i])
      if (j <= i) below[j].emplace(i, value);
  for (int j = 0; j < n; ++j) {
    check(below[j].count(j) > 0, "a constraint without gradient");
    const Expr pivot = sqrt(below[j].at(j));
    L[j][j] = pivot;
    std::vector<std::pair<int, Expr>> column;
    for (const auto& [i, value] : below[j])
      if (i > j) column.emplace_back(i, L[i][j] = value / pivot);
    for (std::size_t a = 0; a < column.size(); ++a)
      for (std::size_t b = a; b < column.size(); ++b)
        add_to(below[column[a].first], column[b].first, -(column[a].second * column[b].second));
  }
  return L;
}

/// x = L^{-1} b for a sparse b.
Row forward(const std::vector<Row>& L, Row b) {
  Row x;
  for (int i = 0; i < static_cast<int>(L.size()); ++i) {
    for (const auto& [j, value] : L[i])
      if (j < i && x.count(j) > 0) add_to(b, i, -(value * x.at(j)));
    const auto entry = b.find(i);
    if (entry != b.end()) x[i] = entry->second / L[i].at(i);
  }
  return x;
}

/// x = L^{-T} b.
Exprs backward(const std::vector<Row>& L, Exprs b) {
  for (int i = static_cast<int>(L.size()) - 1; i >= 0; --i) {
    b[i] = b[i] / L[i].at(i);
    for (const auto& [j, value] : L[i])
      if (j < i) b[j] = b[j] - value * b[i];
  }
  return b;
}

std::vector<Row> rows_at(const Equations& e, SparseExprs matrix, const Point& x) {
  matrix.value = at(e, matrix.value, x);
  std::vector<Row> rows(matrix.rows);
  for (int i = 0; i < matrix.rows; ++i)
    for (int k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k)
      rows[i].emplace(matrix.column[k], matrix.value[k]);
  return rows;
}

/// X Y^T.
std::vector<Row> times_transposed(const std::vector<Row>& X, const std::vector<Row>& Y) {
  std::map<int, std::vector<std::pair<int, Expr>>> columns;
  for (int j = 0; j < static_cast<int>(Y.size()); ++j)
    for (const auto& [c, value] : Y[j]) columns[c].emplace_back(j, value);
  std::vector<Row> result(X.size());
  for (std::size_t i = 0; i < X.size(); ++i)
    for (const auto& [c, value] : X[i])
      for (const auto& [j, other] : columns[c]) add_to(result[i], j, value * other);
  return result;
}

}  // namespace

bool reactions_work(const Equations& e) {
  const Exprs zeros(e.z.size(), e.graph->constant(0));
  if (depends(e.g, Exprs{e.t}) || depends(e.k, Exprs{e.t})) return true;
  if (e.k.empty()) return false;
  const Exprs rest = substitute(e.k, e.z, zeros, *e.graph);
  return depends(jacobian(e.k, e.z).value, e.z) ||
         !std::all_of(rest.begin(), rest.end(), [](Expr r) { return is_zero(r); });
}

Normal normal_velocity(const Equations& e, const Point& x, const Exprs& mu) {
  Graph& graph = x.t.graph();
  std::vector<Row> C = rows_at(e, jacobian(e.g, e.y), x);
  for (Row& row : rows_at(e, nonholonomic_directions(e), x)) C.push_back(std::move(row));
  const bool lagrangian = e.form == Form::lagrangian;
  std::vector<Row> M_factor, K;
  if (lagrangian) {
    M_factor = cholesky(rows_at(e, jacobian(e.p, e.z), x));
    std::vector<Row> X;
    for (const Row& row : C) X.push_back(forward(M_factor, row));
    K = times_transposed(X, X);
  } else {
    // C H_pp, by rows; H_pp is symmetric.
    K = times_transposed(times_transposed(C, rows_at(e, jacobian(e.v, e.z), x)), C);
  }
  const Exprs s = backward(cholesky(std::move(K)), mu);
  Row impulse;
  for (std::size_t j = 0; j < C.size(); ++j)
    for (const auto& [c, value] : C[j]) add_to(impulse, c, value * s[j]);
  const auto dense = [&](const Row& row) {
    Exprs full(e.z.size(), graph.constant(0));
    for (const auto& [i, value] : row) full[i] = value;
    return full;
  };
  const Exprs p = dense(impulse);
  return {lagrangian ? backward(M_factor, dense(forward(M_factor, impulse))) : p, p};
}

}  // namespace alembert::internal
