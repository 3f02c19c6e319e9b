#pragma once

// Programs on a GPU: CUDA text, compiled at run time by NVRTC for the device that is there. Both libraries are looked
// for at run time: nothing of CUDA is needed to build, and where they or a device are missing, why() says so.

#include <cstddef>
#include <memory>
#include <string>

#include "alembert/code/program.h"

namespace alembert::internal {

/// Why programs cannot be run on a GPU here; "" where they can.
std::string why_no_gpu();
/// The device, in words: "NVIDIA H200".
std::string gpu_name();

/// One program on the first device. One call at a time.
class GpuProgram {
 public:
  /// left and status: see cuda_source(). Throws std::runtime_error where the device or its compiler refuses.
  GpuProgram(const Program& program, int left, int status);
  /// CUDA text of such a kernel, with so many variables and parameters for each run.
  GpuProgram(const std::string& source, int variables, int parameters);
  ~GpuProgram();
  GpuProgram(GpuProgram&&) noexcept;
  GpuProgram& operator=(GpuProgram&&) noexcept;

  /// How many runs fit into the memory that is free.
  std::size_t most_runs() const;
  /// count runs, each the program `times` times or until it ends: entry i of run k of the variables at [i*count + k],
  /// as many as are no scratch; likewise the parameters. The seconds that the device took, without the transfers.
  double run(double* variables, const double* parameters, std::size_t count, long times);

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace alembert::internal
