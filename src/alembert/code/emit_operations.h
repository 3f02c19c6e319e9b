#pragma once

// Operations of the tape as LLVM IR, for numbers and for vectors of them. Only for what emits code.

#include <string>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "alembert/expr/operators.h"

namespace alembert::internal::detail {

/// Writes where the builder stands. Operations are IEEE, each rounded by itself, with the comparisons that
/// evaluate<double> makes: NaN and signed zeros come out the same in every lane.
class OperationEmitter {
 public:
  /// width: lanes; 1: plain numbers. Module and builder outlive it.
  OperationEmitter(llvm::Module& module, llvm::IRBuilder<>& builder, int width);

  llvm::Type* type() const { return real_; }
  llvm::Constant* number(double value) const;
  /// Whether a is not 0, lane by lane.
  llvm::Value* is_set(llvm::Value* a);
  llvm::Value* compute(Op op, llvm::Value* a, llvm::Value* b);

 private:
  llvm::Value* call(Op op, llvm::Value* a, llvm::Value* b);
  llvm::Value* call(const std::string& name, llvm::Type* type, int operands, llvm::Value* a, llvm::Value* b);

  llvm::Module& module_;
  llvm::IRBuilder<>& builder_;
  int width_;
  llvm::Type *scalar_, *real_;
};

}  // namespace alembert::internal::detail
