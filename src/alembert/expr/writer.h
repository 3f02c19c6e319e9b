#pragma once

// What both printings share: writing a tree without recursion, and constants as fractions. Inside expr/ only.

#include <quadmath.h>

#include <string>
#include <utility>
#include <vector>

#include "alembert/expr.h"

namespace alembert::internal {

/// How tightly the text of an expression holds together.
enum class Level { sum = 1, product, power, atom };

/// A piece of text still to be written: a literal, or an expression in a place that asks for a level.
struct Piece {
  Piece(std::string text) : text(std::move(text)) {}
  Piece(const char* text) : text(text) {}
  Piece(Expr e, Level level, bool behind = false) : e(e), level(level), behind(behind) {}

  std::string text;
  Expr e;
  Level level = Level::sum;
  bool behind = false;  // an operator stands before it: no leading minus
};
using Pieces = std::vector<Piece>;

/// One expression taken apart.
struct Form {
  Level level;
  Pieces pieces;
  bool minus = false;  // begins with one
};

/// Writes e by taking it apart step by step: expand(piece) gives the pieces of one expression. Shared parts are written
/// each time, which may be exponentially long: beyond `longest` characters the text ends with "...".
template <class Expand>
std::string write(Expr e, Expand expand, std::size_t longest = 100000) {
  std::string text;
  Pieces open = {Piece(e, Level::sum)};
  while (!open.empty()) {
    const Piece piece = std::move(open.back());
    open.pop_back();
    if (piece.e) {
      Pieces parts = expand(piece);
      for (std::size_t i = parts.size(); i > 0; --i) open.push_back(std::move(parts[i - 1]));
    } else {
      text += piece.text;
    }
    if (text.size() > longest) {
      text.resize(longest);
      return text + "...";
    }
  }
  return text;
}

/// A constant as text; one that came from a double is written as that double is.
inline std::string constant_text(Quad value) {
  return Quad(double(value)) == value || value != value ? to_text(double(value)) : to_text(value);
}

/// Whether value is p/q with small numbers, as read from "p/q", and not better written as a decimal.
inline bool as_fraction(Quad value, long& p, long& q) {
  if (!finiteq(value) || Quad(double(value)) == value || fabsq(value) > 1000) return false;
  for (q = 3; q <= 1000; ++q) {
    const Quad numerator = roundq(value * q);
    if (numerator == 0 || numerator / q != value) continue;
    p = long(numerator);
    // A factor of the decimals alone: 0.1 is read as 0.1.
    long rest = q;
    while (rest % 2 == 0) rest /= 2;
    while (rest % 5 == 0) rest /= 5;
    return rest != 1;
  }
  return false;
}

/// Whether value is 1/2, 1/4 ... 1/1024, which division by 2, 4 ... leaves behind; gives that divisor.
inline bool as_half(Quad value, long& divisor) {
  for (divisor = 2; divisor <= 1024; divisor *= 2) {
    if (value * divisor == 1) return true;
  }
  return false;
}

}  // namespace alembert::internal
