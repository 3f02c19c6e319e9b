#pragma once

// Masses that vanish with the values of open parameters: what is left are other equations, in which these are folded.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "alembert/derive/equations.h"

namespace alembert::internal {

struct SettledModel {
  Model model;
  Equations equations;             // with the table of those that they were made from
  std::vector<std::string> names;  // of the parameters that are folded
};

/// The model with these values, where masses vanish with them that did not before; null where none does, and where the
/// model cannot be read with them.
std::shared_ptr<const SettledModel> without_masses(const Model& model, const Equations& equations,
                                                   const std::map<std::string, double>& values);

}  // namespace alembert::internal
