// Constraints that depend on each other, always or at single positions: the motion is that of the twin without them,
// the reactions add up to the same, and singular positions are passed on the regular branch (closed forms).

#include <gtest/gtest.h>

#include <cmath>

#include "../conformance/problems.h"

namespace alembert::internal::testing {
namespace {

// Three particles on parallel cranks, joined to a rigid frame. The twin has one crank.
const std::string frame =
    "parameter g = 9.81\ncoordinate a[2], b[2], c[2]\n"
    "kinetic (norm2(a') + 2*norm2(b') + 1.5*norm2(c'))/2\npotential g*(a[2] + 2*b[2] + 1.5*c[2])\n"
    "constraint crank1: norm2(a) = 1\nconstraint coupler1: b - a = (1, 0)\nconstraint coupler2: c - a = (0.5, 0.5)\n"
    "initial a = (0, 1), b = (1, 1), c = (0.5, 1.5), a' = (2, 0), b' = (2, 0), c' = (2, 0)\n";
const std::string more_cranks =
    "constraint crank2: norm2(b - (1, 0)) = 1\nconstraint crank3: norm2(c - (0.5, 0.5)) = 1\n";

void expect_same_motion(const Report& a, const Report& b, double tolerance) {
  ASSERT_EQ(a.ending, Ending::done) << a.reason;
  ASSERT_EQ(b.ending, Ending::done) << b.reason;
  for (std::size_t i = 0; i < a.y.size(); ++i) EXPECT_NEAR(a.y[i], b.y[i], tolerance) << i;
  for (std::size_t i = 0; i < a.z.size(); ++i) EXPECT_NEAR(a.z[i], b.z[i], tolerance) << i;
}

TEST(Redundant, MotionIsThatOfTheTwinWithEveryFamily) {
  const Model twin = model_from_text(frame), redundant = model_from_text(frame + more_cranks);
  const Equations e = derive(redundant);
  int tried = 0;
  for (const MethodFamily& family : all_families()) {
    const Method method = family.make(family.example);
    if (!refusal(method, e).empty()) continue;
    SCOPED_TRACE(method.name);
    ++tried;
    const Report one = run(twin, method.name, 0.01, 1, interpreted_newton());
    const Report all = run(redundant, method.name, 0.01, 1, interpreted_newton());
    expect_same_motion(one, all, 1e-10);
    ASSERT_EQ(all.initial.redundant.size(), 2u);
    EXPECT_EQ(all.initial.redundant[0], "crank2 follows from crank1, coupler1[2]");
    if (method.claims.position) { EXPECT_LT(all.position, 1e-14); }
    if (method.claims.velocity) { EXPECT_LT(all.velocity, 1e-12); }
  }
  EXPECT_GE(tried, 15);
}

TEST(Redundant, ReactionsAddUpAndTheirMultipliersAreTheSmallest) {
  const Report one = run(model_from_text(frame), "lobatto(3)", 0.01, 1, interpreted_newton());
  const Report all = run(model_from_text(frame + more_cranks), "lobatto(3)", 0.01, 1, interpreted_newton());
  // lambda: crank1, coupler1 (2), coupler2 (2), crank2, crank3. Cranks all point along a: their forces are -2 lambda a.
  const auto &l = one.lambda, &m = all.lambda;
  ASSERT_EQ(l.size(), 5u);
  ASSERT_EQ(m.size(), 7u);
  const double x = one.y[0], y = one.y[1];
  EXPECT_NEAR(m[0] + m[5] + m[6], l[0], 1e-9);
  // The force on b: that of its coupler and its crank.
  EXPECT_NEAR(m[1] + 2 * m[5] * x, l[1], 1e-9);
  EXPECT_NEAR(m[2] + 2 * m[5] * y, l[2], 1e-9);
  EXPECT_NEAR(m[3] + 2 * m[6] * x, l[3], 1e-9);
  // Smallest: orthogonal to what can be added without a change of forces (crank2 + 1, crank1 - 1, coupler1 - 2 a).
  EXPECT_NEAR(m[5] - m[0] - 2 * (x * m[1] + y * m[2]), 0, 1e-9);
  EXPECT_NEAR(m[6] - m[0] - 2 * (x * m[3] + y * m[4]), 0, 1e-9);
}

TEST(Redundant, NonholonomicTwins) {
  const std::string sleigh =
      "coordinate x, y, phi\nkinetic (x'^2 + y'^2 + phi'^2)/2\npotential x\n"
      "constraint knife: sin(phi)*x' = cos(phi)*y'\ninitial phi' = 1, x' = 1\n";
  const std::string again = "constraint again: 3*sin(phi)*x' = 3*cos(phi)*y'\n";
  for (const char* method : {"gauss(2)", "lobatto(3)", "lobatto_abd(2)", "euler_spark_1"}) {
    SCOPED_TRACE(method);
    expect_same_motion(run(model_from_text(sleigh), method, 0.01, 2, interpreted_newton()),
                       run(model_from_text(sleigh + again), method, 0.01, 2, interpreted_newton()), 1e-11);
  }
}

// The third crank carries the frame through the positions in which the first two are in line with it: the full set
// never loses rank, each pair of cranks does.
TEST(Redundant, ThirdCrankOutOfLine) {
  const std::string text =
      "coordinate a[2], phi\nkinetic norm2(a')/2 + phi'^2/2\nconstraint one: norm2(a) = 1\n"
      "constraint two: norm2(a + (2*cos(phi), 2*sin(phi)) - (2, 0)) = 1\n"
      "constraint three: norm2(a + (cos(phi) - sin(phi), sin(phi) + cos(phi)) - (1, 1)) = 1\n"
      "initial a = (0, 1), a' = (5, 0)\n";
  for (const double step : {0.01, 0.0123, std::acos(-1.0) / 100}) {
    const Report r =
        run(model_from_text(text), "gauss(3)", step, 10 * step * std::floor(1 / step), interpreted_newton());
    ASSERT_EQ(r.ending, Ending::done) << r.reason;
    EXPECT_NEAR(r.y[0], std::sin(5 * r.t), 1e-6);
    EXPECT_NEAR(r.y[1], std::cos(5 * r.t), 1e-6);
    EXPECT_NEAR(r.y[2], 0, 1e-12);
  }
}

TEST(Redundant, ThatBecomesAContradictionEndsTheRun) {
  // The same rod twice, one of them growing from t = 1 on.
  const Report r = run(model_from_text("coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\n"
                                       "constraint twin: x^2 + y^2 = 1 + max(t - 1, 0)^4\ninitial x = 1, y' = 1\n"),
                       "lobatto(2)", 0.01, 3, interpreted_newton());
  EXPECT_EQ(r.ending, Ending::failed);
  EXPECT_GT(r.t, 0.98);
  EXPECT_LT(r.t, 1.1);
  EXPECT_NE(r.reason.find("contradict"), std::string::npos) << r.reason;
}

// Cranks of length 1 that turn with the angular velocity 5: in line with the coupler twice a turn.
const char parallelogram[] = R"(coordinate a[2], b[2]
kinetic (norm2(a') + norm2(b'))/2
constraint crank: norm2(a) = 1
constraint coupler: norm2(a - b) = 4
constraint rocker: norm2(b - (2, 0)) = 1
initial a = (0, 1), b = (2, 1), a' = (5, 0), b' = (5, 0)
)";

TEST(SingularPosition, ParallelogramPassesOnItsRegularBranchWhereverTheStepsFall) {
  const double pi = std::acos(-1.0);
  const Model model = model_from_text(parallelogram);
  for (const char* method : {"lobatto(2)", "lobatto(3)", "gauss(2)", "gauss(3)", "gauss(4)", "radau(3)"}) {
    SCOPED_TRACE(method);
    for (const double step : {0.01, 0.0113, 0.003, 0.05, pi / 100}) {  // the last one lands in line every ten steps
      SCOPED_TRACE(step);
      const Report r = run(model, method, step, step * std::floor(2 * pi / step), interpreted_newton());
      ASSERT_EQ(r.ending, Ending::done) << r.reason;
      EXPECT_GE(r.singular_positions.size(), 9u);
      EXPECT_LE(r.singular_positions.size(), 11u);
      EXPECT_EQ(r.singular_positions[0].words, "rocker becomes dependent on crank, coupler");
      EXPECT_NEAR(r.y[2] - r.y[0], 2, 1e-12);
      EXPECT_NEAR(r.y[3], r.y[1], 1e-12);
      EXPECT_LT(r.position, 1e-11);
      if (method == std::string("gauss(4)")) {
        EXPECT_NEAR(r.y[0], std::sin(5 * r.t), 1e-8);
        EXPECT_LT(r.energy.max_error, 1e-7);
      }
    }
    const Report back = run(model, method, -0.01, -5, interpreted_newton());
    EXPECT_EQ(back.ending, Ending::done) << back.reason;
  }
}

TEST(SingularPosition, LongStepsEndTheRunRatherThanChangeTheBranch) {
  // Up to a third of a turn a step: what is accepted is on the branch and has the energy that the method keeps.
  const Model model = model_from_text(parallelogram);
  int done = 0, failed = 0;
  for (const char* method : {"lobatto(2)", "lobatto(3)", "gauss(1)", "gauss(2)", "gauss(4)", "energy_momentum"})
    for (const double step : {0.07, 0.1, 0.13, 0.17, 0.21, 0.27, 0.33, 0.4}) {
      SCOPED_TRACE(std::string(method) + " " + std::to_string(step));
      const Report r = run(model, method, step, 40 * step, interpreted_newton());
      ++(r.ending == Ending::done ? done : failed);
      if (r.ending != Ending::done) {
        EXPECT_FALSE(r.reason.empty());
        continue;
      }
      EXPECT_NEAR(r.y[2] - r.y[0], 2, 1e-6);
      EXPECT_NEAR(r.y[3], r.y[1], 1e-6);
      EXPECT_LT(r.energy.max_error, 0.1 * r.energy.initial);
    }
  EXPECT_GT(done, 10);
}

// Where no singular position is near, none is made up: these steps are too long for the motion.
TEST(SingularPosition, IsNoExcuseForALongStep) {
  for (const double step : {0.3, 0.5, 0.8}) {
    const Report r = run(gallery("double_pendulum"), "energy_momentum", step, 100 * step, interpreted_newton());
    EXPECT_TRUE(r.singular_positions.empty());
    if (r.ending == Ending::done) {
      EXPECT_LT(r.energy.max_error, 1e-9);
    } else {
      EXPECT_NE(r.reason.find("try a smaller step"), std::string::npos) << r.reason;
    }
  }
}

TEST(SingularPosition, DrivenSliderStretchesAndComesBackOnTheOtherSide) {
  // s = 2 - tau^2, tau = 1 - t, with crank and rod of length 1: y = tau sqrt(1 - tau^2/4), which changes its sign.
  const Model model = model_from_text(
      "coordinate x, y, s\nkinetic (x'^2 + y'^2 + s'^2)/2\nconstraint crank: x^2 + y^2 = 1\n"
      "constraint rod: (s - x)^2 + y^2 = 1\nconstraint ground: s = 2 - (1 - t)^2\n"
      "initial x = 0.5, y = 0.8660254037844386, s = 1\n");
  for (const double step : {0.01, 0.0101}) {  // the first lands on the singular position
    const Report r = run(model, "lobatto(3)", step, 2, interpreted_newton());
    ASSERT_EQ(r.ending, Ending::done) << r.reason;
    EXPECT_EQ(r.singular_positions.size(), 1u);
    EXPECT_NEAR(r.y[1], -std::sqrt(0.75), 1e-10);
  }
}

TEST(SingularPosition, CrossIsPassedStraightOn) {
  const Report r = run(model_from_text("coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint cross: x*y = 0\n"
                                       "initial x = -1, x' = 2\n"),
                       "lobatto(3)", 0.01, 2, interpreted_newton());
  ASSERT_EQ(r.ending, Ending::done) << r.reason;
  EXPECT_NEAR(r.y[0], 3, 1e-12);
  EXPECT_NEAR(r.y[1], 0, 1e-12);
  EXPECT_EQ(r.singular_positions.size(), 1u);
}

TEST(SingularPosition, StartInLine) {
  const Report r = run(model_from_text("coordinate a[2], b[2]\nkinetic (norm2(a') + norm2(b'))/2\n"
                                       "constraint crank: norm2(a) = 1\nconstraint coupler: norm2(a - b) = 4\n"
                                       "constraint rocker: norm2(b - (2, 0)) = 1\n"
                                       "initial a = (1, 0), b = (3, 0), a' = (0, 5), b' = (0, 5)\n"),
                       "gauss(2)", 0.01, 1, interpreted_newton());
  ASSERT_EQ(r.ending, Ending::done) << r.reason;
  EXPECT_NEAR(r.y[0], std::cos(5), 1e-5);
  EXPECT_NEAR(r.y[3], std::sin(5), 1e-5);
}

}  // namespace
}  // namespace alembert::internal::testing
