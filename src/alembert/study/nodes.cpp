#include "alembert/study/nodes.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "alembert/error.h"

namespace alembert::internal {

namespace {

// The binary interface of Open MPI, the same from version 1.3 to 5: handles are addresses of symbols in the library,
// and a status begins with these fields.
struct MpiStatus {
  int source = 0, tag = 0, error = 0, cancelled = 0;
  std::size_t count = 0;
};
// As mpi.h of Open MPI has them.
constexpr int any_source = -1, any_tag = -1;
constexpr int thread_serialized = 2;

/// A library that is there for as long as the program runs: MPI does not like to be unloaded.
class MpiLibrary {
 public:
  MpiLibrary() {
    for (const char* name : {"libmpi.so.40", "libmpi.so"}) {
      // Its own plugins look for its symbols.
      library_ = ::dlopen(name, RTLD_NOW | RTLD_GLOBAL);
      if (library_) return;
    }
    throw InputError("mpirun started several processes, but the library of Open MPI cannot be loaded",
                     "on Debian: apt install openmpi-bin");
  }
  void* symbol(const char* name) const {
    void* found = ::dlsym(library_, name);
    if (!found)
      throw InputError(std::string("the MPI library is not Open MPI: it has no ") + name,
                       "on Debian: apt install openmpi-bin, and mpirun.openmpi");
    return found;
  }
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* library_ = nullptr;
};

void require_success(int result, const char* what) {
  if (result != 0) throw InputError(std::string("MPI failed in ") + what);
}

class MpiNodes final : public Nodes {
 public:
  MpiNodes()
      : world_(library_.symbol("ompi_mpi_comm_world")),
        byte_(library_.symbol("ompi_mpi_byte")),
        send_(library_.function<int(const void*, int, void*, int, int, void*)>("MPI_Send")),
        receive_(library_.function<int(void*, int, void*, int, int, void*, MpiStatus*)>("MPI_Recv")),
        probe_(library_.function<int(int, int, void*, MpiStatus*)>("MPI_Probe")),
        poll_(library_.function<int(int, int, void*, int*, MpiStatus*)>("MPI_Iprobe")),
        count_(library_.function<int(const MpiStatus*, void*, int*)>("MPI_Get_count")),
        finish_(library_.function<int()>("MPI_Finalize")) {
    int provided = 0;
    require_success(library_.function<int(int*, char***, int, int*)>("MPI_Init_thread")(nullptr, nullptr,
                                                                                        thread_serialized, &provided),
                    "MPI_Init_thread");
    if (provided < thread_serialized) throw InputError("this MPI was built without threads");
    require_success(library_.function<int(void*, int*)>("MPI_Comm_rank")(world_, &rank_), "MPI_Comm_rank");
    require_success(library_.function<int(void*, int*)>("MPI_Comm_size")(world_, &size_), "MPI_Comm_size");
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, const std::vector<std::byte>& bytes) override {
    require_success(send_(bytes.data(), static_cast<int>(bytes.size()), byte_, to, 0, world_), "MPI_Send");
  }

  std::vector<std::byte> receive(int from) override {
    MpiStatus status;
    require_success(probe_(from, any_tag, world_, &status), "MPI_Probe");
    return take(status);
  }

  std::optional<std::pair<int, std::vector<std::byte>>> poll() override {
    MpiStatus status;
    int there = 0;
    require_success(poll_(any_source, any_tag, world_, &there, &status), "MPI_Iprobe");
    if (!there) return {};
    std::vector<std::byte> bytes = take(status);
    return std::pair{status.source, std::move(bytes)};
  }

  void finish() override { finish_(); }

 private:
  std::vector<std::byte> take(const MpiStatus& from) {
    int count = 0;
    require_success(count_(&from, byte_, &count), "MPI_Get_count");
    std::vector<std::byte> bytes(static_cast<std::size_t>(count));
    MpiStatus status;
    require_success(receive_(bytes.data(), count, byte_, from.source, from.tag, world_, &status), "MPI_Recv");
    return bytes;
  }

  MpiLibrary library_;
  void *world_, *byte_;
  int (*send_)(const void*, int, void*, int, int, void*);
  int (*receive_)(void*, int, void*, int, int, void*, MpiStatus*);
  int (*probe_)(int, int, void*, MpiStatus*);
  int (*poll_)(int, int, void*, int*, MpiStatus*);
  int (*count_)(const MpiStatus*, void*, int*);
  int (*finish_)();
  int rank_ = 0, size_ = 1;
};

/// What a starter of processes says in the environment; 1 where it says nothing.
int processes_by(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : 1;
}

}  // namespace

std::unique_ptr<Nodes> find_nodes() {
  if (processes_by("OMPI_COMM_WORLD_SIZE") > 1) return std::make_unique<MpiNodes>();
  if (processes_by("PMI_SIZE") > 1)
    throw InputError("several processes were started, but not by Open MPI: each would make the whole study",
                     "use the mpirun of Open MPI; on Debian: apt install openmpi-bin");
  return nullptr;
}

}  // namespace alembert::internal
