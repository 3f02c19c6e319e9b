// Members in lanes, against the scalar engine.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "alembert/code/c_source.h"
#include "alembert/code/gpu.h"
#include "alembert/error.h"
#include "alembert/study/program_members.h"
#include "alembert/study/sweep.h"
#include "apps/program.h"
#include "source_folder.h"

namespace alembert::internal {
namespace {

struct LaneStudy {
  LaneStudy(const std::string& text, std::vector<std::string> names, std::vector<std::string> columns,
            const std::string& method_text, double end, double step)
      : model(read_model(std::make_shared<const Source>(Source{"study", text}))),
        equations(derive(model, {.inputs = names})),
        method(find_method(method_text)) {
    task.model = &model;
    task.equations = &equations;
    task.method = &method;
    task.simulation.end = end;
    task.simulation.step = step;
    task.names = std::move(names);
    task.columns = std::move(columns);
  }
  Model model;
  Equations equations;
  Method method;
  MemberTask task;
};

const char* const pendulum = R"(parameter l = 1, g = 9.81
coordinate x, y
kinetic (x'^2 + y'^2)/2
potential g*y
constraint rod: x^2 + y^2 = l^2
initial x = 0.6, y = -0.8
event bottom: x = 0
)";

double cell_number(const MemberResult& result, std::size_t column) {
  const auto& cell = result.cells.at(column);
  return std::holds_alternative<double>(cell) ? std::get<double>(cell) : NAN;
}

MemberBatch batch_of(const std::vector<double>& values) {
  MemberBatch batch;
  batch.count = values.size();
  batch.values = values;
  return batch;
}

/// What a GPU does with a member, by the interpreter.
MemberResult by_program(const ProgramMembers& members, double value) {
  const std::unique_ptr<Engine> engine = members.engine();
  std::vector<double> v(members.step().program.variables), table(members.parameters());
  EXPECT_TRUE(members.begin(members.step(), *engine, &value, v.data(), table.data()));
  ProgramInterpreter run(members.step().program);
  for (long i = 0; i < members.steps() && v[members.step().left] > 0; ++i) run.run(v.data(), table.data());
  const std::optional<MemberResult> result = members.result(members.step(), v.data());
  EXPECT_TRUE(result);
  return result.value_or(MemberResult{});
}

/// Events that stop: the time of the first one, and nothing that comes behind it.
TEST(ProgramMembers, EndWithTheEventThatStops) {
  const std::string text = std::string(pendulum) + "event high: y = -0.81\nstop after 1 bottom\n";
  LaneStudy study(text, {"g"}, {"events.bottom.t", "events.high.t"}, "lobatto(3)", 2, 0.005);
  const ProgramMembers members(study.task, 3, true);
  ASSERT_EQ(members.why_not(), "");
  for (const double g : {5.0, 9.81, 15.0}) {
    const MemberResult made = by_program(members, g), expected = members.scalar(&g);
    EXPECT_NEAR(cell_number(made, 0), cell_number(expected, 0), 1e-8);  // fourth order of a step of 0.005
    EXPECT_NEAR(cell_number(made, 1), cell_number(expected, 1), 1e-8);
  }
  study.task.columns = {"q.x"};
  EXPECT_NE(ProgramMembers(study.task, 3, true).why_not(), "");
  EXPECT_NE(ProgramMembers(study.task, 3, false).why_not(), "");
}

TEST(LaneMembers, AgreeWithTheScalarEngineInAnyOrder) {
  LaneStudy study(pendulum, {"g"},
                  {"t", "q.x", "q.y", "energy.max_error", "residual.position", "statistics.steps", "events.bottom.t"},
                  "lobatto(3)", 2, 0.01);
  std::vector<double> values;
  for (int i = 0; i < 21; ++i) values.push_back(1 + 0.5 * i);
  const auto lanes = make_lane_engine(study.task), scalar = make_scalar_engine(study.task);
  const auto one = lanes->run(batch_of(values)), other = scalar->run(batch_of(values));
  std::vector<double> backwards(values.rbegin(), values.rend());
  auto turned = lanes->run(batch_of(backwards));
  std::reverse(turned.begin(), turned.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(one[i].failure, "");
    EXPECT_EQ(one[i].cells, turned[i].cells);
    for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(cell_number(one[i], k), cell_number(other[i], k), 1e-11);
    EXPECT_EQ(one[i].cells[5], other[i].cells[5]);
    // Located on the cubic through the ends of a step, not by parts of the step: the fourth power of the step.
    EXPECT_NEAR(cell_number(one[i], 6), cell_number(other[i], 6), 1e-8);
  }
}

/// The lower rod stands upright at the start, but for rounding: it has not turned over yet. A third one does not do so.
TEST(LaneMembers, AMotionThatBeginsOnAnEventGoesToTheScalarEngine) {
  const std::string text = apps_test::file_text(source_folder() + "/models/double_pendulum_flip.alm");
  LaneStudy study(text, {"a0", "b0"}, {"events.flip.t"}, "lobatto(2)", 1, 0.005);
  const double pi = std::acos(-1.0);
  MemberBatch batch;
  batch.count = 3;
  batch.values = {2.05, pi, 1.78, pi, 2.05, 3};
  const auto lanes = make_lane_engine(study.task)->run(batch), scalar = make_scalar_engine(study.task)->run(batch);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GT(cell_number(lanes[i], 0), 0.1);
    EXPECT_NEAR(cell_number(lanes[i], 0), cell_number(scalar[i], 0), 1e-6);
  }
  EXPECT_TRUE(std::isnan(cell_number(lanes[2], 0)));
  EXPECT_TRUE(std::isnan(cell_number(scalar[2], 0)));
}

/// Fast turns make Newton's whole matrix necessary, which the start at rest does not show: such members stay in lanes.
TEST(ProgramMembers, ThoseThatTurnFastHaveNewtonsWholeMatrix) {
  const std::string text = apps_test::file_text(source_folder() + "/models/double_pendulum_flip.alm");
  LaneStudy study(text, {"a0", "b0"}, {"events.flip.t"}, "gauss(2)", 2, 0.02);
  const ProgramMembers members(study.task, 5, true);
  ASSERT_EQ(members.why_not(), "");
  ASSERT_NE(members.exact_step(), nullptr);
  const auto made_by = [&](const StepProgram& step, const double* values) {
    const std::unique_ptr<Engine> engine = members.engine();
    std::vector<double> v(step.program.variables), table(members.parameters());
    EXPECT_TRUE(members.begin(step, *engine, values, v.data(), table.data()));
    ProgramInterpreter run(step.program);
    for (long i = 0; i < members.steps() && v[step.left] > 0; ++i) run.run(v.data(), table.data());
    return members.result(step, v.data());
  };
  int usual = 0, exact = 0;
  for (const double a0 : {1.5, 2.0, 2.5})
    for (const double b0 : {-1.0, 0.0, 1.0}) {
      const double values[] = {a0, b0};
      usual += made_by(members.step(), values) ? 1 : 0;
      const auto made = made_by(*members.exact_step(), values);
      if (!made) continue;
      ++exact;
      const MemberResult expected = members.scalar(values);
      ASSERT_EQ(std::isnan(cell_number(*made, 0)), std::isnan(cell_number(expected, 0)));
      // Both are off by the fourth power of a step of 0.02, times the growth of errors in a chaotic motion.
      if (std::isnan(cell_number(expected, 0))) continue;
      EXPECT_NEAR(cell_number(*made, 0), cell_number(expected, 0), 1e-5);
    }
  EXPECT_GE(exact, 6);
  EXPECT_LT(usual, exact);
}

/// A sample of the members in lanes is run once more for its accuracy, the same one on any number of threads.
TEST(LaneMembers, SomeOfThemTellTheirAccuracy) {
  SweepOptions options;
  options.model = std::make_shared<const Source>(Source{"study", pendulum});
  options.method = [](const Model&) { return find_method("lobatto(2)"); };
  options.simulation = [](const Model&) {
    SimulateOptions simulation;
    simulation.step = 0.1;
    simulation.end = 5;
    return simulation;
  };
  SweepAxis range{"g"};
  range.first = 5;
  range.last = 15;
  range.count = 200;
  options.axes = {range};
  options.columns = {"q.x"};
  options.engine = make_lane_engine;
  const SweepOutcome outcome = run_sweep(options);
  EXPECT_EQ(outcome.judged, 4U);
  EXPECT_EQ(outcome.why_alone, "");
  const Sweep in_lanes = sweep(options);
  options.columns = {"statistics.newton_iterations"};
  const SweepOutcome alone = run_sweep(options);
  EXPECT_EQ(alone.judged, 200U);
  EXPECT_NE(alone.why_alone.find("statistics.newton_iterations"), std::string::npos);
  EXPECT_GT(alone.warned, 50U) << "steps of a tenth of a second are too long for many of them";
  const Sweep one_by_one = sweep(options);
  int warned = 0;
  for (const std::size_t i : {0U, 64U, 128U, 192U}) {
    ASSERT_EQ(in_lanes.rows[i].warnings.size(), one_by_one.rows[i].warnings.size());
    warned += in_lanes.rows[i].warnings.empty() ? 0 : 1;
  }
  EXPECT_GT(warned, 0);
}

/// What lanes do not do, they leave to the scalar engine, with its reasons.
/// Masses and inertias are looked at for each member, with all of its values together, in lanes as alone.
TEST(LaneMembers, BodiesThatCannotBeAreRefused) {
  const char* const body = R"(parameter m = 1, I1 = 1, I3 = 1.5
body top mass m inertia (I1, I1, I3) at (0, 0, 1) spin (0.1, 0, 1)
gravity (0, 0, -9.81)
)";
  LaneStudy study(body, {"m", "I1", "I3"}, {"energy.initial"}, "lobatto(2)", 0.1, 0.01);
  // The third would be none with the usual I1: 3.9 is larger than 1 + 1.
  MemberBatch batch{5, {2, 1, 1.5, -1, 1, 1.5, 1, 2, 3.9, 1, 0.5, 1.4, 0, 1, 1.5}};
  for (const bool lanes : {false, true}) {
    const auto engine = lanes ? make_lane_engine(study.task) : make_scalar_engine(study.task);
    const std::vector<MemberResult> results = engine->run(batch);
    EXPECT_EQ(results[0].failure, "");
    EXPECT_NEAR(cell_number(results[0], 0), 2 * 9.81 + (0.01 * 1 + 1.5) / 2, 1e-12);
    EXPECT_EQ(results[1].failure, "the mass of 'top' is -1");
    EXPECT_EQ(results[2].failure, "");
    EXPECT_NEAR(cell_number(results[2], 0), 9.81 + (0.01 * 2 + 3.9) / 2, 1e-12);
    EXPECT_EQ(results[3].failure, "no body has the inertia of 'top'");
    EXPECT_EQ(results[4].failure, "the mass of 'top' is 0");
  }
}

TEST(LaneMembers, LeaveTheRestToTheScalarEngine) {
  LaneStudy study(pendulum, {"g"}, {"t", "q.x"}, "lobatto(2)", 2, 0.01);
  const auto lanes = make_lane_engine(study.task);
  const auto results = lanes->run(batch_of({9.81, 1e9, NAN, 5}));
  EXPECT_EQ(results[0].failure, "");
  EXPECT_NE(results[1].failure, "");
  EXPECT_NE(results[2].failure, "");
  EXPECT_EQ(results[3].failure, "");
  const auto scalar = make_scalar_engine(study.task)->run(batch_of({1e9}));
  EXPECT_EQ(results[1].failure, scalar[0].failure);
}

TEST(GpuMembers, SayWhyThereAreNone) {
  if (why_no_gpu().empty()) GTEST_SKIP() << "there is a GPU here";
  LaneStudy study(pendulum, {"g"}, {"t"}, "lobatto(2)", 2, 0.01);
  EXPECT_THROW(make_gpu_engine(study.task), InputError);
}

/// Where there is a GPU: the same numbers but for rounding.
TEST(GpuMembers, AgreeWithTheScalarEngine) {
  if (!why_no_gpu().empty()) GTEST_SKIP() << why_no_gpu();
  LaneStudy study(pendulum, {"g"}, {"q.x", "q.y", "residual.position", "residual.velocity"}, "lobatto(2)", 10, 0.01);
  std::vector<double> values;
  for (int i = 0; i < 500; ++i) values.push_back(1 + 0.02 * i);
  const auto gpu = make_gpu_engine(study.task)->run(batch_of(values));
  const auto scalar = make_scalar_engine(study.task)->run(batch_of(values));
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(cell_number(gpu[i], k), cell_number(scalar[i], k), 1e-10);
    EXPECT_LT(cell_number(gpu[i], 2), 1e-12);
    EXPECT_LT(cell_number(gpu[i], 3), 1e-12);
  }
}

}  // namespace
}  // namespace alembert::internal
