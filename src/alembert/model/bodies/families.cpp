#include "alembert/model/bodies/families.h"

#include <algorithm>
#include <cctype>

#include "alembert/model/bodies/expand.h"

namespace alembert::internal {

namespace {

bool names_an_element(const std::string& word) {
  return word == "from" || word == "to" || word == "on" || word == "joint" || word == "frame";
}

bool is_family(const Statement& s) {
  if (!is_element(s) || !s.label) return false;
  if (s.label->form != Term::Form::name || !s.ranges.empty()) return true;
  return std::any_of(s.items.begin(), s.items.end(), [](const Item& item) {
    return names_an_element(item.target.text) && item.value && item.value->form == Term::Form::index;
  });
}

Term number_term(long value, const Place& place) {
  Term number;
  number.place = place;
  number.text = std::to_string(value < 0 ? -value : value);
  if (value >= 0) return number;
  Term negative;
  negative.form = Term::Form::negate;
  negative.place = place;
  negative.parts.push_back(std::move(number));
  return negative;
}

/// The indices of the statement as the numbers that they have now; those of sums are left.
void put_numbers(Term& term, const Scope& scope, std::vector<std::string>& bound) {
  if (term.form == Term::Form::name) {
    if (std::find(bound.begin(), bound.end(), term.text) != bound.end()) return;
    if (const std::optional<long> value = scope.index_value(term.text)) term = number_term(*value, term.place);
    return;
  }
  const bool sum = term.form == Term::Form::call && term.text == "sum" && term.parts.size() == 2;
  if (sum) bound.push_back(term.parts[0].form == Term::Form::range ? term.parts[0].parts[0].text : term.parts[0].text);
  for (Term& part : term.parts) put_numbers(part, scope, bound);
  if (sum) bound.pop_back();
}

}  // namespace

void put_index_numbers(Term& term, const Scope& scope) {
  std::vector<std::string> bound;
  put_numbers(term, scope, bound);
}

void put_element_name(Term& term, Scope& scope) {
  std::vector<const Term*> indices;
  const Term* root = &term;
  for (; root->form == Term::Form::index; root = &root->parts[0]) indices.insert(indices.begin(), &root->parts[1]);
  if (indices.empty() || root->form != Term::Form::name) return;
  Term name = *root;
  name.place = term.place;
  for (const Term* index : indices) {
    const std::optional<long> number = scope.whole(*index, "an index of '" + root->text + "'");
    if (!number) return;
    const std::size_t hole = name.text.find("[]");
    if (hole == std::string::npos) name.text += "[" + std::to_string(*number) + "]";
    else name.text.insert(hole + 1, std::to_string(*number));
  }
  term = std::move(name);
}

namespace {

void write_out(const Statement& s, Scope& scope, std::vector<Statement>& out) {
  std::vector<const Term*> terms = {&*s.label};
  for (const Item& item : s.items)
    if (item.value) terms.push_back(&*item.value);
  scope.loop(s.ranges, terms, [&](const std::vector<long>& numbers) {
    const std::size_t before = scope.errors.size();
    Statement one = s;
    one.ranges.clear();
    put_element_name(*one.label, scope);
    // A contact that is written once for many has their numbers, as one of a gap has.
    if (s.keyword == "contact" && s.label->form == Term::Form::name)
      for (const long number : numbers) one.label->text += "[" + std::to_string(number) + "]";
    for (Item& item : one.items) {
      if (!item.value) continue;
      if (names_an_element(item.target.text)) put_element_name(*item.value, scope);
      put_index_numbers(*item.value, scope);
    }
    if (scope.errors.size() > before) return false;
    if (out.size() >= most_elements) {
      scope.error(s.label->place, "the model is too large: it has more than 200,000 elements");
      return false;
    }
    out.push_back(std::move(one));
    return true;
  });
}

// Marks that no name of a user holds.
const std::pair<const char*, const char*> marks[] = {{"[", "_Qo_"}, {"]", "_Qc_"}, {"-", "_Qm_"}};

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace

bool has_families_of_elements(const Text& text) {
  return std::any_of(text.statements.begin(), text.statements.end(), is_family);
}

std::vector<std::string> families_of_elements(const Text& text) {
  std::vector<std::string> names;
  for (const Statement& s : text.statements) {
    if (!is_family(s)) continue;
    const Term* root = &*s.label;
    while (root->form == Term::Form::index) root = &root->parts[0];
    names.push_back(root->text);
  }
  return names;
}

Text without_families_of_elements(const Text& text, Scope& scope) {
  Text result;
  result.source = text.source;
  result.comments = text.comments;
  for (const Statement& s : text.statements) {
    if (is_family(s)) write_out(s, scope, result.statements);
    else result.statements.push_back(s);
  }
  return result;
}

// Only brackets before a point: those of entries stay.
std::string with_coded_indices(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    const bool member = text[i] == ']' && i + 2 < text.size() && text[i + 1] == '.' &&
                        std::isalpha(static_cast<unsigned char>(text[i + 2]));
    if (!member) continue;
    std::size_t open = out.size();
    while (open > 0 && (out[open - 1] == ']' || out[open - 1] == '[' || out[open - 1] == '-' ||
                        std::isdigit(static_cast<unsigned char>(out[open - 1]))))
      --open;
    // The digits of the name itself stay: link2[3].
    const std::size_t bracket = out.find('[', open);
    std::string indices = out.substr(bracket);
    for (const auto& [sign, mark] : marks) replace_all(indices, sign, mark);
    out = out.substr(0, bracket) + indices;
  }
  return out;
}

std::string with_plain_indices(const std::string& text) {
  if (text.find("_Q") == std::string::npos) return text;
  std::string out = text;
  for (const auto& [sign, mark] : marks) replace_all(out, mark, sign);
  return out;
}

}  // namespace alembert::internal
