// Steps a second on a GPU: many double pendula, one a thread. Run in the root of the tree (see gpu.sh). Arguments:
// members (1000000), steps (2000). Says how far the
// results are from the same program on the CPU after the first steps, and the largest residuals of all members.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "alembert/code/gpu.h"
#include "alembert/run/engine_program.h"
#include "alembert/run/simulate.h"

namespace alembert::internal {

namespace {

// Members that are begun on the CPU; the others are copies of them, which cost the same.
constexpr std::size_t distinct = 512;
// A chaotic motion forgets its start; until here rounding has not grown much.
constexpr long compared_steps = 1000;
constexpr int rows = 3;

struct Case {
  const char* model;
  const char* parameter;
  const char* method;
  double h;
};

void measure(const Case& one, std::size_t members, long steps) {
  const Model model = read_model(std::string("models/") + one.model + ".alm");
  const Equations equations = derive(model, {.inputs = {one.parameter}});
  EngineOptions options;
  options.step = one.h;
  options.newton.kernel.backend = Backend::interpreter;
  Engine engine(model, equations, find_method(one.method), options);
  const EngineProgram made = program_of(engine, {.rows = rows, .reduce = true, .watch = true, .locate = true});
  if (!made.step) {
    fmt::print("{:16} {:11} {}\n", one.model, one.method, made.why);
    return;
  }
  const StepProgram& step = *made.step;
  const auto before = std::chrono::steady_clock::now();
  GpuProgram gpu(step.program, step.left, step.status);
  const double compiling = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  members = std::min(members, gpu.most_runs());
  const auto kept = static_cast<std::size_t>(step.program.scratch);
  const auto used = static_cast<std::size_t>(step.program.parameters);
  std::vector<double> start(kept * distinct), table(used * members);
  std::vector<double> one_member(step.program.variables);
  ProgramInterpreter cpu(step.program);
  std::vector<std::vector<double>> expected;
  const double usual = engine.parameters.at(0);
  for (std::size_t k = 0; k < distinct; ++k) {
    const double value = usual * (1 + 0.2 * static_cast<double>(k) / distinct);
    if (!engine.begin({{one.parameter, value}})) return;
    begin_program(engine, step, static_cast<double>(compared_steps), one_member.data());
    for (std::size_t i = 0; i < kept; ++i) start[i * distinct + k] = one_member[i];
    for (std::size_t m = k; m < members; m += distinct)
      for (std::size_t i = 0; i < used; ++i) table[i * members + m] = engine.parameters[i];
    if (k % 16 != 0) continue;
    for (long n = 0; n < compared_steps; ++n) cpu.run(one_member.data(), engine.parameters.data());
    expected.push_back(one_member);
  }
  std::vector<double> v(kept * members);
  const auto fill = [&](double count) {
    for (std::size_t i = 0; i < kept; ++i)
      for (std::size_t m = 0; m < members; ++m) v[i * members + m] = start[i * distinct + m % distinct];
    for (std::size_t m = 0; m < members; ++m) v[static_cast<std::size_t>(step.left) * members + m] = count;
  };
  fill(static_cast<double>(compared_steps));
  gpu.run(v.data(), table.data(), members, compared_steps);
  double apart = 0;
  for (std::size_t k = 0; k < expected.size(); ++k)
    for (int i = step.state; i < step.state + step.states; ++i)
      apart = std::max(apart, std::abs(v[static_cast<std::size_t>(i) * members + 16 * k] - expected[k][i]));
  fill(static_cast<double>(steps));
  const double seconds = gpu.run(v.data(), table.data(), members, steps);
  double position = 0, velocity = 0, made_steps = 0;
  std::size_t ended = 0;
  for (std::size_t m = 0; m < members; ++m) {
    position = std::max(position, v[static_cast<std::size_t>(step.position) * members + m]);
    velocity = std::max(velocity, v[static_cast<std::size_t>(step.velocity) * members + m]);
    made_steps += v[static_cast<std::size_t>(step.made) * members + m];
    ended += v[static_cast<std::size_t>(step.status) * members + m] != 0 ? 1 : 0;
  }
  fmt::print(
      "{:16} {:11} {} members: {:.3g} steps a second, compiled in {:.1f} s; |g| {:.1e}, |g'| {:.1e}, {} ended "
      "early; {:.1e} from the CPU at t = {}\n",
      one.model, one.method, members, made_steps / seconds, compiling, position, velocity, ended, apart,
      static_cast<double>(compared_steps) * one.h);
}

}  // namespace

int table(std::size_t members, long steps) {
  if (const std::string why = why_no_gpu(); !why.empty()) {
    fmt::print(stderr, "{}\n", why);
    return 2;
  }
  fmt::print("{}\n", gpu_name());
  for (const Case& one :
       {Case{"double_pendulum", "m1", "lobatto(2)", 0.001}, Case{"double_pendulum", "m1", "lobatto(3)", 0.005},
        Case{"double_pendulum", "m1", "gauss(2)", 0.005}})
    measure(one, members, steps);
  return 0;
}

}  // namespace alembert::internal

int main(int argc, char** argv) {
  return alembert::internal::table(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1'000'000,
                                   argc > 2 ? std::atol(argv[2]) : 2000);
}
