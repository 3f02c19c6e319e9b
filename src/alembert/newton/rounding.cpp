#include "alembert/newton/rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "alembert/expr/operators.h"
#include "alembert/expr/piecewise.h"

namespace alembert::internal {
namespace {

// What rounding to the nearest number changes at most, relative to the result.
constexpr double half_unit = std::numeric_limits<double>::epsilon() / 2;

/// How far op moves when one operand moves by e in the worse direction; at the border of its domain only one counts.
double moved(Op op, double a, double b, int operand, double e, double value) {
  if (e == 0) return 0;
  double largest = 0;
  for (const double d : {e, -e}) {
    const double other = operand == 0 ? evaluate<double>(op, a + d, b) : evaluate<double>(op, a, b + d);
    const double change = std::abs(other - value);
    if (std::isfinite(change)) largest = std::max(largest, change);
  }
  return largest;
}

double operation_error(Op op, double a, double b, double ea, double eb, double value) {
  const double own = half_unit * std::abs(value);
  switch (op) {
    case Op::add:
    case Op::subtract: return ea + eb + own;
    case Op::multiply: return std::abs(a) * eb + std::abs(b) * ea + own;
    case Op::divide: return (ea + std::abs(value) * eb) / std::abs(b) + own;
    case Op::negate:
    case Op::abs: return ea;
    case Op::where: return a != 0 ? eb : 0;  // a condition is 0 or 1, exactly
    case Op::piecewise: {
      const Piecewise* const function = find_piecewise(b);
      return moved(op, a, b, 0, ea, value) + (function ? 4 * half_unit * function->size(a) : 0);
    }
    default: break;
  }
  // One rounding more for functions of the C library, which are not correctly rounded.
  const double second = operator_of(op).operands == 2 ? moved(op, a, b, 1, eb, value) : 0;
  return moved(op, a, b, 0, ea, value) + second + 2 * own;
}

}  // namespace

void rounding_levels(const Tape& tape, const double* in, double* value, double* error, const double* parameters) {
  std::vector<double> work(2 * static_cast<std::size_t>(tape.registers()));
  rounding_levels(tape, in, value, error, work.data(), parameters);
}

void rounding_levels(const Tape& tape, const double* in, double* value, double* error, double* work,
                     const double* parameters) noexcept {
  double* const x = work;
  double* const e = work + tape.registers();
  std::size_t next = 0;
  const auto leaf = [&](double v) {
    x[next] = v;
    e[next++] = half_unit * std::abs(v);
  };
  for (int i = 0; i < tape.inputs; ++i) leaf(in[i]);
  for (std::size_t i = 0; i < tape.parameters.size(); ++i)
    leaf(parameters ? parameters[tape.parameters[i]] : static_cast<double>(tape.usual[i]));
  for (const Quad c : tape.constants) leaf(static_cast<double>(c));
  for (const Tape::Instruction& step : tape.code) {
    const double a = x[step.a];
    const double b = x[step.b];
    const double v = evaluate<double>(step.op, a, b);
    x[next] = v;
    e[next++] = operation_error(step.op, a, b, e[step.a], e[step.b], v);
  }
  for (std::size_t i = 0; i < tape.outputs.size(); ++i) {
    value[i] = x[tape.outputs[i]];
    error[i] = e[tape.outputs[i]];
  }
}

RoundingTest::RoundingTest(Tape equations) : tape_(std::move(equations)) {
  levels_.resize(2 * tape_.outputs.size() + 2 * tape_.registers());
}

bool RoundingTest::holds(const double* x) noexcept {
  // The errors are bounds to first order, and rarely reached.
  constexpr double few = 4;
  const std::size_t n = tape_.outputs.size();
  if (n == 0) return false;
  double* const value = levels_.data();
  double* const error = value + n;
  rounding_levels(tape_, x, value, error, error + n, parameters_);
  for (std::size_t i = 0; i < n; ++i)
    if (!(std::abs(value[i]) <= few * error[i])) return false;
  return true;
}

}  // namespace alembert::internal
