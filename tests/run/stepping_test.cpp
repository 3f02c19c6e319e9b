// Time stepping through contacts, against closed forms and against the same motions followed from event to event.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/program.h"

namespace alembert::internal::apps_test {
namespace {

using SteppedJson = nlohmann::ordered_json;

SteppedJson stepped(const std::string& text, const std::string& method, double step, double end) {
  const Folder folder;
  const Outcome outcome = program({"run", folder.write("model.alm", text), "--json", "--method", method, "--step",
                                   std::to_string(step), "--end", std::to_string(end)});
  EXPECT_EQ(outcome.code, 0) << method << ": " << outcome.err;
  return SteppedJson::parse(outcome.out);
}

const char* const time_stepping[] = {"moreau", "nonsmooth_rattle", "true_euler"};
const char* const all_stepping[] = {"moreau", "nonsmooth_rattle", "true_euler", "true_euler_adjoint"};

const char* const bouncing =
    "parameter g = 9.81, e = 0.5\ncoordinate y = 1\nkinetic y'^2/2\npotential g*y\n"
    "contact floor: y >= 0 restitution e\nsolve moreau step 0.01 end 3\n";

// Between the first two impacts the height is known, and the order is that of an impact in the midst of a step.
TEST(Stepping, BouncingBallConvergesWithOrderOne) {
  const double g = 9.81, first = std::sqrt(2 / g), t = 0.8 - first;
  const double height = 0.5 * std::sqrt(2 * g) * t - g * t * t / 2;
  for (const char* method : time_stepping) {
    double coarse = 0, fine = 0;
    for (int k = 0; k < 8; ++k) {  // the place of the impact in its step differs from step to step
      const double h = 0.8 / (100 + k), finer = 0.8 / (1600 + 16 * k);
      coarse = std::max(coarse, std::abs(stepped(bouncing, method, h, 0.8)["q"]["y"].get<double>() - height));
      fine = std::max(fine, std::abs(stepped(bouncing, method, finer, 0.8)["q"]["y"].get<double>() - height));
    }
    EXPECT_LT(coarse, 0.05) << method;
    EXPECT_LT(fine, coarse / 5) << method;
  }
}

// The impacts accumulate at sqrt(2/g) (1 + e)/(1 - e) = 1.35.
TEST(Stepping, BouncingBallPassesTheAccumulationOfItsImpactsAndRests) {
  for (const char* method : all_stepping) {
    const SteppedJson report = stepped(bouncing, method, 0.01, 3);
    EXPECT_NEAR(report["q"]["y"].get<double>(), 0, 1e-9) << method;
    EXPECT_NEAR(report["v"]["y"].get<double>(), 0, 1e-6) << method;
    EXPECT_EQ(report["contacts"]["floor"]["state"], "closed");
    if (std::string(method).starts_with("true_euler")) continue;  // they have an error of the energy of their own
    EXPECT_NEAR(report["contacts"]["floor"]["dissipated"].get<double>(), 9.81, 1e-9) << method;
    EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-11) << method;
  }
}

// What bounces without loss neither gains nor loses height in the mean: its velocities are ahead of their time.
TEST(Stepping, TheAdjointKeepsTheHeightOfAnElasticBall) {
  const SteppedJson report = stepped(std::string(bouncing).replace(std::string(bouncing).find("e = 0.5"), 7, "e = 1"),
                                     "true_euler_adjoint", 0.002, 8);
  EXPECT_NEAR(report["energy"]["final"].get<double>(), 9.81, 0.05);
}

std::string on_slope(double mu, double angle, double speed) {
  return "parameter mu = " + std::to_string(mu) + ", a = " + std::to_string(angle) +
         ", g = 9.81\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential g*(y*cos(a) - x*sin(a))\n"
         "contact floor: y >= 0 friction mu along x'\ninitial x' = " +
         std::to_string(speed) + "\nsolve moreau step 0.01 end 2\n";
}

TEST(Stepping, BlocksOnSlopesStickWithoutCreepingWhereFrictionHoldsThem) {
  const double limit = std::tan(0.3);
  for (const char* method : {"moreau", "nonsmooth_rattle", "true_euler", "true_euler_adjoint"}) {
    const SteppedJson rests = stepped(on_slope(limit + 1e-4, 0.3, 0), method, 0.05, 20);
    EXPECT_LT(std::abs(rests["q"]["x"].get<double>()), 1e-14) << method;
    EXPECT_EQ(rests["contacts"]["floor"]["state"], "sticking") << method;
    const SteppedJson slides = stepped(on_slope(limit - 1e-2, 0.3, 0), method, 0.01, 2);
    EXPECT_EQ(slides["contacts"]["floor"]["state"], "sliding") << method;
    const double a = 9.81 * (std::sin(0.3) - (limit - 1e-2) * std::cos(0.3));
    EXPECT_NEAR(slides["v"]["x"].get<double>(), 2 * a, 1e-3) << method;
    // Stops after v/(mu g).
    const SteppedJson stops = stepped(on_slope(0.25, 0, 1), method, 0.001, 1);
    EXPECT_NEAR(stops["q"]["x"].get<double>(), 1 / (2 * 0.25 * 9.81), 1e-3) << method;
    EXPECT_NEAR(stops["v"]["x"].get<double>(), 0, 1e-14) << method;
  }
}

// A bead that slides on a parabola as a contact: the same as one on a wire while it presses.
TEST(Stepping, NonsmoothRattleHasOrderTwoBetweenEvents) {
  const std::string free = "coordinate x = 1, y = 0.5\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n";
  const std::string solve = "solve gauss(3) step 0.01 end 1\n";
  const SteppedJson exact = stepped(free + "constraint wire: y = x^2/2\n" + solve, "gauss(3)", 0.01, 1);
  double errors[2];
  for (int k = 0; k < 2; ++k) {
    const SteppedJson got =
        stepped(free + "contact wire: y - x^2/2 >= 0\n" + solve, "nonsmooth_rattle", k == 0 ? 0.02 : 0.01, 1);
    errors[k] = std::abs(got["q"]["x"].get<double>() - exact["q"]["x"].get<double>());
    const double x = got["q"]["x"], y = got["q"]["y"], vx = got["v"]["x"], vy = got["v"]["y"];
    EXPECT_NEAR(y - x * x / 2, 0, 1e-13);
    EXPECT_NEAR(vy - x * vx, 0, 1e-13);
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.1);
}

// More corners than the body can move: the load is shared in many ways, and the box rests.
TEST(Stepping, BoxOnItsCornersRestsBelowTheFrictionBound) {
  const std::string box =
      "parameter mu = 0.32, a = 0.3, g = 9.81\nbody box mass 1 inertia (0.1, 0.1, 0.1) at (0, 0, 0.1)\n"
      "gravity (g*sin(a), 0, -g*cos(a))\n"
      "contact floor from box box (0.4, 0.4, 0.2) to ground plane axis (0, 0, 1) friction mu\n"
      "solve moreau step 0.01 end 1\n";
  for (const char* method : {"moreau", "nonsmooth_rattle"}) {
    const SteppedJson report = stepped(box, method, 0.01, 1);
    EXPECT_NEAR(report["q"]["box.r"][0].get<double>(), 0, 1e-12) << method;
    EXPECT_NEAR(report["q"]["box.r"][2].get<double>(), 0.1, 1e-12) << method;
  }
}

/// In a box of this width, with their places still to be said.
std::string spheres_in_a_box(int count, const std::string& width) {
  return "parameter R = 0.05, g = 9.81, a = " + width + ", N = " + std::to_string(count) +
         "\nfamily i = 1..N, j = 1..N\ncoordinate r[i][3]\nkinetic sum(i, norm2(r[i]')/2)\n"
         "potential sum(i, g*r[i][3])\n"
         "contact floor: r[i][3] - R >= 0 restitution 0.2 friction 0.3 along r[i][1]', r[i][2]' for i = 1..N\n"
         "contact left: r[i][1] - R >= 0 restitution 0.2 for i = 1..N\n"
         "contact right: a - R - r[i][1] >= 0 restitution 0.2 for i = 1..N\n"
         "contact front: r[i][2] - R >= 0 restitution 0.2 for i = 1..N\n"
         "contact back: a - R - r[i][2] >= 0 restitution 0.2 for i = 1..N\n"
         "contact pair: norm(r[i] - r[j]) - 2*R >= 0 restitution 0.2 for i = 1..N, j = i+1..N\n";
}

std::string spheres(int count) {
  const double d = 0.11;
  std::string text = spheres_in_a_box(count, "0.35");
  for (int k = 0; k < count; ++k)
    text += "initial r[" + std::to_string(k + 1) + "] = (" + std::to_string(0.06 + d * (k % 3) + 0.002 * std::sin(k)) +
            ", " + std::to_string(0.06 + d * (k / 3 % 3) + 0.002 * std::cos(3 * k)) + ", " +
            std::to_string(0.06 + d * (k / 9)) + ")\n";
  return text + "solve moreau step 0.005 end 3\n";
}

/// Kinetic energy, and how deep spheres of radius 0.05 and mass 1 are in each other.
std::pair<double, double> rest_of_spheres(const SteppedJson& report) {
  double kinetic = 0, deepest = 0;
  const auto& q = report["q"]["r"];
  for (const auto& v : report["v"]["r"])
    for (const auto& entry : v) kinetic += entry.get<double>() * entry.get<double>() / 2;
  for (std::size_t i = 0; i < q.size(); ++i)
    for (std::size_t j = i + 1; j < q.size(); ++j) {
      double square = 0;
      for (int k = 0; k < 3; ++k) square += std::pow(q[i][k].get<double>() - q[j][k].get<double>(), 2);
      deepest = std::max(deepest, 0.1 - std::sqrt(square));
    }
  return {kinetic, deepest};
}

TEST(Stepping, SpheresInABoxComeToRest) {
  const SteppedJson report = stepped(spheres(20), "moreau", 0.005, 4);
  const auto [kinetic, deepest] = rest_of_spheres(report);
  EXPECT_LT(kinetic, 1e-12);
  EXPECT_LT(deepest, 1e-10);
  EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-5);  // of 7.5 that is lost; the error of the method
}

// Four layers of five times five that fill the box from wall to wall fall onto each other: all contacts of a hundred
// spheres, most of them redundant.
TEST(Stepping, AHundredSpheresFillABox) {
  std::string text = spheres_in_a_box(100, "0.5");
  for (int k = 0; k < 100; ++k)
    text += "initial r[" + std::to_string(k + 1) + "] = (" + std::to_string(0.05 + 0.1 * (k % 5)) + ", " +
            std::to_string(0.05 + 0.1 * (k / 5 % 5)) + ", " + std::to_string(0.06 + 0.105 * (k / 25)) + ")\n";
  const SteppedJson report = stepped(text + "solve moreau step 0.01 end 1\n", "moreau", 0.01, 1);
  const auto [kinetic, deepest] = rest_of_spheres(report);
  EXPECT_LT(kinetic, 1e-12);
  EXPECT_LT(deepest, 1e-10);
  EXPECT_NEAR(report["energy"]["final"].get<double>(), 25 * 9.81 * (0.05 + 0.15 + 0.25 + 0.35), 1e-9);
  EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-10);
}

// Six discs in a square, elastic: many collisions, some of them in one step.
const char* const elastic_discs =
    "parameter N = 6, R = 0.1, a = 1\nfamily i = 1..N, j = 1..N\ncoordinate r[i][2]\n"
    "kinetic sum(i, norm2(r[i]')/2)\n"
    "contact floor: r[i][2] - R >= 0 restitution 1 for i = 1..N\n"
    "contact top: a - R - r[i][2] >= 0 restitution 1 for i = 1..N\n"
    "contact left: r[i][1] - R >= 0 restitution 1 for i = 1..N\n"
    "contact right: a - R - r[i][1] >= 0 restitution 1 for i = 1..N\n"
    "contact pair: norm(r[i] - r[j]) - 2*R >= 0 restitution 1 for i = 1..N, j = i+1..N\n"
    "initial r[1] = (0.2, 0.2), r[2] = (0.5, 0.21), r[3] = (0.8, 0.22), r[4] = (0.21, 0.7), r[5] = (0.52, 0.6),"
    " r[6] = (0.79, 0.72)\n"
    "initial r[1]' = (1, 0.7), r[2]' = (-0.3, 0.8), r[3]' = (-1, -0.2), r[4]' = (0.1, 0.5), r[5]' = (0.3, 0.1),"
    " r[6]' = (0.2, -0.4)\nsolve moreau step 0.01 end 10\n";

TEST(Stepping, ElasticImpactsKeepTheEnergy) {
  for (const char* method : {"moreau", "nonsmooth_rattle", "true_euler", "true_euler_adjoint"}) {
    const SteppedJson report = stepped(elastic_discs, method, 0.01, 10);
    EXPECT_GT(report["events"].size(), 100U) << method;
    EXPECT_NEAR(report["energy"]["final"].get<double>(), 1.91, 1e-12) << method;
  }
  // Under gravity the speed on the floor is that of the height.
  const std::string ball =
      "coordinate y = 1\nkinetic y'^2/2\npotential 9.81*y\ncontact floor: y >= 0 restitution 1\n"
      "solve moreau step 0.01 end 10\n";
  for (const char* method : {"moreau", "nonsmooth_rattle"})
    EXPECT_NEAR(stepped(ball, method, 0.0173, 100)["energy"]["final"].get<double>(), 9.81, 1e-9) << method;
}

// A ball on a table that goes up and down: the support does the work, and the books close.
TEST(Stepping, MovingSupportsAreInTheBooks) {
  const std::string table =
      "parameter A = 0.05, w = 5\ncoordinate y\nkinetic y'^2/2\npotential 9.81*y\n"
      "contact table: y - A*sin(w*t) >= 0\ninitial y' = 0.25\nsolve moreau step 0.01 end 2\n";
  for (const char* method : {"moreau", "nonsmooth_rattle"}) {
    const SteppedJson report = stepped(table, method, 0.01, 2);
    const double y = 0.05 * std::sin(10.0), v = 0.25 * std::cos(10.0), energy = v * v / 2 + 9.81 * y;
    EXPECT_NEAR(report["q"]["y"].get<double>(), y, 1e-13) << method;
    EXPECT_NEAR(report["v"]["y"].get<double>(), v, 1e-13) << method;
    EXPECT_NEAR(report["energy"]["supplied"].get<double>(), energy - 0.03125, 1e-4) << method;
    EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-4) << method;
    EXPECT_EQ(report["contacts"]["table"]["state"], "closed") << method;
    EXPECT_TRUE(report["events"].empty()) << method;
  }
}

// What slides on a bowl keeps its energy up to the order of the method, whatever its restitution is.
// An impact that lies on a grid point to rounding, or within what the force adds in a step of it.
TEST(Stepping, ImpactsAtGridPointsAreImpacts) {
  const std::string wall = "coordinate x\nkinetic x'^2/2\nforce x = 2\ncontact right: 1 - x >= 0 restitution 0.5\n";
  for (const char* method : time_stepping)
    for (const double h : {0.01, 0.0005, 1.0 / 1501}) {
      const SteppedJson report = stepped(wall, method, h, 1.05);
      EXPECT_NEAR(report["v"]["x"].get<double>(), -1 + 2 * 0.05, 4 * h) << method << " " << h;
    }
}

// A table that goes up and down with less than g at the moment: what has come to rest on it rides on it, and is not
// thrown up a little in every step.
TEST(Stepping, ABallRidesOnAMovingTable) {
  const std::string table =
      "coordinate y = 0.3\nkinetic y'^2/2\npotential 9.81*y\ncontact c: y - 0.05*sin(15*t) >= 0 restitution 0.3\n";
  for (const char* method : all_stepping) {
    const SteppedJson report = stepped(table, method, 0.001, 0.48);
    EXPECT_EQ(report["contacts"]["c"]["state"], "closed") << method;
    // Followed from event to event its bounces end at 0.3505677; time stepping is up to three steps late.
    EXPECT_LT(report["events"].back()["t"].get<double>(), 0.3505677 + 3 * 0.001) << method;
    EXPECT_NEAR(report["q"]["y"].get<double>(), 0.05 * std::sin(15 * 0.48), 2e-6) << method;
  }
}

// Bounces end at 8/g with 3 - 0.2*6 of the velocity along the floor, which friction takes then. The errors of order 1
// depend on where impacts lie in their steps: the mean over some steps shows it.
TEST(Stepping, OrderOneBehindAnAccumulation) {
  const std::string hops =
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
      "contact f: y >= 0 restitution 0.5 friction 0.2 along x'\ninitial x' = 3, y' = 2\n";
  double exact = 0, along = 3;
  for (double up = 2; up > 1e-17; up /= 2) {
    exact += along * 2 * up / 9.81;
    along -= 0.2 * 1.5 * up;
  }
  exact += along * along / (2 * 0.2 * 9.81);
  for (const char* method : {"moreau", "true_euler", "true_euler_adjoint"}) {
    double errors[2] = {0, 0};
    for (const int k : {0, 1})
      for (const int n : {150, 167, 185, 206, 229, 255}) {
        const double h = 3.0 / (n * (k == 0 ? 1 : 16));
        const double off = stepped(hops, method, h, 3)["q"]["x"].get<double>() - exact;
        errors[k] += off * off;
      }
    EXPECT_NEAR(std::log(errors[0] / errors[1]) / 2 / std::log(16), 1, 0.25) << method;
  }
}

TEST(Stepping, MoreauHasOrderTwoBetweenEvents) {
  const std::string free = "coordinate x = 1, y = 0.5\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n";
  const std::string solve = "solve gauss(3) step 0.01 end 1\n";
  const double exact = stepped(free + "constraint wire: y = x^2/2\n" + solve, "gauss(3)", 0.01, 1)["q"]["x"];
  for (const char* e : {"0", "0.7"}) {
    double errors[2];
    for (int k = 0; k < 2; ++k) {
      const SteppedJson got = stepped(free + "contact wire: y - x^2/2 >= 0 restitution " + e + "\n" + solve, "moreau",
                                      k == 0 ? 0.01 : 0.005, 1);
      errors[k] = std::abs(got["q"]["x"].get<double>() - exact);
      const double x = got["q"]["x"], y = got["q"]["y"], vx = got["v"]["x"], vy = got["v"]["y"];
      EXPECT_NEAR(y - x * x / 2, 0, 1e-13);
      EXPECT_NEAR(vy - x * vx, 0, 1e-13);
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.2) << e;
  }
}

// A ball that rolls down a slope from rest: x = 5/14 g sin(a) t^2, and no slip.
TEST(Stepping, ARollingBallSticks) {
  const std::string ball =
      "parameter R = 0.1, J = 2/5*R^2, a = 0.3, g = 9.81\nbody ball mass 1 inertia (J, J, J) at (0, 0, R)\n"
      "gravity (g*sin(a), 0, -g*cos(a))\n"
      "contact slope from ball sphere R to ground plane axis (0, 0, 1) friction 0.5\nsolve moreau step 0.01 end 1\n";
  double errors[2];
  for (int k = 0; k < 2; ++k) {
    const SteppedJson report = stepped(ball, "moreau", k == 0 ? 0.01 : 0.005, 1);
    EXPECT_EQ(report["contacts"]["slope"]["state"], "sticking");
    errors[k] = std::abs(report["q"]["ball.r"][0].get<double>() - 5.0 / 14 * 9.81 * std::sin(0.3));
    EXPECT_LT(std::abs(report["energy"]["dissipated"].get<double>()), 1e-3);
  }
  EXPECT_LT(errors[0], 2e-3);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.2);
}

// Links that fall on a table, from rest: the first step has velocities that are 0 in one direction.
TEST(Stepping, AChainFallsOnATable) {
  const std::string chain =
      "parameter N = 5, l = 0.2, g = 9.81\nfamily i = 1..N\ncoordinate r[i][2]\nkinetic sum(i, norm2(r[i]')/20)\n"
      "potential sum(i, g*r[i][2]/10)\nconstraint norm2(r[i] - r[i-1]) = l^2 for i = 2..N\n"
      "contact table: r[i][2] >= 0 friction 0.3 along r[i][1]' for i = 1..N\n"
      "initial r[i] = (0.05*(1 + (-1)^i)/2, 0.1 + 0.19*i)\nsolve moreau step 0.005 end 2\n";
  for (const char* method : {"moreau", "nonsmooth_rattle"}) {
    const SteppedJson report = stepped(chain, method, 0.005, 2.5);
    const auto& q = report["q"]["r"];
    for (std::size_t i = 0; i < q.size(); ++i) {
      EXPECT_NEAR(q[i][1].get<double>(), 0, 1e-12) << method;
      if (i > 0) { EXPECT_NEAR(std::abs(q[i][0].get<double>() - q[i - 1][0].get<double>()), 0.2, 1e-12) << method; }
    }
    EXPECT_NEAR(report["energy"]["final"].get<double>(), 0, 1e-12) << method;
  }
}

// A ball in a V groove comes to rest in it, and all it had above that is in the books.
TEST(Stepping, ABallComesToRestInAGroove) {
  const std::string groove =
      "parameter R = 0.1, c = sqrt(1/2)\ncoordinate x = 0.02, y = 1\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
      "contact left: c*(x + y) - R >= 0 restitution 0.5\ncontact right: c*(y - x) - R >= 0 restitution 0.5\n"
      "solve moreau step 0.005 end 5\n";
  for (const char* method : {"moreau", "nonsmooth_rattle"}) {
    const SteppedJson report = stepped(groove, method, 0.005, 5);
    EXPECT_NEAR(report["q"]["x"].get<double>(), 0, 1e-12) << method;
    EXPECT_NEAR(report["q"]["y"].get<double>(), 0.1 * std::sqrt(2.0), 1e-12) << method;
    EXPECT_NEAR(report["energy"]["dissipated"].get<double>(), 9.81 * (1 - 0.1 * std::sqrt(2.0)), 1e-10) << method;
  }
}

// What acts in a contact is observed as in the columns: impulses over the length of the step.
TEST(Stepping, WhatActsInAContactIsObserved) {
  const std::string text =
      "coordinate x, y = 0.05\nkinetic (x'^2 + y'^2)\npotential 2*9.81*y\n"
      "contact f: y >= 0 restitution 0.2 friction 0.3 along x'\nobserve N: f.force\nobserve T: f.friction\n"
      "observe s: f.state\nobserve both: 2*f.force + f.gap + f.slip\ninitial x' = 1.5\n"
      "solve moreau step 0.01 end 0.4\n";
  for (const char* method : all_stepping) {
    const SteppedJson sliding = stepped(text, method, 0.01, 0.4)["observed"],
                      resting = stepped(text, method, 0.01, 2)["observed"];
    // A gap that is closed but for a short part of a fall is still on its way to 0.
    EXPECT_NEAR(sliding["N"]["final"].get<double>(), 2 * 9.81, 1e-6) << method;
    EXPECT_NEAR(sliding["T"]["final"].get<double>(), -0.3 * 2 * 9.81, 1e-6) << method;
    EXPECT_EQ(sliding["s"]["final"].get<double>(), 2) << method;
    EXPECT_EQ(sliding["s"]["min"].get<double>(), 0) << method;
    EXPECT_GT(sliding["N"]["max"].get<double>(), 100) << method;  // the first impact within a step
    EXPECT_EQ(resting["s"]["final"].get<double>(), 3) << method;
    EXPECT_NEAR(resting["T"]["final"].get<double>(), 0, 1e-9) << method;
    EXPECT_NEAR(resting["both"]["final"].get<double>(), 4 * 9.81, 1e-9) << method;
  }
  const Folder folder;
  ASSERT_EQ(
      program({"run", folder.write("model.alm", text), "--out", folder / "rows.csv", "--columns", "N,f.force"}).code,
      0);
  std::istringstream rows(file_text(folder / "rows.csv"));
  std::string line;
  std::getline(rows, line);
  EXPECT_EQ(line, "t,N,f.force");
  while (std::getline(rows, line)) {
    const std::size_t first = line.find(','), second = line.find(',', first + 1);
    EXPECT_EQ(line.substr(first + 1, second - first - 1), line.substr(second + 1)) << line;
  }
}

// A double pendulum with stops, from rest: short steps know its positions to rounding, and velocities to that over the
// step.
TEST(Stepping, JointLimitsGoWithShortSteps) {
  const std::string text =
      "body a planar mass 1 inertia 0.1 at (0.5, 0)\nbody b planar mass 1 inertia 0.05 at (1.4, 0)\n"
      "gravity (0, -9.81)\njoint revolute p from ground to a point (-0.5, 0)\n"
      "joint revolute q from a point (0.5, 0) to b point (-0.4, 0) limits (-0.4, 0.4) restitution 0.3\n"
      "solve moreau step 0.001 end 0.02\n";
  const SteppedJson exact = stepped(text, "gauss(3)", 0.001, 0.02);
  for (const double h : {1e-3, 5e-4, 2e-4, 1e-4, 2e-5})
    EXPECT_NEAR(stepped(text, "nonsmooth_rattle", h, 0.02)["q"]["b.phi"].get<double>(),
                exact["q"]["b.phi"].get<double>(), h * h)
        << h;
}

TEST(Stepping, SaysWhatItDoesNotTake) {
  const Folder folder;
  const std::string poisson =
      folder.write("poisson.alm",
                   "coordinate y = 1\nkinetic y'^2/2\npotential y\ncontact floor: y >= 0 restitution 0.5 law poisson\n"
                   "solve moreau step 0.01 end 1\n");
  const Outcome law = program({"run", poisson});
  EXPECT_EQ(law.code, 2);
  EXPECT_NE(law.err.find("Poisson"), std::string::npos) << law.err;
  const std::string grows =
      folder.write("grows.alm",
                   "coordinate y = 1\nkinetic y'^2/2\npotential 9.81*y\ncontact floor: y >= 0 restitution 0.5 + t\n"
                   "solve moreau step 0.01 end 3\n");
  const Outcome above = program({"run", grows});
  EXPECT_EQ(above.code, 1);
  EXPECT_NE(above.err.find("the restitution of 'floor' must be between 0 and 1"), std::string::npos) << above.err;
  const std::string ball = folder.write("ball.alm", bouncing);
  EXPECT_EQ(program({"run", ball, "--tolerance", "1e-6", "--method", "moreau"}).code, 2);
  EXPECT_EQ(program({"run", ball, "--step", "-0.01", "--end", "-1"}).code, 2);
}

}  // namespace
}  // namespace alembert::internal::apps_test
