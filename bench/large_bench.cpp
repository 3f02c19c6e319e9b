// Large systems, as ratios of one run: chains of rods against tridiagonal code by hand, chains of rigid links, and
// loops with redundant constraints against their independent twins. Arguments "rods", "links", "loops": one of them
// alone; a number: the largest chain of rods (10,000 where not given; of links 40 times fewer).

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "alembert/base/cpu_time.h"
#include "alembert/run/simulate.h"
#include "hand_written.h"

namespace alembert::internal {

namespace {

std::string gallery_file(const std::string& name) {
  return std::string(ALEMBERT_SOURCE_DIR) + "/models/" + name + ".alm";
}

Model from_text(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return read_model(std::make_shared<const Source>(Source{"text", text}), overrides);
}

struct Cost {
  double start = 0;  // seconds of all that comes before the first step
  double step = 0;   // seconds of a step in a run
};

double run_seconds(const Model& model, const std::string& method, double h, long steps) {
  SimulateOptions options;
  options.step = h;
  options.end = h * static_cast<double>(steps);
  const double before = process_seconds();
  simulate(model, derive(model), find_method(method), options);
  return process_seconds() - before;
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
    bench::HandChain chain(n, 1, 0.1, 9.81, 1, h);  // as models/chain.alm
    double before = process_seconds();
    for (long i = 0; i < steps; ++i) chain.step();
    const double hand = (process_seconds() - before) / static_cast<double>(steps) / n;
    if (!(chain.constraint() < 1e-12)) fmt::print("by hand: the constraints are lost\n");
    before = process_seconds();
    const Model model = read_model(gallery_file("chain"), {"N=" + std::to_string(n)});
    const double reading = process_seconds() - before;
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
    const double before = process_seconds();
    const Model model = from_text(text, {"N=" + std::to_string(n)});
    const double reading = process_seconds() - before;
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
