#pragma once

// Methods made from methods: adjoints derived from the equations of a step, and substeps in a row. A composition claims
// and takes what all its parts claim and take.

#include "alembert/methods/method.h"

namespace alembert::internal {

/// The adjoint of a step: the two ends exchanged and the sign of h. F(t0, h, x0, U) = 0, x1 = X(t0, h, x0, U) becomes
/// F(t1, -h, x1, U) = 0, x0 = X(t1, -h, x1, U), with U and x1 unknown; constraints at the end stay at the end.
StepEquations adjoint(const StepEquations& step, const Equations& equations);
/// Of a whole plan: the adjoint parts in reversed order.
StepPlan adjoint(const StepPlan& plan, const Equations& equations);

/// The same plan repeated with these shares of the step.
StepPlan compose(const StepPlan& plan, const std::vector<Quad>& shares);
/// One plan after the other, each with an equal share of the step.
StepPlan in_a_row(const std::vector<StepPlan>& plans);

/// Shares of the triple jump and of Suzuki's five steps for a method of order p.
std::vector<Quad> triple_jump_shares(int p);
std::vector<Quad> suzuki_shares(int p);
/// Nine shares that make a symmetric method of order 2 one of order 6 (Kahan and Li 1997).
std::vector<Quad> nine_shares();

/// What is true of any composition of these parts, under this name: claims and capabilities that all parts have (but
/// symmetric, which depends on their order), every refusal and remark of a part, momenta that all preserve. It has no
/// tableau, is no SPARK method and still needs its step.
Method composition_of(const std::string& name, const std::vector<Method>& parts);
/// A composition of M that raises its order: M is near the identity on the model, or the model is refused.
Method raising_composition(const std::string& name, const Method& M);
/// Orders higher by a number in what has the order of q; what has a lower one keeps it.
Claims raised(Claims claims, int by);

/// M repeated with shares that depend on its order.
MethodFamily raising_family(MethodFamily family, std::vector<Quad> (*shares)(int order));
/// A method as an argument: a name alone.
Term method_term(const std::string& name);

/// A family NAME(M) that makes a method from a method: the given one with signature and members. make gets the name.
MethodFamily composed_family(MethodFamily family, std::function<Method(const std::string& name, const Method&)> make);

}  // namespace alembert::internal
