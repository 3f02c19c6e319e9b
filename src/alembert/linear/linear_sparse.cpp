#include <klu.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "alembert/base/bytes.h"
#include "alembert/error.h"
#include "alembert/linear/linear.h"
#include "alembert/linear/matching.h"

namespace alembert::internal {
namespace {

// Old pivots are given up when they make the entries of U, or the spread of its diagonal, that much worse than they
// were when the pivots were chosen: about three of sixteen digits.
constexpr double tolerated_loss = 1e-3;

// Orders that KLU knows: the first takes the pivots to stand on the diagonal, the second prepares for any. Where
// multipliers leave zeros on the diagonal the first may fill all: 16 hinged bodies, n = 1248: 55 ms
// against 2. For matrices with a diagonal it has the smaller factors.
constexpr int minimum_degree = 0, column_degree = 1;
// Factors up to so many times the entries of the matrix are good enough, and the other order is not tried.
constexpr double little_fill = 3;
// KLU looks for pivots column by column, and in chains each may pass all those before it: 20,000 rods, two coordinates
// and an angle each, took 18 s. After so many visits an entry it gives up, and match_rows says them.
constexpr double matching_work = 10;

}  // namespace

struct SparseLu::Klu {
  int n = 0;
  std::vector<int> column_start, row;  // compressed columns, as KLU wants them
  std::vector<int> source;             // which of the caller's values stands there
  std::vector<double> values;
  std::vector<double> chosen_values;  // at which the pivots in `numeric` were chosen
  bool refactored = false;            // `numeric` holds the factors of later values
  klu_common common{};
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;
  double chosen_growth = 0, chosen_condition = 0;  // when the pivots were chosen
  double condition = 0;
  int singular_column = -1;
  int pivotings = 0;
  bool compared = false;  // the order was chosen, at the first matrix
  int structural_rank = 0;

  void analyse(int ordering) {
    if (numeric) klu_free_numeric(&numeric, &common);
    if (symbolic) klu_free_symbolic(&symbolic, &common);
    common.ordering = ordering;
    symbolic = klu_analyze(n, column_start.data(), row.data(), &common);
    if (!symbolic && common.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
    check(symbolic != nullptr, "KLU accepts the pattern");
  }

  /// The first analysis; before there are values.
  void analyse_pattern() {
    common.maxwork = matching_work;
    analyse(minimum_degree);
    structural_rank = symbolic->structural_rank;
    if (structural_rank == n) return;  // else it gave up, or there are no more
    structural_rank = put_pivots_first();
    if (structural_rank > symbolic->structural_rank) analyse(minimum_degree);
  }

  /// KLU takes the first row of a column that is free. How many columns have one.
  int put_pivots_first() {
    const std::vector<int> matched = match_rows(n, column_start, row);
    int count = 0;
    for (int j = 0; j < n; ++j) {
      if (matched[j] < 0) continue;
      ++count;
      const auto first = row.begin() + column_start[j];
      const auto place = std::find(first, row.begin() + column_start[j + 1], matched[j]) - row.begin();
      std::iter_swap(first, row.begin() + place);
      std::swap(source[column_start[j]], source[place]);
    }
    return count;
  }

  /// Takes the order with the smaller factors.
  void compare_orders() {
    compared = true;
    const auto entries = [&](int ordering) {
      analyse(ordering);
      numeric = klu_factor(column_start.data(), row.data(), values.data(), symbolic, &common);
      if (common.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
      const bool whole = numeric && common.status == KLU_OK;
      return whole ? static_cast<double>(numeric->lnz) + numeric->unz : std::numeric_limits<double>::infinity();
    };
    const double usual = entries(minimum_degree);
    if (usual <= little_fill * static_cast<double>(row.size())) return;
    if (entries(column_degree) >= usual) analyse(minimum_degree);
  }

  ~Klu() {
    if (numeric) klu_free_numeric(&numeric, &common);
    if (symbolic) klu_free_symbolic(&symbolic, &common);
  }

  /// Rcond and reciprocal pivot growth of the factors in `numeric`; false when they are of no use.
  bool measure(double& growth) {
    if (!klu_rcond(symbolic, numeric, &common) || !(common.rcond > 0)) return false;
    condition = common.rcond;
    if (!klu_rgrowth(column_start.data(), row.data(), values.data(), symbolic, numeric, &common)) return false;
    growth = common.rgrowth;
    return std::isfinite(condition) && growth > 0 && std::isfinite(growth);
  }

  bool keep_pivots() {
    if (!numeric) return false;
    refactored = true;
    if (!klu_refactor(column_start.data(), row.data(), values.data(), symbolic, numeric, &common)) return false;
    double growth = 0;
    return common.status == KLU_OK && measure(growth) && growth >= tolerated_loss * chosen_growth &&
           condition >= tolerated_loss * chosen_condition;
  }

  bool choose_pivots() {
    if (!compared) compare_orders();
    if (numeric) klu_free_numeric(&numeric, &common);
    numeric = klu_factor(column_start.data(), row.data(), values.data(), symbolic, &common);
    if (common.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
    ++pivotings;
    refactored = false;
    std::copy(values.begin(), values.end(), chosen_values.begin());
    if (numeric && common.status == KLU_OK && measure(chosen_growth)) {
      chosen_condition = condition;
      return true;
    }
    singular_column = common.status == KLU_SINGULAR && common.singular_col < n ? common.singular_col : -1;
    if (numeric) klu_free_numeric(&numeric, &common);
    return false;
  }
};

SparseLu::SparseLu(int n, const std::vector<int>& row_start, const std::vector<int>& column)
    : klu_(std::make_unique<Klu>()) {
  check(n >= 0 && row_start.size() == static_cast<std::size_t>(n) + 1, "compressed rows: n + 1 row starts");
  check(row_start[0] == 0 && row_start[n] == static_cast<int>(column.size()),
        "compressed rows: starts match the entries");
  Klu& k = *klu_;
  k.n = n;
  k.column_start.assign(n + 1, 0);
  std::vector<int> last_row(n, -1);
  for (int i = 0; i < n; ++i) {
    check(row_start[i] <= row_start[i + 1], "compressed rows: starts ascend");
    for (int e = row_start[i]; e < row_start[i + 1]; ++e) {
      check(column[e] >= 0 && column[e] < n, "compressed rows: columns are inside the matrix");
      check(last_row[column[e]] != i, "compressed rows: no entry twice");
      last_row[column[e]] = i;
      ++k.column_start[column[e] + 1];
    }
  }
  for (int j = 0; j < n; ++j) k.column_start[j + 1] += k.column_start[j];
  k.row.resize(column.size());
  k.source.resize(column.size());
  k.values.resize(column.size());
  k.chosen_values.resize(column.size());
  std::vector<int> next(k.column_start.begin(), k.column_start.end() - 1);
  for (int i = 0; i < n; ++i)
    for (int e = row_start[i]; e < row_start[i + 1]; ++e) {
      const int place = next[column[e]]++;
      k.row[place] = i;
      k.source[place] = e;
    }
  klu_defaults(&k.common);
  k.common.scale = 2;  // rows by their largest entry
  k.common.tol = 0.1;  // KLU's own 0.001 keeps more of the order without fill, and loses up to six digits for it
  k.common.halt_if_singular = 1;
  if (n == 0) return;
  k.analyse_pattern();
}

SparseLu::~SparseLu() = default;
SparseLu::SparseLu(SparseLu&&) noexcept = default;
SparseLu& SparseLu::operator=(SparseLu&&) noexcept = default;

int SparseLu::size() const { return klu_->n; }

bool SparseLu::factor(const double* values) {
  Klu& k = *klu_;
  k.condition = 0;
  k.singular_column = -1;
  if (k.n == 0) {
    k.condition = 1;
    return true;
  }
  bool finite = true;
  for (std::size_t e = 0; e < k.values.size(); ++e) {
    const double x = k.values[e] = values[k.source[e]];
    finite &= x - x == 0;
  }
  if (!finite) return false;
  if (k.keep_pivots() || k.choose_pivots()) return true;
  k.condition = 0;
  return false;
}

void SparseLu::forget_pivots() {
  if (klu_->numeric) klu_free_numeric(&klu_->numeric, &klu_->common);
}

void SparseLu::solve(double* b, int count) const {
  Klu& k = *klu_;
  if (k.n > 0) klu_solve(k.symbolic, k.numeric, k.n, count, b, &k.common);
}

double SparseLu::reciprocal_condition() const { return klu_->condition; }
int SparseLu::structural_rank() const { return klu_->structural_rank; }
int SparseLu::singular_column() const { return klu_->singular_column; }
int SparseLu::pivotings() const { return klu_->pivotings; }

void SparseLu::save(ByteWriter& out) const {
  const Klu& k = *klu_;
  out.write(k.compared);
  out.write(k.common.ordering);
  out.write(k.numeric != nullptr);
  out.write(k.refactored);
  out.write(k.chosen_values);
  out.write(k.values);
  out.write(k.condition);
  out.write(k.singular_column);
  out.write(k.pivotings);
}

void SparseLu::load(ByteReader& in) {
  Klu& k = *klu_;
  if (k.numeric) klu_free_numeric(&k.numeric, &k.common);
  in.read(k.compared);
  const int ordering = in.read<int>();
  if (ordering != minimum_degree && ordering != column_degree)
    throw InputError("the saved state belongs to other equations");
  if (k.n > 0 && ordering != k.common.ordering) k.analyse(ordering);
  const bool factorized = in.read<bool>();
  const bool refactored = in.read<bool>();
  in.refill(k.values);
  std::vector<double> last = k.values;
  in.refill(last);
  if (factorized) k.choose_pivots();
  k.values = last;
  if (refactored) k.keep_pivots();
  in.read(k.condition);
  in.read(k.singular_column);
  in.read(k.pivotings);
}

}  // namespace alembert::internal
