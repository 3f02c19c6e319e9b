// Random trees of bodies against an independent rigid-body engine (tests/reference/trees.json): places, turns and
// reactions of joints of every kind.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "apps/program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

using Numbers = std::vector<double>;

double farthest(const Numbers& a, const Numbers& b, double sign = 1) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(sign * a[i] - b[i]));
  return worst;
}

/// Places of the body, its quaternion up to the sign, and its velocity.
double off(const nlohmann::json& report, const std::string& body, const Numbers& expected) {
  const auto part = [&](int from, int to) { return Numbers(expected.begin() + from, expected.begin() + to); };
  const auto& q = report["q"];
  const bool planar = q.contains(body + ".phi");
  const double half = planar ? q[body + ".phi"].get<double>() / 2 : 0;
  const Numbers e = planar ? Numbers{std::cos(half), 0, 0, std::sin(half)} : q[body + ".e"].get<Numbers>();
  const Numbers wanted = part(3, 7);
  const double sign = std::inner_product(e.begin(), e.end(), wanted.begin(), 0.0) < 0 ? -1 : 1;
  return std::max({farthest(q[body + ".r"].get<Numbers>(), part(0, 3)), farthest(e, wanted, sign),
                   farthest(report["v"][body + ".r"].get<Numbers>(), part(7, 10))});
}

TEST(TreesReference, AllBodiesAndReactionsAgree) {
  constexpr double tolerance = 3e-11;  // ten times what the references are good for
  const Folder folder;
  const auto reference = nlohmann::json::parse(file_text(std::string(source_folder()) + "/tests/reference/trees.json"));
  for (const auto& tree : reference["trees"]) {
    const std::string which = tree["id"];
    const std::string path = folder.write("tree.alm", tree["model"].get<std::string>());
    const Outcome outcome =
        program({"run", path, "-m", "gauss(4)", "--step", "0.01", "--end", tree["t"].dump(), "--json"});
    ASSERT_EQ(outcome.code, 0) << which << "\n" << outcome.err;
    const auto report = nlohmann::json::parse(outcome.out);
    for (std::size_t i = 0; i < tree["expected"].size(); ++i)
      EXPECT_LT(off(report, "b" + std::to_string(i), tree["expected"][i]), tolerance) << which << " body " << i;
    for (const auto& reaction : tree["reactions"]) {
      const auto& joint = report["joints"]["j" + std::to_string(reaction[0].get<int>())];
      const Numbers value = joint[reaction[1].get<std::string>()], direction = reaction[2];
      const double got = std::inner_product(value.begin(), value.end(), direction.begin(), 0.0);
      const double wanted = reaction[3];
      EXPECT_LT(std::abs(got - wanted) / std::max(1.0, std::abs(wanted)), tolerance) << which << " " << reaction;
    }
    EXPECT_TRUE(report["warnings"].empty()) << which << " " << report["warnings"];
  }
}

}  // namespace
}  // namespace alembert::internal::apps_test
