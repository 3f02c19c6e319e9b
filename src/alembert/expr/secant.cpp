#include "alembert/expr/secant.h"

#include <quadmath.h>

#include <cmath>

#include "alembert/error.h"
#include "alembert/expr/piecewise.h"
#include "alembert/expr/sweep.h"

namespace alembert::internal {

namespace {

Expr mean(Expr a, Expr b) { return a == b ? a : (a + b) / Quad(2); }

/// Two formulas for one function, one for |x| < bound and one beyond; both must be finite everywhere, which `inside`
/// and `outside` see to. A bound that no decimal number meets.
class Switch {
 public:
  Switch(Expr x, Expr bound)
      : outside_((1 + x.graph().make(Op::sign, abs(x) - bound)) / Quad(2)), inside_(1 - outside_) {}
  Switch(Expr x, Quad bound) : Switch(x, x.graph().constant(bound)) {}
  /// x where the formula is used; what cannot hurt elsewhere.
  Expr inside(Expr x) const { return inside_ * x; }
  Expr outside(Expr x) const { return outside_ * x + inside_; }
  Expr inside_denominator(Expr x) const { return inside_ * x + outside_; }
  Expr take(Expr from_inside, Expr from_outside) const { return inside_ * from_inside + outside_ * from_outside; }

 private:
  Expr outside_, inside_;
};

const Quad small = 0.31415926535;  // where the series below are exact in quadruple precision with few terms
const Quad smaller = 0.10471975512;

/// sum_k coefficient(k) u^k by Horner's rule.
template <class Coefficient>
Expr series(Expr u, int terms, Coefficient coefficient) {
  Expr value = u.graph().constant(coefficient(terms - 1));
  for (int k = terms - 2; k >= 0; --k) value = coefficient(k) + u * value;
  return value;
}

Quad reciprocal_factorial(int n) {
  Quad value = 1;
  for (int k = 2; k <= n; ++k) value /= k;
  return value;
}

/// sin(x)/x (sign -1) or sinh(x)/x (sign +1).
Expr cardinal(Expr x, int sign) {
  const Switch at(x, small);
  const Expr u = pow(at.inside(x), 2), far = at.outside(x);
  const Expr near =
      series(u, 13, [&](int k) { return (sign < 0 && k % 2 ? -1 : 1) * reciprocal_factorial(2 * k + 1); });
  return at.take(near, x.graph().make(sign < 0 ? Op::sin : Op::sinh, far) / far);
}

/// atan(w)/w (sign -1) or atanh(w)/w (sign +1) for small w.
Expr arc_series(Expr w, int sign) {
  return series(pow(w, 2), 18, [&](int k) { return Quad(sign < 0 && k % 2 ? -1 : 1) / (2 * k + 1); });
}

Expr atan_slope(Expr a0, Expr a1, Expr n0, Expr n1) {  // atan(a1) - atan(a0) = atan(d/(1 + a0 a1))
  const Expr d = a1 - a0, one = 1 + a0 * a1;
  const Switch at(d, smaller * one);
  const Expr denominator = at.inside_denominator(one);
  return at.take(arc_series(at.inside(d) / denominator, -1) / denominator, (n1 - n0) / at.outside(d));
}

Expr log_slope(Expr a0, Expr a1, Expr n0, Expr n1) {  // log(a1/a0) = 2 atanh(d/(a0 + a1))
  const Expr d = a1 - a0, total = a0 + a1;
  const Switch at(d, smaller * total);
  const Expr denominator = at.inside_denominator(total);
  return at.take(2 * arc_series(at.inside(d) / denominator, +1) / denominator, (n1 - n0) / at.outside(d));
}

Expr whole_power_slope(Expr a0, Expr a1, int n) {  // n >= 1
  if (n == 1) return a0.graph().constant(1);
  if (n % 2 == 0) {
    const int half = n / 2;
    return (pow(a0, Quad(half)) + pow(a1, Quad(half))) * whole_power_slope(a0, a1, half);
  }
  return mean(pow(a0, Quad(n - 1)), pow(a1, Quad(n - 1))) + mean(a0, a1) * whole_power_slope(a0, a1, n - 1);
}

Expr signed_power_slope(Expr a0, Expr a1, int n) {  // of either sign, not 0
  if (n > 0) return whole_power_slope(a0, a1, n);
  return -(whole_power_slope(a0, a1, -n) / (pow(a0, Quad(-n)) * pow(a1, Quad(-n))));
}

Expr power_slope(Expr a0, Expr a1, Quad c, Expr n0, Expr n1) {
  constexpr int most = 64;  // the sum has as many terms
  const Quad twice = 2 * c;
  if (twice == floorq(twice) && fabsq(twice) <= 2 * most && c != 0) {
    if (c == floorq(c)) return signed_power_slope(a0, a1, static_cast<int>(c));
    const Expr s0 = sqrt(a0), s1 = sqrt(a1);
    return signed_power_slope(s0, s1, static_cast<int>(twice)) / (s0 + s1);
  }
  // With l = log(a1/a0)/2: (a0 a1)^((c-1)/2) sinh(c l)/sinh(l).
  const Expr d = a1 - a0, total = a0 + a1;
  const Switch at(d, smaller * total);
  const Expr w = at.inside(d) / at.inside_denominator(total);
  const Expr l = w * arc_series(w, +1);
  const Expr near = c * pow(at.inside_denominator(a0 * a1), (c - 1) / 2) * (cardinal(c * l, +1) / cardinal(l, +1));
  return at.take(near, (n1 - n0) / at.outside(d));
}

/// (|d1| - |d0|)/(d1 - d0).
Expr abs_slope(Expr d0, Expr d1) {
  Graph& graph = d0.graph();
  return (d0 + d1) / graph.make(Op::max, abs(d0) + abs(d1), graph.constant(Quad(1e-300)));
}

/// Exact where both ends lie on one piece, a cubic; else the quotient.
Expr piecewise_slope(Expr a0, Expr a1, Expr n0, Expr n1) {
  Graph& graph = a0.graph();
  // One of the two may be a number.
  const Piecewise& function = piecewise_of(graph.node(n0.id()).op == Op::piecewise ? n0 : n1);
  const Expr d = a1 - a0, m = mean(a0, a1);
  const Piecewise &first = function.slope(), &third = first.slope().slope();
  const Expr inside = piecewise(m, first) + piecewise(m, third) * pow(d, 2) / Quad(24);
  const Expr apart = piecewise(a1, function.count()) - piecewise(a0, function.count());
  const Switch at(apart, Quad(0.5));
  return at.take(inside, (n1 - n0) / at.outside(d));
}

}  // namespace

Slopes slopes(Op op, Expr a0, Expr a1, Expr b0, Expr b1, Expr n0, Expr n1) {
  Graph& graph = a0.graph();
  const auto apply = [&](Op function, Expr x) { return graph.make(function, x); };
  const auto number = [&](int value) { return graph.constant(value); };
  const Expr d = a1 - a0, m = mean(a0, a1);
  switch (op) {
    case Op::add: return {number(1), number(1)};
    case Op::subtract: return {number(1), number(-1)};
    case Op::negate: return {number(-1), {}};
    case Op::multiply: return {mean(b0, b1), m};
    case Op::divide: return {b0 == b1 ? 1 / b0 : mean(b0, b1) / (b0 * b1), -(m / (b0 * b1))};
    case Op::power: {
      if (is_constant(b0) && b0 == b1) return {power_slope(a0, a1, constant_value(b0), n0, n1), number(0)};
      // exp(b log a)
      const Expr l0 = log(a0), l1 = log(a1), e0 = b0 * l0, e1 = b1 * l1;
      const Expr outer = slopes(Op::exp, e0, e1, {}, {}, n0, n1).a;
      return {outer * mean(b0, b1) * log_slope(a0, a1, l0, l1), outer * mean(l0, l1)};
    }
    // A step does not cross a switch.
    case Op::where: return {number(0), where(a0 * a1, number(1))};
    case Op::piecewise: return {piecewise_slope(a0, a1, n0, n1), number(0)};
    case Op::hypot: return {(a0 + a1) / (n0 + n1), (b0 + b1) / (n0 + n1)};
    case Op::atan2: {
      // The angle between the two points, from its sine and cosine (times both lengths).
      const Expr cross = b0 * a1 - a0 * b1, along = a0 * a1 + b0 * b1;
      const Switch at(cross, smaller * along);
      const Expr denominator = at.inside_denominator(along), far = at.outside(cross);
      const Expr unit = at.take(arc_series(at.inside(cross) / denominator, -1) / denominator,
                                graph.make(Op::atan2, far, along) / far);
      return {mean(b0, b1) * unit, -(m * unit)};
    }
    case Op::min:
    case Op::max: {  // (a + b -+ |a - b|)/2
      const Expr slope = abs_slope(a0 - b0, a1 - b1);
      const Expr less = (1 - slope) / Quad(2), more = (1 + slope) / Quad(2);
      return op == Op::min ? Slopes{less, more} : Slopes{more, less};
    }
    case Op::sin: return {cos(m) * cardinal(d / Quad(2), -1), {}};
    case Op::cos: return {-(sin(m) * cardinal(d / Quad(2), -1)), {}};
    case Op::tan: return {cardinal(d, -1) / (cos(a0) * cos(a1)), {}};
    case Op::asin:
    case Op::acos: {  // asin(x) = atan(x/sqrt(1 - x^2))
      const Expr c0 = sqrt((1 - a0) * (1 + a0)), c1 = sqrt((1 - a1) * (1 + a1));
      const Expr c_slope = -((a0 + a1) / (c0 + c1));
      const Expr ratio_slope = (mean(c0, c1) - m * c_slope) / (c0 * c1);
      const Expr r0 = a0 / c0, r1 = a1 / c1;
      const Expr slope = ratio_slope * atan_slope(r0, r1, apply(Op::atan, r0), apply(Op::atan, r1));
      return {op == Op::asin ? slope : -slope, {}};
    }
    case Op::atan: return {atan_slope(a0, a1, n0, n1), {}};
    case Op::exp: {  // far apart, exp(m) may vanish where sinh(d/2) is beyond all numbers
      const Switch at(d, 2 * small);
      return {at.take(exp(m) * cardinal(at.inside(d) / Quad(2), +1), (n1 - n0) / at.outside(d)), {}};
    }
    case Op::sinh: return {apply(Op::cosh, m) * cardinal(d / Quad(2), +1), {}};
    case Op::cosh: return {apply(Op::sinh, m) * cardinal(d / Quad(2), +1), {}};
    case Op::tanh: {
      const Switch at(d, small);
      const Expr near = cardinal(at.inside(d), +1) / (apply(Op::cosh, a0) * apply(Op::cosh, a1));
      return {at.take(near, (n1 - n0) / at.outside(d)), {}};
    }
    case Op::log: return {log_slope(a0, a1, n0, n1), {}};
    case Op::sqrt: return {1 / (n0 + n1), {}};
    case Op::abs: return {abs_slope(a0, a1), {}};
    case Op::positive:
    case Op::sign: return {number(0), {}};
    case Op::constant:
    case Op::parameter:
    case Op::symbol: break;
  }
  check(false, "constants and symbols have no operands");
  return {};
}

Secant::Secant(ExprSpan f, ExprSpan x, ExprSpan x0, ExprSpan x1, Graph& target, DiscreteGradient kind)
    : target_(target),
      f_(f.begin(), f.end()),
      x_(x.begin(), x.end()),
      x0_(x0.begin(), x0.end()),
      x1_(x1.begin(), x1.end()),
      kind_(kind) {
  check(x.size() == x0.size() && x.size() == x1.size(), "a secant needs both ends of every variable");
}

Exprs Secant::transposed_product(ExprSpan w) const {
  check(w.size() == f_.size(), "a weight per function");
  if (f_.empty()) return Exprs(x_.size(), target_.constant(0));
  return kind_ == DiscreteGradient::chain ? chained(w) : corrected(w);
}

Exprs Secant::chained(ExprSpan w) const {
  // Only what changes between the ends counts as active.
  Exprs moving;
  std::vector<std::size_t> entry;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    if (x0_[i] == x1_[i]) continue;
    moving.push_back(x_[i]);
    entry.push_back(i);
  }
  Exprs result(x_.size(), target_.constant(0));
  if (moving.empty()) return result;
  const Active active(f_, moving);
  Graph& source = *active.graph;

  // Every active node with its operands, at both ends: node, a, b from here on.
  Exprs wanted;
  std::vector<std::size_t> place(active.nodes.size());
  for (std::size_t i = 0; i < active.nodes.size(); ++i) {
    const Node node = source.node(active.nodes[i].id);
    const int operands = operand_count(node.op);
    place[i] = wanted.size();
    wanted.emplace_back(&source, active.nodes[i].id);
    if (operands > 0) wanted.emplace_back(&source, node.a);
    if (operands > 0) wanted.emplace_back(&source, operands > 1 ? node.b : node.a);
  }
  const Exprs at0 = substitute(wanted, x_, x0_, target_), at1 = substitute(wanted, x_, x1_, target_);

  std::vector<Exprs> shares(active.nodes.size());
  for (std::size_t i = 0; i < f_.size(); ++i)
    if (active.holds(f_[i]) && !is_zero(w[i])) shares[active.position(f_[i])].push_back(w[i]);
  for (std::size_t i = active.nodes.size(); i-- > 0;) {
    const ActiveNode& node = active.nodes[i];
    if (shares[i].empty()) continue;
    const Expr weight = sum(target_, shares[i]);
    if (node.column != Marks::none) {
      result[entry[node.column]] = weight;
      continue;
    }
    const std::size_t n = place[i], a = n + 1, b = n + 2;
    const Slopes slope = slopes(node.op, at0[a], at1[a], at0[b], at1[b], at0[n], at1[n]);
    if (node.a != Marks::none) shares[node.a].push_back(weight * slope.a);
    if (node.b != Marks::none) shares[node.b].push_back(weight * slope.b);
  }
  return result;
}

Exprs Secant::corrected(ExprSpan w) const {
  Exprs middle, dx, squares, sizes;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    middle.push_back(mean(x0_[i], x1_[i]));
    dx.push_back(x1_[i] - x0_[i]);
    if (x0_[i] == x1_[i]) continue;
    squares.push_back(pow(dx[i], 2));
    sizes.push_back(pow(middle[i], 2));
  }
  Graph& source = f_[0].graph();
  const Exprs weights = source.symbols("w", static_cast<int>(f_.size()));
  const Exprs slope = alembert::internal::transposed_product(f_, x_, weights);
  Exprs from = x_, to = middle;
  from.insert(from.end(), weights.begin(), weights.end());
  to.insert(to.end(), w.begin(), w.end());
  Exprs result = substitute(slope, from, to, target_);
  const Exprs f0 = substitute(f_, x_, x0_, target_), f1 = substitute(f_, x_, x1_, target_);
  Exprs change;
  for (std::size_t i = 0; i < f_.size(); ++i) change.push_back(w[i] * (f1[i] - f0[i]));
  // Where the points are so near that the difference below is rounding only, the gradient at the mean is better.
  const Expr length = sum(target_, squares);
  const Switch at(length, Quad(3.7e-11) * sum(target_, sizes) + Quad(1e-200));
  const Expr missing = sum(target_, change) - dot(result, dx);
  const Expr factor = at.take(target_.constant(0), missing / at.outside(length));
  for (std::size_t i = 0; i < x_.size(); ++i) result[i] = result[i] + factor * dx[i];
  return result;
}

Exprs discrete_derivative(Expr f, ExprSpan x, ExprSpan x0, ExprSpan x1, Graph& target, DiscreteGradient kind) {
  const Expr one = target.constant(1);
  return Secant(ExprSpan(&f, 1), x, x0, x1, target, kind).transposed_product(ExprSpan(&one, 1));
}

}  // namespace alembert::internal
