// The same step under claims that are false, to see that the conformance suite finds them unasked.

#include "alembert/methods/method.h"

namespace alembert::internal::methods {

MethodFamily dummy_liar() {
  MethodFamily family{.name = "dummy_liar",
                      .signature = "dummy_liar",
                      .summary = "the implicit midpoint rule with false claims",
                      .source = "the tests",
                      .orders = "3"};
  family.make = [](const std::vector<Term>& arguments) {
    no_arguments("dummy_liar", arguments);
    Method method = find_method("dummy_midpoint");
    method.name = "dummy_liar";
    method.claims.set_orders(3);
    method.claims.energy = true;
    return method;
  };
  return family;
}

}  // namespace alembert::internal::methods
