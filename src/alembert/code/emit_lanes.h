#pragma once

// Program -> LLVM IR for a number of lanes. Only for native.cpp.

#include <memory>
#include <string>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "alembert/code/program.h"

namespace alembert::internal::detail {

/// One function, void name(double* variables, const double* parameters, int64 times). As emit(): every operation is
/// rounded by itself.
std::unique_ptr<llvm::Module> emit_lanes(const Program& program, int width, const std::string& name,
                                         llvm::LLVMContext& context);

}  // namespace alembert::internal::detail
