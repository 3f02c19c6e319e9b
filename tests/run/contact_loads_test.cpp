// Friction in joints and constraints, by the forces in them, against closed forms.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

using LoadedJson = nlohmann::ordered_json;

LoadedJson run_loaded(const std::string& text, const std::vector<std::string>& more = {}) {
  const Folder folder;
  std::vector<std::string> words = {"run", folder.write("model.alm", text), "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = program(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return LoadedJson::parse(outcome.out);
}

std::vector<double> times_of(const LoadedJson& report, const std::string& kind) {
  std::vector<double> times;
  for (const LoadedJson& event : report["events"])
    if (event["kind"] == kind) times.push_back(event["t"]);
  return times;
}

// A bead on a ring, without gravity: v' = -mu v^2, so that v = v0/(1 + mu v0 t).
TEST(ContactLoads, ABeadSlowsOnARing) {
  const LoadedJson report = run_loaded(
      "coordinate x = 1, y\nkinetic (x'^2 + y'^2)/2\nconstraint ring(N): norm((x, y)) = 1\n"
      "contact rub load abs(N) friction 0.3 along x*y' - y*x'\ninitial y' = 2\nsolve gauss(4) step 0.01 end 3\n");
  const double v = 2 / (1 + 0.3 * 2 * 3);
  EXPECT_NEAR(std::hypot(report["v"]["x"].get<double>(), report["v"]["y"].get<double>()), v, 1e-10);
  EXPECT_NEAR(report["contacts"]["rub"]["dissipated"].get<double>(), 2 - v * v / 2, 1e-9);
  EXPECT_EQ(report["contacts"]["rub"]["state"], "sliding");
}

// In a vertical ring the force changes its sign on the way: d(v^2)/da = -2 mu |v^2 + g cos a| - 2 g sin a.
TEST(ContactLoads, TheForceMayChangeItsSign) {
  const LoadedJson report = run_loaded(
      "coordinate x, y = -1\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint ring(N): norm((x, y)) = 1\n"
      "contact rub load abs(N) friction 0.1 along x*y' - y*x'\ninitial x' = 6.5\nsolve gauss(4) step 0.002 end 0.66\n");
  const double x = report["q"]["x"], y = report["q"]["y"], end = std::atan2(x, -y);
  double u = 6.5 * 6.5, a = 0;
  const auto slope = [](double angle, double square) {
    return -0.2 * std::abs(square + 9.81 * std::cos(angle)) - 2 * 9.81 * std::sin(angle);
  };
  const int steps = 200000;
  bool turned = false;
  for (int k = 0; k < steps; ++k) {
    const double h = end / steps, k1 = slope(a, u), k2 = slope(a + h / 2, u + h / 2 * k1),
                 k3 = slope(a + h / 2, u + h / 2 * k2), k4 = slope(a + h, u + h * k3);
    u += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    a += h;
    turned = turned || u + 9.81 * std::cos(a) < 0;
  }
  ASSERT_TRUE(turned);
  const double v2 = std::pow(report["v"]["x"].get<double>(), 2) + std::pow(report["v"]["y"].get<double>(), 2);
  EXPECT_NEAR(v2, u, 1e-7);
}

// A pendulum in a bearing rests below the angle with l sin(a) = mu R, exactly, and not above: from there it turns back
// for half a period of 2 pi sqrt(4 l/(3 g)), 0.82, and rests again.
TEST(ContactLoads, ABearingHoldsUpToItsAngle) {
  for (const char* share : {"0.999", "1.001"}) {
    const LoadedJson report = run_loaded(
        "parameter m = 2, l = 0.5, R = 0.05, mu = 0.3, share = 1, a = asin(mu*R/l)*share\n"
        "body arm planar mass m inertia m*l^2/3 at (l*sin(a), -l*cos(a)) angle a\ngravity (0, -9.81)\n"
        "joint revolute pin from ground to arm point (0, l) friction mu radius R\nsolve gauss(3) step 0.01 end 0.5\n",
        {"--set", std::string("share=") + share});
    const bool holds = share[0] == '0';
    EXPECT_EQ(report["contacts"]["pin.friction"]["state"], holds ? "sticking" : "sliding");
    const double moved = report["q"]["arm.phi"].get<double>() - std::asin(0.03) * std::stod(share);
    if (holds) {
      EXPECT_EQ(moved, 0);
    } else {
      EXPECT_LT(moved, -1e-6);
    }
  }
}

// It swings ever less and rests for good; what it had is in the books.
TEST(ContactLoads, APendulumComesToRestInItsBearing) {
  const LoadedJson report = run_loaded(file_text(std::string(source_folder()) + "/models/bearing.alm"));
  EXPECT_EQ(report["contacts"]["pin.friction"]["state"], "sticking");
  EXPECT_LE(0.5 * std::abs(std::sin(report["q"]["arm.phi"].get<double>())), 0.3 * 0.05);
  EXPECT_NEAR(report["v"]["arm.phi"].get<double>(), 0, 1e-14);
  const double lost = report["energy"]["initial"].get<double>() - report["energy"]["final"].get<double>();
  EXPECT_NEAR(report["contacts"]["pin.friction"]["dissipated"].get<double>(), lost, 1e-8);
  EXPECT_GE(times_of(report, "reverse").size(), 5u);
}

// The same pendulum in space.
TEST(ContactLoads, ABearingInSpaceDoesTheSame) {
  const auto at = [](const std::string& text) {
    const std::vector<double> times = times_of(run_loaded(text), "reverse");
    EXPECT_GE(times.size(), 2u);
    return times.size() < 2 ? 0 : times[1];
  };
  const std::string numbers = "parameter m = 2, l = 0.5, R = 0.05, mu = 0.3, a = atan2(0.3, 0.4)\n";
  const double in_plane = at(numbers +
                             "body arm planar mass m inertia m*l^2/3 at (0.3, -0.4) angle a\ngravity (0, -9.81)\n"
                             "joint revolute pin from ground to arm point (0, l) friction mu radius R\n"
                             "solve gauss(3) step 0.005 end 2\n");
  const double in_space =
      at(numbers +
         "body arm mass m inertia (m*l^2/3, m*l^2/3, 0.01) at (0, 0.3, -0.4) rotated a about (1, 0, "
         "0)\ngravity (0, 0, -9.81)\njoint revolute pin from ground axis (1, 0, 0) to arm point "
         "(0, 0, l) friction mu radius R\nsolve gauss(3) step 0.005 end 2\n");
  EXPECT_NEAR(in_space, in_plane, 1e-9);
}

// A block in a guide, pressed by its weight; pulled by a spring it begins to slide at the coefficient at rest.
TEST(ContactLoads, AGuideRubsByWhatPressesIt) {
  const LoadedJson stops = run_loaded(
      "body block planar mass 3 inertia 1 at (0, 0) velocity (2, 0)\ngravity (0, -9.81)\n"
      "joint prismatic guide from ground axis (1, 0) to block friction 0.2\nsolve gauss(2) step 0.01 end 2\n");
  ASSERT_EQ(times_of(stops, "stick").size(), 1u);
  EXPECT_NEAR(times_of(stops, "stick")[0], 2 / (0.2 * 9.81), 1e-12);
  EXPECT_NEAR(stops["q"]["block.r"][0].get<double>(), 2 / (0.2 * 9.81), 1e-11);
  const LoadedJson pulled = run_loaded(
      "body block planar mass 3 inertia 1 at (0, 0)\ngravity (0, -9.81)\nload pull on block force (10*t, 0)\n"
      "joint prismatic guide from ground axis (1, 0) to block friction 0.2 static 0.4\nsolve gauss(2) step 0.01 end "
      "2\n");
  ASSERT_EQ(times_of(pulled, "slip").size(), 1u);
  EXPECT_NEAR(times_of(pulled, "slip")[0], 0.4 * 3 * 9.81 / 10, 1e-12);
}

// A brake that is pressed with a given force, and a wheel in no joint at all.
TEST(ContactLoads, ABrakeStopsAWheel) {
  const LoadedJson report = run_loaded(
      "coordinate phi\nkinetic 0.4*phi'^2/2\ncontact brake load 20 friction 0.5 along 0.1*phi'\ninitial phi' = 3\n"
      "solve gauss(2) step 0.05 end 2\n");
  ASSERT_EQ(times_of(report, "stick").size(), 1u);
  EXPECT_NEAR(times_of(report, "stick")[0], 0.4 * 3 / (0.5 * 20 * 0.1), 1e-12);
  EXPECT_NEAR(report["contacts"]["brake"]["dissipated"].get<double>(), 0.4 * 9 / 2, 1e-12);
}

// Pulled ever harder a braked wheel stands until the brake cannot hold it any more.
TEST(ContactLoads, ABrakeHoldsUpToItsLoad) {
  const LoadedJson report = run_loaded(
      "coordinate phi\nkinetic 0.4*phi'^2/2\nforce phi = 2*t\ncontact brake load 20 friction 0.5 along 0.1*phi'\n"
      "solve gauss(2) step 0.05 end 1\n");
  ASSERT_EQ(times_of(report, "slip").size(), 1u);
  EXPECT_NEAR(times_of(report, "slip")[0], 0.5 * 20 * 0.1 / 2, 1e-12);
  EXPECT_NEAR(report["v"]["phi"].get<double>(), (1 - 0.25 - 0.5) / 0.4, 1e-12);  // t^2 - t from 0.5 on
}

// A stroke on a rod in a rubbing pin: the pin takes the impulse R = w/2 - P, and friction mu r |R| of the turn.
TEST(ContactLoads, FrictionInAJointTakesPartInImpacts) {
  const LoadedJson report = run_loaded(
      "parameter mu = 0.4, r = 0.1\nbody rod planar mass 1 inertia 1/12 at (0, -1/2)\n"
      "joint revolute h from ground to rod point (0, 1/2) friction mu radius r\ncoordinate x = -1\nkinetic x'^2/4\n"
      "contact c: rod.point(0, -1/2)[1] - x >= 0\ninitial x' = 2\nsolve gauss(3) step 0.01 end 0.51\n");
  // w/3 = P - mu r |w/2 - P|, 2 - 2 P = w: with P < w/2 the bound is mu r (w/2 - P).
  const double b = 0.04, w = 2 * (1 + b) / 2 / (1.0 / 3 + (1 + b) / 2 + b / 2);
  for (const LoadedJson& event : report["events"]) {
    if (event["kind"] != "impact") continue;
    EXPECT_NEAR(event["v"]["rod.phi"].get<double>(), w, 1e-12);
    return;
  }
  FAIL() << "no impact";
}

TEST(ContactLoads, ColumnsAndRefusals) {
  const Folder folder;
  const std::string text =
      "coordinate x = 1, y\nkinetic (x'^2 + y'^2)/2\nconstraint ring(N): norm((x, y)) = 1\n"
      "contact rub load abs(N) friction 0.3 along x*y' - y*x'\ninitial y' = 2\nsolve gauss(2) step 0.1 end 0.2\n";
  const std::string model = folder.write("model.alm", text), csv = folder / "rub.csv";
  EXPECT_EQ(program({"run", model, "--quiet", "--out", csv}).code, 0);
  const std::string head = file_text(csv).substr(0, file_text(csv).find('\n'));
  EXPECT_NE(head.find("rub.force,rub.slip,rub.friction,rub.state"), std::string::npos) << head;
  EXPECT_EQ(head.find("rub.gap"), std::string::npos);
  const Outcome refused = program({"run", model, "--method", "moreau"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("friction in joints"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace alembert::internal::apps_test
