// Native code against the interpreter, bit by bit. Without LLVM the same tests run with the interpreter alone.

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <new>
#include <random>
#include <string>
#include <thread>

#include "alembert/code/chunks.h"
#include "alembert/code/kernel.h"
#include "alembert/expr/operators.h"

namespace {
thread_local long news = 0;  // of this thread: another may be compiling
}

#ifndef __SANITIZE_ADDRESS__  // it has its own
// Counts allocations. Weak: another test file may count as well, and then its counter is the one that runs.
__attribute__((weak)) void* operator new(std::size_t size) {
  ++news;
  if (void* p = std::malloc(size ? size : 1)) return p;
  throw std::bad_alloc();
}
__attribute__((weak)) void operator delete(void* p) noexcept { std::free(p); }
__attribute__((weak)) void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#endif

namespace alembert::internal {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const std::vector<double> special = {0.0,    -0.0, 1.0,  -1.0, 0.5,   -2.0,      3.0, 1e-310, -4.9e-324, 1e308,
                                     -1e308, inf,  -inf, nan,  1e-20, 12345.678, 0.7, -0.3,   1e16,      2.5};

/// The same bits, or both not a number.
bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

std::vector<double> run(const Kernel<double>& kernel, const std::vector<double>& in) {
  std::vector<double> out(kernel.outputs(), 1e99), work(kernel.work(), nan);
  kernel(in.data(), out.data(), work.data());
  return out;
}

/// Machine code at once, where the build can make it.
Backend compiled() { return native_available() ? Backend::native : Backend::automatic; }

/// One tape made in every way; all must agree on every input.
struct Made {
  explicit Made(Tape tape)
      : plain(tape, {Backend::interpreter, false}), fast(tape, {compiled(), false}), best(tape, {compiled(), true}) {
    EXPECT_FALSE(plain.native());
    EXPECT_EQ(fast.native(), native_available());
    EXPECT_EQ(best.native(), native_available());
  }
  /// How many outputs differ.
  int differences(const std::vector<double>& in) const {
    const std::vector<double> a = run(plain, in), b = run(fast, in), c = run(best, in);
    int different = 0;
    for (std::size_t i = 0; i < a.size(); ++i) different += !same(a[i], b[i]) + !same(a[i], c[i]);
    return different;
  }
  Kernel<double> plain, fast, best;
};

/// Operands from near and far; all operators, or the four of arithmetic alone.
Tape random_tape(std::size_t size, int inputs, unsigned seed, bool all) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::uint32_t>(random() % n); };
  Tape tape;
  tape.inputs = inputs;
  tape.constants = {Quad(1) / 3, -2, 0, Quad(5) / 2, Quad(981) / 100};
  const std::size_t start = inputs + tape.constants.size();
  const std::span<const Operator> table = operators();
  for (std::size_t i = 0; i < size; ++i) {
    const auto pick = [&] {
      const std::size_t window = below(4) == 0 ? start + i : std::min<std::size_t>(start + i, 20);
      return static_cast<std::uint32_t>(start + i - 1 - below(window));
    };
    const Operator* entry = &operator_of(Op(static_cast<int>(Op::add) + below(4)));
    while (all && (entry = &table[below(table.size())])->operands == 0) {}
    const std::uint32_t a = pick(), b = pick();
    tape.code.push_back({entry->op, a, entry->operands == 2 ? b : a});
  }
  for (std::size_t i = 0; i < start + size; i += 1 + below(3)) tape.outputs.push_back(static_cast<std::uint32_t>(i));
  if (size) tape.outputs.push_back(static_cast<std::uint32_t>(start + size - 1));
  return tape;
}

TEST(Native, is_there_exactly_when_the_build_has_it) {
  Graph graph;
  const Expr x = graph.symbol("x");
  if (native_available()) {
    EXPECT_TRUE((Kernel<double>(Exprs{x}, Exprs{x + 1}, {Backend::native, true}).native()));
  } else {
    EXPECT_THROW((Kernel<double>(Exprs{x}, Exprs{x + 1}, {Backend::native, true})), std::logic_error);
  }
}

// Each operator alone, at special values, against the C library itself.
TEST(Native, every_operator_is_that_of_the_library) {
  for (const Operator& entry : operators()) {
    if (entry.operands == 0) continue;
    Tape tape;
    tape.inputs = 2;
    tape.code = {{entry.op, 0, entry.operands == 2 ? 1u : 0u}};
    tape.outputs = {2};
    const Made made(tape);
    for (const double a : special) {
      for (const double b : special) {
        const double x[] = {a, b};
        const auto exact = [&]() -> double {
          switch (entry.op) {
            case Op::add: return a + b;
            case Op::subtract: return a - b;
            case Op::multiply: return a * b;
            case Op::divide: return a / b;
            case Op::power: return std::pow(a, b);
            case Op::atan2: return std::atan2(a, b);
            case Op::hypot: return std::hypot(a, b);
            case Op::min: return a < b ? a : b;
            case Op::max: return a > b ? a : b;
            case Op::where: return std::isnan(a) || a == 0 ? 0 : b;
            case Op::piecewise: return NAN;  // nobody has told a function of these numbers
            case Op::positive: return a > 0 ? 1 : 0;
            case Op::negate: return std::copysign(a, std::signbit(a) ? 1.0 : -1.0);
            case Op::sin: return std::sin(a);
            case Op::cos: return std::cos(a);
            case Op::tan: return std::tan(a);
            case Op::asin: return std::asin(a);
            case Op::acos: return std::acos(a);
            case Op::atan: return std::atan(a);
            case Op::sinh: return std::sinh(a);
            case Op::cosh: return std::cosh(a);
            case Op::tanh: return std::tanh(a);
            case Op::exp: return std::exp(a);
            case Op::log: return std::log(a);
            case Op::sqrt: return std::sqrt(a);
            case Op::abs: return std::copysign(a, 1.0);
            case Op::sign: return a > 0 ? 1 : a < 0 ? -1 : a;
            default: ADD_FAILURE() << "an operator without a reference"; return 0;
          }
        }();
        const std::vector<double> in(x, x + 2);
        EXPECT_TRUE(same(run(made.plain, in)[0], exact)) << entry.name << " " << a << " " << b;
        EXPECT_EQ(made.differences(in), 0) << entry.name << " " << a << " " << b;
      }
    }
  }
}

TEST(Native, random_programs_give_the_same_bits) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> usual(-2, 2);
  long compared = 0, finite = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Tape tape = random_tape(150, 6, seed, true);
    const Made made(tape);
    for (int round = 0; round < 40; ++round) {
      std::vector<double> in(6);
      for (double& x : in) x = round % 2 ? usual(random) : special[random() % special.size()];
      ASSERT_EQ(made.differences(in), 0) << "seed " << seed << " round " << round;
      for (const double y : run(made.plain, in)) ++compared, finite += std::isfinite(y) && y != 0;
    }
  }
  EXPECT_GT(compared, 100'000);
  EXPECT_GT(finite, compared / 4);  // else it compared nothing but nan with nan
}

// The same from expressions: simplified at birth, powers made products.
TEST(Native, random_expressions_give_the_same_bits) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> usual(0.1, 2);
  for (int round = 0; round < 25; ++round) {
    Graph graph;
    const Exprs x = graph.symbols("x", 5);
    Exprs pool = x;
    while (pool.size() < 160) {
      const Operator& entry = operators()[random() % operators().size()];
      const Expr a = pool[random() % pool.size()], b = pool[random() % pool.size()];
      if (entry.operands == 1) pool.push_back(graph.make(entry.op, a));
      if (entry.operands == 2) pool.push_back(graph.make(entry.op, a, b));
      if (random() % 8 == 0) pool.push_back(pow(a, Quad(static_cast<int>(random() % 41) - 20) / 2));
      if (random() % 8 == 0) pool.push_back(a * (Quad(static_cast<int>(random() % 100)) / 7));
    }
    const Made made(make_tape(x, pool));
    for (int i = 0; i < 40; ++i) {
      std::vector<double> in(5);
      for (double& v : in) v = i % 4 ? usual(random) : special[random() % special.size()];
      ASSERT_EQ(made.differences(in), 0) << "round " << round;
    }
  }
}

// glibc's sincos, which native code calls for both of one angle, has the bits of sin and cos.
TEST(Native, sine_and_cosine_of_one_angle) {
  Graph graph;
  const Expr x = graph.symbol("x"), two = 2 * x;
  const auto make = [&](Op op, Expr e) { return graph.make(op, e); };
  const Exprs f = {make(Op::sin, x), make(Op::cos, two), make(Op::cos, x), make(Op::sin, two)};
  const Made made(make_tape(Exprs{x}, f));
  std::mt19937_64 random(3);
  for (int i = 0; i < 200'000; ++i) {
    const double angle = i % 2 ? std::bit_cast<double>(random()) : std::ldexp(double(random() >> 11) - 4.5e15, -50);
    const std::vector<double> out = run(made.best, {angle});
    ASSERT_TRUE(same(out[0], std::sin(angle)) && same(out[1], std::cos(2 * angle)) && same(out[2], std::cos(angle)) &&
                same(out[3], std::sin(2 * angle)))
        << angle;
  }
}

TEST(Native, sizes_around_the_borders_of_chunks) {
  for (const std::size_t size : {0, 1, 2, 499, 500, 501, 999, 1000, 1001, 1999, 4001, 5000}) {
    const Made made(random_tape(size, 3, static_cast<unsigned>(size), false));
    EXPECT_EQ(made.best.operations(), size);
    EXPECT_EQ(made.plain.work(), 3 + 5 + size);
    if (native_available() && size <= 500) { EXPECT_EQ(made.best.work(), 0u); }
    if (native_available() && size == 5000) {
      EXPECT_GT(made.best.work(), 10u);
      EXPECT_LT(made.best.work(), 5000u);
    }
    for (const double x : {0.3, -1.7, 1.01}) EXPECT_EQ(made.differences({x, 0.9, -0.2}), 0) << size;
  }
}

TEST(Native, work_is_written_only_where_it_was_asked_for) {
  const Tape tape = random_tape(3000, 4, 5, true);
  for (const Backend backend : {Backend::interpreter, Backend::automatic}) {
    const Kernel<double> kernel(tape, {backend, true});
    std::vector<double> in = {0.1, 0.2, 0.3, 0.4}, out(kernel.outputs() + 16, 77), work(kernel.work() + 16, 77);
    kernel(in.data(), out.data() + 8, work.data() + 8);
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(work[i], 77);
      EXPECT_EQ(work[work.size() - 1 - i], 77);
      EXPECT_EQ(out[i], 77);
      EXPECT_EQ(out[out.size() - 1 - i], 77);
    }
    EXPECT_EQ(in, (std::vector<double>{0.1, 0.2, 0.3, 0.4}));
  }
}

// The plan of chunks, checked by running it: no value may be lost between two chunks or overwritten while it is needed.
TEST(Native, slots_of_chunks_hold_their_values_as_long_as_needed) {
  for (const std::size_t longest : {1, 2, 7, 50}) {
    const Tape tape = random_tape(400, 3, 9, false);
    const detail::Chunks chunks = detail::split(tape, longest);
    ASSERT_GE(chunks.count * chunks.length, tape.code.size());
    ASSERT_LE(chunks.length, longest);
    const std::size_t start = tape.inputs + tape.constants.size();
    std::vector<std::size_t> holder(chunks.slots, tape.code.size());  // the instruction whose value is in a slot
    for (std::size_t i = 0; i < tape.code.size(); ++i) {
      for (const std::uint32_t r : {tape.code[i].a, tape.code[i].b}) {
        if (r < start || (r - start) / chunks.length == i / chunks.length) continue;
        ASSERT_NE(chunks.slot[r - start], detail::Chunks::local);
        ASSERT_EQ(holder[chunks.slot[r - start]], r - start);
      }
      if (chunks.slot[i] != detail::Chunks::local) holder.at(chunks.slot[i]) = i;
    }
    EXPECT_LT(chunks.slots, 200u);  // slots are used again
  }
}

TEST(Native, evaluation_allocates_nothing) {
  const Made made(random_tape(2500, 4, 21, true));
  const long before = news;
  std::vector<double> in = {0.4, 0.3, 0.2, 0.1}, out(made.plain.outputs());
  if (news == before) GTEST_SKIP() << "someone else counts the allocations";
  for (const Kernel<double>* kernel : {&made.plain, &made.fast, &made.best}) {
    std::vector<double> work(kernel->work());
    const long start = news;
    for (int i = 0; i < 10; ++i) (*kernel)(in.data(), out.data(), work.data());
    EXPECT_EQ(news, start);
  }
}

TEST(Native, kernels_are_made_and_run_by_many_threads_at_once) {
  const Tape shared_tape = random_tape(1200, 3, 31, true);
  const Kernel<double> shared(shared_tape);
  const std::vector<double> expected = run(Kernel<double>(shared_tape, {Backend::interpreter, false}), {0.3, 0.5, 0.7});
  std::atomic<int> wrong{0}, made{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 6; ++i) {
        const Made own(random_tape(100 + 40 * i, 3, 100 * t + i, true));
        wrong += own.differences({0.1 * t, 0.2, 0.3 + i});
        for (int k = 0; k < 50; ++k) {
          const std::vector<double> out = run(shared, {0.3, 0.5, 0.7});
          for (std::size_t j = 0; j < out.size(); ++j) wrong += !same(out[j], expected[j]);
        }
        ++made;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 24);
  EXPECT_EQ(wrong, 0);
}

int executable_mappings() {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);) {
    count += line.find("r-xp") != std::string::npos && line.find('/') == std::string::npos;
  }
  return count;
}

TEST(Native, code_lives_as_long_as_its_last_copy_and_no_longer) {
  const Tape tape = random_tape(50, 2, 41, false);
  Kernel<double> copy;
  std::vector<double> expected;
  {
    const Kernel<double> first(tape, {compiled(), false});
    expected = run(first, {0.5, 0.25});
    copy = first;
  }
  const auto expect_alive = [&] {
    const std::vector<double> again = run(copy, {0.5, 0.25});
    for (std::size_t i = 0; i < again.size(); ++i) EXPECT_TRUE(same(again[i], expected[i]));
  };
  expect_alive();
  if (!native_available()) return;
  std::vector<Kernel<double>> many;
  const int before = executable_mappings();
  for (int i = 0; i < 40; ++i) many.emplace_back(tape, KernelOptions{Backend::native, false});
  const int held = executable_mappings();
  many.clear();
  for (int i = 0; i < 100; ++i) Kernel<double>(tape, KernelOptions{Backend::native, false});
  const int after = executable_mappings();
  EXPECT_GT(held, before);  // they can be seen at all
  EXPECT_LE(after, before + 2);
  expect_alive();
}

TEST(Native, a_million_operations) {
  // Every fourth value is one of the inputs again, so that numbers neither overflow nor die out.
  Tape tape;
  tape.inputs = 3;
  std::mt19937 random(51);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (std::uint32_t i = 0; i < 1'000'000; ++i) {
    const std::uint32_t last = i + 2, back = below(4) == 0 ? below(i + 3) : last - below(std::min(last, 9u));
    tape.code.push_back(i % 4 == 0 ? Tape::Instruction{Op::max, below(3), below(3)}
                                   : Tape::Instruction{Op(static_cast<int>(Op::add) + below(3)), last, back});
    if (below(50) == 0) tape.outputs.push_back(last + 1);
  }
  const Kernel<double> plain(tape, {Backend::interpreter, false}), best(tape, {compiled(), true});
  EXPECT_EQ(best.native(), native_available());
  const std::vector<double> a = run(plain, {0.3, 0.5, 0.7}), b = run(best, {0.3, 0.5, 0.7});
  std::size_t different = 0, finite = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different += !same(a[i], b[i]), finite += std::isfinite(a[i]);
  EXPECT_EQ(different, 0u);
  EXPECT_GT(finite, a.size() / 2);
  EXPECT_GT(a.size(), 10'000u);
}

}  // namespace
}  // namespace alembert::internal
