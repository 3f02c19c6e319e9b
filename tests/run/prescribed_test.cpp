// What follows from states, set at the start and by events: angles, rates, distances and speeds of joints, any let.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/program.h"

namespace alembert::internal::apps_test {
namespace {

using Json = nlohmann::ordered_json;

Json run_text(const std::string& text, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"run", "-", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = program(words, text);
  EXPECT_EQ(outcome.code, 0) << outcome.err << text;
  return outcome.code == 0 ? Json::parse(outcome.out) : Json();
}

double observed(const Json& json, const char* name, const char* what = "final") {
  return json["observed"][name][what].get<double>();
}

const std::string rod =
    "body rod mass 1 inertia (1/12, 1/12, 1e-3) at (0, 0, -1/2)\ngravity (0, 0, -9.81)\n"
    "joint revolute hinge from ground axis (1, 0, 0) to rod point (0, 0, 1/2)\n"
    "observe angle: hinge.angle\nobserve rate: hinge.rate\nobserve height: rod.r[3]\n";
const std::string planar_rod =
    "body rod planar mass 1 inertia 1/12 at (0, -1/2)\ngravity (0, -9.81)\n"
    "joint revolute hinge from ground to rod point (0, 1/2)\n"
    "observe angle: hinge.angle\nobserve rate: hinge.rate\nobserve height: rod.r[2]\n";
// The same with one angle: m l^2/3 phi'' = -m g l/2 sin(phi).
const std::string angle_alone =
    "coordinate phi\nkinetic phi'^2/6\npotential -9.81/2*cos(phi)\nobserve angle: phi\nobserve rate: phi'\n";
const std::string solve = "solve gauss(3) step 0.005 end 2\n";

TEST(Prescribed, AnglesAndRatesOfJointsAtTheStart) {
  for (const double angle : {0.3, 1.2, -2.0, 3.0, 3 + 4 * M_PI}) {
    const std::string start = std::to_string(angle) + ", ";
    const Json wanted = run_text(angle_alone + "initial phi = " + start + "phi' = 2\n" + solve);
    for (const std::string& model : {rod, planar_rod}) {
      const Json json = run_text(model + "initial hinge.angle = " + start + "hinge.rate = 2\n" + solve);
      EXPECT_NEAR(observed(json, "angle"), observed(wanted, "angle"), 1e-8) << angle;
      EXPECT_NEAR(observed(json, "rate"), observed(wanted, "rate"), 1e-7) << angle;
    }
    const Json set = run_text(rod + solve, {"--set", "hinge.angle=" + std::to_string(angle), "--set", "hinge.rate=2"});
    EXPECT_NEAR(observed(set, "rate"), observed(wanted, "rate"), 1e-7) << "from outside";
  }
}

TEST(Prescribed, EventsThatSetTheRateOfAJoint) {
  const std::string act = "event low: ANGLE = 0\nevent once: t = 1\nwhen low: RATE = -0.7*RATE\n";
  const auto with = [&](std::string angle, std::string rate) {
    std::string text = act;
    for (const auto& [from, to] : {std::pair<std::string, std::string>("ANGLE", angle), {"RATE", rate}})
      for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
  };
  const Json wanted = run_text(angle_alone + with("phi", "phi'") + "initial phi = 1\n" + solve);
  for (const std::string& model : {rod, planar_rod}) {
    const Json json = run_text(model + with("hinge.angle", "hinge.rate") + "initial hinge.angle = 1\n" + solve);
    EXPECT_NEAR(observed(json, "angle"), observed(wanted, "angle"), 1e-8);
    EXPECT_NEAR(observed(json, "rate"), observed(wanted, "rate"), 1e-7);
    EXPECT_EQ(json["events"].size(), wanted["events"].size());
  }
}

TEST(Prescribed, AnAngleMayJump) {
  for (const std::string& model : {rod, planar_rod}) {
    const Json json = run_text(model +
                               "when t = 1: hinge.angle = hinge.angle + 1, hinge.rate = 0.5\n"
                               "initial hinge.angle = 0.2\nsolve gauss(3) step 0.01 end 1\n");
    const Json wanted = run_text(angle_alone + "initial phi = 0.2\nsolve gauss(3) step 0.01 end 1\n");
    EXPECT_NEAR(observed(json, "angle"), observed(wanted, "angle") + 1, 1e-9);
    EXPECT_NEAR(observed(json, "rate"), 0.5, 1e-12) << "kept exactly";
    EXPECT_NEAR(observed(json, "height"), -0.5 * std::cos(observed(json, "angle")), 1e-12) << "on the constraints";
  }
}

// Between two free bodies a rate is set by an impulse in their joint: the momenta of the whole stay.
TEST(Prescribed, AnImpulseInAJointKeepsTheMomenta) {
  const Json json = run_text(
      "body a mass 2 inertia (0.3, 0.2, 0.1) velocity (0.1, 0.2, 0) spin (0.3, 0.1, -0.2)\n"
      "body b mass 1 inertia (0.1, 0.2, 0.15) at (0, 0, -1)\n"
      "joint revolute elbow from a point (0, 0, -1/2) axis (1, 0, 0) to b point (0, 0, 1/2)\n"
      "conserve linear: 2*a.r' + b.r'\n"
      "let turning = 2*cross(a.r, a.r') + cross(b.r, b.r') + "
      "a.direction(0.3*a.spin[1], 0.2*a.spin[2], 0.1*a.spin[3]) + "
      "b.direction(0.1*b.spin[1], 0.2*b.spin[2], 0.15*b.spin[3])\n"
      "conserve angular: turning\nobserve rate: elbow.rate\n"
      "when t = 0.5: elbow.rate = 3\nsolve gauss(3) step 0.01 end 0.5\n");
  EXPECT_NEAR(observed(json, "rate"), 3, 1e-12);
  for (const char* name : {"linear", "angular"})
    for (const Json& error : json["invariants"][name]["max_error"]) EXPECT_LT(error.get<double>(), 1e-9) << name;
  EXPECT_GT(std::abs(observed(json, "rate", "max") - observed(json, "rate", "min")), 1) << "something was set";
}

TEST(Prescribed, DistancesSpeedsSpringsAndLets) {
  const std::string slider =
      "body cart mass 2 inertia (1, 1, 1)\njoint prismatic rail from ground axis (1, 0, 0) to cart\n"
      "spring pull from ground point (0, -3, 0) to cart stiffness 5 length 3\n"
      "observe d: rail.distance\nobserve v: rail.speed\nobserve l: pull.length\nsolve gauss(2) step 0.01 end 0.01\n";
  const Json start = run_text(slider + "initial rail.distance = 4, rail.speed = -1\n");
  EXPECT_NEAR(observed(start, "d", "max"), 4, 1e-12);
  EXPECT_NEAR(observed(start, "l", "max"), 5, 1e-12);
  const Json stretched = run_text(slider + "initial cart.r = (1, 0, 0), pull.length = 5\n");
  EXPECT_NEAR(observed(stretched, "d", "max"), 4, 1e-11) << "3, 4, 5";
  const Json when = run_text(slider + "initial rail.distance = 1\nwhen t = 0.01: rail.speed = 2.5\n");
  EXPECT_NEAR(observed(when, "v"), 2.5, 1e-12);
  // Two masses, of which the relative velocity is set: the momentum 3*1 + 1*2 stays.
  const Json let = run_text(
      "coordinate x, y\nkinetic 3/2*x'^2 + y'^2/2\npotential 0\ninitial x' = 1, y' = 2\nlet apart = y' - x'\n"
      "when t = 1: apart = -4*apart\nobserve vx: x'\nobserve vy: y'\nsolve gauss(1) step 0.1 end 1\n");
  EXPECT_NEAR(observed(let, "vx"), 9.0 / 4, 1e-12);
  EXPECT_NEAR(observed(let, "vy"), -7.0 / 4, 1e-12);
}

TEST(Prescribed, FamiliesAndParametersStayOpen) {
  const std::string links =
      "parameter N = 3, w = 2\nfamily i = 1..N\nbody link[i] planar mass 1 inertia 0.1 at (i - 1/2, 0)\n"
      "joint revolute pin[1] from ground to link[1] point (-1/2, 0)\n"
      "joint revolute pin[i] from link[i-1] point (1/2, 0) to link[i] point (-1/2, 0) for i = 2..N\n"
      "initial pin[i].rate = i*w\nobserve last: link[N].phi'\nsolve gauss(2) step 0.001 end 0.001\n";
  EXPECT_NEAR(observed(run_text(links), "last", "max"), 2 * (1 + 2 + 3), 1e-2);
  EXPECT_NEAR(observed(run_text(links, {"--set", "w=1"}), "last", "max"), 6, 1e-2);
}

TEST(Prescribed, WhatCannotBe) {
  const Outcome start = program({"run", "-"}, rod + "drive m joint hinge angle t\ninitial hinge.rate = 3\n" + solve);
  EXPECT_EQ(start.code, 2);
  EXPECT_NE(start.err.find("value of hinge.rate"), std::string::npos) << start.err;
  const Outcome later =
      program({"run", "-"}, rod + "drive m joint hinge angle t\nwhen t = 1: hinge.rate = 3\n" + solve);
  EXPECT_EQ(later.code, 1);
  EXPECT_NE((later.out + later.err).find("hinge.rate"), std::string::npos) << later.out << later.err;
}

}  // namespace
}  // namespace alembert::internal::apps_test
