#pragma once

// What the two halves of Symank 2025 share.

#include "alembert/lab/entry.h"

namespace alembert::internal::reproduce {

/// The change of energy in every step, as the method predicts it from its stages and as it came.
struct StepChanges {
  std::vector<double> t, predicted, actual, difference;
};
StepChanges step_changes(const Workbench& work, const Model& model, const std::string& method, double h, long n);

}  // namespace alembert::internal::reproduce
