#include "alembert/methods/shared/spark.h"

#include <algorithm>
#include <utility>

#include "alembert/error.h"

namespace alembert::internal {

namespace {

// One entry of A times a vector of values, added to a list of sums.
void add_scaled(std::vector<Exprs>& terms, Quad a, const Exprs& values) {
  if (a == 0) return;
  for (std::size_t k = 0; k < values.size(); ++k) terms[k].push_back(a * values[k]);
}

Exprs totals(Graph& graph, const std::vector<Exprs>& terms) {
  Exprs result;
  for (const Exprs& list : terms) result.push_back(sum(graph, list));
  return result;
}

Exprs plus(const Exprs& a, const Exprs& b) {
  Exprs result;
  for (std::size_t k = 0; k < a.size(); ++k) result.push_back(a[k] + b[k]);
  return result;
}

Quad power_of_node(Quad c, int exponent) {  // with 0^0 = 1
  Quad value = 1;
  for (int k = 0; k < exponent; ++k) value *= c;
  return value;
}

}  // namespace

SparkCoefficients with_lobatto_points(const Tableau& tableau) {
  const int s = static_cast<int>(tableau.b.size());
  const Quadrature points = lobatto_nodes(s + 1);
  SparkCoefficients k;
  k.A = k.A_hat = k.A_prime = tableau.A;
  k.b = k.b_hat = k.b_prime = tableau.b;
  k.c = tableau.c;
  k.c_tilde = points.c;
  k.b_tilde = points.b;
  k.A_bar = integrate_lagrange(tableau.c, points.c);
  k.A_bar.front().assign(s, 0);
  k.A_bar.back() = tableau.b;
  k.A_tilde.assign(s, QuadVector(s + 1));
  for (int i = 0; i < s; ++i)
    for (int j = 0; j <= s; ++j) k.A_tilde[i][j] = k.b_tilde[j] * (1 - k.A_bar[j][i] / k.b[i]);
  return k;
}

SparkCoefficients lobatto_pair(int s, const QuadMatrix& A_prime) {
  const Tableau a = lobatto_iiia(s), b = lobatto_iiib(s);
  SparkCoefficients k;
  k.A = k.A_bar = a.A;
  k.A_hat = k.A_tilde = b.A;
  k.A_prime = A_prime;
  k.b = k.b_hat = k.b_prime = k.b_tilde = a.b;
  k.c = k.c_tilde = a.c;
  return k;
}

namespace {

QuadMatrix times(const QuadMatrix& a, const QuadMatrix& b) {
  QuadMatrix result(a.size(), QuadVector(b.front().size(), 0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      for (std::size_t j = 0; j < b[k].size(); ++j) result[i][j] += a[i][k] * b[k][j];
  return result;
}

QuadMatrix inverse(const QuadMatrix& a) {
  QuadMatrix unit(a.size(), QuadVector(a.size(), 0));
  for (std::size_t i = 0; i < a.size(); ++i) unit[i][i] = 1;
  return solve(a, unit);
}

QuadMatrix with_row(QuadMatrix a, const QuadVector& row) {
  a.push_back(row);
  return a;
}

Quad legendre(int n, Quad x) {
  Quad before = 1, now = x;
  if (n == 0) return 1;
  for (int k = 1; k < n; ++k) before = std::exchange(now, ((2 * k + 1) * x * now - k * before) / (k + 1));
  return now;
}

// The constant transformation that splits the stages (docs/references.md): Q = [Omega 0; 0 1; gamma].
StageStructure stage_transformation(const SparkCoefficients& k) {
  const int s = k.s(), m = k.m();
  StageStructure d;
  d.s = s, d.points = m + 1;
  d.last_with_g = m == s;
  QuadMatrix Omega;
  for (int i = 1; i < s; ++i) {
    QuadVector row;
    for (int j = 0; j < s; ++j) row.push_back(k.b[j] * power_of_node(k.c[j], i - 1));
    Omega.push_back(row);
  }
  QuadVector gamma(s + 1, 0);
  if (d.last_with_g) {
    QuadMatrix transposed(s, QuadVector(s)), b(s, QuadVector(1));
    for (int i = 0; i < s; ++i) {
      b[i][0] = -k.b[i];
      for (int j = 0; j < s; ++j) transposed[i][j] = k.A[j][i];
    }
    const QuadMatrix x = solve(transposed, b);  // -b^T A^{-1}
    for (int j = 0; j < s; ++j) gamma[j] = x[j][0];
    gamma[s] = 1;
  } else {
    for (int j = 0; j < s; ++j) gamma[j] = k.b[j] * legendre(s - 1, 2 * k.c[j] - 1);
  }
  QuadMatrix Q_top;
  for (QuadVector row : Omega) {
    row.push_back(0);
    Q_top.push_back(row);
  }
  QuadVector end(s + 1, 0);
  end[s] = 1;
  Q_top.push_back(end);
  d.Q = with_row(Q_top, gamma);
  d.Q_inverse = inverse(d.Q);
  const QuadMatrix alpha_prime = with_row(k.A_prime, k.b_prime), alpha_tilde = with_row(k.A_tilde, k.b_tilde);
  d.psi_back = inverse(times(Q_top, alpha_prime));
  d.last_psi = times({gamma}, alpha_prime)[0];
  d.last_lambda = times({gamma}, alpha_tilde)[0];
  const QuadMatrix inner(k.A_bar.begin() + 1, k.A_bar.end());
  if (d.last_with_g) {
    d.lambda_back = inverse(times(d.Q, alpha_tilde));
    QuadMatrix widened;
    for (QuadVector row : inverse(inner)) {
      row.push_back(0);
      widened.push_back(row);
    }
    d.g_rows = times(d.Q, with_row(widened, end));
  } else {
    // Rows 2..s of A are S Omega.
    d.lambda_back = inverse(times(Q_top, alpha_tilde));
    QuadMatrix Omega_transposed(s, QuadVector(s - 1));
    for (int i = 0; i + 1 < s; ++i)
      for (int j = 0; j < s; ++j) Omega_transposed[j][i] = Omega[i][j];
    const QuadMatrix S = times(times(inner, Omega_transposed), inverse(times(Omega, Omega_transposed)));
    for (QuadVector row : inverse(S)) {
      row.push_back(0);
      d.g_rows.push_back(row);
    }
    d.g_rows.push_back(QuadVector(s, 0));
    d.g_rows.back().back() = 1;
  }
  return d;
}

SparseExprs at_point(const Equations& e, SparseExprs matrix, const Point& x, const Exprs& lambda, const Exprs& psi) {
  matrix.value = at(e, matrix.value, x, lambda, psi);
  return matrix;
}

}  // namespace

StepPlan spark_step(const Equations& e, const SparkCoefficients& k) {
  const int s = k.s(), m = k.m();
  const std::size_t n_y = e.y.size(), n_z = e.z.size(), n_g = e.g.size(), n_k = e.k.size();
  Frame frame(e);
  Graph& graph = frame.graph;
  const Expr t0 = frame.step.t0, h = frame.step.h;
  const Exprs &y0 = frame.y0, &z0 = frame.z0;

  // Unknowns: Z_i = z0 + dZ_i, z1 = z0 + dz, Psi_i, Lambda_j.
  std::vector<Exprs> dZ(s), Psi(s), Lambda(m + 1);
  for (int i = 0; i < s; ++i) dZ[i] = frame.unknown("dZ" + std::to_string(i + 1), frame.z_dot0, k.c[i] * h);
  const Exprs dz = frame.unknown("dz", frame.z_dot0, h);
  const int multipliers_from = static_cast<int>(frame.step.unknowns.size());
  for (int i = 0; i < s; ++i) Psi[i] = frame.unknown("Psi" + std::to_string(i + 1), frame.psi0);
  for (int j = 0; j <= m; ++j) Lambda[j] = frame.unknown("Lambda" + std::to_string(j), frame.lambda0);

  // Stages.
  std::vector<Expr> T(s);
  std::vector<Exprs> Z(s), Y(s), v(s), f(s), N(s), Y_tilde(m + 1), r(m + 1);
  const auto combination = [&](const QuadVector& row, const std::vector<Exprs>& values, std::size_t size) {
    std::vector<Exprs> terms(size);
    for (std::size_t j = 0; j < row.size(); ++j) add_scaled(terms, row[j], values[j]);
    Exprs result = totals(graph, terms);
    for (Expr& x : result) x = h * x;
    return result;
  };
  for (int i = 0; i < s; ++i) T[i] = t0 + k.c[i] * h, Z[i] = plus(z0, dZ[i]);
  // v may depend on y: then Y_i = y0 + h sum a_ij v_j is an equation for Y_i, and Y_i is an unknown beside Z_i.
  const bool implicit_y = depends(e.v, e.y);
  std::vector<Exprs> dY(s);
  const int y_from = static_cast<int>(frame.step.unknowns.size());
  if (implicit_y) {
    const Exprs v0 = at(e, e.v, {t0, y0, z0});
    for (int i = 0; i < s; ++i) {
      dY[i] = frame.unknown("dY" + std::to_string(i + 1), v0, k.c[i] * h);
      Y[i] = plus(y0, dY[i]);
      v[i] = at(e, e.v, {T[i], Y[i], Z[i]});
    }
  } else {
    for (int i = 0; i < s; ++i) v[i] = at(e, e.v, {T[i], y0, Z[i]});
    for (int i = 0; i < s; ++i) Y[i] = plus(y0, combination(k.A[i], v, n_y));
  }
  const Exprs y1 = plus(y0, combination(k.b, v, n_y)), z1 = plus(z0, dz);
  const Expr t1 = t0 + h;
  for (int i = 0; i < s; ++i) {
    f[i] = at(e, e.f, {T[i], Y[i], Z[i]});
    N[i] = at(e, e.N, {T[i], Y[i], Z[i]}, frame.lambda0, Psi[i]);
  }
  for (int j = 0; j <= m && n_g > 0; ++j) {
    Y_tilde[j] = j == m ? y1 : plus(y0, combination(k.A_bar[j], v, n_y));
    r[j] = at(e, e.r, {t0 + k.c_tilde[j] * h, Y_tilde[j], z0}, Lambda[j], frame.psi0);
  }

  // p_i = p0 + h sum ah f + h sum ap N + h sum at r; the increment of p is exact where p is linear in z.
  const Exprs p0 = at(e, e.p, {t0, y0, z0});
  const auto momentum = [&](Expr t, const Exprs& y, const Exprs& z, const Exprs& dz_here, const QuadVector& a_hat,
                            const QuadVector& a_prime, const QuadVector& a_tilde, const std::string& where) {
    Exprs left = at(e, e.p, {t, y, e.constant_mass ? dz_here : z});
    if (!e.constant_mass)
      for (std::size_t i = 0; i < n_z; ++i) left[i] = left[i] - p0[i];
    std::vector<Exprs> terms(n_z);
    for (int j = 0; j < s; ++j) add_scaled(terms, a_hat[j], f[j]);
    for (int j = 0; j < s && n_k > 0; ++j) add_scaled(terms, a_prime[j], N[j]);
    for (int j = 0; j <= m && n_g > 0; ++j) add_scaled(terms, a_tilde[j], r[j]);
    const Exprs right = totals(graph, terms);
    for (std::size_t i = 0; i < n_z; ++i) left[i] = left[i] - h * right[i];
    frame.equation(left, "momentum of ", e.z_names, where);
  };
  const auto stage = [](int i) { return " at stage " + std::to_string(i + 1); };
  for (int i = 0; i < s; ++i) momentum(T[i], Y[i], Z[i], dZ[i], k.A_hat[i], k.A_prime[i], k.A_tilde[i], stage(i));
  momentum(t1, y1, z1, dz, k.b_hat, k.b_prime, k.b_tilde, " at the end of the step");

  // sum_j b_j c_j^{i-1} k_j = 0, i = 1..s-1, and k = 0 at the end; or what else was asked for.
  using Nonholonomic = SparkCoefficients::Nonholonomic;
  std::vector<Exprs> k_stage(s);
  for (int i = 0; i < s && n_k > 0; ++i) k_stage[i] = at(e, e.k, {T[i], Y[i], Z[i]});
  for (int i = 0; i < s && n_k > 0 && k.nonholonomic == Nonholonomic::stages; ++i)
    frame.equation(k_stage[i], "constraint ", e.k_names, stage(i));
  for (int i = 1; i < s && n_k > 0 && k.nonholonomic == Nonholonomic::weighted; ++i) {
    std::vector<Exprs> terms(n_k);
    for (int j = 0; j < s; ++j) add_scaled(terms, k.b[j] * power_of_node(k.c[j], i - 1), k_stage[j]);
    frame.equation(totals(graph, terms), "constraint ", e.k_names, " over the stages");
  }
  if (n_k > 0 && k.nonholonomic == Nonholonomic::middle) {
    const Expr half = h / Quad(2);
    Exprs middle;
    for (std::size_t i = 0; i < n_y; ++i) middle.push_back(y0[i] + half * Z[0][i]);
    frame.equation(at(e, e.k, {t0 + half, middle, Z[0]}), "constraint ", e.k_names, " in the middle of the step");
  }
  if (n_k > 0 && k.nonholonomic != Nonholonomic::stages) frame.at_end(e, e.k, {t1, y1, z1}, "constraint ", e.k_names);
  // g = 0 at the points 1..m, g_t + g_y v = 0 at the end.
  for (int i = 1; i < m && n_g > 0; ++i)
    frame.equation(at(e, e.g, {t0 + k.c_tilde[i] * h, Y_tilde[i], z0}), "constraint ", e.g_names,
                   " at point " + std::to_string(i));
  if (n_g > 0) frame.at_end(e, e.g, {t1, y1, z1}, "constraint ", e.g_names);
  if (n_g > 0) frame.at_end(e, e.g_dot, {t1, y1, z1}, "velocity of constraint ", e.g_names);
  if (implicit_y)
    for (int i = 0; i < s; ++i) {
      Exprs left = combination(k.A[i], v, n_y);
      for (std::size_t q = 0; q < n_y; ++q) left[q] = dY[i][q] - left[q];
      frame.equation(left, "position of ", e.y_names, stage(i));
    }

  // Rounding in g is rounding of y, and so eps |y| / h in the stages Z.
  const Expr size_z = frame.size_z(), size_y = frame.size_y();
  const Expr size_stage = n_g > 0 ? graph.make(Op::max, size_z, size_y / abs(h)) : size_z;
  auto& groups = frame.step.groups;
  groups.push_back({0, static_cast<int>(s * n_z), size_stage});
  groups.push_back({static_cast<int>(s * n_z), static_cast<int>(n_z), size_stage});
  groups.push_back({multipliers_from, y_from - multipliers_from, Expr()});
  if (implicit_y) groups.push_back({y_from, static_cast<int>(s * n_y), size_y});

  for (int i = 0; i < s; ++i) frame.keep(Psi[i], "Psi" + std::to_string(i + 1) + ".", e.k_names);
  for (int j = 0; j <= m; ++j) frame.keep(Lambda[j], "Lambda" + std::to_string(j) + ".", e.g_names);
  const bool lobatto_points = m == s || m == s - 1;
  if (lobatto_points && s > 1 - (m == s) && k.nonholonomic == Nonholonomic::weighted) {
    auto d = std::make_shared<StageStructure>(stage_transformation(k));
    d->n_y = static_cast<int>(n_y), d->n_z = static_cast<int>(n_z);
    d->n_g = static_cast<int>(n_g), d->n_k = static_cast<int>(n_k);
    d->implicit_y = implicit_y;
    const Point start{t0, y0, z0};
    const Exprs& lambda = n_g > 0 ? Lambda[0] : frame.lambda0;
    const Exprs& psi = n_k > 0 ? Psi[0] : frame.psi0;
    d->p_z = at_point(e, jacobian(e.p, e.z), start, lambda, psi);
    d->r_lambda = at_point(e, jacobian(e.r, e.lambda), start, lambda, psi);
    d->N_psi = at_point(e, jacobian(e.N, e.psi), start, lambda, psi);
    d->g_z = at_point(e, jacobian(e.g_dot, e.z), start, lambda, psi);
    d->k_z = at_point(e, jacobian(e.k, e.z), start, lambda, psi);
    frame.step.stages = d;
  }
  return frame.plan(y1, z1);
}

std::string spark_refuses(const Equations& e) {
  if (depends(e.r, e.z))
    return "the reaction of a holonomic constraint depends on velocities; SPARK methods take r(t, y, lambda)";
  return "";
}

Claims symplectic_claims(int order) {
  Claims claims;
  claims.order_q = claims.order_v = claims.order_multiplier = order;
  claims.symplectic = claims.symmetric = true;
  return claims;
}

std::string only_constant_mass(const Equations& e) {
  if (!e.constant_mass || e.form != Form::lagrangian)
    return "it takes L = v^T M v/2 - U(q) with constant M only (with another mass matrix its order would drop to 1)";
  if (depends(e.f, e.z)) return "it takes L = v^T M v/2 - U(q) only, and here the forces depend on velocities";
  return "";
}

MethodFamily two_stages_only(MethodFamily family) {
  family.signature = family.name;
  family.make = [make = family.make, name = family.name](const std::vector<Term>& arguments) {
    no_arguments(name, arguments);
    Method method = make({});
    method.name = name;
    method.refuses = [](const Equations& e) {
      const std::string reason = spark_refuses(e);
      return reason.empty() ? only_constant_mass(e) : reason;
    };
    return method;
  };
  return family;
}

MethodFamily euler_spark_family(std::string name, std::string summary, Quad a, Quad a_hat) {
  MethodFamily family = spark_family(
      name, std::move(summary), "Jay 2009, section 7", "1", 1, 1,
      [=](int) {
        SparkCoefficients k;
        k.A = {{a}}, k.c = {a}, k.A_hat = k.A_prime = {{a_hat}};
        k.b = k.b_hat = k.b_prime = {1};
        k.A_tilde = {{}};
        return k;
      },
      [](int) {
        Claims claims;
        claims.order_q = claims.order_v = claims.order_multiplier = 1;
        claims.position = claims.velocity = false;  // refused
        return claims;
      });
  family.signature = name;
  family.make = [make = family.make, name](const std::vector<Term>& arguments) {
    no_arguments(name, arguments);
    Method method = make({});
    method.name = name;
    method.refuses = [](const Equations& e) {
      return e.g.empty() ? std::string() : "it takes nonholonomic constraints only, and this model has holonomic ones";
    };
    return method;
  };
  return family;
}

std::string spark_tableau(const SparkCoefficients& k) {
  std::string text;
  const auto matrix = [&](const std::string& name, const QuadMatrix& rows) { text += table_text(name, rows); };
  matrix("c", {k.c});
  matrix("b", {k.b});
  matrix("A (positions)", k.A);
  matrix("A^ (forces)", k.A_hat);
  matrix("A' (nonholonomic reactions)", k.A_prime);
  matrix("c~ (points of the holonomic constraints)", {k.c_tilde});
  matrix("b~ (holonomic reactions)", {k.b_tilde});
  matrix("A~ (holonomic reactions)", k.A_tilde);
  matrix("A- (positions at c~)", k.A_bar);
  return text;
}

MethodFamily spark_family(std::string name, std::string summary, std::string source, std::string orders, int least,
                          int normal, std::function<SparkCoefficients(int)> coefficients,
                          std::function<Claims(int)> claims) {
  MethodFamily family;
  family.name = name;
  family.signature = name + "(s)";
  family.summary = std::move(summary);
  family.source = std::move(source);
  family.orders = std::move(orders);
  family.make = [=](const std::vector<Term>& arguments) {
    const int s = stages_argument(name, arguments, least, normal);
    Method method;
    method.name = name + "(" + std::to_string(s) + ")";
    method.stages = s;
    method.claims = claims(s);
    method.refuses = spark_refuses;
    method.step = [=](const Equations& e) { return spark_step(e, coefficients(s)); };
    method.tableau = [=] { return spark_tableau(coefficients(s)); };
    method.spark = std::make_shared<SparkCoefficients>(coefficients(s));
    return method;
  };
  return family;
}

}  // namespace alembert::internal
