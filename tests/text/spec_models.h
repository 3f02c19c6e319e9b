#pragma once

// Texts that the tests of text/ share: every form of the language that the manual shows.

#include <string>
#include <vector>

#include "model/support.h"

namespace alembert::internal::text_test {

inline const std::vector<std::string>& spec_models() {
  static const std::vector<std::string> models = {
      test::double_pendulum,
      test::nonholonomic_particle,
      test::four_particles,
      test::steel_on_teflon,
      R"(parameter N = 5, m = 1, l = 1
family i = 1..N                               # N a parameter
coordinate r[i][3]
kinetic sum(i, m/2*norm2(r[i]'))
constraint rod: norm2(r[i] - r[i-1]) = l^2   for i = 2..N
)",
      R"(# A file with the rest of the language.

# Two comments
#
# and an empty one.
variable y[3], z[4] = (1, 2, 3, 4)
multiplier psi
quantity p[4] = (1 + y[3]/4)*z
rate p' = z, y' = f(z)
constraint surface(psi): y[2] = b*y[1]^3
lagrangian kinetic - potential
force x = -c*x'^3 + sin(omega*t), r[i] = (0, -g*m[i]) for i = 1..N, j = i+1..N-1
rayleigh c/2*norm2(x')
let f(a, b) = a^b^-2, zero() = 0


pin x1, y1', r[2][3]'
initial r[i] = (i - 1, .5, 1e-3) for i = 1..N
conserve sum(i = 1..N, j = 1..i-1, m[i]*dot(r[i], r[j]'))
solve suzuki(symmetric(true_euler)) end -1 step -1e-2

# the end
)",
  };
  return models;
}

}  // namespace alembert::internal::text_test
