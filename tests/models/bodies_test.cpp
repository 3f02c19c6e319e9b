// Bodies and joints against closed forms, statics, and models written without them.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "../conformance/problems.h"
#include "alembert/start/initial.h"

namespace alembert::internal::testing {
namespace {

Report go(const std::string& text, const std::string& method, double step, double end) {
  return run(model_from_text(text), method, step, end, interpreted_newton());
}

/// The entries of a coordinate at the end.
std::vector<double> of(const Report& r, const Model& m, const std::string& name, bool velocity = false) {
  for (const Block& b : m.coordinates)
    if (b.name == name) {
      const auto& values = velocity ? r.v : r.y;
      return {values.begin() + b.first, values.begin() + b.first + b.size};
    }
  ADD_FAILURE() << name;
  return {};
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << i;
}

const JointForces& joint(const Report& r, const std::string& name) {
  for (const JointForces& j : r.joints)
    if (j.name == name) return j;
  throw std::runtime_error("no joint " + name);
}

TEST(Bodies, FreeSymmetricBodyPrecesses) {
  // Euler's equations: spin_1 + i spin_2 turns with (I3 - I1)/I1 spin_3.
  const Model m =
      model_from_text("body b mass 2 inertia (1, 1, 1.5) velocity (1, 0, 0) spin (0.3, 0, 2)\nconserve w: b.spin\n");
  const Report r = run(m, "gauss(4)", 0.02, 3, interpreted_newton());
  ASSERT_EQ(r.ending, Ending::done) << r.reason;
  expect_near(of(r, m, "b.r"), {3, 0, 0}, 1e-12);
  const double angle = 0.5 * 2 * 3;
  EXPECT_NEAR(r.invariants[0].final, 0.3 * std::cos(angle), 1e-11);
  EXPECT_NEAR(r.invariants[1].final, 0.3 * std::sin(angle), 1e-11);
  EXPECT_LT(r.position, 1e-14);  // the quaternion keeps its length
}

TEST(Bodies, InertiaWithThreeSixAndNineEntriesIsOneThing) {
  std::vector<std::vector<double>> ends;
  for (const char* inertia : {"(1, 2, 2.5)", "(1, 2, 2.5, 0, 0, 0)", "((1, 0, 0), (0, 2, 0), (0, 0, 2.5))",
                              "(1, 0, 0, 0, 2, 0, 0, 0, 2.5)"}) {
    const Model m = model_from_text(std::string("body b mass 1 inertia ") + inertia + " spin (1, 0.1, 2)\n");
    ends.push_back(of(run(m, "gauss(2)", 0.05, 1, interpreted_newton()), m, "b.e"));
    expect_near(ends.back(), ends.front(), 1e-14);
  }
  // Turned by 90 degrees about z, the tensor changes its first two entries; products of inertia by 30 degrees.
  const double c = std::cos(0.5), s = std::sin(0.5);
  const auto number = [](double x) { return to_text(x); };
  const std::string tensor = "(" + number(c * c + 2 * s * s) + ", " + number(s * s + 2 * c * c) + ", 2.5, " +
                             number(-c * s) + ", 0, 0)";  // R diag(1, 2) R^T with R by 0.5
  const Model plain =
      model_from_text("body b mass 1 inertia (1, 2, 2.5) spin (1, 0.1, 2)\nconserve w: norm2(b.spin)\n");
  const Model turned = model_from_text("body b mass 1 inertia " + tensor + " spin (" + number(c - 0.1 * s) + ", " +
                                       number(s + 0.1 * c) + ", 2)\nconserve w: norm2(b.spin)\n");
  EXPECT_NEAR(run(plain, "gauss(3)", 0.05, 1, interpreted_newton()).invariants[0].final,
              run(turned, "gauss(3)", 0.05, 1, interpreted_newton()).invariants[0].final, 1e-10);
}

TEST(Bodies, QuaternionAndEulerAnglesMoveAlike) {
  const std::string rest = "gravity (0, 0, -9.81)\njoint spherical tip from ground to top point (0, 0, -1)\n";
  const std::string start = " at (0, -sin(0.7), cos(0.7)) ";
  const Model e = model_from_text("body top mass 1 inertia (0.1, 0.12, 0.2)" + start +
                                  "turned 0.7 about (1, 0, 0) spin (0, 0, 20)\n" + rest);
  const Report one = run(e, "gauss(4)", 0.005, 0.5, interpreted_newton());
  for (const char* order :
       {"zxz", "xyz", "yxz"}) {  // the spin is the last angle: the others stay where they are regular
    SCOPED_TRACE(order);
    // A rotation by 0.7 about x, in each order.
    const std::string o = order;
    std::string angles = "(";
    bool done = false;
    for (const char axis : o) {
      angles += (angles.size() > 1 ? ", " : "") + std::string(axis == 'x' && !done ? "0.7" : "0");
      done |= axis == 'x';
    }
    const Model a = model_from_text("body top mass 1 inertia (0.1, 0.12, 0.2) euler " + o + start + "angles " + angles +
                                    ") spin (0, 0, 20)\n" + rest);
    const Report two = run(a, "gauss(4)", 0.005, 0.5, interpreted_newton());
    ASSERT_EQ(two.ending, Ending::done) << two.reason;
    expect_near(of(one, e, "top.r"), of(two, a, "top.r"), 1e-7);
    expect_near(joint(one, "tip").force, joint(two, "tip").force, 1e-5);
    EXPECT_NEAR(joint(two, "tip").moment[0], 0, 1e-9);
  }
}

TEST(Bodies, WorldAndBodyFrameAngularVelocities) {
  // Turned by 90 degrees about x: the body's y axis is the world's z axis.
  const Model m = model_from_text(
      "body a mass 1 inertia (1, 1, 1) turned pi/2 about (1, 0, 0) omega (0, 0, 3)\n"
      "body b mass 1 inertia (1, 1, 1) turned pi/2 about (1, 0, 0) spin (0, 3, 0)\nconserve one: a.spin\n"
      "conserve two: b.omega\n");
  const Report r = run(m, "gauss(2)", 0.1, 0.1, interpreted_newton());
  const double expected[] = {0, 3, 0, 0, 0, 3};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(r.invariants[i].initial, expected[i], 1e-14) << i;
}

TEST(Joints, LeaveTheFreedomThatTheirNamesSay) {
  const std::map<std::string, int> freedom{{"spherical", 3}, {"revolute", 1}, {"prismatic", 1}, {"cylindrical", 2},
                                           {"fixed", 0},     {"planar", 3},   {"distance", 5}};
  for (const auto& [kind, count] : freedom) {
    SCOPED_TRACE(kind);
    const std::string axis = kind == "spherical" || kind == "distance" || kind == "fixed" ? "" : " axis (1, 2, 3)";
    const Model m = model_from_text(
        "body a mass 1 inertia (1, 2, 2.5) at (0.1, 0.2, 0.3)\nbody b mass 2 inertia (1, 1, 1.5) at (1, 1, 2) turned "
        "0.3 "
        "about (1, 1, 0)\njoint " +
        kind + " j from a point (0.3, 0.1, 0.2)" + axis + " to b point (-0.5, 0, -1)" +
        (kind == "distance" ? " length 1" : "") + "\n");
    const Equations e = derive(m);
    const InitialValues start = make_consistent(m, e);
    EXPECT_TRUE(start.redundant.empty());
    EXPECT_EQ(static_cast<int>(e.y.size()) - static_cast<int>(e.g.size()), 6 + count);
    EXPECT_FALSE(start.changes.empty());  // assembled from the rough guess
    const Report r = run(m, "gauss(2)", 0.02, 0.2, interpreted_newton());
    ASSERT_EQ(r.ending, Ending::done) << r.reason;
    EXPECT_LT(r.position, 1e-13);
  }
}

TEST(Joints, UniversalJointTurnsUnevenly) {
  // tan(out) = tan(in) cos(bend) for shafts that meet at an angle, each with its cross as here.
  const double bend = 0.5;
  const std::string text =
      "parameter bend = 0.5\nbody in mass 1 inertia (1, 1, 1) spin (0, 0, 2)\n"
      "body out mass 1 inertia (1, 1, 1) turned bend about (1, 0, 0) spin (0, 0, 2*cos(bend))\n"
      "joint revolute one from ground axis (0, 0, 1) to in\n"
      "joint cylindrical two from ground axis (0, -sin(bend), cos(bend)) to out axis (0, 0, 1)\n"
      "joint universal cross from in axis (1, 0, 0) to out axis (0, 1, 0)\n"
      "drive motor joint one angle 2*t\nconserve turned: two.angle\n";
  const Report r = go(text, "gauss(3)", 0.01, 0.5);
  ASSERT_EQ(r.ending, Ending::done) << r.reason;
  const double turned = r.invariants[0].final - r.invariants[0].initial;
  EXPECT_NEAR(std::tan(turned), std::tan(1.0) * std::cos(bend), 1e-8);
}

TEST(Joints, ReactionsOfStatics) {
  // A beam clamped at its left end: force m g up, moment m g l/2 about the clamp (about -y, for gravity along -z).
  const Report beam =
      go("body b mass 2 inertia (0.01, 1, 1) at (1.5, 0, 0)\ngravity (0, 0, -10)\n"
         "joint fixed clamp from ground to b point (-1.5, 0, 0)\n",
         "lobatto(2)", 0.1, 0.2);
  ASSERT_EQ(beam.ending, Ending::done) << beam.reason;
  expect_near(joint(beam, "clamp").force, {0, 0, 20}, 1e-10);
  expect_near(joint(beam, "clamp").moment, {0, -30, 0}, 1e-10);
  EXPECT_EQ(joint(beam, "clamp").body, "b");
  // The same in the plane.
  const Report flat =
      go("body b planar mass 2 inertia 1 at (1.5, 0)\ngravity (0, -10)\njoint fixed clamp from ground to b point "
         "(-1.5, 0)\n",
         "lobatto(2)", 0.1, 0.2);
  expect_near(joint(flat, "clamp").force, {0, 20}, 1e-10);
  expect_near(joint(flat, "clamp").moment, {30}, 1e-10);
  // On a slide inclined by 30 degrees the joint pushes across it only.
  const Report slide =
      go("body b planar mass 2 inertia 1\ngravity (0, -10)\n"
         "joint prismatic rail from ground axis (cos(pi/6), sin(pi/6)) to b\n",
         "lobatto(2)", 0.1, 0.2);
  expect_near(joint(slide, "rail").force_in_joint, {0, 20 * std::cos(std::acos(-1.0) / 6)}, 1e-10);
}

TEST(Joints, EitherSideMayBeTheGround) {
  const std::string body = "body b mass 1 inertia (1, 1, 1) at (0, 0, -1)\ngravity (0, 0, -9.81)\n";
  const Report one = go(body + "joint spherical j from ground to b point (0, 0, 1)\n", "lobatto(2)", 0.01, 0.02);
  const Report two = go(body + "joint spherical j from b point (0, 0, 1) to ground\n", "lobatto(2)", 0.01, 0.02);
  expect_near(joint(one, "j").force, {0, 0, 9.81}, 1e-10);
  expect_near(joint(two, "j").force, {0, 0, 9.81}, 1e-10);
}

TEST(Elements, SpringsAndTorsionsSwing) {
  const double pi = std::acos(-1.0);
  // m x'' = -k x: after half a period on the other side.
  const Model s =
      model_from_text("body b planar mass 2 inertia 1 at (3.5, 0)\nspring k from ground to b stiffness 8 length 3\n");
  expect_near(of(run(s, "gauss(4)", pi / 2 / 50, pi / 2, interpreted_newton()), s, "b.r"), {2.5, 0}, 1e-9);
  // I phi'' = -k phi about a fixed axis: the same by 0.3, in space.
  const Model t = model_from_text(
      "body b mass 1 inertia (1, 1, 1.5) turned 0.3 about (0, 0, 1)\njoint revolute j from ground axis (0, 0, 1) to b\n"
      "torsion k joint j stiffness 6\nconserve angle: j.angle\n");
  EXPECT_NEAR(run(t, "gauss(4)", pi / 2 / 50, pi / 2, interpreted_newton()).invariants[0].final, -0.3, 1e-9);
  // x'' = -c/m x' with c/m = 1: a damper alone.
  const Model d = model_from_text(
      "body b planar mass 2 inertia 1 at (1, 0) velocity (1, 0)\nspring k from ground to b damping 2\n");
  expect_near(of(run(d, "gauss(4)", 0.05, 1, interpreted_newton()), d, "b.r", true), {std::exp(-1.0), 0}, 1e-10);
}

TEST(Elements, MayHaveAnyName) {
  const Report r =
      go("body PISTON planar mass 1 inertia 1\nbody N planar mass 1 inertia 1\njoint revolute PIN from N to PISTON\n"
         "joint fixed BOLTN from ground to N\ngravity (0, -1)\n",
         "lobatto(2)", 0.1, 0.2);
  expect_near(joint(r, "BOLTN").force, {0, 2}, 1e-12);
}

TEST(Elements, PointsOfBodiesStandInAnyExpression) {
  const Model m = model_from_text(
      "body arm mass 1 inertia (1, 1, 1) spin (0, 0, 2)\nlet hand = arm.point(1, 0, 0)\nconserve x: hand[1]\n"
      "conserve speed: norm(hand')\npotential arm.point(0, 0, 1)[3]\n");
  const Report r = run(m, "gauss(4)", 0.05, 1, interpreted_newton());
  EXPECT_NEAR(r.invariants[0].final, std::cos(2), 1e-10);
  EXPECT_NEAR(r.invariants[1].initial, 2, 1e-14);
}

TEST(Models, SliderCrankFollowsItsClosedForm) {
  const Model m = gallery("slider_crank");
  const Report r = run(m, "gauss(3)", 0.005, 0.5, interpreted_newton());
  ASSERT_EQ(r.ending, Ending::done) << r.reason;
  const double phi = 20 * 0.5, x = 0.1 * std::cos(phi) + std::sqrt(0.09 - 0.01 * std::sin(phi) * std::sin(phi));
  expect_near(of(r, m, "slider.r"), {x, 0}, 1e-12);
}

TEST(Models, BallRollsDownWithFiveSevenths) {
  const Model m = gallery("rolling_ball");
  const Report r = run(m, "gauss(4)", 0.01, 1, interpreted_newton());
  ASSERT_EQ(r.ending, Ending::done) << r.reason;
  expect_near(of(r, m, "ball.r"), {0.5 * 5.0 / 7 * 9.81 * std::sin(0.3), 1, 0.2}, 1e-10);
  EXPECT_LT(r.nonholonomic, 1e-12);
}

TEST(Models, DiskFromJointsFallsLikeTheDiskWrittenOut) {
  const Model written = gallery("falling_disk");
  const Model body = model_from_text(
      "parameter m = 1, R = 1, g = 9.81\n"
      "body disk mass m inertia (m*R^2/4, m*R^2/2, m*R^2/4) at (0, R*sin(0.3), R*cos(0.3)) turned -0.3 about (1, 0, 0) "
      "spin (0, 3, 0) velocity (3*R, 0, 0)\n"
      "gravity (0, 0, -g)\njoint rolling contact from ground to disk axis (0, 1, 0) radius R\n");
  const Report a = run(written, "gauss(4)", 0.01, 1, interpreted_newton()),
               b = run(body, "gauss(4)", 0.01, 1, interpreted_newton());
  ASSERT_EQ(b.ending, Ending::done) << b.reason;
  const double height = of(b, body, "disk.r")[2];
  EXPECT_NEAR(height, std::cos(of(a, written, "theta")[0]), 1e-8);
  EXPECT_LT(b.nonholonomic, 1e-12);
}

TEST(Models, HeavyTopKeepsWhatItShould) {
  const Model m = gallery("heavy_top");
  const Report r = run(m, "lobatto(2)", 0.0005, 1);
  ASSERT_EQ(r.ending, Ending::done) << r.reason;
  EXPECT_LT(r.position, 1e-13);
  for (const Watched& w : r.invariants) EXPECT_LT(w.max_error, 1e-9);
  EXPECT_LT(r.energy.max_error, 2);  // of 5500: bounded, order two
}

TEST(Models, RedundantCrankCarriesButDoesNotMove) {
  const Report r = run(gallery("parallel_four_bar"), "gauss(4)", 0.01, 2, interpreted_newton());
  ASSERT_EQ(r.ending, Ending::done) << r.reason;
  ASSERT_EQ(r.initial.redundant.size(), 1u);
  // A pendulum of length 1 from 1 rad at rest: energy gives the speed at any height.
  const double speed = std::hypot(r.v[0], r.v[1]);
  EXPECT_NEAR(speed * speed / 2, 9.81 * (std::cos(std::atan2(r.y[0] - 1, -r.y[1])) - std::cos(1.0)), 1e-9);
  double sum = 0;
  for (const JointForces& j : r.joints) sum += j.force_in_joint[0];
  // All three pull along the cranks: m (g cos + v^2) together.
  EXPECT_NEAR(std::abs(sum), 2 * (9.81 * -r.y[1] + speed * speed), 1e-7);
}

}  // namespace
}  // namespace alembert::internal::testing
