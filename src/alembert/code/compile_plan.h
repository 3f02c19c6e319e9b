#pragma once

// What compiling a kernel costs and saves: decides how it is made where nobody insists.

#include <cstddef>

#include "alembert/numerics.h"

namespace alembert::internal::detail {

struct CompilePlan {
  bool look = false;      // in the store of compiled code: reading it pays
  bool compile = false;   // at once
  bool optimise = false;  // in the end
  long patience = 0;      // calls after which compiling pays where it was not expected to
};

/// For a kernel of so many operations, called as often as the options say.
CompilePlan compile_plan(std::size_t operations, const KernelOptions& options);

/// Whether unoptimised code is worth having until optimised code is there.
bool fast_code_first(std::size_t operations);

}  // namespace alembert::internal::detail
