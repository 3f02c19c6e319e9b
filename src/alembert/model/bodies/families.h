#pragma once

// Elements over ranges, written out one by one: body link[i] ... becomes link[1], link[2], ... Inside model/ only.

#include "alembert/model/scope/scope.h"
#include "alembert/text/syntax.h"

namespace alembert::internal {

/// Bodies, joints and what else a text may have once families and assemblies are written out: a chain of 30,000 links
/// has 60,000, and each takes a kilobyte before anything is derived.
inline constexpr std::size_t most_elements = 200'000;

/// Whether a text has elements with indices in their names, or over ranges.
bool has_families_of_elements(const Text& text);
/// The names of those.
std::vector<std::string> families_of_elements(const Text& text);

/// The text with such elements written out. The scope knows the parameters and families of the text, and gets what is
/// wrong with indices and ranges.
Text without_families_of_elements(const Text& text, Scope& scope);

/// The indices of a statement over ranges as the numbers that they have now; those of sums are left.
void put_index_numbers(Term& term, const Scope& scope);
/// link[i-1] and leg[i].thigh as names of one element: "link[2]", "leg[3].thigh".
void put_element_name(Term& term, Scope& scope);

/// link[2].r as one word that the parser reads as a name, and back.
std::string with_coded_indices(const std::string& text);
std::string with_plain_indices(const std::string& text);

}  // namespace alembert::internal
