#include "alembert/start/initial.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "model/support.h"

namespace alembert::internal {
namespace {

using test::model_of;

constexpr double gravity = 9.81;

InitialValues consistent(const Model& model, double t0 = 0) {
  return make_consistent(model, derive(model), {.t0 = t0});
}
InitialValues consistent(const std::string& text) { return consistent(model_of(text)); }

/// The message and hint of the first error; "" when there is none.
std::string refusal(const std::string& text) {
  const Model model = model_of(text);
  try {
    consistent(model);
  } catch (const InputError& e) { return e.diagnostics()[0].message + " | " + e.diagnostics()[0].hint; }
  return {};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "entry " << i;
}

std::string pendulum(const std::string& initial) {
  return "parameter m1 = 1, m2 = 1, l = 1, gravity = 9.81\ncoordinate x, y\nkinetic m1/2*x'^2 + m2/2*y'^2\n"
         "potential m2*gravity*y\nconstraint rod: x^2 + y^2 = l^2\n" +
         initial + "\n";
}

TEST(InitialPositions, PendulumIsMovedRadially) {
  const InitialValues v = consistent(pendulum("initial x = 0.9, y = -1.2"));
  expect_near(v.y, {0.6, -0.8}, 2e-16);
  EXPECT_NEAR(v.position_residual, 1.25, 1e-15);
  ASSERT_EQ(v.changes.size(), 2u);
  EXPECT_EQ(v.changes[0].name, "x");
  EXPECT_EQ(v.changes[0].from, 0.9);
  EXPECT_EQ(v.changes[0].to, v.y[0]);
  EXPECT_EQ(v.changes[1].name, "y");
}

/// Angular velocity of the first body in its own frame, 2 conj(e) e'.
std::array<double, 3> spin_of(const InitialValues& v) {
  const double *const e = v.y.data() + 3, *const d = v.z.data() + 3;
  return {2 * (e[0] * d[1] - d[0] * e[1] - (e[2] * d[3] - e[3] * d[2])),
          2 * (e[0] * d[2] - d[0] * e[2] - (e[3] * d[1] - e[1] * d[3])),
          2 * (e[0] * d[3] - d[0] * e[3] - (e[1] * d[2] - e[2] * d[1]))};
}

TEST(InitialVelocities, KineticEnergyIsLeastWhereBodiesStandBehindTheirMove) {
  // The cross of a universal joint turns by a about x, the body by b about its y axis: 2T = (A cos^2 b + C sin^2 b)
  // a'^2
  // + B b'^2, so that b' = 0 is least where a' = 1 is wanted.
  for (const double b : {0.3, 0.7, -1.2}) {
    const InitialValues v = consistent(
        "body a mass 1 inertia (0.1, 0.2, 0.3)\njoint universal u from ground axis (1, 0, 0) to a axis (0, 1, 0)\n"
        "initial u.rate1 = 1, u.angle1 = 0.2, u.angle2 = " +
        std::to_string(b));
    const auto [x, y, z] = spin_of(v);
    EXPECT_NEAR(x, std::cos(b), 1e-13) << b;
    EXPECT_NEAR(y, 0, 1e-13) << b;
    EXPECT_NEAR(std::abs(z), std::abs(std::sin(b)), 1e-13) << b;
  }
}

TEST(InitialVelocities, SpinGoesWithABodyThatIsTurned) {
  const InitialValues v = consistent(
      "body a mass 1 inertia (0.1, 0.2, 0.3) spin (0, 0, 6)\njoint revolute u from ground axis (0, 0, 1) to a\n"
      "initial u.angle = 1");
  EXPECT_NEAR(spin_of(v)[2], 6, 1e-12);
}

TEST(InitialPositions, MassesWeighTheDistance) {
  Model model = model_of(pendulum("initial x = 1.3, y = -0.9"), {"m2=4"});
  const InitialValues v = consistent(model);
  // Lagrange: m (q - q_given) + 2 mu q = 0 on the circle; mu by bisection.
  double low = 0;
  double high = 100;
  const auto x = [](double mu) { return 1.3 / (1 + 2 * mu); };
  const auto y = [](double mu) { return -0.9 / (1 + 2 * mu / 4); };
  for (int i = 0; i < 200; ++i) {
    const double mu = (low + high) / 2;
    (x(mu) * x(mu) + y(mu) * y(mu) > 1 ? low : high) = mu;
  }
  expect_near(v.y, {x(low), y(low)}, 1e-15);
  EXPECT_GT(std::abs(v.y[0] - 1.3 / std::hypot(1.3, 0.9)), 0.05);  // not the radial one
}

TEST(InitialPositions, WhatHasNoMassMovesBeforeWhatHas) {
  const InitialValues v = consistent(
      "coordinate x, y\nkinetic x'^2/2\npotential (x - y)^2/2\nrayleigh y'^2/2\nconstraint x + y^3 = 2\n"
      "initial x = 1, y = 1.5");
  EXPECT_NEAR(v.y[0], 1, 1e-5);  // in the metric of the masses, where that of y is a millionth
  EXPECT_NEAR(v.y[1], 1, 1e-5);
}

TEST(InitialPositions, HamiltonianFormAgreesWithLagrangian) {
  const InitialValues q = consistent(model_of(pendulum("initial x = 1.3, y = -0.9, x' = 1, y' = 2"), {"m2=4"}));
  const InitialValues p = consistent(
      "coordinate x, y\nmomentum px of x, py of y\nhamiltonian px^2/2 + py^2/8 + 4*9.81*y\n"
      "constraint rod: x^2 + y^2 = 1\ninitial x = 1.3, y = -0.9, px = 1, py = 8");
  expect_near(p.y, q.y, 1e-15);
  expect_near(p.z, {q.z[0], 4 * q.z[1]}, 1e-14);
  expect_near(p.lambda, q.lambda, 1e-13);
}

TEST(InitialPositions, PinnedComponentStays) {
  const InitialValues v = consistent(pendulum("initial x = 0.9, y = -0.6\npin y"));
  EXPECT_EQ(v.y[1], -0.6);
  EXPECT_NEAR(v.y[0], 0.8, 2e-16);
  ASSERT_EQ(v.changes.size(), 1u);
}

TEST(InitialPositions, ConsistentValuesKeepEveryBit) {
  Model model = model_of(pendulum("initial x = 1"));
  const Equations equations = derive(model);
  for (int i = 0; i < 200; ++i) {
    const double angle = 0.1 + i * 0.7;
    const double rate = std::exp(0.1 * i - 10);
    const std::vector<double> y = {std::cos(angle), std::sin(angle)};
    const std::vector<double> z = {-rate * y[1], rate * y[0]};
    model.q0 = {y[0], y[1]};
    model.z0 = {z[0], z[1]};
    const InitialValues v = make_consistent(model, equations);
    EXPECT_EQ(v.y, y);
    EXPECT_EQ(v.z, z);
    EXPECT_TRUE(v.changes.empty());
  }
}

TEST(InitialPositions, ResultIsAFixedPoint) {
  Model model = model_of(pendulum("initial x = 3.1, y = -0.2, x' = 0.3, y' = 5"), {"m2=7"});
  const InitialValues first = consistent(model);
  model.q0 = {first.y[0], first.y[1]};
  model.z0 = {first.z[0], first.z[1]};
  const InitialValues second = consistent(model);
  EXPECT_EQ(second.y, first.y);
  EXPECT_EQ(second.z, first.z);
}

TEST(InitialVelocities, AreProjectedToTheTangent) {
  const InitialValues v = consistent(pendulum("initial x = 0.6, y = -0.8, x' = 1, y' = 1"));
  EXPECT_EQ(v.y, (std::vector<double>{0.6, -0.8}));
  expect_near(v.z, {1.12, 0.84}, 4e-16);
  EXPECT_NEAR(v.velocity_residual, 0.4, 1e-15);
  ASSERT_EQ(v.changes.size(), 2u);
  EXPECT_EQ(v.changes[0].name, "x'");
}

TEST(InitialVelocities, PinnedVelocityStays) {
  const InitialValues v = consistent(pendulum("initial x = 0.6, y = -0.8, x' = 1, y' = 1\npin x'"));
  expect_near(v.z, {1, 0.75}, 2e-16);
}

TEST(InitialVelocities, FollowAMovingSupport) {
  const std::string text =
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nlet s = 0.1*sin(5*t)\n"
      "constraint rod: (x - s)^2 + y^2 = 1\n";
  const Model model = model_of(text + "initial x = 1");
  expect_near(consistent(model).z, {0.5, 0}, 1e-16);
  // Later the support stands elsewhere: positions and velocities move with it.
  const InitialValues later = consistent(model, 0.3);
  const double s = 0.1 * std::sin(1.5);
  expect_near(later.y, {1 + s, 0}, 1e-15);
  expect_near(later.z, {0.5 * std::cos(1.5), 0}, 1e-15);
}

TEST(InitialVelocities, NonholonomicConstraints) {
  const InitialValues v = consistent(
      "coordinate q[3]\nkinetic norm2(q')/2\nconstraint q[3]' = q[2]*q[1]'\n"
      "initial q = (1, 2, 0), q' = (1, 1, 1)");
  expect_near(v.z, {0.6, 1, 1.2}, 4e-16);
  EXPECT_EQ(v.nonholonomic_residual, 1);
  // d/dt (v3 - q2 v1) = 0 with a = -k_v^T psi, k_v = (-2, 0, 1): a3 - v2 v1 - 2 a1 = -5 psi - 0.6.
  expect_near(v.psi, {-0.12}, 1e-15);
  expect_near(v.z_dot, {-0.24, 0, 0.12}, 1e-15);
}

TEST(InitialVelocities, NonlinearNonholonomicConstraint) {
  const InitialValues v =
      consistent("coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint speed: x'^2 + y'^2 = 1\ninitial x' = 3, y' = 4");
  expect_near(v.z, {0.6, 0.8}, 2e-16);
}

TEST(InitialMultipliers, HangingAndSwingingPendulum) {
  const InitialValues rest = consistent(model_of(pendulum("initial y = -l"), {"l=0.7", "m1=3", "m2=3"}));
  expect_near(rest.lambda, {3 * gravity / (2 * 0.7)}, 1e-14);
  expect_near(rest.z_dot, {0, 0}, 1e-14);
  // m y'' = -m g - 2 lambda y and y'' = v^2/l at the lowest point.
  const InitialValues swing = consistent(model_of(pendulum("initial y = -l, x' = 2"), {"l=0.5"}));
  expect_near(swing.z_dot, {0, 8}, 1e-14);
  expect_near(swing.lambda, {8 + gravity}, 2e-14);
}

TEST(InitialMultipliers, LightMassesAreSolvedToRounding) {
  // Two rods on a line, hanging: each carries what hangs below it, whatever the ratio of the masses.
  const std::string text =
      "parameter m1 = 1, m2 = 1\ncoordinate x1, y1, x2, y2\nkinetic m1/2*(x1'^2 + y1'^2) + m2/2*(x2'^2 + y2'^2)\n"
      "potential 9.81*(m1*y1 + m2*y2)\nconstraint rod1: x1^2 + y1^2 = 1\n"
      "constraint rod2: (x2 - x1)^2 + (y2 - y1)^2 = 1\ninitial y1 = -1, y2 = -2\n";
  for (const double m1 : {1.0, 1e-6, 1e-12}) {
    const InitialValues v = consistent(model_of(text, {"m1=" + to_text(m1)}));
    expect_near(v.lambda, {gravity * (1 + m1) / 2, gravity / 2}, 1e-14);
    EXPECT_TRUE(v.redundant.empty());
  }
}

TEST(InitialMultipliers, NonlinearInTheMultiplier) {
  // The velocity is along (1, 3), so friction drops out of d/dt g_dot: 10 psi = 6 b y1 z1^2 + g = 17.586.
  Model model = model_of(test::steel_on_teflon);
  const Equations equations = derive(model);
  const double force = 0.1 * std::pow(std::sqrt(10.0) * 1.7586, 0.85) / std::sqrt(10.0);
  for (const bool guessed : {true, false}) {
    if (!guessed) model.multiplier0 = {std::nullopt};
    const InitialValues v = make_consistent(model, equations);
    expect_near(v.lambda, {1.7586}, 1e-14);
    expect_near(v.z_dot, {-3 * 1.7586 + force, -gravity + 1.7586 + 3 * force}, 2e-14);
    EXPECT_TRUE(v.changes.empty());
  }
}

const char* const platform =
    "parameter g = 9.81\ncoordinate x, y, phi\nkinetic (x'^2 + y'^2)/2 + phi'^2/6\npotential g*y\n"
    "constraint crank1: x^2 + y^2 = 1\n"
    "constraint crank2: (x + cos(phi) - 1)^2 + (y + sin(phi))^2 = 1\n"
    "constraint crank3: (x + 2*cos(phi) - 2)^2 + (y + 2*sin(phi))^2 = 1\n";

TEST(InitialRedundancy, ThirdCrankOfAParallelogram) {
  const InitialValues v = consistent(platform + std::string("initial x = 0.6, y = 0.8"));
  EXPECT_EQ(v.redundant, std::vector<std::string>{"crank3 follows from crank1, crank2"});
  EXPECT_TRUE(v.changes.empty());
  expect_near(v.z_dot, {0.48 * gravity, -0.36 * gravity, 0}, 1e-14);
  // The smallest multipliers with sum S = -0.4 g and no moment about the first crank: a + b i, i = 0, 1, 2.
  const double S = -0.4 * gravity;
  expect_near(v.lambda, {S / 1.2, S / 3, -S / 6}, 1e-13);
}

TEST(InitialRedundancy, IsFoundFromInconsistentValuesToo) {
  const InitialValues v = consistent(platform + std::string("initial x = 0.7, y = 0.9, phi = 0.05, x' = 1"));
  EXPECT_EQ(v.redundant, std::vector<std::string>{"crank3 follows from crank1, crank2"});
  // The platform stays level, so the nearest point is the radial one.
  EXPECT_NEAR(v.y[0], 0.7 / std::hypot(0.7, 0.9), 1e-9);
  EXPECT_NEAR(v.y[1], 0.9 / std::hypot(0.7, 0.9), 1e-9);
  EXPECT_NEAR(v.y[2], 0, 1e-9);
  EXPECT_NEAR(v.y[0] * v.z[0] + v.y[1] * v.z[1], 0, 1e-14);
}

TEST(InitialRedundancy, SingularPositionIsNotARedundantConstraint) {
  const InitialValues v = consistent(
      "coordinate a[2], b[2]\nkinetic (norm2(a') + norm2(b'))/2\npotential 9.81*(a[2] + b[2])\n"
      "constraint left: norm2(a) = 1\nconstraint right: (b[1] - 1)^2 + b[2]^2 = 1\n"
      "constraint coupler: norm2(b - a) = 1\ninitial a = (1, 0), b = (2, 0)");
  ASSERT_EQ(v.redundant.size(), 1u);
  EXPECT_TRUE(contains(v.redundant[0], "coupler follows from left, right at the start (a singular position"));
}

TEST(InitialConflicts, ContradictingLengthsAreNamed) {
  const std::string message = refusal(
      "coordinate a[2], b[2], c[2]\nkinetic (norm2(a') + norm2(b') + norm2(c'))/2\n"
      "constraint rod0: norm2(c) = 1\nconstraint rod1: norm2(a) = 1\nconstraint rod2: norm2(b) = 1\n"
      "constraint rod3: norm2(a - b) = 9\nconstraint rod4: norm2(c - b) = 1\n"
      "initial a = (-1, 0), b = (1, 0.1), c = (1, 1)");
  EXPECT_TRUE(contains(message, "rod1, rod2, rod3 contradict each other")) << message;
  EXPECT_FALSE(contains(message, "rod0")) << message;
  EXPECT_FALSE(contains(message, "rod4")) << message;
}

TEST(InitialConflicts, PinnedValuesAreBlamed) {
  const std::string message = refusal(pendulum("initial x = 0.1, y = -2\npin y"));
  EXPECT_TRUE(contains(message, "the pinned y leaves no positions that satisfy rod")) << message;
  const std::string velocity = refusal(pendulum("initial x = 0.6, y = -0.8, x' = 1, y' = 1\npin x', y'"));
  EXPECT_TRUE(contains(velocity, "the pinned x', y' leave no velocities that satisfy rod")) << velocity;
}

TEST(InitialConflicts, VelocitiesThatCannotBe) {
  const std::string message = refusal(
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint slow: x' = 1\nconstraint fast: x' = 2\nconstraint other: "
      "y' = 1");
  EXPECT_TRUE(contains(message, "the constraints slow, fast contradict each other: no velocities")) << message;
}

TEST(InitialConflicts, AConstraintWithoutDirection) {
  const std::string message = refusal(pendulum("initial x' = 1"));
  EXPECT_TRUE(contains(message, "rod does not hold at the given positions, and its gradient vanishes")) << message;
  EXPECT_TRUE(contains(refusal("coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: norm((x, y)) = 1"), "rod"))
      << message;
}

TEST(InitialMass, MissingMassIsNamed) {
  const std::string message = refusal("coordinate x1, x2, x3\nkinetic (x1'^2 + x2'^2)/2\npotential x1*x2");
  EXPECT_TRUE(contains(message, "no kinetic energy in x3'")) << message;
  const std::string zero = refusal("parameter m = 0\ncoordinate x, y\nkinetic (x'^2 + m*y'^2)/2\npotential x^2");
  EXPECT_TRUE(contains(zero, "no kinetic energy in y'")) << zero;
  const std::string together = refusal("coordinate x, y, z\nkinetic (x' + y')^2/2 + z'^2/2");
  EXPECT_TRUE(contains(together, "x', y' can change together without kinetic energy")) << together;
  EXPECT_TRUE(contains(refusal("coordinate q\nmomentum p of q\nhamiltonian q^2 + q*p\nconstraint c: q = 0\n"),
                       "kinetic energy in p"));
}

TEST(InitialMass, WithoutMassTheRestDecides) {
  // 0 = -2 (y - x): y and y' follow x, and two derivatives are needed before y'' is known.
  const InitialValues spring = consistent(
      model_of("coordinate x, y\nkinetic x'^2/2\npotential (y - x)^2\ninitial x = 2, y = 5, x' = 3\npin x, x'"));
  EXPECT_NEAR(spring.y[1], 2, 1e-12);
  EXPECT_NEAR(spring.z[1], 3, 1e-12);
  EXPECT_EQ(spring.index, 2);
  // 0 = -4 y' - y: y' follows, and one derivative gives y''.
  const InitialValues damper = consistent(
      model_of("coordinate x, y\nkinetic x'^2/2\npotential y^2/2\nrayleigh 2*y'^2\ninitial y = 2, y' = 1\npin y"));
  EXPECT_NEAR(damper.z[1], -0.5, 1e-12);
  EXPECT_EQ(damper.index, 1);
  // A massless body tied to another one: no reaction is needed, 0 = lambda, and x = y twice differentiated gives y''.
  EXPECT_EQ(consistent(model_of("coordinate x, y\nkinetic x'^2/2\nconstraint c: x = y")).index, 2);
}

TEST(InitialFinite, WhatIsNotFiniteIsNamed) {
  const std::string head = "parameter a = 1\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\n";
  std::string message = refusal(head + "potential a/x");
  EXPECT_TRUE(contains(message, "the potential is not finite at the start")) << message;
  EXPECT_TRUE(contains(message, "a/x")) << message;
  message = refusal(head + "potential sqrt(x) + y^2\n");
  EXPECT_TRUE(contains(message, "the potential's force on x is not finite at the start")) << message;
  message = refusal(head + "force y = log(x)\n");
  EXPECT_TRUE(contains(message, "the force on y is not finite at the start")) << message;
  message = refusal(head + "constraint c: log(x) = y");
  EXPECT_TRUE(contains(message, "the constraint c is not finite at the given positions")) << message;
}

TEST(InitialFinite, AllOfThemAtOnce) {
  const Model model = model_of("coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential sqrt(x) + sqrt(y)");
  try {
    consistent(model);
    FAIL() << "accepted";
  } catch (const InputError& e) { EXPECT_EQ(e.diagnostics().size(), 2u); }
}

std::string long_chain(int n, const std::string& rest) {
  return "parameter N = " + std::to_string(n) +
         ", m = 1, l = 0.1, gravity = 9.81\nfamily i = 1..N\ncoordinate r[i][3]\n"
         "kinetic sum(i, m/2*norm2(r[i]'))\npotential sum(i, m*gravity*r[i][3])\n"
         "constraint first: norm2(r[1]) = l^2\nconstraint rod: norm2(r[i] - r[i-1]) = l^2 for i = 2..N\n" +
         rest + "\n";
}

TEST(InitialLarge, HangingChainCarriesItsWeight) {
  const int n = 400;
  const InitialValues v = consistent(long_chain(n, "initial r[i] = (0, 0, -i*l)"));
  EXPECT_TRUE(v.changes.empty());
  EXPECT_TRUE(v.redundant.empty());
  for (int i = 0; i < n; ++i) {
    const double tension = gravity * (n - i) / (2 * 0.1);
    EXPECT_NEAR(v.lambda[i], tension, 1e-10 * tension);
  }
  for (const double a : v.z_dot) EXPECT_NEAR(a, 0, 1e-8);
}

TEST(InitialLarge, ChainIsProjectedToItsNearestPoint) {
  const int n = 300;
  const Model model =
      model_of(long_chain(n, "initial r[i] = (0.98*i*l, 0.02*sin(i), -0.05*cos(2*i)), r[i]' = (cos(i), 0, 1)"));
  const InitialValues v = consistent(model);
  const auto entry = [&](const std::vector<double>& a, int i, int k) { return i < 0 ? 0 : a[3 * i + k]; };
  const std::vector<double> given = test::doubles(model.q0);
  const std::vector<double> speed = test::doubles(model.z0);
  for (int i = 0; i < n; ++i) {
    double length = 0;
    double stretch = 0;
    double e[3];
    for (int k = 0; k < 3; ++k) {
      e[k] = entry(v.y, i, k) - entry(v.y, i - 1, k);
      length += e[k] * e[k];
      stretch += e[k] * (entry(v.z, i, k) - entry(v.z, i - 1, k));
    }
    EXPECT_NEAR(length, 0.01, 1e-14);
    EXPECT_NEAR(stretch, 0, 1e-13);
    // Stationarity: the masses being equal, all displacements from i on together are parallel to rod i.
    double moved[3] = {0, 0, 0};
    double pushed[3] = {0, 0, 0};
    for (int j = i; j < n; ++j) {
      for (int k = 0; k < 3; ++k) {
        moved[k] += v.y[3 * j + k] - given[3 * j + k];
        pushed[k] += v.z[3 * j + k] - speed[3 * j + k];
      }
    }
    for (const double* d : {moved, pushed}) {
      EXPECT_NEAR(d[1] * e[2] - d[2] * e[1], 0, 1e-11);
      EXPECT_NEAR(d[2] * e[0] - d[0] * e[2], 0, 1e-11);
      EXPECT_NEAR(d[0] * e[1] - d[1] * e[0], 0, 1e-11);
    }
  }
}

TEST(InitialLarge, RedundancyIsFoundThereToo) {
  const int n = 150;
  const InitialValues v = consistent(long_chain(n, "constraint again: norm2(r[1]) = l^2\ninitial r[i] = (0, 0, -i*l)"));
  ASSERT_EQ(v.redundant.size(), 1u);
  EXPECT_TRUE(contains(v.redundant[0], "again") && contains(v.redundant[0], "first")) << v.redundant[0];
  // The smallest multipliers share the load.
  EXPECT_NEAR(v.lambda.front(), gravity * n / 0.4, 1e-4);
  EXPECT_NEAR(v.lambda.back(), gravity * n / 0.4, 1e-4);
}

}  // namespace
}  // namespace alembert::internal
