// Conditions and tables in the equations: what they are, and that the order of a method holds over their kinks.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>

#include "alembert/run/kinks.h"
#include "apps/program.h"
#include "output/rows.h"

namespace alembert::internal::testing {
namespace {

Report run_switched(const Model& model, const std::string& name, double step, double end) {
  SimulateOptions options;
  options.step = step;
  options.end = end;
  return simulate(model, derive(model), method(name), options);
}

/// The slope of log(error) over log(h). Cut steps have all lengths: `first` is where the first kink lies, and it lies
/// at the same part of its step for every size.
double measured_order(const std::string& text, const std::string& name, double end,
                      const std::function<std::pair<double, double>(double)>& exact, double first, int fewest,
                      int most) {
  const Model model = model_from_text(text);
  const Equations e = derive(model);
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int steps = fewest; steps <= most; ++steps) {
    const double h = first / (steps + 0.37);
    SimulateOptions options;
    options.step = h;
    options.end = end;
    const Report report = simulate(model, e, method(name), options);
    EXPECT_EQ(report.ending, Ending::done) << report.reason;
    EXPECT_GE(report.kinks, 1);
    const auto [x, v] = exact(end);
    const double error = std::hypot(report.y[0] - x, report.z[0] - v);
    if (error < 2e-10) continue;  // kinks are passed over at 1e-10 of a step
    n += 1;
    sx += std::log(h);
    sy += std::log(error);
    sxx += std::log(h) * std::log(h);
    sxy += std::log(h) * std::log(error);
  }
  EXPECT_GE(n, 5) << name;
  const double order = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  std::printf("%s: order %.2f over %.0f steps\n", name.c_str(), order, n);
  return order;
}

/// A ball falls on a spring, on which it stays as long as it fell, so that both kinks lie at the same parts of their
/// steps for every size: its frequency w fulfils 2 (pi - atan(v0 w/g))/w = sqrt(2/g).
const double spring_frequency = 8.135109821238201;

std::pair<double, double> bounced(double t) {
  const double g = 9.81, v0 = std::sqrt(2 * g), flight = t - 2 * std::sqrt(2 / g);
  return {v0 * flight - g / 2 * flight * flight, v0 - g * flight};
}

const double switched_at = 0.7310585786300049;

const double w = 6;

/// x'' = -w^2 x + (1 from the switch on), x(0) = 1.
std::pair<double, double> switched(double t) {
  const double s = t - switched_at;
  return {std::cos(w * t) + (1 - std::cos(w * s)) / (w * w), -w * std::sin(w * t) + std::sin(w * s) / w};
}

/// x'' = -w^2 x + a ramp that rises to 1 until the same time and stays there.
std::pair<double, double> ramped(double t) {
  const double a = switched_at, s = t - a;
  return {std::cos(w * t) + (t - std::sin(w * t) / w - (s - std::sin(w * s) / w)) / (a * w * w),
          -w * std::sin(w * t) + (std::cos(w * s) - std::cos(w * t)) / (a * w * w)};
}

TEST(Switches, KeepTheOrderOfTheMethod) {
  const std::string oscillator = "coordinate x\nkinetic x'^2/2\npotential 18*x^2\ninitial x = 1\n";
  const std::string at = to_text(switched_at);
  for (const auto& [name, order] : {std::pair("gauss(3)", 6.0), std::pair("lobatto(3)", 4.0)}) {
    const bool high = order > 5;
    // The error of lobatto(3) is h^4 (2.1 + 66 h): its second term is small for small steps only.
    const double spring = measured_order("coordinate y\nkinetic y'^2/2\npotential 9.81*y\nforce y = if(y < 0, -" +
                                             to_text(spring_frequency * spring_frequency) + "*y, 0)\ninitial y = 1\n",
                                         name, 1.2, bounced, std::sqrt(2 / 9.81), high ? 11 : 60, high ? 60 : 120);
    EXPECT_NEAR(spring, order, 0.2) << name << " on a kinked spring";
    const double force = measured_order(oscillator + "force x = if(t >= " + at + ", 1, 0)\n", name, 3 * switched_at,
                                        switched, switched_at, 7, 40);
    EXPECT_NEAR(force, order, 0.2) << name << " under a switched force";
    const double table =
        measured_order(oscillator + "table ramp(s) = (0, 0), (" + at + ", 1), (3, 1) linear\nforce x = ramp(t)\n", name,
                       3 * switched_at, ramped, switched_at, 7, 40);
    EXPECT_NEAR(table, order, 0.2) << name << " under a table";
  }
}

TEST(Switches, WhatIsNotTakenMayBeNoNumber) {
  // Hertz's law: x^1.5 has no value in the air.
  const std::string head = "coordinate x\nkinetic x'^2/2\ninitial x = -0.5, x' = 1\n";
  const Report chosen =
      run_switched(model_from_text(head + "force x = if(x > 0, -40*x^1.5, 0)\n"), "gauss(3)", 0.02, 2);
  const Report smooth = run_switched(model_from_text(head + "force x = -40*max(x, 0)^1.5\n"), "gauss(3)", 0.02, 2);
  EXPECT_EQ(chosen.ending, Ending::done) << chosen.reason;
  EXPECT_NEAR(chosen.z[0], -1, 1e-6);
  EXPECT_NEAR(chosen.y[0], smooth.y[0], 1e-8);
}

TEST(Switches, ConditionsAreThoseOfLogic) {
  const auto value = [](const std::string& expression) {
    const Model model = model_from_text("coordinate x\nkinetic x'^2/2\ninitial x = 2\nobserve v: " + expression + "\n");
    return run_switched(model, "gauss(1)", 0.01, 0.01).observed[0].final;
  };
  EXPECT_EQ(value("if(x > 1 and x < 3, 5, 7)"), 5);
  EXPECT_EQ(value("if(x < 1 or x > 3, 5, 7)"), 7);
  EXPECT_EQ(value("if(not (x < 1 or x > 3), 5, 7)"), 5);
  EXPECT_EQ(value("if(0 <= x < 2.5, 5, 7)"), 5);
  EXPECT_EQ(value("if(not x > 1 and x < 0 or x > 1, 5, 7)"), 5) << "not binds tighter than and, and than or";
  EXPECT_EQ(value("sum(i = 1..3, if(i = 2, 10, 1))"), 12);
  EXPECT_EQ(value("sum(i = 1..3, if(i != 2 and i >= 2, 10, 1))"), 12);
  EXPECT_EQ(value("dot(if(x > 1, (1, 2), (3, 4)), (1, 1))"), 3);
  EXPECT_EQ(value("dot(if(x > 1, 0, (3, 4)), (1, 1))"), 0);
  EXPECT_NEAR(value("90*deg"), M_PI / 2, 1e-15);
  EXPECT_NEAR(value("60*rpm"), 2 * M_PI, 1e-14);
}

TEST(Switches, IndicesDecideAtOnceSoThatEndsNeedNotExist) {
  const Model chain = model_from_text(
      "parameter N = 3\nfamily i = 1..N\ncoordinate x[i]\nkinetic sum(i, x[i]'^2/2)\n"
      "potential sum(i, (x[i] - if(i = 1, 0, x[i-1]))^2/2)\ninitial x = (1, 1, 1)\nobserve e: x[1]\n");
  EXPECT_EQ(kinks(derive(chain)).size(), 0u);
  EXPECT_EQ(run_switched(chain, "gauss(2)", 0.1, 1).ending, Ending::done);
}

// What is decided as the family is written out need not exist either: sizes and ends of ranges are known by then.
TEST(Switches, EndsOfFamiliesDecideByTheirParameters) {
  const std::string head =
      "parameter N = 4, last = N\nfamily i = 1..N\ncoordinate x[i]\nkinetic sum(i, x[i]'^2)/2\n"
      "initial x[i] = i^2, x'[1] = 1\n";
  const auto end = [&](const std::string& force) {
    return run_switched(model_from_text(head + "force x[i] = " + force + "\n"), "gauss(3)", 0.1, 1).y;
  };
  const std::vector<double> expected = end("-x[i] + if(i = 4, 0, x[min(i + 1, 4)])");
  for (const char* force :
       {"-x[i] + if(i = N, 0, x[i+1])", "-x[i] + if(i < N, x[i+1], 0)", "-x[i] + if(N > i, x[i+1], 0)",
        "-x[i] + if(not i = last, x[i+1], 0)", "if(i >= N, -x[i], x[i+1] - x[i])"}) {
    const std::vector<double> found = end(force);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(found[k], expected[k], 1e-13) << force;
  }
  // A parameter that may change decides nothing.
  const Report switched =
      run_switched(model_from_text("parameter on = 0\nfamily i = 1..2\ncoordinate x[i]\nkinetic sum(i, x[i]'^2)/2\n"
                                   "force x[i] = if(on*i > 1, 1, 0)\nwhen t = 1: on = 1\n"),
                   "gauss(3)", 0.1, 2);
  EXPECT_NEAR(switched.z[0], 0, 1e-12);
  EXPECT_NEAR(switched.z[1], 1, 1e-12);
}

TEST(Tables, AreThoseOfTheirKind) {
  const auto value = [](const std::string& kind, double x) {
    const Model model = model_from_text("table f(s) = (0, 0), (1, 1), (2, 1), (3, 4) " + kind +
                                        "\ncoordinate x\nkinetic x'^2/2\nobserve v: f(" + to_text(x) + " + 0*x)\n");
    return run_switched(model, "gauss(1)", 0.01, 0.01).observed[0].final;
  };
  EXPECT_NEAR(value("linear", 2.5), 2.5, 1e-15);
  EXPECT_NEAR(value("", 0.25), 0.25, 1e-15) << "linear where nothing is said";
  EXPECT_NEAR(value("linear", -1), 0, 1e-15);
  EXPECT_NEAR(value("spline", 7), 4, 1e-14) << "the last value is held";
  // The second derivatives of the natural spline solve 4 M1 + M2 = -6, M1 + 4 M2 = 18.
  const double M1 = -42.0 / 15, M2 = 78.0 / 15;
  EXPECT_NEAR(value("spline", 0.5), 0.5 - M1 / 16, 1e-14);
  EXPECT_NEAR(value("spline", 1.5), 1 - (M1 + M2) / 16, 1e-14);
  EXPECT_NEAR(value("spline", 2.5), 2.5 - M2 / 16, 1e-14);
  // The monotone cubic is flat between equal values, and has the slopes 3/2 and 9/2 at its ends.
  EXPECT_NEAR(value("monotone", 1.5), 1, 1e-15);
  EXPECT_NEAR(value("monotone", 0.5), 0.6875, 1e-15);
  EXPECT_NEAR(value("monotone", 2.5), 1.9375, 1e-15);
}

// Linear tables and splines are sums over their values, so that these may change on the way.
TEST(Tables, TheirValuesMayBeSwitched) {
  for (const std::string kind : {"linear", "spline"}) {
    const std::string head =
        "parameter k = 1\ncoordinate x\nkinetic x'^2/2\ninitial x = 0.7\ntable spring(u) = (-2, -2";
    const auto end = [&](const std::string& rest) {
      return run_switched(model_from_text(head + rest), "gauss(3)", 0.05, 2).y[0];
    };
    const double found =
        end("*k), (0, 0), (1, 1.5*k), (2, 3) " + kind + "\nforce x = -spring(x)\nwhen t = 0.8: k = 3*k\n");
    const double expected =
        end("), (0, 0), (1, 1.5), (2, 3) " + kind + "\ntable later(u) = (-2, -6), (0, 0), (1, 4.5), (2, 3) " + kind +
            "\nforce x = if(t < 0.8, -spring(x), -later(x))\n");
    EXPECT_NEAR(found, expected, 1e-12) << kind;
  }
}

TEST(Tables, SayWhenTheyAreAskedBeyondTheirEnds) {
  const Model model =
      model_from_text("table ramp(s) = (0, 0), (1, 1)\ncoordinate x\nkinetic x'^2/2\nforce x = ramp(t)\n");
  EXPECT_TRUE(run_switched(model, "gauss(2)", 0.1, 1).warnings.empty());
  const Report beyond = run_switched(model, "gauss(2)", 0.1, 2);
  ASSERT_EQ(beyond.warnings.size(), 1u);
  EXPECT_EQ(beyond.warnings[0].code, "table");
  EXPECT_NE(beyond.warnings[0].text.find("'ramp'"), std::string::npos);
  EXPECT_NEAR(beyond.y[0], 1.0 / 6 + 0.5 + 0.5, 1e-9) << "t^3/6, then the force stays 1";
}

TEST(Tables, ColumnsOfFilesGoByNumberOrName) {
  const apps_test::Folder folder;
  folder.write("road.csv", "x;height;\"front left\"\n0;0;1\n 1 ;2;2\n3;-1;5\n\n");
  for (const auto& [column, expected] :
       {std::pair("", 0.5), std::pair("column 2", 0.5), std::pair("column height", 0.5), std::pair("column 3", 3.5),
        std::pair("column \"front left\"", 3.5)}) {
    const Model model =
        read_model(folder.write("m.alm", std::string("table road(x) = \"road.csv\" ") + column +
                                             "\ncoordinate x\nkinetic x'^2/2\nobserve v: road(2 + 0*x)\n"));
    EXPECT_NEAR(run_switched(model, "gauss(1)", 0.01, 0.01).observed[0].final, expected, 1e-14) << column;
  }
}

/// Heights every 5 cm, as a file; the shape does not matter, but for its many kinks.
std::string long_road(int points) {
  std::string text = "x,height\n";
  for (int i = 0; i < points; ++i)
    text += to_text(i / 20.0) + "," + to_text(0.01 * std::sin(i * i % 1000) + 0.001 * (i % 7)) + "\n";
  return text;
}

const char over_a_road[] =
    "table road(x) = \"road.csv\"\ncoordinate z\nkinetic 40*z'^2/2\nforce z = -160000*(z - road(20*t)) - 1000*z'\n"
    "solve gauss(2) step 0.005 end 1\n";

TEST(Tables, AreOneOperationHoweverLong) {
  const apps_test::Folder folder;
  folder.write("road.csv", long_road(10'000));
  const Model model = read_model(folder.write("car.alm", over_a_road));
  const Equations e = derive(model);
  EXPECT_LT(e.graph->size(), 200u);
  EXPECT_EQ(kinks(e).size(), 1u);
  const Report report = run_switched(model, "gauss(2)", 0.005, 1);
  EXPECT_EQ(report.ending, Ending::done) << report.reason;
  EXPECT_EQ(report.kinks, 400) << "every point up to 20 metres";
  // The same points alone, which are all that the motion meets, and another way to write them.
  folder.write("road.csv", long_road(420));
  const Report shorter = run_switched(read_model(folder / "car.alm"), "gauss(2)", 0.005, 1);
  EXPECT_EQ(report.y, shorter.y);
  EXPECT_EQ(report.z, shorter.z);
}

TEST(Tables, KinksAreMetInEitherDirectionAndAtTheStart) {
  // A potential of straight lines: the force jumps at each point. x'' = -slope, from the top to the left and back.
  const std::string text =
      "table hill(s) = (-4, 4), (-2, 1), (0, 0), (1, 3)\ncoordinate x\nkinetic x'^2/2\npotential hill(x)\n"
      "initial x = 0, x' = -2\n";
  // Up with -1/2 to x = -2, where 1/2 v^2 = 2 - 1; then 3/2 against it, and back through both.
  const double v = std::sqrt(2.0), first = (2 - v) / 0.5, turn = v / 1.5, back = first + 2 * turn + first;
  for (const char* name : {"gauss(2)", "lobatto(3)"}) {
    const Report report = run_switched(model_from_text(text), name, 0.0371, back + 0.3);
    EXPECT_EQ(report.ending, Ending::done) << report.reason;
    EXPECT_EQ(report.kinks, 3) << name;
    EXPECT_NEAR(report.y[0], 2 * 0.3 - 3 * 0.09 / 2, 1e-9) << name;
    EXPECT_NEAR(report.z[0], 2 - 3 * 0.3, 1e-9) << name;
  }
}

TEST(Tables, AreKeptToByTolerancesToo) {
  const apps_test::Folder folder;
  folder.write("road.csv", long_road(500));
  const Model model = read_model(folder.write("car.alm", over_a_road));
  SimulateOptions options;
  options.step = 1e-3;
  options.end = 0.5;
  options.steps.control = Control::tolerance;
  options.steps.tolerance = 1e-9;
  const Report chosen = simulate(model, derive(model), method("gauss(3)"), options);
  EXPECT_EQ(chosen.ending, Ending::done) << chosen.reason;
  EXPECT_GE(chosen.kinks, 195);
  const Report fixed = run_switched(model, "gauss(4)", 1e-3, 0.5);
  EXPECT_NEAR(chosen.y[0], fixed.y[0], 1e-8);
}

// A table of an angle that goes on and on, once brought between -pi and pi by atan2, once turn by turn.
TEST(Switches, ATableOfAnAngleRepeats) {
  const std::string head =
      "table lift(a) = (-pi, 0), (-2, 0.2), (-1, 0.8), (0, 1), (1, 0.8), (2, 0.2), (pi, 0)\n"
      "coordinate y\nkinetic y'^2/2\npotential y^2/2\nforce y = lift(";
  const Report repeated = run_switched(model_from_text(head + "atan2(sin(2*t), cos(2*t)))\n"), "gauss(3)", 0.01, 10);
  const Report written = run_switched(
      model_from_text(head +
                      "if(2*t < pi, 2*t, if(2*t < 3*pi, 2*t - 2*pi, if(2*t < 5*pi, 2*t - 4*pi, 2*t - 6*pi))))\n"),
      "gauss(3)", 0.01, 10);
  ASSERT_EQ(repeated.ending, Ending::done) << repeated.reason;
  EXPECT_TRUE(repeated.warnings.empty());
  EXPECT_GE(repeated.kinks, 15);
  EXPECT_NEAR(repeated.y[0], written.y[0], 1e-12);
  EXPECT_NEAR(repeated.z[0], written.z[0], 1e-12);
}

}  // namespace
}  // namespace alembert::internal::testing
