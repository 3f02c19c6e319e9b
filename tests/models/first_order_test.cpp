// First-order states and inputs beside mechanics, in every form.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alembert/model.h"
#include "alembert/stepper.h"
#include "apps/program.h"
#include "output/rows.h"

namespace alembert::internal::testing {
namespace {

Report run_states(const std::string& text, const char* name, double step = 0.05, double end = 2) {
  SimulateOptions options;
  options.step = step;
  options.end = end;
  const Model model = model_from_text(text);
  return simulate(model, derive(model), method(name), options);
}

/// x'' = -x, z' = x - z from x = 1, z = 0: z = (cos t + sin t - e^-t)/2.
double filtered(double t) { return (std::cos(t) + std::sin(t) - std::exp(-t)) / 2; }

TEST(FirstOrder, IsOfTheOrderOfTheMethodInEveryForm) {
  const std::string state = "variable z = 0\nrate z' = x - z\n";
  for (const std::string& form :
       {"coordinate x = 1\nkinetic x'^2/2\npotential x^2/2\n" + state,
        "coordinate x = 1\nmomentum p of x\nhamiltonian (p^2 + x^2)/2\n" + state,
        "coordinate x = 1\nvelocity v\nkinematics x' = v\nmass v = 1\npotential x^2/2\n" + state}) {
    for (const char* name : {"gauss(3)", "lobatto(3)", "radau(3)", "gauss_collocation(3)"}) {
      const Report coarse = run_states(form, name, 0.2), fine = run_states(form, name, 0.1);
      const double a = std::abs(coarse.y[1] - filtered(2)), b = std::abs(fine.y[1] - filtered(2));
      EXPECT_LT(b, 1e-5) << name << "\n" << form;
      EXPECT_GT(std::log2(a / b), 3.5) << name << "\n" << form;
      EXPECT_NEAR(fine.y[0], std::cos(2.0), 1e-5);
    }
  }
}

TEST(FirstOrder, ActsBackOnConstrainedMechanics) {
  // A pendulum in Cartesian coordinates and one with an angle, both pushed by a motor that lags: the same motion.
  const std::string motor = "rate m' = (sin(3*t) - m)/0.2\n";
  const Report angle = run_states(
      "coordinate a = 0.4\nvariable m\nkinetic a'^2/2\npotential -9.81*cos(a)\nforce a = 2*m*cos(a)\n" + motor,
      "gauss(4)");
  const Report cartesian = run_states(
      "coordinate x = sin(0.4), y = -cos(0.4)\nvariable m\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
      "constraint rod: x^2 + y^2 = 1\nforce x = 2*m\n" +
          motor,
      "gauss(4)");
  EXPECT_NEAR(cartesian.y[0], std::sin(angle.y[0]), 1e-8);
  EXPECT_NEAR(cartesian.y[2], angle.y[1], 1e-8);
  EXPECT_LT(cartesian.position, 1e-13);
}

TEST(FirstOrder, StandsBesideBodiesAndAnglesOfJoints) {
  const Report report = run_states(
      "body arm mass 1 inertia (1, 1, 2) spin (0, 0, 1)\njoint revolute j from ground axis (0, 0, 1) to arm\n"
      "variable i = 0\nrate i' = j.angle\ndrive d joint j torque -2*i\nobserve a: j.angle\n",
      "gauss(4)", 0.02, 1);
  // 2 a'' = -2 i, i' = a: i''' + i = 0 with i = 0, i' = 0, i'' = 1.
  double i = 0;
  for (int k = 0; k < 6; ++k) {
    double factorial = 1;
    for (int f = 2; f <= 3 * k + 2; ++f) factorial *= f;
    i += (k % 2 ? -1 : 1) / factorial;
  }
  const auto& states = report.names.variables;
  ASSERT_EQ(states.size(), 1u);
  EXPECT_EQ(states[0].name, "i");
  EXPECT_NEAR(report.y[static_cast<std::size_t>(states[0].first)], i, 1e-9);
}

TEST(FirstOrder, StandsInPortHamiltonianModels) {
  const std::string oscillator = "state x = 1, p\nhamiltonian (x^2 + p^2)/2\nstructure J(x, p) = 1\n";
  const Report report =
      run_states(oscillator + "variable z = 0, w[2]\nrate z' = x - z, w' = (z, p)\n", "gauss_collocation(3)", 0.02);
  ASSERT_TRUE(report.port);
  ASSERT_EQ(report.port->x.size(), 5u);
  EXPECT_NEAR(report.port->x[0], std::cos(2.0), 1e-10);
  EXPECT_NEAR(report.port->x[2], filtered(2), 1e-10);
  // w[1] is the integral of z, w[2] that of p = -sin t.
  EXPECT_NEAR(report.port->x[3], (std::sin(2.0) - std::cos(2.0) + std::exp(-2.0)) / 2, 1e-10);
  EXPECT_NEAR(report.port->x[4], std::cos(2.0) - 1, 1e-10);
  EXPECT_LT(report.balance.max_residual, 1e-13) << "they carry no energy";
  // A controller acts back through an input.
  const std::string controlled = "port B(p, F) = 1\ninput F = -2*z\nvariable z = 0\nrate z' = x - z\n";
  const Report port = run_states(oscillator + controlled, "gauss_collocation(3)", 0.02);
  const Report mechanics =
      run_states("coordinate x = 1\nkinetic x'^2/2\npotential x^2/2\nforce x = -2*z\nvariable z = 0\nrate z' = x - z\n",
                 "gauss(3)", 0.02);
  EXPECT_NEAR(port.port->x[0], mechanics.y[0], 1e-10);
  EXPECT_NEAR(port.port->x[2], mechanics.y[1], 1e-10);
}

// They move by laws of their own: what an energy or a constraint with one in it gains is supplied.
TEST(FirstOrder, ChangeEnergiesAndConstraintsByWorkThatIsAccountedFor) {
  const auto expect_supplied = [](const std::string& text, double place, double supplied) {
    const Report report = run_states(text, "gauss(3)", 0.02);
    EXPECT_TRUE(report.warnings.empty()) << text << report.warnings[0].text;
    EXPECT_NEAR(report.y[0], place, 1e-10 * place) << text;
    ASSERT_TRUE(report.account) << text;
    EXPECT_NEAR(report.account->supplied - report.account->dissipated, supplied, 1e-9 * std::abs(supplied)) << text;
    EXPECT_LT(report.account->error, 1e-9) << text;
  };
  // z = t, x'' = z: x = t^3/6, and the energy x'^2/2 - z x = -t^4/24.
  const std::string ramp = "variable z\nrate z' = 1\n";
  for (const char* form :
       {"coordinate x\nkinetic x'^2/2\npotential -z*x\n", "coordinate x\nmomentum p of x\nhamiltonian p^2/2 - z*x\n",
        "coordinate x\nvelocity v\nkinematics x' = v\nmass v = 1\npotential -z*x\n"})
    expect_supplied(form + ramp, 8.0 / 6, -16.0 / 24);
  // l = e^t, x = l: the constraint supplies (e^2t - 1)/2.
  const std::string winch = "variable l = 1\nrate l' = l\nconstraint x = l\n";
  for (const char* form : {"coordinate x = 1\nkinetic x'^2/2\ninitial x' = 1\n",
                           "coordinate x = 1\nmomentum p of x = 1\nhamiltonian p^2/2\n"})
    expect_supplied(form + winch, std::exp(2), (std::exp(4) - 1) / 2);
  // One that only watches leaves the energy alone.
  const Report watched =
      run_states("coordinate x = 1\nkinetic x'^2/2\npotential x^2/2\nvariable z\nrate z' = x\n", "gauss(3)");
  EXPECT_FALSE(watched.account);
}

TEST(FirstOrder, MethodsThatCannotTakeThemSaySo) {
  const Model model = model_from_text("coordinate x = 1\nvariable z\nkinetic x'^2/2\npotential x^2/2\nrate z' = x\n");
  EXPECT_NE(refusal(method("energy_momentum"), derive(model)), "");
  EXPECT_EQ(refusal(method("gauss(3)"), derive(model)), "");
}

TEST(Inputs, AreWhatTheModelFilesOrTheProgramSay) {
  const std::string text = "input F = 2\ncoordinate x\nkinetic x'^2/2\nforce x = F\nsolve gauss(3) step 0.1 end 2\n";
  EXPECT_NEAR(run_states(text, "gauss(3)", 0.1, 2).y[0], 4, 1e-12);
  const apps_test::Folder folder;
  const std::string model = folder.write("m.alm", text);
  // F = t up to 1, then 1: x(2) = 1/6 + 1/2 + 1/2.
  const std::string wind = folder.write("wind.csv", "t,other,F\n0,9,0\n1,9,1\n3,9,1\n");
  const apps_test::Outcome run = apps_test::program({"run", model, "--input", "F=" + wind, "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NEAR(nlohmann::json::parse(run.out)["q"]["x"].get<double>(), 7.0 / 6, 1e-9);
  // Which column is the time is not guessed.
  const std::string strange = folder.write("strange.csv", "s,F\n0,0\n1,1\n3,1\n");
  const apps_test::Outcome guessed = apps_test::program({"run", model, "--input", "F=" + strange});
  EXPECT_EQ(guessed.code, 2);
  EXPECT_NE(guessed.err.find("has no column 't', along which 'F' goes"), std::string::npos) << guessed.err;
  EXPECT_NE(guessed.err.find("its columns are s, F"), std::string::npos) << guessed.err;
  const apps_test::Outcome unknown = apps_test::program({"run", model, "--input", "G=" + wind});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("there is no input 'G'"), std::string::npos) << unknown.err;
  const apps_test::Outcome missing = apps_test::program({"run", model, "--input", "F=" + (folder / "none.csv")});
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("cannot be read"), std::string::npos) << missing.err;
}

// input part.F = ... says what the default value of an assembly's input would.
TEST(Inputs, OfAssembliesAreGivenByTheModel) {
  const apps_test::Folder folder;
  folder.write("push.alm", "input push = 0\nbody b mass 1 inertia (1, 1, 1)\nload p on b force (push, 0, 0)\n");
  folder.write("pair.alm", "component in = \"push.alm\"\ninput in.push = 3\n");
  const auto place = [&](const std::string& text, const std::string& name) {
    const apps_test::Outcome run =
        apps_test::program({"run", folder.write("m.alm", text + "solve gauss(3) step 0.1 end 2\n"), "--json"});
    EXPECT_EQ(run.code, 0) << text << run.err;
    return run.code == 0 ? nlohmann::json::parse(run.out)["q"][name][0].get<double>() : 0.0;
  };
  const std::string one = "component a = \"push.alm\"\n";
  EXPECT_NEAR(place(one, "a.b.r"), 0, 1e-12);
  EXPECT_NEAR(place(one + "input a.push = 2\n", "a.b.r"), 4, 1e-12);
  EXPECT_NEAR(place(one + "input a.push = 3*t\n", "a.b.r"), 4, 1e-12);
  EXPECT_NEAR(place(one + "input F = 2*t\ninput a.push = F\n", "a.b.r"), 8.0 / 3, 1e-12);
  EXPECT_NEAR(place("component c = \"pair.alm\"\n", "c.in.b.r"), 6, 1e-12);
  const std::string three = "component a[i] = \"push.alm\" for i = 1..3\ninput a[i].push = i for i = 1..2\n";
  EXPECT_NEAR(place(three, "a[2].b.r"), 4, 1e-12);
  EXPECT_NEAR(place(three, "a[3].b.r"), 0, 1e-12);
}

TEST(Inputs, CanBeSetBetweenSteps) {
  const alembert::Model model = read_model_text("input F = 0\ncoordinate x\nkinetic x'^2/2\nforce x = F\n");
  Stepper stepper =
      compile(alembert::find_method("gauss(2)"), alembert::derive(model, {.inputs = {"F"}}), {.step = 0.1});
  ASSERT_TRUE(stepper.steps(10));
  EXPECT_NEAR(stepper.value("x"), 0, 1e-15);
  stepper.set("F", 2);
  ASSERT_TRUE(stepper.steps(10));
  EXPECT_NEAR(stepper.value("x"), 1, 1e-12);
}

}  // namespace
}  // namespace alembert::internal::testing
