// Contacts that change together, and random models of contact: nothing pulls, nothing goes inside, friction stays in
// its cone, the books close, and another way of following the same motion comes to the same end.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
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
