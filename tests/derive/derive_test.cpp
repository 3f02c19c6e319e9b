// The derived equations against formulas worked out by hand, at points without symmetry.

#include "alembert/derive/equations.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../model/support.h"

namespace alembert::internal::test {
namespace {

void expect_near(const std::vector<double>& got, const std::vector<double>& wanted, double tolerance = 1e-13) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], wanted[i], tolerance * (1 + std::abs(wanted[i]))) << "entry " << i;
}

TEST(Derive, DoublePendulum) {
  const Equations e = derive(model_of(double_pendulum));
  const double x1 = 0.3, y1 = -0.7, x2 = 1.1, y2 = 0.4, u1 = 0.5, w1 = -1.2, u2 = 2.1, w2 = 0.9, a = 1.7, b = -0.6,
               G = 9.81;
  Numbers n;
  n.set(e.t, 0.3);
  n.set(e.y, {x1, y1, x2, y2});
  n.set(e.z, {u1, w1, u2, w2});
  n.set(e.lambda, {a, b});
  expect_near(n(e.v), {u1, w1, u2, w2});
  expect_near(n(e.p), {3 * u1, 3 * w1, u2, w2});
  expect_near(n(e.f), {0, -3 * G, 0, -G});
  const double dx = x2 - x1, dy = y2 - y1;
  expect_near(n(e.r), {-2 * a * x1 + 2 * b * dx, -2 * a * y1 + 2 * b * dy, -2 * b * dx, -2 * b * dy});
  expect_near(n(e.N), {0, 0, 0, 0});
  expect_near(n(e.g), {x1 * x1 + y1 * y1 - 1, dx * dx + dy * dy - 1});
  expect_near(n(e.g_dot), {2 * (x1 * u1 + y1 * w1), 2 * (dx * (u2 - u1) + dy * (w2 - w1))});
  EXPECT_TRUE(e.k.empty());
  EXPECT_NEAR(n(e.energy), 1.5 * (u1 * u1 + w1 * w1) + 0.5 * (u2 * u2 + w2 * w2) + 3 * G * y1 + G * y2, 1e-13);
  EXPECT_TRUE(e.constant_mass);
  EXPECT_TRUE(e.ideal);
  EXPECT_EQ(e.y_names, (std::vector<std::string>{"x1", "y1", "x2", "y2"}));
  EXPECT_EQ(e.z_names[3], "y2'");
  EXPECT_EQ(e.g_names, (std::vector<std::string>{"rod1", "rod2"}));

  // reduced: M z' = f + r, and the second derivative of both rods.
  n.set(e.z_dot, {0.1, 0.2, 0.3, 0.4});
  expect_near(n(e.reduced),
              {3 * 0.1 - (-2 * a * x1 + 2 * b * dx), 3 * 0.2 + 3 * G - (-2 * a * y1 + 2 * b * dy), 0.3 + 2 * b * dx,
               0.4 + G + 2 * b * dy, 2 * (x1 * 0.1 + y1 * 0.2 + u1 * u1 + w1 * w1),
               2 * (dx * (0.3 - 0.1) + dy * (0.4 - 0.2) + (u2 - u1) * (u2 - u1) + (w2 - w1) * (w2 - w1))});
}

TEST(Derive, DoublePendulumStartsToFall) {
  // Stretched out horizontally at rest, gravity is normal to both rods: both masses fall freely, no rod pulls.
  const Model m = model_of(double_pendulum);
  const Equations e = derive(m);
  Numbers n;
  n.set(e.t, 0);
  n.set(e.y, doubles(m.q0));
  n.set(e.z, doubles(m.z0));
  expect_near(solve_reduced(e, n), {0, -9.81, 0, -9.81, 0, 0}, 1e-12);
}

TEST(Derive, CartPendulumMassDependsOnPosition) {
  const Model m = model_of(
      "parameter M = 2, m = 0.5, l = 0.8, gravity = 9.81\ncoordinate x, phi\n"
      "kinetic M/2*x'^2 + m/2*((x' + l*cos(phi)*phi')^2 + (l*sin(phi)*phi')^2)\npotential -m*gravity*l*cos(phi)\n");
  const Equations e = derive(m);
  EXPECT_FALSE(e.constant_mass);
  const double M = 2, mm = 0.5, l = 0.8, G = 9.81, phi = 0.9, w = 1.3, u = -0.4;
  Numbers n;
  n.set(e.t, 0);
  n.set(e.y, {0.2, phi});
  n.set(e.z, {u, w});
  const double c = std::cos(phi), s = std::sin(phi);
  expect_near(n(e.p), {(M + mm) * u + mm * l * c * w, mm * l * c * u + mm * l * l * w});
  // Closed form of the two accelerations.
  const double x_dd = mm * s * (l * w * w + G * c) / (M + mm * s * s);
  const double phi_dd = -(x_dd * c + G * s) / l;
  expect_near(solve_reduced(e, n), {x_dd, phi_dd}, 1e-12);
  EXPECT_NEAR(n(e.energy),
              M / 2 * u * u + mm / 2 * (std::pow(u + l * c * w, 2) + std::pow(l * s * w, 2)) - mm * G * l * c, 1e-13);
}

TEST(Derive, MovingSupport) {
  // A pendulum on a support that moves as s(t) = a sin(omega t), as constraint and in its angle: the same motion.
  const Model rod = model_of(
      "parameter a = 0.3, omega = 2, l = 1.5, gravity = 9.81\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential "
      "gravity*y\n"
      "constraint rod: (x - a*sin(omega*t))^2 + y^2 = l^2\n");
  const Model angle = model_of(
      "parameter a = 0.3, omega = 2, l = 1.5, gravity = 9.81\ncoordinate phi\nlet x = a*sin(omega*t) + l*sin(phi), y = "
      "-l*cos(phi)\n"
      "kinetic (x'^2 + y'^2)/2\npotential gravity*y\n");
  const double t = 0.7, phi = 0.6, w = -0.8, a = 0.3, o = 2, l = 1.5, G = 9.81;
  const double s = a * std::sin(o * t), s_d = a * o * std::cos(o * t), s_dd = -a * o * o * std::sin(o * t);
  const double phi_dd = -(s_dd * std::cos(phi) + G * std::sin(phi)) / l;

  const Equations e1 = derive(angle);
  EXPECT_FALSE(e1.constant_mass);  // p has a part of the support's own
  Numbers n1;
  n1.set(e1.t, t);
  n1.set(e1.y, {phi});
  n1.set(e1.z, {w});
  expect_near(n1(e1.p), {l * l * w + l * std::cos(phi) * s_d});
  expect_near(solve_reduced(e1, n1), {phi_dd}, 1e-12);
  // E = L_v v - L is not T + V here: T is not quadratic in the velocity alone.
  EXPECT_NEAR(n1(e1.energy), l * l * w * w / 2 - s_d * s_d / 2 - G * l * std::cos(phi), 1e-13);

  const Equations e2 = derive(rod);
  EXPECT_TRUE(e2.constant_mass);
  Numbers n2;
  const double vx = s_d + l * std::cos(phi) * w, vy = l * std::sin(phi) * w;
  n2.set(e2.t, t);
  n2.set(e2.y, {s + l * std::sin(phi), -l * std::cos(phi)});
  n2.set(e2.z, {vx, vy});
  expect_near(n2(e2.g), {0});
  expect_near(n2(e2.g_dot), {0});
  n2.set(e2.z, {vx + 1, vy});
  expect_near(n2(e2.g_dot), {2 * l * std::sin(phi)});
  n2.set(e2.z, {vx, vy});
  const std::vector<double> z = solve_reduced(e2, n2);
  EXPECT_NEAR(z[0], s_dd + l * (std::cos(phi) * phi_dd - std::sin(phi) * w * w), 1e-12);
  EXPECT_NEAR(z[1], l * (std::sin(phi) * phi_dd + std::cos(phi) * w * w), 1e-12);
}

TEST(Derive, NonholonomicParticle) {
  const Equations e = derive(model_of(nonholonomic_particle));
  ASSERT_EQ(e.k.size(), 1u);
  Numbers n;
  n.set(e.t, 0);
  n.set(e.y, {0.4, -0.3, 0.9});
  n.set(e.z, {1.1, 0.7, -0.33});
  n.set(e.psi, {2});
  expect_near(n(e.k), {-0.33 + 0.3 * 1.1});
  expect_near(n(e.N), {-0.3 * 2, 0, -2});
  expect_near(n(e.f), {-0.8, 0.6, 0});
  // q1'' = -2 q1 + q2 psi, q3'' = -psi, q3'' = q2' q1' + q2 q1''.
  const double psi = -(0.7 * 1.1 + -0.3 * -0.8) / (1 + 0.09);
  expect_near(solve_reduced(e, n), {-0.8 - 0.3 * psi, 0.6, -psi, psi}, 1e-12);
}

TEST(Derive, FourParticlesInHamiltonianForm) {
  const Model m = model_of(four_particles);
  const Equations e = derive(m);
  EXPECT_TRUE(e.constant_mass);
  Numbers n;
  n.set(e.t, 0);
  std::vector<double> q = doubles(m.q0), p = doubles(m.z0);
  for (std::size_t i = 0; i < q.size(); ++i) {
    q[i] += 0.05 * std::sin(1.0 + static_cast<double>(i));
    p[i] += std::cos(static_cast<double>(i));
  }
  n.set(e.y, q);
  n.set(e.z, p);
  n.set(e.lambda, {0.7, -0.2});
  const double mass[] = {1, 3, 2.3, 1.7};
  std::vector<double> v(12), f(12), r(12);
  const auto pair = [&](int a, int b, auto&& add) {
    double d[3], square = 0;
    for (int k = 0; k < 3; ++k) {
      d[k] = q[3 * a + k] - q[3 * b + k];
      square += d[k] * d[k];
    }
    for (int k = 0; k < 3; ++k) add(3 * a + k, 3 * b + k, d[k], square);
  };
  for (int i = 0; i < 12; ++i) v[i] = p[i] / mass[i / 3];
  const auto spring = [&](double K) {
    return [&, K](int i, int j, double d, double square) {
      f[i] -= K * (square - 1) * d;
      f[j] += K * (square - 1) * d;
    };
  };
  const auto bar = [&](double lambda) {
    return [&, lambda](int i, int j, double d, double square) {
      r[i] -= lambda * d / std::sqrt(square);
      r[j] += lambda * d / std::sqrt(square);
    };
  };
  pair(0, 2, spring(100));
  pair(1, 3, spring(1000));
  pair(0, 1, bar(0.7));
  pair(2, 3, bar(-0.2));
  expect_near(n(e.v), v);
  expect_near(n(e.p), p);
  expect_near(n(e.f), f, 1e-12);
  expect_near(n(e.r), r);
  // Reactions along the bars add no momentum.
  double total = 0;
  for (double x : n(e.r)) total += x;
  EXPECT_NEAR(total, 0, 1e-14);
}

TEST(Derive, SteelOnTeflon) {
  const Equations e = derive(model_of(steel_on_teflon));
  const double y1 = 4, y2 = 0.7, z1 = -3, z2 = -4, psi = 1.6, b = 0.01;
  Numbers n;
  n.set(e.t, 0);
  n.set(e.y, {y1, y2});
  n.set(e.z, {z1, z2});
  n.set(e.lambda, {psi});
  const double friction = -0.1 * std::pow((1 + 9 * b * b * std::pow(y1, 4)) * psi * psi, 0.425) / 5;
  expect_near(n(e.v), {z1, z2});
  expect_near(n(e.p), {z1, z2});
  expect_near(n(e.f), {0, -9.81});
  expect_near(n(e.r), {-3 * b * y1 * y1 * psi + friction * z1, psi + friction * z2});
  expect_near(n(e.N), {0, 0});
  expect_near(n(e.g), {y2 - b * y1 * y1 * y1});
  expect_near(n(e.g_dot), {z2 - 3 * b * y1 * y1 * z1});
  EXPECT_FALSE(e.ideal);
  EXPECT_FALSE(e.energy);
}

TEST(Derive, KnifeEdgeOnAParaboloidWithAQuantity) {
  // Position on z = (x^2 + y^2)/2, heading theta; the blade does not slip sideways, and a mass that grows with height.
  const Equations e = derive(model_of(
      "variable y[4], z[4]\nmultiplier lambda, psi\nquantity p[4] = (1 + y[3]/4)*z\n"
      "rate y' = (1 + y[3]/4)*z\n"
      "rate p' = (0, 0, -9.81, 0) + reaction((-y[1], -y[2], 1, 0)*lambda + (sin(y[4]), -cos(y[4]), 0, 0)*psi)\n"
      "constraint surface(lambda): y[3] = (y[1]^2 + y[2]^2)/2\nconstraint blade(psi): sin(y[4])*z[1] = "
      "cos(y[4])*z[2]\n"));
  ASSERT_EQ(e.g.size(), 1u);
  ASSERT_EQ(e.k.size(), 1u);
  const double y[] = {0.3, 0.5, 0.6, 0.8}, z[] = {1, -2, 0.4, 0.7}, lambda = 2, psi = -3, mass = 1.15;
  Numbers n;
  n.set(e.t, 0);
  n.set(e.y, {y[0], y[1], y[2], y[3]});
  n.set(e.z, {z[0], z[1], z[2], z[3]});
  n.set(e.lambda, {lambda});
  n.set(e.psi, {psi});
  expect_near(n(e.v), {mass * z[0], mass * z[1], mass * z[2], mass * z[3]});
  expect_near(n(e.p), {mass * z[0], mass * z[1], mass * z[2], mass * z[3]});
  expect_near(n(e.f), {0, 0, -9.81, 0});
  expect_near(n(e.r), {-y[0] * lambda, -y[1] * lambda, lambda, 0});
  expect_near(n(e.N), {std::sin(y[3]) * psi, -std::cos(y[3]) * psi, 0, 0});
  expect_near(n(e.g), {y[2] - (y[0] * y[0] + y[1] * y[1]) / 2});
  expect_near(n(e.g_dot), {mass * (z[2] - y[0] * z[0] - y[1] * z[1])});
  expect_near(n(e.k), {std::sin(y[3]) * z[0] - std::cos(y[3]) * z[1]});
  EXPECT_FALSE(e.constant_mass);
  // d/dt p = p_y v + p_z z' = (v_3/4) z + mass z'
  n.set(e.z_dot, {0.1, 0.2, 0.3, 0.4});
  const double growth = mass * z[2] / 4;
  const std::vector<double> reduced = n(e.reduced);
  EXPECT_NEAR(reduced[0], growth * z[0] + mass * 0.1 - (-y[0] * lambda + std::sin(y[3]) * psi), 1e-13);
  EXPECT_NEAR(reduced[2], growth * z[2] + mass * 0.3 - (-9.81 + lambda), 1e-13);
  const double turn = mass * z[3];
  EXPECT_NEAR(reduced[5],
              std::cos(y[3]) * turn * z[0] + std::sin(y[3]) * 0.1 + std::sin(y[3]) * turn * z[1] - std::cos(y[3]) * 0.2,
              1e-13);
}

TEST(Derive, ForcesRayleighAndForcesWithMultipliers) {
  // Friction in proportion to a rod's tension and to a nonholonomic reaction, beside a plain force.
  const Model m = model_of(
      "parameter c = 0.25, mu = 0.1\ncoordinate x, y, s\nkinetic (x'^2 + y'^2 + s'^2)/2\nrayleigh c/2*(x'^2 + 3*y'^2)\n"
      "constraint rod(tension): x^2 + y^2 = 1\nconstraint slip(grip): s' = x*y'\n"
      "force x = t^2 - mu*(tension + 2*grip)*x'\nforce s = 5\n");
  const Equations e = derive(m);
  const double x = 0.6, y = 0.8, u = 1.5, w = -0.5, q = 0.2, a = 3, b = 7;
  Numbers n;
  n.set(e.t, 2);
  n.set(e.y, {x, y, 0});
  n.set(e.z, {u, w, q});
  n.set(e.lambda, {a});
  n.set(e.psi, {b});
  expect_near(n(e.f), {4 - 0.25 * u, -0.75 * w, 5});
  expect_near(n(e.r), {-2 * x * a - 0.1 * a * u, -2 * y * a, 0});
  expect_near(n(e.N), {-0.2 * b * u, x * b, -b});
  EXPECT_FALSE(e.ideal);
}

TEST(Derive, MixedMultipliersAreRefused) {
  const Model m = model_of(
      "coordinate x, y\nkinetic x'^2 + y'^2\nconstraint a(l): x = y\nconstraint b(k): x' = y*y'\nforce x = sqrt(l^2 + "
      "k^2)\n");
  EXPECT_THROW(derive(m), InputError);
}

TEST(Derive, NonholonomicInHamiltonianForm) {
  // H = p^2/(2m): the same reaction as in the Lagrangian form, -k_v^T psi with k_v = k_p M.
  const Equations e =
      derive(model_of("parameter m[3] = (2, 3, 4)\ncoordinate q[3]\nmomentum p[3] of q\nhamiltonian p1^2/(2*m[1]) + "
                      "p2^2/(2*m[2]) + p3^2/(2*m[3]) + q1^2\n"
                      "constraint p3/m[3] = q2*p1/m[1]\n"));
  Numbers n;
  n.set(e.t, 0);
  n.set(e.y, {0.5, 0.7, 0});
  n.set(e.z, {1, 2, 3});
  n.set(e.psi, {1.5});
  expect_near(n(e.N), {0.7 * 1.5, 0, -1.5});
  try {
    derive(
        model_of("coordinate x, y\nmomentum a of x, b of y\nhamiltonian a^2 + a*b + b^2\nconstraint roll: a = x*b\n"));
    FAIL() << "a full H_pp must be refused";
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics()[0].place.line, 4);
    EXPECT_NE(error.diagnostics()[0].hint.find("Lagrangian"), std::string::npos);
  }
}

TEST(Derive, ChainIsSparseAndLinear) {
  const Equations e = derive(model_of(chain));
  ASSERT_EQ(e.r.size(), 15u);
  std::vector<double> q, v;
  for (int i = 0; i < 15; ++i) {
    q.push_back(std::sin(1.3 * i));
    v.push_back(std::cos(0.7 * i));
  }
  Numbers n;
  n.set(e.t, 0);
  n.set(e.y, q);
  n.set(e.z, v);
  n.set(e.lambda, {1, 2, 3, 4, 5});
  std::vector<double> r(15), g(5), g_dot(5);
  for (int i = 0; i < 5; ++i) {
    g[i] = -0.25;
    for (int k = 0; k < 3; ++k) {
      const double d = q[3 * i + k] - (i ? q[3 * i - 3 + k] : 0), w = v[3 * i + k] - (i ? v[3 * i - 3 + k] : 0);
      g[i] += d * d;
      g_dot[i] += 2 * d * w;
      r[3 * i + k] -= 2 * d * (i + 1);
      if (i) r[3 * i - 3 + k] += 2 * d * (i + 1);
    }
  }
  expect_near(n(e.r), r);
  expect_near(n(e.g), g);
  expect_near(n(e.g_dot), g_dot);
  EXPECT_EQ(e.g_names[1], "rod[2]");
  const std::size_t small = derive(model_of(chain, {"N=200"})).graph->size(),
                    large = derive(model_of(chain, {"N=400"})).graph->size();
  EXPECT_LT(static_cast<double>(large), 2.05 * static_cast<double>(small));
}

TEST(Derive, AtOtherArguments) {
  const Equations e = derive(model_of(nonholonomic_particle));
  Graph graph;
  const Expr h = graph.symbol("h");
  const Exprs Y = graph.symbols("Y", 3), Z = graph.symbols("Z", 3), psi = graph.symbols("psi", 1);
  const Exprs y = {Y[0] + h, Y[1] * h, Y[2]};
  const Exprs N = at(e, e.N, {h, y, Z}, {}, psi);
  Numbers n;
  n.set(h, 0.5);
  n.set(Y, {1, 3, 5});
  n.set(Z, {0, 0, 0});
  n.set(psi, {4});
  expect_near(n(N), {6, 0, -4});
  expect_near(n(at(e, e.f, {h, y, Z})), {-3, -3, 0});
}

TEST(Derive, IdealReactionsWrittenByHandAreRecognised) {
  const std::string start = "variable y[2], z[2]\nmultiplier l\nrate y' = z\nconstraint y[1]^2 + y[2]^2 = 1\n";
  const Equations e = derive(model_of(start + "rate z' = (0, -1) + reaction(-2*l*y)\n"));
  EXPECT_TRUE(e.ideal);
  EXPECT_FALSE(derive(model_of(start + "rate z' = (0, -1) + reaction(-2*l*y + l*(0, 1e-9))\n")).ideal);
  Numbers n;
  n.set(e.y, {0.6, 0.8});
  n.set(e.lambda, {2});
  expect_near(n(e.r), {-2.4, -3.2});
}

}  // namespace
}  // namespace alembert::internal::test
