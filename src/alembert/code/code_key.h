#pragma once

// All that machine code depends on, written down: two pieces of code with the same key are the same code.

#include <span>
#include <string>

#include "alembert/code/program.h"

namespace alembert::internal::detail {

/// host: the compiler and the processor it compiles for.
std::string code_key(const std::string& host, const Tape& tape, std::span<const double> constants, bool optimise);
std::string code_key(const std::string& host, const internal::Program& program, int width);

}  // namespace alembert::internal::detail
