// Connected port-Hamiltonian systems: against the same systems written as one model, and against closed forms.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "alembert/derive/ports/port_equations.h"
#include "alembert/text/syntax.h"
#include "conformance/problems.h"
#include "source_folder.h"

namespace alembert::internal::testing {
namespace {

const std::string library = source_folder() + "/models/components/";

struct Motion {
  Model model;
  Equations equations;
  Report report;

  Motion(Model m, const std::string& method_text, double step, double end)
      : model(std::move(m)), equations(derive(model)) {
    SimulateOptions options;
    options.step = step, options.end = end;
    report = simulate(model, equations, method(method_text), options);
    EXPECT_EQ(report.ending, Ending::done) << report.reason;
  }
  double state(const std::string& name) const {
    for (std::size_t i = 0; i < equations.z_names.size(); ++i)
      if (equations.z_names[i] == name) return report.z[i];
    for (std::size_t i = 0; i < equations.y_names.size(); ++i)
      if (equations.y_names[i] == name) return report.y[i];
    ADD_FAILURE() << "there is no " << name;
    return std::nan("");
  }
  double energies() const { return std::accumulate(report.port->energies.begin(), report.port->energies.end(), 0.0); }
};

std::string message(const std::string& text) {
  try {
    model_from_text(text);
  } catch (const InputError& e) { return e.what(); }
  return "";
}

TEST(Components, MotorGearAndPendulumAreOneLagrangianModel) {
  const Model one = model_from_text(R"(
parameter R = 2, L = 0.05, K = 0.5, J = 0.02, d = 0.01, n = 5, m = 0.8, l = 0.6, g = 9.81, c = 0.05
coordinate Q, phi
lagrangian L/2*Q'^2 + (J*n^2 + m*l^2)/2*phi'^2 + K*n*phi*Q' - m*g*l*(1 - cos(phi))
rayleigh R/2*Q'^2 + (d*n^2 + c)/2*phi'^2
force Q = 12*sin(3*t)
initial phi = 0.3, phi' = 2
)");
  const Motion whole(one, "gauss_collocation(4)", 0.005, 5);
  const Motion parts(gallery("ph_motor_pendulum"), "gauss_collocation(4)", 0.005, 5);
  EXPECT_NEAR(parts.state("arm.phi"), whole.state("phi"), 1e-10);
  EXPECT_NEAR(parts.state("arm.w"), whole.state("phi'"), 1e-10);
  EXPECT_NEAR(parts.state("motor.i"), whole.state("Q'"), 1e-10);
  EXPECT_NEAR(parts.state("motor.w"), 5 * whole.state("phi'"), 1e-10);
  ASSERT_TRUE(parts.report.balance.parted);
  EXPECT_GT(parts.report.balance.supplied, 10) << "something happens";
  EXPECT_LT(parts.report.balance.max_residual, 1e-12);
  EXPECT_LT(std::abs(parts.report.balance.actual + parts.report.balance.dissipated - parts.report.balance.supplied),
            1e-11);
  // One torque stays; the system that is solved has the index that the joint motion of two shafts must have.
  EXPECT_EQ(parts.model.port->connection.multipliers.size(), 1u);
  EXPECT_EQ(parts.model.port->connection.equations, 4);
  EXPECT_FALSE(parts.model.port->connection.lossy);
  EXPECT_EQ(parts.equations.k.size(), 1u);
  EXPECT_EQ(parts.equations.port->energy_names, (std::vector<std::string>{"motor", "gear", "arm"}));
  EXPECT_NEAR(parts.energies(), parts.report.energy.initial + parts.report.balance.actual, 1e-12);
}

TEST(Components, TheDiscreteGradientBalancesThePendulumExactly) {
  const Motion parts(gallery("ph_motor_pendulum"), "discrete_gradient", 0.02, 5);
  EXPECT_GT(parts.report.balance.supplied, 10);
  EXPECT_LT(parts.report.balance.max_residual, 1e-12);
}

TEST(Components, TwoPendulaAndARodAreThreeRods) {
  const Model one = model_from_text(R"(
parameter a = 1.5, g = 9.81
coordinate p[2], q[2]
kinetic norm2(p')/2 + norm2(q')
potential g*p[2] + 2*g*q[2]
constraint norm2(p) = 1
constraint norm2(q - (a, 0)) = 1
constraint norm2(p - q) = b2
parameter b2 = a^2 + 0.2^2 + 2*a*0.2
initial p = (0.6, -0.8), q = (a + 0.8, -0.6)
)",
                                    {"b2=" + to_text(1.7 * 1.7 + 0.2 * 0.2)});
  const Motion whole(one, "gauss_collocation(4)", 0.005, 2);
  // Not parallel, so that the rod carries a force.
  const Motion parts(gallery("ph_two_pendula", {"right.q=(2.3, -0.6)", "bar.d=(-1.7, -0.2)"}), "gauss_collocation(4)",
                     0.005, 2);
  const auto entry = [](const char* name, int i) { return std::string(name) + "[" + std::to_string(i) + "]"; };
  for (int i = 1; i <= 2; ++i) {
    EXPECT_NEAR(parts.state(entry("left.q", i)), whole.state(entry("p", i)), 1e-10);
    EXPECT_NEAR(parts.state(entry("right.q", i)), whole.state(entry("q", i)), 1e-10);
    EXPECT_NEAR(parts.state(entry("left.v", i)), whole.state(entry("p", i) + "'"), 1e-10);
    EXPECT_NEAR(parts.state(entry("bar.d", i)), whole.state(entry("p", i)) - whole.state(entry("q", i)), 1e-10);
  }
  EXPECT_EQ(parts.equations.k.size(), 3u);
  EXPECT_TRUE(parts.model.port->connection.multipliers.empty()) << "all inputs are eliminated";
  EXPECT_LT(parts.report.balance.max_residual, 1e-12);
  EXPECT_LT(parts.report.invariants.at(0).max_error, 1e-12) << "the length of the rod";
}

TEST(Components, InitialVelocitiesAreMadeConsistent) {
  const Model model = gallery("ph_two_pendula", {"left.v=(0.8, 0.6)"});
  const Motion run(model, "gauss_collocation(2)", 0.01, 0.1);
  EXPECT_FALSE(run.report.initial.changes.empty());
  for (const auto& change : run.report.initial.changes)
    EXPECT_NE(change.name.find(".v["), std::string::npos) << change.name << ": the components pin positions";
  EXPECT_LT(run.report.invariants.at(0).max_error, 1e-9);
}

TEST(Components, AWrongSignIsCaughtWithItsName) {
  const std::string said = message(R"(
component motor = "dc_motor.alm"
component gear = "gearbox.alm"
component arm = "components/pendulum.alm"
connect gear.w1 = motor.speed, motor.M = gear.M1
connect gear.w2 = arm.speed, arm.M = -gear.M2
input motor.V = 1
)");
  EXPECT_NE(said.find("the connections 'gear.w1 = motor.speed' and 'motor.M = gear.M1' together do not conserve power"),
            std::string::npos)
      << said;
  EXPECT_EQ(said.find("arm.M"), std::string::npos) << said;
}

// Closed forms -------------------------------------------------------------------------------------------------------

TEST(Components, PassiveControllerIsASpringWithADamper) {
  // m v' = -Kp v - Ki s, s' = v: with m = 1, Kp = 2 a, Ki = a^2 + w^2 the speed is e^{-at} (cos wt - a/w sin wt) v0.
  const double a = 0.3, w = 2, t = 3;
  const Model model = model_from_text(R"(
component m = "mass.alm" with v = 1
component regulator = "pi_controller.alm" with Kp = 0.6, Ki = 4.09
connect regulator.e = m.speed, m.F = -regulator.command
conserve push: regulator.command + m.F
)");
  const Motion run(model, "gauss_collocation(4)", 0.01, t);
  EXPECT_NEAR(run.state("m.v"), std::exp(-a * t) * (std::cos(w * t) - a / w * std::sin(w * t)), 1e-13);
  EXPECT_NEAR(run.report.balance.actual, -run.report.balance.dissipated, 1e-13);
  EXPECT_GT(run.report.balance.dissipated, 0.1);
  EXPECT_LT(run.report.invariants.at(0).max_error, 1e-15) << "connected ports are names like all others";
}

TEST(Components, CylinderAndCellSwingAsTheyMust) {
  const Model model = model_from_text(R"(
component c = "hydraulic_cylinder.alm" with d = 0, q = 0.1
component line = "rlc_cell.alm" with R = 0, L = 2, C = 3, v = 1
input c.Q = 0, c.F = 0, line.V = 0, line.I = 0
)");
  const Motion run(model, "gauss_collocation(4)", 0.01, 2);
  EXPECT_NEAR(run.state("c.q"), 0.1 * std::cos(std::sqrt(1e-4 * 1e6 / 2) * 2), 1e-11);
  EXPECT_NEAR(run.state("line.v"), std::cos(2 / std::sqrt(6.0)), 1e-13);
  EXPECT_NEAR(run.report.balance.actual, 0, 1e-13);
}

TEST(Components, RigidlyJoinedMassesMoveAsOne) {
  // Through a lever: m1 moves n times as fast as m2, so m1 n^2 + m2 swings in the spring.
  const double n = 3, omega = std::sqrt(5 / (2 * n * n + 4));
  const Model model = model_from_text(R"(
component a = "mass.alm" with m = 2
component b = "mass.alm" with m = 4, q = 1
component lever = "gearbox.alm" with n = 3
component s = "spring.alm" with k = 5, d = 1
connect lever.w1 = a.speed, a.F = -lever.M1, lever.w2 = b.speed
connect b.F + lever.M2 + s.force = 0, s.v = b.speed
)");
  const Motion run(model, "gauss_collocation(4)", 0.01, 4);
  EXPECT_NEAR(run.state("b.q"), std::cos(omega * 4), 1e-12);
  EXPECT_NEAR(run.state("a.v"), -n * omega * std::sin(omega * 4), 1e-12);
  EXPECT_EQ(run.model.port->connection.multipliers.size(), 1u);
}

TEST(Components, LossyConnectionsTakePower) {
  const Model model = model_from_text(R"(
parameter k = 0.5
component m = "mass.alm" with v = 2
connect lossy m.F = -k*m.speed
)");
  const Motion run(model, "gauss_collocation(4)", 0.01, 1);
  EXPECT_NEAR(run.state("m.v"), 2 * std::exp(-0.5), 1e-14);
  EXPECT_TRUE(run.model.port->connection.lossy);
  EXPECT_NEAR(run.report.balance.dissipated, 2 - 2 * std::exp(-1.0), 1e-12);
  EXPECT_LT(run.report.balance.max_residual, 1e-14);
}

TEST(Components, MatricesSayTheSame) {
  const std::string parts = R"(
component m = "mass.alm" with v = 1, m = 2
component s = "spring.alm" with k = 3
component r = "damper.alm" with d = 0.2
)";
  const Model plain = model_from_text(parts + "connect s.v = m.speed, r.v = m.speed, m.F = -s.force - r.force\n");
  const Model matrices = model_from_text(parts + R"(
parameter M[3][3] = ((1, 0, 0), (1, 0, 0), (0, 1, 1)), N[3][3] = ((0, -1, 0), (0, 0, -1), (1, 0, 0))
let y = (m.speed, s.force, r.force), u = (m.F, s.v, r.v)
connect M*y + N*u = 0
)");
  const Motion a(plain, "gauss_collocation(3)", 0.05, 5), b(matrices, "gauss_collocation(3)", 0.05, 5);
  EXPECT_NEAR(a.state("m.v"), b.state("m.v"), 1e-14);
  EXPECT_NE(a.state("m.v"), 1);
}

// Components of components -------------------------------------------------------------------------------------------

class NestedComponents : public ::testing::Test {
 protected:
  NestedComponents() {
    folder_ = std::filesystem::temp_directory_path() /
              ("alembert_components_" + std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()));
    std::filesystem::create_directories(folder_);
  }
  ~NestedComponents() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::filesystem::path folder_;
};

TEST_F(NestedComponents, ErrorsStandInTheirOwnFile) {
  write("wagon.alm", R"(
component body = "mass.alm" with m = 2
component buffer = "sprung.alm"
connect body.F = -buffer.force, buffer.v = body.speed
)");
  try {
    read_model(write("top.alm", "component w = \"wagon.alm\"\n"));
    FAIL();
  } catch (const InputError& e) {
    const std::string said = e.what();
    EXPECT_NE(said.find("wagon.alm:3:11: there is no file 'sprung.alm' for the component 'buffer' (in component 'w')"),
              std::string::npos)
        << said;
    EXPECT_EQ(e.diagnostics().size(), 1u) << said;
  }
}

TEST_F(NestedComponents, AreTheFlatSystem) {
  write("wagon.alm", R"(
parameter stiffness = 4
component body = "mass.alm" with m = 2
component buffer = "spring.alm" with k = stiffness
let force = buffer.force
conserve twice: 2*buffer.d
event slack: buffer.d = 0
)");
  // Inputs of inner components are ports of the outer one.
  const Model nested = read_model(write("train.alm", R"(
parameter N = 3
component car = "wagon.alm" with stiffness = 3 + i, body.v = i for i = 1..N
connect car[i].buffer.v = car[i].body.speed - car[i-1].body.speed for i = 2..N
connect car[1].buffer.v = car[1].body.speed
connect car[i].body.F = car[i+1].force - car[i].force for i = 1..N-1
connect car[N].body.F = -car[N].buffer.force
initial car[2].body.q = 0.5
)"),
                                  {"car[1].body.m=5", "car[3].stiffness=8"});
  const Model flat = model_from_text(R"(
parameter m[3] = (5, 2, 2), k[3] = (4, 5, 8)
coordinate x[3]
kinetic sum(j = 1..3, m[j]/2*x[j]'^2)
potential k[1]/2*x[1]^2 + k[2]/2*(x[2] - x[1])^2 + k[3]/2*(x[3] - x[2])^2
initial x' = (1, 2, 3)
)");
  const Motion a(nested, "gauss_collocation(4)", 0.01, 6), b(flat, "gauss_collocation(4)", 0.01, 6);
  for (int i = 1; i <= 3; ++i) {
    const std::string index = "[" + std::to_string(i) + "]";
    EXPECT_NEAR(a.state("car" + index + ".body.q") - (i == 2 ? 0.5 : 0), b.state("x" + index), 1e-12);
    EXPECT_NEAR(a.state("car" + index + ".body.v"), b.state("x" + index + "'"), 1e-12);
  }
  EXPECT_LT(a.report.balance.max_residual, 1e-12);
  EXPECT_EQ(a.equations.port->energy_names, (std::vector<std::string>{"car[1]", "car[2]", "car[3]"}));
  EXPECT_NEAR(a.energies(), a.report.energy.initial, 1e-11);
  ASSERT_EQ(a.model.invariants.size(), 3u);
  EXPECT_EQ(a.model.invariants[1].name, "car[2].twice");
  EXPECT_EQ(a.model.events.at(2).name, "car[3].slack");
  EXPECT_FALSE(a.report.events.empty());
}

TEST_F(NestedComponents, FilesThatContainEachOtherAreRefused) {
  write("a.alm", "component b = \"b.alm\"\n");
  write("b.alm", "component c = \"a.alm\"\n");
  try {
    read_model((folder_ / "a.alm").string());
    FAIL();
  } catch (const InputError& e) {
    const std::string said = e.what();
    EXPECT_NE(said.find("the component 'c' contains itself (in component 'b')"), std::string::npos) << said;
    EXPECT_NE(said.find("a.alm -> b.alm -> a.alm"), std::string::npos) << said;
  }
}

// Large ones ---------------------------------------------------------------------------------------------------------

TEST(Components, CostOfAStepGrowsLinearly) {
  const auto seconds = [](int N, int& components) {
    const Model model = gallery("ph_line", {"N=" + std::to_string(N)});
    components = static_cast<int>(model.port->parts.size());
    double best = 1e9;
    for (int trial = 0; trial < 3; ++trial) {
      const Motion run(model, "gauss_collocation(2)", 0.01, 1);
      EXPECT_LT(run.report.balance.max_residual, 1e-12);
      EXPECT_GT(run.report.balance.supplied, 1);
      EXPECT_NEAR(run.energies(), run.report.balance.actual, 1e-10);
      best = std::min(best, run.report.run_seconds / static_cast<double>(run.report.steps));
    }
    return best;
  };
  int few = 0, middle = 0, many = 0;
  const double a = seconds(33, few), b = seconds(66, middle), c = seconds(132, many);
  EXPECT_GT(few, 100);
  EXPECT_GT(middle, 200);
  EXPECT_GT(many, 398);
  RecordProperty("seconds_per_step", std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(c));
  EXPECT_LT(c / a, 8) << "4 where it is linear, 16 where it is quadratic: " << a << " " << b << " " << c;
}

TEST(Components, TheModelOfTheirPageRuns) {
  std::ifstream in(source_folder() + "/docs/components.md");
  const std::string page(std::istreambuf_iterator<char>(in), {});
  const std::size_t first = page.find("```alm\n") + 7;
  const Motion run(model_from_text(page.substr(first, page.find("```", first) - first)), "gauss_collocation(3)", 0.01,
                   2);
  EXPECT_LT(run.report.balance.max_residual, 1e-10);
  EXPECT_TRUE(run.model.port->connection.multipliers.empty());
}

TEST(Components, SettingWhatIsNotThereIsAnError) {
  EXPECT_THROW(gallery("ph_line", {"N=3", "cell[4].R=1"}), InputError);
  EXPECT_THROW(gallery("ph_line", {"N=3", "cell[3].Q=1"}), InputError);
  EXPECT_THROW(gallery("ph_line", {"N=3", "cell.R=1"}), InputError);
  EXPECT_NO_THROW(gallery("ph_line", {"N=3", "cell[3].R=1"}));
}

// The library --------------------------------------------------------------------------------------------------------

TEST(Components, LibraryFilesAreComponents) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(library)) {
    if (entry.path().extension() != ".alm") continue;  // data
    SCOPED_TRACE(entry.path().filename().string());
    ++files;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    EXPECT_EQ(print(parse(std::make_shared<Source>(Source{"x", text}))), text) << "alembert fmt -i changes it";
    EXPECT_TRUE(text.starts_with("# ")) << "its head tells its structure";
    if (text.find("\nbody ") != std::string::npos) continue;  // bodies have no inputs; models of the gallery run them
    // With its structure checked, all that is missing are values of its inputs; from the file and from the program.
    for (const std::string& path : {entry.path().string(), entry.path().filename().string()}) {
      const std::string said = message("component c = \"" + path + "\"\n");
      EXPECT_NE(said.find("of the component 'c' ha"), std::string::npos) << said;
      EXPECT_EQ(said.find("\n", said.find("^")), std::string::npos) << "nothing else is wrong: " << said;
    }
  }
  EXPECT_GE(files, 11);
}

}  // namespace
}  // namespace alembert::internal::testing
