// Simplification against a recipe that is evaluated as it was written, without any graph.

#include <gtest/gtest.h>

#include "evaluator.h"

namespace alembert::internal {
namespace {

struct Step {
  Op op;
  int a = 0, b = 0;  // earlier steps; symbol: a is its number
  Quad value = 0;    // of a constant
};

std::vector<Step> random_recipe(std::mt19937& random, int symbols, int length) {
  static const Quad constants[] = {0, 1, -1, 2, -2, 0.5, -0.5, 3, Quad(1) / 3, 4, -3, 1e-3, 10, 6, -0.0};
  std::vector<Step> recipe;
  for (int i = 0; i < symbols; ++i) recipe.push_back({Op::symbol, i});
  for (int i = 0; i < length; ++i) {
    const int size = int(recipe.size());
    const auto pick = [&] {
      return random() % 2 ? int(random() % size) : size - 1 - int(random() % std::min(size, 6));
    };
    const unsigned kind = random() % 10;
    if (kind < 2) {
      recipe.push_back({Op::constant, 0, 0, constants[random() % std::size(constants)]});
    } else if (kind < 7) {
      static const Op common[] = {Op::add, Op::subtract, Op::multiply, Op::divide, Op::negate, Op::power};
      recipe.push_back({common[random() % std::size(common)], pick(), pick()});
    } else {
      recipe.push_back(
          {Op(unsigned(Op::add) + random() % (unsigned(Op::sign) - unsigned(Op::add) + 1)), pick(), pick()});
    }
  }
  return recipe;
}

// noise: every value is changed by that relative size at random, which shows how well it is determined at all.
std::vector<Quad> follow(const std::vector<Step>& recipe, const std::vector<Quad>& at, double noise,
                         std::mt19937& random) {
  std::vector<Quad> values;
  for (const Step& step : recipe) {
    Quad value = step.op == Op::constant ? step.value
                 : step.op == Op::symbol ? at[step.a]
                                         : evaluate<Quad>(step.op, values[step.a], values[step.b]);
    if (step.op > Op::symbol) value *= 1 + Quad(noise) * (2.0 * random() / random.max() - 1);
    values.push_back(value);
  }
  return values;
}

Exprs build(const std::vector<Step>& recipe, Graph& graph, const Exprs& x) {
  Exprs made;
  for (const Step& step : recipe) {
    made.push_back(step.op == Op::constant       ? graph.constant(step.value)
                   : step.op == Op::symbol       ? x[step.a]
                   : operand_count(step.op) == 1 ? graph.make(step.op, made[step.a])
                                                 : graph.make(step.op, made[step.a], made[step.b]));
  }
  return made;
}

TEST(SimplifyTest, NeverChangesAFiniteValueBeyondRounding) {
  std::mt19937 random(20240607);
  int compared = 0, sharp = 0, shorter = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const std::vector<Step> recipe = random_recipe(random, 4, 40);
    Graph graph;
    const Exprs x = graph.symbols("x", 4);
    const Exprs made = build(recipe, graph, x);
    shorter += graph.size() < recipe.size();
    for (int point = 0; point < 3; ++point) {
      std::vector<Quad> at;
      for (int i = 0; i < 4; ++i) at.push_back(4.0 * random() / random.max() - 2);
      if (point == 2) at[random() % 4] = double(random() % 3) - 1;
      const std::vector<Quad> plain = follow(recipe, at, 0, random);
      std::vector<Quad> spread(recipe.size(), 0);
      std::vector<bool> finite(recipe.size(), true);
      for (int run = 0; run < 4; ++run) {
        const std::vector<Quad> noisy = follow(recipe, at, 1e-28, random);
        for (std::size_t i = 0; i < recipe.size(); ++i) {
          finite[i] = finite[i] && finiteq(noisy[i]) && finiteq(plain[i]);
          if (finite[i]) spread[i] = fmaxq(spread[i], fabsq(noisy[i] - plain[i]));
        }
      }
      const testing_expr::Values<Quad> values(graph, x, at);
      for (std::size_t i = 0; i < recipe.size(); ++i) {
        // What stands on an infinite value may be finite by accident, such as 1/(1/0).
        const Step& step = recipe[i];
        if (step.op > Op::symbol) {
          finite[i] = finite[i] && finite[step.a] && (operand_count(step.op) == 1 || finite[step.b]);
          // The sign of a zero is not kept, and decides atan2 on its cut.
          finite[i] = finite[i] && !(step.op == Op::atan2 && plain[step.a] == 0);
        }
        if (!finite[i]) continue;
        ++compared;
        sharp += spread[i] < Quad(1e-20) * fabsq(plain[i]);
        ASSERT_LE(double(fabsq(values(made[i]) - plain[i])), double(10 * spread[i] + Quad(1e-32) * fabsq(plain[i])))
            << "trial " << trial << " step " << i << " op " << operator_of(step.op).name << " value "
            << double(plain[i]) << " got " << double(values(made[i]));
      }
    }
  }
  // The comparison must have been one: most values are finite and well determined, most graphs shorter than their
  // recipe.
  EXPECT_GT(compared, 100000);
  EXPECT_GT(sharp, compared / 2);
  EXPECT_GT(shorter, 1000);
}

TEST(SimplifyTest, IsIdempotent) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 500; ++trial) {
    const std::vector<Step> recipe = random_recipe(random, 3, 40);
    Graph graph;
    const Exprs x = graph.symbols("x", 3);
    const Exprs made = build(recipe, graph, x);
    const std::size_t size = graph.size();
    const Exprs again = build(recipe, graph, x);
    EXPECT_EQ(made, again);
    EXPECT_EQ(graph.size(), size);
    // Every stored node, made anew from its own operands, is itself.
    for (std::uint32_t id = 0; id < size; ++id) {
      const Node n = graph.node(id);
      const Expr a(&graph, n.a), b(&graph, n.b);
      const int operands = operand_count(n.op);
      if (operands == 0) continue;
      EXPECT_EQ((operands == 1 ? graph.make(n.op, a) : graph.make(n.op, a, b)).id(), id);
    }
  }
}

}  // namespace
}  // namespace alembert::internal
