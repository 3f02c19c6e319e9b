// The measurements behind verify: one number each for what a step keeps.

#include <algorithm>
#include <cmath>
#include <limits>

#include "alembert/base/lists.h"
#include "alembert/base/magnitude.h"
#include "alembert/methods/shared/spark.h"
#include "alembert/newton/sensitivity.h"
#include "alembert/study/converge.h"
#include "alembert/study/verify.h"

namespace alembert::internal {

namespace {

template <class T>
using Vector = std::vector<T>;

template <class T>
T largest(const Vector<T>& values) {
  T most = 0;
  for (const T value : values) {
    if (!(magnitude(value) <= most)) most = magnitude(value);
  }
  return most;
}

template <class T>
Vector<T> evaluate(const Exprs& inputs, const Exprs& outputs, const Vector<T>& at) {
  const Kernel<T> kernel(inputs, outputs, interpreted);
  Vector<T> out(outputs.size()), work(kernel.work());
  kernel(at.data(), out.data(), work.data());
  return out;
}

/// Full rows of a Jacobian, one after the other.
Exprs flat_jacobian(const Exprs& f, const Exprs& x, Graph& graph) {
  Exprs all;
  for (const Exprs& row : dense(jacobian(f, x), graph)) append(all, row);
  return all;
}

template <class T>
SteppedDerivative<T> one_step(const Equations& e, const Method& method, const MotionPoint<T>& start, T t0, T h) {
  return step_derivative<T>(plan_from(start, h, method, e), t0, h, joined<T>(start.y, start.z),
                            joined<T>(start.z_dot, start.lambda, start.psi));
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

NewtonOptions interpreted_newton() {
  NewtonOptions options;
  options.kernel = interpreted;
  return options;
}

template <class T>
void reverse(Vector<T>& z) {
  for (T& value : z) value = -value;
}

/// matrix x; the matrix is given row after row.
template <class T>
Vector<T> product(const Vector<T>& matrix, const Vector<T>& x) {
  Vector<T> result(matrix.size() / x.size(), T(0));
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (std::size_t k = 0; k < x.size(); ++k) result[i] += matrix[i * x.size() + k] * x[k];
  }
  return result;
}

/// A direction of motion: a change of the state (y, z), and the change of the momenta that comes with it.
template <class T>
struct Tangent {
  Vector<T> state, p;
};

/// The canonical two-form: sum of dq_a dp_b - dq_b dp_a.
template <class T>
T omega(const Tangent<T>& a, const Tangent<T>& b) {
  T value = 0;
  for (std::size_t i = 0; i < a.p.size(); ++i) value += a.state[i] * b.p[i] - b.state[i] * a.p[i];
  return value;
}

}  // namespace

template <class T>
std::optional<double> symplectic_defect(const Equations& e, const Method& method, const MotionPoint<T>& start, T t0,
                                        T h) {
  const SteppedDerivative<T> step = one_step(e, method, start, t0, h);
  if (step.newton.outcome != Outcome::converged) return {};
  const Exprs state = joined<Expr>(e.y, e.z), inputs = joined<Expr>(e.t, state);
  const Vector<T> before = joined<T>(t0, start.y, start.z), after = joined<T>(t0 + h, step.next);
  const Exprs dp = flat_jacobian(e.p, state, *e.graph);
  const Vector<T> dp_before = evaluate<T>(inputs, dp, before), dp_after = evaluate<T>(inputs, dp, after);
  const Exprs levels = joined<Expr>(e.g, auxiliary_equations(e), e.g_dot);
  const Vector<T> gradients = evaluate<T>(inputs, flat_jacobian(levels, state, *e.graph), before);
  std::vector<Tangent<T>> original, moved;
  for (const Vector<T>& a : orthogonal_basis(gradients, state.size())) {
    const Vector<T> b = product(step.derivative, a);
    original.push_back({a, product(dp_before, a)});
    moved.push_back({b, product(dp_after, b)});
  }
  T defect = 0, size = 0;
  for (std::size_t a = 0; a < original.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const T was = omega(original[a], original[b]);
      const T is = omega(moved[a], moved[b]);
      if (!(magnitude(is - was) <= defect)) defect = magnitude(is - was);
      size = std::max(size, magnitude(was));
    }
  }
  return static_cast<double>(size > 0 ? defect / size : defect);
}

template <class T>
std::optional<double> symmetry_defect(const Equations& e, const Method& method, const MotionPoint<T>& start, T t0, T h,
                                      long n) {
  const Endpoint<T> there = integrate<T>(e, method, start, t0, h, n, interpreted_newton());
  if (!there.failure.empty()) return {};
  const Endpoint<T> back = integrate<T>(e, method, there.point, t0 + T(n) * h, -h, n, interpreted_newton());
  if (!back.failure.empty()) return {};
  return state_distance(back.point, start, there.point);
}

template <class T>
std::optional<double> reversibility_defect(const Equations& e, const Method& method, const MotionPoint<T>& start, T t0,
                                           T h, long n) {
  Endpoint<T> there = integrate<T>(e, method, start, t0, h, n, interpreted_newton());
  if (!there.failure.empty()) return {};
  MotionPoint<T> reversed = there.point;
  reverse(reversed.z);
  if (complete(e, t0, reversed, interpreted_newton()).outcome != Outcome::converged) return {};
  Endpoint<T> back = integrate<T>(e, method, reversed, t0, h, n, interpreted_newton());
  if (!back.failure.empty()) return {};
  reverse(back.point.z);
  return state_distance(back.point, start, there.point);
}

template <class T>
std::optional<double> irreversibility(const Equations& e, const MotionPoint<T>& at, T t0) {
  MotionPoint<T> reversed = at;
  reverse(reversed.z);
  if (complete(e, t0, reversed, interpreted_newton()).outcome != Outcome::converged) return {};
  const Exprs inputs = joined<Expr>(e.t, e.y, e.z);
  const Vector<T> here = joined<T>(t0, at.y, at.z), there = joined<T>(t0, reversed.y, reversed.z);
  const Vector<T> v = evaluate<T>(inputs, e.v, here);
  Vector<T> v_reversed = evaluate<T>(inputs, e.v, there);
  reverse(v_reversed);
  const Vector<T> k = evaluate<T>(inputs, e.k, here);
  const Vector<T> k_reversed = evaluate<T>(inputs, e.k, there);
  const auto difference = [](const Vector<T>& a, const Vector<T>& b) {
    Vector<T> d(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) d[i] = a[i] - b[i];
    const T size = largest(b);
    return size > 0 ? largest(d) / size : largest(d);
  };
  T constraint = 0;
  for (std::size_t i = 0; i < k.size(); ++i) {
    constraint = std::max(constraint, std::min(magnitude(k_reversed[i] - k[i]), magnitude(k_reversed[i] + k[i])));
  }
  if (largest(at.z) > 0) constraint /= largest(at.z);
  return static_cast<double>(std::max({difference(reversed.z_dot, at.z_dot), difference(v_reversed, v), constraint}));
}

template <class T>
std::vector<double> changes(const Equations& e, const Method& method, const MotionPoint<T>& start, T t0, T h, long n) {
  const Exprs inputs = joined<Expr>(e.t, e.y, e.z);
  const Exprs watched = joined<Expr>(e.energy ? e.energy : e.graph->constant(0), e.invariants);
  const auto values = [&](T t, const MotionPoint<T>& x) {
    return evaluate<T>(inputs, watched, joined<T>(t, x.y, x.z));
  };
  const Vector<T> initial = values(t0, start);
  std::vector<double> most(watched.size(), 0);
  MotionPoint<T> point = start;
  for (long i = 0; i < n; ++i) {
    const T t = t0 + T(i) * h;
    const Endpoint<T> end = integrate<T>(e, method, point, t, h, 1, interpreted_newton());
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

namespace {

/// The n numbers of a list from `first` on.
template <class T>
Vector<T> part(const Vector<T>& list, std::size_t first, std::size_t n) {
  const auto from = list.begin() + static_cast<long>(first);
  return Vector<T>(from, from + static_cast<long>(n));
}

/// p, f and N at one point.
template <class T>
struct Values {
  Vector<T> p, f, N;
};

template <class T>
Values<T> values_at(const Equations& e, T t, const Vector<T>& q, const Vector<T>& v, const Vector<T>& psi) {
  const Exprs inputs = joined<Expr>(e.t, e.y, e.z, e.psi), outputs = joined<Expr>(e.p, e.f, e.N);
  const Vector<T> all = evaluate<T>(inputs, outputs, joined<T>(t, q, v, psi));
  const std::size_t n = e.y.size();
  return {part(all, 0, n), part(all, n, n), part(all, 2 * n, n)};
}

/// The values at the stages of a SPARK step.
template <class T>
std::vector<Values<T>> stage_values(const Equations& e, const SparkCoefficients& c, const MotionPoint<T>& start,
                                    const SteppedDerivative<T>& step, T t0, T h) {
  const std::size_t s = c.b.size(), n = e.y.size(), m = e.k.size();
  // The stages among the unknowns: dZ_1..dZ_s, dz, Psi_1..Psi_s.
  std::vector<Vector<T>> V(s, start.z);
  for (std::size_t i = 0; i < s; ++i) {
    for (std::size_t k = 0; k < n; ++k) V[i][k] += step.unknowns[i * n + k];
  }
  std::vector<Values<T>> stages;
  for (std::size_t i = 0; i < s; ++i) {
    Vector<T> Q = start.y;
    for (std::size_t j = 0; j < s; ++j) {
      for (std::size_t k = 0; k < n; ++k) Q[k] += h * T(c.A[i][j]) * V[j][k];
    }
    const Vector<T> Psi = part(step.unknowns, (s + 1) * n + i * m, m);
    stages.push_back(values_at(e, t0 + T(c.c[i]) * h, Q, V[i], Psi));
  }
  return stages;
}

/// The reactions of holonomic constraints at the points of a SPARK step; none where there are no such constraints.
template <class T>
std::vector<Vector<T>> reactions_at_points(const Equations& e, const SparkCoefficients& c, const MotionPoint<T>& start,
                                           const SteppedDerivative<T>& step, T t0, T h) {
  const std::size_t s = c.b.size(), n = e.y.size(), m = e.g.size();
  std::vector<Vector<T>> reactions;
  if (m == 0) return reactions;
  const Exprs inputs = joined<Expr>(e.t, e.y, e.z, e.lambda);
  for (std::size_t j = 0; j < c.b_tilde.size(); ++j) {
    const bool last = j + 1 == c.b_tilde.size();
    Vector<T> Q = start.y;
    for (std::size_t i = 0; i < s; ++i)
      for (std::size_t k = 0; k < n; ++k)
        Q[k] += h * T(last ? c.b[i] : c.A_bar[j][i]) * (start.z[k] + step.unknowns[i * n + k]);
    // Behind the stages among the unknowns: Lambda_0..Lambda_m.
    const Vector<T> Lambda = part(step.unknowns, (s + 1) * n + s * e.k.size() + j * m, m);
    reactions.push_back(evaluate<T>(inputs, e.r, joined<T>(t0 + T(c.c_tilde[j]) * h, Q, start.z, Lambda)));
  }
  return reactions;
}

}  // namespace

template <class T>
std::optional<DiscreteEquations> discrete_lagrange_dalembert(const Equations& e, const Method& method,
                                                             const MotionPoint<T>& start, T t0, T h) {
  const SteppedDerivative<T> step = one_step(e, method, start, t0, h);
  if (step.newton.outcome != Outcome::converged) return {};
  const SparkCoefficients& c = *method.spark;
  const std::size_t s = c.b.size(), n = e.y.size();
  const std::vector<Values<T>> stages = stage_values(e, c, start, step, t0, h);
  const std::vector<Vector<T>> reactions = reactions_at_points(e, c, start, step, t0, h);
  T size = 0;
  for (const Values<T>& x : stages)
    size = std::max({size, largest(x.p), magnitude(h) * largest(x.f), magnitude(h) * largest(x.N)});
  for (const Vector<T>& r : reactions) size = std::max(size, magnitude(h) * largest(r));
  const Vector<T> p0 = values_at(e, t0, start.y, start.z, start.psi).p;
  const Vector<T> p1 = values_at(e, t0 + h, part(step.next, 0, n), part(step.next, n, n), start.psi).p;
  // What stands before dV_j (divided by h): left with dq0 = -h sum b_i dV_i, dq1 = 0; right with dq0 = 0.
  T left = 0, right = 0;
  for (std::size_t j = 0; j < s; ++j) {
    for (std::size_t k = 0; k < n; ++k) {
      T at_left = T(c.b[j]) * (stages[j].p[k] - p0[k]), at_right = T(c.b[j]) * (stages[j].p[k] - p1[k]);
      for (std::size_t l = 0; l < s; ++l) {
        const T f = stages[l].f[k], N = stages[l].N[k];
        at_left += h * (T(c.b[l]) * (T(c.A[l][j]) - T(c.b[j])) * f - T(c.b[j]) * T(c.A_prime[j][l]) * N);
        at_right += h * (T(c.b[l]) * T(c.A[l][j]) * f - T(c.b[j]) * (T(c.A_prime[j][l]) - T(c.b_prime[l])) * N);
      }
      for (std::size_t l = 0; l < reactions.size(); ++l) {
        const T r = h * T(c.b[j]) * reactions[l][k];
        at_left -= T(c.A_tilde[j][l]) * r;
        at_right -= (T(c.A_tilde[j][l]) - T(c.b_tilde[l])) * r;
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

/// Orders of convergence from runs with halved steps, until they change no more.
template <class T>
class OrderMeasurement {
 public:
  OrderMeasurement(MeasuredOrders& result, const Equations& e, const InitialValues& initial, const Method& method, T t0,
                   T length, long steps)
      : result_(result), e_(e), initial_(initial), method_(method), t0_(t0), length_(length), steps_(steps) {
    if (extended || !native_available()) options_.kernel = interpreted;
    options_.kernel.optimise = false;
  }

  void run(int halvings) {
    constexpr double settled = 0.1;  // change from one level to the next: an order is a whole number
    const MotionPoint<T> start = polish<T>(e_, initial_, t0_);
    for (int level = 0; level <= halvings; ++level) {
      if (!add_level(start, steps_ << level)) return;
      if (level == 0) continue;
      if (!refine_reference()) return;
      const double change = take_orders();
      if (level > 1 && change <= settled) return;
    }
  }

 private:
  static constexpr bool extended = std::is_same_v<T, Quad>;

  /// False where the run fails.
  bool add_level(const MotionPoint<T>& start, long n) {
    const Endpoint<T> end = integrate<T>(e_, method_, start, t0_, length_ / T(n), n, options_);
    if (!end.failure.empty()) {
      result_.failure = end.failure;
      return false;
    }
    points_.push_back(widened(end.point));
    h_.push_back(static_cast<double>(length_) / static_cast<double>(n));
    result_.steps.push_back(n);
    return true;
  }

  /// The reference has to be a hundred times as good as what it measures, to leave two digits of the errors.
  bool too_coarse() const {
    const Errors now = errors(points_.back(), reference_.point);
    return 100 * reference_.error.q > now.q || 100 * reference_.error.v > now.v ||
           100 * reference_.error.multiplier > now.multiplier;
  }

  /// False where it cannot be made.
  bool refine_reference() {
    const Claims& claims = method_.claims;
    const int stages = std::max({8, claims.order_q / 2 + 4, claims.order_v / 2 + 4, claims.order_multiplier / 2 + 4});
    constexpr int most_tries = 3;  // a reference that stays too coarse is limited by rounding
    for (int tries = 0; reference_.steps == 0 || (tries < most_tries && too_coarse()); ++tries) {
      const long count = reference_.steps == 0 ? std::max(8L, steps_ / 2) : 2 * reference_.steps;
      reference_ = make_reference(e_, initial_, t0_, length_, count, stages, ReferenceKind::extrapolation);
      if (!reference_.failure.empty()) {
        result_.failure = "the reference: " + reference_.failure;
        return false;
      }
    }
    return true;
  }

  /// The largest change of an order against the level before.
  double take_orders() {
    std::vector<double> q, v, multiplier;
    for (const MotionPoint<Quad>& point : points_) {
      const Errors error = errors(point, reference_.point);
      q.push_back(error.q);
      v.push_back(error.v);
      multiplier.push_back(error.multiplier);
      result_.error = error;
    }
    const Claims& claims = method_.claims;
    const Errors& known = reference_.error;
    return std::max({take_order(result_.order.q, q, claims.order_q, known.q),
                     take_order(result_.order.v, v, claims.order_v, known.v),
                     take_order(result_.order.multiplier, multiplier, claims.order_multiplier, known.multiplier)});
  }

  double take_order(double& order, const std::vector<double>& error, int claimed, double known) const {
    const ErrorColumn column = judge_errors(h_, error, claimed, known, extended);
    const std::size_t count = column.order.size();
    const double now = column.order.back(), before = points_.size() > 2 ? column.order[count - 2] : NAN;
    // Rounding may end what the coarser runs still showed.
    if (!std::isnan(now)) order = now;
    if (std::isnan(before)) return std::isnan(now) ? 0 : 1;
    const double change = std::abs(now - before);
    return std::isnan(change) ? 0 : change;
  }

  MeasuredOrders& result_;
  const Equations& e_;
  const InitialValues& initial_;
  const Method& method_;
  T t0_, length_;
  long steps_;
  NewtonOptions options_;
  std::vector<MotionPoint<Quad>> points_;
  std::vector<double> h_;
  Reference reference_;
};

}  // namespace

MeasuredOrders measure_orders(const Equations& e, const InitialValues& initial, const Method& method, Quad t0,
                              Quad length, long steps, int halvings) {
  MeasuredOrders result;
  result.extended = extended_affordable(e);
  result.order = {std::nan(""), std::nan(""), std::nan("")};
  if (result.extended) {
    OrderMeasurement<Quad>(result, e, initial, method, t0, length, steps).run(halvings);
  } else {
    OrderMeasurement<double>(result, e, initial, method, static_cast<double>(t0), static_cast<double>(length), steps)
        .run(halvings);
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
