// Mechanisms as one writes them in the language, each by second equations in as few coordinates as it has freedoms
// (tests/reference/natural.json): a platform on six servos, a walker of assemblies, a bearing that rubs by its own
// reaction, stops, thirty links as a family.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

using Numbers = std::vector<double>;

TEST(NaturalReference, AllMechanismsAgree) {
  const Folder folder;
  const std::string root = source_folder();
  const auto reference = nlohmann::json::parse(file_text(root + "/tests/reference/natural.json"));
  ASSERT_EQ(reference["entries"].size(), 5u);
  for (const auto& entry : reference["entries"]) {
    const std::string which = entry["id"];
    for (const auto& name : entry["files"])
      folder.write(name, file_text(root + "/models/components/" + name.get<std::string>()));
    const Outcome outcome = program({"run", folder.write("model.alm", entry["model"].get<std::string>()), "--json"});
    ASSERT_EQ(outcome.code, 0) << which << "\n" << outcome.err;
    const auto report = nlohmann::json::parse(outcome.out);
    EXPECT_TRUE(report["warnings"].empty()) << which << " " << report["warnings"];
    const double tolerance = 10 * std::pow(10, -entry["digits"].get<int>());
    for (const auto& [name, value] : entry["expect"].items()) {
      Numbers got;
      if (name == "times")
        for (const auto& event : report["events"]) got.push_back(event["t"]);
      else if (const auto& end = report["observed"][name]["final"]; end.is_array()) got = end.get<Numbers>();
      else got = {end.get<double>()};
      const Numbers wanted = value;
      ASSERT_EQ(got.size(), wanted.size()) << which << " " << name;
      for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], wanted[i], tolerance * std::max(1.0, std::abs(wanted[i]))) << which << " " << name;
    }
  }
}

}  // namespace
}  // namespace alembert::internal::apps_test
