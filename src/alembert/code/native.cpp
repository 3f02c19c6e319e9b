// Machine code by LLVM: the tape becomes IR in chunks, groups of chunks are compiled into objects by a few threads, and
// one linker for the whole process puts the objects into memory.

#if ALEMBERT_LLVM

#include "alembert/code/native.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <llvm/ADT/SmallVector.h>
#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Utils.h>

#include "alembert/code/emit.h"
#include "alembert/code/emit_lanes.h"
#include "alembert/code/kernel.h"

namespace alembert::internal::detail {
namespace {

constexpr std::size_t chunk_length = 500;  // operations; 250 to 1000 made no clear difference
constexpr std::size_t shortest_group = 4;  // chunks; less is not worth a thread
constexpr std::size_t longest_group = 32;  // chunks; bounds the memory that IR and machine code in the making take

[[noreturn]] void fail(llvm::Error error) {
  throw std::runtime_error("native code: " + llvm::toString(std::move(error)));
}
void require(llvm::Error error) {
  if (error) fail(std::move(error));
}
template <class T>
T take(llvm::Expected<T> value) {
  if (!value) fail(value.takeError());
  return std::move(*value);
}

using Object = std::unique_ptr<llvm::MemoryBuffer>;

/// LLVM 14 gives memory back only where an allocation has something to run at its end: so each gets an empty action.
class GiveBack : public llvm::orc::ObjectLinkingLayer::Plugin {
 public:
  void modifyPassConfig(llvm::orc::MaterializationResponsibility&, llvm::jitlink::LinkGraph&,
                        llvm::jitlink::PassConfiguration& passes) override {
    passes.PrePrunePasses.push_back([](llvm::jitlink::LinkGraph& graph) -> llvm::Error {
      const auto address = llvm::orc::ExecutorAddr::fromPtr(&nothing);
      graph.allocActions().push_back({{}, llvm::orc::shared::WrapperFunctionCall(address, {})});
      return llvm::Error::success();
    });
  }
  llvm::Error notifyFailed(llvm::orc::MaterializationResponsibility&) override { return llvm::Error::success(); }
  llvm::Error notifyRemovingResources(llvm::orc::ResourceKey) override { return llvm::Error::success(); }
  void notifyTransferringResources(llvm::orc::ResourceKey, llvm::orc::ResourceKey) override {}

 private:
  static llvm::orc::shared::CWrapperFunctionResult nothing(const char* data, size_t size) {
    using namespace llvm::orc::shared;
    return WrapperFunction<SPSError()>::handle(data, size, [] { return llvm::Error::success(); }).release();
  }
};

/// Links objects into this process; ORC's own locks make it safe for any thread. Never destroyed: kernels in static
/// storage may outlive every other object.
class Linker {
 public:
  static Linker& instance() {
    static Linker* const linker = new Linker;
    return *linker;
  }

  /// Its own copy for each use, so that compilations do not share one.
  std::unique_ptr<llvm::TargetMachine> machine(bool optimise) const {
    llvm::orc::JITTargetMachineBuilder builder = target_;
    builder.setCodeGenOptLevel(optimise ? llvm::CodeGenOpt::Default : llvm::CodeGenOpt::None);
    auto machine = take(builder.createTargetMachine());
    machine->setFastISel(!optimise);
    return machine;
  }

  std::string fresh_name() { return "kernel" + std::to_string(count_++); }

  /// Code: NativeCode or NativeProgram.
  template <class Code>
  Code link(std::vector<Object> objects, const std::string& name) {
    Tracker tracker(library_.createResourceTracker());
    for (Object& object : objects) require(layer_.add(tracker.held, std::move(object)));
    const auto symbol = take(session_.lookup({&library_}, session_.intern(name)));
    Code code;
    code.function = llvm::jitTargetAddressToFunction<decltype(code.function)>(symbol.getAddress());
    code.owner = std::make_shared<Tracker>(std::move(tracker));
    return code;
  }

 private:
  /// Frees the code of one kernel.
  struct Tracker {
    explicit Tracker(llvm::orc::ResourceTrackerSP t) : held(std::move(t)) {}
    Tracker(Tracker&&) = default;
    ~Tracker() {
      if (held) llvm::consumeError(held->remove());
    }
    llvm::orc::ResourceTrackerSP held;
  };

  static std::unique_ptr<llvm::orc::ExecutorProcessControl> start() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return take(llvm::orc::SelfExecutorProcessControl::Create());
  }

  Linker()
      : session_(start()),
        layer_(session_),
        library_(session_.createBareJITDylib("kernels")),
        target_(take(llvm::orc::JITTargetMachineBuilder::detectHost())) {
    target_.setRelocationModel(llvm::Reloc::PIC_);
    target_.setCodeModel(llvm::CodeModel::Small);
    target_.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
    session_.setErrorReporter([](llvm::Error e) { llvm::consumeError(std::move(e)); });  // lookup returns it too
    layer_.addPlugin(std::make_unique<GiveBack>());
    library_.addGenerator(take(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess('\0')));
  }

  llvm::orc::ExecutionSession session_;
  llvm::orc::ObjectLinkingLayer layer_;
  llvm::orc::JITDylib& library_;
  llvm::orc::JITTargetMachineBuilder target_;
  std::atomic<std::uint64_t> count_{0};
};

/// passes: those over the IR that come first.
Object emit_object(llvm::TargetMachine& machine, llvm::Module& module, llvm::legacy::PassManager& passes,
                   const std::string& name) {
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple().str());
  llvm::SmallVector<char, 0> bytes;
  {
    llvm::raw_svector_ostream stream(bytes);
    llvm::MCContext* unused = nullptr;
    if (machine.addPassesToEmitMC(passes, unused, stream)) throw std::runtime_error("native code: no object emitter");
    passes.run(module);
  }
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes), name, false);
}

/// No passes over the IR: the graph shares equal nodes and folds constants already, so the whole O2 pipeline gains less
/// than 4 % at run time (best of eight, 300 to 30,000 operations) and makes compiling up to
/// 60 % slower. Instruction selection, scheduling and register allocation are what pays.
Object compile_chunks(const EmitJob& job, std::size_t first, std::size_t last, bool optimise) {
  llvm::LLVMContext context;
  const auto machine = Linker::instance().machine(optimise);
  const auto module = emit(job, first, last, context);
  llvm::legacy::PassManager passes;
  return emit_object(*machine, *module, passes, job.name);
}

/// All chunks as objects, in groups that a few threads take one after the other. Small tapes are one group.
std::vector<Object> compile_all(const EmitJob& job, bool optimise) {
  const std::size_t count = job.chunks.count;
  if (count < 2 * shortest_group) {
    std::vector<Object> objects;
    objects.push_back(compile_chunks(job, 0, count, optimise));
    return objects;
  }
  const std::size_t threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, count / shortest_group);
  const std::size_t groups = std::max(threads, (count + longest_group - 1) / longest_group);
  std::vector<Object> objects(groups);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t group; (group = next++) < groups;) {
      objects[group] = compile_chunks(job, count * group / groups, count * (group + 1) / groups, optimise);
    }
  };
  std::vector<std::future<void>> helpers;
  for (std::size_t i = 1; i < threads; ++i) {
    try {
      helpers.push_back(std::async(std::launch::async, work));
    } catch (const std::system_error&) {
      break;  // no more threads to be had: those that run do the rest
    }
  }
  work();
  for (std::future<void>& helper : helpers) helper.get();
  return objects;
}

}  // namespace

NativeCode compile_native(const Tape& tape, std::span<const double> constants, bool optimise) {
  Linker& linker = Linker::instance();
  const Chunks chunks = split(tape, chunk_length);
  const EmitJob job{tape, constants, chunks, linker.fresh_name()};
  NativeCode code = linker.link<NativeCode>(compile_all(job, optimise), job.name);
  code.work = chunks.slots;
  return code;
}

NativeProgram compile_program(const Program& program, int width) {
  Linker& linker = Linker::instance();
  const std::string name = linker.fresh_name();
  llvm::LLVMContext context;
  const auto machine = linker.machine(true);
  const auto module = emit_lanes(program, width, name, context);
  llvm::legacy::PassManager passes;
  passes.add(llvm::createPromoteMemoryToRegisterPass());  // variables are written as memory
  passes.add(llvm::createEarlyCSEPass());
  passes.add(llvm::createGVNPass());  // blocks of a step repeat each other
  std::vector<Object> objects;
  objects.push_back(emit_object(*machine, *module, passes, name));
  return linker.link<NativeProgram>(std::move(objects), name);
}

}  // namespace alembert::internal::detail

#endif  // ALEMBERT_LLVM
