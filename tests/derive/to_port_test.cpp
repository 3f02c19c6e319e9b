#include "alembert/derive/ports/to_port.h"

#include <gtest/gtest.h>

#include <cmath>

#include "conformance/problems.h"

namespace alembert::internal {
using namespace alembert::internal::testing;

namespace {

/// The port-Hamiltonian form of a model, written down and read again.
Model as_port(const Model& model, ToPortOptions options = {}) {
  const InitialValues start = make_consistent(model, derive(model));
  const Equations e = derive(model, {.symbolic_parameters = true});
  const PortSystem system = to_port(model, e, options);
  std::vector<double> x0(system.x.size(), 0.0);
  std::copy(start.y.begin(), start.y.end(), x0.begin());
  std::copy(start.z.begin(), start.z.end(), x0.begin() + static_cast<long>(start.y.size()));
  return model_from_text(port_text(model, system, x0));
}

/// q and v come first among the states of the port-Hamiltonian form, which holds them in z.
double distance(const Report& original, const Report& port) {
  double most = 0;
  for (std::size_t i = 0; i < original.y.size(); ++i) most = std::max(most, std::abs(original.y[i] - port.z[i]));
  for (std::size_t i = 0; i < original.z.size(); ++i)
    most = std::max(most, std::abs(original.z[i] - port.z[original.y.size() + i]));
  return most;
}

void expect_same_motion(const Model& model, ToPortOptions options = {}, double tolerance = 1e-12) {
  const std::string method = options.ggl ? "gauss_collocation(2, ggl)" : "gauss_collocation(2)";
  const Report original = run(model, method, 0.005, 0.2),
               port = run(as_port(model, options), "gauss_collocation(2)", 0.005, 0.2);
  ASSERT_EQ(original.ending, Ending::done) << model.title << ": " << original.reason;
  ASSERT_EQ(port.ending, Ending::done) << model.title << ": " << port.reason;
  EXPECT_LT(distance(original, port), tolerance) << model.title;
}

TEST(ToPort, GalleryMovesAsBefore) {
  for (const char* name : {"double_pendulum",  // holonomic
                           "spherical_pendulum",
                           "quartic_surface",
                           "double_pendulum_viscous",  // dissipation
                           "mass_spring_damper",       // a force
                           "four_particles",           // Hamiltonian
                           "cart_pendulum",            // mass matrix that depends on q
                           "nonholonomic_particle",
                           "knife_paraboloid",
                           "snakeboard",
                           "appell_hamel",  // nonlinear in the velocities
                           "conveyor",
                           "turntable",  // affine
                           "moving_support",
                           "moving_support_knife",  // moving
                           "rough_wire",            // forces with multipliers
                           "rigid_supported",
                           "spinning_body",  // multibody form
                           "four_bar",
                           "slider_crank",
                           "gyroscope"})
    expect_same_motion(gallery(name));
}

TEST(ToPort, BothLevelsOfTheConstraints) {
  for (const char* name : {"double_pendulum", "spherical_pendulum", "moving_support"})
    expect_same_motion(gallery(name), {.ggl = true});
}

TEST(ToPort, MassMatrixThatDependsOnPositionAndTime) {
  const char* text = R"(parameter m = 2, k = 3
coordinate r = 1, a
initial r' = 0.3, a' = 1
kinetic m/2*(1 + 0.3*sin(2*t))*(r'^2 + r^2*a'^2) + 0.2*cos(t)*r*a'
potential k/2*(r - 1)^2*(1 + 0.1*t) + 0.5*cos(a)
)";
  expect_same_motion(model_from_text(text));
  // H depends on time: that is a state now, and the work of what changes it comes through its port.
  const Model port = as_port(model_from_text(text));
  const Report report = run(port, "gauss_collocation(4)", 0.01, 1);
  EXPECT_EQ(report.ending, Ending::done);
  EXPECT_LT(report.balance.max_residual, 1e-13);
  EXPECT_GT(std::abs(report.balance.predicted), 1e-2);
  EXPECT_LT(distance(run(model_from_text(text), "gauss_collocation(4)", 0.01, 1), report), 1e-12);
}

TEST(ToPort, DissipationOfAnyDegree) {
  const char* text = R"(coordinate x = 1, y
initial x' = 1, y' = -2
kinetic (x'^2 + 2*y'^2)/2
potential (x^2 + y^2 + x*y)/2
rayleigh DISSIPATION
)";
  for (const char* function :
       {"0.1*x'^2 + 0.2*(x' - y')^2", "0.1*(x'^2 + y'^2)^(3/2)", "0.1*x'^4 + 0.2*y'^4", "0.1*sqrt(1 + x'^2 + y'^2)"}) {
    std::string with = text;
    with.replace(with.find("DISSIPATION"), 11, function);
    const Model model = model_from_text(with);
    expect_same_motion(model);
    const Report report = run(as_port(model), "gauss_collocation(3)", 0.01, 1);
    EXPECT_LT(report.balance.max_residual, 1e-14) << function;
    EXPECT_LT(report.balance.predicted, -1e-2) << function;
  }
}

TEST(ToPort, AirflowAsPortAndAsPotential) {
  // Symank 2025, section 4.4.2: viscosity, and a constant airflow along x; one pendulum and two of them.
  const std::string one = R"(parameter m = 1, l = 1, gravity = 9.81, kappa = 0.1, alpha = 2
coordinate x, y
kinetic m/2*(x'^2 + y'^2)
constraint rod: (x^2 + y^2 - l^2)/2 = 0
rayleigh kappa/2*(x'^2 + y'^2)
initial x = l
)";
  const std::string two = R"(parameter m = 1, l = 1, gravity = 9.81, kappa = 0.1, alpha = 2
coordinate x, y, x2, y2
kinetic m/2*(x'^2 + y'^2) + m/2*(x2'^2 + y2'^2)
constraint rod: (x^2 + y^2 - l^2)/2 = 0
constraint rod2: ((x2 - x)^2 + (y2 - y)^2 - l^2)/2 = 0
rayleigh kappa/2*(x'^2 + y'^2 + x2'^2 + y2'^2)
initial x = l, x2 = l, y2 = -l
)";
  const std::pair<std::string, std::string> cases[] = {
      {one + "potential m*gravity*y\nforce x = m*alpha\n", one + "potential m*gravity*y - m*alpha*x\n"},
      {two + "potential m*gravity*(y + y2)\nforce x = m*alpha, x2 = m*alpha\n",
       two + "potential m*gravity*(y + y2) - m*alpha*(x + x2)\n"}};
  for (const auto& [with_port, with_potential] : cases) {
    const Model by_port = as_port(model_from_text(with_port)), by_potential = as_port(model_from_text(with_potential));
    EXPECT_GE(by_port.port->u.size(), 1u);
    EXPECT_EQ(by_potential.port->u.size(), 0u);
    for (const char* method : {"gauss_collocation(3)", "discrete_gradient"}) {
      const Report a = run(by_port, method, 0.01, 2), b = run(by_potential, method, 0.01, 2);
      ASSERT_EQ(a.ending, Ending::done) << a.reason;
      for (std::size_t i = 0; i < a.z.size(); ++i) EXPECT_NEAR(a.z[i], b.z[i], 1e-12) << method;
      EXPECT_LT(a.balance.max_residual, 5e-14) << method;
      EXPECT_LT(b.balance.max_residual, 5e-14) << method;
      EXPECT_GT(std::abs(a.balance.supplied), 0.1);
      EXPECT_GT(b.balance.dissipated, 0.1);
    }
  }
}

TEST(ToPort, TablesAndTheirSlopesAreWritten) {
  for (const char* kind : {"linear", "spline", "monotone"})
    expect_same_motion(model_from_text(std::string("table hill(x) = (-1, 0.5), (0, 0), (0.11, 0.2), (2, 3) ") + kind +
                                       "\ntable push(s) = (0, 0), (0.1, 2), (1, 0) " + kind +
                                       "\ncoordinate x = 0.1\nkinetic x'^2/2\npotential 3*hill(x)\nforce x = push(t)\n"
                                       "initial x' = 0.3\n"));
}

TEST(ToPort, InputsAreWhatTheyAreWhereNobodySetsThem) {
  const Model model = model_from_text(
      "parameter a = 3\ninput F = 2*a, G[2] = (sin(3*t), 1)\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\n"
      "force x = F*G[2], y = G[1]\n");
  expect_same_motion(model);
  const Report report = run(as_port(model), "gauss_collocation(2)", 0.01, 1);
  EXPECT_NEAR(report.z[0], 3, 1e-12);                           // F t^2/2
  EXPECT_NEAR(report.z[1], 1.0 / 3 - std::sin(3.0) / 9, 1e-9);  // twice the integral of sin(3t)
}

TEST(ToPort, ContactsAreNoPartOfIt) {
  const Model model = model_from_text("coordinate y = 1\nkinetic y'^2/2\npotential 9.81*y\ncontact floor: y >= 0\n");
  try {
    to_port(model, derive(model));
    FAIL() << "taken";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("floor"), std::string::npos) << error.what();
  }
}

TEST(ToPort, TimeAsState) {
  // The oscillator in w = q/a(t), a = 1 + sin(t)/2: a flow and a drift that depend on time. Symank 2025, section 4.2.3.
  const Model model = model_from_text(R"(let a = 1 + sin(t)/2
state w = 1, p
flow E(w, w) = a
drift w = cos(t)/2*w
structure J(w, p) = 1
hamiltonian (a^2*w^2 + p^2)/2
)");
  const Equations e = derive(model, {.symbolic_parameters = true});
  const PortSystem system = to_port(model, e, {.autonomous = true});
  ASSERT_EQ(system.size(), 3);
  const Model timed = model_from_text(port_text(model, system, {1, 0, 0}));
  const Report plain = run(model, "gauss_collocation(3)", 0.01, 2),
               with_time = run(timed, "gauss_collocation(3)", 0.01, 2);
  EXPECT_NEAR(plain.z[0], std::cos(2.0) / (1 + std::sin(2.0) / 2), 1e-10);
  EXPECT_NEAR(plain.z[1], -std::sin(2.0), 1e-10);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(with_time.z[i], plain.z[i], 1e-12);
  EXPECT_NEAR(with_time.z[2], 2, 1e-13);
  EXPECT_EQ(to_port(timed, derive(timed), {.autonomous = true}).size(), 3);
}

TEST(ToPort, PortSystemsReadBackAsTheyAre) {
  for (const char* name : {"ph_mass_spring_damper", "ph_pendulum"}) {
    const Model model = gallery(name);
    const PortSystem system = to_port(model, derive(model));
    std::vector<double> x0(system.x.size(), 0.0);
    for (std::size_t i = 0; i < system.differential.size(); ++i)
      x0[system.differential[i]] = static_cast<double>(model.z0[i]);
    const Model again = model_from_text(port_text(model, system, x0));
    const Report a = run(model, "gauss_collocation(2)", 0.01, 0.5), b = run(again, "gauss_collocation(2)", 0.01, 0.5);
    for (std::size_t i = 0; i < a.z.size(); ++i) EXPECT_NEAR(a.z[i], b.z[i], 1e-12) << name;
  }
}

TEST(ToPort, RefusedWithTheReason) {
  EXPECT_THROW(as_port(gallery("steel_on_teflon")), InputError);
  EXPECT_THROW(as_port(gallery("curve_parameter"), {.ggl = true}), InputError);
}

TEST(ToPort, AuxiliaryVariablesBecomeStatesWithTheRatesOfTheirEquations) {
  const Model in_force = model_from_text(
      "coordinate x = 2\nauxiliary s = 1: s^3 + s = x\nkinetic x'^2/2\npotential 9.81*s^2\nrayleigh x'^2/5\n");
  const Model angle = model_from_text(
      "body b mass 1 inertia (1, 2, 1) spin (0, 0, 6)\njoint revolute j from ground axis (0, 0, 1) to b\n"
      "torsion k joint j stiffness 0.04\n");
  for (const Model& model : {gallery("curve_parameter"), in_force, angle}) {
    const Report original = run(model, "gauss_collocation(5)", 0.01, 1);
    const Report port = run(as_port(model), "gauss_collocation(5)", 0.01, 1);
    ASSERT_EQ(port.ending, Ending::done) << model.title << port.reason;
    EXPECT_LT(distance(original, port), 1e-7) << model.title;
  }
}

}  // namespace

}  // namespace alembert::internal
