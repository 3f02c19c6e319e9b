// Loads on bodies, and motors in joints: against closed forms, and the same motion of other kinds of bodies.

#include <gtest/gtest.h>

#include <cmath>

#include "output/rows.h"

namespace alembert::internal::testing {
namespace {

Rows loaded(const std::string& text, double end = 1, const char* name = "gauss(4)") {
  SimulateOptions options;
  options.step = 0.02;
  options.end = end;
  Rows rows;
  const Report report = run_rows(model_from_text(text), name, options, rows);
  EXPECT_EQ(report.ending, Ending::done) << report.reason;
  return rows;
}

double last(const Rows& rows, const std::string& name) { return rows.at(rows.rows.back(), name); }

const std::string wheel = "joint revolute axle from ground axis (0, 0, 1) to disk\nobserve turn: axle.angle\n";

TEST(Loads, ATorqueTurnsAndAForceTurnsByItsLever) {
  // I = 4: torque 6, a force of 3 at a lever of 2, a jet that turns with the disk: angle 6/4 t^2/2 each.
  const std::string disk = "body disk mass 1 inertia (3, 3, 4)\n" + wheel;
  EXPECT_NEAR(last(loaded(disk + "load motor on disk torque (0, 0, 6)\n"), "turn"), 0.75, 1e-9);
  EXPECT_NEAR(last(loaded(disk + "load motor on disk torque (0, 0, 6) frame disk\n"), "turn"), 0.75, 1e-9);
  EXPECT_NEAR(last(loaded(disk + "load jet on disk point (2, 0, 0) force (0, 3, 0) frame disk\n"), "turn"), 0.75, 1e-9);
  // In the world the lever shrinks: 4 a'' = 6 cos(a), that is 2 a'^2 = 6 sin(a).
  const Rows fixed = loaded(disk + "load pull on disk point (2, 0, 0) force (0, 3, 0)\nobserve rate: axle.rate\n");
  EXPECT_NEAR(2 * std::pow(last(fixed, "rate"), 2), 6 * std::sin(last(fixed, "turn")), 1e-9);
}

TEST(Loads, AFreeBodyFollowsForceAndTorque) {
  const Rows rows = loaded(
      "body stone mass 2 inertia (1, 1, 1) velocity (1, 0, 0)\nload push on stone force (0, 4*t, 0) torque (0, 0, 3)\n"
      "observe w: stone.omega\n");
  EXPECT_NEAR(last(rows, "stone.r[1]"), 1, 1e-12);
  EXPECT_NEAR(last(rows, "stone.r[2]"), 2.0 / 6, 1e-10);
  EXPECT_NEAR(last(rows, "w[3]"), 3, 1e-9);
}

TEST(Loads, AllKindsOfBodiesMoveAlike) {
  // A body in the plane z = 0 under a force beside its centre and a torque, as quaternion, with Euler angles, planar.
  const std::string three =
      "load a on b point (0.3, 0.2, 0) force (1, 2*t, 0)\nload c on b torque (0, 0, 0.4) frame b\n";
  const Rows quaternion = loaded("body b mass 2 inertia (1, 1, 0.5)\n" + three);
  const Rows euler = loaded("body b mass 2 inertia (1, 1, 0.5) euler xyz\n" + three);
  const Rows planar =
      loaded("body b planar mass 2 inertia 0.5\nload a on b point (0.3, 0.2) force (1, 2*t)\nload c on b torque 0.4\n");
  for (const char* name : {"b.r[1]", "b.r[2]"}) {
    EXPECT_NEAR(last(quaternion, name), last(planar, name), 1e-9);
    EXPECT_NEAR(last(euler, name), last(planar, name), 1e-9);
  }
  EXPECT_NEAR(last(euler, "b.angles[3]"), last(planar, "b.phi"), 1e-9);
  EXPECT_NEAR(2 * std::atan2(last(quaternion, "b.e[4]"), last(quaternion, "b.e[1]")), last(planar, "b.phi"), 1e-9);
}

TEST(Motors, ActOnTheSecondBodyAndBackOnTheFirst) {
  // Two disks, I = 1 and 3, free about one axis: torque 6 between them, relative acceleration 6 (1 + 1/3).
  const Rows disks = loaded(
      "body a mass 1 inertia (1, 1, 1)\nbody b mass 1 inertia (3, 3, 3)\n"
      "joint revolute bearing from ground axis (0, 0, 1) to a\njoint revolute shaft from a axis (0, 0, 1) to b\n"
      "drive m joint shaft torque 6\nobserve first: bearing.angle\nobserve between: shaft.angle\n");
  EXPECT_NEAR(last(disks, "first"), -3, 1e-8);
  EXPECT_NEAR(last(disks, "between"), 4, 1e-8);
  // The same between sliders of mass 1 and 3.
  const Rows sliders = loaded(
      "body a mass 1 inertia (1, 1, 1)\nbody b mass 3 inertia (1, 1, 1)\n"
      "joint prismatic rail from ground axis (1, 0, 0) to a\njoint prismatic rod from a axis (1, 0, 0) to b\n"
      "drive m joint rod force 6\nobserve out: rod.distance\n");
  EXPECT_NEAR(last(sliders, "a.r[1]"), -3, 1e-8);
  EXPECT_NEAR(last(sliders, "out"), 4, 1e-8);
}

TEST(Motors, AServoIsASpringAndADamper) {
  const std::string body = "body arm mass 1 inertia (1, 1, 2)\njoint revolute j from ground axis (0, 0, 1) to arm\n";
  const Rows servo = loaded(body + "drive s joint j torque 5*(1 - j.angle) - 3*j.rate\nobserve a: j.angle\n", 2);
  const Rows spring = loaded(body + "torsion s joint j stiffness 5 rest 1 damping 3\nobserve a: j.angle\n", 2);
  EXPECT_NEAR(last(servo, "a"), last(spring, "a"), 1e-10);
  // Planar, and in one of the angles of a universal joint.
  const Rows flat = loaded(
      "body arm planar mass 1 inertia 2\njoint revolute j from ground to arm\n"
      "drive s joint j torque 5*(1 - j.angle) - 3*j.rate\n",
      2);
  EXPECT_NEAR(last(flat, "arm.phi"), last(spring, "a"), 1e-10);
  const std::string fork =
      "body arm mass 1 inertia (2, 2, 2)\njoint universal j from ground axis (0, 0, 1) to arm axis (1, 0, 0)\n"
      "observe a: j.angle1\nobserve b: j.angle2\n";
  const Rows cross = loaded(fork + "drive s joint j torque1 5*(1 - j.angle1) - 3*j.rate1\n", 2);
  const Rows coil = loaded(fork + "torsion s joint j angle1 stiffness 5 rest 1 damping 3\n", 2);
  EXPECT_NEAR(last(cross, "a"), last(coil, "a"), 1e-10);
  EXPECT_NE(last(cross, "a"), cross.at(cross.rows[0], "a"));
  EXPECT_NEAR(last(cross, "b"), cross.at(cross.rows[0], "b"), 1e-9);
}

// What a motor takes that turns an unbalanced arm evenly: the torque of its weight; with an acceleration, that of its
// inertia.
TEST(Motors, ThatPrescribeTheMotionSayWhatItTakes) {
  for (const char* turn : {"3*t", "t^2"}) {
    const Model model = model_from_text(
        "body arm mass 2 inertia (0.1, 0.1, 0.1) at (0.5, 0, 0)\ngravity (0, 0, -9.81)\n"
        "joint revolute hinge from ground axis (0, 1, 0) to arm point (-0.5, 0, 0)\n"
        "drive motor joint hinge angle " +
        std::string(turn) + "\nobserve torque: motor.torque\n");
    SimulateOptions options;
    options.step = 0.01;
    options.end = 1;
    const Report report = simulate(model, derive(model), method("gauss(3)"), options);
    const bool even = turn[0] == '3';
    // About the hinge, whose axis y turns x towards -z: the weight helps, 0.6 is the inertia there.
    const double angle = even ? 3 : 1, expected = (even ? 0 : 0.6 * 2) - 2 * 9.81 * 0.5 * std::cos(angle);
    EXPECT_NEAR(report.observed.at(0).final, expected, 1e-9) << turn;
  }
  const Model slider = model_from_text(
      "body block mass 3 inertia (1, 1, 1)\njoint prismatic rail from ground axis (1, 0, 0) to block\n"
      "drive push joint rail distance t^2\nobserve force: push.force\n");
  SimulateOptions options;
  options.step = 0.01;
  options.end = 1;
  EXPECT_NEAR(simulate(slider, derive(slider), method("gauss(3)"), options).observed.at(0).final, 6, 1e-9);
}

TEST(Motors, FrictionThatDependsOnTheNormalForceOfItsJoint) {
  // A slider pressed on its rail by 10: friction mu N = 2 brakes it from speed 3 at 1/2 of its mass 4.
  const Rows rows = loaded(
      "body s mass 4 inertia (1, 1, 1) velocity (3, 0, 0)\njoint prismatic rail from ground axis (1, 0, 0) to s\n"
      "load weight on s force (0, 0, -10)\ndrive brake joint rail force -0.2*norm(rail.force)\n",
      1, "gauss(3)");
  EXPECT_NEAR(last(rows, "s.r[1]"), 3 - 0.25, 1e-9);
}

}  // namespace
}  // namespace alembert::internal::testing
