// The symplectic Euler methods of paper 000 against the reference, their orders, adjoints and compositions.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "alembert/run/integrate.h"
#include "problems.h"

namespace alembert::testing {
namespace {

double size_of(const std::vector<double>& a) {
  double largest = 0;
  for (const double x : a) largest = std::max(largest, std::abs(x));
  return largest;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
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
std::vector<double> errors(const Equations& e, const MotionPoint<Real>& start, const std::string& name,
                           const std::vector<int>& steps, const MotionPoint<Real>& exact) {
  std::vector<double> result;
  for (const int n : steps) {
    const Endpoint<Real> end = integrate<Real>(e, method(name), start, 0, Real(1) / n, n);
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
    const MotionPoint<Real> start = polish<Real>(e, make_consistent(model, e), 0);
    const auto exact = integrate<Real>(e, method("suzuki(suzuki(symmetric(true_euler)))"), start, 0, Real(1) / 64, 64);
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
    const MotionPoint<Real> start = polish<Real>(e, make_consistent(model, e), 0);
    const auto end = [&](const std::string& text) {
      const Endpoint<Real> result = integrate<Real>(e, method(text), start, 0, Real(1) / 100, 20);
      EXPECT_EQ(result.newton.outcome, Outcome::converged) << text;
      return result.point;
    };
    const auto gap = [&](const std::string& a, const std::string& b) {
      const MotionPoint<Real> x = end(a), y = end(b);
      double largest = 0;
      for (std::size_t i = 0; i < e.y.size(); ++i)
        largest = std::max({largest, std::abs(static_cast<double>(x.y[i] - y.y[i])), std::abs(static_cast<double>(x.z[i] - y.z[i]))});
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
  const MotionPoint<Real> start = polish<Real>(e, make_consistent(model, e), 0);
  const auto exact = integrate<Real>(e, method("gauss(6)"), start, 0, Real(1) / 60, 60);
  EXPECT_NEAR(slope(errors(e, start, "triple_jump(lobatto(2))", {80, 160}, exact.point)), 4, 0.2);
  EXPECT_NEAR(slope(errors(e, start, "suzuki(lobatto(2))", {40, 80}, exact.point)), 4, 0.2);
  EXPECT_NEAR(slope(errors(e, start, "yoshida(lobatto(2), 6)", {80, 160}, exact.point)), 6, 0.3);
  EXPECT_NEAR(slope(errors(e, start, "symmetric(radau(2))", {40, 80}, exact.point)), 4, 0.2);
}

TEST(EulerFailures, NoRealSolutionIsSaid) {
  const Report report = run(gallery("euler_41"), "true_euler(-1)", 0.01, 1);
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_NE(report.reason.find("no real solution"), std::string::npos) << report.reason;
}

TEST(EulerRemark, NaturalMethodsAreMarkedWhereTheReactionIsNonlinear) {
  EXPECT_NE(run(gallery("euler_41"), "natural_euler", 0.01, 0.1).claims.note.find("inconsistent"), std::string::npos);
  EXPECT_EQ(run(gallery("euler_41"), "true_euler", 0.01, 0.1).claims.note, "");
  EXPECT_EQ(run(gallery("double_pendulum"), "natural_euler", 0.001, 0.1).claims.note, "");
}

}  // namespace
}  // namespace alembert::testing
