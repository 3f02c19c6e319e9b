#include "alembert/run/integrate.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "alembert/base/cpu_time.h"
#include "alembert/base/lists.h"
#include "alembert/base/magnitude.h"
#include "alembert/base/pulse.h"
#include "alembert/error.h"
#include "alembert/newton/projection.h"
#include "alembert/run/failure.h"
#include "alembert/start/reduced.h"

namespace alembert::internal {

template <class T>
NewtonResult complete(const Equations& e, T t, MotionPoint<T>& point, NewtonOptions options) {
  std::vector<T> x{t};
  for (const auto* list : {&point.y, &point.z, &point.z_dot, &point.lambda, &point.psi})
    x.insert(x.end(), list->begin(), list->end());
  Newton<T> newton(reduced_system(e), x, options);
  const NewtonResult result = newton.solve(x.data());
  auto from = x.begin() + 1 + static_cast<long>(e.y.size() + e.z.size());
  for (auto* list : {&point.z_dot, &point.lambda, &point.psi})
    for (T& value : *list) value = *from++;
  return result;
}

namespace {

/// The same, left as it was where nothing is found. A coordinate without mass has an acceleration that no equation
/// names; where there are no multipliers nobody asks for it but as a first guess.
template <class T>
NewtonResult complete_where_asked(const Equations& e, T t, MotionPoint<T>& point, const NewtonOptions& options) {
  MotionPoint<T> tried = point;
  NewtonResult result = complete(e, t, tried, options);
  if (result.outcome == Outcome::converged) point = tried;
  if (e.lambda.empty() && e.psi.empty()) result.outcome = Outcome::converged;
  return result;
}

}  // namespace

template <class T>
MotionPoint<T> polish(const Equations& e, const InitialValues& initial, T t0) {
  MotionPoint<T> point;
  const auto copy = [](const std::vector<double>& from) { return std::vector<T>(from.begin(), from.end()); };
  point.y = copy(initial.y);
  point.z = copy(initial.z);
  point.z_dot = copy(initial.z_dot);
  point.lambda = copy(initial.lambda);
  point.psi = copy(initial.psi);
  NewtonOptions options;
  options.kernel = interpreted;
  std::vector<T> state = point.y;
  state.insert(state.end(), point.z.begin(), point.z.end());
  Projection<T>(e, t0, state, options).apply(t0, state.data());
  std::copy_n(state.begin(), point.y.size(), point.y.begin());
  std::copy_n(state.begin() + static_cast<long>(point.y.size()), point.z.size(), point.z.begin());
  if (complete_where_asked(e, t0, point, options).outcome != Outcome::converged)
    throw InputError("the multipliers at the start are not determined",
                     "orders and what a step keeps cannot be measured from there; `simulate` integrates such a model");
  return point;
}

template <class T>
StepPlan plan_from(const MotionPoint<T>& from, T h, const Method& method, const Equations& e) {
  const auto largest = [](const std::vector<T>& values) {
    T most = 0;
    for (const T value : values) most = std::max(most, magnitude(value));
    return most;
  };
  // Not more than what crosses all positions in a step: accelerations of light masses may be 1e100.
  const T most = largest(from.y) / magnitude(h);
  const double added = static_cast<double>(std::min(largest(from.z_dot) * magnitude(h), most));
  if (std::is_same_v<T, double> || !(added > largest(from.z)) || !std::isfinite(added)) return step_plan(method, e);
  Equations scaled = e;
  scaled.least_z = std::max(e.least_z, added);
  return step_plan(method, scaled);
}

template <class T>
Endpoint<T> integrate(const Equations& e, const Method& method, const MotionPoint<T>& from, T t0, T h, long n,
                      NewtonOptions options) {
  const std::size_t n_y = e.y.size();
  std::vector<T> state = joined<T>(from.y, from.z), compensation(state.size(), T(0));
  Step<T> step(plan_from(from, h, method, e), t0, h, state, joined<T>(from.z_dot, from.lambda, from.psi), options);
  Endpoint<T> end;
  const double begin = thread_seconds();
  for (long i = 0; i < n; ++i) {
    Pulse::beat();
    const T t = t0 + T(i) * h;
    const StepResult result = step.advance(t, h, state.data(), compensation.data());
    end.newton = result.newton;
    if (end.newton.outcome != Outcome::converged) {
      const std::vector<double> here(state.begin(), state.end());
      end.failure = "step " + std::to_string(i + 1) + ": " +
                    FailureAnalysis(e).explain_step(result.newton, step.label(result), static_cast<double>(t),
                                                    static_cast<double>(h), here, {});
      break;
    }
    end.steps = i + 1;
  }
  end.seconds = thread_seconds() - begin;
  end.point = from;
  end.point.y.assign(state.begin(), state.begin() + static_cast<long>(n_y));
  end.point.z.assign(state.begin() + static_cast<long>(n_y), state.end());
  end.statistics = step.statistics();
  if (end.newton.outcome == Outcome::converged) {
    options.kernel = interpreted;  // once: not worth compiling
    end.newton = complete_where_asked(e, t0 + T(n) * h, end.point, options);
    if (end.newton.outcome != Outcome::converged) end.failure = "the multipliers at the end are not determined";
  }
  return end;
}

template NewtonResult complete(const Equations&, double, MotionPoint<double>&, NewtonOptions);
template NewtonResult complete(const Equations&, Quad, MotionPoint<Quad>&, NewtonOptions);
template MotionPoint<double> polish(const Equations&, const InitialValues&, double);
template MotionPoint<Quad> polish(const Equations&, const InitialValues&, Quad);
template StepPlan plan_from(const MotionPoint<double>&, double, const Method&, const Equations&);
template StepPlan plan_from(const MotionPoint<Quad>&, Quad, const Method&, const Equations&);
template Endpoint<double> integrate(const Equations&, const Method&, const MotionPoint<double>&, double, double, long,
                                    NewtonOptions);
template Endpoint<Quad> integrate(const Equations&, const Method&, const MotionPoint<Quad>&, Quad, Quad, long,
                                  NewtonOptions);

}  // namespace alembert::internal
