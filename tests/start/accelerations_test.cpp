// z' and multipliers of the index-reduced system by themselves, against closed forms.

#include "alembert/start/accelerations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "alembert/start/limit.h"
#include "model/support.h"

namespace alembert::internal {
namespace {

using test::model_of;

const double none = std::numeric_limits<double>::quiet_NaN();

const char* const heavy_pendulum = R"(parameter m = 2, l = 0.5
coordinate x, y
kinetic m/2*(x'^2 + y'^2)
potential m*9.81*y
constraint rod: x^2 + y^2 = l^2
initial x = l
)";

TEST(Accelerations, PendulumInClosedForm) {
  const Equations e = derive(model_of(heavy_pendulum));
  const AccelerationSystem system(e);
  EXPECT_TRUE(system.linear());
  for (const double angle : {0.0, 0.7, -1.5, 3.0}) {
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const double omega = 1.3;
    const State state{0, {0.5 * c, 0.5 * s}, {-0.5 * s * omega, 0.5 * c * omega}};
    const Accelerations found = system.solve(state, {none}, false);
    ASSERT_TRUE(found.solved);
    // omega' = -(gravity/l) cos(angle); the rod gives -2 lambda l / m along it.
    const double spin = -9.81 / 0.5 * c;
    EXPECT_NEAR(found.z_dot[0], 0.5 * (-s * spin - c * omega * omega), 2e-14);
    EXPECT_NEAR(found.z_dot[1], 0.5 * (c * spin - s * omega * omega), 2e-14);
    EXPECT_NEAR(found.multipliers[0], 2 * (0.5 * omega * omega - 9.81 * s) / (2 * 0.5), 4e-14);
  }
}

TEST(Accelerations, ParametersAreReadFromTheTable) {
  const Equations e = derive(model_of(heavy_pendulum), {.inputs = {"m"}});
  AccelerationSystem system(e);
  const State state{0, {0, -0.5}, {1, 0}};
  for (const double m : {0.1, 7.0}) {
    system.bind(&m);
    // m v^2/l + m gravity = 2 lambda l.
    EXPECT_NEAR(system.solve(state, {none}, false).multipliers[0], m * (2 + 9.81), 1e-13 * m);
  }
  system.bind(nullptr);
  EXPECT_NEAR(system.solve(state, {none}, false).multipliers[0], 2 * (2 + 9.81), 1e-13);
}

TEST(Accelerations, RedundantConstraintsTakeTheSmallestMultipliers) {
  const Equations e = derive(model_of(std::string(heavy_pendulum) + "constraint again: x^2 + y^2 = l^2\n"));
  const AccelerationSystem system(e);
  const State state{0, {0, -0.5}, {0, 0}};
  EXPECT_TRUE(system.solve(state, {none, none}, false).singular);
  const Accelerations found = system.solve(state, {none, none}, true);
  ASSERT_TRUE(found.solved);
  EXPECT_NEAR(found.multipliers[0], 9.81, 1e-13);  // half of 2 * 9.81 / (2 * 0.5)
  EXPECT_NEAR(found.multipliers[1], 9.81, 1e-13);
}

TEST(Accelerations, GuessChoosesTheRootOfANonlinearReaction) {
  const Equations e = derive(model_of(R"(variable y = 0, z = 1
multiplier psi
rate y' = z
rate z' = 4 - reaction(psi^2)
constraint z = 1
)"));
  const AccelerationSystem system(e);
  EXPECT_FALSE(system.linear());
  for (const double guess : {1.0, -1.0}) {
    const Accelerations found = system.solve({0, {0}, {1}}, {guess}, false);
    ASSERT_TRUE(found.solved);
    EXPECT_NEAR(found.multipliers[0], 2 * guess, 1e-15);
  }
  EXPECT_TRUE(system.solve({0, {0}, {1}}, {none}, false).solved);
}

TEST(DifferentiationIndex, OfKnownSystems) {
  const Equations free = derive(model_of("coordinate x\nkinetic x'^2/2\npotential x^2\n"));
  EXPECT_EQ(DifferentiationIndex(free).at({0, {1}, {0}}, {}), 0);
  const Equations rolling = derive(model_of(test::nonholonomic_particle));
  EXPECT_EQ(DifferentiationIndex(rolling).at({0, {1, 0.3, 0}, {0.2, 1, 0.06}}, {0}), 2);
  const Equations rod = derive(model_of(heavy_pendulum));
  EXPECT_EQ(DifferentiationIndex(rod).at({0, {0.3, -0.4}, {0, 0}}, {1}), 3);
  // s has no mass: with damping its row is s' = ..., with a spring alone it is algebraic, with nothing it is not there.
  const std::string light = "coordinate x, s\nkinetic x'^2/2\npotential ";
  const State state{0, {1, 0.2}, {0.1, 0.3}};
  EXPECT_EQ(DifferentiationIndex(derive(model_of(light + "x^2\n"))).at(state, {}), std::nullopt);
  EXPECT_TRUE(DifferentiationIndex(derive(model_of(light + "(x - s)^2 + s^2\n"))).at(state, {}).has_value());
}

}  // namespace
}  // namespace alembert::internal
