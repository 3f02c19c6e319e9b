#pragma once

// The times at which rows are wanted, in the order of the run.

#include <optional>
#include <vector>

namespace alembert::internal {

class SampleTimes {
 public:
  /// The times `at` in any order, and the multiples of `sample` (0: none) from t0 on. Throws InputError for times that
  /// are not between t0 and end, and for samples that make no sense.
  SampleTimes(std::vector<double> at, double sample, double t0, double end);

  bool any() const { return !at_.empty() || sample_ != 0; }
  double count() const { return static_cast<double>(at_.size()) + samples_; }
  /// The next time up to t, each once; nothing where there is none.
  std::optional<double> next(double t);
  /// What next() would give out for a late t, or something before it; infinite, in the direction of the run, where
  /// nothing is left.
  double upcoming() const;

  /// Which were given out.
  template <class A>
  void archive(A& fields) {
    fields(next_sample_, next_at_, last_);
  }

 private:
  bool is_listed() const;
  double regular() const;

  std::vector<double> at_;
  double t0_, end_, sample_, samples_ = 0, next_sample_ = 0;
  std::size_t next_at_ = 0;
  std::optional<double> last_;
};

}  // namespace alembert::internal
