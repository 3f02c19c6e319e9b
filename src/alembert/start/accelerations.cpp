#include "alembert/start/accelerations.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "alembert/base/decompositions.h"
#include "alembert/base/lists.h"
#include "alembert/linear/linear.h"
#include "alembert/linear/minimum_norm.h"
#include "alembert/start/dense.h"
#include "alembert/start/nearest.h"

namespace alembert::internal {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr int max_iterations = 60;  // damped steps to a far root, then quadratic convergence
/// A pivot of this many times n and the largest one is rounding of the elimination.
constexpr double no_pivot = 1e-15;
/// A reciprocal condition below this leaves less than three digits, or is that of redundant constraints.
constexpr double doubtful_condition = 1e-13;
/// Of the diagonal that selects the smallest multipliers, against C P^-1 B: each of the iterations that take it back
/// gains its nine digits for all but redundant directions.
constexpr double regularisation_share = 1e-9;
constexpr int regularised_iterations = 8;
/// Steps below this share of the solution are in the region of quadratic convergence: rounding ends them, not damping.
constexpr double small_step = 1e-9;
/// A damped step is not made shorter than this part.
constexpr double shortest_part = 1e-3;
/// Residuals below this share of their terms: sums of forces and accelerations that differ by many orders have lost the
/// digits between.
constexpr double accepted_residual = 1e-9;
/// Where nothing acts there is still the rounding of what acts elsewhere, by this share.
constexpr double shared_action = 1e-6;
/// Multipliers that nobody guessed are tried at these values where the reactions are nonlinear in them: both signs,
/// over the sizes of usual forces.
constexpr double nonlinear_starts[] = {0, 1, -1, 10, -10, 0.1, -0.1, 100, -100};

Exprs unknowns(const Equations& e) { return joined<Expr>(e.z_dot, e.lambda, e.psi); }

/// The matrix [p_z, -r_lambda, -N_psi; g_y v_z, 0, 0; k_z, 0, 0], factorised.
class ReducedMatrix {
 public:
  virtual ~ReducedMatrix() = default;
  virtual bool factor(const SparseRows& a) = 0;  // false: singular
  /// The correction at x.
  virtual Vector solve(const Vector& b, const Vector& x) = 0;
  virtual bool doubtful() const { return false; }
};

class DenseReduced final : public ReducedMatrix {
 public:
  explicit DenseReduced(int accelerations) : accelerations_(accelerations) {}

  bool factor(const SparseRows& a) override {
    const int n = a.rows;
    const Matrix dense = to_dense(a);
    // Equations of light bodies are as good as those of heavy ones: rows by their accelerations first, then columns,
    // then rows.
    Matrix scaled = scale(dense, true);
    const auto regular = [&] {
      lu_.factor(scaled);
      return lu_.smallest_pivot() > no_pivot * n * lu_.largest_pivot();
    };
    if (regular()) return true;
    // A light body between heavy ones only passes their reactions on: its row is then one of multipliers.
    scaled = scale(dense, false);
    return regular();
  }

  Vector solve(const Vector& b, const Vector&) override {
    Vector x(b.size());
    lu_.solve(Vector(row_.cwiseProduct(b)), x.data());
    return column_.cwiseProduct(x);
  }

 private:
  Matrix scale(const Matrix& dense, bool by_accelerations) {
    const int n = static_cast<int>(dense.rows());
    row_ = Vector::Ones(n);
    for (int i = 0; i < n && accelerations_ > 0; ++i) {
      const double largest =
          (by_accelerations ? dense.row(i).head(accelerations_) : dense.row(i).head(n)).cwiseAbs().maxCoeff();
      if (largest > 0) row_[i] = 1 / largest;
    }
    column_ = Vector::Ones(n);
    for (int j = 0; j < n; ++j) {
      const double largest = dense.col(j).cwiseProduct(row_).cwiseAbs().maxCoeff();
      if (largest > 0) column_[j] = 1 / largest;
    }
    Matrix scaled = row_.asDiagonal() * dense * column_.asDiagonal();
    for (int i = 0; i < n; ++i) {
      const double largest = scaled.row(i).cwiseAbs().maxCoeff();
      if (largest == 0) continue;
      scaled.row(i) /= largest;
      row_[i] /= largest;
    }
    return scaled;
  }

  int accelerations_;
  Vector row_, column_;
  FullPivotLu lu_;
};

/// Where constraints depend on each other: the smallest multipliers.
class DependentReduced final : public ReducedMatrix {
 public:
  DependentReduced(int accelerations, int multipliers) : factors_(columns(accelerations, multipliers)) {}

  bool factor(const SparseRows& a) override {
    std::vector<double> dense(static_cast<std::size_t>(a.rows) * a.rows, 0.0);
    for (int i = 0; i < a.rows; ++i) {
      for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k) {
        dense[static_cast<std::size_t>(i) * a.rows + a.column[k]] += a.value[k];
      }
    }
    return factors_.factor(dense.data(), MinimumNorm<double>::Cut::rounding);
  }
  Vector solve(const Vector& b, const Vector& x) override {
    Vector step = b;
    factors_.solve(step.data(), x.data());
    return step;
  }

 private:
  static std::vector<bool> columns(int accelerations, int multipliers) {
    std::vector<bool> result(accelerations, false);
    result.resize(accelerations + multipliers, true);
    return result;
  }

  MinimumNorm<double> factors_;
};

/// Sparse LU. Where constraints depend on each other the multiplier block gets a small diagonal, which selects the
/// smallest multipliers; what it falsifies is taken back by iteration.
class SparseReduced final : public ReducedMatrix {
 public:
  SparseReduced(int accelerations, bool redundant) : accelerations_(accelerations), redundant_(redundant) {}

  bool factor(const SparseRows& a) override {
    const int n = a.rows;
    delta_ = redundant_ ? regularisation(a) : 0;
    std::vector<int> start{0};
    std::vector<int> column;
    std::vector<double> value;
    for (int i = 0; i < n; ++i) {
      for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k) {
        column.push_back(a.column[k]);
        value.push_back(a.value[k]);
      }
      if (redundant_ && i >= accelerations_) {  // constraints are differentiated to z' alone: nothing stands there
        column.push_back(i);
        value.push_back(delta_);
      }
      start.push_back(static_cast<int>(column.size()));
    }
    lu_.emplace(n, start, column);
    const bool good = lu_->factor(value.data());
    doubtful_ = !redundant_ && (!good || lu_->reciprocal_condition() < doubtful_condition);
    return good;
  }

  Vector solve(const Vector& b, const Vector&) override {
    Vector x = b;
    lu_->solve(x.data());
    for (int i = 0; redundant_ && i < regularised_iterations; ++i) {
      Vector next = b;
      next.tail(b.size() - accelerations_) += delta_ * x.tail(b.size() - accelerations_);
      lu_->solve(next.data());
      x = next;
    }
    return x;
  }
  bool doubtful() const override { return doubtful_; }

 private:
  /// Small against C P^-1 B (P = p_z, B = -r_lambda, C = g_y v_z), and of the sign that adds to it.
  double regularisation(const SparseRows& a) const {
    std::vector<double> mass(accelerations_, 1);
    std::vector<std::vector<std::pair<int, double>>> reaction(a.rows);
    for (int i = 0; i < accelerations_; ++i) {
      for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k) {
        if (a.column[k] == i && a.value[k] != 0) mass[i] = a.value[k];
        if (a.column[k] >= accelerations_) reaction[a.column[k]].emplace_back(i, a.value[k]);
      }
    }
    double total = 0;
    double largest = 0;
    std::vector<double> row(accelerations_, 0);
    for (int i = accelerations_; i < a.rows; ++i) {
      for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k) row[a.column[k]] = a.value[k];
      double sum = 0;
      for (const auto& [j, value] : reaction[i]) sum += row[j] * value / mass[j];
      for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k) row[a.column[k]] = 0;
      total += sum;
      largest = std::max(largest, std::abs(sum));
    }
    return (total >= 0 ? -regularisation_share : regularisation_share) * largest;
  }

  int accelerations_;
  bool redundant_, doubtful_ = false;
  double delta_ = 0;
  std::optional<SparseLu> lu_;
};

/// Largest residual in rounding levels.
double worst_ratio(const std::vector<double>& residual, const std::vector<double>& levels) {
  double worst = 0;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    if (residual[i] != 0) worst = std::max(worst, std::abs(residual[i]) / levels[i]);
  }
  return worst;
}

/// Whether the equations hold as far as the data go. Accelerations that cancel to nothing are known only against what
/// the forces would do without constraints, so that is what a residual in the constraints' rows is compared with.
bool holds(const std::vector<double>& residual, const std::vector<double>& levels, const SparseRows& matrix,
           int accelerations) {
  if (!all_finite(residual)) return false;
  const auto terms = [&](int i) { return levels[i] / std::numeric_limits<double>::epsilon(); };
  std::vector<double> free(accelerations, 0);
  for (int i = 0; i < accelerations; ++i) {
    double mass = 0;
    for (int k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k) {
      if (matrix.column[k] < accelerations) mass = std::max(mass, std::abs(matrix.value[k]));
    }
    if (mass > 0) free[i] = terms(i) / mass;
  }
  double most = 0;
  for (const double a : free) most = std::max(most, a);
  for (double& a : free) a = std::max(a, shared_action * most);
  for (int i = 0; i < matrix.rows; ++i) {
    double size = terms(i);
    for (int k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k) {
      if (matrix.column[k] < accelerations) size += std::abs(matrix.value[k]) * free[matrix.column[k]];
    }
    if (std::abs(residual[i]) > accepted_residual * size) return false;
  }
  return true;
}

std::unique_ptr<ReducedMatrix> make_matrix(int accelerations, int multipliers, bool redundant) {
  if (accelerations + multipliers > largest_dense) return std::make_unique<SparseReduced>(accelerations, redundant);
  if (redundant) return std::make_unique<DependentReduced>(accelerations, multipliers);
  return std::make_unique<DenseReduced>(accelerations);
}

/// Newton's method for the reduced system, damped where it is nonlinear.
class Iteration {
 public:
  /// in: t, y, z and then, from `first` on, the unknowns.
  Iteration(const DifferentiableList& equations, bool linear, ReducedMatrix& matrix, std::vector<double> in,
            std::size_t first)
      : equations_(equations),
        linear_(linear),
        matrix_(matrix),
        in_(std::move(in)),
        first_(first),
        n_(static_cast<int>(in_.size() - first)),
        residual_(equations.values(in_, levels_)) {}

  /// Iterates until rounding stops it; what went wrong is said in the result, whose values are not filled in here.
  void run(Accelerations& result) {
    for (int iteration = 0; iteration < max_iterations; ++iteration) {
      if ((iteration == 0 || !linear_) && !linearise(result)) return;
      result.not_finite = !all_finite(residual_);
      if (result.not_finite) return;
      const Vector step = -matrix_.solve(Eigen::Map<const Vector>(residual_.data(), n_), unknowns(in_));
      result.singular = !step.allFinite();
      if (result.singular || advance(step)) return;
    }
  }

  bool settled() const { return small_; }
  const std::vector<double>& in() const { return in_; }
  const SparseRows& derivative() const { return derivative_; }

 private:
  Eigen::Map<const Vector> unknowns(const std::vector<double>& in) const { return {in.data() + first_, n_}; }

  bool linearise(Accelerations& result) {
    derivative_ = equations_.derivative(in_);
    result.not_finite = !all_finite(residual_) || !all_finite(derivative_.value);
    if (result.not_finite) return false;
    result.singular = !matrix_.factor(derivative_);
    result.doubtful = matrix_.doubtful();
    return !result.singular;
  }

  /// The longest part of the step after which the next one would be shorter: that measure does not depend on how the
  /// equations are scaled. A linear system, and steps at the end, are not damped.
  std::vector<double> damped(const Vector& step, std::vector<double>& residual) {
    for (double part = 1;; part /= 2) {
      std::vector<double> next = in_;
      for (int i = 0; i < n_; ++i) next[first_ + i] += part * step[i];
      residual = equations_.values(next, levels_);
      if (linear_ || small_ || part < shortest_part) return next;
      if (!all_finite(residual)) continue;
      const Vector following = matrix_.solve(Eigen::Map<const Vector>(residual.data(), n_), unknowns(next));
      if (following.norm() <= (1 - part / 4) * step.norm()) return next;
    }
  }

  /// True when rounding stops the iteration: small steps no longer shrink.
  bool advance(const Vector& step) {
    const double moved = step.norm();
    small_ = moved <= small_step * unknowns(in_).norm();
    std::vector<double> next_residual;
    std::vector<double> next = damped(step, next_residual);
    const bool stopped = small_ && moved >= last_step_ / 2;
    if (stopped && worst_ratio(residual_, levels_) <= worst_ratio(next_residual, levels_)) return true;
    in_ = std::move(next);
    residual_ = std::move(next_residual);
    last_step_ = moved;
    if (!stopped && moved != 0) return false;
    small_ = true;
    return true;
  }

  const DifferentiableList& equations_;
  bool linear_;
  ReducedMatrix& matrix_;
  std::vector<double> in_;
  std::size_t first_;
  int n_;
  std::vector<double> levels_, residual_;
  SparseRows derivative_;
  bool small_ = false;
  double last_step_ = std::numeric_limits<double>::infinity();
};

}  // namespace

AccelerationSystem::AccelerationSystem(const Equations& e)
    : accelerations_(static_cast<int>(e.z_dot.size())),
      multipliers_(static_cast<int>(e.lambda.size() + e.psi.size())),
      equations_(joined<Expr>(e.t, e.y, e.z, unknowns(e)), e.reduced, unknowns(e)) {
  linear_ = !depends(equations_.derivative_expressions().value, unknowns(e));
}

Accelerations AccelerationSystem::solve(const State& state, const std::vector<double>& guess, bool redundant) const {
  const std::vector<double> point = flat(state);
  Accelerations last;
  last.not_finite = true;
  for (const double start : nonlinear_starts) {
    std::vector<double> in = point;
    in.resize(point.size() + accelerations_, 0.0);
    for (const double g : guess) in.push_back(std::isnan(g) ? start : g);
    Accelerations found = attempt(std::move(in), point.size(), redundant);
    if (found.solved || linear_) return found;
    found.not_finite = found.not_finite && last.not_finite;
    last = std::move(found);
  }
  return last;
}

Accelerations AccelerationSystem::attempt(std::vector<double> in, std::size_t first, bool redundant) const {
  Accelerations result;
  result.solved = accelerations_ + multipliers_ == 0;
  if (result.solved) return result;
  const std::unique_ptr<ReducedMatrix> matrix = make_matrix(accelerations_, multipliers_, redundant);
  Iteration iteration(equations_, linear_, *matrix, std::move(in), first);
  iteration.run(result);
  if (result.not_finite || result.singular) return result;
  const std::vector<double>& found = iteration.in();
  const auto begin = found.begin() + static_cast<std::ptrdiff_t>(first);
  result.z_dot.assign(begin, begin + accelerations_);
  result.multipliers.assign(begin + accelerations_, found.end());
  std::vector<double> levels;
  const std::vector<double> residual = equations_.values(found, levels);
  result.solved = iteration.settled() && holds(residual, levels, iteration.derivative(), accelerations_);
  return result;
}

}  // namespace alembert::internal
