#include "alembert/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

namespace alembert::internal {
namespace {

using Json = nlohmann::ordered_json;

/// A scalar x, a vector q[2], a family r[i][3] of two; constraints g, k, g in this order.
class RunReport : public ::testing::Test {
 protected:
  RunReport() {
    names.coordinates = {{"x", {}, 0, ""}, {"q", {2}, 1, ""}, {"r", {2, 3}, 3, ""}};
    names.momenta = names.coordinates;
    names.constraints = {{"rod1", 0, -1}, {"roll", -1, 0}, {"rod[2]", 1, -1}};
    names.holonomic = {"rod1", "rod[2]"};
    names.nonholonomic = {"roll"};
    names.invariants = {{"spin", {}, 0, ""}, {"linear", {2}, 1, ""}};
    report.model = "Sample";
    report.method = "lobatto(3)";
    report.stages = 3;
    report.step = 0.01;
    report.t = 240;
    report.steps = 24000;
    report.order = {4, 4, 3};
    report.has_energy = true;
    report.energy = {-0.0, 1e-6, 1.7e-5};
    report.drift = {1.2e-12, 3.1e-12};
    report.position = 3.3e-16;
    report.velocity = 2.9e-15;
    report.nonholonomic = 4e-16;
    report.invariants = {{1, 1.5, 0.5}, {2, 2, 0}, {3, 4, 1}};
    for (int i = 0; i < 9; ++i) {
      report.y.push_back(i);
      report.z.push_back(10 + i);
      report.v.push_back(20 + i);
      report.momentum.push_back(30 + i);
    }
    report.lambda = {5, 6};
    report.psi = {7};
    report.newton.iterations = 48000;
    report.newton.factorizations = 24000;
    report.newton.factorization_sizes = {14};
    report.newton.evaluations = 48001;
    report.run_seconds = 0.05;
    report.compile_seconds = 0.12;
    report.internal = {8};
    report.internal_names = {"Lambda_1"};
  }
  Json json() const { return Json::parse(to_json(report)); }
  std::string text() const { return to_text(report); }

  Report report;
  ReportNames& names = report.names;
};

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}
using Names = std::vector<std::string>;

TEST_F(RunReport, JsonHasTheKeysOfTheContract) {
  const Json j = json();
  EXPECT_EQ(keys(j),
            (Names{"model",    "method",     "stages",          "step",      "t",        "order",      "q",
                   "v",        "p",          "multipliers",     "energy",    "residual", "invariants", "accuracy",
                   "warnings", "statistics", "initial_changes", "redundant", "ending",   "reason",     "internal"}));
  EXPECT_TRUE(j["accuracy"].is_null());
  EXPECT_EQ(j["warnings"], Json::array());
  EXPECT_EQ(keys(j["order"]), (Names{"q", "v", "multiplier"}));
  EXPECT_EQ(keys(j["energy"]), (Names{"initial", "final", "max_error", "drift_per_time", "drift_uncertainty"}));
  EXPECT_EQ(keys(j["residual"]), (Names{"position", "velocity", "nonholonomic"}));
  EXPECT_EQ(keys(j["statistics"]), (Names{"steps", "rejected", "kinks", "newton_iterations", "factorizations",
                                          "factorization_sizes", "evaluations", "compile_seconds", "run_seconds"}));
  EXPECT_EQ(j["order"]["multiplier"], 3);
  EXPECT_EQ(j["energy"]["max_error"], 1.7e-5);
  EXPECT_EQ(j["statistics"]["newton_iterations"], 48000);
  EXPECT_EQ(j["statistics"]["factorization_sizes"], Json({14}));
  EXPECT_EQ(j["ending"], "done");
  EXPECT_TRUE(j["reason"].is_null());
  EXPECT_EQ(j["internal"]["Lambda_1"], 8.0);
  EXPECT_EQ(to_json(report).find('\n'), std::string::npos) << "one object on one line";
}

TEST_F(RunReport, WarningsAndAccuracyAreSaid) {
  report.warnings = {{"energy", "the energy changed", 2.5}};
  report.accuracy = Accuracy{.per_time = 3e-6, .per_step = 4e-8, .worst_t = 1.5, .compared = 12};
  report.account = EnergyAccount{.dissipated = 0.5, .supplied = 0.25, .error = 1e-9};
  const Json j = json();
  EXPECT_EQ(j["warnings"].dump(), R"([{"code":"energy","text":"the energy changed","t":2.5}])");
  EXPECT_EQ(j["accuracy"]["estimate_per_time"], 3e-6);
  EXPECT_EQ(j["energy"]["dissipated"], 0.5);
  EXPECT_EQ(j["energy"]["supplied"], 0.25);
  EXPECT_NE(to_text(report).find("  warning     the energy changed\n"), std::string::npos) << to_text(report);
  EXPECT_NE(to_text(report).find("  accuracy    3e-06 a unit of time"), std::string::npos) << to_text(report);
}

TEST_F(RunReport, JsonValuesFollowTheShapes) {
  const Json j = json();
  EXPECT_EQ(j["q"].dump(), R"({"x":0.0,"q":[1.0,2.0],"r":[[3.0,4.0,5.0],[6.0,7.0,8.0]]})");
  EXPECT_EQ(j["v"].dump(), R"({"x":20.0,"q":[21.0,22.0],"r":[[23.0,24.0,25.0],[26.0,27.0,28.0]]})");
  EXPECT_EQ(j["p"].dump(), R"({"x":30.0,"q":[31.0,32.0],"r":[[33.0,34.0,35.0],[36.0,37.0,38.0]]})");
}

TEST_F(RunReport, MultipliersGoToTheirConstraints) {
  EXPECT_EQ(json()["multipliers"].dump(), R"({"rod1":5.0,"roll":7.0,"rod[2]":6.0})");
}

TEST_F(RunReport, VectorInvariantsAreArrays) {
  EXPECT_EQ(json()["invariants"].dump(), R"({"spin":{"initial":1.0,"final":1.5,"max_error":0.5},)"
                                         R"("linear":{"initial":[2.0,3.0],"final":[2.0,4.0],"max_error":[0.0,1.0]}})");
}

TEST_F(RunReport, MomentaGoByTheirOwnNamesInTheHamiltonianForm) {
  names.momenta = {{"px", {}, 0, ""}, {"pq", {2}, 1, ""}, {"pr", {2, 3}, 3, ""}};
  const Json j = json();
  EXPECT_EQ(keys(j["p"]), (Names{"px", "pq", "pr"}));
  EXPECT_EQ(j["p"]["pq"].dump(), "[31.0,32.0]");
  EXPECT_EQ(keys(j["v"]), (Names{"x", "q", "r"}));
  EXPECT_FALSE(j.contains("variables"));
}

TEST_F(RunReport, GeneralFormHasVariablesAndMayHaveNoEnergy) {
  names.variables = {{"y", {2}, 0, ""}, {"z", {2}, 9, ""}, {"w", {}, 11, ""}};
  report.has_energy = false;
  const Json j = json();
  EXPECT_EQ(j["variables"].dump(), R"({"y":[0.0,1.0],"z":[10.0,11.0],"w":12.0})");
  EXPECT_TRUE(j["energy"].is_null());
  EXPECT_NE(text().find("none in this model"), std::string::npos);
}

TEST_F(RunReport, WhatIsNotFiniteOrMissingIsNull) {
  report.y[0] = std::nan("");
  report.lambda[0] = std::numeric_limits<double>::infinity();
  report.psi.clear();
  report.v.clear();
  report.drift.uncertainty = -std::numeric_limits<double>::infinity();
  const Json j = json();
  EXPECT_TRUE(j["q"]["x"].is_null());
  EXPECT_EQ(j["multipliers"].dump(), R"({"rod1":null,"roll":null,"rod[2]":6.0})");
  EXPECT_EQ(j["v"]["q"].dump(), "[null,null]");
  EXPECT_TRUE(j["energy"]["drift_uncertainty"].is_null());
}

TEST_F(RunReport, JsonNumbersComeBack) {
  for (const double value : {0.1, 1.0 / 3, 5e-324, std::numeric_limits<double>::max(), 1e23, -0.0}) {
    report.y[1] = value;
    const double read = json()["q"]["q"][0].get<double>();
    EXPECT_EQ(read, value);
    EXPECT_EQ(std::signbit(read), std::signbit(value));
  }
}

TEST_F(RunReport, JsonSurvivesOddNames) {
  report.model = "quote \" back \\ line \n bad \xff utf-8";
  EXPECT_NO_THROW(json());
}

TEST_F(RunReport, TextSaysWhatWasKept) {
  EXPECT_EQ(
      text(),
      "Sample: lobatto(3), 24000 steps of 0.01 to t = 240\n"
      "  energy      0 initially, max error 1.7e-05, drift (1.2 ± 3.1)e-12 per time: none beyond its uncertainty\n"
      "  constraints position 3.3e-16   velocity 2.9e-15   nonholonomic 4e-16   (largest residual of g, g', k over all "
      "steps)\n"
      "  invariants  spin: 1 initially, max error 0.5\n"
      "              linear: (2, 3) initially, max error 1\n"
      "  Newton      2.0 iterations a step, 24000 factorisations of 14 x 14\n"
      "  time        0.05 s (+ 0.12 s compiling)\n");
}

TEST_F(RunReport, TextTellsARealDriftFromNone) {
  report.drift = {-2.5e-7, 1.1e-9};
  EXPECT_NE(text().find("drift (-2.500 ± 0.011)e-07 per time: beyond its uncertainty"), std::string::npos) << text();
  report.drift = {1.9e-9, 1e-9};
  EXPECT_NE(text().find("none beyond"), std::string::npos) << text();
  report.drift = {0, 0};
  EXPECT_NE(text().find("drift 0 per time\n"), std::string::npos) << text();
  report.drift = {1e-3, std::nan("")};
  EXPECT_EQ(text().find("drift"), std::string::npos) << text();
}

TEST_F(RunReport, TextSaysWhatWasMovedAndWhatIsRedundant) {
  for (int i = 1; i <= 9; ++i) report.initial.changes.push_back({"q" + std::to_string(i), 0.0, 0.5});
  report.initial.redundant = {"rod5 follows from rod1, rod2"};
  report.note = "negative control";
  const std::string said = text();
  EXPECT_NE(said.find("moved onto the constraints: q1 from 0 to 0.5, "), std::string::npos) << said;
  EXPECT_NE(said.find("and 3 more"), std::string::npos) << said;
  EXPECT_EQ(said.find("q7"), std::string::npos) << said;
  EXPECT_NE(said.find("rod5 follows from rod1, rod2"), std::string::npos) << said;
  EXPECT_NE(said.find("note        negative control"), std::string::npos) << said;
  EXPECT_EQ(json()["initial_changes"].size(), 9u);
  EXPECT_EQ(json()["redundant"], Json({"rod5 follows from rod1, rod2"}));
}

TEST_F(RunReport, FailureAndInterruptionAreSaid) {
  report.ending = Ending::failed;
  report.reason = "Newton's method does not converge in the step from t = 1.5 to 1.51";
  report.steps = 150;
  report.t = 1.5;
  EXPECT_EQ(text().find("Sample: lobatto(3), failed after 150 steps of 0.01, at t = 1.5\n  failed      Newton's"), 0u)
      << text();
  EXPECT_EQ(json()["ending"], "failed");
  EXPECT_EQ(json()["reason"], report.reason);
  report.ending = Ending::interrupted;
  EXPECT_EQ(text().find("Sample: lobatto(3), interrupted after"), 0u) << text();
  EXPECT_EQ(json()["ending"], "interrupted");
}

TEST_F(RunReport, EntriesAreTheLeavesOfTheJson) {
  report.y[4] = std::nan("");
  std::map<std::string, ReportEntry> found;
  for (const ReportEntry& entry : entries(report)) EXPECT_TRUE(found.emplace(entry.path, entry).second) << entry.path;
  EXPECT_EQ(std::get<std::string>(found.at("method").value), "lobatto(3)");
  EXPECT_EQ(std::get<long>(found.at("statistics.steps").value), 24000);
  EXPECT_EQ(std::get<double>(found.at("q.r[2][3]").value), 8);
  EXPECT_EQ(std::get<double>(found.at("multipliers.rod[2]").value), 6);
  EXPECT_EQ(std::get<double>(found.at("energy.max_error").value), 1.7e-5);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(found.at("q.r[1][2]").value)) << "not finite";
  EXPECT_TRUE(std::holds_alternative<std::monostate>(found.at("reason").value)) << "nothing to say";
}

TEST_F(RunReport, PortsStandUnderTheirNames) {
  report.port = PortReport{
      {{"v", {2}, 0, ""}}, {{"F", {}, 0, ""}}, {{"s", {}, 0, ""}}, {1, 2}, {3}, {4}, {"left", "right"}, {5, 6}, {7, 8}};
  const Json j = json();
  EXPECT_EQ(j["variables"].dump(), R"({"v":[1.0,2.0]})");
  EXPECT_EQ(j["inputs"].dump(), R"({"F":3.0})");
  EXPECT_EQ(j["outputs"].dump(), R"({"s":4.0})");
  EXPECT_EQ(j["energies"]["right"].dump(), R"({"initial":8.0,"final":6.0})");
  EXPECT_NE(text().find("components  energy of left from 7 to 5, right from 8 to 6\n"), std::string::npos) << text();
}

TEST_F(RunReport, InvariantThatBecameNanIsNotHidden) {
  report.invariants[1].max_error = std::nan("");
  EXPECT_NE(text().find("linear: (2, 3) initially, max error nan"), std::string::npos) << text();
}

}  // namespace
}  // namespace alembert::internal
