// What a kernel costs: time to compile and time of one evaluation, by size and by how it is made.
// Usage: compile_bench [operations...]; prints one table. The programs are random straight lines with the mix of
// operations of mechanical models (products and sums, a few divisions, roots and functions), mostly of short life.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

#include "alembert/code/kernel.h"
#include "alembert/expr/operators.h"

namespace alembert::internal {
namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double input(int i) { return 0.3 + 0.07 * i; }

/// Every value is used, and every value is of the order of 1 at the inputs above: no dead code, no denormals.
Tape random_tape(std::size_t size, bool functions) {
  std::mt19937 random(12345);
  const auto below = [&](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
  Tape tape;
  tape.inputs = 24;
  tape.constants = {Quad(1) / 2, Quad(981) / 100, -1, 3};
  std::vector<double> value;
  for (int i = 0; i < tape.inputs; ++i) value.push_back(input(i));
  for (const Quad c : tape.constants) value.push_back(static_cast<double>(c));
  const std::size_t start = value.size();
  std::vector<std::uint32_t> unused;
  while (tape.code.size() < size) {
    const std::size_t i = tape.code.size();
    const auto pick = [&]() -> std::uint32_t {
      const std::uint32_t kind = below(20);
      if (i == 0 || kind < 6) return below(start);
      if (kind == 6) return static_cast<std::uint32_t>(start + below(i));  // now and then something from far away
      return static_cast<std::uint32_t>(start + i - 1 - below(std::min<std::size_t>(i, 12)));
    };
    const std::size_t place = unused.empty() ? 0 : below(unused.size());
    const bool use = unused.size() > 8 || (!unused.empty() && below(2) == 0);
    const std::uint32_t a = use ? unused[place] : pick();
    const std::uint32_t kind = below(200);
    Op op = kind < 100 ? Op::multiply : kind < 150 ? Op::add : kind < 190 ? Op::subtract : Op::divide;
    if (kind >= 196) op = Op::sqrt;
    if (functions && kind >= 196) op = kind < 198 ? Op::sin : Op::cos;
    const bool one = op == Op::sqrt || op == Op::sin || op == Op::cos;
    const std::uint32_t b = one ? a : pick();
    const double result = evaluate<double>(op, value[a], value[b]);
    if (!(std::fabs(result) > 1e-3 && std::fabs(result) < 1e3)) continue;
    if (use) unused.erase(unused.begin() + static_cast<std::ptrdiff_t>(place));
    std::erase(unused, b);
    unused.push_back(static_cast<std::uint32_t>(value.size()));
    value.push_back(result);
    tape.code.push_back({op, a, b});
  }
  tape.outputs = unused;
  return tape;
}

/// Best of several rounds of the time of one evaluation.
double evaluation_time(const Kernel<double>& kernel) {
  std::vector<double> in(kernel.inputs()), out(kernel.outputs()), work(kernel.work());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = input(static_cast<int>(i));
  const std::size_t repeat = std::max<std::size_t>(3, 3'000'000 / (kernel.operations() + 1));
  double best = 1e300;
  for (int round = 0; round < 7; ++round) {
    const double start = seconds();
    for (std::size_t i = 0; i < repeat; ++i) kernel(in.data(), out.data(), work.data());
    best = std::min(best, (seconds() - start) / static_cast<double>(repeat));
  }
  return best;
}

void report(const char* name, const Tape& tape, KernelOptions options) {
  const double start = seconds();
  const std::clock_t cpu_start = std::clock();
  const Kernel<double> kernel(tape, options);
  const double made = seconds() - start, cpu = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  const double run = evaluation_time(kernel);
  std::printf("%10zu  %-20s %10.1f %10.1f %12.3f %10.2f %10zu\n", tape.code.size(), name, made * 1e3, cpu * 1e3,
              run * 1e6, run * 1e9 / static_cast<double>(tape.code.size()), kernel.work());
  std::fflush(stdout);
}

}  // namespace
int measure(int argc, char** argv) {
  std::vector<std::size_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::strtoul(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {10, 100, 300, 1'000, 3'000, 10'000, 30'000, 100'000, 1'000'000};
  if (native_available()) {
    const double start = seconds();
    const Kernel<double> first(random_tape(1, false), {Backend::native, false});
    std::printf("first kernel of the process, with the start of the compiler: %.1f ms\n", (seconds() - start) * 1e3);
  }
  for (const bool functions : {false, true}) {
    std::printf("\n%s\n%10s  %-20s %10s %10s %12s %10s %10s\n",
                functions ? "with sin and cos (2 %)" : "arithmetic only", "operations", "kernel", "made in ms",
                "CPU ms", "one run us", "ns per op", "work");
    for (const std::size_t size : sizes) {
      const Tape tape = random_tape(size, functions);
      report("interpreter", tape, {Backend::interpreter, false});
      if (!native_available()) continue;
      report("native, fast start", tape, {Backend::native, false});
      report(size <= largest_optimised ? "native, optimised" : "native, too large", tape, {Backend::native, true});
    }
  }
  return 0;
}

}  // namespace alembert::internal

int main(int argc, char** argv) { return alembert::internal::measure(argc, argv); }
