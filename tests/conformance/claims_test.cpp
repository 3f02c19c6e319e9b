// What every method claims, measured from both sides: orders, symplecticity, symmetry, constraints. Orders are measured in
// extended precision, so that high ones are not hidden by rounding.

#include <gtest/gtest.h>

#include <cmath>

#include "alembert/run/integrate.h"
#include "alembert/solve/sensitivity.h"
#include "problems.h"

namespace alembert::testing {
namespace {

struct Problem {
  std::string name;
  bool holonomic;
};

Model spark_problem(const std::string& name) { return model_from_text(spark_model_text(reference("spark")["problems"][name])); }

double distance(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Real d = a[i] < b[i] ? b[i] - a[i] : a[i] - b[i];
    if (d > largest) largest = d;
  }
  return static_cast<double>(largest);
}

struct Orders {
  double q, v, multiplier;
};

// Observed order between two step sizes, against a run of much higher order.
Orders measured_orders(const Model& model, const std::string& method_text, int coarse, Real end = 1) {
  const Equations e = derive(model);
  const MotionPoint<Real> start = polish<Real>(e, make_consistent(model, e), 0);
  const auto run_to_end = [&](const Method& m, int n) {
    Endpoint<Real> result = integrate<Real>(e, m, start, 0, end / n, n);
    EXPECT_EQ(result.newton.outcome, Outcome::converged) << m.name;
    return result.point;
  };
  const MotionPoint<Real> exact = run_to_end(method("gauss(8)"), std::max(8, coarse / 2));
  const MotionPoint<Real> a = run_to_end(method(method_text), coarse), b = run_to_end(method(method_text), 2 * coarse);
  const auto order = [](double first, double second) { return std::log2(first / second); };
  std::vector<Real> multipliers_a = a.lambda, multipliers_b = b.lambda, multipliers = exact.lambda;
  multipliers_a.insert(multipliers_a.end(), a.psi.begin(), a.psi.end());
  multipliers_b.insert(multipliers_b.end(), b.psi.begin(), b.psi.end());
  multipliers.insert(multipliers.end(), exact.psi.begin(), exact.psi.end());
  return {order(distance(a.y, exact.y), distance(b.y, exact.y)), order(distance(a.z, exact.z), distance(b.z, exact.z)),
          multipliers.empty() ? 0 : order(distance(multipliers_a, multipliers), distance(multipliers_b, multipliers))};
}

void expect_claimed_orders(const std::string& problem, const std::string& method_text, int coarse, double slack = 0.2) {
  SCOPED_TRACE(problem + " " + method_text);
  const Claims claims = method(method_text).claims;
  const Orders measured = measured_orders(spark_problem(problem), method_text, coarse);
  EXPECT_NEAR(measured.q, claims.order_q, slack);
  EXPECT_NEAR(measured.v, claims.order_v, slack);
  EXPECT_NEAR(measured.multiplier, claims.order_multiplier, slack);
}

TEST(Claims, OrdersOnThePendulum) {
  for (const int s : {1, 2, 3, 4}) expect_claimed_orders("H_pendulum", "gauss(" + std::to_string(s) + ")", 40);
  for (const int s : {2, 3, 4, 5}) expect_claimed_orders("H_pendulum", "lobatto(" + std::to_string(s) + ")", 40);
}

TEST(Claims, OrdersOfTheOtherFamiliesWithBothKindsOfConstraints) {
  for (const char* name : {"gauss(1)", "gauss(2)", "lobatto(2)", "lobatto(3)", "lobatto_abd(2)", "lobatto_abd(3)",
                           "lobatto_d(2)", "lobatto_d(3)", "radau(2)", "radau(3)"})
    expect_claimed_orders("HN_knife_paraboloid", name, 32);
}

TEST(Claims, OrdersOnTheNonholonomicParticle) {
  for (const char* name : {"gauss(1)", "gauss(2)", "gauss(3)", "lobatto(2)", "lobatto(3)", "lobatto(4)", "lobatto_abd(2)",
                           "lobatto_abd(3)", "lobatto_d(2)", "lobatto_d(3)", "radau(1)", "radau(2)", "lobatto_modified",
                           "mclachlan_perlmutter"})
    expect_claimed_orders("P81_particle", name, 32);
  for (const char* name : {"euler_spark_1", "euler_spark_2"}) expect_claimed_orders("P81_particle", name, 256);
}

// Largest entry of D^T Omega D - Omega on the tangent space of the constraints, in canonical coordinates (q, L_v).
double symplectic_defect(const Model& model, const std::string& method_text, Real h) {
  const Equations e = derive(model);
  const MotionPoint<Real> start = polish<Real>(e, make_consistent(model, e), 0);
  std::vector<Real> state = start.y, hints = start.z_dot;
  state.insert(state.end(), start.z.begin(), start.z.end());
  hints.insert(hints.end(), start.lambda.begin(), start.lambda.end());
  const auto result = step_derivative<Real>(method(method_text).step(e), 0, h, state, hints);
  EXPECT_EQ(result.newton.outcome, Outcome::converged);
  const std::size_t n = e.y.size(), full = 2 * n;
  const auto at_state = [&](const Exprs& what, const std::vector<Real>& x) {
    Exprs in{e.t};
    in.insert(in.end(), e.y.begin(), e.y.end());
    in.insert(in.end(), e.z.begin(), e.z.end());
    const Kernel<Real> kernel(in, what, {Backend::interpreter, false});
    std::vector<Real> values{0}, out(what.size()), work(kernel.work());
    values.insert(values.end(), x.begin(), x.end());
    kernel(values.data(), out.data(), work.data());
    return out;
  };
  Exprs both = e.y;
  both.insert(both.end(), e.z.begin(), e.z.end());
  const auto flat = [&](const Exprs& f) {
    Exprs all;
    for (const Exprs& row : dense(jacobian(f, both), *e.graph)) all.insert(all.end(), row.begin(), row.end());
    return all;
  };
  const Exprs dp = flat(e.p);
  const auto omega = [&](const std::vector<Real>& p_x, const std::vector<Real>& a, const std::vector<Real>& b) {
    Real value = 0;  // sum dq_i(a) dp_i(b) - dq_i(b) dp_i(a)
    for (std::size_t i = 0; i < n; ++i) {
      Real pa = 0, pb = 0;
      for (std::size_t k = 0; k < full; ++k) pa += p_x[i * full + k] * a[k], pb += p_x[i * full + k] * b[k];
      value += a[i] * pb - b[i] * pa;
    }
    return value;
  };
  // A basis of the tangent space {g = 0, g_dot = 0} by Gram-Schmidt against the rows of the Jacobian.
  Exprs levels = e.g;
  levels.insert(levels.end(), e.g_dot.begin(), e.g_dot.end());
  const std::vector<Real> rows = at_state(flat(levels), state);
  std::vector<std::vector<Real>> normals, basis;
  const auto reduce = [&](std::vector<Real> x, const std::vector<std::vector<Real>>& against) {
    for (int twice = 0; twice < 2; ++twice)
      for (const auto& u : against) {
        Real dot = 0, size = 0;
        for (std::size_t k = 0; k < full; ++k) dot += u[k] * x[k], size += u[k] * u[k];
        for (std::size_t k = 0; k < full; ++k) x[k] -= dot / size * u[k];
      }
    return x;
  };
  for (std::size_t i = 0; i < levels.size(); ++i)
    normals.push_back(reduce(std::vector<Real>(rows.begin() + i * full, rows.begin() + (i + 1) * full), normals));
  std::vector<std::vector<Real>> all = normals;
  for (std::size_t k = 0; k < full && basis.size() < full - normals.size(); ++k) {
    std::vector<Real> x(full, 0);
    x[k] = 1;
    x = reduce(x, all);
    Real size = 0;
    for (const Real c : x) size += c * c;
    if (size < Real(1e-6)) continue;
    basis.push_back(x), all.push_back(x);
  }
  EXPECT_EQ(basis.size(), full - normals.size());
  const std::vector<Real> p_before = at_state(dp, state), p_after = at_state(dp, result.next);
  const auto pushed = [&](const std::vector<Real>& a) {
    std::vector<Real> b(full, 0);
    for (std::size_t i = 0; i < full; ++i)
      for (std::size_t k = 0; k < full; ++k) b[i] += result.derivative[i * full + k] * a[k];
    return b;
  };
  double defect = 0;
  for (const auto& a : basis)
    for (const auto& b : basis)
      defect = std::max(defect, std::abs(static_cast<double>(omega(p_after, pushed(a), pushed(b)) - omega(p_before, a, b))));
  return defect;
}

TEST(Claims, SymplecticToRoundingOrMeasurablyNot) {
  for (const char* name : {"gauss(1)", "gauss(2)", "gauss(3)", "lobatto(2)", "lobatto(3)", "lobatto(4)", "lobatto_d(2)",
                           "lobatto_d(3)", "radau(2)", "radau(3)"}) {
    SCOPED_TRACE(name);
    for (const char* problem : {"H_pendulum", "H_double_pendulum"}) {
      const double defect = symplectic_defect(spark_problem(problem), name, Real(1) / 10);
      if (method(name).claims.symplectic) {
        EXPECT_LT(defect, 1e-28) << problem;
      }
    }
    // Here the forces are not constant and the mass matrix depends on q.
    const double defect = symplectic_defect(gallery("cart_pendulum"), name, Real(1) / 20);
    if (method(name).claims.symplectic) {
      EXPECT_LT(defect, 1e-28);
    } else {
      EXPECT_GT(defect, 1e-10);
    }
  }
}

TEST(Claims, SymmetricStepsAreUndoneByTheStepBack) {
  for (const char* name : {"gauss(1)", "gauss(3)", "lobatto(2)", "lobatto(3)", "lobatto_abd(3)", "lobatto_d(2)", "radau(2)"}) {
    SCOPED_TRACE(name);
    const Model model = spark_problem("HN_knife_paraboloid");
    const Equations e = derive(model);
    const MotionPoint<Real> start = polish<Real>(e, make_consistent(model, e), 0);
    const Real h = Real(1) / 10;
    const Endpoint<Real> there = integrate<Real>(e, method(name), start, 0, h, 5);
    const Endpoint<Real> back = integrate<Real>(e, method(name), there.point, 5 * h, -h, 5);
    const double error = std::max(distance(back.point.y, start.y), distance(back.point.z, start.z));
    if (method(name).claims.symmetric) {
      EXPECT_LT(error, 1e-27);
    } else {
      EXPECT_GT(error, 1e-9);
    }
  }
}

TEST(Claims, TheNegativeControlKeepsEnergyAndLosesTheConstraint) {
  const Report report = run(spark_problem("P81_particle"), "gauss_standard(1)", 0.2, 50);
  EXPECT_LT(report.energy.max_error, 1e-12);
  EXPECT_GT(report.nonholonomic, 1e-2);
}

}  // namespace
}  // namespace alembert::testing
