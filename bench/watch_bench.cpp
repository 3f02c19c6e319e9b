// What it costs to know whether a run is right: RATTLE steps of the double pendulum with and without the judge, the
// companion with longer steps, the twin beside the run, and the comparisons of single steps. Energy and constraints are
// evaluated for the report in either case.

#include <fmt/format.h>

#include <algorithm>

#include "alembert/base/cpu_time.h"
#include "alembert/run/accuracy.h"
#include "alembert/run/judge.h"
#include "alembert/run/twin.h"

namespace alembert::internal {

namespace {

/// Nanoseconds a step. watched, judged: what is done beside the steps.
double nanoseconds(const Engine& compiled, const ReportNames& names, double h, long steps, bool watched, bool judged) {
  Engine engine(compiled);
  GridPoint from = engine.point(), to = from;
  engine.watch.restart();
  engine.watch.look(from.t, from.state, {});
  Judge judge(engine, from, false);
  AccuracyProbe probe(engine, names, static_cast<double>(steps), h, from);
  Twin twin(engine, names, from);
  long bad = 0;
  const double before = thread_seconds();
  for (long i = 0; i < steps; ++i) {
    if (!engine.maker.make(engine.step, from, h, h * static_cast<double>(i + 1), to)) ++bad;
    if (watched) engine.watch.look(to.t, to.state, {});
    if (judged) {
      if (!judge.fine() && !judge.broken(to).empty()) ++bad;
      probe.follow(from, to);
      twin.follow(from, to);
    }
    swap(from, to);
  }
  const double passed = thread_seconds() - before;
  if (bad > 0) fmt::print("{} steps failed\n", bad);
  return 1e9 * passed / static_cast<double>(steps);
}

}  // namespace

int measure_watching() {
  constexpr double h = 0.01;
  constexpr long steps = 1'000'000;
  const Model model = read_model(std::string(ALEMBERT_SOURCE_DIR) + "/models/double_pendulum.alm");
  const Equations e = derive(model);
  const Method rattle = find_method("lobatto(2)");
  EngineOptions options;
  options.step = h;
  const Engine engine(model, e, rattle, options);
  const ReportNames names;  // entries of vectors need not be told apart
  double bare = 1e300, watched = 1e300, judged = 1e300;
  for (int round = 0; round < 5; ++round) {  // in turn, so that what disturbs the machine disturbs all
    bare = std::min(bare, nanoseconds(engine, names, h, steps, false, false));
    watched = std::min(watched, nanoseconds(engine, names, h, steps, true, false));
    judged = std::min(judged, nanoseconds(engine, names, h, steps, true, true));
  }
  fmt::print("Double pendulum, RATTLE, {} steps of {}, CPU time of a step\n", steps, h);
  fmt::print("{:<50} {:>6.0f} ns\n", "the step alone", bare);
  fmt::print("{:<50} {:>6.0f} ns\n", "with energy, constraints and rank for the report", watched);
  fmt::print("{:<50} {:>6.0f} ns, {:.1f} % more\n", "and judged, with its accuracy", judged,
             100 * (judged - watched) / watched);
  return 0;
}

}  // namespace alembert::internal

int main() { return alembert::internal::measure_watching(); }
