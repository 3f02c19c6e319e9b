// Kinks of drives, tables, gaps, slips and forces while a contact is closed, against motions by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/program.h"

namespace alembert::internal::apps_test {
namespace {

using KinksJson = nlohmann::ordered_json;

constexpr double g = 9.81;

KinksJson run_kinks(const std::string& text, const std::vector<std::string>& more = {}) {
  const Folder folder;
  std::vector<std::string> arguments{"run", folder.write("model.alm", text), "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = program(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.code == 0 ? KinksJson::parse(outcome.out) : KinksJson();
}

double q_of(const KinksJson& report, const char* name) { return report.at("q").at(name).get<double>(); }
double v_of(const KinksJson& report, const char* name) { return report.at("v").at(name).get<double>(); }

const std::string coordinates = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n";

// The drive stops the platform by an impulse of its own; the ball on it cannot be pulled and flies on.
TEST(ContactKinks, ADriveThatStopsDoesNotHoldWhatLiesOnIt) {
  const KinksJson report = run_kinks(
      "table lift(s) = (0, 0), (1, 0.5), (2, 0.5) linear\ncoordinate p, y = 0.1\ninitial y' = 0.5\n"
      "kinetic p'^2/2 + y'^2/2\npotential 9.81*(p + y)\nconstraint drive: p = lift(t)\n"
      "contact c: y - 0.1 - p >= 0\nsolve gauss(3) step 0.01 end 1.02\n");
  EXPECT_NEAR(q_of(report, "y"), 0.6 + 0.5 * 0.02 - g / 2 * 0.02 * 0.02, 1e-10);
  EXPECT_NEAR(v_of(report, "y"), 0.5 - g * 0.02, 1e-9);
  EXPECT_EQ(report["contacts"]["c"]["state"], "open");
  EXPECT_EQ(report["events"][0]["kind"], "open");
  EXPECT_NEAR(report["events"][0]["t"].get<double>(), 1, 1e-11);
  EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-9);
}

// The same of bodies: only the platform is stopped.
TEST(ContactKinks, ABodyOnAPlatformThatStopsFliesOn) {
  const KinksJson report = run_kinks(
      "table lift(s) = (0, 0), (1, 0.5), (2, 0.5) linear\nbody pl planar mass 1 inertia 1\n"
      "body bl planar mass 1 inertia 1 at (0, 0.1) velocity (0, 0.5)\ngravity (0, -9.81)\n"
      "joint prismatic gd from ground axis (0, 1) to pl\njoint prismatic g2 from ground axis (0, 1) to bl\n"
      "drive d joint gd distance lift(t)\ncontact c from bl sphere 0.1 to pl plane axis (0, 1) restitution 0\n"
      "observe gap: c.gap\nsolve gauss(3) step 0.01 end 1.02\n");
  EXPECT_NEAR(report["observed"]["gap"]["final"].get<double>(), 0.5 * 0.02 - g / 2 * 0.02 * 0.02, 1e-10);
}

// A drive that starts hits what lies on it, with the restitution of the contact (0.041 later it comes down again); a
// surface that is part of the gap does the same. The account says what the drive did.
TEST(ContactKinks, ADriveThatStartsHitsWhatLiesOnIt) {
  const std::string head = "table lift(s) = (0, 0), (1, 0), (2, 0.5), (3, 1) linear\n";
  const std::string end = "solve gauss(3) step 0.01 end 1.03\n";
  const KinksJson driven = run_kinks(head +
                                     "coordinate p, y\nkinetic p'^2/2 + y'^2/2\npotential 9.81*(p + y)\n"
                                     "constraint drive: p = lift(t)\ncontact c: y - p >= 0 restitution 0.4\n" +
                                     end);
  const KinksJson given = run_kinks(
      head + "coordinate y\nkinetic y'^2/2\npotential 9.81*y\ncontact c: y - lift(t) >= 0 restitution 0.4\n" + end);
  for (const KinksJson& report : {driven, given}) {
    EXPECT_EQ(report["contacts"]["c"]["impacts"], 1);
    EXPECT_NEAR(v_of(report, "y"), 0.5 * 1.4 - g * 0.03, 1e-9);
    EXPECT_NEAR(q_of(report, "y"), 0.7 * 0.03 - g / 2 * 0.03 * 0.03, 1e-10);
    EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-9);
  }
}

// A belt that stops, written in three ways, lets the box slide on; friction brakes it.
TEST(ContactKinks, ABeltThatStopsLetsTheBoxSlide) {
  const std::string belt = "table belt(s) = (0, 0), (1, 0.5), (2, 0.5) linear\n";
  const std::string end = "initial x' = 0.5\nsolve gauss(3) step 0.01 end 1.1\n";
  for (const std::string& text :
       {coordinates + "contact c: y >= 0 friction 0.3 along x' - if(t < 1, 0.5, 0)\n" + end,
        coordinates + "contact c: y >= 0 friction 0.3 along x' - if(t <= 1, 0.5, 0)\n" + end,
        belt +
            "coordinate p, x, y\nkinetic (p'^2 + x'^2 + y'^2)/2\npotential 9.81*y\nconstraint drive: p = belt(t)\n"
            "contact c: y >= 0 friction 0.3 along x' - p'\n" +
            end}) {
    const KinksJson report = run_kinks(text);
    EXPECT_NEAR(v_of(report, "x"), 0.5 - 0.3 * g * 0.1, 1e-9) << text;
    EXPECT_NEAR(q_of(report, "x"), 0.55 - 0.3 * g / 2 * 0.01, 1e-10) << text;
    EXPECT_EQ(report["contacts"]["c"]["state"], "sliding");
    EXPECT_EQ(report["warnings"].dump().find("a constraint has a kink") == std::string::npos,
              text.find("drive:") == std::string::npos);
  }
}

// What sticks in a joint slides on where the drive beside it stops.
TEST(ContactKinks, FrictionInAJointSlidesBehindAKink) {
  const KinksJson report = run_kinks(
      "table drv(s) = (0, 0), (1, 0.5), (3, 0.5) linear\nbody cart planar mass 3 inertia 1 velocity (0.5, 0)\n"
      "body bl planar mass 1 inertia 1 velocity (0.5, 0)\ngravity (0, -9.81)\n"
      "joint prismatic g from ground axis (1, 0) to cart\njoint prismatic s from cart axis (1, 0) to bl friction 0.2\n"
      "drive d joint g distance drv(t)\nobserve x: s.distance\nsolve gauss(3) step 0.01 end 1.2\n");
  EXPECT_NEAR(report["observed"]["x"]["final"].get<double>(), 0.5 * 0.2 - 0.2 * g / 2 * 0.04, 1e-9);
}

// The speed of the belt has a kink: what it asks for behind it decides between sticking and sliding.
TEST(ContactKinks, ABeltThatBrakesHardLeavesTheBoxBehind) {
  const double a = 0.15 * g, stick = 1 / a;
  const KinksJson report =
      run_kinks("table v(s) = (0, 0), (0.5, 1), (1, 1), (1.2, -0.5), (3, -0.5) linear\n" + coordinates +
                "contact c: y >= 0 friction 0.15 along x' - v(t)\n"
                "solve gauss(3) step 0.01 end 2\n");
  EXPECT_NEAR(v_of(report, "x"), 1 - a, 1e-9);
  EXPECT_NEAR(q_of(report, "x"), a / 2 * stick * stick + (1 - stick) + 1 - a / 2, 1e-9);
}

// A ramp of a linear table under a follower that is drawn along: its foot is an impact, with restitution; at its top
// the follower flies.
TEST(ContactKinks, CornersOfALinearTableAreImpactsAndJumps) {
  const std::string text =
      "table gr(x) = (0, 0), (1, 0), (2, 0.5), (3, 0.5) linear\ncoordinate x = 0.2, y\nkinetic (x'^2 + y'^2)/2\n"
      "potential 9.81*y\nconstraint drive: x = 0.2 + t\ncontact f: y - gr(x) >= 0 restitution ";
  const KinksJson plastic = run_kinks(text + "0\nsolve gauss(3) step 0.01 end 1.85\n");
  EXPECT_EQ(plastic["contacts"]["f"]["impacts"], 1);
  EXPECT_NEAR(plastic["events"][0]["t"].get<double>(), 0.8, 1e-11);
  EXPECT_NEAR(q_of(plastic, "y"), 0.5 + 0.5 * 0.05 - g / 2 * 0.05 * 0.05, 1e-9);
  EXPECT_LT(plastic["energy"]["max_error"].get<double>(), 1e-9);
  const KinksJson landed = run_kinks(text + "0\nsolve gauss(3) step 0.01 end 2.6\n");
  EXPECT_NEAR(landed["events"].back()["t"].get<double>(), 1.8 + 1 / g, 1e-9);
  EXPECT_NEAR(q_of(landed, "y"), 0.5, 1e-12);
  const KinksJson bounced = run_kinks(text + "0.5\nsolve gauss(3) step 0.01 end 0.84\n");
  EXPECT_EQ(bounced["contacts"]["f"]["impacts"], 1);
  EXPECT_NEAR(v_of(bounced, "y"), 0.75 - g * 0.04, 1e-9);
}

// What slides over an edge keeps its velocity and falls.
TEST(ContactKinks, OverAnEdgeThereIsAFlight) {
  for (const char* gap : {"y - gr(x)", "y + 0.5*max(0, x - 1)"}) {
    const KinksJson report =
        run_kinks("table gr(x) = (0, 0), (1, 0), (2, -0.5), (3, -0.5) linear\n" + coordinates +
                  "initial x = 0.2, x' = 2\ncontact f: " + gap + " >= 0\nsolve gauss(3) step 0.013 end 0.6\n");
    EXPECT_NEAR(v_of(report, "x"), 2, 1e-9);
    EXPECT_NEAR(q_of(report, "y"), -g / 2 * 0.04, 1e-8);
  }
}

// A force that jumps lifts what lies, whether it sticks or not, however it is larger than what pressed it.
TEST(ContactKinks, AForceThatJumpsLifts) {
  for (const double force : {10.0, 12.0, 19.0, 20.0, 25.0})
    for (const char* at : {"0.5", "0.5037"})
      for (const char* friction : {"", " friction 0.3 along x'"}) {
        const double rest = 1 - std::stod(at);
        const KinksJson report =
            run_kinks(coordinates + "contact c: y >= 0" + friction + "\nforce x = 2, y = if(t < " + at + ", 0, " +
                      std::to_string(force) + ")\nsolve gauss(3) step 0.01 end 1\n");
        EXPECT_NEAR(q_of(report, "y"), (force - g) / 2 * rest * rest, 1e-9) << force << " at " << at << friction;
        if (*friction) { EXPECT_NEAR(q_of(report, "x"), rest * rest, 1e-9); }
      }
}

TEST(ContactKinks, AStopOfAJointLetsGoWhereItsTorqueTurns) {
  for (const char* torque : {"if(t < 0.5, -1, 2)", "-1 + 3*max(0, sign(t - 0.5))"}) {
    const KinksJson report =
        run_kinks(std::string("body d planar mass 1 inertia 0.3\njoint revolute h from ground to d limits (0, 90*deg) "
                              "restitution 0.2\ndrive m joint h torque ") +
                  torque + "\nobserve a: h.angle\nsolve gauss(3) step 0.01 end 1\n");
    EXPECT_NEAR(report["observed"]["a"]["final"].get<double>(), 2 / 0.3 / 2 * 0.25, 1e-9) << torque;
  }
}

// A force of a linear table: it lifts where it is as large as the weight, between two kinks.
TEST(ContactKinks, ARampOfForceLifts) {
  for (const double width : {0.1, 0.001, 0.000001}) {
    const double slope = 20 / width, lift = g / slope, s = width - lift, rest = 0.5 - width;
    const double v = slope / 2 * s * s, y = slope / 6 * s * s * s;
    const KinksJson report = run_kinks("table F(s) = (0, 0), (0.5, 0), (" + std::to_string(0.5 + width) +
                                       ", 20), (2, 20) linear\ncoordinate y\nkinetic y'^2/2\npotential 9.81*y\n"
                                       "contact c: y >= 0\nforce y = F(t)\nsolve gauss(3) step 0.01 end 1\n");
    EXPECT_NEAR(q_of(report, "y"), y + v * rest + (20 - g) / 2 * rest * rest, 1e-9) << width;
  }
}

// Rows of the grid are there where a kink lies on it, and once.
TEST(ContactKinks, AKinkOnTheGridHasItsRow) {
  const Folder folder;
  const std::string out = folder / "rows.csv";
  const KinksJson report =
      run_kinks(coordinates + "contact c: y >= 0\nforce y = if(t < 0.5, 0, 12)\nsolve gauss(3) step 0.125 end 1\n",
                {"--out", out});
  EXPECT_EQ(report["statistics"]["steps"], 8);
  const std::string rows = file_text(out);
  for (const char* t : {"\n0,", "\n0.125,", "\n0.375,", "\n0.5,", "\n0.625,", "\n1,"}) {
    const std::size_t first = rows.find(t);
    ASSERT_NE(first, std::string::npos) << t << rows;
    EXPECT_EQ(rows.find(t, first + 1), std::string::npos) << t << rows;
  }
}

// What `when` sets in a kink acts too.
TEST(ContactKinks, WhatIsSetInAKinkActs) {
  const KinksJson report =
      run_kinks(coordinates +
                "parameter F = 0\ncontact c: y >= 0\nforce x = F, y = if(t < 0.5, 0, 12)\nwhen t = 0.5: F = 3\n"
                "solve gauss(3) step 0.01 end 1\n");
  EXPECT_NEAR(q_of(report, "x"), 3.0 / 2 * 0.25, 1e-9);
  EXPECT_NEAR(q_of(report, "y"), (12 - g) / 2 * 0.25, 1e-9);
}

// The impulse of a drive at an impact works where it moves.
TEST(ContactKinks, ADriveSuppliesWhatItsImpulseDoes) {
  const double u = std::sqrt(0.25 + 2 * g * 0.2), supplied = g * 0.5 * 0.25 + 1.3 * u * 0.5;
  const KinksJson report = run_kinks(
      "coordinate p, y = 0.3\nkinetic p'^2/2 + y'^2/2\npotential 9.81*(p + y)\nconstraint dr: p = 0.5*t\n"
      "contact c: y - 0.1 - p >= 0 restitution 0.3\nsolve gauss(3) step 0.01 end 0.25\n");
  EXPECT_NEAR(report["energy"]["supplied"].get<double>(), supplied, 1e-9);
  EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-9);
}

// A floor that is set lower is left; one that is set into what lies on it is an error.
TEST(ContactKinks, AFloorThatIsSetLowerIsLeft) {
  const std::string text =
      "parameter h = 0\ncoordinate y\nkinetic y'^2/2\npotential 9.81*y\ncontact f: y - h >= 0\n"
      "solve gauss(3) step 0.01 end 1.1\nwhen t = 1: h = ";
  const KinksJson report = run_kinks(text + "-0.5\n");
  EXPECT_NEAR(q_of(report, "y"), -g / 2 * 0.01, 1e-10);
  const Folder folder;
  const Outcome outcome = program({"run", folder.write("model.alm", text + "0.5\n")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("lies inside the contact 'f', by 0.5"), std::string::npos) << outcome.err;
}

// Bodies that are moved to be assembled leave an angle that is 0 but for rounding: it starts at its stop.
TEST(ContactKinks, AStartAtAStopWithinRoundingIsOnIt) {
  const KinksJson report = run_kinks(
      "parameter target = 0.5, k = 10, d = 1\nbody arm mass 2 inertia (0.1, 0.2, 0.2) at (0, 0, 1)\n"
      "body lower mass 1 inertia (0.1, 0.1, 0.1) at (0, 0, 2)\nload wind on arm point (0, 0, 0.5) force (3*sin(t), 0, "
      "0)\n"
      "load jet on arm point (0, 0, 0.5) force (0, 0, 2) frame arm\nload motor on arm torque (0, 0, 1)\n"
      "joint spherical hinge from ground to arm point (0, 0, -1)\n"
      "joint revolute elbow from arm point (0, 0, 0.5) axis (0, 1, 0) to lower limits (0, 150*deg) restitution 0.2\n"
      "drive servo joint elbow torque k*(target - elbow.angle) - d*elbow.rate\nobserve a: elbow.angle\n"
      "solve gauss(3) step 0.01 end 0.1\n");
  EXPECT_GT(report["observed"]["a"]["min"].get<double>(), -1e-12);
}

}  // namespace
}  // namespace alembert::internal::apps_test
