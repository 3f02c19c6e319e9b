#pragma once

// Names made and words found in the tree of a text.

#include <string>
#include <string_view>

#include "alembert/text/syntax.h"

namespace alembert::internal {

/// A term that is a name.
Term name_term(std::string name, const Place& place = {});
/// What stands before the indices: x of x[2][3].
const Term& root_of(const Term& term);

/// The first item whose target is this word, of statements whose items are words (body crank mass 1); null: none.
const Item* find_item(const Statement& s, std::string_view word);
/// The value behind that word; null where there is none.
const Term* value_of(const Statement& s, std::string_view word);

}  // namespace alembert::internal
