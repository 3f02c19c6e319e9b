#include "alembert/code/c_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "alembert/code/invariant_factors.h"
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

/// The compiler forgets what it has read from memory.
constexpr const char* forget = "asm volatile(\"\" ::: \"memory\");";

/// Whether a block is rarely run.
bool is_rare(const Program& program, const Program::Block& block) {
  return block.mask >= 0 && block.mask != program.guard;
}

/// C gives the bits of the interpreter; CUDA is within rounding: sizes in single precision or as upper words, where a
/// GPU has more units and which leaves the others to the motion, quotients by parameters as products (q: 1/p), others
/// by reciprocals, and what a sum has lost as if its first term were the larger one: where it is not, half a digit of
/// the other term's last one is not recovered.
enum class Dialect { c, cuda };

class Writer {
 public:
  /// left, status: see cuda_source().
  Writer(const Program& program, int indent, Dialect dialect, int left, int status)
      : program_(program), conditions_(program), dialect_(dialect), status_(status), indent_(indent) {
    if (dialect != Dialect::cuda) return;
    sizes_ = Sizes(program, conditions_);
    word_variables_ = Words(program, conditions_, sizes_);
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
  std::vector<int> counted;  // see counters_of(); empty: none

 private:
  void line(const std::string& words) { text += std::string(indent_ + 2 * depth_, ' ') + words + "\n"; }
  std::string holds(int mask) const { return fmt::format("v{}{}", mask, conditions_.variable(mask) ? "" : " != 0.0"); }

  void write(const Program::Block& block) {
    const Tape& tape = program_.tapes[block.tape];
    if (block.to.empty()) return;
    const bool rare = dialect_ == Dialect::cuda && depth_ == 0 && is_rare(program_, block);
    line(block.mask >= 0 ? fmt::format("if ({}) {{", holds(block.mask)) : "{");
    ++depth_;
    // What waits in shared memory is read again here rather than kept in a register for a block that is rarely run.
    if (rare) line(forget);
    begin(block, tape);
    for (std::size_t i = 0; i < tape.code.size(); ++i) {
      if (compared_[i]) continue;
      declare_weight(tape, tape.code[i]);
      const std::size_t result = tape.first_result() + i;
      const std::string formula = bits_[result]    ? condition(tape, tape.code[i])
                                  : words_[result] ? word_operation(tape, tape.code[i])
                                  : single(result) ? rough_operation(tape, tape.code[i])
                                                   : operation(tape, tape.code[i]);
      if (weighted_[result]) continue;
      line(fmt::format("const {} r{} = {};",
                       bits_[result]    ? condition_type()
                       : single(result) ? "float"
                                        : "double",
                       i, formula));
    }
    write_outputs(tape);
    --depth_;
    line("}");
    const bool guards = std::find(block.to.begin(), block.to.end(), program_.guard) != block.to.end();
    if (dialect_ != Dialect::cuda || depth_ > 0 || !guards) return;
    line(fmt::format("if (!v{}) break;", program_.guard));
    line(fmt::format("v{} = 0;", status_));  // which a comparison does not tell the compiler
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
    words_ = word_variables_.registers(block, tape, rough_);
    find_weighted(tape);
  }

  /// Terms of sums that are there under a condition which others share: one number, 1 or 0, is their factor, which
  /// costs less than to select each. Sums and products alone: what else a condition keeps out may be infinite.
  void find_weighted(const Tape& tape) {
    weighted_ = std::vector<bool>(tape.registers(), false);
    weights_ = weighted_;
    if (dialect_ != Dialect::cuda) return;
    std::vector<int> sharing(tape.registers(), 0);
    std::vector<bool> simple(tape.registers(), true);
    for (std::size_t i = 0; i < tape.code.size(); ++i) {
      const Tape::Instruction& step = tape.code[i];
      const bool sum = step.op == Op::add || step.op == Op::subtract || step.op == Op::multiply;
      simple[tape.first_result() + i] = sum && simple[step.a] && simple[step.b];
    }
    const auto each = [&](const auto& visit) {
      for (std::size_t i = 0; i < tape.code.size(); ++i) {
        const Tape::Instruction& sum = tape.code[i];
        if (sum.op != Op::add || single(tape.first_result() + i) || sum.b < tape.first_result() || sum.a == sum.b)
          continue;
        const Tape::Instruction& term = tape.code[sum.b - tape.first_result()];
        if (term.op == Op::where && bits_[term.a] && simple[term.b] && !single(sum.b) && uses_[sum.b] == 1)
          visit(sum.b, term.a);
      }
    };
    each([&](std::uint32_t, std::uint32_t condition) { ++sharing[condition]; });
    each([&](std::uint32_t term, std::uint32_t condition) { weighted_[term] = sharing[condition] > 1; });
  }
  void declare_weight(const Tape& tape, const Tape::Instruction& sum) {
    if (sum.op != Op::add || !weighted_[sum.b]) return;
    const std::uint32_t condition = tape.code[sum.b - tape.first_result()].a;
    if (!weights_[condition]) line(fmt::format("const double w_{0} = {0} ? 1.0 : 0.0;", truth(tape, condition)));
    weights_[condition] = true;
  }

  void write_outputs(const Tape& tape) {
    const Program::Block& block = *block_;
    // Variables that are only moved are read before any is written.
    std::vector<std::string> sources;
    for (std::size_t i = 0; i < block.to.size(); ++i) {
      const std::uint32_t source = tape.outputs[i];
      const bool bit = conditions_.variable(block.to[i]),
                 rough = sizes_.variable(block.to[i]) || codes_.variable(block.to[i]);
      const bool word = word_variables_.variable(block.to[i]) && words_[source];
      sources.push_back(bit     ? truth(tape, source)
                        : word  ? plain_name(tape, source)
                        : rough ? rough_name(tape, source)
                                : name(tape, source));
      const bool moved = source < static_cast<std::uint32_t>(tape.inputs);
      if (!moved || block.from[source] == block.to[i]) continue;
      const auto written = std::find(block.to.begin(), block.to.end(), block.from[source]);
      if (written == block.to.end()) continue;
      line(fmt::format("const {} m{} = {};", bit ? condition_type() : rough ? "float" : "double", i, sources.back()));
      sources.back() = fmt::format("m{}", i);
    }
    for (std::size_t i = 0; i < block.to.size(); ++i)
      if ((counted.empty() || counted[block.to[i]] == 0) && sources[i] != fmt::format("v{}", block.to[i]))
        line(fmt::format("v{} = {};", block.to[i], sources[i]));
  }

  /// Predicates of their own on a GPU.
  const char* condition_type() const { return dialect_ == Dialect::cuda ? "bool" : "int"; }
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
        return fmt::format("fabsf({}) < __int_as_float({:#x})",
                           finite_word(tape, tape.code[difference.b - tape.first_result()]),
                           std::bit_cast<std::uint64_t>(most) >> 32);
    if (words_[difference.a] && difference.b >= tape.first_result()) {
      const Tape::Instruction& least = tape.code[difference.b - tape.first_result()];
      if (least.op == Op::multiply && least.a >= numbers && least.a < tape.first_result() && words_[least.b] &&
          number_of(tape, least.a) > 1)
        return fmt::format("fabsf({}) > raised({}, {})", plain_name(tape, difference.a), plain_name(tape, least.b),
                           raised_by(tape, least.a));
    }
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
      text = text.empty() ? word : fmt::format("larger({}, {})", text, word);
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
  /// What multiplying by a number adds to the upper word: exact for powers of two, else within 6 %, as a word grows
  /// like a logarithm made of straight lines.
  static int raised_by(const Tape& tape, std::uint32_t factor) {
    constexpr int exponent = 1 << 20;  // where it begins in the upper word of a double
    return static_cast<int>(std::lround(exponent * std::log2(number_of(tape, factor))));
  }
  /// A size as the upper word of a double.
  std::string word_operation(const Tape& tape, const Tape::Instruction& step) const {
    if (step.op == Op::abs) return "upper(" + name(tape, step.a) + ")";
    if (step.op == Op::multiply)
      return fmt::format("raised({}, {})", plain_name(tape, step.b), raised_by(tape, step.a));
    return fmt::format("larger({}, {})", plain_name(tape, step.a), plain_name(tape, step.b));
  }
  std::string rough_operation(const Tape& tape, const Tape::Instruction& step) const {
    if (step.op == Op::where && bits_[step.a])
      return fmt::format("{} ? {} : 0.0f", truth(tape, step.a), rough_name(tape, step.b));
    std::string a = rough_name(tape, step.a);
    const std::string b = rough_name(tape, step.b);
    const auto nothing = [&](std::uint32_t term) {  // sizes are not below the smallest float in any case
      return term < tape.first_result() && term >= tape.inputs + tape.parameters.size() &&
             number_of(tape, term) <= static_cast<double>(std::numeric_limits<float>::min());
    };
    if (step.op == Op::add && words_[step.a] && nothing(step.b)) return a;
    switch (step.op) {
      case Op::divide: return (is_number(tape, step.a, 1) ? "" : a + " * ") + "rough_inverse(" + b + ")";
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
    if (step.op == Op::add && weighted_[step.b]) {
      const Tape::Instruction& term = tape.code[step.b - tape.first_result()];
      return fmt::format("fma(w_{}, {}, {})", truth(tape, term.a), name(tape, term.b), a);
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
  Words word_variables_;
  Codes codes_;
  Dialect dialect_;
  int status_, indent_, depth_ = 0;
  // Of the block being written:
  const Program::Block* block_ = nullptr;
  std::vector<bool> bits_;      // registers that are conditions
  std::vector<bool> rough_;     // registers that are sizes
  std::vector<bool> words_;     // sizes that are upper words
  std::vector<bool> small_;     // registers that are codes
  std::vector<int> uses_;       // how often each register is read
  std::vector<bool> compared_;  // differences that are only compared with 0
  std::vector<bool> weighted_;  // terms that are written with the sum that they are in
  std::vector<bool> weights_;   // conditions that stand there as a factor
};

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

/// Kept variables that every run which passes the guard raises by this number, and that nothing else reads but what
/// decides at the start whether there is a run: they are counted together. 0: it is none.
std::vector<int> counters_of(const Program& program, int left) {
  std::vector<int> steps(program.variables, 0), readers = steps, writers = steps;
  const auto note = [&](const Program::Block& block, bool first) {
    for (const int place : block.from) readers[place] += first && place == left ? 0 : 1;
    for (const int place : block.to) ++writers[place];
  };
  const auto count = [&](const Program::Block& block) {
    const Tape& tape = program.tapes[block.tape];
    for (std::size_t i = 0; i < block.to.size(); ++i) {
      const std::uint32_t source = tape.outputs[i];
      if (block.to[i] >= program.scratch || source < tape.first_result()) continue;
      const Tape::Instruction& step = tape.code[source - tape.first_result()];
      const bool own = step.a < static_cast<std::uint32_t>(tape.inputs) && block.from[step.a] == block.to[i];
      if (own && is_number(tape, step.b, 1) && (step.op == Op::add || step.op == Op::subtract))
        steps[block.to[i]] = step.op == Op::add ? 1 : -1;
    }
  };
  for (const Program::Statement& statement : program.statements) {
    for (const Program::Statement& inner : statement.body) note(inner.block, false);
    if (statement.repeat >= 0) continue;
    note(statement.block, &statement == program.statements.data());
    if (program.guard >= 0 && statement.block.mask == program.guard) count(statement.block);
  }
  for (int i = 0; i < program.variables; ++i)
    if (readers[i] != 1 || writers[i] != 1) steps[i] = 0;
  for (const int place : program.steering)
    if (place != left) steps[place] = 0;
  return steps;
}

std::string statements_of(const Program& program, int indent, Dialect dialect, int left = -1, int status = -1) {
  Writer writer(program, indent, dialect, left, status);
  if (dialect == Dialect::cuda) writer.counted = counters_of(program, left);
  writer.write(program.statements);
  return std::move(writer.text);
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
