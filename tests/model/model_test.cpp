// What statements mean: names, shapes, families, forms, initial values, options.

#include <gtest/gtest.h>

#include "../model/support.h"

namespace alembert::internal::test {
namespace {

TEST(ModelSpec, DoublePendulum) {
  const Model m = model_of(double_pendulum);
  EXPECT_EQ(m.title, "Double pendulum");
  EXPECT_EQ(m.origin, "Symank 2025, section 7.3.1");
  EXPECT_EQ(m.form, Form::lagrangian);
  ASSERT_EQ(m.q.size(), 4u);
  EXPECT_EQ(doubles(m.parameter_values), (std::vector<double>{3, 1, 1, 1, 9.81}));
  EXPECT_EQ(doubles(m.q0), (std::vector<double>{1, 0, 2, 0}));
  EXPECT_EQ(doubles(m.z0), (std::vector<double>{0, 0, 0, 0}));
  EXPECT_EQ(m.q_given, (std::vector<bool>{true, false, true, false}));
  ASSERT_EQ(m.constraints.size(), 2u);
  EXPECT_EQ(m.constraints[1].name, "rod2");
  EXPECT_EQ(m.constraints[1].multiplier_name, "");
  EXPECT_EQ(m.graph->name(m.constraints[1].multiplier.id()), "lambda_rod2");
  EXPECT_FALSE(m.constraints[0].nonholonomic);
  ASSERT_TRUE(m.solve.method);
  EXPECT_EQ(m.solve.method->text, "lobatto");
  EXPECT_EQ(*m.solve.step, 0.01);
  EXPECT_EQ(*m.solve.end, 240);

  Numbers x;
  x.set(m.q, {0.1, 0.2, 0.3, 0.4});
  x.set(m.v, {1, 2, 3, 4});
  x.set(m.parameter_symbols, doubles(m.parameter_values));
  EXPECT_NEAR(x(m.kinetic), 1.5 * 5 + 0.5 * 25, 1e-14);
  EXPECT_NEAR(x(m.potential), 9.81 * (3 * 0.2 + 0.4), 1e-14);
  EXPECT_NEAR(x(m.lagrangian), 20 - 9.81, 1e-13);
  EXPECT_NEAR(x(m.constraints[1].value), 0.04 + 0.04 - 1, 1e-15);
}

TEST(ModelSpec, NonholonomicParticle) {
  const Model m = model_of(nonholonomic_particle);
  ASSERT_EQ(m.constraints.size(), 1u);
  EXPECT_TRUE(m.constraints[0].nonholonomic);
  EXPECT_EQ(m.constraints[0].name, "constraint 1");
  EXPECT_EQ(doubles(m.q0), (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(doubles(m.z0), (std::vector<double>{0, 1, 0}));
  ASSERT_EQ(m.coordinates.size(), 1u);
  EXPECT_EQ(entry_name(m.coordinates[0], 2), "q[3]");
}

TEST(ModelSpec, FourParticles) {
  const Model m = model_of(four_particles);
  EXPECT_EQ(m.form, Form::hamiltonian);
  ASSERT_EQ(m.q.size(), 12u);
  ASSERT_EQ(m.p.size(), 12u);
  ASSERT_EQ(m.momenta.size(), 4u);
  EXPECT_EQ(m.momenta[3].name, "p4");
  EXPECT_EQ(static_cast<double>(m.z0[11]), 2);
  ASSERT_EQ(m.invariants.size(), 1u);
  EXPECT_EQ(m.invariants[0].name, "linear");
  EXPECT_EQ(m.invariants[0].shape, std::vector<int>{3});
  Numbers x;
  x.set(m.q, doubles(m.q0));
  x.set(m.p, doubles(m.z0));
  x.set(m.parameter_symbols, doubles(m.parameter_values));
  EXPECT_NEAR(x(m.hamiltonian), 4 / (2 * 1.7), 1e-14);
  EXPECT_EQ(x(m.invariant_values), (std::vector<double>{0, 0, 2}));
  EXPECT_EQ(x(m.constraints[1].value), 0);
}

TEST(ModelSpec, SteelOnTeflon) {
  const Model m = model_of(steel_on_teflon);
  EXPECT_EQ(m.form, Form::general);
  ASSERT_EQ(m.coordinates.size(), 1u);
  EXPECT_EQ(m.coordinates[0].name, "y");
  ASSERT_EQ(m.momenta.size(), 1u);
  EXPECT_EQ(m.momenta[0].name, "z");
  EXPECT_EQ(doubles(m.z0), (std::vector<double>{-3.6, -10.8}));
  ASSERT_EQ(m.multiplier0.size(), 1u);
  EXPECT_EQ(static_cast<double>(*m.multiplier0[0]), 1.7586);
  EXPECT_EQ(m.constraints[0].multiplier_name, "psi");
  EXPECT_FALSE(m.constraints[0].nonholonomic);
  EXPECT_EQ(m.coordinate_rate, m.p);
  EXPECT_EQ(m.quantity, m.p);
  ASSERT_TRUE(m.solve.method);
  EXPECT_EQ(m.solve.method->parts.size(), 1u);
}

TEST(ModelSpec, Chain) {
  const Model m = model_of(chain);
  ASSERT_EQ(m.q.size(), 15u);
  EXPECT_EQ(entry_name(m.coordinates[0], 7), "r[3][2]");
  ASSERT_EQ(m.constraints.size(), 5u);
  EXPECT_EQ(m.constraints[1].name, "rod[2]");
  EXPECT_EQ(m.constraints[4].name, "rod[5]");
  EXPECT_EQ(static_cast<double>(m.q0[12]), 2.5);
  const Model larger = model_of(chain, {"N=100", "l=1"});
  EXPECT_EQ(larger.q.size(), 300u);
  EXPECT_EQ(larger.constraints.size(), 100u);
  EXPECT_EQ(static_cast<double>(larger.q0[297]), 100);
}

/// The value of EXPR of the two vectors a = (x, 2, 3), b = (4, 5, 6) and a scalar x = 1.
double value_of(const std::string& expression) {
  const Model m = model_of(
      "family i = 1..3\nparameter a[3] = (1, 2, 3), b[3] = (4, 5, 6), k = 2\ncoordinate x\nkinetic x'^2/2\n"
      "let square(u) = u^2, f(u, v) = square(u) - v, d[i] = a[i]*b[i]\n"
      "observe c: " +
      expression + "\n");
  Numbers n;
  n.set(m.q, {1});
  n.set(m.v, {7});
  n.set(m.t, 0.5);
  n.set(m.parameter_symbols, doubles(m.parameter_values));
  return n(m.observed_values)[0];
}

TEST(ModelExpression, Values) {
  EXPECT_EQ(value_of("dot(a, b)"), 32);
  EXPECT_EQ(value_of("cross(a, b)[1]"), -3);
  EXPECT_EQ(value_of("cross(a, b)[2]"), 6);
  EXPECT_EQ(value_of("cross(a, b)[3]"), -3);
  EXPECT_EQ(value_of("norm2(a)"), 14);
  EXPECT_NEAR(value_of("norm(a + b)"), std::sqrt(25 + 49 + 81.), 1e-14);
  EXPECT_EQ(value_of("(2*a - b/2)[3]"), 3);
  EXPECT_EQ(value_of("(-a)[2]"), -2);
  EXPECT_EQ(value_of("sum(i, a[i]*i)"), 14);
  EXPECT_EQ(value_of("sum(j = 2..3, a[j])"), 5);
  EXPECT_EQ(value_of("sum(j = 1..3, sum(l = 1..j, l))"), 10);
  EXPECT_EQ(value_of("sum(j = 3..2, a[j])"), 0);
  EXPECT_EQ(value_of("sum(b)"), 15);
  EXPECT_EQ(value_of("a[k + 1]"), 3);
  EXPECT_EQ(value_of("f(3, k)"), 7);
  EXPECT_EQ(value_of("d[2]"), 10);
  EXPECT_EQ(value_of("d"), 4);
  EXPECT_NEAR(value_of("sin(pi/2) + t"), 1.5, 1e-15);
  EXPECT_EQ(value_of("max(1, 5, 2) - min(4, 3)"), 2);
  EXPECT_NEAR(value_of("atan2(1, 1)*4"), M_PI, 1e-15);
  EXPECT_EQ(value_of("-2^2"), -4);
  EXPECT_EQ(value_of("2^3^2"), 512);
  EXPECT_EQ(value_of("x'"), 7);
  EXPECT_EQ(value_of("((1, 2), (3, 4))[2][1]"), 3);
}

TEST(ModelExpression, DerivativeOfALet) {
  // The velocity of the bob from its position; a moving support adds its own.
  const Model m = model_of(
      "parameter l = 2\ncoordinate phi\nlet bob = (l*sin(phi) + t^2, -l*cos(phi))\nkinetic norm2(bob')/2\ninitial phi "
      "= 1\n");
  Numbers n;
  n.set(m.q, {0.3});
  n.set(m.v, {0.7});
  n.set(m.t, 0.25);
  n.set(m.parameter_symbols, {2});
  const double vx = 2 * std::cos(0.3) * 0.7 + 0.5, vy = 2 * std::sin(0.3) * 0.7;
  EXPECT_NEAR(n(m.kinetic), (vx * vx + vy * vy) / 2, 1e-14);
}

TEST(ModelParameters, OrderOverridesFamilies) {
  const std::string text =
      "parameter a = 2*b, b = c + 1, c = 3, N = 3\nfamily i = 1..N\nparameter m[i] = 10*i, w[4] = 7, u[i][2] = (i, "
      "i^2)\n"
      "coordinate x[N]\nkinetic norm2(x')/2\n";
  const Model m = model_of(text);
  EXPECT_EQ(doubles(m.parameter_values), (std::vector<double>{8, 4, 3, 3, 10, 20, 30, 7, 7, 7, 7, 1, 1, 2, 4, 3, 9}));
  const Model o = model_of(text, {"c=4", "m[2]=5", "N=2", "w=(1,2,3,4)", "x[1]=c"});
  EXPECT_EQ(doubles(o.parameter_values), (std::vector<double>{10, 5, 4, 2, 10, 5, 1, 2, 3, 4, 1, 1, 2, 4}));
  EXPECT_EQ(doubles(o.q0), (std::vector<double>{4, 0}));
}

TEST(ModelParameters, NumbersAreKeptInExtendedPrecision) {
  const Model m = model_of("parameter a = 1/3, b = 0.1\ncoordinate x\nkinetic x'^2/2\n");
  const Quad third = Quad(1) / 3;
  EXPECT_TRUE(m.parameter_values[0] == third);
  EXPECT_TRUE(m.parameter_values[1] == Quad(1) / 10);
}

TEST(ModelCoordinates, AliasesOfVectorEntries) {
  const Model m = model_of(
      "coordinate q[3]\nkinetic (q1'^2 + q2'^2 + q[3]'^2)/2\nconstraint q1 = q2\ninitial q3 = 4, q1' = 5\nforce q2 = "
      "q1'\npin q1\n");
  EXPECT_EQ(doubles(m.q0), (std::vector<double>{0, 0, 4}));
  EXPECT_EQ(doubles(m.z0), (std::vector<double>{5, 0, 0}));
  EXPECT_EQ(m.q_pinned, (std::vector<bool>{true, false, false}));
  EXPECT_TRUE(m.force[1] == m.v[0]);
  // A declared q1 is not an entry of q.
  const Model own = model_of("coordinate q[3], q1\nkinetic norm2(q')/2 + q1'^2\ninitial q1 = 2\n");
  EXPECT_EQ(doubles(own.q0), (std::vector<double>{0, 0, 0, 2}));
}

TEST(ModelConstraints, VectorsFamiliesAndMultipliers) {
  const Model m = model_of(
      "family i = 1..3\ncoordinate r[i][2], s\nkinetic sum(i, norm2(r[i]')) + s'^2\n"
      "constraint joint(f): r[1] = (s, 0)\nconstraint pair(g): r[i] = 2*r[i-1] for i = 2..3\nconstraint r[i][1] = i + "
      "s\n"
      "force s = f[1] + g[3][2]\n");
  ASSERT_EQ(m.constraints.size(), 2u + 4u + 3u);
  EXPECT_EQ(m.constraints[0].name, "joint[1]");
  EXPECT_EQ(m.constraints[0].multiplier_name, "f[1]");
  EXPECT_EQ(m.constraints[5].name, "pair[3][2]");
  EXPECT_EQ(m.constraints[5].multiplier_name, "g[3][2]");
  EXPECT_EQ(m.constraints[8].name, "constraint 3[3]");
  Numbers n;
  for (const Constraint& c : m.constraints) n.set(c.multiplier, 0);
  n.set(m.constraints[0].multiplier, 3);
  n.set(m.constraints[5].multiplier, 0.5);
  EXPECT_EQ(n(m.force[6]), 3.5);
}

TEST(ModelEnergies, StatementsAddUp) {
  const Model m = model_of(
      "coordinate x, y\nkinetic x'^2\nkinetic y'^2\npotential x\npotential y\nforce x = 1\nforce x = 2*t\nrayleigh "
      "x'^2\nrayleigh y'^2\n");
  Numbers n;
  n.set(m.q, {3, 4});
  n.set(m.v, {5, 6});
  n.set(m.t, 10);
  EXPECT_EQ(n(m.lagrangian), 25 + 36 - 7);
  EXPECT_EQ(n(m.force), (std::vector<double>{21, 0}));
  EXPECT_EQ(n(m.rayleigh), 61);
}

TEST(ModelInitial, UsesParametersAndEarlierValues) {
  const Model m = model_of(
      "parameter l = 2\ncoordinate x, y, v[2]\nkinetic x'^2 + y'^2 + norm2(v')\nlet h = x/2\n"
      "initial x = l^2 + sin(t), y = h + 1, v = (x, y), v[1]' = y\n");
  EXPECT_EQ(doubles(m.q0), (std::vector<double>{4, 3, 4, 3}));
  EXPECT_EQ(doubles(m.z0), (std::vector<double>{0, 0, 3, 0}));
}

TEST(ModelInitial, OptionsReplaceEvenWhatIsWrong) {
  const Model m =
      model_of("coordinate x, y\nkinetic x'^2 + y'^2\ninitial x = 1/0, y' = 3, y = 2*x\n", {"x=4", "y'=10"});
  EXPECT_EQ(doubles(m.q0), (std::vector<double>{4, 8}));
  EXPECT_EQ(doubles(m.z0), (std::vector<double>{0, 10}));
}

TEST(ModelGeneral, QuantityStandsForItsVariable) {
  const Model m = model_of(
      "variable w = 1, y[3], z[2]\nmultiplier psi\nquantity p[2] = (1 + y[3]/4)*z\n"
      "rate w' = -w, y' = (z[1], z[2], 0), p' = (1, 2) + reaction((psi, -psi))\nconstraint c(psi): z[1] = z[2]\n");
  ASSERT_EQ(m.coordinates.size(), 2u);
  EXPECT_EQ(m.coordinates[0].name, "w");
  ASSERT_EQ(m.momenta.size(), 1u);
  EXPECT_EQ(m.momenta[0].name, "z");
  EXPECT_TRUE(m.constraints[0].nonholonomic);
  EXPECT_FALSE(m.multiplier0[0]);
  Numbers n;
  n.set(m.q, {1, 2, 3, 4});
  n.set(m.p, {5, 6});
  n.set(m.constraints[0].multiplier, 9);
  EXPECT_EQ(n(m.coordinate_rate), (std::vector<double>{-1, 5, 6, 0}));
  EXPECT_EQ(n(m.quantity), (std::vector<double>{10, 12}));
  EXPECT_EQ(n(m.quantity_rate), (std::vector<double>{1, 2}));
  EXPECT_EQ(n(m.reaction), (std::vector<double>{9, -9}));
}

TEST(ModelGeneral, ReactionsInsideVectorsAndSums) {
  const Model m = model_of(
      "variable y[2], z[2]\nmultiplier a\nrate y' = z\nrate z[1]' = 3 - reaction(2*a), z[2]' = -(y[1] + reaction(a)) + "
      "reaction(1)\n"
      "constraint y[1] = y[2]^2\n");
  Numbers n;
  n.set(m.q, {5, 0});
  n.set(m.p, {0, 0});
  n.set(m.constraints[0].multiplier, 7);
  EXPECT_EQ(n(m.quantity_rate), (std::vector<double>{3, -5}));
  EXPECT_EQ(n(m.reaction), (std::vector<double>{-14, -6}));
}

TEST(ModelFamilies, LargeOnesCostLinearTime) {
  const Model m = model_of(chain, {"N=20000"});
  EXPECT_EQ(m.q.size(), 60000u);
  EXPECT_EQ(m.constraints.size(), 20000u);
  EXPECT_LT(m.graph->size(), 40u * 20000u);
}

}  // namespace
}  // namespace alembert::internal::test
