#pragma once

// Code that comes later: a kernel begins interpreted, a second thread compiles, and from some call on the machine code
// is what is called. Both give the same bits, so that nothing but the speed depends on when that is.

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "alembert/code/native.h"

namespace alembert::internal::detail {

/// Shared by the copies of a kernel. What nobody holds any more is not compiled.
class LateCode {
 public:
  /// Keeps the owner of the tape and its constants as long as it may need them. patience: calls that are interpreted
  /// before it asks for machine code by itself; optimise: as compile_native.
  LateCode(std::shared_ptr<const void> owner, const Tape& tape, std::span<const double> constants, bool optimise,
           long patience);

  /// Null as long as there is none.
  NativeFunction function() const noexcept { return function_.load(std::memory_order_acquire); }

  /// To be said at each call that is interpreted. Neither throws nor waits for the compiler.
  static void interpreted(const std::shared_ptr<LateCode>& code) noexcept {
    const long left = code->patience_.load(std::memory_order_relaxed) - 1;
    code->patience_.store(left, std::memory_order_relaxed);
    if (left == 0) request(code);
  }
  /// Asks the second thread for machine code; once is enough.
  static void request(const std::shared_ptr<LateCode>& code) noexcept;

  /// This code from now on. The code before it lives on, as somebody may be inside.
  void publish(NativeCode code);

 private:
  friend class CompilerThread;
  /// By the second thread: leaves things as they are where the machine refuses, or wanted() does no longer hold.
  void make(const Wanted& wanted) noexcept;

  std::atomic<NativeFunction> function_{nullptr};
  std::atomic<long> patience_;
  std::atomic<bool> requested_{false};
  std::shared_ptr<const void> tape_owner_;
  const Tape& tape_;
  std::span<const double> constants_;
  bool optimise_;
  std::vector<std::shared_ptr<void>> owners_;  // of machine code
  std::shared_ptr<LateCode> next_;             // in the queue of the second thread
};

/// CPU time that second threads have spent so far compiling, in seconds.
double background_seconds() noexcept;
/// Waits until nothing that was asked for is left to compile. For tests and measurements.
void finish_background();

}  // namespace alembert::internal::detail
