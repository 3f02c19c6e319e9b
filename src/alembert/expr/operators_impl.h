#pragma once

// Values of the operators; included by operators.h.

#include <quadmath.h>

#include <cmath>

#include "alembert/error.h"

namespace alembert::internal {

/// The functions for the built-in types under one roof, so that evaluate() calls every scalar type alike; those of a
/// class type are found beside the class. Absolute value is fabs: libstdc++ has an abs of its own for Quad in some
/// dialects only.
namespace scalar {

using std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::exp, std::fabs, std::hypot, std::log;
using std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;

inline Quad acos(Quad x) { return acosq(x); }
inline Quad asin(Quad x) { return asinq(x); }
inline Quad atan(Quad x) { return atanq(x); }
inline Quad atan2(Quad y, Quad x) { return atan2q(y, x); }
inline Quad cos(Quad x) { return cosq(x); }
inline Quad cosh(Quad x) { return coshq(x); }
inline Quad exp(Quad x) { return expq(x); }
inline Quad fabs(Quad x) { return fabsq(x); }
inline Quad hypot(Quad x, Quad y) { return hypotq(x, y); }
inline Quad log(Quad x) { return logq(x); }
inline Quad pow(Quad x, Quad y) { return powq(x, y); }
inline Quad sin(Quad x) { return sinq(x); }
inline Quad sinh(Quad x) { return sinhq(x); }
inline Quad sqrt(Quad x) { return sqrtq(x); }
inline Quad tan(Quad x) { return tanq(x); }
inline Quad tanh(Quad x) { return tanhq(x); }

/// A piecewise function by the number under which it is known (piecewise.h).
double piecewise_value(double x, double number);
long double piecewise_value(long double x, long double number);
Quad piecewise_value(Quad x, Quad number);

}  // namespace scalar

template <class T>
T evaluate(Op op, T a, T b) {
  using scalar::acos, scalar::asin, scalar::atan, scalar::atan2, scalar::cos, scalar::cosh, scalar::exp, scalar::fabs;
  using scalar::hypot, scalar::log, scalar::piecewise_value, scalar::pow, scalar::sin, scalar::sinh, scalar::sqrt,
      scalar::tan, scalar::tanh;
  switch (op) {
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return a / b;
    case Op::power: return pow(a, b);
    case Op::atan2: return atan2(a, b);
    case Op::min: return a < b ? a : b;  // by comparison, so that interpreter and compiler agree, also for nan
    case Op::max: return a > b ? a : b;
    case Op::where: return a < T(0) || a > T(0) ? b : T(0);
    case Op::piecewise: return piecewise_value(a, b);
    case Op::hypot: return hypot(a, b);
    case Op::negate: return -a;
    case Op::sin: return sin(a);
    case Op::cos: return cos(a);
    case Op::tan: return tan(a);
    case Op::asin: return asin(a);
    case Op::acos: return acos(a);
    case Op::atan: return atan(a);
    case Op::sinh: return sinh(a);
    case Op::cosh: return cosh(a);
    case Op::tanh: return tanh(a);
    case Op::exp: return exp(a);
    case Op::log: return log(a);
    case Op::sqrt: return sqrt(a);
    case Op::abs: return fabs(a);
    case Op::positive: return a > T(0) ? T(1) : T(0);
    case Op::sign: return a > T(0) ? T(1) : a < T(0) ? T(-1) : a;  // 0 and nan are their own sign
    case Op::constant:
    case Op::parameter:
    case Op::symbol: break;
  }
  check(false, "constants and symbols have no operands to evaluate");
  return a;
}

}  // namespace alembert::internal
