#pragma once

// Programs as text of the C family: C99, and with other words CUDA. The operations are those of the interpreter, in its
// order, so that a C compiler that contracts and reorders nothing gives the same bits.

#include <functional>
#include <span>
#include <string>

#include "alembert/code/program.h"

namespace alembert::internal {

/// The body of a function: all statements, with variables named v0, v1, ... as c_variables() declares them and the
/// table of parameters `p`, which are double. Lines are indented by `indent` blanks.
std::string c_statements(const Program& program, int indent);

/// Where variable i is kept between runs: "m[3]".
using VariablePlace = std::function<std::string(int)>;
/// Declarations of the variables that the statements touch; what is kept between runs is read from its place.
std::string c_variables(const Program& program, int indent, const VariablePlace& place);
/// What the statements may have changed goes back to its place.
std::string c_stores(const Program& program, int indent, const VariablePlace& place);

/// The tables that the programs call, as arrays and functions that stand before them. storage: of both, "static".
std::string c_tables(std::span<const Program* const> programs, const std::string& storage);

/// A number that reads back as itself: "0.1", "1.0", "-1e-300".
std::string c_number(double value);

/// What else may be tried: blocks that a multiprocessor is to hold (0: by the size of the program), and how many
/// variables may wait in shared memory.
struct CudaChoice {
  int blocks = 0, shared = 1000;
};
/// Threads of a block: steps need many registers each, and blocks of this size still fill a multiprocessor.
inline constexpr unsigned cuda_threads = 64;
/// A CUDA kernel that makes steps of a program, one run of it a thread:
///     run(double* variables, const double* parameters, long count, long times)
/// Variable i of run k stands at [i*count + k], likewise the parameters; as many variables as are no scratch. A run
/// ends early where variable `left` is 0 or `status` is not. Results are those of the interpreter within rounding;
/// numbers that only steer have seven digits.
std::string cuda_source(const Program& program, int left, int status, const CudaChoice& choice = {});

/// Whether the text needs <math.h>: some operation is a function of the library.
bool needs_math(const Program& program);

}  // namespace alembert::internal
