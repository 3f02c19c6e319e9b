// Changes of contacts as events: what they set, and where they stop a run.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/program.h"

namespace alembert::internal::apps_test {
namespace {

using ChangeJson = nlohmann::ordered_json;

ChangeJson changed_run(const std::string& text, const std::vector<std::string>& more = {}, int code = 0) {
  const Folder folder;
  std::vector<std::string> words = {"run", folder.write("model.alm", text), "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = program(words);
  EXPECT_EQ(outcome.code, code) << outcome.err;
  return ChangeJson::parse(outcome.out);
}

double real(const ChangeJson& value) { return value.get<double>(); }

const std::string bouncing =
    "parameter e = 0.8, n = 0, closed = 0, g = 9.81\ncoordinate y = 1\nkinetic y'^2/2\npotential g*y\n"
    "contact floor: y >= 0 restitution e\nwhen floor: n = n + 1\nwhen floor.close: closed = n\n"
    "observe n: n\nobserve closed: closed\n";

TEST(ContactChanges, ImpactsAreCountedAndStopARun) {
  const ChangeJson report = changed_run(bouncing + "stop after 5 floor\nsolve gauss(2) step 0.01 end 9\n");
  const double fall = std::sqrt(2 / 9.81), e = 0.8;
  EXPECT_NEAR(real(report["t"]), fall * (1 + 2 * e * (1 - std::pow(e, 4)) / (1 - e)), 1e-12);
  EXPECT_EQ(report["stopped"], "floor");
  EXPECT_EQ(real(report["observed"]["n"]["final"]), 5);
  EXPECT_NEAR(real(report["v"]["y"]), 9.81 * fall * std::pow(e, 5), 1e-12) << "behind the impact";
  const ChangeJson rests = changed_run(bouncing + "solve gauss(2) step 0.01 end 5\n");
  EXPECT_EQ(rests["observed"]["closed"]["final"], rests["contacts"]["floor"]["impacts"]);
}

TEST(ContactChanges, TimeSteppingCountsThemToo) {
  for (const char* method : {"moreau", "nonsmooth_rattle", "true_euler", "true_euler_adjoint"}) {
    const ChangeJson report =
        changed_run(bouncing + "stop after 3 floor\nsolve gauss(2) step 0.001 end 9\n", {"--method", method});
    EXPECT_NEAR(real(report["t"]), std::sqrt(2 / 9.81) * (1 + 2 * 0.8 + 2 * 0.64), 0.01) << method;
    EXPECT_EQ(report["stopped"], "floor") << method;
    EXPECT_EQ(real(report["observed"]["n"]["final"]), 3) << method;
  }
}

// A carriage is driven to and fro between two stops, and thrown off by one of them.
TEST(ContactChanges, WhatTheySetActsBehindTheImpactAndIsInTheBooks) {
  const std::string carriage =
      "parameter drive = 2\ncoordinate x\nkinetic x'^2/2\nforce x = drive\n"
      "contact right: 1 - x >= 0 restitution 0.5\ncontact left: x + 1 >= 0 restitution 0.5\n"
      "when right: drive = -2\nwhen left: drive = 2, x' = 3\nstop after 2 left\n";
  const ChangeJson report = changed_run(carriage + "solve gauss(3) step 0.01 end 50\n");
  // x'^2: 4 at the right stop, 1 behind it; 9 at the left one, 9 behind it; 17 and 17/4; 49/4, and 9.
  const double t = 1 + (3 - 1) / 2.0 + (std::sqrt(17) - 3) / 2 + (3.5 - std::sqrt(17) / 2) / 2;
  EXPECT_NEAR(real(report["t"]), t, 1e-12);
  EXPECT_NEAR(real(report["v"]["x"]), 3, 1e-12);
  EXPECT_NEAR(real(report["events"].back()["v"]["x"]), 3, 1e-12);
  EXPECT_NEAR(real(report["contacts"]["right"]["dissipated"]), 3.0 / 8 * (4 + 17), 1e-12);
  EXPECT_NEAR(real(report["contacts"]["left"]["dissipated"]), 3.0 / 8 * (9 + 49 / 4.0), 1e-12);
  EXPECT_LT(real(report["energy"]["max_error"]), 1e-12);
  const ChangeJson steps = changed_run(carriage + "solve moreau step 0.0005 end 50\n");
  EXPECT_NEAR(real(steps["t"]), t, 5e-3);
  EXPECT_LT(real(steps["energy"]["max_error"]), 0.01) << "what the drive does in the steps of impacts has order 1";
}

// A friction that is switched where the block has stopped lets it go again, and does not act twice at that moment.
TEST(ContactChanges, OfFrictionAndOfFamilies) {
  const ChangeJson report = changed_run(
      "parameter mu = 0.8, stops = 0\nfamily i = 1..2\ncoordinate x[i], y[i]\n"
      "kinetic sum(i, (x[i]'^2 + y[i]'^2)/2)\npotential sum(i, 9.81*y[i])\nforce x[i] = -3 for i = 1..2\n"
      "contact floor: y[i] >= 0 friction mu along x[i]' for i = 1..2\ninitial x[1]' = 2, x[2]' = 4\n"
      "when floor[1].stick: mu = 0.2, stops = stops + 1\nobserve stops: stops\nstop after 2 floor.reverse\n"
      "solve gauss(2) step 0.01 end 3\n");
  EXPECT_EQ(real(report["observed"]["stops"]["final"]), 1);
  // The first stops with 3 + 0.8 g, and slips back with 3 - 0.2 g; the second slows with 3 + 0.2 g from then on.
  const double first = 2 / (3 + 0.8 * 9.81), second = first + (4 - 2) / (3 + 0.2 * 9.81);
  ASSERT_EQ(report["events"][0]["kind"], "stick");
  EXPECT_NEAR(real(report["events"][0]["t"]), first, 1e-12);
  EXPECT_NEAR(real(report["events"][1]["t"]), first, 1e-12);
  EXPECT_EQ(report["events"][1]["kind"], "slip");
  EXPECT_EQ(report["events"][2]["kind"], "reverse");
  EXPECT_NEAR(real(report["events"][2]["t"]), second, 1e-11);
  EXPECT_TRUE(report["stopped"].is_null()) << "one of them reversed only";
}

TEST(ContactChanges, WhatLiesInsideIsSaid) {
  const std::string model =
      "coordinate y = 1\nkinetic y'^2/2\npotential y\ncontact floor: y >= 0 restitution 0.5\n"
      "contact roof: 2 - y >= 0\n";
  const std::string solve = "solve gauss(2) step 0.01 end 3\n";
  for (const char* when : {"when floor: y = 3\n", "when t = 1: y = 3\n"}) {
    const ChangeJson report = changed_run(model + when + solve, {}, 1);
    EXPECT_NE(report["reason"].get<std::string>().find("lies inside the contact 'roof', by 1"), std::string::npos)
        << report["reason"];
  }
}

}  // namespace
}  // namespace alembert::internal::apps_test
