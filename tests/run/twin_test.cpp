// The twin of a run: how fast errors grow, against neighbours of the same motion in another formulation and with
// another method.

#include "alembert/run/twin.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "alembert/run/simulate.h"
#include "source_folder.h"

namespace alembert::internal {
namespace {

using Angles = std::array<double, 4>;  // of both rods from the vertical, and their rates

Angles moved(const Angles& from, double h, const Angles& rate) {
  Angles to{};
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] + h * rate[i];
  return to;
}

/// models/double_pendulum.alm in angles.
Angles rate_of(const Angles& s) {
  constexpr double m1 = 3, m2 = 1, g = 9.81;
  const double c = std::cos(s[0] - s[1]), d = std::sin(s[0] - s[1]);
  const double f1 = -m2 * s[3] * s[3] * d - (m1 + m2) * g * std::sin(s[0]);
  const double f2 = m2 * s[2] * s[2] * d - m2 * g * std::sin(s[1]);
  const double determinant = (m1 + m2) * m2 - m2 * m2 * c * c;
  return {s[2], s[3], (m2 * f1 - m2 * c * f2) / determinant, ((m1 + m2) * f2 - m2 * c * f1) / determinant};
}

/// The classical method of Runge and Kutta.
Angles after_step(const Angles& s, double h) {
  const Angles a = rate_of(s), b = rate_of(moved(s, h / 2, a)), c = rate_of(moved(s, h / 2, b));
  const Angles d = rate_of(moved(s, h, c));
  return moved(moved(moved(moved(s, h / 6, a), h / 3, b), h / 3, c), h / 6, d);
}

/// Two neighbours that are brought together again after every unit of time (Benettin and others, Meccanica 15, 1980).
double lyapunov_exponent(int end) {
  constexpr double near = 1e-8, h = 0.002;
  Angles x{std::numbers::pi / 2, std::numbers::pi / 2, 0, 0}, y = x;
  y[0] += near;
  double sum = 0;
  for (int t = 0; t < end; ++t) {
    for (int k = 0; k < 500; ++k) {
      x = after_step(x, h);
      y = after_step(y, h);
    }
    double square = 0;
    for (std::size_t i = 0; i < x.size(); ++i) square += (y[i] - x[i]) * (y[i] - x[i]);
    const double apart = std::sqrt(square);
    sum += std::log(apart / near);
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + near / apart * (y[i] - x[i]);
  }
  return sum / end;
}

/// In e-folds per time, as a twin sees it that expects so many steps.
double growth_seen(double h, long made, double expected) {
  const Model model = read_model(source_folder() + "/models/double_pendulum.alm");
  const Equations equations = derive(model);
  const Method method = find_method("lobatto(3)");
  SimulateOptions options;
  options.step = h;
  options.end = h;
  Engine engine(model, equations, method, engine_options(equations, options));
  const ReportNames names = first_report(engine, options).names;
  GridPoint from = engine.point(), to = from;
  Twin twin(engine, names, from, expected, h);
  for (long n = 1; n <= made; ++n) {
    if (!engine.maker.make(engine.step, from, h, h * static_cast<double>(n), to)) return NAN;
    twin.follow(from, to);
    std::swap(from, to);
  }
  return twin.growth_until(from.t).rate;
}

// Finite times: the motions part after 25 units, and each sees the exponent of its own way.
TEST(Twin, GrowthIsTheLyapunovExponent) {
  const double expected = lyapunov_exponent(1000);
  EXPECT_NEAR(expected, 0.75, 0.05);
  // One step of its own for each of the run from the beginning, and where long ones were tried and failed.
  EXPECT_NEAR(growth_seen(0.01, 12000, 0), expected, 0.25 * expected);
  EXPECT_NEAR(growth_seen(0.01, 12000, 24000), expected, 0.25 * expected);
}

}  // namespace
}  // namespace alembert::internal
