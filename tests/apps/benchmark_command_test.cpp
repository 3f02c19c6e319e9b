// alembert benchmark, as a user meets it.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/program.h"

namespace alembert::internal::apps_test {
namespace {

TEST(BenchmarkCommand, PrintsTextJsonAndMarkdown) {
  const Outcome text = program({"benchmark", "pendulum"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.err, "");
  EXPECT_NE(text.out.find("digits of the reference reached"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("best for"), std::string::npos);

  const Outcome json = program({"benchmark", "car_axis", "--json"});
  EXPECT_EQ(json.code, 0) << json.err;
  const auto made = nlohmann::json::parse(json.out);
  EXPECT_TRUE(made["passed"].get<bool>());
  const auto& car = made["benchmarks"][0];
  EXPECT_TRUE(car["ahead"].get<bool>());
  EXPECT_EQ(car["published"].size(), 21u);
  for (const auto& row : car["published"])
    EXPECT_LT(row["our_steps"].get<long>(), row["steps"].get<long>()) << row["solver"];
  for (const auto& row : car["runs"]) EXPECT_GT(row["evaluations"].get<long>(), row["steps"].get<long>());

  const Outcome page = program({"benchmark", "pendulum", "--markdown"});
  EXPECT_EQ(page.out.find("# Benchmarks\n"), 0u);
  EXPECT_NE(page.out.find("| gauss(4) | equal |"), std::string::npos);
}

TEST(BenchmarkCommand, WrongInputEndsWithTwo) {
  const Outcome unknown = program({"benchmark", "andrew"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("did you mean 'andrews'?"), std::string::npos) << unknown.err;
  EXPECT_EQ(program({"benchmark", "pendulum", "--json", "--markdown"}).code, 2);
}

}  // namespace
}  // namespace alembert::internal::apps_test
