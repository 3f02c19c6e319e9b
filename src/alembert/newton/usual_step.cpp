#include "alembert/newton/usual_step.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/base/profile.h"
#include "alembert/newton/branch.h"
#include "alembert/newton/increments.h"
#include "alembert/newton/usual_equations.h"

namespace alembert::internal {

namespace {

/// The new unknowns in their order, those of the tail as they were; then the size of the correction and its sum.
Exprs iteration(const UsualEquations& u, const Exprs& unknowns) {
  Exprs out = unknowns;
  for (std::size_t k = 0; k < u.core.size(); ++k) out[u.core[k]] = u.iterated[k];
  return joined<Expr>(out, u.iterated[u.core.size()], u.iterated[u.core.size() + 1]);
}

}  // namespace

std::unique_ptr<UsualStep> UsualStep::make(const StepEquations& e, const std::vector<double>& typical,
                                           const NewtonOptions& options) {
  const bool plain = options.linear == LinearSolver::automatic && options.tolerance == 0;
  if (!plain || e.inclusions) return nullptr;
  std::optional<UsualEquations> equations = usual_equations(e, typical);
  if (!equations) return nullptr;
  const UsualEquations& u = *equations;
  std::unique_ptr<UsualStep> step(new UsualStep);
  step->inputs_ = static_cast<int>(2 + e.state.size());
  step->states_ = static_cast<int>(e.state.size());
  step->own_ = u.all.size();
  step->factors_ = u.factors.values.size();
  step->renewed_above_ = u.renewed_above;
  step->factor_ = Kernel<double>(u.all, u.factors.values, options.kernel);
  step->iterate_ = Kernel<double>(joined<Expr>(u.all, u.factors.symbols), iteration(u, e.unknowns), options.kernel);
  step->finish_ = Kernel<double>(u.all, joined<Expr>(u.settled, u.increments, u.balance), options.kernel);
  step->iterates_ = !u.core.empty();
  step->multipliers_ = u.multipliers;
  step->tail_ = u.tail;
  step->next_.resize(step->iterate_.outputs());
  step->end_.resize(step->finish_.outputs());
  step->work_.resize(std::max({step->factor_.work(), step->iterate_.work(), step->finish_.work()}));
  step->statistics_.factorization_sizes = {static_cast<int>(e.unknowns.size())};
  return step;
}

bool UsualStep::iterate(double* x, NewtonResult& result) noexcept {
  double* const unknowns = x + inputs_;
  const std::size_t count = own_ - inputs_;
  bool here = true, doubt = false;
  const auto at_rounding = [&] {
    doubt = true;
    return false;
  };
  // What a geometric series would still bring, where corrections shrink that fast.
  constexpr double fast = 0.1;
  const auto near_enough = [&](double before, double now) {
    return before > 0 && now <= fast * before && now * (now / before) / (1 - fast) <= enough_;
  };
  convergence_.begin();
  while (result.iterations < most_usual_iterations) {
    if (here) {
      const During factorising(Activity::factorisation);
      factor_(x, x + own_, work_.data());
      convergence_.new_matrix();
      ++statistics_.factorizations;
    }
    {
      const During evaluating(Activity::evaluation);
      iterate_(x, next_.data(), work_.data());
    }
    ++result.iterations;
    const double sum = next_[count + 1];
    if (sum - sum != 0) return false;
    std::copy_n(next_.data(), count, unknowns);
    const double before = std::exchange(result.correction, next_[count]);
    if (result.iterations == 1) result.first_correction = result.correction;
    const Verdict verdict = convergence_.simplified(result.correction, {false, here}, at_rounding);
    if (verdict == Verdict::converged) return !doubt;
    if (!doubt && near_enough(before, result.correction)) return true;
    if (doubt || (verdict != Verdict::proceed && verdict != Verdict::renew)) return false;
    here = verdict == Verdict::renew || (enough_ == 0 && result.correction > renewed_above_);
  }
  return false;
}

/// One linear system, solved from the guess; again where rounding may have left something.
bool UsualStep::finish(double* x, NewtonResult& result) noexcept {
  const std::size_t count = tail_.size();
  double before = 0;
  for (int repeat = 0; repeat < most_repeats; ++repeat) {
    {
      const During evaluating(Activity::evaluation);
      finish_(x, end_.data(), work_.data());
    }
    const double correction = end_[count], sum = end_[count + 1];
    if (sum - sum != 0) return false;
    for (std::size_t k = 0; k < count; ++k) x[inputs_ + tail_[k]] = end_[k];
    if (repeat > 0 && before > far_correction) tail_error_ = std::max(tail_error_, correction / before);
    if (!iterates_) {
      ++result.iterations;
      if (repeat == 0) result.first_correction = correction;
    }
    const bool near = repeat > 0 || enough_ > 0 || correction <= far_correction;
    if (near && correction * tail_error_ <= std::max(left_over, enough_)) return true;
    before = correction;
  }
  return false;
}

bool UsualStep::solve(double* x, NewtonResult& result) noexcept {
  result = {};
  const bool arrived = (!iterates_ || iterate(x, result)) && finish(x, result);
  statistics_.iterations += result.iterations;
  statistics_.evaluations += result.iterations;
  result.moved = convergence_.moved();
  result.contraction = convergence_.contraction();
  return arrived;
}

double UsualStep::largest_multiplier(const double* unknowns) const noexcept {
  double most = 0;
  for (const int i : multipliers_) most = std::max(most, std::abs(unknowns[i]));
  return most;
}

bool UsualStep::advance(double t, double h, double* x, Predictor<double>& predictor, double* __restrict state,
                        double* __restrict compensation, NewtonResult& result) noexcept {
  double* const unknowns = x + inputs_;
  x[0] = t;
  x[1] = h;
  std::copy_n(state, states_, x + 2);
  predictor.predict(unknowns);
  const double expected = largest_multiplier(unknowns);
  if (!solve(x, result) || !certain(result)) return false;
  if (largest_multiplier(unknowns) > wild_multipliers * expected) return false;
  predictor.learn(unknowns);
  add_compensated(increments(), states_, state, compensation);
  return true;
}

std::unique_ptr<UsualStep> UsualStep::clone() const {
  std::unique_ptr<UsualStep> other(new UsualStep(*this));
  other->enough_ = 0;
  other->statistics_ = {.factorization_sizes = statistics_.factorization_sizes};
  return other;
}

void UsualStep::bind(const double* parameters) noexcept {
  for (Kernel<double>* kernel : {&factor_, &iterate_, &finish_}) kernel->bind(parameters);
}

void UsualStep::save(ByteWriter& out) const {
  statistics_.save(out);
  out.write(tail_error_);
}
void UsualStep::load(ByteReader& in) {
  statistics_.load(in);
  in.read(tail_error_);
}

}  // namespace alembert::internal
