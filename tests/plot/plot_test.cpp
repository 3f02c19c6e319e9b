#include "alembert/plot/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <sstream>

#include "alembert/plot/plot_axes.h"

namespace alembert::internal {
namespace {

using Numbers = std::vector<double>;

// The points of all curves, in the order they are drawn; a gap starts a new list.
std::vector<std::vector<std::pair<double, double>>> drawn_points(const std::string& svg) {
  std::vector<std::vector<std::pair<double, double>>> lists;
  for (std::size_t at = svg.find("<path class=\"curve c"); at != std::string::npos;
       at = svg.find("<path class=\"curve c", at + 1)) {
    std::size_t i = svg.find(" d=\"", at) + 4;
    const std::size_t end = svg.find('"', i);
    if (svg.find('h', i) < end) continue;  // a sample of the legend
    while (i < end) {
      if (svg[i] == 'M') lists.emplace_back();
      std::size_t length = 0;
      const double x = std::stod(svg.substr(i + 1, 24), &length);
      i += 1 + length;
      const double y = std::stod(svg.substr(i, 24), &length);
      i += length;
      lists.back().emplace_back(x, y);
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

TEST(Plot, MarksOfRangesBelowTheNormalNumbers) {
  for (const double low : {0.0, -2e-323, -5e-324}) {
    const plotting::Marks marks = plotting::marks_of({low, 2e-323}, false);
    ASSERT_EQ(marks.at, Numbers{0});
    EXPECT_EQ(marks.labels.size(), 1u);
  }
  for (const double high : {1e-307, 3e-308, 1e-310})
    for (const std::string& label : plotting::marks_of({0, high}, false).labels) {
      EXPECT_EQ(label.find("inf"), std::string::npos) << high;
      EXPECT_EQ(label.find("nan"), std::string::npos) << high;
    }
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

TEST(Plot, LongCurvesStaySmallAndKeepTheirExtremes) {
  Curve wave{"wave", {}, {}};
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    wave.x.push_back(i);
    wave.y.push_back(std::sin(0.37 * i) + (i == 54321 ? 5 : 0));  // one needle among 10^5 points
  }
  const std::string svg = to_svg(one_panel({wave}, false));
  EXPECT_LT(svg.size(), 60000u);
  double highest = 1e9;
  for (const auto& list : drawn_points(svg))
    for (const auto& point : list) highest = std::min(highest, point.second);
  EXPECT_NEAR(highest, 44 + 278 * 0.05 / 1.1, 0.5) << "the needle is still there";
  EXPECT_EQ(count(svg, "<circle"), 0) << "no markers on long curves";

  // A curve that turns back: a circle run through many times is a circle.
  Curve circle{"circle", {}, {}};
  for (int i = 0; i < n; ++i) circle.x.push_back(std::cos(0.01 * i)), circle.y.push_back(std::sin(0.01 * i));
  const std::string round = to_svg(one_panel({circle}, false));
  EXPECT_LT(round.size(), 1000000u);
  const auto lists = drawn_points(round);
  ASSERT_EQ(lists.size(), 1u);
  double low_x = 1e9, high_x = 0;
  for (const auto& p : lists[0]) low_x = std::min(low_x, p.first), high_x = std::max(high_x, p.first);
  for (const auto& p : lists[0]) {
    // An ellipse in pixels: the panel is 344 wide and 278 high, with 5 % of room on either side.
    const double x = (p.first - (76 + 420) / 2.0) / (344 / 2.2), y = (p.second - (44 + 322) / 2.0) / (278 / 2.2);
    EXPECT_NEAR(std::hypot(x, y), 1, 0.01);
  }
  EXPECT_NEAR(high_x - low_x, 344 / 1.1, 0.2);
}

TEST(Plot, SmallNumbersOnLinearAxesShareAFactor) {
  const std::string svg = to_svg(one_panel({{"a", {0, 1}, {0, 3e-8}}}, false));
  EXPECT_NE(svg.find("×10<tspan dy=\"-5\" font-size=\"10\">−8</tspan>"), std::string::npos);
  EXPECT_NE(svg.find(">3.0</text>"), std::string::npos);
  EXPECT_EQ(svg.find("e-08"), std::string::npos);
  // Marks that differ late show the digits in which they differ.
  const std::string near = to_svg(one_panel({{"a", {0, 1}, {79.6541, 79.6549}}}, false));
  EXPECT_NE(near.find(">79.6542</text>"), std::string::npos);
}

TEST(Plot, EqualScalesKeepCirclesRound) {
  Figure figure = one_panel({{"a", {-1, 1, 0, 0}, {0, 0, -1, 1}}}, false);
  figure.panels[0].equal_scales = true;
  const auto p = drawn_points(to_svg(figure)).at(0);
  EXPECT_NEAR(p[1].first - p[0].first, p[2].second - p[3].second, 0.05);
}

TEST(Plot, PanelsFillRows) {
  Figure figure = one_panel({{"a", {1, 2}, {1, 2}}});
  for (int i = 1; i < 5; ++i) figure.panels.push_back(figure.panels[0]);
  const std::string svg = to_svg(figure);
  expect_well_formed(svg);
  EXPECT_NE(svg.find("translate(440 414)"), std::string::npos) << "the fourth panel: second column, second row";
  EXPECT_EQ(svg.find("translate(880"), std::string::npos);
  figure.columns = 5;
  EXPECT_NE(to_svg(figure).find("translate(1760 34)"), std::string::npos);
}

TEST(Plot, LimitsOfAnAxisCutAndAreKept) {
  Figure figure = one_panel({{"a", {0, 1, 2}, {0, 1e9, 2}}}, false);
  figure.panels[0].y.low = 0, figure.panels[0].y.high = 2;
  const std::string svg = to_svg(figure);
  const auto p = drawn_points(svg).at(0);
  EXPECT_NEAR(p[0].second, 322, 0.01);
  EXPECT_NEAR(p[2].second, 44, 0.01);
  EXPECT_LT(p[1].second, -1000) << "outside, and clipped";
  EXPECT_NE(svg.find("clip-path"), std::string::npos);
}

}  // namespace
}  // namespace alembert::internal
