#include "alembert/base/pulse.h"
#include "alembert/derive/equations.h"
#include "alembert/methods/method.h"
#include "alembert/run/choose_method.h"
#include "alembert/study.h"
#include "alembert/study/check.h"
#include "alembert/study/converge.h"
#include "alembert/study/verify.h"

namespace alembert {

SuitedMethod suited_method(const Equations& equations, const SimulateOptions& options, double start) {
  internal::MethodChoice choice =
      internal::choose_method(equations.model().internal(), equations.internal(), options, start);
  return {Method(std::make_shared<internal::Method>(std::move(choice.method))), std::move(choice.reason)};
}

Findings examine(const Model& model) { return internal::examine(model.internal(), internal::derive(model.internal())); }

Findings verify(const Method& method, const Equations& equations, const VerifyOptions& options) {
  const internal::Pulse pulse(options.waiting);
  const internal::Verification found =
      internal::verify(equations.model().internal(), equations.internal(), method.internal(), options);
  return {to_text(found), to_json(found), {}, {}, found.has_false_claim() || !found.failure.empty()};
}

Findings converge(const std::vector<Method>& methods, const Equations& equations, const MeasureOptions& options) {
  internal::ConvergeOptions asked;
  for (const Method& method : methods) asked.methods.push_back(method.internal());
  asked.steps = options.steps;
  asked.end = options.end;
  asked.quad = options.quad;
  asked.progress = options.progress;
  const internal::Convergence found = internal::converge(equations.model().internal(), equations.internal(), asked);
  return {to_text(found), to_json(found), to_csv(found), to_svg(found), found.failed()};
}

}  // namespace alembert
