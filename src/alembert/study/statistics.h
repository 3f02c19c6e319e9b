#pragma once

// What the members of a study have in common, while they come in: mean, deviation, quantiles, histograms of a column.
// Values are added in the order of the members, so that the same study gives the same bits everywhere.

#include <string>
#include <vector>

#include "alembert/study.h"

namespace alembert::internal {

/// Any number of values in a memory of two million of them.
class RunningStatistics {
 public:
  /// What is not finite is left out.
  void add(double value);
  std::uint64_t count() const { return count_; }
  double mean() const { return mean_; }
  double deviation() const;  // with count - 1; NaN below two values
  /// The value below which this share lies, linear between neighbours.
  double quantile(double share) const;
  /// How many lie in each of `parts` equal parts between the least and the most.
  std::vector<std::uint64_t> histogram(std::size_t parts) const;
  ColumnStatistics summary(const std::string& column, std::size_t parts) const;

 private:
  void thin();
  const std::vector<double>& sorted() const;

  // Exact up to this many; where they are more, every second one of the sorted values is kept and stands for two. Each
  // such step moves a rank by at most the weight: after k of them a share is off by less than k/2^21.
  static constexpr std::size_t room = std::size_t{1} << 21;
  std::uint64_t count_ = 0;
  double mean_ = 0, squares_ = 0;  // Welford
  double least_ = 0, most_ = 0;
  std::uint64_t weight_ = 1, skipped_ = 0;  // of kept values; values since the last one that was kept
  bool upper_ = false;                      // which half the next thinning keeps: alternating, so that errors cancel
  mutable std::vector<double> kept_;
  mutable bool sorted_ = false;
};

/// Parts of the histograms of a study.
inline constexpr std::size_t histogram_parts = 32;

/// Lines for the eye: a row a column.
std::string to_text(const std::vector<ColumnStatistics>& statistics);
std::string to_json(const std::vector<ColumnStatistics>& statistics);

}  // namespace alembert::internal
