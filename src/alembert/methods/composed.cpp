// Several methods in a row, each with an equal share of the step.

#include <algorithm>

#include "alembert/error.h"
#include "alembert/methods/shared/composition.h"

namespace alembert::internal::methods {

namespace {

Method compose_in_a_row(const std::vector<Term>& arguments) {
  if (arguments.size() < 2)
    throw InputError("'composed' takes two methods or more", "write composed(true_euler, true_conjugate_euler)");
  std::vector<Method> parts;
  std::string names;
  for (const Term& argument : arguments) {
    parts.push_back(find_method(argument));
    names += (names.empty() ? "" : ", ") + parts.back().name;
  }
  Method method = composition_of("composed(" + names + ")", parts);
  // A part that leaves velocities off the constraints hands their error on: q gains one order from them.
  if (!method.claims.near_identity) method.claims.order_q = std::min(method.claims.order_q, method.claims.order_v + 1);
  method.step = [parts](const Equations& e) {
    std::vector<StepPlan> plans;
    for (const Method& part : parts) plans.push_back(part.step(e));
    return in_a_row(plans);
  };
  return method;
}

}  // namespace

MethodFamily composed() {
  return {.name = "composed",
          .signature = "composed(M1, M2, ...)",
          .summary = "several methods in a row, each with an equal share of the step",
          .source = "Hairer, Lubich, Wanner II.4",
          .orders = "the least",
          .example = {method_term("true_euler"), method_term("true_conjugate_euler")},
          .samples = {"composed(true_euler, true_conjugate_euler)", "composed(lobatto(2), radau(2))",
                      "composed(murua(2), lobatto_c(3))", "composed(energy_momentum(projected), gauss(1))"},
          .composer = true,
          .make = compose_in_a_row};
}

}  // namespace alembert::internal::methods
