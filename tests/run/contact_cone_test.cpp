// The laws of contact at one instant: what is found fulfils them, whatever the masses.

#include "alembert/run/contact_cone.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace alembert::internal
