#include "alembert/code/c_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "alembert/code/kinds.h"
#include "alembert/error.h"
#include "alembert/expr/operators.h"
#include "alembert/expr/piecewise.h"

namespace alembert::internal {

namespace {

/// A constant of a tape.
double number_of(const Tape& tape, std::uint32_t source) {
  return static_cast<double>(tape.constants[source - tape.inputs - tape.parameters.size()]);
}
std::string table_name(double number) { return fmt::format("table_{:x}", static_cast<std::uint64_t>(number)); }

/// A number in single precision: what it cannot hold becomes its smallest or infinite, so that comparisons
/// come out as they would.
std::string rough_number(double value) {
  constexpr double smallest = std::numeric_limits<float>::min(), largest = std::numeric_limits<float>::max();
  if (value > largest) return "__int_as_float(0x7f800000)";
  if (value < 0) return "-" + rough_number(-value);
  return value == 0 ? "0.0f"
                    : fmt::format("{}f", c_number(std::max(static_cast<double>(static_cast<float>(value)), smallest)));
}

// What CUDA has for two things that cost it much: the upper word of a double tells its size to six digits, and words
// are compared as integers, while a conversion takes as long as four multiplications; a quotient by the device's
// reciprocal (20 bits) and one step of the third order has no branch for numbers that do not occur in a motion.
constexpr const char* cuda_words = R"(static __device__ __forceinline__ double rough_reciprocal(double x) {
#ifdef __CUDA_ARCH__
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
#else
  return 1.0 / x;
#endif
}
static __device__ __forceinline__ int upper(double x) { return __double2hiint(x) & 0x7fffffff; }
static __device__ __forceinline__ float size_of(int word) {
  const int kept = min(max(word, 0x38000000), 0x47f00000);
  return __int_as_float((kept - 0x38000000) << 3);
}
static __device__ __forceinline__ double reciprocal(double x) {
  const double y = rough_reciprocal(x), e = fma(-x, y, 1.0), z = fma(fma(e, e, e), y, y);
  return (__double2hiint(y) & 0x7fffffff) - 1u < 0x7fefffffu ? z : y; /* not of 0 and infinity */
}

)";

/// C gives the bits of the interpreter; CUDA is within rounding: sizes in single precision or as upper words, where a
/// GPU has more units and which leaves the others to the motion, quotients by parameters as products (q: 1/p), others
/// by reciprocals, and what a sum has lost as if its first term were the larger one: where it is not, half a digit of
/// the other term's last one is not recovered.
enum class Dialect { c, cuda };

class Writer {
 public:
  /// left: see cuda_source().
  Writer(const Program& program, int indent, Dialect dialect, int left)
      : program_(program), conditions_(program), dialect_(dialect), indent_(indent) {
    if (dialect != Dialect::cuda) return;
    sizes_ = Sizes(program, conditions_);
    codes_ = Codes(program, conditions_, sizes_, left);
  }

  void write(const std::vector<Program::Statement>& statements) {
    for (const Program::Statement& statement : statements) {
      if (statement.repeat < 0) {
        write(statement.block);
        continue;
      }
      line(fmt::format("while ({}) {{", holds(statement.repeat)));
      ++depth_;
      write(statement.body);
      --depth_;
      line("}");
    }
  }

  std::string text;

 private:
  void line(const std::string& words) { text += std::string(indent_ + 2 * depth_, ' ') + words + "\n"; }
  std::string holds(int mask) const { return fmt::format("v{}{}", mask, conditions_.variable(mask) ? "" : " != 0.0"); }

  void write(const Program::Block& block) {
    const Tape& tape = program_.tapes[block.tape];
    if (block.to.empty()) return;
    line(block.mask >= 0 ? fmt::format("if ({}) {{", holds(block.mask)) : "{");
    ++depth_;
    begin(block, tape);
    for (std::size_t i = 0; i < tape.code.size(); ++i) {
      if (compared_[i]) continue;
      const std::size_t result = tape.first_result() + i;
      const std::string formula = bits_[result]    ? condition(tape, tape.code[i])
                                  : words_[result] ? word_operation(tape, tape.code[i])
                                  : single(result) ? rough_operation(tape, tape.code[i])
                                                   : operation(tape, tape.code[i]);
      const bool integer = bits_[result] || words_[result];
      line(fmt::format("const {} r{} = {};", integer ? "int" : single(result) ? "float" : "double", i, formula));
    }
    write_outputs(tape);
    --depth_;
    line("}");
  }

  void begin(const Program::Block& block, const Tape& tape) {
    block_ = &block;
    bits_ = conditions_.registers(block, tape);
    rough_ = sizes_.registers(block, tape, conditions_);
    compared_ = only_compared(tape, bits_);
    small_ = codes_.registers(block, tape, conditions_);
    uses_ = std::vector<int>(tape.registers(), 0);
    for (const Tape::Instruction& step : tape.code) {
      ++uses_[step.a];
      if (step.b != step.a) ++uses_[step.b];
    }
    for (const std::uint32_t output : tape.outputs) ++uses_[output];
    words_ = std::vector<bool>(tape.registers(), false);
    for (std::size_t i = 0; i < tape.code.size(); ++i) {
      const Tape::Instruction& step = tape.code[i];
      if (!rough_[tape.first_result() + i]) continue;
      const bool of_words = step.op == Op::max && words_[step.a] && words_[step.b];
      words_[tape.first_result() + i] = of_words || (step.op == Op::abs && !rough_[step.a]);
    }
  }

  void write_outputs(const Tape& tape) {
    const Program::Block& block = *block_;
    // Variables that are only moved are read before any is written.
    std::vector<std::string> sources;
    for (std::size_t i = 0; i < block.to.size(); ++i) {
      const std::uint32_t source = tape.outputs[i];
      const bool bit = conditions_.variable(block.to[i]),
                 rough = sizes_.variable(block.to[i]) || codes_.variable(block.to[i]);
      sources.push_back(bit ? truth(tape, source) : rough ? rough_name(tape, source) : name(tape, source));
      const bool moved = source < static_cast<std::uint32_t>(tape.inputs);
      if (!moved || block.from[source] == block.to[i]) continue;
      const auto written = std::find(block.to.begin(), block.to.end(), block.from[source]);
      if (written == block.to.end()) continue;
      line(fmt::format("const {} m{} = {};", bit ? "int" : rough ? "float" : "double", i, sources.back()));
      sources.back() = fmt::format("m{}", i);
    }
    for (std::size_t i = 0; i < block.to.size(); ++i)
      if (sources[i] != fmt::format("v{}", block.to[i])) line(fmt::format("v{} = {};", block.to[i], sources[i]));
  }

  /// A register as a condition.
  std::string truth(const Tape& tape, std::uint32_t source) const {
    if (bits_[source]) return plain_name(tape, source);
    return is_number(tape, source, 0) ? "0" : "1";
  }
  std::string condition(const Tape& tape, const Tape::Instruction& step) const {
    switch (step.op) {
      case Op::positive: return comparison(tape, step.a);
      case Op::subtract: return "!" + truth(tape, step.b);
      case Op::multiply: return truth(tape, step.a) + " & " + truth(tape, step.b);
      default: return truth(tape, step.a) + " | " + truth(tape, step.b);
    }
  }
  /// Whether a register is positive. A difference is just where one number is larger than the other.
  std::string comparison(const Tape& tape, std::uint32_t source) const {
    if (source < tape.first_result() || !compared_[source - tape.first_result()])
      return single(source) ? rough_name(tape, source) + " > 0.0f" : name(tape, source) + " > 0.0";
    const Tape::Instruction& difference = tape.code[source - tape.first_result()];
    const std::size_t numbers = tape.inputs + tape.parameters.size();
    if (words_[difference.b] && difference.a >= numbers && difference.a < tape.first_result())
      if (const double most = number_of(tape, difference.a); most > std::numeric_limits<float>::max())
        return fmt::format("{} < {:#x}", finite_word(tape, tape.code[difference.b - tape.first_result()]),
                           std::bit_cast<std::uint64_t>(most) >> 32);
    if (single(difference.a) || single(difference.b))
      return rough_name(tape, difference.a) + " > " + rough_name(tape, difference.b);
    return name(tape, difference.a) + " > " + name(tape, difference.b);
  }

  std::string plain_name(const Tape& tape, std::uint32_t source) const {
    const auto inputs = static_cast<std::uint32_t>(tape.inputs);
    if (source < inputs) return fmt::format("v{}", block_->from[source]);
    return "r" + std::to_string(source - tape.first_result());
  }
  std::string name(const Tape& tape, std::uint32_t source) const {
    const auto inputs = static_cast<std::uint32_t>(tape.inputs);
    const auto constants = static_cast<std::uint32_t>(inputs + tape.parameters.size());
    if (source >= inputs && source < constants) return fmt::format("p[{}]", tape.parameters[source - inputs]);
    if (source >= constants && source < tape.first_result()) {
      const double value = static_cast<double>(tape.constants[source - constants]);
      return std::signbit(value) ? "(" + c_number(value) + ")" : c_number(value);
    }
    return (bits_[source] ? "(double)" : "") + plain_name(tape, source);
  }

  /// The upper word of the largest of the terms of a sum whose size tells whether all of them are finite.
  std::string finite_word(const Tape& tape, const Tape::Instruction& size) const {
    std::string text;
    std::vector<std::uint32_t> open{size.a};
    while (!open.empty()) {
      const std::uint32_t term = open.back();
      open.pop_back();
      const bool sum = term >= tape.first_result() && tape.code[term - tape.first_result()].op == Op::add;
      if (sum && size.op == Op::abs && uses_[term] == 1) {
        const Tape::Instruction& both = tape.code[term - tape.first_result()];
        open.insert(open.end(), {both.a, both.b});
        continue;
      }
      const std::string word = size.op == Op::abs ? "upper(" + name(tape, term) + ")" : plain_name(tape, term);
      text = text.empty() ? word : fmt::format("max({}, {})", text, word);
    }
    return size.op == Op::abs ? text : word_operation(tape, size);
  }
  bool single(std::size_t source) const { return rough_[source] || small_[source]; }
  /// A register in single precision.
  std::string rough_name(const Tape& tape, std::uint32_t source) const {
    const std::size_t constants = tape.inputs + tape.parameters.size();
    if (source >= constants && source < tape.first_result())
      return rough_number(static_cast<double>(tape.constants[source - constants]));
    if (words_[source]) return "size_of(" + plain_name(tape, source) + ")";
    return single(source) ? plain_name(tape, source) : "(float)" + name(tape, source);
  }
  /// A size as the upper word of a double.
  std::string word_operation(const Tape& tape, const Tape::Instruction& step) const {
    if (step.op == Op::abs) return "upper(" + name(tape, step.a) + ")";
    return fmt::format("max({}, {})", plain_name(tape, step.a), plain_name(tape, step.b));
  }
  std::string rough_operation(const Tape& tape, const Tape::Instruction& step) const {
    if (step.op == Op::where && bits_[step.a])
      return fmt::format("{} ? {} : 0.0f", truth(tape, step.a), rough_name(tape, step.b));
    const std::string a = rough_name(tape, step.a), b = rough_name(tape, step.b);
    switch (step.op) {
      case Op::divide: return fmt::format("__fdividef({}, {})", a, b);
      case Op::sqrt: return "sqrtf(" + a + ")";
      case Op::abs: return "fabsf(" + a + ")";
      default: return arithmetic(step.op, a, b, "0.0f");
    }
  }
  std::string operation(const Tape& tape, const Tape::Instruction& step) const {
    if (step.op == Op::where && bits_[step.a])
      return fmt::format("{} ? {} : 0.0", truth(tape, step.a), name(tape, step.b));
    const std::string a = name(tape, step.a), b = name(tape, step.b);
    if (step.op == Op::divide && dialect_ == Dialect::cuda) {
      const std::string inverse = b[0] == 'p' ? "q" + b.substr(1) : "reciprocal(" + b + ")";
      return is_number(tape, step.a, 1) ? inverse : is_number(tape, step.a, -1) ? "-" + inverse : a + " * " + inverse;
    }
    if (dialect_ == Dialect::cuda)
      if (const std::uint32_t lost = lost_in_sum(tape, step); lost > 0) return name(tape, lost);
    if (std::string text = arithmetic(step.op, a, b, "0.0"); !text.empty()) return text;
    switch (step.op) {
      case Op::negate: return "-" + a;
      case Op::sqrt: return "sqrt(" + a + ")";
      case Op::abs: return "fabs(" + a + ")";
      case Op::positive: return a + " > 0.0 ? 1.0 : 0.0";
      case Op::sign: return fmt::format("{0} > 0.0 ? 1.0 : {0} < 0.0 ? -1.0 : {0}", a);
      default: break;
    }
    const Operator& entry = operator_of(step.op);
    if (step.op == Op::piecewise) return fmt::format("{}({})", table_name(number_of(tape, step.b)), a);
    return entry.operands == 1 ? fmt::format("{}({})", entry.libm, a) : fmt::format("{}({}, {})", entry.libm, a, b);
  }

  /// (a - (s - c)) + (b - c), where s = a + b and c = s - a, is what the sum s has lost of both terms: the register of
  /// b - c; 0: this is no such sum.
  static std::uint32_t lost_in_sum(const Tape& tape, const Tape::Instruction& sum) {
    const auto made_by = [&](std::uint32_t source, Op op) -> const Tape::Instruction* {
      if (source < tape.first_result()) return nullptr;
      const Tape::Instruction& step = tape.code[source - tape.first_result()];
      return step.op == op ? &step : nullptr;
    };
    if (sum.op != Op::add) return 0;
    for (const bool swapped : {false, true}) {
      const Tape::Instruction* of_first = made_by(swapped ? sum.b : sum.a, Op::subtract);
      const Tape::Instruction* of_second = made_by(swapped ? sum.a : sum.b, Op::subtract);
      const Tape::Instruction* back = of_second ? made_by(of_second->b, Op::subtract) : nullptr;
      const Tape::Instruction* rest = of_first ? made_by(of_first->b, Op::subtract) : nullptr;
      const Tape::Instruction* whole = back ? made_by(back->a, Op::add) : nullptr;
      if (!whole || !rest || rest->a != back->a || rest->b != of_second->b || back->b != of_first->a) continue;
      const bool terms = (whole->a == of_first->a && whole->b == of_second->a) ||
                         (whole->b == of_first->a && whole->a == of_second->a);
      if (terms) return swapped ? sum.a : sum.b;
    }
    return 0;
  }

  /// What both precisions write alike; empty: anything else. Comparison by comparison as evaluate() has them.
  static std::string arithmetic(Op op, const std::string& a, const std::string& b, const char* zero) {
    switch (op) {
      case Op::add: return a + " + " + b;
      case Op::subtract: return a + " - " + b;
      case Op::multiply: return a + " * " + b;
      case Op::divide: return a + " / " + b;
      case Op::min: return fmt::format("{0} < {1} ? {0} : {1}", a, b);
      case Op::max: return fmt::format("{0} > {1} ? {0} : {1}", a, b);
      case Op::where: return fmt::format("{0} < {2} || {0} > {2} ? {1} : {2}", a, b, zero);
      default: return "";
    }
  }

  const Program& program_;
  Conditions conditions_;
  Sizes sizes_;
  Codes codes_;
  Dialect dialect_;
  int indent_, depth_ = 0;
  // Of the block being written:
  const Program::Block* block_ = nullptr;
  std::vector<bool> bits_;      // registers that are conditions
  std::vector<bool> rough_;     // registers that are sizes
  std::vector<bool> words_;     // sizes that are upper words
  std::vector<bool> small_;     // registers that are codes
  std::vector<int> uses_;       // how often each register is read
  std::vector<bool> compared_;  // differences that are only compared with 0
};

// Blocks that a multiprocessor (65,536 registers) is to hold: six leave 168 registers a thread, four as many as a
// thread can have, 255. On an H200 a step of two rods with 53 variables is made 2.6e10 times a second with 168,
// 2.5e10 with 255 and 2.2e10 with 128; one with 93 variables is twice as fast with 255 as with 168.
constexpr int few_variables = 60;

bool is_function(const Tape::Instruction& step) {
  return step.op == Op::sqrt || step.op == Op::abs || !operator_of(step.op).libm.empty();
}

std::string statements_of(const Program& program, int indent, Dialect dialect, int left = -1) {
  Writer writer(program, indent, dialect, left);
  writer.write(program.statements);
  return std::move(writer.text);
}

/// In how many blocks each variable is read.
void count_readers(const std::vector<Program::Statement>& statements, std::vector<int>& readers) {
  for (const Program::Statement& statement : statements) {
    count_readers(statement.body, readers);
    for (const int place : statement.block.from) ++readers[place];
  }
}

// Kept variables that no more blocks than this read, differences for guesses and compensations, do not earn a register
// between: they wait in the memory that a block of threads shares. RATTLE as above: 2.7e10 steps a second without it,
// 3.0e10 with it.
constexpr int few_readers = 2;
// Of them a block of 64 threads holds this many in the 48 KiB that it may have without asking.
constexpr int most_shared = 90;

/// Their numbers there; -1: a register.
std::vector<int> shared_places(const Program& program, const Touched& touched, int most) {
  std::vector<int> readers(program.variables, 0), shared(program.variables, -1);
  count_readers(program.statements, readers);
  for (const int place : program.steering) readers[place] = few_readers + 1;  // asked for all the time
  int count = 0;
  for (int i = 0; i < program.scratch && count < std::min(most, most_shared); ++i)
    if (touched.written[i] && readers[i] <= few_readers) shared[i] = count++;
  return shared;
}

std::string variables_of(const Program& program, int indent, const VariablePlace& place, Dialect dialect, int left = -1,
                         const CudaChoice& choice = {}) {
  const Touched touched = touched_variables(program);
  const Conditions conditions(program);
  const bool cuda = dialect == Dialect::cuda;
  const Sizes sizes = cuda ? Sizes(program, conditions) : Sizes();
  const Codes codes = cuda ? Codes(program, conditions, sizes, left) : Codes();
  const std::vector<int> shared =
      cuda ? shared_places(program, touched, choice.shared) : std::vector<int>(program.variables, -1);
  const std::string blanks(indent, ' ');
  std::string text;
  if (const int count = 1 + *std::max_element(shared.begin(), shared.end()); count > 0)
    text += fmt::format("{}__shared__ double waiting[{}][{}];\n", blanks, count, cuda_threads);
  for (int i = 0; i < program.variables; ++i) {
    if (!touched.read[i] && !touched.written[i]) continue;
    if (conditions.variable(i)) text += fmt::format("{}int v{} = 0;\n", blanks, i);
    else if (sizes.variable(i)) text += fmt::format("{}float v{} = 0.0f;\n", blanks, i);
    else if (i >= program.scratch) text += fmt::format("{}double v{} = 0.0;\n", blanks, i);
    else if (shared[i] >= 0)
      text +=
          fmt::format("{0}double& v{1} = waiting[{2}][threadIdx.x];\n{0}v{1} = {3};\n", blanks, i, shared[i], place(i));
    else if (codes.variable(i)) text += fmt::format("{}float v{} = (float){};\n", blanks, i, place(i));
    else text += fmt::format("{}{}double v{} = {};\n", blanks, touched.written[i] ? "" : "const ", i, place(i));
  }
  return text;
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
  const Touched touched = touched_variables(program);
  std::string text;
  for (int i = 0; i < program.scratch; ++i)
    if (touched.written[i]) text += fmt::format("{}{} = v{};\n", std::string(indent, ' '), place(i), i);
  return text;
}

std::string cuda_source(const Program& program, int left, int status, const CudaChoice& choice) {
  const std::array<const Program*, 1> programs{&program};
  std::string text = cuda_words + c_tables(programs, "static __device__");
  text += fmt::format(
      "extern \"C\" __global__ void __launch_bounds__({}, {})\n"
      "    run(double* __restrict__ variables, const double* __restrict__ parameters, long long count,\n"
      "        long long times) {{\n",
      cuda_threads,
      choice.blocks > 0                  ? choice.blocks
      : program.scratch <= few_variables ? 6
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
  text += fmt::format("  for (; times > 0 && v{} > 0 && v{} == 0; times -= 1) {{\n", left, status);
  // Else the compiler would keep what waits in shared memory in registers after all.
  text += "    asm volatile(\"\" ::: \"memory\");\n";
  text += statements_of(program, 4, Dialect::cuda, left) + "  }\n" + c_stores(program, 2, place);
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
