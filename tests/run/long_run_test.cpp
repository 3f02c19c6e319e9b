// Rounding in long runs is a walk at random of small steps.
// Compiled only: interpreted, the steps take minutes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "alembert/run/engine.h"
#include "source_folder.h"

namespace alembert::internal {
namespace {

// The spin about the axis of the figure, 70.3, is kept by every step. Where each step began with the momenta of
// rounded states anew, 0.4 of their last place (1.4e-14) came with every step: 4e-12 after 400,000.
TEST(LongRun, MomentaOfFastBodiesAreNotRoundedAtEveryStep) {
  const Model model = read_model(source_folder() + "/models/heavy_top.alm");
  const Equations e = derive(model);
  constexpr double h = 0.0005;
  constexpr long steps = 400'000, last = 1000;
  EngineOptions options;
  options.step = h;
  options.steps = steps;
  Engine engine(model, e, find_method("lobatto(2)"), options);
  GridPoint from = engine.point(), to = from;
  engine.watch.restart();
  engine.watch.look(from.t, from.state, {});
  const double figure = engine.watch.invariants()[0];
  EXPECT_NEAR(figure, 0.46875 * 150, 1e-12);
  double mean = 0;  // of the last steps: what the value itself is rounded by goes out
  for (long i = 0; i < steps; ++i) {
    ASSERT_TRUE(engine.maker.make(engine.step, from, h, h * static_cast<double>(i + 1), to));
    if (i >= steps - last) {
      engine.watch.glance(to.t, to.state);
      mean += (engine.watch.invariants()[0] - figure) / last;
    }
    swap(from, to);
  }
  EXPECT_LT(std::abs(mean), 1e-12);
}

}  // namespace
}  // namespace alembert::internal
