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
      // The second part.
      R"model(body arm mass 2 inertia (0.1, 0.2, 0.2) at (0, 0, 1)
load wind on arm point (0, 0, 0.5) force (3*sin(t), 0, 0)          # point in the body's frame, force in the world's
load jet on arm point (0, 0, 0.5) force (0, 0, 2) frame arm        # a force that turns with the body
load motor on arm torque (0, 0, 1)
drive servo joint elbow torque k*(target - elbow.angle) - d*elbow.rate
observe tip: arm.point(0, 0, 1)                                    # a column with its value, a vector here
observe load: hinge.force

family i = 1..N
body link[i] mass m inertia (J, J, J0) at (0, 0, -(i - 1/2)*l)
joint revolute hinge[1] from ground axis (1, 0, 0) to link[1] point (0, 0, l/2)
joint revolute hinge[i] from link[i-1] point (0, 0, -l/2) axis (1, 0, 0) to link[i] point (0, 0, l/2) for i = 2..N

component leg[i] = "leg.alm" with length = 2 for i = 1..6          # a file of bodies and joints: an assembly
joint revolute hip[i] from trunk point (i, 0, 0) axis (0, 1, 0) to leg[i].thigh point (0, 0, 1) for i = 1..6

input F = 0                                                        # may be set from outside: --input F=wind.csv
table road(x) = "road.csv" column 2 spline                         # or: table ramp(t) = (0, 0), (1, 2), (3, 2) linear
force y = if(y < road(x), -k*(y - road(x)), 0) + F
variable z = 0                                                     # a first-order state beside the mechanics
rate z' = (target - x)/T - z

event top: theta' = 0 falling                                      # or rising; both where nothing is said
when top: count = count + 1                                        # parameters and states may be set; constraints
when t = 5: k = 2*k
stop after 10 top

contact floor: y >= 0 restitution 0.8 friction 0.3 along x'        # unilateral; slip velocities after `along`, one
contact ground from ball sphere 0.1 to ground plane axis (0, 0, 1) friction 0.5
joint revolute elbow from upper axis (0, 1, 0) to lower limits (0, 150*deg) restitution 0.2

draw box arm size (0.1, 0.1, 1) colour "steelblue"
parameter m = 3 "kg", g = 9.81 "m/s^2"                             # units are carried to columns and plots, and
component leg[i] = "leg.alm" at (i, 0, 0) turned 20*deg about (0, 0, 1) with length = 2 for i = 1..6
component arm = "arm.alm" for i = 1..6
contact slope: y >= 0 friction 0.3 static 0.4 along x', z' rolling 0.01 drilling 0.001 law poisson
contact c from a sphere 0.1 to b sphere 0.2
contact rope: l - norm(r1 - r2) >= 0
)model",
  };
  return models;
}

}  // namespace alembert::internal::text_test
