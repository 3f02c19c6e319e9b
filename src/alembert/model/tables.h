#pragma once

// Functions given by their values. Inside model/ only.

#include <string>
#include <utility>
#include <vector>

#include "alembert/expr/piecewise.h"
#include "alembert/text/syntax.h"

namespace alembert::internal {

struct Table {
  enum class Kind { linear, spline, monotone };
  Kind kind = Kind::linear;
  std::vector<Quad> x, f;  // at least two; x ascends
  // Values that change on the way, by the numbers of their points; f is 0 there. Not of monotone tables.
  std::vector<std::pair<std::size_t, Expr>> changing;

  /// As a function; beyond the ends it holds its last values.
  const Piecewise& function(const std::string& name) const;
  /// The same with 1 at this point and 0 at all others: of linear tables and splines what its value is multiplied by.
  const Piecewise& point(std::size_t number, const std::string& name) const;
};

/// Two columns of a CSV file with a head line: the one that is named `argument`, else the first, and `column` by its
/// number or its name. What is wrong comes back in words, with a hint; "" where all is well.
struct TableFile {
  std::vector<Quad> x, f;
  std::string wrong, hint;
  bool of_column = false;  // it is the column that is wrong
  std::string text;        // all of it
};
/// The same for a text that is at hand; path: for its ending.
TableFile read_table_text(const std::string& text, const std::string& path, const std::string& argument,
                          const std::string& column);
TableFile read_table_file(const std::string& path, const std::string& argument, const std::string& column);

/// The names in the head line of a CSV file; none where it cannot be read.
std::vector<std::string> columns_of(const std::string& path);

/// Inputs that follow files, as tables: "F=wind.csv" for the input F, the entry F[2] or the member F[2] of a family; F
/// alone for all entries or members of which the file has a column. Appends what is wrong to `wrong`.
void follow_files(Text& text, const std::vector<std::string>& inputs, std::vector<Diagnostic>& wrong);

}  // namespace alembert::internal
