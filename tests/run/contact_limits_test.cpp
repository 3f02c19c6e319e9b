// Where contacts are at the edge of what can be told: accumulations beside other contacts, and many contacts whose
// laws Newton's method does not solve at once.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/program.h"

namespace alembert::internal::apps_test {
namespace {

using LimitsJson = nlohmann::ordered_json;

LimitsJson run_to_limit(const std::string& text) {
  const Folder folder;
  const Outcome outcome = program({"run", folder.write("model.alm", text), "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.code == 0 ? LimitsJson::parse(outcome.out) : LimitsJson();
}

// The last bounces are 1e-12 high: rounding hides the sign of the gap at some places of a step, and the impacts are
// where it changes all the same.
TEST(ContactLimits, TheTimeOfAnAccumulationIsRightToRounding) {
  const double g = 8.4651, e = 0.899, h = 1.8086;
  const LimitsJson report = run_to_limit(
      "coordinate y = 1.8086\nkinetic 1.9867/2*y'^2\npotential 1.9867*8.4651*y\n"
      "contact floor: y >= 0 restitution 0.899\nsolve lobatto(4) step 0.02 end 13\n");
  const auto& close = report["events"].back();
  EXPECT_EQ(close["kind"], "close");
  EXPECT_NEAR(close["t"].get<double>(), std::sqrt(2 * h / g) * (1 + e) / (1 - e), 1e-12);
}

// A ball bounces ever lower on a slope at 45 degrees and slides down to a floor from which it comes back as it came.
// Another one lies beside a wall with nothing that presses: it must not hold the first one on the slope, which is left
// by the impact with the speed along it, turned up.
TEST(ContactLimits, AnAccumulationEndsByItself) {
  const LimitsJson report = run_to_limit(
      "gravity (0, 0, -9.81)\n"
      "body a mass 1.1943 inertia (0.0054796, 0.0054796, 0.0054796) at (-0.6, -0.0367, 0.2308) "
      "velocity (-0.6036, -0.8644, 0) spin (-4.6736, -13.8931, 8.7617)\n"
      "contact floor from a sphere 0.1071 to ground plane restitution 0.5121 friction 0.1798\n"
      "contact wall from a sphere 0.1071 to ground plane axis (1, 0, 0) point (-1, 0, 0)\n"
      "body b mass 2.1001 inertia (0.033, 0.033, 0.033) at (-0.05, -0.0263, 0.1982) velocity (0.5729, -1.8296, 0)\n"
      "contact bounce from b sphere 0.1982 to ground plane restitution 1\n"
      "contact slope from b sphere 0.1982 to ground plane axis (0, 1, 1) point (0, -0.6363961, -0.6363961) "
      "restitution 0.4233\n"
      "solve gauss(3) step 0.002 end 1.1\n");
  const LimitsJson* last = nullptr;
  for (const auto& event : report["events"])
    if (event["name"] == "bounce" && event["kind"] == "impact") last = &event;
  ASSERT_NE(last, nullptr);
  const auto& v = (*last)["v"]["b.r"];
  EXPECT_GT(v[1].get<double>(), 0.5);
  EXPECT_NEAR(v[1].get<double>(), v[2].get<double>(), 1e-9);
  EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-9);
}

// Spheres between rough walls: loads are shared, slips are next to nothing, and one Newton iteration does not find
// who slips and who sticks.
TEST(ContactLimits, SpheresBetweenRoughWalls) {
  const LimitsJson report = run_to_limit(
      "parameter N = 30, R = 0.05, a = 0.3, g = 9.81\nfamily i = 1..N, j = 1..N\ncoordinate r[i][3]\n"
      "kinetic sum(i, norm2(r[i]')/2)\npotential sum(i, g*r[i][3])\n"
      "contact floor: r[i][3] - R >= 0 restitution 0.3 friction 0.3 along r[i][1]', r[i][2]' for i = 1..N\n"
      "contact left: r[i][1] - R >= 0 restitution 0.3 friction 0.3 along r[i][2]', r[i][3]' for i = 1..N\n"
      "contact right: a - R - r[i][1] >= 0 restitution 0.3 friction 0.3 along r[i][2]', r[i][3]' for i = 1..N\n"
      "contact front: r[i][2] - R >= 0 restitution 0.3 friction 0.3 along r[i][1]', r[i][3]' for i = 1..N\n"
      "contact back: a - R - r[i][2] >= 0 restitution 0.3 friction 0.3 along r[i][1]', r[i][3]' for i = 1..N\n"
      "contact pair: norm(r[i] - r[j]) - 2*R >= 0 restitution 0.3 for i = 1..N, j = i+1..N\n"
      "initial r[i] = (a/2 + 0.09*sin(2*i), a/2 + 0.09*cos(2*i), 0.1 + 0.06*i)\nsolve moreau step 0.005 end 0.8\n");
  EXPECT_EQ(report["warnings"][0]["code"], "stepping");
  EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-10);
}

}  // namespace
}  // namespace alembert::internal::apps_test
