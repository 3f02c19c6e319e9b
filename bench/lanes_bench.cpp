// What a step and trajectory costs in lanes, against the scalar engine and against RATTLE written by hand for 8 lanes,
// in one run. CPU time of the thread; the best of several batches, since machines are noisy.

#include <fmt/format.h>
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>

#include "alembert/base/cpu_time.h"
#include "alembert/code/lanes.h"
#include "alembert/run/engine_program.h"
#include "alembert/run/simulate.h"

namespace alembert::internal {

namespace {

constexpr int batches = 5;

/// Nanoseconds for one of `count` things, the best of some batches.
template <class Work>
double best_of(double count, Work work) {
  double best = HUGE_VAL;
  for (int i = 0; i < batches; ++i) {
    const double before = thread_seconds();
    work();
    best = std::min(best, 1e9 * (thread_seconds() - before) / count);
  }
  return best;
}

// RATTLE for two rods of length 1, as one would write it: the multipliers are predicted from three steps.
typedef double Vector8 __attribute__((vector_size(64)));

__attribute__((target("avx512f"))) inline bool any_above(Vector8 a, double most) {
  return _mm512_cmp_pd_mask(_mm512_abs_pd(a), _mm512_set1_pd(most), _CMP_GT_OQ) != 0;
}

struct HandWritten {
  Vector8 x1, y1, x2, y2, u1, w1, u2, w2;  // positions and velocities
  Vector8 a1, a2, b1, b2, c1, c2;          // multipliers of the last three steps
  static constexpr double m1 = 3, m2 = 1, g = 9.81;

  HandWritten() {
    const Vector8 zero{};
    x1 = zero + std::sin(0.6);
    y1 = zero - std::cos(0.6);
    x2 = x1 + std::sin(0.8);
    y2 = y1 - std::cos(0.8);
    u1 = w1 = u2 = w2 = zero;
    a1 = b1 = c1 = zero + 20;
    a2 = b2 = c2 = zero + 5;
  }

  __attribute__((target("avx512f"))) void step(double h) {
    const Vector8 dx = x2 - x1, dy = y2 - y1;
    Vector8 l1 = 3 * (a1 - b1) + c1, l2 = 3 * (a2 - b2) + c2;
    const double k1 = h * h / m1, k2 = h * h / m2, fall = h * h * g / 2;
    Vector8 p1, q1, p2, q2, ex, ey;
    const auto place = [&] {
      p1 = x1 + h * u1 + k1 * (l2 * dx - l1 * x1);
      q1 = y1 + h * w1 + k1 * (l2 * dy - l1 * y1) - fall;
      p2 = x2 + h * u2 - k2 * (l2 * dx);
      q2 = y2 + h * w2 - k2 * (l2 * dy) - fall;
      ex = p2 - p1;
      ey = q2 - q1;
    };
    for (int i = 0; i < 8; ++i) {
      place();
      const Vector8 r1 = p1 * p1 + q1 * q1 - 1, r2 = ex * ex + ey * ey - 1;
      const Vector8 j11 = -2 * k1 * (p1 * x1 + q1 * y1), j12 = 2 * k1 * (p1 * dx + q1 * dy);
      const Vector8 j21 = 2 * k1 * (ex * x1 + ey * y1), j22 = -2 * (k1 + k2) * (ex * dx + ey * dy);
      const Vector8 inverse = 1 / (j11 * j22 - j12 * j21);
      const Vector8 d1 = (r1 * j22 - r2 * j12) * inverse, d2 = (r2 * j11 - r1 * j21) * inverse;
      l1 -= d1;
      l2 -= d2;
      const double most = 1e-15 / (2 * h * h);
      if (!any_above(d1, most) && !any_above(d2, most)) break;
    }
    place();
    u1 = (p1 - x1) / h;
    w1 = (q1 - y1) / h - h * g / 2;
    u2 = (p2 - x2) / h;
    w2 = (q2 - y2) / h - h * g / 2;
    const Vector8 s1 = p1 * u1 + q1 * w1, s2 = ex * (u2 - u1) + ey * (w2 - w1);
    const Vector8 a11 = (p1 * p1 + q1 * q1) / m1, a12 = -(p1 * ex + q1 * ey) / m1;
    const Vector8 a22 = (ex * ex + ey * ey) * (1 / m1 + 1 / m2), inverse = 1 / (a11 * a22 - a12 * a12);
    const Vector8 n1 = (s1 * a22 - s2 * a12) * inverse, n2 = (s2 * a11 - s1 * a12) * inverse;
    u1 -= (n1 * p1 - n2 * ex) / m1;
    w1 -= (n1 * q1 - n2 * ey) / m1;
    u2 -= n2 * ex / m2;
    w2 -= n2 * ey / m2;
    x1 = p1;
    y1 = q1;
    x2 = p2;
    y2 = q2;
    c1 = b1;
    c2 = b2;
    b1 = a1;
    b2 = a2;
    a1 = l1;
    a2 = l2;
  }
};

struct Freed {
  void operator()(double* memory) const { std::free(memory); }
};
std::unique_ptr<double[], Freed> aligned(std::size_t count) {
  return std::unique_ptr<double[], Freed>(
      static_cast<double*>(std::aligned_alloc(64, (count * sizeof(double) + 63) / 64 * 64)));
}

struct Case {
  const char* model;
  const char* method;
  double h;
  long steps;
};

/// RATTLE for the double pendulum against the one by hand, in turn, so that what disturbs the machine disturbs both.
void against_hand(int rows) {
  constexpr long steps = 20000, rounds = 15;
  constexpr double h = 0.001;
  const Model model = read_model(std::string(ALEMBERT_SOURCE_DIR) + "/models/double_pendulum.alm");
  const Equations equations = derive(model);
  EngineOptions options;
  options.step = h;
  Engine engine(model, equations, find_method("lobatto(2)"), options);
  const int width = best_lanes();
  struct Kind {
    const char* watched;
    bool watch, energy;
    std::optional<StepProgram> step = {};
    LaneProgram lanes = {};
    double best = HUGE_VAL;
  };
  std::array<Kind, 3> kinds{{{"nothing", false, false}, {"constraints", true, false}, {"energy too", true, true}}};
  for (Kind& kind : kinds) {
    kind.step =
        program_of(engine, {.rows = rows, .reduce = true, .watch = kind.watch, .energy = kind.energy, .locate = true})
            .step;
    kind.lanes = {kind.step->program, width};
  }
  double by_hand = HUGE_VAL;
  for (int round = 0; round < rounds; ++round) {
    HandWritten hand;
    double before = thread_seconds();
    for (long i = 0; i < steps; ++i) hand.step(h);
    by_hand = std::min(by_hand, 1e9 * (thread_seconds() - before) / (8 * steps));
    for (Kind& kind : kinds) {
      std::vector<double> v(kind.step->program.variables);
      if (!engine.begin({})) return;
      begin_program(engine, *kind.step, steps, v.data());
      const auto all = aligned(static_cast<std::size_t>(kind.step->program.scratch) * width), table = aligned(64);
      for (int i = 0; i < kind.step->program.scratch; ++i)
        for (int k = 0; k < width; ++k) all[i * width + k] = v[i];
      before = thread_seconds();
      kind.lanes.run(all.get(), table.get(), steps);
      kind.best = std::min(kind.best, 1e9 * (thread_seconds() - before) / static_cast<double>(width * steps));
    }
  }
  fmt::print("double pendulum, RATTLE, {} lanes, ns a step and trajectory: {:.1f} by hand", width, by_hand);
  for (const Kind& kind : kinds)
    fmt::print("; {:.1f} ({:.2f} times) with {} watched", kind.best, kind.best / by_hand, kind.watched);
  fmt::print("\n");
}

void measure(const Case& one, int rows, bool watch) {
  const Model model = read_model(std::string(ALEMBERT_SOURCE_DIR) + "/models/" + one.model + ".alm");
  const Equations equations = derive(model);
  EngineOptions options;
  options.step = one.h;
  Engine engine(model, equations, find_method(one.method), options);
  const EngineProgram made = program_of(engine, {.rows = rows, .reduce = true, .watch = watch});
  if (!made.step) {
    fmt::print("{:16} {:11} {}\n", one.model, one.method, made.why);
    return;
  }
  const StepProgram& step = *made.step;
  const double scalar = best_of(static_cast<double>(one.steps), [&] {
    if (!engine.begin({})) return;
    GridPoint at = engine.point(), next = at;
    for (long i = 0; i < one.steps; ++i) {
      engine.maker.make(engine.step, at, one.h, static_cast<double>(i + 1) * one.h, next);
      swap(at, next);
    }
  });
  std::string text = fmt::format("{:16} {:11} {:7} {:9.0f}", one.model, one.method, one.h, scalar);
  for (const int width : {1, best_lanes()}) {
    const double before = thread_seconds();
    const LaneProgram lanes(step.program, width);
    const double compiling = thread_seconds() - before;
    std::vector<double> v(step.program.variables);
    if (!engine.begin({})) return;
    begin_program(engine, step, static_cast<double>(one.steps), v.data());
    const auto all = aligned(static_cast<std::size_t>(step.program.scratch) * width), table = aligned(64);
    const double each = best_of(static_cast<double>(one.steps) * width, [&] {
      for (int i = 0; i < step.program.scratch; ++i)
        for (int k = 0; k < width; ++k) all[i * width + k] = v[i];
      lanes.run(all.get(), table.get(), one.steps);
    });
    const bool whole = all[step.made * width] == static_cast<double>(one.steps);
    text += fmt::format(" {:9.1f} {:6.1f}x {:6.0f} ms{}", each, scalar / each, 1e3 * compiling, whole ? "" : " ENDED");
  }
  fmt::print("{}\n", text);
}

}  // namespace

int table(int rows, bool watch) {
  if (best_lanes() == 8) against_hand(rows);
  fmt::print("ns a step and trajectory; width 1 and {}\n", best_lanes());
  fmt::print("{:16} {:11} {:>7} {:>9} {:>9} {:>7} {:>9} {:>9} {:>7} {:>9}\n", "model", "method", "h", "engine",
             "scalar", "ratio", "compiled", "lanes", "ratio", "compiled");
  for (const Case& one :
       {Case{"double_pendulum", "lobatto(2)", 0.001, 20000}, Case{"double_pendulum", "lobatto(3)", 0.01, 5000},
        Case{"double_pendulum", "gauss(2)", 0.01, 5000}, Case{"heavy_top", "lobatto(2)", 0.001, 5000},
        Case{"heavy_top", "lobatto(3)", 0.002, 2000}, Case{"heavy_top", "gauss(2)", 0.002, 2000},
        Case{"rolling_disk", "lobatto(2)", 0.01, 5000}, Case{"rolling_disk", "lobatto(3)", 0.01, 5000},
        Case{"rolling_disk", "gauss(2)", 0.01, 5000}})
    measure(one, rows, watch);
  return 0;
}

}  // namespace alembert::internal

int main(int argc, char** argv) { return alembert::internal::table(argc > 1 ? std::atoi(argv[1]) : 5, argc > 2); }
