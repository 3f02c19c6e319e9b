// What the program says about sound models and about failures: the right words, and no wrong ones.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

using Json = nlohmann::ordered_json;

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Json checked(const std::string& text) {
  const Outcome outcome = program({"check", "-", "--json"}, text);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

const char* const free_body =
    "parameter A = 1, B = 2, C = 2.5\ncoordinate e[4] = (1, 0, 0, 0)\nvelocity w[3] = (0.1, 2, 0.1)\n"
    "let a = e[1], b = (e[2], e[3], e[4])\nkinematics e' = (-dot(b, w), a*w + cross(b, w))/2\nmass w = (A, B, C)\n"
    "force w = cross((A*w[1], B*w[2], C*w[3]), w)\nsolve gauss(3) step 0.01 end 1\n";

TEST(Diagnoses, TheKinematicsOfTheDocumentationRuns) {
  const std::string joined = free_body;
  std::string written = joined;
  const std::string from = "(-dot(b, w), a*w + cross(b, w))/2";
  written.replace(written.find(from), from.size(),
                  "(-dot(b, w), a*w[1] + b[2]*w[3] - b[3]*w[2], a*w[2] + b[3]*w[1] - b[1]*w[3], "
                  "a*w[3] + b[1]*w[2] - b[2]*w[1])/2");
  const Outcome one = program({"run", "-", "--json"}, joined), other = program({"run", "-", "--json"}, written);
  ASSERT_EQ(one.code, 0) << one.err;
  ASSERT_EQ(other.code, 0) << other.err;
  const Json a = Json::parse(one.out)["q"]["e"], b = Json::parse(other.out)["q"]["e"];
  ASSERT_EQ(a.size(), 4u);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(a[i].get<double>(), b[i].get<double>(), 1e-14);
}

TEST(Diagnoses, AQuaternionOfTheMultibodyFormHasThreeDegreesOfFreedom) {
  EXPECT_EQ(checked(free_body)["degrees_of_freedom"], 3);
  EXPECT_TRUE(says(checked(free_body)["refusing"]["energy_momentum(order, variant)"].get<std::string>(),
                   "it needs velocities or momenta of the coordinates themselves"))
      << "there is an energy";
}

TEST(Diagnoses, AHamiltonianWithAMassThatChangesHasNoConstantMass) {
  const std::string polar = "coordinate r = 1, phi\nmomentum p of r, l of phi\n";
  EXPECT_EQ(checked(polar + "hamiltonian p^2/2 + l^2/(2*r^2) + r^2\n")["class"]["constant_mass"], false);
  EXPECT_EQ(checked(polar + "hamiltonian p^2/2 + l^2/2 + r^2\n")["class"]["constant_mass"], true);
}

TEST(Diagnoses, AConstraintWithoutANameIsNotCalledConstraintTwice) {
  const Outcome failed = program({"run", "-"},
                                 "coordinate x = 1, y\nkinetic (x'^2 + y'^2)/2\npotential 1e6*y\n"
                                 "constraint x^2 + y^2 = 1\nsolve lobatto(3) step 10 end 100\n");
  EXPECT_EQ(failed.code, 1) << failed.out;
  EXPECT_TRUE(says(failed.err + failed.out, "constraint 1")) << failed.err;
  EXPECT_FALSE(says(failed.err + failed.out, "constraint constraint")) << failed.err;
}

TEST(Diagnoses, StageMultipliersAreCountedFromOne) {
  const std::string rod = "coordinate x = 1, y\nkinetic (x'^2 + y'^2)/2\npotential y\nconstraint rod: x^2 + y^2 = 1\n";
  for (const char* method : {"gauss(2)", "lobatto(2)", "murua(2)", "gauss_collocation(2)", "natural_euler(1/2)"}) {
    const Outcome run = program({"run", "-", "--json", "-m", method, "--step", "0.001", "--end", "0.01"}, rod);
    ASSERT_EQ(run.code, 0) << method << run.err;
    const Json internal = Json::parse(run.out)["internal"];
    ASSERT_FALSE(internal.empty()) << method;
    std::string least = "9";
    for (const auto& [name, value] : internal.items())
      if (const std::size_t digit = name.find_first_of("0123456789"); digit != std::string::npos)
        least = std::min(least, name.substr(digit, 1));
    EXPECT_EQ(least, "1") << method << " " << internal.dump();
  }
}

TEST(Diagnoses, AnInertiaThatIsSymmetricButForRoundingIsTaken) {
  const Outcome run = program({"run", "-", "--quiet"},
                              "body a mass 1 inertia ((1, 0.1, 0), (0.10000000000000002, 1, 0), (0, 0, 1))\n"
                              "solve gauss(2) step 0.01 end 0.1\n");
  EXPECT_EQ(run.code, 0) << run.err;
}

TEST(Diagnoses, WhatWasMovedShowsTheDigitsThatDiffer) {
  const std::string rod =
      "coordinate x = 0.6 + 1e-9, y = 0.8\nkinetic (x'^2 + y'^2)/2\nconstraint x^2 + y^2 = 1\n"
      "solve gauss(2) step 0.01 end 0.1\n";
  for (const char* command : {"run", "check"}) {
    const Outcome outcome = program({command, "-"}, rod);
    EXPECT_TRUE(says(outcome.out, "x from 0.600000001 to 0.60000000064")) << outcome.out;
  }
}

TEST(Diagnoses, AStartFarAwayIsMovedOntoTheConstraints) {
  for (const char* x : {"1e8", "1e12", "1e20"}) {
    const Json found = checked(std::string("coordinate x = ") + x +
                               ", y\nkinetic (x'^2 + y'^2)/2\nconstraint x^2 + y^2 = 1\n")["initial"];
    ASSERT_EQ(found["changes"].size(), 1u) << x;
    EXPECT_NEAR(found["changes"][0]["to"].get<double>(), 1, 1e-15) << x;
  }
}

TEST(Diagnoses, DryFrictionThatSticksIsNamed) {
  const std::string block = "coordinate x\nkinetic x'^2/2\nforce x = -3*sign(x')\ninitial x' = 1\n";
  const std::vector<std::string> kinds[] = {{"--step", "0.01"}, {"--step", "0.01", "--tolerance", "1e-6"}};
  for (const std::vector<std::string>& kind : kinds) {
    std::vector<std::string> command = {"run", "-", "-m", "gauss(2)", "--end", "1"};
    command.insert(command.end(), kind.begin(), kind.end());
    const Outcome run = program(command, block);
    EXPECT_EQ(run.code, 1) << run.out;
    EXPECT_TRUE(says(run.err, "sign(x') jumps there")) << run.err;
    EXPECT_TRUE(says(run.err, "friction(mu, normal, velocity)")) << run.err;
    EXPECT_FALSE(says(run.err, "try a smaller step")) << run.err;
  }
}

TEST(Diagnoses, VelocitiesNeedNoCoordinates) {
  // Euler's equations of a free body: energy and angular momentum stay.
  const Outcome run = program({"run", "-", "--json"},
                              "velocity w[3] = (0.1, 2, 0.1)\nmass w = (1, 2, 3)\n"
                              "force w = (-w[2]*w[3], 2*w[3]*w[1], -w[1]*w[2])\n"
                              "conserve length: w[1]^2 + 4*w[2]^2 + 9*w[3]^2\nsolve gauss(3) step 0.01 end 1\n");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_LT(Json::parse(run.out)["invariants"]["length"]["max_error"].get<double>(), 1e-13);
}

TEST(Diagnoses, AStepThatIsTooLongIsNoLossOfRank) {
  for (const char* name : {"heavy_top", "gyroscope"}) {
    const std::string model = std::string(source_folder()) + "/models/" + name + ".alm";
    for (const char* step : {"0.1", "0.3", "1"}) {
      const Outcome run = program({"run", model, "-m", "gauss(2)", "--step", step, "--end", "10"});
      EXPECT_EQ(run.code, 1) << name << " " << step;
      EXPECT_FALSE(says(run.err, "the constraints lose rank there")) << run.err;
      EXPECT_TRUE(says(run.err, "the step is too long") || says(run.err, "try a smaller step")) << run.err;
    }
  }
}

TEST(Diagnoses, APairOnRatesAloneSaysThatItIsNone) {
  const std::string rates = "variable x = 1, y\nrate x' = y, y' = -x\nsolve lobatto(3) step 0.01 end 1\n";
  const Outcome pair = program({"run", "-"}, rates), one = program({"run", "-", "-m", "gauss(3)"}, rates);
  EXPECT_TRUE(says(pair.out, "one tableau (Lobatto IIIA): this is no partitioned pair")) << pair.out;
  EXPECT_FALSE(says(one.out, "partitioned")) << one.out;
}

}  // namespace
}  // namespace alembert::internal::apps_test
