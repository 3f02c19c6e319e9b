// Parameter studies: every row is what a single run gives.

#include "alembert/study/sweep.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "../conformance/problems.h"
#include "alembert/report.h"

namespace alembert::internal::testing {
namespace {

double number(const MemberResult::Cell& cell) { return std::get<double>(cell); }
bool given(const MemberResult::Cell& cell) { return !std::holds_alternative<std::monostate>(cell); }

SweepOptions study(const std::string& text) {
  SweepOptions options;
  options.model = std::make_shared<const Source>(Source{"study.alm", text});
  options.method = [](const Model& model) { return find_method(*model.solve.method); };
  options.simulation = [](const Model& model) {
    SimulateOptions simulation;
    simulation.step = *model.solve.step, simulation.end = *model.solve.end;
    return simulation;
  };
  return options;
}

const char oscillator[] =
    "model \"Oscillator\"\nparameter k = 1\ncoordinate x, r[2]\nkinetic (x'^2 + norm2(r'))/2\npotential k*x^2/2\n"
    "initial x = 1\nsolve gauss(3) step 0.1 end 1\n";

TEST(Sweep, RowsAreTheRuns) {
  SweepOptions options = study(oscillator);
  options.axes = {{"k", {"1", "4", "2^3"}}, {"x'", {"0", "1"}}};
  options.columns = {"q", "energy.max_error", "statistics.steps", "method"};
  const Sweep table = sweep(options);
  EXPECT_FALSE(table.failed());
  EXPECT_EQ(table.columns,
            (std::vector<std::string>{"q.x", "q.r[1]", "q.r[2]", "energy.max_error", "statistics.steps", "method"}));
  ASSERT_EQ(table.rows.size(), 6u);
  EXPECT_EQ(table.rows[3].values, (std::vector<std::string>{"4", "1"}));
  for (const SweepRow& row : table.rows) {
    const Model model = model_from_text(oscillator, {"k=" + row.values[0], "x'=" + row.values[1]});
    const Equations e = derive(model);
    const nlohmann::json one =
        nlohmann::json::parse(to_json(simulate(model, e, method("gauss(3)"), options.simulation(model))));
    EXPECT_EQ(number(row.cells[0]), one["q"]["x"].get<double>());
    EXPECT_EQ(number(row.cells[3]), one["energy"]["max_error"].get<double>());
    EXPECT_EQ(row.cells[4], MemberResult::Cell(10L));
    EXPECT_EQ(row.cells[5], MemberResult::Cell(std::string("gauss(3)")));
  }
  const nlohmann::json json = nlohmann::json::parse(to_json(table));
  EXPECT_EQ(json["rows"][3]["vary"]["k"], 4);
  EXPECT_EQ(json["rows"][4]["vary"]["k"], "2^3");
  EXPECT_EQ(json["rows"][3]["report"]["q.x"].get<double>(), number(table.rows[3].cells[0]));
  const std::string csv = to_csv(table);
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "k,x',q.x,q.r[1],q.r[2],energy.max_error,statistics.steps,method,failure,warnings");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7);
}

TEST(Sweep, EventsAndStageMultipliersCanBeColumns) {
  SweepOptions options = study(
      "parameter h = 1\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint wall: x = 0\n"
      "initial y = h\nevent half: y = h/2\nevent low: y = h/4\nsolve lobatto(2) step 0.1 end 1\n");
  options.axes = {{"h", {"1", "2", "100"}}};
  options.columns = {"events[2].t", "events[1].state.y", "internal.Lambda1.wall"};
  const Sweep table = sweep(options);
  EXPECT_FALSE(table.failed());
  EXPECT_EQ(table.columns, options.columns);
  EXPECT_NEAR(number(table.rows[1].cells[0]), std::sqrt(0.3), 1e-14);
  EXPECT_NEAR(number(table.rows[1].cells[1]), 1, 1e-14);
  EXPECT_FALSE(given(table.rows[2].cells[0])) << "it does not come that far";
  EXPECT_TRUE(given(table.rows[2].cells[2]));
}

TEST(Sweep, FailuresAreRowsWithTheirReason) {
  // Massless: no accelerations. Falling into the centre: not finite on the way.
  SweepOptions options = study(
      "parameter m = 1, c = 1\ncoordinate x\nkinetic m*x'^2/2\npotential -c*log(x)\ninitial x = 1\n"
      "solve gauss(2) step 0.1 end 3\n");
  options.axes = {{"m", {"1", "0"}}, {"c", {"1", "-1"}}};
  const Sweep table = sweep(options);
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_TRUE(table.failed());
  EXPECT_EQ(table.rows[0].failure, "");
  EXPECT_NE(table.rows[1].failure, "");
  EXPECT_TRUE(given(table.rows[1].cells[0])) << "how far it came";
  EXPECT_NE(table.rows[2].failure, "");
  EXPECT_FALSE(given(table.rows[2].cells[0]));
  EXPECT_NE(to_text(table).find(table.rows[2].failure), std::string::npos);
}

/// A mass that is 0 leaves an algebraic equation, as in a run of the model with this value.
TEST(Sweep, AMassMayVanish) {
  SweepOptions options = study(
      "parameter m2 = 1\ncoordinate a = 1, b\nkinetic a'^2/2 + m2/2*b'^2\npotential a^2/2 + (b - a)^2/2\n"
      "rayleigh b'^2/2\nsolve lobatto_c(3) step 0.02 end 2\n");
  options.axes = {{"m2", {"0", "1e-9", "1"}}};
  options.columns = {"q.b"};
  const Sweep table = sweep(options);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_FALSE(table.failed()) << to_text(table);
  // a'' = b - 2a, b' = a - b from a = 1, b = a' = 0: by RK4 with steps of 1e-3.
  double a = 1, v = 0, b = 0;
  const double h = 1e-3;
  const auto rates = [](double a, double v, double b) { return std::array{v, b - 2 * a, a - b}; };
  for (int n = 0; n < 2000; ++n) {
    const auto k1 = rates(a, v, b);
    const auto k2 = rates(a + h / 2 * k1[0], v + h / 2 * k1[1], b + h / 2 * k1[2]);
    const auto k3 = rates(a + h / 2 * k2[0], v + h / 2 * k2[1], b + h / 2 * k2[2]);
    const auto k4 = rates(a + h * k3[0], v + h * k3[1], b + h * k3[2]);
    a += h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0]);
    v += h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1]);
    b += h / 6 * (k1[2] + 2 * k2[2] + 2 * k3[2] + k4[2]);
  }
  EXPECT_NEAR(number(table.rows[0].cells[0]), b, 1e-6);
  EXPECT_NEAR(number(table.rows[1].cells[0]), b, 1e-6);
  EXPECT_GT(std::abs(number(table.rows[2].cells[0]) - b), 0.01);
}

// A body of mass m that hangs at rest: the hinge carries its weight.
TEST(Sweep, AccountsAndJointsCanBeColumns) {
  SweepOptions options = study(
      "parameter m = 1\nbody b mass m inertia (1, 1, 1) at (0, 0, -1)\ngravity (0, 0, -10)\n"
      "joint revolute hinge from ground axis (1, 0, 0) to b point (0, 0, 1)\nload wind on b force (1, 0, 0)\n"
      "solve lobatto(2) step 0.01 end 0.1\n");
  options.axes = {{"m", {"1", "2"}}};
  options.columns = {"energy.supplied", "joints.hinge.force"};
  const Sweep table = sweep(options);
  ASSERT_EQ(table.columns.size(), 4u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(number(table.rows[i].cells[0]), 0);
    EXPECT_NEAR(number(table.rows[i].cells[3]), 10 * (i + 1), 1e-12);
  }
}

TEST(Sweep, AStartThatTheConstraintsMoveIsSaid) {
  SweepOptions options = study(
      "coordinate x, y = -1\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint x^2 + y^2 = 1\n"
      "solve lobatto(2) step 0.01 end 0.1\n");
  options.axes = {{"y'", {"0", "0.2"}}};
  const Sweep table = sweep(options);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_TRUE(table.rows[0].warnings.empty());
  ASSERT_EQ(table.rows[1].warnings.size(), 1u);
  EXPECT_EQ(table.rows[1].warnings[0].code, "start");
  EXPECT_NE(table.rows[1].warnings[0].text.find("y' from 0.2 to 0"), std::string::npos);
}

std::string refusal(const SweepOptions& options) {
  try {
    sweep(options);
  } catch (const InputError& error) { return error.what(); }
  return "";
}

TEST(Sweep, NamesAreCheckedBeforeAnythingRuns) {
  SweepOptions options = study(oscillator);
  options.axes = {{"kk", {"1", "4"}}};
  EXPECT_NE(refusal(options).find("'k'"), std::string::npos) << refusal(options);
  options.axes = {{"k", {"1", "soft"}}};
  EXPECT_NE(refusal(options).find("soft"), std::string::npos) << refusal(options);
  options.axes = {{"k", {"1"}}};
  options.columns = {"energy.max_eror", "q.y"};
  EXPECT_NE(refusal(options).find("'energy.max_error'"), std::string::npos) << refusal(options);
  EXPECT_NE(refusal(options).find("'q.y'"), std::string::npos) << "all at once";
}

}  // namespace
}  // namespace alembert::internal::testing
