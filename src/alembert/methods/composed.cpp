// Several methods in a row, each with an equal share of the step.

#include <algorithm>

#include "alembert/error.h"
#include "alembert/methods/shared/composition.h"

namespace alembert::internal::methods {

MethodFamily composed() {
  MethodFamily family;
  family.name = "composed";
  family.signature = "composed(M1, M2, ...)";
  family.summary = "several methods in a row, each with an equal share of the step";
  family.source = "Hairer, Lubich, Wanner II.4";
  family.orders = "the least";
  family.example = {method_term("true_euler"), method_term("true_conjugate_euler")};
  family.make = [](const std::vector<Term>& arguments) {
    if (arguments.size() < 2)
      throw InputError("'composed' takes two methods or more", "write composed(true_euler, true_conjugate_euler)");
    std::vector<Method> parts;
    for (const Term& argument : arguments) parts.push_back(find_method(argument));
    Method method = parts[0];
    method.tableau = nullptr;
    method.name = "composed(";
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Claims& claims = parts[i].claims;
      method.name += (i ? ", " : "") + parts[i].name;
      method.claims.order_q = std::min(method.claims.order_q, claims.order_q);
      method.claims.order_v = std::min(method.claims.order_v, claims.order_v);
      method.claims.order_multiplier = std::min(method.claims.order_multiplier, claims.order_multiplier);
      method.claims.symplectic &= claims.symplectic;
      method.claims.position &= claims.position;
      method.claims.velocity &= claims.velocity;
      method.claims.nonholonomic &= claims.nonholonomic;
    }
    method.name += ")";
    method.claims.symmetric = false;
    method.refuses = [parts](const Equations& e) {
      for (const Method& part : parts) {
        const std::string reason = part.refuses ? part.refuses(e) : "";
        if (!reason.empty()) return part.name + ": " + reason;
      }
      return std::string();
    };
    method.remark = [parts](const Equations& e) {
      std::string all;
      for (const Method& part : parts) {
        const std::string remark = part.remark ? part.remark(e) : "";
        if (!remark.empty()) all += (all.empty() ? "" : "; ") + remark;
      }
      return all;
    };
    method.step = [parts](const Equations& e) {
      StepPlan plan;
      for (const Method& part : parts) {
        const StepPlan one = part.step(e);
        const int before = static_cast<int>(plan.parts.size());
        plan.parts.insert(plan.parts.end(), one.parts.begin(), one.parts.end());
        for (const auto& sub : one.sequence)
          plan.sequence.push_back({before + sub.part, sub.share / static_cast<Quad>(parts.size())});
      }
      return plan;
    };
    return method;
  };
  return family;
}

}  // namespace alembert::internal::methods
