// Trajectories in memory and from disk, the points and rods found in them, and their figures.

#include "alembert/trajectory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "alembert/error.h"
#include "alembert/plot/figures.h"
#include "conformance/problems.h"

namespace alembert::internal::testing {
namespace {

Trajectory record(const Model& model, const std::string& method_text, double step, double end,
                  const std::vector<std::string>& files = {}, std::size_t most_rows = 100'000) {
  Recorder recorder(most_rows);
  SimulateOptions options;
  options.step = step, options.end = end;
  std::vector<std::unique_ptr<Observer>> writers;
  for (const std::string& file : files) writers.push_back(make_writer(file));
  options.observers.push_back(&recorder);
  for (const auto& writer : writers) options.observers.push_back(writer.get());
  EXPECT_EQ(simulate(model, derive(model), method(method_text), options).ending, Ending::done);
  return recorder.trajectory;
}

class Files {
 public:
  Files() : folder_(std::filesystem::temp_directory_path() / ("alembert_trajectory_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Files() { std::filesystem::remove_all(folder_); }
  std::string operator/(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

std::vector<std::string> names(const std::vector<MovingPoint>& points) {
  std::vector<std::string> list;
  for (const MovingPoint& point : points) list.push_back(point.name);
  return list;
}

std::vector<std::string> titles(const Figure& figure) {
  std::vector<std::string> list;
  for (const Panel& panel : figure.panels) list.push_back(panel.title);
  return list;
}

using Names = std::vector<std::string>;

void expect_same_run(const RunDescription& a, const RunDescription& b) {
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.model_text, b.model_text);
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.version, b.version);
  ASSERT_EQ(a.parameters.size(), b.parameters.size());
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    EXPECT_EQ(a.parameters[i].name, b.parameters[i].name);
    EXPECT_EQ(a.parameters[i].shape, b.parameters[i].shape) << a.parameters[i].name;
    EXPECT_EQ(a.parameters[i].values, b.parameters[i].values) << a.parameters[i].name;
  }
}

TEST(Trajectory, WhatWasWrittenIsReadBack) {
  const Files files;
  for (const char* name : {"double_pendulum", "four_particles", "steel_on_teflon", "knife_paraboloid"}) {
    SCOPED_TRACE(name);
    const std::string method_text = std::string(name) == "steel_on_teflon" ? "true_euler" : "gauss(2)";
    const Trajectory own =
        record(gallery(name), method_text, 0.01, 0.2, {files / "a.csv", files / "a.json", files / "a.h5"});
    ASSERT_EQ(own.rows(), 21u);
    for (const char* file : {"a.csv", "a.json", "a.h5"}) {
      const Trajectory read = read_trajectory(files / file);
      EXPECT_EQ(read.values, own.values) << file;
      EXPECT_EQ(read.columns.names, own.columns.names) << file;
      EXPECT_EQ(read.columns.coordinates, own.columns.coordinates) << file;
      EXPECT_EQ(read.columns.velocities, own.columns.velocities) << file;
      EXPECT_EQ(read.columns.momenta, own.columns.momenta) << file;
      EXPECT_EQ(read.columns.multipliers, own.columns.multipliers) << file;
      EXPECT_EQ(read.columns.energy, own.columns.energy) << file;
      EXPECT_EQ(read.columns.residuals, own.columns.residuals) << file;
      EXPECT_EQ(read.columns.invariants, own.columns.invariants) << file;
      if (std::string(file) != "a.csv") expect_same_run(read.run, own.run);
    }
  }
}

TEST(Trajectory, FilesSayWhichRunItWas) {
  const Files files;
  const Model model = gallery("double_pendulum", {"m2=1/3"});
  record(model, "lobatto(2)", -0.0625, -0.25, {files / "b.csv", files / "a.json", files / "a.h5"});
  for (const char* file : {"b.csv", "a.json", "a.h5"}) {
    const RunDescription run = read_trajectory(files / file).run;
    EXPECT_EQ(run.model, model.title);
    EXPECT_EQ(run.model_text, model.source->text);
    EXPECT_EQ(run.method, "lobatto(2)");
    EXPECT_EQ(run.step, -0.0625);
    EXPECT_FALSE(run.version.empty());
    const auto m2 = std::find_if(run.parameters.begin(), run.parameters.end(),
                                 [](const Parameter& parameter) { return parameter.name == "m2"; });
    ASSERT_NE(m2, run.parameters.end());
    EXPECT_EQ(m2->values, std::vector<double>{1.0 / 3}) << "the value of the run, not that of the text";
  }
}

TEST(Trajectory, ParametersOfAnyShapeComeBack) {
  const Files files;
  Trajectory own = record(gallery("pendulum"), "lobatto(2)", 0.1, 0.2);
  own.run.parameters = {{"m", {}, {-1e-300}, ""},
                        {"l", {2}, {0.1, 1.0 / 3}, ""},
                        {"anchor", {2, 3}, {1, 2, 3, 4, 5, 6}, ""},
                        {"g", {}, {9.81}, ""}};
  for (const char* file : {"a.json", "a.h5"}) {
    write(own, files / file);
    expect_same_run(read_trajectory(files / file).run, own.run);
  }
}

TEST(Trajectory, IsWrittenAsTheRunWroteIt) {
  const Files files;
  const Trajectory own = record(gallery("slack_pendulum"), "gauss(2)", 0.01, 2, {files / "a.csv", files / "a.json"});
  ASSERT_FALSE(own.events.empty());
  const auto text = [&](const std::string& name) {
    std::ifstream file(files / name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  for (const std::string ending : {".csv", ".json"}) write(own, files / ("b" + ending));
  for (const std::string ending : {".csv", ".events.csv", ".json"}) EXPECT_EQ(text("b" + ending), text("a" + ending));
  write(own, files / "b.h5");
  for (const std::string ending : {".csv", ".json", ".h5"}) {
    const Trajectory read = read_trajectory(files / ("b" + ending));
    ASSERT_EQ(read.events.size(), own.events.size()) << ending;
    for (std::size_t i = 0; i < own.events.size(); ++i) {
      EXPECT_EQ(read.columns.events.at(read.events[i].event), own.columns.events.at(own.events[i].event));
      EXPECT_EQ(read.events[i].values, own.events[i].values);
    }
  }
}

TEST(Trajectory, EventsOfAnotherRunAreNotRead) {
  const Files files;
  std::ofstream(files / "a.csv") << "t,x\n0,1\n1,2\n";
  std::ofstream(files / "a.events.csv") << "event,t,y,z\nlow,0.5,1,2\n";
  const Trajectory read = read_trajectory(files / "a.csv");
  EXPECT_EQ(read.rows(), 2u);
  EXPECT_TRUE(read.events.empty());
  std::ofstream(files / "a.events.csv") << "event,t,x\nlow,0.5,1\n";
  EXPECT_EQ(read_trajectory(files / "a.csv").events.size(), 1u) << "its own are";
}

TEST(Trajectory, WhatIsNoneIsRefused) {
  const Files files;
  const auto refused = [&](const std::string& name, const std::string& text) {
    std::ofstream(files / name) << text;
    try {
      read_trajectory(files / name);
    } catch (const InputError& error) { return std::string(error.what()); }
    return std::string("taken");
  };
  EXPECT_NE(refused("a.csv", "t,x\n0,1\n1,2,3\n").find("line 3 has 3 fields instead of 2"), std::string::npos);
  EXPECT_NE(refused("a.csv", "t,x\n0,one\n").find("line 2 has 'one' for a number"), std::string::npos);
  EXPECT_NE(refused("a.csv", "x,t\n0,1\n").find("first column is not the time"), std::string::npos);
  EXPECT_NE(refused("a.csv", "t,x\n").find("no rows"), std::string::npos);
  EXPECT_NE(refused("a.json", "{\"columns\": [\"t\"]}").find("no trajectory"), std::string::npos);
  // Times are numbers that go one way; two rows may have one time.
  EXPECT_NE(refused("a.csv", "t,x\n0,1\nnan,2\n2,3\n").find("the time in row 2 is nan"), std::string::npos);
  EXPECT_NE(refused("a.csv", "t,x\n0,1\n1,2\ninf,3\n").find("the time in row 3 is inf"), std::string::npos);
  EXPECT_NE(refused("a.csv", "t,x\n0,1\n1,2\n1,3\n0.5,3\n").find("turns back in row 4, from 1 to 0.5"),
            std::string::npos);
  EXPECT_NE(refused("a.csv", "t,x\n1,1\n0,2\n0.5,3\n").find("turns back in row 3"), std::string::npos);
  EXPECT_EQ(refused("a.csv", "t,x\n1,1\n1,nan\n0,3\n"), "taken") << "a run backward";
  const std::string head = "{\"columns\": [\"t\", \"x\"], \"attributes\": {}, \"rows\":[";
  EXPECT_EQ(refused("a.json", head + "\n[0,1],\n[1,1e308]\n]}"), "taken");
  const std::string huge = refused("a.json", head + "\n[0,1],\n[1,1e999]\n]}");
  EXPECT_NE(huge.find("no trajectory: number overflow parsing '1e999'"), std::string::npos) << huge;
  EXPECT_NE(refused("a.json", head + "[0,1],[null,2]]}").find("the time in row 2 is nan"), std::string::npos);
  EXPECT_NE(refused("a.h5", "not one").find("no HDF5 file"), std::string::npos);
  EXPECT_NE(refused("a.txt", "").find("ending"), std::string::npos);
  EXPECT_THROW(read_trajectory(files / "nowhere.csv"), InputError);
  EXPECT_THROW(read_trajectory(files / "nowhere.h5"), InputError);
}

TEST(Trajectory, LongRunsAreThinnedButEndWhereTheyEnd) {
  const Trajectory all = record(gallery("pendulum"), "lobatto(2)", 0.01, 9.99);
  const Trajectory few = record(gallery("pendulum"), "lobatto(2)", 0.01, 9.99, {}, 100);
  EXPECT_EQ(all.rows(), 1000u);
  EXPECT_LT(few.rows(), 100u);
  EXPECT_GT(few.rows(), 40u);
  EXPECT_EQ(few.every, 16);
  EXPECT_EQ(few.t().front(), 0);
  EXPECT_EQ(few.t().back(), all.t().back());
  for (std::size_t i = 0; i + 1 < few.rows(); ++i) ASSERT_EQ(few.values[1][i], all.values[1][i * 16]);
}

TEST(MovingPoints, AreFoundByNamesAndShapes) {
  EXPECT_EQ(names(points_of(record(gallery("double_pendulum"), "lobatto(2)", 0.01, 0.1))), (Names{"x1", "x2"}));
  EXPECT_EQ(names(points_of(record(gallery("pendulum"), "lobatto(2)", 0.01, 0.1))), Names{"(x, y)"});
  EXPECT_EQ(names(points_of(record(gallery("four_particles"), "gauss(1)", 0.01, 0.1))),
            (Names{"q1", "q2", "q3", "q4"}));
  EXPECT_EQ(names(points_of(record(gallery("chain", {"N=3"}), "lobatto(2)", 0.01, 0.1))),
            (Names{"r[1]", "r[2]", "r[3]"}));
  // Seven coordinates in a vector are no point; positions of a general model are, its velocities are not.
  EXPECT_TRUE(points_of(record(gallery("mclachlan_perlmutter"), "lobatto(2)", 0.01, 0.1)).empty());
  EXPECT_EQ(names(points_of(record(gallery("steel_on_teflon"), "true_euler", 0.01, 0.1))), Names{"y"});
}

TEST(MovingPoints, RodsAreWhereDistancesStay) {
  const Trajectory chain = record(gallery("chain", {"N=3"}), "lobatto(2)", 0.01, 0.5);
  const std::vector<Link> links = links_of(chain, points_of(chain));
  ASSERT_EQ(links.size(), 3u);
  EXPECT_EQ(links[0].first, 0);
  EXPECT_EQ(links[0].second, -1) << "the hinge";
  for (int i = 1; i < 3; ++i) {
    EXPECT_EQ(links[i].first, i);
    EXPECT_EQ(links[i].second, i - 1);
  }
  const Trajectory four = record(gallery("four_particles"), "gauss(1)", 0.01, 1);
  EXPECT_EQ(links_of(four, points_of(four)).size(), 2u) << "the bars, not the springs";
}

TEST(TrajectoryFigure, HasAPanelForAllThereIs) {
  EXPECT_EQ(titles(figure_of(record(gallery("four_particles"), "gauss(2)", 0.01, 0.5))),
            (Names{"Positions", "Coordinates", "Energy error", "Constraints", "Invariants", "Multipliers"}));
  EXPECT_EQ(titles(figure_of(record(gallery("oscillator"), "gauss(2)", 0.05, 1))),
            (Names{"Positions", "Coordinates", "Energy error", "Invariants"}));
  const Figure figure = figure_of(record(gallery("chain"), "lobatto(2)", 0.01, 0.1));
  EXPECT_NE(std::find(figure.notes.begin(), figure.notes.end(), "Coordinates: the first 12 of 30"), figure.notes.end());
}

TEST(TrajectoryFigure, TheSimplePageNeedsNothingElse) {
  const Trajectory trajectory = record(gallery("double_pendulum"), "lobatto(2)", 0.01, 1);
  const std::string page = simple_page_of(trajectory, "Title <&>", "words <of> the report");
  EXPECT_EQ(page.find("<!DOCTYPE html>"), 0u);
  EXPECT_NE(page.find("<title>Title &lt;&amp;&gt;</title>"), std::string::npos);
  EXPECT_NE(page.find("words &lt;of&gt; the report"), std::string::npos);
  EXPECT_NE(page.find("<canvas"), std::string::npos);
  EXPECT_NE(page.find("links: [[0,-1],[1,0]]"), std::string::npos);
  // No address but the name space of SVG.
  std::size_t addresses = 0;
  for (std::size_t at = page.find("http"); at != std::string::npos; at = page.find("http", at + 1)) ++addresses;
  EXPECT_EQ(addresses, 1u);
  EXPECT_EQ(page.find("src="), std::string::npos);
}

}  // namespace
}  // namespace alembert::internal::testing
