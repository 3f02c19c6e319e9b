#include "alembert/newton/step_part.h"

#include <algorithm>

#include "alembert/base/lists.h"
#include "alembert/error.h"
#include "alembert/newton/predictor.h"

namespace alembert::internal {

namespace {

std::vector<int> multipliers_of(const StepEquations& e) {
  std::vector<int> multipliers;
  for (const UnknownGroup& group : e.groups)
    for (int i = group.first; group.multipliers() && i < group.first + group.count; ++i) multipliers.push_back(i);
  return multipliers;
}

/// The unknowns of the guess are rates and multipliers: they begin as z' and the multipliers of guess_values.
template <class T>
std::shared_ptr<Newton<T>> newton_of_guess(const StepEquations& e, T t0, T h, const std::vector<T>& state,
                                           const std::vector<T>& guess_values, LinearSolver linear) {
  if (e.guess_unknowns.empty()) return nullptr;
  std::vector<T> typical = joined<T>(t0, h, state, guess_values);
  typical.insert(typical.end(), guess_values.begin(),
                 guess_values.begin() + static_cast<long>(e.guess_unknowns.size()));
  NewtonOptions once;
  once.kernel = interpreted;
  once.linear = linear == LinearSolver::minimum_norm ? linear : LinearSolver::dense;
  return std::make_shared<Newton<T>>(guess_system(e), typical, once);
}

}  // namespace

template <class T>
StepPart<T>::StepPart(const StepEquations& e, T t0, T h, const std::vector<T>& state,
                      const std::vector<T>& guess_values, const NewtonOptions& options)
    : states(static_cast<int>(state.size())),
      unknowns(static_cast<int>(e.unknowns.size())),
      guess_unknowns(static_cast<int>(e.guess_unknowns.size())),
      positions(static_cast<int>(state.size()) - e.rates),
      names(std::make_shared<const StepNames>(StepNames{e.labels, e.internal_names})),
      guess_newton(newton_of_guess(e, t0, h, state, guess_values, options.linear)),
      inclusions(e.inclusions != nullptr),
      tells_energy(e.energy_change && (e.supplied || !is_zero(e.energy_change))),
      tells_parts(e.supplied),
      first_discrete((e.energy_change ? 1 : 0) + (e.supplied ? 2 : 0)),
      first_work(first_discrete + static_cast<int>(e.discrete.size())) {
  check(e.state.size() == state.size(), "every part of a step has the same state");
  check(e.guess_inputs.size() == guess_values.size(), "inputs of the guess: z', lambda, psi");
  const Exprs all = joined<Expr>(e.t0, e.h, e.state, e.unknowns);
  guess = WideKernel<T>(joined<Expr>(e.t0, e.h, e.state, e.guess_inputs, e.guess_unknowns), e.guess, interpreted);
  increments = WideKernel<T>(all, increments_of(e), options.kernel);
  internal = WideKernel<T>(all, e.internal, interpreted);
  balance = Kernel<T>(all, balance_of(e), options.kernel);
  contacts = Kernel<T>(all, e.contacts, interpreted);
  if (!e.carried.empty()) carried = Kernel<T>(joined<Expr>(all, e.carried), e.carried_next, options.kernel);
  if (Predictor<T>::is_small(unknowns)) multipliers = multipliers_of(e);
}

template <class T>
std::size_t StepPart<T>::work() const {
  return std::max({guess.work(), increments.work(), internal.work(), balance.work(), carried.work(), contacts.work()});
}

template <class T>
void StepPart<T>::bind(const T* parameters) noexcept {
  for (Kernel<T>* kernel : {&balance, &carried, &contacts}) kernel->bind(parameters);
  for (WideKernel<T>* kernel : {&guess, &increments, &internal}) kernel->bind(parameters);
  if (guess_newton) guess_newton->bind(parameters);
}

template struct StepPart<double>;
template struct StepPart<Quad>;

}  // namespace alembert::internal
