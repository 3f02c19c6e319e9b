#include "alembert/code/lanes.h"

#include "alembert/base/profile.h"
#include "alembert/code/native.h"
#include "alembert/error.h"

namespace alembert::internal {

LaneProgram::LaneProgram(const Program& program, int width) : width_(width) {
  check(width == 1 || width == 2 || width == 4 || width == 8, "lanes come in powers of two");
  const During compiling(Activity::compiling);
  detail::NativeProgram native = detail::compile_program(program, width);
  code_ = std::move(native.owner);
  function_ = native.function;
}

int best_lanes() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return 8;
  if (__builtin_cpu_supports("avx2")) return 4;
#endif
  return 2;
}

}  // namespace alembert::internal
