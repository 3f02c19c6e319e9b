#include "alembert/code/c_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alembert/expr/operators.h"

namespace alembert::internal {

namespace {

/// What C makes of the registers of a block and of the variables of a program: a double, or a condition that stays an
/// integer as long as nobody computes with it.
class Conditions {
 public:
  explicit Conditions(const Program& program) : variables_(program.variables, true) {
    std::fill_n(variables_.begin(), program.scratch, false);  // what is kept between runs is kept as a double
    while (strike_out(program, program.statements)) continue;
  }

  bool variable(int place) const { return variables_[place]; }

  /// Which registers are conditions by how they are computed.
  std::vector<bool> registers(const Program::Block& block, const Tape& tape) const {
    std::vector<bool> found(tape.registers(), false);
    for (int i = 0; i < tape.inputs; ++i) found[i] = variables_[block.from[i]];
    const auto bit = [&](std::uint32_t source) {
      return found[source] || is_number(tape, source, 0) || is_number(tape, source, 1);
    };
    for (std::size_t i = 0; i < tape.code.size(); ++i) {
      const Tape::Instruction& step = tape.code[i];
      const bool pair = bit(step.a) && bit(step.b);
      found[tape.first_result() + i] = step.op == Op::positive ||
                                       ((step.op == Op::multiply || step.op == Op::max) && pair) ||
                                       (step.op == Op::subtract && is_number(tape, step.a, 1) && bit(step.b));
    }
    return found;
  }

  static bool is_number(const Tape& tape, std::uint32_t source, double wanted) {
    const std::size_t constants = tape.inputs + tape.parameters.size();
    return source >= constants && source < tape.first_result() &&
           static_cast<double>(tape.constants[source - constants]) == wanted;
  }

 private:
  /// Variables that are given anything else are none. Whether there were any.
  bool strike_out(const Program& program, const std::vector<Program::Statement>& statements) {
    bool changed = false;
    for (const Program::Statement& statement : statements) {
      if (statement.repeat >= 0) {
        changed = strike_out(program, statement.body) || changed;
        continue;
      }
      const Program::Block& block = statement.block;
      const Tape& tape = program.tapes[block.tape];
      const std::vector<bool> bits = registers(block, tape);
      for (std::size_t i = 0; i < block.to.size(); ++i) {
        const std::uint32_t source = tape.outputs[i];
        if (bits[source] || is_number(tape, source, 0) || is_number(tape, source, 1)) continue;
        changed = changed || variables_[block.to[i]];
        variables_[block.to[i]] = false;
      }
    }
    return changed;
  }

  std::vector<bool> variables_;
};

class Writer {
 public:
  Writer(const Program& program, int indent) : program_(program), conditions_(program), indent_(indent) {}

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
      const bool bit = bits_[tape.first_result() + i];
      const std::string formula = bit ? condition(tape, tape.code[i]) : operation(tape, tape.code[i]);
      line(fmt::format("const {} r{} = {};", bit ? "int" : "double", i, formula));
    }
    write_outputs(tape);
    --depth_;
    line("}");
  }

  void begin(const Program::Block& block, const Tape& tape) {
    block_ = &block;
    bits_ = conditions_.registers(block, tape);
    std::vector<int> uses(tape.registers(), 0);
    for (const Tape::Instruction& step : tape.code) {
      ++uses[step.a];
      if (step.b != step.a) ++uses[step.b];
    }
    for (const std::uint32_t output : tape.outputs) ++uses[output];
    compared_.assign(tape.code.size(), false);
    for (const Tape::Instruction& step : tape.code) {
      if (step.op != Op::positive || step.a < tape.first_result() || uses[step.a] > 1) continue;
      const std::size_t from = step.a - tape.first_result();
      compared_[from] = tape.code[from].op == Op::subtract && !bits_[step.a];
    }
  }

  void write_outputs(const Tape& tape) {
    const Program::Block& block = *block_;
    // Variables that are only moved are read before any is written.
    std::vector<std::string> sources;
    for (std::size_t i = 0; i < block.to.size(); ++i) {
      const std::uint32_t source = tape.outputs[i];
      const bool bit = conditions_.variable(block.to[i]);
      sources.push_back(bit ? truth(tape, source) : name(tape, source));
      const bool moved = source < static_cast<std::uint32_t>(tape.inputs);
      if (!moved || block.from[source] == block.to[i]) continue;
      const auto written = std::find(block.to.begin(), block.to.end(), block.from[source]);
      if (written == block.to.end()) continue;
      line(fmt::format("const {} m{} = {};", bit ? "int" : "double", i, sources.back()));
      sources.back() = fmt::format("m{}", i);
    }
    for (std::size_t i = 0; i < block.to.size(); ++i)
      if (sources[i] != fmt::format("v{}", block.to[i])) line(fmt::format("v{} = {};", block.to[i], sources[i]));
  }

  /// A register as a condition.
  std::string truth(const Tape& tape, std::uint32_t source) const {
    if (bits_[source]) return plain_name(tape, source);
    return Conditions::is_number(tape, source, 0) ? "0" : "1";
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
    if (source < tape.first_result() || !compared_[source - tape.first_result()]) return name(tape, source) + " > 0.0";
    const Tape::Instruction& difference = tape.code[source - tape.first_result()];
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

  std::string operation(const Tape& tape, const Tape::Instruction& step) const {
    if (step.op == Op::where && bits_[step.a])
      return fmt::format("{} ? {} : 0.0", truth(tape, step.a), name(tape, step.b));
    const std::string a = name(tape, step.a), b = name(tape, step.b);
    switch (step.op) {
      case Op::add: return a + " + " + b;
      case Op::subtract: return a + " - " + b;
      case Op::multiply: return a + " * " + b;
      case Op::divide: return a + " / " + b;
      case Op::negate: return "-" + a;
      case Op::sqrt: return "sqrt(" + a + ")";
      case Op::abs: return "fabs(" + a + ")";
      // As evaluate() has them, comparison by comparison.
      case Op::min: return fmt::format("{0} < {1} ? {0} : {1}", a, b);
      case Op::max: return fmt::format("{0} > {1} ? {0} : {1}", a, b);
      case Op::where: return fmt::format("{0} < 0.0 || {0} > 0.0 ? {1} : 0.0", a, b);
      case Op::positive: return a + " > 0.0 ? 1.0 : 0.0";
      case Op::sign: return fmt::format("{0} > 0.0 ? 1.0 : {0} < 0.0 ? -1.0 : {0}", a);
      default: break;
    }
    const Operator& entry = operator_of(step.op);
    return entry.operands == 1 ? fmt::format("{}({})", entry.libm, a) : fmt::format("{}({}, {})", entry.libm, a, b);
  }

  const Program& program_;
  Conditions conditions_;
  int indent_, depth_ = 0;
  // Of the block being written:
  const Program::Block* block_ = nullptr;
  std::vector<bool> bits_;      // registers that are conditions
  std::vector<bool> compared_;  // differences that are only compared with 0
};

// Blocks that a multiprocessor (65,536 registers) is to hold: six leave 168 registers a thread, four as many as a
// thread can have, 255. On an H200 two rods by RATTLE (53 variables kept) make 2.2e10 steps a second with 168, 2.0e10
// with 255 and 1.7e10 with 128; gauss(2) (93) 2.3e9 with 168 and 4.8e9 with 255.
constexpr int few_variables = 60;

bool is_function(const Tape::Instruction& step) {
  return step.op == Op::sqrt || step.op == Op::abs || !operator_of(step.op).libm.empty();
}

}  // namespace

std::string c_number(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string c_statements(const Program& program, int indent) {
  Writer writer(program, indent);
  writer.write(program.statements);
  return std::move(writer.text);
}

std::string c_variables(const Program& program, int indent, const VariablePlace& place) {
  const Touched touched = touched_variables(program);
  const Conditions conditions(program);
  const std::string blanks(indent, ' ');
  std::string text;
  for (int i = 0; i < program.variables; ++i) {
    if (!touched.read[i] && !touched.written[i]) continue;
    if (conditions.variable(i)) text += fmt::format("{}int v{} = 0;\n", blanks, i);
    else if (i >= program.scratch) text += fmt::format("{}double v{} = 0.0;\n", blanks, i);
    else text += fmt::format("{}{}double v{} = {};\n", blanks, touched.written[i] ? "" : "const ", i, place(i));
  }
  return text;
}

std::string c_stores(const Program& program, int indent, const VariablePlace& place) {
  const Touched touched = touched_variables(program);
  std::string text;
  for (int i = 0; i < program.scratch; ++i)
    if (touched.written[i]) text += fmt::format("{}{} = v{};\n", std::string(indent, ' '), place(i), i);
  return text;
}

std::string cuda_source(const Program& program, int left, int status) {
  std::string text = fmt::format(
      "extern \"C\" __global__ void __launch_bounds__({}, {})\n"
      "    run(double* __restrict__ variables, const double* __restrict__ parameters, long long count,\n"
      "        long long times) {{\n",
      cuda_threads, program.scratch <= few_variables ? 6 : 4);
  text +=
      "  const long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
      "  if (k >= count) return;\n";
  if (program.parameters > 0) {
    text += fmt::format("  double p[{}];\n", program.parameters);
    for (int i = 0; i < program.parameters; ++i) text += fmt::format("  p[{0}] = parameters[{0} * count + k];\n", i);
  }
  const auto place = [](int i) { return fmt::format("variables[{} * count + k]", i); };
  text += c_variables(program, 2, place);
  text += fmt::format("  for (; times > 0 && v{} > 0.0 && v{} == 0.0; times -= 1) {{\n", left, status);
  text += c_statements(program, 4) + "  }\n" + c_stores(program, 2, place);
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
