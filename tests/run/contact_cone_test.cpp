// The laws of contact at one instant: what is found fulfils them, whatever the masses.

#include "alembert/run/contact_cone.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <random>

namespace alembert::internal {
namespace {

/// A point that meets a plane with a full mass matrix: entries 0 (normal), 1 and 2 (along the plane).
ConeProblem random_impact(std::mt19937& random) {
  std::uniform_real_distribution<double> any(-1, 1);
  Eigen::Matrix3d a;
  for (int i = 0; i < 9; ++i) a(i / 3, i % 3) = any(random);
  ConeProblem problem;
  problem.D = (a * a.transpose() + 0.05 * Eigen::Matrix3d::Identity()).inverse();
  problem.b = Eigen::Vector3d(-1, any(random), any(random));
  ConeProblem::Contact contact;
  const double mu = 0.5 + 0.4 * any(random);
  contact.tangents.push_back({1, 2, mu, mu, false, {}});
  problem.contacts.push_back(contact);
  return problem;
}

TEST(ContactCone, FrictionIsOppositeToTheSlip) {
  std::mt19937 random(7);
  int slipping = 0, found = 0;
  for (int i = 0; i < 500; ++i) {
    const ConeProblem problem = random_impact(random);
    const std::optional<ConeSolution> s = solve(problem);
    if (!s) continue;
    ++found;
    const double mu = problem.contacts[0].tangents[0].mu;
    EXPECT_LT((problem.D * s->p + problem.b - s->w).norm(), 1e-9 * s->p.norm() * problem.D.norm());
    EXPECT_NEAR(s->w[0], 0, 1e-8);
    const double force = std::hypot(s->p[1], s->p[2]), slip = std::hypot(s->w[1], s->w[2]);
    EXPECT_LE(force, mu * s->p[0] * (1 + 1e-8));
    if (slip < 1e-7) continue;
    ++slipping;
    EXPECT_NEAR(force, mu * s->p[0], 1e-8 * s->p[0]);
    EXPECT_NEAR((s->p[1] * s->w[1] + s->p[2] * s->w[2]) / (force * slip), -1, 1e-8) << i;
  }
  EXPECT_GT(slipping, 100);
  EXPECT_GT(found, 490) << "of 500";
}

// Two corners of a body stand on a plane and are about to slip: their forces can only be those at the borders of both
// cones, all in one direction, although the force along the edge could be shared in any way.
TEST(ContactCone, AnEdgeBeginsToSlip) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int n = 0; n < 100; ++n) {
    Eigen::Matrix<double, 6, 6> rows;  // normal, and two directions along the plane, at two points: velocity and spin
    for (int k = 0; k < 2; ++k) {
      const Eigen::Vector3d arm(any(random), any(random), -0.5);
      const Eigen::Vector3d axes[] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
      for (int j = 0; j < 3; ++j) rows.row(3 * k + j) << axes[j].transpose(), arm.cross(axes[j]).transpose();
    }
    Eigen::VectorXd inverse_mass(6);
    inverse_mass << 1, 1, 1, 5 + 2 * any(random), 6, 7;
    ConeProblem problem;
    problem.D = rows * inverse_mass.asDiagonal() * rows.transpose();
    const double mu = 0.3, angle = 3 * any(random), first = 1 + 0.9 * any(random), second = 1 + 0.9 * any(random);
    Eigen::VectorXd p(6);
    p << first, mu * first * std::cos(angle), mu * first * std::sin(angle), second, mu * second * std::cos(angle),
        mu * second * std::sin(angle);
    problem.b = -problem.D * p;
    for (const int k : {0, 3}) {
      ConeProblem::Contact contact;
      contact.normal = k;
      contact.tangents.push_back({k + 1, 2, mu, mu, false, {}});
      problem.contacts.push_back(contact);
    }
    const std::optional<ConeSolution> s = solve(problem);
    ASSERT_TRUE(s) << n;
    EXPECT_LT(s->w.norm(), 1e-9) << n;
    for (const int k : {0, 3}) EXPECT_LE(std::hypot(s->p[k + 1], s->p[k + 2]), mu * s->p[k] * (1 + 1e-9)) << n;
  }
}

}  // namespace
}  // namespace alembert::internal
