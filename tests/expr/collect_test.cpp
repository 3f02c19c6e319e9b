#include "alembert/expr/collect.h"

#include <gtest/gtest.h>

#include <map>

#include "evaluator.h"
#include "reader.h"

namespace alembert::internal {
namespace {

using testing_expr::distance;
using testing_expr::Reader;
using testing_expr::Values;

class CollectTest : public ::testing::Test {
 protected:
  Graph graph;
  Expr m = graph.symbol("m"), l = graph.symbol("l"), k = graph.symbol("k");
  Expr x = graph.symbol("x"), phi = graph.symbol("phi"), theta = graph.symbol("theta");
  Expr vx = graph.symbol("x'"), w = graph.symbol("phi'"), ax = graph.symbol("x''"), aw = graph.symbol("phi''");
  Expr lambda = graph.symbol("lambda");
  Collector collector{{{lambda}, {x, phi, theta}, {vx, w}, {ax, aw}}};

  std::string text(Expr e, const Exprs& unknowns = {}) {
    const form::Sum sum = collector.collect(e, unknowns);
    return form::to_infix(collector.table(), sum);
  }
  std::string latex(Expr e) {
    std::string all;
    for (const std::string& term : form::to_latex_pieces(collector.table(), collector.collect(e), 1e9))
      all += term + "|";
    return all;
  }
};

TEST_F(CollectTest, PowersAndLikeTermsAreGathered) {
  EXPECT_EQ(text(l * sin(phi) * m * w * l), "m*l^2*sin(phi)*phi'");
  EXPECT_EQ(text(x * m + m * x * 2), "3*m*x");
  EXPECT_EQ(text(x * (m + k) - m * x - k * x), "0");
  EXPECT_EQ(text(x / x), "1");
  EXPECT_EQ(text(m * x / (m * l) / x), "1/l");
  EXPECT_EQ(text(k / sqrt(x + 1) / sqrt(x + 1) / sqrt(x + 1)), "k/(x + 1)^(3/2)");
  EXPECT_EQ(text(m / 2 * pow(vx, 2)), "m/2*x'^2");
  EXPECT_EQ(text(pow(vx, 2) / 2), "x'^2/2");
  EXPECT_EQ(text(x / (2 * l)), "x/(2*l)");
  EXPECT_EQ(text(Quad(2) / 3 * x), "2/3*x");
  EXPECT_EQ(text(Quad(5) / 24 * x), "5/24*x");
}

TEST_F(CollectTest, SinesAndCosines) {
  EXPECT_EQ(text(m * pow(l * sin(phi), 2) * w + m * pow(l * cos(phi), 2) * w), "m*l^2*phi'");
  EXPECT_EQ(text(x - x * pow(sin(phi), 2)), "x*cos(phi)^2");
  EXPECT_EQ(text(sin(phi) * cos(theta) - cos(phi) * sin(theta)), "sin(phi - theta)");
  EXPECT_EQ(text(cos(phi) * cos(theta) + sin(phi) * sin(theta)), "cos(phi - theta)");
  EXPECT_EQ(text(sin(theta) * sin(phi) - cos(phi) * cos(theta)), "-cos(phi + theta)");
  EXPECT_EQ(text(pow(pow(sin(phi), 2) + pow(cos(phi), 2), 2)), "1");
}

TEST_F(CollectTest, WhatIsShortStaysAsItWasWritten) {
  const Expr y = graph.symbol("y");
  EXPECT_EQ(text(pow(x - y, 2) - pow(l, 2)), "(x - y)^2 - l^2");
  EXPECT_EQ(text(m / 2 * (pow(vx, 2) + pow(w, 2)) + m * k * x), "m/2*(x'^2 + phi'^2) + m*k*x");
  EXPECT_EQ(text(sqrt(pow(x, 2))), "sqrt(x^2)");  // |x|
  EXPECT_EQ(text(1 - cos(phi)), "1 - cos(phi)");
}

TEST_F(CollectTest, WhatTermsShareStandsBeforeBrackets) {
  const Expr y = graph.symbol("y"), R = graph.symbol("R");
  EXPECT_EQ(text(R * x + R * y), "R*(x + y)");
  EXPECT_EQ(text(-(R * x) - R * y), "-R*(x + y)");
  EXPECT_EQ(text(m * k * x - m * k * y), "m*k*(x - y)");
  EXPECT_EQ(text(R * x + k * y), "R*x + k*y");
}

TEST_F(CollectTest, CoefficientsOfUnknownsAreGathered) {
  const Expr e = k * ax + m * (ax + l * cos(phi) * aw - l * sin(phi) * pow(w, 2));
  EXPECT_EQ(text(e, {ax, aw}), "(m + k)*x'' + m*l*cos(phi)*phi'' - m*l*sin(phi)*phi'^2");
  EXPECT_EQ(text(-2 * lambda * (x - l), {lambda}), "-2*lambda*(x - l)");
}

TEST_F(CollectTest, Latex) {
  EXPECT_EQ(latex(m / 2 * pow(vx, 2) - m * l * cos(phi)), "\\frac{1}{2} m \\dot{x}^{2}|- m l \\cos(\\phi)|");
  EXPECT_EQ(latex(m / (2 * sqrt(x + 1))), "\\frac{m}{2 \\sqrt{x + 1}}|");
  EXPECT_EQ(latex(m * graph.symbol("gravity") * x), "m \\, \\mathrm{gravity} \\, x|");
  EXPECT_EQ(latex(x - x), "0|");
}

// Random expressions with the corners: what is shown has the value of what was meant, through its text.
TEST(CollectRandomTest, TheTextHasTheValueOfTheExpression) {
  std::mt19937 random(23);
  int compared = 0;
  for (int trial = 0; trial < 150; ++trial) {
    Graph graph;
    const Exprs x = {graph.symbol("a"), graph.symbol("x1'"), graph.symbol("q[2]")};
    Exprs pool = testing_expr::random_graph(graph, x, 8, random);
    for (int i = 0; i < 16; ++i) {
      const Expr p = pool[random() % pool.size()], q = pool[random() % pool.size()];
      switch (random() % 8) {
        case 0: pool.push_back(p - q); break;
        case 1: pool.push_back(p / q); break;
        case 2: pool.push_back(pow(p, Quad(int(random() % 7)) - 3)); break;
        case 3: pool.push_back(p * q); break;
        case 4: pool.push_back(p * q - q * (p + x[0])); break;
        case 5: pool.push_back(p / (Quad(int(random() % 9)) + 1)); break;
        case 6: pool.push_back(pow(sin(p), 2) * q + pow(cos(p), 2) * q); break;
        case 7: pool.push_back(sin(p) * cos(q) + cos(p) * sin(q)); break;
      }
    }
    const std::vector<Quad> at = {Quad(0.3), Quad(-0.7), Quad(1.1)};
    const std::map<std::string, Quad> names = {{"a", at[0]}, {"x1'", at[1]}, {"q[2]", at[2]}};
    const std::size_t size = graph.size();
    Collector collector({{}, {x[2]}, {x[1]}, {}});
    const Values<Quad> values(graph, x, at);
    for (const Expr e : pool) {
      const std::string text = form::to_infix(collector.table(), collector.collect(e, {x[1]}));
      if (text.size() > 2000 || !finiteq(values(e)) || fabsq(values(e)) > 1e6) continue;
      EXPECT_LT(distance(Reader(text, names).read(), values(e)), 1e-20) << text;
      ++compared;
    }
    EXPECT_EQ(graph.size(), size) << "no nodes are made";
  }
  EXPECT_GT(compared, 2000);
}

}  // namespace
}  // namespace alembert::internal
