#include "alembert/code/c_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "alembert/code/c_statements.h"
#include "alembert/code/invariant_factors.h"
#include "alembert/code/kinds.h"
#include "alembert/error.h"
#include "alembert/expr/operators.h"
#include "alembert/expr/piecewise.h"

namespace alembert::internal {

namespace {

// What CUDA has for two things that cost it much: the upper word of a double tells its size to six digits, and words
// are in the order of the floats with the same bits, whose signs cost nothing (beyond 1e306 they are NaN, which stays),
// while a conversion takes as long as four multiplications; a quotient by the device's reciprocal (20 bits) and one
// step of the third order has no branch for numbers that do not occur in a motion: where there is one, the step fails.
constexpr const char* cuda_words = R"(static __device__ __forceinline__ double rough_reciprocal(double x) {
#ifdef __CUDA_ARCH__
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
#else
  return 1.0 / x;
#endif
}
static __device__ __forceinline__ float upper(double x) { return __int_as_float(__double2hiint(x)); }
static __device__ __forceinline__ float larger(float a, float b) {
#ifdef __CUDA_ARCH__
  float y;
  asm("{.reg .f32 s, t; abs.f32 s, %1; abs.f32 t, %2; max.NaN.f32 %0, s, t;}" : "=f"(y) : "f"(a), "f"(b));
  return y;
#else
  const float s = fabsf(a), t = fabsf(b);
  return s > t || s != s ? s : t;
#endif
}
static __device__ __forceinline__ float size_of(float word) {
  const float most = fminf(fabsf(word), __int_as_float(0x47f00000)), kept = fmaxf(most, __int_as_float(0x38100000));
  return __int_as_float((__float_as_int(kept) - 0x38000000) << 3);
}
static __device__ __forceinline__ float rough_inverse(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1.0f / x;
#endif
}
static __device__ __forceinline__ float raised(float word, int by) {
  return __int_as_float(__float_as_int(fminf(fabsf(word), __int_as_float(0x7e37e43c))) + by);
}
static __device__ __forceinline__ double of_word(float word) {
  return __hiloint2double(__float_as_int(fabsf(word)), 0);
}
static __device__ __forceinline__ double reciprocal(double x) {
  const double y = rough_reciprocal(x), e = fma(-x, y, 1.0);
  return fma(fma(e, e, e), y, y); /* NaN of 0 and infinity */
}

)";

// Blocks that a multiprocessor (65,536 registers) is to hold: eight leave 128 registers a thread, four as many as a
// thread can have, 255. On an H200 a step of two rods with 47 variables kept is made 5.0e10 times a second with 128,
// 4.9e10 with 168 and 4.8e10 with 96; one with 97 is three times as fast with 255 as with 168.
constexpr int few_variables = 60;
// Short steps are written twice in a row: new values then need not be moved to where the old ones were. A
// step of 700 operations gains 3 %; long steps would no longer stay in the cache of instructions.
constexpr std::size_t most_twice = 1500;

bool is_function(const Tape::Instruction& step) {
  return step.op == Op::sqrt || step.op == Op::abs || !operator_of(step.op).libm.empty();
}

/// Variables that are read on one side of the loops alone, but for blocks that are rarely run: between, they need not
/// be in a register.
std::vector<bool> read_on_one_side(const Program& program) {
  std::vector<bool> before(program.variables, false), inside = before, behind = before;
  const auto note = [&](std::vector<bool>& list, const Program::Block& block) {
    for (const int place : block.from) list[place] = true;
  };
  std::size_t loops = 0;
  for (const Program::Statement& statement : program.statements) loops += statement.repeat >= 0 ? 1 : 0;
  std::size_t passed = 0;
  for (const Program::Statement& statement : program.statements) {
    for (const Program::Statement& inner : statement.body) note(inside, inner.block);
    if (statement.repeat >= 0) ++passed;
    else if (!is_rare(program, statement.block))
      note(passed == 0 ? before : passed == loops ? behind : inside, statement.block);
  }
  std::vector<bool> result(program.variables, false);
  for (int i = 0; i < program.variables; ++i) result[i] = loops > 0 && !inside[i] && !(before[i] && behind[i]);
  return result;
}

// Kept variables that do not earn a register wait in the memory that a block of threads shares: a block of 64 holds
// this many in the 48 KiB that it may have without asking.
constexpr int most_shared = 90;

/// Their numbers there; -1: a register.
std::vector<int> shared_places(const Program& program, const Touched& touched, const std::vector<int>& counted,
                               int most) {
  std::vector<int> shared(program.variables, -1);
  std::vector<bool> may = read_on_one_side(program);
  for (const std::vector<int>* small : {&program.steering, &program.largest})
    for (const int place : *small) may[place] = false;  // asked for all the time, or of single precision
  for (int i = 0; i < program.scratch; ++i) may[i] = may[i] && counted[i] == 0;
  int count = 0;
  for (int i = 0; i < program.scratch && count < std::min(most, most_shared); ++i)
    if (touched.written[i] && may[i]) shared[i] = count++;
  return shared;
}

std::string variables_of(const Program& program, int indent, const VariablePlace& place, Dialect dialect, int left = -1,
                         const CudaChoice& choice = {}) {
  const Touched touched = touched_variables(program);
  const Conditions conditions(program);
  const bool cuda = dialect == Dialect::cuda;
  const Sizes sizes = cuda ? Sizes(program, conditions) : Sizes();
  const Words words = cuda ? Words(program, conditions, sizes) : Words();
  const Codes codes = cuda ? Codes(program, conditions, sizes, left) : Codes();
  const std::vector<int> shared = cuda ? shared_places(program, touched, counters_of(program, left), choice.shared)
                                       : std::vector<int>(program.variables, -1);
  const std::string blanks(indent, ' ');
  std::string text;
  if (const int count = 1 + *std::max_element(shared.begin(), shared.end()); count > 0)
    text += fmt::format("{}__shared__ double waiting[{}][{}];\n", blanks, count, cuda_threads);
  for (int i = 0; i < program.variables; ++i) {
    if (!touched.read[i] && !touched.written[i]) continue;
    if (conditions.variable(i)) text += fmt::format("{}{} v{} = 0;\n", blanks, cuda ? "bool" : "int", i);
    else if (words.variable(i) && i < program.scratch)
      text += fmt::format("{}float v{} = upper({});\n", blanks, i, place(i));
    else if (sizes.variable(i) && i >= program.scratch) text += fmt::format("{}float v{} = 0.0f;\n", blanks, i);
    else if (i >= program.scratch) text += fmt::format("{}double v{} = 0.0;\n", blanks, i);
    else if (shared[i] >= 0)
      text +=
          fmt::format("{0}double& v{1} = waiting[{2}][threadIdx.x];\n{0}v{1} = {3};\n", blanks, i, shared[i], place(i));
    else if (codes.variable(i) || sizes.variable(i))
      text += fmt::format("{}float v{} = (float){};\n", blanks, i, place(i));
    else text += fmt::format("{}{}double v{} = {};\n", blanks, touched.written[i] ? "" : "const ", i, place(i));
  }
  return text;
}

std::string stores_of(const Program& program, int indent, const VariablePlace& place, const Words& words) {
  const Touched touched = touched_variables(program);
  std::string text;
  for (int i = 0; i < program.scratch; ++i) {
    if (!touched.written[i]) continue;
    const std::string value = "v" + std::to_string(i);
    text += fmt::format("{}{} = {};\n", std::string(indent, ' '), place(i),
                        words.variable(i) ? "of_word(" + value + ")" : value);
  }
  return text;
}

/// The steps of a kernel. counts: by an integer, where nothing but their number ends a motion.
std::string loop_of(const Program& program, bool counts, int left, int status) {
  constexpr int most = 1 << 30;  // at once, far above what takes a second
  // Else the compiler would keep what waits in shared memory in registers after all.
  std::string step = std::string(4, ' ') + forget + "\n";
  if (program.guard >= 0) step += fmt::format("    v{} = 0;\n", status);
  step += statements_of(program, 4, Dialect::cuda, left, status);
  if (!counts)
    return fmt::format(
               "  int open = 0;\n  const int begun = 0;\n"
               "  for (; times > 0 && v{} > 0 && v{} == 0; times -= 1, open -= 1) {{\n",
               left, status) +
           step + "  }\n";
  const std::string again =
      program.operations() <= most_twice ? "    if (open <= 0) break;\n" + step + "    open -= 1;\n" : "";
  return fmt::format(
             "  const int all = v{0} < (times < {1} ? (double)times : {1}.0) ? (int)v{0} : (int)(times < {1} ? times : "
             "{1});\n"
             "  int open = v{2} == 0 ? all : 0;\n  const int begun = open;\n"
             "  while (open > 0) {{\n    __builtin_assume(v{0} > 0.0);\n",
             left, most, status) +
         step + "    open -= 1;\n" + again + "  }\n";
}

}  // namespace

std::string c_number(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string c_tables(std::span<const Program* const> programs, const std::string& storage) {
  std::set<double> numbers;
  for (const Program* program : programs)
    for (const Tape& tape : program->tapes)
      for (const Tape::Instruction& step : tape.code)
        if (step.op == Op::piecewise) numbers.insert(number_of(tape, step.b));
  std::string text;
  for (const double number : numbers) {
    const Piecewise* const table = find_piecewise(number);
    check(table != nullptr, "a table that nobody knows");
    const std::string name = table_name(number);
    text += fmt::format("/* {} */\n{} const double {}_knots[{}] = {{\n", table->name(), storage, name,
                        table->knots().size());
    for (const double knot : table->knots()) text += "  " + c_number(knot) + ",\n";
    text += fmt::format("}};\n{} const double {}_pieces[{}][5] = {{\n", storage, name, table->pieces().size());
    for (const Piecewise::Piece<double>& p : table->pieces())
      text += fmt::format("  {{{}, {}, {}, {}, {}}},\n", c_number(p.at), c_number(p.f), c_number(p.b), c_number(p.c),
                          c_number(p.d));
    text += fmt::format(
        "}};\n{0} double {1}(double x) {{\n"
        "  int low = 0, high = {2};\n"
        "  while (low < high) {{\n"
        "    const int middle = (low + high) / 2;\n"
        "    if (x >= {1}_knots[middle]) low = middle + 1;\n"
        "    else high = middle;\n"
        "  }}\n"
        "  {{\n"
        "    const double *const p = {1}_pieces[low];\n"
        "    const double u = x - p[0];\n"
        "    return p[1] + u * (p[2] + u * (p[3] + u * p[4]));\n"
        "  }}\n}}\n\n",
        storage, name, table->knots().size());
  }
  return text;
}

std::string c_statements(const Program& program, int indent) { return statements_of(program, indent, Dialect::c); }

std::string c_variables(const Program& program, int indent, const VariablePlace& place) {
  return variables_of(program, indent, place, Dialect::c);
}
std::string c_stores(const Program& program, int indent, const VariablePlace& place) {
  return stores_of(program, indent, place, Words());
}

std::string cuda_source(const Program& given, int left, int status, const CudaChoice& choice) {
  const Program program = with_gathered_factors(given);
  const std::array<const Program*, 1> programs{&program};
  std::string text = cuda_words + c_tables(programs, "static __device__");
  text += fmt::format(
      "extern \"C\" __global__ void __launch_bounds__({}, {})\n"
      "    run(double* __restrict__ variables, const double* __restrict__ parameters, long long count,\n"
      "        long long times) {{\n",
      cuda_threads,
      choice.blocks > 0                  ? choice.blocks
      : program.scratch <= few_variables ? 8
                                         : 4);
  text +=
      "  const long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
      "  if (k >= count) return;\n";
  if (program.parameters > 0) {
    text += fmt::format("  double p[{0}], q[{0}];\n", program.parameters);
    for (int i = 0; i < program.parameters; ++i)
      text += fmt::format("  p[{0}] = parameters[{0} * count + k];\n  q[{0}] = 1.0 / p[{0}];\n", i);
  }
  const auto place = [](int i) { return fmt::format("variables[{} * count + k]", i); };
  text += variables_of(program, 2, place, Dialect::cuda, left, choice);
  const std::vector<int> counted = counters_of(program, left);
  text += loop_of(program, counted[left] == -1, left, status);
  for (int i = 0; i < program.scratch; ++i)
    if (counted[i] != 0) text += fmt::format("  v{} {}= begun - open;\n", i, counted[i] > 0 ? "+" : "-");
  const Conditions conditions(program);
  text += stores_of(program, 2, place, Words(program, conditions, Sizes(program, conditions)));
  return text + "}\n";
}

bool needs_math(const Program& program) {
  return std::any_of(program.tapes.begin(), program.tapes.end(), [](const Tape& tape) {
    return std::any_of(tape.code.begin(), tape.code.end(), is_function) ||
           std::any_of(tape.constants.begin(), tape.constants.end(),
                       [](Quad value) { return !std::isfinite(static_cast<double>(value)); });
  });
}

}  // namespace alembert::internal
