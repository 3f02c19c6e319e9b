#pragma once

// Functions given by their values. Inside model/ only.

#include <string>
#include <vector>

#include "alembert/expr/piecewise.h"

namespace alembert::internal {

struct Table {
  enum class Kind { linear, spline, monotone };
  Kind kind = Kind::linear;
  std::vector<Quad> x, f;  // at least two; x ascends

  /// As a function; beyond the ends it holds its last values.
  const Piecewise& function(const std::string& name) const;
};

/// Two columns of a CSV file with a head line: the one that is named `argument`, else the first, and `column` by its
/// number or its name. What is wrong comes back in words, with a hint; "" where all is well.
struct TableFile {
  std::vector<Quad> x, f;
  std::string wrong, hint;
  std::string text;  // all of it
};
/// The same for a text that is at hand; path: for its ending.
TableFile read_table_text(const std::string& text, const std::string& path, const std::string& argument,
                          const std::string& column);
TableFile read_table_file(const std::string& path, const std::string& argument, const std::string& column);

}  // namespace alembert::internal
