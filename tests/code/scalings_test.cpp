#include "alembert/code/scalings.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "alembert/expr/derivative.h"

namespace alembert::internal {

namespace {

/// Bits of all outputs at a point.
std::vector<std::uint64_t> bits_at(const Tape& tape, const std::vector<double>& in) {
  std::vector<double> out(tape.outputs.size()), work(tape.registers());
  interpret(tape, in.data(), out.data(), work.data());
  std::vector<std::uint64_t> bits;
  for (const double value : out) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

int products_of(const Tape& tape) {
  int count = 0;
  for (const Tape::Instruction& step : tape.code) count += step.op == Op::multiply ? 1 : 0;
  return count;
}

TEST(Scalings, AFactorAndItsInverseCancel) {
  Graph graph;
  const Expr a = graph.symbol("a"), b = graph.symbol("b"), c = graph.symbol("c");
  const Exprs in{a, b, c};
  // As the forces of a rod: half of the multiplier times the gradient 2 x.
  const Tape tape = make_tape(in, Exprs{0.5 * ((2 * a) * c - (2 * b) * c)});
  const Tape fewer = without_scalings(tape);
  EXPECT_EQ(products_of(fewer), 2);
  EXPECT_EQ(bits_at(fewer, {0.1, 0.7, 3}), bits_at(tape, {0.1, 0.7, 3}));
}

TEST(Scalings, ZerosKeepTheirSigns) {
  Graph graph;
  const Expr a = graph.symbol("a"), b = graph.symbol("b");
  const Exprs in{a, b};
  for (const Expr e : {-2 * a - 2 * b, (-4 * a) * (2 * b), where(a, -2 * b), max(graph.constant(0), abs(-2 * a)),
                       min(-2 * a, -2 * b), (-2 * a) / (4 * b), 1 / (-2 * (a + b))})
    for (const std::vector<double>& at :
         {std::vector<double>{1, -1}, {0, 0}, {-0.0, 0.0}, {0.0, -0.0}, {-0.0, -0.0}, {NAN, 1}, {1, NAN}, {0.3, -7}}) {
      const Tape tape = make_tape(in, Exprs{e});
      const std::uint64_t got = bits_at(without_scalings(tape), at)[0], wanted = bits_at(tape, at)[0];
      if (std::isnan(std::bit_cast<double>(wanted))) EXPECT_TRUE(std::isnan(std::bit_cast<double>(got)));
      else EXPECT_EQ(got, wanted) << at[0] << ' ' << at[1];
    }
}

TEST(Scalings, RandomFormulasKeepTheirBits) {
  std::mt19937 random(7);
  const auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int saved = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Graph graph;
    const Exprs in = graph.symbols("x", 4);
    Exprs known = in;
    for (const double number : {2.0, -0.5, 0.25, -1.0, 3.0, 0.1}) known.push_back(graph.constant(number));
    for (int i = 0; i < 40; ++i) {
      const Expr a = known[up_to(static_cast<int>(known.size()))], b = known[up_to(static_cast<int>(known.size()))];
      const std::vector<Expr> next{a * b,      a + b, a - b,       -a,          abs(a),    max(a, b), a * 2,
                                   a * (-0.5), a / 4, positive(a), where(a, b), min(a, b), sin(a),    sqrt(abs(a))};
      known.push_back(next[up_to(static_cast<int>(next.size()))]);
    }
    const Exprs out(known.end() - 6, known.end());
    const Tape tape = make_tape(in, out), fewer = without_scalings(tape);
    saved += static_cast<int>(tape.code.size()) - static_cast<int>(fewer.code.size());
    for (int k = 0; k < 5; ++k) {
      std::vector<double> at;
      for (int i = 0; i < 4; ++i) at.push_back(std::ldexp(static_cast<double>(up_to(2001) - 1000), up_to(9) - 12));
      const auto got = bits_at(fewer, at), wanted = bits_at(tape, at);
      for (std::size_t i = 0; i < got.size(); ++i) {
        const double size = std::abs(std::bit_cast<double>(wanted[i]));
        if (size < 1e-280 || size > 1e280 || std::isnan(size)) continue;  // see scalings.h
        EXPECT_EQ(got[i], wanted[i]) << "trial " << trial;
      }
    }
  }
  EXPECT_GT(saved, 0);
}

}  // namespace

}  // namespace alembert::internal
