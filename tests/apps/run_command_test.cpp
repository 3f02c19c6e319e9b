// alembert run, as a user meets it.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/program.h"

namespace alembert::internal::apps_test {
namespace {

using Json = nlohmann::ordered_json;
using testing::Test;

Json run_json(std::vector<std::string> arguments, const std::string& input = {}) {
  arguments.insert(arguments.begin(), "run");
  arguments.push_back("--json");
  const Outcome outcome = program(arguments, input);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

TEST(RunCommand, ReportsAndExitsWithZero) {
  const Folder folder;
  const Outcome outcome = program({"run", folder.write("p.alm", pendulum)});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "") << "no progress bar where nobody watches";
  EXPECT_EQ(outcome.out.find("Pendulum: lobatto(3), 100 steps of 0.01 to t = 1\n"), 0u) << outcome.out;
  for (const char* word : {"energy", "position", "velocity", "height", "Newton", "time"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << "\n" << outcome.out;
  }
}

TEST(RunCommand, QuietSaysNothing) {
  const Outcome outcome = program({"run", "-", "--quiet"}, pendulum);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST(RunCommand, JsonIsOneObjectWithTheContractsKeys) {
  const Json j = run_json({"-"}, pendulum);
  for (const char* key : {"model", "method", "stages", "step", "t", "order", "q", "v", "p", "multipliers", "energy",
                          "residual", "invariants", "statistics"}) {
    EXPECT_TRUE(j.contains(key)) << key;
  }
  EXPECT_EQ(j["model"], "Pendulum");
  EXPECT_EQ(j["method"], "lobatto(3)");
  EXPECT_EQ(j["stages"], 3);
  EXPECT_EQ(j["t"], 1.0);
  EXPECT_EQ(j["order"]["q"], 4);
  EXPECT_EQ(j["statistics"]["steps"], 100);
  EXPECT_NEAR(std::hypot(j["q"]["x"].get<double>(), j["q"]["y"].get<double>()), 1, 1e-14);
  // The rod's force from the energy: lambda = (v^2 - g y)/2 for g = x^2 + y^2 - 1 and r = -g_q^T lambda.
  const double y = j["q"]["y"], vx = j["v"]["x"], vy = j["v"]["y"];
  EXPECT_NEAR(std::abs(j["multipliers"]["rod"].get<double>()), std::abs(vx * vx + vy * vy - 9.81 * y) / 2, 1e-11);
  EXPECT_NEAR((vx * vx + vy * vy) / 2, -9.81 * y, 1e-6) << "energy of the release from rest at y = 0";
  EXPECT_EQ(j["p"]["x"], j["v"]["x"]) << "m = 1";
  EXPECT_LT(j["residual"]["position"], 1e-14);
}

TEST(RunCommand, OscillatorReachesTheCosine) {
  const Json forward = run_json({"-"}, oscillator);
  EXPECT_NEAR(forward["q"]["x"].get<double>(), std::cos(2), 1e-11);
  EXPECT_NEAR(forward["v"]["x"].get<double>(), -std::sin(2), 1e-11);
}

TEST(RunCommand, RunsBackwardInTime) {
  for (const std::vector<std::string>& way :
       {std::vector<std::string>{"-", "--step", "-0.05", "--end", "-2"}, {"-", "--step=-0.05", "--end=-2"}}) {
    const Json j = run_json(way, oscillator);
    EXPECT_EQ(j["t"], -2.0);
    EXPECT_EQ(j["step"], -0.05);
    EXPECT_NEAR(j["q"]["x"].get<double>(), std::cos(2), 1e-11);
    EXPECT_NEAR(j["v"]["x"].get<double>(), std::sin(2), 1e-11);
  }
}

TEST(RunCommand, StepMayBeAQuotient) {
  EXPECT_EQ(run_json({"-", "--step", "1/128", "--end", "1"}, oscillator)["statistics"]["steps"], 128);
}

TEST(RunCommand, SetReplacesParametersAndInitialValues) {
  const Json stiff = run_json({"-", "--set", "k=4", "--set", "x'=2"}, oscillator);
  // x = cos 2t + sin 2t
  EXPECT_NEAR(stiff["q"]["x"].get<double>(), std::cos(4) + std::sin(4), 1e-9);
  const Json moved = run_json({"-", "--set", "x=3"}, oscillator);
  EXPECT_NEAR(moved["q"]["x"].get<double>(), 3 * std::cos(2), 1e-10);
}

TEST(RunCommand, MethodStagesStepAndEndReplaceTheModels) {
  const Json j = run_json({"-", "--method", "gauss(2)", "--step", "0.1", "--end", "0.5"}, oscillator);
  EXPECT_EQ(j["method"], "gauss(2)");
  EXPECT_EQ(j["t"], 0.5);
  const Json more = run_json({"-", "--stages", "5"}, oscillator);
  EXPECT_EQ(more["method"], "gauss(5)");
  EXPECT_EQ(more["order"]["q"], 10);
}

TEST(RunCommand, WithoutSolveTheMethodIsLobatto3AndStepIsAskedFor) {
  std::string bare = oscillator;
  bare.erase(bare.find("solve"));
  EXPECT_EQ(run_json({"-", "--step", "0.1", "--end", "1"}, bare)["method"], "lobatto(3)");
  for (const std::vector<std::string>& given :
       {std::vector<std::string>{"run", "-"}, {"run", "-", "--step", "0.1"}, {"run", "-", "--end", "1"}}) {
    const Outcome outcome = program(given, bare);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("solve"), std::string::npos) << outcome.err;
  }
}

TEST(RunCommand, WritesEveryNthRowAndTheLast) {
  const Folder folder;
  const std::string csv = folder / "a.csv", json = folder / "a.json", h5 = folder / "a.h5";
  const Outcome outcome = program({"run", "-", "--out", csv, "--out", json, "-o", h5, "--every", "30"}, pendulum);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(csv), std::string::npos) << "says what it wrote";
  const Json table = Json::parse(file_text(json));
  std::vector<double> times;
  for (const auto& row : table["rows"]) times.push_back(row[0]);
  ASSERT_EQ(times.size(), 5u);  // 0, 30, 60, 90, 100
  EXPECT_NEAR(times[3], 0.9, 1e-15);
  EXPECT_EQ(times[4], 1.0);
  EXPECT_EQ(table["columns"][0], "t");
  EXPECT_EQ(table["columns"][1], "x");
  std::istringstream lines(file_text(csv));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line.find("t,x,y,x',y',"), 0u) << line;
  // The same numbers in both, to the last bit.
  for (const auto& row : table["rows"]) {
    std::getline(lines, line);
    const char* at = line.c_str();
    for (const auto& value : row) {
      char* end = nullptr;
      EXPECT_EQ(std::strtod(at, &end), value.get<double>());
      at = end + 1;
    }
  }
  EXPECT_EQ(file_text(h5).substr(1, 3), "HDF");
}

TEST(RunCommand, TrajectoryEndsWhereTheReportEnds) {
  const Folder folder;
  const Json report = run_json({"-", "--out", folder / "a.json"}, pendulum);
  const Json table = Json::parse(file_text(folder / "a.json"));
  const Json last = table["rows"].back();
  const auto column = [&](const std::string& name) {
    const auto& names = table["columns"];
    return last.at(std::find(names.begin(), names.end(), name) - names.begin()).get<double>();
  };
  EXPECT_EQ(column("x"), report["q"]["x"]);
  EXPECT_EQ(column("y'"), report["v"]["y"]);
  EXPECT_NEAR(column("lambda.rod"), report["multipliers"]["rod"].get<double>(), 1e-12);
}

// x'' = 2 x^3 with x(0) = x'(0) = 1 is x = 1/(1 - t): nothing can integrate past t = 1.
constexpr char blow_up[] = R"(model "Blow-up"
coordinate x
kinetic x'^2/2
potential -x^4/2
initial x = 1, x' = 1
solve gauss(2) step 0.01 end 3
)";

TEST(RunCommand, FailingNumbersExitWithOneAndKeepTheRows) {
  const Folder folder;
  const Outcome outcome =
      program({"run", "-", "--json", "--out", folder / "a.json", "--out", folder / "a.csv"}, blow_up);
  EXPECT_EQ(outcome.code, 1);
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report["ending"], "failed");
  EXPECT_NE(report["reason"].get<std::string>().find("t = "), std::string::npos) << report["reason"];
  EXPECT_NE(outcome.err.find(report["reason"].get<std::string>()), std::string::npos) << outcome.err;
  EXPECT_LT(report["t"], 1.2);
  const Json rows = Json::parse(file_text(folder / "a.json"))["rows"];
  ASSERT_GT(rows.size(), 80u);
  EXPECT_NEAR(rows[50][1].get<double>(), 2, 1e-6) << "1/(1 - t) at t = 0.5";
  EXPECT_EQ(file_text(folder / "a.csv").back(), '\n');
}

TEST(RunCommand, FailureIsInTheTextReportToo) {
  const Outcome outcome = program({"run", "-"}, blow_up);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out.find("Blow-up: gauss(2), failed after"), 0u) << outcome.out;
  EXPECT_NE(outcome.err, "");
  const Outcome quiet = program({"run", "-", "--quiet"}, blow_up);
  EXPECT_EQ(quiet.code, 1);
  EXPECT_EQ(quiet.out, "");
  EXPECT_NE(quiet.err, "");
}

class RunInterrupted : public testing::TestWithParam<int> {};

TEST_P(RunInterrupted, WritesWhatIsThereAndSaysSo) {
  const Folder folder;
  const std::string csv = folder / "a.csv", json = folder / "a.json", h5 = folder / "a.h5";
  Process process({"run", "-", "--end", "1e7", "--every", "100", "--json", "--out", csv, "--out", json, "--out", h5},
                  pendulum);
  // Once rows are on disk the run is under way.
  for (int i = 0; i < 600 && file_text(csv).find("\n1") == std::string::npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  process.signal(GetParam());
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report["ending"], "interrupted");
  EXPECT_NE(outcome.err.find("interrupted"), std::string::npos) << outcome.err;
  const double t = report["t"];
  EXPECT_GT(t, 0);
  EXPECT_LT(t, 1e7);
  const Json rows = Json::parse(file_text(json))["rows"];
  EXPECT_EQ(rows.back()[0].get<double>(), t) << "the last step is written";
  std::string text = file_text(csv);
  ASSERT_EQ(text.back(), '\n');
  text.pop_back();
  EXPECT_EQ(std::strtod(text.c_str() + text.rfind('\n') + 1, nullptr), t);
}

INSTANTIATE_TEST_SUITE_P(Signals, RunInterrupted, testing::Values(SIGINT, SIGTERM),
                         [](const auto& info) { return info.param == SIGINT ? "SIGINT" : "SIGTERM"; });

struct WrongRun {
  std::string name;
  std::vector<std::string> arguments;
  std::string said;  // must occur in the message
};
void PrintTo(const WrongRun& wrong, std::ostream* out) { *out << wrong.name; }

class RunRefuses : public testing::TestWithParam<WrongRun> {};

TEST_P(RunRefuses, WithTwoAndAMessage) {
  const Outcome outcome = program(GetParam().arguments, pendulum);
  EXPECT_EQ(outcome.code, 2) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(GetParam().said), std::string::npos) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    Input, RunRefuses,
    testing::Values(WrongRun{"no_model", {"run"}, "MODEL"},
                    WrongRun{"missing_file", {"run", "nowhere.alm"}, "nowhere.alm"},
                    WrongRun{"folder", {"run", "/"}, "/"},
                    WrongRun{"unknown_option", {"run", "-", "--stpe", "0.1"}, "'--step'"},
                    WrongRun{"unknown_option_first", {"run", "--stpe", "0.1", "-"}, "'--step'"},
                    WrongRun{"unknown_short", {"run", "-", "-z"}, "'-z'"},
                    WrongRun{"second_model", {"run", "-", "other.alm"}, "other.alm"},
                    WrongRun{"step_without_value", {"run", "-", "--step"}, "--step"},
                    WrongRun{"step_word", {"run", "-", "--step", "small"}, "'small'"},
                    WrongRun{"step_zero", {"run", "-", "--step", "0"}, "step"},
                    WrongRun{"step_nan", {"run", "-", "--step", "nan"}, "--step"},
                    WrongRun{"step_quotient_of_zero", {"run", "-", "--step", "1/0"}, "--step"},
                    WrongRun{"step_rubbish_behind", {"run", "-", "--step", "0.1s"}, "--step"},
                    WrongRun{"end_infinite", {"run", "-", "--end", "inf"}, "--end"},
                    WrongRun{"end_huge", {"run", "-", "--end", "1e400"}, "--end"},
                    WrongRun{"wrong_direction", {"run", "-", "--step", "-0.01", "--end", "1"}, "step"},
                    WrongRun{"unknown_method", {"run", "-", "--method", "lobato(3)"}, "'lobatto'"},
                    WrongRun{"broken_method", {"run", "-", "--method", "lobatto(3"}, "--method"},
                    WrongRun{"method_number", {"run", "-", "--method", "3"}, "method"},
                    WrongRun{"one_lobatto_stage", {"run", "-", "--method", "lobatto(1)"}, "lobatto"},
                    WrongRun{"half_a_stage", {"run", "-", "--method", "gauss(1.5)"}, "gauss"},
                    WrongRun{"stages_word", {"run", "-", "--stages", "three"}, "--stages"},
                    WrongRun{"stages_zero", {"run", "-", "--stages", "0"}, "--stages"},
                    WrongRun{"stages_many", {"run", "-", "--stages", "100000000000"}, "stages"},
                    WrongRun{"every_zero", {"run", "-", "--every", "0"}, "--every"},
                    WrongRun{"every_negative", {"run", "-", "--every", "-5"}, "--every"},
                    WrongRun{"set_unknown", {"run", "-", "--set", "gravty=1"}, "'gravity'"},
                    WrongRun{"set_nothing", {"run", "-", "--set", "m"}, "m"},
                    WrongRun{"set_word", {"run", "-", "--set", "m=heavy"}, "heavy"},
                    WrongRun{"out_ending", {"run", "-", "--out", "a.txt"}, ".csv"},
                    WrongRun{"out_twice", {"run", "-", "--out", "/tmp/a.csv", "--out", "/tmp/../tmp/a.csv"}, "twice"},
                    WrongRun{"unknown_command", {"rnu", "-"}, "'run'"},
                    WrongRun{"unknown_top_option", {"--versoin"}, "'--version'"}),
    [](const auto& info) { return info.param.name; });

TEST(RunCommand, RefusedRunLeavesOldResultsAlone) {
  const Folder folder;
  const std::string old = folder.write("a.csv", "precious\n");
  EXPECT_EQ(program({"run", "-", "--step", "0", "--out", old, "--out", folder / "b.h5"}, pendulum).code, 2);
  EXPECT_EQ(file_text(old), "precious\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "b.h5"));
}

TEST(RunCommand, EveryErrorOfTheModelIsShownWithItsPlace) {
  std::string broken = pendulum;
  broken.replace(broken.find("gravity*y"), 9, "gravty*yy");
  const Outcome outcome = program({"run", "-"}, broken);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("gravty"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("'gravity'"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("yy"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(":5:"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("^~~"), std::string::npos) << outcome.err;
}

TEST(RunCommand, WhatIsWrongInModelMethodAndOptionsIsSaidAtOnce) {
  const Folder folder;
  const std::string model = folder.write(
      "m.alm", "parameter m = 1\ncoordinate x\nkinetic m/2*x'^2\npotential mm*x\nsolve lobato(3) step 0.1 end 1\n");
  const Outcome outcome = program(
      {"run",     model,    "--set",    "q=3",   "--set",       "m=abc", "--set",          "q=2",     "--method",
       "gaus(2)", "--step", "abc",      "--end", "zz",          "--out", folder / "a.csv", "--every", "0",
       "--at",    "1,x",    "--newton", "fast",  "--tolerance", "-1",    "--start",        "now"});
  EXPECT_EQ(outcome.code, 2);
  for (const char* part :
       {"m.alm:4:11: unknown name 'mm'", "m.alm:5:7: unknown method 'lobato'", "unknown name 'q'", "unknown name 'abc'",
        "--set gives 'q' twice", "unknown method 'gaus'", "--step wants a finite number, not 'abc'",
        "--end wants a finite number, not 'zz'", "--every wants", "--at wants a finite number, not 'x'",
        "--newton is exact", "--tolerance wants a number above 0", "--start wants"})
    EXPECT_NE(outcome.err.find(part), std::string::npos) << part << "\nin\n" << outcome.err;
}

// The file says all that it takes to make the run again.
TEST(RunCommand, FilesHoldInputsAndTolerances) {
  const Folder folder;
  folder.write("wind.csv", "t,F\n0,1\n1,2\n");
  folder.write("road.csv", "x,h\n0,0\n9,1\n");
  const std::string model =
      folder.write("m.alm",
                   "parameter k = 1\ninput F = 0\ntable road(x) = \"road.csv\"\ncoordinate x\nkinetic x'^2/2\n"
                   "force x = F - k*x + road(t)\n");
  const Outcome outcome = program({"run", model, "--input", "F=" + (folder / "wind.csv"), "--set", "k=2", "--tolerance",
                                   "1e-6", "--end", "1", "--out", folder / "a.json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::ifstream file(folder / "a.json");
  const Json attributes = Json::parse(file).at("attributes");
  EXPECT_TRUE(attributes.at("step").is_number());
  EXPECT_EQ(attributes.at("tolerance"), 1e-6);
  EXPECT_EQ(attributes.at("control"), "tolerance");
  EXPECT_EQ(attributes.at("overrides"), "k=2\n");
  EXPECT_EQ(attributes.at("inputs"), "F=" + (folder / "wind.csv") + "\n");
  EXPECT_EQ(attributes.at("file:" + (folder / "wind.csv")), "t,F\n0,1\n1,2\n");
  EXPECT_EQ(attributes.at("file:" + (folder / "road.csv")), "x,h\n0,0\n9,1\n");
}

TEST(RunCommand, RubbishAndEmptyInputAreRefused) {
  std::string rubbish;
  for (int i = 0; i < 5000; ++i) rubbish += static_cast<char>((i * 7919) >> 3);
  for (const std::string& text : {std::string(), std::string("\n\n"), rubbish, std::string(3, '\0')}) {
    const Outcome outcome = program({"run", "-"}, text);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_NE(outcome.err, "");
  }
}

}  // namespace
}  // namespace alembert::internal::apps_test
