// Which members a study has: ranges, lists, their order, and what is refused.

#include "alembert/study/design.h"

#include <gtest/gtest.h>

#include <cmath>

namespace alembert::internal::testing {
namespace {

SweepAxis axis_of(const std::string& text) {
  std::vector<Diagnostic> wrong;
  const SweepAxis axis = read_axis(text, wrong);
  EXPECT_TRUE(wrong.empty()) << text;
  return axis;
}

TEST(StudyDesign, RangesListsAndTheirOrder) {
  const SweepAxis range = axis_of("l = 0.5:2:4"), angle = axis_of("a=-pi:pi:3"), list = axis_of("m=1,1/3, 2^3");
  EXPECT_EQ(range.name, "l");
  EXPECT_EQ(range.size(), 4U);
  EXPECT_EQ(range.text(0), "0.5");
  EXPECT_EQ(range.number(1), 1);
  EXPECT_EQ(range.number(3), 2);
  EXPECT_EQ(angle.number(2), M_PI);
  EXPECT_EQ(angle.number(1), 0);
  EXPECT_EQ(list.values, (std::vector<std::string>{"1", "1/3", "2^3"}));
  Design design({range, list}, {{"x", Distribution::uniform, 0, 1}}, 5, 0, Sampling::random);
  EXPECT_EQ(design.size(), 60U);
  EXPECT_EQ(design.names(), (std::vector<std::string>{"l", "m", "x"}));
  EXPECT_EQ(design.texts(5 * (3 * 2 + 1) + 4)[0], "1.5");
  EXPECT_EQ(design.texts(5 * (3 * 2 + 1) + 4)[1], "1/3");
  EXPECT_EQ(design.drawn(4, 0), design.drawn(59, 0)) << "the same draws at every point of the grid";
  // With one axis closed its values make the groups, and all members are in one of them.
  design.keep_open({true, false});
  EXPECT_EQ(design.groups(), 3U);
  std::vector<int> met(60, 0);
  for (std::uint64_t group = 0; group < 3; ++group)
    for (std::uint64_t place = 0; place < design.group_size(); ++place) {
      const std::uint64_t member = design.member(group, place);
      ++met[member];
      EXPECT_EQ(design.index(member, 1), group);
    }
  EXPECT_EQ(met, std::vector<int>(60, 1));
}

TEST(StudyDesign, NeverMoreMembersThanCanBeCounted) {
  std::vector<SweepAxis> axes;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"})
    axes.push_back(axis_of(std::string(name) + "=0:1:256"));
  EXPECT_THROW(Design(axes, {}, 1, 0, Sampling::random), InputError);  // 2^64: a product of 0
  axes.pop_back();
  EXPECT_THROW(Design(axes, {}, 1, 0, Sampling::random), InputError);
  axes.pop_back();
  EXPECT_EQ(Design(axes, {}, 1, 0, Sampling::random).size(), std::uint64_t{1} << 48);
  EXPECT_THROW(Design(axes, {{"x"}}, 256, 0, Sampling::random), InputError);
  EXPECT_THROW(Design({}, std::vector<Draw>(41, Draw{"x"}), 8, 0, Sampling::sobol), InputError);
}

/// All that is said about a text.
std::string said_of(const std::string& text, bool draw) {
  std::vector<Diagnostic> wrong;
  if (draw) read_draw(text, wrong);
  else read_axis(text, wrong);
  std::string said;
  for (const Diagnostic& d : wrong) said += format(d) + "\n";
  return said;
}

TEST(StudyDesign, WhatIsWrongIsSaidWithItsPlace) {
  const auto expect = [](const std::string& text, bool draw, const std::string& part) {
    EXPECT_NE(said_of(text, draw).find(part), std::string::npos) << text << "\n" << said_of(text, draw);
  };
  expect("l", false, "NAME=VALUES");
  expect("=1", false, "NAME=VALUES");
  expect("l=", false, "NAME=VALUES");
  expect("l=1,,2", false, "missing");
  expect("l=0:1", false, "three parts");
  expect("l=0:1:2:3", false, "three parts");
  expect("l=0:1:0", false, "not a number of values");
  expect("l=0:1:-5", false, "not a number of values");
  expect("l=0:1:2.5", false, "not a number of values");
  expect("l=0:1:1e300", false, "not a number of values");
  expect("l=a:1:5", false, "'a' is not a number");
  expect("l=1:1:5", false, "no length");
  expect("l=1e400:1:5", false, "not a number");
  expect("l=0:1:5,7", false, "stands alone");
  expect("x=normal", true, "NAME=DISTRIBUTION");
  expect("normal(0, 1)", true, "NAME=DISTRIBUTION");
  expect("x=norml(0, 1)", true, "did you mean 'normal'?");
  expect("x=sobol(0, 1)", true, "`sampling`");
  expect("x=normal(0)", true, "two numbers");
  expect("x=normal(0, -1)", true, "above 0");
  expect("x=uniform(2, 1)", true, "below the upper");
  expect("x=uniform(q, 1)", true, "'q' is not a number");
  // The caret stands under what is wrong.
  std::vector<Diagnostic> wrong;
  read_axis("l=a:b:5", wrong);
  ASSERT_EQ(wrong.size(), 2U) << "all at once";
  EXPECT_EQ(wrong[0].place.column, 3);
  EXPECT_EQ(wrong[1].place.column, 5);
}

TEST(StudyDesign, ConstantsAreNumbersAndWhatIsMadeOfThem) {
  EXPECT_EQ(constant_value("1/3"), 1.0 / 3);
  EXPECT_EQ(constant_value("-pi/2"), -M_PI / 2);
  EXPECT_EQ(constant_value("sqrt(4)"), 2.0);
  EXPECT_FALSE(constant_value("m1"));
  EXPECT_FALSE(constant_value("1, 2"));
  EXPECT_FALSE(constant_value("1\ncoordinate y"));
  EXPECT_FALSE(constant_value(""));
}

}  // namespace
}  // namespace alembert::internal::testing
