// Discrete derivatives: exact along the change, the same from both ends, smooth where the ends meet, equivariant.

#include "alembert/expr/secant.h"

#include <gtest/gtest.h>
#include <quadmath.h>

#include <cmath>
#include <functional>

#include "alembert/base/lists.h"
#include "alembert/expr/change.h"
#include "evaluator.h"

namespace alembert::internal::testing_expr {
namespace {

struct Case {
  const char* name;
  std::function<Expr(Expr, Expr)> f;
  double a, b;  // a place inside its domain
};

Expr call(Op op, Expr a) { return a.graph().make(op, a); }
Expr call(Op op, Expr a, Expr b) { return a.graph().make(op, a, b); }

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"a + b", [](Expr a, Expr b) { return a + b; }, 0.7, -0.4},
      {"a - b", [](Expr a, Expr b) { return a - b; }, 0.7, -0.4},
      {"a b", [](Expr a, Expr b) { return a * b; }, 0.7, -0.4},
      {"a / b", [](Expr a, Expr b) { return a / b; }, 0.7, 2.5},
      {"-a", [](Expr a, Expr) { return -a; }, 0.7, 0},
      {"a^2", [](Expr a, Expr) { return pow(a, 2); }, -0.7, 0},
      {"a^7", [](Expr a, Expr) { return pow(a, 7); }, -0.7, 0},
      {"a^12", [](Expr a, Expr) { return pow(a, 12); }, 0.9, 0},
      {"a^-3", [](Expr a, Expr) { return pow(a, -3); }, 1.7, 0},
      {"a^2.5", [](Expr a, Expr) { return pow(a, Quad(2.5)); }, 1.7, 0},
      {"a^-1.5", [](Expr a, Expr) { return pow(a, Quad(-1.5)); }, 1.7, 0},
      {"a^0.85", [](Expr a, Expr) { return pow(a, Quad(0.85)); }, 1.7, 0},
      {"a^-3.3", [](Expr a, Expr) { return pow(a, Quad(-3.3)); }, 1.7, 0},
      {"a^b", [](Expr a, Expr b) { return pow(a, b); }, 1.7, -0.4},
      {"atan2", [](Expr a, Expr b) { return call(Op::atan2, a, b); }, 0.7, 1.4},
      {"hypot", [](Expr a, Expr b) { return call(Op::hypot, a, b); }, 0.7, -1.4},
      {"min", [](Expr a, Expr b) { return call(Op::min, a, b); }, 0.7, 0.6},
      {"max", [](Expr a, Expr b) { return call(Op::max, a, b); }, 0.7, 0.8},
      {"sin", [](Expr a, Expr) { return sin(a); }, 0.7, 0},
      {"cos", [](Expr a, Expr) { return cos(a); }, 0.7, 0},
      {"tan", [](Expr a, Expr) { return tan(a); }, 0.3, 0},
      {"asin", [](Expr a, Expr) { return call(Op::asin, a); }, 0.1, 0},
      {"acos", [](Expr a, Expr) { return call(Op::acos, a); }, -0.1, 0},
      {"atan", [](Expr a, Expr) { return call(Op::atan, a); }, -1.3, 0},
      {"sinh", [](Expr a, Expr) { return call(Op::sinh, a); }, 0.7, 0},
      {"cosh", [](Expr a, Expr) { return call(Op::cosh, a); }, 0.7, 0},
      {"tanh", [](Expr a, Expr) { return call(Op::tanh, a); }, 0.7, 0},
      {"exp", [](Expr a, Expr) { return exp(a); }, -0.7, 0},
      {"log", [](Expr a, Expr) { return log(a); }, 1.7, 0},
      {"sqrt", [](Expr a, Expr) { return sqrt(a); }, 1.7, 0},
      {"abs", [](Expr a, Expr) { return abs(a); }, -0.2, 0},
      {"composed", [](Expr a, Expr b) { return exp(sin(a * b)) / (2 + cos(a)) * sqrt(1 + pow(b, 4)); }, 0.7, -0.4},
  };
  return all;
}

struct Setting {
  Graph graph;
  Expr a, b;
  Exprs ends;  // a0 b0 a1 b1
  Expr f, f0, f1;
  Exprs D;

  Setting(const Case& c, DiscreteGradient kind) {
    a = graph.symbol("a"), b = graph.symbol("b");
    ends = graph.symbols("x", 4);
    f = c.f(a, b);
    const Exprs x{a, b}, x0{ends[0], ends[1]}, x1{ends[2], ends[3]};
    f0 = substitute(f, x, x0, graph), f1 = substitute(f, x, x1, graph);
    D = discrete_derivative(f, x, x0, x1, graph, kind);
  }
};

// Changes from large to none, in both variables.
const std::vector<double> changes{0.8, 0.35, 0.31, 0.11, 0.1, 1e-3, 1e-7, 1e-12, 1e-30};

TEST(Secant, IsExactAlongTheChangeForEveryOperator) {
  for (const Case& c : cases()) {
    for (const DiscreteGradient kind : {DiscreteGradient::chain, DiscreteGradient::midpoint}) {
      const Setting s(c, kind);
      for (const double d : changes) {
        SCOPED_TRACE(std::string(c.name) + " " + std::to_string(d));
        if (kind == DiscreteGradient::midpoint && d < 1e-4) continue;  // there it is the gradient at the mean
        const Quad da = d, db = -d / 3;
        const Values<Quad> v(s.graph, s.ends, {c.a, c.b, c.a + da, c.b + db});
        const Quad change = v(s.f1) - v(s.f0), along = v(s.D[0]) * da + v(s.D[1]) * db;
        EXPECT_LT(double(fabsq(along - change)), 1e-31) << double(change);
      }
    }
  }
}

TEST(Secant, OfExpIsFiniteFarApart) {
  const Setting s({"exp", [](Expr a, Expr) { return exp(a); }, 0, 0}, DiscreteGradient::chain);
  const Values<double> v(s.graph, s.ends, {-3000, 0, 0, 0});
  EXPECT_DOUBLE_EQ(v(s.D[0]), 1.0 / 3000);
}

TEST(Secant, IsTheSameFromBothEnds) {
  for (const Case& c : cases()) {
    const Setting s(c, DiscreteGradient::chain);
    const Values<Quad> one(s.graph, s.ends, {c.a, c.b, c.a + Quad(0.3), c.b - Quad(0.1)});
    const Values<Quad> other(s.graph, s.ends, {c.a + Quad(0.3), c.b - Quad(0.1), c.a, c.b});
    for (int i = 0; i < 2; ++i) EXPECT_LT(double(fabsq(one(s.D[i]) - other(s.D[i]))), 1e-31) << c.name;
  }
}

TEST(Secant, IsTheGradientWhereTheEndsMeetAndLosesNoDigits) {
  for (const Case& c : cases()) {
    if (std::string(c.name) == "abs" || std::string(c.name) == "min" || std::string(c.name) == "max") continue;
    Setting s(c, DiscreteGradient::chain);
    const Exprs slope = gradient(s.f, Exprs{s.a, s.b});
    const Values<double> there(s.graph, Exprs{s.a, s.b}, {c.a, c.b});
    const Values<double> met(s.graph, s.ends, {c.a, c.b, c.a, c.b});
    for (int i = 0; i < 2; ++i)
      EXPECT_NEAR(met(s.D[i]), there(slope[i]), 1e-14 * (1 + std::abs(there(slope[i])))) << c.name;
    // In double precision against extended precision, for all changes.
    for (const double d : changes) {
      const Values<double> fast(s.graph, s.ends, {c.a, c.b, c.a + d, c.b - d / 3});
      const Values<Quad> exact(s.graph, s.ends, {c.a, c.b, Quad(c.a + d), Quad(c.b - d / 3)});
      for (int i = 0; i < 2; ++i)
        EXPECT_NEAR(fast(s.D[i]), double(exact(s.D[i])), 3e-14 * (1 + std::abs(double(exact(s.D[i])))))
            << c.name << " " << d;
    }
  }
}

TEST(Secant, HasDerivativesWhereTheEndsMeet) {
  // Newton's matrix: d/da1 of the slope of f is f''/2 where the ends meet.
  for (const Case& c : cases()) {
    if (std::string(c.name) == "abs" || std::string(c.name) == "min" || std::string(c.name) == "max") continue;
    Setting s(c, DiscreteGradient::chain);
    const Expr second = gradient(gradient(s.f, Exprs{s.a, s.b})[0], Exprs{s.a, s.b})[0];
    const Expr slope = gradient(s.D[0], s.ends)[2];
    const Values<double> there(s.graph, Exprs{s.a, s.b}, {c.a, c.b});
    for (const double d : {0.0, 1e-14, 1e-9}) {
      const Values<double> met(s.graph, s.ends, {c.a, c.b, c.a + d, c.b});
      EXPECT_NEAR(met(slope), there(second) / 2, 1e-7 * (1 + std::abs(there(second)))) << c.name << " " << d;
    }
  }
}

TEST(Secant, FunctionsOfDistancesAreUnchangedByRotations) {
  Graph graph;
  const Exprs x = graph.symbols("x", 3), y = graph.symbols("y", 3);
  Exprs variables = x, squares;
  variables.insert(variables.end(), y.begin(), y.end());
  for (int i = 0; i < 3; ++i) squares.push_back(pow(x[i] - y[i], 2));
  const Expr d2 = sum(graph, squares), inner = dot(x, y);
  const Expr f = exp(-sqrt(d2)) + log(1 + pow(inner, 2)) * d2;
  const Exprs x0 = graph.symbols("x0", 6), x1 = graph.symbols("x1", 6);
  Exprs ends = x0;
  ends.insert(ends.end(), x1.begin(), x1.end());
  const std::vector<Quad> at{0.3, -0.2, 0.9, 1.2, 0.4, -0.6, 0.5, -0.1, 0.7, 1.1, 0.9, -0.4};
  for (const bool chain : {true, false}) {
    const Exprs D =
        discrete_derivative(f, variables, x0, x1, graph, chain ? DiscreteGradient::chain : DiscreteGradient::midpoint);
    const Values<Quad> v(graph, ends, at);
    Quad turned = 0;  // D . (e_z x mean)
    for (const int point : {0, 3}) {
      const Quad mx = (at[point] + at[6 + point]) / 2, my = (at[point + 1] + at[7 + point]) / 2;
      turned += v(D[point + 1]) * mx - v(D[point]) * my;
    }
    if (chain) {
      EXPECT_LT(double(fabsq(turned)), 1e-32);
    } else {
      EXPECT_GT(double(fabsq(turned)), 1e-4);
    }
  }
}

TEST(Secant, AnglesAreFollowedAcrossTheCut) {
  const Case atan2{"atan2", [](Expr a, Expr b) { return call(Op::atan2, a, b); }, 0, 0};
  const Setting s(atan2, DiscreteGradient::chain);
  // From 3.1 to 3.2 on the unit circle.
  const double a0 = std::sin(3.1), b0 = std::cos(3.1), a1 = std::sin(3.2), b1 = std::cos(3.2);
  const Values<double> v(s.graph, s.ends, {a0, b0, a1, b1});
  EXPECT_NEAR(v(s.D[0]) * (a1 - a0) + v(s.D[1]) * (b1 - b0), 0.1, 1e-14);
}

// Changes between two points: the same number as the difference, in which digits cancel -----------------------------

TEST(Change, KeepsItsDigitsWhereTheDifferenceLosesThem) {
  Graph graph;
  const Expr a = graph.symbol("a"), b = graph.symbol("b");
  const Exprs x{a, b}, x0 = graph.symbols("start", 2), dx = graph.symbols("step", 2);
  const Exprs x1{x0[0] + dx[0], x0[1] + dx[1]};
  const Exprs f{a * b * b - 3 * a / (1 + b), sqrt(a * a + b * b) - pow(b, 3), graph.constant(4), -b * a};
  const std::optional<Exprs> change = change_between(f, x, x0, x1, dx, graph);
  ASSERT_TRUE(change);
  const Exprs first = substitute(f, x, x0, graph), last = substitute(f, x, x1, graph);
  for (const double step : {1.0, 1e-3, 1e-9}) {
    const std::vector<double> at{0.7, 1.3, step, -0.6 * step};
    const Exprs all = joined<Expr>(x0, dx);
    const Values<double> plain(graph, all, at);
    const Values<Quad> exact(graph, all, std::vector<Quad>(at.begin(), at.end()));
    for (std::size_t i = 0; i < f.size(); ++i) {
      const Quad true_change = exact(last[i]) - exact(first[i]);
      EXPECT_NEAR(plain((*change)[i]), double(true_change), 2e-15 * step) << i << ", step " << step;
      // In quadruple precision the difference is good to 1e-33: both are the same function.
      EXPECT_NEAR(double(exact((*change)[i]) - true_change), 0, 1e-31) << i;
    }
    // The control: in double numbers the difference of the values is not good enough for a short step.
    if (step < 1e-6) {
      EXPECT_GT(std::abs(plain(last[0]) - plain(first[0]) - double(exact(last[0]) - exact(first[0]))), 1e-18);
    }
  }
}

TEST(Change, IsNotGivenForFunctionsWhoseSlopesAreLong) {
  Graph graph;
  const Expr a = graph.symbol("a"), a0 = graph.symbol("start"), da = graph.symbol("step");
  const auto change = [&](Expr f) {
    return change_between(Exprs{f}, Exprs{a}, Exprs{a0}, Exprs{a0 + da}, Exprs{da}, graph);
  };
  EXPECT_FALSE(change(a * sin(a)));
  EXPECT_FALSE(change(pow(a, Quad(0.7))));
  EXPECT_TRUE(change(a * sin(graph.symbol("other"))));
}

}  // namespace
}  // namespace alembert::internal::testing_expr
