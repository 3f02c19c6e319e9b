#include "alembert/run/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <sstream>

namespace alembert {
namespace {

using Numbers = std::vector<double>;

// The points of all curves, in the order they are drawn; a gap starts a new list.
std::vector<std::vector<std::pair<double, double>>> drawn_points(const std::string& svg) {
  std::vector<std::vector<std::pair<double, double>>> lists;
  const std::regex path("<path class=\"curve c[0-9]\"[^>]* d=\"(M[-0-9.]+ [-0-9.]+[ML][^\"]*)\"");
  for (std::sregex_iterator i(svg.begin(), svg.end(), path), end; i != end; ++i) {
    const std::string d = (*i)[1];
    const std::regex point("([ML])([-0-9.]+) ([-0-9.]+)");
    for (std::sregex_iterator k(d.begin(), d.end(), point); k != end; ++k) {
      if ((*k)[1] == "M") lists.emplace_back();
      lists.back().emplace_back(std::stod((*k)[2]), std::stod((*k)[3]));
    }
  }
  return lists;
}

Figure one_panel(std::vector<Curve> curves, bool logarithmic = true) {
  Figure figure;
  figure.title = "Test";
  figure.panels.push_back({"panel", {"x", logarithmic}, {"y", logarithmic}, std::move(curves)});
  return figure;
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// Every tag that is opened is closed, in order.
void expect_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-zA-Z]+)([^<>]*?)(/?)>");
  for (std::sregex_iterator i(svg.begin(), svg.end(), tag), end; i != end; ++i) {
    const std::string name = (*i)[2];
    if ((*i)[1] == "/") {
      ASSERT_FALSE(open.empty()) << name;
      EXPECT_EQ(open.back(), name);
      open.pop_back();
    } else if ((*i)[4] != "/") {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty());
}

TEST(Plot, MarksOfLogarithmicAxes) {
  EXPECT_EQ(axis_marks(0.5e-3, 2, true), (Numbers{1e-3, 1e-2, 1e-1, 1}));
  EXPECT_EQ(axis_marks(0.009, 0.11, true), (Numbers{0.01, 0.02, 0.05, 0.1}));
  // Far ranges are marked at every second, third ... power, and never crowded.
  for (const double low : {1e-12, 1e-30, 1e-100}) {
    const Numbers marks = axis_marks(low, 1, true);
    EXPECT_GE(marks.size(), 4u);
    EXPECT_LE(marks.size(), 10u);
    for (const double m : marks) EXPECT_NEAR(std::log10(m), std::round(std::log10(m)), 1e-9);
  }
}

TEST(Plot, MarksOfLinearAxes) {
  EXPECT_EQ(axis_marks(0, 10, false), (Numbers{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(axis_marks(-1.2, 3.1, false), (Numbers{-1, 0, 1, 2, 3}));
  const Numbers small = axis_marks(0.101, 0.104, false);
  EXPECT_GE(small.size(), 3u);
  EXPECT_GE(small.front(), 0.101);
  EXPECT_LE(small.back(), 0.104);
}

TEST(Plot, APowerLawIsAStraightLineOnLogarithmicAxes) {
  const std::string svg = to_svg(one_panel({{"a", {1, 0.1, 0.01}, {1, 1e-4, 1e-8}}}));
  expect_well_formed(svg);
  const auto lists = drawn_points(svg);
  ASSERT_EQ(lists.size(), 1u);
  ASSERT_EQ(lists[0].size(), 3u);
  const auto& p = lists[0];
  EXPECT_NEAR(p[1].first, (p[0].first + p[2].first) / 2, 0.011);
  EXPECT_NEAR(p[1].second, (p[0].second + p[2].second) / 2, 0.011);
  EXPECT_GT(p[0].first, p[2].first);
  EXPECT_LT(p[0].second, p[2].second) << "larger errors stand higher";
}

TEST(Plot, WhatCannotBeShownLeavesAGap) {
  const double nan = std::nan("");
  const std::string svg = to_svg(one_panel({{"a", {1, 2, 3, 4, 5, 6}, {1, 2, nan, 0, 5, 6}}}));
  expect_well_formed(svg);
  const auto lists = drawn_points(svg);
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_EQ(lists[0].size(), 2u);
  EXPECT_EQ(lists[1].size(), 2u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  // On a linear axis 0 is a value as any other.
  EXPECT_EQ(drawn_points(to_svg(one_panel({{"a", {1, 2, 3}, {1, 0, -1}}}, false)))[0].size(), 3u);
}

TEST(Plot, NothingToShowIsStillAFigure) {
  for (const bool logarithmic : {true, false}) {
    expect_well_formed(to_svg(one_panel({}, logarithmic)));
    const std::string one = to_svg(one_panel({{"a", {1}, {1}}}, logarithmic));
    expect_well_formed(one);
    EXPECT_EQ(one.find("nan"), std::string::npos);
    EXPECT_EQ(one.find("inf"), std::string::npos);
  }
}

TEST(Plot, TrianglesHaveTheSlope) {
  Curve curve{"a", {1, 0.1}, {1, 1e-3}};
  curve.slope = 3;
  const std::string svg = to_svg(one_panel({curve}));
  std::smatch m;
  const std::regex triangle("class=\"slope\" d=\"M([-0-9.]+) ([-0-9.]+)L([-0-9.]+) ([-0-9.]+)V([-0-9.]+)z\"");
  ASSERT_TRUE(std::regex_search(svg, m, triangle));
  const auto p = drawn_points(svg).at(0);
  const double drawn = (std::stod(m[4]) - std::stod(m[2])) / (std::stod(m[3]) - std::stod(m[1]));
  EXPECT_NEAR(drawn, (p[0].second - p[1].second) / (p[0].first - p[1].first), 1e-3);
  EXPECT_EQ(std::stod(m[5]), std::stod(m[2]));
  EXPECT_NE(svg.find(">3</text>"), std::string::npos);
  curve.slope = 0;
  EXPECT_FALSE(std::regex_search(to_svg(one_panel({curve})), triangle));
}

TEST(Plot, CurvesOfOneNameShareTheirLegend) {
  Curve first{"gauss(2) <&\">", {1, 2}, {1, 2}}, second = first, third = first;
  second.line = Curve::Line::dashed;
  third.name = "other";
  const std::string svg = to_svg(one_panel({first, second, third}));
  expect_well_formed(svg);
  EXPECT_EQ(count(svg, "gauss(2) &lt;&amp;&quot;&gt;"), 1);
  EXPECT_EQ(count(svg, ">other</text>"), 1);
  EXPECT_EQ(count(svg, "stroke-dasharray"), 1);
  EXPECT_GT(count(svg, "curve c0"), count(svg, "curve c1"));
}

TEST(Plot, ReadableOnDarkScreensAndInPrint) {
  const std::string svg = to_svg(one_panel({{"a", {1, 2}, {1, 2}}}));
  EXPECT_NE(svg.find("@media screen and (prefers-color-scheme: dark)"), std::string::npos);
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_EQ(count(svg, "http"), 1) << "only the name space: nothing is loaded";
}

}  // namespace
}  // namespace alembert
