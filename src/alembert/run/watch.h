#pragma once

// What is watched at every step: energy, constraints on both levels, invariants, and how far the constraints are from
// losing rank.

#include <optional>
#include <span>
#include <vector>

#include "alembert/code/wide.h"
#include "alembert/derive/equations.h"
#include "alembert/report.h"
#include "alembert/run/gradient_span.h"

namespace alembert::internal {

class Archive;
class ByteReader;
class ByteWriter;

/// Collects an error over equally spaced times in a fixed number of blocks, however long the run.
class DriftFit {
 public:
  void add(double t, double error) {
    current_.t += t;
    current_.error += error;
    ++current_.count;
    if (current_.count >= size_) end_block();
  }
  /// Of so many the sums can be put in at once.
  long room() const { return size_ - current_.count; }
  double sum_t() const { return current_.t; }
  double sum_error() const { return current_.error; }
  /// The sums with so many more in them, at most room().
  void put(double sum_t, double sum_error, long count) {
    current_ = {sum_t, sum_error, current_.count + count};
    if (current_.count >= size_) end_block();
  }
  Drift fit() const;
  template <class A>
  void archive(A& fields) {
    fields(full_, current_, size_);
  }

 private:
  void end_block();
  Drift fit(std::size_t from, std::size_t to) const;
  static constexpr int blocks = 64;  // a slope through so many means, whatever the number of steps
  struct Block {
    double t = 0, error = 0;  // sums
    long count = 0;
  };
  std::vector<Block> full_;
  Block current_;
  long size_ = 1;  // of a full block
};

/// What the rank of the constraints is watched by: their gradients, the squares of their lengths, and the square of the
/// volume that they span.
struct GradientExprs {
  SparseExprs gradients;
  Exprs lengths;
  Expr volume;
};
/// Without lengths where they are too many to be written out.
GradientExprs gradient_exprs(const Equations& equations);

class Watch {
 public:
  /// rank: whether the independence of the constraints is watched too.
  Watch(const Equations& equations, KernelOptions options, bool rank = true);

  void bind(const double* parameters) noexcept { kernel_.bind(parameters); }
  /// Forgets all looks.
  void restart();
  /// What decides later steps: the largest gradients and the independence at the last look.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);
  /// All that it has seen.
  void archive(Archive& fields);

  /// Takes the values at (t, y, z); never allocates.
  void look(double t, std::span<const double> y, std::span<const double> z);
  /// The same for a state that does not count: only energy(), invariants() and the residuals of it are known then.
  void glance(double t, std::span<const double> state);
  /// The state jumped to this one: by how much the energy did, which is no error.
  double jump(double t, std::span<const double> state);

  // For steps that look at themselves (step_kernel.h).
  /// Whether sums() and invariants are all that they have to add to.
  bool is_simple() const { return summary_ > 0 && velocity_ranges.empty() && jumps_ == 0; }
  struct Sums {
    double energy_error, position, velocity, nonholonomic;  // the largest so far
  };
  Sums sums() const { return {energy_watched.max_error, max_position, max_velocity, max_nonholonomic}; }
  /// longest: squares of the largest gradients.
  void take(const Sums& sums, std::span<const double> longest);
  std::vector<Watched>& invariants_lent() { return watched_; }
  /// A state that was counted already.
  void look_again(double t, std::span<const double> state);

  double energy() const { return values_[0]; }
  std::span<const double> invariants() const { return {values_.data() + invariants_, watched_.size()}; }
  /// Largest |g|, |g_t + g_y v|, |k| at the last look.
  double position() const { return position_; }
  double velocity() const { return velocity_; }
  double nonholonomic() const { return nonholonomic_; }
  /// Volume spanned by the gradients of the constraints (the nonholonomic ones too, where z are the velocities),
  /// relative to the product of their largest lengths so far; 0 means that one follows from the others. For more than a
  /// dozen the smallest distance of one from those before it, taken again when it may have become much smaller. 1 where
  /// it is not watched (GradientSpan::affordable).
  double independence() const { return independence_; }
  /// Whether it was taken at the last look. Near dependence it is at every look.
  bool independence_is_new() const { return fresh_; }
  /// Whether a step that turns the gradients a few times as far as the last one did may come near to dependence from
  /// here. bound: where it counts as near already.
  bool may_become_dependent(double bound) const noexcept;
  /// The same at another state, which leaves no trace.
  double independence_at(double t, std::span<const double> state);
  bool watches_rank() const { return watch_rank_; }
  /// Whether a gradient points elsewhere than at the look before, by more than a step that resolves the constraints can
  /// turn it. Never where the rank is not watched.
  bool turned() const { return turned_; }
  /// The same for the gradients at another state against those at the last look; leaves no trace.
  bool turned_at(double t, std::span<const double> state);
  /// Largest lengths of the gradients so far; empty where the rank is not watched.
  std::span<const double> longest() const { return longest_; }
  bool finite() const { return finite_; }

  // Over all looks.
  Watched energy_watched;
  DriftFit drift;
  double max_position = 0, max_velocity = 0, max_nonholonomic = 0;
  std::vector<Extremes> velocity_ranges;  // of the entries of g'; empty unless given a size
  const std::vector<Watched>& invariants_watched() const { return watched_; }

 private:
  double independence_of(std::span<const double> values);
  void add_rank(const Equations& e, Exprs& out);
  void add_summary(const Equations& e, Exprs& in, Exprs& out);
  void take_summary() noexcept;
  void compare_gradients() noexcept;
  void look_at_rank() noexcept;
  void take_gradients() noexcept;
  void renew_independence() noexcept;
  void forget_horizon() noexcept;
  void evaluate(double t, std::span<const double> y, std::span<const double> z);

  WideKernel<double> kernel_;
  std::vector<double> in_, values_, other_, work_, longest_;
  std::vector<int> rows_;                        // where each gradient begins in before_, and the end
  std::vector<double> before_, lengths_before_;  // the gradients at the look before, the squares of their lengths
  std::vector<Watched> watched_;
  std::optional<GradientSpan> span_;  // of more than a dozen gradients, whose entries then begin at lengths_
  int g_, g_dot_, k_, invariants_, lengths_, volume_, gradients_;  // where the parts of values_ begin
  // Of small systems: largest |g|, |g'|, |k|, a sum that is finite where all is, turn and change of the gradients.
  int summary_ = 0;         // 0: none
  bool finite_now_ = true;  // at the last look or glance
  bool first_ = true, finite_ = true, watch_rank_ = false, has_energy_ = false, turned_ = false;
  bool fresh_ = true;  // independence_ belongs to the last look
  double position_ = 0, velocity_ = 0, nonholonomic_ = 0, independence_ = 1;
  double jumps_ = 0;  // of the energy, together
  // How far gradients went at most, against their lengths: over the last step, since independence_ was taken, and how
  // far they may go until it is taken again.
  double last_change_ = 0, gone_ = 0, horizon_ = 0;
};

}  // namespace alembert::internal
