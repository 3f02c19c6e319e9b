// Tapes and the interpreter: what make_tape promises, and values against closed forms in several scalar types.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "alembert/code/kernel.h"
#include "alembert/expr/derivative.h"
#include "alembert/expr/operators.h"

namespace alembert::internal {
namespace {

int count(const Tape& tape, Op op) {
  return static_cast<int>(std::count_if(tape.code.begin(), tape.code.end(), [&](const auto& i) { return i.op == op; }));
}

template <class T>
std::vector<T> values(const Tape& tape, const std::vector<T>& in) {
  std::vector<T> out(tape.outputs.size()), work(tape.registers());
  interpret(tape, in.data(), out.data(), work.data());
  return out;
}

TEST(Tape, operands_come_first_and_only_what_is_reached_is_computed) {
  Graph graph;
  const Exprs x = graph.symbols("x", 3);
  const Expr s = x[0] * x[1];
  const Expr unused = graph.make(Op::exp, s);
  const Tape tape = make_tape(x, Exprs{s + x[2], graph.make(Op::sin, s), s, x[1], graph.constant(7)});
  EXPECT_EQ(tape.inputs, 3);
  EXPECT_EQ(tape.code.size(), 3u);
  EXPECT_EQ(tape.constants.size(), 1u);
  EXPECT_EQ(count(tape, Op::exp), 0);
  const std::vector<double> out = values<double>(tape, {2, 3, 5});
  EXPECT_EQ(out, (std::vector<double>{11, std::sin(6.0), 6, 3, 7}));
  EXPECT_TRUE(unused);
}

TEST(Tape, no_outputs_no_inputs) {
  Graph graph;
  EXPECT_EQ(make_tape({}, {}).registers(), 0u);
  const Tape tape = make_tape({}, Exprs{graph.constant(Quad(1) / 3)});
  EXPECT_EQ(values<double>(tape, {}), std::vector<double>{1.0 / 3.0});
}

TEST(Tape, whole_powers_are_products_that_share_their_parts) {
  Graph graph;
  const Expr x = graph.symbol("x");
  const Tape tape = make_tape(Exprs{x}, Exprs{pow(x, 2), pow(x, 4), pow(x, 5), x * x});
  EXPECT_EQ(count(tape, Op::power), 0);
  EXPECT_EQ(count(tape, Op::multiply), 3);  // x^2, x^4, x^4*x
  EXPECT_TRUE(tape.constants.empty());      // the exponents are gone
  EXPECT_EQ(values<double>(tape, {-3}), (std::vector<double>{9, 81, -243, 9}));
}

TEST(Tape, every_small_power_has_the_right_value) {
  Graph graph;
  const Expr x = graph.symbol("x");
  for (int halves = -130; halves <= 130; ++halves) {
    const Tape tape = make_tape(Exprs{x}, Exprs{pow(x, Quad(halves) / 2)});
    EXPECT_EQ(count(tape, Op::power), std::abs(halves) > 128 ? 1 : 0) << halves;
    for (const double at : {0.37, 1.9}) {
      const long double exact = std::pow(static_cast<long double>(at), static_cast<long double>(halves) / 2);
      const double got = values<double>(tape, {at})[0];
      EXPECT_NEAR(got / exact, 1, (std::abs(halves) / 2 + 2) * 1.2e-16) << halves << " at " << at;
    }
  }
  EXPECT_EQ(values<double>(make_tape(Exprs{x}, Exprs{pow(x, -1)}), {3})[0], 1.0 / 3.0);
  EXPECT_EQ(count(make_tape(Exprs{x}, Exprs{pow(x, Quad(3) / 10)}), Op::power), 1);
  const Expr y = graph.symbol("y");
  EXPECT_EQ(count(make_tape(Exprs{x, y}, Exprs{pow(x, y)}), Op::power), 1);
}

TEST(Tape, broken_promises_are_named) {
  Graph graph, other;
  const Expr x = graph.symbol("x"), friction = graph.symbol("friction"), z = other.symbol("z");
  try {
    make_tape(Exprs{x}, Exprs{x * friction});
    FAIL() << "must throw";
  } catch (const std::logic_error& error) {
    EXPECT_NE(std::string(error.what()).find("friction"), std::string::npos) << error.what();
  }
  EXPECT_THROW(make_tape(Exprs{x, x}, Exprs{x}), std::logic_error);
  EXPECT_THROW(make_tape(Exprs{x * x}, Exprs{x}), std::logic_error);
  EXPECT_THROW(make_tape(Exprs{x}, Exprs{z}), std::logic_error);
  EXPECT_THROW(make_tape(Exprs{x}, Exprs{Expr()}), std::logic_error);
  Tape backwards;
  backwards.inputs = 1;
  backwards.code = {{Op::add, 0, 1}};
  backwards.outputs = {1};
  EXPECT_THROW(Kernel<double>{backwards}, std::logic_error);
  backwards.code = {{Op::add, 0, 0}};
  backwards.outputs = {2};
  EXPECT_THROW(Kernel<double>{backwards}, std::logic_error);
  EXPECT_THROW((Kernel<Quad>(Exprs{x}, Exprs{x}, {Backend::native, true})), std::logic_error);
}

// The kinetic and potential energy of a double pendulum in angles, against the formula written in C++.
template <class T>
void expect_energy(T tolerance) {
  Graph graph;
  const Exprs s = graph.symbols("s", 4);
  const auto cosine = [&](Expr e) { return graph.make(Op::cos, e); };
  const Expr energy = 2 * pow(s[2], 2) + pow(s[3], 2) / 2 + s[2] * s[3] * cosine(s[0] - s[1]) -
                      Quad(981) / 100 * (3 * cosine(s[0]) + cosine(s[1]));
  const Kernel<T> kernel(s, Exprs{energy}, {Backend::interpreter, false});
  EXPECT_FALSE(kernel.native());
  const T in[] = {T(3) / 10, T(-11) / 10, T(7) / 10, T(13) / 10};
  T out[1];
  std::vector<T> work(kernel.work());
  kernel(in, out, work.data());
  const auto c = [](T x) { return evaluate<T>(Op::cos, x, x); };
  const T exact = 2 * in[2] * in[2] + in[3] * in[3] / 2 + in[2] * in[3] * c(in[0] - in[1]) -
                  T(981) / 100 * (3 * c(in[0]) + c(in[1]));
  const T difference = out[0] - exact;
  EXPECT_TRUE(difference <= tolerance && -difference <= tolerance) << static_cast<double>(difference);
  EXPECT_NEAR(static_cast<double>(out[0]), -30.585660726112284, 1e-12);  // computed elsewhere
}

TEST(Interpreter, double_long_double_and_real_agree_with_the_formula) {
  expect_energy<double>(2e-14);
  expect_energy<long double>(1e-17L);
  expect_energy<Quad>(Quad(1e-32));
}

TEST(Interpreter, real_is_far_more_exact_than_double) {
  // (sqrt(2) + 1)^20 (sqrt(2) - 1)^20 = 1, with cancellation on the way.
  Graph graph;
  const Expr x = graph.symbol("x");
  const Tape tape = make_tape(Exprs{x}, Exprs{pow(sqrt(x) + 1, 20) * pow(sqrt(x) - 1, 20)});
  const Quad error = values<Quad>(tape, {Quad(2)})[0] - 1;
  EXPECT_LT(std::fabs(static_cast<double>(error)), 1e-31);
  const double coarse = values<double>(tape, {2.0})[0] - 1;
  EXPECT_LT(std::fabs(coarse), 1e-13);
  EXPECT_GT(std::fabs(coarse), 1e-17);
}

TEST(Interpreter, constants_keep_113_bits) {
  Graph graph;
  const Tape tape = make_tape({}, Exprs{graph.constant(Quad(1) / 3)});
  EXPECT_TRUE(values<Quad>(tape, {})[0] == Quad(1) / 3);
  EXPECT_EQ(values<long double>(tape, {})[0], 1.0L / 3.0L);
}

// A scalar type of one's own: numbers with a derivative. It knows nothing of Quad.
struct Dual {
  double value = 0, slope = 0;
  Dual() = default;
  explicit Dual(double v, double s = 0) : value(v), slope(s) {}
  friend Dual operator+(Dual a, Dual b) { return Dual(a.value + b.value, a.slope + b.slope); }
  friend Dual operator-(Dual a, Dual b) { return Dual(a.value - b.value, a.slope - b.slope); }
  friend Dual operator-(Dual a) { return Dual(-a.value, -a.slope); }
  friend Dual operator*(Dual a, Dual b) { return Dual(a.value * b.value, a.slope * b.value + a.value * b.slope); }
  friend Dual operator/(Dual a, Dual b) {
    return Dual(a.value / b.value, (a.slope * b.value - a.value * b.slope) / (b.value * b.value));
  }
  friend bool operator<(Dual a, Dual b) { return a.value < b.value; }
  friend bool operator>(Dual a, Dual b) { return a.value > b.value; }
};
#define ALEMBERT_DUAL(name, derivative) \
  Dual name(Dual x) { return Dual(std::name(x.value), x.slope * (derivative)); }
ALEMBERT_DUAL(sin, std::cos(x.value))
ALEMBERT_DUAL(cos, -std::sin(x.value))
ALEMBERT_DUAL(tan, 1 / (std::cos(x.value) * std::cos(x.value)))
ALEMBERT_DUAL(asin, 1 / std::sqrt(1 - x.value * x.value))
ALEMBERT_DUAL(acos, -1 / std::sqrt(1 - x.value * x.value))
ALEMBERT_DUAL(atan, 1 / (1 + x.value * x.value))
ALEMBERT_DUAL(sinh, std::cosh(x.value))
ALEMBERT_DUAL(cosh, std::sinh(x.value))
ALEMBERT_DUAL(tanh, 1 - std::tanh(x.value) * std::tanh(x.value))
ALEMBERT_DUAL(exp, std::exp(x.value))
ALEMBERT_DUAL(log, 1 / x.value)
ALEMBERT_DUAL(sqrt, 0.5 / std::sqrt(x.value))
ALEMBERT_DUAL(fabs, x.value < 0 ? -1 : 1)
#undef ALEMBERT_DUAL
Dual pow(Dual a, Dual b) { return exp(b * log(a)); }
Dual atan2(Dual a, Dual b) {
  const double r2 = a.value * a.value + b.value * b.value;
  return Dual(std::atan2(a.value, b.value), (a.slope * b.value - a.value * b.slope) / r2);
}
Dual hypot(Dual a, Dual b) { return sqrt(a * a + b * b); }
// Tables are not differentiated this way: their slope is a table itself.
Dual piecewise_value(Dual x, Dual number) { return Dual(scalar::piecewise_value(x.value, number.value), NAN); }

TEST(Interpreter, runs_in_a_scalar_type_of_ones_own) {
  Graph graph;
  const Expr x = graph.symbol("x");
  const auto make = [&](Op op, Expr e) { return graph.make(op, e); };
  const Expr f =
      make(Op::exp, make(Op::sin, x)) / pow(x, 3) + make(Op::log, x) * sqrt(x) * (Quad(1) / 3) + pow(x, Quad(1) / 7);
  const Kernel<Dual> kernel(Exprs{x}, Exprs{f});
  std::vector<Dual> work(kernel.work());
  const Dual in(1.7, 1);
  Dual out;
  kernel(&in, &out, work.data());
  const double t = 1.7;
  const double exact = std::exp(std::sin(t)) * (std::cos(t) / std::pow(t, 3) - 3 / std::pow(t, 4)) +
                       (1 / std::sqrt(t) + std::log(t) / (2 * std::sqrt(t))) / 3 + std::pow(t, -6.0 / 7) / 7;
  EXPECT_NEAR(out.slope, exact, 1e-14);
  const Kernel<double> derivative(Exprs{x}, gradient(f, Exprs{x}), {Backend::interpreter, false});
  std::vector<double> space(derivative.work());
  double slope;
  derivative(&t, &slope, space.data());
  EXPECT_NEAR(slope, exact, 1e-14);
}

TEST(Interpreter, a_million_operations) {
  Graph graph;
  const Expr x = graph.symbol("x"), a = graph.symbol("a");
  Expr e = x;
  const int count = 500'000;
  for (int i = 0; i < count; ++i) e = e * a + x;  // a deep chain: nothing may recurse
  const Kernel<double> kernel(Exprs{x, a}, Exprs{e}, {Backend::interpreter, false});
  EXPECT_EQ(kernel.operations(), 2u * count);
  std::vector<double> work(kernel.work());
  const double in[] = {0.3, 0.999};
  double out, exact = in[0];
  kernel(in, &out, work.data());
  for (int i = 0; i < count; ++i) exact = exact * in[1] + in[0];
  EXPECT_NEAR(out, exact, 1e-10);
  EXPECT_NEAR(out, in[0] / (1 - in[1]), 1e-9);  // the geometric series
}

}  // namespace
}  // namespace alembert::internal
