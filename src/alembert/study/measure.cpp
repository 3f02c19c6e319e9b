// The measurements behind verify: one number each for what a step keeps.

#include <algorithm>
#include <cmath>

#include "alembert/methods/shared/spark.h"
#include "alembert/newton/sensitivity.h"
#include "alembert/study/converge.h"
#include "alembert/study/verify.h"

namespace alembert::internal {

namespace {

template <class T>
using Vector = std::vector<T>;

template <class T>
T magnitude(T x) {
  return x < 0 ? -x : x;
}

template <class T>
T largest(const Vector<T>& values) {
  T most = 0;
  for (const T value : values) {
    if (!(magnitude(value) <= most)) most = magnitude(value);
  }
  return most;
}

template <class T>
Vector<T> joined(std::initializer_list<const Vector<T>*> parts) {
  Vector<T> all;
  for (const Vector<T>* part : parts) all.insert(all.end(), part->begin(), part->end());
  return all;
}

Exprs joined(std::initializer_list<const Exprs*> parts) {
  Exprs all;
  for (const Exprs* part : parts) all.insert(all.end(), part->begin(), part->end());
  return all;
}

template <class T>
Vector<T> evaluate(const Exprs& inputs, const Exprs& outputs, const Vector<T>& at) {
  const Kernel<T> kernel(inputs, outputs, {Backend::interpreter, false});
  Vector<T> out(outputs.size()), work(kernel.work());
  kernel(at.data(), out.data(), work.data());
  return out;
}

/// Full rows of a Jacobian, one after the other.
Exprs flat_jacobian(const Exprs& f, const Exprs& x, Graph& graph) {
  Exprs all;
  for (const Exprs& row : dense(jacobian(f, x), graph)) all.insert(all.end(), row.begin(), row.end());
  return all;
}

template <class T>
SteppedDerivative<T> one_step(const Equations& e, const Method& method, const MotionPoint<T>& start, T t0, T h) {
  return step_derivative<T>(method.step(e), t0, h, joined<T>({&start.y, &start.z}),
                            joined<T>({&start.z_dot, &start.lambda, &start.psi}));
}

/// x less its parts along the given vectors, which are orthogonal; twice, for rounding.
template <class T>
Vector<T> orthogonal_part(Vector<T> x, const std::vector<Vector<T>>& against) {
  for (int twice = 0; twice < 2; ++twice) {
    for (const Vector<T>& u : against) {
      T dot = 0, size = 0;
      for (std::size_t k = 0; k < x.size(); ++k) {
        dot += u[k] * x[k];
        size += u[k] * u[k];
      }
      for (std::size_t k = 0; k < x.size() && size > 0; ++k) x[k] -= dot / size * u[k];
    }
  }
  return x;
}

/// A basis of the vectors orthogonal to all rows (row major, each of length n).
template <class T>
std::vector<Vector<T>> orthogonal_basis(const Vector<T>& rows, std::size_t n) {
  std::vector<Vector<T>> all, basis;
  for (std::size_t i = 0; i < rows.size(); i += n) {
    all.push_back(
        orthogonal_part(Vector<T>(rows.begin() + static_cast<long>(i), rows.begin() + static_cast<long>(i + n)), all));
  }
  const std::size_t dimension = n - all.size();
  for (std::size_t k = 0; k < n && basis.size() < dimension; ++k) {
    Vector<T> unit(n, T(0));
    unit[k] = 1;
    const Vector<T> x = orthogonal_part(unit, all);
    T size = 0;
    for (const T c : x) size += c * c;
    if (size < T(1e-6)) continue;
    basis.push_back(x);
    all.push_back(x);
  }
  return basis;
}

/// Distance of two states, positions and velocities each relative to their size on the way.
template <class T>
double state_distance(const MotionPoint<T>& a, const MotionPoint<T>& b, const MotionPoint<T>& on_the_way) {
  const auto part = [](const Vector<T>& x, const Vector<T>& y, const Vector<T>& way) {
    Vector<T> difference(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) difference[i] = x[i] - y[i];
    const T size = std::max(largest(y), largest(way));
    return static_cast<double>(size > 0 ? largest(difference) / size : largest(difference));
  };
  return std::max(part(a.y, b.y, on_the_way.y), part(a.z, b.z, on_the_way.z));
}

NewtonOptions interpreted() {
  NewtonOptions options;
  options.kernel = {Backend::interpreter, false};
  return options;
}

template <class T>
void turn_round(Vector<T>& z) {
  for (T& value : z) value = -value;
}

}  // namespace

template <class T>
std::optional<double> symplectic_defect(const Equations& e, const Method& method, const MotionPoint<T>& start, T t0,
                                        T h) {
  const SteppedDerivative<T> step = one_step(e, method, start, t0, h);
  if (step.newton.outcome != Outcome::converged) return {};
  const std::size_t n = e.y.size(), full = n + e.z.size();
  const Exprs state = joined({&e.y, &e.z}), time{e.t}, inputs = joined({&time, &state});
  const auto at = [&](T t, const Vector<T>& x) {
    Vector<T> values{t};
    values.insert(values.end(), x.begin(), x.end());
    return values;
  };
  const Vector<T> before = at(t0, joined<T>({&start.y, &start.z})), after = at(t0 + h, step.next);
  const Exprs dp = flat_jacobian(e.p, state, *e.graph);
  const Vector<T> dp_before = evaluate<T>(inputs, dp, before), dp_after = evaluate<T>(inputs, dp, after);
  const auto momenta = [&](const Vector<T>& dp_x, const Vector<T>& a) {
    Vector<T> result(n, T(0));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < full; ++k) result[i] += dp_x[i * full + k] * a[k];
    }
    return result;
  };
  const auto pushed = [&](const Vector<T>& a) {
    Vector<T> b(full, T(0));
    for (std::size_t i = 0; i < full; ++i) {
      for (std::size_t k = 0; k < full; ++k) b[i] += step.derivative[i * full + k] * a[k];
    }
    return b;
  };
  const auto omega = [&](const Vector<T>& qa, const Vector<T>& pa, const Vector<T>& qb, const Vector<T>& pb) {
    T value = 0;
    for (std::size_t i = 0; i < n; ++i) value += qa[i] * pb[i] - qb[i] * pa[i];
    return value;
  };
  const Exprs levels = joined({&e.g, &e.g_dot});
  const auto basis = orthogonal_basis(evaluate<T>(inputs, flat_jacobian(levels, state, *e.graph), before), full);
  std::vector<Vector<T>> p_basis, moved, p_moved;
  for (const Vector<T>& a : basis) {
    moved.push_back(pushed(a));
    p_basis.push_back(momenta(dp_before, a));
    p_moved.push_back(momenta(dp_after, moved.back()));
  }
  T defect = 0, size = 0;
  for (std::size_t a = 0; a < basis.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const T was = omega(basis[a], p_basis[a], basis[b], p_basis[b]);
      const T is = omega(moved[a], p_moved[a], moved[b], p_moved[b]);
      if (!(magnitude(is - was) <= defect)) defect = magnitude(is - was);
      size = std::max(size, magnitude(was));
    }
  }
  return static_cast<double>(size > 0 ? defect / size : defect);
}

template <class T>
std::optional<double> symmetry_defect(const Equations& e, const Method& method, const MotionPoint<T>& start, T t0, T h,
                                      long n) {
  const Endpoint<T> there = integrate<T>(e, method, start, t0, h, n, interpreted());
  if (!there.failure.empty()) return {};
  const Endpoint<T> back = integrate<T>(e, method, there.point, t0 + T(n) * h, -h, n, interpreted());
  if (!back.failure.empty()) return {};
  return state_distance(back.point, start, there.point);
}

template <class T>
std::optional<double> reversibility_defect(const Equations& e, const Method& method, const MotionPoint<T>& start, T t0,
                                           T h, long n) {
  Endpoint<T> there = integrate<T>(e, method, start, t0, h, n, interpreted());
  if (!there.failure.empty()) return {};
  MotionPoint<T> turned = there.point;
  turn_round(turned.z);
  if (complete(e, t0, turned, interpreted()).outcome != Outcome::converged) return {};
  Endpoint<T> back = integrate<T>(e, method, turned, t0, h, n, interpreted());
  if (!back.failure.empty()) return {};
  turn_round(back.point.z);
  return state_distance(back.point, start, there.point);
}

template <class T>
std::optional<double> irreversibility(const Equations& e, const MotionPoint<T>& at, T t0) {
  MotionPoint<T> turned = at;
  turn_round(turned.z);
  if (complete(e, t0, turned, interpreted()).outcome != Outcome::converged) return {};
  const Exprs time{e.t}, inputs = joined({&time, &e.y, &e.z});
  const Vector<T> t{t0};
  const Vector<T> v = evaluate<T>(inputs, e.v, joined<T>({&t, &at.y, &at.z}));
  Vector<T> v_turned = evaluate<T>(inputs, e.v, joined<T>({&t, &turned.y, &turned.z}));
  turn_round(v_turned);
  const Vector<T> k = evaluate<T>(inputs, e.k, joined<T>({&t, &at.y, &at.z}));
  const Vector<T> k_turned = evaluate<T>(inputs, e.k, joined<T>({&t, &turned.y, &turned.z}));
  const auto difference = [](const Vector<T>& a, const Vector<T>& b) {
    Vector<T> d(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) d[i] = a[i] - b[i];
    const T size = largest(b);
    return size > 0 ? largest(d) / size : largest(d);
  };
  T constraint = 0;
  for (std::size_t i = 0; i < k.size(); ++i) {
    constraint = std::max(constraint, std::min(magnitude(k_turned[i] - k[i]), magnitude(k_turned[i] + k[i])));
  }
  if (largest(at.z) > 0) constraint /= largest(at.z);
  return static_cast<double>(std::max({difference(turned.z_dot, at.z_dot), difference(v_turned, v), constraint}));
}

template <class T>
std::vector<double> changes(const Equations& e, const Method& method, const MotionPoint<T>& start, T t0, T h, long n) {
  const Exprs time{e.t}, inputs = joined({&time, &e.y, &e.z});
  const Exprs energy{e.energy ? e.energy : e.graph->constant(0)}, watched = joined({&energy, &e.invariants});
  const auto values = [&](T t, const MotionPoint<T>& x) {
    const Vector<T> at_time{t};
    return evaluate<T>(inputs, watched, joined<T>({&at_time, &x.y, &x.z}));
  };
  const Vector<T> initial = values(t0, start);
  std::vector<double> most(watched.size(), 0);
  MotionPoint<T> point = start;
  for (long i = 0; i < n; ++i) {
    const T t = t0 + T(i) * h;
    const Endpoint<T> end = integrate<T>(e, method, point, t, h, 1, interpreted());
    if (!end.failure.empty()) return {};
    point = end.point;
    const Vector<T> now = values(t + h, point);
    for (std::size_t k = 0; k < most.size(); ++k) {
      const double change = static_cast<double>(magnitude(now[k] - initial[k]));
      if (!(change <= most[k])) most[k] = change;
    }
  }
  return most;
}

double variational_condition(const SparkCoefficients& k) {
  Quad worst = 0;
  for (int i = 0; i < k.s(); ++i) {
    worst = std::max(worst, magnitude(k.b_hat[i] - k.b[i]));
    for (int j = 0; j < k.s(); ++j) {
      worst = std::max(worst, magnitude(k.b_hat[i] * k.A[i][j] + k.b[j] * k.A_hat[j][i] - k.b_hat[i] * k.b[j]));
    }
  }
  return static_cast<double>(worst);
}

template <class T>
std::optional<DiscreteEquations> discrete_lagrange_dalembert(const Equations& e, const Method& method,
                                                             const MotionPoint<T>& start, T t0, T h) {
  const SteppedDerivative<T> step = one_step(e, method, start, t0, h);
  if (step.newton.outcome != Outcome::converged) return {};
  const SparkCoefficients& c = *method.spark;
  const std::size_t s = c.b.size(), n = e.y.size(), m = e.k.size();
  // The stages among the unknowns: dZ_1..dZ_s, dz, Psi_1..Psi_s.
  std::vector<Vector<T>> V(s, start.z), Psi(s), Q(s, start.y), P(s), F(s), R(s);
  for (std::size_t i = 0; i < s; ++i) {
    for (std::size_t k = 0; k < n; ++k) V[i][k] += step.unknowns[i * n + k];
    const auto from = step.unknowns.begin() + static_cast<long>((s + 1) * n + i * m);
    Psi[i].assign(from, from + static_cast<long>(m));
  }
  const Exprs time{e.t}, inputs = joined({&time, &e.y, &e.z, &e.psi}), outputs = joined({&e.p, &e.f, &e.N});
  const auto values = [&](T t, const Vector<T>& q, const Vector<T>& v, const Vector<T>& psi) {
    const Vector<T> at_time{t};
    return evaluate<T>(inputs, outputs, joined<T>({&at_time, &q, &v, &psi}));
  };
  T size = 0;
  for (std::size_t i = 0; i < s; ++i) {
    for (std::size_t j = 0; j < s; ++j) {
      for (std::size_t k = 0; k < n; ++k) Q[i][k] += h * T(c.A[i][j]) * V[j][k];
    }
    const Vector<T> all = values(t0 + T(c.c[i]) * h, Q[i], V[i], Psi[i]);
    const auto part = [&](std::size_t number) {
      const auto from = all.begin() + static_cast<long>(number * n);
      return Vector<T>(from, from + static_cast<long>(n));
    };
    P[i] = part(0);
    F[i] = part(1);
    R[i] = part(2);
    size = std::max({size, largest(P[i]), magnitude(h) * largest(F[i]), magnitude(h) * largest(R[i])});
  }
  const Vector<T> q1(step.next.begin(), step.next.begin() + static_cast<long>(n));
  const Vector<T> v1(step.next.begin() + static_cast<long>(n), step.next.end());
  const Vector<T> p0 = values(t0, start.y, start.z, start.psi), p1 = values(t0 + h, q1, v1, start.psi);
  // What stands before dV_j (divided by h): left with dq0 = -h sum b_i dV_i, dq1 = 0; right with dq0 = 0.
  T left = 0, right = 0;
  for (std::size_t j = 0; j < s; ++j) {
    for (std::size_t k = 0; k < n; ++k) {
      T at_left = T(c.b[j]) * (P[j][k] - p0[k]), at_right = T(c.b[j]) * (P[j][k] - p1[k]);
      for (std::size_t l = 0; l < s; ++l) {
        at_left += h * (T(c.b[l]) * (T(c.A[l][j]) - T(c.b[j])) * F[l][k] - T(c.b[j]) * T(c.A_prime[j][l]) * R[l][k]);
        at_right +=
            h * (T(c.b[l]) * T(c.A[l][j]) * F[l][k] - T(c.b[j]) * (T(c.A_prime[j][l]) - T(c.b_prime[l])) * R[l][k]);
      }
      left = std::max(left, magnitude(at_left));
      right = std::max(right, magnitude(at_right));
    }
  }
  if (size > 0) {
    left /= size;
    right /= size;
  }
  return DiscreteEquations{static_cast<double>(left), static_cast<double>(right)};
}

namespace {

template <class T>
void measure_orders(MeasuredOrders& result, const Equations& e, const InitialValues& initial, const Method& method,
                    T t0, T length, long steps, int halvings) {
  constexpr double settled = 0.1, nan = std::numeric_limits<double>::quiet_NaN();
  const bool extended = std::is_same_v<T, Quad>;
  const Claims& claims = method.claims;
  const int stages = std::max({8, claims.order_q / 2 + 4, claims.order_v / 2 + 4, claims.order_multiplier / 2 + 4});
  const MotionPoint<T> start = polish<T>(e, initial, t0);
  NewtonOptions options;
  if (extended || !native_available()) options.kernel = {Backend::interpreter, false};
  options.kernel.optimise = false;
  std::vector<MotionPoint<Quad>> points;
  std::vector<double> h;
  Reference reference;
  for (int level = 0; level <= halvings; ++level) {
    const long n = steps << level;
    const Endpoint<T> end = integrate<T>(e, method, start, t0, length / T(n), n, options);
    if (!end.failure.empty()) {
      result.failure = end.failure;
      return;
    }
    points.push_back(widened(end.point));
    h.push_back(static_cast<double>(length) / static_cast<double>(n));
    result.steps.push_back(n);
    if (level == 0) continue;
    const auto too_coarse = [&] {
      const Errors now = errors(points.back(), reference.point);
      return 100 * reference.error.q > now.q || 100 * reference.error.v > now.v ||
             100 * reference.error.multiplier > now.multiplier;
    };
    for (int tries = 0; reference.steps == 0 || (tries < 3 && too_coarse()); ++tries) {
      const long count = reference.steps == 0 ? std::max(8L, steps / 2) : 2 * reference.steps;
      reference = make_reference(e, initial, t0, length, count, stages, ReferenceKind::extrapolation);
      if (!reference.failure.empty()) {
        result.failure = "the reference: " + reference.failure;
        return;
      }
    }
    std::vector<double> q, v, multiplier;
    for (const MotionPoint<Quad>& point : points) {
      const Errors error = errors(point, reference.point);
      q.push_back(error.q);
      v.push_back(error.v);
      multiplier.push_back(error.multiplier);
      result.error = error;
    }
    double change = 0;
    const auto last = [&](const std::vector<double>& error, int claimed, double known) {
      const ErrorColumn column = judge_errors(h, error, claimed, known, extended);
      const double now = column.order.back(), before = level > 1 ? column.order[column.order.size() - 2] : nan;
      change = std::max(change, std::isnan(before) ? (std::isnan(now) ? 0 : 1) : std::abs(now - before));
      return now;
    };
    const Errors seen{last(q, claims.order_q, reference.error.q), last(v, claims.order_v, reference.error.v),
                      last(multiplier, claims.order_multiplier, reference.error.multiplier)};
    // Rounding may end what the coarser runs still showed.
    const auto keep = [](double& order, double now) {
      if (!std::isnan(now)) order = now;
    };
    keep(result.order.q, seen.q);
    keep(result.order.v, seen.v);
    keep(result.order.multiplier, seen.multiplier);
    if (level > 1 && change <= settled) return;
  }
}

}  // namespace

MeasuredOrders measure_orders(const Equations& e, const InitialValues& initial, const Method& method, Quad t0,
                              Quad length, long steps, int halvings) {
  MeasuredOrders result;
  result.extended = extended_affordable(e);
  result.order = {std::nan(""), std::nan(""), std::nan("")};
  if (result.extended) {
    measure_orders<Quad>(result, e, initial, method, t0, length, steps, halvings);
  } else {
    measure_orders<double>(result, e, initial, method, static_cast<double>(t0), static_cast<double>(length), steps,
                           halvings);
  }
  return result;
}

template std::optional<double> symplectic_defect(const Equations&, const Method&, const MotionPoint<double>&, double,
                                                 double);
template std::optional<double> symmetry_defect(const Equations&, const Method&, const MotionPoint<double>&, double,
                                               double, long);
template std::optional<double> reversibility_defect(const Equations&, const Method&, const MotionPoint<double>&, double,
                                                    double, long);
template std::optional<double> irreversibility(const Equations&, const MotionPoint<double>&, double);
template std::vector<double> changes(const Equations&, const Method&, const MotionPoint<double>&, double, double, long);
template std::optional<DiscreteEquations> discrete_lagrange_dalembert(const Equations&, const Method&,
                                                                      const MotionPoint<double>&, double, double);
template std::optional<double> symplectic_defect(const Equations&, const Method&, const MotionPoint<Quad>&, Quad, Quad);
template std::optional<double> symmetry_defect(const Equations&, const Method&, const MotionPoint<Quad>&, Quad, Quad,
                                               long);
template std::optional<double> reversibility_defect(const Equations&, const Method&, const MotionPoint<Quad>&, Quad,
                                                    Quad, long);
template std::optional<double> irreversibility(const Equations&, const MotionPoint<Quad>&, Quad);
template std::vector<double> changes(const Equations&, const Method&, const MotionPoint<Quad>&, Quad, Quad, long);
template std::optional<DiscreteEquations> discrete_lagrange_dalembert(const Equations&, const Method&,
                                                                      const MotionPoint<Quad>&, Quad, Quad);

}  // namespace alembert::internal
