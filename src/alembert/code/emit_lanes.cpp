#if ALEMBERT_LLVM

#include "alembert/code/emit_lanes.h"

#include <vector>

#include <llvm/IR/IRBuilder.h>

#include "alembert/code/emit_operations.h"

namespace alembert::internal {

namespace detail {
namespace {

class LaneEmitter {
 public:
  LaneEmitter(const Program& program, int width, const std::string& name, llvm::LLVMContext& context)
      : program_(program),
        width_(width),
        module_(std::make_unique<llvm::Module>(name, context)),
        builder_(context),
        operations_(*module_, builder_, width),
        scalar_(builder_.getDoubleTy()),
        real_(operations_.type()),
        bit_(width == 1 ? static_cast<llvm::Type*>(builder_.getInt1Ty())
                        : llvm::FixedVectorType::get(builder_.getInt1Ty(), width)) {}

  void add(const std::string& name) {
    llvm::Type* const pointer = scalar_->getPointerTo();
    auto* type = llvm::FunctionType::get(builder_.getVoidTy(), {pointer, pointer, builder_.getInt64Ty()}, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, *module_);
    function_->setDoesNotThrow();
    function_->addParamAttr(0, llvm::Attribute::NoAlias);
    function_->addParamAttr(1, llvm::Attribute::NoAlias);
    function_->addParamAttr(1, llvm::Attribute::ReadOnly);
    // Tuning for some processors would else split wide vectors.
    const std::string bits = std::to_string(64 * width_);
    function_->addFnAttr("prefer-vector-width", bits);
    function_->addFnAttr("min-legal-vector-width", bits);
    // Spilled registers would else lie across two lines of the cache: 8 lanes of a step with 22 unknowns took 1.25
    // times as long.
    if (width_ > 1) function_->addFnAttr(llvm::Attribute::getWithStackAlignment(builder_.getContext(), alignment()));
    auto* const entry = new_block("");
    auto* const body = new_block("step");
    auto* const end = new_block("end");
    builder_.SetInsertPoint(entry);
    parameters_ = function_->getArg(1);
    make_variables();
    for (int i = 0; i < program_.variables; ++i) {
      if (in_memory(i)) continue;
      llvm::Value* const first = i < program_.scratch ? load(function_->getArg(0), i) : number(0);
      builder_.CreateStore(first, variables_[i]);
    }
    llvm::Value* const any = builder_.CreateICmpSGT(function_->getArg(2), builder_.getInt64(0));
    builder_.CreateCondBr(any, body, end);
    builder_.SetInsertPoint(body);
    llvm::PHINode* const left = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    left->addIncoming(function_->getArg(2), entry);
    add(program_.statements);
    llvm::Value* const next = builder_.CreateSub(left, builder_.getInt64(1));
    left->addIncoming(next, builder_.GetInsertBlock());
    builder_.CreateCondBr(builder_.CreateICmpSGT(next, builder_.getInt64(0)), body, end);
    builder_.SetInsertPoint(end);
    for (int i = 0; i < program_.scratch; ++i)
      if (!in_memory(i)) builder_.CreateAlignedStore(read(i), vector_at(function_->getArg(0), i), alignment());
    builder_.CreateRetVoid();
  }

  std::unique_ptr<llvm::Module> finish() { return std::move(module_); }

 private:
  bool in_memory(int variable) const {
    return width_ == 1 && static_cast<std::size_t>(variable) < program_.in_memory.size() &&
           program_.in_memory[variable];
  }
  /// Where variables stand: single ones become registers later.
  void make_variables() {
    int inside = 0;
    for (int i = program_.scratch; i < program_.variables; ++i) inside += in_memory(i) ? 1 : 0;
    llvm::Value* const scratch = inside > 0 ? builder_.CreateAlloca(scalar_, builder_.getInt32(inside)) : nullptr;
    std::uint64_t next = 0;
    for (int i = 0; i < program_.variables; ++i) {
      if (!in_memory(i)) variables_.push_back(builder_.CreateAlloca(real_));
      else if (i < program_.scratch) variables_.push_back(vector_at(function_->getArg(0), i));
      else variables_.push_back(builder_.CreateConstInBoundsGEP1_64(scalar_, scratch, next++));
    }
  }

  llvm::BasicBlock* new_block(const char* name) {
    return llvm::BasicBlock::Create(builder_.getContext(), name, function_);
  }
  llvm::Align alignment() const { return llvm::Align(8UL * static_cast<unsigned>(width_)); }
  llvm::Value* vector_at(llvm::Value* array, std::size_t index) {
    llvm::Value* const place = builder_.CreateConstInBoundsGEP1_64(scalar_, array, index * width_);
    return builder_.CreateBitCast(place, real_->getPointerTo());
  }
  llvm::Value* load(llvm::Value* array, std::size_t index) {
    return builder_.CreateAlignedLoad(real_, vector_at(array, index), alignment());
  }
  llvm::Value* read(int variable) { return builder_.CreateLoad(real_, variables_[variable]); }
  llvm::Constant* number(double value) { return operations_.number(value); }
  llvm::Constant* truth(bool value) { return llvm::ConstantInt::get(bit_, value ? 1 : 0); }
  llvm::Value* any(llvm::Value* bits) {
    if (width_ == 1) return bits;
    llvm::Type* const whole = builder_.getIntNTy(static_cast<unsigned>(width_));
    return builder_.CreateICmpNE(builder_.CreateBitCast(bits, whole), llvm::ConstantInt::get(whole, 0));
  }

  void add(const std::vector<Program::Statement>& statements) {
    for (const Program::Statement& statement : statements) {
      if (statement.repeat < 0) add(statement.block);
      else add_loop(statement);
    }
  }

  void add_loop(const Program::Statement& statement) {
    auto* const test = new_block("test");
    auto* const body = new_block("body");
    auto* const behind = new_block("behind");
    builder_.CreateBr(test);
    builder_.SetInsertPoint(test);
    builder_.CreateCondBr(any(operations_.is_set(read(statement.repeat))), body, behind);
    builder_.SetInsertPoint(body);
    add(statement.body);
    builder_.CreateBr(test);
    builder_.SetInsertPoint(behind);
  }

  void add(const Program::Block& block) {
    if (block.to.empty()) return;
    tape_ = &program_.tapes[block.tape];
    block_ = &block;
    llvm::Value* mask = nullptr;
    llvm::BasicBlock* behind = nullptr;
    if (block.mask >= 0) {
      mask = operations_.is_set(read(block.mask));
      auto* const body = new_block("masked");
      behind = new_block("behind");
      builder_.CreateCondBr(any(mask), body, behind);
      builder_.SetInsertPoint(body);
    }
    values_.assign(tape_->registers(), nullptr);
    bits_.assign(tape_->registers(), nullptr);
    for (std::size_t i = 0; i < tape_->code.size(); ++i) add(i);
    std::vector<llvm::Value*> outputs;
    for (const std::uint32_t source : tape_->outputs) outputs.push_back(value(source));
    for (std::size_t i = 0; i < block.to.size(); ++i) {
      llvm::Value* out = outputs[i];
      const bool selected = mask && width_ > 1 && static_cast<int>(i) < block.kept;
      if (selected) out = builder_.CreateSelect(mask, out, read(block.to[i]));
      builder_.CreateStore(out, variables_[block.to[i]]);
    }
    if (!behind) return;
    builder_.CreateBr(behind);
    builder_.SetInsertPoint(behind);
  }

  /// Conditions stay bits as long as nobody asks for them as numbers.
  void add(std::size_t i) {
    const Tape::Instruction& step = tape_->code[i];
    const std::size_t target = tape_->first_result() + i;
    const bool one_minus = step.op == Op::subtract && is_constant(step.a, 1) && bit(step.b);
    if (step.op == Op::positive) bits_[target] = builder_.CreateFCmpOGT(value(step.a), number(0));
    else if (one_minus) bits_[target] = builder_.CreateNot(bit(step.b));
    else if (step.op == Op::multiply && bit(step.a) && bit(step.b))
      bits_[target] = builder_.CreateAnd(bit(step.a), bit(step.b));
    else if (step.op == Op::max && bit(step.a) && bit(step.b))
      bits_[target] = builder_.CreateOr(bit(step.a), bit(step.b));
    else if (step.op == Op::where && bit(step.a))
      values_[target] = builder_.CreateSelect(bit(step.a), value(step.b), number(0));
    else
      values_[target] = operations_.compute(step.op, value(step.a), step.b == step.a ? value(step.a) : value(step.b));
  }

  bool is_constant(std::uint32_t source, double wanted) const {
    const std::size_t constants = tape_->inputs + tape_->parameters.size();
    return source >= constants && source < tape_->first_result() &&
           static_cast<double>(tape_->constants[source - constants]) == wanted;
  }
  llvm::Value* bit(std::uint32_t source) {
    if (is_constant(source, 0)) return truth(false);
    if (is_constant(source, 1)) return truth(true);
    return bits_[source];
  }
  llvm::Value* value(std::uint32_t source) {
    llvm::Value*& known = values_[source];
    if (known) return known;
    const auto inputs = static_cast<std::uint32_t>(tape_->inputs);
    const auto constants = static_cast<std::uint32_t>(inputs + tape_->parameters.size());
    if (source < inputs) known = read(block_->from[source]);
    else if (source < constants) known = load(parameters_, tape_->parameters[source - inputs]);
    else if (source < tape_->first_result()) known = number(static_cast<double>(tape_->constants[source - constants]));
    else known = builder_.CreateSelect(bits_[source], number(1), number(0));
    return known;
  }

  const Program& program_;
  int width_;
  std::unique_ptr<llvm::Module> module_;
  llvm::IRBuilder<> builder_;
  OperationEmitter operations_;
  llvm::Type *scalar_, *real_, *bit_;
  llvm::Function* function_ = nullptr;
  llvm::Value* parameters_ = nullptr;
  std::vector<llvm::Value*> variables_;
  // of the block being written
  const Program::Block* block_ = nullptr;
  const Tape* tape_ = nullptr;
  std::vector<llvm::Value*> values_, bits_;
};

}  // namespace

std::unique_ptr<llvm::Module> emit_lanes(const Program& program, int width, const std::string& name,
                                         llvm::LLVMContext& context) {
  LaneEmitter emitter(program, width, name, context);
  emitter.add(name);
  return emitter.finish();
}

}  // namespace detail
}  // namespace alembert::internal

#endif  // ALEMBERT_LLVM
