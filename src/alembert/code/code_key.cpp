#include "alembert/code/code_key.h"

#include "alembert/base/bytes.h"
#include "alembert/code_identity.h"

namespace alembert::internal::detail {

namespace {

// Structures are taken apart by name for name: one that gets a new member does not compile here until it is thought of.

/// The constants as code gets them. Usual values of parameters are not in the code.
void write_tape(ByteWriter& key, const Tape& tape, std::span<const double> constants) {
  const auto& [inputs, parameters, usual, exact, code, outputs, walk] = tape;
  key.write(inputs);
  key.write(parameters);
  key.write(std::vector<double>(constants.begin(), constants.end()));
  key.write(static_cast<std::uint64_t>(code.size()));
  for (const auto& [op, a, b] : code) {
    key.write(op);
    key.write(a);
    key.write(b);
  }
  key.write(outputs);
  const auto& [from, from_step, to, to_step] = walk;
  for (const std::vector<std::int64_t>* list : {&from, &from_step, &to, &to_step}) key.write(*list);
}

void write_statements(ByteWriter& key, const std::vector<internal::Program::Statement>& statements) {
  key.write(static_cast<std::uint64_t>(statements.size()));
  for (const auto& [block, repeat, body] : statements) {
    const auto& [tape, from, to, mask, kept] = block;
    key.write(tape);
    key.write(from);
    key.write(to);
    key.write(mask);
    key.write(kept);
    key.write(repeat);
    write_statements(key, body);
  }
}

ByteWriter begin_key(const std::string& host) {
  ByteWriter key;
  key.write(std::string(code_identity));
  key.write(host);
  return key;
}

std::string text(const ByteWriter& key) {
  return {reinterpret_cast<const char*>(key.bytes().data()), key.bytes().size()};
}

}  // namespace

std::string code_key(const std::string& host, const Tape& tape, std::span<const double> constants, bool optimise) {
  ByteWriter key = begin_key(host);
  key.write('t');
  key.write(optimise);
  write_tape(key, tape, constants);
  return text(key);
}

std::string code_key(const std::string& host, const internal::Program& program, int width) {
  ByteWriter key = begin_key(host);
  key.write('p');
  key.write(width);
  const auto& [variables, names, scratch, steering, tapes, statements, parameters, in_memory, largest, guard] = program;
  key.write(variables);
  key.write(scratch);
  key.write(steering);
  key.write(largest);
  key.write(guard);
  key.write(parameters);
  key.write(std::vector<char>(in_memory.begin(), in_memory.end()));
  key.write(static_cast<std::uint64_t>(tapes.size()));
  for (const Tape& tape : tapes) {
    std::vector<double> constants;
    for (const Quad value : tape.constants) constants.push_back(static_cast<double>(value));
    write_tape(key, tape, constants);
  }
  write_statements(key, statements);
  return text(key);
}

}  // namespace alembert::internal::detail
