#pragma once

// First-order states in the port-Hamiltonian form. Inside model/ only.

#include <vector>

#include "alembert/text/syntax.h"

namespace alembert::internal {

/// Whether a text is of the port-Hamiltonian form.
bool says_ports(const Text& text);

/// A port-Hamiltonian text with `variable w = 0` and `rate w' = f` written as states that have no effort and carry no
/// energy: `state w = 0`, `effort w = 0`, `drift w = -f`. What is wrong with them is appended to the errors.
Text with_variables_as_states(const Text& text, std::vector<Diagnostic>& errors);

}  // namespace alembert::internal
