// The step as C: what a C compiler makes of it goes with the bits of the library.
// Compiled only: both sides are the interpreter and a C compiler in every build.

#include "alembert/run/c_export.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "alembert/code/c_source.h"
#include "alembert/code/lanes.h"
#include "alembert/error.h"
#include "alembert/expr/piecewise.h"
#include "alembert/run/engine_program.h"
#include "alembert/run/simulate.h"
#include "source_folder.h"

namespace alembert::internal {
namespace {

struct Exported {
  const char* model;
  const char* method;
  double step;
  std::vector<std::string> open = {};
};

class Motion {
 public:
  explicit Motion(const Exported& wanted)
      : model_(read_model(source_folder() + "/models/" + wanted.model + ".alm")),
        equations_(derive(model_, {.inputs = wanted.open})),
        engine_(model_, equations_, find_method(std::string(wanted.method)), options(wanted.step)),
        at_(engine_.point()),
        next_(at_) {}

  Engine& engine() { return engine_; }
  const std::vector<double>& state_after(int steps) {
    for (int i = 0; i < steps; ++i, ++made_) {
      const double h = engine_.options.step;
      EXPECT_TRUE(engine_.maker.make(engine_.step, at_, h, (made_ + 1) * h, next_));
      std::swap(at_, next_);
    }
    return at_.state;
  }

 private:
  static EngineOptions options(double step) {
    EngineOptions result;
    result.step = step;
    result.newton.kernel.backend = Backend::interpreter;
    return result;
  }
  Model model_;
  Equations equations_;
  Engine engine_;
  GridPoint at_, next_;
  int made_ = 0;
};

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "alembert_export_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  return pclose(pipe) == 0 ? text : "failed: " + text;
}

std::vector<double> last_row(const std::string& table) {
  std::istringstream lines(table);
  std::string line, last;
  while (std::getline(lines, line)) last = line;
  std::vector<double> values;
  std::istringstream cells(last);
  for (std::string cell; std::getline(cells, cell, ',');) values.push_back(std::strtod(cell.c_str(), nullptr));
  return values;
}

/// Compiles with all warnings as errors.
std::string build(const TemporaryFolder& folder, const CFiles& files) {
  std::ofstream(folder / "step.c") << files.source;
  std::ofstream(folder / "step.h") << files.header;
  return output_of("cc -std=c99 -O1 -Wall -Wextra -Werror -pedantic -DSTEP_MAIN " + (folder / "step.c") + " -lm -o " +
                   (folder / "program") + " 2>&1");
}

class CExport : public ::testing::TestWithParam<Exported> {};

TEST_P(CExport, HasTheBitsOfTheLibrary) {
  constexpr int steps = 400;
  Motion motion(GetParam());
  const TemporaryFolder folder;
  ASSERT_EQ(build(folder, export_c(motion.engine(), "step", "step.h")), "");
  std::vector<double> row = last_row(output_of((folder / "program") + " 1 400"));
  ASSERT_FALSE(row.empty());
  EXPECT_DOUBLE_EQ(row[0], steps * GetParam().step);
  row.erase(row.begin());
  EXPECT_EQ(row, motion.state_after(steps));
}

INSTANTIATE_TEST_SUITE_P(Steps, CExport,
                         ::testing::Values(Exported{"double_pendulum", "lobatto(2)", 0.001},
                                           Exported{"double_pendulum", "lobatto(3)", 0.01, {"m1"}},
                                           Exported{"rolling_disk", "gauss(2)", 0.01},
                                           Exported{"double_pendulum", "murua(2)", 0.01},
                                           Exported{"double_pendulum", "triple_jump(lobatto(2))", 0.001},
                                           Exported{"moving_support", "lobatto(2)", 0.01},
                                           Exported{"double_pendulum", "true_euler", 0.001}));

/// Another state and other parameters than the model's, given to C: against an engine that was compiled with them.
TEST(CExportValues, ParametersAndStatesAreTaken) {
  Motion open({"double_pendulum", "lobatto(2)", 0.001, {"m1"}});
  const TemporaryFolder folder;
  ASSERT_EQ(build(folder, export_c(open.engine(), "step", "step.h")), "");
  std::ofstream(folder / "main.c") << R"(#include <stdio.h>
#include "step.h"
int main(void) {
  const double p[1] = {2.5};
  double x[STEP_STATES];
  int i;
  step_motion motion;
  for (i = 0; i < STEP_STATES; ++i) x[i] = step_initial_state[i];
  step_begin(&motion, 0, 0.001, x, p);
  if (step_steps(&motion, 300, p) != STEP_MADE) return 1;
  for (i = 0; i < STEP_STATES; ++i) printf(i ? ",%.17g" : "%.17g", step_state(&motion)[i]);
  return 0;
})";
  ASSERT_EQ(output_of("cc -std=c99 -O1 " + (folder / "main.c") + " " + (folder / "step.c") + " -lm -o " +
                      (folder / "other") + " 2>&1"),
            "");
  const std::vector<double> row = last_row(output_of(folder / "other"));
  const Model model = read_model(source_folder() + "/models/double_pendulum.alm", {"m1=2.5"});
  const Equations equations = derive(model);
  EngineOptions options;
  options.step = 0.001;
  Engine engine(model, equations, find_method("lobatto(2)"), options);
  GridPoint at = engine.point(), next = at;
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(engine.maker.make(engine.step, at, 0.001, (i + 1) * 0.001, next));
    std::swap(at, next);
  }
  ASSERT_EQ(row.size(), at.state.size());
  for (std::size_t i = 0; i < row.size(); ++i) EXPECT_NEAR(row[i], at.state[i], 1e-12);
}

/// v1 = the table at v0, and its slope in v2.
TEST(CExportValues, TablesAreThoseOfTheInterpreter) {
  Graph graph;
  const Expr x = graph.symbol("x");
  const Piecewise& table = known(std::make_unique<Piecewise>(
      "road", 0, std::vector<Quad>{0, 0.5, 2},
      std::vector<Piecewise::Piece<Quad>>{
          {0, 1, 0, 0, 0}, {0, 1, 0.3, -2, 1.7}, {0.5, 0.8, 1, 0.1, -0.4}, {2, 1, 0, 0, 0}}));
  Program program;
  program.variables = program.scratch = 3;
  program.tapes = {make_tape(Exprs{x}, Exprs{piecewise(x, table), piecewise(x, table.slope())})};
  program.statements = {{{0, {0}, {1, 2}}, -1, {}}};
  const std::array<const Program*, 1> programs{&program};
  const auto place = [](int i) { return "m[" + std::to_string(i) + "]"; };
  const TemporaryFolder folder;
  std::ofstream(folder / "table.c") << "#include <stdio.h>\n#include <stdlib.h>\n" + c_tables(programs, "static") +
                                           "static void run(double *m) {\n" + c_variables(program, 2, place) +
                                           c_statements(program, 2) + c_stores(program, 2, place) +
                                           "}\nint main(int n, char **a) {\n  double m[3] = {0, 0, 0};\n  int i;\n"
                                           "  for (i = 1; i < n; ++i) { m[0] = atof(a[i]); run(m); "
                                           "printf(\"%.17g,%.17g,\", m[1], m[2]); }\n  return 0;\n}\n";
  ASSERT_EQ(output_of("cc -std=c99 -O1 -ffp-contract=off -Wall -Wextra -Werror -pedantic " + (folder / "table.c") +
                      " -o " + (folder / "table") + " 2>&1"),
            "");
  const std::vector<double> places{-1, 0, 0.1, 0.49, 0.5, 0.51, 1.7, 2, 3};
  std::string arguments;
  for (const double at : places) arguments += " " + to_text(at);
  const std::vector<double> row = last_row(output_of((folder / "table") + arguments));
  ASSERT_EQ(row.size(), 2 * places.size());
  ProgramInterpreter interpreter(program);
  for (std::size_t i = 0; i < places.size(); ++i) {
    double v[] = {places[i], 0, 0};
    interpreter.run(v, nullptr);
    EXPECT_EQ(row[2 * i], v[1]) << places[i];
    EXPECT_EQ(row[2 * i + 1], v[2]) << places[i];
  }
  EXPECT_NE(cuda_source(program, 0, 1).find("static __device__ double table_"), std::string::npos);
  if (!native_available()) return;
  LaneProgram lanes(program, 2);
  alignas(16) double v[] = {0.1, 1.7, 0, 0, 0, 0};
  lanes.run(v, nullptr, 1);
  EXPECT_EQ(v[2], table.value(0.1));
  EXPECT_EQ(v[3], table.value(1.7));
}

TEST(CExportValues, WhatIsNoSingleFunctionIsRefused) {
  Motion redundant({"parallel_four_bar", "lobatto(2)", 0.001});
  EXPECT_THROW(export_c(redundant.engine(), "step", "step.h"), InputError);
}

/// A step that has no solution says so, and leaves the motion where it was.
TEST(CExportValues, FailedStepsSayWhy) {
  Motion motion({"double_pendulum", "lobatto(2)", 0.001});
  const EngineProgram program = program_of(motion.engine(), {});
  ASSERT_TRUE(program.step);
  const StepProgram& step = *program.step;
  std::vector<double> v(step.program.variables);
  begin_program(motion.engine(), step, 10, v.data());
  ProgramInterpreter run(step.program);
  run.run(v.data(), nullptr);
  ASSERT_EQ(v[step.status], double(StepStatus::made));
  const std::vector<double> state(v.begin() + step.state, v.begin() + step.state + step.states);
  v[step.h] = 50;
  run.run(v.data(), nullptr);
  EXPECT_NE(v[step.status], double(StepStatus::made));
  EXPECT_EQ(state, std::vector<double>(v.begin() + step.state, v.begin() + step.state + step.states));
  EXPECT_EQ(v[step.made], 1);
}

/// The text for GPUs, compiled as C++ for the CPU with a thread after the other: the numbers of the interpreter within
/// rounding.
void compare_cuda_text(const char* method, int rows, bool lean, const char* model = "double_pendulum",
                       const char* parameter = "m1", double step_size = 0.01) {
  SCOPED_TRACE(std::string(model) + ", " + method + " with " + std::to_string(rows) + (lean ? " rows, lean" : " rows"));
  constexpr int count = 3, steps = 150;
  Motion motion({model, method, step_size, {parameter}});
  const EngineProgram made =
      program_of(motion.engine(), {.rows = rows, .reduce = true, .lean = lean, .watch = true, .locate = true});
  ASSERT_TRUE(made.step);
  const StepProgram& step = *made.step;
  ProgramInterpreter run(step.program);
  const TemporaryFolder folder;
  std::ofstream source(folder / "kernel.cpp");
  source << "#include <algorithm>\n#include <cmath>\n#include <cstdio>\n#include <cstring>\nusing namespace "
            "std;\n#define __global__\n#define "
            "__launch_bounds__(threads, blocks)\n#define __shared__ static\n#define __fdividef(a, b) ((a) / (b))\n"
            "#define __device__\n#define __forceinline__ inline\n#define __builtin_assume(what)\n"
            "static float __int_as_float(int bits) { float f; memcpy(&f, &bits, 4); return f; }\n"
            "static int __float_as_int(float f) { int bits; memcpy(&bits, &f, 4); return bits; }\n"
            "static double __hiloint2double(long upper, int) { upper <<= 32; double x; memcpy(&x, &upper, 8); return "
            "x; }\n"
            "static int __double2hiint(double x) { long bits; memcpy(&bits, &x, 8); return bits >> 32; }\n"
            "struct Index { long long x; };\nstatic Index blockIdx{0}, blockDim{1}, threadIdx{0};\n"
         << cuda_source(step.program, step.left, step.status);
  std::vector<std::vector<double>> expected;
  std::string variables, table;
  std::vector<std::vector<double>> starts;
  for (int k = 0; k < count; ++k) {
    const double mass = 1 + k;
    ASSERT_TRUE(motion.engine().begin({{parameter, mass}}));
    std::vector<double> v(step.program.variables);
    begin_program(motion.engine(), step, steps, v.data());
    starts.push_back(v);
    for (int i = 0; i < steps; ++i) run.run(v.data(), &mass);
    expected.push_back(v);
    table += c_number(mass) + ",";
  }
  for (int i = 0; i < step.program.scratch; ++i)
    for (int k = 0; k < count; ++k) variables += c_number(starts[k][i]) + ",";
  source << "static double v[] = {" << variables << "};\nstatic const double p[] = {" << table << "};\nint main() {\n"
         << "  for (int k = 0; k < " << count << "; ++k) { blockIdx.x = k; run(v, p, " << count << ", 1000); }\n"
         << "  for (int i = 0; i < " << step.program.scratch * count
         << "; ++i) printf(i ? \",%.17g\" : \"%.17g\", v[i]);\n}\n";
  source.close();
  ASSERT_EQ(output_of("c++ -std=c++17 -O1 -ffp-contract=off " + (folder / "kernel.cpp") + " -o " + (folder / "kernel") +
                      " 2>&1"),
            "");
  const std::vector<double> values = last_row(output_of(folder / "kernel"));
  ASSERT_EQ(values.size(), static_cast<std::size_t>(step.program.scratch * count));
  for (int k = 0; k < count; ++k) {
    EXPECT_EQ(values[static_cast<std::size_t>(step.made * count + k)], steps);
    // 150 steps of 0.01 of a regular motion: rounding of the quotients by the mass.
    for (int i = 0; i < step.states; ++i)
      EXPECT_NEAR(values[static_cast<std::size_t>((step.state + i) * count + k)], expected[k][step.state + i], 1e-13);
    // The largest errors have six digits.
    for (const int largest : {step.energy_error, step.position, step.velocity})
      EXPECT_NEAR(values[static_cast<std::size_t>(largest * count + k)], expected[k][largest],
                  1e-6 * expected[k][largest] + 1e-13);
  }
}
TEST(CudaText, ComputesWhatTheInterpreterDoes) {
  compare_cuda_text("lobatto(2)", 4, false);
  compare_cuda_text("lobatto(2)", 3, true);
  compare_cuda_text("gauss(2)", 4, true);
  compare_cuda_text("lobatto(3)", 4, true);
  compare_cuda_text("murua(2)", 4, true);
  compare_cuda_text("lobatto(2)", 4, true, "double_pendulum_flip", "m1", 0.01);  // with an event
  compare_cuda_text("triple_jump(lobatto(2))", 4, true);                         // with several substeps
}

/// What a GPU keeps less of changes results by rounding alone.
TEST(LeanPrograms, GoWithTheOthers) {
  constexpr int steps = 300;
  for (const Exported& one : {Exported{"double_pendulum", "lobatto(2)", 0.005, {"m1"}},
                              {"double_pendulum", "lobatto(3)", 0.01, {"m1"}},
                              {"rolling_disk", "lobatto(2)", 0.01, {"m"}}}) {
    SCOPED_TRACE(one.method);
    Motion motion(one);
    std::vector<std::vector<double>> ends;
    for (const bool lean : {false, true}) {
      const EngineProgram made =
          program_of(motion.engine(), {.rows = 4, .reduce = true, .lean = lean, .watch = true, .locate = true});
      ASSERT_TRUE(made.step);
      const StepProgram& step = *made.step;
      std::vector<double> v(step.program.variables);
      begin_program(motion.engine(), step, steps, v.data());
      ProgramInterpreter run(step.program);
      for (int n = 0; n < steps; ++n) run.run(v.data(), motion.engine().parameters.data());
      EXPECT_EQ(v[step.made], steps);
      EXPECT_LT(v[step.velocity], 1e-13);
      ends.emplace_back(v.begin() + step.state, v.begin() + step.state + step.states);
    }
    for (std::size_t i = 0; i < ends[0].size(); ++i) EXPECT_NEAR(ends[0][i], ends[1][i], 1e-12);
  }
}

/// In the fourth step of a fast top corrections end at two units of rounding: members must not leave for that.
TEST(LeanPrograms, FastTopsStay) {
  constexpr int members = 32, steps = 5;
  Motion motion({"heavy_top", "lobatto(3)", 0.002, {"m"}});
  const EngineProgram made =
      program_of(motion.engine(), {.rows = 4, .reduce = true, .lean = true, .watch = true, .locate = true});
  ASSERT_TRUE(made.step);
  const StepProgram& step = *made.step;
  ProgramInterpreter run(step.program);
  std::vector<double> v(step.program.variables);
  for (int k = 0; k < members; ++k) {
    const double mass = 15 * (1 + 0.2 * k / members);
    ASSERT_TRUE(motion.engine().begin({{"m", mass}}));
    begin_program(motion.engine(), step, steps, v.data());
    for (int n = 0; n < steps; ++n) run.run(v.data(), &mass);
    EXPECT_EQ(v[step.made], steps) << mass;
  }
}

}  // namespace
}  // namespace alembert::internal
