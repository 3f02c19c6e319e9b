#pragma once

// The size of steps that Newton's method makes cheaply: where steps by tolerance are so long that it labours, shorter
// ones cost less. A looser tolerance must not be dearer.

namespace alembert::internal {

/// What Newton had to do for the steps that were made last, and for the one beside them.
struct NewtonLabour {
  long iterations = 0, factorizations = 0;
  long compared = 0;      // iterations in the one beside them
  bool unsolved = false;  // some that were tried had no solution
  double too_long = 0;    // the size of the last of these
};

class NewtonEconomy {
 public:
  /// Whether a step of this size is too long to be compared with two of half.
  bool too_wide(double h) const;
  /// Whether steps are compared with ones that are no longer, for now.
  bool compares_narrowly() const { return wide_ > 0; }
  /// One of twice this size, made for comparison, had no solution.
  void lost(double h);
  /// Behind `count` steps of size h: the size of the next, at most `wanted`. guessed: the next begin with a guess.
  double next(double h, double wanted, int count, const NewtonLabour& labour, bool guessed);

 private:
  double longest_ = 0;    // no longer steps for now; 0: no limit
  double wide_ = 0;       // no longer ones for comparison; 0: no limit
  int left_ = 0;          // stretches for which `longest_` holds
  int again_ = 0;         // for how many it did the last time
  bool guessed_ = false;  // the steps had others before them to be guessed from
};

}  // namespace alembert::internal
