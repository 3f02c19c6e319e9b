#include "alembert/code/kinds.h"

#include <algorithm>

namespace alembert::internal {

namespace {

bool is_constant(const Tape& tape, std::uint32_t source) {
  return source >= tape.inputs + tape.parameters.size() && source < tape.first_result();
}
double constant(const Tape& tape, std::uint32_t source) {
  return static_cast<double>(tape.constants[source - tape.inputs - tape.parameters.size()]);
}
bool is_positive_number(const Tape& tape, std::uint32_t source) {
  return is_constant(tape, source) && constant(tape, source) >= 0;
}

/// "1 - min(x, 0.9)": what is taken away leaves much.
bool is_rest(const Tape& tape, const Tape::Instruction& step, const std::vector<bool>& sizes) {
  if (!is_constant(tape, step.a) || step.b < tape.first_result() || !sizes[step.b]) return false;
  const Tape::Instruction& taken = tape.code[step.b - tape.first_result()];
  if (taken.op != Op::min) return false;
  const auto bounds = [&](std::uint32_t source) {
    return is_constant(tape, source) && constant(tape, source) < 0.99 * constant(tape, step.a);
  };
  return bounds(taken.a) || bounds(taken.b);
}

/// Whether an instruction computes a size from sizes.
bool computes_size(const Tape& tape, const Tape::Instruction& step, const std::vector<bool>& sizes) {
  const auto size = [&](std::uint32_t source) { return sizes[source] || is_positive_number(tape, source); };
  const bool any = sizes[step.a] || sizes[step.b];
  // A factor that is no size comes as it is kept: a result of this tape would cost more to convert than to multiply by.
  const auto factor = [&](std::uint32_t source) { return size(source) || source < tape.first_result(); };
  switch (step.op) {
    case Op::abs: return true;
    case Op::max:
    case Op::min:
    case Op::multiply:
    case Op::divide: return any && factor(step.a) && factor(step.b);
    case Op::add: return any && size(step.a) && size(step.b);
    case Op::subtract: return is_rest(tape, step, sizes);
    case Op::where: return sizes[step.b];
    case Op::sqrt: return sizes[step.a];
    default: return false;
  }
}

}  // namespace

bool is_number(const Tape& tape, std::uint32_t source, double wanted) {
  return is_constant(tape, source) && constant(tape, source) == wanted;
}

Conditions::Conditions(const Program& program) : variables_(program.variables, true) {
  std::fill_n(variables_.begin(), program.scratch, false);  // what is kept between runs is kept as a double
  while (strike_out(program, program.statements)) continue;
}

std::vector<bool> Conditions::registers(const Program::Block& block, const Tape& tape) const {
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

/// Variables that are given anything else are none. Whether there were any.
bool Conditions::strike_out(const Program& program, const std::vector<Program::Statement>& statements) {
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

std::vector<bool> only_compared(const Tape& tape, const std::vector<bool>& conditions) {
  std::vector<int> uses(tape.registers(), 0);
  for (const Tape::Instruction& step : tape.code) {
    ++uses[step.a];
    if (step.b != step.a) ++uses[step.b];
  }
  for (const std::uint32_t output : tape.outputs) ++uses[output];
  std::vector<bool> found(tape.code.size(), false);
  for (const Tape::Instruction& step : tape.code) {
    if (step.op != Op::positive || step.a < tape.first_result() || uses[step.a] > 1) continue;
    const std::size_t from = step.a - tape.first_result();
    found[from] = tape.code[from].op == Op::subtract && !conditions[step.a];
  }
  return found;
}

Sizes::Sizes(const Program& program, const Conditions& conditions)
    : variables_(program.variables, false), steering_(program.variables, false) {
  for (const int place : program.steering) steering_[place] = true;
  for (int i = 0; i < program.variables; ++i) variables_[i] = i >= program.scratch && !conditions.variable(i);
  for (const int place : program.largest) variables_[place] = true;
  while (strike_out(program, program.statements, conditions)) continue;
}

std::vector<bool> Sizes::registers(const Program::Block& block, const Tape& tape, const Conditions& conditions) const {
  return variables_.empty() ? std::vector<bool>(tape.registers(), false) : find(block, tape, conditions).sizes;
}

Sizes::Found Sizes::find(const Program::Block& block, const Tape& tape, const Conditions& conditions) const {
  const std::vector<bool> bits = conditions.registers(block, tape);
  const std::vector<bool> compared = only_compared(tape, bits);
  const std::vector<bool> none(tape.registers(), false);
  Found found{none, none, none};
  const std::size_t first = tape.first_result();
  for (int i = 0; i < tape.inputs; ++i) found.sizes[i] = variables_[block.from[i]];
  for (std::size_t i = 0; i < tape.code.size(); ++i)
    found.sizes[first + i] = !bits[first + i] && computes_size(tape, tape.code[i], found.sizes);
  for (std::size_t i = 0; i < block.to.size(); ++i) {
    const int to = block.to[i];
    if (conditions.variable(to) || variables_[to] || steering_[to]) continue;
    found.wide[tape.outputs[i]] = found.exact[tape.outputs[i]] = true;
  }
  for (std::size_t i = tape.code.size(); i-- > 0;) {
    const std::size_t result = first + i;
    const Tape::Instruction& step = tape.code[i];
    if (found.wide[result]) found.sizes[result] = false;
    // The difference that a decision compares is none by itself: its terms are asked for by the comparison.
    const bool rough = bits[result] || found.sizes[result] || compared[i];
    for (const std::uint32_t source : {step.a, step.b}) {
      if (found.exact[result] || !rough) found.wide[source] = true;
      if (found.exact[result]) found.exact[source] = true;
    }
  }
  return found;
}

bool Sizes::strike_out(const Program& program, const std::vector<Program::Statement>& statements,
                       const Conditions& conditions) {
  bool changed = false;
  for (const Program::Statement& statement : statements)
    changed = (statement.repeat >= 0 ? strike_out(program, statement.body, conditions)
                                     : strike_out(statement.block, program.tapes[statement.block.tape], conditions)) ||
              changed;
  return changed;
}

/// Variables that are asked for exactly, or given what is no size, are none. Whether there were any.
bool Sizes::strike_out(const Program::Block& block, const Tape& tape, const Conditions& conditions) {
  const Found found = find(block, tape, conditions);
  bool changed = false;
  const auto strike = [&](int place) {
    changed = changed || variables_[place];
    variables_[place] = false;
  };
  for (int i = 0; i < tape.inputs; ++i)
    if (found.wide[i]) strike(block.from[i]);
  for (std::size_t i = 0; i < block.to.size(); ++i) {
    const std::uint32_t source = tape.outputs[i];
    if (!found.sizes[source] && !is_positive_number(tape, source)) strike(block.to[i]);
  }
  return changed;
}

Words::Words(const Program& program, const Conditions& conditions, const Sizes& sizes)
    : variables_(program.variables, false) {
  for (int i = 0; i < program.variables; ++i) variables_[i] = sizes.variable(i);
  while (strike_out(program, program.statements, conditions, sizes)) continue;
}

std::vector<bool> Words::registers(const Program::Block& block, const Tape& tape,
                                   const std::vector<bool>& sizes) const {
  std::vector<bool> words(tape.registers(), false);
  if (variables_.empty()) return words;
  for (int i = 0; i < tape.inputs; ++i) words[i] = variables_[block.from[i]];
  for (std::size_t i = 0; i < tape.code.size(); ++i) {
    const Tape::Instruction& step = tape.code[i];
    const std::size_t result = tape.first_result() + i;
    const bool of_words = step.op == Op::max && words[step.a] && words[step.b];
    const bool twice =
        step.op == Op::multiply && words[step.b] && (is_number(tape, step.a, 2) || is_number(tape, step.a, 4));
    words[result] = sizes[result] && (of_words || twice || (step.op == Op::abs && !sizes[step.a]));
  }
  return words;
}

/// Variables that are given anything else are none. Whether there were any.
bool Words::strike_out(const Program& program, const std::vector<Program::Statement>& statements,
                       const Conditions& conditions, const Sizes& sizes) {
  bool changed = false;
  for (const Program::Statement& statement : statements) {
    if (statement.repeat >= 0) {
      changed = strike_out(program, statement.body, conditions, sizes) || changed;
      continue;
    }
    const Program::Block& block = statement.block;
    const Tape& tape = program.tapes[block.tape];
    const std::vector<bool> words = registers(block, tape, sizes.registers(block, tape, conditions));
    for (std::size_t i = 0; i < block.to.size(); ++i) {
      if (words[tape.outputs[i]] || is_number(tape, tape.outputs[i], 0)) continue;
      changed = changed || variables_[block.to[i]];
      variables_[block.to[i]] = false;
    }
  }
  return changed;
}

Codes::Codes(const Program& program, const Conditions& conditions, const Sizes& sizes, int exact)
    : variables_(program.variables, false) {
  for (const int place : program.steering) variables_[place] = place != exact;
  while (strike_out(program.statements, program, conditions, sizes)) continue;
}

std::vector<bool> Codes::registers(const Program::Block& block, const Tape& tape, const Conditions& conditions) const {
  const std::vector<bool> bits = conditions.registers(block, tape), compared = only_compared(tape, bits);
  std::vector<bool> codes(tape.registers(), false), wide = codes;
  if (variables_.empty()) return codes;
  const std::size_t first = tape.first_result();
  const auto small = [&](std::uint32_t source) {
    if (!is_constant(tape, source)) return bool(codes[source]);
    const double value = constant(tape, source);
    return static_cast<double>(static_cast<float>(value)) == value;
  };
  for (bool changed = true; changed;) {
    for (int i = 0; i < tape.inputs; ++i) codes[i] = variables_[block.from[i]];
    for (std::size_t i = 0; i < tape.code.size(); ++i) {
      const Tape::Instruction& step = tape.code[i];
      const bool sum = step.op == Op::add || step.op == Op::subtract;
      codes[first + i] = !bits[first + i] && !compared[i] && !wide[first + i] &&
                         ((step.op == Op::where && bits[step.a] && small(step.b)) ||
                          (sum && small(step.a) && small(step.b) && (codes[step.a] || codes[step.b])));
    }
    changed = false;
    const auto want = [&](std::uint32_t source) {
      if (source < first || !codes[source]) return;
      changed = true;
      wide[source] = true;
    };
    for (std::size_t i = 0; i < block.to.size(); ++i)
      if (!variables_[block.to[i]] && !conditions.variable(block.to[i])) want(tape.outputs[i]);
    for (std::size_t i = 0; i < tape.code.size(); ++i)
      if (!codes[first + i] && !bits[first + i] && !compared[i])
        for (const std::uint32_t source : {tape.code[i].a, tape.code[i].b}) want(source);
  }
  return codes;
}

/// Variables that are given what is neither a code nor a size are none. Whether there were any.
bool Codes::strike_out(const std::vector<Program::Statement>& statements, const Program& program,
                       const Conditions& conditions, const Sizes& sizes) {
  bool changed = false;
  for (const Program::Statement& statement : statements) {
    if (statement.repeat >= 0) {
      changed = strike_out(statement.body, program, conditions, sizes) || changed;
      continue;
    }
    const Program::Block& block = statement.block;
    const Tape& tape = program.tapes[block.tape];
    const std::vector<bool> codes = registers(block, tape, conditions), bits = conditions.registers(block, tape);
    const std::vector<bool> rough = sizes.registers(block, tape, conditions);
    for (std::size_t i = 0; i < block.to.size(); ++i) {
      const std::uint32_t source = tape.outputs[i];
      if (codes[source] || bits[source] || rough[source] || is_constant(tape, source)) continue;
      changed = changed || variables_[block.to[i]];
      variables_[block.to[i]] = false;
    }
  }
  return changed;
}

}  // namespace alembert::internal
