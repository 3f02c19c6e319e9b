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
    for (std::size_t i = 0; i < tape.code.size(); ++i)
      line(fmt::format("const double r{} = {};", i, operation(block, tape, tape.code[i])));
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

  static std::string name(const Program::Block& block, const Tape& tape, std::uint32_t source) {
    const auto inputs = static_cast<std::uint32_t>(tape.inputs);
    const auto constants = static_cast<std::uint32_t>(inputs + tape.parameters.size());
    if (source < inputs) return fmt::format("v{}", block.from[source]);
    if (source < constants) return fmt::format("p[{}]", tape.parameters[source - inputs]);
    if (source < tape.first_result()) {
      const double value = static_cast<double>(tape.constants[source - constants]);
      return std::signbit(value) ? "(" + c_number(value) + ")" : c_number(value);
    }
    return fmt::format("r{}", source - tape.first_result());
  }

  static std::string operation(const Program::Block& block, const Tape& tape, const Tape::Instruction& step) {
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

bool needs_math(const Program& program) {
  return std::any_of(program.tapes.begin(), program.tapes.end(), [](const Tape& tape) {
    return std::any_of(tape.code.begin(), tape.code.end(), is_function) ||
           std::any_of(tape.constants.begin(), tape.constants.end(),
                       [](Quad value) { return !std::isfinite(static_cast<double>(value)); });
  });
}

}  // namespace alembert::internal
