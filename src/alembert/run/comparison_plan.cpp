#include "alembert/run/comparison_plan.h"

#include <algorithm>

namespace alembert::internal {

namespace {

// One step in this many is compared by its number: a prime, so that no period of the motion hides.
constexpr long between_comparisons = 499;
// Until then the prediction does not know the motion yet: it extrapolates from fewer steps than later.
constexpr long first_predictions = 8;
// The first ones are compared: what a damping method takes away at once is right nowhere else.
constexpr long first_compared = 4;
// Behind a step that was predicted so badly, and behind the companion, comparisons are this near to each other at
// first, then twice as far each time: what errs for a short time only is not taken for the usual.
constexpr long near_comparison = 4;
// A step that was predicted worse by this factor than all compared ones is compared too.
constexpr double surprise = 4;
// Predictions that are better than this differ by rounding.
constexpr double predicted_well = 1e-12;

}  // namespace

bool ComparisonPlan::each(long n) const { return all_ || n < first_predictions; }

long ComparisonPlan::until(long n) const { return each(n) ? 1 : std::max(1L, next_ - n); }

bool ComparisonPlan::due(long n, double prediction_error) {
  if (all_) return true;
  if (n > 1 && n <= first_compared) return true;
  if (n > 1 && n < first_predictions) return false;
  const bool surprised = n > 1 && prediction_error > surprising();
  if (n < next_ && !surprised) return false;
  const long by_number = (n / between_comparisons + 1) * between_comparisons;
  gap_ = surprised ? near_comparison : 2 * gap_;
  next_ = n == 1 ? first_predictions : gap_ == 0 ? by_number : std::min(by_number, n + gap_);
  if (gap_ > between_comparisons) gap_ = 0;
  return true;
}

void ComparisonPlan::compared(long n, double prediction_error) {
  if (n >= first_predictions) predicted_worst_ = std::max(predicted_worst_, prediction_error);
}

void ComparisonPlan::nearer(long n) {
  next_ = n + 1;
  gap_ = near_comparison;
}

double ComparisonPlan::surprising() const { return surprise * std::max(predicted_well, predicted_worst_); }

}  // namespace alembert::internal
