#include "alembert/linear/matching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "alembert/base/cpu_time.h"
#include "alembert/linear/linear.h"

namespace alembert::internal {
namespace {

struct Pattern {
  int n = 0;
  std::vector<int> start{0}, index;
};

/// By augmenting ways one after the other, which is slow and plainly right.
int largest_matching(const Pattern& p) {
  std::vector<int> owner(p.n, -1);
  int count = 0;
  for (int j = 0; j < p.n; ++j) {
    std::vector<bool> seen(p.n, false);
    const std::function<bool(int)> place = [&](int column) {
      for (int k = p.start[column]; k < p.start[column + 1]; ++k) {
        const int row = p.index[k];
        if (seen[row]) continue;
        seen[row] = true;
        if (owner[row] >= 0 && !place(owner[row])) continue;
        owner[row] = column;
        return true;
      }
      return false;
    };
    count += place(j) ? 1 : 0;
  }
  return count;
}

TEST(MatchRows, finds_the_largest_matching) {
  std::mt19937 random(7);
  int singular = 0;
  for (int sample = 0; sample < 400; ++sample) {
    Pattern p;
    p.n = 1 + static_cast<int>(random() % 40);
    const unsigned most = 1 + random() % 4;
    for (int j = 0; j < p.n; ++j) {
      std::vector<int> rows(random() % (most + 1));
      for (int& row : rows) row = static_cast<int>(random() % p.n);
      std::sort(rows.begin(), rows.end());
      rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
      std::shuffle(rows.begin(), rows.end(), random);
      p.index.insert(p.index.end(), rows.begin(), rows.end());
      p.start.push_back(static_cast<int>(p.index.size()));
    }
    const std::vector<int> row_of = match_rows(p.n, p.start, p.index);
    std::vector<int> taken(p.n, 0);
    int count = 0;
    for (int j = 0; j < p.n; ++j) {
      if (row_of[j] < 0) continue;
      ++count;
      EXPECT_EQ(++taken[row_of[j]], 1);
      const auto first = p.index.begin() + p.start[j], last = p.index.begin() + p.start[j + 1];
      EXPECT_NE(std::find(first, last, row_of[j]), last);
    }
    EXPECT_EQ(count, largest_matching(p));
    singular += count < p.n ? 1 : 0;
  }
  EXPECT_GT(singular, 50);
  EXPECT_LT(singular, 390);
}

/// [M J^T; J 0] of rods in a plane, hinged in a row: coordinates x, y, phi of each, two constraints a hinge.
Pattern rods(int count) {
  std::vector<std::vector<int>> rows(5 * static_cast<std::size_t>(count));
  for (int i = 0; i < 3 * count; ++i) rows[i].push_back(i);
  for (int i = 0; i < count; ++i)
    for (int c = 0; c < 2; ++c)
      for (int body = std::max(i - 1, 0); body <= i; ++body)
        for (const int coordinate : {c * count + body, 2 * count + body}) {
          const int constraint = 3 * count + 2 * i + c;
          rows[coordinate].push_back(constraint);
          rows[constraint].push_back(coordinate);
        }
  Pattern p;
  p.n = 5 * count;
  for (const std::vector<int>& row : rows) {
    p.index.insert(p.index.end(), row.begin(), row.end());
    p.start.push_back(static_cast<int>(p.index.size()));
  }
  return p;
}

double analysis_seconds(const Pattern& p) {
  const double before = process_seconds();
  const SparseLu lu(p.n, p.start, p.index);
  EXPECT_EQ(lu.structural_rank(), p.n);
  return process_seconds() - before;
}

// Sixteen times the size took 256 times as long where each pivot was looked for along the whole chain.
TEST(SparseLu, the_analysis_of_chains_is_linear) {
  const Pattern some = rods(2'000), many = rods(32'000);
  EXPECT_LT(analysis_seconds(many), 80 * analysis_seconds(some));
}

}  // namespace
}  // namespace alembert::internal
