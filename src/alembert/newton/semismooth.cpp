#include "alembert/newton/semismooth.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/base/nth.h"
#include "alembert/expr/derivative.h"
#include "alembert/linear/linear.h"
#include "alembert/newton/inclusions.h"
#include "alembert/newton/semismooth_block.h"

namespace alembert::internal {

namespace {

// Above so many operations compiling takes longer than what it saves in a run.
constexpr std::size_t most_compiled_operations = 20000;
// Up to here a dense matrix is faster than a sparse one.
constexpr int most_dense = 60;
// Of one attempt with rates that are linear; two to eight are usual. So often they are made linear anew.
constexpr int most_newton = 25, most_linearised = 20;
// How often Newton and sweeps take turns. Friction may turn in a circle from sweep to sweep: behind the first turn it
// goes this part of the way.
constexpr int most_turns = 6;
constexpr double part_of_friction = 0.5;
// Behind sweeps Newton is near where it goes: a correction behind which more is left is halved so often.
constexpr int most_halvings = 8;
// Contacts that follow from others make the matrix singular: this part of a contact's own response is added to it. The
// equations stay as they are, so that it costs an iteration at most.
constexpr double regular = 1e-7, regular_constraints = 1e-9;
// Corrections below this part of the terms of an equation are rounding. Forces of contacts that share a load may move
// among them without moving anything else: theirs count less.
constexpr double rounding_of_terms = 2e-15, weight_of_forces = 1e-5;
// Where corrections no longer shrink, this part of the largest force, and of the terms, is good enough; what sweeps
// leave is worse, and taken where Newton does not find more.
constexpr double stagnant = 1e-11, swept = 1e-8;
// Friction whose slip is next to nothing finds its direction slowly where a wall takes part of its load: where turns do
// not help any more so much is good enough. Momentum and energy are kept to rounding all the same.
constexpr double swept_friction = 1e-5;
// How often contacts are added that would be passed through.
constexpr int most_rounds = 60;

Kernel<double> kernel_of(const Exprs& arguments, const Exprs& values, const KernelOptions& options) {
  Tape tape = make_tape(arguments, values);
  const bool large = tape.code.size() > most_compiled_operations;
  return Kernel<double>(std::move(tape), large ? interpreted : options);
}

}  // namespace

/// Which contacts take part.
void Semismooth::Block::choose(double* x) {
  closed(x, closed_values.data(), work.data());
  scales(x, scale.data(), work.data());
  for (std::size_t i = 0; i < contacts.size(); ++i) contacts[i].active = closed_values[i] <= 0;
  number_taken();
  for (int i = 0; i < count; ++i)
    if (number[static_cast<std::size_t>(i)] < 0) unknowns(x)[i] = 0;
}

void Semismooth::Block::number_taken() {
  std::vector<bool> out(static_cast<std::size_t>(count), false);
  for (const ContactPlace& c : contacts) {
    if (c.active) continue;
    out[static_cast<std::size_t>(c.normal)] = true;
    for (const TangentPlace& t : c.tangents)
      for (int j = 0; j < t.size; ++j) out[nth(t.first + j)] = true;
  }
  taken.clear();
  for (int i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    number[k] = out[k] ? -1 : static_cast<int>(taken.size());
    if (!out[k]) taken.push_back(i);
  }
}

/// Weights are the reciprocal responses: how much a force changes its own rate, as far as the diagonal of the other
/// equations tells.
void Semismooth::Block::weigh(double* x) {
  take(x);
  std::vector<double> own(static_cast<std::size_t>(count), 0);
  for (int i = 0; i < count; ++i)
    for (int k = places.row_start[i]; k < places.row_start[i + 1]; ++k)
      if (places.column[k] == i) own[static_cast<std::size_t>(i)] = entry(static_cast<std::size_t>(k));
  // The entries of smooth rows in the columns of contacts.
  std::vector<std::vector<std::pair<int, double>>> columns(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    if (of_contact[static_cast<std::size_t>(i)]) continue;
    for (int k = places.row_start[i]; k < places.row_start[i + 1]; ++k)
      if (of_contact[static_cast<std::size_t>(places.column[k])] &&
          number[static_cast<std::size_t>(places.column[k])] >= 0)
        columns[static_cast<std::size_t>(places.column[k])].emplace_back(i, entry(static_cast<std::size_t>(k)));
  }
  const auto response = [&](int row, int unknown) {
    double sum = 0;
    for (const auto& [i, value] : columns[static_cast<std::size_t>(unknown)]) {
      const double diagonal_entry = own[static_cast<std::size_t>(i)];
      if (diagonal_entry == 0) continue;
      for (int k = slope_pattern.row_start[row]; k < slope_pattern.row_start[row + 1]; ++k)
        if (slope_pattern.column[k] == i) sum -= slope[static_cast<std::size_t>(k)] * value / diagonal_entry;
    }
    for (int k = slope_pattern.row_start[row]; k < slope_pattern.row_start[row + 1]; ++k)
      if (slope_pattern.column[k] == unknown) sum += slope[static_cast<std::size_t>(k)];
    return std::abs(sum);
  };
  // What is added to the diagonals: of a constraint a part of its own response.
  soft.assign(static_cast<std::size_t>(count), 0);
  for (int i = 0; i < count; ++i) {
    if (of_contact[static_cast<std::size_t>(i)]) soft[static_cast<std::size_t>(i)] = regular;
    if (!multiplier[static_cast<std::size_t>(i)] || of_contact[static_cast<std::size_t>(i)]) continue;
    for (int k = places.row_start[i]; k < places.row_start[i + 1]; ++k) {
      const int j = places.column[k];
      const double diagonal_entry = own[static_cast<std::size_t>(j)];
      if (j == i || diagonal_entry == 0 || of_contact[static_cast<std::size_t>(j)]) continue;
      for (int m = places.row_start[j]; m < places.row_start[j + 1]; ++m)
        if (places.column[m] == i)
          soft[static_cast<std::size_t>(i)] -=
              regular_constraints * J[static_cast<std::size_t>(k)] * J[static_cast<std::size_t>(m)] / diagonal_entry;
    }
  }
  const auto weight = [](double size) { return size > 0 && std::isfinite(size) ? 1 / size : 1; };
  for (const ContactPlace& c : contacts) {
    if (!c.active) continue;
    x[weights + static_cast<std::size_t>(c.weight)] = weight(response(c.slope, c.normal));
    for (const TangentPlace& t : c.tangents) {
      double most = 0;
      for (int j = 0; j < t.size; ++j) most = std::max(most, response(t.slope + j, t.first + j));
      x[weights + static_cast<std::size_t>(t.weight)] = weight(most);
    }
  }
}

/// delta = J^-1 F on what takes part. False where the matrix is singular.
bool Semismooth::Block::linear() {
  const auto n = taken.size();
  std::vector<int> start{0}, column;
  reduced.clear();
  delta.resize(n);
  diagonal.assign(n, 0);
  for (std::size_t row = 0; row < n; ++row) {
    const int i = taken[row];
    for (int k = places.row_start[i]; k < places.row_start[i + 1]; ++k) {
      const int j = number[static_cast<std::size_t>(places.column[k])];
      if (j < 0) continue;
      double value = entry(static_cast<std::size_t>(k));
      if (places.column[k] == i) {
        diagonal[row] = value;
        value += soft[static_cast<std::size_t>(i)];
      }
      column.push_back(j);
      reduced.push_back(value);
    }
    start.push_back(static_cast<int>(column.size()));
    delta[row] = F[static_cast<std::size_t>(i)];
  }
  if (n <= most_dense) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
    for (std::size_t row = 0; row < n; ++row)
      for (int k = start[row]; k < start[row + 1]; ++k)
        A(static_cast<Eigen::Index>(row), column[static_cast<std::size_t>(k)]) = reduced[static_cast<std::size_t>(k)];
    Eigen::Map<Eigen::VectorXd> right(delta.data(), static_cast<Eigen::Index>(n));
    const Eigen::VectorXd solution = A.partialPivLu().solve(right);
    right = solution;
    return solution.allFinite();
  }
  if (!lu || lu_taken != taken) {
    lu = std::make_shared<SparseLu>(static_cast<int>(n), start, column);
    lu_taken = taken;
  }
  if (!lu->factor(reduced.data())) return false;
  lu->solve(delta.data());
  return std::all_of(delta.begin(), delta.end(), [](double d) { return std::isfinite(d); });
}

double Semismooth::Block::force_size() const {
  double most = 0;
  for (const ContactPlace& c : contacts) {
    if (!c.active) continue;
    double sum = 0;
    for (int k = slope_pattern.row_start[c.slope]; k < slope_pattern.row_start[c.slope + 1]; ++k)
      sum += std::abs(slope[static_cast<std::size_t>(k)]) * scale[static_cast<std::size_t>(slope_pattern.column[k])];
    most = std::max(most, sum * x_weights[c.weight]);
  }
  return most;
}

/// Whether the corrections are rounding. worst: the largest, against the terms and the largest force.
bool Semismooth::Block::arrived(const double* x, double& worst) const {
  const double* const u = x + offset;
  double force = force_size();
  for (const int i : taken)
    if (of_contact[static_cast<std::size_t>(i)]) force = std::max(force, std::abs(u[i]));
  std::vector<double> largest(static_cast<std::size_t>(count) + 1, 0);
  for (const int i : taken) {
    double& size = largest[static_cast<std::size_t>(group[static_cast<std::size_t>(i)])];
    size = std::max(size, std::abs(u[i]));
  }
  worst = 0;
  bool small = true;
  for (std::size_t row = 0; row < taken.size(); ++row) {
    const auto i = static_cast<std::size_t>(taken[row]);
    double size = std::abs(u[i]);
    if (of_contact[i]) {
      size = force;
    } else if (diagonal[row] != 0) {
      double sum = std::abs(F[i]);
      for (int k = places.row_start[i]; k < places.row_start[i + 1]; ++k)
        sum += std::abs(entry(static_cast<std::size_t>(k)) * u[places.column[k]]);
      size = std::max({size, sum / std::abs(diagonal[row]), scale[i], largest[static_cast<std::size_t>(group[i])]});
    } else {
      continue;  // follows the others
    }
    const double part = std::abs(delta[row]) / std::max(size, 1e-300) * (of_contact[i] ? weight_of_forces : 1);
    worst = std::max(worst, part);
    small = small && part <= rounding_of_terms;
  }
  return small;
}

/// A rate near the point.
double Semismooth::Block::rate(int row, int of_pair, const double* u) const {
  double sum = pair[static_cast<std::size_t>(of_pair)];
  for (int k = slope_pattern.row_start[row]; k < slope_pattern.row_start[row + 1]; ++k) {
    const auto j = static_cast<std::size_t>(slope_pattern.column[k]);
    sum += slope[static_cast<std::size_t>(k)] * (u[j] - point[j]);
  }
  return sum;
}

/// Adds factor times the slope of a rate to a row of the matrix, and an entry in the column `own`.
void Semismooth::Block::put(int row, int slope_row, double factor, int own, double own_entry) {
  int k = places.row_start[row];
  const auto add = [&](int column, double value) {
    if (value == 0) return;
    for (int m = places.row_start[row]; m < places.row_start[row + 1]; ++m)
      if (places.column[m] == column) {
        J[static_cast<std::size_t>(m)] += value;
        return;
      }
  };
  if (slope_row >= 0)
    for (int m = slope_pattern.row_start[slope_row]; m < slope_pattern.row_start[slope_row + 1]; ++m) {
      while (k < places.row_start[row + 1] && places.column[k] < slope_pattern.column[m]) ++k;
      if (k < places.row_start[row + 1] && places.column[k] == slope_pattern.column[m])
        J[static_cast<std::size_t>(k)] += factor * slope[static_cast<std::size_t>(m)];
      else add(slope_pattern.column[m], factor * slope[static_cast<std::size_t>(m)]);
    }
  if (own >= 0) add(own, own_entry);
}

/// F and the rows of contacts in J at u: complementary() and in_disk() with their derivatives, the rates linear.
void Semismooth::Block::evaluate(const double* u) {
  for (std::size_t r = 0; r < smooth_rows.size(); ++r) {
    const int i = smooth_rows[r];
    double sum = F0[r];
    for (int k = places.row_start[i]; k < places.row_start[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(places.column[k]);
      sum += entry(static_cast<std::size_t>(k)) * (u[j] - point[j]);
    }
    F[static_cast<std::size_t>(i)] = sum;
  }
  const auto clear = [&](int row) {
    std::fill(J.begin() + places.row_start[row], J.begin() + places.row_start[row + 1], 0.0);
  };
  const double* const weight = x_weights;
  for (const ContactPlace& c : contacts) {
    if (!c.active) continue;
    const double known = pair[static_cast<std::size_t>(c.pair)] - point[static_cast<std::size_t>(c.normal)];
    const double force = u[c.normal] + known, w = weight[c.weight];
    const double tried = force - w * rate(c.slope, c.pair + 1, u);
    clear(c.normal);
    F[static_cast<std::size_t>(c.normal)] = force - std::max(tried, 0.0);
    if (tried > 0) put(c.normal, c.slope, w, -1, 0);
    else put(c.normal, -1, 0, c.normal, 1);
    for (const TangentPlace& t : c.tangents) {
      const double wt = weight[t.weight], mu = pair[nth(t.pair + 2 * t.size)];
      const double bound = mu * std::max(force, 0.0);
      double forces[2] = {0, 0}, tries[2] = {0, 0}, length = 0;
      for (int j = 0; j < t.size; ++j) {
        forces[j] = u[t.first + j] + pair[nth(t.pair + j)] - point[nth(t.first + j)];
        tries[j] = forces[j] - wt * rate(t.slope + j, t.pair + t.size + j, u);
        length = std::hypot(length, tries[j]);
      }
      for (int j = 0; j < t.size; ++j) {
        const int row = t.first + j;
        clear(row);
        if (length <= bound) {
          F[static_cast<std::size_t>(row)] = forces[j] - tries[j];
          put(row, t.slope + j, wt, -1, 0);
          continue;
        }
        const double share = bound / length, direction = tries[j] / length;
        F[static_cast<std::size_t>(row)] = forces[j] - share * tries[j];
        put(row, -1, 0, row, 1);
        if (force > 0) put(row, -1, 0, c.normal, -mu * direction);
        for (int m = 0; m < t.size; ++m) {
          const double d = -share * ((m == j ? 1 : 0) - direction * tries[m] / length);
          put(row, t.slope + m, -wt * d, t.first + m, d);
        }
      }
    }
  }
}

/// What is left of the equations at u, each against `left_scale`.
double Semismooth::Block::left(const double* u) {
  evaluate(u);
  double sum = 0;
  for (const int i : taken) {
    const double part = F[static_cast<std::size_t>(i)] / left_scale[static_cast<std::size_t>(i)];
    sum += part * part;
  }
  return sum;
}

void Semismooth::Block::measure_left(const double* u) {
  double force = std::max(force_size(), 1e-300);
  left_scale.assign(static_cast<std::size_t>(count), 1);
  for (const int i : taken)
    if (of_contact[static_cast<std::size_t>(i)]) force = std::max(force, std::abs(u[i]));
  for (const int i : taken) {
    double& size = left_scale[static_cast<std::size_t>(i)];
    size = force;
    if (of_contact[static_cast<std::size_t>(i)]) continue;
    for (int m = places.row_start[i]; m < places.row_start[i + 1]; ++m)
      size += std::abs(entry(static_cast<std::size_t>(m)) * u[places.column[m]]);
  }
}

/// A part of the correction behind which less is left. F belongs to where it ends.
void Semismooth::Block::go_carefully(double* u, double before) {
  double part = 1, best = INFINITY, best_part = 1;
  const std::vector<double> from(u, u + count);
  const auto go = [&] {
    for (std::size_t row = 0; row < taken.size(); ++row) u[taken[row]] = from[nth(taken[row])] - part * delta[row];
    return left(u);
  };
  for (int n = 0; n < most_halvings; ++n) {
    const double now = go();
    if (now < best) {
      best = now;
      best_part = part;
    }
    if (now < before) return;
    part /= 2;
  }
  part = best_part;
  go();
}

/// Semismooth Newton for rates that are linear: the unknowns at the end; whether it got there.
bool Semismooth::Block::iterate(double* x, NewtonResult& result, NewtonStatistics& statistics) {
  double* const u = unknowns(x);
  double last = INFINITY;
  if (careful) measure_left(u);
  for (int n = 0; n < most_newton; ++n) {
    evaluate(u);
    if (!std::all_of(taken.begin(), taken.end(),
                     [&](int i) { return std::isfinite(F[static_cast<std::size_t>(i)]); })) {
      result.outcome = Outcome::not_finite;
      return false;
    }
    ++statistics.factorizations;
    if (!linear()) {
      result.outcome = Outcome::singular;
      return false;
    }
    if (careful) go_carefully(u, left(u));
    else
      for (std::size_t row = 0; row < taken.size(); ++row) u[taken[row]] -= delta[row];
    ++statistics.iterations;
    ++result.iterations;
    double worst = 0;
    const bool there = arrived(x, worst);
    result.correction = worst;
    if (there || (worst <= stagnant && worst > last / 4)) return true;
    last = worst;
  }
  result.outcome = Outcome::diverged;
  return false;
}

bool Semismooth::Block::newton(double* x, NewtonResult& result, NewtonStatistics& statistics) {
  if (taken.empty()) return true;
  const double* const u = unknowns(x);
  double last = INFINITY;
  for (int n = 0; n < most_linearised; ++n) {
    ++statistics.evaluations;
    if (!iterate(x, result, statistics)) return false;
    if (linear_in_unknowns) return true;
    // How far the solution is from where the rates were made linear.
    delta.resize(taken.size());
    for (std::size_t row = 0; row < taken.size(); ++row)
      delta[row] = u[taken[row]] - point[static_cast<std::size_t>(taken[row])];
    double worst = 0;
    const bool there = arrived(x, worst);
    if (there || (worst <= stagnant && worst > last / 4)) return true;
    last = worst;
    take(x);
  }
  result.outcome = Outcome::diverged;
  return false;
}

/// The largest part of an equation that does not hold, against the largest force and the terms.
double Semismooth::Block::residual(const double* x) {
  take(x);
  const double* const u = x + offset;
  evaluate(u);
  double force = std::max(force_size(), 1e-300), worst = 0;
  for (const int i : taken)
    if (of_contact[static_cast<std::size_t>(i)]) force = std::max(force, std::abs(u[i]));
  for (const int i : taken) {
    const auto k = static_cast<std::size_t>(i);
    double size = force;
    if (!of_contact[k])
      for (int m = places.row_start[i]; m < places.row_start[i + 1]; ++m)
        size += std::abs(entry(static_cast<std::size_t>(m)) * u[places.column[m]]);
    const double part = std::abs(F[k]) / size;
    if (!(part <= worst)) worst = part;
  }
  return worst;
}

/// Contacts that would be passed through take part. Whether there are some.
bool Semismooth::Block::add_passed(const double* x) {
  take_pairs(x);
  bool any = false;
  for (ContactPlace& c : contacts) {
    if (c.active || !c.grows || pair[static_cast<std::size_t>(c.pair) + 2] >= 0) continue;
    c.active = true;
    any = true;
  }
  if (any) number_taken();
  return any;
}

/// Sweeps and Newton in turns; whether the unknowns are good enough.
bool Semismooth::Block::take_turns(double* x, NewtonResult& result, NewtonStatistics& statistics) {
  const bool friction =
      std::any_of(contacts.begin(), contacts.end(), [](const ContactPlace& c) { return !c.tangents.empty(); });
  double best = INFINITY;
  for (int turn = 0; turn < most_turns; ++turn) {
    if (!sweep(x, turn == 0 ? 1 : part_of_friction)) return false;
    const std::vector<double> found(unknowns(x), unknowns(x) + count);
    result.outcome = Outcome::converged;
    take(x);
    careful = true;
    const bool there = newton(x, result, statistics);
    careful = false;
    if (there) return true;
    // Contacts on the border between two states may keep Newton from arriving where it is as good as there.
    const double last = residual(x);
    const std::vector<double> ended(unknowns(x), unknowns(x) + count);
    std::copy(found.begin(), found.end(), unknowns(x));
    if (last < residual(x)) std::copy(ended.begin(), ended.end(), unknowns(x));
    const double now = residual(x);
    const bool stays = now > best / 2;
    best = std::min(best, now);
    if (now > swept && !(friction && stays && now <= swept_friction)) continue;
    result.outcome = Outcome::converged;
    return true;
  }
  return false;
}

NewtonResult Semismooth::solve_block(Block& b) {
  NewtonResult result;
  double* const x = x_.data();
  b.x_weights = x + b.weights;
  b.choose(x);
  for (int round = 0; round < most_rounds; ++round) {
    result.outcome = Outcome::converged;
    b.weigh(x);
    const std::vector<double> start(b.unknowns(x), b.unknowns(x) + b.count);
    bool there = b.newton(x, result, statistics_);
    if (!there) std::copy(start.begin(), start.end(), b.unknowns(x));
    if (!there) there = b.take_turns(x, result, statistics_);
    if (!there) return result;
    if (!b.add_passed(x)) return result;
  }
  result.outcome = Outcome::diverged;
  return result;
}

NewtonResult Semismooth::solve(double* x) noexcept {
  NewtonResult result;
  try {
    std::copy_n(x, inputs_ + unknowns_, x_.begin());
    for (auto& block : blocks_) {
      const NewtonResult one = solve_block(*block);
      result.iterations += one.iterations;
      result.correction = std::max(result.correction, one.correction);
      result.outcome = one.outcome;
      if (one.outcome != Outcome::converged) return result;
    }
    std::copy_n(x_.begin() + inputs_, unknowns_, x + inputs_);
  } catch (const std::exception&) { result.outcome = Outcome::diverged; }
  return result;
}

// long: each block is compiled from one list of places that all its kernels share
Semismooth::Semismooth(const ImplicitEquations& e, const NewtonOptions& options)
    : inputs_(static_cast<int>(e.inputs.size())), unknowns_(static_cast<int>(e.unknowns.size())) {
  const Inclusions& laws = *e.inclusions;
  const Exprs all = joined<Expr>(e.inputs, e.unknowns, laws.weights);
  x_.assign(all.size(), 1);
  for (std::size_t k = 0; k < laws.block_start.size(); ++k) {
    auto block = std::make_unique<Block>();
    Block& b = *block;
    b.first = laws.block_start[k];
    b.count = (k + 1 < laws.block_start.size() ? laws.block_start[k + 1] : unknowns_) - b.first;
    b.offset = nth(inputs_ + b.first);
    b.weights = nth(inputs_ + unknowns_);
    const auto part = [&](const Exprs& list) {
      return Exprs(list.begin() + b.first, list.begin() + b.first + b.count);
    };
    const Exprs unknowns = part(e.unknowns), equations = part(e.equations);
    b.of_contact.assign(static_cast<std::size_t>(b.count), false);
    b.multiplier.assign(static_cast<std::size_t>(b.count), false);
    for (const UnknownGroup& group : e.groups)
      for (int i = std::max(group.first, b.first); !group.scale && i < group.first + group.count; ++i)
        if (i < b.first + b.count) b.multiplier[static_cast<std::size_t>(i - b.first)] = true;
    Exprs closed, pairs, rates;
    for (const Inclusions::Contact& contact : laws.contacts) {
      if (contact.block != static_cast<int>(k)) continue;
      ContactPlace c;
      c.normal = contact.normal - b.first;
      c.weight = contact.weight;
      c.pair = static_cast<int>(pairs.size());
      c.slope = static_cast<int>(rates.size());
      c.grows = contact.grows;
      closed.push_back(contact.closed);
      append(pairs, Exprs{contact.force, contact.rate, contact.passed ? contact.passed : contact.rate});
      rates.push_back(contact.rate);
      b.of_contact[static_cast<std::size_t>(c.normal)] = true;
      for (const Inclusions::Tangent& tangent : contact.tangents) {
        TangentPlace t{tangent.first - b.first, static_cast<int>(tangent.slip.size()), tangent.weight,
                       static_cast<int>(pairs.size()), static_cast<int>(rates.size())};
        append(pairs, tangent.force);
        append(pairs, tangent.slip);
        pairs.push_back(tangent.coefficient);
        append(rates, tangent.slip);
        for (int j = 0; j < t.size; ++j) b.of_contact[nth(t.first + j)] = true;
        c.tangents.push_back(t);
      }
      b.contacts.push_back(std::move(c));
    }
    const SparseExprs J = jacobian(equations, unknowns);
    b.slope_pattern = jacobian(rates, unknowns);
    b.places = semismooth::with_diagonal(J);
    Exprs smooth, smooth_entries;
    for (int i = 0; i < b.count; ++i) {
      if (b.of_contact[static_cast<std::size_t>(i)]) continue;
      b.smooth_rows.push_back(i);
      smooth.push_back(equations[static_cast<std::size_t>(i)]);
      for (int m = b.places.row_start[i]; m < b.places.row_start[i + 1]; ++m) {
        if (b.places.source[static_cast<std::size_t>(m)] < 0) continue;
        b.smooth_place.push_back(m);
        smooth_entries.push_back(J.value[static_cast<std::size_t>(b.places.source[static_cast<std::size_t>(m)])]);
      }
    }
    b.linear_in_unknowns = !depends(smooth_entries, unknowns) && !depends(b.slope_pattern.value, unknowns);
    b.values = kernel_of(all, smooth, options.kernel);
    b.matrix = kernel_of(all, smooth_entries, options.kernel);
    Exprs scales(static_cast<std::size_t>(b.count), all[0].graph().constant(0));
    b.group.resize(static_cast<std::size_t>(b.count));
    for (int i = 0; i < b.count; ++i) b.group[static_cast<std::size_t>(i)] = i;
    for (const UnknownGroup& group : e.groups)
      for (int i = std::max(group.first, b.first); group.scale && i < group.first + group.count; ++i) {
        if (i >= b.first + b.count) break;
        scales[static_cast<std::size_t>(i - b.first)] = group.scale;
        b.group[static_cast<std::size_t>(i - b.first)] = std::max(group.first, b.first) - b.first;
      }
    b.scales = kernel_of(all, scales, options.kernel);
    b.scale.resize(scales.size());
    b.closed = kernel_of(all, closed, options.kernel);
    b.pairs = kernel_of(all, pairs, options.kernel);
    b.slopes = kernel_of(all, b.slope_pattern.value, options.kernel);
    b.slope_pattern.value.clear();
    b.F.resize(equations.size());
    b.F0.resize(smooth.size());
    b.J0.resize(smooth_entries.size());
    b.J.resize(b.places.column.size());
    b.pair.resize(pairs.size());
    b.slope.resize(static_cast<std::size_t>(b.slopes.outputs()));
    b.closed_values.resize(closed.size());
    b.number.resize(static_cast<std::size_t>(b.count));
    b.work.resize(std::max(
        {b.values.work(), b.matrix.work(), b.closed.work(), b.scales.work(), b.pairs.work(), b.slopes.work()}));
    statistics_.factorization_sizes.push_back(b.count);
    blocks_.push_back(std::move(block));
  }
}

Semismooth::Semismooth(const Semismooth& other) : inputs_(other.inputs_), unknowns_(other.unknowns_), x_(other.x_) {
  for (const auto& block : other.blocks_) {
    blocks_.push_back(std::make_unique<Block>(*block));
    blocks_.back()->lu.reset();  // one object serves one thread
  }
  statistics_.factorization_sizes = other.statistics_.factorization_sizes;
}

Semismooth::~Semismooth() = default;

void Semismooth::bind(const double* parameters) noexcept {
  for (auto& b : blocks_)
    for (Kernel<double>* kernel : {&b->values, &b->matrix, &b->closed, &b->scales, &b->pairs, &b->slopes})
      kernel->bind(parameters);
}

}  // namespace alembert::internal
