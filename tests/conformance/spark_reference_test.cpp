// Every entry of the SPARK reference: q, v to 1e-12, multipliers of the stages to 1e-9, recomputed ones to 1e-10.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "problems.h"

namespace alembert::internal::testing {
namespace {

std::string method_of(const nlohmann::json& entry) {
  const std::string s = "(" + std::to_string(entry["s"].get<int>()) + ")";
  const std::map<std::string, std::string> names{{"gauss", "gauss" + s},           {"lobAB", "lobatto" + s},
                                                 {"lobABD", "lobatto_abd" + s},    {"lobD", "lobatto_d" + s},
                                                 {"radauIIA", "radau" + s},        {"euler1", "euler_spark_1"},
                                                 {"euler2", "euler_spark_2"},      {"modlob", "lobatto_modified"},
                                                 {"mp73", "mclachlan_perlmutter"}, {"gaussstd", "gauss_standard" + s}};
  return names.at(entry["method_key"]);
}

// The knife edge on the paraboloid in variables z with y' = (1 + y3/4) z: the general form.
const char* const zform = R"(
variable y[4] = (1, 0, 1/2, 0), z[4] = (4/9, 0, 4/9, 8/9)
multiplier psi, lam
quantity p[4] = (1 + y[3]/4)*(z[1], z[2], z[3], z[4]/2)
rate y' = (1 + y[3]/4)*z
rate p' = (0, 0, -1, 0) + reaction(-(sin(y[4]), -cos(y[4]), 0, 0)*psi) + reaction(-(-y[1], -y[2], 1, 0)*lam)
constraint knife(psi): (1 + y[3]/4)*(z[1]*sin(y[4]) - z[2]*cos(y[4])) = 0
constraint surface(lam): y[3] - y[1]^2/2 - y[2]^2/2 = 0
)";

TEST(SparkReference, EveryEntry) {
  const nlohmann::json data = reference("spark");
  int compared = 0;
  for (const auto& entry : data["entries"]) {
    SCOPED_TRACE(entry["id"].get<std::string>());
    const auto& problem = data["problems"][entry["problem"].get<std::string>()];
    const bool general = !problem.contains("L");
    const Model model = model_from_text(general ? zform : spark_model_text(problem));
    const double h = number(entry["h"]);
    const Report report = run(model, method_of(entry), h, h * entry["nsteps"].get<int>());
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    ASSERT_EQ(report.steps, entry["nsteps"].get<int>());
    const auto q = numbers(entry["q"]), v = numbers(entry["v"]);
    for (std::size_t i = 0; i < q.size(); ++i) {
      EXPECT_NEAR(report.y[i], q[i], 1e-12 * std::max(1.0, std::abs(q[i])));
      EXPECT_NEAR(report.z[i], v[i], 1e-12 * std::max(1.0, std::abs(v[i])));
    }
    const auto psi = numbers(entry["psi_end"]), lambda = numbers(entry["lam_end"]);
    ASSERT_EQ(report.psi.size(), psi.size());
    for (std::size_t i = 0; i < psi.size(); ++i)
      EXPECT_NEAR(report.psi[i], psi[i], 1e-10 * std::max(1.0, std::abs(psi[i])));
    ASSERT_EQ(report.lambda.size(), lambda.size());
    for (std::size_t i = 0; i < lambda.size(); ++i)
      EXPECT_NEAR(report.lambda[i], lambda[i], 1e-10 * std::max(1.0, std::abs(lambda[i])));
    std::vector<double> inside;
    for (const char* which : {"Psi", "Lam"})
      for (const auto& row : entry[which])
        for (const double value : numbers(row)) inside.push_back(value);
    ASSERT_EQ(report.internal.size(), inside.size());
    for (std::size_t i = 0; i < inside.size(); ++i)
      EXPECT_NEAR(report.internal[i], inside[i], 1e-9 * std::max(1.0, std::abs(inside[i]))) << report.internal_names[i];
    ++compared;
  }
  EXPECT_EQ(compared, 111);
}

TEST(SparkReference, EnergyMaxima) {
  const nlohmann::json data = reference("spark");
  const std::map<std::string, std::string> names{{"gauss", "gauss"}, {"lobAB", "lobatto"}, {"lobABD", "lobatto_abd"}};
  int compared = 0;
  for (const auto& entry : data["energy_runs_double"]) {
    const auto name = names.find(entry["method"].get<std::string>());
    if (name == names.end()) continue;
    SCOPED_TRACE(entry["problem"].get<std::string>() + " " + name->first + " " + std::to_string(entry["s"].get<int>()));
    const Model model = model_from_text(spark_model_text(data["problems"][entry["problem"].get<std::string>()]));
    const Report report = run(model, name->second + "(" + std::to_string(entry["s"].get<int>()) + ")",
                              entry["h"].get<double>(), entry["T"].get<double>());
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    const double expected = entry["max_abs_dE"].get<double>();
    EXPECT_NEAR(report.energy.max_error, expected, 1e-4 * expected + 1e-13);
    ++compared;
  }
  EXPECT_GT(compared, 8);
}

}  // namespace
}  // namespace alembert::internal::testing
