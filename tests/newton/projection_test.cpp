// The shortest way onto constraints: circles, of which it is known.

#include "alembert/newton/projection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "conformance/problems.h"

namespace alembert::internal::testing {
namespace {

TEST(Projection, moves_onto_a_circle_along_the_radius_and_velocities_onto_its_tangent) {
  const Equations e = derive(gallery("pendulum", {"l=2"}));
  Projection<double> projection(e, 0, {2, 0, 0, 0});
  std::vector<double> state{1.2, -1.5, 0.3, 0.4};
  const double length = std::hypot(state[0], state[1]);
  const double n[2] = {state[0] / length, state[1] / length};
  const double radial = 0.3 * n[0] + 0.4 * n[1];
  EXPECT_EQ(projection.apply(0, state.data()), Outcome::converged);
  EXPECT_NEAR(state[0], 2 * n[0], 1e-15);
  EXPECT_NEAR(state[1], 2 * n[1], 1e-15);
  EXPECT_NEAR(state[2], 0.3 - radial * n[0], 1e-15);
  EXPECT_NEAR(state[3], 0.4 - radial * n[1], 1e-15);
}

TEST(Projection, holds_to_rounding_and_moves_nothing_that_is_there) {
  const Equations e = derive(gallery("pendulum"));
  Projection<Quad> projection(e, 0, {1, 0, 0, 0});
  std::vector<Quad> state{Quad(0.6), Quad(0.81), 1, 1};
  EXPECT_EQ(projection.apply(0, state.data()), Outcome::converged);
  EXPECT_LT(std::abs(static_cast<double>(state[0] * state[0] + state[1] * state[1] - 1)), 1e-33);
  EXPECT_LT(std::abs(static_cast<double>(state[0] * state[2] + state[1] * state[3])), 1e-33);
  std::vector<Quad> again = state;
  EXPECT_EQ(projection.apply(0, again.data()), Outcome::converged);
  for (int i = 0; i < 4; ++i) EXPECT_LT(std::abs(static_cast<double>(again[i] - state[i])), 1e-32);
}

TEST(Projection, leaves_what_it_cannot_move_as_it_was) {
  const Equations e = derive(gallery("pendulum"));
  Projection<double> projection(e, 0, {1, 0, 0, 0});
  std::vector<double> state{0, 0, 1, 1};  // in the middle all ways are equally long
  EXPECT_NE(projection.apply(0, state.data()), Outcome::converged);
  EXPECT_EQ(state, (std::vector<double>{0, 0, 1, 1}));
}

TEST(Projection, without_constraints_nothing_moves) {
  const Equations e = derive(gallery("kepler"));
  std::vector<double> state(e.y.size() + e.z.size(), 0.5);
  const std::vector<double> before = state;
  Projection<double> projection(e, 0, state);
  EXPECT_EQ(projection.apply(0, state.data()), Outcome::converged);
  EXPECT_EQ(state, before);
}

}  // namespace
}  // namespace alembert::internal::testing
