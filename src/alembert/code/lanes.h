#pragma once

// Programs as vector code: several runs of one program side by side, each in its lane, one instruction for all. A lane
// whose mask is 0 keeps its values; loops go on until all lanes have left them. What comes out of a lane depends on its
// own values alone.

#include <memory>

#include "alembert/code/program.h"

namespace alembert::internal {

/// Made by LLVM; its functions are usable from any thread, neither allocate nor throw. Copies share the code.
class LaneProgram {
 public:
  LaneProgram() = default;
  /// width: lanes, at most best_lanes(); 1 is scalar code, with the bits of the interpreter. Throws where there is no
  /// compiler.
  LaneProgram(const Program& program, int width);

  int width() const { return width_; }
  /// Runs the program `times` times. Entry i of lane k of the variables stands at [i*width + k], likewise of the table
  /// of parameters; as many variables as are no scratch. Both must be aligned to the width.
  void run(double* variables, const double* parameters, long times) const noexcept {
    function_(variables, parameters, times);
  }

 private:
  int width_ = 0;
  std::shared_ptr<void> code_;
  void (*function_)(double*, const double*, long) = nullptr;
};

/// How many doubles this processor computes with at once: 8 (AVX-512), 4 (AVX2) or 2.
int best_lanes();

/// Functions of vectors (sin, cos, exp, ...) are those of the C library for vectors, libmvec, where it is there: at most
/// 4 ulp, where the scalar ones have 1. Otherwise each lane calls the scalar function.
bool has_vector_functions();

}  // namespace alembert::internal
