// The statements event, stop and density: what they mean, how they print, and every mistake in them.

#include <gtest/gtest.h>

#include "alembert/derive/equations.h"
#include "support.h"

namespace alembert::internal::test {
namespace {

#define EVENT_FRAME "parameter l = 2\nparameter other = 1\ncoordinate x, q[3]\nkinetic x'^2 + norm2(q')\n"

std::string parsed(const std::string& text) { return print(parse(std::make_shared<Source>(Source{"a.alm", text}))); }

TEST(EventStatements, ReadAndPrintedBack) {
  const std::string text =
      "event bottom: x = 0\nevent q[i] = x for i = 1..3\nstop when x + 1 = q[2]\nstop when q[i] = 2 for i = 1..3\n"
      "density norm(q)^(-3/2)\n";
  EXPECT_EQ(parsed(text), text);
}

TEST(EventStatements, BecomeDifferencesWithNames) {
  const Model model = model_of(EVENT_FRAME
                               "constraint rod(pull): x = l*q[1]\n"
                               "event bottom: x' = l*t\nevent x = 1\nevent low: q[i] = x for i = 2..3\n"
                               "event slack: pull = 0\nstop when x = 3\nstop when q[1] = 3\ndensity x^2\n");
  std::vector<std::string> names;
  for (const Event& event : model.events) names.push_back(event.name);
  EXPECT_EQ(names, (std::vector<std::string>{"bottom", "event 2", "low[2]", "low[3]", "slack", "stop", "stop 2"}));
  for (const Event& event : model.events) EXPECT_EQ(event.stop, event.name.starts_with("stop")) << event.name;
  const Equations e = derive(model);
  ASSERT_EQ(e.events.size(), 7u);
  Numbers numbers;
  numbers.set(e.t, 5);
  numbers.set(e.y, {7, 1, 2, 3});
  numbers.set(e.z, {11, 0, 0, 0});
  numbers.set(e.lambda, {13});
  EXPECT_EQ(numbers(e.events[0]), 1);
  EXPECT_EQ(numbers(e.events[1]), 6);
  EXPECT_EQ(numbers(e.events[3]), -4);
  EXPECT_EQ(numbers(e.events[4]), 13);
  EXPECT_EQ(numbers(e.density), 49);
}

TEST(EventStatements, AFamilyMayBeWrittenWithItsIndex) {
  const Model model = model_of(EVENT_FRAME
                               "event low[i]: q[i] = x for i = 2..3\nevent high[i]: q[i] = 4 for i = 1..3\n"
                               "when high[i]: q[i]' = 0 for i = 1..3\n");
  std::vector<std::string> names;
  for (const Event& event : model.events) names.push_back(event.name);
  EXPECT_EQ(names, (std::vector<std::string>{"low[2]", "low[3]", "high[1]", "high[2]", "high[3]"}));
  for (std::size_t i = 2; i < 5; ++i) {
    ASSERT_EQ(model.events[i].actions.size(), 1u);
    EXPECT_EQ(model.events[i].actions[0].name, "q[" + std::to_string(i - 1) + "]'");
  }
}

struct Wrong {
  const char* text;
  int line, column;
  const char* message;
  const char* hint;
};

/// All that is said of a text, as a user reads it.
std::string said_of(const std::string& text) {
  try {
    model_of(text);
  } catch (const InputError& error) { return error.what(); }
  return "";
}

TEST(EventStatements, WhatABrokenContactWouldHaveMadeIsNotMissed) {
  const std::string said =
      said_of(EVENT_FRAME "contact cam: x - loor(x) >= 0\nwhen cam: x' = 1\nobserve push: cam.force\n");
  EXPECT_NE(said.find("unknown function 'loor'"), std::string::npos) << said;
  EXPECT_EQ(said.find("cam.force'"), std::string::npos) << said;
  EXPECT_EQ(said.find("no event"), std::string::npos) << said;
}

TEST(EventStatements, NamesInABrokenEventDeclareNothing) {
  const std::string said = said_of(EVENT_FRAME "event low: x = lw +\nwhen lw: x' = 1\nwhen low: x' = 2\n");
  EXPECT_NE(said.find("there is no event 'lw'"), std::string::npos) << said;
  EXPECT_EQ(said.find("no event 'low'"), std::string::npos) << said;
}

TEST(EventStatements, MistakesAreShownWhereTheyStand) {
  for (const Wrong& wrong : {
           Wrong{EVENT_FRAME "event bottom: x", 5, 16, "expected '=', found the end of the line",
                 "as in: event bottom: x = 0"},
           Wrong{EVENT_FRAME "event bottom(pull): x = 0", 5, 7, "what stands before ':' must be a name",
                 "as in: event bottom: x = 0"},
           Wrong{EVENT_FRAME "event bottom: xx = 0", 5, 15, "unknown name 'xx'",
                 "did you mean 'x' (coordinate, line 3)?"},
           Wrong{EVENT_FRAME "event bottom: q = 0", 5, 15, "each side of 'bottom' must be a scalar, not a vector of 3",
                 ""},
           Wrong{EVENT_FRAME "event bottom: l = 2", 5, 15, "the two sides of 'bottom' never change",
                 "an event compares coordinates, velocities, multipliers or the time t"},
           Wrong{EVENT_FRAME "event a: x = 0\nevent a: x = 1", 6, 7, "there are two events 'a'",
                 "the first is in line 5"},
           Wrong{EVENT_FRAME "event stop: x = 0", 5, 7, "an event cannot be called 'stop'",
                 "to end the run there write: stop when ..."},
           Wrong{EVENT_FRAME "stop x = 0", 5, 6, "expected 'when' or 'after', found 'x'",
                 "as in: stop when norm2(q) = r^2"},
           Wrong{EVENT_FRAME "stop when", 5, 10, "expected an expression, found the end of the line",
                 "as in: stop when norm2(q) = r^2"},
           Wrong{EVENT_FRAME "density q", 5, 9, "the density of steps must be a scalar, not a vector of 3", ""},
           Wrong{EVENT_FRAME "density x\ndensity x", 6, 1, "there are two densities", "the first is in line 5"},
           Wrong{EVENT_FRAME "constraint a(pull): x = 1\ndensity pull", 6, 9,
                 "the density of steps contains a multiplier", "it is a function of the state"},
       }) {
    const std::string text = wrong.text;
    const std::vector<Diagnostic> errors = errors_of(text);
    ASSERT_FALSE(errors.empty()) << text;
    EXPECT_EQ(errors.size(), 1u) << text;
    EXPECT_EQ(errors[0].message, wrong.message) << text;
    EXPECT_EQ(errors[0].hint, wrong.hint) << text;
    EXPECT_EQ(errors[0].place.line, wrong.line) << text;
    EXPECT_EQ(errors[0].place.column, wrong.column) << text;
  }
}

}  // namespace
}  // namespace alembert::internal::test
