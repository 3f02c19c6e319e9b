// The gallery: every model is read, derived and consistent as it stands, and what its head claims for the start holds.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "alembert/start/initial.h"
#include "model/support.h"
#include "source_folder.h"

namespace alembert::internal {
namespace {

std::string gallery() { return source_folder() + "/models/"; }

std::set<std::string> gallery_names() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(gallery())) {
    if (entry.path().extension() == ".alm") names.insert(entry.path().stem().string());
  }
  return names;
}

struct Start {
  Model model;
  Equations equations;
  InitialValues values;

  explicit Start(const std::string& name, const std::vector<std::string>& overrides = {})
      : model(read_model(gallery() + name + ".alm", overrides)),
        equations(derive(model)),
        values(make_consistent(model, equations)) {}

  double operator()(Expr e) const {
    test::Numbers numbers;
    numbers.set(equations.t, 0);
    numbers.set(equations.y, values.y);
    numbers.set(equations.z, values.z);
    return numbers(e);
  }
};

TEST(Gallery, HoldsWhatTheDocumentationPromises) {
  const std::set<std::string> names = gallery_names();
  for (const char* name :
       {"pendulum", "double_pendulum", "spherical_pendulum", "chain", "cart_pendulum", "moving_support", "oscillator",
        "kepler", "nonholonomic_particle", "four_particles", "steel_on_teflon"}) {
    EXPECT_EQ(names.count(name), 1u) << name;
  }
}

const std::set<std::string> assembled{"four_bar", "strandbeest", "walker"}, redundant{"bennett", "parallel_four_bar"};

TEST(Gallery, EveryModelIsReadAndConsistent) {
  for (const std::string& name : gallery_names()) {
    SCOPED_TRACE(name);
    std::ifstream file(gallery() + name + ".alm");
    std::string head;
    for (std::string line; std::getline(file, line) && line.starts_with("#");) head += line;
    EXPECT_NE(head.find("# Reference: "), std::string::npos) << "its head says where the numbers come from";

    const Start start(name);
    EXPECT_FALSE(start.model.title.empty());
    EXPECT_TRUE(start.model.solve.method && start.model.solve.step && start.model.solve.end);
    EXPECT_EQ(start.values.redundant.empty(), redundant.count(name) == 0);
    if (assembled.count(name)) {  // from a guess that does not close, which their heads say
      EXPECT_FALSE(start.values.changes.empty());
      continue;
    }
    EXPECT_TRUE(start.values.changes.empty()) << start.values.changes[0].name;
    EXPECT_EQ(start.values.y, test::doubles(start.model.q0));
    EXPECT_EQ(start.values.z, test::doubles(start.model.z0));
    EXPECT_LE(start.values.position_residual, 1e-15);
    double fastest = 1;
    for (const double z : start.values.z) fastest = std::max(fastest, std::abs(z));
    EXPECT_LE(start.values.velocity_residual, 1e-15 * fastest);
    EXPECT_LE(start.values.nonholonomic_residual, 1e-15);
  }
}

TEST(Gallery, ChainFallsFreelyAtFirst) {
  const Start chain("chain", {"N=30", "push=0"});
  EXPECT_EQ(chain(chain.equations.energy), 0);
  for (std::size_t i = 0; i < 90; ++i) EXPECT_NEAR(chain.values.z_dot[i], i % 3 == 2 ? -9.81 : 0, 1e-12);
  for (const double lambda : chain.values.lambda) EXPECT_NEAR(lambda, 0, 1e-10);
}

TEST(Gallery, KeplerStartsWithTheOrbitsIntegrals) {
  const Start kepler("kepler");
  EXPECT_NEAR(kepler(kepler.equations.energy), -1000.0 / 1001 / 2, 1e-15);
  ASSERT_EQ(kepler.equations.invariants.size(), 3u);
  EXPECT_NEAR(kepler(kepler.equations.invariants[0]), 0, 1e-15);
  EXPECT_NEAR(kepler(kepler.equations.invariants[1]), 0, 1e-15);
  EXPECT_NEAR(kepler(kepler.equations.invariants[2]), 1000.0 / 1001 * 0.8, 1e-15);
}

TEST(Gallery, OscillatorHasTwoEnergies) {
  const Start oscillator("oscillator");
  EXPECT_EQ(oscillator(oscillator.equations.energy), 0.75);
  EXPECT_EQ(oscillator(oscillator.equations.invariants[0]), 0.25);
  EXPECT_EQ(oscillator(oscillator.equations.invariants[1]), 0.5);
}

TEST(Gallery, CartAndPendulumHaveTheRightSmallFrequency) {
  // phi'' = -(1 + m/M) gravity/l phi near the vertical.
  const Start cart("cart_pendulum", {"phi=1e-6"});
  EXPECT_NEAR(cart.values.z_dot[1], -1.5 * 9.81 * 1e-6, 1e-16);
  EXPECT_NEAR(3 * cart.values.z_dot[0] + cart.values.z_dot[1], 0, 1e-16);  // horizontal momentum
}

TEST(Gallery, MovingSupportStartsWithThePendulumAtRestBelowIt) {
  // phi'' = 0 at t = 0, so x'' = 0 and y'' = l phi'^2 = 0; the rod carries the weight.
  const Start start("moving_support");
  EXPECT_NEAR(start.values.z_dot[0], 0, 1e-14);
  EXPECT_NEAR(start.values.z_dot[1], 0, 1e-14);
  EXPECT_NEAR(start.values.lambda[0], 9.81 / 2, 1e-14);
}

TEST(Gallery, NonholonomicParticleAtTheStart) {
  const Start start("nonholonomic_particle");
  EXPECT_EQ(start(start.equations.energy), 1.5);
  EXPECT_NEAR(start.values.psi[0], 0, 1e-16);
  EXPECT_NEAR(start.values.z_dot[0], -2, 1e-15);
}

}  // namespace
}  // namespace alembert::internal
