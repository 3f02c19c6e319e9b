#include "alembert/code/c_statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "alembert/code/c_source.h"
#include "alembert/code/kinds.h"
#include "alembert/error.h"
#include "alembert/expr/operators.h"
#include "alembert/expr/piecewise.h"

namespace alembert::internal {

namespace {

/// A number in single precision: what it cannot hold becomes its smallest or infinite, so that comparisons
/// come out as they would.
std::string rough_number(double value) {
  constexpr double smallest = std::numeric_limits<float>::min(), largest = std::numeric_limits<float>::max();
  if (value > largest) return "__int_as_float(0x7f800000)";
  if (value < 0) return "-" + rough_number(-value);
  return value == 0 ? "0.0f"
                    : fmt::format("{}f", c_number(std::max(static_cast<double>(static_cast<float>(value)), smallest)));
}

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

}  // namespace

double number_of(const Tape& tape, std::uint32_t source) {
  return static_cast<double>(tape.constants[source - tape.inputs - tape.parameters.size()]);
}
std::string table_name(double number) { return fmt::format("table_{:x}", static_cast<std::uint64_t>(number)); }

bool is_rare(const Program& program, const Program::Block& block) {
  return block.mask >= 0 && block.mask != program.guard;
}

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

std::string statements_of(const Program& program, int indent, Dialect dialect, int left, int status) {
  Writer writer(program, indent, dialect, left, status);
  if (dialect == Dialect::cuda) writer.counted = counters_of(program, left);
  writer.write(program.statements);
  return std::move(writer.text);
}

}  // namespace alembert::internal
