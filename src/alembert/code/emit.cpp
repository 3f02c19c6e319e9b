#if ALEMBERT_LLVM

#include "alembert/code/emit.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

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
    find_pairs(chunk);
    add_body(chunk);
    builder_.CreateRetVoid();
  }

  /// Copies inputs and constants that are outputs themselves, and runs the chunks (the only one in place).
  void add_entry() {
    open(declare(job_.name));
    if (!tape_.walk.empty()) return add_walk();
    copy_outputs();
    if (job_.chunks.count == 1) {
      find_pairs(0);
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
  void copy_outputs() {
    for (const auto& [source, index] : outputs_)
      if (source < code_start_) builder_.CreateStore(read(source), output_place(index));
  }

  /// The body once for each place, one of them at least.
  void add_walk() {
    llvm::Function* function = builder_.GetInsertBlock()->getParent();
    llvm::Value *first = function->getArg(4), *end = function->getArg(5);
    find_pairs(0);
    for (std::size_t i = 0; i < tape_.walk.from.size(); ++i)
      if (tape_.walk.from_step[i] == 0) read(i);  // once for all places
    for (std::size_t i = 0; i < tape_.parameters.size(); ++i) read(tape_.inputs + i);
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    std::map<std::int64_t, llvm::Value*> starts;
    for (const auto* steps : {&tape_.walk.from_step, &tape_.walk.to_step})
      for (const std::int64_t step : *steps)
        if (step != 0 && !starts[step]) starts[step] = builder_.CreateMul(first, builder_.getInt64(step));
    llvm::BasicBlock* body = llvm::BasicBlock::Create(builder_.getContext(), "", function);
    llvm::BasicBlock* after = llvm::BasicBlock::Create(builder_.getContext(), "", function);
    builder_.CreateBr(body);
    builder_.SetInsertPoint(body);
    const auto variable = [&](llvm::Value* start) {
      llvm::PHINode* node = builder_.CreatePHI(builder_.getInt64Ty(), 2);
      node->addIncoming(start, before);
      return node;
    };
    llvm::PHINode* k = variable(first);
    std::map<std::int64_t, llvm::PHINode*> moving;
    for (const auto& [step, start] : starts) moved_[step] = moving[step] = variable(start);
    copy_outputs();
    if (job_.chunks.count > 0) add_body(0);
    llvm::BasicBlock* last = builder_.GetInsertBlock();
    for (const auto& [step, node] : moving) node->addIncoming(builder_.CreateAdd(node, builder_.getInt64(step)), last);
    llvm::Value* next = builder_.CreateAdd(k, builder_.getInt64(1));
    k->addIncoming(next, last);
    builder_.CreateCondBr(builder_.CreateICmpSLT(next, end), body, after);
    builder_.SetInsertPoint(after);
    builder_.CreateRetVoid();
  }

  llvm::Function* declare(const std::string& name) {
    if (llvm::Function* known = module_->getFunction(name)) return known;
    llvm::Type* pointer = real_->getPointerTo();
    std::vector<llvm::Type*> arguments(4, pointer);
    if (name == job_.name) arguments.insert(arguments.end(), 2, builder_.getInt64Ty());
    auto* type = llvm::FunctionType::get(builder_.getVoidTy(), arguments, false);
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
        builder_.CreateStore(value, output_place(output->second));
      }
    }
  }

  llvm::Value* place(llvm::Value* array, std::size_t index) {
    return builder_.CreateConstInBoundsGEP1_64(real_, array, index);
  }

  /// From an array that is walked through.
  llvm::Value* place(llvm::Value* array, std::int64_t start, std::int64_t step) {
    llvm::Value* from = step == 0 ? array : builder_.CreateInBoundsGEP(real_, array, moved_.at(step));
    return builder_.CreateInBoundsGEP(real_, from, builder_.getInt64(start));
  }
  llvm::Value* input_place(std::size_t index) {
    const Walk& walk = tape_.walk;
    return walk.empty() ? place(in_, index) : place(in_, walk.from[index], walk.from_step[index]);
  }
  llvm::Value* output_place(std::size_t index) {
    const Walk& walk = tape_.walk;
    return walk.empty() ? place(out_, index) : place(out_, walk.to[index], walk.to_step[index]);
  }

  llvm::Value* read(std::size_t source) {
    if (source >= code_start_ + start_) return values_[source - code_start_ - start_];
    const auto inputs = static_cast<std::size_t>(tape_.inputs);
    const std::size_t constants = inputs + tape_.parameters.size();
    if (source >= constants && source < code_start_) return operations_.number(job_.constants[source - constants]);
    llvm::Value*& value = loaded_[source];
    if (!value) {
      llvm::Value* from = source < inputs      ? input_place(source)
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
  void find_pairs(std::size_t chunk) {
    pairs_.clear();
#ifdef __GLIBC__
    const std::size_t length = job_.chunks.length, end = std::min(tape_.code.size(), (chunk + 1) * length);
    for (std::size_t i = chunk * length; i < end; ++i) {
      const Tape::Instruction& step = tape_.code[i];
      if (step.op == Op::sin) pairs_[step.a].sin = true;
      if (step.op == Op::cos) pairs_[step.a].cos = true;
    }
    std::erase_if(pairs_, [](const auto& entry) { return !(entry.second.sin && entry.second.cos); });
    if (pairs_.empty()) return;
    sine_place_ = builder_.CreateAlloca(real_);
    cosine_place_ = builder_.CreateAlloca(real_);
#else
    static_cast<void>(chunk);
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
  std::map<std::int64_t, llvm::Value*> moved_;  // of a walk: how far the place is from the first one, by the step
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
