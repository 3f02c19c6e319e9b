#include "alembert/base/inside.h"
#include "alembert/base/pulse.h"
#include "alembert/derive/equations.h"
#include "alembert/methods/method.h"
#include "alembert/run/choose_method.h"
#include "alembert/study.h"
#include "alembert/study/check.h"
#include "alembert/study/converge.h"
#include "alembert/study/verify.h"

namespace alembert {

using internal::inside;

SuitedMethod suited_method(const Equations& equations, const SimulateOptions& options, double start) {
  internal::MethodChoice choice = internal::choose_method(inside(equations.model()), inside(equations), options, start);
  auto method = std::make_shared<const internal::Method>(std::move(choice.method));
  return {internal::Inside::make<Method>(std::move(method)), std::move(choice.reason)};
}

Examination examine(const Model& model) { return internal::examine(inside(model), internal::derive(inside(model))); }

Verification verify(const Method& method, const Equations& equations, const VerifyOptions& options) {
  const internal::Pulse pulse(options.waiting);
  return internal::verify(inside(equations.model()), inside(equations), inside(method), options);
}

Convergence converge(const std::vector<Method>& methods, const Equations& equations, const MeasureOptions& options) {
  internal::ConvergeOptions asked;
  for (const Method& method : methods) asked.methods.push_back(inside(method));
  asked.steps = options.steps;
  asked.end = options.end;
  asked.quad = options.quad;
  asked.progress = options.progress;
  return internal::converge(inside(equations.model()), inside(equations), asked);
}

}  // namespace alembert
