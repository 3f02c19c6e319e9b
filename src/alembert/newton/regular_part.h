#pragma once

// A regular system in place of one with redundant equations. Private to newton/.

#include <algorithm>
#include <vector>

#include "alembert/base/bytes.h"
#include "alembert/base/lists.h"
#include "alembert/base/magnitude.h"
#include "alembert/newton/fewer_equations.h"
#include "alembert/newton/newton.h"

namespace alembert::internal {

template <class T>
struct RegularPart {
  Newton<T> newton;
  std::vector<int> place;  // of its unknowns among all
  Kernel<T> spare;         // the equations that it does not have, in all inputs and unknowns
  std::vector<int> spare_equations;
  std::vector<T> x, residuals, work;
  std::vector<T> sizes;  // of the terms of the spare equations
  int since_sizes = 0;   // solves since these were taken; 0: never
  int pause = 0, left = 0;

  // Spare equations hold where their residuals are below this part of their terms: rounding of some hundred, by which
  // minimum norm would not be better. Where the equations that are left determine the motion badly, residuals are
  // larger. Bennett's linkage with 2e-15: 1.2 times the time, velocities ten times as good; 1e-12: 0.8, sixty times
  // worse.
  static constexpr double spare_residual = 1e-14;
  // The sizes of these terms are taken that rarely: they are only needed roughly.
  static constexpr int sizes_every = 200;
  // After a failure the fewer equations are left alone for a while, twice as long each time, up to this many solves.
  static constexpr int longest_pause = 64;

  /// As for Newton, with equations that have fewer.
  RegularPart(const ImplicitEquations& e, const std::vector<T>& typical, NewtonOptions options)
      : newton(e.fewer->system, typical_of(e, typical), options),
        place(e.fewer->place),
        spare(joined<Expr>(e.inputs, e.unknowns), chosen_of(e.equations, e.fewer->spare_equations), options.kernel),
        spare_equations(e.fewer->spare_equations),
        x(e.inputs.size() + place.size()),
        residuals(spare_equations.size()),
        work(spare.work()),
        sizes(spare_equations.size()) {}
  RegularPart(const RegularPart& other)
      : newton(other.newton.clone()),
        place(other.place),
        spare(other.spare),
        spare_equations(other.spare_equations),
        x(other.x),
        residuals(other.residuals),
        work(other.work),
        sizes(other.sizes) {}

  static std::vector<T> typical_of(const ImplicitEquations& e, const std::vector<T>& typical) {
    std::vector<T> result(typical.begin(), typical.begin() + static_cast<std::ptrdiff_t>(e.inputs.size()));
    for (const int i : e.fewer->place) result.push_back(typical[e.inputs.size() + i]);
    return result;
  }
  static Exprs chosen_of(const Exprs& all, const std::vector<int>& which) {
    Exprs result;
    for (const int i : which) result.push_back(all[i]);
    return result;
  }

  bool wants_sizes() noexcept {
    if (since_sizes > 0 && ++since_sizes < sizes_every) return false;
    since_sizes = 1;
    return true;
  }
  /// The next solve is left to the others.
  bool pauses() noexcept { return left > 0 && left-- > 0; }
  void failed() noexcept {
    newton.forget();
    pause = std::min(std::max(1, 2 * pause), longest_pause);
    left = pause;
  }
  /// Whether the spare equations hold at a solution of the others. sizes must have been taken.
  bool holds(const T* all) noexcept {
    spare(all, residuals.data(), work.data());
    for (std::size_t i = 0; i < residuals.size(); ++i)
      if (!(magnitude(residuals[i]) <= T(spare_residual) * sizes[i])) return false;
    return true;
  }
  void start_afresh() noexcept {
    newton.start_afresh();
    since_sizes = pause = left = 0;
  }
  void save(ByteWriter& out) const {
    newton.save(out);
    out.write(sizes);
    for (const int number : {since_sizes, pause, left}) out.write(number);
  }
  void load(ByteReader& in) {
    newton.load(in);
    in.refill(sizes);
    for (int* number : {&since_sizes, &pause, &left}) in.read(*number);
  }
};

}  // namespace alembert::internal
