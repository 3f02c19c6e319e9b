// A control loop: a cart is driven so that the pendulum on it stays upright. A PD controller sets the force before
// every step. Returns 1 where the pendulum falls.

#include <cmath>
#include <cstdio>

#include "alembert/alembert.h"

using namespace alembert;

namespace {

const char cart[] = R"(model "Cart with an inverted pendulum"
parameter M = 2, m = 0.5, l = 1, gravity = 9.81
parameter F = 0                       # set by the controller
coordinate x, phi                     # phi from the upright position
kinetic M/2*x'^2 + m/2*(x'^2 + 2*l*cos(phi)*x'*phi' + l^2*phi'^2)
potential m*gravity*l*cos(phi)
force x = F
initial phi = 0.2
)";

}  // namespace

int main() {
  const Equations equations = derive(read_model_text(cart), {.inputs = {"F"}});
  Stepper stepper = compile(find_method("lobatto(3)"), equations, {.step = 0.005});
  double& force = stepper.parameters()[0];
  const std::span<const double> start = stepper.state();  // x, phi, x', phi'
  std::printf("%6s %10s %10s %10s\n", "t", "x", "phi", "F");
  for (int n = 0; n < 2000; ++n) {
    const std::span<const double> s = stepper.state();
    force = 80 * s[1] + 20 * s[3] + 2 * s[0] + 5 * s[2];
    if (n % 400 == 0) std::printf("%6.2f %10.5f %10.6f %10.4f\n", stepper.t(), s[0], s[1], force);
    if (!stepper.step()) {
      std::printf("%s\n", stepper.failure().c_str());
      return 1;
    }
  }
  const std::span<const double> end = stepper.state();
  std::printf("%6.2f %10.5f %10.6f\n", stepper.t(), end[0], end[1]);
  return start.size() == 4 && std::abs(end[1]) < 1e-3 ? 0 : 1;
}
