// Machine code by LLVM: the tape becomes IR in chunks, groups of chunks are compiled into objects by a few threads, and
// one linker for the whole process puts the objects into memory.

#if ALEMBERT_LLVM

#include "alembert/code/native.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Support/Host.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Utils.h>

#include "alembert/code/code_key.h"
#include "alembert/code/code_store.h"
#include "alembert/code/emit.h"
#include "alembert/code/emit_lanes.h"
#include "alembert/code/kernel.h"
#include "alembert/code/lanes.h"
#include "alembert/expr/piecewise.h"

namespace alembert::internal::detail {
namespace {

constexpr std::size_t chunk_length = 500;  // operations; 250 to 1000 made no clear difference
static_assert(longest_walk <= chunk_length);
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

constexpr char entry_name[] = "kernel";

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

  /// Code: NativeCode or NativeProgram. The objects define entry_name; each piece of code is a library of its own, so
  /// that all can use the same names.
  template <class Code>
  Code link(std::vector<Object> objects) {
    auto library = std::make_shared<Library>(session_, "kernel" + std::to_string(count_++));
    library->held.addToLinkOrder(process_);
    for (Object& object : objects) require(layer_.add(library->held, std::move(object)));
    const auto symbol = take(session_.lookup({&library->held}, session_.intern(entry_name)));
    Code code;
    code.function = llvm::jitTargetAddressToFunction<decltype(code.function)>(symbol.getAddress());
    code.owner = std::move(library);
    return code;
  }

 private:
  /// Frees the code of one kernel.
  struct Library {
    Library(llvm::orc::ExecutionSession& s, const std::string& name) : session(s), held(s.createBareJITDylib(name)) {}
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library() { llvm::consumeError(session.removeJITDylib(held)); }
    llvm::orc::ExecutionSession& session;
    llvm::orc::JITDylib& held;
  };

  static std::unique_ptr<llvm::orc::ExecutorProcessControl> start() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return take(llvm::orc::SelfExecutorProcessControl::Create());
  }

  Linker()
      : session_(start()),
        layer_(session_),
        process_(session_.createBareJITDylib("process")),
        target_(take(llvm::orc::JITTargetMachineBuilder::detectHost())) {
    target_.setRelocationModel(llvm::Reloc::PIC_);
    target_.setCodeModel(llvm::CodeModel::Small);
    target_.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
    session_.setErrorReporter([](llvm::Error e) { llvm::consumeError(std::move(e)); });  // lookup returns it too
    layer_.addPlugin(std::make_unique<GiveBack>());
    process_.addGenerator(take(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess('\0')));
    require(process_.define(llvm::orc::absoluteSymbols(
        {{session_.intern("alembert_piecewise"), llvm::JITEvaluatedSymbol::fromPointer(&alembert_piecewise)}})));
  }

  llvm::orc::ExecutionSession session_;
  llvm::orc::ObjectLinkingLayer layer_;
  llvm::orc::JITDylib& process_;  // functions of the C library, and those of tables
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

/// All chunks as objects, in groups that a few threads take one after the other. Small tapes are one group. Where it is
/// asked whether they are still wanted, this thread works alone, in the shortest groups; none where they are not.
std::vector<Object> compile_all(const EmitJob& job, bool optimise, const Wanted& wanted) {
  const std::size_t count = job.chunks.count;
  if (count < 2 * shortest_group) {
    std::vector<Object> objects;
    objects.push_back(compile_chunks(job, 0, count, optimise));
    return objects;
  }
  const std::size_t threads =
      wanted ? 1 : std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, count / shortest_group);
  const std::size_t largest = wanted ? shortest_group : longest_group;
  const std::size_t groups = std::max(threads, (count + largest - 1) / largest);
  std::vector<Object> objects(groups);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t group; (group = next++) < groups;) {
      if (wanted && !wanted()) return;
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
  if (std::any_of(objects.begin(), objects.end(), [](const Object& object) { return !object; })) objects.clear();
  return objects;
}

/// The compiler and the processor that it compiles for.
const std::string& host() {
  static const std::string description = [] {
    std::string text =
        LLVM_VERSION_STRING " " + llvm::sys::getProcessTriple() + " " + llvm::sys::getHostCPUName().str();
    llvm::StringMap<bool> features;
    llvm::sys::getHostCPUFeatures(features);
    std::vector<std::string> present;
    for (const auto& feature : features)
      if (feature.second) present.push_back(feature.first().str());
    std::sort(present.begin(), present.end());
    for (const std::string& feature : present) text += " " + feature;
    return text;
  }();
  return description;
}

/// No function where it is not there, or is not what this process can link.
template <class Code>
Code stored(const std::string& key) {
  std::optional<StoredCode> found = CodeStore::instance().find(key);
  Code code;
  if (!found) return code;
  std::vector<Object> objects;
  for (const std::string& object : found->objects)
    objects.push_back(llvm::MemoryBuffer::getMemBufferCopy(object, "kernel"));
  try {
    code = Linker::instance().link<Code>(std::move(objects));
  } catch (const std::runtime_error&) { return {}; }
  if constexpr (std::is_same_v<Code, NativeCode>) code.work = found->work;
  return code;
}

void keep(const std::string& key, const std::vector<Object>& objects, std::size_t work) {
  StoredCode code;
  code.work = work;
  for (const Object& object : objects) code.objects.push_back(object->getBuffer().str());
  CodeStore::instance().keep(key, code);
}

/// "" where nothing is stored: making the key costs as well.
template <class... Parts>
std::string key_of(const Parts&... parts) {
  return CodeStore::instance().enabled() ? code_key(host(), parts...) : std::string();
}

}  // namespace

NativeCode stored_native(const Tape& tape, std::span<const double> constants, bool optimise) {
  const std::string key = key_of(tape, constants, optimise);
  return key.empty() ? NativeCode() : stored<NativeCode>(key);
}

NativeCode compile_native(const Tape& tape, std::span<const double> constants, bool optimise, const Wanted& wanted) {
  const std::string key = key_of(tape, constants, optimise);
  if (!key.empty()) {
    NativeCode known = stored<NativeCode>(key);
    if (known.function) return known;
  }
  const Chunks chunks = split(tape, chunk_length);
  const EmitJob job{tape, constants, chunks, entry_name};
  std::vector<Object> objects = compile_all(job, optimise, wanted);
  if (objects.empty()) return {};
  if (!key.empty()) keep(key, objects, chunks.slots);
  NativeCode code = Linker::instance().link<NativeCode>(std::move(objects));
  code.work = chunks.slots;
  return code;
}

NativeProgram compile_program(const Program& program, int width) {
  // Code for several lanes calls libmvec, which this loads.
  const std::string key = width > 1 && !has_vector_functions() ? "" : key_of(program, width);
  if (!key.empty()) {
    NativeProgram known = stored<NativeProgram>(key);
    if (known.function) return known;
  }
  llvm::LLVMContext context;
  const auto machine = Linker::instance().machine(true);
  const auto module = emit_lanes(program, width, entry_name, context);
  llvm::legacy::PassManager passes;
  passes.add(llvm::createPromoteMemoryToRegisterPass());  // variables are written as memory
  passes.add(llvm::createEarlyCSEPass());
  passes.add(llvm::createGVNPass());  // blocks of a step repeat each other
  std::vector<Object> objects;
  objects.push_back(emit_object(*machine, *module, passes, entry_name));
  if (!key.empty()) keep(key, objects, 0);
  return Linker::instance().link<NativeProgram>(std::move(objects));
}

}  // namespace alembert::internal::detail

#endif  // ALEMBERT_LLVM
