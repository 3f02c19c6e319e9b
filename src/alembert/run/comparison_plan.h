#pragma once

// Which steps of a run are made again in two parts: some by number, and each that was predicted worse than all that
// were compared before. Knows numbers of steps and of errors only.

namespace alembert::internal {

class ComparisonPlan {
 public:
  /// all: every step is compared.
  explicit ComparisonPlan(bool all) : all_(all) {}

  bool all() const { return all_; }
  /// Whether each of the steps up to here is looked at: all are compared, or the prediction is not known yet.
  bool each(long n) const;
  /// Steps until one is due by its number.
  long until(long n) const;
  long next() const { return next_; }  // the number of the one that is
  /// Whether step n is to be compared. Asked once for each step that may be.
  bool due(long n, double prediction_error);
  /// It was compared, with this error of its prediction.
  void compared(long n, double prediction_error);
  /// Behind step n, comparisons begin near to each other again.
  void nearer(long n);
  /// A prediction that is worse is a reason to compare.
  double surprising() const;

  template <class A>
  void archive(A& fields) {
    fields(next_, gap_, predicted_worst_);
  }

 private:
  bool all_;
  long next_ = 1;
  long gap_ = 0;                // between the last two by number; 0: the usual
  double predicted_worst_ = 0;  // of the steps that were compared
};

}  // namespace alembert::internal
