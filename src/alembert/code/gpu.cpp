#include "alembert/code/gpu.h"

#include <dlfcn.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "alembert/code/c_source.h"

namespace alembert::internal {

namespace {

// The few functions of the driver and of NVRTC that are used, as their documentation declares them.
using Status = int;  // 0: success
using Device = int;
using Context = void*;
using Module = void*;
using Function = void*;
using Memory = std::uint64_t;
using Compiler = void*;

// Attributes of a device in the driver's interface.
constexpr int major_version = 75, minor_version = 76;
// What of the free memory is taken: others may need some.
constexpr double share_of_memory = 0.8;

class Library {
 public:
  explicit Library(std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (!handle_) handle_ = dlopen(name, RTLD_NOW);
  }
  bool found() const { return handle_ != nullptr; }
  /// Null where there is none.
  template <class F>
  void find(F*& function, const char* name) {
    function = handle_ ? reinterpret_cast<F*>(dlsym(handle_, name)) : nullptr;
    complete_ = complete_ && function;
  }
  bool complete() const { return found() && complete_; }

 private:
  void* handle_ = nullptr;  // stays loaded
  bool complete_ = true;
};

struct Driver {
  Library library{"libcuda.so.1"};
  Status (*init)(unsigned);
  Status (*device_count)(int*);
  Status (*device)(Device*, int);
  Status (*device_name)(char*, int, Device);
  Status (*attribute)(int*, int, Device);
  Status (*retain)(Context*, Device);
  Status (*make_current)(Context);
  Status (*load)(Module*, const void*);
  Status (*unload)(Module);
  Status (*function)(Function*, Module, const char*);
  Status (*allocate)(Memory*, std::size_t);
  Status (*free)(Memory);
  Status (*to_device)(Memory, const void*, std::size_t);
  Status (*from_device)(void*, Memory, std::size_t);
  Status (*memory)(std::size_t*, std::size_t*);
  Status (*launch)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                   void**);
  Status (*synchronize)();
  Status (*error_text)(Status, const char**);

  Driver() {
    library.find(init, "cuInit");
    library.find(device_count, "cuDeviceGetCount");
    library.find(device, "cuDeviceGet");
    library.find(device_name, "cuDeviceGetName");
    library.find(attribute, "cuDeviceGetAttribute");
    library.find(retain, "cuDevicePrimaryCtxRetain");
    library.find(make_current, "cuCtxSetCurrent");
    library.find(load, "cuModuleLoadData");
    library.find(unload, "cuModuleUnload");
    library.find(function, "cuModuleGetFunction");
    library.find(allocate, "cuMemAlloc_v2");
    library.find(free, "cuMemFree_v2");
    library.find(to_device, "cuMemcpyHtoD_v2");
    library.find(from_device, "cuMemcpyDtoH_v2");
    library.find(memory, "cuMemGetInfo_v2");
    library.find(launch, "cuLaunchKernel");
    library.find(synchronize, "cuCtxSynchronize");
    library.find(error_text, "cuGetErrorString");
  }
  void require(Status status, const char* doing) const {
    if (status == 0) return;
    const char* words = nullptr;
    error_text(status, &words);
    throw std::runtime_error(std::string("GPU: ") + doing + ": " + (words ? words : "error " + std::to_string(status)));
  }
};

struct RuntimeCompiler {
  Library library{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  Status (*create)(Compiler*, const char*, const char*, int, const char* const*, const char* const*);
  Status (*compile)(Compiler, int, const char* const*);
  Status (*destroy)(Compiler*);
  Status (*log_size)(Compiler, std::size_t*);
  Status (*log)(Compiler, char*);
  Status (*code_size)(Compiler, std::size_t*);
  Status (*code)(Compiler, char*);

  RuntimeCompiler() {
    library.find(create, "nvrtcCreateProgram");
    library.find(compile, "nvrtcCompileProgram");
    library.find(destroy, "nvrtcDestroyProgram");
    library.find(log_size, "nvrtcGetProgramLogSize");
    library.find(log, "nvrtcGetProgramLog");
    library.find(code_size, "nvrtcGetCUBINSize");
    library.find(code, "nvrtcGetCUBIN");
  }
};

const Driver& driver() {
  static const Driver instance;
  return instance;
}
const RuntimeCompiler& compiler() {
  static const RuntimeCompiler instance;
  return instance;
}

/// Machine code for a device of this version.
std::vector<char> compiled(const std::string& source, const std::string& version) {
  const RuntimeCompiler& nvrtc = compiler();
  Compiler program = nullptr;
  if (nvrtc.create(&program, source.c_str(), "step.cu", 0, nullptr, nullptr) != 0)
    throw std::runtime_error("GPU: NVRTC takes no program");
  const std::string architecture = "-arch=sm_" + version;
  const std::array<const char*, 1> options{architecture.c_str()};
  const Status status = nvrtc.compile(program, static_cast<int>(options.size()), options.data());
  std::vector<char> code;
  std::string log;
  std::size_t size = 0;
  if (status == 0 && nvrtc.code_size(program, &size) == 0) {
    code.resize(size);
    nvrtc.code(program, code.data());
  } else if (nvrtc.log_size(program, &size) == 0) {
    log.resize(size);
    nvrtc.log(program, log.data());
  }
  nvrtc.destroy(&program);
  if (code.empty()) throw std::runtime_error("GPU: NVRTC does not compile the step: " + log.substr(0, 500));
  return code;
}

}  // namespace

std::string why_no_gpu() {
  if (!driver().library.complete()) return "no driver for NVIDIA GPUs is installed (libcuda.so.1)";
  int count = 0;
  if (driver().init(0) != 0 || driver().device_count(&count) != 0 || count == 0)
    return "the driver finds no NVIDIA GPU";
  if (!compiler().library.complete()) return "the compiler for GPUs is not installed (NVRTC: libnvrtc.so.13 or .12)";
  return "";
}

std::string gpu_name() {
  std::array<char, 256> name{};
  Device device = 0;
  if (!why_no_gpu().empty() || driver().device(&device, 0) != 0) return "";
  driver().device_name(name.data(), static_cast<int>(name.size()), device);
  return name.data();
}

struct GpuProgram::Body {
  Context context = nullptr;
  Module module = nullptr;
  Function function = nullptr;
  int variables = 0, parameters = 0;

  std::size_t bytes_of_run() const { return sizeof(double) * static_cast<std::size_t>(variables + parameters); }
};

GpuProgram::GpuProgram(const Program& program, int left, int status)
    : GpuProgram(cuda_source(program, left, status), program.scratch, program.parameters) {}

GpuProgram::GpuProgram(const std::string& source, int variables, int parameters) : body_(std::make_unique<Body>()) {
  if (const std::string why = why_no_gpu(); !why.empty()) throw std::runtime_error("GPU: " + why);
  const Driver& gpu = driver();
  Device device = 0;
  int major = 0, minor = 0;
  gpu.require(gpu.device(&device, 0), "the first device");
  gpu.require(gpu.attribute(&major, major_version, device), "its version");
  gpu.require(gpu.attribute(&minor, minor_version, device), "its version");
  gpu.require(gpu.retain(&body_->context, device), "its context");
  gpu.require(gpu.make_current(body_->context), "its context");
  const std::vector<char> code = compiled(source, std::to_string(major) + std::to_string(minor));
  gpu.require(gpu.load(&body_->module, code.data()), "loading the step");
  gpu.require(gpu.function(&body_->function, body_->module, "run"), "loading the step");
  body_->variables = variables;
  body_->parameters = parameters;
}

GpuProgram::~GpuProgram() {
  if (!body_ || !body_->module) return;
  driver().make_current(body_->context);
  driver().unload(body_->module);
}
GpuProgram::GpuProgram(GpuProgram&&) noexcept = default;
GpuProgram& GpuProgram::operator=(GpuProgram&&) noexcept = default;

std::size_t GpuProgram::most_runs() const {
  const Driver& gpu = driver();
  std::size_t free = 0, total = 0;
  gpu.require(gpu.make_current(body_->context), "its context");
  gpu.require(gpu.memory(&free, &total), "its memory");
  return static_cast<std::size_t>(share_of_memory * static_cast<double>(free)) / body_->bytes_of_run();
}

double GpuProgram::run(double* variables, const double* parameters, std::size_t count, long times) {
  const Driver& gpu = driver();
  gpu.require(gpu.make_current(body_->context), "its context");
  struct Held {
    Memory place = 0;
    ~Held() {
      if (place) driver().free(place);
    }
  } all, table;
  const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(body_->variables) * count;
  const std::size_t table_bytes = sizeof(double) * static_cast<std::size_t>(body_->parameters) * count;
  gpu.require(gpu.allocate(&all.place, bytes), "memory for the members");
  gpu.require(gpu.allocate(&table.place, table_bytes + sizeof(double)), "memory for the parameters");
  gpu.require(gpu.to_device(all.place, variables, bytes), "sending the members");
  if (table_bytes > 0) gpu.require(gpu.to_device(table.place, parameters, table_bytes), "sending the parameters");
  auto runs = static_cast<std::int64_t>(count), steps = static_cast<std::int64_t>(times);
  std::array<void*, 4> arguments{&all.place, &table.place, &runs, &steps};
  const auto blocks = static_cast<unsigned>((count + cuda_threads - 1) / cuda_threads);
  const auto begin = std::chrono::steady_clock::now();
  gpu.require(gpu.launch(body_->function, blocks, 1, 1, cuda_threads, 1, 1, 0, nullptr, arguments.data(), nullptr),
              "starting the steps");
  gpu.require(gpu.synchronize(), "making the steps");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  gpu.require(gpu.from_device(variables, all.place, bytes), "fetching the members");
  return seconds;
}

}  // namespace alembert::internal
