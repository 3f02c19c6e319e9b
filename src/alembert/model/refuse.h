#pragma once

// An error of a model with one diagnostic.

#include <string>
#include <utility>
#include <vector>

#include "alembert/model/model.h"

namespace alembert::internal {

[[noreturn]] inline void refuse(const Model& model, Place place, std::string message, std::string hint) {
  throw InputError(std::vector<Diagnostic>{{model.source, place, std::move(message), std::move(hint)}});
}

}  // namespace alembert::internal
