// Real-time use: steps are made as the clock goes, one every 5 ms, while an input comes from outside; what a step costs
// is measured and printed. Returns 1 where a step fails or the constraints do not hold.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "alembert/alembert.h"

using namespace alembert;
using Clock = std::chrono::steady_clock;

int main(int count, char** arguments) {
  if (count < 2) return 2;
  const Equations equations = derive(read_model(arguments[1]), {.inputs = {"gravity"}});
  const double h = 0.005;
  Stepper stepper = compile(find_method("rattle"), equations, {.step = h});
  double longest = 0;
  const Clock::time_point begin = Clock::now();
  for (int n = 0; n < 100; ++n) {
    std::this_thread::sleep_until(begin +
                                  std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(n * h)));
    const Clock::time_point before = Clock::now();
    stepper.parameters()[0] = 9.81 + std::sin(stepper.t());  // a lift that goes up and down
    if (!stepper.step()) return 1;
    longest = std::max(longest, std::chrono::duration<double>(Clock::now() - before).count());
  }
  std::printf("t = %.3f, x1 = %.6f, longest step %.1f microseconds of %.0f\n", stepper.t(), stepper.value("x1"),
              longest * 1e6, h * 1e6);
  return stepper.position_residual() < 1e-12 ? 0 : 1;
}
