// Steps as curves: motions that are polynomials are followed exactly, others to the order of the stages.

#include "alembert/newton/stage_curve.h"

#include <gtest/gtest.h>

#include <cmath>

namespace alembert::internal {
namespace {

const std::vector<double> gauss_nodes{0.1127016653792583, 0.5, 0.8872983346207417};

double cubic(double t) { return 2 + t * (1 + t * (-3 + t * 0.5)); }
double cubic_slope(double t) { return 1 + t * (-6 + t * 1.5); }

/// x and its rate, growing, with a multiplier that is a parabola: three stages each, the end of x among the unknowns.
std::vector<StageSeries> three_stages() {
  std::vector<double> with_end = gauss_nodes;
  with_end.push_back(1);
  return {{0, false, 1, {0, 1, 2, 3}, with_end}, {-1, false, 1, {4, 5, 6}, gauss_nodes}};
}

SolvedStep<double> step_of(double t, double h, double (*x)(double)) {
  SolvedStep<double> step{t, h, {x(t)}, {x(t + h)}, {}};
  for (const double c : gauss_nodes) step.unknowns.push_back(x(t + c * h) - x(t));
  step.unknowns.push_back(x(t + h) - x(t));
  for (const double c : gauss_nodes) step.unknowns.push_back((t + c * h) * (t + c * h));
  return step;
}

TEST(StageCurve, StepsOfAnySizeAreReadOffACubic) {
  const auto series = three_stages();
  const SolvedStep<double> first = step_of(1, 0.2, cubic), second = step_of(1.2, 0.2, cubic);
  const SolvedStep<double>* both[] = {&first, &second};
  for (const auto& [t, h] : {std::pair(1.4, 0.2), {1.4, 0.3}, {1.0, 0.4}, {1.0, 0.1}, {1.1, 0.2}}) {
    const double state = cubic(t);
    std::vector<double> unknowns(7, NAN);
    guess_from_steps<double>(series, both, t, h, &state, unknowns.data());
    for (std::size_t i = 0; i < 3; ++i) {
      const double at = t + gauss_nodes[i] * h;
      EXPECT_NEAR(unknowns[i], cubic(at) - cubic(t), 1e-13) << t << " " << h;
      EXPECT_NEAR(unknowns[4 + i], at * at, 1e-13);
    }
    EXPECT_NEAR(unknowns[3], cubic(t + h) - cubic(t), 1e-13);
  }
}

TEST(StageCurve, RatesAreScaledWithTheStep) {
  const std::vector<StageSeries> series{{0, true, 1, {0, 1, 2}, gauss_nodes}};
  SolvedStep<double> step{1, 0.2, {cubic(1)}, {cubic(1.2)}, {}};
  for (const double c : gauss_nodes) step.unknowns.push_back(0.2 * cubic_slope(1 + 0.2 * c));
  const SolvedStep<double>* one[] = {&step};
  const double state = cubic(1.2);
  std::vector<double> unknowns(3);
  guess_from_steps<double>(series, one, 1.2, 0.5, &state, unknowns.data());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(unknowns[i], 0.5 * cubic_slope(1.2 + 0.5 * gauss_nodes[i]), 1e-13);
  std::vector<double> defects;
  const double from[] = {cubic_slope(1)}, to[] = {cubic_slope(1.2)};
  slope_defects(series, step, from, to, defects);
  EXPECT_NEAR(defects.at(0), 0, 1e-14);
}

TEST(StageCurve, DefectsSeeTheEndsOfAStep) {
  const auto series = three_stages();
  const SolvedStep<double> step = step_of(0, 0.5, cubic);
  std::vector<double> defects;
  const double from[] = {cubic_slope(0)}, to[] = {cubic_slope(0.5)};
  slope_defects(series, step, from, to, defects);
  EXPECT_NEAR(defects.at(0), 0, 1e-13);
  const double wall[] = {cubic_slope(0.5) + 3};
  slope_defects(series, step, from, wall, defects);
  EXPECT_NEAR(defects.at(0), 1.5, 1e-12);
}

TEST(StageCurve, DefectsVanishWithTheOrderOfTheStages) {
  // Exact values at both ends and at three stages: a polynomial of degree 4, so that slopes are off by h^4.
  double before = 0;
  for (const double h : {0.4, 0.2, 0.1}) {
    const SolvedStep<double> step = step_of(1, h, [](double t) { return std::sin(t); });
    std::vector<double> defects;
    const double from[] = {std::cos(1.0)}, to[] = {std::cos(1.0 + h)};
    slope_defects(three_stages(), step, from, to, defects);
    if (before > 0) { EXPECT_NEAR(std::log2(before / defects.at(0)), 5, 0.5); }
    before = defects.at(0);
  }
}

}  // namespace
}  // namespace alembert::internal
