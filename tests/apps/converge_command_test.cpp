// alembert converge and alembert verify, as a user meets them.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/program.h"

namespace alembert::internal::apps_test {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::vector<std::string>& arguments, const std::string& input) {
  const Outcome outcome = program(arguments, input);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return Json::parse(outcome.out);
}

TEST(ConvergeCommand, MeasuresTheModelsMethodByItself) {
  const Outcome outcome = program({"converge", "-"}, pendulum);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out.find("Pendulum: convergence to t = 1"), 0u) << outcome.out;
  for (const char* word : {"reference", "quadruple precision", "lobatto(3)", "observed", "claimed", "0.04", "0.005"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << "\n" << outcome.out;
  }
}

TEST(ConvergeCommand, JsonHasTheClaimedAndTheObservedOrders) {
  const Json j = json_of({"converge", "-", "-m", "gauss(1)", "--method", "gauss(2)", "--steps", "1/10,0.05,0.025",
                          "--end", "0.5", "--json"},
                         pendulum);
  EXPECT_EQ(j["end"], 0.5);
  ASSERT_EQ(j["methods"].size(), 2u);
  for (const Json& m : j["methods"]) {
    EXPECT_EQ(m["rows"].size(), 3u);
    for (const char* part : {"q", "v", "multiplier"}) {
      EXPECT_NEAR(m["observed"][part].get<double>(), m["claimed"][part].get<double>(), 0.2) << m["method"] << part;
    }
  }
  EXPECT_LT(j["reference"]["error"]["q"].get<double>(), 1e-10);
}

TEST(ConvergeCommand, WritesTheTableAndTheFigure) {
  const Folder folder;
  const Outcome outcome =
      program({"converge", "-", "--svg", folder / "c.svg", "--csv", folder / "c.csv", "--stages", "2"}, pendulum);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string svg = file_text(folder / "c.svg"), csv = file_text(folder / "c.csv");
  EXPECT_EQ(svg.find("<svg "), 0u);
  EXPECT_NE(svg.find("lobatto(2)"), std::string::npos);
  EXPECT_EQ(csv.find("method,step,"), 0u);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
}

TEST(ConvergeCommand, WrongInputEndsWithTwo) {
  const auto code = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"converge", "-"});
    const Outcome outcome = program(more, pendulum);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err, "");
    return outcome.code;
  };
  EXPECT_EQ(code({"--steps", "0.3", "--end", "1"}), 2);
  EXPECT_EQ(code({"--steps", "0.1,,0.2"}), 2);
  EXPECT_EQ(code({"--precision", "triple"}), 2);
  EXPECT_EQ(code({"-m", "gauss(2)", "-m", "gauss(2)"}), 2);
  EXPECT_EQ(code({"--method", "euler_spark_1"}), 2);
  EXPECT_EQ(code({"--svg", "/nowhere/at/all.svg"}), 1);
}

TEST(ConvergeCommand, AFailedRowEndsWithOne) {
  const std::string wall = "model \"Wall\"\ncoordinate x\nkinetic x'^2/2\npotential 1e-6*sqrt(2 - x)\ninitial x' = 1\n";
  const Outcome outcome = program({"converge", "-", "-m", "gauss(1)", "--steps", "0.5", "--end", "4"}, wall);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("failed: "), std::string::npos) << outcome.out;
}

TEST(ConvergeCommand, ALimitOfTimeEndsItWithWhatIsThere) {
  // The reference alone takes minutes.
  for (const std::string& extra : {std::string(), std::string("contact floor: 3 - y >= 0\n")}) {
    const Outcome outcome =
        program({"converge", "-", "--steps", "0.0001", "--end", "10", "--time-limit", "0.3"}, pendulum + extra);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find("the time limit of 0.3 s was reached"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.out.find("the reference: interrupted"), std::string::npos) << outcome.out;
  }
  EXPECT_EQ(program({"converge", "-", "--time-limit", "0"}, pendulum).code, 2);
}

TEST(VerifyCommand, PrintsClaimsBesideMeasurements) {
  const Outcome outcome = program({"verify", "-"}, pendulum);
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out.find("Pendulum: lobatto(3), step 0.01, run to t = 1\n"), 0u) << outcome.out;
  for (const char* word : {"PROPERTY", "CLAIMED", "MEASURED", "VERDICT", "order of q", "symplectic", "drift"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  }
}

TEST(VerifyCommand, JsonIsOneObject) {
  const Json j = json_of({"verify", "-", "-m", "gauss(2)", "--step", "0.02", "--end", "2", "--json"}, pendulum);
  EXPECT_EQ(j["method"], "gauss(2)");
  EXPECT_EQ(j["step"], 0.02);
  EXPECT_EQ(j["false_claims"], 0);
  bool seen = false;
  for (const Json& p : j["properties"]) {
    if (p["property"] != "order of q") continue;
    seen = true;
    EXPECT_NEAR(p["value"].get<double>(), 4, 0.2);
    EXPECT_EQ(p["verdict"], "ok");
  }
  EXPECT_TRUE(seen);
}

TEST(VerifyCommand, ExitCodes) {
  const std::string wall = "model \"Wall\"\ncoordinate x\nkinetic x'^2/2\npotential 1e-6*sqrt(2 - x)\ninitial x' = 1\n";
  EXPECT_EQ(program({"verify", "-", "-m", "gauss(1)", "--step", "0.1", "--end", "4"}, wall).code, 1);
  EXPECT_EQ(program({"verify", "-", "-m", "gauss(1)"}, wall).code, 2) << "no step";
  EXPECT_EQ(program({"verify", "-", "--step", "0"}, pendulum).code, 2);
  EXPECT_EQ(program({"verify", "-", "--method", "no_such"}, pendulum).code, 2);
}

}  // namespace
}  // namespace alembert::internal::apps_test
