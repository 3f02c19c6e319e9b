// The language as an engineer writes it: tensors by their names, assemblies in turned assemblies, angular velocities
// that are set, vectors that follow files, data much closer than the steps.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "output/rows.h"

namespace alembert::internal::testing {
namespace {

Rows worked(const Model& model, double end, Report* kept = nullptr) {
  SimulateOptions options;
  options.step = 0.01;
  options.end = end;
  Rows rows;
  const Report report = run_rows(model, "gauss(3)", options, rows);
  EXPECT_EQ(report.ending, Ending::done) << report.reason;
  if (kept) *kept = report;
  return rows;
}

double final_value(const Rows& rows, const std::string& name) { return rows.at(rows.rows.back(), name); }

TEST(Inertia, IsATensorHoweverItIsWritten) {
  const auto turning = [](const std::string& declared, const std::string& inertia) {
    const Rows rows = worked(
        model_from_text(declared + "body s mass 3 inertia " + inertia + " spin (0.3, -0.5, 0.8)\nobserve w: s.omega\n"),
        1);
    return std::vector<double>{final_value(rows, "w[1]"), final_value(rows, "w[2]"), final_value(rows, "w[3]")};
  };
  const std::string rows = "((0.5, 0.05, 0.02), (0.05, 0.7, -0.03), (0.02, -0.03, 0.9))";
  const std::string six = "(0.5, 0.7, 0.9, 0.05, 0.02, -0.03)";
  const std::vector<double> expected = turning("", rows);
  EXPECT_EQ(turning("", six), expected);
  EXPECT_EQ(turning("parameter J[6] = " + six + "\n", "J"), expected);
  EXPECT_EQ(turning("parameter J[9] = (0.5, 0.05, 0.02, 0.05, 0.7, -0.03, 0.02, -0.03, 0.9)\n", "J"), expected);
  EXPECT_EQ(turning("parameter J[3][3] = " + rows + "\n", "J"), expected);
  EXPECT_EQ(turning("let d = (0.5, 0.7, 0.9), p = (0.05, 0.02, -0.03)\n", "(d[1], d[2], d[3], p[1], p[2], p[3])"),
            expected);
  // Without its products the body turns otherwise.
  EXPECT_GT(std::abs(turning("", "(0.5, 0.7, 0.9)")[0] - expected[0]), 1e-3);
  // In the letters of the textbook: R I R^T.
  const std::vector<double> turned = turning(
      "parameter R[3][3] = ((0, -1, 0), (1, 0, 0), (0, 0, 1))\nlet J = R*((0.7, 0, 0), (0, 0.5, 0), (0, 0, "
      "0.9))*transpose(R)\n",
      "J");
  EXPECT_EQ(turned, turning("", "(0.5, 0.7, 0.9)"));
}

TEST(Assemblies, InTurnedAssembliesAreTurnedOnceMore) {
  const apps_test::Folder folder;
  folder.write("ball.alm", "body ball mass 1 inertia (1, 2, 3) at (1, 0, 0) rotated 0.3 about (0, 1, 0)\n");
  folder.write("pair.alm", "component in = \"ball.alm\" at (0, 1, 0) turned 0.7 about (0, 0, 1)\n");
  const Model nested = read_model(folder.write("all.alm",
                                               "component out = \"pair.alm\" at (10, 0, 0) turned 0.5 about (1, 0, 0)\n"
                                               "observe p: out.in.ball.point(0.2, 0.3, 0.4)\n"));
  const Model direct = model_from_text(
      "let A = rotation((1, 0, 0), 0.5), B = rotation((0, 0, 1), 0.7), C = rotation((0, 1, 0), 0.3)\n"
      "coordinate x\nkinetic x'^2/2\n"
      "observe p: (10, 0, 0) + A*((0, 1, 0) + B*((1, 0, 0) + C*(0.2, 0.3, 0.4)))\n");
  const Rows one = worked(nested, 0.01), other = worked(direct, 0.01);
  for (const char* name : {"p[1]", "p[2]", "p[3]"})
    EXPECT_NEAR(final_value(one, name), final_value(other, name), 1e-13) << name;

  folder.write("flag.alm", "body flag planar mass 1 inertia 1 at (1, 0) angle 0.1\n");
  folder.write("pole.alm", "component in = \"flag.alm\" turned 0.2\n");
  const Model planar = read_model(folder.write("plane.alm", "component out = \"pole.alm\" turned 0.4\n"));
  const Rows flat = worked(planar, 0.01);
  EXPECT_NEAR(final_value(flat, "out.in.flag.phi"), 0.7, 1e-14);
  EXPECT_NEAR(final_value(flat, "out.in.flag.r[2]"), std::sin(0.6), 1e-14);
}

TEST(AngularVelocities, AreSetAtTheStartAndByEvents) {
  // The hinge keeps what is set: a rod that turns with 2 from t = 1 on.
  for (const char* set : {"a.omega = (2, 0, 0)", "a.spin = 2*(1, 0, 0)"}) {
    const Rows rows =
        worked(model_from_text("body a mass 1 inertia (0.1, 0.1, 0.1) at (0, 0, -1)\n"
                               "joint revolute h from ground axis (1, 0, 0) to a point (0, 0, 1)\nwhen t = 1: " +
                               std::string(set) + "\nobserve angle: h.angle\n"),
               2);
    EXPECT_NEAR(final_value(rows, "angle"), 2, 1e-10) << set;
  }
  const Rows rows = worked(
      model_from_text("family i = 1..2\nbody a[i] mass 1 inertia (1, 1, 1) rotated 0.4*i about (1, 2, 3)\n"
                      "body e mass 1 inertia (1, 1, 1) euler zxz angles (0, 1, 0)\nbody p planar mass 1 inertia 1\n"
                      "initial a[1].spin = (0.3, 0.4, 0.5), e.omega = (0.1, 0.2, 0.3), p.omega = 3\n"
                      "when t = 0.5: a[i].omega = (i, 0, 2) for i = 1..2\n"
                      "observe s: a[1].spin\nobserve w[i]: a[i].omega\nobserve e: e.omega\n"),
      1);
  EXPECT_NEAR(rows.at(rows.rows.front(), "s[2]"), 0.4, 1e-14);
  EXPECT_NEAR(final_value(rows, "w[1][1]"), 1, 1e-12);
  EXPECT_NEAR(final_value(rows, "w[2][1]"), 2, 1e-12);
  EXPECT_NEAR(final_value(rows, "e[2]"), 0.2, 1e-10);
  EXPECT_NEAR(final_value(rows, "p.phi'"), 3, 1e-14);
}

// Along the axes of a universal joint T = ((A cos^2 b + C sin^2 b) a'^2 + B b'^2)/2: what is not set is 0 then.
TEST(AngularVelocities, ThatAreNotSetAreThoseOfLeastEnergyWhereTheBodiesAreTurnedTo) {
  const std::string text =
      "body a mass 1 inertia (0.1, 0.2, 0.3)\njoint universal u from ground axis (1, 0, 0) to a axis (0, 1, 0)\n"
      "observe one: u.rate1\nobserve two: u.rate2\n";
  const auto rates = [&](const std::string& set) {
    const Rows rows = worked(model_from_text(text + "initial " + set + "\n"), 0.01);
    return std::pair(rows.at(rows.rows.front(), "one"), rows.at(rows.rows.front(), "two"));
  };
  for (const char* angles : {"u.angle1 = 0.2, u.angle2 = 0.3", "u.angle1 = 2, u.angle2 = -0.6"}) {
    EXPECT_NEAR(rates(angles + std::string(", u.rate1 = 1")).second, 0, 1e-12) << angles;
    EXPECT_NEAR(rates(angles + std::string(", u.rate2 = 1")).first, 0, 1e-12) << angles;
  }
}

TEST(Reactions, JoinScalarsAndVectors) {
  const std::string head = "variable y[3] = (1, 0, 0), z[3]\nmultiplier psi\nrate y' = z\nconstraint norm2(y) = 1\n";
  const auto end = [&](const std::string& rate) {
    return final_value(worked(model_from_text(head + rate), 1), "y[2]");
  };
  EXPECT_EQ(end("let w = (2*y[2], 2*y[3])\nrate z' = (reaction(2*y[1]*psi), (-9.81, 0) + reaction(w*psi))\n"),
            end("rate z' = (0, -9.81, 0) + reaction(2*y*psi)\n"));
}

TEST(FollowedInputs, MayBeEntriesAndMembers) {
  const apps_test::Folder folder;
  const std::string one = folder.write("one.csv", "t,F[2]\n0,0\n2,2\n");
  const std::string two = folder.write("two.csv", "t,F[1],F[2]\n0,1,0\n2,1,2\n");
  const std::string entries = folder.write(
      "entries.alm",
      "input F[2] = (3, sin(t))\ncoordinate x[2]\nkinetic norm2(x')/2\nforce x = F\nsolve gauss(3) step 0.1 end 2\n");
  const std::string members = folder.write("members.alm",
                                           "family i = 1..3\ninput F[i] = i\ncoordinate x[i]\nkinetic sum(i, "
                                           "x[i]'^2)/2\nforce x[i] = F[i]\nsolve gauss(3) step 0.1 end 2\n");
  const auto values = [](const std::string& model, const std::string& input) {
    const apps_test::Outcome run = apps_test::program({"run", model, "--json", "--input", input});
    EXPECT_EQ(run.code, 0) << run.err;
    const std::size_t at = run.out.find("\"x\":[");
    std::vector<double> x;
    const char* text = run.out.c_str() + (at == std::string::npos ? run.out.size() : at + 5);
    for (char* next = nullptr; *text && *text != ']'; text = *next == ',' ? next + 1 : next)
      x.push_back(std::strtod(text, &next));
    return x;
  };
  const auto near = [](const std::vector<double>& x, const std::vector<double>& expected) {
    ASSERT_EQ(x.size(), expected.size());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[i], 1e-12);
  };
  near(values(entries, "F[2]=" + one), {6, 4.0 / 3});
  near(values(entries, "F=" + two), {2, 4.0 / 3});
  near(values(members, "F[2]=" + one), {2, 4.0 / 3, 6});
  const apps_test::Outcome third = apps_test::program({"run", entries, "--input", "F[3]=" + one});
  EXPECT_EQ(third.code, 2);
  EXPECT_NE(third.err.find("the input 'F' has 2 entries"), std::string::npos) << third.err;
}

TEST(Tables, MuchCloserThanTheStepsCostNothing) {
  const apps_test::Folder folder;
  std::string text = "t,F\n";
  for (int i = 0; i <= 20000; ++i)
    text += std::to_string(i * 1e-3) + "," + std::to_string(std::sin(3 * i * 1e-3)) + "\n";
  folder.write("data.csv", text);
  const Model model = read_model(folder.write(
      "m.alm", "table F(s) = \"data.csv\" column F\ncoordinate x\nkinetic x'^2/2\npotential x^2\nforce x = F(t)\n"));
  SimulateOptions options;
  options.step = 0.1;
  options.end = 10;
  const Report report = simulate(model, derive(model), method("gauss(3)"), options);
  EXPECT_EQ(report.ending, Ending::done) << report.reason;
  EXPECT_EQ(report.kinks, 0) << "a hundred points a step are not met one by one";
  EXPECT_EQ(report.warnings.size(), 1u);
  // x'' = -2 x + sin(3 t)
  const double w = std::sqrt(2), exact = (-std::sin(30) + 3 / w * std::sin(10 * w)) / 7;
  EXPECT_NEAR(report.y[0], exact, 1e-5);
  options.step = 0.02;  // twenty a step are
  EXPECT_GT(simulate(model, derive(model), method("gauss(3)"), options).kinks, 9000);
}

TEST(Reports, OfLongChainsStayShort) {
  const apps_test::Folder folder;
  const std::string chain =
      folder.write("chain.alm",
                   "parameter N = 30\nfamily i = 1..N\nbody link[i] planar mass 1 inertia 0.1 at (i, 0)\n"
                   "joint revolute hinge[1] from ground to link[1] point (-1, 0)\n"
                   "joint revolute hinge[i] from link[i-1] to link[i] point (-1, 0) for i = 2..N\n"
                   "event up[i]: link[i].r[2] = 1\nsolve lobatto(2) step 0.01 end 0.02\n");
  const apps_test::Outcome run = apps_test::program({"run", chain});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("and 18 more"), std::string::npos) << run.out;
  EXPECT_LT(std::count(run.out.begin(), run.out.end(), '\n'), 60);
}

// The ends of a joint have no friction of their own: they are the contacts that one would write beside it.
TEST(JointsWithEnds, MayRubToo) {
  const std::string arm =
      "gravity (0, 0, -9.81)\nbody arm mass 1 inertia (0.01, 0.1, 0.1) at (0, 0, -0.5)\ninitial h.rate = 2\n"
      "joint revolute h from ground axis (0, 1, 0) to arm point (0, 0, 0.5) friction 0.2 radius 0.05";
  const auto end = [&](const std::string& rest) {
    const Model model = model_from_text(arm + rest);
    SimulateOptions options;
    options.step = 0.01, options.end = 2;
    return simulate(model, derive(model), find_method("gauss(3)"), options);
  };
  const Report joint = end(" limits (-0.5, 0.5) restitution 0.3\n");
  const Report contacts =
      end("\ncontact low: h.angle >= -0.5 restitution 0.3\ncontact high: h.angle <= 0.5 restitution 0.3\n");
  ASSERT_EQ(joint.ending, Ending::done) << joint.reason;
  ASSERT_EQ(joint.contacts.size(), 3u);
  EXPECT_EQ(joint.y.size(), contacts.y.size());
  for (std::size_t i = 0; i < joint.y.size(); ++i) EXPECT_NEAR(joint.y[i], contacts.y[i], 1e-12);
  double taken[2] = {0, 0};
  for (const auto& one : joint.contacts) taken[0] += one.dissipated;
  for (const auto& one : contacts.contacts) taken[1] += one.dissipated;
  EXPECT_GT(taken[0], 0.2);
  EXPECT_NEAR(taken[0], taken[1], 1e-12);
}

// A contact far away changes nothing, neither what is recorded where the run stops nor the account of what was set.
TEST(WhenBesideContacts, IsSeenWhereTheRunStopsAndInTheAccount) {
  const std::string text =
      "parameter k = 1, n = 0\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential k*x^2/2\ninitial x = 1, y' = 1\n"
      "event there: y = 1\nwhen there: k = 4*k, n = n + 1\nevent far: y = 1.5\nwhen far: n = n + 1\nstop after 1 far\n"
      "observe count: n\n";
  const apps_test::Folder folder;
  for (const char* wall : {"", "contact wall: x >= -100\n"}) {
    const std::string model = folder.write("m.alm", text + wall + "solve gauss(3) step 0.05 end 3\n");
    const apps_test::Outcome run = apps_test::program({"run", model, "--json"});
    ASSERT_EQ(run.code, 0) << run.err;
    const nlohmann::json json = nlohmann::json::parse(run.out);
    EXPECT_EQ(json["observed"]["count"]["final"].get<double>(), 2) << wall;
    EXPECT_LT(json["energy"]["max_error"].get<double>(), 1e-9) << wall;
    EXPECT_NEAR(json["energy"]["supplied"].get<double>(), 1.5 * std::pow(std::cos(1), 2), 1e-6) << wall;
  }
}

}  // namespace
}  // namespace alembert::internal::testing
