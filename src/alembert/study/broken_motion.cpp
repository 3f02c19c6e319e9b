#include "alembert/study/broken_motion.h"

#include <cmath>

#include "alembert/run/simulate.h"

namespace alembert::internal {

bool is_broken(const Model& model, const Equations& e) { return !e.actions.empty() || !model.contacts.empty(); }

Endpoint<double> broken_motion(const Model& model, const Equations& e, const Method& method, double end, double step,
                               const std::atomic<bool>* interrupt) {
  SimulateOptions options;
  options.end = end;
  options.step = step;
  options.interrupt = interrupt;
  const Report report = simulate(model, e, method, options);
  Endpoint<double> result;
  result.steps = report.steps;
  result.point.y = report.y;
  result.point.z = report.z;
  result.point.lambda = report.lambda;
  result.point.psi = report.psi;
  result.statistics.iterations = report.newton.iterations;
  result.statistics.evaluations = report.newton.evaluations;
  result.seconds = report.run_seconds;
  if (report.ending != Ending::done) result.failure = report.reason;
  else if (!report.stopped.empty())
    result.failure = "'" + report.stopped + "' stopped the motion at t = " + to_text(report.t);
  return result;
}

Reference broken_reference(const Model& model, const Equations& e, double end, long steps, int stages,
                           const Method& otherwise, const std::atomic<bool>* interrupt) {
  const Method method = reference_method(e, stages).value_or(otherwise);
  Reference reference;
  reference.method = method.name;
  reference.steps = steps + steps % 2;
  reference.extended = false;
  const auto run = [&](long n) {
    return broken_motion(model, e, method, end, end / static_cast<double>(n), interrupt);
  };
  const Endpoint<double> coarse = run(reference.steps / 2), fine = run(reference.steps);
  reference.failure = fine.failure.empty() ? coarse.failure : fine.failure;
  reference.point = widened(fine.point);
  reference.error = errors(widened(coarse.point), reference.point);
  // Rounding of the steps, and of the places of the events.
  const double rounding = 64 * 0x1p-52 * std::sqrt(static_cast<double>(reference.steps));
  for (double* error : {&reference.error.q, &reference.error.v, &reference.error.multiplier}) *error += rounding;
  return reference;
}

}  // namespace alembert::internal
