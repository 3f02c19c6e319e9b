#include "alembert/linear/block_matrix.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "alembert/base/bytes.h"

namespace alembert::internal {

namespace {

constexpr int dense_size = 60;            // from here on KLU is the cheaper one
constexpr std::size_t most_products = 8;  // in S, against the entries of all

}  // namespace

void BlockMatrix::Entries::fill(const double* values) {
  for (std::size_t k = 0; k < value.size(); ++k) value[k] = sign[k] * values[from[k]];
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

// Whether M is to be eliminated. A body that many constraints touch would fill S.
bool BlockMatrix::separable(const std::vector<Placed>& blocks) {
  const int rest = n_ - lead_;
  M_ = part(blocks, 0, lead_, 0, lead_);
  B_ = part(blocks, 0, lead_, lead_, rest);
  C_ = part(blocks, lead_, rest, 0, lead_);
  if (static_cast<int>(M_.column.size()) != lead_) return false;
  for (int i = 0; i < lead_; ++i)
    if (M_.row_start[i] != i || M_.column[i] != i) return false;
  if (!part(blocks, lead_, rest, lead_, rest).column.empty()) return false;
  std::size_t products = 0;
  for (const int column : C_.column) products += B_.row_start[column + 1] - B_.row_start[column];
  return products <= most_products * (M_.column.size() + B_.column.size() + C_.column.size());
}

BlockMatrix::BlockMatrix(int n, int lead, int sides, const std::vector<Placed>& blocks) : n_(n), lead_(lead) {
  diagonal_ = separable(blocks);
  if (!diagonal_) {
    whole_ = part(blocks, 0, n, 0, n);
    M_ = B_ = C_ = {};
    core_ = n;
  } else {
    core_ = n - lead;
    right_.resize(static_cast<std::size_t>(core_) * sides);
    S_start_ = {0};
    for (int i = 0; i < core_; ++i) {
      std::map<int, int> places;  // of columns in this row
      const auto each = [&](auto&& visit) {
        for (int k = C_.row_start[i]; k < C_.row_start[i + 1]; ++k)
          for (int l = B_.row_start[C_.column[k]]; l < B_.row_start[C_.column[k] + 1]; ++l) visit(B_.column[l]);
      };
      each([&](int column) { places[column] = 0; });
      for (auto& [column, place] : places) {
        place = static_cast<int>(S_column_.size());
        S_column_.push_back(column);
      }
      each([&](int column) { S_target_.push_back(places[column]); });
      S_start_.push_back(static_cast<int>(S_column_.size()));
    }
    S_value_.resize(S_column_.size());
  }
  make_core();
}

BlockMatrix::BlockMatrix(const BlockMatrix& other)
    : n_(other.n_),
      lead_(other.lead_),
      diagonal_(other.diagonal_),
      whole_(other.whole_),
      M_(other.M_),
      B_(other.B_),
      C_(other.C_),
      S_start_(other.S_start_),
      S_column_(other.S_column_),
      S_target_(other.S_target_),
      S_value_(other.S_value_),
      right_(other.right_),
      core_(other.core_) {
  make_core();
}

void BlockMatrix::make_core() {
  if (core_ == 0) return;
  if (core_ <= dense_size) {
    dense_.emplace(core_);
    full_.resize(static_cast<std::size_t>(core_) * core_);
  } else {
    sparse_.emplace(core_, core_start(), core_column());
  }
}

bool BlockMatrix::factor_core(const std::vector<double>& values) {
  if (core_ == 0) return true;
  if (sparse_) return sparse_->factor(values.data());
  std::fill(full_.begin(), full_.end(), 0.0);
  for (int i = 0; i < core_; ++i)
    for (int k = core_start()[i]; k < core_start()[i + 1]; ++k)
      full_[static_cast<std::size_t>(i) * core_ + core_column()[k]] += values[k];
  return dense_->factor(full_.data());
}

void BlockMatrix::solve_core(double* b, int count) const {
  if (core_ == 0) return;
  if (sparse_) return sparse_->solve(b, count);
  for (int j = 0; j < count; ++j) dense_->solve(b + static_cast<std::size_t>(j) * core_);
}

bool BlockMatrix::factor(const double* values) {
  if (!diagonal_) {
    whole_.fill(values);
    return factor_core(whole_.value);
  }
  for (Entries* entries : {&M_, &B_, &C_}) entries->fill(values);
  for (double& m : M_.value) {
    if (m == 0 || !std::isfinite(m)) return false;
    m = 1 / m;
  }
  for (std::size_t k = 0; k < C_.value.size(); ++k) C_.value[k] *= M_.value[C_.column[k]];
  std::fill(S_value_.begin(), S_value_.end(), 0.0);
  std::size_t product = 0;
  for (std::size_t k = 0; k < C_.value.size(); ++k)
    for (int l = B_.row_start[C_.column[k]]; l < B_.row_start[C_.column[k] + 1]; ++l)
      S_value_[S_target_[product++]] -= C_.value[k] * B_.value[l];
  return factor_core(S_value_);
}

void BlockMatrix::solve(double* b, int count) const {
  if (!diagonal_) return solve_core(b, count);
  const auto n = static_cast<std::size_t>(n_), core = static_cast<std::size_t>(core_);
  for (int i = 0; i < core_; ++i) {
    for (int j = 0; j < count; ++j) right_[j * core + i] = b[j * n + lead_ + i];
    for (int k = C_.row_start[i]; k < C_.row_start[i + 1]; ++k)
      for (int j = 0; j < count; ++j) right_[j * core + i] -= C_.value[k] * b[j * n + C_.column[k]];
  }
  solve_core(right_.data(), count);
  for (int i = 0; i < lead_; ++i)
    for (int j = 0; j < count; ++j) {
      double value = b[j * n + i];
      for (int k = B_.row_start[i]; k < B_.row_start[i + 1]; ++k)
        value -= B_.value[k] * right_[j * core + B_.column[k]];
      b[j * n + i] = value * M_.value[i];
    }
  for (int j = 0; j < count; ++j) std::copy_n(right_.begin() + j * core, core, b + j * n + lead_);
}

void BlockMatrix::save(ByteWriter& out) const {
  for (const Entries* entries : {&M_, &B_, &C_}) out.write(entries->value);
  if (dense_) dense_->save(out);
  if (sparse_) sparse_->save(out);
}

void BlockMatrix::load(ByteReader& in) {
  for (Entries* entries : {&M_, &B_, &C_}) in.refill(entries->value);
  if (dense_) dense_->load(in);
  if (sparse_) sparse_->load(in);
}

}  // namespace alembert::internal
