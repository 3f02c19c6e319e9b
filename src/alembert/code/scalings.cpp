#include "alembert/code/scalings.h"

#include <cmath>
#include <cstdlib>
#include <optional>

#include "alembert/code/tape_builder.h"
#include "alembert/expr/operators.h"

namespace alembert::internal {

namespace {

// Factors beyond 2^64 are multiplied at once: numbers of ordinary size then stay in the range of doubles.
constexpr int largest_exponent = 64;

/// A number on the way: the register times 2^exponent, with the sign turned where `negative`.
struct Scaled {
  std::uint32_t place = 0;
  int exponent = 0;
  bool negative = false;
  std::optional<Quad> constant = {};  // its value, where the register is one
  bool not_below_zero = false;        // the register is 0 or more, or no number

  bool plain() const { return exponent == 0 && !negative; }
};

class Rescaler {
 public:
  explicit Rescaler(const Tape& tape) : tape_(tape), builder_(tape.inputs) {}

  Tape rescaled() {
    std::vector<Scaled> values;
    values.reserve(tape_.registers());
    for (int i = 0; i < tape_.inputs; ++i) values.push_back({static_cast<std::uint32_t>(i)});
    for (std::size_t i = 0; i < tape_.parameters.size(); ++i)
      values.push_back({builder_.parameter(tape_.parameters[i], tape_.usual[i])});
    for (const Quad value : tape_.constants) values.push_back(number(value));
    for (const Tape::Instruction& step : tape_.code)
      values.push_back(result(step.op, values[step.a], values[step.b], step.a == step.b));
    std::vector<std::uint32_t> outputs;
    for (const std::uint32_t output : tape_.outputs) outputs.push_back(multiplied(values[output]));
    return builder_.finish(outputs);
  }

 private:
  // Constants that nobody needs in the end are copied at every call, so they are entered where they are used.
  static Scaled number(Quad value) { return {.constant = value, .not_below_zero = value >= 0}; }

  std::uint32_t place_of(const Scaled& x) { return x.constant ? builder_.constant(*x.constant) : x.place; }

  static Quad power_of_two(int exponent) { return static_cast<Quad>(std::ldexp(1.0, exponent)); }

  /// As a register of its own, with exponent and sign multiplied.
  std::uint32_t multiplied(const Scaled& x) {
    const Quad factor = power_of_two(x.exponent) * (x.negative ? -1 : 1);
    if (x.constant) return builder_.constant(*x.constant * factor);
    if (x.plain()) return x.place;
    if (x.exponent == 0) return builder_.emit(Op::negate, x.place);
    return builder_.emit(Op::multiply, builder_.constant(factor), x.place);
  }
  /// The same number with another exponent.
  Scaled with_exponent(const Scaled& x, int exponent) {
    if (x.exponent == exponent) return x;
    Scaled next = x;
    next.exponent = exponent;
    if (x.constant) next.constant = *x.constant * power_of_two(x.exponent - exponent);
    else next.place = builder_.emit(Op::multiply, builder_.constant(power_of_two(x.exponent - exponent)), x.place);
    return next;
  }
  Scaled without_sign(const Scaled& x) {
    if (!x.negative) return x;
    Scaled next = x;
    next.negative = false;
    next.not_below_zero = false;
    if (x.constant) next.constant = -*x.constant;
    else next.place = builder_.emit(Op::negate, x.place);
    return next;
  }

  Scaled within_range(Scaled x) { return std::abs(x.exponent) <= largest_exponent ? x : Scaled{multiplied(x)}; }

  /// The exponent of a constant that is a power of two, with either sign.
  static std::optional<int> exponent_of(const Scaled& x) {
    if (!x.constant || *x.constant == 0) return {};
    int exponent = 0;
    const double size = std::frexp(std::abs(static_cast<double>(*x.constant)), &exponent);
    if (size != 0.5 || static_cast<Quad>(static_cast<double>(*x.constant)) != *x.constant) return {};
    if (std::abs(exponent - 1) > largest_exponent) return {};
    return exponent - 1;
  }

  static Scaled times_power(const Scaled& x, const Scaled& power, int exponent) {
    Scaled next = x;
    next.exponent += exponent;
    next.negative = x.negative != ((*power.constant < 0) != power.negative);
    return next;
  }

  Scaled product(const Scaled& a, const Scaled& b, bool square) {
    if (const auto exponent = exponent_of(a)) return times_power(b, a, *exponent + a.exponent);
    if (const auto exponent = exponent_of(b)) return times_power(a, b, *exponent + b.exponent);
    return {.place = builder_.emit(Op::multiply, place_of(a), place_of(b)),
            .exponent = a.exponent + b.exponent,
            .negative = a.negative != b.negative,
            .not_below_zero = square || (a.not_below_zero && b.not_below_zero)};
  }

  Scaled quotient(const Scaled& a, const Scaled& b) {
    if (const auto exponent = exponent_of(b)) return times_power(a, b, -(*exponent + b.exponent));
    Scaled upper = a;
    if (const auto exponent = exponent_of(a)) upper = times_power(number(1), a, *exponent + a.exponent);
    return {.place = builder_.emit(Op::divide, place_of(upper), place_of(b)),
            .exponent = upper.exponent - b.exponent,
            .negative = upper.negative != b.negative,
            .not_below_zero = upper.not_below_zero && b.not_below_zero};
  }

  /// Both with one exponent.
  void align(Scaled& a, Scaled& b) {
    if (a.exponent == b.exponent) return;
    const bool by_a = !a.constant && (b.constant || a.exponent == 0 || b.exponent != 0);
    if (by_a) b = with_exponent(b, a.exponent);
    else a = with_exponent(a, b.exponent);
  }

  Scaled sum(Scaled a, Scaled b) {
    align(a, b);
    Scaled next{.exponent = a.exponent, .not_below_zero = a.not_below_zero && b.not_below_zero};
    if (a.negative && b.negative) a = without_sign(a);  // -(a + b) would turn the sign of a sum that is 0
    if (a.negative) std::swap(a, b);
    if (b.negative) next.not_below_zero = false;
    next.place = builder_.emit(b.negative ? Op::subtract : Op::add, place_of(a), place_of(b));
    return next;
  }

  Scaled extreme(Op op, Scaled a, Scaled b) {
    // 0 > x ? 0 : x
    if (op == Op::max && a.constant && *a.constant == 0 && !b.negative && b.not_below_zero) return b;
    a = without_sign(a);
    b = without_sign(b);
    align(a, b);
    return {.place = builder_.emit(op, place_of(a), place_of(b)),
            .exponent = a.exponent,
            .not_below_zero = a.not_below_zero && b.not_below_zero};
  }

  Scaled result(Op op, const Scaled& a, const Scaled& b, bool same) {
    switch (op) {
      case Op::multiply: return within_range(product(a, b, same));
      case Op::divide: return within_range(quotient(a, b));
      case Op::add: return sum(a, b);
      case Op::subtract: {
        Scaled turned = b;
        turned.negative = !b.negative;
        return sum(a, turned);
      }
      case Op::negate: {
        Scaled turned = a;
        turned.negative = !a.negative;
        return turned;
      }
      case Op::abs:
        return {.place = builder_.emit(Op::abs, place_of(a)), .exponent = a.exponent, .not_below_zero = true};
      case Op::min:
      case Op::max: return extreme(op, a, b);
      case Op::positive: return {.place = builder_.emit(op, place_of(without_sign(a))), .not_below_zero = true};
      case Op::where: {
        const Scaled value = without_sign(b);  // where it is 0, it is +0
        return {.place = builder_.emit(op, place_of(a), place_of(value)),
                .exponent = value.exponent,
                .not_below_zero = value.not_below_zero};
      }
      default: break;
    }
    if (operator_of(op).operands == 1) return {.place = builder_.emit(op, multiplied(a))};
    return {.place = builder_.emit(op, multiplied(a), multiplied(b))};
  }

  const Tape& tape_;
  TapeBuilder builder_;
};

}  // namespace

Tape without_scalings(const Tape& tape) {
  Tape rescaled = Rescaler(tape).rescaled();
  return rescaled.code.size() < tape.code.size() ? rescaled : tape;
}

}  // namespace alembert::internal
