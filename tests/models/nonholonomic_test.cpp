// The gallery's nonholonomic models with a solution in closed form, at every step of the run. The formulas are those in
// the heads of the models; where they are not obvious, the comment derives them.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "alembert/numerics.h"
#include "models/follow.h"

namespace alembert::internal::testing {
namespace {

using std::cos;
using std::sin;
using std::sqrt;

// The blade points to phi = w t, the speed along it obeys u' = a cos(phi), so u = (a/w) sin(w t); across it m u w =
// -psi - m a sin(phi).
TEST(Nonholonomic, SkateOnAnInclinedPlane) {
  for (const Trial& trial : {Trial{"gauss(2)", 0.01, 1e-9}, Trial{"lobatto(3)", 0.01, 1e-9},
                             Trial{"gauss(3)", 0.05, 1e-10}, Trial{"lobatto(5)", 0.1, 1e-12}}) {
    const Followed followed = follow("skate", trial.method, trial.step, 10);
    const auto exact = [](double t) {
      return Values{{"x", sin(t) * sin(t) / 2}, {"y", (t - sin(2 * t) / 2) / 2}, {"phi", t},
                    {"x'", sin(t) * cos(t)},    {"y'", sin(t) * sin(t)},         {"psi.blade", -2 * sin(t)}};
    };
    expect_motion(followed, exact, trial.tolerance);
    EXPECT_LT(followed.report.energy.max_error, trial.tolerance);
  }
}

TEST(Nonholonomic, KnifeEdgePushedOff) {
  const double m = 2, a = 9.81 * sin(std::numbers::pi / 6), u0 = 1.5, phi0 = 0.4, w = 2;
  const double c = u0 - a / w * sin(phi0);
  for (const Trial& trial : {Trial{"gauss(2)", 0.004, 1e-9}, Trial{"lobatto(3)", 0.004, 1e-9},
                             Trial{"gauss(3)", 0.02, 1e-10}, Trial{"gauss(4)", 0.05, 1e-11}}) {
    const Followed followed = follow("knife_edge", trial.method, trial.step, 10);
    const auto exact = [&](double t) {
      const double phi = phi0 + w * t, u = c + a / w * sin(phi);
      const double x = c / w * (sin(phi) - sin(phi0)) + a / (2 * w * w) * (sin(phi) * sin(phi) - sin(phi0) * sin(phi0));
      const double y =
          c / w * (cos(phi0) - cos(phi)) + a / (w * w) * ((phi - phi0) / 2 - (sin(2 * phi) - sin(2 * phi0)) / 4);
      return Values{{"x", x},
                    {"y", y},
                    {"phi", phi},
                    {"x'", u * cos(phi)},
                    {"y'", u * sin(phi)},
                    {"psi.edge", -m * (u * w + a * sin(phi))}};
    };
    expect_motion(followed, exact, trial.tolerance);
    EXPECT_LT(followed.report.energy.max_error, trial.tolerance);
  }
}

// The reactions do no work on theta and phi; m x'' = -psi_along.
TEST(Nonholonomic, VerticalDiskRollsOnACircle) {
  const double m = 1, R = 0.5, roll = 2, turn = 0.75, c = R * roll / turn;
  for (const Trial& trial : {Trial{"gauss(2)", 0.01, 1e-9}, Trial{"lobatto(3)", 0.01, 1e-9},
                             Trial{"gauss(3)", 0.1, 1e-10}, Trial{"lobatto(5)", 0.1, 1e-12}}) {
    const Followed followed = follow("rolling_disk", trial.method, trial.step, 20);
    const auto exact = [&](double t) {
      const double phi = turn * t, reaction = m * R * roll * turn;
      return Values{{"x", c * sin(phi)},
                    {"y", c * (1 - cos(phi))},
                    {"theta", roll * t},
                    {"phi", phi},
                    {"x'", R * roll * cos(phi)},
                    {"theta'", roll},
                    {"psi.along", reaction * sin(phi)},
                    {"psi.across", -reaction * cos(phi)}};
    };
    expect_motion(followed, exact, trial.tolerance);
  }
}

// With u the speed of the blade: u' = a theta'^2, (I + m a^2) theta'' = -m a u theta', so u^2 + b^2 theta'^2 = U^2 and
// u' = (a/b^2) (U^2 - u^2). With b = 2 a: cos(theta) = 2/cosh(s)^2 - 1, sin(theta) = 2 tanh(s)/cosh(s), which give x
// and y. Across the blade the centre of mass has the acceleration u theta' + a theta''.
TEST(Nonholonomic, ChaplyginSleighStopsTurning) {
  const double m = 1, a = 0.25, w = 4, b = 0.5, U = b * w;
  for (const Trial& trial : {Trial{"gauss(2)", 0.004, 1e-9}, Trial{"lobatto(3)", 0.004, 1e-9},
                             Trial{"gauss(3)", 0.01, 1e-11}, Trial{"gauss(3)", -0.01, 1e-11}}) {
    const Followed followed = follow("chaplygin_sleigh", trial.method, trial.step, trial.step < 0 ? -3 : 3);
    const auto exact = [&](double t) {
      const double s = a * U * t / (b * b), tanh = std::tanh(s), cosh = std::cosh(s);
      const double u = U * tanh, turning = w / cosh, theta = b / a * std::asin(tanh),
                   slowing = -a * u * turning / (b * b);
      return Values{{"x", b * b / a * (tanh * tanh - std::log(cosh))},
                    {"y", b * b / a * (std::asin(tanh) - tanh / cosh)},
                    {"theta", theta},
                    {"x'", u * cos(theta)},
                    {"theta'", turning},
                    {"psi.blade", -m * (u * turning + a * slowing)}};
    };
    expect_motion(followed, exact, trial.tolerance);
    EXPECT_LT(followed.report.energy.max_error, trial.tolerance);
  }
  const Followed late = follow("chaplygin_sleigh", "gauss(3)", 0.02, 10);
  EXPECT_LT(std::abs(late.report.z[2]), 1e-7);
  EXPECT_NEAR(std::hypot(late.report.z[0], late.report.z[1]), U, 1e-9);
}

// (1 + y^2) x'' + y y' x' + kx x = 0 is x'' + kx x = 0 in the time tau, d tau = dt/sqrt(1 + y^2); psi = -z''.
TEST(Nonholonomic, OscillatorInItsOwnTime) {
  const double kx = 2, ky = 1, B = 1.5, k = B / sqrt(1 + B * B);
  for (const Trial& trial : {Trial{"gauss(2)", 0.005, 1e-9}, Trial{"lobatto(3)", 0.005, 1e-9},
                             Trial{"gauss(3)", 0.02, 1e-11}, Trial{"gauss(4)", 0.05, 1e-11}}) {
    const Followed followed = follow("nonholonomic_oscillator", trial.method, trial.step, 20);
    const auto exact = [&](double t) {
      const double tau = std::ellint_1(k, sqrt(ky) * t) / sqrt(ky * (1 + B * B));
      const double y = B * cos(sqrt(ky) * t), dy = -B * sqrt(ky) * sin(sqrt(ky) * t);
      const double x = cos(sqrt(kx) * tau), dx = -sqrt(kx) * sin(sqrt(kx) * tau) / sqrt(1 + y * y);
      const double ddx = -(kx * x + y * dy * dx) / (1 + y * y);
      return Values{{"x", x}, {"y", y}, {"x'", dx}, {"y'", dy}, {"z'", y * dx}, {"psi.drive", -(dy * dx + y * ddx)}};
    };
    expect_motion(followed, exact, trial.tolerance);
    for (const Watched& own : followed.report.invariants) EXPECT_LT(own.max_error, trial.tolerance);
  }
}

// Affine, belt at constant speed: seen from the belt a knife edge with phi = w t, u = u0 + (a/w) sin(w t).
TEST(Nonholonomic, SkateOnAConveyorBelt) {
  const double m = 1, I = 0.5, a = 9.81 * sin(std::numbers::pi / 6), c = 2, u0 = 1, w = 2;
  for (const Trial& trial :
       {Trial{"gauss(2)", 0.004, 1e-9}, Trial{"lobatto(3)", 0.004, 1e-9}, Trial{"gauss(3)", 0.02, 1e-10}}) {
    const Followed followed = follow("conveyor", trial.method, trial.step, 10);
    const auto exact = [&](double t) {
      const double phi = w * t, u = u0 + a / w * sin(phi);
      const double x = u0 / w * sin(phi) + a / (2 * w * w) * sin(phi) * sin(phi);
      const double y = u0 / w * (1 - cos(phi)) + a / (w * w) * (phi / 2 - sin(2 * phi) / 4) + c * t;
      const double dx = u * cos(phi), dy = u * sin(phi) + c;
      return Values{{"x", x},
                    {"y", y},
                    {"y'", dy},
                    {"energy", m / 2 * (dx * dx + dy * dy) + I / 2 * w * w - m * a * x},
                    {"psi.blade", -m * (u * w + a * sin(phi))}};
    };
    expect_motion(followed, exact, trial.tolerance);
    ASSERT_TRUE(followed.report.account);
    EXPECT_GT(std::abs(followed.report.account->supplied), 0.01) << "the belt does work";
    EXPECT_LT(followed.report.energy.max_error, 1e-8) << "and nothing else";
  }
}

// Aside the mass goes straight on with speed s' = -c z'; m s'' = -2 psi s' and m z'' = -m gravity + 2 psi c^2 z' give
// s'' = gravity c/(1 + c^2). Quadratic in time, so that a method of order 2 is exact already, up to rounding.
TEST(Nonholonomic, AppellAndHamelWithoutSpring) {
  const double m = 1, c = 1.5, gravity = 9.81, a = gravity * c / (1 + c * c);
  for (const char* method : {"gauss(1)", "gauss(2)", "gauss(3)", "lobatto(3)"}) {
    const Followed followed = follow("appell_hamel", method, 0.01, 2);
    const auto exact = [&](double t) {
      const double s = t + a * t * t / 2, speed = 1 + a * t;
      return Values{{"x", 1 + 0.6 * s},  {"y", 0.8 * s},     {"z", -s / c},
                    {"x'", 0.6 * speed}, {"z'", -speed / c}, {"psi.let_down", -m * a / (2 * speed)}};
    };
    expect_motion(followed, exact, 1e-11);
    EXPECT_LT(followed.report.energy.max_error, 1e-11);
  }
}

// m r'' = F, I omega' = -R e_z x F, r' - R omega x e_z = Omega e_z x r: r'' = nu e_z x r' with nu = Omega I/(I + m R^2)
// = 2/7 Omega. The attitude follows from omega by (s, u)' = omega (s, u)/2.
TEST(Nonholonomic, BallOnATurntable) {
  const double m = 1, R = 0.5, Omega = 1, I = 0.4 * m * R * R, nu = 2 * Omega / 7;
  const double x0 = 1, y0 = 0.2, dx0 = R * 1.6 - Omega * y0, dy0 = Omega * x0 - R * 1.2, spin = 2;
  struct Ball {
    double x, y, dx, dy;
  };
  const auto ball = [&](double t) {
    const double C = cos(nu * t), S = sin(nu * t);
    return Ball{x0 + (S * dx0 - (1 - C) * dy0) / nu, y0 + (S * dy0 + (1 - C) * dx0) / nu, C * dx0 - S * dy0,
                C * dy0 + S * dx0};
  };
  for (const Trial& trial :
       {Trial{"gauss(2)", 0.005, 1e-9}, Trial{"lobatto(3)", 0.005, 1e-9}, Trial{"gauss(3)", 0.01, 1e-11}}) {
    const Followed followed = follow("turntable", trial.method, trial.step, 5);
    Reference attitude(
        [&](long double t, const Reference::State& q, Reference::State& rates) {
          const Ball b = ball(static_cast<double>(t));
          const long double wx = (Omega * b.x - b.dy) / R, wy = (Omega * b.y + b.dx) / R, wz = spin;
          rates[0] = -(wx * q[1] + wy * q[2] + wz * q[3]) / 2;
          rates[1] = (wx * q[0] + wy * q[3] - wz * q[2]) / 2;
          rates[2] = (wy * q[0] + wz * q[1] - wx * q[3]) / 2;
          rates[3] = (wz * q[0] + wx * q[2] - wy * q[1]) / 2;
        },
        {1, 0, 0, 0});
    const auto exact = [&](double t) {
      const Ball b = ball(t);
      const auto& q = attitude.at(t);
      const double wx = (Omega * b.x - b.dy) / R, wy = (Omega * b.y + b.dx) / R;
      const double energy = m / 2 * (b.dx * b.dx + b.dy * b.dy) + I / 2 * (wx * wx + wy * wy + spin * spin);
      return Values{{"x", b.x},
                    {"y", b.y},
                    {"x'", b.dx},
                    {"y'", b.dy},
                    {"psi.along", m * nu * b.dy},
                    {"psi.across", -m * nu * b.dx},
                    {"energy", energy},
                    {"s", static_cast<double>(q[0])},
                    {"u[1]", static_cast<double>(q[1])},
                    {"u[2]", static_cast<double>(q[2])},
                    {"u[3]", static_cast<double>(q[3])}};
    };
    expect_motion(followed, exact, trial.tolerance);
    ASSERT_TRUE(followed.report.account);
    EXPECT_GT(std::abs(followed.report.account->supplied), 0.01) << "the turntable does work";
    EXPECT_LT(followed.report.energy.max_error, 1e-8) << "and nothing else";
    for (const Watched& kept : followed.report.invariants) EXPECT_LT(kept.max_error, trial.tolerance);
  }
}

// Leaning and turning evenly: (A u tan(theta) + (C + m R^2) d) u = m gravity R sin(theta), u = turn cos(theta).
TEST(Nonholonomic, FallingDiskRollsOnACircle) {
  const double m = 1, R = 1, gravity = 9.81, A = 0.25, C = 0.5, theta = 0.4, turn = 1.2, u = turn * cos(theta);
  const double d = (m * gravity * R * sin(theta) / u - A * u * std::tan(theta)) / (C + m * R * R);
  const double roll = d + turn * sin(theta);
  const std::vector<std::string> steady{"theta=0.4", "phi'=1.2", "psi'=" + to_text(roll), "x'=" + to_text(roll)};
  for (const Trial& trial :
       {Trial{"gauss(2)", 0.005, 1e-9}, Trial{"lobatto(3)", 0.005, 1e-9}, Trial{"gauss(3)", 0.02, 1e-11}}) {
    const Followed followed = follow("falling_disk", trial.method, trial.step, 10, steady);
    const auto exact = [&](double t) {
      const double c = R * roll / turn, phi = turn * t;
      const double pull = m * (roll * R - R * sin(theta) * turn) * turn;  // the centre runs on a smaller circle
      return Values{{"x", c * sin(phi)},
                    {"y", c * (1 - cos(phi))},
                    {"phi", phi},
                    {"theta", theta},
                    {"psi", roll * t},
                    {"theta'", 0},
                    {"psi.along", pull * sin(phi)},
                    {"psi.across", -pull * cos(phi)}};
    };
    expect_motion(followed, exact, trial.tolerance);
  }
}

}  // namespace
}  // namespace alembert::internal::testing
