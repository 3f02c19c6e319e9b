// Models that a language for real work must make natural, against closed forms and second formulations.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../conformance/problems.h"
#include "follow.h"
#include "source_folder.h"

namespace alembert::internal::testing {
namespace {

// The legs have the lengths of a plate that rises without turning; six joints carry it.
TEST(Natural, StewartPlatformGoesWhereItsLegsLead) {
  const Followed run = follow("stewart_platform", "gauss(2)", 0.02, 1);
  const double w = 3, lift = 0.1;
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    const double t = run.rows[row][0];
    EXPECT_NEAR(run.value(row, "plate.r[3]"), 1 + lift * (1 - std::cos(w * t)), 1e-12) << t;
    EXPECT_NEAR(run.value(row, "plate.r[1]"), 0, 1e-12);
    EXPECT_NEAR(run.value(row, "plate.e[1]"), 1, 1e-12);
  }
  int carrying = 0;
  for (const JointForces& joint : run.report.joints) {
    if (!joint.name.starts_with("hip")) continue;
    EXPECT_NEAR(joint.force[2], -20 * (9.81 + lift * w * w * std::cos(w)) / 6, 1e-9) << joint.name;
    ++carrying;
  }
  EXPECT_EQ(carrying, 6);
}

using Vector = std::array<long double, 3>;

Vector operator+(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vector operator*(long double s, const Vector& a) { return {s * a[0], s * a[1], s * a[2]}; }
long double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector vector_product(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// Newton's and Euler's equations for the axis n and the angular velocity of a ball with an eccentric centre of mass,
// while it slides: the force in the contact is N (e - mu v/|v|), and N is what keeps the middle at its height.
struct Toy {
  long double m, R, a, A, C, mu, spin, tilt;
};
void sliding_top(const Toy& toy, const Reference::State& x, Reference::State& rates) {
  const auto [m, R, a, A, C, mu, spin, tilt] = toy;
  const long double g = 9.81L;
  const Vector n{x[2], x[3], x[4]}, w{x[5], x[6], x[7]}, up{0, 0, 1};
  const Vector turning = vector_product(w, n);
  const Vector v{x[0], x[1], -a * turning[2]};  // of the centre of mass
  const Vector arm = a * n + -R * up;
  Vector slip = v + vector_product(w, arm);
  slip[2] = 0;
  const Vector force = up + (-mu / std::sqrt(dot(slip, slip))) * slip;  // for N = 1
  // L = A w + (C - A) (w.n) n, and (w.n) changes with the torque along n alone.
  const auto bend = [&](long double normal) {
    const Vector torque = normal * vector_product(arm, force);
    const long double spin = dot(w, n);
    const Vector rest = torque + -(C - A) * (dot(torque, n) / C * n + spin * turning);
    return 1 / A * rest;
  };
  const auto height = [&](long double normal) {  // of the centre of mass, its second derivative
    return -a * dot(up, vector_product(bend(normal), n) + vector_product(w, turning));
  };
  // m z'' = N - m g with z'' linear in N.
  const long double free = height(0), slope = height(1) - free;
  const long double normal = m * (g + free) / (1 - m * slope);
  const Vector acceleration = (normal / m) * force, w_dot = bend(normal);
  rates = {acceleration[0], acceleration[1], turning[0], turning[1], turning[2], w_dot[0], w_dot[1], w_dot[2]};
}

void expect_toy(const Toy& toy, const std::vector<std::string>& overrides) {
  const Followed run = follow("tippe_top", "gauss(3)", 0.0005, 0.1, overrides);
  Reference reference(
      [&](long double, const Reference::State& x, Reference::State& rates) { sliding_top(toy, x, rates); },
      {0, 0, 0, -std::sin(toy.tilt), std::cos(toy.tilt), 0, 0, toy.spin});
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    const Reference::State& exact = reference.at(run.rows[row][0]);
    EXPECT_NEAR(run.value(row, "upright"), static_cast<double>(exact[4]), 1e-7) << run.rows[row][0];
    EXPECT_NEAR(run.value(row, "top.r[1]'"), static_cast<double>(exact[0]), 1e-7);
  }
  EXPECT_LT(run.value(run.rows.size() - 1, "upright"), 0.995 * static_cast<double>(std::cos(toy.tilt))) << "it rises";
  ASSERT_EQ(run.report.invariants.size(), 1u);
  EXPECT_LT(run.report.invariants[0].max_error, 1e-12 * std::abs(run.report.invariants[0].initial)) << "Jellett";
}

TEST(Natural, TippeTopSlidesAsByNewtonAndEuler) {
  expect_toy({0.006L, 0.02L, 0.006L, 8e-7L, 8.5e-7L, 0.3L, 150, 0.1L}, {});
  expect_toy({0.01L, 0.025L, 0.005L, 2e-6L, 2.2e-6L, 0.4L, 180, 0.3L},
             {"m=0.01", "R=0.025", "a=0.005", "A=2e-6", "C=2.2e-6", "mu=0.4", "spin=180", "tilt=0.3"});
}

TEST(Natural, PidControllerWithSaturationAndATableAsItsTarget) {
  std::ifstream file(source_folder() + "/tests/reference/servo.json");
  const nlohmann::json stored = nlohmann::json::parse(file);
  const Model model = model_from_text(stored.at("model").get<std::string>());
  SimulateOptions options;
  options.step = *model.solve.step;
  options.end = *model.solve.end;
  const Report report = simulate(model, derive(model), method("gauss(4)"), options);
  const auto expect = [&](double value, const char* name) {
    EXPECT_NEAR(value, std::stod(stored.at("end").at(name).get<std::string>()), 1e-13) << name;
  };
  expect(report.y.at(0), "theta");
  expect(report.z.at(0), "theta'");
  expect(report.y.at(1), "z");
  expect(report.y.at(2), "y");
  EXPECT_GE(report.kinks, 3);
}

/// The heights of the gallery's road, at 5 cm from each other.
std::vector<double> measured_road() {
  std::ifstream file(source_folder() + "/models/components/road.csv");
  std::string line;
  std::getline(file, line);
  std::vector<double> heights;
  while (std::getline(file, line)) heights.push_back(std::stod(line.substr(line.find(',') + 1)));
  return heights;
}

TEST(Natural, QuarterCarFollowsItsRoadFromPointToPoint) {
  const std::vector<double> heights = measured_road();
  ASSERT_EQ(heights.size(), 841u);
  const double spacing = 0.05, speed = 20;
  const Followed run = follow("quarter_car", "gauss(3)", 0.01, 0.5);
  EXPECT_GE(run.report.kinks, 195) << "every point of the road but those on a line with their neighbours";
  std::size_t piece = 0;  // the equations are smooth on each, and integrated there alone
  Reference reference(
      [&](long double t, const Reference::State& x, Reference::State& rates) {
        const long double road = heights[piece] + (speed * t / spacing - static_cast<long double>(piece)) *
                                                      (heights[piece + 1] - heights[piece]);
        const long double inner = 16000 * (x[0] - x[1]) + 1000 * (x[2] - x[3]);
        rates = {x[2], x[3], -inner / 300, (inner - 160000 * (x[1] - road)) / 40};
      },
      {0, 0, 0, 0});
  for (std::size_t row = 1; row < run.rows.size(); ++row) {
    const double t = run.rows[row][0];
    while (static_cast<double>(piece + 1) * spacing / speed < t - 1e-12) {
      reference.at(static_cast<double>(piece + 1) * spacing / speed);
      ++piece;
    }
    const Reference::State& exact = reference.at(t);
    EXPECT_NEAR(run.value(row, "zs"), static_cast<double>(exact[0]), 1e-9) << t;
    EXPECT_NEAR(run.value(row, "zu"), static_cast<double>(exact[1]), 1e-9) << t;
    EXPECT_NEAR(run.value(row, "zu'"), static_cast<double>(exact[3]), 1e-7) << t;
  }
}

TEST(Natural, FrictionOfAJointFollowsItsNormalForce) {
  const Followed run = follow("rail_brake", "gauss(3)", 0.01, 1);
  const double m = 4, g = 9.81, mu = 0.2, pull = 8, w = 5;
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    const double t = run.rows[row][0];
    EXPECT_NEAR(run.value(row, "pressed"), m * g - pull * (1 + std::sin(w * t)), 1e-11) << t;
    EXPECT_NEAR(run.value(row, "carriage.r[1]'"), 3 - mu / m * ((m * g - pull) * t + pull / w * (std::cos(w * t) - 1)),
                1e-11)
        << t;
  }
}

TEST(Natural, ADoorComesBackFromItsStop) {
  const Followed run = follow("door_stop", "gauss(3)", 0.01, 1.5);
  const double swing = 2, most = 100 * M_PI / 180, met = most / swing;
  for (std::size_t row = 0; row < run.rows.size(); ++row) {
    const double t = run.rows[row][0], angle = t < met ? swing * t : most - 0.4 * swing * (t - met);
    EXPECT_NEAR(run.value(row, "angle"), angle * 180 / M_PI, 1e-9) << t;
  }
  ASSERT_EQ(run.report.events.size(), 1u);
  EXPECT_NEAR(run.report.events[0].t, met, 1e-12);
}

struct Corner {
  double x, y;
};
/// At the distances p from a and q from b, to the left of the way from a to b.
Corner corner(Corner a, double p, Corner b, double q) {
  const double dx = b.x - a.x, dy = b.y - a.y, d = std::hypot(dx, dy);
  const double along = (p * p - q * q + d * d) / (2 * d), across = std::sqrt(p * p - along * along);
  return {a.x + (along * dx - across * dy) / d, a.y + (along * dy + across * dx) / d};
}

TEST(Natural, AWalkerOfTwelveLegsWalks) {
  const Followed run = follow("walker", "gauss(2)", 0.005, 0.3, {}, false);  // motors give the velocities
  // Newton's law for the whole.
  ASSERT_EQ(run.report.invariants.size(), 2u);
  for (const auto& momentum : run.report.invariants) EXPECT_LT(momentum.max_error, 1e-11);
  // A foot beside the trunk goes where the circles of its leg meet.
  for (std::size_t row = 0; row < run.rows.size(); row += 5) {
    const double crank = 3 * run.rows[row][0] + (60 - 210) * M_PI / 180;
    const Corner hip{-0.38, -0.078}, pin{0.15 * std::cos(crank), 0.15 * std::sin(crank)};
    const Corner top = corner(hip, 0.415, pin, 0.5), back = corner(hip, 0.401, top, 0.558);
    const Corner knee = corner(pin, 0.619, hip, 0.393), heel = corner(knee, 0.367, back, 0.394);
    const Corner foot = corner(knee, 0.49, heel, 0.657);
    const double x = run.value(row, "foot[1]") - run.value(row, "trunk.r[1]");
    const double y = run.value(row, "foot[2]") - run.value(row, "trunk.r[2]");
    const double turned = run.value(row, "trunk.phi");
    EXPECT_NEAR(x, std::cos(turned) * foot.x - std::sin(turned) * foot.y, 1e-11) << row;
    EXPECT_NEAR(y, std::sin(turned) * foot.x + std::cos(turned) * foot.y, 1e-11) << row;
  }
  const std::size_t last = run.rows.size() - 1;
  EXPECT_LT(run.value(last, "trunk.r[1]"), -0.1) << "it goes forward";
  EXPECT_NEAR(run.value(last, "trunk.r[2]"), 0.92, 0.02) << "and stays on its feet";
}

}  // namespace
}  // namespace alembert::internal::testing
