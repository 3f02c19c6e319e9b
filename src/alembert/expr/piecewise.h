#pragma once

// Functions of one number that are cubics between knots: what tables are made of. In expressions one is a single
// operation, however many knots it has: Op::piecewise of its argument and of the number under which it is known.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "alembert/expr.h"

namespace alembert::internal {

class Piecewise {
 public:
  /// f + u*(b + u*(c + u*d)) with u = x - at.
  template <class T>
  struct Piece {
    T at = 0, f = 0, b = 0, c = 0, d = 0;
  };
  /// knots: ascending, at least one. pieces: before the first knot, and behind each; those at both ends are straight.
  /// order: how often `name` was differentiated.
  Piecewise(std::string name, int order, std::vector<Quad> knots, std::vector<Piece<Quad>> pieces);
  Piecewise(const Piecewise&) = delete;
  Piecewise& operator=(const Piecewise&) = delete;

  /// In a knot the piece behind it counts.
  double value(double x) const noexcept;
  Quad value(Quad x) const noexcept;
  /// Slope, as a function; the same each time. In a knot it is that of the piece behind it.
  const Piecewise& slope() const;
  /// How many knots lie at or before x, as a function.
  const Piecewise& count() const;
  /// Least and largest value between two arguments, which may be infinite; perhaps wider, never narrower but for
  /// rounding.
  std::pair<double, double> bounds(double low, double high) const;
  /// What the terms of the value add up to without their signs: rounding is a part of it.
  double size(double x) const noexcept;

  std::string name() const { return name_ + std::string(static_cast<std::size_t>(order_), '\''); }
  const std::string& plain_name() const { return name_; }
  int order() const { return order_; }
  /// Whether it has one value only.
  bool is_constant() const;
  /// The knots in which a derivative jumps, of the function that this is a slope of: there the motion has a kink.
  const std::vector<double>& kinks() const { return kinks_; }
  const std::vector<double>& knots() const { return knots_; }
  const std::vector<Piece<double>>& pieces() const { return pieces_; }
  const std::vector<Quad>& exact_knots() const { return exact_knots_; }
  const std::vector<Piece<Quad>>& exact_pieces() const { return exact_; }
  /// Under which it is known; from the contents.
  double number() const { return number_; }

 private:
  friend const Piecewise& known(std::unique_ptr<Piecewise> function);
  friend const Piecewise* find_piecewise(double number) noexcept;
  bool same(const Piecewise& other) const;
  std::size_t piece_of(double x) const noexcept;
  void make_grid();
  void find_kinks();
  void measure();

  std::string name_;
  int order_ = 0;
  std::vector<Quad> exact_knots_;
  std::vector<Piece<Quad>> exact_;
  std::vector<double> knots_, kinks_;
  std::vector<Piece<double>> pieces_;
  std::vector<std::uint32_t> grid_;  // knots before even places, so that few are left to search
  double grid_scale_ = 0;
  double least_ = 0, most_ = 0;  // between the first and the last knot
  double number_ = 0;
  Piecewise* next_ = nullptr;  // in the list of all
  mutable std::atomic<const Piecewise*> slope_{nullptr}, count_{nullptr};
};

/// Kept until the process ends, since compiled code knows the number; contents that are known already are not kept
/// twice. Any thread may call these.
const Piecewise& known(std::unique_ptr<Piecewise> function);
/// Null where there is none of this number.
const Piecewise* find_piecewise(double number) noexcept;

/// The function of an argument; a constant where it has one value only.
Expr piecewise(Expr argument, const Piecewise& function);
/// That of a node whose operation is Op::piecewise.
const Piecewise& piecewise_of(Expr node);

}  // namespace alembert::internal

/// What compiled code calls: the value of the function of this number; nan where there is none.
extern "C" double alembert_piecewise(double x, double number) noexcept;
