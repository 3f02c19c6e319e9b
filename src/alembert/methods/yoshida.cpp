// Yoshida's compositions of a symmetric method of order 2 to the orders 4, 6, 8: triple jumps of triple jumps.

#include "alembert/error.h"
#include "alembert/methods/shared/composition.h"

namespace alembert::internal::methods {

namespace {

Method make(const std::vector<Term>& arguments) {
  const std::string hint = "write yoshida(lobatto(2), 6)";
  if (arguments.size() != 2) throw InputError("'yoshida' takes a method and an order", hint);
  const Method M = find_method(arguments[0]);
  const std::string order = print(arguments[1]);
  if (order != "4" && order != "6" && order != "8")
    throw InputError("yoshida makes the orders 4, 6 and 8, not " + order, hint);
  const int wanted = order[0] - '0';
  const int has = M.claims.order_q;
  if (!M.claims.symmetric || has % 2 || has > wanted)
    throw InputError("yoshida needs a symmetric method of even order up to " + order + ", and " + M.name + " is none",
                     "make it symmetric: yoshida(symmetric(" + M.name + "), " + order + ")");
  Method method = raising_composition("yoshida(" + M.name + ", " + order + ")", M);
  method.claims = raised(method.claims, wanted - has);
  method.step = [M, has, wanted](const Equations& e) {
    StepPlan plan = M.step(e);
    for (int p = has; p < wanted; p += 2) plan = compose(plan, triple_jump_shares(p));
    return plan;
  };
  return method;
}

Term number_term(const std::string& digits) {
  Term term;
  term.text = digits;
  return term;
}

}  // namespace

MethodFamily yoshida() {
  return {.name = "yoshida",
          .signature = "yoshida(M, order)",
          .summary = "triple jumps of a symmetric method up to the order 4, 6 or 8",
          .source = "Yoshida 1990",
          .orders = "order",
          .example = {method_term("lobatto_modified"), number_term("4")},
          .samples = {"yoshida(lobatto_modified, 4)", "yoshida(lobatto(2), 6)"},
          .composer = true,
          .make = make};
}

}  // namespace alembert::internal::methods
