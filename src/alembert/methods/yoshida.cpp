// Yoshida's compositions of a symmetric method of order 2 to the orders 4, 6, 8: triple jumps of triple jumps.

#include "alembert/error.h"
#include "alembert/methods/shared/composition.h"

namespace alembert::internal::methods {

MethodFamily yoshida() {
  MethodFamily family;
  family.name = "yoshida";
  family.signature = "yoshida(M, order)";
  family.summary = "triple jumps of a symmetric method up to the order 4, 6 or 8";
  family.source = "Yoshida 1990";
  family.orders = "order";
  Term four;
  four.text = "4";
  family.example = {method_term("lobatto_modified"), four};
  family.make = [](const std::vector<Term>& arguments) {
    const std::string hint = "write yoshida(lobatto(2), 6)";
    if (arguments.size() != 2) throw InputError("'yoshida' takes a method and an order", hint);
    const Method M = find_method(arguments[0]);
    const std::string order = print(arguments[1]);
    if (order != "4" && order != "6" && order != "8")
      throw InputError("yoshida makes the orders 4, 6 and 8, not " + order, hint);
    const int wanted = order[0] - '0', has = M.claims.order_q;
    if (!M.claims.symmetric || has % 2 || has > wanted)
      throw InputError("yoshida needs a symmetric method of even order up to " + order + ", and " + M.name + " is none",
                       "make it symmetric: yoshida(symmetric(" + M.name + "), " + order + ")");
    Method method = M;
    method.refuses = refuses_to_compose(M);
    method.name = "yoshida(" + M.name + ", " + order + ")";
    method.claims.order_q = method.claims.order_v = method.claims.order_multiplier = wanted;
    method.tableau = nullptr;
    method.step = [step = M.step, has, wanted](const Equations& e) {
      StepPlan plan = step(e);
      for (int p = has; p < wanted; p += 2) plan = compose(plan, triple_jump_shares(p));
      return plan;
    };
    return method;
  };
  return family;
}

}  // namespace alembert::internal::methods
