// The double pendulum: what a step costs, and what an accuracy costs.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>

#include "../hand_written.h"
#include "alembert/base/cpu_time.h"
#include "alembert/run/simulate.h"
#include "contests.h"
#include "rivals.h"

namespace alembert::bench {

namespace {

using internal::derive;
using internal::Equations;
using internal::find_method;
using internal::Model;
using internal::thread_seconds;

// theta = 0.6, 0.8; unit masses and lengths; at rest: a regular motion.
constexpr double first_angle = 0.6, second_angle = 0.8, gravity = 9.81;
DoublePendulum start() { return DoublePendulum::at_angles(1, 1, gravity, first_angle, second_angle); }

std::string model_path() { return std::string(ALEMBERT_SOURCE_DIR) + "/bench/regular_pendulum.alm"; }
Model model() { return internal::read_model(model_path()); }

SimulateOptions options_of(double h, double end) {
  SimulateOptions options;
  options.step = h;
  options.end = end;
  options.newton.kernel.backend = internal::native_available() ? Backend::native : Backend::interpreter;
  return options;
}

/// Runs with one engine, watched as always. The first one makes the kernel.
class Ours {
 public:
  Ours(const std::string& method, double h, double end)
      : model_(model()),
        e_(derive(model_)),
        options_(options_of(h, end)),
        engine_(model_, e_, find_method(method), internal::engine_options(e_, options_)) {}

  /// CPU time of the run, and where it ended.
  std::optional<Integrated> run() {
    if (!engine_.begin({})) return std::nullopt;
    const double begin = thread_seconds();
    const Report report = internal::simulate(engine_, options_);
    if (report.ending != Ending::done) return std::nullopt;
    return Integrated{thread_seconds() - begin, report.y};
  }

 private:
  Model model_;
  Equations e_;
  SimulateOptions options_;
  internal::Engine engine_;
};

Contestant ours(const std::string& method, double h, long steps) {
  const auto held = std::make_shared<Ours>(method, h, h * static_cast<double>(steps));
  return {method + ", run with all that is watched", Kind::ours, [held, steps]() -> double {
            const std::optional<Integrated> result = held->run();
            return result ? result->seconds / static_cast<double>(steps) : NAN;
          }};
}

template <class Step>
Contestant by_hand(const std::string& name, double h, long steps) {
  return {name, Kind::by_hand, [h, steps]() -> double {
            Step step(start(), h);
            const double begin = thread_seconds();
            for (long i = 0; i < steps; ++i) step.step();
            const double seconds = (thread_seconds() - begin) / static_cast<double>(steps);
            return step.pendulum().constraint() < 1e-12 ? seconds : NAN;
          }};
}

/// Where the pendulum is at time t: the angles, by Gragg's method with extrapolation in long double. Knows nothing of
/// constraints.
std::array<double, 4> reference(double t) {
  using Real = long double;
  using State = std::array<Real, 4>;  // angles and their rates
  const auto rates = [](const State& s) {
    const Real d = s[0] - s[1], c = std::cos(d), sine = std::sin(d), g = Real(981) / 100;
    // 2 a'' + c b'' = -s b'^2 - 2 g sin a; c a'' + b'' = s a'^2 - g sin b
    const Real r1 = -sine * s[3] * s[3] - 2 * g * std::sin(s[0]), r2 = sine * s[2] * s[2] - g * std::sin(s[1]);
    const Real determinant = 2 - c * c;
    return State{s[2], s[3], (r1 - c * r2) / determinant, (2 * r2 - c * r1) / determinant};
  };
  constexpr int rows = 9;
  const long steps = std::lround(t / 0.1);
  const Real h = Real(t) / static_cast<Real>(steps);
  State s{Real(6) / 10, Real(8) / 10, 0, 0};
  for (long step = 0; step < steps; ++step) {
    std::array<State, rows> table{};
    for (int row = 0; row < rows; ++row) {
      const int parts = 2 * (row + 1);
      const Real part = h / parts;
      State before = s, here = s;
      const State slope = rates(s);
      for (int i = 0; i < 4; ++i) here[i] += part * slope[i];
      for (int k = 1; k < parts; ++k) {
        const State r = rates(here);
        for (int i = 0; i < 4; ++i) before[i] += 2 * part * r[i];
        std::swap(before, here);
      }
      const State r = rates(here);
      for (int i = 0; i < 4; ++i) table[row][i] = (here[i] + before[i] + part * r[i]) / 2;
      for (int k = row - 1; k >= 0; --k) {
        const Real ratio = Real(row + 1) / Real(k + 1), weight = 1 / (ratio * ratio - 1);
        for (int i = 0; i < 4; ++i) table[k][i] = table[k + 1][i] + weight * (table[k + 1][i] - table[k][i]);
      }
    }
    s = table[0];
  }
  const auto x1 = static_cast<double>(std::sin(s[0])), y1 = static_cast<double>(-std::cos(s[0]));
  return {x1, y1, x1 + static_cast<double>(std::sin(s[1])), y1 - static_cast<double>(std::cos(s[1]))};
}

/// Of positions, with which a state begins.
double distance(std::span<const double> a, const std::array<double, 4>& b) {
  double most = 0;
  for (int i = 0; i < 4; ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

/// The same method by hand and by us leads to the same place, but for rounding.
template <class Step>
void require_same(const std::string& method) {
  constexpr double h = 0.01, enough = 1e-11;
  constexpr long steps = 100;
  Step step(start(), h);
  for (long i = 0; i < steps; ++i) step.step();
  const double apart = distance(Ours(method, h, h * steps).run().value().state, step.pendulum().q);
  if (!(apart <= enough)) throw std::runtime_error(fmt::format("{} by hand is another method: {:.2g}", method, apart));
}

}  // namespace

void compare_steps(const BenchOptions& options, Results& results) {
  require_same<HandRattle>("lobatto(2)");
  require_same<HandLobatto<3>>("lobatto(3)");
  require_same<HandLobatto<4>>("lobatto(4)");
  // So many that what a run does at its beginning (errors followed beside it) is a small part of it.
  const long steps = options.quick ? 5000 : 1'000'000;
  const auto add = [&](const char* title, std::vector<Contestant> contestants) {
    results.comparisons.push_back({title, "a step", measure(contestants, options.rounds)});
  };
  add("Double pendulum, order 2, h = 0.01",
      {by_hand<HandRattle>("RATTLE by hand, nothing watched", 0.01, steps), ours("lobatto(2)", 0.01, steps)});
  add("Double pendulum, order 4, h = 0.01",
      {by_hand<HandLobatto<3>>("Lobatto, 3 stages, by hand, nothing watched", 0.01, steps),
       ours("lobatto(3)", 0.01, steps), ours("gauss(2)", 0.01, steps)});
  add("Double pendulum, order 6, h = 0.02",
      {by_hand<HandLobatto<4>>("Lobatto, 4 stages, by hand, nothing watched", 0.02, steps),
       ours("lobatto(4)", 0.02, steps), ours("gauss(3)", 0.02, steps)});
}

namespace {

constexpr double sizes[] = {0.16, 0.12, 0.08, 0.06, 0.04, 0.03, 0.02, 0.015, 0.01};
constexpr int stages[] = {2, 3, 4};

using Runs = std::vector<Contestant>;

/// A run that goes through, with its error.
void add_run(Runs& runs, const std::string& name, Kind kind, const std::array<double, 4>& exact,
             const std::function<std::optional<Integrated>()>& run) {
  const std::optional<Integrated> once = run();
  if (!once || std::isnan(once->seconds)) return;
  runs.push_back({name, kind,
                  [run]() -> double {
                    const std::optional<Integrated> again = run();
                    return again ? again->seconds : NAN;
                  },
                  distance(once->state, exact)});
}

void add_rivals(Runs& runs, double end, const std::array<double, 4>& exact, bool quick) {
  for (const PendulumRival& rival : sundials_rivals())
    for (double tolerance = 1e-5; tolerance > 0.9e-12; tolerance /= quick ? 1000 : 10)
      add_run(runs, rival.name, Kind::rival, exact,
              [run = rival.run, end, tolerance] { return run(start(), end, tolerance); });
}

/// Our whole processes, with the code that an earlier one has compiled.
void add_processes(Runs& runs, const std::string& program, double end, const std::array<double, 4>& exact, bool quick) {
  for (const int s : stages)
    for (const double h : sizes) {
      if (quick && h != sizes[2]) continue;
      const std::string method = fmt::format("gauss({})", s);
      const std::optional<Integrated> result = Ours(method, h, end).run();
      if (!result) continue;
      const std::vector<std::string> words{program,
                                           "run",
                                           model_path(),
                                           "--method",
                                           method,
                                           "--step",
                                           fmt::format("{}", h),
                                           "--end",
                                           fmt::format("{}", end),
                                           "--quiet"};
      process_seconds(words);  // from now on its code is kept
      runs.push_back({method, Kind::ours, [words] { return process_seconds(words); }, distance(result->state, exact)});
    }
}

}  // namespace

void compare_precision(const BenchOptions& options, Results& results) {
  const double end = options.quick ? 24 : 240;
  const std::array<double, 4> exact = reference(end);
  const int rounds = options.quick ? 1 : 3;
  Runs runs;
  for (const int s : stages)
    for (const double h : sizes) {
      const std::string method = fmt::format("gauss({})", s);
      add_run(runs, method, Kind::ours, exact, [held = std::make_shared<Ours>(method, h, end)] { return held->run(); });
    }
  add_rivals(runs, end, exact, options.quick);
  const char error[] = "largest error of a coordinate at the end";
  results.diagrams.push_back({fmt::format("Double pendulum, regular motion, to t = {}", end), "CPU seconds of the run",
                              error, measure(runs, rounds)});
  if (options.program.empty()) return;
  Runs whole;
  add_processes(whole, options.program, end, exact, options.quick);
  add_rivals(whole, end, exact, options.quick);
  results.diagrams.push_back(
      {fmt::format("Double pendulum, to t = {}: our whole process, the runs of others alone", end), "CPU seconds",
       error, measure(whole, rounds)});
}

}  // namespace alembert::bench
