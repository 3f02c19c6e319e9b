// The program that libFuzzer makes: ALEMBERT_FUZZ names the target. Built by tools/fuzz.sh only.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace alembert::internal::fuzz;
  static const Target* const chosen = [] {
    const char* name = std::getenv("ALEMBERT_FUZZ");
    for (const Target& target : targets())
      if (name && std::strcmp(target.name, name) == 0) return &target;
    std::fputs("ALEMBERT_FUZZ must name a target\n", stderr);
    std::exit(2);
  }();
  chosen->read({reinterpret_cast<const char*>(data), size});
  return 0;
}
