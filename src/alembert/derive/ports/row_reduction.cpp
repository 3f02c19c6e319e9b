#include "alembert/derive/ports/row_reduction.h"

#include <algorithm>
#include <cmath>

namespace alembert::internal {

namespace {

/// Coefficients of a model have about 16 digits, and a sum of a few of them loses two or three: what is left of a
/// difference below this share of its terms is rounding.
constexpr double cancelled = 1e-13;

/// a + factor b.
SparseRow combined(const SparseRow& a, double factor, const SparseRow& b) {
  SparseRow sum;
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      sum.push_back(*i++);
    } else if (i == a.end() || j->first < i->first) {
      sum.emplace_back(j->first, factor * j->second);
      ++j;
    } else {
      const double value = i->second + factor * j->second;
      if (std::abs(value) > cancelled * std::abs(i->second)) sum.emplace_back(i->first, value);
      ++i;
      ++j;
    }
  }
  return sum;
}

double coefficient(const SparseRow& row, int column) {
  const auto at = std::find_if(row.begin(), row.end(), [&](const auto& entry) { return entry.first == column; });
  return at->second;
}

/// A row in elimination: what is left of it, and the combination of original rows that this is.
struct Reduced {
  SparseRow left, from;
};

class Elimination {
 public:
  /// Eliminates the columns that earlier rows are pivots of.
  Reduced reduced(SparseRow row, int number) const {
    Reduced result{std::move(row), {{number, 1.0}}};
    for (auto hit = eliminable(result.left); hit != result.left.end(); hit = eliminable(result.left)) {
      const Reduced& pivot = rows_[pivot_of_[hit->first]];
      const double factor = -hit->second / coefficient(pivot.left, hit->first);
      result.left = combined(result.left, factor, pivot.left);
      result.from = combined(result.from, factor, pivot.from);
    }
    return result;
  }

  /// Its largest entry becomes the pivot, so that factors stay small.
  void add_pivot(Reduced row) {
    const auto lead = std::max_element(row.left.begin(), row.left.end(), [](const auto& a, const auto& b) {
      return std::abs(a.second) < std::abs(b.second);
    });
    if (lead->first >= static_cast<int>(pivot_of_.size())) pivot_of_.resize(lead->first + 1, -1);
    pivot_of_[lead->first] = static_cast<int>(rows_.size());
    rows_.push_back(std::move(row));
  }

 private:
  SparseRow::const_iterator eliminable(const SparseRow& row) const {
    return std::find_if(row.begin(), row.end(), [&](const auto& entry) {
      return entry.first < static_cast<int>(pivot_of_.size()) && pivot_of_[entry.first] >= 0;
    });
  }

  std::vector<Reduced> rows_;  // the independent ones
  std::vector<int> pivot_of_;  // column -> number of the row that eliminates it, or -1
};

}  // namespace

RowReduction reduce_rows(std::vector<SparseRow> rows) {
  RowReduction result;
  Elimination elimination;
  for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
    Reduced row = elimination.reduced(std::move(rows[i]), i);
    if (row.left.empty()) {
      result.vanishing.push_back(std::move(row.from));
    } else {
      result.independent.push_back(i);
      elimination.add_pivot(std::move(row));
    }
  }
  return result;
}

}  // namespace alembert::internal
