#include "alembert/code/program.h"

#include <algorithm>

namespace alembert::internal {

namespace {

std::size_t operations_of(const Program& program, const std::vector<Program::Statement>& statements) {
  std::size_t count = 0;
  for (const Program::Statement& statement : statements)
    count += statement.repeat >= 0 ? operations_of(program, statement.body)
                                   : program.tapes[statement.block.tape].code.size();
  return count;
}

void mark(const std::vector<Program::Statement>& statements, Touched& touched) {
  for (const Program::Statement& statement : statements) {
    if (statement.repeat >= 0) {
      touched.read[statement.repeat] = true;
      mark(statement.body, touched);
      continue;
    }
    for (const int place : statement.block.from) touched.read[place] = true;
    for (const int place : statement.block.to) touched.written[place] = true;
    if (statement.block.mask >= 0) touched.read[statement.block.mask] = true;
  }
}

/// Without operations that no output needs.
void drop_dead_code(Tape& tape) {
  const std::size_t first = tape.first_result();
  std::vector<bool> needed(tape.registers(), false);
  for (const std::uint32_t output : tape.outputs) needed[output] = true;
  for (std::size_t i = tape.code.size(); i-- > 0;)
    if (needed[first + i]) needed[tape.code[i].a] = needed[tape.code[i].b] = true;
  std::vector<std::uint32_t> place(tape.registers());
  for (std::size_t i = 0; i < first; ++i) place[i] = static_cast<std::uint32_t>(i);
  std::vector<Tape::Instruction> code;
  for (std::size_t i = 0; i < tape.code.size(); ++i) {
    if (!needed[first + i]) continue;
    place[first + i] = static_cast<std::uint32_t>(first + code.size());
    code.push_back({tape.code[i].op, place[tape.code[i].a], place[tape.code[i].b]});
  }
  tape.code = std::move(code);
  for (std::uint32_t& output : tape.outputs) output = place[output];
}

/// Whether a block had outputs that nobody reads.
bool drop_outputs(Program& program, std::vector<Program::Statement>& statements, const std::vector<bool>& read) {
  bool dropped = false;
  for (Program::Statement& statement : statements) {
    if (statement.repeat >= 0) {
      dropped = drop_outputs(program, statement.body, read) || dropped;
      continue;
    }
    Program::Block& block = statement.block;
    Tape& tape = program.tapes[block.tape];
    int kept = 0;
    std::vector<int> to;
    std::vector<std::uint32_t> outputs;
    for (std::size_t i = 0; i < block.to.size(); ++i) {
      if (block.to[i] >= program.scratch && !read[block.to[i]]) continue;
      kept += static_cast<int>(i) < block.kept ? 1 : 0;
      to.push_back(block.to[i]);
      outputs.push_back(tape.outputs[i]);
    }
    dropped = dropped || to.size() < block.to.size();
    block.to = std::move(to);
    block.kept = kept;
    tape.outputs = std::move(outputs);
    drop_dead_code(tape);
  }
  return dropped;
}

/// Inputs that a tape does not read are not read by its block either.
void drop_inputs(Program& program, std::vector<Program::Statement>& statements) {
  for (Program::Statement& statement : statements) {
    if (statement.repeat >= 0) {
      drop_inputs(program, statement.body);
      continue;
    }
    Program::Block& block = statement.block;
    Tape& tape = program.tapes[block.tape];
    std::vector<bool> used(tape.registers(), false);
    for (const Tape::Instruction& step : tape.code) used[step.a] = used[step.b] = true;
    for (const std::uint32_t output : tape.outputs) used[output] = true;
    std::vector<std::uint32_t> place(tape.registers());
    std::vector<int> from;
    std::uint32_t gone = 0;
    for (std::size_t i = 0; i < tape.registers(); ++i) {
      place[i] = static_cast<std::uint32_t>(i) - gone;
      if (i >= static_cast<std::size_t>(tape.inputs)) continue;
      if (used[i]) from.push_back(block.from[i]);
      else ++gone;
    }
    tape.inputs -= static_cast<int>(gone);
    for (Tape::Instruction& step : tape.code) {
      step.a = place[step.a];
      step.b = place[step.b];
    }
    for (std::uint32_t& output : tape.outputs) output = place[output];
    block.from = std::move(from);
  }
}

}  // namespace

Touched touched_variables(const Program& program) {
  Touched touched{std::vector<bool>(program.variables, false), std::vector<bool>(program.variables, false)};
  mark(program.statements, touched);
  return touched;
}

void prune(Program& program) {
  for (bool dropped = true; dropped;) {
    drop_inputs(program, program.statements);
    dropped = drop_outputs(program, program.statements, touched_variables(program).read);
  }
}

std::size_t Program::operations() const { return operations_of(*this, statements); }

ProgramInterpreter::ProgramInterpreter(const Program& program) : statements_(program.statements) {
  std::size_t in = 0, out = 0, work = 0;
  for (const Tape& tape : program.tapes) {
    kernels_.emplace_back(tape, interpreted);
    in = std::max<std::size_t>(in, tape.inputs);
    out = std::max(out, tape.outputs.size());
    work = std::max(work, kernels_.back().work());
  }
  in_.resize(in);
  out_.resize(out);
  work_.resize(work);
}

void ProgramInterpreter::run(double* variables, const double* parameters) noexcept {
  run(statements_, variables, parameters);
}

void ProgramInterpreter::run(const std::vector<Program::Statement>& statements, double* variables,
                             const double* parameters) noexcept {
  for (const Program::Statement& statement : statements) {
    if (statement.repeat < 0) run(statement.block, variables, parameters);
    else
      while (variables[statement.repeat] != 0) run(statement.body, variables, parameters);
  }
}

void ProgramInterpreter::run(const Program::Block& block, double* variables, const double* parameters) noexcept {
  if (block.mask >= 0 && variables[block.mask] == 0) return;
  for (std::size_t i = 0; i < block.from.size(); ++i) in_[i] = variables[block.from[i]];
  kernels_[block.tape].call(in_.data(), out_.data(), work_.data(), parameters);
  for (std::size_t i = 0; i < block.to.size(); ++i) variables[block.to[i]] = out_[i];
}

}  // namespace alembert::internal
