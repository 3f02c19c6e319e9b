#pragma once

// Readable text of expressions: infix as the model language writes it (it parses back), and LaTeX.

#include <string>

#include "alembert/expr.h"

namespace alembert::internal {

std::string to_infix(Expr e);
using alembert::to_latex;

}  // namespace alembert::internal
