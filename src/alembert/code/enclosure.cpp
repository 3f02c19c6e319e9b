#include "alembert/code/enclosure.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "alembert/expr/operators.h"
#include "alembert/expr/piecewise.h"

namespace alembert::internal {

namespace {

constexpr Interval everything{-INFINITY, INFINITY};

/// Around these values; everything where one of them is no number.
Interval around(std::initializer_list<double> values) {
  Interval all{INFINITY, -INFINITY};
  for (const double x : values) {
    if (std::isnan(x)) return everything;
    all = {std::min(all.low, x), std::max(all.high, x)};
  }
  return all;
}

Interval product(Interval a, Interval b) {
  // 0 times what is unbounded is 0 here: the bound is that of values nearby.
  const auto times = [](double x, double y) { return x == 0 || y == 0 ? 0 : x * y; };
  return around({times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)});
}

Interval square(Interval a) {
  const double most = std::max(a.low * a.low, a.high * a.high);
  return {a.contains(0) ? 0 : std::min(a.low * a.low, a.high * a.high), most};
}

/// Of a function that rises, or falls, everywhere.
template <class F>
Interval monotone(F f, Interval a) {
  return around({f(a.low), f(a.high)});
}

/// cos of angles shifted by a phase: -1 and 1 are reached at whole multiples of pi.
Interval cosine(Interval a, double shift) {
  constexpr double pi = std::numbers::pi;
  const double low = a.low - shift, high = a.high - shift;
  if (!(high - low < 2 * pi)) return {-1, 1};
  Interval all = around({std::cos(low), std::cos(high)});
  // A little wider: shift and pi are rounded.
  const double slack = 1e-15 * (1 + std::abs(low));
  const auto passes = [&](double angle) {
    return std::floor((high + slack - angle) / (2 * pi)) > std::floor((low - slack - angle) / (2 * pi));
  };
  if (passes(0)) all.high = 1;
  if (passes(pi)) all.low = -1;
  return all;
}

Interval tangent(Interval a) {
  constexpr double pi = std::numbers::pi;
  const auto branch = [](double x) { return std::floor(x / pi + 0.5); };
  if (!std::isfinite(a.low) || !std::isfinite(a.high) || branch(a.low) != branch(a.high)) return everything;
  return around({std::tan(a.low), std::tan(a.high)});
}

Interval power(Interval a, Interval b) {
  const auto pow = [](double x, double y) { return std::pow(x, y); };
  if (a.low > 0) return around({pow(a.low, b.low), pow(a.low, b.high), pow(a.high, b.low), pow(a.high, b.high)});
  if (b.low != b.high) return everything;
  const double n = b.low;
  if (a.low == 0 && n >= 0) return around({pow(a.low, n), pow(a.high, n)});
  if (n != std::floor(n) || n < 0) return everything;
  Interval all = around({pow(a.low, n), pow(a.high, n)});
  if (a.contains(0)) all = {std::min(all.low, 0.0), std::max(all.high, 0.0)};
  return all;
}

Interval magnitude(Interval a) {
  if (a.low >= 0) return a;
  if (a.high <= 0) return {-a.high, -a.low};
  return {0, std::max(-a.low, a.high)};
}

/// Of functions with a domain: what lies outside it is not defined.
template <class F>
Interval within(F f, Interval a, double low, double high) {
  return a.low < low || a.high > high ? everything : monotone(f, a);
}

/// b: the number of the function.
Interval piecewise(Interval a, Interval b) {
  const Piecewise* const function = b.low == b.high ? find_piecewise(b.low) : nullptr;
  if (!function) return everything;
  const auto [low, high] = function->bounds(a.low, a.high);
  return {low, high};
}

Interval of_two(Op op, Interval a, Interval b, bool same) {
  switch (op) {
    case Op::add: return {a.low + b.low, a.high + b.high};
    case Op::subtract: return same ? Interval{0, 0} : Interval{a.low - b.high, a.high - b.low};
    case Op::multiply: return same ? square(a) : product(a, b);
    case Op::divide:
      if (b.contains(0)) return everything;
      return product(a, {1 / b.high, 1 / b.low});
    case Op::power: return power(a, b);
    case Op::atan2:
      if (b.low <= 0 && a.contains(0)) return {-std::numbers::pi, std::numbers::pi};
      return around(
          {std::atan2(a.low, b.low), std::atan2(a.low, b.high), std::atan2(a.high, b.low), std::atan2(a.high, b.high)});
    case Op::min: return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case Op::max: return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case Op::piecewise: return piecewise(a, b);
    case Op::where:
      if (a.low == 0 && a.high == 0) return {0, 0};
      return a.contains(0) ? around({b.low, b.high, 0}) : b;
    default: break;
  }
  const Interval x = magnitude(a), y = magnitude(b);  // hypot
  return {std::hypot(x.low, y.low), std::hypot(x.high, y.high)};
}

Interval of_one(Op op, Interval a) {
  const auto function = [op](double x) { return evaluate<double>(op, x, x); };
  switch (op) {
    case Op::negate: return {-a.high, -a.low};
    case Op::sin: return cosine(a, std::numbers::pi / 2);
    case Op::cos: return cosine(a, 0);
    case Op::tan: return tangent(a);
    case Op::asin:
    case Op::acos: return within(function, a, -1, 1);
    case Op::log:
    case Op::sqrt: return within(function, a, 0, INFINITY);
    case Op::cosh: return monotone(function, magnitude(a));
    case Op::abs: return magnitude(a);
    default: return monotone(function, a);  // atan, sinh, tanh, exp, positive, sign
  }
}

}  // namespace

Interval enclose(Op op, Interval a, Interval b, bool same) {
  const Interval found = operand_count(op) == 2 ? of_two(op, a, b, same) : of_one(op, a);
  return std::isnan(found.low) || std::isnan(found.high) ? everything : found;
}

void enclose(const Tape& tape, std::span<const Interval> box, std::span<Interval> out, std::span<Interval> work,
             const double* parameters) {
  auto next = std::copy(box.begin(), box.end(), work.begin());
  const auto exactly = [&](double x) { *next++ = {x, x}; };
  for (std::size_t i = 0; i < tape.parameters.size(); ++i)
    exactly(parameters ? parameters[tape.parameters[i]] : static_cast<double>(tape.usual[i]));
  for (const Quad c : tape.constants) exactly(static_cast<double>(c));
  for (const Tape::Instruction& step : tape.code)
    *next++ = enclose(step.op, work[step.a], work[step.b], step.a == step.b);
  for (std::size_t i = 0; i < tape.outputs.size(); ++i) out[i] = work[tape.outputs[i]];
}

}  // namespace alembert::internal
