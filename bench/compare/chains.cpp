// Chains: rods against a tridiagonal matrix by hand, rigid links against trees of hinges.

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "../hand_written.h"
#include "alembert/base/cpu_time.h"
#include "alembert/run/simulate.h"
#include "contests.h"
#include "rivals.h"

namespace alembert::bench {

namespace {

using internal::thread_seconds;

/// CPU seconds a step of a run from the start, watched as always; the engine is made once.
Contestant run_of(const std::string& name, const std::string& text, const std::string& method, double h, long steps) {
  struct Held {
    explicit Held(const std::string& t)
        : model(internal::read_model(std::make_shared<const Source>(Source{"bench", t}))),
          equations(internal::derive(model)) {}
    internal::Model model;
    internal::Equations equations;
    SimulateOptions options;
    std::unique_ptr<internal::Engine> engine;
  };
  auto held = std::make_shared<Held>(text);
  held->options.step = h;
  held->options.end = h * static_cast<double>(steps);
  held->options.newton.kernel.backend = internal::native_available() ? Backend::native : Backend::interpreter;
  held->options.newton.kernel.optimise = false;  // large systems spend more on it than they gain
  held->engine = std::make_unique<internal::Engine>(held->model, held->equations, internal::find_method(method),
                                                    internal::engine_options(held->equations, held->options));
  return {name, Kind::ours, [held, steps]() -> double {
            if (!held->engine->begin({})) return NAN;
            const double begin = thread_seconds();
            const Report report = internal::simulate(*held->engine, held->options);
            const double seconds = (thread_seconds() - begin) / static_cast<double>(steps);
            return report.ending == Ending::done ? seconds : NAN;
          }};
}

std::string rods_text(int n) {
  return fmt::format(
      "model \"Chain\"\n"
      "parameter N = {}, m = 1, l = 0.1, gravity = 9.81\n"
      "family i = 1..N\n"
      "coordinate r[i][3]\n"
      "kinetic sum(i, m/2*norm2(r[i]'))\n"
      "potential sum(i, m*gravity*r[i][3])\n"
      "constraint first: norm2(r[1]) = l^2\n"
      "constraint rod: norm2(r[i] - r[i-1]) = l^2 for i = 2..N\n"
      "initial r[i] = (i*l, 0, 0), r[N]' = (0, 1, 0)\n",
      n);
}

/// Links of length 1 and mass 1 along x, joined by revolute joints about y, at rest.
std::string links_text(int n) {
  std::string text = "model \"Links\"\nparameter I = 1/12, J = 0.001\ngravity (0, 0, -9.81)\n";
  for (int i = 1; i <= n; ++i) text += fmt::format("body link{} mass 1 inertia (J, I, I) at ({}, 0, 0)\n", i, i - 0.5);
  text += "joint revolute j1 from ground to link1 point (-1/2, 0, 0) axis (0, 1, 0)\n";
  for (int i = 2; i <= n; ++i)
    text += fmt::format(
        "joint revolute j{} from link{} point (1/2, 0, 0) to link{} point (-1/2, 0, 0) axis (0, 1, 0)\n", i, i - 1, i);
  return text;
}

}  // namespace

void compare_rods(const BenchOptions& options, Results& results) {
  constexpr double h = 1e-4;
  for (const int n : options.quick ? std::vector<int>{100} : std::vector<int>{100, 1000, 10'000}) {
    const long steps = std::max(20, 100'000 / n);
    const Contestant hand{"tridiagonal matrix by hand, nothing watched", Kind::by_hand, [n, steps]() -> double {
                            HandChain chain(n, 1, 0.1, 9.81, 1, h);
                            const double begin = thread_seconds();
                            for (long i = 0; i < steps; ++i) chain.step();
                            const double seconds = (thread_seconds() - begin) / static_cast<double>(steps);
                            return chain.constraint() < 1e-12 ? seconds : NAN;
                          }};
    const Contestant ours = run_of("lobatto(2), run with all that is watched", rods_text(n), "lobatto(2)", h, steps);
    Comparison one{fmt::format("Chain of {} rods in space, RATTLE, h = {}", n, h), "a rod and step",
                   measure({hand, ours}, options.rounds)};
    for (Measured& m : one.entries)
      for (double* seconds : {&m.median, &m.low, &m.high}) *seconds /= n;
    results.comparisons.push_back(std::move(one));
  }
}

void compare_links(const BenchOptions& options, Results& results) {
  constexpr double h = 1e-3;
  for (const int n : options.quick ? std::vector<int>{4} : std::vector<int>{4, 8, 16, 32, 64}) {
    const long steps = options.quick ? 100 : 1000;
    std::vector<Contestant> contestants;
    for (const LinksRival& rival : links_rivals())
      contestants.push_back(
          {rival.name, Kind::rival, [run = rival.step_seconds, n, steps] { return run(n, h, steps); }});
    contestants.push_back(run_of("lobatto(2), run with all that is watched", links_text(n), "lobatto(2)", h, steps));
    results.comparisons.push_back({fmt::format("Chain of {} rigid links with revolute joints, h = {}", n, h), "a step",
                                   measure(contestants, std::min(options.rounds, 3))});
  }
}

}  // namespace alembert::bench
