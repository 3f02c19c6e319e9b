#include "alembert/linear/block_matrix.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "alembert/base/bytes.h"

namespace alembert::internal {

namespace {

constexpr int dense_size = 60;            // from here on KLU is the cheaper one
constexpr std::size_t most_products = 8;  // in S, against the entries of all
constexpr int largest_mass_block = 8;     // quaternions have 4, a body whose centre is elsewhere 7
// S counts as symmetric up to this, relative to its diagonal: the iteration that uses it is not Newton's own anyway.
constexpr double asymmetry = 1e-9;
// Smaller pivots, against the diagonal, are left to a factorisation that chooses them.
constexpr double least_pivot = 1e-8;

/// a becomes its inverse; k x k, by Gauss and Jordan with the largest pivot of each column. False where it is singular
/// or not finite.
bool invert(double* a, int k) {
  int order[largest_mass_block];
  for (int c = 0; c < k; ++c) {
    int best = c;
    for (int r = c + 1; r < k; ++r)
      if (std::abs(a[r * k + c]) > std::abs(a[best * k + c])) best = r;
    const double pivot = a[best * k + c];
    if (pivot == 0 || !std::isfinite(pivot)) return false;
    order[c] = best;
    if (best != c) std::swap_ranges(a + best * k, a + best * k + k, a + c * k);
    a[c * k + c] = 1;
    for (int j = 0; j < k; ++j) a[c * k + j] /= pivot;
    for (int r = 0; r < k; ++r) {
      if (r == c) continue;
      const double factor = std::exchange(a[r * k + c], 0.0);
      for (int j = 0; j < k; ++j) a[r * k + j] -= factor * a[c * k + j];
    }
  }
  for (int c = k - 1; c >= 0; --c)
    for (int r = 0; r < k && order[c] != c; ++r) std::swap(a[r * k + c], a[r * k + order[c]]);
  return true;
}

}  // namespace

void BlockMatrix::Entries::fill(const double* values) {
  for (std::size_t k = 0; k < value.size(); ++k) value[k] = sign[k] * values[from[k]];
}

BlockMatrix::Product::Product(const std::vector<int>& left_start, const std::vector<int>& left_column,
                              const std::vector<int>& right_start, const std::vector<int>& right_column) {
  std::vector<int> columns;
  for (std::size_t i = 0; i + 1 < left_start.size(); ++i) {
    columns.clear();
    const auto each = [&](auto&& visit) {
      for (int k = left_start[i]; k < left_start[i + 1]; ++k)
        for (int l = right_start[left_column[k]]; l < right_start[left_column[k] + 1]; ++l) visit(right_column[l]);
    };
    each([&](int c) { columns.push_back(c); });
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    const int first = static_cast<int>(column.size());
    each([&](int c) {
      const auto place = std::lower_bound(columns.begin(), columns.end(), c) - columns.begin();
      target.push_back(first + static_cast<int>(place));
    });
    column.insert(column.end(), columns.begin(), columns.end());
    row_start.push_back(static_cast<int>(column.size()));
  }
  value.resize(column.size());
}

void BlockMatrix::Product::multiply(const std::vector<double>& left, const std::vector<int>& left_column,
                                    const std::vector<double>& right, const std::vector<int>& right_start) {
  std::fill(value.begin(), value.end(), 0.0);
  std::size_t product = 0;
  for (std::size_t k = 0; k < left.size(); ++k)
    for (int l = right_start[left_column[k]]; l < right_start[left_column[k] + 1]; ++l)
      value[target[product++]] += left[k] * right[l];
}

// The entries that lie in a rectangle, counted from its corner.
BlockMatrix::Entries BlockMatrix::part(const std::vector<Placed>& blocks, int row, int rows, int column,
                                       int columns) const {
  struct Entry {
    int column, from;
    double sign;
  };
  std::vector<std::vector<Entry>> lists(rows);
  for (const Placed& p : blocks)
    for (int i = 0; i < p.block->rows; ++i)
      for (int k = p.block->row_start[i]; k < p.block->row_start[i + 1]; ++k) {
        const int r = p.row + i - row, c = p.column + p.block->column[k] - column;
        if (r >= 0 && r < rows && c >= 0 && c < columns) lists[r].push_back({c, p.first + k, p.sign});
      }
  Entries result;
  result.row_start = {0};
  for (auto& list : lists) {
    std::sort(list.begin(), list.end(), [](const Entry& a, const Entry& b) { return a.column < b.column; });
    for (const Entry& entry : list) {
      result.column.push_back(entry.column);
      result.from.push_back(entry.from);
      result.sign.push_back(entry.sign);
    }
    result.row_start.push_back(static_cast<int>(result.column.size()));
  }
  result.value.resize(result.column.size());
  return result;
}

/// The coordinates that M connects, and the pattern of its inverse.
void BlockMatrix::find_mass_blocks() {
  std::vector<int> parent(lead_);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (int i = 0; i < lead_; ++i)
    for (int k = M_.row_start[i]; k < M_.row_start[i + 1]; ++k) parent[root(M_.column[k])] = root(i);
  std::vector<std::vector<int>> members(lead_);
  for (int i = 0; i < lead_; ++i) members[root(i)].push_back(i);
  for (int i = 0; i < lead_; ++i) {
    const std::vector<int>& own = members[root(i)];
    inverse_column_.insert(inverse_column_.end(), own.begin(), own.end());
    inverse_start_.push_back(static_cast<int>(inverse_column_.size()));
    if (own.front() != i) continue;
    member_.insert(member_.end(), own.begin(), own.end());
    block_start_.push_back(static_cast<int>(member_.size()));
    if (static_cast<int>(own.size()) > largest_mass_block) return;
  }
  inverse_.resize(inverse_column_.size());
}

// Whether M is to be eliminated. A body that many constraints touch would fill S.
bool BlockMatrix::separate(const std::vector<Placed>& blocks) {
  const int rest = n_ - lead_;
  M_ = part(blocks, 0, lead_, 0, lead_);
  B_ = part(blocks, 0, lead_, lead_, rest);
  C_ = part(blocks, lead_, rest, 0, lead_);
  if (!part(blocks, lead_, rest, lead_, rest).column.empty()) return false;
  find_mass_blocks();
  if (static_cast<int>(member_.size()) != lead_) return false;
  T_ = Product(inverse_start_, inverse_column_, B_.row_start, B_.column);
  std::size_t products = 0;
  for (const int column : C_.column) products += T_.row_start[column + 1] - T_.row_start[column];
  return products <= most_products * (inverse_column_.size() + B_.column.size() + C_.column.size());
}

BlockMatrix::BlockMatrix(int n, int lead, int sides, const std::vector<Placed>& blocks) : n_(n), lead_(lead) {
  separated_ = separate(blocks);
  if (!separated_) {
    whole_ = part(blocks, 0, n, 0, n);
    M_ = B_ = C_ = {};
    T_ = {};
    core_ = n;
    return;
  }
  core_ = n - lead;
  right_.resize(static_cast<std::size_t>(core_) * sides);
  S_ = Product(C_.row_start, C_.column, T_.row_start, T_.column);
  make_ldl();
}

BlockMatrix::BlockMatrix(const BlockMatrix& other)
    : n_(other.n_),
      lead_(other.lead_),
      separated_(other.separated_),
      whole_(other.whole_),
      M_(other.M_),
      B_(other.B_),
      C_(other.C_),
      block_start_(other.block_start_),
      member_(other.member_),
      inverse_start_(other.inverse_start_),
      inverse_column_(other.inverse_column_),
      inverse_(other.inverse_),
      T_(other.T_),
      S_(other.S_),
      right_(other.right_),
      core_(other.core_),
      ldl_(other.ldl_),
      below_(other.below_),
      above_(other.above_),
      lower_(other.lower_) {}

void BlockMatrix::make_ldl() {
  std::vector<int> start{0}, column;
  for (int i = 0; i < core_; ++i) {
    bool diagonal = false;
    for (int k = S_.row_start[i]; k < S_.row_start[i + 1] && S_.column[k] <= i; ++k) {
      const int j = S_.column[k];
      const auto from = S_.column.begin() + S_.row_start[j], to = S_.column.begin() + S_.row_start[j + 1];
      const auto mirror = std::lower_bound(from, to, i);
      if (mirror == to || *mirror != i) return;
      below_.push_back(k);
      above_.push_back(static_cast<int>(mirror - S_.column.begin()));
      column.push_back(j);
      diagonal = j == i;
    }
    if (!diagonal) return;
    start.push_back(static_cast<int>(column.size()));
  }
  if (2 * below_.size() != S_.column.size() + core_) return;  // what stands above only
  lower_.resize(below_.size());
  ldl_.emplace(core_, start, column);
}

/// S by L D L^T, where it is symmetric and definite.
bool BlockMatrix::factor_ldl() {
  double largest = 0, apart = 0;
  for (std::size_t k = 0; k < below_.size(); ++k) {
    const double one = S_.value[below_[k]], other = S_.value[above_[k]];
    lower_[k] = one;
    largest = std::max(largest, std::abs(one));
    apart = std::max(apart, std::abs(one - other));
  }
  return apart <= asymmetry * largest && ldl_->factor(lower_.data(), least_pivot);
}

void BlockMatrix::make_general() {
  if (core_ == 0 || dense_ || sparse_) return;
  if (core_ <= dense_size) {
    dense_.emplace(core_);
    full_.resize(static_cast<std::size_t>(core_) * core_);
  } else {
    sparse_.emplace(core_, core_start(), core_column());
  }
}

bool BlockMatrix::factor_general(const std::vector<double>& values) {
  if (core_ == 0) return true;
  make_general();
  if (sparse_) return sparse_->factor(values.data());
  std::fill(full_.begin(), full_.end(), 0.0);
  for (int i = 0; i < core_; ++i)
    for (int k = core_start()[i]; k < core_start()[i + 1]; ++k)
      full_[static_cast<std::size_t>(i) * core_ + core_column()[k]] += values[k];
  return dense_->factor(full_.data());
}

void BlockMatrix::solve_core(double* b, int count) const {
  if (core_ == 0) return;
  if (symmetric_) return ldl_->solve(b, count);
  if (sparse_) return sparse_->solve(b, count);
  for (int j = 0; j < count; ++j) dense_->solve(b + static_cast<std::size_t>(j) * core_);
}

bool BlockMatrix::invert_masses() {
  double block[largest_mass_block * largest_mass_block];
  for (std::size_t b = 0; b + 1 < block_start_.size(); ++b) {
    const int k = block_start_[b + 1] - block_start_[b];
    const int* const own = member_.data() + block_start_[b];
    std::fill_n(block, k * k, 0.0);
    for (int i = 0; i < k; ++i)
      for (int m = M_.row_start[own[i]]; m < M_.row_start[own[i] + 1]; ++m) {
        const auto column = std::lower_bound(own, own + k, M_.column[m]) - own;
        block[i * k + column] += M_.value[m];
      }
    if (!invert(block, k)) return false;
    for (int i = 0; i < k; ++i) std::copy_n(block + i * k, k, inverse_.begin() + inverse_start_[own[i]]);
  }
  return std::all_of(inverse_.begin(), inverse_.end(), [](double x) { return std::isfinite(x); });
}

bool BlockMatrix::factor(const double* values) {
  symmetric_ = false;
  if (!separated_) {
    whole_.fill(values);
    return factor_general(whole_.value);
  }
  for (Entries* entries : {&M_, &B_, &C_}) entries->fill(values);
  if (!invert_masses()) return false;
  T_.multiply(inverse_, inverse_column_, B_.value, B_.row_start);
  S_.multiply(C_.value, C_.column, T_.value, T_.row_start);
  symmetric_ = ldl_ && factor_ldl();
  return symmetric_ || factor_general(S_.value);
}

// [M B; C 0] (x, y) = (a, b): y = S^{-1} (C M^{-1} a - b), x = M^{-1} a - T y.
template <int sides>
void BlockMatrix::solve_separated(double* b) const {
  const auto n = static_cast<std::size_t>(n_), core = static_cast<std::size_t>(core_);
  for (std::size_t block = 0; block + 1 < block_start_.size(); ++block) {
    const int first = block_start_[block], k = block_start_[block + 1] - first;
    const int* const own = member_.data() + first;
    double result[largest_mass_block][sides] = {};
    for (int i = 0; i < k; ++i) {
      const double* const row = inverse_.data() + inverse_start_[own[i]];
      for (int j = 0; j < k; ++j)
        for (int side = 0; side < sides; ++side) result[i][side] += row[j] * b[side * n + own[j]];
    }
    for (int i = 0; i < k; ++i)
      for (int side = 0; side < sides; ++side) b[side * n + own[i]] = result[i][side];
  }
  if (core == 0) return;
  for (std::size_t i = 0; i < core; ++i) {
    double value[sides];
    for (int side = 0; side < sides; ++side) value[side] = -b[side * n + lead_ + i];
    for (int k = C_.row_start[i]; k < C_.row_start[i + 1]; ++k)
      for (int side = 0; side < sides; ++side) value[side] += C_.value[k] * b[side * n + C_.column[k]];
    for (int side = 0; side < sides; ++side) right_[side * core + i] = value[side];
  }
  solve_core(right_.data(), sides);
  for (int i = 0; i < lead_; ++i) {
    double value[sides];
    for (int side = 0; side < sides; ++side) value[side] = b[side * n + i];
    for (int k = T_.row_start[i]; k < T_.row_start[i + 1]; ++k)
      for (int side = 0; side < sides; ++side) value[side] -= T_.value[k] * right_[side * core + T_.column[k]];
    for (int side = 0; side < sides; ++side) b[side * n + i] = value[side];
  }
  for (int side = 0; side < sides; ++side) std::copy_n(right_.begin() + side * core, core, b + side * n + lead_);
}

void BlockMatrix::solve(double* b, int count) const {
  if (!separated_) return solve_core(b, count);
  for (; count >= 3; count -= 3, b += 3 * static_cast<std::size_t>(n_)) solve_separated<3>(b);
  if (count == 1) solve_separated<1>(b);
  if (count == 2) solve_separated<2>(b);
}

void BlockMatrix::save(ByteWriter& out) const {
  out.write(symmetric_);
  out.write(dense_ || sparse_);
  for (const std::vector<double>* list : {&inverse_, &C_.value, &T_.value}) out.write(*list);
  if (ldl_) ldl_->save(out);
  if (dense_) dense_->save(out);
  if (sparse_) sparse_->save(out);
}

void BlockMatrix::load(ByteReader& in) {
  in.read(symmetric_);
  const bool general = in.read<bool>();
  for (std::vector<double>* list : {&inverse_, &C_.value, &T_.value}) in.refill(*list);
  if (ldl_) ldl_->load(in);
  if (general) make_general();
  if (dense_ && general) dense_->load(in);
  if (sparse_ && general) sparse_->load(in);
}

}  // namespace alembert::internal
