// Large systems, as ratios of one run: chains of rods against tridiagonal code by hand, chains of rigid links, and
// loops with redundant constraints against their independent twins. Arguments "rods", "links", "loops": one of them
// alone; a number: the largest chain of rods (10,000 where not given; of links 40 times fewer).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "alembert/base/cpu_time.h"
#include "alembert/code/late_code.h"
#include "alembert/run/simulate.h"
#include "hand_written.h"

namespace alembert::internal {

namespace {

std::string source_file(const std::string& name) { return std::string(ALEMBERT_SOURCE_DIR) + "/" + name; }

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

/// Until nothing is left to compile that runs of so many steps ask for: what a second thread does in the middle of one
/// would be taken for its steps, and the steps before it are interpreted.
void compile_all(const Model& model, const std::string& method, double h, long steps) {
  constexpr int most_runs = 6;
  constexpr double nothing = 1e-3;  // seconds: what is kept is looked for
  for (int i = 0; i < most_runs; ++i) {
    const double before = detail::background_seconds();
    run_seconds(model, method, h, steps);
    detail::finish_background();
    if (detail::background_seconds() - before < nothing) return;
  }
  fmt::print("still compiling: is there a cache?\n");
}

/// Of whole runs, with all that is watched, of so many steps and twice as many, compiled before: the best of three.
Cost cost(const Model& model, const std::string& method, double h, long steps) {
  std::fflush(stdout);
  double one = 1e300, two = 1e300;
  for (const long count : {2 * steps, steps}) compile_all(model, method, h, count);
  for (int round = 0; round < 3; ++round) {
    one = std::min(one, run_seconds(model, method, h, steps));
    two = std::min(two, run_seconds(model, method, h, 2 * steps));
  }
  return {2 * one - two, (two - one) / static_cast<double>(steps)};
}

/// Of a step by hand, as models/chain.alm: the best of three.
double hand_seconds(int n, double h, long steps) {
  double best = 1e300;
  for (int round = 0; round < 3; ++round) {
    bench::HandChain chain(n, 1, 0.1, 9.81, 1, h);
    const double before = process_seconds();
    for (long i = 0; i < steps; ++i) chain.step();
    best = std::min(best, (process_seconds() - before) / static_cast<double>(steps));
    if (!(chain.constraint() < 1e-12)) fmt::print("by hand: the constraints are lost\n");
  }
  return best;
}

void rods(int largest) {
  constexpr double h = 1e-4;
  fmt::print("Chain of N rods, lobatto(2), h = {}: CPU time\n", h);
  fmt::print("{:>9} {:>14} {:>14} {:>8} {:>14}\n", "N", "by hand, ns", "in a run, ns", "ratio", "start, us");
  double first = 0, last = 0;
  for (int n = 100; n <= largest; n *= 10) {
    const long steps = std::max(300L, 500'000L / n);
    const double hand = hand_seconds(n, h, steps) / n;
    const double before = process_seconds();
    const Model model = read_model(source_file("models/chain.alm"), {"N=" + std::to_string(n)});
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
  fmt::print("\nChain of N rigid links, lobatto(2), h = 0.001: CPU time a body\n");
  fmt::print("{:>9} {:>14} {:>14}\n", "N", "step, us", "start, ms");
  for (int n = 2; n <= largest; n *= 2) {
    const double before = process_seconds();
    const Model model = read_model(source_file("bench/links.alm"), {"N=" + std::to_string(n)});
    const double reading = process_seconds() - before;
    const Cost run = cost(model, "lobatto(2)", 0.001, std::max(300L, 50'000L / n));
    fmt::print("{:>9} {:>14.1f} {:>14.2f}\n", n, 1e6 * run.step / n, 1e3 * (reading + run.start) / n);
  }
}

void loops() {
  fmt::print("\nFour-bar in space with three redundant constraints against its independent twin: CPU time of a step\n");
  fmt::print("{:<14} {:>14} {:>14} {:>8}\n", "method", "redundant, us", "twin, us", "ratio");
  const Model one = read_model(source_file("bench/four_hinges.alm")),
              other = read_model(source_file("bench/four_hinges_twin.alm"));
  for (const char* method : {"lobatto(2)", "lobatto(3)", "gauss(2)"}) {
    const double slow = cost(one, method, 0.001, 4000).step, fast = cost(other, method, 0.001, 4000).step;
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
