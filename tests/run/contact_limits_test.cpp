// Where contacts are at the edge of what can be told: accumulations beside other contacts, and many contacts whose
// laws Newton's method does not solve at once.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/program.h"
#include "source_folder.h"

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
  for (const auto& warning : report["warnings"])
    EXPECT_TRUE(warning["code"] == "accuracy" || warning["code"] == "contact_laws") << warning["text"];
  EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-10);
}

// A contact opens where its force comes to 0: there its rate is 0 and its acceleration too, but for rounding, which
// must neither close it again nor take it for the last of its bounces. Whether it did was a matter of the step.
TEST(ContactLimits, WhatOpensStaysOpenWithAnyStep) {
  const std::string model = source_folder() + "/models/woodpecker.alm";
  const double y = -0.0626104861;  // by gauss(4) and lobatto(4) with steps of 1e-4 and 7e-5, all the same
  for (const char* step : {"1.01e-4", "3.7e-4", "5e-4", "7e-4"}) {
    const Outcome outcome = program({"run", model, "--step", step, "--json"});
    ASSERT_EQ(outcome.code, 0) << step << ": " << outcome.err;
    const LimitsJson report = LimitsJson::parse(outcome.out);
    EXPECT_NEAR(report["q"]["y"].get<double>(), y, 2e-8) << step;
    const auto& events = report["events"];
    for (std::size_t i = 1; i < events.size(); ++i)
      EXPECT_FALSE(events[i]["kind"] == "close" && events[i - 1]["kind"] == "open" &&
                   events[i]["name"] == events[i - 1]["name"] && events[i]["t"] == events[i - 1]["t"])
          << step << ": " << events[i].dump();
  }
}

// One disc lies on another, which the last of its bounces sets on the floor: it must come down with it. It fell into
// it.
TEST(ContactLimits, WhatLiesOnWhatComesToRestDoesSoToo) {
  const std::string discs =
      "body b0 planar mass 1.0030547017292037 inertia 0.005047219319295535 at (0.015289770339892664, "
      "0.11540487131916494) velocity (-1.210002026222306, 0.0) spin -0.09445408365916563\n"
      "body b1 planar mass 0.6975881876122958 inertia 0.008387888103234098 at (0.5419448752591733, "
      "0.14317254570541715) velocity (0.6931070393000405, 0.0) spin -3.1814085431271932\n"
      "body b2 planar mass 1.0107017814931845 inertia 0.011698864386632122 at (0.9596712882550736, "
      "0.2794419635836541) velocity (-0.011480769852303396, -0.9766297248404355) spin 9.595676410941177\n"
      "gravity (1.7560875938735145, -9.651541657302399)\n"
      "contact c0 from b0 sphere 0.11540487131916494 to ground plane axis (0, 1) restitution 0.4044662289208589 "
      "friction 0.04719695072044681\n"
      "contact c1 from b1 sphere 0.14317254570541715 to ground plane axis (0, 1) friction 0.04416893934519128\n"
      "contact c2 from b2 sphere 0.12521485579515995 to ground plane axis (0, 1) restitution 0.5459281984433451 "
      "friction 0.1763762049115143\n"
      "contact c3 from b1 sphere 0.14317254570541715 to b0 sphere 0.11540487131916494 friction 0.2729305614946264\n"
      "contact c4 from b2 sphere 0.12521485579515995 to b0 sphere 0.11540487131916494 friction 0.16148326320547873\n"
      "contact c5 from b2 sphere 0.12521485579515995 to b1 sphere 0.14317254570541715 friction 0.13232239997427103\n";
  const LimitsJson coarse = run_to_limit(discs + "solve gauss(3) step 0.002 end 0.6\n"),
                   fine = run_to_limit(discs + "solve gauss(3) step 0.00137 end 0.6\n"),
                   stepped = run_to_limit(discs + "solve moreau step 2e-4 end 0.6\n");
  for (const char* name : {"b0.r", "b1.r", "b2.r"})
    for (int k = 0; k < 2; ++k) {
      EXPECT_NEAR(coarse["q"][name][k].get<double>(), fine["q"][name][k].get<double>(), 1e-7) << name;
      EXPECT_NEAR(coarse["q"][name][k].get<double>(), stepped["q"][name][k].get<double>(), 5e-4) << name;
    }
}

}  // namespace
}  // namespace alembert::internal::apps_test
