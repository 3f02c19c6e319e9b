// Angles of joints in space go on through any number of turns: in the step, in rows, between steps and in events.

#include <gtest/gtest.h>

#include <cmath>

#include "alembert/alembert.h"
#include "alembert/study/converge.h"
#include "conformance/problems.h"

namespace alembert::internal::testing {
namespace {

const double pi = std::acos(-1.0);

// I a'' = -k a with I = 1, k = 0.04 and a'(0) = 6: a = 30 sin(t/5), almost five turns each way.
const std::string wound =
    "body b mass 1 inertia (1, 2, 1) spin (0, 0, 6)\njoint revolute j from ground axis (0, 0, 1) to b\n"
    "torsion k joint j stiffness 0.04\n";
double wound_angle(double t) { return 30 * std::sin(t / 5); }

double of(const Report& report, const std::string& name) {
  for (std::size_t i = 0; i < report.names.states.size(); ++i)
    if (report.names.states[i] == name) return i < report.y.size() ? report.y[i] : report.z[i - report.y.size()];
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(Angles, OfATorsionSpringAgreeWithTheClosedFormForEveryMethod) {
  const Model model = model_from_text(wound);
  struct Case {
    const char* method;
    double h, tolerance, energy;
  };
  for (const Case& c : {Case{"lobatto(3)", 0.05, 1e-4, 1e-4}, Case{"gauss(3)", 0.05, 1e-7, 1e-7},
                        Case{"gauss_collocation(4)", 0.05, 1e-6, 1e-6}, Case{"murua_ggl(3)", 0.05, 1e-6, 1e-6},
                        Case{"lobatto_c(4, ggl)", 0.02, 1e-5, 1e-5}, Case{"lobatto_damped(4)", 0.02, 1e-6, 1e-6},
                        Case{"energy_momentum", 0.005, 1e-2, 1e-10}, Case{"rattle", 0.005, 1e-2, 1e-3},
                        Case{"symmetric(true_euler)", 0.005, 1e-2, 1e-3},
                        Case{"radau_collocation(3)", 0.02, 1e-4, 1e-4}, Case{"suzuki(lobatto(2))", 0.02, 1e-4, 1e-4}}) {
    SCOPED_TRACE(c.method);
    const Report report = run(model, c.method, c.h, 20);
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    EXPECT_NEAR(of(report, "j.angle"), wound_angle(20), c.tolerance * 30);
    EXPECT_LT(report.energy.max_error, c.energy * 18);
  }
}

TEST(Angles, AgreeWithAPendulumInThePlaneOverManyTurns) {
  const char* const spring = "torsion k joint j stiffness 0.05 damping 0.01\n";
  const Model space = model_from_text(
      std::string("body b mass 1 inertia (1, 1, 0.5) at (1, 0, 0) spin (0, 0, 9) velocity (0, 9, 0)\n"
                  "gravity (0, -9.81, 0)\njoint revolute j from ground axis (0, 0, 1) to b point (-1, 0, 0)\n") +
      spring);
  const Model plane = model_from_text(
      std::string("body b planar mass 1 inertia 0.5 at (1, 0) spin 9 velocity (0, 9)\ngravity (0, -9.81)\n"
                  "joint revolute j from ground to b point (-1, 0)\n") +
      spring);
  const Report a = run(space, "gauss(4)", 0.01, 6), b = run(plane, "gauss(4)", 0.01, 6);
  ASSERT_EQ(a.ending, Ending::done) << a.reason;
  EXPECT_GT(std::abs(b.y[2]), 2 * pi) << "it turns";
  EXPECT_NEAR(of(a, "j.angle"), b.y[2], 1e-8);
  EXPECT_NEAR(of(a, "b.r[1]"), b.y[0], 1e-8);
}

TEST(Angles, EventsAreFoundAfterThreeTurns) {
  const std::string event = "event third: j.angle = 6*pi\nstop when j.angle = 28\n";
  for (const char* method_text : {"lobatto(4)", "gauss(3)", "murua_ggl(3)"}) {
    SCOPED_TRACE(method_text);
    const Report report = run(model_from_text(wound + event), method_text, 0.04, 20);
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    ASSERT_EQ(report.events.size(), 2u);
    EXPECT_NEAR(report.events[0].t, 5 * std::asin(6 * pi / 30), 1e-6);
    EXPECT_NEAR(report.t, 5 * std::asin(28.0 / 30), 1e-6);
    EXPECT_NEAR(of(report, "j.angle"), 28, 1e-9);
  }
}

TEST(Angles, RowsAndWhatLiesBetweenThemHaveNoJump) {
  const Model model = model_from_text(wound + "conserve angle: j.angle\n");
  const Equations e = derive(model);
  Recorder recorder;
  SimulateOptions options;
  options.step = 0.1;
  options.end = 20;
  options.sample = 0.03;
  options.observers.push_back(&recorder);
  ASSERT_EQ(simulate(model, e, method("gauss(3)"), options).ending, Ending::done);
  const Trajectory& rows = recorder.trajectory;
  int column = -1;
  for (std::size_t i = 0; i < rows.columns.names.size(); ++i)
    if (rows.columns.names[i] == "j.angle") column = static_cast<int>(i);
  ASSERT_GE(column, 0);
  double worst = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i)
    worst = std::max(worst, std::abs(rows.values[static_cast<std::size_t>(column)][i] - wound_angle(rows.t()[i])));
  EXPECT_LT(worst, 1e-4);
}

TEST(Angles, FollowStepsThatAreRejectedReversedOrBackward) {
  const Model model = model_from_text(wound);
  const Equations e = derive(model);
  SimulateOptions options;
  options.step = 0.4;
  options.end = 20;
  options.steps.control = Control::tolerance;
  options.steps.tolerance = 1e-9;
  const Report controlled = simulate(model, e, method("gauss(3)"), options);
  ASSERT_EQ(controlled.ending, Ending::done) << controlled.reason;
  EXPECT_NEAR(of(controlled, "j.angle"), wound_angle(20), 1e-5);
  options.steps = {};
  options.step = -0.05;
  options.end = -13;
  const Report backward = simulate(model, e, method("gauss(3)"), options);
  ASSERT_EQ(backward.ending, Ending::done) << backward.reason;
  EXPECT_NEAR(of(backward, "j.angle"), wound_angle(-13), 1e-5);
}

TEST(Angles, AreSavedAndLoadedAndMadeInQuadruplePrecision) {
  const alembert::Model model = read_model_text(wound);
  const alembert::Equations equations = alembert::derive(model);
  Stepper one = compile(alembert::find_method("lobatto(3)"), equations, {.step = 0.05});
  ASSERT_TRUE(one.steps(150));
  EXPECT_GT(one.value("j.angle"), 4 * 2 * pi);
  Stepper two = compile(alembert::find_method("lobatto(3)"), equations, {.step = 0.05});
  two.load(one.save());
  ASSERT_TRUE(one.steps(100) && two.steps(100));
  EXPECT_EQ(one.value("j.angle"), two.value("j.angle"));
  EXPECT_NEAR(one.value("j.angle"), wound_angle(12.5), 1e-3);

  const Model inner = model_from_text(wound);
  const Equations e = derive(inner);
  const MotionPoint<Quad> start = polish<Quad>(e, make_consistent(inner, e), Quad(0));
  const Endpoint<Quad> end = integrate<Quad>(e, method("gauss(4)"), start, Quad(0), Quad(1) / 10, 100, {});
  ASSERT_EQ(end.failure, "");
  EXPECT_NEAR(static_cast<double>(end.point.y.back()), wound_angle(10), 1e-9);
}

TEST(Angles, AStepThatTurnsTooFarIsNotTakenInSilence) {
  const Report report = run(model_from_text(wound), "gauss(6)", 0.4, 2);
  ASSERT_FALSE(report.warnings.empty());
  EXPECT_EQ(report.warnings[0].code, "turn");
  EXPECT_TRUE(run(model_from_text(wound), "gauss(6)", 0.1, 2).warnings.empty());
}

TEST(Angles, HaveAZeroThatCanBeSet) {
  const auto angle = [](const std::string& joint, const std::string& more) {
    const Model model = model_from_text("body b mass 1 inertia (1, 2, 1) rotated 0.3 about (0, 0, 1)\n" + joint +
                                        "conserve a: j.angle\n" + more);
    return run(model, "lobatto(2)", 0.01, 0.01).invariants[0].initial;
  };
  const std::string joint = "joint revolute j from ground axis (0, 0, 1) to b";
  EXPECT_NEAR(angle(joint + "\n", ""), 0.3, 1e-14) << "0 where the frames of the bodies are parallel";
  EXPECT_NEAR(angle(joint + " zero 0.1\n", ""), 0.2, 1e-14);
  EXPECT_NEAR(angle(joint + " zero pi\n", ""), 0.3 - pi, 1e-14);
  EXPECT_NEAR(angle(joint + "\n", "initial j.angle = 0.3 + 6*pi\n"), 0.3 + 6 * pi, 1e-13) << "on another turn";
  EXPECT_NEAR(angle(joint + "\n", "initial j.angle = 20\n"), 20, 1e-13) << "the body is turned";
  const Model plane = model_from_text(
      "body b planar mass 1 inertia 1 angle 0.3\njoint revolute j from ground to b zero 0.1\n"
      "conserve a: j.angle\n");
  EXPECT_NEAR(run(plane, "lobatto(2)", 0.01, 0.01).invariants[0].initial, 0.2, 1e-15);
}

TEST(Angles, ThatArePinnedTurnTheBodies) {
  const std::string text =
      "body b mass 1 inertia (1, 2, 1)\njoint revolute j from ground axis (0, 0, 1) to b\nconserve a: j.angle\n"
      "pin j.angle\n";
  const Report report = run(model_from_text(text + "initial j.angle = 0.5\n"), "lobatto(2)", 0.01, 0.01);
  EXPECT_NEAR(report.invariants[0].initial, 0.5, 1e-14);
  EXPECT_NEAR(of(report, "b.e[1]"), std::cos(0.25), 1e-13);
  EXPECT_NEAR(of(report, "b.e[4]"), std::sin(0.25), 1e-13);
  const Report far = run(model_from_text(text + "initial j.angle = 2.5\n"), "lobatto(2)", 0.01, 0.01);
  EXPECT_NEAR(of(far, "b.e[1]"), std::cos(1.25), 1e-13) << "more than a quarter of a turn";
  EXPECT_NEAR(of(far, "b.e[4]"), std::sin(1.25), 1e-13);
}

TEST(Angles, ACylindricalJointHasASpringInEach) {
  // Screw-like: each swings by itself, a = 10 sin(t), x = cos(2 t).
  const Model model = model_from_text(
      "body b mass 1 inertia (1, 2, 1) at (0, 0, 1) spin (0, 0, 10)\njoint cylindrical j from ground axis (0, 0, 1) to "
      "b\n"
      "torsion turn joint j stiffness 1\ntorsion slide joint j distance stiffness 4 rest 0\n"
      "conserve x: j.distance\nconserve v: j.speed\nconserve w: j.rate\n");
  const Report report = run(model, "gauss(4)", 0.02, 4);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  EXPECT_NEAR(of(report, "j.angle"), 10 * std::sin(4.0), 1e-7);
  EXPECT_NEAR(report.invariants[0].final, std::cos(8.0), 1e-7);
  EXPECT_NEAR(report.invariants[1].final, -2 * std::sin(8.0), 1e-6);
  EXPECT_NEAR(report.invariants[2].final, 10 * std::cos(4.0), 1e-6);
}

TEST(Angles, AUniversalJointHasTwo) {
  // The first body is held, the second turns about one axis of the cross at a time.
  const std::string held = "body a mass 1 inertia (1, 1, 1)\njoint fixed f from ground to a\n";
  const std::string cross = "joint universal j from a axis (1, 0, 0) to b axis (0, 1, 0)\n";
  const auto run_about = [&](const std::string& spin, const std::string& more) {
    const Model model = model_from_text(held + "body b mass 1 inertia (1, 1, 1) spin " + spin + "\n" + cross +
                                        "conserve one: j.angle1\nconserve two: j.angle2\n" + more);
    return run(model, "gauss(4)", 0.02, 3);
  };
  const Report first = run_about("(5, 0, 0)", "");
  ASSERT_EQ(first.ending, Ending::done) << first.reason;
  EXPECT_NEAR(first.invariants[0].final - first.invariants[0].initial, 15, 1e-8);
  EXPECT_NEAR(first.invariants[1].final - first.invariants[1].initial, 0, 1e-8);
  const Report second = run_about("(0, 5, 0)", "");
  EXPECT_NEAR(second.invariants[0].final - second.invariants[0].initial, 0, 1e-8);
  EXPECT_NEAR(second.invariants[1].final - second.invariants[1].initial, 15, 1e-8);
  // a'' = -a about the second axis only, from its own start.
  const double start = second.invariants[1].initial;
  const Report swing = run_about(
      "(0, 12, 0)", "parameter s = " + std::to_string(start) + "\ntorsion k joint j angle2 stiffness 1 rest s\n");
  ASSERT_EQ(swing.ending, Ending::done) << swing.reason;
  EXPECT_NEAR(swing.invariants[1].final - swing.invariants[1].initial, 12 * std::sin(3.0), 1e-5);
  const Report damped = run_about("(5, 0, 0)", "torsion k joint j angle1 damping 1\n");
  EXPECT_NEAR(damped.invariants[0].final - damped.invariants[0].initial, 5 * (1 - std::exp(-3.0)), 1e-6);
}

TEST(Angles, ThoseOfAUniversalJointAreZeroWhereTheFramesAreParallel) {
  const char* const axes[] = {"(1, 0, 0)", "(0, 1, 0)", "(0, 0, 1)", "(1, 2, -1)", "(-1, 1, 1)"};
  const std::pair<int, int> pairs[] = {{0, 1}, {1, 0}, {0, 2}, {2, 0}, {1, 2}, {2, 1}, {3, 4}, {4, 3}};
  for (const auto& [a, b] : pairs) {
    const Model model =
        model_from_text(std::string("body s mass 1 inertia (0.1, 0.12, 0.15)\njoint universal u from "
                                    "ground axis ") +
                        axes[a] + " to s axis " + axes[b] + "\nconserve one: u.angle1\nconserve two: u.angle2\n");
    const Report report = run(model, "lobatto(2)", 0.01, 0.01);
    EXPECT_NEAR(report.invariants[0].initial, 0, 1e-14) << axes[a] << axes[b];
    EXPECT_NEAR(report.invariants[1].initial, 0, 1e-14) << axes[a] << axes[b];
  }
}

TEST(Angles, AnAuxiliaryThatIsAnAngleGoesOnToo) {
  // The polar angle of a particle on a circle, in the Lagrangian form: 8 turns.
  const Report report =
      run(model_from_text("coordinate x = 1, y\nauxiliary a: a = atan2(y, x)\nkinetic (x'^2 + y'^2)/2\n"
                          "constraint x^2 + y^2 = 1\ninitial y' = 5\n"),
          "lobatto(3)", 0.02, 10);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  EXPECT_NEAR(report.y[2], 50, 1e-3);
}

}  // namespace
}  // namespace alembert::internal::testing
