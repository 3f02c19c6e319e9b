#include "alembert/run/watch.h"

#include <algorithm>
#include <cmath>

#include "alembert/base/bytes.h"

namespace alembert::internal {

namespace {

// Up to here the determinant of G G^T is written out; it would cost more than the step beyond.
constexpr std::size_t most_written_out = 12;
// Gradients that turn by more than 60 degrees in a step, whose cosine has this square. A step over the bend of a
// hyperbola turns them by 90 or 180.
constexpr double wide_turn = 0.25;
// More of them are watched while a look costs less than this many multiplications.
constexpr double most_multiplications = 2e5;

// det(G G^T) by elimination in the natural order: the matrix is positive semidefinite, so no pivoting is needed.
Expr gram_determinant(const std::vector<Exprs>& rows, Graph& graph) {
  const int n = static_cast<int>(rows.size());
  std::vector<Exprs> S(n, Exprs(n));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) S[i][j] = S[j][i] = dot(rows[i], rows[j]);
  Expr determinant = graph.constant(1);
  for (int k = 0; k < n; ++k) {
    determinant = determinant * S[k][k];
    for (int i = k + 1; i < n; ++i) {
      if (is_zero(S[i][k])) continue;
      const Expr factor = S[i][k] / S[k][k];
      for (int j = k + 1; j < n; ++j) S[i][j] = S[i][j] - factor * S[k][j];
    }
  }
  return determinant;
}

// As max, but a value that is not a number stays: nothing bad is ever hidden by something larger.
void raise(double& most, double value) {
  if (!(value <= most) && most == most) most = value;
}

/// The turn between gradients with this product and these squared lengths.
bool is_wide(double product, double one, double other) { return product * std::abs(product) < wide_turn * one * other; }

/// Both have the same columns.
void append_rows(SparseExprs& rows, const SparseExprs& more) {
  const int before = rows.row_start.back();
  for (int i = 0; i < more.rows; ++i) rows.row_start.push_back(before + more.row_start[i + 1]);
  rows.column.insert(rows.column.end(), more.column.begin(), more.column.end());
  rows.value.insert(rows.value.end(), more.value.begin(), more.value.end());
  rows.rows += more.rows;
}

}  // namespace

void DriftFit::add(double t, double error) {
  current_.t += t, current_.error += error, ++current_.count;
  if (current_.count < size_) return;
  if (full_.capacity() == 0) full_.reserve(2 * blocks);
  full_.push_back(current_);
  current_ = {};
  if (full_.size() < 2 * blocks) return;
  for (int i = 0; i < blocks; ++i) {
    const Block &a = full_[2 * i], &b = full_[2 * i + 1];
    full_[i] = {a.t + b.t, a.error + b.error, a.count + b.count};
  }
  full_.resize(blocks);
  size_ *= 2;
}

Drift DriftFit::fit() const {
  Drift all = fit(0, full_.size());
  // A drift goes on. Where the halves of the run do not agree, it is a swing that is longer than the run.
  const Drift first = fit(0, full_.size() / 2), second = fit(full_.size() / 2, full_.size());
  if (std::isfinite(first.uncertainty) && std::isfinite(second.uncertainty))
    all.uncertainty = std::max(all.uncertainty, std::abs(first.per_time - second.per_time));
  return all;
}

Drift DriftFit::fit(std::size_t from, std::size_t to) const {
  const std::span<const Block> part(full_.data() + from, to - from);
  const int n = static_cast<int>(part.size());
  if (n < 3) return {0, INFINITY};
  double t_mean = 0, e_mean = 0;
  for (const Block& b : part) {
    t_mean += b.t / b.count / n;
    e_mean += b.error / b.count / n;
  }
  double tt = 0, te = 0, rest = 0;
  for (const Block& b : part) {
    const double t = b.t / b.count - t_mean, e = b.error / b.count - e_mean;
    tt += t * t;
    te += t * e;
  }
  if (tt == 0) return {0, INFINITY};
  const double slope = te / tt;
  double before = 0, together = 0;
  for (const Block& b : part) {
    const double e = b.error / b.count - e_mean - slope * (b.t / b.count - t_mean);
    rest += e * e;
    together += e * before;
    before = e;
  }
  // Neighbouring blocks that resemble each other (a swing longer than a block) count for fewer than they are.
  const double likeness = rest > 0 ? std::clamp(together / rest, 0.0, 0.99) : 0;
  return {slope, std::sqrt(rest / (n - 2) / tt * (1 + likeness) / (1 - likeness))};
}

Watch::Watch(const Equations& e, KernelOptions options, bool rank) {
  Exprs in{e.t};
  in.insert(in.end(), e.y.begin(), e.y.end());
  in.insert(in.end(), e.z.begin(), e.z.end());
  Exprs out{e.energy ? e.energy : e.graph->constant(0)};
  has_energy_ = static_cast<bool>(e.energy);
  const auto part = [&](const Exprs& values) {
    const int from = static_cast<int>(out.size());
    out.insert(out.end(), values.begin(), values.end());
    return from;
  };
  g_ = part(e.g);
  g_dot_ = part(e.g_dot);
  k_ = part(e.k);
  invariants_ = part(e.invariants);
  watched_.resize(e.invariants.size());
  lengths_ = volume_ = gradients_ = static_cast<int>(out.size());
  SparseExprs gradients;
  if (rank) gradients = e.auxiliary.empty() ? jacobian(e.g, e.y) : jacobian(e.g_dot, e.z);
  if (rank && e.v == e.z) append_rows(gradients, jacobian(e.k, e.z));
  const std::size_t count = gradients.rows;
  watch_rank_ = count > 0;
  if (count > most_written_out) {
    span_.emplace(gradients);
    watch_rank_ = span_->cost() <= most_multiplications;
    if (watch_rank_) lengths_ = part(gradients.value);
    else span_.reset();
  } else if (watch_rank_) {
    const std::vector<Exprs> rows = dense(gradients, *e.graph);
    Exprs lengths;
    for (const Exprs& row : rows) lengths.push_back(dot(row, row));
    lengths_ = part(lengths);
    volume_ = part({gram_determinant(rows, *e.graph)});
  }
  if (watch_rank_) {
    gradients_ = span_ ? lengths_ : part(gradients.value);
    rows_ = gradients.row_start;
    before_.resize(gradients.value.size());
    lengths_before_.resize(count);
    longest_.assign(count, 0);
  }
  kernel_ = WideKernel<double>(in, out, options);
  in_.resize(in.size());
  values_.resize(out.size());
  other_.resize(out.size());
  work_.resize(kernel_.work());
}

void Watch::evaluate(double t, std::span<const double> y, std::span<const double> z) {
  in_[0] = t;
  std::copy(y.begin(), y.end(), in_.begin() + 1);
  std::copy(z.begin(), z.end(), in_.begin() + 1 + y.size());
  kernel_(in_.data(), values_.data(), work_.data());
  const auto largest = [&](int from, int to) {
    double value = 0;
    for (int i = from; i < to; ++i) raise(value, std::abs(values_[i]));
    return value;
  };
  position_ = largest(g_, g_dot_);
  velocity_ = largest(g_dot_, k_);
  nonholonomic_ = largest(k_, invariants_);
}

void Watch::glance(double t, std::span<const double> state) { evaluate(t, state, {}); }

double Watch::jump(double t, std::span<const double> state) {
  const double before = energy();
  glance(t, state);
  const double change = energy() - before;
  if (std::isfinite(change)) jumps_ += change;
  energy_watched.final = energy();
  return change;
}

void Watch::look(double t, std::span<const double> y, std::span<const double> z) {
  evaluate(t, y, z);
  for (std::size_t i = 0; i < velocity_ranges.size(); ++i) {
    const double rate = values_[g_dot_ + i];
    if (rate < velocity_ranges[i].least) velocity_ranges[i].least = rate;
    if (rate > velocity_ranges[i].most) velocity_ranges[i].most = rate;
  }
  raise(max_position, position_);
  raise(max_velocity, velocity_);
  raise(max_nonholonomic, nonholonomic_);
  finite_ =
      std::isfinite(energy()) && std::isfinite(position_) && std::isfinite(velocity_) && std::isfinite(nonholonomic_);
  if (first_) energy_watched.initial = energy();
  energy_watched.final = energy();
  const double error = energy() - energy_watched.initial - jumps_;
  raise(energy_watched.max_error, std::abs(error));
  drift.add(t, error);
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    const double value = values_[invariants_ + i];
    if (first_) watched_[i].initial = value;
    watched_[i].final = value;
    raise(watched_[i].max_error, std::abs(value - watched_[i].initial));
  }
  if (watch_rank_) {
    if (span_) span_->raise_lengths(std::span(values_).subspan(lengths_), longest_);
    else
      for (std::size_t i = 0; i < longest_.size(); ++i)
        longest_[i] = std::max(longest_[i], std::sqrt(values_[lengths_ + i]));
    independence_ = independence_of(values_);
    compare_gradients();
  }
  first_ = false;
}

void Watch::compare_gradients() noexcept {
  const double* const now = values_.data() + gradients_;
  bool turned = false;
  for (std::size_t i = 0; i + 1 < rows_.size(); ++i) {
    double product = 0, length = 0;
    for (int k = rows_[i]; k < rows_[i + 1]; ++k) {
      product += now[k] * before_[k];
      length += now[k] * now[k];
      before_[k] = now[k];
    }
    turned |= is_wide(product, length, lengths_before_[i]);
    lengths_before_[i] = length;
  }
  turned_ = turned && !first_;
}

bool Watch::turned_at(double t, std::span<const double> state) {
  if (!watch_rank_) return false;
  in_[0] = t;
  std::copy(state.begin(), state.end(), in_.begin() + 1);
  kernel_(in_.data(), other_.data(), work_.data());
  bool turned = false;
  for (std::size_t i = 0; i + 1 < rows_.size(); ++i) {
    double product = 0, length = 0;
    for (int k = rows_[i]; k < rows_[i + 1]; ++k) {
      product += other_[gradients_ + k] * before_[k];
      length += other_[gradients_ + k] * other_[gradients_ + k];
    }
    turned |= is_wide(product, length, lengths_before_[i]);
  }
  return turned;
}

void Watch::restart() {
  first_ = true;
  finite_ = true;
  turned_ = false;
  jumps_ = 0;
  energy_watched = {};
  drift = {};
  max_position = 0;
  max_velocity = 0;
  max_nonholonomic = 0;
  velocity_ranges.assign(velocity_ranges.size(), {});
  watched_.assign(watched_.size(), {});
  longest_.assign(longest_.size(), 0);
  independence_ = 1;
}

void Watch::save(ByteWriter& out) const {
  out.write(longest_);
  out.write(independence_);
}

void Watch::load(ByteReader& in) {
  in.refill(longest_);
  in.read(independence_);
}

double Watch::independence_of(std::span<const double> values) {
  if (span_) return span_->smallest_distance(values.subspan(lengths_), longest_);
  double result = std::sqrt(std::max(0.0, values[volume_]));
  for (const double length : longest_) result = length > 0 ? result / length : 0;
  return result;
}

double Watch::independence_at(double t, std::span<const double> state) {
  if (!watch_rank_) return 1;
  in_[0] = t;
  std::copy(state.begin(), state.end(), in_.begin() + 1);
  kernel_(in_.data(), other_.data(), work_.data());
  return independence_of(other_);
}

}  // namespace alembert::internal
