#include <algorithm>
#include <cmath>
#include <vector>

#include "alembert/error.h"
#include "alembert/linear/linear.h"

namespace alembert::internal {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sums[4] = {};  // four additions under way instead of one
  std::size_t i = 0;
  for (; i + 4 <= a.size(); i += 4)
    for (int lane = 0; lane < 4; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  for (; i < a.size(); ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double length(const Vector& a) { return std::sqrt(dot(a, a)); }

/// Gram-Schmidt in the order of the rows. The independent rows are L Q with orthonormal rows Q, L lower triangular.
class Basis {
 public:
  int rank() const { return static_cast<int>(q_.size()); }

  /// Takes a unit row. True when it was added; else `needed` are the earlier basis rows that it follows from.
  bool add(Vector row, double tolerance, std::vector<int>& needed) {
    Vector part(q_.size(), 0);
    double left = 1;
    // Where little is left of a row, rounding has spoiled its direction: project again, until the length stays.
    for (int pass = 0; pass < 4; ++pass) {
      project(row, part);
      const double now = length(row);
      const bool settled = now <= tolerance || now > 0.1 * left;
      left = now;
      if (settled) break;
    }
    if (left <= tolerance) {
      needed = needed_rows(part, tolerance);
      return false;
    }
    for (double& x : row) x /= left;
    part.push_back(left);
    q_.push_back(std::move(row));
    l_.push_back(std::move(part));
    inverse_column_.emplace_back();
    return true;
  }

 private:
  /// row -= Q^T Q row, and part += Q row. Rows of constraints have few entries, and few basis rows meet them.
  void project(Vector& row, Vector& part) {
    entries_.clear();
    for (std::size_t i = 0; i < row.size(); ++i)
      if (row[i] != 0) entries_.push_back(static_cast<int>(i));
    const bool sparse = entries_.size() * 4 < row.size();
    if (sparse) {
      // All products first: the row fills up while it is projected.
      Vector product(q_.size(), 0);
      for (std::size_t k = 0; k < q_.size(); ++k)
        for (int i : entries_) product[k] += q_[k][i] * row[i];
      for (std::size_t k = 0; k < q_.size(); ++k) subtract(row, part, k, product[k]);
    } else {
      for (std::size_t k = 0; k < q_.size(); ++k) subtract(row, part, k, dot(q_[k], row));
    }
  }

  void subtract(Vector& row, Vector& part, std::size_t k, double product) {
    if (product == 0) return;
    part[k] += product;
    for (std::size_t i = 0; i < row.size(); ++i) row[i] -= product * q_[k][i];
  }

  /// row = x L Q. Without basis row k the best combination misses the row by |x_k| / |L^{-1} e_k|.
  std::vector<int> needed_rows(const Vector& part, double tolerance) {
    Vector x = part;
    for (int k = rank() - 1; k >= 0; --k) {
      if (x[k] == 0) continue;
      x[k] /= l_[k][k];
      for (int j = 0; j < k; ++j) x[j] -= x[k] * l_[k][j];
    }
    std::vector<int> needed;
    for (int k = 0; k < rank(); ++k)  // |L^{-1} e_k| >= 1 for unit rows: most are settled without it
      if (std::abs(x[k]) > tolerance && std::abs(x[k]) > tolerance * length(inverse_column(k))) needed.push_back(k);
    return needed;
  }

  /// L^{-1} e_k from entry k on; kept, and only lengthened when the basis has grown.
  const Vector& inverse_column(int k) {
    Vector& y = inverse_column_[k];
    for (int i = k + static_cast<int>(y.size()); i < rank(); ++i) {
      double sum = i == k ? 1 : 0;
      for (int j = k; j < i; ++j) sum -= l_[i][j] * y[j - k];
      y.push_back(sum / l_[i][i]);
    }
    return y;
  }

  std::vector<Vector> q_, l_;
  std::vector<Vector> inverse_column_;
  std::vector<int> entries_;
};

}  // namespace

RankReport analyse_rows(int m, int n, const double* a, double tolerance) {
  RankReport report;
  Basis basis;
  std::vector<int> independent_rows;
  for (int i = 0; i < m; ++i) {
    Vector row(a + static_cast<std::ptrdiff_t>(i) * n, a + static_cast<std::ptrdiff_t>(i + 1) * n);
    double largest = 0;
    for (double x : row) {
      check(std::isfinite(x), "the rank of a matrix with entries that are not finite");
      largest = std::max(largest, std::abs(x));
    }
    std::vector<int> needed;
    if (largest > 0) {
      // By its largest entry first: squares may overflow.
      for (double& x : row) x /= largest;
      const double size = length(row);
      for (double& x : row) x /= size;
      if (basis.add(std::move(row), tolerance, needed)) {
        independent_rows.push_back(i);
        continue;
      }
    }
    for (int& k : needed) k = independent_rows[k];
    report.dependent_rows.push_back(i);
    report.follows_from.push_back(std::move(needed));
  }
  report.rank = basis.rank();
  return report;
}

}  // namespace alembert::internal
