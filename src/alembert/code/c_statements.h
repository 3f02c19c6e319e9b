#pragma once

// Statements of programs as text of the C family, and what both their writer and that of the kernels around them ask.
// Private to code/.

#include <string>
#include <vector>

#include "alembert/code/program.h"

namespace alembert::internal {

/// C gives the bits of the interpreter; CUDA is within rounding: sizes in single precision or as upper words, where a
/// GPU has more units and which leaves the others to the motion, quotients by parameters as products (q: 1/p), others
/// by reciprocals, and what a sum has lost as if its first term were the larger one: where it is not, half a digit of
/// the other term's last one is not recovered.
enum class Dialect { c, cuda };

/// left, status: see cuda_source().
std::string statements_of(const Program& program, int indent, Dialect dialect, int left = -1, int status = -1);

/// Kept variables that every run which passes the guard raises by this number, and that nothing else reads but what
/// decides at the start whether there is a run: they are counted together. 0: it is none.
std::vector<int> counters_of(const Program& program, int left);

/// Whether a block is rarely run.
bool is_rare(const Program& program, const Program::Block& block);
/// A constant of a tape.
double number_of(const Tape& tape, std::uint32_t source);
/// The C name of a table.
std::string table_name(double number);

/// The compiler forgets what it has read from memory.
inline constexpr const char* forget = "asm volatile(\"\" ::: \"memory\");";

}  // namespace alembert::internal
