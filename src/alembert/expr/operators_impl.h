#pragma once

// Values of the operators; included by operators.h.

#include <quadmath.h>

#include <cmath>

#include "alembert/base/error.h"

namespace alembert {

/// The functions for the built-in types under one roof, so that evaluate() calls every scalar type alike; those of a
/// class type are found beside the class. Absolute value is fabs: libstdc++ has an abs of its own for Real in some
/// dialects only.
namespace scalar {

using std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::exp, std::fabs, std::hypot, std::log;
using std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;

inline Real acos(Real x) { return acosq(x); }
inline Real asin(Real x) { return asinq(x); }
inline Real atan(Real x) { return atanq(x); }
inline Real atan2(Real y, Real x) { return atan2q(y, x); }
inline Real cos(Real x) { return cosq(x); }
inline Real cosh(Real x) { return coshq(x); }
inline Real exp(Real x) { return expq(x); }
inline Real fabs(Real x) { return fabsq(x); }
inline Real hypot(Real x, Real y) { return hypotq(x, y); }
inline Real log(Real x) { return logq(x); }
inline Real pow(Real x, Real y) { return powq(x, y); }
inline Real sin(Real x) { return sinq(x); }
inline Real sinh(Real x) { return sinhq(x); }
inline Real sqrt(Real x) { return sqrtq(x); }
inline Real tan(Real x) { return tanq(x); }
inline Real tanh(Real x) { return tanhq(x); }

}  // namespace scalar

template <class T>
T evaluate(Op op, T a, T b) {
  using scalar::acos, scalar::asin, scalar::atan, scalar::atan2, scalar::cos, scalar::cosh, scalar::exp, scalar::fabs;
  using scalar::hypot, scalar::log, scalar::pow, scalar::sin, scalar::sinh, scalar::sqrt, scalar::tan, scalar::tanh;
  switch (op) {
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return a / b;
    case Op::power: return pow(a, b);
    case Op::atan2: return atan2(a, b);
    case Op::min: return a < b ? a : b;  // by comparison, so that interpreter and compiler agree, also for nan
    case Op::max: return a > b ? a : b;
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
    case Op::sign: return a > T(0) ? T(1) : a < T(0) ? T(-1) : a;  // 0 and nan are their own sign
    case Op::constant:
    case Op::symbol: break;
  }
  check(false, "constants and symbols have no operands to evaluate");
  return a;
}

}  // namespace alembert
