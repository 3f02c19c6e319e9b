#include "alembert/code/invariant_factors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "alembert/base/lists.h"
#include "alembert/newton/program_builder.h"

namespace alembert::internal {
namespace {

/// One block over h (never written), x and y, with a result of each formula.
struct OneBlock {
  Graph graph;
  Program program;
  ProgramBuilder builder{program};
  int h_at = builder.allot("h"), x_at = builder.allot("x"), y_at = builder.allot("y");
  int first = 0;
  Expr h = graph.symbol("h"), x = graph.symbol("x"), y = graph.symbol("y");

  void write(const Exprs& formulas) {
    first = builder.allot("result", static_cast<int>(formulas.size()));
    program.scratch = program.variables;
    Variables out = listed(formulas, first);
    append(out, Variables{{x + y, x_at}, {y, y_at}});  // written: they are not the same in every run
    program.statements.push_back(builder.block({{h, h_at}, {x, x_at}, {y, y_at}}, out, {}, -1));
  }
  std::vector<double> values(const Program& of, double size, double a, double b) const {
    std::vector<double> v(of.variables);
    v[h_at] = size;
    v[x_at] = a;
    v[y_at] = b;
    ProgramInterpreter(of).run(v.data(), nullptr);
    return {v.begin() + first, v.begin() + program.scratch};
  }
  /// Products whose factors are not both the same in every run.
  static int products(const Program& of) {
    const Tape& tape = of.tapes[0];
    std::vector<bool> fixed(tape.registers(), false);
    for (int i = 0; i < tape.inputs; ++i) fixed[i] = of.statements[0].block.from[i] == 0;
    std::fill(fixed.begin() + tape.inputs, fixed.begin() + static_cast<long>(tape.first_result()), true);
    int count = 0;
    for (std::size_t i = 0; i < tape.code.size(); ++i) {
      const Tape::Instruction& step = tape.code[i];
      const bool same = fixed[step.a] && fixed[step.b];
      fixed[tape.first_result() + i] = same;
      count += (step.op == Op::multiply || step.op == Op::divide) && !same ? 1 : 0;
    }
    return count;
  }
};

TEST(InvariantFactors, AreTakenTogether) {
  OneBlock p;
  p.write({p.h * (Quad(3) * (p.h * p.x)), p.h * p.x + p.h * p.y, (p.h * p.x) / (p.h * p.y)});
  const Program less = with_gathered_factors(p.program);
  EXPECT_EQ(OneBlock::products(less), 3);  // one product each, and the quotient x/y
  EXPECT_LT(OneBlock::products(less), OneBlock::products(p.program));
  const std::vector<double> v = p.values(less, 0.1, 2, 5);
  EXPECT_NEAR(v[0], 0.06, 1e-16);
  EXPECT_NEAR(v[1], 0.7, 1e-15);
  EXPECT_NEAR(v[2], 0.4, 1e-15);
}

TEST(InvariantFactors, DifferencesTheOtherWayRoundAreOne) {
  OneBlock p;
  p.write({(p.x - p.y) * p.x, (p.y - p.x) * p.y, p.x * p.x + p.y * p.y - 1});
  const std::vector<double> v = p.values(with_gathered_factors(p.program), 1, 3, 5);
  EXPECT_EQ(v[0], -6);
  EXPECT_EQ(v[1], 10);
  EXPECT_EQ(v[2], 33);
}

/// Random formulas keep their values within rounding.
TEST(InvariantFactors, RandomFormulasKeepTheirValues) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    OneBlock p;
    Exprs terms{p.h, p.x, p.y, p.graph.constant(-2), p.graph.constant(0.3), p.graph.constant(1)};
    for (int i = 0; i < 30; ++i) {
      const Expr a = terms[random() % terms.size()], b = terms[random() % terms.size()];
      switch (random() % 7) {
        case 0: terms.push_back(a + b); break;
        case 1: terms.push_back(a - b); break;
        case 2: terms.push_back(-a); break;
        case 3: terms.push_back(a / (2 + abs(b))); break;
        case 4: terms.push_back(max(a, b)); break;
        case 5: terms.push_back(where(positive(a - b), b)); break;
        default: terms.push_back(a * b); break;
      }
      terms.back() = terms.back() / (1 + abs(terms.back()));  // they stay of ordinary size
    }
    p.write(Exprs(terms.end() - 8, terms.end()));
    const Program less = with_gathered_factors(p.program);
    const std::vector<double> now = p.values(less, 0.37, 1.3, -0.7), before = p.values(p.program, 0.37, 1.3, -0.7);
    for (std::size_t i = 0; i < now.size(); ++i) EXPECT_NEAR(now[i], before[i], 1e-12) << trial << ", " << i;
  }
}

}  // namespace
}  // namespace alembert::internal
