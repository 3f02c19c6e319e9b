#pragma once

// Auxiliary variables: s(t, q) with c(t, q, s) = 0. They stand among the y with the rates that follow from c, so that
// whatever is differentiated along the motion is differentiated totally.

#include "alembert/derive/carrier.h"
#include "alembert/derive/equations.h"

namespace alembert::internal {

/// Fills Equations::auxiliary and appends the rates of the auxiliary variables to v, which holds those of the others.
/// From then on their rates mean these wherever else they occur.
void derive_auxiliary(const Model& model, Equations& e, Carrier& carry);

/// The same system without the variables that have a closed form: it stands in their place, and an angle is taken on
/// the branch that is nearest to the value in place `first_parameter` + i of the table of parameters.
Equations without_closed_forms(const Equations& e, int first_parameter);
/// s = value(t, y), an angle on the branch that is nearest to `near`; in the graph of y.
Exprs closed_forms(const Equations& e, Expr t, const Exprs& y, const Exprs& near);
/// How many of the auxiliary variables have a closed form.
std::size_t closed_count(const Equations& e);

}  // namespace alembert::internal
