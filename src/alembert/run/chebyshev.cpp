#include "alembert/run/chebyshev.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace alembert::internal {

double chebyshev_place(std::size_t j, std::size_t n) {
  return (1 - std::cos(std::numbers::pi * static_cast<double>(j) / static_cast<double>(n))) / 2;
}

void chebyshev_series(const std::vector<double>& values, std::vector<double>& series) {
  const std::size_t n = values.size() - 1;
  series.assign(n + 1, 0.0);
  for (std::size_t k = 0; k <= n; ++k) {
    for (std::size_t j = 0; j <= n; ++j) {
      const double end = j == 0 || j == n ? 0.5 : 1.0;
      // The argument of cos in full turns first, so that large products stay exact.
      const double angle = std::numbers::pi * static_cast<double>((j * k) % (2 * n)) / static_cast<double>(n);
      series[k] += end * values[j] * std::cos(angle);
    }
    series[k] *= (k == 0 || k == n ? 1.0 : 2.0) / static_cast<double>(n);
  }
}

// Clenshaw.
double chebyshev_sum(const std::vector<double>& series, double share) {
  const double x = 1 - 2 * share;
  double one = 0;
  double two = 0;
  for (std::size_t k = series.size(); k-- > 1;) {
    const double next = series[k] + 2 * x * one - two;
    two = one;
    one = next;
  }
  return series[0] + x * one - two;
}

double chebyshev_tail(const std::vector<double>& series) {
  const std::size_t n = series.size() - 1;
  return std::abs(series[n]) + std::abs(series[n - 1]) + std::abs(series[n - 2]);
}

double chebyshev_variation(const std::vector<double>& series) {
  double total = 0;
  for (std::size_t k = 1; k < series.size(); ++k) total = std::max(total, std::abs(series[k]));
  return total;
}

}  // namespace alembert::internal
