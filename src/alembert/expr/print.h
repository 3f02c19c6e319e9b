#pragma once

// Readable text of expressions: infix as the model language writes it (it parses back), and LaTeX.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "alembert/expr.h"

namespace alembert::internal {

class Piecewise;

std::string to_infix(Expr e);
using alembert::to_latex;

/// How symbols are set in LaTeX: by rule (x1' is the dotted x with index 1), but for those that would look like others.
class LatexNames {
 public:
  LatexNames() = default;
  /// Of these symbols the ones that would look like one before them (l_1 behind l1) are set as they are written.
  explicit LatexNames(const std::vector<std::string>& symbols);
  std::string operator()(std::string_view symbol) const;

 private:
  std::set<std::string, std::less<>> as_written_;  // without primes
};
std::string to_latex(Expr e, const LatexNames& names);
/// The name of a table, with a prime for each derivative.
std::string to_latex(const Piecewise& function, const LatexNames& names);

}  // namespace alembert::internal
