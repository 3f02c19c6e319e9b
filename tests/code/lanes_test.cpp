// Programs as vector code, against the interpreter.

#include "alembert/code/lanes.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "alembert/run/engine_program.h"
#include "alembert/run/simulate.h"
#include "source_folder.h"

namespace alembert::internal {
namespace {

struct LaneFree {
  void operator()(double* memory) const { std::free(memory); }
};
using LaneMemory = std::unique_ptr<double[], LaneFree>;

LaneMemory lane_memory(std::size_t count) {
  constexpr std::size_t line = 64;
  return LaneMemory(static_cast<double*>(std::aligned_alloc(line, (count * sizeof(double) + line - 1) / line * line)));
}

/// Motions of one model that differ in a parameter.
class Motions {
 public:
  Motions(const std::string& model, const std::string& parameter, const std::string& method, double h,
          const EngineProgramOptions& options)
      : parameter_(parameter),
        model_(read_model(source_folder() + "/models/" + model + ".alm")),
        equations_(derive(model_, {.inputs = {parameter}})),
        engine_(model_, equations_, find_method(method), engine_options_for(h)) {
    EngineProgram made = program_of(engine_, options);
    EXPECT_TRUE(made.step) << made.why;
    step_ = std::move(*made.step);
  }

  const StepProgram& step() const { return step_; }

  std::vector<double> begin(double value, double steps) {
    std::vector<double> v(step_.program.variables);
    EXPECT_TRUE(engine_.begin({{parameter_, value}}));
    begin_program(engine_, step_, steps, v.data());
    return v;
  }
  std::vector<double> interpreted_after(double value, int steps) {
    std::vector<double> v = begin(value, steps);
    ProgramInterpreter run(step_.program);
    for (int i = 0; i < steps; ++i) run.run(v.data(), &value);
    v.resize(step_.program.scratch);
    return v;
  }
  /// Of lane k with values[k].
  std::vector<std::vector<double>> lanes_after(const std::vector<double>& values, const std::vector<int>& steps) {
    const int width = static_cast<int>(values.size()), kept = step_.program.scratch;
    const LaneProgram lanes(step_.program, width);
    const LaneMemory all = lane_memory(static_cast<std::size_t>(kept * width));
    const LaneMemory table = lane_memory(static_cast<std::size_t>(width));
    for (int k = 0; k < width; ++k) {
      const std::vector<double> v = begin(values[k], steps[k]);
      for (int i = 0; i < kept; ++i) all[i * width + k] = v[i];
      table[k] = values[k];
    }
    lanes.run(all.get(), table.get(), *std::max_element(steps.begin(), steps.end()));
    std::vector<std::vector<double>> result(width);
    for (int k = 0; k < width; ++k)
      for (int i = 0; i < kept; ++i) result[k].push_back(all[i * width + k]);
    return result;
  }
  std::vector<double> state_of(const std::vector<double>& v) const {
    return {v.begin() + step_.state, v.begin() + step_.state + step_.states};
  }

 private:
  static EngineOptions engine_options_for(double h) {
    EngineOptions options;
    options.step = h;
    options.newton.kernel.backend = Backend::interpreter;
    return options;
  }
  std::string parameter_;
  Model model_;
  Equations equations_;
  Engine engine_;
  StepProgram step_;
};

class Lanes : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!native_available()) GTEST_SKIP() << "no compiler in this build";
    if (GetParam() > best_lanes()) GTEST_SKIP() << "this processor has fewer lanes";
  }
  std::vector<double> values() const {
    std::vector<double> list;
    for (int k = 0; k < GetParam(); ++k) list.push_back(1 + 0.35 * k);
    return list;
  }
};

/// Every lane has the bits of the interpreter, whatever its neighbours do, and whenever they end.
TEST_P(Lanes, HaveTheBitsOfTheInterpreter) {
  for (const bool reduce : {false, true}) {
    Motions motions("double_pendulum", "m1", "lobatto(2)", 0.01, {.reduce = reduce, .watch = true});
    std::vector<int> steps;
    for (int k = 0; k < GetParam(); ++k) steps.push_back(100 + 7 * k);
    const auto lanes = motions.lanes_after(values(), steps);
    for (int k = 0; k < GetParam(); ++k) {
      const std::vector<double> alone = motions.interpreted_after(values()[k], steps[k]);
      EXPECT_EQ(motions.state_of(lanes[k]), motions.state_of(alone)) << "lane " << k;
      EXPECT_EQ(lanes[k][motions.step().made], steps[k]);
      EXPECT_EQ(lanes[k][motions.step().status], 0);
      EXPECT_EQ(lanes[k][motions.step().energy_error], alone[motions.step().energy_error]);
    }
  }
}

/// A step that is too long for one lane ends that lane alone.
TEST_P(Lanes, FailAlone) {
  if (GetParam() == 1) GTEST_SKIP() << "a single lane has no neighbours";
  Motions motions("double_pendulum", "m1", "lobatto(2)", 0.01, {});
  const int width = GetParam(), kept = motions.step().program.scratch;
  const LaneProgram lanes(motions.step().program, width);
  const LaneMemory all = lane_memory(static_cast<std::size_t>(kept * width)), table = lane_memory(width);
  for (int k = 0; k < width; ++k) {
    const std::vector<double> v = motions.begin(1, 50);
    for (int i = 0; i < kept; ++i) all[i * width + k] = v[i];
    table[k] = 1;
  }
  all[motions.step().h * width] = 40;
  lanes.run(all.get(), table.get(), 50);
  EXPECT_NE(all[motions.step().status * width], 0);
  const std::vector<double> alone = motions.state_of(motions.interpreted_after(1, 50));
  for (int k = 1; k < width; ++k)
    for (int i = 0; i < motions.step().states; ++i) EXPECT_EQ(all[(motions.step().state + i) * width + k], alone[i]);
}

INSTANTIATE_TEST_SUITE_P(Widths, Lanes, testing::Values(1, 2, 4, 8));

/// Sines and cosines of vectors are those of another library: within rounding of the scalar ones.
TEST(LanesFunctions, AgreeWithScalarOnes) {
  if (!native_available()) GTEST_SKIP() << "no compiler in this build";
  Motions motions("rolling_disk", "R", "gauss(2)", 0.01, {.reduce = true});
  const std::vector<double> values(best_lanes(), 0.6);
  const auto lanes = motions.lanes_after(values, std::vector<int>(values.size(), 200));
  const std::vector<double> alone = motions.state_of(motions.interpreted_after(0.6, 200));
  const std::vector<double> vector = motions.state_of(lanes.back());
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_NEAR(vector[i], alone[i], 1e-12 * (1 + std::abs(alone[i])));
}

/// Unknowns that are put in change nothing but rounding.
TEST(ReducedProgram, GoesTheSameWay) {
  for (const char* method : {"lobatto(2)", "lobatto(3)", "gauss(2)"}) {
    Motions all("double_pendulum", "m1", method, 0.005, {}),
        fewer("double_pendulum", "m1", method, 0.005, {.reduce = true});
    EXPECT_LT(fewer.step().parts[0].unknowns, all.step().parts[0].unknowns);
    const std::vector<double> one = all.state_of(all.interpreted_after(1.5, 200));
    const std::vector<double> other = fewer.state_of(fewer.interpreted_after(1.5, 200));
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 1e-11) << method;
  }
}

}  // namespace
}  // namespace alembert::internal
