// Port-Hamiltonian systems: the balance of every step, and motions that are known otherwise: closed forms, the same
// system in another form of the language, with algebraic parts eliminated by hand.

#include <gtest/gtest.h>

#include <cmath>

#include "alembert/derive/ports/port_equations.h"
#include "output/rows.h"
#include "problems.h"

namespace alembert::internal::testing {
namespace {

/// The value of a state, an algebraic one too, at the end.
double value(const Model& model, const Report& report, const std::string& name) {
  const PortSystem& port = *model.port;
  for (std::size_t i = 0; i < port.differential.size(); ++i)
    if (flat_name(port.states, port.differential[i]) == name) return report.z.at(i);
  for (std::size_t i = 0; i < port.algebraic.size(); ++i)
    if (flat_name(port.states, port.algebraic[i]) == name) return report.psi.at(i);
  ADD_FAILURE() << "no state " << name;
  return std::nan("");
}

Report good_run(const Model& model, const std::string& method_text, double step, double end) {
  Report report = run(model, method_text, step, end);
  EXPECT_EQ(report.ending, Ending::done) << method_text << ": " << report.reason;
  return report;
}

double order_between(double coarse, double fine) { return std::log2(coarse / fine); }

// Thesis 7.2 ----------------------------------------------------------------------------------------------------------

TEST(PortHamiltonian, GaussKeepsTheBalanceOfEveryStepToRounding) {
  const Model model = gallery("ph_mass_spring_damper");
  for (const int s : {1, 2, 3, 4}) {
    const Report report = good_run(model, "gauss_collocation(" + std::to_string(s) + ")", 0.1, 20);
    EXPECT_EQ(report.balance.steps, 200);
    EXPECT_LT(report.balance.max_residual, 1e-13) << s;
    EXPECT_TRUE(report.balance.parted);
    // Much of it moves, so that a small residual says something.
    EXPECT_GT(report.balance.dissipated, 50);
    EXPECT_GT(report.balance.supplied, 10);
    EXPECT_NEAR(report.balance.actual, report.balance.supplied - report.balance.dissipated, 1e-11);
  }
}

TEST(PortHamiltonian, LobattoMissesTheBalanceByWhatTheThesisShows) {
  const Report strong = good_run(gallery("ph_mass_spring_damper"), "lobatto_c(3)", 0.1, 20);
  EXPECT_NEAR(strong.balance.max_residual, 1.85e-5, 0.01e-5);
  const Report weak = good_run(gallery("ph_mass_spring_damper", {"k2=1"}), "lobatto_c(3)", 0.1, 20);
  EXPECT_NEAR(weak.balance.max_residual, 2.6e-6, 0.1e-6);
}

TEST(PortHamiltonian, EnergiesOfTheThesisToEightDigits) {
  const std::vector<std::string> still{"d1=0", "d2=0", "alpha=0"};
  std::vector<std::string> weak = still;
  weak.push_back("k2=1");
  EXPECT_NEAR(good_run(gallery("ph_mass_spring_damper", still), "lobatto_c(3)", 0.1, 2000).energy.final, 79.65460726,
              1e-8);
  EXPECT_NEAR(good_run(gallery("ph_mass_spring_damper", weak), "lobatto_c(3)", 0.1, 2000).energy.final, 47.95510523,
              1e-8);
  EXPECT_LT(good_run(gallery("ph_mass_spring_damper", still), "gauss_collocation(3)", 0.1, 2000).energy.max_error,
            1e-11);
}

TEST(PortHamiltonian, SameMotionAsTheLagrangianForm) {
  const Model model = gallery("ph_mass_spring_damper");
  const Report port = good_run(model, "gauss_collocation(3)", 0.1, 20);
  const Report plain =
      good_run(gallery("mass_spring_damper", {"d1=0.2", "d2=0.5", "alpha=3"}), "gauss_collocation(3)", 0.1, 20);
  for (int i : {0, 1}) {
    EXPECT_NEAR(port.z[i], plain.y[i], 1e-12);
    EXPECT_NEAR(port.z[i + 2], plain.z[i], 1e-12);
  }
  EXPECT_NEAR(port.balance.predicted, plain.balance.predicted, 1e-12);
}

TEST(PortHamiltonian, PendulumWithItsTensionAsAState) {
  const Model model = gallery("ph_pendulum");
  for (const char* method_text : {"gauss_collocation(3)", "lobatto_c(3)", "murua(2)"}) {
    const Report port = good_run(model, method_text, 0.01, 10);
    const Report plain = good_run(gallery("simple_pendulum"), method_text, 0.01, 10);
    for (int i : {0, 1}) {
      EXPECT_NEAR(port.z[i], plain.y[i], 1e-12) << method_text;
      EXPECT_NEAR(port.z[i + 2], plain.z[i], 1e-12) << method_text;
    }
    EXPECT_NEAR(value(model, port, "lambda"), plain.lambda[0], 1e-10) << method_text;
  }
  const Equations e = derive(model);
  EXPECT_EQ(e.k.size(), 1u);
  EXPECT_TRUE(e.port->algebraic.empty());
}

TEST(PortHamiltonian, AMassOfZeroMakesItsVelocityAlgebraic) {
  const Model model = gallery("ph_mass_spring_damper", {"m2=0", "alpha=0"});
  ASSERT_EQ(model.port->algebraic.size(), 1u);
  const Report port = good_run(model, "gauss_collocation(3)", 0.02, 2);
  const Report plain =
      good_run(gallery("mass_spring_damper", {"m2=0", "d1=0.2", "d2=0.5"}), "gauss_collocation(3)", 0.02, 2);
  for (int i : {0, 1}) EXPECT_NEAR(port.z[i], plain.y[i], 1e-11);
  EXPECT_LT(port.balance.max_residual, 1e-13);
}

// Algebraic states, against elimination by hand -----------------------------------------------------------------------

const char* circuit =
    "state phi = 1, q = 0.4, i\n"
    "parameter L = 0.5, C = 0.2, G = 3\n"
    "flow (1, 1, 0)\n"
    "structure J(q, phi) = 1, J(i, phi) = 1\n"
    "dissipation R(i, i) = G\n"
    "port B(phi, U) = 1\n"
    "input U = sin(t)\n"
    "hamiltonian phi^2/(2*L) + q^2/(2*C)\n";

TEST(PortHamiltonian, IndexOneIsWhatEliminationGives) {
  // Row i: 0 = phi/L - G i, so i = phi/(L G).
  const Model model = model_from_text(circuit);
  const Model plain = model_from_text(
      "parameter L = 0.5, C = 0.2, G = 3\n"
      "variable phi = 1, q = 0.4\n"
      "rate phi' = -q/C - phi/(L*G) + sin(t), q' = phi/L\n");
  ASSERT_EQ(derive(model).port->algebraic.size(), 1u);
  for (const char* method_text : {"gauss_collocation(2)", "lobatto_c(3)"}) {
    const Report a = good_run(model, method_text, 0.05, 5), b = good_run(plain, method_text, 0.05, 5);
    EXPECT_NEAR(value(model, a, "phi"), b.y.empty() ? b.z[0] : b.y[0], 1e-13);
    EXPECT_NEAR(value(model, a, "i"), value(model, a, "phi") / 1.5, 1e-14);
  }
}

TEST(PortHamiltonian, DependentRowsOfEAreCombined) {
  // a' = -(a - b), a' = -b: b = a/2, a = exp(-t/2).
  const Model model = model_from_text(
      "state a = 1, b\n"
      "flow ((1, 0), (1, 0))\n"
      "dissipation 1\n"
      "effort (a - b, b)\n"
      "hamiltonian a^2/2\n");
  const Report report = good_run(model, "gauss_collocation(4)", 0.1, 2);
  EXPECT_NEAR(value(model, report, "a"), std::exp(-1.0), 1e-13);
  EXPECT_NEAR(value(model, report, "b"), std::exp(-1.0) / 2, 1e-13);
  EXPECT_LT(report.balance.max_residual, 1e-15);
}

TEST(PortHamiltonian, HiddenConstraintsBetweenAlgebraicRows) {
  // 0 = v1 - (l1 + l2), 0 = v2 - (l1 + l2): v1 = v2, which nobody wrote, and 2 v' = -v.
  const Model model = model_from_text(
      "state v1 = 1, v2, l1, l2\n"
      "flow (1, 1, 0, 0)\n"
      "structure J(l1, v1) = 1, J(l2, v2) = 1\n"
      "dissipation R(l1, l1) = 1, R(l2, l2) = 1, R(l1, l2) = 1\n"
      "hamiltonian (v1^2 + v2^2)/2\n");
  const Equations e = derive(model);
  EXPECT_EQ(e.k.size(), 1u);
  EXPECT_EQ(e.port->algebraic.size(), 1u);
  const InitialValues start = make_consistent(model, e);
  EXPECT_NEAR(start.z[0], 0.5, 1e-15);
  EXPECT_NEAR(start.z[1], 0.5, 1e-15);
  EXPECT_EQ(start.changes.size(), 2u);
  const Report report = good_run(model, "gauss_collocation(4)", 0.1, 2);
  EXPECT_NEAR(report.z[0], 0.5 * std::exp(-1.0), 1e-13);
  EXPECT_NEAR(report.z[1], 0.5 * std::exp(-1.0), 1e-13);
  EXPECT_NEAR(value(model, report, "l1"), 0.25 * std::exp(-1.0), 1e-12);
}

TEST(PortHamiltonian, PinnedStatesStayWhereTheOthersAreMoved) {
  std::string text =
      "state v1 = 1, v2, l\n"
      "flow (1, 1, 0)\n"
      "structure J(l, v1) = 1, J(l, v2) = -1\n"
      "hamiltonian (v1^2 + v2^2)/2\n";
  const Model model = model_from_text(text + "pin v1\n");
  const InitialValues start = make_consistent(model, derive(model));
  EXPECT_EQ(start.z[0], 1);
  EXPECT_NEAR(start.z[1], 1, 1e-15);
  // An algebraic state that is given is a guess; what comes of it is told.
  const Model given = model_from_text(text + "initial v2 = 1, l = 7\n");
  const InitialValues found = make_consistent(given, derive(given));
  ASSERT_EQ(found.changes.size(), 1u);
  EXPECT_EQ(found.changes[0].name, "l");
  EXPECT_EQ(found.changes[0].from, 7);
}

// Time, state-dependent E, feedthrough --------------------------------------------------------------------------------

TEST(PortHamiltonian, TimeInEAndDrift) {
  // (1 + t) v' + v/2 = -v/4: v = (1 + t)^(-3/4), q = 4 (1 + t)^(1/4).
  const Model model = model_from_text(
      "state q = 4, v = 1\n"
      "flow E(v, v) = 1 + t\n"
      "structure J(q, v) = 1\n"
      "dissipation R(v, v) = 1/4\n"
      "drift v = v/2\n"
      "effort v = v\n"
      "hamiltonian (1 + t)*v^2/2\n");
  double before = 0;
  for (const double h : {0.2, 0.1}) {
    const Report report = good_run(model, "gauss_collocation(2)", h, 2);
    const double error = std::abs(report.z[1] - std::pow(3.0, -0.75));
    if (before > 0) { EXPECT_NEAR(order_between(before, error), 4, 0.15); }
    before = error;
  }
  const Report fine = good_run(model, "gauss_collocation(5)", 0.1, 2);
  EXPECT_NEAR(fine.z[1], std::pow(3.0, -0.75), 1e-13);
  EXPECT_NEAR(fine.z[0], 4 * std::pow(3.0, 0.25), 1e-13);
  EXPECT_LT(fine.balance.max_residual, 1e-12);
}

const char* cart =
    "parameter M = 2, m = 1, l = 0.7, g = 9.81\n"
    "let h = m*l*cos(a)\n"
    "state x, a = 1, v = 0.3, w\n"
    "flow E(v, v) = M + m, E(v, w) = h, E(w, v) = h, E(w, w) = m*l^2\n"
    "structure J(x, v) = 1, J(a, w) = 1, J(v, w) = m*l*sin(a)*w\n"
    "effort v = v, w = w\n"
    "hamiltonian (M + m)/2*v^2 + h*v*w + m*l^2/2*w^2 + m*g*l*(1 - cos(a))\n";

TEST(PortHamiltonian, AMassMatrixOfTheStateWithItsSkewBlock) {
  const Model model = model_from_text(cart);
  const Model plain = model_from_text(
      "parameter M = 2, m = 1, l = 0.7, g = 9.81\n"
      "coordinate x, a\n"
      "kinetic (M + m)/2*x'^2 + m*l*cos(a)*x'*a' + m*l^2/2*a'^2\n"
      "potential m*g*l*(1 - cos(a))\n"
      "initial a = 1, x' = 0.3\n");
  const Report port = good_run(model, "gauss_collocation(3)", 0.02, 5);
  const Report other = good_run(plain, "gauss_collocation(3)", 0.02, 5);
  for (int i : {0, 1}) {
    EXPECT_NEAR(port.z[i], other.y[i], 1e-11);
    EXPECT_NEAR(port.z[i + 2], other.z[i], 1e-11);
  }
  // The coupled rows of E need unknowns of their own in the discrete gradient.
  const Report exact = good_run(model, "discrete_gradient", 0.02, 5);
  EXPECT_LT(exact.balance.max_residual, 1e-14);
  EXPECT_LT(exact.energy.max_error, 1e-13);
  EXPECT_NEAR(exact.z[1], port.z[1], 0.02);
}

TEST(PortHamiltonian, FeedthroughAndALoopThroughIt) {
  // y = B z + P z + S u, u = cos t - c y: u = (cos t - c (B + P) z)/(1 + c S).
  const Model model = model_from_text(
      "parameter c = 0.3, k = 2\n"
      "state q = 1, p\n"
      "structure J(q, p) = 1\n"
      "dissipation R(p, p) = 0.5\n"
      "port B(p, u) = 1\n"
      "coupling P(p, u) = 0.2\n"
      "feedthrough D(u, u) = 0.7\n"
      "input u = cos(t) - c*y\n"
      "output y of u\n"
      "hamiltonian p^2/2 + k/2*q^2\n");
  ASSERT_EQ(model.port->loops, std::vector<int>{0});
  const Model plain = model_from_text(
      "parameter c = 0.3, k = 2\n"
      "variable q = 1, p\n"
      "let u = (cos(t) - c*1.2*p)/(1 + c*0.7)\n"
      "rate q' = p, p' = -k*q - 0.5*p + 0.8*u\n");
  const Report a = good_run(model, "gauss_collocation(2)", 0.1, 5), b = good_run(plain, "gauss_collocation(2)", 0.1, 5);
  const std::vector<double> all = [&] {
    std::vector<double> list = b.y;
    list.insert(list.end(), b.z.begin(), b.z.end());
    return list;
  }();
  for (int i : {0, 1}) EXPECT_NEAR(a.z[i], all[i], 1e-13);
  EXPECT_LT(a.balance.max_residual, 1e-14);
  const double u = (std::cos(5.0) - 0.3 * 1.2 * a.z[1]) / 1.21;
  EXPECT_NEAR(a.port->u.at(0), u, 1e-13);
  EXPECT_NEAR(a.port->y.at(0), 1.2 * a.z[1] + 0.7 * u, 1e-13);
}

TEST(PortHamiltonian, SkewFeedthroughTakesNothing) {
  const Model model = model_from_text(
      "state q = 1, p\n"
      "structure J(q, p) = 1\n"
      "port B(p, a) = 1, B(q, b) = 1\n"
      "feedthrough ((0, 2), (-2, 0))\n"
      "input a = cos(t), b = sin(t)\n"
      "hamiltonian p^2/2 + q^2/2\n");
  const Report report = good_run(model, "gauss_collocation(2)", 0.1, 5);
  EXPECT_EQ(report.balance.dissipated, 0);
  EXPECT_GT(std::abs(report.balance.supplied), 1e-3);
  EXPECT_LT(report.balance.max_residual, 1e-13);
  EXPECT_NEAR(report.port->y[0], report.z[1] + 2 * std::sin(5.0), 1e-14);
  EXPECT_NEAR(report.port->y[1], report.z[0] - 2 * std::cos(5.0), 1e-14);
}

// Hamiltonians that are not quadratic ---------------------------------------------------------------------------------

const char* lattice =
    "parameter N = 3\n"
    "family i = 1..N\n"
    "state q[i], p[i]\n"
    "structure J(q, p) = 1\n"
    "dissipation R(p[1], p[1]) = 0.1*(1 + q[1]^2), R(p[2], p[2]) = 0.1, R(p[1], p[2]) = 0.05\n"
    "port B(p[3], F) = 1 + sin(q[3])/2\n"
    "input F = cos(t) - tanh(out)\n"
    "output out of F\n"
    "hamiltonian norm2(p)/2 + exp(q[1]) - q[1] + exp(q[2] - q[1]) + q[1] - q[2] + exp(q[3] - q[2]) + q[2] - q[3] + "
    "q[3]^4/4\n"
    "initial q = (0.3, -0.2, 0.5), p = (1, 0, -1)\n";

TEST(PortHamiltonian, DiscreteGradientsKeepTheBalanceOfEveryHamiltonian) {
  const Model model = model_from_text(lattice);
  const Report exact = good_run(model, "discrete_gradient", 0.1, 10);
  EXPECT_LT(exact.balance.max_residual, 2e-14);
  EXPECT_GT(exact.balance.dissipated, 0.1);
  EXPECT_GT(std::abs(exact.balance.supplied), 0.1);
  // The midpoint rule does not: what is kept here is not kept by every method.
  EXPECT_GT(good_run(model, "gauss_collocation(1)", 0.1, 10).balance.max_residual, 1e-5);
  const Report composed = good_run(model, "triple_jump(discrete_gradient)", 0.1, 10);
  EXPECT_LT(composed.balance.max_residual, 1e-13);
}

TEST(PortHamiltonian, TheLatticeAgreesWithEquationsWrittenByHand) {
  // Runge-Kutta of order 4 with 32000 steps on the equations as written out by hand, in another program.
  const Report report = good_run(gallery("ph_lattice"), "gauss_collocation(5)", 0.02, 20);
  EXPECT_NEAR(report.energy.final, 3.689077116643, 2e-12);
  EXPECT_NEAR(report.z[0], -0.328635518942, 2e-12);
  EXPECT_NEAR(report.z[1], 0.025646338798, 2e-12);
  EXPECT_NEAR(report.z[2], 0.0953181697275, 2e-12);
}

TEST(PortHamiltonian, DiscreteGradientIsTheMidpointRuleForQuadraticH) {
  const Model model = gallery("ph_mass_spring_damper");
  const Report a = good_run(model, "discrete_gradient", 0.1, 20), b = good_run(model, "gauss_collocation(1)", 0.1, 20);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(a.z[i], b.z[i], 1e-12);
  EXPECT_NEAR(a.balance.dissipated, b.balance.dissipated, 1e-11);
}

TEST(PortHamiltonian, DiscreteGradientWithConstraintsIsNotComposed) {
  const Model pendulum = gallery("ph_pendulum");
  const Report report = good_run(pendulum, "discrete_gradient", 0.01, 10);
  EXPECT_LT(report.energy.max_error, 1e-13);
  EXPECT_NE(refusal(method("triple_jump(discrete_gradient)"), derive(pendulum)), "");
  EXPECT_EQ(refusal(method("triple_jump(discrete_gradient)"), derive(model_from_text(lattice))), "");
}

TEST(PortHamiltonian, MeasuredOrders) {
  const Model model = model_from_text(lattice);
  const Report reference = good_run(model, "gauss_collocation(5)", 0.01, 1);
  const auto error = [&](const std::string& method_text, double h) {
    const Report report = good_run(model, method_text, h, 1);
    double most = 0;
    for (std::size_t i = 0; i < report.z.size(); ++i) most = std::max(most, std::abs(report.z[i] - reference.z[i]));
    return most;
  };
  const std::pair<const char*, int> cases[] = {{"gauss_collocation(1)", 2},
                                               {"gauss_collocation(2)", 4},
                                               {"gauss_collocation(3)", 6},
                                               {"lobatto_c(2)", 2},
                                               {"lobatto_c(3)", 4},
                                               {"discrete_gradient", 2},
                                               {"triple_jump(discrete_gradient)", 4},
                                               {"suzuki(discrete_gradient)", 4}};
  for (const auto& [text, order] : cases) {
    const double h = order < 6 ? 0.05 : 0.1;
    EXPECT_NEAR(order_between(error(text, h), error(text, h / 2)), order, 0.35) << text;
  }
}

// Where it is written -------------------------------------------------------------------------------------------------

TEST(PortHamiltonian, RowsHoldPortsAndTheBalance) {
  const Model model = gallery("ph_mass_spring_damper");
  Rows rows;
  SimulateOptions options;
  options.step = 0.1, options.end = 2;
  options.observers = {&rows};
  const Report report = simulate(model, derive(model), method("gauss_collocation(2)"), options);
  const auto column = [&](const std::string& name) {
    for (std::size_t i = 0; i < rows.columns.names.size(); ++i)
      if (rows.columns.names[i] == name) return i;
    ADD_FAILURE() << name;
    return std::size_t(0);
  };
  ASSERT_EQ(rows.rows.size(), 21u);
  for (std::size_t n = 0; n < rows.rows.size(); ++n) {
    const std::vector<double>& row = rows.rows[n];
    EXPECT_EQ(row[column("input.F")], 3);
    EXPECT_EQ(row[column("output.speed")], row[column("v1")]);
    EXPECT_NEAR(row[column("balance.stored")], row[column("balance.supplied")] - row[column("balance.dissipated")],
                1e-12);
    EXPECT_LT(std::abs(row[column("balance.residual")]), 1e-13);
    if (n > 0) { EXPECT_GT(row[column("balance.dissipated")], rows.rows[n - 1][column("balance.dissipated")]); }
  }
  EXPECT_EQ(rows.rows.back()[column("balance.supplied")], report.balance.supplied);
}

TEST(PortHamiltonian, FlowsAndEffortsAreOfADiracStructure) {
  // Storage, dissipation and ports together neither make nor lose power: e^T f + dissipated = y^T u at every row.
  const Model model = gallery("ph_mass_spring_damper");
  Rows rows;
  SimulateOptions options;
  options.step = 0.1, options.end = 2, options.dirac = true;
  options.observers = {&rows};
  simulate(model, derive(model), method("gauss_collocation(2)"), options);
  const auto at = [&](const std::vector<double>& row, const std::string& name) {
    const auto& names = rows.columns.names;
    return row.at(static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
  };
  for (const std::vector<double>& row : rows.rows) {
    double stored = 0;
    for (const char* state : {"p1", "p2", "v1", "v2"})
      stored += at(row, std::string("flow.") + state) * at(row, std::string("effort.") + state);
    const double v1 = at(row, "v1"), v2 = at(row, "v2");
    EXPECT_NEAR(stored, at(row, "input.F") * at(row, "output.speed") - 0.2 * v1 * v1 - 0.5 * v2 * v2, 1e-12);
    EXPECT_EQ(at(row, "effort.v1"), v1);
    EXPECT_EQ(at(row, "flow.p2"), v2);
  }
}

// Parameters that an event sets ---------------------------------------------------------------------------------------

const std::string oscillator =
    "parameter m = 2, k = 8\nstate q = 1, p\nhamiltonian p^2/(2*m) + k/2*q^2\nstructure J(q, p) = 1\n";

TEST(PortHamiltonian, EntriesThatAreZeroAtFirstMayBeSwitchedOn) {
  // q'' = -4 q up to t = 5, q'' = -4 q - q'/2 from there on.
  const Model damped = model_from_text(oscillator + "parameter d = 0\ndissipation R(p, p) = d\nwhen t = 5: d = 1\n");
  const Report report = good_run(damped, "gauss_collocation(3)", 0.05, 10);
  const double w = std::sqrt(4 - 1.0 / 16), q5 = std::cos(10.0), v5 = -2 * std::sin(10.0);
  const double c = std::cos(5 * w), s = std::sin(5 * w), decay = std::exp(-1.25);
  EXPECT_NEAR(report.z[0], decay * (q5 * c + (v5 + q5 / 4) / w * s), 1e-8);
  EXPECT_NEAR(report.z[1], 2 * decay * (v5 * c - (4 * q5 + v5 / 4) / w * s), 1e-8);
  EXPECT_NEAR(report.balance.dissipated, report.energy.initial - report.energy.final, 1e-13);

  // p and r turn into each other by J(r, p) = j, so that the energy stays.
  const Model turned = model_from_text(
      "parameter m = 2, k = 8, j = 0\nstate q = 1, p, r = 1\nhamiltonian p^2/(2*m) + k/2*q^2 + r^2/2\n"
      "structure J(q, p) = 1, J(r, p) = j\nwhen t = 2: j = 1\n");
  const Report other = good_run(turned, "gauss_collocation(3)", 0.05, 3);
  EXPECT_NEAR(other.z[2], 2.3238, 1e-4);
  EXPECT_NEAR(other.energy.final, 4.5, 1e-13);

  // At t = 1 a force of 3 sets in: q'' = -4 q + 3/2.
  const Model pushed =
      model_from_text(oscillator + "parameter b = 0\nport B(p, F) = b\ninput F = 1\nwhen t = 1: b = 3\n");
  const double x = std::cos(2.0) - 0.375, v = -2 * std::sin(2.0);
  EXPECT_NEAR(good_run(pushed, "gauss_collocation(3)", 0.05, 2).z[0], 0.375 + x * std::cos(2.0) + v / 2 * std::sin(2.0),
              1e-8);
}

TEST(PortHamiltonian, WhatMakesAnAlgebraicRowCannotBeSwitchedOn) {
  const Model model = model_from_text(
      "parameter e = 0\nstate q = 1, p, l\nhamiltonian (p^2 + q^2)/2\nflow E(l, l) = 0\n"
      "structure J(q, p) = 1, J(p, l) = 1\ndissipation R(l, l) = e\nwhen t = 1: e = 3\n");
  const Report report = run(model, "gauss_collocation(2)", 0.1, 2);
  EXPECT_EQ(report.ending, Ending::failed);
  EXPECT_NE(report.reason.find("another shape"), std::string::npos) << report.reason;
}

TEST(PortHamiltonian, PartsOfStepsThatEventsCutAreInTheBalance) {
  const std::string damper = oscillator + "parameter d = 0.5, n = 0\ndissipation R(p, p) = d\nevent cross: q = 0\n";
  for (const std::string what : {"when cross: n = n + 1\n", "stop after 3 cross\n"}) {
    const Report report = run(model_from_text(damper + what), "gauss_collocation(3)", 0.05, 5);
    EXPECT_TRUE(report.ending == Ending::done) << report.reason;
    EXPECT_EQ(report.events.size(), 3u);
    EXPECT_NEAR(report.balance.dissipated, report.energy.initial - report.energy.final, 1e-13) << what;
    EXPECT_NEAR(report.balance.actual, report.energy.final - report.energy.initial, 1e-13) << what;
    EXPECT_LT(report.balance.max_residual, 1e-13) << what;
    EXPECT_LT(report.energy.max_error, 1e-13) << what;
  }
}

TEST(PortHamiltonian, LargeSystemsStaySparse) {
  const auto entries = [](int n) {
    const Model model = model_from_text(
        "parameter N = " + std::to_string(n) +
        "\nfamily i = 1..N\nstate q[i], p[i]\nstructure J(q, p) = 1\n"
        "dissipation R(p[i], p[i]) = 0.1\nhamiltonian norm2(p)/2 + q[1]^2/2 + sum(i = 2..N, (q[i] - q[i-1])^2/2)\n"
        "initial q[1] = 1\n");
    return std::pair(derive(model).graph->size(), model.port->J.value.size());
  };
  const auto small = entries(50), large = entries(200);
  EXPECT_EQ(large.second, 400u);
  EXPECT_LT(large.first, 4.2 * small.first);
}

}  // namespace
}  // namespace alembert::internal::testing
