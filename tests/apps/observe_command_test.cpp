// observe and --columns on the command line, in all formats.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alembert/trajectory.h"
#include "program.h"

namespace alembert::internal::apps_test {
namespace {

using Json = nlohmann::ordered_json;

/// A mass of 2 turns at 3 rad/s on an arm of 1/2.
const char rotor[] =
    "model \"Rotor\"\nbody rotor mass 2 inertia (1, 1, 1) at (1/2, 0, 0) velocity (0, 3/2, 0) spin (0, 0, 3)\n"
    "joint revolute hinge from ground axis (0, 0, 1) to rotor point (-1/2, 0, 0)\n"
    "observe tip: rotor.point(1/2, 0, 0)\nobserve load: norm(hinge.force)\nsolve gauss(4) step 0.01 end 1\n";

TEST(ObserveCommand, ReportsRangeAndEnd) {
  const Outcome outcome = program({"run", "-", "--json"}, rotor);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json observed = Json::parse(outcome.out)["observed"];
  EXPECT_NEAR(observed["tip"]["final"][0].get<double>(), std::cos(3.0), 1e-9);
  EXPECT_NEAR(observed["tip"]["max"][0].get<double>(), 1, 1e-9);
  EXPECT_NEAR(observed["load"]["min"].get<double>(), 9, 1e-7);
  const Outcome text = program({"run", "-"}, rotor);
  EXPECT_NE(text.out.find("load: 9 finally, from 9 to 9"), std::string::npos) << text.out;
}

TEST(ObserveCommand, ColumnsAreChosenAndExpressionsAreColumns) {
  const Folder folder;
  for (const char* ending : {"a.csv", "a.json", "a.h5"}) {
    const std::string path = folder / ending;
    const Outcome outcome = program(
        {"run", "-", "--columns", "tip, energy,hinge.moment,hinge.angle,rotor.r,dot(rotor.r, rotor.r)", "--out", path},
        rotor);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Trajectory trajectory = read_trajectory(path);
    EXPECT_EQ(trajectory.columns.names,
              (std::vector<std::string>{"t", "tip[1]", "tip[2]", "tip[3]", "energy", "hinge.moment[1]",
                                        "hinge.moment[2]", "hinge.moment[3]", "hinge.angle", "rotor.r[1]", "rotor.r[2]",
                                        "rotor.r[3]", "dot(rotor.r,rotor.r)"}));
    EXPECT_NEAR(trajectory.values[8].back(), 3, 1e-8);
    EXPECT_NEAR(trajectory.values[12].back(), 0.25, 1e-12);
    EXPECT_EQ(trajectory.columns.observed.size(), 12);
  }
}

TEST(ObserveCommand, WholeFilesKnowWhatWasObserved) {
  const Folder folder;
  for (const char* ending : {"a.json", "a.h5"}) {
    const std::string path = folder / ending;
    ASSERT_EQ(program({"run", "-", "--out", path, "-q"}, rotor).code, 0);
    const Trajectory trajectory = read_trajectory(path);
    EXPECT_EQ(trajectory.columns.observed.size(), 4);
    EXPECT_TRUE(trajectory.columns.invariants.empty());
    EXPECT_EQ(trajectory.columns.names[trajectory.columns.observed.begin], "tip[1]");
  }
}

TEST(ObserveCommand, WrongColumnsAreRefused) {
  const Folder folder;
  const std::string csv = folder / "a.csv";
  const auto refused = [&](const std::string& columns, const std::string& words) {
    const Outcome outcome = program({"run", "-", "--columns", columns, "--out", csv}, rotor);
    EXPECT_EQ(outcome.code, 2) << columns;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  };
  refused("t,tipp", "unknown name 'tipp'");
  refused("hinge.angl", "did you mean 'hinge.angle'");
  refused("tip,tip", "names 'tip' twice");
  refused("tip,,t", "empty name");
  refused("tip+", "--columns tip+");
  const Outcome nowhere = program({"run", "-", "--columns", "tip"}, rotor);
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_NE(nowhere.err.find("--out"), std::string::npos) << nowhere.err;
}

}  // namespace
}  // namespace alembert::internal::apps_test
