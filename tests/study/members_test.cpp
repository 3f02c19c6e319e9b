// What many runs cost: one compilation, and then hardly more than the runs themselves.

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "alembert/alembert.h"
#include "source_folder.h"

namespace alembert {
namespace {

/// Of this process, on all cores: what other programs do at the same time counts little.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TEST(Members, ARowCostsWhatACompiledRunCosts) {
  const Model model = read_model(source_folder() + "/models/double_pendulum.alm");
  const Stepper stepper =
      compile(find_method("lobatto(3)"), derive(model, {.inputs = {"m2"}}), {.step = 0.01, .steps = 1e6});
  const SimulateOptions options{.end = 10, .step = 0.01};
  std::vector<Values> values;
  for (int i = 0; i < 100; ++i) values.push_back({{"m2", 1 + 0.01 * i}});
  // The least of several measurements of both: what disturbs them only adds.
  double run = INFINITY, row = INFINITY;
  for (int round = 0; round < 5; ++round) {
    const double begin = processor_seconds();
    for (int i = 0; i < 20; ++i) ASSERT_EQ(simulate(stepper, options).report.ending, Ending::done);
    const double middle = processor_seconds();
    ASSERT_EQ(sweep(stepper, values, options).back().failure, "");
    run = std::min(run, (middle - begin) / 20);
    row = std::min(row, (processor_seconds() - middle) / static_cast<double>(values.size()));
  }
  EXPECT_GT(run, 1e-5) << "nothing was measured";
  EXPECT_LT(row, 1.2 * run);
}

}  // namespace
}  // namespace alembert
