// The energy-momentum method of Gonzalez 1999 against the reference, and what it keeps: energy, momenta that it
// announces, constraints, the balance of power; the projected variant and its compositions.

#include <gtest/gtest.h>

#include <cmath>

#include "alembert/methods/method.h"
#include "alembert/study/verify.h"
#include "problems.h"

namespace alembert::internal::testing {
namespace {

// The four particles with the potentials that the reference has: quad, lin, inv.
Model four_particles(const nlohmann::json& parameters) {
  const auto value = [&](const char* name, int i) { return parameters[name][i].get<std::string>(); };
  const std::string kind = parameters["kind"];
  const auto potential = [&](int i, const std::string& pair) {
    const std::string K = value("K", i), a = value("a", i);
    if (kind == "quad") return K + "/4*(norm2(" + pair + ") - " + a + ")^2";
    if (kind == "lin") return K + "/2*(norm(" + pair + ") - " + a + ")^2";
    EXPECT_EQ(kind, "inv");
    return K + "/norm2(" + pair + ")";
  };
  std::string H = potential(0, "q1 - q3") + " + " + potential(1, "q2 - q4");
  for (int i = 0; i < 4; ++i) H += " + norm2(p" + std::to_string(i + 1) + ")/(2*" + value("m", i) + ")";
  return model_from_text(
      "coordinate q1[3], q2[3], q3[3], q4[3]\n"
      "momentum p1[3] of q1, p2[3] of q2, p3[3] of q3, p4[3] of q4\n"
      "hamiltonian " +
      H +
      "\n"
      "constraint bar1: norm(q1 - q2) = " +
      value("L", 0) +
      "\n"
      "constraint bar2: norm(q3 - q4) = " +
      value("L", 1) +
      "\n"
      "initial q2 = (1, 0, 0), q3 = (0, 1, 0), q4 = (1, 1, 0), p4 = (0, 0, 2)\n"
      "conserve linear: p1 + p2 + p3 + p4\n"
      "conserve angular: cross(q1, p1) + cross(q2, p2) + cross(q3, p3) + cross(q4, p4)\n");
}

TEST(EnergyMomentum, EveryCaseOfTheFourParticles) {
  int compared = 0;
  const nlohmann::json cases = reference("euler_energy_momentum")["cases"];
  for (const auto& entry : cases) {
    if (entry["problem"].get<std::string>() != "FourParticle") continue;
    SCOPED_TRACE(entry["id"].get<std::string>());
    const double h = number(entry["h"]), end = number(entry["t_end"]);
    const Report report = run(four_particles(entry["parameters"]), "energy_momentum", h, end);
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    ASSERT_EQ(report.steps, entry["n_steps"].get<long>());
    EXPECT_LT(distance(report.y, numbers(entry["q"])), 1e-12);
    EXPECT_LT(distance(report.z, numbers(entry["p"])), 1e-11);
    // Rounding of positions feeds an undamped oscillation of the multiplier, of size eps/h^2 and slowly growing.
    EXPECT_LT(distance(report.internal, numbers(entry["lambda"])), 1e-13 / (h * h));
    ++compared;
  }
  EXPECT_EQ(compared, 7);
}

TEST(EnergyMomentum, EveryIntegralIsKeptAndTheVelocityLevelMovesAsInThePaper) {
  const Report report = run(gallery("four_particles"), "energy_momentum", 0.01, 10);
  EXPECT_LT(report.energy.max_error, 5e-14);
  EXPECT_LT(report.position, 5e-14);
  ASSERT_EQ(report.invariants.size(), 6u);
  for (const Watched& w : report.invariants) EXPECT_LT(w.max_error, 5e-14);
  ASSERT_EQ(report.velocity_ranges.size(), 2u);
  EXPECT_NEAR(report.velocity_ranges[0].least, -1.29716e-5, 1e-10);
  EXPECT_NEAR(report.velocity_ranges[0].most, 1.72781e-5, 1e-10);
}

void expect_all_kept(const Report& report, double tolerance) {
  EXPECT_EQ(report.ending, Ending::done) << report.reason;
  EXPECT_LT(report.energy.max_error, tolerance);
  EXPECT_LT(report.position, tolerance);
  for (const Watched& w : report.invariants) EXPECT_LT(w.max_error, tolerance);
}

TEST(EnergyMomentum, EveryIntegralIsKeptOverAMillionSteps) {
  expect_all_kept(run(gallery("four_particles"), "energy_momentum", 1e-5, 10), 1e-12);
  // Without a drift of the whole, which would end where positions have few digits left behind the point.
  const Report still = run(gallery("four_particles", {"p1=(0, 0, -2)"}), "energy_momentum", 0.01, 10000);
  EXPECT_EQ(still.steps, 1000000);
  expect_all_kept(still, 1e-12);
}

TEST(EnergyMomentum, ErrorsOfFigure4) {
  const Model model = gallery("four_particles");
  const std::vector<double> exact = run(model, "energy_momentum", 1e-5, 0.1).y;  // what the paper compares with
  const auto error = [&](double h) {
    const std::vector<double> y = run(model, "energy_momentum", h, 0.1).y;
    double difference = 0, size = 0;
    for (int i = 9; i < 12; ++i) difference += std::pow(y[i] - exact[i], 2), size += std::pow(exact[i], 2);
    return std::sqrt(difference / size);
  };
  EXPECT_NEAR(error(1e-2), 1.975e-5, 1e-8);
  EXPECT_NEAR(error(5e-3), 5.094e-6, 1e-9);
  EXPECT_NEAR(error(1e-3), 2.058e-7, 1e-10);
  EXPECT_NEAR(error(1e-4), 2.039e-9, 1e-12);
  EXPECT_NEAR(std::log10(error(1e-3) / error(1e-4)), 2, 0.01);
}

TEST(EnergyMomentum, EnergyToRoundingWhereTheMidpointRuleLosesIt) {
  for (const char* name : {"quartic_surface", "double_pendulum", "four_particles_morse"}) {
    SCOPED_TRACE(name);
    const Model model = gallery(name);
    EXPECT_GT(run(model, "gauss(1)", 0.1, 10).energy.max_error, 1e-3);
    for (const char* method_text : {"energy_momentum", "energy_momentum(projected)", "energy_momentum(4)",
                                    "energy_momentum(6)", "energy_momentum(midpoint)"}) {
      SCOPED_TRACE(method_text);
      const Report report = run(model, method_text, 0.1, 10);
      ASSERT_EQ(report.ending, Ending::done) << report.reason;
      EXPECT_LT(report.energy.max_error, 1e-12);
      EXPECT_LT(report.position, 1e-13);
      if (method(method_text).claims.velocity) {
        EXPECT_LT(report.velocity, 1e-12);
      } else {
        EXPECT_GT(report.velocity, 1e-4);
      }
    }
  }
}

void expect_orders(const Model& model, const std::string& method_text, int order) {
  SCOPED_TRACE(method_text);
  const Equations e = derive(model);
  const MeasuredOrders measured =
      measure_orders(e, make_consistent(model, e), method(method_text), 0, Quad(1) / 2, order < 8 ? 24 : 12, 1);
  ASSERT_EQ(measured.failure, "");
  EXPECT_NEAR(measured.order.q, order, 0.1);
  EXPECT_NEAR(measured.order.v, order, 0.1);
  if (!e.g.empty() || !e.k.empty()) { EXPECT_NEAR(measured.order.multiplier, order, 0.1); }
}

TEST(EnergyMomentum, OrdersTwoFourAndSix) {
  for (const char* name : {"pendulum", "quartic_surface", "nonholonomic_particle", "cart_pendulum"}) {
    SCOPED_TRACE(name);
    const Model model = gallery(name);
    expect_orders(model, "energy_momentum", 2);
    expect_orders(model, "energy_momentum(projected)", 2);
    expect_orders(model, "energy_momentum(4)", 4);
    expect_orders(model, "energy_momentum(6)", 6);
  }
  expect_orders(gallery("pendulum"), "energy_momentum(8)", 8);
  expect_orders(gallery("kepler"), "suzuki(energy_momentum)", 4);
}

// The plain step turns velocities across the constraints round; its compositions would stay at order 2.
TEST(EnergyMomentum, CompositionsOfThePlainStepAreRefusedWithConstraints) {
  const Equations e = derive(gallery("pendulum"));
  for (const char* name : {"suzuki(energy_momentum)", "triple_jump(energy_momentum)", "yoshida(energy_momentum, 4)"})
    EXPECT_NE(method(name).refuses(e).find("turns velocities"), std::string::npos) << name;
  EXPECT_EQ(method("suzuki(energy_momentum(projected))").refuses(e), "");
}

TEST(EnergyMomentum, TimeIsReversible) {
  for (const char* name : {"double_pendulum", "quartic_surface", "knife_paraboloid", "cart_pendulum"}) {
    const Model model = gallery(name);
    const Equations e = derive(model);
    const MotionPoint<Quad> start = polish<Quad>(e, make_consistent(model, e), 0);
    for (const char* method_text : {"energy_momentum", "energy_momentum(projected)", "energy_momentum(4)"}) {
      SCOPED_TRACE(std::string(name) + " " + method_text);
      const auto symmetry = symmetry_defect<Quad>(e, method(method_text), start, 0, Quad(1) / 20, 3);
      const auto reversal = reversibility_defect<Quad>(e, method(method_text), start, 0, Quad(1) / 20, 3);
      ASSERT_TRUE(symmetry && reversal);
      EXPECT_LT(*symmetry, 1e-27);
      EXPECT_LT(*reversal, 1e-27);
    }
  }
}

std::vector<std::string> kept_momenta(const Model& model, const std::string& method_text = "energy_momentum") {
  const Equations e = derive(model);
  std::vector<std::string> names;
  for (const Momenta::Preserved& one : method(method_text).momenta(e, make_consistent(model, e)).preserved)
    names.push_back(one.name);
  return names;
}

// Every announced momentum is watched over a run; the others of the same kind are lost.
TEST(EnergyMomentum, AnnouncedMomentaAreKeptAndTheOthersAreNot) {
  for (const char* name : {"four_particles", "four_particles_morse", "rigid_free", "rigid_supported", "kepler",
                           "spherical_pendulum", "cart_pendulum"}) {
    for (const char* method_text : {"energy_momentum", "energy_momentum(projected)", "energy_momentum(midpoint)"}) {
      SCOPED_TRACE(std::string(name) + " " + method_text);
      const Model model = gallery(name);
      Equations e = derive(model);
      const Momenta momenta = method(method_text).momenta(e, make_consistent(model, e));
      e.invariants.clear();
      for (const Momenta::Preserved& one : momenta.preserved) e.invariants.push_back(one.value);
      SimulateOptions options;
      options.step = 0.01, options.end = 2;
      const Report report = simulate(model, e, method(method_text), options);
      ASSERT_EQ(report.ending, Ending::done) << report.reason;
      for (std::size_t i = 0; i < momenta.preserved.size(); ++i)
        EXPECT_LT(report.invariants[i].max_error, 1e-12 * (1 + std::abs(report.invariants[i].initial)))
            << momenta.preserved[i].name;
    }
  }
  using Names = std::vector<std::string>;
  EXPECT_EQ(kept_momenta(gallery("four_particles")),
            (Names{"linear momentum along x", "linear momentum along y", "linear momentum along z",
                   "angular momentum about x", "angular momentum about y", "angular momentum about z"}));
  EXPECT_EQ(kept_momenta(gallery("rigid_supported")), (Names{"angular momentum about z"}));
  EXPECT_EQ(kept_momenta(gallery("quartic_surface")), Names{});
  // The midpoint gradient promises less, and loses what it does not promise.
  EXPECT_EQ(kept_momenta(gallery("four_particles"), "energy_momentum(midpoint)"), Names{});
  const Report report = run(gallery("four_particles"), "energy_momentum(midpoint)", 0.01, 10);
  EXPECT_GT(report.invariants[0].max_error, 1e-6);
  EXPECT_LT(report.energy.max_error, 1e-13);
}

TEST(EnergyMomentum, FindsObliqueAxesAndSumsOfAngles) {
  // Gravity along (1, 1, 1): the angular momentum about that axis alone.
  const Model oblique = model_from_text(
      "coordinate r[3]\nkinetic norm2(r')/2\npotential r[1] + r[2] + r[3]\nconstraint norm2(r) = 1\n"
      "initial r = (1, 0, 0), r' = (0, 1, 0.5)\n");
  const Equations e = derive(oblique);
  const Momenta momenta = method("energy_momentum").momenta(e, make_consistent(oblique, e));
  ASSERT_EQ(momenta.preserved.size(), 1u);
  Equations watched = e;
  watched.invariants = {momenta.preserved[0].value};
  SimulateOptions options;
  options.step = 0.1, options.end = 10;
  const Report report = simulate(oblique, watched, method("energy_momentum"), options);
  EXPECT_NE(report.invariants[0].initial, 0);
  EXPECT_LT(report.invariants[0].max_error, 1e-13);
  EXPECT_EQ(momenta.lost.size(), 6u);
  // Two wheels joined by a torsion spring turn together.
  const Model wheels =
      model_from_text("coordinate a, b\nkinetic a'^2 + b'^2/2\npotential 1 - cos(a - b)\ninitial a = 1\n");
  ASSERT_EQ(kept_momenta(wheels).size(), 1u);
}

TEST(EnergyMomentum, MassMatricesThatDependOnTheState) {
  // The same motion three ways: Lagrangian, Hamiltonian with the full and with the partitioned gradient.
  const std::string start = "initial r = 1, theta = 0.3";
  const Model lagrangian =
      model_from_text("coordinate r, theta\nkinetic (r'^2 + r^2*theta'^2)/2\npotential -cos(theta)*r + (r - 1)^2\n" +
                      start + ", theta' = 1\n");
  const Model hamiltonian = model_from_text(
      "coordinate r, theta\nmomentum pr of r, pt of theta\n"
      "hamiltonian pr^2/2 + pt^2/(2*r^2) - cos(theta)*r + (r - 1)^2\n" +
      start + ", pt = 1\n");
  const std::vector<double> exact = run(lagrangian, "gauss(4)", 0.01, 2).y;
  const auto check = [&](const Model& model, const char* name) {
    SCOPED_TRACE(name);
    const Report coarse = run(model, name, 0.02, 2), fine = run(model, name, 0.01, 2);
    EXPECT_LT(coarse.energy.max_error, 1e-13);
    EXPECT_LT(run(model, name, 0.2, 20).energy.max_error, 1e-12);
    EXPECT_NEAR(distance(coarse.y, exact) / distance(fine.y, exact), 4, 0.1);
  };
  check(lagrangian, "energy_momentum");
  check(lagrangian, "energy_momentum(midpoint)");
  check(hamiltonian, "energy_momentum");
  check(hamiltonian, "energy_momentum(partitioned)");
  check(hamiltonian, "energy_momentum(midpoint)");
  EXPECT_NE(method("energy_momentum(partitioned)").refuses(derive(lagrangian)), "");
  // Terms linear in the velocities, and a kinetic energy that is not quadratic.
  const Model magnetic = model_from_text(
      "coordinate x, y\nlagrangian (x'^2 + y'^2)/2 + (x^2*y' - y^3*x')/2 - (x^2 + y^4)\ninitial x = 1, y' = 1\n");
  EXPECT_LT(run(magnetic, "energy_momentum", 0.1, 20).energy.max_error, 1e-12);
  const Model relativistic = model_from_text(
      "coordinate x, y\nlagrangian -sqrt(1 - x'^2 - y'^2) - (x^2 + 2*y^2)/4\ninitial x = 0.8, y' = 0.4\n");
  EXPECT_GT(run(relativistic, "gauss(1)", 0.2, 20).energy.max_error, 1e-5);
  EXPECT_LT(run(relativistic, "energy_momentum", 0.2, 20).energy.max_error, 1e-12);
}

TEST(EnergyMomentum, TheBalanceOfPowerHolds) {
  const std::vector<std::string> models{
      // Dissipation, a driving force, a moving support, time in the energy, friction of a rod, an affine constraint.
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nrayleigh (x'^2 + 3*y'^2)/20\n"
      "constraint rod: x^2 + y^2 = 1\ninitial x = 1\n",
      "coordinate x\nkinetic x'^2/2\npotential x^4/4\nforce x = sin(2*t) - x'^3/10\ninitial x = 1\n",
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
      "constraint rod: (x - sin(t))^2 + y^2 = 1\ninitial y = -1, x' = 1\n",
      "coordinate x\nkinetic x'^2/2*(2 + cos(t))\npotential (1 + sin(t)/2)*x^2*(1 + x^2)\ninitial x = 1\n",
      "coordinate x, y, a\nkinetic (x'^2 + y'^2 + a'^2)/2\nconstraint x'*sin(a) - y'*cos(a) = 0.3\n"
      "initial y' = -0.3, a' = 1\n"};
  for (const std::string& text : models) {
    for (const char* name : {"energy_momentum", "energy_momentum(projected)", "energy_momentum(4)"}) {
      SCOPED_TRACE(text + name);
      const Report report = run(model_from_text(text), name, 0.05, 5);
      ASSERT_EQ(report.ending, Ending::done) << report.reason;
      ASSERT_EQ(report.balance.steps, report.steps);
      EXPECT_GT(report.balance.max_change, 1e-5);
      EXPECT_LT(report.balance.max_residual, 2e-14 * (1 + std::abs(report.energy.final)));
    }
  }
}

TEST(EnergyMomentum, NonholonomicEnergyStaysAtRounding) {
  for (const char* name : {"nonholonomic_particle", "mclachlan_perlmutter"}) {
    SCOPED_TRACE(name);
    const Model model = gallery(name);
    const Report plain = run(model, "energy_momentum", 0.05, 50000);
    EXPECT_LT(plain.energy.max_error, 1e-12);
    EXPECT_TRUE(plain.has_discrete);
    EXPECT_LT(plain.discrete, 1e-14);
    EXPECT_GT(plain.nonholonomic, 1e-4);
    EXPECT_LT(plain.nonholonomic, 1e-1);
    const Report projected = run(model, "energy_momentum(projected)", 0.05, 5000);
    EXPECT_LT(projected.energy.max_error, 1e-12);
    EXPECT_LT(projected.nonholonomic, 1e-13);
    EXPECT_GT(run(model, "lobatto(2)", 0.05, 500).energy.max_error, 1e-6);
  }
}

TEST(EnergyMomentum, NewtonConvergesForStepsOfEverySize) {
  for (const char* name : {"pendulum", "quartic_surface", "four_particles", "four_particles_springs", "cart_pendulum"})
    for (const double h : {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0}) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(h));
      const Report report = run(gallery(name), "energy_momentum", h, 50 * h);
      EXPECT_EQ(report.ending, Ending::done) << report.reason;
      EXPECT_LT(report.energy.max_error, 1e-12);
    }
}

TEST(EnergyMomentum, ArgumentsAreRead) {
  EXPECT_EQ(method("energy_momentum(6, partitioned)").name, "energy_momentum(6, partitioned)");
  EXPECT_EQ(method("energy_momentum(2)").name, "energy_momentum");
  for (const char* wrong : {"energy_momentum(3)", "energy_momentum(5/2)", "energy_momentum(fast)",
                            "energy_momentum(14)", "energy_momentum(-2)"})
    EXPECT_THROW(method(wrong), InputError) << wrong;
}

}  // namespace
}  // namespace alembert::internal::testing
