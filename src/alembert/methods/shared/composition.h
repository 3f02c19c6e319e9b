#pragma once

// Methods made from methods: adjoints derived from the equations of a step, and substeps in a row.

#include "alembert/methods/method.h"

namespace alembert::internal {

/// The adjoint of a step: the two ends exchanged and the sign of h. F(t0, h, x0, U) = 0, x1 = X(t0, h, x0, U) becomes
/// F(t1, -h, x1, U) = 0, x0 = X(t1, -h, x1, U), with U and x1 unknown; constraints at the end stay at the end.
StepEquations adjoint(const StepEquations& step, const Equations& equations);
/// Of a whole plan: the adjoint parts in reversed order.
StepPlan adjoint(const StepPlan& plan, const Equations& equations);
Method adjoint(const Method& method);

/// The same plan repeated with these shares of the step.
StepPlan compose(const StepPlan& plan, const std::vector<Quad>& shares);

/// Shares of the triple jump and of Suzuki's five steps for a method of order p.
std::vector<Quad> triple_jump_shares(int p);
std::vector<Quad> suzuki_shares(int p);
/// Nine shares that make a symmetric method of order 2 one of order 6 (Kahan and Li 1997).
std::vector<Quad> nine_shares();
/// The order of a symmetric composition that removes the leading error of a method: p + 2 for symmetric ones, else p
/// + 1.
Claims raised(Claims claims);
/// What a composition of M that raises its order refuses: what M does, and models on which M is not near the identity.
std::function<std::string(const Equations&)> refuses_to_compose(const Method& M);

/// M repeated with shares that depend on its order.
MethodFamily raising_family(std::string name, std::string summary, std::string source,
                            std::vector<Quad> (*shares)(int order));
/// A method as an argument: a name alone.
Term method_term(const std::string& name);

/// A family NAME(M) that makes a method from a method.
MethodFamily composed_family(std::string name, std::string summary, std::string source, std::string orders,
                             std::function<Method(const Method&)> make);

}  // namespace alembert::internal
