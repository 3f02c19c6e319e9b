// Models with conditions, tables, first-order states, events that act, motors and families against values from two
// independent ways each (tests/reference/hybrid.json).

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

using Json = nlohmann::ordered_json;

double number(const Json& value) {
  return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
}

/// The largest difference; lists and objects are gone through.
double difference(const Json& got, const Json& expected) {
  double worst = 0;
  if (expected.is_object()) {
    for (const auto& [key, value] : expected.items()) worst = std::max(worst, difference(got.at(key), value));
  } else if (expected.is_array()) {
    for (std::size_t i = 0; i < expected.size(); ++i) worst = std::max(worst, difference(got.at(i), expected[i]));
  } else {
    worst = std::abs(number(got) - number(expected)) / std::max(1.0, std::abs(number(expected)));
  }
  return worst;
}

void compare(const Json& entry, const Json& report, const std::string& which) {
  constexpr double tolerance = 1e-9;
  for (const auto& [key, expected] : entry["expect"].items()) {
    if (key == "events") {
      ASSERT_EQ(report["events"].size(), expected.size()) << which;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(report["events"][i]["name"], expected[i][0]) << which;
        EXPECT_LT(difference(report["events"][i]["t"], expected[i][1]), tolerance) << which;
      }
    } else if (key == "observed") {
      for (const auto& [name, value] : expected.items())
        EXPECT_LT(difference(report["observed"][name]["final"], value), tolerance) << which << " " << name;
    } else {
      EXPECT_LT(difference(report[key], expected), tolerance) << which << " " << key;
    }
  }
  // Kinks are located, and nothing is said against the run.
  if (entry.contains("switches")) { EXPECT_EQ(report["statistics"]["kinks"], entry["switches"].size()) << which; }
  EXPECT_TRUE(report["warnings"].empty()) << which << " " << report["warnings"];
}

TEST(HybridReference, AllModelsAgree) {
  const Folder folder;
  const Json reference = Json::parse(file_text(std::string(source_folder()) + "/tests/reference/hybrid.json"));
  for (const Json& entry : reference["entries"]) {
    for (const auto& [name, text] : entry["files"].items()) folder.write(name, text.get<std::string>());
    for (const auto& [variant, text] : entry["models"].items()) {
      const std::string which = entry["id"].get<std::string>() + " " + variant;
      const Outcome outcome = program({"run", folder.write("model.alm", text.get<std::string>()), "--json"});
      ASSERT_EQ(outcome.code, 0) << which << "\n" << outcome.err;
      compare(entry, Json::parse(outcome.out), which);
    }
  }
}

}  // namespace
}  // namespace alembert::internal::apps_test
