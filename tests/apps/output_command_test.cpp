// Times, tolerances, events and sweeps on the command line.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> output_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

const char falling[] =
    "model \"Ball\"\ncoordinate y\nkinetic y'^2/2\npotential 10*y\ninitial y = 5\nevent half: y = 5/2\n"
    "stop when y = 0\nsolve lobatto(2) step 0.3 end 7\n";

TEST(OutputOptions, TimesGiveTheRowsOfAllFormats) {
  const Folder folder;
  const std::string csv = folder / "a.csv", json = folder / "a.json", h5 = folder / "a.h5";
  const Outcome outcome = program(
      {"run", "-", "--at", "0.25,1/3,0.1", "--sample", "0.5", "--end", "1", "--out", csv, "--out", json, "--out", h5},
      oscillator);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json table = Json::parse(file_text(json));
  std::vector<double> times;
  for (const Json& row : table["rows"]) {
    times.push_back(row[0]);
    EXPECT_NEAR(row[1].get<double>(), std::cos(times.back()), 1e-6);
  }
  EXPECT_EQ(times, (std::vector<double>{0, 0.1, 0.25, 1.0 / 3, 0.5, 1}));
  EXPECT_EQ(output_lines(file_text(csv)).size(), 7u);
  EXPECT_GT(std::filesystem::file_size(h5), 1000u);
  EXPECT_FALSE(table.contains("events")) << "the model has none";
  EXPECT_FALSE(std::filesystem::exists(folder / "a.events.csv"));
}

TEST(OutputOptions, EventsAreInAllOutputs) {
  const Folder folder;
  const std::string csv = folder / "a.csv", json = folder / "a.json", h5 = folder / "a.h5";
  const Outcome outcome =
      program({"run", "-", "--json", "--out", csv, "--out", json, "--out", h5, "--set", "y'=5"}, falling);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const double half = (5 + std::sqrt(25 + 50)) / 10, ground = (5 + std::sqrt(25 + 100)) / 10;
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report["stopped"], "stop");
  EXPECT_NEAR(report["t"].get<double>(), ground, 1e-14);
  ASSERT_EQ(report["events"].size(), 2u);
  EXPECT_EQ(report["events"][0]["name"], "half");
  EXPECT_NEAR(report["events"][0]["t"].get<double>(), half, 1e-14);
  EXPECT_NEAR(report["events"][0]["state"]["y"].get<double>(), 2.5, 1e-14);
  EXPECT_NEAR(report["events"][0]["state"]["y'"].get<double>(), 5 - 10 * half, 1e-13);

  const Json table = Json::parse(file_text(json));
  ASSERT_EQ(table["events"].size(), 2u);
  EXPECT_EQ(table["events"][1]["name"], "stop");
  EXPECT_EQ(table["events"][1]["values"][0], report["t"]);
  EXPECT_EQ(table["events"][1]["values"].size(), table["columns"].size());
  EXPECT_EQ(table["rows"].back()[0], report["t"]) << "the last row is where it stopped";
  const std::vector<std::string> events = output_lines(file_text(folder / "a.events.csv"));
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].find("event,t,y,y',"), 0u) << events[0];
  EXPECT_EQ(events[1].find("half,"), 0u) << events[1];
  EXPECT_EQ(std::stod(events[2].substr(5)), report["t"]);

  const Outcome shown = program({"run", "-"}, falling);
  EXPECT_NE(shown.out.find("half: at t = 0.70710678118654"), std::string::npos) << shown.out;
}

TEST(OutputOptions, ToleranceIsReported) {
  const std::string root = source_folder();
  const Outcome outcome =
      program({"run", root + "/models/kepler.alm", "--tolerance", "1e-7", "--end", "7", "--step", "1", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report["control"], "tolerance");
  EXPECT_GT(report["statistics"]["rejected"], 0);
  EXPECT_LT(report["statistics"]["smallest_step"], report["statistics"]["largest_step"]);
}

TEST(OutputOptions, WhatWasComputedIsOnDisk) {
  const Folder folder;
  const std::string csv = folder / "a.csv", root = source_folder();
  const Outcome small = program({"run", root + "/models/kepler.alm", "--method", "gauss(1)", "--tolerance", "1e-9",
                                 "--min-step", "0.01", "--step", "0.01", "--out", csv});
  EXPECT_EQ(small.code, 1);
  EXPECT_NE(small.err.find("shorter than 0.01"), std::string::npos) << small.err;
  EXPECT_GE(output_lines(file_text(csv)).size(), 2u);
  const Outcome many = program({"run", root + "/models/kepler.alm", "--tolerance", "1e-9", "--max-steps", "11",
                                "--sample", "0.01", "--out", csv});
  EXPECT_EQ(many.code, 1);
  EXPECT_NE(many.err.find("number of steps, 11"), std::string::npos) << many.err;
  EXPECT_GE(output_lines(file_text(csv)).size(), 12u);
}

TEST(ToleranceCommand, ChoosesTheMethodWhereNoneIsNamed) {
  const std::string model = source_folder() + "/models/pendulum.alm";
  const auto json = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", model, "--end", "2", "--json"});
    const Outcome outcome = program(more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const std::string alone = json({"--tolerance", "1e-8"});
  EXPECT_TRUE(has(alone, "\"chosen\":\"holonomic constraints; ")) << alone;
  EXPECT_TRUE(has(alone, "\"accuracy\":{\"estimate_per_time\":")) << alone;
  EXPECT_FALSE(has(alone, "\"method\":\"lobatto(3)\"")) << "solve belongs to steps of one size";
  EXPECT_TRUE(has(json({"--method", "auto"}), "\"chosen\":"));
  EXPECT_FALSE(has(json({"--tolerance", "1e-8", "--method", "gauss(2)"}), "\"chosen\":"));
  EXPECT_TRUE(has(json({"--tolerance", "1e-6", "--stages", "4"}), "\"method\":\"lobatto(4)\""));
  EXPECT_TRUE(has(program({"run", model, "--end", "2", "--tolerance", "1e-8"}).out, "\n  chosen "));
  const Outcome both = program({"run", model, "--method", "auto", "--stages", "3"});
  EXPECT_EQ(both.code, 2);
  EXPECT_TRUE(has(both.err, "--stages has no meaning with --method auto")) << both.err;
  // A model that says nothing but its equations.
  const Outcome bare = program({"run", "-", "--tolerance", "1e-6", "--end", "3"},
                               "coordinate x\nkinetic x'^2/2\npotential x^2/2\ninitial x = 1\n");
  EXPECT_EQ(bare.code, 0) << bare.err;
}

struct Wrong {
  std::vector<std::string> arguments;
  const char* said;
};

TEST(OutputOptions, WrongOnesAreRefusedWithTheirOwnMessage) {
  const Folder folder;
  const std::string out = folder / "a.csv";
  for (const Wrong& wrong : {
           Wrong{{"--tolerance", "2"}, "--tolerance must be between 1e-14 and 0.1"},
           Wrong{{"--tolerance", "1e-20"}, "--tolerance must be between"},
           Wrong{{"--tolerance", "0"}, "--tolerance"},
           Wrong{{"--tolerance", "tight"}, "--tolerance"},
           Wrong{{"--control", "revers"}, "--control is fixed, tolerance or reversible"},
           Wrong{{"--control", "fixed", "--tolerance", "1e-6"}, "--tolerance has no meaning here"},
           Wrong{{"--max-step", "0.1"}, "--control tolerance"},
           Wrong{{"--control", "reversible", "--growth", "3"}, "--growth has no meaning here"},
           Wrong{{"--control", "reversible", "--method", "radau(2)"}, "symmetric"},
           Wrong{{"--tolerance", "1e-6", "--growth", "0.9"}, "--growth"},
           Wrong{{"--tolerance", "1e-6", "--shrink", "1.5"}, "--shrink"},
           Wrong{{"--tolerance", "1e-6", "--good-steps", "0"}, "--good-steps"},
           Wrong{{"--max-steps", "0"}, "--max-steps"},
           Wrong{{"--tolerance", "1e-6", "--min-step", "-1"}, "--min-step"},
           Wrong{{"--at", "0.5,2000", "--out", out}, "--at 2000"},
           Wrong{{"--at", "0.5,,1", "--out", out}, "--at"},
           Wrong{{"--at", "0.5"}, "--out"},
           Wrong{{"--sample", "0", "--out", out}, "--sample"},
       }) {
    std::vector<std::string> arguments{"run", "-"};
    arguments.insert(arguments.end(), wrong.arguments.begin(), wrong.arguments.end());
    const Outcome outcome = program(arguments, oscillator);
    EXPECT_EQ(outcome.code, 2) << wrong.said;
    EXPECT_NE(outcome.err.find(wrong.said), std::string::npos) << outcome.err;
  }
}

TEST(SweepCommand, TabulatesAndWrites) {
  const Folder folder;
  const Outcome outcome = program({"sweep", "-", "--vary", "k=1,4", "--vary", "x=1,2,3", "--report",
                                   "q.x,energy.max_error", "--end", "1", "--out", folder / "a.csv"},
                                  oscillator);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(output_lines(outcome.out).size(), 8u) << outcome.out;
  const std::vector<std::string> lines = output_lines(file_text(folder / "a.csv"));
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[0], "k,x,q.x,energy.max_error,failure,warnings");
  EXPECT_EQ(lines[5].find("4,2,"), 0u) << lines[5];
  EXPECT_NEAR(std::stod(lines[5].substr(4)), 2 * std::cos(2), 1e-3);
  const Outcome json = program({"sweep", "-", "--vary", "k=1,4", "--json"}, oscillator);
  EXPECT_EQ(Json::parse(json.out)["rows"].size(), 2u);
}

TEST(SweepCommand, WrongNamesAndFailures) {
  for (const Wrong& wrong : {
           Wrong{{"--vary", "kk=1"}, "kk"},
           Wrong{{"--vary", "k"}, "--vary wants"},
           Wrong{{"--vary", "k=1,,2"}, "k="},
           Wrong{{"--vary", "k=1", "--vary", "k=2"}, "twice"},
           Wrong{{"--vary", "k=1", "--report", "energy.mx_error"}, "'energy.max_error'"},
           Wrong{{"--vary", "k=1", "--out", "a.txt"}, ".csv"},
           Wrong{{"--vary", "k=1", "--method", "gaus(2)"}, "'gauss'"},
           Wrong{{}, "--vary"},
       }) {
    std::vector<std::string> arguments{"sweep", "-"};
    arguments.insert(arguments.end(), wrong.arguments.begin(), wrong.arguments.end());
    const Outcome outcome = program(arguments, oscillator);
    EXPECT_EQ(outcome.code, 2) << wrong.said;
    EXPECT_NE(outcome.err.find(wrong.said), std::string::npos) << outcome.err;
  }
  const Outcome partly = program({"sweep", "-", "--vary", "m=1,0"},
                                 "parameter m = 1\ncoordinate x\nkinetic m*x'^2/2\nsolve gauss(1) step 0.1 end 1\n");
  EXPECT_EQ(partly.code, 1);
  EXPECT_NE(partly.out.find("failed: "), std::string::npos) << partly.out;
}

}  // namespace
}  // namespace alembert::internal::apps_test
