#pragma once

// Readable text of expressions: infix as the model language writes it (it parses back), and LaTeX.

#include <string>

#include "alembert/expr.h"

namespace alembert::internal {

std::string to_infix(Expr e);
std::string to_latex(Expr e);

}  // namespace alembert::internal
