#if ALEMBERT_LLVM

#include "alembert/code/emit_operations.h"

#include <dlfcn.h>

#include <array>

#include <llvm/IR/Intrinsics.h>

#include "alembert/code/lanes.h"

namespace alembert::internal {

namespace {

/// The library stays loaded: compiled code calls it at any time.
void* vector_library() {
  static void* const library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_GLOBAL);
  return library;
}

/// The name of the vector version of a function of the C library (vector function ABI); "" where there is none.
std::string vector_name(const Operator& entry, int width) {
  const char* const kind = width == 8 ? "_ZGVeN8" : width == 4 ? "_ZGVdN4" : "_ZGVbN2";
  const std::string name = kind + std::string(entry.operands, 'v') + "_" + std::string(entry.libm);
  return vector_library() && dlsym(vector_library(), name.c_str()) ? name : "";
}

}  // namespace

bool has_vector_functions() { return vector_library() != nullptr; }

namespace detail {

OperationEmitter::OperationEmitter(llvm::Module& module, llvm::IRBuilder<>& builder, int width)
    : module_(module),
      builder_(builder),
      width_(width),
      scalar_(builder.getDoubleTy()),
      real_(width == 1 ? scalar_ : llvm::FixedVectorType::get(scalar_, width)) {}

llvm::Constant* OperationEmitter::number(double value) const { return llvm::ConstantFP::get(real_, value); }

llvm::Value* OperationEmitter::is_set(llvm::Value* a) { return builder_.CreateFCmpONE(a, number(0)); }

llvm::Value* OperationEmitter::compute(Op op, llvm::Value* a, llvm::Value* b) {
  switch (op) {
    case Op::add: return builder_.CreateFAdd(a, b);
    case Op::subtract: return builder_.CreateFSub(a, b);
    case Op::multiply: return builder_.CreateFMul(a, b);
    case Op::divide: return builder_.CreateFDiv(a, b);
    case Op::negate: return builder_.CreateFNeg(a);
    case Op::sqrt: return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a);
    case Op::abs: return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
    // As evaluate<double> writes them, comparison by comparison.
    case Op::min: return builder_.CreateSelect(builder_.CreateFCmpOLT(a, b), a, b);
    case Op::max: return builder_.CreateSelect(builder_.CreateFCmpOGT(a, b), a, b);
    case Op::where: return builder_.CreateSelect(is_set(a), b, number(0));
    case Op::positive: return builder_.CreateSelect(builder_.CreateFCmpOGT(a, number(0)), number(1), number(0));
    case Op::sign: {
      llvm::Value* const rest = builder_.CreateSelect(builder_.CreateFCmpOLT(a, number(0)), number(-1), a);
      return builder_.CreateSelect(builder_.CreateFCmpOGT(a, number(0)), number(1), rest);
    }
    default: return call(op, a, b);
  }
}

llvm::Value* OperationEmitter::call(Op op, llvm::Value* a, llvm::Value* b) {
  const Operator& entry = operator_of(op);
  if (width_ == 1) return call(std::string(entry.libm), scalar_, entry.operands, a, b);
  if (const std::string name = vector_name(entry, width_); !name.empty())
    return call(name, real_, entry.operands, a, b);
  llvm::Value* result = llvm::UndefValue::get(real_);
  for (unsigned lane = 0; lane < static_cast<unsigned>(width_); ++lane) {
    llvm::Value* const one = call(std::string(entry.libm), scalar_, entry.operands,
                                  builder_.CreateExtractElement(a, lane), builder_.CreateExtractElement(b, lane));
    result = builder_.CreateInsertElement(result, one, lane);
  }
  return result;
}

llvm::Value* OperationEmitter::call(const std::string& name, llvm::Type* type, int operands, llvm::Value* a,
                                    llvm::Value* b) {
  const std::array<llvm::Type*, 2> types{type, type};
  const std::array<llvm::Value*, 2> values{a, b};
  const auto count = static_cast<std::size_t>(operands);
  llvm::Function* function = module_.getFunction(name);
  if (!function) {
    auto* signature = llvm::FunctionType::get(type, llvm::ArrayRef<llvm::Type*>(types.data(), count), false);
    function = llvm::Function::Create(signature, llvm::Function::ExternalLinkage, name, module_);
    function->setDoesNotThrow();
    function->setDoesNotAccessMemory();
    function->addFnAttr(llvm::Attribute::WillReturn);
    // Without it LLVM rewrites calls by what it knows of the name (pow(x, 2.5), sin next to cos).
    function->addFnAttr(llvm::Attribute::NoBuiltin);
  }
  llvm::CallInst* const result = builder_.CreateCall(function, llvm::ArrayRef<llvm::Value*>(values.data(), count));
  result->addFnAttr(llvm::Attribute::NoBuiltin);
  return result;
}

}  // namespace detail
}  // namespace alembert::internal

#endif  // ALEMBERT_LLVM
