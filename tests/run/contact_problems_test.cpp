// Problems of contact from textbooks, against their closed forms.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

using ProblemJson = nlohmann::ordered_json;

ProblemJson solved_problem(const std::string& text, const std::vector<std::string>& more = {}) {
  const Folder folder;
  std::vector<std::string> words = {"run", folder.write("model.alm", text), "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = program(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return ProblemJson::parse(outcome.out);
}

/// The n-th event of a kind; an empty one where there is none.
ProblemJson happening(const ProblemJson& report, const std::string& kind, std::size_t n = 0) {
  for (const ProblemJson& event : report["events"])
    if (event["kind"] == kind && n-- == 0) return event;
  ADD_FAILURE() << "no '" << kind << "': " << report["events"];
  return {};
}

double number(const ProblemJson& value) { return value.get<double>(); }

// From a sphere a point leaves where cos = 2/3 of that at the start, a rolling ball at 10/17. Rolling needs any
// friction at the end, where nothing presses: it slips a little before, the less the larger the coefficient is.
TEST(ContactProblems, ABallLeavesASphere) {
  const std::string ball =
      "parameter R = 1, r = 0.25, a = 0.3\ncoordinate x = (R + r)*sin(a), y = (R + r)*cos(a), phi\n"
      "kinetic (x'^2 + y'^2)/2 + r^2*phi'^2/5\npotential 9.81*y\n";
  const std::string solve = "\nsolve gauss(4) step 0.005 end 1\n", gap = "contact c: norm((x, y)) - R - r >= 0";
  const ProblemJson slides = happening(solved_problem(ball + gap + solve), "open");
  EXPECT_NEAR(number(slides["q"]["y"]) / 1.25 / std::cos(0.3), 2.0 / 3, 1e-13);
  const ProblemJson rolls =
      happening(solved_problem(ball + gap + " friction 1000 along (x'*y - y'*x)/(R + r) + r*phi'" + solve), "open");
  EXPECT_NEAR(number(rolls["q"]["y"]) / 1.25 / std::cos(0.3), 10.0 / 17, 2e-5);
}

TEST(ContactProblems, ALadderLeavesTheWall) {
  const ProblemJson report = solved_problem(
      "parameter L = 2, a = 0.3\nbody rod planar mass 1 inertia L^2/12 at (L/2*sin(a), L/2*cos(a)) angle a\n"
      "gravity (0, -9.81)\ncontact wall from rod point (0, L/2) to ground plane axis (1, 0)\n"
      "contact floor from rod point (0, -L/2) to ground plane axis (0, 1)\nsolve gauss(4) step 0.005 end 0.7\n");
  EXPECT_NEAR(std::cos(number(happening(report, "open")["q"]["rod.phi"])), 2.0 / 3 * std::cos(0.3), 1e-12);
}

/// When a block of width 2 b and height 2 h, let go at an angle a, has rocked for the last time: the times on its
/// corners, by quadrature, with angular velocities that shrink by Housner's ratio, and in the end as a geometric
/// series.
double end_of_rocking(double b, double h, double a) {
  const double R = std::hypot(b, h), corner = std::atan2(b, h), J = 4.0 / 3 * R * R, g = 9.81;
  const double ratio = 1 - 1.5 * b * b / (b * b + h * h);
  // From an angle down to 0; with x^2 = 1 - angle/top nothing is singular.
  const auto by_midpoints = [&](double top, int n) {
    double sum = 0;
    for (int k = 0; k < n; ++k) {
      const double x = (k + 0.5) / n, lower = top * x * x / 2;
      sum += 2 * top * x / std::sqrt(4 * g * R / J * std::sin(corner - top + lower) * std::sin(lower));
    }
    return sum / n;
  };
  const auto falls = [&](double top) { return (4 * by_midpoints(top, 400) - by_midpoints(top, 200)) / 3; };
  double t = falls(a), w2 = 4 * g * R / J * std::sin(corner - a / 2) * std::sin(a / 2);
  while (w2 > 1e-14) {
    w2 *= ratio * ratio;
    double top = 0;  // 2 sin(corner - top/2) sin(top/2) = J w^2/(2 g R)
    for (int k = 0; k < 20; ++k)
      top -= (2 * std::sin(corner - top / 2) * std::sin(top / 2) - J * w2 / (2 * g * R)) / std::sin(corner - top);
    t += 2 * falls(top);
  }
  return t + 2 * std::sqrt(w2) * J / (g * b) * ratio / (1 - ratio);
}

// A block that rocks accumulates impacts at two corners by turns, and then stands on both.
TEST(ContactProblems, ARockingBlockComesToRest) {
  for (const double b : {0.2, 0.5, 1.0}) {
    const ProblemJson report = solved_problem(
        "parameter b = " + std::to_string(b) + ", h = 1.2, a = 0.1\nbody k planar mass 1 inertia (b^2 + h^2)/3 at " +
        "(-b + b*cos(a) - h*sin(a), b*sin(a) + h*cos(a)) angle a\ngravity (0, -9.81)\n" +
        "contact floor from k box (2*b, 2*h) to ground plane friction 5\nsolve gauss(3) step 0.005 end 21\n");
    EXPECT_EQ(report["contacts"]["floor[1]"]["state"], "sticking");
    EXPECT_EQ(report["contacts"]["floor[2]"]["state"], "sticking");
    EXPECT_NEAR(number(report["energy"]["final"]), 9.81 * 1.2, 1e-12);
    EXPECT_LT(number(report["energy"]["max_error"]), 1e-9);
    EXPECT_NEAR(number(happening(report, "close")["t"]), end_of_rocking(b, 1.2, 0.1), 1e-8);
  }
}

// A disc rolls off another one, sideways, and the force between them ends by and by: it never pulls, whatever the
// rounding at the moment at which it opens.
TEST(ContactProblems, DiscsPartWhereTheirForceEnds) {
  const std::string text =
      "coordinate x = 0.57, y = 0.1, u, w\nkinetic (x'^2 + y'^2 + u'^2 + w'^2)/2\npotential 9.81*(y + w)\n"
      "contact floor: y - 0.1 >= 0 friction 0.5 along x'\n"
      "contact pair: norm((x - u, y - w)) - 0.2 >= 0\nobserve force: pair.force\n"
      "initial u = 0.57 + 0.2*sin(0.1), w = 0.1 + 0.2*cos(0.1), u' = 0.1\n";
  for (const char* step : {"0.005", "0.0025", "0.00125", "0.001", "0.0007", "0.0003"}) {
    const ProblemJson report = solved_problem(text + "solve gauss(3) step " + step + " end 0.4\n");
    EXPECT_GE(number(report["observed"]["force"]["min"]), -1e-8) << step;
    EXPECT_LT(number(report["energy"]["max_error"]), 1e-9) << step;
    EXPECT_EQ(report["contacts"]["pair"]["state"], "open") << step;
  }
}

// What lies on a block bounces with it without pressing, and comes to rest with it.
TEST(ContactProblems, AStackFallsAndRests) {
  const ProblemJson report = solved_problem(
      "parameter N = 3\nfamily i = 1..N\ncoordinate x[i], y[i]\nkinetic sum(i, (x[i]'^2 + y[i]'^2)/2)\n"
      "potential sum(i, 9.81*y[i])\ncontact g: y[1] >= 0 restitution 0.17 friction 0.57 along x[1]'\n"
      "contact s: y[i] - y[i-1] - 0.1 >= 0 restitution 0.07 friction 0.33 along x[i]' - x[i-1]' for i = 2..N\n"
      "initial y[2] = 0.123, y[3] = 0.223, x[1]' = 1.8, x[2]' = -1.8, x[3]' = 1.2\nsolve gauss(3) step 0.005 end 2\n");
  EXPECT_NEAR(number(report["energy"]["final"]), 9.81 * 0.3, 1e-12);
  EXPECT_LT(number(report["energy"]["max_error"]), 1e-12);
  for (const auto& [name, contact] : report["contacts"].items()) EXPECT_EQ(contact["state"], "sticking") << name;
}

// One contact of an impact may give what another takes; what was taken in all is what is missing.
TEST(ContactProblems, BooksOfContactsAddUp) {
  const std::string belt =
      "coordinate x = 0.7, y = 0.1, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z + 7*((x - 1)^2 + y^2)\n"
      "contact c: z >= 0 restitution 0.3 friction 0.27 along x' + 0.7, y'\ninitial x' = -1.5, y' = -2.9, z = 0.08\n"
      "solve gauss(3) step 0.005 end 4\n";
  const std::string table =
      "coordinate y = 0.5012316253951392\nkinetic y'^2/2\npotential 9.81*y\n"
      "contact c: y - 0.26443460203464675*sin(18.48409201232011*t) >= 0\nsolve gauss(3) step 0.005 end 6\n";
  for (const std::string& text : {belt, table}) {
    const ProblemJson report = solved_problem(text);
    const ProblemJson& energy = report["energy"];
    EXPECT_NEAR(number(report["contacts"]["c"]["dissipated"]), number(energy["dissipated"]), 1e-9);
    EXPECT_NEAR(number(energy["initial"]) - number(energy["dissipated"]) + number(energy["supplied"]),
                number(energy["final"]), 1e-5);
    EXPECT_LT(number(energy["max_error"]), 1e-5);
  }
}

// Slip in space begins and ends on an ellipsoid, whose contact yields differently in every direction: with other steps
// the same motion.
TEST(ContactProblems, SlipOfAnEllipsoidDoesNotDependOnTheStep) {
  const std::string text =
      "parameter a = 0.234, b = 0.316, c = 0.169\nbody d mass 1 inertia ((b^2 + c^2)/5, (a^2 + c^2)/5, (a^2 + b^2)/5) "
      "at "
      "(0, 0, 0.45) rotated 2.836 about (1, 0.803, -0.939) velocity (-0.949, 0.083, 0) spin (2.635, -0.713, -5.101)\n"
      "gravity (0, 0, -9.81)\ncontact c from d ellipsoid (a, b, c) to ground plane axis (0, 0, 1) friction 0.317\n"
      "solve gauss(3) step 0.004 end 1.4\n";
  const ProblemJson coarse = solved_problem(text), fine = solved_problem(text, {"--step", "0.001"});
  ASSERT_EQ(coarse["events"].size(), fine["events"].size());
  ASSERT_GE(fine["events"].size(), 3U);
  for (std::size_t i = 0; i < fine["events"].size(); ++i) {
    EXPECT_EQ(coarse["events"][i]["kind"], fine["events"][i]["kind"]);
    EXPECT_NEAR(number(coarse["events"][i]["t"]), number(fine["events"][i]["t"]), 2e-6);
  }
  EXPECT_LT(number(coarse["energy"]["max_error"]), 1e-5);
}

// Another program: Siconos steps through the contacts with order 1, and knows its ends as well as half the step says.
TEST(ContactProblems, SiconosComesToTheSameEnds) {
  const ProblemJson others =
      ProblemJson::parse(file_text(std::string(source_folder()) + "/tests/reference/contact_siconos.json"));
  const std::map<std::string, std::string> models = {
      {"hopper",
       "coordinate x = -0.5, y = 0.6\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y + 4*x^2\n"
       "contact floor: y >= 0 restitution 0.5 friction 0.2 along x'\ninitial x' = 2\nsolve gauss(4) step 0.005 end "
       "2\n"},
      {"between_walls",
       "coordinate a = 0.2, b = 0.7\nkinetic a'^2/2 + b'^2\npotential 3/2*(b - a)^2 - 0.5*a\n"
       "contact left: a >= 0 restitution 0.8\ncontact middle: b - a - 0.1 >= 0 restitution 0.6\n"
       "contact right: 1 - b >= 0 restitution 0.7\ninitial a' = -1, b' = 1.5\nsolve gauss(4) step 0.005 end 1.5\n"},
      {"two_blocks",
       "coordinate x, y = 0.1, u, w\nkinetic (x'^2 + y'^2)/2 + u'^2 + w'^2\npotential 9.81*y + 2*9.81*w\n"
       "contact ground: w >= 0 friction 0.05 along u'\ncontact on: y - w - 0.1 >= 0 friction 0.4 along x' - u'\n"
       "initial x' = 3\nsolve gauss(4) step 0.005 end 3\n"}};
  for (const auto& [name, text] : models) {
    const ProblemJson &report = solved_problem(text), &other = others["problems"][name];
    // Steps of order 1 that fall on impacts or not do not shrink evenly: twenty times what half a step changes.
    const double trusted = 20 * number(other["apart"]);
    EXPECT_LT(trusted, 5e-3);
    std::size_t k = 0;
    for (const auto& [coordinate, value] : report["q"].items()) {
      EXPECT_NEAR(number(value), number(other["q"][k]), trusted) << name << " " << coordinate;
      EXPECT_NEAR(number(report["v"][coordinate]), number(other["v"][k]), trusted) << name << " " << coordinate;
      ++k;
    }
  }
}

// Discs that roll, rub and collide between floor, wall and slope, by an implementation of Moreau and Jean's time
// stepping of its own, from event to event and by time stepping here.
TEST(ContactProblems, DiscsComeToTheEndsOfAnotherProgram) {
  const ProblemJson others =
      ProblemJson::parse(file_text(std::string(source_folder()) + "/tests/reference/contact_discs.json"));
  double sharpest = 1;
  for (const ProblemJson& other : others) {
    // Errors of order 1 that depend on where in a step impacts are.
    const double trusted = 20 * number(other["apart"]) + 2e-5;
    EXPECT_LT(trusted, 0.05);
    sharpest = std::min(sharpest, trusted);
    const std::string end = " end " + std::to_string(number(other["end"])) + "\n";
    for (const char* method : {"gauss(3) step 0.002", "moreau step 1e-4"}) {
      const std::string text = std::string(other["model"]) + "solve " + method + end;
      const ProblemJson report = solved_problem(text);
      for (std::size_t i = 0; i < other["q"].size(); ++i) {
        const std::string name = "b" + std::to_string(i) + ".r";
        for (std::size_t k = 0; k < 2; ++k) {
          EXPECT_NEAR(number(report["q"][name][k]), number(other["q"][i][k]), trusted) << text;
          EXPECT_NEAR(number(report["v"][name][k]), number(other["v"][i][k]), trusted) << text;
        }
      }
    }
  }
  EXPECT_LT(sharpest, 1e-4);
}

// A truck whose speed is 2 sin(3 t): the load slips until both have the same speed.
TEST(ContactProblems, ALoadSlipsOnATruck) {
  const ProblemJson report = solved_problem(
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
      "contact bed: y >= 0 friction 0.3 along x' - 2*sin(3*t)\nsolve gauss(4) step 0.01 end 1\n");
  const double t = number(happening(report, "stick")["t"]);
  EXPECT_NEAR(0.3 * 9.81 * t, 2 * std::sin(3 * t), 1e-12);
  EXPECT_NEAR(6 * std::cos(3 * number(happening(report, "slip")["t"])), -0.3 * 9.81, 1e-11);
}

// A coin on a table that turns ever faster slips where centrifugal and tangential acceleration reach the cone together.
TEST(ContactProblems, ACoinSlipsOnATurntable) {
  const ProblemJson report = solved_problem(
      "parameter al = 2\ncoordinate x = 0.5, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\n"
      "contact c: z >= 0 friction 0.4 along x' + al*t*y, y' - al*t*x\nsolve gauss(3) step 0.01 end 1.5\n");
  const double t = std::sqrt(std::sqrt(std::pow(0.4 * 9.81, 2) - 1) / 0.5) / 2;
  EXPECT_NEAR(number(happening(report, "slip")["t"]), t, 1e-12);
}

// A cube that meets a curb turns with 3 v/(4 L).
TEST(ContactProblems, ACubeStumbles) {
  const ProblemJson report = solved_problem(
      "parameter L = 1\nbody cube planar mass 1 inertia L^2/6 at (-1 - L/2, L/2) velocity (2, 0)\n"
      "gravity (0, -9.81)\ncontact floor from cube box (L, L) to ground plane axis (0, 1)\n"
      "contact curb from cube point (L/2, -L/2) to ground plane axis (-1, 0) point (0, 0) friction 1000\n"
      "solve gauss(3) step 0.005 end 0.55\n");
  EXPECT_NEAR(number(happening(report, "impact")["v"]["cube.phi"]), -1.5, 1e-12);
}

// In a drum that turns fast a particle slides: the square of its rate is known over the angle.
TEST(ContactProblems, AParticleSlidesInADrum) {
  const ProblemJson report = solved_problem(
      "parameter mu = 0.5\ncoordinate x, y = -1\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
      "contact wall: 1 - norm((x, y)) >= 0 friction mu along x*y' - y*x' - 20\nsolve gauss(4) step 0.002 end 1\n");
  const double x = number(report["q"]["x"]), y = number(report["q"]["y"]), angle = std::atan2(x, -y);
  const double rate = x * number(report["v"]["y"]) - y * number(report["v"]["x"]);
  const double b = 6 * 0.5 * 9.81 / (1 + 4 * 0.25), a = 2 * 9.81 - b;
  EXPECT_NEAR(rate * rate, a * std::cos(angle) + b * std::sin(angle) - a * std::exp(angle), 1e-10);
  EXPECT_GT(angle, 0.5);
}

// Over a pulley: what falls pulls the other up by m1/(m1 + m2) of its speed, which lands 2 v/g later.
TEST(ContactProblems, ARopeTightensOverAPulley) {
  const ProblemJson report = solved_problem(
      "coordinate a = 1, b\nkinetic a'^2/2 + b'^2\npotential 9.81*a + 19.62*b\ncontact rope: a + b >= 0\n"
      "contact table: b >= 0\nsolve gauss(3) step 0.01 end 1.5\n");
  const double t = std::sqrt(2 / 9.81), v = 9.81 * t;
  EXPECT_NEAR(number(happening(report, "impact")["v"]["b"]), v / 3, 1e-12);
  EXPECT_NEAR(number(happening(report, "impact", 1)["t"]), t + 2 * v / 9.81, 1e-11);
}

// A pin that strikes a hanging rod, and the constraint of its joint.
TEST(ContactProblems, ARodIsStruckAtAnyPoint) {
  for (const double d : {2.0 / 3, 0.9}) {
    const ProblemJson report = solved_problem(
        "parameter d = 0\nbody rod planar mass 1 inertia 1/12 at (0, -1/2)\n"
        "joint revolute h from ground to rod point (0, 1/2)\ncoordinate x = -1\nkinetic x'^2/4\n"
        "contact c: rod.point(0, 1/2 - d)[1] - x >= 0 restitution 0.5\ninitial x' = 2\nsolve gauss(3) step 0.01 end "
        "0.6\n",
        {"--set", "d=" + std::to_string(d)});
    const double at = std::stod(std::to_string(d));
    EXPECT_NEAR(number(happening(report, "impact")["v"]["rod.phi"]), 3 * at / (at * at + 2.0 / 3), 1e-12);
  }
}

TEST(ContactProblems, ATiltedDiskMeetsTheFloorWithItsRim) {
  const ProblemJson report = solved_problem(
      "parameter R = 0.2, a = 0.4\nbody d mass 1 inertia (R^2/4, R^2/4, R^2/2) at (0, 0, 0.5 + R*sin(a)) "
      "rotated a about (0, 1, 0) velocity (0, 0, -1)\n"
      "contact k from d disk R axis (0, 0, 1) to ground plane axis (0, 0, 1) restitution 0.5\n"
      "solve gauss(3) step 0.005 end 0.6\n");
  const double arm = 0.2 * std::cos(0.4), impulse = 1.5 / (1 + arm * arm / 0.01);
  EXPECT_NEAR(number(happening(report, "impact")["t"]), 0.5, 1e-13);
  EXPECT_NEAR(number(happening(report, "impact")["v"]["d.r"][2]), impulse - 1, 1e-12);
}

// An ellipsoid on ice rocks about its short axis with w^2 = m g (a^2 - c^2)/(c J).
TEST(ContactProblems, AnEllipsoidRocks) {
  const ProblemJson report = solved_problem(
      "parameter a = 0.3, b = 0.2, c = 0.1, w0 = 1e-4\nbody e mass 1 inertia ((b^2 + c^2)/5, (a^2 + c^2)/5, (a^2 + "
      "b^2)/5) at (0, 0, c) omega (0, w0, 0)\ngravity (0, 0, -9.81)\n"
      "contact k from e ellipsoid (a, b, c) to ground plane axis (0, 0, 1)\nobserve tip: e.direction(1, 0, 0)[3]\n"
      "solve gauss(3) step 0.005 end 1\n");
  const double w = std::sqrt(9.81 * 0.08 / 0.1 / 0.02);
  EXPECT_NEAR(number(report["observed"]["tip"]["final"]), -1e-4 / w * std::sin(w), 1e-11);
}

// Resistance to rolling stops a ball after v^2 7 R/(10 rho g), and all it had is in the books.
TEST(ContactProblems, RollingAndDrillingResistanceStopABall) {
  const ProblemJson report = solved_problem(
      "parameter R = 0.1, J = 2/5*R^2\nbody ball mass 1 inertia (J, J, J) at (0, 0, R) velocity (1, 0, 0) "
      "omega (0, 10, 3)\ngravity (0, 0, -9.81)\ncontact c from ball sphere R to ground plane axis (0, 0, 1) "
      "friction 0.5 rolling 0.002 drilling 0.0005\nsolve gauss(3) step 0.02 end 8\n");
  EXPECT_NEAR(number(report["q"]["ball.r"][0]), 7 * 0.1 / (10 * 0.002 * 9.81), 1e-10);
  EXPECT_NEAR(number(report["contacts"]["c"]["dissipated"]), 0.5 + 0.002 * 109, 1e-10);
}

// Friction that grows with the way: a quarter of an oscillation.
TEST(ContactProblems, FrictionMayDependOnThePlace) {
  const ProblemJson report = solved_problem(
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\ncontact c: y >= 0 friction 0.1*x along x'\n"
      "initial x' = 2\nsolve gauss(4) step 0.01 end 3\n");
  const double w = std::sqrt(0.981);
  EXPECT_NEAR(number(happening(report, "stick")["t"]), M_PI / 2 / w, 1e-11);
  EXPECT_NEAR(number(report["q"]["x"]), 2 / w, 1e-11);
}

// A swing on a rope: it becomes slack at the height 8/15 (angle a), is a parabola, and tightens at the angle -3 a, as
// every parabola that osculates a circle. Elastic, it keeps its energy.
TEST(ContactProblems, ARopeBecomesSlackAndTightens) {
  const ProblemJson report = solved_problem(
      "coordinate x, y = -1\nkinetic (x'^2 + y'^2)/2\npotential 10*y\n"
      "contact rope: 1 - norm((x, y)) >= 0 restitution 1\ninitial x' = 6\nsolve gauss(4) step 0.005 end 10\n");
  const double a = std::asin(8.0 / 15);
  const ProblemJson slack = happening(report, "open"), tight = happening(report, "impact");
  EXPECT_NEAR(number(slack["q"]["y"]), 8.0 / 15, 1e-12);
  EXPECT_NEAR(number(tight["q"]["y"]), -std::sin(3 * a), 1e-11);
  EXPECT_NEAR(std::abs(number(tight["q"]["x"])), std::abs(std::cos(3 * a)), 1e-11);
  EXPECT_LT(number(report["energy"]["max_error"]), 1e-12);
}

// One motion: an impact takes all velocities by -e, and 1 - e^2 of the kinetic energy.
TEST(ContactProblems, AFourBarMeetsAStop) {
  const ProblemJson report =
      solved_problem(file_text(source_folder() + "/models/four_bar_stop.alm"), {"--set", "e=0.6", "--end", "1.2"});
  double energy = report["energy"]["initial"], lost = 0;
  int impacts = 0;
  for (const ProblemJson& event : report["events"]) {
    if (event["kind"] != "impact") continue;
    ++impacts;
    const double potential = 9.81 * (number(event["q"]["y1"]) + 2 * number(event["q"]["y2"]));
    double after = 0;
    for (const char* name : {"x1", "y1"}) after += std::pow(number(event["v"][name]), 2) / 2;
    for (const char* name : {"x2", "y2"}) after += std::pow(number(event["v"][name]), 2);
    EXPECT_NEAR(number(event["q"]["x2"]), 2.8, 1e-12);
    EXPECT_NEAR(after, 0.36 * (energy - potential), 1e-9);
    lost += energy - potential - after;
    energy = potential + after;
  }
  EXPECT_GE(impacts, 1);
  EXPECT_NEAR(number(report["contacts"]["stop"]["dissipated"]), lost, 1e-9);
}

// Down the pole: impacts and friction take the height that it loses, and time stepping finds the same way.
TEST(ContactProblems, AWoodpeckerComesDown) {
  const std::string model = file_text(source_folder() + "/models/woodpecker.alm");
  const ProblemJson events = solved_problem(model, {"--end", "0.3"});
  EXPECT_LT(number(events["energy"]["max_error"]), 1e-9);
  double dissipated = 0;
  for (const auto& [name, contact] : events["contacts"].items()) dissipated += number(contact["dissipated"]);
  EXPECT_NEAR(dissipated, number(events["energy"]["initial"]) - number(events["energy"]["final"]), 1e-9);
  const ProblemJson steps =
      solved_problem(model, {"--end", "0.3", "--method", "nonsmooth_rattle", "--step", "2e-5", "--quiet"});
  EXPECT_NEAR(number(steps["q"]["y"]), number(events["q"]["y"]), 3e-4);
  EXPECT_LT(number(events["q"]["y"]), -0.005);
}

// Two corners of a square at once, a hundred times.
TEST(ContactProblems, ABilliardBallMeetsTwoWallsAtOnce) {
  const ProblemJson report = solved_problem(
      "coordinate x = 0.5, y = 0.5\nkinetic (x'^2 + y'^2)/2\ncontact l: x >= 0 restitution 1\n"
      "contact r: x <= 1 restitution 1\ncontact d: y >= 0 restitution 1\ncontact u: y <= 1 restitution 1\n"
      "initial x' = 1, y' = 1\nsolve gauss(2) step 0.05 end 50.25\n");
  EXPECT_EQ(report["events"].size(), 100u);
  EXPECT_NEAR(number(report["q"]["x"]), 0.75, 1e-12);
  EXPECT_NEAR(number(report["q"]["y"]), 0.75, 1e-12);
}

}  // namespace
}  // namespace alembert::internal::apps_test
