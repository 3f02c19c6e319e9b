// The twin of a run: how fast errors grow, against neighbours of the same run that are made here, step by step, and
// brought near again after each unit of time (Benettin and others, Meccanica 15, 1980).

#include "alembert/run/twin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "alembert/run/simulate.h"
#include "source_folder.h"

namespace alembert::internal {
namespace {

/// An engine for steps of the size h, of a run that expects so many of them.
struct Motion {
  Motion(const std::string& name, double h, double steps)
      : model(read_model(source_folder() + "/models/" + name + ".alm")),
        equations(derive(model)),
        method(find_method("lobatto(3)")),
        step(h) {
    options.step = h;
    options.end = h * steps;
    engine.emplace(model, equations, method, engine_options(equations, options));
  }

  bool advance(const GridPoint& from, GridPoint& to, long n) {
    return engine->maker.make(engine->step, from, step, step * static_cast<double>(n), to);
  }

  Model model;
  Equations equations;
  Method method;
  double step;
  SimulateOptions options;
  std::optional<Engine> engine;
};

/// Positions of a neighbour beside the run, in the largest norm, as if it had never been brought near: at each step.
std::vector<double> distances_of_neighbour(const std::string& name, double h, long steps) {
  constexpr double near = 1e-8;
  Motion run(name, h, static_cast<double>(steps)), beside(name, h, static_cast<double>(steps));
  GridPoint a = run.engine->point(), b = a, next = a, next_b = a;
  const std::size_t n_y = run.equations.y.size();
  for (std::size_t i = 0; i < b.state.size(); ++i) b.state[i] += near * std::sin(2.0 + 3.0 * static_cast<double>(i));
  std::vector<double> distances;
  double factor = 1;
  const long unit = std::lround(1 / h);
  for (long n = 1; n <= steps; ++n) {
    if (!run.advance(a, next, n) || !beside.advance(b, next_b, n)) return {};
    std::swap(a, next);
    std::swap(b, next_b);
    double apart = 0;
    for (std::size_t i = 0; i < n_y; ++i) apart = std::max(apart, std::abs(b.state[i] - a.state[i]));
    distances.push_back(apart * factor);
    if (n % unit != 0) continue;
    factor *= apart / near;
    for (std::size_t i = 0; i < b.state.size(); ++i) b.state[i] = a.state[i] + near / apart * (b.state[i] - a.state[i]);
  }
  return distances;
}

struct Seen {
  Growth growth;
  long followed = 0;  // steps that were made while the twin had a use for them
};

/// What a twin sees that expects so many steps and is handed their solutions, as by a run.
Seen seen_by_twin(Motion& motion, long made, double expected) {
  Engine& engine = *motion.engine;
  const ReportNames names = first_report(engine, motion.options).names;
  GridPoint from = engine.point(), to = from;
  Twin twin(engine, names, from, expected, motion.step);
  SolvedStep<double> solved;
  Seen seen;
  for (long n = 1; n <= made; ++n) {
    if (!motion.advance(from, to, n)) return seen;
    const bool wanted = twin.looks_at_steps();
    if (wanted) engine.step.solved(to.state.data(), solved);
    twin.follow(from, to, 1, wanted ? &solved : nullptr);
    if (twin.stride() < 1'000'000) seen.followed = n;
    std::swap(from, to);
  }
  seen.growth = twin.growth_until(from.t);
  return seen;
}

/// As Twin has it: e-folds a unit of time in the second half of so many steps.
double rate_of(const std::vector<double>& distances, double h, long steps) {
  const auto begin = distances.begin();
  const double first = *std::max_element(begin, begin + steps / 2), whole = *std::max_element(begin, begin + steps);
  return std::log(whole / first) / (h * static_cast<double>(steps) / 2);
}

// Steps of its own from the beginning, and such where long ones were tried and failed.
TEST(Twin, GrowthIsThatOfNeighboursOfTheSameRun) {
  constexpr double h = 0.01;
  const std::vector<double> distances = distances_of_neighbour("double_pendulum", h, 4800);
  ASSERT_EQ(distances.size(), 4800U);
  for (const double expected : {0.0, 24000.0}) {
    Motion motion("double_pendulum", h, 24000);
    const Seen seen = seen_by_twin(motion, 4800, expected);
    ASSERT_GT(seen.followed, 1000);
    EXPECT_NEAR(seen.growth.rate, rate_of(distances, h, seen.followed), 0.05 * seen.growth.rate) << expected;
    EXPECT_FALSE(seen.growth.regular);
  }
}

// A regular motion is followed to its end in long steps, and by few of them.
TEST(Twin, RegularMotionsAreFollowedToTheEnd) {
  Motion motion("pendulum", 0.001, 24000);
  const Seen seen = seen_by_twin(motion, 24000, 24000);
  EXPECT_EQ(seen.growth.rate, 0);
  EXPECT_TRUE(seen.growth.regular) << seen.followed;
}

}  // namespace
}  // namespace alembert::internal
