#pragma once

// The border between kernels and the compiler. Nothing here names LLVM; without it (ALEMBERT_LLVM not 1)
// compile_native throws and native_available() says so.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "alembert/numerics.h"

namespace alembert::internal {

struct Program;
struct Tape;

namespace detail {

struct NativeProgram {
  std::shared_ptr<void> owner;
  void (*function)(double* variables, const double* parameters, long times) = nullptr;
};
/// Machine code of a program for so many lanes (lanes.h). Throws std::runtime_error as compile_native.
NativeProgram compile_program(const Program& program, int width);

/// Of a tape with a walk: its places first <= k < end; of others these are not looked at.
using NativeFunction = void (*)(const double* in, double* out, double* work, const double* parameters,
                                std::int64_t first, std::int64_t end);

struct NativeCode {
  std::shared_ptr<void> owner;  // the machine code is freed when the last copy dies
  NativeFunction function = nullptr;
  std::size_t work = 0;
};

/// Asked now and then while compiling: false gives up.
using Wanted = std::function<bool()>;

/// Machine code of a checked tape; constants are those of the tape in double. Any thread may call it at any time.
/// Taken from the store of compiled code (code_store.h) where it is there, else put into it. wanted: this thread
/// compiles alone and asks often; no function where it gave up. Throws std::runtime_error when the machine refuses (no
/// executable memory, say).
NativeCode compile_native(const Tape& tape, std::span<const double> constants, bool optimise,
                          const Wanted& wanted = nullptr);
/// From the store alone: no function where it is not there.
NativeCode stored_native(const Tape& tape, std::span<const double> constants, bool optimise);

class LateCode;
/// How a kernel is called: by machine code, or interpreted until there is some, or interpreted (neither).
struct KernelCode {
  NativeCode now;
  std::shared_ptr<LateCode> later;
};
/// As the options ask. owner keeps the tape and its constants alive.
KernelCode make_code(std::shared_ptr<const void> owner, const Tape& tape, std::span<const double> constants,
                     const KernelOptions& options);

/// Throws std::logic_error when an instruction reads a register not computed before it, or an output is no register.
void check_tape(const Tape& tape);
/// For scalars other than double: throws where the options insist.
void refuse_native(const KernelOptions& options);

}  // namespace detail
}  // namespace alembert::internal
