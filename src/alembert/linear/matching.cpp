#include "alembert/linear/matching.h"

#include <utility>

namespace alembert::internal {

namespace {

constexpr int none = -1;  // no row and no column

class Matching {
 public:
  Matching(int n, const std::vector<int>& start, const std::vector<int>& row)
      : n_(n), start_(start), row_(row), row_of_(n, none), column_of_(n, none), level_(n), next_(n) {}

  std::vector<int> run() {
    match_single_choices();
    match_first_free();
    while (find_levels()) {
      next_.assign(start_.begin(), start_.end() - 1);
      for (int j = 0; j < n_; ++j)
        if (row_of_[j] == none) extend(j);
    }
    return std::move(row_of_);
  }

 private:
  void match(int column, int row) {
    row_of_[column] = row;
    column_of_[row] = column;
  }

  /// Karp and Sipser: a row or a column with one free partner takes it, which no largest matching forbids.
  void match_single_choices() {
    std::vector<int> column_start(n_ + 1, 0), column(row_.size()), left(2 * static_cast<std::size_t>(n_), 0), single;
    for (const int i : row_) ++column_start[i + 1];
    for (int i = 0; i < n_; ++i) column_start[i + 1] += column_start[i];
    std::vector<int> at(column_start.begin(), column_start.end() - 1);
    for (int j = 0; j < n_; ++j)
      for (int k = start_[j]; k < start_[j + 1]; ++k) column[at[row_[k]]++] = j;
    // Numbers below n are columns, those from n on rows.
    const auto each_partner = [&](int who, auto&& visit) {
      const auto& starts = who < n_ ? start_ : column_start;
      const int own = who < n_ ? who : who - n_;
      for (int k = starts[own]; k < starts[own + 1]; ++k) visit(who < n_ ? n_ + row_[k] : column[k]);
    };
    const auto is_free = [&](int who) { return (who < n_ ? row_of_[who] : column_of_[who - n_]) == none; };
    for (int who = 0; who < 2 * n_; ++who) {
      each_partner(who, [&](int) { ++left[who]; });
      if (left[who] == 1) single.push_back(who);
    }
    while (!single.empty()) {
      const int who = single.back();
      single.pop_back();
      if (!is_free(who) || left[who] != 1) continue;
      int partner = none;
      each_partner(who, [&](int other) { partner = is_free(other) ? other : partner; });
      match(who < n_ ? who : partner, who < n_ ? partner - n_ : who - n_);
      each_partner(partner, [&](int other) {
        if (--left[other] == 1) single.push_back(other);
      });
    }
  }

  void match_first_free() {
    for (int j = 0; j < n_; ++j)
      for (int k = start_[j]; k < start_[j + 1] && row_of_[j] == none; ++k)
        if (column_of_[row_[k]] == none) match(j, row_[k]);
  }

  /// How many exchanges lead from a column without row to each column; false where none leads to a free row.
  bool find_levels() {
    std::vector<int> queue;
    for (int j = 0; j < n_; ++j) {
      level_[j] = row_of_[j] == none ? 0 : none;
      if (level_[j] == 0) queue.push_back(j);
    }
    bool found = false;
    for (std::size_t at = 0; at < queue.size(); ++at)
      for (int k = start_[queue[at]]; k < start_[queue[at] + 1]; ++k) {
        const int other = column_of_[row_[k]];
        found = found || other == none;
        if (other == none || level_[other] != none) continue;
        level_[other] = level_[queue[at]] + 1;
        queue.push_back(other);
      }
    return found;
  }

  /// Exchanges rows along one way from level to level that ends at a free row.
  void extend(int first) {
    path_.assign(1, first);
    while (!path_.empty()) {
      const int j = path_.back();
      if (next_[j] == start_[j + 1]) {
        path_.pop_back();
        continue;
      }
      const int other = column_of_[row_[next_[j]++]];
      if (other == none) return exchange();
      if (level_[other] == level_[j] + 1) path_.push_back(other);
    }
  }

  /// Every column of the way takes the row that it looked at last.
  void exchange() {
    for (const int j : path_) match(j, row_[next_[j] - 1]);
  }

  int n_;
  const std::vector<int>&start_, &row_;
  std::vector<int> row_of_, column_of_;  // of each column, of each row
  std::vector<int> level_, next_, path_;
};

}  // namespace

std::vector<int> match_rows(int n, const std::vector<int>& column_start, const std::vector<int>& row) {
  return Matching(n, column_start, row).run();
}

}  // namespace alembert::internal
