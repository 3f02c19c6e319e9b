#include "alembert/run/watch.h"

#include <algorithm>
#include <cmath>

#include "alembert/base/archive.h"
#include "alembert/base/lists.h"

namespace alembert::internal {

namespace {

// Up to here the determinant of G G^T is written out; it would cost more than the step beyond.
constexpr std::size_t most_written_out = 12;
// Gradients that turn by more than 60 degrees in a step, whose cosine has this square. A step over the bend of a
// hyperbola turns them by 90 or 180.
constexpr double wide_turn = 0.25;
// Of so many constraints the largest residuals are found by compiled code.
constexpr std::size_t most_summed = 64;
// A step turns the gradients at most this many times as far as the one before: controllers change the step by less.
constexpr double next_step = 4;
// Of a volume that changes at most like the sum of the changes of its edges.
constexpr double share_of_volume = 0.5;

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

void DriftFit::end_block() {
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
  // In so few steps a swing cannot be told from a drift.
  constexpr std::size_t fewest_blocks = 16;
  if (full_.size() < fewest_blocks) return {0, INFINITY};
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
  if (rank) add_rank(e, out);
  add_summary(e, in, out);
  kernel_ = WideKernel<double>(in, out, options);
  in_.resize(in.size());
  values_.resize(out.size());
  other_.resize(out.size());
  work_.resize(kernel_.work());
}

GradientExprs gradient_exprs(const Equations& e) {
  GradientExprs result;
  result.gradients = e.auxiliary.empty() ? jacobian(e.g, e.y) : jacobian(e.g_dot, e.z);
  if (e.v == e.z) append_rows(result.gradients, jacobian(e.k, e.z));
  const std::size_t count = result.gradients.rows;
  if (count == 0 || count > most_written_out) return result;
  const std::vector<Exprs> rows = dense(result.gradients, *e.graph);
  for (const Exprs& row : rows) result.lengths.push_back(dot(row, row));
  result.volume = gram_determinant(rows, *e.graph);
  return result;
}

void Watch::add_rank(const Equations& e, Exprs& out) {
  const auto part = [&](const Exprs& values) {
    const int from = static_cast<int>(out.size());
    out.insert(out.end(), values.begin(), values.end());
    return from;
  };
  const GradientExprs found = gradient_exprs(e);
  const SparseExprs& gradients = found.gradients;
  const std::size_t count = gradients.rows;
  watch_rank_ = count > 0;
  if (count > most_written_out) {
    watch_rank_ = GradientSpan::affordable(gradients);
    if (watch_rank_) span_.emplace(gradients);
    if (watch_rank_) lengths_ = part(gradients.value);
  } else if (watch_rank_) {
    lengths_ = part(found.lengths);
    volume_ = part({found.volume});
  }
  if (!watch_rank_) return;
  gradients_ = span_ ? lengths_ : part(gradients.value);
  rows_ = gradients.row_start;
  before_.resize(gradients.value.size());
  lengths_before_.resize(count);
  longest_.assign(count, 0);
}

/// What is asked at every step, as code without loops. Further inputs: the gradients at the last look and the squares
/// of their lengths.
void Watch::add_summary(const Equations& e, Exprs& in, Exprs& out) {
  if (span_ || e.g.size() + e.k.size() > most_summed) return;
  Graph& graph = *e.graph;
  const auto largest = [&](const Exprs& values) {
    Expr most = graph.constant(0);
    for (const Expr value : values) most = graph.make(Op::max, most, graph.make(Op::abs, value));
    return most;
  };
  Expr sum = graph.constant(0);
  for (const Exprs* values : {&e.y, &e.z, &e.g, &e.g_dot, &e.k})
    for (const Expr value : *values) sum = sum + value;
  if (e.energy) sum = sum + e.energy;
  Expr turn = graph.constant(1), change = graph.constant(0);
  const Exprs before = graph.symbols("before", static_cast<int>(before_.size()));
  const Exprs lengths_before = graph.symbols("length before", static_cast<int>(lengths_before_.size()));
  for (std::size_t i = 0; i + 1 < rows_.size(); ++i) {
    Expr product = graph.constant(0), moved = graph.constant(0);
    for (int k = rows_[i]; k < rows_[i + 1]; ++k) {
      const Expr now = out[gradients_ + k], step = now - before[k];
      product = product + now * before[k];
      moved = moved + step * step;
    }
    change = graph.make(Op::max, change, moved / lengths_before[i]);
    const Expr wide = Quad(wide_turn) * out[lengths_ + i] * lengths_before[i];
    turn = graph.make(Op::min, turn, product * graph.make(Op::abs, product) - wide);
  }
  append(in, before);
  append(in, lengths_before);
  summary_ = static_cast<int>(out.size());
  append(out, Exprs{largest(e.g), largest(e.g_dot), largest(e.k), sum, turn, change});
}

void Watch::take_summary() noexcept {
  const double* const summary = values_.data() + summary_;
  position_ = summary[0];
  velocity_ = summary[1];
  nonholonomic_ = summary[2];
  finite_now_ = summary[3] - summary[3] == 0;
}

void Watch::evaluate(double t, std::span<const double> y, std::span<const double> z) {
  in_[0] = t;
  std::copy(y.begin(), y.end(), in_.begin() + 1);
  std::copy(z.begin(), z.end(), in_.begin() + 1 + y.size());
  kernel_(in_.data(), values_.data(), work_.data());
  if (summary_ > 0) return take_summary();
  const auto largest = [&](int from, int to) {
    double value = 0;
    for (int i = from; i < to; ++i) raise(value, std::abs(values_[i]));
    return value;
  };
  position_ = largest(g_, g_dot_);
  velocity_ = largest(g_dot_, k_);
  nonholonomic_ = largest(k_, invariants_);
  finite_now_ =
      std::isfinite(energy()) && std::isfinite(position_) && std::isfinite(velocity_) && std::isfinite(nonholonomic_);
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
  finite_ = finite_now_;
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
  if (watch_rank_) look_at_rank();
  first_ = false;
}

void Watch::take(const Sums& sums, std::span<const double> longest) {
  energy_watched.max_error = sums.energy_error;
  max_position = sums.position;
  max_velocity = sums.velocity;
  max_nonholonomic = sums.nonholonomic;
  for (std::size_t i = 0; i < longest_.size(); ++i) longest_[i] = std::sqrt(longest[i]);
}

void Watch::look_again(double t, std::span<const double> state) {
  evaluate(t, state, {});
  finite_ = finite_now_;
  energy_watched.final = energy();
  if (watch_rank_) look_at_rank();
}

void Watch::look_at_rank() noexcept {
  if (summary_ > 0) take_gradients();
  else compare_gradients();
  renew_independence();
}

// As compare_gradients(), which the summary has done already.
void Watch::take_gradients() noexcept {
  for (std::size_t i = 0; i < longest_.size(); ++i)
    longest_[i] = std::max(longest_[i], std::sqrt(values_[lengths_ + i]));
  turned_ = values_[summary_ + 4] < 0 && !first_;
  last_change_ = std::sqrt(values_[summary_ + 5]);
  double* const before = in_.data() + in_.size() - before_.size() - lengths_before_.size();
  std::copy_n(values_.data() + gradients_, before_.size(), before);
  std::copy_n(values_.data() + lengths_, lengths_before_.size(), before + before_.size());
}

// Distances of many gradients are taken again when they may have become much smaller.
void Watch::renew_independence() noexcept {
  gone_ += last_change_;
  fresh_ = first_ || !span_ || !(gone_ < horizon_);
  if (!fresh_) return;
  independence_ = independence_of(values_);
  horizon_ = span_ ? span_->horizon(gone_) : share_of_volume * independence_ / static_cast<double>(longest_.size());
  gone_ = 0;
}

void Watch::compare_gradients() noexcept {
  const double* const now = values_.data() + gradients_;
  bool turned = false;
  double change = 0;
  for (std::size_t i = 0; i + 1 < rows_.size(); ++i) {
    double product = 0, length = 0, moved = 0;
    for (int k = rows_[i]; k < rows_[i + 1]; ++k) {
      const double step = now[k] - before_[k];
      product += now[k] * before_[k];
      length += now[k] * now[k];
      moved += step * step;
      before_[k] = now[k];
    }
    turned |= is_wide(product, length, lengths_before_[i]);
    lengths_before_[i] = length;
    if (length > longest_[i] * longest_[i]) longest_[i] = std::sqrt(length);
    if (!(moved <= change * longest_[i] * longest_[i])) change = moved / (longest_[i] * longest_[i]);
  }
  turned_ = turned && !first_;
  last_change_ = std::sqrt(change);
}

void Watch::forget_horizon() noexcept {
  horizon_ = gone_ = 0;
  if (span_) span_->forget();
}

bool Watch::may_become_dependent(double bound) const noexcept {
  return watch_rank_ && (independence_ < bound || !(gone_ + next_step * last_change_ < horizon_));
}

bool Watch::turned_at(double t, std::span<const double> state) {
  if (!watch_rank_) return false;
  in_[0] = t;
  std::copy(state.begin(), state.end(), in_.begin() + 1);
  kernel_(in_.data(), other_.data(), work_.data());
  if (summary_ > 0) return other_[summary_ + 4] < 0;
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
  forget_horizon();
}

void Watch::save(ByteWriter& out) const {
  out.write(longest_);
  out.write(independence_);
}

void Watch::archive(Archive& fields) {
  fields(in_, values_, other_, longest_, before_, lengths_before_, watched_, finite_now_, first_, finite_, turned_,
         fresh_, position_, velocity_, nonholonomic_, independence_, jumps_, last_change_, gone_, horizon_);
  if (span_) fields(*span_);
  fields(energy_watched, drift, max_position, max_velocity, max_nonholonomic, velocity_ranges);
}

void Watch::load(ByteReader& in) {
  in.refill(longest_);
  in.read(independence_);
  forget_horizon();
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
