#include "alembert/code/c_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alembert/expr/operators.h"

namespace alembert::internal {

namespace {

constexpr int widest = 110;  // columns of a line

class Writer {
 public:
  Writer(const Program& program, int indent) : program_(program), indent_(indent) {}

  void write(const std::vector<Program::Statement>& statements) {
    for (const Program::Statement& statement : statements) {
      if (statement.repeat < 0) {
        write(statement.block);
        continue;
      }
      line(fmt::format("while (v{} != 0.0) {{", statement.repeat));
      ++depth_;
      write(statement.body);
      --depth_;
      line("}");
    }
  }

  std::string text;

 private:
  void line(const std::string& words) { text += std::string(indent_ + 2 * depth_, ' ') + words + "\n"; }

  void write(const Program::Block& block) {
    const Tape& tape = program_.tapes[block.tape];
    if (block.to.empty()) return;
    line(block.mask >= 0 ? fmt::format("if (v{} != 0.0) {{", block.mask) : "{");
    ++depth_;
    find_conditions(tape);
    for (std::size_t i = 0; i < tape.code.size(); ++i) {
      const bool bit = conditions_[tape.first_result() + i];
      const std::string formula = bit ? condition(block, tape, tape.code[i]) : operation(block, tape, tape.code[i]);
      line(fmt::format("const {} r{} = {};", bit ? "int" : "double", i, formula));
    }
    // Variables that are only moved are read before any is written.
    std::vector<std::string> sources;
    for (std::size_t i = 0; i < block.to.size(); ++i) {
      const std::uint32_t source = tape.outputs[i];
      sources.push_back(name(block, tape, source));
      const bool moved = source < static_cast<std::uint32_t>(tape.inputs);
      if (!moved || block.from[source] == block.to[i]) continue;
      const auto written = std::find(block.to.begin(), block.to.end(), block.from[source]);
      if (written == block.to.end()) continue;
      line(fmt::format("const double m{} = {};", i, sources.back()));
      sources.back() = fmt::format("m{}", i);
    }
    for (std::size_t i = 0; i < block.to.size(); ++i)
      if (sources[i] != fmt::format("v{}", block.to[i])) line(fmt::format("v{} = {};", block.to[i], sources[i]));
    --depth_;
    line("}");
  }

  static bool is_number(const Tape& tape, std::uint32_t source, double wanted) {
    const std::size_t constants = tape.inputs + tape.parameters.size();
    return source >= constants && source < tape.first_result() &&
           static_cast<double>(tape.constants[source - constants]) == wanted;
  }

  /// Registers that are 0 or 1 by how they are computed: they stay integers as long as nobody computes with them.
  void find_conditions(const Tape& tape) {
    conditions_.assign(tape.registers(), false);
    const auto bit = [&](std::uint32_t source) {
      return conditions_[source] || is_number(tape, source, 0) || is_number(tape, source, 1);
    };
    for (std::size_t i = 0; i < tape.code.size(); ++i) {
      const Tape::Instruction& step = tape.code[i];
      const bool pair = bit(step.a) && bit(step.b);
      conditions_[tape.first_result() + i] = step.op == Op::positive ||
                                             ((step.op == Op::multiply || step.op == Op::max) && pair) ||
                                             (step.op == Op::subtract && is_number(tape, step.a, 1) && bit(step.b));
    }
  }
  /// A register as a condition.
  std::string truth(const Tape& tape, std::uint32_t source) const {
    if (conditions_[source]) return fmt::format("r{}", source - tape.first_result());
    return is_number(tape, source, 0) ? "0" : "1";
  }
  std::string condition(const Program::Block& block, const Tape& tape, const Tape::Instruction& step) const {
    switch (step.op) {
      case Op::positive: return name(block, tape, step.a) + " > 0.0";
      case Op::subtract: return "!" + truth(tape, step.b);
      case Op::multiply: return truth(tape, step.a) + " & " + truth(tape, step.b);
      default: return truth(tape, step.a) + " | " + truth(tape, step.b);
    }
  }

  std::string name(const Program::Block& block, const Tape& tape, std::uint32_t source) const {
    const auto inputs = static_cast<std::uint32_t>(tape.inputs);
    const auto constants = static_cast<std::uint32_t>(inputs + tape.parameters.size());
    if (source < inputs) return fmt::format("v{}", block.from[source]);
    if (source < constants) return fmt::format("p[{}]", tape.parameters[source - inputs]);
    if (source < tape.first_result()) {
      const double value = static_cast<double>(tape.constants[source - constants]);
      return std::signbit(value) ? "(" + c_number(value) + ")" : c_number(value);
    }
    return (conditions_[source] ? "(double)r" : "r") + std::to_string(source - tape.first_result());
  }

  std::string operation(const Program::Block& block, const Tape& tape, const Tape::Instruction& step) const {
    if (step.op == Op::where && conditions_[step.a])
      return fmt::format("{} ? {} : 0.0", truth(tape, step.a), name(block, tape, step.b));
    const std::string a = name(block, tape, step.a), b = name(block, tape, step.b);
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
  int indent_, depth_ = 0;
  std::vector<bool> conditions_;  // of the block being written
};

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

std::string c_declarations(int first, int last, int indent) {
  std::string text, line;
  for (int i = first; i < last; ++i) {
    const std::string name = fmt::format("v{}", i);
    if (line.empty()) line = std::string(indent, ' ') + "double " + name;
    else line += ", " + name;
    if (static_cast<int>(line.size()) > widest || i + 1 == last) {
      text += line + ";\n";
      line.clear();
    }
  }
  return text;
}

std::string cuda_source(const Program& program, int left, int status) {
  std::string text =
      "extern \"C\" __global__ void run(double* __restrict__ variables, const double* __restrict__ parameters,\n"
      "                               long long count, long long times) {\n"
      "  const long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
      "  if (k >= count) return;\n";
  if (program.parameters > 0) {
    text += fmt::format("  double p[{}];\n", program.parameters);
    for (int i = 0; i < program.parameters; ++i) text += fmt::format("  p[{0}] = parameters[{0} * count + k];\n", i);
  }
  for (int i = 0; i < program.scratch; ++i) text += fmt::format("  double v{0} = variables[{0} * count + k];\n", i);
  for (int i = program.scratch; i < program.variables; ++i) text += fmt::format("  double v{} = 0.0;\n", i);
  text += fmt::format("  for (; times > 0 && v{} > 0.0 && v{} == 0.0; times -= 1) {{\n", left, status);
  text += c_statements(program, 4) + "  }\n";
  for (int i = 0; i < program.scratch; ++i) text += fmt::format("  variables[{0} * count + k] = v{0};\n", i);
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
