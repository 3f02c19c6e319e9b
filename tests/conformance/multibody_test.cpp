// The five solvers of Symank 2025: ends of all reference runs, the tables of energies, drifts and power balances, and
// masses down to zero.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "alembert/study/verify.h"
#include "problems.h"

namespace alembert::internal::testing {
namespace {

const std::map<std::string, std::string> names = {{"GLC", "gauss_collocation"},
                                                  {"LIIIC", "lobatto_c"},
                                                  {"MPRK", "murua"},
                                                  {"MPRK-GGL", "murua_ggl"},
                                                  {"JPRK", "lobatto"}};

std::vector<double> own_multipliers(const Report& report, const std::string& before) {
  std::vector<double> values;
  for (std::size_t i = 0; i < report.internal.size(); ++i)
    if (report.internal_names[i].starts_with(before)) values.push_back(report.internal[i]);
  return values;
}

void expect_near(const std::vector<double>& got, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i]))) << i;
}

TEST(Multibody, EndsOfAllReferenceRuns) {
  std::map<std::string, int> compared;
  const nlohmann::json data = reference("multibody");
  for (const auto& entry : data["entries"]) {
    const std::string kind = entry["method"];
    if (kind == "EXACT") continue;
    SCOPED_TRACE(entry["id"].get<std::string>());
    const int s = entry["s"].get<int>();
    const Report report = run(multibody_model(entry["problem"]), names.at(kind) + "(" + std::to_string(s) + ")",
                              number(entry["h"]), number(entry["t_end"]));
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    expect_near(report.y, numbers(entry["p"]), 1e-11);
    expect_near(report.z, numbers(entry["v"]), 1e-11);
    // What the reference gives where it has accelerations; at mass 0 it has none.
    if (!entry["lambda_acc"].empty()) expect_near(report.lambda, numbers(entry["lambda_acc"]), 1e-8);
    const std::string own = kind == "JPRK" ? "Lambda" + std::to_string(s) + "." : "lambda.";
    expect_near(own_multipliers(report, own), numbers(entry["lambda"]), 1e-8);
    ++compared[kind];
  }
  EXPECT_EQ(compared["GLC"], 16);
  EXPECT_EQ(compared["LIIIC"], 12);
  EXPECT_EQ(compared["MPRK"], 15);
  EXPECT_EQ(compared["MPRK-GGL"], 13);
  EXPECT_EQ(compared["JPRK"], 8);
}

TEST(Multibody, EnergiesAndConstraintsOverTwentyFourThousandSteps) {
  struct Expected {
    const char *model, *method;
    double energy, position, velocity;  // largest; the constraints with slack
  };
  for (const Expected& e : {Expected{"pendulum", "murua(3)", 8.0e-12, 1e-12, 1e-14},
                            Expected{"pendulum", "murua_ggl(3)", 7.1e-12, 1e-14, 1e-14},
                            Expected{"double_pendulum", "murua(3)", 3.5e-8, 2e-10, 1e-13},
                            Expected{"double_pendulum", "murua_ggl(3)", 8.1e-8, 1e-14, 1e-13}}) {
    SCOPED_TRACE(std::string(e.model) + " " + e.method);
    const Report report = run(gallery(e.model), e.method, 0.01, 240);
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    EXPECT_EQ(report.steps, 24000);
    // The double pendulum is chaotic: the last digits of a run decide where its largest error is met.
    EXPECT_NEAR(report.energy.max_error, e.energy, 0.25 * e.energy);
    EXPECT_LT(report.position, e.position);
    EXPECT_LT(report.velocity, e.velocity);
  }
  const Report gauss = run(gallery("double_pendulum"), "gauss_collocation(3)", 0.01, 240);
  EXPECT_LT(gauss.energy.max_error, 6e-13);
  EXPECT_LT(gauss.position, 1e-14);
  EXPECT_GT(gauss.velocity, 1e-5);  // the constraint's factor 2 against the reference: 3.5e-5
  EXPECT_LT(gauss.velocity, 5e-5);
}

TEST(Multibody, EnergyAndPowerBalanceOfTheMassSpringDamper) {
  EXPECT_LT(run(gallery("mass_spring_damper"), "gauss_collocation(3)", 0.1, 2000).energy.max_error, 1e-11);
  EXPECT_NEAR(run(gallery("mass_spring_damper"), "lobatto_c(3)", 0.1, 2000).energy.final, 79.65460726, 1e-8);
  EXPECT_NEAR(run(gallery("mass_spring_damper", {"k2=1"}), "lobatto_c(3)", 0.1, 2000).energy.final, 47.95510523, 1e-8);
  const auto residual = [](const char* k2, const char* method_text) {
    const Report report =
        run(gallery("mass_spring_damper", {k2, "d1=0.2", "d2=0.5", "alpha=3"}), method_text, 0.1, 200);
    EXPECT_EQ(report.ending, Ending::done) << report.reason;
    EXPECT_EQ(report.balance.steps, 2000);
    return report.balance.max_residual;
  };
  EXPECT_LT(residual("k2=2", "gauss_collocation(3)"), 6e-14);
  EXPECT_LT(residual("k2=1", "gauss_collocation(3)"), 6e-14);
  EXPECT_NEAR(residual("k2=2", "lobatto_c(3)"), 1.85e-5, 1e-7);
  EXPECT_NEAR(residual("k2=1", "lobatto_c(3)"), 2.6e-6, 1e-7);
}

TEST(Multibody, TheEnergyChangeOfAMuruaStepIsPredicted) {
  for (const char* method_text : {"murua(1)", "murua(2)", "murua(3)"}) {
    SCOPED_TRACE(method_text);
    const Report report = run(gallery("pendulum"), method_text, 0.01, 30);
    EXPECT_EQ(report.balance.steps, 3000);
    EXPECT_LT(report.balance.max_residual, 1e-14);
  }
  // The changes are there to be predicted: for one stage they are far above rounding.
  EXPECT_GT(run(gallery("pendulum"), "murua(1)", 0.01, 30).balance.max_change, 1e-6);
  EXPECT_EQ(run(gallery("pendulum"), "lobatto(3)", 0.01, 1).balance.steps, 0);
}

double distance(const Report& a, const Report& b) {
  double most = 0, size = 0;
  for (const auto& [x, y] : {std::pair(&a.y, &b.y), std::pair(&a.z, &b.z)})
    for (std::size_t i = 0; i < x->size(); ++i) {
      most = std::max(most, std::abs((*x)[i] - (*y)[i]));
      size = std::max(size, std::abs((*y)[i]));
    }
  return most / size;
}

TEST(Masses, FallToZeroLinearly) {
  for (const char* which : {"m1", "m2"})
    for (const char* method_text : {"murua(3)", "murua_ggl(3)", "lobatto_damped(3)"}) {
      SCOPED_TRACE(std::string(which) + " " + method_text);
      const auto at = [&](const std::string& mass) {
        const Report report =
            run(gallery("double_pendulum_viscous", {std::string(which) + "=" + mass}), method_text, 0.01, 2);
        EXPECT_EQ(report.ending, Ending::done) << mass << " " << report.reason;
        for (const double lambda : report.lambda) EXPECT_TRUE(std::isfinite(lambda)) << mass;
        return report;
      };
      const Report limit = at("0");
      EXPECT_NE(limit.initial.index, std::nullopt);
      const double coarse = distance(at("1e-8"), limit), fine = distance(at("1e-10"), limit);
      EXPECT_NEAR(coarse / fine, 100, 5);
      for (const char* mass : {"1e-16", "1e-20", "1e-30", "1e-50", "1e-100"})
        EXPECT_LT(distance(at(mass), limit), 1e-10) << mass;
    }
}

TEST(Masses, TheMassSpringDamperReachesItsLimit) {
  const auto at = [](const std::string& mass, const char* method_text) {
    const Report report = run(gallery("mass_spring_damper_limit", {"m2=" + mass}), method_text, 0.01, 30);
    EXPECT_EQ(report.ending, Ending::done) << mass << " " << report.reason;
    return report;
  };
  const Report limit = at("0", "lobatto_c(3)");
  EXPECT_NEAR(limit.initial.z[1], 35500, 1e-6);  // (2*(p1 + r - p2) + 20 - p2)/d2
  EXPECT_EQ(limit.initial.index, 1);
  EXPECT_LT(distance(at("1e-12", "lobatto_c(3)"), limit), 1e-4);
  for (const char* mass : {"1e-20", "1e-50", "1e-100"}) EXPECT_LT(distance(at(mass, "lobatto_c(3)"), limit), 1e-10);
}

TEST(Masses, WhatNothingDeterminesIsRefused) {
  const auto message = [](const std::vector<std::string>& set, const char* method_text) -> std::string {
    try {
      run(gallery("double_pendulum_viscous", set), method_text, 0.01, 0.1);
    } catch (const InputError& error) { return error.what(); }
    return "";
  };
  EXPECT_NE(message({"m2=0", "kappa=0"}, "murua(3)").find("nothing else determines it"), std::string::npos);
  EXPECT_NE(message({"m2=0"}, "lobatto(3)").find("last column of Lobatto IIIB is zero"), std::string::npos);
  EXPECT_NE(message({"m2=0"}, "gauss(2)").find("no kinetic energy in x2'"), std::string::npos);
  EXPECT_EQ(message({"m2=0"}, "lobatto_damped(3)"), "");
}

TEST(Masses, TheLobattoPairLosesLightBodiesAndSaysSo) {
  const auto at = [](const char* mass, const char* method_text) {
    return run(gallery("double_pendulum_viscous", {std::string("m2=") + mass}), method_text, 0.01, 2);
  };
  const Report exact = run(gallery("double_pendulum_viscous", {"m2=1e-6"}), "murua(4)", 0.005, 2);
  EXPECT_GT(distance(at("1e-6", "lobatto(3)"), exact), 1e-2);
  EXPECT_LT(distance(at("1e-6", "lobatto_damped(3)"), exact), 1e-6);
  EXPECT_NE(at("1e-6", "lobatto(3)").note.find("x2' has a mass of 1e-06"), std::string::npos);
  EXPECT_EQ(at("1", "lobatto(3)").note, "");
  EXPECT_EQ(at("1e-6", "lobatto_damped(3)").note, "");
}

TEST(Masses, AnEquilibriumIsReachedAndKept) {
  const Report report = run(gallery("mass_spring_damper", {"d1=0.2", "d2=0.5", "alpha=3"}), "gauss(3)", 0.1, 2000);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  EXPECT_NEAR(report.y[0], 11.8, 1e-12);  // (k1 + k2 - k2^2/(k2 + k3))^-1 alpha beyond rest
  EXPECT_LT(std::abs(report.z[0]), 1e-12);
}

}  // namespace
}  // namespace alembert::internal::testing
