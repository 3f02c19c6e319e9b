#include "alembert/code/late_code.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "alembert/code/compile_plan.h"
#include "alembert/code/kernel.h"
#include "alembert/expr/operators.h"

namespace alembert::internal {
namespace {

/// Sines and products of near values; nothing overflows.
Tape wavy_tape(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  Tape tape;
  tape.inputs = 3;
  tape.constants = {Quad(1) / 3, Quad(5) / 7};
  const std::size_t start = tape.first_result();
  for (std::size_t i = 0; i < size; ++i) {
    const auto pick = [&] {
      return static_cast<std::uint32_t>(start + i - 1 - random() % std::min<std::size_t>(start + i, 9));
    };
    const std::uint32_t a = pick(), b = pick();
    if (i % 3 == 0) tape.code.push_back({Op::sin, a, a});
    else tape.code.push_back({i % 3 == 1 ? Op::multiply : Op::subtract, a, b});
  }
  for (std::size_t i = 0; i < size; i += 7) tape.outputs.push_back(static_cast<std::uint32_t>(start + i));
  return tape;
}

std::vector<double> evaluated(const Kernel<double>& kernel, double x) {
  const std::vector<double> in = {x, 0.5, -x};
  std::vector<double> out(kernel.outputs()), work(kernel.work());
  kernel(in.data(), out.data(), work.data());
  return out;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i])) return false;
  return a.size() == b.size();
}

// The switch happens while four threads are calling: none of them may see any other bit.
TEST(LateCode, switching_changes_no_bit_whenever_it_happens) {
  for (const std::size_t size : {40u, 900u, 6000u}) {
    const Tape tape = wavy_tape(size, 7);
    const Kernel<double> plain(tape, interpreted), late(tape);
    std::vector<std::vector<double>> expected;
    for (int i = 0; i < 16; ++i) expected.push_back(evaluated(plain, 0.1 * i));
    std::atomic<int> wrong{0};
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, copy = late] {
        for (int i = 0; !stop; i = (i + 1) % 16) wrong += !same_bits(evaluated(copy, 0.1 * i), expected[i]);
      });
    detail::finish_background();
    for (int i = 0; i < 16; ++i) wrong += !same_bits(evaluated(late, 0.1 * i), expected[i]);
    stop = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(late.native(), native_available());
    EXPECT_EQ(wrong, 0);
  }
}

TEST(LateCode, what_is_called_more_often_than_was_thought_is_compiled) {
  if (!native_available()) GTEST_SKIP() << "no compiler in this build";
  const Tape tape = wavy_tape(200, 8);
  const KernelOptions seldom{.calls = 10};
  const Kernel<double> kernel(tape, seldom);
  const std::vector<double> first = evaluated(kernel, 0.3);
  detail::finish_background();
  EXPECT_FALSE(kernel.native());
  const long patience = detail::compile_plan(200, seldom).patience;
  for (long i = 0; i < patience; ++i) evaluated(kernel, 0.3);
  detail::finish_background();
  EXPECT_TRUE(kernel.native());
  EXPECT_TRUE(same_bits(evaluated(kernel, 0.3), first));
}

TEST(LateCode, kernels_that_die_before_their_code_is_made_do_no_harm) {
  for (unsigned i = 0; i < 40; ++i) {
    const Kernel<double> kernel(wavy_tape(300 + 50 * i, i), {});
    evaluated(kernel, 0.2);
  }
  detail::finish_background();
}

// The thread lives in the parent only: the child must neither wait for it nor join it.
TEST(LateCode, a_forked_child_computes_compiles_and_ends) {
  const Tape tape = wavy_tape(2000, 9);
  const Kernel<double> parent(tape);
  const std::vector<double> expected = evaluated(Kernel<double>(tape, interpreted), 0.4);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(60);  // a child that hangs is killed
    const Kernel<double> own(wavy_tape(500, 10));
    detail::finish_background();
    const bool good = same_bits(evaluated(parent, 0.4), expected) && own.native() == native_available();
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  detail::finish_background();
  EXPECT_TRUE(same_bits(evaluated(parent, 0.4), expected));
}

// exit() while the second thread is in the middle of it: joined, not crashed, and soon.
TEST(LateCode, a_process_may_end_while_compiling) {
  for (const int milliseconds : {0, 3, 20}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::alarm(60);
      static const Kernel<double> kernel(wavy_tape(60'000, 11));
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      std::exit(7);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  }
}

TEST(CompilePlan, weighs_calls_and_operations) {
  using detail::compile_plan;
  EXPECT_FALSE(compile_plan(1000, {.calls = 1}).look);
  EXPECT_FALSE(compile_plan(1000, {.calls = 100}).compile);
  EXPECT_TRUE(compile_plan(1000, {.calls = 4000}).compile);  // 2000 steps of a larger model
  EXPECT_FALSE(compile_plan(1000, {.calls = 4000}).optimise);
  EXPECT_FALSE(compile_plan(20, {.calls = 4000}).compile);  // a small one of as many steps
  EXPECT_TRUE(compile_plan(20, {.calls = 1e6}).compile);
  EXPECT_TRUE(compile_plan(1000, {.calls = 1e7}).optimise);
  EXPECT_FALSE(compile_plan(1000, {.optimise = false, .calls = 1e7}).optimise);
  EXPECT_FALSE(compile_plan(largest_optimised + 1, {.calls = 1e7}).optimise);
  // More calls or more operations never make it less worth while.
  for (std::size_t size = 1; size < 100'000; size *= 3)
    for (double calls = 1; calls < 1e8; calls *= 3) {
      if (!compile_plan(size, {.calls = calls}).compile) continue;
      EXPECT_TRUE(compile_plan(size, {.calls = 2 * calls}).compile);
      EXPECT_TRUE(compile_plan(2 * size, {.calls = calls}).compile);
    }
  EXPECT_GT(compile_plan(0, {}).patience, 0);
}

}  // namespace
}  // namespace alembert::internal
