#include "alembert/derive/rows.h"

#include <gtest/gtest.h>

#include "alembert/derive/indices.h"
#include "alembert/expr/collect.h"

namespace alembert::internal::test {
namespace {

TEST(Indices, FamiliesAreRowsWhoseNumbersRunTogether) {
  const std::vector<std::string> letters = {"i", "j"};
  const auto family = IndexFamily::of({{2, 1, 3, 7}, {3, 1, 4, 7}, {4, 1, 5, 7}}, letters);
  ASSERT_TRUE(family);
  EXPECT_TRUE(family->complete());
  EXPECT_EQ(family->written("x[2].r[1]' - x[3] + y[7]"), "x[i].r[1]' - x[i+1] + y[7]");
  EXPECT_EQ(family->written("y[7]", 3), "y[7]");
  EXPECT_EQ(family->range(false), "i = 2, 3, 4");
  EXPECT_EQ(family->values({4, 1, 5, 7}), std::vector<long>{4});

  const auto grid = IndexFamily::of({{1, 1}, {1, 2}, {5, 1}, {5, 2}}, letters);
  ASSERT_TRUE(grid);
  EXPECT_TRUE(grid->complete());
  EXPECT_EQ(grid->range(true), "i = 1, 5,\\; j = 1, 2");
  EXPECT_EQ(IndexFamily::of({{1}, {2}, {3}, {4}}, letters)->range(true), "i = 1, \\dots, 4");

  const auto pairs = IndexFamily::of({{2, 1}, {3, 1}, {3, 2}}, letters);
  ASSERT_TRUE(pairs);
  EXPECT_FALSE(pairs->complete());
  EXPECT_EQ(pairs->letters(), "(i, j)");

  EXPECT_FALSE(IndexFamily::of({{1, 1, 5}, {2, 3, 1}, {4, 4, 4}}, letters)) << "three numbers that run by themselves";
  EXPECT_FALSE(IndexFamily::of({{1, 2}, {1, 2}}, letters)) << "the same row twice";
}

TEST(Indices, NamesInTextKnowTheirPlaces) {
  const auto names = names_in("2*x[1].r[2]' - 1e-12*sin(y[3])");
  ASSERT_EQ(names.size(), 3U);
  EXPECT_EQ(names[0].name, "x[1].r[2]'");
  EXPECT_EQ(names[1].name, "sin");
  EXPECT_EQ(names[2].name, "y[3]");
  EXPECT_EQ(names[2].first_place, 2U);
}

class Abbreviations : public testing::Test {
 protected:
  std::vector<std::string> shorten(const Exprs& values) {
    Collector collector({{}, {x, y}, {}, {}});
    std::vector<Row> rows;
    for (const Expr value : values) rows.push_back({name_of("f"), collector.collect(value)});
    std::vector<Row*> all;
    for (Row& row : rows) all.push_back(&row);
    std::vector<std::string> lines;
    for (const Row& row : abbreviated(collector.table(), graph, all, FreeNames({"x", "y", "a"})))
      lines.push_back(row.name.text + " = " + to_infix(collector.table(), *row.sum));
    for (const Row& row : rows) lines.push_back(to_infix(collector.table(), *row.sum));
    return lines;
  }
  Graph graph;
  Expr x = graph.symbol("x"), y = graph.symbol("y");
};

TEST_F(Abbreviations, RootsAndWhatHoldsThem) {
  const Expr s = x * x + 3 * y * y + 1, d = sqrt(s), outer = exp(-d / (2 * x * y)) + cos(x * y);
  EXPECT_EQ(shorten({x / d, y / d, x / (s * d), outer * x, outer * y, outer * outer, sin(outer)}),
            (std::vector<std::string>{"b1 = sqrt(x^2 + 3*y^2 + 1)", "b2 = cos(x*y) + exp(-b1/(2*x*y))", "x/b1", "y/b1",
                                      "x/b1^3", "x*b2", "y*b2", "b2^2", "sin(b2)"}));
}

TEST_F(Abbreviations, WhatIsShortOrStandsOnceStays) {
  EXPECT_EQ(shorten({sqrt(x * x + 3 * y * y + 1), x * sin(x + y), y * sin(x + y)}),
            (std::vector<std::string>{"sqrt(x^2 + 3*y^2 + 1)", "x*sin(x + y)", "y*sin(x + y)"}));
}

TEST(FreeNames, AreNotThoseOfTheModel) {
  const FreeNames plain({"x", "y"}), taken({"a3", "cell[2].i", "m_b", "w"});
  EXPECT_EQ(plain.letter(), "a");
  EXPECT_EQ(plain.indices(), (std::vector<std::string>{"i", "j"}));
  EXPECT_EQ(taken.letter(), "A");
  EXPECT_EQ(taken.indices(), (std::vector<std::string>{"j", "n"}));
}

}  // namespace
}  // namespace alembert::internal::test
