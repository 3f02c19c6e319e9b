#pragma once

// When a Newton iteration has arrived: one test for all strategies, with all constants. It sees the sizes of the
// corrections, relative to the scales of the unknowns, one after the other. The goal is rounding: iterate until nothing
// more can be gained, and see by the way in which corrections shrink (or no longer do) that this point is reached.

#include <algorithm>
#include <cmath>

#include "alembert/base/bytes.h"

namespace alembert::internal {

/// proceed: another iteration with the same matrix; renew: with a new one.
enum class Verdict { proceed, renew, converged, diverged, not_finite };

class Convergence {
 public:
  /// unit: the rounding unit of the numbers, 2^-52 or 2^-112. linear: the equations are, in their unknowns; all that is
  /// left after the first correction is rounding.
  explicit Convergence(double unit, bool linear = false)
      : unit_(unit), at_once_(last_at_once * std::sqrt(unit)), linear_(linear) {}

  /// A new iteration begins.
  void begin() noexcept {
    before_ = 0;
    ratio_ = 0;
    moved_ = 0;
    largest_ratio_ = 0;
    corrections_ = 0;
    renewed_ = false;
    share_ = 1;
  }
  /// share: of the rounding unit, below which nothing need be made of what is left (CorrectionNorm::own_share).
  void begin_simplified(double share = 1) noexcept {
    begin();
    share_ = share;
    noise_ *= noise_decay;
  }
  /// A new matrix was factorised: nothing is known of how it contracts.
  void new_matrix() noexcept { contraction_ = unknown_contraction; }

  // What each strategy asks after a correction. at_rounding() is asked rarely, where corrections stay large: whether
  // the equations hold as well as rounding lets them.

  /// Exact Newton: the matrix belongs to every iterate, convergence is quadratic.
  template <class AtRounding>
  Verdict exact(double correction, AtRounding at_rounding) noexcept;

  struct Matrix {
    bool approximate = false;  // never Newton's own (two matrices)
    bool here = false;         // taken at the iterate that was corrected
  };
  /// Simplified Newton: a matrix of an earlier iterate or step, renewed when it contracts slowly.
  template <class AtRounding>
  Verdict simplified(double correction, Matrix matrix, AtRounding at_rounding) noexcept;

  /// Damped Newton: the whole correction, before it is shortened.
  Verdict damped(double correction) noexcept;

  /// At a singular position: converged means that no correction brings more; whether the equations hold remains to be
  /// seen. settled(): whether corrections are as small as a double root lets them be.
  Verdict singular(double correction) noexcept;
  bool settled() const noexcept { return before_ <= singular_floor; }

  // How this iteration went: the sum of the corrections, and the largest ratio of two successive ones by a matrix of
  // this iteration. Other matrices tell about themselves, corrections that may be rounding tell nothing. 0 for linear
  // equations, which have no other solution.
  double moved() const noexcept { return linear_ ? 0 : moved_; }
  double contraction() const noexcept { return linear_ ? 0 : largest_ratio_; }

  /// What is remembered from one iteration to the next.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

  // The constants, each with its reason. Sizes are in units of rounding, ratios are of successive corrections. What is
  // said of other values was measured in 26,000 steps: 23 models of the gallery, three methods each, with Newton's own
  // matrix and with two; 159,000 iterations, 17,800 factorisations. "Residuals" are those of the constraints on the
  // way.

  /// A correction that is predicted to be smaller than this is not made: added, it would hardly change a last bit. 4:
  /// residuals up to 74 times larger. 0.01: 5 % more iterations for nothing.
  static constexpr double negligible = 0.25;
  /// A first correction by Newton's own matrix that is smaller than this, in roots of the rounding unit, is the last
  /// one: what it leaves is its square times the curvature of the equations (relative to their slope, in units of the
  /// unknowns), and that may be 1e8 before rounding is reached.
  static constexpr double last_at_once = 1e-4;
  /// From larger corrections nothing is predicted, unless the equations hold already or are linear. Relative to an
  /// iterate that it has itself thrown far away, a correction is about 1, whatever it is: after one of 1e9 that looks
  /// like fast convergence.
  static constexpr double near = 0.01;
  /// Corrections of a guess that much larger than the solution are rounding of the guess: of light masses, whose
  /// accelerations are 1e100. They say nothing about the equations.
  static constexpr double hidden = 1e8;
  /// Nor do corrections below this, in any precision: rounding in double numbers, and multipliers, which do not count
  /// themselves, on their way. Solutions that near to each other are one.
  static constexpr double telling = 2e-10;
  /// Quadratic convergence squares the ratio at every iteration. Ratios above this are not in that regime yet, or they
  /// are rounding. From 0.1 to 0.5 nothing changes by more than 0.1 %.
  static constexpr double quadratic = 0.25;
  /// Corrections of exact Newton that grow by this factor after the first three iterations do not come back: inside the
  /// region of convergence (Newton and Kantorovich) each is at most half the one before.
  static constexpr double growing = 2;
  /// The first ratios say little: the initial guess may lie anywhere.
  static constexpr int first_ratios = 3;
  /// A contraction above this makes a kept factorisation worth renewing. 0.1: 9 % fewer iterations, 22 % more
  /// factorisations. 0.4: 7 % more, 12 % fewer, and residuals up to 14 times larger.
  static constexpr double slow = 0.2;
  /// What a new factorisation is trusted to contract by, until seen otherwise. 1e-4: residuals up to 5 times larger.
  /// 0.1: 2 % more iterations, 6 % more factorisations.
  static constexpr double unknown_contraction = 0.02;
  /// Rates are not believed to be closer to 1: what is left of the geometric series would be anything.
  static constexpr double slowest_rate = 0.9;
  /// Small corrections that shrink less than this are rounding. 0.3: residuals up to 6.5 times larger. 0.8: 4 % more
  /// iterations.
  static constexpr double stalled = 0.5;
  /// What a correction may stall at and still be called rounding, with any matrix. 256: residuals up to 15 times larger
  /// (4096: 92). 16: 7 % more factorisations.
  static constexpr double quiet_floor = 64;
  /// The same with the best matrix there is, where it can only be the condition of the equations. 1e8: residuals up to
  /// 80 times larger. 1e4: 2 % more factorisations.
  static constexpr double fresh_floor = 1e6;
  /// By how much the level below which corrections were rounding lately is lowered at each solve. 0.5: 36 % more
  /// factorisations. 0.99: 12 % fewer, and residuals up to 6.5 times larger.
  static constexpr double noise_decay = 0.95;
  /// Corrections that may be left over at a singular position: at a double root the unknowns are known to the root of
  /// the rounding unit, 1.5e-8, times what the equations make of it. The same for quadruple precision: the ranks are
  /// cut at 1e-9 there, too (minimum_norm.cpp).
  static constexpr double singular_floor = 1e-6;

 private:
  /// What all have in common; proceed where that does not decide.
  Verdict first_look(double now) noexcept {
    if (std::isnan(now)) return Verdict::not_finite;
    ++corrections_;
    ratio_ = now / before_;
    moved_ += now;
    before_ = now;
    return now <= share_ * unit_ ? Verdict::converged : Verdict::proceed;
  }
  void note_ratio() noexcept {
    const bool tells = before_ > telling && before_ <= hidden * ratio_;
    if (tells) largest_ratio_ = std::max(largest_ratio_, ratio_);
  }
  /// Whether what a correction is predicted to leave need not be made.
  template <class AtRounding>
  bool is_last(double correction, double left, AtRounding at_rounding) const noexcept {
    return ratio_ < 1 && left <= negligible * share_ * unit_ && (linear_ || correction <= near || at_rounding());
  }
  /// Corrections stay large against unknowns that are rounding themselves: they tell nothing.
  Verdict hold_at_rounding() noexcept {
    moved_ = 0;
    largest_ratio_ = 0;
    return Verdict::converged;
  }
  template <class AtRounding>
  Verdict slowly(double correction, double ratio, Matrix matrix, AtRounding at_rounding) noexcept;

  double unit_, at_once_;
  bool linear_;
  double before_ = 0;  // the last correction
  double ratio_ = 0;   // of the last two
  double moved_ = 0;   // the sum of all
  double largest_ratio_ = 0;
  int corrections_ = 0;   // of this iteration
  bool renewed_ = false;  // the matrix was taken in this iteration
  double share_ = 1;
  // Over the iterations:
  double contraction_ = unknown_contraction;  // the slowest seen with the kept factorisation
  double noise_ = 0;                          // corrections up to here were rounding lately
};

}  // namespace alembert::internal

#include "alembert/newton/convergence_impl.h"
