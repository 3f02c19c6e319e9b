#pragma once

// What text of the C family makes of the values of a program. All are doubles by meaning, but a condition is cheaper as
// an integer, and a number that only decides how long to iterate need not be exact.

#include <vector>

#include "alembert/code/program.h"

namespace alembert::internal {

/// Whether a register of a tape holds this constant.
bool is_number(const Tape& tape, std::uint32_t source, double wanted);

/// Conditions: 0 or 1, integers as long as nobody computes with them.
class Conditions {
 public:
  explicit Conditions(const Program& program);

  bool variable(int place) const { return variables_[place]; }
  /// Which registers are conditions by how they are computed.
  std::vector<bool> registers(const Program::Block& block, const Tape& tape) const;

 private:
  bool strike_out(const Program& program, const std::vector<Program::Statement>& statements);

  std::vector<bool> variables_;
};

/// Sizes: norms and what is computed from them, absolute values whose only use is to be compared, where the comparison
/// says which blocks are run or whether the step was good. Nothing is subtracted on the way, so that single precision
/// gives them to seven digits; a stopping rule needs two. Values that reach results or kept variables (but for those
/// that the program calls sizes) are none, nor are those that choose between the cases of a formula in the block that
/// computes them.
class Sizes {
 public:
  /// None at all.
  Sizes() = default;
  Sizes(const Program& program, const Conditions& conditions);

  bool variable(int place) const { return !variables_.empty() && variables_[place]; }
  std::vector<bool> registers(const Program::Block& block, const Tape& tape, const Conditions& conditions) const;

 private:
  struct Found {
    std::vector<bool> sizes;  // registers
    std::vector<bool> wide;   // registers that are needed to the last digit
    std::vector<bool> exact;  // also the conditions that they depend on: they reach results
  };
  Found find(const Program::Block& block, const Tape& tape, const Conditions& conditions) const;
  bool strike_out(const Program& program, const std::vector<Program::Statement>& statements,
                  const Conditions& conditions);
  bool strike_out(const Program::Block& block, const Tape& tape, const Conditions& conditions);

  std::vector<bool> variables_;
  std::vector<bool> steering_;  // of the program
};

/// Sizes that are the upper words of doubles, or the largest of such words: variables that are given nothing else.
class Words {
 public:
  Words() = default;
  Words(const Program& program, const Conditions& conditions, const Sizes& sizes);

  bool variable(int place) const { return !variables_.empty() && variables_[place]; }
  /// sizes: of the registers.
  std::vector<bool> registers(const Program::Block& block, const Tape& tape, const std::vector<bool>& sizes) const;

 private:
  bool strike_out(const Program& program, const std::vector<Program::Statement>& statements,
                  const Conditions& conditions, const Sizes& sizes);

  std::vector<bool> variables_;
};

/// Codes, counts and rates that steer and are kept between runs: small numbers, for which single precision does as well
/// (a count that it cannot raise any more is larger than what it is compared with).
class Codes {
 public:
  Codes() = default;
  /// exact: a variable among those that steer which is none, since its last digit counts.
  Codes(const Program& program, const Conditions& conditions, const Sizes& sizes, int exact);

  bool variable(int place) const { return !variables_.empty() && variables_[place]; }
  std::vector<bool> registers(const Program::Block& block, const Tape& tape, const Conditions& conditions) const;

 private:
  bool strike_out(const std::vector<Program::Statement>& statements, const Program& program,
                  const Conditions& conditions, const Sizes& sizes);

  std::vector<bool> variables_;
};

/// Which instructions of a tape are differences that are only compared with 0: "a > b" says it.
std::vector<bool> only_compared(const Tape& tape, const std::vector<bool>& conditions);

}  // namespace alembert::internal
