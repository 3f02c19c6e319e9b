#if ALEMBERT_LLVM

#include "alembert/code/emit.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <llvm/IR/IRBuilder.h>

#include "alembert/code/emit_operations.h"

namespace alembert::internal::detail {
namespace {

class Emitter {
 public:
  Emitter(const EmitJob& job, llvm::LLVMContext& context)
      : job_(job),
        tape_(job.tape),
        module_(std::make_unique<llvm::Module>(job.name, context)),
        builder_(context),
        operations_(*module_, builder_, 1),
        real_(operations_.type()),
        code_start_(tape_.first_result()) {
    for (std::size_t i = 0; i < tape_.outputs.size(); ++i) outputs_.emplace_back(tape_.outputs[i], i);
    std::sort(outputs_.begin(), outputs_.end());
  }

  void add_chunk(std::size_t chunk) {
    open(declare_chunk(chunk));
    add_body(chunk);
    builder_.CreateRetVoid();
  }

  /// Copies inputs and constants that are outputs themselves, and runs the chunks (the only one in place).
  void add_entry() {
    open(declare(job_.name));
    for (const auto& [source, index] : outputs_) {
      if (source < code_start_) builder_.CreateStore(read(source), place(out_, index));
    }
    if (job_.chunks.count == 1) {
      add_body(0);
    } else {
      llvm::Function* entry = builder_.GetInsertBlock()->getParent();
      for (std::size_t chunk = 0; chunk < job_.chunks.count; ++chunk) {
        llvm::CallInst* call = builder_.CreateCall(
            declare_chunk(chunk), {entry->getArg(0), entry->getArg(1), entry->getArg(2), entry->getArg(3)});
        call->setDoesNotThrow();
      }
    }
    builder_.CreateRetVoid();
  }

  std::unique_ptr<llvm::Module> finish() { return std::move(module_); }

 private:
  llvm::Function* declare(const std::string& name) {
    if (llvm::Function* known = module_->getFunction(name)) return known;
    llvm::Type* pointer = real_->getPointerTo();
    auto* type = llvm::FunctionType::get(builder_.getVoidTy(), {pointer, pointer, pointer, pointer}, false);
    auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, *module_);
    function->setDoesNotThrow();
    for (unsigned i = 0; i < 4; ++i) {
      function->addParamAttr(i, llvm::Attribute::NoAlias);
      function->addParamAttr(i, llvm::Attribute::NoCapture);
    }
    function->addParamAttr(0, llvm::Attribute::ReadOnly);
    function->addParamAttr(3, llvm::Attribute::ReadOnly);
    return function;
  }
  llvm::Function* declare_chunk(std::size_t chunk) { return declare(job_.name + "_" + std::to_string(chunk)); }

  void open(llvm::Function* function) {
    builder_.SetInsertPoint(llvm::BasicBlock::Create(builder_.getContext(), "", function));
    in_ = function->getArg(0);
    out_ = function->getArg(1);
    work_ = function->getArg(2);
    parameters_ = function->getArg(3);
    loaded_.clear();
  }

  void add_body(std::size_t chunk) {
    const std::size_t length = job_.chunks.length;
    const std::size_t end = std::min(tape_.code.size(), (chunk + 1) * length);
    start_ = chunk * length;
    values_.assign(end - start_, nullptr);
    find_pairs(end);
    auto output = std::lower_bound(outputs_.begin(), outputs_.end(), std::pair(code_start_ + start_, std::size_t{0}));
    for (std::size_t i = start_; i < end; ++i) {
      const Tape::Instruction& step = tape_.code[i];
      llvm::Value* a = read(step.a);
      llvm::Value* value = nullptr;
      if (const auto pair = pairs_.find(step.a); pair != pairs_.end() && (step.op == Op::sin || step.op == Op::cos)) {
        if (!pair->second.sine) call_sincos(a, pair->second);
        value = step.op == Op::sin ? pair->second.sine : pair->second.cosine;
      } else {
        value = operations_.compute(step.op, a, step.b == step.a ? a : read(step.b));
      }
      values_[i - start_] = value;
      if (job_.chunks.slot[i] != Chunks::local) builder_.CreateStore(value, place(work_, job_.chunks.slot[i]));
      for (; output != outputs_.end() && output->first == code_start_ + i; ++output) {
        builder_.CreateStore(value, place(out_, output->second));
      }
    }
  }

  llvm::Value* place(llvm::Value* array, std::size_t index) {
    return builder_.CreateConstInBoundsGEP1_64(real_, array, index);
  }

  llvm::Value* read(std::size_t source) {
    if (source >= code_start_ + start_) return values_[source - code_start_ - start_];
    const auto inputs = static_cast<std::size_t>(tape_.inputs);
    const std::size_t constants = inputs + tape_.parameters.size();
    if (source >= constants && source < code_start_) return operations_.number(job_.constants[source - constants]);
    llvm::Value*& value = loaded_[source];
    if (!value) {
      llvm::Value* from = source < inputs      ? place(in_, source)
                          : source < constants ? place(parameters_, tape_.parameters[source - inputs])
                                               : place(work_, job_.chunks.slot[source - code_start_]);
      value = builder_.CreateLoad(real_, from);
    }
    return value;
  }

  struct Pair {
    bool sin = false, cos = false;
    llvm::Value *sine = nullptr, *cosine = nullptr;
  };

  /// Registers of which this chunk takes both sine and cosine: one call gives both, with the same bits.
  void find_pairs(std::size_t end) {
    pairs_.clear();
#ifdef __GLIBC__
    for (std::size_t i = start_; i < end; ++i) {
      const Tape::Instruction& step = tape_.code[i];
      if (step.op == Op::sin) pairs_[step.a].sin = true;
      if (step.op == Op::cos) pairs_[step.a].cos = true;
    }
    std::erase_if(pairs_, [](const auto& entry) { return !(entry.second.sin && entry.second.cos); });
    if (pairs_.empty()) return;
    sine_place_ = builder_.CreateAlloca(real_);
    cosine_place_ = builder_.CreateAlloca(real_);
#else
    static_cast<void>(end);
#endif
  }

  void call_sincos(llvm::Value* a, Pair& pair) {
    llvm::Type* pointer = real_->getPointerTo();
    auto* type = llvm::FunctionType::get(builder_.getVoidTy(), {real_, pointer, pointer}, false);
    llvm::FunctionCallee function = module_->getOrInsertFunction("sincos", type);
    llvm::CallInst* call = builder_.CreateCall(function, {a, sine_place_, cosine_place_});
    call->setDoesNotThrow();
    call->setOnlyAccessesArgMemory();
    call->addFnAttr(llvm::Attribute::NoBuiltin);
    pair.sine = builder_.CreateLoad(real_, sine_place_);
    pair.cosine = builder_.CreateLoad(real_, cosine_place_);
  }

  const EmitJob& job_;
  const Tape& tape_;
  std::unique_ptr<llvm::Module> module_;
  llvm::IRBuilder<> builder_;
  OperationEmitter operations_;
  llvm::Type* real_;
  std::size_t code_start_;                                    // first register of an instruction
  std::vector<std::pair<std::size_t, std::size_t>> outputs_;  // register and index, ascending

  // of the function being written
  llvm::Value *in_ = nullptr, *out_ = nullptr, *work_ = nullptr, *parameters_ = nullptr;
  std::size_t start_ = 0;
  std::vector<llvm::Value*> values_;
  std::unordered_map<std::size_t, llvm::Value*> loaded_;
  std::unordered_map<std::size_t, Pair> pairs_;
  llvm::Value *sine_place_ = nullptr, *cosine_place_ = nullptr;
};

}  // namespace

std::unique_ptr<llvm::Module> emit(const EmitJob& job, std::size_t first, std::size_t last,
                                   llvm::LLVMContext& context) {
  Emitter emitter(job, context);
  if (first == 0) emitter.add_entry();
  if (job.chunks.count > 1) {
    for (std::size_t chunk = first; chunk < last; ++chunk) emitter.add_chunk(chunk);
  }
  return emitter.finish();
}

}  // namespace alembert::internal::detail

#endif  // ALEMBERT_LLVM
