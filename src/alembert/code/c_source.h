#pragma once

// Programs as text of the C family: C99, and with other words CUDA. The operations are those of the interpreter, in its
// order, so that a compiler that contracts and reorders nothing gives the same bits.

#include <string>

#include "alembert/code/program.h"

namespace alembert::internal {

/// The body of a function: all statements, with variables named v0, v1, ... and the table of parameters `p`, which are
/// double. Lines are indented by `indent` blanks.
std::string c_statements(const Program& program, int indent);

/// Declarations of the variables [first, last): "double v3, v4;" in lines of readable length. Empty where there are
/// none.
std::string c_declarations(int first, int last, int indent);

/// A number that reads back as itself: "0.1", "1.0", "-1e-300".
std::string c_number(double value);

/// A CUDA kernel that makes steps of a program, one run of it a thread:
///     run(double* variables, const double* parameters, long count, long times)
/// Variable i of run k stands at [i*count + k], likewise the parameters; as many variables as are no scratch. A run
/// ends early where variable `left` is 0 or `status` is not.
std::string cuda_source(const Program& program, int left, int status);

/// Whether the text needs <math.h>: some operation is a function of the library.
bool needs_math(const Program& program);

}  // namespace alembert::internal
