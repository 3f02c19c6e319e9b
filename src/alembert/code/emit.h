#pragma once

// Tape -> LLVM IR. Only for native.cpp: the one other file that knows LLVM.

#include <memory>
#include <span>
#include <string>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "alembert/code/chunks.h"

namespace alembert::internal::detail {

struct EmitJob {
  const Tape& tape;
  std::span<const double> constants;
  const Chunks& chunks;
  std::string name;  // of the whole function, a NativeFunction
};

/// The chunks [first, last) of a tape; the module with chunk 0 also has the function that calls all chunks.
/// Operations are IEEE, each rounded by itself: nothing is contracted, reordered or folded by what a name means.
std::unique_ptr<llvm::Module> emit(const EmitJob& job, std::size_t first, std::size_t last, llvm::LLVMContext& context);

}  // namespace alembert::internal::detail
