// The symplectic Euler methods of Jay and Simeon against the reference, their orders, adjoints and compositions.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "alembert/methods/shared/euler.h"
#include "alembert/run/integrate.h"
#include "alembert/study/verify.h"
#include "problems.h"

namespace alembert::internal::testing {
namespace {

double size_of(const std::vector<double>& a) {
  double largest = 0;
  for (const double x : a) largest = std::max(largest, std::abs(x));
  return largest;
}

const std::map<std::string, std::string> models{{"P41", "euler_41"}, {"P42", "steel_on_teflon"}};

TEST(EulerReference, EveryCaseOfPaper000) {
  const std::map<std::string, std::string> methods{{"natural", "natural_euler(1/2)"},
                                                   {"true", "true_euler(1/2)"},
                                                   {"natural_conj", "natural_conjugate_euler(1/2)"},
                                                   {"true_conj", "true_conjugate_euler(1/2)"}};
  int compared = 0;
  const nlohmann::json cases = reference("euler_energy_momentum")["cases"];
  for (const auto& entry : cases) {
    const auto model_name = models.find(entry["problem"].get<std::string>());
    const auto name = methods.find(entry["method"].get<std::string>());
    if (model_name == models.end() || name == methods.end()) continue;
    SCOPED_TRACE(entry["id"].get<std::string>());
    const Report report = run(gallery(model_name->second), name->second, number(entry["h"]), 1);
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    const auto y = numbers(entry["y"]), z = numbers(entry["z"]);
    EXPECT_LT(distance(report.y, y), 1e-11 * size_of(y));
    EXPECT_LT(distance(report.z, z), 1e-11 * size_of(z));
    ++compared;
  }
  EXPECT_EQ(compared, 56);
}

// Errors at t = 1 of a method with the given numbers of steps, against a reference point.
std::vector<double> errors(const Equations& e, const MotionPoint<Quad>& start, const std::string& name,
                           const std::vector<int>& steps, const MotionPoint<Quad>& exact) {
  std::vector<double> result;
  for (const int n : steps) {
    const Endpoint<Quad> end = integrate<Quad>(e, method(name), start, 0, Quad(1) / n, n);
    EXPECT_EQ(end.newton.outcome, Outcome::converged) << name << " " << n;
    double largest = 0;
    for (std::size_t i = 0; i < e.y.size(); ++i)
      largest = std::max({largest, std::abs(static_cast<double>(end.point.y[i] - exact.y[i])),
                          std::abs(static_cast<double>(end.point.z[i] - exact.z[i]))});
    result.push_back(largest);
  }
  return result;
}

double slope(const std::vector<double>& e) { return std::log2(e[0] / e[1]); }

TEST(EulerOrders, CompositionsOfTheExactAdjointRaiseTheOrder) {
  for (const char* name : {"euler_41", "steel_on_teflon"}) {
    SCOPED_TRACE(name);
    const Model model = gallery(name);
    const Equations e = derive(model);
    const MotionPoint<Quad> start = polish<Quad>(e, make_consistent(model, e), 0);
    const auto exact = integrate<Quad>(e, method("suzuki(suzuki(symmetric(true_euler)))"), start, 0, Quad(1) / 64, 64);
    ASSERT_EQ(exact.newton.outcome, Outcome::converged);
    EXPECT_NEAR(slope(errors(e, start, "true_euler", {200, 400}, exact.point)), 1, 0.05);
    EXPECT_NEAR(slope(errors(e, start, "true_conjugate_euler", {200, 400}, exact.point)), 1, 0.05);
    EXPECT_NEAR(slope(errors(e, start, "symmetric(true_euler)", {64, 128}, exact.point)), 2, 0.05);
    EXPECT_NEAR(slope(errors(e, start, "symmetric(true_conjugate_euler)", {64, 128}, exact.point)), 2, 0.05);
    EXPECT_NEAR(slope(errors(e, start, "suzuki(symmetric(true_euler))", {16, 32}, exact.point)), 4, 0.25);
  }
}

TEST(Adjoint, DerivedFromTheEquationsIsTheHandWrittenOne) {
  for (const char* name : {"euler_41", "steel_on_teflon"}) {
    const Model model = gallery(name);
    const Equations e = derive(model);
    const MotionPoint<Quad> start = polish<Quad>(e, make_consistent(model, e), 0);
    const auto end = [&](const std::string& text) {
      const Endpoint<Quad> result = integrate<Quad>(e, method(text), start, 0, Quad(1) / 100, 20);
      EXPECT_EQ(result.newton.outcome, Outcome::converged) << text;
      return result.point;
    };
    const auto gap = [&](const std::string& a, const std::string& b) {
      const MotionPoint<Quad> x = end(a), y = end(b);
      double largest = 0;
      for (std::size_t i = 0; i < e.y.size(); ++i)
        largest = std::max(
            {largest, std::abs(static_cast<double>(x.y[i] - y.y[i])), std::abs(static_cast<double>(x.z[i] - y.z[i]))});
      return largest;
    };
    EXPECT_LT(gap("adjoint_of(true_euler)", "true_euler_adjoint"), 1e-27) << name;
    EXPECT_LT(gap("adjoint_of(true_conjugate_euler)", "true_conjugate_euler_adjoint"), 1e-27) << name;
    EXPECT_LT(gap("adjoint_of(natural_euler(1/4))", "natural_conjugate_euler(3/4)"), 1e-27) << name;
    // For reactions nonlinear in the multiplier the conjugate method is not the adjoint.
    EXPECT_GT(gap("true_conjugate_euler", "true_euler_adjoint"), 1e-6) << name;
  }
}

TEST(Composition, RaisesTheOrderOfAnyMethod) {
  const Model model = gallery("double_pendulum");
  const Equations e = derive(model);
  const MotionPoint<Quad> start = polish<Quad>(e, make_consistent(model, e), 0);
  const auto exact = integrate<Quad>(e, method("gauss(6)"), start, 0, Quad(1) / 60, 60);
  EXPECT_NEAR(slope(errors(e, start, "triple_jump(lobatto(2))", {80, 160}, exact.point)), 4, 0.2);
  EXPECT_NEAR(slope(errors(e, start, "suzuki(lobatto(2))", {40, 80}, exact.point)), 4, 0.2);
  EXPECT_NEAR(slope(errors(e, start, "yoshida(lobatto(2), 6)", {80, 160}, exact.point)), 6, 0.3);
  EXPECT_NEAR(slope(errors(e, start, "symmetric(radau(2))", {40, 80}, exact.point)), 4, 0.2);
}

// Classical Runge-Kutta of order 4 on y' = v, z' from the derived limit equation.
MotionPoint<Quad> integrate_limit(const Equations& e, const MotionPoint<Quad>& start, Quad a, int steps) {
  const ImplicitEquations system = natural_limit(e, a);
  Exprs in{e.t};
  for (const Exprs* list : {&e.y, &e.z}) in.insert(in.end(), list->begin(), list->end());
  const Kernel<Quad> v(in, e.v, {Backend::interpreter, false});
  std::vector<Quad> x{0}, work(v.work());
  const std::size_t n_y = e.y.size(), n = n_y + e.z.size();
  for (const auto* list : {&start.y, &start.z, &start.z_dot, &start.z_dot, &start.lambda, &start.lambda})
    x.insert(x.end(), list->begin(), list->end());
  Newton<Quad> newton(system, x);
  std::vector<Quad> state(x.begin() + 1, x.begin() + 1 + static_cast<long>(n));
  const Quad h = Quad(1) / steps;
  const auto rate = [&](Quad t, const std::vector<Quad>& at) {
    x[0] = t;
    std::copy(at.begin(), at.end(), x.begin() + 1);
    EXPECT_EQ(newton.solve(x.data()).outcome, Outcome::converged);
    std::vector<Quad> k(n);
    v(x.data(), k.data(), work.data());
    for (std::size_t i = n_y; i < n; ++i) k[i] = x[1 + n + i - n_y];
    return k;
  };
  const auto shifted = [&](const std::vector<Quad>& k, Quad by) {
    std::vector<Quad> moved = state;
    for (std::size_t i = 0; i < n; ++i) moved[i] += by * k[i];
    return moved;
  };
  for (int step = 0; step < steps; ++step) {
    const Quad t = step * h;
    const auto k1 = rate(t, state), k2 = rate(t + h / 2, shifted(k1, h / 2)), k3 = rate(t + h / 2, shifted(k2, h / 2)),
               k4 = rate(t + h, shifted(k3, h));
    for (std::size_t i = 0; i < n; ++i) state[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  MotionPoint<Quad> end = start;
  end.y.assign(state.begin(), state.begin() + static_cast<long>(n_y));
  end.z.assign(state.begin() + static_cast<long>(n_y), state.end());
  return end;
}

TEST(EulerLimit, NaturalMethodsConvergeToAnotherEquation) {
  const nlohmann::json cases = reference("euler_energy_momentum")["cases"];
  for (const auto& [problem, name] : models) {
    SCOPED_TRACE(name);
    const Model model = gallery(name);
    const Equations e = derive(model);
    const MotionPoint<Quad> start = polish<Quad>(e, make_consistent(model, e), 0);
    const MotionPoint<Quad> limit = integrate_limit(e, start, Quad(1) / 2, 2000);
    int compared = 0;
    for (const auto& entry : cases) {
      if (entry["problem"] != problem || entry["method"].get<std::string>().find("inconsistent") == std::string::npos)
        continue;
      const auto y = numbers(entry["y"]), z = numbers(entry["z"]);
      for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_NEAR(static_cast<double>(limit.y[i]), y[i], 1e-10 * size_of(y));
        EXPECT_NEAR(static_cast<double>(limit.z[i]), z[i], 1e-10 * size_of(z));
      }
      ++compared;
    }
    EXPECT_EQ(compared, 1);
    for (const char* method_name : {"natural_euler", "natural_conjugate_euler"})
      EXPECT_NEAR(slope(errors(e, start, method_name, {800, 1600}, limit)), 1, 0.1) << method_name;
  }
}

// The error of one step, at two step sizes, against a fine composition.
double local_slope(const std::string& name, const std::string& method_name, bool velocities) {
  const Model model = gallery(name);
  const Equations e = derive(model);
  const MotionPoint<Quad> start = polish<Quad>(e, make_consistent(model, e), 0);
  std::vector<double> sizes;
  for (const int n : {1000, 2000}) {
    const Quad h = Quad(1) / n;
    const auto exact = integrate<Quad>(e, method("suzuki(symmetric(true_euler))"), start, 0, h / 8, 8);
    const auto one = integrate<Quad>(e, method(method_name), start, 0, h, 1);
    double largest = 0;
    const auto &a = velocities ? one.point.z : one.point.y, &b = velocities ? exact.point.z : exact.point.y;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(static_cast<double>(a[i] - b[i])));
    sizes.push_back(largest);
  }
  return slope(sizes);
}

TEST(EulerLocalErrors, FirstOrderForNaturalSecondForTrue) {
  for (const auto& [problem, name] : models) {
    EXPECT_NEAR(local_slope(name, "natural_euler", true), 1, 0.05) << name;
    EXPECT_NEAR(local_slope(name, "natural_conjugate_euler", true), 1, 0.05) << name;
    EXPECT_NEAR(local_slope(name, "true_euler", true), 2, 0.05) << name;
    EXPECT_NEAR(local_slope(name, "true_conjugate_euler", true), 2, 0.05) << name;
  }
}

TEST(EulerErrors, OfTheTrueMethodsAtOneThousandth) {
  // docs/references.md: Euclidean norm of the global error at t = 1.
  const auto length = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1]);
  };
  const auto errors_of = [&](const std::string& name, std::vector<double> y, std::vector<double> z) {
    const Report report = run(gallery(name), "true_euler", 0.001, 1);
    return std::pair{length(report.y, y), length(report.z, z)};
  };
  const auto [y41, z41] = errors_of("euler_41", {std::exp(2.0), std::exp(-1.0)}, {std::exp(2.0), std::exp(-1.0)});
  EXPECT_NEAR(y41, 0.01744, 0.00001);
  EXPECT_NEAR(z41, 0.01970, 0.00001);
  const auto [y42, z42] = errors_of("steel_on_teflon", {0.4779342601938559675, 0.001091702967154643598},
                                    {-16.63210819111083088, -0.1139737619243360888});
  EXPECT_NEAR(y42, 0.003908, 0.000001);
  EXPECT_NEAR(z42, 0.003319, 0.000001);
}

TEST(EulerSteps, EndOnASupportThatHasMoved) {
  const Model model = gallery("moving_support");
  const Equations e = derive(model);
  SimulateOptions options;
  options.step = 0.001, options.end = 0.02;
  for (const char* name : {"true_euler(1/2)", "true_conjugate_euler(1/2)", "natural_euler(1/2)"}) {
    const Report report = simulate(model, e, method(name), options);
    EXPECT_EQ(report.ending, Ending::done) << name << ": " << report.reason;
    EXPECT_LT(report.position, 1e-14) << name;
  }
}

TEST(EulerOrders, OfADoublePendulumWithFriction) {
  const Model model = gallery("friction_double_pendulum");
  const Equations e = derive(model);
  const MotionPoint<Quad> start = polish<Quad>(e, make_consistent(model, e), 0);
  const auto exact = integrate<Quad>(e, method("suzuki(suzuki(symmetric(true_euler)))"), start, 0, Quad(1) / 100, 100);
  ASSERT_EQ(exact.newton.outcome, Outcome::converged);
  EXPECT_NEAR(slope(errors(e, start, "true_euler", {400, 800}, exact.point)), 1, 0.1);
  EXPECT_NEAR(slope(errors(e, start, "symmetric(true_euler)", {100, 200}, exact.point)), 2, 0.05);
  EXPECT_NEAR(slope(errors(e, start, "suzuki(symmetric(true_euler))", {50, 100}, exact.point)), 4, 0.2);
}

TEST(EulerOrders, WithTheConjugateMethodInsteadOfTheAdjointStayAtOne) {
  for (const char* name : {"euler_41", "steel_on_teflon", "friction_double_pendulum"}) {
    const Model model = gallery(name);
    const Report exact = run(model, "suzuki(symmetric(true_euler))", 0.001, 1);
    std::vector<double> sizes;
    for (const double h : {1.0 / 16384, 1.0 / 32768}) {
      const Report report = run(model, "composed(true_euler, true_conjugate_euler)", h, 1);
      sizes.push_back(std::max(distance(report.y, exact.y), distance(report.z, exact.z)));
    }
    EXPECT_NEAR(slope(sizes), 1, 0.1) << name;
    EXPECT_GT(sizes[1], 1e-8) << name;
  }
}

TEST(EulerFriction, ABlockOnARoughInclineSlidesAsCoulombSays) {
  // Straight wire of slope -1 (a = 45 degrees): acceleration gravity*(sin a - mu*cos a) down along it.
  const Model model = gallery("rough_wire", {"curvature=0", "slope=-1", "x0=0"});
  const Report report = run(model, "symmetric(true_euler)", 0.001, 0.5);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  const double c = std::sqrt(0.5), along = 9.81 * (c - 0.2 * c), v0 = 0.1 / c;
  EXPECT_NEAR(report.y[0], (v0 * 0.5 + along * 0.125) * c, 1e-9);
  EXPECT_NEAR(report.z[0], (v0 + along * 0.5) * c, 1e-9);
}

TEST(EulerFriction, WithoutFrictionTheSpiralIsAnInclinedPlane) {
  const Report report = run(gallery("rough_spiral", {"mu=0"}), "suzuki(symmetric(true_euler))", 0.01, 1);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  const double sine = 0.5 / std::sqrt(1.25), v0 = 0.2 * std::sqrt(1.25), path = v0 + 9.81 * sine / 2;
  EXPECT_NEAR(report.y[2], -path * sine, 1e-6);
}

TEST(EulerSymplectic, ForHamiltonianModelsToRounding) {
  const Model model = model_from_text(
      "coordinate q[3]\nmomentum p[3] of q\nhamiltonian norm2(p)/2*(1 + q[1]^2/5) + q[3]\n"
      "constraint sphere: norm2(q)/2 = 1/2\ninitial q = (1, 0, 0), p = (0, 1, 0.3)\n");
  const Equations e = derive(model);
  const MotionPoint<Quad> start = polish<Quad>(e, make_consistent(model, e), 0);
  for (const char* name : {"natural_euler", "true_euler(1/3)", "natural_conjugate_euler(2/3)", "true_conjugate_euler",
                           "true_euler_adjoint", "true_conjugate_euler_adjoint", "symmetric(true_euler)"})
    EXPECT_LT(symplectic_defect<Quad>(e, method(name), start, 0, Quad(1) / 20).value(), 1e-27) << name;
}

TEST(EulerFailures, NoRealSolutionIsSaid) {
  const Report report = run(gallery("euler_41"), "true_euler(-1)", 0.01, 1);
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_NE(report.reason.find("no real solution"), std::string::npos) << report.reason;
}

TEST(EulerFailures, BackwardUntilThereIsNoSolution) {
  const Report report = run(gallery("euler_41"), "true_euler", -0.01, -5);
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_GT(report.steps, 5);
  EXPECT_LT(report.position, 1e-13);
  EXPECT_NE(report.reason.find("no real solution"), std::string::npos) << report.reason;
}

TEST(EulerRemark, NaturalMethodsWarnWhereTheReactionIsNonlinear) {
  const auto warned = [](const char* model, const char* name, double step) {
    const Report report = run(gallery(model), name, step, 0.1);
    EXPECT_EQ(report.note, "") << "what is a warning is no note beside";
    return std::any_of(report.warnings.begin(), report.warnings.end(),
                       [](const Warning& warning) { return warning.code == "inconsistent"; });
  };
  EXPECT_TRUE(warned("euler_41", "natural_euler", 0.01));
  EXPECT_FALSE(warned("euler_41", "true_euler", 0.01));
  EXPECT_FALSE(warned("double_pendulum", "natural_euler", 0.001));
}

}  // namespace
}  // namespace alembert::internal::testing
