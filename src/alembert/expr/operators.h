#pragma once

// The one table of operators: name, value, derivative. Parser names, interpreter, compiler and printing all read it.

#include <span>
#include <string_view>

#include "alembert/expr.h"

namespace alembert::internal {

struct Operator {
  Op op;
  std::string_view name;   // "sin"; as the language writes it ("+" for add)
  std::string_view latex;  // "\\sin"
  std::string_view libm;   // symbol of the C library that computes it in double, "" where an instruction does
  int operands;            // 0, 1, 2
};

const Operator& operator_of(Op op);
/// The function of this name; nullptr when there is none ("sin" yes, "+" no).
const Operator* find_function(std::string_view name);
std::span<const Operator> operators();

/// Value in any scalar type: double, long double, Quad, and any class with < > + - * / beside which the functions of
/// <cmath> stand (fabs for abs; piecewise_value). b is not looked at where the operator has one operand. sign(0) is 0.
template <class T>
T evaluate(Op op, T a, T b);

/// Partial derivative of node = op(a, b) for operand 0 or 1, as an expression.
Expr partial(Expr node, int operand);

}  // namespace alembert::internal

#include "alembert/expr/operators_impl.h"
