#include "alembert/start/nearest.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "alembert/base/decompositions.h"
#include "alembert/base/lists.h"
#include "alembert/error.h"
#include "alembert/start/curvature.h"
#include "alembert/start/dense.h"
#include "alembert/start/subproblem.h"

namespace alembert::internal {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Where Newton converges it needs up to ten; damped steps that shrink the merit function by a tenth come to rounding
/// in a hundred.
constexpr int max_iterations = 100;
/// A solution is accepted with residuals of this many rounding levels: a dozen operations of size 1 stand between the
/// unknowns and the residual, and the last correction was rounded too.
constexpr double accepted_levels = 64;
/// Armijo's condition: the share of the predicted decrease that a step must bring (Nocedal and Wright, chapter 3).
constexpr double sufficient_decrease = 1e-4;
/// Shorter parts of a step are not tried: 23 halvings, after which the merit function's change is near its rounding.
constexpr double shortest_part = 1e-7;
/// Steps below this share of x are in the region where Newton converges quadratically: the next one is at rounding
/// level, and the merit function, whose changes are of second order, cannot judge them.
constexpr double newton_region = 1e-7;
/// A step that no longer changes x.
constexpr double no_step = 1e-16;
/// Corrections to the constraints alone; each gains all digits there are, so that more than two are rarely made.
constexpr int most_corrections = 5;
/// Rows of unit length with less than this of their own depend on others on the manifold. Rows that do so exactly are
/// found with the rounding of x, times the curvature of the constraints.
constexpr double dependent_row = 1e-6;
/// Rounds of choose_rows; each adds a constraint and costs a search.
constexpr int most_rounds = 30;
/// A point is nearer than another where it is so by more than the roundings of both searches.
constexpr double nearer = 1 - 1e-9;
/// A given point is far where x is smaller than it by this factor: half of its digits are not there at x.
constexpr double far_away = 1e-6;
constexpr int most_returns = 8;
/// The rows and columns with number >= 0, renumbered.
SparseRows restrict_to(const SparseRows& a, const std::vector<int>& row_list, const std::vector<int>& column_number,
                       int columns) {
  SparseRows result{static_cast<int>(row_list.size()), columns, {0}, {}, {}};
  for (const int i : row_list) {
    for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k) {
      if (column_number[a.column[k]] < 0) continue;
      result.column.push_back(column_number[a.column[k]]);
      result.value.push_back(a.value[k]);
    }
    result.row_start.push_back(static_cast<int>(result.column.size()));
  }
  return result;
}

/// Whether the active constraints vanish at x, to rounding there or at the given point: where x is small, it still is
/// the difference of numbers of the given size. Entries that vanish share the rounding of the others, with which
/// solving mixes them.
bool fulfilled(const DifferentiableList& constraints, const NearestPoint::Request& request,
               const std::vector<double>& x) {
  std::vector<double> levels;
  std::vector<double> given_levels;
  constraints.values(joined<double>(request.inputs, request.given), given_levels);
  const std::vector<double> c = constraints.values(joined<double>(request.inputs, x), levels);
  const SparseRows j = constraints.derivative(joined<double>(request.inputs, x));
  const double largest = std::max(max_abs(x), max_abs(request.given));
  return std::all_of(request.active.begin(), request.active.end(), [&](int i) {
    double slope = 0;
    for (int k = j.row_start[i]; k < j.row_start[i + 1]; ++k) slope = std::max(slope, std::abs(j.value[k]));
    const double shared = std::numeric_limits<double>::epsilon() * slope * largest;
    const double level = std::max({levels[i], std::isfinite(given_levels[i]) ? given_levels[i] : 0, shared});
    return std::abs(c[i]) <= accepted_levels * level;
  });
}

/// One attempt: the iteration and where it stands.
class Search {
 public:
  Search(const DifferentiableList& constraints, const Curvature& curvature, const NearestPoint::Request& request,
         Subproblem& subproblem)
      : constraints_(constraints), curvature_(curvature), request_(request), subproblem_(subproblem) {
    number_.assign(request.given.size(), -1);
    for (int i = 0; i < static_cast<int>(request.given.size()); ++i) {
      if (request.fixed[i]) continue;
      number_[i] = static_cast<int>(free_.size());
      free_.push_back(i);
    }
    quadratic_.metric = restrict_to(request.metric, free_, number_, static_cast<int>(free_.size()));
    mu_ = Vector::Zero(request.active.size());
    in_ = joined<double>(request.inputs, request.given);
    given_.resize(free_.size());
    for (std::size_t i = 0; i < free_.size(); ++i) given_[i] = request.given[free_[i]];
    x_ = given_;
  }

  int iterations() const { return iterations_; }
  std::vector<double> x() {
    at(x_);
    return {in_.begin() + static_cast<std::ptrdiff_t>(request_.inputs.size()), in_.end()};
  }

  bool run() {
    if (worst_ratio(x_) <= rounding_allowance) return true;
    if (!iterate()) return false;
    restore();
    return fulfilled(constraints_, request_, x());
  }

 private:
  /// Largest residual in rounding levels; infinite where something is not finite.
  double worst_ratio(const Vector& x) {
    std::vector<double> levels;
    const std::vector<double> c = constraints_.values(at(x), levels);
    double worst = 0;
    for (const int i : request_.active) {
      if (c[i] == 0) continue;
      const double ratio = std::abs(c[i]) / levels[i];
      worst = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : std::max(worst, ratio);
    }
    return worst;
  }

  const std::vector<double>& at(const Vector& x) {
    for (std::size_t i = 0; i < free_.size(); ++i) in_[request_.inputs.size() + free_[i]] = x[i];
    return in_;
  }

  Vector residual(const Vector& x) {
    const std::vector<double> all = constraints_.values(at(x));
    Vector c(request_.active.size());
    for (int i = 0; i < c.size(); ++i) c[i] = all[request_.active[i]];
    return c;
  }

  bool linearise() {
    quadratic_.deviation = given_ - x_;
    quadratic_.residual = residual(x_);
    quadratic_.jacobian =
        restrict_to(constraints_.derivative(at(x_)), request_.active, number_, static_cast<int>(free_.size()));
    const std::vector<double>& j = quadratic_.jacobian.value;
    return quadratic_.residual.allFinite() &&
           std::all_of(j.begin(), j.end(), [](double a) { return std::isfinite(a); });
  }

  bool find_step(bool with_hessian, Vector& step, Vector& mu) {
    if (with_hessian) {
      std::vector<double> in = at(x_);
      Vector all = Vector::Zero(constraints_.derivative_expressions().rows);
      for (int i = 0; i < mu_.size(); ++i) all[request_.active[i]] = mu_[i];
      in.insert(in.end(), all.begin(), all.end());
      quadratic_.hessian = restrict_to(curvature_(in), free_, number_, static_cast<int>(free_.size()));
    }
    if (!subproblem_.factor(quadratic_, with_hessian)) return false;
    subproblem_.solve(quadratic_, step, mu);
    return step.allFinite() && mu.allFinite();
  }

  double length(const Vector& d) const { return std::sqrt(std::max(0.0, d.dot(times(quadratic_.metric, d)))); }

  /// The l1 merit function, constraints as distances.
  double merit(const Vector& x, double penalty, const Vector& scale) {
    const double distance = length(x - given_);
    return distance * distance / 2 + penalty * residual(x).cwiseProduct(scale).lpNorm<1>();
  }

  /// Takes the longest of step, corrected step, step/2, step/4, ... that lowers the merit function enough.
  bool descend(const Vector& step, const Vector& mu) {
    const Vector scale = row_scales(quadratic_.jacobian, diagonal(quadratic_.metric));
    penalty_ = std::max(penalty_, 2 * mu.cwiseQuotient(scale).cwiseAbs().maxCoeff());
    const double here = merit(x_, penalty_, scale);
    const Vector left = quadratic_.residual + times(quadratic_.jacobian, step);
    const double distance = length(x_ + step - given_);
    const double predicted = here - distance * distance / 2 - penalty_ * left.cwiseProduct(scale).lpNorm<1>();
    if (!(predicted > 0)) return false;
    const auto good = [&](const Vector& x, double part) {
      return merit(x, penalty_, scale) <= here - sufficient_decrease * part * predicted;
    };
    Vector trial = x_ + step;
    if (!good(trial, 1)) {
      const Vector c = residual(trial);
      if (c.allFinite()) trial += subproblem_.correction(c);
      if (!trial.allFinite() || !good(trial, 1)) {
        double part = 0.5;
        while (part > shortest_part && !good(x_ + part * step, part)) part /= 2;
        if (part <= shortest_part) return false;
        trial = x_ + part * step;
      }
    }
    x_ = trial;
    return true;
  }

  bool iterate() {
    double last_small = std::numeric_limits<double>::infinity();
    for (; iterations_ < max_iterations; ++iterations_) {
      if (!linearise()) return false;
      Vector step;
      Vector mu;
      const bool newton = iterations_ > 0 && find_step(true, step, mu);
      if (!newton && !find_step(false, step, mu)) return false;
      const double size = std::max({length(x_), length(given_), std::numeric_limits<double>::min()});
      const double moved = length(step);
      if (moved < newton_region * size) {
        // Near the solution the merit function is all rounding; Newton's steps shrink until rounding stops them.
        if (moved <= no_step * size || moved > last_small / 2) return true;
        last_small = moved;
        x_ += step;
      } else {
        last_small = std::numeric_limits<double>::infinity();
        if (!descend(step, mu) && !(newton && find_step(false, step, mu) && descend(step, mu))) return true;
      }
      mu_ = mu;
    }
    return true;
  }

  /// Smallest corrections until the residuals are at rounding level.
  void restore() {
    double worst = worst_ratio(x_);
    for (int i = 0; i < most_corrections && worst > 1; ++i) {
      if (!linearise() || !subproblem_.factor(quadratic_, false)) return;
      const Vector next = x_ + subproblem_.correction(quadratic_.residual);
      const double ratio = next.allFinite() ? worst_ratio(next) : std::numeric_limits<double>::infinity();
      if (!(ratio < worst)) return;
      x_ = next;
      worst = ratio;
    }
  }

  const DifferentiableList& constraints_;
  const Curvature& curvature_;
  const NearestPoint::Request& request_;
  Subproblem& subproblem_;
  std::vector<int> free_, number_;
  std::vector<double> in_;
  Quadratic quadratic_;
  Vector x_, given_, mu_;
  double penalty_ = 0;
  int iterations_ = 0;
};

bool is_dense(const NearestPoint::Request& request) {
  return static_cast<int>(request.given.size() + request.active.size()) <= largest_dense;
}

double distance(const SparseRows& metric, const std::vector<double>& a, const std::vector<double>& b) {
  const Eigen::Map<const Vector> x(a.data(), static_cast<Eigen::Index>(a.size()));
  const Eigen::Map<const Vector> y(b.data(), static_cast<Eigen::Index>(b.size()));
  const Vector d = x - y;
  return std::sqrt(std::max(0.0, d.dot(times(metric, d))));
}

}  // namespace

struct NearestPoint::Body {
  int unknowns;
  DifferentiableList constraints;
  Curvature curvature;

  /// First with all rows that are independent in double precision; where that fails, rows that nearly depend on others
  /// are left out of the steps.
  Result search(const Request& request) const {
    Result result;
    for (const bool cautious : {false, true}) {
      const std::unique_ptr<Subproblem> subproblem = make_subproblem(is_dense(request), cautious);
      Search attempt(constraints, curvature, request, *subproblem);
      result.converged = attempt.run();
      result.x = attempt.x();
      result.iterations += attempt.iterations();
      if (result.converged) break;
    }
    return result;
  }

  /// The active constraints that are independent at x, those that matter most first.
  std::vector<int> independent_rows(const Request& request, const std::vector<double>& x) const {
    const SparseRows j = constraints.derivative(joined<double>(request.inputs, x));
    Matrix columns =
        Matrix::Zero(static_cast<Eigen::Index>(request.given.size()), static_cast<Eigen::Index>(request.active.size()));
    for (std::size_t i = 0; i < request.active.size(); ++i) {
      const int row = request.active[i];
      for (int k = j.row_start[row]; k < j.row_start[row + 1]; ++k) {
        if (!request.fixed[j.column[k]]) columns(j.column[k], static_cast<Eigen::Index>(i)) = j.value[k];
      }
    }
    if (!columns.allFinite() || columns.size() == 0) return request.active;
    columns.colwise().normalize();
    std::vector<int> rows;
    for (const int i : independent_columns(columns, dependent_row)) rows.push_back(request.active[i]);
    return rows;
  }

  /// Where constraints depend on each other on the manifold, they do not quite off it, and steps that obey all of them
  /// lead far away. So: only as many constraints as are needed for the others to vanish by themselves.
  void choose_rows(const Request& request, Result& result) const {
    Request fewer = request;
    fewer.active = result.converged ? independent_rows(request, result.x) : std::vector<int>{};
    if (fewer.active.size() == request.active.size()) return;
    for (int round = 0; round < most_rounds; ++round) {
      Result trial;
      trial.x = request.given;
      trial.converged = true;
      if (!fewer.active.empty()) trial = search(fewer);
      if (!trial.converged) return;
      result.iterations += trial.iterations;
      if (fulfilled(constraints, request, trial.x)) {
        const double before = distance(request.metric, result.x, request.given);
        if (!result.converged || distance(request.metric, trial.x, request.given) < nearer * before) {
          result.x = trial.x;
          result.converged = true;
        }
        return;
      }
      const int worst = most_violated(request, fewer.active, trial.x);
      if (worst < 0) return;
      fewer.active.push_back(worst);
    }
  }

  /// The constraint, not in `taken`, from which x is farthest; -1 when there is none.
  int most_violated(const Request& request, const std::vector<int>& taken, const std::vector<double>& x) const {
    const std::vector<double> in = joined<double>(request.inputs, x);
    const std::vector<double> c = constraints.values(in);
    const Vector scale = row_scales(constraints.derivative(in), diagonal(request.metric));
    int worst = -1;
    for (const int i : request.active) {
      if (std::find(taken.begin(), taken.end(), i) != taken.end() || !std::isfinite(c[i])) continue;
      if (worst < 0 || std::abs(c[i]) * scale[i] > std::abs(c[worst]) * scale[worst]) worst = i;
    }
    return worst;
  }
};

NearestPoint::NearestPoint(const Exprs& inputs, const Exprs& unknowns, const Exprs& constraints) {
  const Exprs symbols = joined<Expr>(inputs, unknowns);
  DifferentiableList list(symbols, constraints, unknowns);
  Curvature curvature(inputs, unknowns, constraints, list.derivative_expressions());
  body_ = std::make_unique<Body>(Body{static_cast<int>(unknowns.size()), std::move(list), std::move(curvature)});
}

NearestPoint::NearestPoint(const NearestPoint& other) : body_(std::make_unique<Body>(*other.body_)) {}
NearestPoint::NearestPoint(NearestPoint&&) noexcept = default;
NearestPoint::~NearestPoint() = default;

void NearestPoint::bind(const double* parameters) {
  body_->constraints.bind(parameters);
  body_->curvature.bind(parameters);
}

const DifferentiableList& NearestPoint::constraints() const { return body_->constraints; }

NearestPoint::Result NearestPoint::solve(const Request& request) const {
  check(static_cast<int>(request.given.size()) == body_->unknowns && request.fixed.size() == request.given.size() &&
            request.metric.rows == body_->unknowns,
        "nearest point: sizes do not match");
  Result result = body_->search(request);
  if (is_dense(request) && result.iterations > 0) body_->choose_rows(request, result);
  // From very far the constraints are met but for the rounding of the place left behind: again from here.
  Request closer = request;
  for (int round = 0; round < most_returns; ++round) {
    if (!result.converged || max_abs(result.x) >= far_away * max_abs(closer.given)) break;
    closer.given = result.x;
    Result again = body_->search(closer);
    if (!again.converged) break;
    again.iterations += result.iterations;
    result = std::move(again);
  }
  result.residual = body_->constraints.values(joined<double>(request.inputs, result.x));
  return result;
}

}  // namespace alembert::internal
