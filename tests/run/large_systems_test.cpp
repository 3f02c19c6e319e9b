// Large systems: what they cost grows as they do, chains of bodies written as a family are solved by the small
// matrices, and redundant constraints do not make the matrices larger than those of the independent twin.
// Compiled only: what is measured here is how costs grow.

#include <gtest/gtest.h>

#include <ctime>
#include <fstream>
#include <iterator>

#include "../conformance/problems.h"
#include "source_folder.h"

namespace alembert::internal::testing {
namespace {

/// The text of what is measured too.
std::string bench_model(const std::string& name) {
  std::ifstream file(source_folder() + "/bench/" + name + ".alm");
  return {std::istreambuf_iterator<char>(file), {}};
}
std::string links_in_space() { return bench_model("links"); }
const std::string last_one_held = "joint spherical held from ground point (0, 0, -N*l) to link[N] point (0, 0, -l/2)\n";

// The same chain in its plane, with angles: (x, y) there is (y, z) in space.
const std::string links_in_plane =
    "parameter N = 4, m = 1, l = 0.5, J = 0.02, g = 9.81\n"
    "family i = 1..N\n"
    "body link[i] planar mass m inertia J at (0, -(i - 1/2)*l)\n"
    "gravity (g, 0)\n"
    "joint revolute hinge[1] from ground to link[1] point (0, l/2)\n"
    "joint revolute hinge[i] from link[i-1] point (0, -l/2) to link[i] point (0, l/2) for i = 2..N\n";

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TEST(LargeSystems, FamiliesOfLinksAreOpenChains) {
  EXPECT_TRUE(derive(model_from_text(links_in_space())).open_chains);
  EXPECT_TRUE(derive(model_from_text(links_in_plane)).open_chains);
  EXPECT_FALSE(derive(model_from_text(links_in_space() + last_one_held)).open_chains);
  const std::string driven =
      "joint revolute end from link[N] axis (1, 0, 0) to tip\nbody tip mass 1 inertia (1, 1, 1) "
      "at (0, 0, -N*l - l/2)\n";
  EXPECT_TRUE(derive(model_from_text(links_in_space() + driven)).open_chains);
  EXPECT_FALSE(derive(model_from_text(links_in_space() + driven + "drive motor joint end angle t\n")).open_chains);
}

TEST(LargeSystems, FamiliesOfLinksMoveAsTheirPlanarTwin) {
  const int n = 12;
  const std::vector<std::string> size = {"N=" + std::to_string(n)};
  const Report space = run(model_from_text(links_in_space(), size), "lobatto(3)", 0.002, 0.2);
  const Report plane = run(model_from_text(links_in_plane, size), "lobatto(3)", 0.002, 0.2);
  ASSERT_EQ(space.ending, Ending::done) << space.reason;
  ASSERT_EQ(plane.ending, Ending::done) << plane.reason;
  // The matrix of velocities and multipliers alone: seven and six for each body.
  ASSERT_FALSE(space.newton.factorization_sizes.empty());
  EXPECT_EQ(space.newton.factorization_sizes[0], (7 + 6) * n);
  double moved = 0;
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < 2; ++c) {
      EXPECT_NEAR(space.y[7 * i + 1 + c], plane.y[3 * i + c], 1e-7) << i;
      moved = std::max(moved, std::abs(space.y[7 * i + 1]));
    }
  EXPECT_GT(moved, 0.1);
  EXPECT_LT(space.position, 1e-12);
}

// From the text to the end of a short run.
double whole_run(const std::string& text, int n, std::size_t& nodes) {
  const double before = processor_seconds();
  const Model model = model_from_text(text, {"N=" + std::to_string(n)});
  const Equations e = derive(model);
  SimulateOptions options;
  options.step = 1e-4;
  options.end = 5e-4;
  const Report report = simulate(model, e, method("lobatto(2)"), options);
  EXPECT_EQ(report.ending, Ending::done) << report.reason;
  nodes = e.graph->size();
  return processor_seconds() - before;
}

// Four times the size: about four times the time. What costs the square would be at 16; machines are noisy.
void expect_growth_in_proportion(const std::string& text, int n) {
  std::size_t few = 0, many = 0;
  double small = 1e300, large = 1e300;
  for (int round = 0; round < 2; ++round) {
    small = std::min(small, whole_run(text, n, few));
    large = std::min(large, whole_run(text, 4 * n, many));
  }
  EXPECT_LT(large / small, 8.0);
  EXPECT_LT(static_cast<double>(many) / static_cast<double>(few), 4.1);
}

TEST(LargeSystems, ChainsOfRodsGrowInProportion) {
  expect_growth_in_proportion(
      "parameter N = 10, l = 0.1, g = 9.81\nfamily i = 1..N\ncoordinate r[i][3]\n"
      "kinetic sum(i, norm2(r[i]')/2)\npotential sum(i, g*r[i][3])\nconstraint first: norm2(r[1]) = l^2\n"
      "constraint rod: norm2(r[i] - r[i-1]) = l^2 for i = 2..N\ninitial r[i] = (i*l, 0, 0)\n",
      800);
}

TEST(LargeSystems, ChainsOfLinksGrowInProportion) { expect_growth_in_proportion(links_in_space(), 40); }

TEST(LargeSystems, RedundantLoopsHaveTheMatricesOfTheirTwins) {
  const Model redundant = model_from_text(bench_model("four_hinges")),
              twin = model_from_text(bench_model("four_hinges_twin"));
  const Report one = run(redundant, "lobatto(2)", 0.001, 0.5), other = run(twin, "lobatto(2)", 0.001, 0.5);
  ASSERT_EQ(one.ending, Ending::done) << one.reason;
  ASSERT_EQ(other.ending, Ending::done) << other.reason;
  EXPECT_EQ(one.newton.factorization_sizes, other.newton.factorization_sizes);
  EXPECT_LT(distance(one.y, other.y), 1e-9);
  EXPECT_LT(static_cast<double>(one.newton.factorizations), 1.5 * static_cast<double>(other.newton.factorizations) + 5);
}

}  // namespace
}  // namespace alembert::internal::testing
