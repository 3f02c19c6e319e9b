#pragma once

// What the pages of both kinds of systems have in common. Private to derive/.

#include <string>
#include <vector>

#include "alembert/derive/page.h"

namespace alembert::internal {

std::vector<Name> names_of(const std::vector<std::string>& symbols);
std::vector<Name> all_indexed(const Letters& letters, const std::string& letter,
                              const std::vector<std::string>& symbols);
std::vector<Name> zeros(std::size_t count);
bool all_zero(const Exprs& list);
std::string symbol_name(Expr e);
std::vector<std::string> symbol_names(const Exprs& list);
std::vector<std::string> invariant_names(const Model& model);
/// The letter of the coordinates: q, and y in the general form.
std::string coordinate_letter(const Model& model, const Equations& e);
/// The multiplier that holds a constraint itself, beside its time derivative.
std::string mu_name(const Letters& letters, const std::string& constraint);

/// The symbols in the expressions that are in no list: parameters and inputs, in the order of the model.
void add_parameters(std::vector<Meaning>& list, const Model& model, const Equations& e, const Exprs& expressions);

/// y holds the coordinates, the first-order states beside mechanics, and the auxiliary variables, in this order. Of a
/// list with an entry for each: the states, and all others.
template <class T>
std::vector<T> of_states(const Equations& e, const std::vector<T>& list) {
  const auto last = list.end() - static_cast<long>(e.auxiliary.size());
  return {last - e.first_order, last};
}
template <class T>
std::vector<T> of_coordinates(const Equations& e, std::vector<T> list) {
  const auto last = list.end() - static_cast<long>(e.auxiliary.size());
  list.erase(last - e.first_order, last);
  return list;
}

/// The one system, section by section.
void write_mechanics(Page& page, const Model& model, const Equations& e, const ShowOptions& options,
                     const Letters& letters);
/// The matrices entry by entry, then the system split into its differential and its algebraic part.
void write_ports(Page& page, const Model& model, const Equations& e, const Letters& letters);

}  // namespace alembert::internal
