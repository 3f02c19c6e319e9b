#pragma once

// Programs as text of the C family: C99, and with other words CUDA. The operations are those of the interpreter, in its
// order, so that a compiler that contracts and reorders nothing gives the same bits.

#include <string>

#include "alembert/code/program.h"

namespace alembert::internal {

/// The body of a function: all statements, with variables named v0, v1, ... and the table of parameters `p`, which are
/// double. Lines are indented by `indent` blanks.
std::string c_statements(const Program& program, int indent);

/// Declarations of the variables [first, last): "double v3, v4;" in lines of readable length. Empty where there are none.
std::string c_declarations(int first, int last, int indent);

/// A number that reads back as itself: "0.1", "1.0", "-1e-300".
std::string c_number(double value);

/// Whether the text needs <math.h>: some operation is a function of the library.
bool needs_math(const Program& program);

}  // namespace alembert::internal
