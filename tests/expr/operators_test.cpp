#include "alembert/expr/operators.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "evaluator.h"

namespace alembert::internal {
namespace {

using testing_expr::difference;
using testing_expr::distance;
using testing_expr::Values;

TEST(OperatorsTest, TableIsCompleteAndFoundByName) {
  std::set<Op> seen;
  for (const Operator& entry : operators()) {
    EXPECT_TRUE(seen.insert(entry.op).second);
    EXPECT_EQ(&operator_of(entry.op), &entry);
    EXPECT_EQ(entry.operands, operand_count(entry.op));
  }
  for (const char* name :
       {"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs", "sign"}) {
    ASSERT_NE(find_function(name), nullptr) << name;
    EXPECT_EQ(find_function(name)->operands, 1);
  }
  for (const char* name : {"atan2", "min", "max", "hypot"}) {
    ASSERT_NE(find_function(name), nullptr) << name;
    EXPECT_EQ(find_function(name)->operands, 2);
  }
  for (const char* name : {"", "+", "-", "*", "/", "^", "sine", "Sin"}) EXPECT_EQ(find_function(name), nullptr) << name;
}

// A class type with its functions beside it, as multiprecision types have them.
namespace boxed {
struct Number {
  double value;
  Number(double value = 0) : value(value) {}
  friend bool operator<(Number a, Number b) { return a.value < b.value; }
  friend bool operator>(Number a, Number b) { return a.value > b.value; }
  friend Number operator+(Number a, Number b) { return a.value + b.value; }
  friend Number operator-(Number a, Number b) { return a.value - b.value; }
  friend Number operator*(Number a, Number b) { return a.value * b.value; }
  friend Number operator/(Number a, Number b) { return a.value / b.value; }
  friend Number operator-(Number a) { return -a.value; }
};
Number acos(Number x) { return std::acos(x.value); }
Number asin(Number x) { return std::asin(x.value); }
Number atan(Number x) { return std::atan(x.value); }
Number atan2(Number y, Number x) { return std::atan2(y.value, x.value); }
Number cos(Number x) { return std::cos(x.value); }
Number cosh(Number x) { return std::cosh(x.value); }
Number exp(Number x) { return std::exp(x.value); }
Number fabs(Number x) { return std::fabs(x.value); }
Number hypot(Number x, Number y) { return std::hypot(x.value, y.value); }
Number log(Number x) { return std::log(x.value); }
Number piecewise_value(Number, Number) { return NAN; }
Number pow(Number x, Number y) { return std::pow(x.value, y.value); }
Number sin(Number x) { return std::sin(x.value); }
Number sinh(Number x) { return std::sinh(x.value); }
Number sqrt(Number x) { return std::sqrt(x.value); }
Number tan(Number x) { return std::tan(x.value); }
Number tanh(Number x) { return std::tanh(x.value); }
}  // namespace boxed

TEST(OperatorsTest, ValuesAgreeInAllTypes) {
  for (const Operator& entry : operators()) {
    if (entry.operands == 0 || entry.op == Op::piecewise) continue;  // see piecewise_test.cpp
    for (const double a : {0.3, 0.7}) {
      for (const double b : {0.2, 1.9}) {
        const Quad exact = evaluate<Quad>(entry.op, a, b);
        EXPECT_LT(distance(evaluate<double>(entry.op, a, b), exact), 2e-16) << entry.name;
        EXPECT_LT(distance(evaluate<long double>(entry.op, a, b), exact), 2e-19) << entry.name;
        EXPECT_EQ(evaluate<boxed::Number>(entry.op, a, b).value, evaluate<double>(entry.op, a, b)) << entry.name;
      }
    }
  }
  // Quad really has 113 bits: sin(1) and sqrt(2) to 34 digits.
  Quad expected = 0;
  ASSERT_TRUE(read_number("0.841470984807896506652502321630298999622563", expected));
  EXPECT_LT(distance(evaluate<Quad>(Op::sin, 1, 0), expected), 1e-33);
  ASSERT_TRUE(read_number("1.41421356237309504880168872420969807856967", expected));
  EXPECT_LT(distance(evaluate<Quad>(Op::sqrt, 2, 0), expected), 1e-33);
}

TEST(OperatorsTest, EdgesOfSignMinAndMax) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(evaluate(Op::sign, 0.0, 0.0), 0);
  EXPECT_EQ(evaluate(Op::sign, -2.0, 0.0), -1);
  EXPECT_EQ(evaluate(Op::sign, 1e-300, 0.0), 1);
  EXPECT_TRUE(std::isnan(evaluate(Op::sign, nan, nan)));
  EXPECT_EQ(evaluate(Op::min, 1.0, 2.0), 1);
  EXPECT_EQ(evaluate(Op::max, 1.0, 2.0), 2);
  EXPECT_EQ(evaluate(Op::min, nan, 2.0), 2);  // the comparison is false
  EXPECT_TRUE(std::isnan(evaluate(Op::min, 2.0, nan)));
  EXPECT_FALSE(std::signbit(evaluate(Op::abs, -0.0, -0.0)));
  EXPECT_THROW(evaluate(Op::symbol, 1.0, 1.0), std::logic_error);
}

TEST(OperatorsTest, PartialsAgreeWithDifferences) {
  int compared = 0;
  for (const Operator& entry : operators()) {
    if (entry.operands == 0 || entry.op == Op::piecewise) continue;
    for (const Quad a : {Quad(0.31), Quad(0.77), Quad(0.052)}) {
      for (const Quad b : {Quad(0.43), Quad(1.7), Quad(-0.6)}) {
        Graph graph;
        const Expr x = graph.symbol("x"), y = graph.symbol("y");
        const Expr node = entry.operands == 1 ? graph.make(entry.op, x) : graph.make(entry.op, x, y);
        for (int operand = 0; operand < entry.operands; ++operand) {
          const Expr slope = partial(node, operand);
          const Quad got = Values<Quad>(graph, std::vector{x, y}, {a, b})(slope);
          const auto along = [&](Quad t) {
            return operand == 0 ? evaluate<Quad>(entry.op, t, b) : evaluate<Quad>(entry.op, a, t);
          };
          EXPECT_LT(distance(got, difference(along, operand == 0 ? a : b)), 1e-11) << entry.name << " " << operand;
          EXPECT_LT(distance(got, difference(along, operand == 0 ? a : b, Quad(1e-5))), 1e-26)
              << entry.name << " " << operand;
          ++compared;
        }
      }
    }
  }
  EXPECT_EQ(compared, 9 * (10 * 2 + 16));
}

TEST(OperatorsTest, PartialsAgreeWithClosedForms) {
  const std::map<Op, std::function<Quad(Quad)>> closed = {
      {Op::negate, [](Quad) { return Quad(-1); }},
      {Op::sin, [](Quad x) { return cosq(x); }},
      {Op::cos, [](Quad x) { return -sinq(x); }},
      {Op::tan, [](Quad x) { return 1 / (cosq(x) * cosq(x)); }},
      {Op::asin, [](Quad x) { return 1 / sqrtq(1 - x * x); }},
      {Op::acos, [](Quad x) { return -1 / sqrtq(1 - x * x); }},
      {Op::atan, [](Quad x) { return 1 / (1 + x * x); }},
      {Op::sinh, [](Quad x) { return (expq(x) + expq(-x)) / 2; }},
      {Op::cosh, [](Quad x) { return (expq(x) - expq(-x)) / 2; }},
      {Op::tanh, [](Quad x) { return 4 / ((expq(x) + expq(-x)) * (expq(x) + expq(-x))); }},
      {Op::exp, [](Quad x) { return expq(x); }},
      {Op::log, [](Quad x) { return 1 / x; }},
      {Op::sqrt, [](Quad x) { return powq(x, Quad(-0.5)) / 2; }},
      {Op::abs, [](Quad x) { return Quad(x < 0 ? -1 : 1); }},
      {Op::positive, [](Quad) { return Quad(0); }},
      {Op::sign, [](Quad) { return Quad(0); }},
  };
  for (const Operator& entry : operators()) {
    if (entry.operands != 1) continue;
    for (const Quad at : {Quad(0.3), Quad(0.9), Quad(-0.4)}) {
      if (at < 0 && (entry.op == Op::log || entry.op == Op::sqrt)) continue;
      Graph graph;
      const Expr x = graph.symbol("x");
      const Expr slope = partial(graph.make(entry.op, x), 0);
      EXPECT_LT(distance(Values<Quad>(graph, std::vector{x}, {at})(slope), closed.at(entry.op)(at)), 1e-31)
          << entry.name;
    }
  }
}

TEST(OperatorsTest, PowersWithConstantExponentsAreDefinedAtZeroAndBelow) {
  Graph graph;
  const Expr x = graph.symbol("x");
  const Expr two = partial(pow(x, 2), 0), three = partial(pow(x, 3), 0), minus = partial(pow(x, -2), 0);
  EXPECT_EQ(two, 2 * x);
  const Values<double> values(graph, std::vector{x}, {-2.0});
  EXPECT_EQ(values(three), 12);
  EXPECT_EQ(values(minus), 0.25);
  EXPECT_EQ(Values<double>(graph, std::vector{x}, {0.0})(three), 0);
}

TEST(OperatorsTest, TiesOfMinAndMaxAreHalved) {
  Graph graph;
  const Expr x = graph.symbol("x"), y = graph.symbol("y");
  for (const Op op : {Op::min, Op::max}) {
    for (const int operand : {0, 1}) {
      const Expr slope = partial(graph.make(op, x, y), operand);
      EXPECT_EQ(Values<double>(graph, std::vector{x, y}, {3.0, 3.0})(slope), 0.5);
      const double low = Values<double>(graph, std::vector{x, y}, {3.0, 4.0})(slope);
      EXPECT_EQ(low, (op == Op::min) == (operand == 0) ? 1 : 0);
    }
  }
  EXPECT_THROW(partial(x, 0), std::logic_error);
  EXPECT_THROW(partial(sin(x), 1), std::logic_error);
}

}  // namespace
}  // namespace alembert::internal
