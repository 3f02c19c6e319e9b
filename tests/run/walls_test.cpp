// Free flight against stiff walls, smooth ones and kinked ones, under a tolerance: every run that ends well is right.
// The reference is a Dormand-Prince code of twenty lines.
// Compiled only: what is judged here is the choice of steps.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "output/rows.h"

namespace alembert::internal::testing {
namespace {

using State = std::array<double, 2>;

struct Wall {
  const char* potential;                // beside gravity
  std::function<double(double)> force;  // of it
  double gravity = 9.81;
};

const std::vector<Wall>& walls() {
  static const std::vector<Wall> all{
      {"exp(-1000*y)", [](double y) { return 1000 * std::exp(-1000 * y); }},
      {"exp(-100*y)", [](double y) { return 100 * std::exp(-100 * y); }},
      {"exp(-3000*y) + exp(2000*(y - 1.1))",
       [](double y) { return 3000 * std::exp(-3000 * y) - 2000 * std::exp(2000 * (y - 1.1)); }, -3},
      {"1e4/2*min(y, 0)^2", [](double y) { return -1e4 * std::min(y, 0.0); }},
      {"1e6/2*min(y, 0)^2", [](double y) { return -1e6 * std::min(y, 0.0); }},
      {"1e8/2*min(y, 0)^2", [](double y) { return -1e8 * std::min(y, 0.0); }},
      {"1e7/3*max(-y, 0)^3", [](double y) { return 1e7 * std::pow(std::max(-y, 0.0), 2); }},
      {"1e6/2*(min(y, 0)^2 + max(y - 1.2, 0)^2)",
       [](double y) { return -1e6 * std::min(y, 0.0) - 1e6 * std::max(y - 1.2, 0.0); }, -3},
      {"20*abs(y)", [](double y) { return y > 0   ? -20.0
                                          : y < 0 ? 20.0
                                                  : 0.0; }, 0},
  };
  return all;
}

/// Dormand and Prince's pair of orders 5 and 4, with steps by its difference; from rest.
State dormand_prince(const Wall& wall, double end, double tolerance, double start = 1) {
  const auto rate = [&](const State& x) { return State{x[1], wall.force(x[0]) - wall.gravity}; };
  static constexpr double a[6][6] = {{1. / 5},
                                     {3. / 40, 9. / 40},
                                     {44. / 45, -56. / 15, 32. / 9},
                                     {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                                     {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
                                     {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
  static constexpr double d[7] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
  State x{start, 0};
  double h = 1e-3;
  for (double t = 0; t < end;) {
    h = std::min(h, end - t);
    std::array<State, 7> k{rate(x)};
    State to = x;
    for (int i = 0; i < 6; ++i) {
      to = x;
      for (int j = 0; j <= i; ++j)
        for (int n = 0; n < 2; ++n) to[n] += h * a[i][j] * k[j][n];
      k[i + 1] = rate(to);
    }
    double error = 0;
    for (int n = 0; n < 2; ++n) {
      double off = 0;
      for (int i = 0; i < 7; ++i) off += h * d[i] * k[i][n];
      error = std::max(error, std::abs(off) / (tolerance * (n == 0 ? 1 : 5)));
      if (!std::isfinite(off)) error = 1e10;
    }
    if (error <= 1) {
      x = to;
      t += h;
    }
    h *= std::clamp(0.9 * std::pow(error + 1e-10, -0.2), 0.2, 5.0);
  }
  return x;
}

double distance(const State& a, const State& b) {
  return std::max(std::abs(a[0] - b[0]), std::abs(a[1] - b[1]) / 5);  // speeds are up to 5
}

Model falling_on(const Wall& wall) {
  return model_from_text("coordinate y\nkinetic y'^2/2\npotential " + std::to_string(wall.gravity) + "*y + " +
                         wall.potential + "\ninitial y = 1\n");
}

TEST(Walls, RunsUnderAToleranceAreRightOrSayThatTheyAreNot) {
  int runs = 0;
  int wrong = 0;
  int failed = 0;
  double worst = 0;
  for (const Wall& wall : walls()) {
    const Model model = falling_on(wall);
    const Equations e = derive(model);
    for (const double end : {3.0, 10.0}) {
      const State exact = dormand_prince(wall, end, 1e-13);
      // What becomes of an error at the start.
      const double growth = std::max(1.0, distance(exact, dormand_prince(wall, end, 1e-13, 1 + 1e-7)) / 1e-7);
      for (const char* name : {"gauss(1)", "gauss(2)", "gauss(3)", "gauss(4)", "lobatto(3)", "radau(2)"}) {
        for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
          const bool low_order = std::string(name) == "gauss(1)";
          if (low_order && tolerance < 1e-6) continue;  // a million steps
          if (end > 5 && tolerance != 1e-6) continue;   // the same, for longer
          SimulateOptions options;
          options.step = 0.01;
          options.end = end;
          options.steps.control = Control::tolerance;
          options.steps.tolerance = tolerance;
          const Report report = simulate(model, e, method(name), options);
          ++runs;
          if (report.ending != Ending::done) {
            ++failed;
            ADD_FAILURE() << wall.potential << ", " << name << ", tolerance " << tolerance << ": " << report.reason;
            continue;
          }
          if (!report.warnings.empty()) continue;
          // What each two steps may add, and a hundred of them where there are fewer.
          const double allowed = (100 + 0.5 * static_cast<double>(report.steps)) * tolerance * growth;
          const double off = distance({report.y[0], report.z[0]}, exact);
          worst = std::max(worst, off / allowed);
          if (off <= allowed) continue;
          ++wrong;
          ADD_FAILURE() << wall.potential << ", " << name << ", tolerance " << tolerance << ", end " << end
                        << ": off by " << off << " where " << allowed << " is allowed";
        }
      }
    }
  }
  std::printf("%d runs, %d wrong, %d failed, at worst %.2g of what is allowed\n", runs, wrong, failed, worst);
  EXPECT_GE(runs, 100);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(failed, 0);
}

}  // namespace
}  // namespace alembert::internal::testing
