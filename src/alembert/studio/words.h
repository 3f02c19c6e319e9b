#pragma once

// What the library found, as JSON for the page. Private to this folder: it brings in the JSON library.

#include <nlohmann/json.hpp>

#include "alembert/derive/equations.h"
#include "alembert/error.h"
#include "alembert/report.h"
#include "alembert/studio/bench.h"
#include "alembert/tree.h"

namespace alembert::internal::studio {

using Json = nlohmann::ordered_json;

/// Text that may be no UTF-8 stays a JSON text.
std::string dumped(const Json& json);

Json json_of(const Tree& tree);

/// Keywords of the language, functions, methods: what an editor offers.
Json language();

/// What is wrong, each with line, column, length (0, 0, 0 where it has no place in the text that is named), message,
/// hint and, where it stands in another file, that file.
Json diagnostics(const InputError& error, const std::string& own_path);

/// Title, parameters and initial values with their values, names, what the solve statement says, which methods take the
/// model, and what `alembert check` says.
Json description(const Model& model, const Equations& equations);

}  // namespace alembert::internal::studio
