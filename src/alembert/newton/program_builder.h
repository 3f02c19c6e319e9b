#pragma once

// Blocks of a program, written as expressions of its variables. Private to newton/.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "alembert/code/program.h"
#include "alembert/code/scalings.h"

namespace alembert::internal {

inline constexpr double rounding_unit = 0x1p-52;  // distance from 1 to the next double
/// Sums of finite numbers of a motion are far below it; infinities and NaN are not.
inline constexpr double largest_number = 1e300;

// Conditions are 1 or 0. Comparisons with NaN are 0.
inline Expr above(Expr a, Expr b) { return positive(a - b); }
inline Expr above(Expr a, double b) { return positive(a - Quad(b)); }
inline Expr below(Expr a, double b) { return positive(Quad(b) - a); }
inline Expr no(Expr a) { return 1 - a; }
inline Expr both(Expr a, Expr b) { return a * b; }
inline Expr either(Expr a, Expr b) { return max(a, b); }
inline Expr is_finite_number(Expr sum) { return below(abs(sum), largest_number); }

/// A variable in the formulas of one block.
struct Variable {
  Expr symbol;
  int place;
};
using Variables = std::vector<Variable>;

inline Variables listed(const Exprs& symbols, int first) {
  Variables list;
  for (std::size_t i = 0; i < symbols.size(); ++i) list.push_back({symbols[i], first + static_cast<int>(i)});
  return list;
}

class ProgramBuilder {
 public:
  explicit ProgramBuilder(Program& program) : program_(program) {}

  int allot(const std::string& name, int count = 1) {
    const int first = program_.variables;
    for (int i = 0; i < count; ++i) program_.names.push_back(count == 1 ? name : name + " " + std::to_string(i + 1));
    program_.variables += count;
    return first;
  }

  /// Outputs that are kept where the mask is 0, then those that may become anything there.
  Program::Statement block(const Variables& inputs, const Variables& kept, const Variables& free, int mask) {
    Exprs in, out;
    Program::Block block;
    for (const Variable& input : inputs) {
      in.push_back(input.symbol);
      block.from.push_back(input.place);
    }
    for (const Variables* list : {&kept, &free})
      for (const Variable& output : *list) {
        out.push_back(output.symbol);
        block.to.push_back(output.place);
      }
    block.kept = static_cast<int>(kept.size());
    block.mask = mask;
    block.tape = static_cast<int>(program_.tapes.size());
    program_.tapes.push_back(without_scalings(make_tape(in, out)));
    for (const std::uint32_t place : program_.tapes.back().parameters)
      program_.parameters = std::max(program_.parameters, static_cast<int>(place) + 1);
    Program::Statement statement;
    statement.block = std::move(block);
    return statement;
  }

 private:
  Program& program_;
};

inline Program::Statement loop(int mask, std::vector<Program::Statement> body) {
  Program::Statement statement;
  statement.repeat = mask;
  statement.body = std::move(body);
  return statement;
}

}  // namespace alembert::internal
