#pragma once

// Components that are files of bodies and joints: their statements become part of the model, with names of their own.
// Inside model/ only.

#include "alembert/model/ports/component.h"
#include "alembert/model/scope/scope.h"
#include "alembert/text/syntax.h"

namespace alembert::internal {

/// Whether a text has components at all.
bool has_components(const Text& text);

/// Assemblies that are left out because their files are wrong.
struct BrokenFiles {
  std::vector<Diagnostic> errors;  // at their own places
  std::set<std::string> names;     // of the components
};

/// The text with all assemblies in it, and the assemblies in these; components of other kinds stay. The scope knows the
/// parameters and families of the text, and gets what is wrong there.
Text with_assemblies(const Text& text, Scope& scope, ComponentFiles& files, BrokenFiles& broken);

}  // namespace alembert::internal
