#include "alembert/expr/simplify.h"

#include <bit>
#include <cmath>
#include <utility>

#include "alembert/expr/operators.h"

namespace alembert::internal {
namespace {

const Node& node_of(Expr e) { return e.graph().node(e.id()); }
bool is(Expr e, Op op) { return node_of(e).op == op; }
Expr left(Expr e) { return {&e.graph(), node_of(e).a}; }
Expr right(Expr e) { return {&e.graph(), node_of(e).b}; }
Quad value_of(Expr e) { return e.graph().value(e.id()); }

// By its bits: the library's functions would be called for every operation that is made.
using Bits = unsigned __int128;
bool is_finite(Quad x) {
  constexpr Bits exponent = Bits(0x7fff) << 112;  // IEEE 754, binary128
  return (std::bit_cast<Bits>(x) & exponent) != exponent;
}
// IEEE 754, binary128.
constexpr Bits bits_of_one = Bits(0x3fff) << 112, sign_bit = Bits(1) << 127;
bool is_one(Quad x) { return std::bit_cast<Bits>(x) == bits_of_one; }
bool is_minus_one(Quad x) { return std::bit_cast<Bits>(x) == (bits_of_one | sign_bit); }
bool is_nothing(Quad x) { return (std::bit_cast<Bits>(x) & ~sign_bit) == 0; }
bool has_minus(Quad x) { return (std::bit_cast<Bits>(x) & sign_bit) != 0; }  // constants are never -0
bool is_finite_constant(Expr e) { return is(e, Op::constant) && is_finite(value_of(e)); }
bool is_wild_constant(Expr e) { return is(e, Op::constant) && !is_finite(value_of(e)); }

bool is_finite_integer(Quad x) { return finiteq(x) && floorq(x) == x; }
bool is_even(Quad x) { return is_finite_integer(x) && is_finite_integer(x / 2); }
bool is_double(Quad x) { return finiteq(x) && Quad(double(x)) == x; }

// Whether a product of two factors may stand for them in double without leaving its normal range.
bool is_moderate(Quad c) { return fabsq(c) > 1e-280 && fabsq(c) < 1e280; }

bool is_power_of_two(Quad c) {
  int exponent = 0;
  return c != 0 && finiteq(c) && fabsq(frexpq(c, &exponent)) == Quad(0.5) && exponent > -1000 && exponent < 1000;
}

// c/d when that is exact and a double, so that c*x/d and (c/d)*x differ by no more than the order of rounding.
bool exact_ratio(Quad c, Quad d, Quad& ratio) {
  ratio = c / d;
  return is_moderate(ratio) && is_double(ratio) && ratio * d == c;
}

// e = factor*rest; a constant is its own rest.
struct Scaled {
  Quad factor;
  Expr rest;
};
bool is_scaled(Expr e) { return is(e, Op::multiply) && is_finite_constant(left(e)); }
Scaled scaled(Expr e) {
  if (is(e, Op::negate)) return {-1, left(e)};
  if (is_scaled(e)) return {value_of(left(e)), right(e)};
  return {1, e};
}

Expr rest_of(Expr e) { return is(e, Op::negate) ? left(e) : is_scaled(e) ? right(e) : e; }

bool is_reciprocal(Expr e) { return is(e, Op::divide) && is_finite_constant(left(e)); }  // c/y

// Whether e carries a minus that can be taken off without another operation.
bool is_negative(Expr e) {
  switch (node_of(e).op) {
    case Op::negate: return true;
    case Op::constant: return is_finite_constant(e) && has_minus(value_of(e));
    case Op::multiply:
    case Op::divide: return is_finite_constant(left(e)) && has_minus(value_of(left(e)));
    default: return false;
  }
}

Expr fold(Op op, Expr a, Expr b) {
  if (!is_finite_constant(a) || !is_finite_constant(b)) return {};
  const Quad value = evaluate<Quad>(op, value_of(a), value_of(b));
  return finiteq(value) ? a.graph().constant(value) : Expr();
}

// a + b (sign 1) or a - b (sign -1) as one multiple of the same thing.
Expr gather(Expr a, Expr b, int sign) {
  const Expr rest = rest_of(a);
  if (rest.id() != rest_of(b).id() || is(rest, Op::constant)) return {};
  const Scaled p = scaled(a), q = scaled(b);
  const Quad factor = p.factor + sign * q.factor;
  if (!is_nothing(factor) && !is_moderate(factor)) return {};
  return factor * p.rest;
}

Expr simplify_add(Expr a, Expr b) {
  if (is_zero(a)) return b;
  if (is_zero(b)) return a;
  if (const Expr e = gather(a, b, 1)) return e;
  if (is_negative(b)) return a - (-b);
  if (is_negative(a)) return b - (-a);
  return {};
}

Expr simplify_subtract(Expr a, Expr b) {
  if (is_zero(b)) return a;
  if (is_zero(a)) return -b;
  if (const Expr e = gather(a, b, -1)) return e;
  if (is_negative(b)) return a + (-b);
  if (is(a, Op::negate)) return -(left(a) + b);
  return {};
}

Expr simplify_negate(Expr a) {
  if (is(a, Op::negate)) return left(a);
  if (is(a, Op::subtract)) return right(a) - left(a);
  if (is_scaled(a)) return -value_of(left(a)) * right(a);
  if (is_reciprocal(a)) return -value_of(left(a)) / right(a);
  return {};
}

Expr multiply_by(Quad c, Expr x) {
  if (is_one(c)) return x;
  if (is_minus_one(c)) return -x;
  if (is(x, Op::constant)) return {};
  const Scaled p = scaled(x);
  if (!is_one(p.factor) && is_moderate(c * p.factor)) return (c * p.factor) * p.rest;
  Quad ratio;
  if (is(x, Op::divide) && is_finite_constant(right(x))) {
    if (exact_ratio(c, value_of(right(x)), ratio)) return ratio * left(x);
    if (exact_ratio(value_of(right(x)), c, ratio)) return left(x) / ratio;
  }
  if (is_reciprocal(x)) {
    const Quad product = c * value_of(left(x));
    if (is_double(product) && is_moderate(product)) return product / right(x);
  }
  return {};
}

Expr simplify_multiply(Expr a, Expr b) {
  if (is_zero(a)) return is_wild_constant(b) ? Expr() : a;
  if (is_finite_constant(a)) return multiply_by(value_of(a), b);
  if (is(a, Op::negate) && is(b, Op::negate)) return left(a) * left(b);
  if (is(a, Op::negate)) return -(left(a) * b);
  if (is(b, Op::negate)) return -(a * left(b));
  if (is_scaled(a) && is_scaled(b)) {
    const Scaled p = scaled(a), q = scaled(b);
    const Quad factor = p.factor * q.factor;
    // Where the factor stands decides that no product overflows that did not before.
    if (fabsq(factor) >= 1 && fabsq(factor) <= 1024) return factor * (p.rest * q.rest);
    if (fabsq(factor) < 1 && fabsq(factor) >= Quad(1) / 1024) return (factor * p.rest) * q.rest;
  }
  if (a == b && !is_constant(a)) return pow(a, 2);
  if (is_reciprocal(b) && is_scaled(a)) std::swap(a, b);
  if (is_reciprocal(a) && is_scaled(b)) {  // (c/y)*(d x)
    const Quad factor = value_of(left(a)) * value_of(left(b));
    if (is_double(factor) && is_moderate(factor)) return (factor / right(a)) * right(b);
  }
  return {};
}

Expr divide_by(Expr a, Quad c) {
  if (is_one(c)) return a;
  if (is_minus_one(c)) return -a;
  if (is_wild_constant(a)) return {};
  if (is_power_of_two(c)) return (1 / c) * a;
  if (c < 0) return -(a / -c);
  Quad ratio;
  if (is_scaled(a)) {
    if (exact_ratio(value_of(left(a)), c, ratio)) return ratio * right(a);
    if (exact_ratio(c, value_of(left(a)), ratio)) return right(a) / ratio;
  }
  if (is(a, Op::divide) && is_finite_constant(right(a))) {
    const Quad product = c * value_of(right(a));
    if (is_double(product) && is_moderate(product)) return left(a) / product;
  }
  return {};
}

constexpr int deepest_factor = 8;  // products that people write are not longer

/// a without its factor u; empty where it has none.
Expr without(Expr a, Expr u, int depth = 0) {
  if (a == u) return a.graph().constant(1);
  if (depth == deepest_factor) return {};
  if (is(a, Op::negate))
    if (const Expr rest = without(left(a), u, depth + 1)) return -rest;
  if (is(a, Op::divide))
    if (const Expr rest = without(left(a), u, depth + 1)) return rest / right(a);
  if (!is(a, Op::multiply)) return {};
  if (const Expr rest = without(right(a), u, depth + 1)) return left(a) * rest;
  if (const Expr rest = without(left(a), u, depth + 1)) return rest * right(a);
  return {};
}

/// u of |u| and sqrt(u^2).
Expr sized(Expr e) {
  if (is(e, Op::abs)) return left(e);
  const bool root = is(e, Op::sqrt) && is(left(e), Op::power) && is_constant(right(left(e)), 2);
  return root ? left(left(e)) : Expr();
}

/// x/|x| and |x|/x are sign(x), also among other factors: so it jumps like one, and 0 is no fault.
Expr divide_by_own_size(Expr a, Expr b) {
  if (const Expr u = sized(b)) {
    const Expr rest = without(a, u);
    return rest ? rest * sign(u) : Expr();
  }
  if (is(b, Op::multiply)) {
    for (const auto& [size, other] : {std::pair(left(b), right(b)), std::pair(right(b), left(b))})
      if (const Expr u = sized(size))
        if (const Expr rest = without(a, u)) return rest * sign(u) / other;
    return {};
  }
  if (sized(a) == b) return sign(b);
  if (is(a, Op::multiply))
    for (const auto& [size, other] : {std::pair(left(a), right(a)), std::pair(right(a), left(a))})
      if (sized(size) == b) return other * sign(b);
  return {};
}

Expr simplify_divide(Expr a, Expr b) {
  if (is_constant(b) && (is_zero(b) || is_wild_constant(b))) return {};
  if (is_zero(a)) return a;
  if (const Expr e = divide_by_own_size(a, b)) return e;
  if (is_constant(b)) {
    if (const Expr e = divide_by(a, value_of(b))) return e;
  }
  if (is(a, Op::negate) && is(b, Op::negate)) return left(a) / left(b);
  if (is(a, Op::negate)) return -(left(a) / b);
  if (is(b, Op::negate)) return -(a / left(b));
  if (is_scaled(b)) {  // (c x)/(d y)
    const Scaled q = scaled(b);
    const Scaled p = is_finite_constant(a) ? Scaled{value_of(a), a.graph().constant(1)} : scaled(a);
    Quad ratio;
    if ((p.factor != 1 || is_constant(p.rest)) && exact_ratio(p.factor, q.factor, ratio)) {
      return (ratio * p.rest) / q.rest;
    }
  }
  return {};
}

Expr simplify_power(Expr a, Expr b) {
  Graph& graph = a.graph();
  if (is_zero(b) || is_constant(a, 1)) return graph.constant(1);
  if (!is_finite_constant(b)) return {};
  const Quad exponent = value_of(b);
  if (exponent == 1) return a;
  if (is_constant(a)) return {};
  if (exponent == Quad(0.5)) return sqrt(a);
  if (exponent == -1) return 1 / a;
  if (exponent == Quad(-0.5)) return 1 / sqrt(a);
  if (is_even(exponent) && (is(a, Op::negate) || is(a, Op::abs))) return pow(left(a), b);
  if (is_finite_integer(exponent) && is(a, Op::negate)) return -pow(left(a), b);
  if (is(a, Op::power) && is_finite_constant(right(a))) {
    // Only for integers: (x^2)^(1/2) is |x|.
    const Quad inner = value_of(right(a));
    if (is_finite_integer(inner) && is_finite_integer(exponent) && fabsq(inner * exponent) <= 1024) {
      return pow(left(a), inner * exponent);
    }
  }
  return {};
}

bool is_never_negative(Expr e) {
  switch (node_of(e).op) {
    case Op::abs:
    case Op::sqrt:
    case Op::exp:
    case Op::cosh:
    case Op::hypot: return true;
    case Op::power: return is_constant(right(e)) && is_even(value_of(right(e)));
    default: return false;
  }
}

Expr simplify_unary(Op op, Expr a) {
  switch (op) {
    case Op::negate: return simplify_negate(a);
    case Op::sin:
    case Op::tan:
    case Op::asin:
    case Op::atan:
    case Op::sinh:
    case Op::tanh:
    case Op::sign: return is(a, Op::negate) ? -a.graph().make(op, left(a)) : Expr();
    case Op::cos:
    case Op::cosh: return is_negative(a) && !is_constant(a) ? a.graph().make(op, -a) : Expr();
    case Op::abs:
      if (is_never_negative(a)) return a;
      return is_negative(a) && !is_constant(a) ? abs(-a) : Expr();
    default: return {};
  }
}

}  // namespace

Expr simplify(Op op, Expr a, Expr b) {
  if (const Expr value = fold(op, a, b)) return value;
  switch (op) {
    case Op::add: return simplify_add(a, b);
    case Op::subtract: return simplify_subtract(a, b);
    case Op::multiply: return simplify_multiply(a, b);
    case Op::divide: return simplify_divide(a, b);
    case Op::power: return simplify_power(a, b);
    case Op::min:
    case Op::max: return a == b ? a : Expr();
    case Op::where:
      if (is_constant(a)) return is_zero(a) ? a : b;
      if (is_zero(b) || (is(b, Op::where) && left(b) == a)) return b;
      return {};
    case Op::hypot:
      if (is_zero(b)) return abs(a);
      if (is_zero(a)) return abs(b);
      return {};
    case Op::piecewise:
    case Op::atan2: return {};
    default: return simplify_unary(op, a);
  }
}

}  // namespace alembert::internal
