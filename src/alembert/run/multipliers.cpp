#include "alembert/run/multipliers.h"

#include <algorithm>
#include <cmath>

#include "alembert/solve/reduced.h"

namespace alembert {

namespace {

Newton<double> make(const Equations& e, const InitialValues& initial, double t0, NewtonOptions options,
                    std::vector<double>& x) {
  x = {t0};
  for (const auto* list : {&initial.y, &initial.z, &initial.z_dot, &initial.lambda, &initial.psi})
    x.insert(x.end(), list->begin(), list->end());
  return Newton<double>(reduced_system(e), x, options);
}

}  // namespace

Multipliers::Multipliers(const Equations& e, const InitialValues& initial, double t0, NewtonOptions options)
    : inputs_(1 + e.y.size() + e.z.size()), newton_(make(e, initial, t0, options, x_)) {}

std::span<const double> Multipliers::at(double t, std::span<const double> state) {
  x_[0] = t;
  std::copy(state.begin(), state.end(), x_.begin() + 1);
  const std::span<double> values(x_.data() + inputs_, x_.size() - inputs_);
  if (newton_.solve(x_.data()).outcome != Outcome::converged) {
    failed_.assign(values.size(), std::nan(""));
    std::fill(values.begin(), values.end(), 0);
    return failed_;
  }
  return values;
}

}  // namespace alembert
