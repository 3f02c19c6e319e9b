// Contacts that change together, and random models of contact: nothing pulls, nothing goes inside, friction stays in
// its cone, the books close, and another way of following the same motion comes to the same end.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "apps/program.h"

namespace alembert::internal::apps_test {
namespace {

using RandomJson = nlohmann::ordered_json;

struct Followed {
  RandomJson report;
  std::map<std::string, std::vector<double>> columns;
};

/// A run with its columns.
Followed followed(const std::string& text, const std::vector<std::string>& more = {}) {
  const Folder folder;
  std::vector<std::string> words = {"run", folder.write("model.alm", text), "--json", "--out", folder / "rows.csv"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = program(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err << text;
  Followed found;
  found.report = outcome.code == 0 ? RandomJson::parse(outcome.out) : RandomJson();
  std::istringstream rows(file_text(folder / "rows.csv"));
  std::vector<std::string> names;
  for (std::string line; std::getline(rows, line);) {
    std::istringstream fields(line);
    std::size_t k = 0;
    for (std::string field; std::getline(fields, field, ','); ++k) {
      if (found.columns.size() <= k && names.size() <= k) names.push_back(field);
      else found.columns[names[k]].push_back(std::strtod(field.c_str(), nullptr));
    }
  }
  return found;
}

double largest_of(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

/// mu: at rest and while it slips, for each contact with friction in the plane.
void expect_lawful(const Followed& run, const std::map<std::string, double>& mu, double account) {
  double force = 1e-9;
  for (const auto& [name, contact] : run.report["contacts"].items())
    force = std::max(force, largest_of(run.columns.at(name + ".force")));
  for (const auto& [name, contact] : run.report["contacts"].items()) {
    const std::vector<double>&normal = run.columns.at(name + ".force"), &gap = run.columns.at(name + ".gap");
    for (std::size_t i = 0; i < normal.size(); ++i) {
      ASSERT_GE(normal[i], -1e-9 * force) << name << " pulls in row " << i;
      ASSERT_GE(gap[i], -1e-9) << name << " goes inside in row " << i;
    }
    if (!mu.contains(name)) continue;
    const std::vector<double>&friction = run.columns.at(name + ".friction"), &slip = run.columns.at(name + ".slip"),
          &state = run.columns.at(name + ".state");
    const double speed = largest_of(slip);
    for (std::size_t i = 0; i < normal.size(); ++i) {
      ASSERT_LE(std::abs(friction[i]), mu.at(name) * normal[i] + 1e-7 * force) << name << " in row " << i;
      if (state[i] == 3) { ASSERT_LE(std::abs(slip[i]), 1e-9 * speed + 1e-12) << name << " sticks in row " << i; }
      if (state[i] == 2) { ASSERT_LE(friction[i] * slip[i], 1e-9 * force * speed) << name << " in row " << i; }
    }
  }
  const RandomJson& energy = run.report["energy"];
  const double size = std::abs(energy["initial"].get<double>()) + energy["dissipated"].get<double>() + 1;
  EXPECT_LT(energy["max_error"].get<double>(), account * size);
}

// A disc rolls against a wall and comes back by its spin. With restitution 1/5 it rolls again exactly where it meets
// the wall again, with a fifth of the speed, v (1 + e)/(3 mu g) later: it is at rest v/(2 mu g) behind the first
// impact.
TEST(ContactTogether, ADiscRollsAgainWhereItMeetsTheWall) {
  const double mu = 0.1167, g = 9.81, v = 1.5;
  for (const char* method : {"gauss(2)", "gauss(3)"}) {
    const Followed run = followed(
        "parameter R = 0.1, v = 1.5\nbody d planar mass 0.9 inertia 0.9*R^2/2 at (0, R) velocity (-v, 0) spin v/R\n"
        "gravity (0, -9.81)\ncontact floor from d sphere R to ground plane axis (0, 1) friction 0.1167\n"
        "contact wall from d sphere R to ground plane axis (1, 0) point (-1, 0) restitution 0.2\n"
        "solve gauss(2) step 0.01 end 2\n",
        {"--method", method});
    double t = 0.9 / v, speed = v;
    int n = 0;
    for (const auto& event : run.report["events"]) {
      if (event["name"] != "wall" || event["kind"] != "impact" || n == 5) continue;
      EXPECT_NEAR(event["t"].get<double>(), t, 1e-9) << n;
      EXPECT_NEAR(event["v"]["d.r"][0].get<double>(), speed / 5, 1e-9) << n;
      t += speed * 1.2 / (3 * mu * g);
      speed /= 5;
      ++n;
    }
    EXPECT_EQ(n, 5);
    EXPECT_NEAR(run.report["q"]["d.r"][0].get<double>(), -0.9, 1e-9);
    EXPECT_NEAR(run.report["energy"]["final"].get<double>(), 0.9 * g * 0.1, 1e-9);
    expect_lawful(run, {{"floor", mu}}, 1e-9);
  }
}

// Blocks that lie on each other fall, slide and stick together: none of them meets the other.
TEST(ContactTogether, BlocksThatLieOnEachOtherHaveNoImpacts) {
  const std::string stack =
      "parameter a = 0.3963, g = 9.81\ncoordinate x0, y0, x1, y1 = 0.5, x2, y2 = 1\n"
      "kinetic 0.6582/2*(x0'^2+y0'^2) + 1.211/2*(x1'^2+y1'^2) + 1.7858/2*(x2'^2+y2'^2)\n"
      "potential g*(0.6582*(y0*cos(a)-x0*sin(a)) + 1.211*(y1*cos(a)-x1*sin(a)) + 1.7858*(y2*cos(a)-x2*sin(a)))"
      " + 16.8709*x0^2\n"
      "contact f0: y0 >= 0 restitution 0.9 friction 0.4774 along x0'\n"
      "contact f1: y1 - y0 - 0.5 >= 0 restitution 0.9 friction 0.7478 along x1' - x0'\n"
      "contact f2: y2 - y1 - 0.5 >= 0 restitution 0.7 friction 0.8398 along x2' - x1'\n"
      "initial x0'=-1.3081, x1'=-1.1622, x2'=1.6848\nsolve gauss(4) step 0.0015151515151515154 end 0.3\n";
  const Followed run = followed(stack);
  for (const char* contact : {"f0", "f1", "f2"}) EXPECT_EQ(run.report["contacts"][contact]["impacts"], 0) << contact;
  EXPECT_NEAR(run.report["q"]["y2"].get<double>(), 1, 1e-13);
  expect_lawful(run, {{"f0", 0.4774}, {"f1", 0.7478}, {"f2", 0.8398}}, 1e-11);
  // The middle block sticks to the lowest one when their speeds are the same, under constant forces and the spring.
  const double m0 = 0.6582, m1 = 1.211, m2 = 1.7858, down = 9.81 * std::sin(0.3963), press = 9.81 * std::cos(0.3963);
  const double f1 = 0.7478 * (m1 + m2) * press, w = std::sqrt(2 * 16.8709 / m0);
  const double reach = (m0 * down + 0.4774 * (m0 + m1 + m2) * press + f1) / (m0 * w * w);
  const double a1 = down + (0.8398 * m2 * press - f1) / m1;
  double low = 0, high = 0.01;
  for (int n = 0; n < 60; ++n) {
    const double t = (low + high) / 2;
    const double apart = -1.1622 + a1 * t - (reach * w * std::sin(w * t) - 1.3081 * std::cos(w * t));
    (apart > 0 ? low : high) = t;
  }
  EXPECT_EQ(run.report["events"][0]["kind"], "stick");
  EXPECT_NEAR(run.report["events"][0]["t"].get<double>(), low, 1e-12);
}

// A square box slides over a corner. Its friction brings the load in front of its middle, by mu H = a of a base of half
// width a, so that the shortest forces on four corners would pull at the last one; three bear it. It stops after v/(mu
// g) on a straight line.
TEST(ContactTogether, ABoxSlidesOverItsCorner) {
  const double mu = 0.8, g = 9.81, v = 1.2;
  const Followed run = followed(
      "parameter v = 1.2\nbody b mass 2 inertia (0.07, 0.07, 0.05) at (0, 0, 0.25) velocity (v/sqrt(2), v/sqrt(2), 0)\n"
      "gravity (0, 0, -9.81)\ncontact c from b box (0.4, 0.4, 0.5) to ground plane axis (0, 0, 1) friction 0.8\n"
      "solve gauss(3) step 0.005 end 0.4\n");
  const double way = v * v / (2 * mu * g) / std::sqrt(2);
  EXPECT_NEAR(run.report["q"]["b.r"][0].get<double>(), way, 1e-9);
  EXPECT_NEAR(run.report["q"]["b.r"][1].get<double>(), way, 1e-9);
  EXPECT_NEAR(run.report["energy"]["dissipated"].get<double>(), v * v, 1e-9);
  double last = 0;
  for (const auto& event : run.report["events"])
    if (event["kind"] == "stick") last = std::max(last, event["t"].get<double>());
  EXPECT_NEAR(last, v / (mu * g), 1e-9);
  expect_lawful(run, {}, 1e-9);
}

// It spins about the vertical on four corners: m g mu times their distance brakes it.
TEST(ContactTogether, ABoxSpinsOnItsCorners) {
  const Followed run = followed(
      "body b mass 2 inertia (0.05, 0.05, 0.03) at (0, 0, 0.05) spin (0, 0, 4)\ngravity (0, 0, -9.81)\n"
      "contact c from b box (0.3, 0.4, 0.1) to ground plane axis (0, 0, 1) friction 0.2\n"
      "solve gauss(3) step 0.002 end 0.5\n");
  double last = 0;
  for (const auto& event : run.report["events"])
    if (event["kind"] == "stick") last = std::max(last, event["t"].get<double>());
  EXPECT_NEAR(last, 0.03 * 4 / (2 * 9.81 * 0.2 * 0.25), 1e-8);
  EXPECT_NEAR(run.report["energy"]["dissipated"].get<double>(), 0.03 * 16 / 2, 1e-8);
}

// A box leans on a slope: the corner above bears a quarter of the weight, and the half of the friction that the
// shortest forces would give it is beyond its bound. The columns hold forces that the laws allow.
TEST(ContactTogether, SharedLoadsStayInTheirCones) {
  const double m = 2, across = 3.3104;
  const Followed run = followed(
      "body b planar mass 2 inertia 0.2 at (0, 0.25)\ngravity (3.3104, -9.81)\n"
      "contact c from b box (0.34, 0.5) to ground plane axis (0, 1) friction 0.4592\nsolve gauss(3) step 0.01 end "
      "0.2\n");
  expect_lawful(run, {{"c[1]", 0.4592}, {"c[2]", 0.4592}, {"c[3]", 0.4592}, {"c[4]", 0.4592}}, 1e-12);
  double along = 0, normal = 0;
  for (int i = 1; i <= 4; ++i) {
    along += run.columns.at("c[" + std::to_string(i) + "].friction").back();
    normal += run.columns.at("c[" + std::to_string(i) + "].force").back();
  }
  EXPECT_NEAR(along, -m * across, 1e-10);
  EXPECT_NEAR(normal, m * 9.81, 1e-10);
}

// A box slides and turns on four corners. Its load is shared as between equal springs, so that the motion does not
// depend on the method and has the order of its method: it had order 1, and the books were off by 1e-5.
TEST(ContactTogether, ABoxThatSlidesAndTurnsHasOneMotion) {
  const std::string text =
      "body k mass 0.893 inertia (0.018, 0.021, 0.014) at (0, 0, 0.1835) velocity (-1.2, 1.6, 0) spin (0, 0, 5.2)\n"
      "gravity (0, 0, -9.81)\ncontact c from k box (0.5, 0.3, 0.367) to ground plane axis (0, 0, 1) friction 0.42\n"
      "solve gauss(3) step 0.004 end 0.3\n";
  const Followed fine = followed(text, {"--step", "0.001"});
  const double turned = std::abs(fine.report["q"]["k.r"][0].get<double>());
  EXPECT_GT(turned, 0.05);
  const std::map<std::string, double> errors = {{"gauss(3)", 1e-10}, {"lobatto(3)", 1e-7}, {"gauss(2)", 1e-7}};
  for (const auto& [method, error] : errors) {
    const Followed run = followed(text, {"--method", method});
    for (int i = 0; i < 2; ++i)
      EXPECT_NEAR(run.report["q"]["k.r"][i].get<double>(), fine.report["q"]["k.r"][i].get<double>(), error) << method;
    expect_lawful(run, {}, 100 * error);
    const auto& c = run.columns;
    for (std::size_t i = 0; i < c.at("t").size(); ++i) {
      const double f1 = c.at("c[1].force")[i], f2 = c.at("c[2].force")[i], f3 = c.at("c[3].force")[i],
                   f4 = c.at("c[4].force")[i];
      EXPECT_NEAR(f1 + f2 + f3 + f4, 0.893 * 9.81, 1e-8) << method << i;
      if (c.at("c[1].state")[i] * c.at("c[2].state")[i] * c.at("c[3].state")[i] * c.at("c[4].state")[i] != 16) continue;
      EXPECT_NEAR(f1 + f4, f2 + f3, 1e-8) << method << i;
    }
  }
}

// Its friction carries the load beyond an edge, so that it tips there: two corners leave at once, where the force of
// one of them is 0 and would become negative.
TEST(ContactTogether, ASlidingBoxTipsOverAnEdge) {
  const Followed run = followed(
      "body k mass 1.256 inertia (0.031320, 0.042996, 0.025075) at (0, 0, 0.2425) velocity (1.494, -1.57, 0) "
      "spin (0, 0, 5.593)\ngravity (0, 0, -9.81)\n"
      "contact c from k box (0.419, 0.253, 0.485) to ground plane axis (0, 0, 1) friction 0.851\n"
      "solve gauss(3) step 0.004 end 0.3\n");
  expect_lawful(run, {}, 1e-5);
  EXPECT_GT(largest_of(run.columns.at("k.r[3]")), 0.2426);
}

/// Models with contacts of five kinds, with numbers drawn at random; the same with every compiler.
class RandomModels {
 public:
  std::string next(int kind) {
    std::ostringstream out;
    const auto u = [&](double a, double b) {
      const auto top = static_cast<double>(std::minstd_rand::max());
      return std::to_string(a + (b - a) * static_cast<double>(random_()) / top);
    };
    const std::string particle = "kinetic (x'^2 + y'^2)/2\npotential 9.81*y", plane = " to ground plane axis (0, 1) ";
    switch (kind) {
      case 0:
        out << "coordinate x = " << u(-0.5, 0) << ", y = " << u(0.2, 0.8) << "\n"
            << particle << " + 3*x^2\n"
            << "contact f: y >= 0 restitution " << u(0, 0.7) << " friction " << u(0, 0.6) << " along x'\n"
            << "contact w: 0.6 - x >= 0 restitution " << u(0, 0.9) << "\ninitial x' = " << u(-2, 2) << "\n";
        break;
      case 1:
        out << "body a planar mass " << u(0.5, 2) << " inertia 0.006 at (0, " << u(0.15, 0.4) << ") velocity ("
            << u(0.5, 2) << ", 0) spin " << u(-5, 5) << "\nbody b planar mass 1 inertia 0.005 at (0.5, 0.1) velocity ("
            << u(-1, 0) << ", 0)\ngravity (0, -9.81)\ncontact fa from a sphere 0.1" << plane << "restitution "
            << u(0, 0.6) << " friction " << u(0.1, 0.6) << "\ncontact fb from b sphere 0.1" << plane << "friction "
            << u(0.1, 0.6) << "\ncontact p from a sphere 0.1 to b sphere 0.1 restitution " << u(0, 0.8) << "\n";
        break;
      case 2:
        out << "body a planar mass 1 inertia 0.1 at (0.5, 0)\nbody b planar mass " << u(0.3, 1.5)
            << " inertia 0.05 at (1.4, 0)\ngravity (0, -9.81)\njoint revolute p from ground to a point (-0.5, 0)\n"
            << "joint revolute q from a point (0.5, 0) to b point (-0.4, 0) limits (" << u(-0.8, -0.1) << ", "
            << u(0.1, 0.8) << ") restitution " << u(0, 0.7) << "\n";
        break;
      case 3:
        out << "body k planar mass 1 inertia " << u(0.02, 0.05) << " at (0, " << u(0.4, 0.6) << ") angle " << u(-1, 1)
            << " spin " << u(-3, 3) << "\ngravity (0, -9.81)\ncontact c from k box (0.4, 0.3)" << plane
            << "restitution " << u(0, 0.5) << " friction " << u(0.1, 0.8) << "\n";
        break;
      default:
        out << "coordinate x = " << u(0.3, 0.8) << ", y = " << u(-0.4, 0) << "\n"
            << particle << "\ncontact rope: norm((x, y)) <= 1 restitution " << u(0, 0.5) << "\ncontact w: x + "
            << u(0.2, 0.6) << " >= 0 restitution " << u(0, 0.7) << "\n";
    }
    return out.str();
  }

 private:
  std::minstd_rand random_{18};
};

double farthest_apart(const RandomJson& a, const RandomJson& b) {
  double most = 0;
  const auto take = [&](const RandomJson& x, const RandomJson& y) {
    most = std::max(most, std::abs(x.get<double>() - y.get<double>()));
  };
  for (const auto& [name, value] : a["q"].items())
    if (!value.is_array()) take(value, b["q"][name]);
    else
      for (std::size_t i = 0; i < value.size(); ++i) take(value[i], b["q"][name][i]);
  return most;
}

// Two ways to follow the same motion: steps through its impacts come as near to it as they are short. Where impacts lie
// in their steps is chance, so that order 1 is seen in the mean of many: an eighth of the step, an eighth of the error.
TEST(ContactTogether, RandomModelsAgreeWithTimeStepping) {
  constexpr int count = 10;
  RandomModels models;
  double gained = 0;
  for (int n = 0; n < count; ++n) {
    const std::string text = models.next(n % 5);
    const RandomJson exact = followed(text + "solve gauss(3) step 0.004 end 0.6\n").report;
    for (const char* method : {"moreau", "nonsmooth_rattle"}) {
      const std::string solve = std::string("solve ") + method + " step ";
      const double coarse = farthest_apart(followed(text + solve + "0.002 end 0.6\n").report, exact),
                   fine = farthest_apart(followed(text + solve + "0.00025 end 0.6\n").report, exact);
      EXPECT_LT(coarse, 0.1) << method << "\n" << text;
      EXPECT_LT(fine, 0.02) << method << "\n" << text;
      gained += std::log2(coarse / fine) / (2 * count);
    }
  }
  EXPECT_GT(gained, 2);  // 3 is order 1
}

// A disc in a groove sticks on both sides: N + T = m g/sqrt(2), and the smallest forces N = T would be outside of the
// cone of friction. What is observed is what the columns hold.
TEST(ContactTogether, ObservedForcesOfSharedLoadsStayInTheirCones) {
  const Followed run = followed(
      "body d planar mass 2 inertia 0.01 at (0, 0.1*sqrt(2))\ngravity (0, -9.81)\n"
      "contact l from d sphere 0.1 to ground plane axis (1, 1) friction 0.5\n"
      "contact r from d sphere 0.1 to ground plane axis (-1, 1) friction 0.5\nobserve normal: l.force\n"
      "observe rubs: l.friction\nsolve gauss(3) step 0.01 end 0.1\n");
  expect_lawful(run, {{"l", 0.5}, {"r", 0.5}}, 1e-12);
  const RandomJson& observed = run.report["observed"];
  const double N = observed["normal"]["final"].get<double>(), T = std::abs(observed["rubs"]["final"].get<double>());
  EXPECT_NEAR(N + T, 2 * 9.81 / std::sqrt(2), 1e-10);
  EXPECT_TRUE(run.report["warnings"].empty()) << "what rests has no error: " << run.report["warnings"];
  EXPECT_LE(T, 0.5 * N + 1e-9);
  EXPECT_EQ(run.columns.at("normal"), run.columns.at("l.force"));
}

const char* const three_discs =
    "body d0 planar mass 1.725 inertia 0.0208823 at (0, 0.1556) velocity (-1.9662, 0.109) spin 3.1075\n"
    "body d1 planar mass 1.5128 inertia 0.0183135 at (0.6, 0.2834) velocity (1.0221, 0) spin -5.3125\n"
    "body d2 planar mass 0.8023 inertia 0.00971239 at (1.2, 0.1878) velocity (-1.2558, 0) spin 2.0707\n"
    "gravity (3.6242, -9.81)\n"
    "contact c0 from d0 sphere 0.1556 to ground plane axis (0, 1) friction 0.4512 rolling 0.0092\n"
    "contact c1 from d1 sphere 0.1556 to ground plane axis (0, 1) restitution 0.9\n"
    "contact p10 from d1 sphere 0.1556 to d0 sphere 0.1556 friction 0.4689\n"
    "contact c2 from d2 sphere 0.1556 to ground plane axis (0, 1) restitution 0.9242 friction 0.3614 static 0.3792\n"
    "contact p20 from d2 sphere 0.1556 to d0 sphere 0.1556 friction 0.5466\n"
    "contact p21 from d2 sphere 0.1556 to d1 sphere 0.1556 friction 0.7272\n"
    "contact w from d0 sphere 0.1556 to ground plane axis (1, 0) point (-1, 0) restitution 0.5\n"
    "solve gauss(4) step 0.0060606060606060615 end 1.5\n";

// A contact that opens where its force ends stays open, whatever rounding makes of an acceleration that is 0.
TEST(ContactTogether, AContactThatOpensStaysOpen) {
  const Followed run = followed(three_discs);
  expect_lawful(run, {{"c2", 0.3792}, {"p21", 0.7272}}, 1e-7);
}

// What is written of a motion does not change it.
TEST(ContactTogether, RowsDoNotChangeTheMotion) {
  const Folder folder;
  const std::string model = folder.write("model.alm", three_discs);
  const Outcome bare = program({"run", model, "--json"}),
                rows = program({"run", model, "--json", "--out", folder / "rows.csv"});
  ASSERT_EQ(bare.code, 0) << bare.err;
  ASSERT_EQ(rows.code, 0) << rows.err;
  const RandomJson a = RandomJson::parse(bare.out)["q"], b = RandomJson::parse(rows.out)["q"];
  for (const char* body : {"d0", "d1", "d2"})
    EXPECT_NEAR(a[body + std::string(".r")][0].get<double>(), b[body + std::string(".r")][0].get<double>(), 1e-11);
}

}  // namespace
}  // namespace alembert::internal::apps_test
