#include "alembert/linear/sparse_ldl.h"

#include <amd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <numeric>

#include "alembert/base/bytes.h"
#include "alembert/error.h"

namespace alembert::internal {

namespace {

// The natural order may have that much more fill: entries that follow each other in memory are read faster. Chain of 64
// links with hinges: AMD has 3 % less, and takes 1.2 times as long.
constexpr double natural_fill = 1.2;
constexpr std::int64_t most_entries = std::numeric_limits<std::int32_t>::max();

struct LowerRows {
  std::vector<int> start{0}, column, from;
};

/// The lower triangle of the reordered matrix by rows, ascending, with the diagonal last.
LowerRows reorder(int n, const std::vector<int>& place, const std::vector<int>& row_start,
                  const std::vector<int>& column) {
  LowerRows rows;
  rows.start.assign(static_cast<std::size_t>(n) + 1, 0);
  for (int i = 0; i < n; ++i)
    for (int k = row_start[i]; k < row_start[i + 1]; ++k) ++rows.start[std::max(place[i], place[column[k]]) + 1];
  for (int i = 0; i < n; ++i) rows.start[i + 1] += rows.start[i];
  rows.column.resize(column.size());
  rows.from.resize(column.size());
  std::vector<int> next(rows.start.begin(), rows.start.end() - 1);
  for (int i = 0; i < n; ++i)
    for (int k = row_start[i]; k < row_start[i + 1]; ++k) {
      const int a = place[i], b = place[column[k]], at = next[std::max(a, b)]++;
      rows.column[at] = std::min(a, b);
      rows.from[at] = k;
    }
  std::vector<int> by_column;
  for (int i = 0; i < n; ++i) {
    const int from = rows.start[i], count = rows.start[i + 1] - from;
    by_column.resize(count);
    std::iota(by_column.begin(), by_column.end(), from);
    std::sort(by_column.begin(), by_column.end(), [&](int a, int b) { return rows.column[a] < rows.column[b]; });
    const auto sorted = [&](std::vector<int>& list) {
      std::vector<int> copy(count);
      for (int k = 0; k < count; ++k) copy[k] = list[by_column[k]];
      std::copy(copy.begin(), copy.end(), list.begin() + from);
    };
    sorted(rows.column);
    sorted(rows.from);
  }
  return rows;
}

/// The parent of each column in the elimination tree (Liu), -1 at a root.
std::vector<int> elimination_tree(int n, const LowerRows& rows) {
  std::vector<int> parent(n, -1), ancestor(n, -1);
  for (int i = 0; i < n; ++i)
    for (int k = rows.start[i]; k < rows.start[i + 1]; ++k)
      for (int j = rows.column[k]; j != -1 && j < i;) {
        const int next = ancestor[j];
        ancestor[j] = i;
        if (next == -1) parent[j] = i;
        j = next;
      }
  return parent;
}

/// Visits the columns of row i of L, each once, in no order.
template <class Visit>
void each_in_row(const LowerRows& rows, const std::vector<int>& parent, int i, std::vector<int>& seen, Visit visit) {
  seen[i] = i;
  for (int k = rows.start[i]; k < rows.start[i + 1]; ++k)
    for (int j = rows.column[k]; seen[j] != i; j = parent[j]) {
      seen[j] = i;
      visit(j);
    }
}

std::vector<int> inverse_of(const std::vector<int>& order) {
  std::vector<int> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<int>(k);
  return place;
}

/// Entries of L below its diagonal; counted until they are more than `most`.
std::int64_t fill_of(int n, const std::vector<int>& order, const std::vector<int>& row_start,
                     const std::vector<int>& column, std::int64_t most) {
  const LowerRows rows = reorder(n, inverse_of(order), row_start, column);
  const std::vector<int> parent = elimination_tree(n, rows);
  std::vector<int> seen(n, -1);
  std::int64_t entries = 0;
  for (int i = 0; i < n && entries <= most; ++i) each_in_row(rows, parent, i, seen, [&](int) { ++entries; });
  return entries;
}

std::vector<int> amd_order_of(int n, const std::vector<int>& row_start, const std::vector<int>& column) {
  // Rows of the lower triangle are columns of the upper one; AMD takes the pattern of the sum with its transpose.
  std::vector<int> order(n);
  const int status = amd_order(n, row_start.data(), column.data(), order.data(), nullptr, nullptr);
  if (status == AMD_OUT_OF_MEMORY) throw std::bad_alloc();
  check(status == AMD_OK, "AMD accepts the pattern");
  return order;
}

}  // namespace

SparseLdl::SparseLdl(int n, const std::vector<int>& row_start, const std::vector<int>& column) : n_(n) {
  check(row_start.size() == static_cast<std::size_t>(n) + 1, "lower rows: n + 1 row starts");
  for (int i = 0; i < n; ++i) {
    check(row_start[i] < row_start[i + 1] && column[row_start[i + 1] - 1] == i, "lower rows: the diagonal is the last");
    for (int k = row_start[i] + 1; k < row_start[i + 1]; ++k)
      check(column[k - 1] < column[k], "lower rows: columns ascend");
  }
  std::vector<int> natural(n);
  std::iota(natural.begin(), natural.end(), 0);
  const std::int64_t least = static_cast<std::int64_t>(column.size()) - n;  // no order has less
  order_ = natural;
  if (fill_of(n, natural, row_start, column, least) > least) {
    order_ = amd_order_of(n, row_start, column);
    const auto most = static_cast<std::int64_t>(
        natural_fill * static_cast<double>(fill_of(n, order_, row_start, column, most_entries)));
    if (fill_of(n, natural, row_start, column, most) <= most) order_ = natural;
  }
  natural_ = order_ == natural;
  analyse(order_, row_start, column);
  chain_ = natural_ && column.size() + 1 == 2 * static_cast<std::size_t>(n);
  for (int i = 1; chain_ && i < n; ++i) chain_ = column[row_start[i]] == i - 1;
}

void SparseLdl::analyse(const std::vector<int>& order, const std::vector<int>& row_start,
                        const std::vector<int>& column) {
  place_ = inverse_of(order);
  const LowerRows rows = reorder(n_, place_, row_start, column);
  const std::vector<int> parent = elimination_tree(n_, rows);
  std::vector<int> row_of(column.size());  // each has one entry on the diagonal, which is not mirrored
  for (int i = 0; i < n_; ++i) std::fill(row_of.begin() + row_start[i], row_of.begin() + row_start[i + 1], i);
  a_start_ = {0};
  for (int i = 0; i < n_; ++i) {
    const int last = rows.start[i + 1] - 1;
    for (int k = rows.start[i]; k < last; ++k) a_mirror_.push_back(rows.from[k] - row_of[rows.from[k]]);
    diagonal_.push_back(rows.from[last]);
    a_column_.insert(a_column_.end(), rows.column.begin() + rows.start[i], rows.column.begin() + last);
    a_from_.insert(a_from_.end(), rows.from.begin() + rows.start[i], rows.from.begin() + last);
    a_start_.push_back(static_cast<int>(a_column_.size()));
  }
  std::vector<int> seen(n_, -1);
  column_start_.assign(static_cast<std::size_t>(n_) + 1, 0);
  row_start_ = {0};
  for (int i = 0; i < n_; ++i) {
    each_in_row(rows, parent, i, seen, [&](int j) {
      row_column_.push_back(j);
      ++column_start_[j + 1];
    });
    std::sort(row_column_.begin() + row_start_.back(), row_column_.end());
    row_start_.push_back(static_cast<int>(row_column_.size()));
  }
  for (int j = 0; j < n_; ++j) column_start_[j + 1] += column_start_[j];
  std::vector<int> next(column_start_.begin(), column_start_.end() - 1);
  column_row_.resize(row_column_.size());
  for (int i = 0; i < n_; ++i)
    for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) {
      row_entry_.push_back(next[row_column_[k]]++);
      column_row_[row_entry_.back()] = i;
    }
  lower_.resize(row_column_.size());
  upper_.resize(row_column_.size());
  pivot_.resize(n_);
  inverse_.resize(n_);
  left_.resize(n_);
  above_.resize(n_);
  right_.resize(natural_ ? 0 : static_cast<std::size_t>(most_sides) * n_);
}

double SparseLdl::cost() const {
  double sum = 0;
  for (int j = 0; j < n_; ++j) {
    const double length = column_start_[j + 1] - column_start_[j];
    sum += length * (length + 3) / 2;
  }
  return sum;
}

bool SparseLdl::factor(const double* values, double vanished) noexcept {
  bool regular = true;
  symmetric_ = true;
  for (int i = 0; i < n_; ++i) {
    for (int k = a_start_[i]; k < a_start_[i + 1]; ++k) left_[a_column_[k]] = values[a_from_[k]];
    const double whole = values[diagonal_[i]];
    double left = whole;
    for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) {
      const int j = row_column_[k], entry = row_entry_[k];
      const double value = left_[j];  // L_ij D_j
      left_[j] = 0;
      for (int m = column_start_[j]; m < entry; ++m) left_[column_row_[m]] -= lower_[m] * value;
      lower_[entry] = value * inverse_[j];
      left -= lower_[entry] * value;
    }
    const bool kept = left > vanished * whole;
    pivot_[i] = left;
    inverse_[i] = kept ? 1 / left : 0;
    regular = regular && kept;
  }
  return regular;
}

bool SparseLdl::factor(const double* values, const double* mirrored, double vanished) noexcept {
  symmetric_ = false;
  if (chain_) return factor_chain(values, mirrored, vanished);
  const auto keeps = [&](int i, double left, double whole) {
    inverse_[i] = 1 / left;
    return std::abs(left) > vanished * std::abs(whole);  // false where it is no number
  };
  for (int i = 0; i < n_; ++i) {
    for (int k = a_start_[i]; k < a_start_[i + 1]; ++k) {
      // Reordered, what stood left of the diagonal may stand above it.
      const bool turned = order_[i] < order_[a_column_[k]];
      const double below = values[a_from_[k]], above = mirrored[a_mirror_[k]];
      left_[a_column_[k]] = turned ? above : below;
      above_[a_column_[k]] = turned ? below : above;
    }
    const double whole = values[diagonal_[i]];
    double left = whole;
    for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) {
      const int j = row_column_[k], entry = row_entry_[k];
      const double below = left_[j], above = above_[j];  // L_ij D_j, D_j U_ji
      left_[j] = above_[j] = 0;
      for (int m = column_start_[j]; m < entry; ++m) {
        left_[column_row_[m]] -= upper_[m] * below;
        above_[column_row_[m]] -= lower_[m] * above;
      }
      lower_[entry] = below * inverse_[j];
      upper_[entry] = above * inverse_[j];
      left -= lower_[entry] * above;
    }
    pivot_[i] = left;
    if (keeps(i, left, whole)) continue;
    return false;
  }
  return true;
}

/// From both ends towards the middle: one way alone would wait for its own divisions. Behind the middle lower_ and
/// upper_ hold what a row does to the one before it.
bool SparseLdl::factor_chain(const double* values, const double* mirrored, double vanished) noexcept {
  const int middle = n_ / 2, behind = n_ - 1 - middle;  // rows in front of the middle: as many, or one more
  const auto whole = [&](int i) { return values[2 * static_cast<std::size_t>(i)]; };
  const auto below = [&](int i) { return values[2 * static_cast<std::size_t>(i) + 1]; };  // the entry below that
  bool regular = true;
  const auto keep = [&](int i, double left) {
    regular &= std::abs(left) > vanished * std::abs(whole(i));  // false where it is no number
    return inverse_[i] = 1 / left;
  };
  double taken = 0, taken_behind = 0;
  const auto eliminate = [&](int i) {
    const double inverse = keep(i, whole(i) - taken), factor = below(i) * inverse;
    lower_[i] = factor;
    upper_[i] = mirrored[i] * inverse;
    taken = factor * mirrored[i];
  };
  for (int i = 0, j = n_ - 1; i < behind; ++i, --j) {
    eliminate(i);
    const double inverse = keep(j, whole(j) - taken_behind), factor = mirrored[j - 1] * inverse;
    lower_[j - 1] = factor;
    upper_[j - 1] = below(j - 1) * inverse;
    taken_behind = factor * below(j - 1);
  }
  if (middle > behind) eliminate(behind);
  keep(middle, whole(middle) - taken - taken_behind);
  return regular;
}

void SparseLdl::solve_from_both_ends(double* x) const noexcept {
  const int middle = n_ / 2, behind = n_ - 1 - middle;
  double front = x[0], back = x[n_ - 1];
  for (int i = 0, j = n_ - 1; i < behind; ++i, --j) {
    x[i + 1] = front = x[i + 1] - lower_[i] * front;
    x[j - 1] = back = x[j - 1] - lower_[j - 1] * back;
  }
  if (middle > behind) x[middle] -= lower_[behind] * x[behind];
  x[middle] *= inverse_[middle];
  if (middle > behind) x[behind] = x[behind] * inverse_[behind] - upper_[behind] * x[middle];
  front = x[behind];
  back = x[middle];
  for (int i = behind - 1, j = middle + 1; i >= 0; --i, ++j) {
    x[i] = front = x[i] * inverse_[i] - upper_[i] * front;
    x[j] = back = x[j] * inverse_[j] - upper_[j - 1] * back;
  }
}

// As solve_together(), to the last bit, where U is the mirror image of L.
template <int sides>
void SparseLdl::solve_chain(double* x) const noexcept {
  const auto n = static_cast<std::size_t>(n_);
  for (std::size_t j = 0; j + 1 < n; ++j)
    for (int side = 0; side < sides; ++side) x[side * n + j + 1] -= lower_[j] * x[side * n + j];
  for (int side = 0; side < sides; ++side) x[side * n + n - 1] *= inverse_[n - 1];
  for (std::size_t j = n - 1; j-- > 0;)
    for (int side = 0; side < sides; ++side)
      x[side * n + j] = x[side * n + j] * inverse_[j] - lower_[j] * x[side * n + j + 1];
}

// Several side by side: each alone would wait for itself.
template <int sides>
void SparseLdl::solve_together(double* b) const noexcept {
  if (chain_ && symmetric_) return solve_chain<sides>(b);
  if (chain_) {
    for (int side = 0; side < sides; ++side) solve_from_both_ends(b + static_cast<std::size_t>(side) * n_);
    return;
  }
  const auto n = static_cast<std::size_t>(n_);
  const double* const upper = symmetric_ ? lower_.data() : upper_.data();
  double* const x = natural_ ? b : right_.data();
  if (!natural_)
    for (int side = 0; side < sides; ++side)
      for (std::size_t k = 0; k < n; ++k) x[side * n + k] = b[side * n + order_[k]];
  for (std::size_t j = 0; j < n; ++j)
    for (int m = column_start_[j]; m < column_start_[j + 1]; ++m)
      for (int side = 0; side < sides; ++side) x[side * n + column_row_[m]] -= lower_[m] * x[side * n + j];
  for (std::size_t j = n; j-- > 0;) {
    double value[sides];
    for (int side = 0; side < sides; ++side) value[side] = x[side * n + j] * inverse_[j];
    for (int m = column_start_[j]; m < column_start_[j + 1]; ++m)
      for (int side = 0; side < sides; ++side) value[side] -= upper[m] * x[side * n + column_row_[m]];
    for (int side = 0; side < sides; ++side) x[side * n + j] = value[side];
  }
  if (!natural_)
    for (int side = 0; side < sides; ++side)
      for (std::size_t k = 0; k < n; ++k) b[side * n + order_[k]] = x[side * n + k];
}

void SparseLdl::solve(double* b, int count) const noexcept {
  for (; count >= most_sides; count -= most_sides, b += static_cast<std::size_t>(most_sides) * n_)
    solve_together<most_sides>(b);
  if (count == 1) solve_together<1>(b);
  if (count == 2) solve_together<2>(b);
  if (count == 3) solve_together<3>(b);
}

void SparseLdl::save(ByteWriter& out) const {
  out.write(symmetric_);
  for (const std::vector<double>* list : {&lower_, &upper_, &inverse_}) out.write(*list);
}

void SparseLdl::load(ByteReader& in) {
  in.read(symmetric_);
  for (std::vector<double>* list : {&lower_, &upper_, &inverse_}) in.refill(*list);
}

}  // namespace alembert::internal
