// Rounding in long runs is a walk at random, not a loss at every step.
// Compiled only: interpreted, the steps take minutes.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "alembert/run/engine.h"
#include "source_folder.h"

namespace alembert::internal {
namespace {

/// The mean over a block of steps, with a smooth window: of what swings with the motion nothing is left of it.
class BlockMean {
 public:
  explicit BlockMean(long steps) {
    double sum = 0;
    for (long i = 0; i < steps; ++i) {
      const double u = (static_cast<double>(i) + 0.5) / static_cast<double>(steps);
      weights_.push_back(std::exp(-1 / (u * (1 - u))));
      sum += weights_.back();
    }
    for (double& w : weights_) w /= sum;
  }
  /// Steps on and gives the mean of the energy beyond `above`.
  double take(Engine& engine, GridPoint& from, GridPoint& to, double h, double above) const {
    double mean = 0;
    for (const double weight : weights_) {
      if (!engine.maker.make(engine.step, from, h, from.t + h, to)) return NAN;
      engine.watch.glance(to.t, to.state);
      mean += weight * (engine.watch.energy() - above);
      swap(from, to);
    }
    return mean;
  }

 private:
  std::vector<double> weights_;
};

struct DriftCase {
  const char* model;
  const char* method;
  double step;
  long blocks, block;
  double
      walk;  // what a walk at random reaches: errors of the increments, a few units of the last place of h times forces
};

class RoundingOf : public ::testing::TestWithParam<DriftCase> {};

TEST_P(RoundingOf, TheEnergyDoesNotDrift) {
  const DriftCase& run = GetParam();
  const Model model = read_model(source_folder() + "/models/" + run.model + ".alm");
  const Equations e = derive(model);
  EngineOptions options;
  options.step = run.step;
  options.steps = static_cast<double>(run.blocks * run.block);
  Engine engine(model, e, find_method(run.method), options);
  GridPoint from = engine.point(), to = from;
  engine.watch.restart();
  engine.watch.look(from.t, from.state, {});
  const double above = engine.watch.energy();
  const BlockMean mean(run.block);
  const double first = mean.take(engine, from, to, run.step, above);
  double last = first;
  for (long i = 1; i < run.blocks; ++i) last = mean.take(engine, from, to, run.step, above);
  EXPECT_LT(std::abs(last - first), 4 * run.walk) << "a step loses " << (last - first) / options.steps;
}

// A pendulum of weight 9.81 and length 1: increments of velocities are known to 1e-17 (their last place), so that a
// step changes the energy by 4e-17 at random and N steps by the root of N of it. Products of the step with the rounded
// velocity lost 2.9e-19 at every step, and coefficients of gauss(3) that were rounded one by one gained 4.8e-19.
INSTANTIATE_TEST_SUITE_P(Pendulum, RoundingOf,
                         ::testing::Values(DriftCase{"pendulum", "lobatto(2)", 0.01, 40, 100'000, 8e-14},
                                           DriftCase{"pendulum", "gauss(3)", 0.01, 60, 20'000, 5e-14}),
                         [](const auto& info) { return std::string(info.index == 0 ? "rattle" : "gauss"); });

}  // namespace
}  // namespace alembert::internal
