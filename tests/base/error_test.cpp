#include "alembert/error.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace alembert::internal {
namespace {

Diagnostic at(std::string text, Place place, std::string message, std::string hint = {}) {
  return {std::make_shared<Source>(Source{"m.alm", std::move(text)}), place, std::move(message), std::move(hint)};
}

TEST(Error, ShowsPlaceLineCaretAndHint) {
  const std::string text = "model \"p\"\nparameter length = 1\npotential m*g*lenght*(1 - cos(theta))\n";
  EXPECT_EQ(format(at(text, {3, 15, 6}, "unknown name 'lenght'", "did you mean 'length' (parameter, line 3)?")),
            "m.alm:3:15: unknown name 'lenght'\n"
            "    potential m*g*lenght*(1 - cos(theta))\n"
            "                  ^~~~~~ did you mean 'length' (parameter, line 3)?");
}

TEST(Error, DropsLeadingBlanksAndCarriageReturns) {
  EXPECT_EQ(format(at("   a + b\r\n", {1, 8, 1}, "no")), "m.alm:1:8: no\n    a + b\n        ^");
}

TEST(Error, KeepsCaretBelowItsPlaceBehindTabsAndWideCharacters) {
  // Each tab and each character takes one column, whatever its bytes are.
  EXPECT_EQ(format(at("\ta\tö\xFF x", {1, 7, 1}, "no")), "m.alm:1:7: no\n    a ö? x\n         ^");
}

TEST(Error, NeverSendsControlCharactersToTheTerminal) {
  EXPECT_EQ(format(at("a\x1B[2J b", {1, 2, 1}, "no")).find('\x1B'), std::string::npos);
}

TEST(Error, PlaceAtOrBehindTheEndStillHasACaret) {
  EXPECT_EQ(format(at("ab", {1, 3, 1}, "no")), "m.alm:1:3: no\n    ab\n      ^");
  EXPECT_EQ(format(at("ab", {1, 99, 5}, "no")), "m.alm:1:99: no\n    ab\n      ^");
  EXPECT_EQ(format(at("ab", {7, 1, 1}, "no")), "m.alm:7:1: no\n    \n    ^");
}

TEST(Error, ShortensLongLinesRoundTheCaret) {
  std::string text(5000, 'x');
  text.replace(3000, 3, "bad");
  const std::string shown = format(at(text, {1, 3001, 3}, "no"));
  const std::size_t line = shown.find('\n') + 1;
  const std::size_t caret = shown.find('\n', line) + 1;
  EXPECT_LE(caret - line, 112u);
  EXPECT_EQ(shown.find("bad", line) - line, shown.find('^', caret) - caret);
  EXPECT_EQ(shown.substr(caret).find("^~~"), shown.find('^', caret) - caret);
  EXPECT_EQ(shown.substr(line, 7), "    ...");
  EXPECT_EQ(shown.substr(caret - 4, 3), "...");
  // At both ends of the line only one side is cut.
  EXPECT_EQ(format(at(text, {1, 1, 1}, "no")).find("..."), format(at(text, {1, 1, 1}, "no")).rfind("..."));
  EXPECT_EQ(format(at(text, {1, 5000, 1}, "no")).find("    ...x"), std::string("m.alm:1:5000: no\n").size());
}

TEST(Error, WithoutPlaceSaysMessageAndHint) {
  EXPECT_STREQ(InputError("no such file 'a.alm'", "did you mean 'b.alm'?").what(),
               "no such file 'a.alm'\n    did you mean 'b.alm'?");
  EXPECT_EQ(format(at("x", {0, 0, 1}, "empty model")), "m.alm: empty model");
}

TEST(Error, CarriesAllAndShowsTheFirstFifty) {
  std::vector<Diagnostic> many;
  for (int i = 0; i < 53; ++i) many.push_back(at("x", {1, 1, 1}, "error " + std::to_string(i)));
  const InputError error(many);
  EXPECT_EQ(error.diagnostics().size(), 53u);
  const std::string text = error.what();
  EXPECT_NE(text.find("error 49"), std::string::npos);
  EXPECT_EQ(text.find("error 50"), std::string::npos);
  EXPECT_EQ(text.substr(text.rfind('\n') + 1), "... and 3 more errors");
  EXPECT_THROW(InputError(std::vector<Diagnostic>{}), std::logic_error);
}

TEST(NearestName, FindsTyposAndNothingElse) {
  const std::vector<std::string> names = {"length", "gravity", "m1", "x", "theta"};
  EXPECT_EQ(nearest_name("lenght", names), "length");   // neighbours swapped
  EXPECT_EQ(nearest_name("gravit", names), "gravity");  // one missing
  EXPECT_EQ(nearest_name("thetta", names), "theta");    // one too many
  EXPECT_EQ(nearest_name("m2", names), "m1");
  EXPECT_EQ(nearest_name("X", names), "x");
  EXPECT_EQ(nearest_name("Gravity", {"grovity", "gravity"}), "gravity");  // case counts least
  EXPECT_EQ(nearest_name("y", names), "");
  EXPECT_EQ(nearest_name("zzzzzz", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name(std::string(1000000, 'a'), names), "");
}

TEST(Check, ThrowsOnlyWhenBroken) {
  EXPECT_NO_THROW(check(true, "fine"));
  EXPECT_THROW(check(false, "broken"), std::logic_error);
}

}  // namespace
}  // namespace alembert::internal
