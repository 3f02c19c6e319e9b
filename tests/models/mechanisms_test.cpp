// Mechanisms of the gallery against closed forms, kinematics by circles, and second formulations in other coordinates.

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "../conformance/problems.h"
#include "follow.h"

namespace alembert::internal::testing {
namespace {

const double pi = std::acos(-1.0);

/// What the model calls by this name, at the end.
double watched(const Report& r, const Model& m, const std::string& name) {
  for (const Block& block : m.invariants)
    if (block.name == name) return r.invariants.at(static_cast<std::size_t>(block.first)).final;
  ADD_FAILURE() << name;
  return NAN;
}

TEST(Mechanisms, CardanShaftTurnsUnevenly) {
  const double bend = 0.5, speed = 10;
  const Followed run = follow("cardan_shaft", "gauss(4)", 0.01, 1.5);
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const double first = speed * run.rows[i][0], second = std::atan2(std::sin(first), std::cos(first) * std::cos(bend));
    // The second shaft is turned by the bend about z, then by `second` about its own axis.
    EXPECT_NEAR(run.value(i, "sine"), std::sin(second), 1e-11) << i;
    const double ratio = std::cos(bend) / (1 - std::pow(std::sin(bend) * std::cos(first), 2));
    EXPECT_NEAR(run.value(i, "speed"), speed * ratio, 1e-9) << i;
  }
}

struct Spot {
  double x, y;
};

/// The point at the distances p from a and q from b, to the left of the way from a to b.
Spot meet(Spot a, double p, Spot b, double q) {
  const double dx = b.x - a.x, dy = b.y - a.y, d = std::hypot(dx, dy);
  const double along = (p * p - q * q + d * d) / (2 * d), across = std::sqrt(p * p - along * along);
  return {a.x + (along * dx - across * dy) / d, a.y + (along * dy + across * dx) / d};
}

TEST(Mechanisms, FootOfTheStrandbeestIsWhereTheCirclesMeet) {
  const Model leg = gallery("strandbeest");
  double lowest = 0, highest = -9;
  for (int i = 1; i <= 8; ++i) {
    const double angle = 2 * pi * i / 8;
    const Report r = run(leg, "gauss(3)", 0.02, angle / 3);
    ASSERT_EQ(r.ending, Ending::done) << r.reason;
    const Spot hip{-0.38, -0.078}, crank{0.15 * std::cos(angle), 0.15 * std::sin(angle)};
    const Spot top = meet(hip, 0.415, crank, 0.5), back = meet(hip, 0.401, top, 0.558);
    const Spot knee = meet(crank, 0.619, hip, 0.393), heel = meet(knee, 0.367, back, 0.394);
    const Spot foot = meet(knee, 0.49, heel, 0.657);
    EXPECT_NEAR(watched(r, leg, "x"), foot.x, 1e-12) << i;
    EXPECT_NEAR(watched(r, leg, "y"), foot.y, 1e-12) << i;
    lowest = std::min(lowest, foot.y), highest = std::max(highest, foot.y);
  }
  EXPECT_GT(highest - lowest, 0.15);  // it lifts its foot
}

TEST(Mechanisms, DoubleWishboneMovesLikePlanarBodies) {
  const Model space = gallery("double_wishbone");
  const Model plane = model_from_text(R"(
parameter low = 0.2, wide = 0.4, high = 0.45, narrow = 0.3, rise = 0.02, half = hypot(narrow, rise)/2
body car planar mass 300 inertia 50
body lower planar mass 5 inertia 0.07 at (wide/2, low)
body upper planar mass 3 inertia 0.03 at (narrow/2, high + rise/2) angle atan2(rise, narrow)
body carrier planar mass 30 inertia 0.8 at (wide + 0.05, 0.3)
gravity (0, -9.81)
joint prismatic heave from ground axis (0, 1) to car
joint revolute a from car point (0, low) to lower point (-wide/2, 0)
joint revolute b from car point (0, high) to upper point (-half, 0)
joint revolute c from lower point (wide/2, 0) to carrier point (-0.05, low - 0.3)
joint revolute d from upper point (half, 0) to carrier point (narrow - wide - 0.05, high + rise - 0.3)
spring coil from car point (0, low + 0.45) to lower point (0.25 - wide/2, 0) stiffness 40000 length hypot(0.25, 0.45) + 0.13 damping 1500
let contact = carrier.point(0.05, 0)
potential 75000*(contact[2] - 0.3 - 0.05*exp(-((t - 0.5)/0.05)^2))^2
conserve ride: car.r[2]
conserve travel: contact[2]
)");
  const Report one = run(space, "gauss(4)", 0.01, 1), two = run(plane, "gauss(4)", 0.01, 1);
  ASSERT_EQ(one.ending, Ending::done) << one.reason;
  ASSERT_EQ(two.ending, Ending::done) << two.reason;
  EXPECT_NEAR(watched(one, space, "ride"), watched(two, plane, "ride"), 1e-10);
  EXPECT_NEAR(watched(one, space, "travel"), watched(two, plane, "travel"), 1e-10);
  EXPECT_GT(one.invariants[1].max_error, 0.02);  // the bump was felt
  // A flat road and no damper: nothing is lost but by the error of the method, of order 8.
  const Model free = gallery("double_wishbone", {"bump=0", "c=0"});
  const Report coarse = run(free, "gauss(4)", 0.01, 1), fine = run(free, "gauss(4)", 0.005, 1);
  EXPECT_GT(coarse.invariants[0].max_error, 1e-3);
  EXPECT_GT(coarse.energy.max_error, 100 * fine.energy.max_error);
  EXPECT_LT(fine.energy.max_error, 1e-9);
}

TEST(Mechanisms, ChainOfRodsMovesLikeItsAngles) {
  const std::string angles = R"(
parameter N = 4, m = 1, l = 0.5, g = 9.81
family i = 1..N
coordinate phi[i]
let x(i) = l/2*cos(phi[i]) + sum(j = 1..i-1, l*cos(phi[j]))
let y(i) = l/2*sin(phi[i]) + sum(j = 1..i-1, l*sin(phi[j]))
kinetic sum(i, m/2*(x(i)'^2 + y(i)'^2) + m*l^2/24*phi[i]'^2)
potential sum(i, m*g*y(i))
)";
  const Report minimal = run(model_from_text(angles), "gauss(4)", 0.005, 1);
  const Report rods = run(gallery("chain_of_rods", {"N=4"}), "gauss(4)", 0.005, 1);
  ASSERT_EQ(minimal.ending, Ending::done) << minimal.reason;
  ASSERT_EQ(rods.ending, Ending::done) << rods.reason;
  // The coordinates of the chain: x[1..4], y[1..4], phi[1..4].
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(rods.y.at(8 + i), minimal.y.at(i), 1e-8) << i;
  EXPECT_LT(rods.position, 1e-13);
  // One rod from the horizontal: a pendulum of length 2 l/3; after a quarter of its period it hangs.
  const double quarter = std::comp_ellint_1(std::sqrt(0.5)) * std::sqrt(2 * 0.5 / 3 / 9.81);
  const Report one = run(gallery("chain_of_rods", {"N=1"}), "gauss(4)", quarter / 40, quarter);
  EXPECT_NEAR(one.y.at(2), -pi / 2, 1e-10);
}

TEST(Mechanisms, SpinningTopNutatesBetweenTheRootsOfTheQuadrature) {
  // u = cos(nutation): J u'^2 = (2 E - 2 m g l u)(1 - u^2) - (b - a u)^2/J with J about the tip, a = I3 spin and
  // b = a u0; released at u0 without nutation: J u'^2 = (u0 - u) (2 m g l (1 - u^2) - a^2 (u0 - u)/J).
  const double m = 1, l = 0.3, g = 9.81, J = 0.02 + m * l * l, a = 0.03 * 60, u0 = std::cos(0.4);
  const double weight = 2 * m * g * l;
  // weight u^2 - a^2/J u + a^2 u0/J - weight = 0: u1 < u0, u3 > 1.
  const double middle = a * a / J / (2 * weight), root = std::sqrt(middle * middle - a * a * u0 / J / weight + 1);
  const double u1 = middle - root, u3 = middle + root;
  ASSERT_LT(u1, u0);
  const double half = 2 / std::sqrt(weight / J * (u3 - u1)) * std::comp_ellint_1(std::sqrt((u0 - u1) / (u3 - u1)));
  const Model top = gallery("spinning_top");
  const auto nutation = [&](double t) { return run(top, "gauss(5)", t / 100, t).y.at(4); };  // r[3], angles[3]
  EXPECT_NEAR(nutation(half), std::acos(u1), 1e-9);
  EXPECT_NEAR(nutation(2 * half), 0.4, 1e-9);
  EXPECT_NEAR(nutation(3 * half), std::acos(u1), 1e-9);
  EXPECT_GT(std::acos(u1), 0.42);
}

TEST(Mechanisms, HeavyTopOverManySteps) {
  // In 10^6 steps as in these: the momenta and the length of the quaternion stay at rounding, the energy in its bounds.
  const Report r = run(gallery("heavy_top"), "lobatto(2)", 0.0005, 25);
  ASSERT_EQ(r.ending, Ending::done) << r.reason;
  ASSERT_EQ(r.steps, 50000);
  EXPECT_LT(r.position, 1e-13);
  EXPECT_LT(r.invariants.at(0).max_error, 1e-10 * 70);  // of I3 spin = 70
  EXPECT_LT(r.invariants.at(1).max_error, 1e-10 * 70);
  EXPECT_LT(r.energy.max_error, 2);
  EXPECT_GT(r.energy.max_error, 1e-3);  // order two: not at rounding
  EXPECT_LT(std::abs(r.drift.per_time) * 25, 0.1 * r.energy.max_error);
}

using Vector = std::array<long double, 3>;
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector scaled(const Vector& a, long double s) { return {a[0] * s, a[1] * s, a[2] * s}; }
Vector sum(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }

/// x of A x = b by Cramer's rule; A as its columns.
Vector solved(const std::array<Vector, 3>& A, const Vector& b) {
  const auto det = [](const Vector& x, const Vector& y, const Vector& z) {
    const Vector c = cross(y, z);
    return x[0] * c[0] + x[1] * c[1] + x[2] * c[2];
  };
  const long double d = det(A[0], A[1], A[2]);
  return {det(b, A[1], A[2]) / d, det(A[0], b, A[2]) / d, det(A[0], A[1], b) / d};
}

/// The rattleback in its own frame: angular velocity w and the vertical g (head of the model).
void rattle(long double, const std::vector<long double>& x, std::vector<long double>& rate) {
  const long double m = 1, gravity = 9.81L, low = 0.01L;
  const Vector squares{0.04L, 0.0009L, 0.0004L}, w{x[0], x[1], x[2]}, g{x[3], x[4], x[5]};
  const auto J = [](const Vector& v) -> Vector {
    return {2e-4L * v[0] + 2e-5L * v[1], 2e-5L * v[0] + 1.6e-3L * v[1], 1.7e-3L * v[2]};
  };
  const Vector turning = cross(g, w);  // g'
  long double size = 0, growth = 0;
  for (int i = 0; i < 3; ++i) size += squares[i] * g[i] * g[i], growth += squares[i] * g[i] * turning[i];
  size = std::sqrt(size), growth /= size;
  Vector c{}, moved{};
  for (int i = 0; i < 3; ++i) {
    c[i] = -squares[i] * g[i] / size + (i == 2 ? low : 0);
    moved[i] = -squares[i] * turning[i] / size + squares[i] * g[i] * growth / (size * size);
  }
  const Vector v = scaled(cross(w, c), -1);
  const Vector force = sum(scaled(sum(cross(w, v), scaled(cross(w, moved), -1)), m), scaled(g, m * gravity));
  const Vector right = sum(cross(c, force), scaled(cross(w, J(w)), -1));
  std::array<Vector, 3> A;
  for (int i = 0; i < 3; ++i) {
    Vector unit{};
    unit[i] = 1;
    A[i] = sum(J(unit), scaled(cross(c, cross(unit, c)), m));
  }
  const Vector faster = solved(A, right);
  for (int i = 0; i < 3; ++i) rate[i] = faster[i], rate[3 + i] = turning[i];
}

TEST(Mechanisms, RattlebackMovesLikeItsEulerEquationsAndTurnsBack) {
  const Followed run = follow("rattleback", "gauss(6)", 0.002, 8);
  EXPECT_LT(run.report.nonholonomic, 1e-13);
  // No energy is claimed: it errs with the order of the method.
  const Model celt = gallery("rattleback");
  const Report coarse = testing::run(celt, "gauss(3)", 0.001, 8), fine = testing::run(celt, "gauss(3)", 0.0005, 8);
  for (const Report* r : {&coarse, &fine}) EXPECT_LT(r->nonholonomic, 1e-13);
  EXPECT_NEAR(std::log2(coarse.energy.max_error / fine.energy.max_error), 6, 1);
  EXPECT_LT(run.report.energy.max_error, fine.energy.max_error);
  Reference exact(rattle, {0, 0, 5, 0, std::sin(0.01L), std::cos(0.01L)});
  double back = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const auto& x = exact.at(run.rows[i][0]);
    const double turning = static_cast<double>(x[0] * x[3] + x[1] * x[4] + x[2] * x[5]);
    EXPECT_NEAR(run.value(i, "turning"), turning, 1e-7) << run.rows[i][0];
    back = std::min(back, turning);
  }
  EXPECT_LT(back, -4);
}

TEST(Mechanisms, FallingDiskKeepsItsConstraintsAndTheEnergyAsClaimed) {
  // No energy is claimed: it errs with the order of the method (6 with three stages) and does not run away.
  const Model disk = gallery("falling_disk");
  const Report coarse = run(disk, "gauss(3)", 0.02, 20), fine = run(disk, "gauss(3)", 0.01, 20);
  for (const Report* r : {&coarse, &fine}) {
    ASSERT_EQ(r->ending, Ending::done) << r->reason;
    EXPECT_LT(r->nonholonomic, 1e-13);
    EXPECT_LT(std::abs(r->drift.per_time) * 20, r->energy.max_error);
  }
  EXPECT_NEAR(std::log2(coarse.energy.max_error / fine.energy.max_error), 6, 1);
}

}  // namespace
}  // namespace alembert::internal::testing
