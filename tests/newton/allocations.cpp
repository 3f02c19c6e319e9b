#include "newton/allocations.h"

#include <cstddef>
#include <cstdlib>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ALEMBERT_COUNT_ALLOCATIONS 1
#else
#define ALEMBERT_COUNT_ALLOCATIONS 0
#endif

namespace {
thread_local long count = 0;
}

#if ALEMBERT_COUNT_ALLOCATIONS
// In front of glibc's own, so that C libraries are counted too. Weak: another counter in the same program may win.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);

[[gnu::weak]] void* malloc(std::size_t bytes) noexcept {
  ++count;
  return __libc_malloc(bytes);
}
[[gnu::weak]] void* calloc(std::size_t n, std::size_t bytes) noexcept {
  ++count;
  return __libc_calloc(n, bytes);
}
[[gnu::weak]] void* realloc(void* memory, std::size_t bytes) noexcept {
  ++count;
  return __libc_realloc(memory, bytes);
}
}
#endif

namespace alembert::internal::tests {

long allocations() { return count; }

bool allocations_are_counted() {
  const long before = count;
  void* volatile memory = std::malloc(1);
  std::free(memory);
  return count > before;
}

}  // namespace alembert::internal::tests
