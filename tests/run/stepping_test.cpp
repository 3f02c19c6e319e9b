// Time stepping through contacts, against closed forms and against the same motions followed from event to event.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

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
  for (const char* method : time_stepping) {
    const SteppedJson report = stepped(bouncing, method, 0.01, 3);
    EXPECT_NEAR(report["q"]["y"].get<double>(), 0, 1e-9) << method;
    EXPECT_NEAR(report["v"]["y"].get<double>(), 0, 1e-6) << method;
    EXPECT_EQ(report["contacts"]["floor"]["state"], "closed");
    if (std::string(method) == "true_euler") continue;  // has an error of the energy of its own
    EXPECT_NEAR(report["contacts"]["floor"]["dissipated"].get<double>(), 9.81, 1e-9) << method;
    EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-11) << method;
  }
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

std::string spheres(int count) {
  const double d = 0.11;
  std::string text =
      "parameter R = 0.05, g = 9.81, N = " + std::to_string(count) +
      "\nfamily i = 1..N, j = 1..N\ncoordinate r[i][3]\nkinetic sum(i, norm2(r[i]')/2)\n"
      "potential sum(i, g*r[i][3])\n"
      "contact floor: r[i][3] - R >= 0 restitution 0.2 friction 0.3 along r[i][1]', r[i][2]' for i = 1..N\n"
      "contact left: r[i][1] - R >= 0 restitution 0.2 for i = 1..N\n"
      "contact right: 0.35 - R - r[i][1] >= 0 restitution 0.2 for i = 1..N\n"
      "contact front: r[i][2] - R >= 0 restitution 0.2 for i = 1..N\n"
      "contact back: 0.35 - R - r[i][2] >= 0 restitution 0.2 for i = 1..N\n"
      "contact pair: norm(r[i] - r[j]) - 2*R >= 0 restitution 0.2 for i = 1..N, j = i+1..N\n";
  for (int k = 0; k < count; ++k)
    text += "initial r[" + std::to_string(k + 1) + "] = (" + std::to_string(0.06 + d * (k % 3) + 0.002 * std::sin(k)) +
            ", " + std::to_string(0.06 + d * (k / 3 % 3) + 0.002 * std::cos(3 * k)) + ", " +
            std::to_string(0.06 + d * (k / 9)) + ")\n";
  return text + "solve moreau step 0.005 end 3\n";
}

TEST(Stepping, SpheresInABoxComeToRest) {
  const SteppedJson report = stepped(spheres(9), "moreau", 0.005, 3);
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
  EXPECT_LT(kinetic, 1e-12);
  EXPECT_LT(deepest, 1e-10);
  EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-9);
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
  const std::string ball = folder.write("ball.alm", bouncing);
  EXPECT_EQ(program({"run", ball, "--tolerance", "1e-6", "--method", "moreau"}).code, 2);
  EXPECT_EQ(program({"run", ball, "--step", "-0.01", "--end", "-1"}).code, 2);
}

}  // namespace
}  // namespace alembert::internal::apps_test
