#pragma once

// Motions that events reset, or that kinks or contacts break into parts, for measured orders: runs follow them, in
// double precision.

#include "alembert/model/model.h"
#include "alembert/study/reference.h"

namespace alembert::internal {

/// Whether events set something in this model, or it has contacts.
bool is_broken(const Model& model, const Equations& equations);

/// Where a run with steps of one size ends. A motion that an event stops, or `interrupt`, ends early, which is a
/// failure here: errors are measured at one time.
Endpoint<double> broken_motion(const Model& model, const Equations& equations, const Method& method, double end,
                               double step, const std::atomic<bool>* interrupt);

/// As make_reference, of a method of order 2 * stages where one takes the model, else of `otherwise`.
Reference broken_reference(const Model& model, const Equations& equations, double end, long steps, int stages,
                           const Method& otherwise, const std::atomic<bool>* interrupt);

}  // namespace alembert::internal
