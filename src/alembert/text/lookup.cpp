#include "alembert/text/lookup.h"

#include <utility>

namespace alembert::internal {

Term name_term(std::string name, const Place& place) {
  Term term;
  term.form = Term::Form::name;
  term.text = std::move(name);
  term.place = place;
  return term;
}

const Term& root_of(const Term& term) {
  const Term* root = &term;
  while (root->form == Term::Form::index) root = &root->parts[0];
  return *root;
}

const Item* find_item(const Statement& s, std::string_view word) {
  for (const Item& item : s.items)
    if (item.target.text == word) return &item;
  return nullptr;
}

const Term* value_of(const Statement& s, std::string_view word) {
  for (const Item& item : s.items)
    if (item.target.text == word && item.value) return &*item.value;
  return nullptr;
}

}  // namespace alembert::internal
