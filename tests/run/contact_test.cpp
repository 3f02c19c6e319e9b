// Contacts against values of an independent implementation (tests/reference/contact.json) and closed forms.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

using ContactJson = nlohmann::ordered_json;

double value_of(const ContactJson& value) {
  return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
}

double apart(const ContactJson& got, const ContactJson& expected) {
  double worst = 0;
  if (expected.is_object()) {
    for (const auto& [key, value] : expected.items()) worst = std::max(worst, apart(got.at(key), value));
  } else if (expected.is_array()) {
    for (std::size_t i = 0; i < expected.size(); ++i) worst = std::max(worst, apart(got.at(i), expected[i]));
  } else {
    worst = std::abs(value_of(got) - value_of(expected));
  }
  return worst;
}

ContactJson run_text(const std::string& text, std::vector<std::string> more = {}) {
  const Folder folder;
  std::vector<std::string> words = {"run", folder.write("model.alm", text), "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = program(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return ContactJson::parse(outcome.out);
}

std::vector<ContactJson> of_kind(const ContactJson& report, const std::string& kind, const std::string& name = "") {
  std::vector<ContactJson> found;
  for (const ContactJson& event : report["events"])
    if (event["kind"] == kind && (name.empty() || event["name"] == name)) found.push_back(event);
  return found;
}

void compare_events(const ContactJson& problem, const ContactJson& report) {
  std::size_t k = 0;
  for (const ContactJson& event : problem["events"]) {
    if (event.contains("zeno")) {
      const auto closes = of_kind(report, "close");
      ASSERT_EQ(closes.size(), 1u);
      EXPECT_NEAR(closes[0]["t"].get<double>(), value_of(event["t"]), 1e-8);
      continue;
    }
    ASSERT_LT(k, report["events"].size());
    const ContactJson& got = report["events"][k++];
    EXPECT_EQ(got["name"], event["contact"]);
    EXPECT_EQ(got["kind"], event["kind"]);
    EXPECT_LT(apart(got["t"], event["t"]), 1e-12);
    EXPECT_LT(apart(got["q"], event["q"]), 1e-11);
    EXPECT_LT(apart(got["v"], event["v"]), 1e-11);
  }
}

TEST(ContactReference, AllProblemsAgree) {
  const ContactJson reference =
      ContactJson::parse(file_text(std::string(source_folder()) + "/tests/reference/contact.json"));
  ASSERT_GE(reference["problems"].size(), 7u);
  for (const ContactJson& problem : reference["problems"]) {
    SCOPED_TRACE(problem["name"].get<std::string>());
    const ContactJson report = run_text(problem["model"].get<std::string>());
    compare_events(problem, report);
    EXPECT_LT(apart(report["q"], problem["end"]["q"]), 1e-11);
    EXPECT_LT(apart(report["v"], problem["end"]["v"]), 1e-11);
    for (const auto& [name, expected] : problem["contacts"].items()) {
      const ContactJson& got = report["contacts"][name];
      EXPECT_EQ(got["state"], expected["state"]);
      EXPECT_LT(apart(got["dissipated"], expected["dissipated"]), 1e-10);
      if (!expected["impacts"].is_null()) { EXPECT_EQ(got["impacts"], expected["impacts"]); }
    }
    for (const char* what : {"initial", "final", "dissipated"})
      EXPECT_LT(apart(report["energy"][what], problem["energy"][what]), 1e-10) << what;
    EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-9);
  }
}

TEST(Contact, ElasticBallKeepsItsEnergyOverManyBounces) {
  const ContactJson report = run_text(
      "coordinate y\nkinetic y'^2/2\npotential 9.81*y\ncontact floor: y >= 0 restitution 1\ninitial y = 0.01\n"
      "solve gauss(2) step 0.05 end 200\n");
  EXPECT_GT(report["contacts"]["floor"]["impacts"].get<long>(), 2000);
  EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-13);
  EXPECT_NEAR(report["energy"]["impacts"].get<double>(), 0, 1e-14);
}

// Slips where the spring pulls with the friction at rest; Acary's and many others' benchmark.
TEST(Contact, BlockOnABeltSticksAndSlips) {
  const ContactJson report = run_text(
      "parameter m = 1, k = 10, vb = 0.5, mu = 0.3, mus = 0.5, g = 9.81\ncoordinate x, y\n"
      "kinetic m/2*(x'^2 + y'^2)\npotential m*g*y + k/2*x^2\n"
      "contact belt: y >= 0 friction mu static mus along x' - vb\ninitial x' = vb\n"
      "solve gauss(4) step 0.01 end 3.3\n");
  const auto slip = of_kind(report, "slip"), stick = of_kind(report, "stick");
  ASSERT_EQ(slip.size(), 2u);
  ASSERT_EQ(stick.size(), 1u);
  EXPECT_NEAR(slip[0]["t"].get<double>(), 0.5 * 9.81 / (10 * 0.5), 1e-12);
  // Between: x = c + A cos(w t + phi) about c = mu m g/k with x' = vb at both ends, so that x is mirrored at c.
  const double c = 0.3 * 9.81 / 10, w = std::sqrt(10.0), from = 0.5 * 9.81 / 10;
  const double time = (M_PI + 2 * std::atan2(0.5 / w, from - c)) / w;
  EXPECT_NEAR(stick[0]["t"].get<double>(), slip[0]["t"].get<double>() + time, 1e-11);
  EXPECT_NEAR(stick[0]["q"]["x"].get<double>(), 2 * c - from, 1e-11);
  EXPECT_NEAR(slip[1]["t"].get<double>(), stick[0]["t"].get<double>() + 2 * (from - c) / 0.5, 1e-11);
}

// From rest on a belt: friction takes mu m g times the way of the slip, the belt supplies mu m g times its own way.
TEST(Contact, ABeltSuppliesWhatFrictionTakes) {
  const ContactJson report = run_text(
      "parameter mu = 0.3, belt = 1.5, g = 9.81\ncoordinate x, y\nkinetic x'^2 + y'^2\npotential 2*g*y\n"
      "contact ground: y >= 0 friction mu along x' - belt\nsolve gauss(2) step 0.01 end 0.3\n");
  const double force = 0.3 * 2 * 9.81, way = 0.3 * 9.81 * 0.3 * 0.3 / 2;
  EXPECT_NEAR(report["energy"]["supplied"].get<double>(), force * 1.5 * 0.3, 1e-12);
  EXPECT_NEAR(report["energy"]["dissipated"].get<double>(), force * (1.5 * 0.3 - way), 1e-12);
  EXPECT_NEAR(report["contacts"]["ground"]["dissipated"].get<double>(), force * (1.5 * 0.3 - way), 1e-12);
  EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-12);
}

// Pulled by (2 t, t^2/2) until it slips: the slip turns at once, faster than any step.
TEST(Contact, SlipThatBeginsInSpaceKeepsTheAccuracy) {
  const std::string puck =
      "coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\nforce x = 2*t\nforce y = t^2/2\n"
      "contact ground: z >= 0 friction 0.3 along x', y'\nsolve gauss(3) step 0.01 end 3\n";
  const ContactJson coarse = run_text(puck, {"--step", "0.04"}), fine = run_text(puck, {"--step", "0.005"});
  const auto begins = of_kind(fine, "slip");
  ASSERT_EQ(begins.size(), 1u);
  EXPECT_EQ(fine["events"].size(), 1u);
  const double t = begins[0]["t"];
  EXPECT_NEAR(std::hypot(2 * t, t * t / 2), 0.3 * 9.81, 1e-11);
  EXPECT_LT(apart(coarse["q"], fine["q"]), 1e-9);
  // The same by time stepping, which has order 1 here.
  const ContactJson stepped_through = run_text(puck, {"--step", "0.002", "--method", "nonsmooth_rattle"});
  EXPECT_LT(apart(stepped_through["q"], fine["q"]), 2e-4);
  // What pulls has done what moves and what was rubbed off.
  EXPECT_LT(fine["energy"]["max_error"].get<double>(), 1e-9);
}

TEST(Contact, AContactWrittenOnceForManyBodiesIsAFamily) {
  const ContactJson report = run_text(
      "family i = 1..2\nbody b[i] mass 1 inertia (1, 1, 1) at (i, 0, 1)\ngravity (0, 0, -9.81)\n"
      "contact c from b[i] sphere 0.1 to ground plane axis (0, 0, 1) for i = 1..2\nsolve gauss(2) step 0.01 end 1\n");
  for (const char* name : {"c[1]", "c[2]"}) EXPECT_EQ(report["contacts"][name]["state"], "closed") << name;
}

TEST(Contact, BallLeavesAVibratingTable) {
  const ContactJson report = run_text(
      "parameter A = 0.02, w = 30\ncoordinate y\nkinetic y'^2/2\npotential 9.81*y\n"
      "contact table: y - A*sin(w*t) >= 0 restitution 0.3\ninitial y' = A*w\nsolve gauss(4) step 0.002 end 0.3\n");
  const auto opens = of_kind(report, "open");
  ASSERT_EQ(opens.size(), 2u);
  EXPECT_NEAR(opens[0]["t"].get<double>(), std::asin(9.81 / (0.02 * 900)) / 30, 1e-12);
  EXPECT_NEAR(opens[1]["t"].get<double>(), (std::asin(9.81 / (0.02 * 900)) + 2 * M_PI) / 30, 1e-11);
  // What the table supplied and the impacts took explain the energy.
  EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-7);
}

// Slip in space stops on a straight line after |v|/(mu g).
TEST(Contact, PuckStopsOnAStraightLine) {
  const ContactJson report = run_text(
      "parameter mu = 0.2, g = 9.81\ncoordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential g*z\n"
      "contact ice: z >= 0 friction mu along x', y'\ninitial x' = 3, y' = 4\nsolve gauss(2) step 0.01 end 3\n");
  const auto stick = of_kind(report, "stick");
  ASSERT_EQ(stick.size(), 1u);
  const double t = 5 / (0.2 * 9.81);
  EXPECT_NEAR(stick[0]["t"].get<double>(), t, 1e-12);
  EXPECT_NEAR(report["q"]["x"].get<double>(), 3 * t / 2, 1e-11);
  EXPECT_NEAR(report["q"]["y"].get<double>(), 4 * t / 2, 1e-11);
  EXPECT_NEAR(report["contacts"]["ice"]["dissipated"].get<double>(), 12.5, 1e-11);
}

// The same with a body: the slip has a constant direction, and rolls from 2 |s|/(7 mu g) on.
TEST(Contact, BallOnAPlaneBeginsToRoll) {
  const ContactJson report = run_text(
      "parameter R = 0.1, mu = 0.25\nbody ball mass 2 inertia (0.8*R^2, 0.8*R^2, 0.8*R^2) at (0, 0, R) "
      "velocity (3, 4, 0)\ngravity (0, 0, -9.81)\n"
      "contact ground from ball sphere R to ground plane axis (0, 0, 1) friction mu\nsolve gauss(4) step 0.005 end "
      "1\n");
  const auto stick = of_kind(report, "stick");
  ASSERT_EQ(stick.size(), 1u);
  EXPECT_NEAR(stick[0]["t"].get<double>(), 2 * 5 / (7 * 0.25 * 9.81), 1e-11);
  EXPECT_NEAR(report["v"]["ball.r"][0].get<double>(), 3 * 5.0 / 7, 1e-11);
  EXPECT_NEAR(report["v"]["ball.r"][1].get<double>(), 4 * 5.0 / 7, 1e-11);
  EXPECT_NEAR(report["energy"]["dissipated"].get<double>(), 25 * 2.0 / 7, 1e-10);
}

// Housner 1963: the angular velocity falls by 1 - 3/2 sin^2(alpha) at every impact.
TEST(Contact, RockingBlockLosesByHousnersRatio) {
  const ContactJson report = run_text(
      "parameter b = 0.2, h = 1, a = 0.1\nbody block planar mass 1 inertia (b^2 + h^2)/3 "
      "at (-b + b*cos(a) - h*sin(a), b*sin(a) + h*cos(a)) angle a\ngravity (0, -9.81)\n"
      "contact floor from block box (2*b, 2*h) to ground plane friction 5\nsolve gauss(4) step 0.01 end 3\n");
  const auto impacts = of_kind(report, "impact");
  ASSERT_GE(impacts.size(), 3u);
  const double ratio = 1 - 1.5 * 0.04 / 1.04;
  for (std::size_t i = 1; i < impacts.size(); ++i)
    EXPECT_NEAR(std::abs(impacts[i]["v"]["block.phi"].get<double>() / impacts[i - 1]["v"]["block.phi"].get<double>()),
                ratio, 1e-10);
  EXPECT_EQ(of_kind(report, "open").size(), impacts.size());
}

// A spinning ball, tangential restitution 0: it rolls behind the impact, or friction is at its bound.
TEST(Contact, SpinningBallBounces) {
  const std::string model =
      "parameter R = 0.1, mu = 0.3, w = 20\ncoordinate x, y, th\nkinetic (x'^2 + y'^2)/2 + R^2/5*th'^2\n"
      "contact floor: y - R >= 0 restitution 0.7 friction mu along x' + R*th'\n"
      "initial y = 1, y' = -3, x' = 1, th' = w\nsolve gauss(1) step 0.01 end 0.5\n";
  const ContactJson rolls = run_text(model, {"--set", "mu=0.9"});
  EXPECT_NEAR(rolls["v"]["x"].get<double>(), 1 - 2.0 / 7 * 3, 1e-13);
  EXPECT_NEAR(rolls["v"]["x"].get<double>() + 0.1 * rolls["v"]["th"].get<double>(), 0, 1e-13);
  const ContactJson slides = run_text(model, {"--set", "mu=0.1"});
  EXPECT_NEAR(slides["v"]["x"].get<double>(), 1 - 0.1 * 1.7 * 3, 1e-13);
  EXPECT_NEAR(slides["v"]["y"].get<double>(), 2.1, 1e-13);
}

TEST(Contact, BlocksOnEachOtherSlideTogether) {
  const ContactJson report = run_text(
      "parameter g = 9.81\ncoordinate x1, y1, x2, y2\nkinetic (x1'^2 + y1'^2)/2 + x2'^2 + y2'^2\n"
      "potential g*y1 + 2*g*y2\ncontact lower: y1 >= 0 friction 0.1 along x1'\n"
      "contact upper: y2 - y1 - 1 >= 0 friction 0.3 along x2' - x1'\ninitial y2 = 1, x2' = 3\n"
      "solve gauss(2) step 0.01 end 3\n");
  // The lower block is drawn along with 0.6 g - 0.3 g, the upper brakes with 0.3 g; then both with 0.1 g.
  const double together = 3 / (0.6 * 9.81), v = 0.3 * 9.81 * together;
  EXPECT_NEAR(of_kind(report, "stick", "upper").at(0)["t"].get<double>(), together, 1e-12);
  EXPECT_NEAR(of_kind(report, "stick", "lower").at(0)["t"].get<double>(), together + v / (0.1 * 9.81), 1e-12);
}

TEST(Contact, SlopeHoldsUpToItsAngle) {
  const std::string model =
      "parameter mu = 0.5, a = atan(1/2)\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\n"
      "potential 9.81*(y*cos(a) + x*sin(a))\ncontact plane: y >= 0 friction mu along x'\ninitial x = 1\n"
      "solve gauss(2) step 0.1 end 10\n";
  const ContactJson holds = run_text(model);
  EXPECT_EQ(holds["contacts"]["plane"]["state"], "sticking");
  EXPECT_EQ(holds["q"]["x"].get<double>(), 1);
  const ContactJson slides = run_text(model, {"--set", "mu=0.4999"});
  EXPECT_EQ(slides["contacts"]["plane"]["state"], "sliding");
  const double a = 9.81 * (std::sin(std::atan(0.5)) - 0.4999 * std::cos(std::atan(0.5)));
  EXPECT_NEAR(slides["q"]["x"].get<double>(), 1 - a * 50, 1e-11);
}

TEST(Contact, BoxOnASlopeRestsOnRedundantCorners) {
  const ContactJson report = run_text(
      "parameter a = 0.2\nbody b mass 1 inertia (0.1, 0.1, 0.1) at (0, 0, 0.25)\n"
      "gravity (9.81*sin(a), 0, -9.81*cos(a))\ncontact floor from b box (0.5, 0.5, 0.5) to ground plane friction 0.4\n"
      "solve gauss(2) step 0.02 end 1\n");
  for (int i = 1; i <= 4; ++i) EXPECT_EQ(report["contacts"]["floor[" + std::to_string(i) + "]"]["state"], "sticking");
  EXPECT_LT(std::abs(report["q"]["b.r"][0].get<double>()), 1e-14);
}

TEST(Contact, StopsOfAJointAreContacts) {
  const ContactJson report = run_text(
      "body arm planar mass 1 inertia 1 at (0, 0)\n"
      "joint revolute j from ground to arm limits (-0.5, 1) restitution 0.5\ninitial arm.phi' = 2\n"
      "solve gauss(2) step 0.01 end 3\n");
  const auto impacts = of_kind(report, "impact");
  ASSERT_EQ(impacts.size(), 2u);
  EXPECT_EQ(impacts[0]["name"], "j.upper");
  EXPECT_NEAR(impacts[0]["t"].get<double>(), 0.5, 1e-13);
  EXPECT_EQ(impacts[1]["name"], "j.lower");
  EXPECT_NEAR(impacts[1]["t"].get<double>(), 0.5 + 1.5, 1e-12);
  EXPECT_NEAR(impacts[1]["v"]["arm.phi"].get<double>(), 0.5, 1e-13);
}

// All closed contacts are solved together: energy and momentum are kept, whatever the balls do.
TEST(Contact, NewtonsCradleKeepsMomentumAndEnergy) {
  const ContactJson report = run_text(
      "family i = 1..5\ncoordinate x[i]\nkinetic sum(i, x[i]'^2/2)\n"
      "contact hit: x[i] - x[i-1] - 1 >= 0 restitution 1 for i = 2..5\n"
      "initial x[1] = 0, x[2] = 2, x[3] = 3, x[4] = 4, x[5] = 5, x[1]' = 1\nconserve p: sum(i, x[i]')\n"
      "solve gauss(2) step 0.1 end 3\n");
  EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-14);
  EXPECT_LT(report["invariants"]["p"]["max_error"].get<double>(), 1e-14);
  EXPECT_NEAR(report["energy"]["final"].get<double>(), 0.5, 1e-14);
}

TEST(Contact, ImpactsNeverAddEnergy) {
  // A turning rod on its end: with friction Newton's law would add 0.4 to its energy.
  const ContactJson report = run_text(
      "parameter a = 0.79, mu = 0.588\ncoordinate x, y, th\nkinetic (x'^2 + y'^2)/2 + th'^2/24\n"
      "contact tip: y - sin(th)/2 >= 0 restitution 0.9 friction mu along x' + sin(th)/2*th'\n"
      "initial th = a, y = sin(a)/2 + 0.001, y' = -1, x' = -0.16, th' = 4.95\nsolve gauss(3) step 0.001 end 0.05\n");
  const auto impacts = of_kind(report, "impact");
  ASSERT_EQ(impacts.size(), 1u);
  EXPECT_NE(impacts[0]["note"].get<std::string>().find("restitution lowered to"), std::string::npos);
  EXPECT_NEAR(report["energy"]["impacts"].get<double>(), 0, 1e-10);
  EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-10);
}

// Painleve 1895: a rod slides on its end; for mu > 4/3 no force keeps the end on the floor.
// Two walls at a corner, each with a law of its own: what meets both at once comes back from each by its own.
TEST(Contact, LawsOfRestitutionMayBeMixedInOneImpact) {
  const std::string walls =
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\ncontact a: 1 - x >= 0 restitution 0.5\n"
      "contact b: 1 - y >= 0 restitution 0.25 law poisson friction 0.1 along x'\n"
      "initial x' = 1, y' = 1\nsolve gauss(2) step 0.01 end 2\n";
  const ContactJson report = run_text(walls);
  EXPECT_NEAR(report["v"]["x"].get<double>(), -0.5, 1e-14);
  EXPECT_NEAR(report["v"]["y"].get<double>(), -0.25, 1e-14);
  // On a disc of radius 1 the friction of the one turns it, within its bound: a tenth of (1 + e) of what was pressed.
  const ContactJson disc = run_text(
      "body d planar mass 1 inertia 0.5 at (0, 0) velocity (1, 1)\n"
      "contact a from d sphere 1 to ground plane axis (-1, 0) point (2, 0) restitution 0.5\n"
      "contact b from d sphere 1 to ground plane axis (0, -1) point (0, 2) restitution 0.25 law poisson friction 0.1\n"
      "solve gauss(2) step 0.01 end 2\n");
  EXPECT_NEAR(disc["v"]["d.r"][1].get<double>(), -0.25, 1e-14);
  EXPECT_NEAR(disc["v"]["d.r"][0].get<double>(), -0.5, 1e-14);
  EXPECT_LT(disc["energy"]["final"].get<double>(), disc["energy"]["initial"].get<double>());
}

TEST(Contact, PainlevesRodJams) {
  const ContactJson report = run_text(
      "parameter mu = 1.6, a = atan(2)\ncoordinate x, y, th\nkinetic (x'^2 + y'^2)/2 + th'^2/6\npotential 9.81*y\n"
      "contact tip: y - sin(th) >= 0 friction mu along x' + sin(th)*th'\n"
      "initial th = a, y = sin(a), x' = -3\nsolve gauss(2) step 0.001 end 0.01\n");
  EXPECT_EQ(report["warnings"][0]["code"], "painleve");
  EXPECT_EQ(report["contacts"]["tip"]["state"], "sticking");
  // The slip -3 ends by an impulse that keeps the end on the floor: half of 3^2/D_TT, reduced by the coupling.
  const double Dnn = 1 + 3 * 0.2, Dtt = 1 + 3 * 0.8, Dnt = -3 * 0.4;
  EXPECT_NEAR(report["energy"]["impacts"].get<double>(), 9 / (2 * (Dtt - Dnt * Dnt / Dnn)), 1e-12);
}

TEST(Contact, ColumnsHoldGapForceSlipAndState) {
  const Folder folder;
  const std::string model = folder.write(
      "model.alm",
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\ncontact floor: y >= 0 friction 0.3 along x'\n"
      "initial x' = 3\nsolve gauss(2) step 0.1 end 2\n");
  const Outcome outcome = program({"run", model, "--quiet", "--out", folder / "rows.csv"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string text = file_text(folder / "rows.csv");
  EXPECT_NE(text.find("floor.gap,floor.force,floor.slip,floor.friction,floor.state"), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 22);  // the head and the grid, no more
  EXPECT_NE(text.find("9.81"), std::string::npos);
}

TEST(Contact, NormalForceOpensAContact) {
  // A ball slides over a circular hill: it leaves where cos(phi) = 2/3 + v0^2/(3 g R).
  const ContactJson report = run_text(
      "parameter R = 2, g = 9.81, v0 = 1\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential g*y\n"
      "contact hill: norm((x, y)) - R >= 0\ninitial y = R, x' = v0\nsolve gauss(4) step 0.005 end 1.2\n");
  const auto opens = of_kind(report, "open");
  ASSERT_EQ(opens.size(), 1u);
  EXPECT_NEAR(opens[0]["q"]["y"].get<double>() / 2, 2.0 / 3 + 1 / (3 * 9.81 * 2), 1e-11);
  EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-11);
}

TEST(Contact, ToleranceAndSamplesGoWithContacts) {
  const std::string model =
      "coordinate y\nkinetic y'^2/2\npotential 9.81*y + exp(-y)\ncontact floor: y >= 0 restitution 0.5\n"
      "initial y = 1\nsolve gauss(3) step 0.01 end 1.5\n";
  const ContactJson fixed = run_text(model), chosen = run_text(model, {"--tolerance", "1e-10"});
  ASSERT_EQ(of_kind(fixed, "impact").size(), of_kind(chosen, "impact").size());
  EXPECT_NEAR(of_kind(fixed, "impact")[2]["t"].get<double>(), of_kind(chosen, "impact")[2]["t"].get<double>(), 1e-8);
}

// The impulses of all bounces add up to u (1 + e)/(1 - e) of the first speed u; friction takes mu times that.
TEST(Contact, BouncesThatAccumulateBrakeByTheirImpulses) {
  const ContactJson report = run_text(
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
      "contact f: y >= 0 restitution 0.5 friction 0.2 along x'\ninitial x' = 3, y' = 2\nsolve gauss(2) step 0.01 end "
      "6\n");
  ASSERT_EQ(of_kind(report, "close").size(), 1u);
  EXPECT_NEAR(of_kind(report, "close")[0]["v"]["x"].get<double>(), 3 - 0.2 * 6, 1e-12);
  EXPECT_NEAR(of_kind(report, "close")[0]["t"].get<double>(), 4 / 9.81 / 0.5, 1e-8);
  EXPECT_NEAR(of_kind(report, "stick")[0]["t"].get<double>(), 8 / 9.81 + 1.8 / (0.2 * 9.81), 1e-10);
  EXPECT_NEAR(report["contacts"]["f"]["dissipated"].get<double>(), 6.5, 1e-9);
}

// Where a ball begins on the floor, its flights alone tell what is large.
TEST(Contact, ABallThrownFromTheFloorComesToRest) {
  const std::string model =
      "parameter e = 0.3\ncoordinate y\nkinetic y'^2/2\npotential 9.81*y\ncontact floor: y >= 0 restitution e\n"
      "initial y' = 2\nsolve gauss(2) step 0.003 end 3\n";
  for (const char* e : {"0.1", "0.3", "0.5"}) {
    const ContactJson report = run_text(model, {"--set", std::string("e=") + e});
    ASSERT_EQ(of_kind(report, "close").size(), 1u) << e;
    EXPECT_NEAR(of_kind(report, "close")[0]["t"].get<double>(), 4 / 9.81 / (1 - std::stod(e)), 1e-8) << e;
    EXPECT_NEAR(report["q"]["y"].get<double>(), 0, 1e-12);
  }
}

// A disc in a groove, a box whose corners share the load: where the forces that are found are not those that hold, the
// run ends; friction that adds energy is no result.
TEST(Contact, FrictionThatWouldAddEnergyEndsTheRun) {
  const Folder folder;
  const std::string path = folder.write("box.alm",
                                        "parameter m = 2, al = 0.3, mu = 0.32\n"
                                        "body b mass m inertia m/12*(0.4^2+0.2^2) planar at (0, 0.1)\n"
                                        "gravity (9.81*sin(al), -9.81*cos(al))\n"
                                        "contact c from b box (0.4, 0.2) to ground plane axis (0, 1) friction mu\n"
                                        "solve gauss(2) step 0.01 end 1\n");
  const Outcome outcome = program({"run", path, "--json"});
  const ContactJson report = ContactJson::parse(outcome.out);
  const double taken = report["energy"]["dissipated"];
  EXPECT_TRUE(outcome.code == 1 || taken > -1e-9) << taken;
  EXPECT_TRUE(outcome.code == 1 || std::abs(report["q"]["b.r"][0].get<double>()) < 1e-9) << "it rests: mu > tan(al)";
}

// A contact that is closed from the start is no reason to say nothing of steps that are too long.
TEST(Contact, StepsThatAreTooLongAreSaidWhereAContactIsClosed) {
  const std::string model =
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y + 400/2*x^2\ncontact floor: y >= 0\n"
      "initial x' = 1\nsolve gauss(2) step 0.15 end 6\n";
  EXPECT_EQ(run_text(model)["warnings"].size(), 1u) << "x is wrong by twice its range";
  const ContactJson fine = run_text(model, {"--step", "0.002"});
  EXPECT_TRUE(fine["warnings"].empty()) << fine["warnings"];
  EXPECT_NEAR(fine["q"]["x"].get<double>(), std::sin(120.0) / 20, 6e-6);
}

TEST(Contact, FrictionMayNotBecomeNegative) {
  const Folder folder;
  const std::string path = folder.write("negative.alm",
                                        "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                                        "contact f: y >= 0 friction 0.2 - t along x'\ninitial x' = 3\n"
                                        "solve gauss(2) step 0.01 end 1\n");
  const Outcome outcome = program({"run", path});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("must not be negative"), std::string::npos) << outcome.err;
}

TEST(Contact, WhatActsInItIsObserved) {
  // It falls for sqrt(2 h/g), loses its velocity down, slides with mu m g and stops.
  const ContactJson report = run_text(
      "parameter m = 2, g = 10, mu = 0.3, n = 0\ncoordinate x, y = 0.2\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n"
      "contact floor: y >= 0 friction mu along x'\ninitial x' = 2\n"
      "observe normal: floor.force\nobserve rubs: floor.friction\nobserve state: floor.state\n"
      "observe height: floor.gap\nobserve slip: floor.slip\nlet f = floor.force\nobserve twice: 2*f\n"
      "event slow: floor.slip = 1/2 falling\nwhen slow: n = n + 1\nobserve count: n\n"
      "solve gauss(2) step 0.01 end 1\n");
  const ContactJson& observed = report["observed"];
  const auto is = [&](const char* name, const char* what) { return observed[name][what].get<double>(); };
  EXPECT_NEAR(is("normal", "final"), 20, 1e-11);
  EXPECT_NEAR(is("normal", "min"), 0, 1e-11);
  EXPECT_NEAR(is("twice", "final"), 40, 1e-11);
  EXPECT_NEAR(is("rubs", "min"), -6, 1e-11) << "while it slides";
  EXPECT_NEAR(is("rubs", "final"), 0, 1e-9) << "nothing pulls at what sticks";
  EXPECT_EQ(is("state", "min"), 0);
  EXPECT_EQ(is("state", "final"), 3);
  EXPECT_EQ(is("count", "final"), 1);
  EXPECT_NEAR(is("height", "max"), 0.2, 1e-12);
  // At the impact friction takes mu times sqrt(2 g h) = 2 of the slip: 1.4 is left, 0.5 comes 0.3 later.
  for (const ContactJson& event : report["events"]) {
    if (event["name"] != "slow") continue;
    EXPECT_NEAR(event["t"].get<double>(), 0.2 + 0.3, 1e-10);
  }
}

TEST(Contact, ItsColumnsMayBeChosen) {
  const Folder folder;
  const std::string model = folder.write(
      "model.alm",
      "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\ncontact floor: y >= 0 friction 0.3 along x'\n"
      "initial x' = 3\nsolve gauss(2) step 0.1 end 2\n");
  const Outcome outcome =
      program({"run", model, "-q", "--columns", "t,floor.force,floor.state,x", "--out", folder / "rows.csv"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(file_text(folder / "rows.csv").find("t,floor.force,floor.state,x\n"), 0u);
}

}  // namespace
}  // namespace alembert::internal::apps_test
