// Large systems, as ratios of one run: chains of rods against tridiagonal code by hand, chains of rigid links, and
// loops with redundant constraints against their independent twins. Arguments "rods", "links", "loops": one of them
// alone; a number: the largest chain of rods (10,000 where not given; of links 40 times
// fewer).

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "alembert/run/simulate.h"

namespace alembert::internal {

namespace {

double seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);  // other processes do not count
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::string gallery_file(const std::string& name) {
  return std::string(ALEMBERT_SOURCE_DIR) + "/models/" + name + ".alm";
}

Model from_text(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return read_model(std::make_shared<const Source>(Source{"text", text}), overrides);
}

/// models/chain.alm by hand: RATTLE, multipliers extrapolated from the last three steps, Newton with a tridiagonal
/// elimination at every iterate. Nothing is watched.
class TridiagonalChain {
 public:
  explicit TridiagonalChain(int n) : n_(n), x_(3 * (n + 1)), v_(3 * (n + 1)), q_(x_), g_(3 * n), lambda_(n) {
    for (int i = 1; i <= n; ++i) x_[3 * i] = i * length;
    v_[3 * n + 1] = 1;
    last_.assign(3, std::vector<double>(n, 0.0));
    diagonal_ = upper_ = lower_ = right_ = std::vector<double>(n);
  }

  void step(double h) {
    for (int i = 0; i < n_; ++i) lambda_[i] = 3 * (last_[0][i] - last_[1][i]) + last_[2][i];
    for (int k = 0; k < 3 * n_; ++k) g_[k] = 2 * (x_[k + 3] - x_[k]);
    for (int iteration = 0; iteration < 20; ++iteration) {
      take_positions(h);
      if (correct(h) <= 1e-8 * length * length) break;  // the next residual is rounding
    }
    take_positions(h);
    for (int k = 3; k < 3 * (n_ + 1); ++k) v_[k] = (q_[k] - x_[k]) / h;
    for (int i = 1; i <= n_; ++i) v_[3 * i + 2] -= h / 2 * gravity;
    x_.swap(q_);
    project_velocities();
    last_[2].swap(last_[1]);
    last_[1].swap(last_[0]);
    last_[0] = lambda_;
  }

  double worst() const {
    double result = 0;
    for (int i = 0; i < n_; ++i) result = std::max(result, std::abs(square(x_, i) - length * length));
    return result;
  }

 private:
  static constexpr double length = 0.1, gravity = 9.81;

  static double square(const std::vector<double>& x, int i) {
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
      const double d = x[3 * i + 3 + c] - x[3 * i + c];
      sum += d * d;
    }
    return sum;
  }
  void take_positions(double h) {
    for (int i = 1; i <= n_; ++i)
      for (int c = 0; c < 3; ++c) {
        const double beyond = i < n_ ? lambda_[i] * g_[3 * i + c] : 0;
        const double force = lambda_[i - 1] * g_[3 * (i - 1) + c] - beyond + (c == 2 ? gravity : 0);
        q_[3 * i + c] = x_[3 * i + c] + h * (v_[3 * i + c] - h / 2 * force);
      }
  }
  double correct(double h) {
    const double factor = h * h / 2;
    for (int i = 0; i < n_; ++i) {
      double own = 0, before = 0, behind = 0;
      for (int c = 0; c < 3; ++c) {
        const double d = 2 * (q_[3 * i + 3 + c] - q_[3 * i + c]);
        own += d * g_[3 * i + c];
        if (i > 0) before += d * g_[3 * (i - 1) + c];
        if (i + 1 < n_) behind += d * g_[3 * (i + 1) + c];
      }
      diagonal_[i] = (i > 0 ? 2 : 1) * factor * own;
      lower_[i] = -factor * before;
      upper_[i] = -factor * behind;
      right_[i] = square(q_, i) - length * length;
    }
    double residual = 0;
    for (int i = 0; i < n_; ++i) residual = std::max(residual, std::abs(right_[i]));
    eliminate();
    for (int i = 0; i < n_; ++i) lambda_[i] += right_[i];
    return residual;
  }
  void project_velocities() {
    for (int k = 0; k < 3 * n_; ++k) g_[k] = x_[k + 3] - x_[k];
    for (int i = 0; i < n_; ++i) {
      double own = 0, before = 0, behind = 0, rate = 0;
      for (int c = 0; c < 3; ++c) {
        const double d = g_[3 * i + c];
        own += d * d;
        if (i > 0) before += d * g_[3 * (i - 1) + c];
        if (i + 1 < n_) behind += d * g_[3 * (i + 1) + c];
        rate += d * (v_[3 * i + 3 + c] - v_[3 * i + c]);
      }
      diagonal_[i] = (i > 0 ? 2 : 1) * own;
      lower_[i] = -before;
      upper_[i] = -behind;
      right_[i] = rate;
    }
    eliminate();
    for (int i = 1; i <= n_; ++i)
      for (int c = 0; c < 3; ++c)
        v_[3 * i + c] -= right_[i - 1] * g_[3 * (i - 1) + c] - (i < n_ ? right_[i] * g_[3 * i + c] : 0);
  }
  void eliminate() {
    for (int i = 1; i < n_; ++i) {
      const double factor = lower_[i] / diagonal_[i - 1];
      diagonal_[i] -= factor * upper_[i - 1];
      right_[i] -= factor * right_[i - 1];
    }
    right_[n_ - 1] /= diagonal_[n_ - 1];
    for (int i = n_ - 2; i >= 0; --i) right_[i] = (right_[i] - upper_[i] * right_[i + 1]) / diagonal_[i];
  }

  int n_;
  std::vector<double> x_, v_, q_, g_, lambda_, diagonal_, upper_, lower_, right_;
  std::vector<std::vector<double>> last_;
};

struct Cost {
  double start = 0;  // seconds of all that comes before the first step
  double step = 0;   // seconds of a step in a run
};

double run_seconds(const Model& model, const std::string& method, double h, long steps) {
  SimulateOptions options;
  options.step = h;
  options.end = h * static_cast<double>(steps);
  const double before = seconds();
  simulate(model, derive(model), find_method(method), options);
  return seconds() - before;
}

/// Of whole runs, with all that is watched, of so many steps and twice as many.
Cost cost(const Model& model, const std::string& method, double h, long steps) {
  std::fflush(stdout);
  const double one = run_seconds(model, method, h, steps), two = run_seconds(model, method, h, 2 * steps);
  return {2 * one - two, (two - one) / static_cast<double>(steps)};
}

void rods(int largest) {
  constexpr double h = 1e-4;
  fmt::print("Chain of N rods, lobatto(2), h = {}: CPU time\n", h);
  fmt::print("{:>9} {:>14} {:>14} {:>8} {:>14}\n", "N", "by hand, ns", "in a run, ns", "ratio", "start, us");
  double first = 0, last = 0;
  for (int n = 100; n <= largest; n *= 10) {
    const long steps = std::max(300L, 500'000L / n);
    TridiagonalChain chain(n);
    double before = seconds();
    for (long i = 0; i < steps; ++i) chain.step(h);
    const double hand = (seconds() - before) / static_cast<double>(steps) / n;
    if (!(chain.worst() < 1e-12)) fmt::print("by hand: the constraints are lost\n");
    before = seconds();
    const Model model = read_model(gallery_file("chain"), {"N=" + std::to_string(n)});
    const double reading = seconds() - before;
    const Cost run = cost(model, "lobatto(2)", h, steps);
    const double rod = run.step / n;
    fmt::print("{:>9} {:>14.0f} {:>14.0f} {:>8.1f} {:>14.0f}\n", n, 1e9 * hand, 1e9 * rod, rod / hand,
               1e6 * (reading + run.start) / n);
    if (first == 0) first = rod;
    last = rod;
  }
  if (largest > 100) fmt::print("exponent of growth {:.2f}\n", 1 + std::log(last / first) / std::log(largest / 100.0));
}

void links(int largest) {
  const std::string text =
      "model \"Chain of links\"\n"
      "parameter N = 4, m = 1, l = 0.5, J = 0.02, J0 = 0.001, g = 9.81\n"
      "family i = 1..N\n"
      "body link[i] mass m inertia (J, J, J0) at (0, 0, -(i - 1/2)*l)\n"
      "gravity (0, g, 0)\n"
      "joint revolute hinge[1] from ground axis (1, 0, 0) to link[1] point (0, 0, l/2)\n"
      "joint revolute hinge[i] from link[i-1] point (0, 0, -l/2) axis (1, 0, 0) to link[i] point (0, 0, l/2) for i = "
      "2..N\n";
  fmt::print("\nChain of N rigid links, lobatto(2), h = 0.001: CPU time a body\n");
  fmt::print("{:>9} {:>14} {:>14}\n", "N", "step, us", "start, ms");
  for (int n = 2; n <= largest; n *= 2) {
    const double before = seconds();
    const Model model = from_text(text, {"N=" + std::to_string(n)});
    const double reading = seconds() - before;
    const Cost run = cost(model, "lobatto(2)", 0.001, std::max(300L, 50'000L / n));
    fmt::print("{:>9} {:>14.1f} {:>14.2f}\n", n, 1e6 * run.step / n, 1e3 * (reading + run.start) / n);
  }
}

void loops() {
  const std::string head =
      "parameter m = 1, J = 0.1, g = 9.81\n"
      "body crank mass m inertia (J, 2*J, J) at (0, 0.5, 0) omega (0, 0, -3)\n"
      "body coupler mass m inertia (2*J, J, J) at (1, 1.25, 0)\n"
      "body rocker mass m inertia (J, J, 2*J) at (2, 0.75, 0)\n"
      "gravity (0, -g, 0)\n"
      "joint revolute A from ground axis (0, 0, 1) to crank point (0, -0.5, 0)\n"
      "joint revolute B from crank point (0, 0.5, 0) axis (0, 0, 1) to coupler point (-1, -0.25, 0)\n";
  const std::string redundant =
      "model \"Four hinges\"\n" + head +
      "joint revolute C from coupler point (1, 0.25, 0) axis (0, 0, 1) to rocker point (0, 0.75, 0)\n"
      "joint revolute D from ground point (2, 0, 0) axis (0, 0, 1) to rocker point (0, -0.75, 0)\n";
  const std::string independent = "model \"Twin\"\n" + head +
                                  "joint spherical C from coupler point (1, 0.25, 0) to rocker point (0, 0.75, 0)\n"
                                  "joint cylindrical D from ground point (2, 0, 0) axis (0, 0, 1) to rocker point (0, "
                                  "-0.75, 0)\n";
  fmt::print("\nFour-bar in space with three redundant constraints against its independent twin: CPU time of a step\n");
  fmt::print("{:<14} {:>14} {:>14} {:>8}\n", "method", "redundant, us", "twin, us", "ratio");
  const Model one = from_text(redundant), other = from_text(independent);
  for (const char* method : {"lobatto(2)", "lobatto(3)", "gauss(2)"}) {
    double slow = 1e300, fast = 1e300;
    for (int round = 0; round < 3; ++round) {
      slow = std::min(slow, cost(one, method, 0.001, 4000).step);
      fast = std::min(fast, cost(other, method, 0.001, 4000).step);
    }
    fmt::print("{:<14} {:>14.1f} {:>14.1f} {:>8.2f}\n", method, 1e6 * slow, 1e6 * fast, slow / fast);
  }
}

}  // namespace

void measure_large(int argc, char** argv) {
  std::string which;
  int largest = 10'000;
  for (int i = 1; i < argc; ++i) {
    if (std::atoi(argv[i]) > 0) largest = std::atoi(argv[i]);
    else which = argv[i];
  }
  if (which.empty() || which == "rods") rods(largest);
  if (which.empty() || which == "links") links(std::min(largest / 40, 1024));
  if (which.empty() || which == "loops") loops();
}

}  // namespace alembert::internal

int main(int argc, char** argv) {
  alembert::internal::measure_large(argc, argv);
  return 0;
}
