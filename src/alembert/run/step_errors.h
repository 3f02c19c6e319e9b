#pragma once

// The books of single steps that were made again: what they err by, entry by entry, and what all steps add up to.

#include <cmath>
#include <cstddef>
#include <vector>

namespace alembert::internal {

class StepErrors {
 public:
  explicit StepErrors(std::size_t entries)
      : largest_(entries, 0), now_(largest_), last_(largest_), accompanied_(largest_), sum_(largest_) {}

  /// For the differences of the next step: all 0.
  std::vector<double>& begin();
  const std::vector<double>& now() const { return now_; }
  /// What stands there now is the error of step n, which ended at t and is of this size altogether. accompanied: a
  /// companion went beside it.
  void take(long n, double t, double size, bool accompanied);
  /// A step whose parts had no solution.
  void unsolved() { ++unsolved_; }

  /// The largest in a step, and of those beside which a companion went.
  const std::vector<double>& largest() const { return largest_; }
  const std::vector<double>& accompanied() const { return accompanied_; }
  /// Of all steps up to the last that was compared; those in between by the trapezoidal rule.
  const std::vector<double>& sum() const { return sum_; }
  /// Of those up to step n, less what was there before.
  std::vector<double> sum_since(const std::vector<double>& before, long n) const;
  double worst_t() const { return worst_t_; }
  long compared() const { return compared_; }
  bool has_unsolved() const { return unsolved_ > 0; }

  template <class A>
  void archive(A& fields) {
    fields(largest_, now_, last_, accompanied_, sum_, summed_, worst_, worst_t_, compared_, unsolved_);
  }

 private:
  std::vector<double> largest_;
  std::vector<double> now_, last_;  // of the last step that was compared, and of the one before
  std::vector<double> accompanied_;
  std::vector<double> sum_;
  long summed_ = 0;                 // steps up to here
  double worst_ = 0, worst_t_ = 0;  // the size of an error, and where
  long compared_ = 0, unsolved_ = 0;
};

/// Steps that kinks or events cut at both ends, of which a companion sees no error.
class CutSteps {
 public:
  /// A kink was met at this time.
  void kink(double t);
  /// The least time between two kinks.
  double shortest_contact() const { return shortest_contact_; }
  /// There is one more such step; whether it is to be made again.
  bool due();
  /// The error of one that was.
  void add(double error);
  /// What all of them add to the error at the end.
  double error() const;

  template <class A>
  void archive(A& fields) {
    fields(errors_, count_, compared_, last_kink_, shortest_contact_);
  }

 private:
  double last_kink_ = -INFINITY, shortest_contact_ = INFINITY;
  double errors_ = 0;  // of those that were compared, together
  long count_ = 0, compared_ = 0;
};

}  // namespace alembert::internal
