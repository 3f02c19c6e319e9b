#pragma once

// Functions compiled for several kinds of processor, the best of which is taken when the program starts. Every number
// is rounded by itself on all of them, so that the bits are the same. Sanitizers do not know such functions.

#include <cstddef>

#ifdef __x86_64__
#ifdef __GLIBC__
#ifndef __clang__
#ifndef __SANITIZE_ADDRESS__
#ifndef __SANITIZE_THREAD__
#define ALEMBERT_BEST_PROCESSOR __attribute__((target_clones("avx2", "default")))
#endif
#endif
#endif
#endif
#endif

#ifndef ALEMBERT_BEST_PROCESSOR
#define ALEMBERT_BEST_PROCESSOR
#endif

namespace alembert::internal {

/// Numbers that one instruction works on: two registers of SSE2, or one of AVX.
inline constexpr int pack_width = 4;
typedef double DoublePack __attribute__((vector_size(8 * pack_width), aligned(8), may_alias));

}  // namespace alembert::internal
