// The motion between the grid points: constraints to rounding, errors of the method's order, and no trace in the run.

#include "alembert/run/dense.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "alembert/run/integrate.h"
#include "output/rows.h"

namespace alembert::internal::testing {
namespace {

std::vector<double> random_times(double end, int count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> between(0, 1);
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back(end * between(random));
  return times;
}

TEST(DenseOutput, ConstraintsHoldAtAHundredThousandTimes) {
  const Model model = gallery("double_pendulum");
  SimulateOptions options;
  options.step = 0.01, options.end = 20, options.at = random_times(20, 100'000);
  Rows rows;
  const Report report = run_rows(model, "lobatto(3)", options, rows);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  ASSERT_EQ(rows.rows.size(), options.at.size());
  std::sort(options.at.begin(), options.at.end());
  double position = 0, velocity = 0;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    ASSERT_EQ(rows.rows[i][0], options.at[i]);
    position = std::max(position, rows.at(rows.rows[i], "residual.position"));
    velocity = std::max(velocity, rows.at(rows.rows[i], "residual.velocity"));
  }
  EXPECT_LT(position, 1e-14);
  EXPECT_LT(velocity, 1e-13);  // |v| is 10
}

// The solution at some times, from one to the next by many steps of a method of order 12: no dense output in it.
std::vector<std::vector<double>> solution(const Equations& e, const InitialValues& initial,
                                          const std::vector<double>& times) {
  std::vector<std::vector<double>> states;
  MotionPoint<double> point = polish<double>(e, initial, 0);
  double t = 0;
  NewtonOptions newton;
  newton.kernel = {Backend::interpreter, false};
  for (const double next : times) {
    const long n = static_cast<long>(std::ceil((next - t) / 0.02));
    point = integrate<double>(e, method("gauss(6)"), point, t, (next - t) / static_cast<double>(n), n, newton).point;
    t = next;
    states.push_back(point.y);
    states.back().insert(states.back().end(), point.z.begin(), point.z.end());
  }
  return states;
}

struct Case {
  const char* model;
  const char* method;
  double step;
  int order;
};

class DenseOrder : public ::testing::TestWithParam<Case> {};

TEST_P(DenseOrder, IsTheMethods) {
  const Case& c = GetParam();
  const Model model = gallery(c.model);
  const Equations e = derive(model);
  const double end = 1.6;
  std::vector<double> times = random_times(end, 12);
  std::sort(times.begin(), times.end());
  const auto exact = solution(e, make_consistent(model, e), times);
  std::vector<double> errors;
  for (const double step : {c.step, c.step / 2}) {
    SimulateOptions options;
    options.step = step, options.end = end, options.at = times;
    Rows rows;
    const Report report = run_rows(model, c.method, options, rows);
    ASSERT_EQ(report.ending, Ending::done) << report.reason;
    double error = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const std::vector<double> state = rows.state(rows.rows.at(i));
      for (std::size_t j = 0; j < state.size(); ++j) error = std::max(error, std::abs(state[j] - exact[i][j]));
      EXPECT_LT(rows.at(rows.rows[i], "residual.position"), 1e-12);
      EXPECT_LT(rows.at(rows.rows[i], "residual.velocity"), 1e-12);
      EXPECT_LT(rows.at(rows.rows[i], "residual.nonholonomic"), 1e-12);
    }
    errors.push_back(error);
  }
  const double order = std::log2(errors[0] / errors[1]);
  RecordProperty("order", std::to_string(order));
  EXPECT_NEAR(order, c.order, 0.4) << errors[0] << " " << errors[1];
}

INSTANTIATE_TEST_SUITE_P(
    Methods, DenseOrder,
    ::testing::Values(Case{"double_pendulum", "lobatto(2)", 0.02, 2}, Case{"double_pendulum", "lobatto(3)", 0.04, 4},
                      Case{"double_pendulum", "gauss(2)", 0.04, 4}, Case{"double_pendulum", "gauss(3)", 0.08, 6},
                      Case{"double_pendulum", "triple_jump(lobatto(2))", 0.02, 4},
                      Case{"nonholonomic_particle", "gauss(2)", 0.1, 4},
                      Case{"nonholonomic_particle", "lobatto_d(3)", 0.1, 4},
                      Case{"moving_support", "gauss(2)", 0.05, 4}, Case{"double_pendulum", "true_euler", 0.002, 1},
                      Case{"double_pendulum", "symmetric(true_euler)", 0.01, 2}),
    [](const auto& info) {
      std::string name = std::string(info.param.model) + "_" + info.param.method;
      for (char& ch : name)
        if (!std::isalnum(static_cast<unsigned char>(ch))) ch = '_';
      return name;
    });

TEST(DenseOutput, IsAStepOfTheSharesSizeHoweverSmall) {
  // The same step in extended precision, where nothing is lost to rounding.
  for (const char* name : {"double_pendulum", "nonholonomic_particle", "moving_support"}) {
    SCOPED_TRACE(name);
    const Model model = gallery(name);
    const Equations e = derive(model);
    const InitialValues initial = make_consistent(model, e);
    NewtonOptions newton;
    newton.kernel = {Backend::interpreter, false};
    const Method lobatto = method(name[0] == 'n' ? "gauss(3)" : "lobatto(3)");
    const double h = 0.01;
    // A point on the way, where nothing is special.
    const MotionPoint<double> start =
        integrate<double>(e, lobatto, polish<double>(e, initial, 0), 0, h, 40, newton).point;
    GridPoint point;
    point.t = 40 * h, point.state = start.y;
    point.state.insert(point.state.end(), start.z.begin(), start.z.end());
    point.compensation.assign(point.state.size(), 0);
    std::vector<double> hints = start.z_dot;
    for (const auto* list : {&start.lambda, &start.psi}) hints.insert(hints.end(), list->begin(), list->end());
    Multipliers multipliers(e, initial, 0, newton);
    const Step<double> step(lobatto.step(e), point.t, h, point.state, hints, newton);
    DenseOutput dense(e, step, point, multipliers, newton);
    dense.begin(point, h);
    MotionPoint<Quad> wide;
    const auto widen = [](const std::vector<double>& list) { return std::vector<Quad>(list.begin(), list.end()); };
    wide.y = widen(start.y), wide.z = widen(start.z), wide.z_dot = widen(start.z_dot);
    wide.lambda = widen(start.lambda), wide.psi = widen(start.psi);
    for (const double share : {1e-14, 1e-10, 9e-9, 2e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5, 0.9, 1.0}) {
      std::vector<double> state;
      ASSERT_TRUE(dense.at(share, state)) << share;
      const MotionPoint<Quad> exact =
          integrate<Quad>(e, lobatto, wide, Quad(point.t), Quad(share * h), 1, newton).point;
      double difference = 0;
      for (std::size_t i = 0; i < state.size(); ++i) {
        const Quad value = i < exact.y.size() ? exact.y[i] : exact.z[i - exact.y.size()];
        difference = std::max(difference, std::abs(static_cast<double>(Quad(state[i]) - value)));
      }
      EXPECT_LT(difference, 2e-13) << share;
    }
  }
}

TEST(DenseOutput, LeavesTheRunAloneToTheLastBit) {
  for (const char* name : {"double_pendulum", "chain"}) {
    const Model model = gallery(name, name[0] == 'c' ? std::vector<std::string>{"N=30"} : std::vector<std::string>{});
    SimulateOptions options;
    options.step = 0.01, options.end = 0.5;
    Rows plain, sampled;
    const Report one = run_rows(model, "lobatto(3)", options, plain);
    options.sample = 0.0037;
    const Report two = run_rows(model, "lobatto(3)", options, sampled);
    ASSERT_EQ(two.ending, Ending::done) << two.reason;
    EXPECT_EQ(one.y, two.y);
    EXPECT_EQ(one.z, two.z);
    EXPECT_EQ(one.energy.max_error, two.energy.max_error);
    EXPECT_EQ(one.newton.iterations, two.newton.iterations);
    ASSERT_EQ(sampled.rows.size(), 136u);  // 0 .. 135 * 0.0037
    for (const auto& row : sampled.rows) EXPECT_LT(sampled.at(row, "residual.position"), 1e-13);
    for (const auto& row : sampled.rows) EXPECT_LT(sampled.at(row, "residual.velocity"), 1e-12);
  }
}

TEST(DenseOutput, RowsStandAtTheTimesThatWereAskedFor) {
  // x = cos(t): forward and backward, with the ends, a grid point, equal times and both kinds of request.
  const Model model = model_from_text("coordinate x\nkinetic x'^2/2\npotential x^2/2\ninitial x = 1\n");
  for (const double direction : {1.0, -1.0}) {
    SimulateOptions options;
    options.step = direction * 0.1, options.end = direction * 1.05;
    options.at = {direction * 1.05, direction * 0.333, direction * 0.2, direction * 0.333, 0};
    options.sample = 0.25;
    Rows rows;
    run_rows(model, "gauss(4)", options, rows);
    const std::vector<double> wanted{0, 0.2, 0.25, 0.333, 0.5, 0.75, 1, 1.05};
    ASSERT_EQ(rows.rows.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(rows.rows[i][0], direction * wanted[i]);
      EXPECT_NEAR(rows.rows[i][1], std::cos(wanted[i]), 1e-13);
      EXPECT_NEAR(rows.rows[i][2], -direction * std::sin(wanted[i]), 1e-13);
    }
    options.every = 3;  // beside them 0.3, 0.6 and 0.9; 0 and the end have their rows already
    Rows both;
    run_rows(model, "gauss(4)", options, both);
    EXPECT_EQ(both.rows.size(), wanted.size() + 3);
  }
}

TEST(DenseOutput, RefusesTimesOutsideTheRun) {
  const Model model = gallery("pendulum");
  SimulateOptions options;
  options.step = 0.01, options.end = 1;
  Rows rows;
  for (const double t : {-0.1, 1.1, std::nan("")}) {
    options.at = {t};
    EXPECT_THROW(run_rows(model, "lobatto(3)", options, rows), InputError) << t;
  }
  options.at = {}, options.sample = -1;
  EXPECT_THROW(run_rows(model, "lobatto(3)", options, rows), InputError);
}

}  // namespace
}  // namespace alembert::internal::testing
