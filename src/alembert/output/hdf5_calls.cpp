#include "alembert/output/hdf5_calls.h"

#include <dlfcn.h>

#include <string>

#include "alembert/error.h"
#include "alembert/hdf5_library.h"

namespace alembert::internal {

namespace {

/// As dlsym takes it. A library that the process has already is the one.
void* hdf5_library() {
  if (dlsym(RTLD_DEFAULT, "H5get_libversion")) return RTLD_DEFAULT;
  for (const char* name : {hdf5_library_name, hdf5_library_path})
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  throw InputError(std::string("HDF5 cannot be loaded: ") + dlerror(), "install libhdf5, or choose another format");
}

Hdf5Calls load_hdf5() {
  void* const library = hdf5_library();
  Hdf5Calls calls{};
  const char* const missing = calls.load([&](const char* name) { return dlsym(library, name); });
  if (missing) throw InputError(std::string("the library of HDF5 lacks ") + missing);
  // All is closed where it was opened. What a full disk leaves open cannot be: HDF5 would try for ever at exit, and say
  // so. Before any other call; not where others in the process use the library too.
  if (library != RTLD_DEFAULT) calls.leave_at_exit();
  unsigned major = 0, minor = 0, release = 0;
  calls.version(&major, &minor, &release);
  if (major != H5_VERS_MAJOR || minor != H5_VERS_MINOR) {
    const auto numbers = [](unsigned a, unsigned b) { return std::to_string(a) + "." + std::to_string(b); };
    throw InputError("the library of HDF5 is " + numbers(major, minor) + ", this program was built for " +
                     numbers(H5_VERS_MAJOR, H5_VERS_MINOR));
  }
  return calls;
}

}  // namespace

const Hdf5Calls& hdf5_calls() {
  static const Hdf5Calls calls = load_hdf5();
  return calls;
}

}  // namespace alembert::internal
