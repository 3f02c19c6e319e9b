#include "alembert/derive/show.h"

#include <gtest/gtest.h>

#include <sstream>

#include "../model/support.h"
#include "alembert/text/syntax.h"

namespace alembert::internal::test {
namespace {

std::string shown(const char* text, ShowOptions options = {}) {
  const Model m = model_of(text);
  return show(m, derive(m, {.symbolic_parameters = true}), options);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Show, SectionsWithTheUsersNames) {
  const std::string text = shown(double_pendulum);
  for (const char* part :
       {"Double pendulum, Lagrangian form: 4 coordinates, 2 holonomic constraints, 0 nonholonomic constraints",
        "\ny' = v\n", "\np\n", "\ng\n", "\ng_t + g_y v\n", "\nenergy\n", "\nreduced system", "lambda_rod1", "x1''",
        "# rod2", "gravity"})
    EXPECT_TRUE(has(text, part)) << part << "\nin\n" << text;
  EXPECT_FALSE(has(text, "\nk\n"));
  EXPECT_FALSE(has(text, "9.81"));  // parameters keep their names
}

TEST(Show, EveryRightSideParsesBack) {
  for (const char* model : {double_pendulum, nonholonomic_particle, four_particles, steel_on_teflon, chain}) {
    std::istringstream lines(shown(model));
    int equations = 0;
    for (std::string line; std::getline(lines, line);) {
      const std::size_t equal = line.find(" = ");
      if (line.rfind("  ", 0) != 0 || equal == std::string::npos || has(line, "themselves")) continue;
      std::string right = line.substr(equal + 3);
      right = right.substr(0, right.find("    #"));
      // Accelerations are the one thing that the language does not write.
      for (std::size_t at; (at = right.find("''")) != std::string::npos;) right.erase(at, 1);
      EXPECT_NO_THROW(parse_term(std::make_shared<const Source>(Source{"line", right}))) << line;
      ++equations;
    }
    EXPECT_GT(equations, 5);
  }
}

TEST(Show, LatexIsBalanced) {
  const std::string text = shown(four_particles, {.latex = true});
  EXPECT_TRUE(has(text, "\\begin{align*}"));
  EXPECT_TRUE(has(text, "\\paragraph{$g_t + g_y v$}"));
  EXPECT_TRUE(has(text, "\\dot{p}"));
  int braces = 0, left = 0, environments = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' && text[i - 1] != '\\') ++braces;
    if (text[i] == '}' && text[i - 1] != '\\') --braces;
    if (text.compare(i, 6, "\\left(") == 0) ++left;
    if (text.compare(i, 7, "\\right)") == 0) --left;
    if (text.compare(i, 7, "\\begin{") == 0) ++environments;
    if (text.compare(i, 5, "\\end{") == 0) --environments;
    ASSERT_GE(braces, 0);
  }
  EXPECT_EQ(braces, 0);
  EXPECT_EQ(left, 0);
  EXPECT_EQ(environments, 0);
}

TEST(Show, WhatIsTooLongIsCutAndCounted) {
  const std::string text = shown(chain, {.rows = 4, .length = 100});
  EXPECT_TRUE(has(text, "... and 11 more equations"));
  EXPECT_TRUE(has(text, "... and 1 more equation\n"));
  EXPECT_TRUE(has(text, " operations, left out)"));
  // Shared parts written out would be of size 2^60.
  std::string tower = "coordinate x\nkinetic x'^2/2\nlet a0 = sin(x)\n";
  for (int i = 1; i <= 60; ++i)
    tower += "let a" + std::to_string(i) + " = a" + std::to_string(i - 1) + "*cos(a" + std::to_string(i - 1) + ")\n";
  EXPECT_TRUE(has(shown((tower + "potential a60\n").c_str()), "1000000 operations or more, left out"));
}

}  // namespace
}  // namespace alembert::internal::test
