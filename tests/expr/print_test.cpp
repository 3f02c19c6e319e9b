#include "alembert/expr/print.h"

#include <gtest/gtest.h>

#include <map>

#include "evaluator.h"
#include "reader.h"

namespace alembert::internal {
namespace {

using testing_expr::distance;
using testing_expr::Reader;
using testing_expr::Values;

class PrintTest : public ::testing::Test {
 protected:
  Graph graph;
  Expr a = graph.symbol("a"), b = graph.symbol("b"), c = graph.symbol("c");
  Expr x1 = graph.symbol("x1"), v1 = graph.symbol("x1'"), q2 = graph.symbol("q[2]"), lambda = graph.symbol("lambda");
};

TEST_F(PrintTest, Infix) {
  EXPECT_EQ(to_infix(a + b), "a + b");
  EXPECT_EQ(to_infix(a + -1 * b), "a - b");
  EXPECT_EQ(to_infix(a - (b + c)), "a - (b + c)");
  EXPECT_EQ(to_infix(a - (b - c)), "a - (b - c)");
  EXPECT_EQ(to_infix((a + b) * c), "c*(a + b)");
  EXPECT_EQ(to_infix(a * b * c), "c*a*b");
  EXPECT_EQ(to_infix(a / (b * c)), "a/(b*c)");
  EXPECT_EQ(to_infix(a / b / c), "a/b/c");
  EXPECT_EQ(to_infix(a / (b / c)), "a/(b/c)");
  EXPECT_EQ(to_infix(a / 2), "a/2");
  EXPECT_EQ(to_infix(-a / 2), "-a/2");
  EXPECT_EQ(to_infix(-2 * a - b), "-2*a - b");
  EXPECT_EQ(to_infix(c * (-2 * a)), "c*(-2*a)");
  EXPECT_EQ(to_infix(-3 / a), "-3/a");
  EXPECT_EQ(to_infix(b - 3 / a), "b - 3/a");
  EXPECT_EQ(to_infix(-(a + b)), "-(a + b)");
  EXPECT_EQ(to_infix(-pow(a, 2)), "-a^2");
  EXPECT_EQ(to_infix(pow(-2 * a, 2)), "(-2*a)^2");
  EXPECT_EQ(to_infix(pow(a + b, c)), "(a + b)^c");
  EXPECT_EQ(to_infix(pow(pow(a, b), c)), "(a^b)^c");
  EXPECT_EQ(to_infix(pow(a, pow(b, c))), "a^(b^c)");
  EXPECT_EQ(to_infix(pow(a, -2)), "a^(-2)");
  EXPECT_EQ(to_infix(pow(sin(a), 2)), "sin(a)^2");
  EXPECT_EQ(to_infix(a * (1 / b)), "a/b");
  EXPECT_EQ(to_infix(graph.make(Op::atan2, a + b, -c)), "atan2(a + b, -c)");
  EXPECT_EQ(to_infix(Quad(1) / 10 * a + 1), "0.1*a + 1");
  EXPECT_EQ(to_infix(a - 1.5), "a - 1.5");
  EXPECT_EQ(to_infix(graph.constant(Quad(1) / 3) * a), "1/3*a");
  EXPECT_EQ(to_infix(graph.constant(-2)), "-2");
  EXPECT_EQ(to_infix(x1 * v1 + q2), "q[2] + x1*x1'");
  EXPECT_THROW(to_infix(Expr()), std::logic_error);
}

TEST_F(PrintTest, Latex) {
  EXPECT_EQ(to_latex(a / b), "\\frac{a}{b}");
  EXPECT_EQ(to_latex(sqrt(a + b)), "\\sqrt{a + b}");
  EXPECT_EQ(to_latex(pow(v1, 2)), "\\dot{x}_{1}^{2}");
  EXPECT_EQ(to_latex(x1), "x_{1}");
  EXPECT_EQ(to_latex(q2), "q_{2}");
  EXPECT_EQ(to_latex(lambda * a), "a \\lambda");
  EXPECT_EQ(to_latex(graph.symbol("psi[3]")), "\\psi_{3}");
  EXPECT_EQ(to_latex(graph.symbol("theta2''")), "\\ddot{\\theta}_{2}");
  EXPECT_EQ(to_latex(graph.symbol("q1[2]'")), "\\dot{q}_{1,2}");
  EXPECT_EQ(to_latex(graph.symbol("r[3][2]")), "r_{3,2}");
  EXPECT_EQ(to_latex(graph.symbol("gravity")), "\\mathrm{gravity}");
  EXPECT_EQ(to_latex(graph.symbol("v_max")), "v_{\\mathrm{max}}");
  EXPECT_EQ(to_latex(graph.symbol("lambda[rod1]")), "\\lambda_{\\mathrm{rod1}}");
  EXPECT_EQ(to_latex(graph.symbol("lambda_rod1")), "\\lambda_{\\mathrm{rod1}}");
  EXPECT_EQ(to_latex(graph.symbol("mu_rod[2]")), "\\mu_{\\mathrm{rod},2}");
  EXPECT_EQ(to_latex(graph.symbol("v_x1")), "v_{x_{1}}");
  EXPECT_EQ(to_latex(pow(sin(a), 2)), "\\sin^{2}\\left(a\\right)");
  EXPECT_EQ(to_latex(pow(a / b, 2)), "\\left(\\frac{a}{b}\\right)^{2}");
  EXPECT_EQ(to_latex((a + b) / 2), "\\frac{a + b}{2}");
  EXPECT_EQ(to_latex(-(a / 2)), "-\\frac{a}{2}");
  EXPECT_EQ(to_latex((a + b) * c), "c \\left(a + b\\right)");
  EXPECT_EQ(to_latex(c * pow(graph.constant(2), a)), "c \\cdot 2^{a}");
  EXPECT_EQ(to_latex(3 * a), "3 a");
  EXPECT_EQ(to_latex(abs(a)), "\\left|a\\right|");
  EXPECT_EQ(to_latex(graph.make(Op::asin, a)), "\\arcsin\\left(a\\right)");
  EXPECT_EQ(to_latex(graph.constant(1e-30)), "10^{-30}");
  EXPECT_EQ(to_latex(graph.constant(2.5e-30)), "2.5 \\cdot 10^{-30}");
  EXPECT_EQ(to_latex(graph.constant(Quad(1) / 3)), "\\frac{1}{3}");
}

TEST_F(PrintTest, SharingDoesNotExplode) {
  Expr e = a;
  for (int i = 0; i < 200; ++i) e = sin(e) * (e + b);
  for (const std::string& text : {to_infix(e), to_latex(e)}) {
    EXPECT_LE(text.size(), 100003u);
    EXPECT_GE(text.size(), 100000u);
    EXPECT_EQ(text.substr(text.size() - 3), "...");
  }
}

TEST(PrintReadTest, InfixMeansWhatWasMeant) {
  std::mt19937 random(17);
  int compared = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Graph graph;
    const Exprs x = {graph.symbol("a"), graph.symbol("x1'"), graph.symbol("q[2]")};
    Exprs pool = testing_expr::random_graph(graph, x, 10, random);
    // and the corners: signs, nested quotients and powers
    for (int i = 0; i < 12; ++i) {
      const Expr p = pool[random() % pool.size()], q = pool[random() % pool.size()];
      switch (random() % 8) {
        case 0: pool.push_back(-p); break;
        case 1: pool.push_back(p - q); break;
        case 2: pool.push_back(p / q); break;
        case 3: pool.push_back(pow(p, Quad(int(random() % 9)) - 4)); break;
        case 4: pool.push_back(p * q); break;
        case 5: pool.push_back((Quad(int(random() % 9)) - 4) * p); break;
        case 6: pool.push_back(p / (Quad(int(random() % 9)) + 1)); break;
        case 7: pool.push_back((Quad(int(random() % 9)) - 4) / 3 - p); break;
      }
    }
    const std::vector<Quad> at = {Quad(0.3), Quad(-0.7), Quad(1.1)};
    const std::map<std::string, Quad> names = {{"a", at[0]}, {"x1'", at[1]}, {"q[2]", at[2]}};
    const Values<Quad> values(graph, x, at);
    for (const Expr e : pool) {
      const std::string text = to_infix(e);
      if (text.size() > 2000 || !finiteq(values(e)) || fabsq(values(e)) > 1e6) continue;
      EXPECT_LT(distance(Reader(text, names).read(), values(e)), 1e-22) << text;
      ++compared;
    }
  }
  EXPECT_GT(compared, 5000);
}

}  // namespace
}  // namespace alembert::internal
