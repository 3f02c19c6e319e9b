// Mechanisms in space with more joints than they need against the same mechanisms without them, and against closed
// forms.

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "../conformance/problems.h"

namespace alembert::internal::testing {
namespace {

using Point = std::array<double, 3>;

/// lever x force.
Point moment(const Point& lever, const std::vector<double>& force) {
  return {lever[1] * force[2] - lever[2] * force[1], lever[2] * force[0] - lever[0] * force[2],
          lever[0] * force[1] - lever[1] * force[0]};
}

// A door whose hinges stand one above the other, on an axis that leans so that it swings by itself.
const std::string door =
    "parameter lean = 0.3\nlet axis = (sin(lean), 0, cos(lean))\n"
    "body door mass 20 inertia (5, 6, 1.2) at (0.4, 0.1, 1) omega 0.5*axis velocity cross(0.5*axis, (0.4, 0.1, 1))\n"
    "gravity (0, 0, -9.81)\n"
    "joint revolute lower from ground axis axis to door point (-0.4, -0.1, -1)\n";
const std::string upper =
    "joint revolute upper from ground point 2*axis axis axis to door point 2*axis - (0.4, 0.1, 1)\n";

TEST(RedundantBodies, DoorWithTwoHingesMovesAsWithOneWithEveryFamily) {
  const Model one = model_from_text(door), two = model_from_text(door + upper);
  const Equations e = derive(two);
  int tried = 0;
  for (const MethodFamily& family : all_families()) {
    const Method method = family.make(family.example);
    if (!refusal(method, e).empty()) continue;
    SCOPED_TRACE(method.name);
    const double step = method.claims.order_q > 2 ? 0.02 : 0.01;
    const Report a = run(one, method.name, step, 0.2, interpreted_newton());
    const Report b = run(two, method.name, step, 0.2, interpreted_newton());
    ++tried;
    ASSERT_EQ(a.ending, Ending::done) << a.reason;
    ASSERT_EQ(b.ending, Ending::done) << b.reason;
    EXPECT_EQ(b.initial.redundant.size(), 5u);
    for (std::size_t i = 0; i < a.y.size(); ++i) EXPECT_NEAR(a.y[i], b.y[i], 1e-10) << i;
    for (std::size_t i = 0; i < a.z.size(); ++i) EXPECT_NEAR(a.z[i], b.z[i], 1e-10) << i;
    // Together the hinges do what the one does: force, and moment about the lower one.
    ASSERT_EQ(b.joints.size(), 2u);
    const Point axis{std::sin(0.3), 0, std::cos(0.3)};
    const std::vector<double>& f = b.joints[1].force;
    const Point lever = moment({2 * axis[0], 2 * axis[1], 2 * axis[2]}, f);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(b.joints[0].force[i] + f[i], a.joints[0].force[i], 1e-7);
      EXPECT_NEAR(b.joints[0].moment[i] + b.joints[1].moment[i] + lever[i], a.joints[0].moment[i], 1e-7);
    }
  }
  EXPECT_GE(tried, 15);
}

TEST(RedundantBodies, BennettsLinkageKeepsItsAngles) {
  const Model model = gallery("bennett");
  const Report r = run(model, "gauss(3)", 0.01, 1, interpreted_newton());
  ASSERT_EQ(r.ending, Ending::done) << r.reason;
  EXPECT_EQ(r.initial.redundant.size(), 3u);
  EXPECT_LT(r.position, 1e-13);
  EXPECT_LT(r.energy.max_error, 1e-6);
  // The crank has turned about z from theta1 = 1.2, and the rocker about its axis from theta4 = -theta2.
  const double alpha = std::acos(-1.0) / 6, beta = std::asin(1.5 * std::sin(alpha));
  const double ratio = std::sin((beta + alpha) / 2) / std::sin((beta - alpha) / 2);
  // y: r and e of each body.
  const double crank = 1.2 + 2 * std::atan2(r.y[6], r.y[3]);
  const double along = 0.75 * r.y[19] + std::sqrt(1 - 0.75 * 0.75) * r.y[20];
  const double rocker = 2 * std::atan2(along, r.y[17]);
  const double theta2 = 2 * std::atan(ratio / std::tan(0.6));
  EXPECT_GT(std::abs(crank - 1.2), 0.1);
  // The rocker turns against the ground as the coupler against the crank, backwards or not as the axes point.
  const double now = 2 * std::atan(ratio / std::tan(crank / 2));
  const double turn = 2 * std::acos(-1.0);
  EXPECT_NEAR(std::abs(std::remainder(rocker, turn)), std::abs(std::remainder(now - theta2, turn)), 1e-12);
}

// Without what follows from the rest: the rocker's end is held in two directions only.
TEST(RedundantBodies, BennettsLinkageMovesAsItsTwin) {
  const std::string head =
      "parameter m = 1, J = 0.1, g = 9.81\n"
      "let A = (0.36235775447667362, 0.93203908596722629, 0)\n"
      "let A_axis = (0.46601954298361309, -0.18117887723833678, 0.86602540378443871)\n"
      "let B = (-0.55908924739291854, -0.22399898010351427, 0.25399096940828708)\n"
      "let B_axis = (-0.16932731293885833, 0.33834207067520933, 0.92566349409713544)\n"
      "let C = (-1.5, 0, 0), C_axis = (0, 0.75, 0.66143782776614768)\n"
      "body crank mass m inertia (J, 2*J, J) at A/2\nbody coupler mass m inertia (2*J, J, J) at (A + B)/2\n"
      "body rocker mass m inertia (J, J, 2*J) at (B + C)/2\ngravity (0, -g, 0)\n"
      "joint revolute one from ground axis (0, 0, 1) to crank point -A/2\n"
      "joint revolute two from crank point A/2 axis A_axis to coupler point (A - B)/2\n"
      "joint revolute three from coupler point (B - A)/2 axis B_axis to rocker point (B - C)/2\n";
  const Model redundant =
      model_from_text(head + "joint revolute four from ground point C axis C_axis to rocker point (C - B)/2\n");
  const Model twin = model_from_text(head +
                                     "let end = rocker.r + rocker.direction((C - B)[1]/2, (C - B)[2]/2, (C - B)[3]/2)\n"
                                     "constraint x: end[1] = C[1]\nconstraint y: end[2] = C[2]\n");
  for (const char* method : {"lobatto(3)", "gauss(2)", "radau(2)", "lobatto_abd(2)"}) {
    SCOPED_TRACE(method);
    const Report a = run(redundant, method, 0.01, 0.5, interpreted_newton()),
                 b = run(twin, method, 0.01, 0.5, interpreted_newton());
    ASSERT_EQ(a.ending, Ending::done) << a.reason;
    ASSERT_EQ(b.ending, Ending::done) << b.reason;
    EXPECT_TRUE(b.initial.redundant.empty());
    for (std::size_t i = 0; i < a.y.size(); ++i) EXPECT_NEAR(a.y[i], b.y[i], 1e-10) << i;
    for (std::size_t i = 0; i < a.z.size(); ++i) EXPECT_NEAR(a.z[i], b.z[i], 1e-10) << i;
  }
}

}  // namespace
}  // namespace alembert::internal::testing
