#include "alembert/derive/letters.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace alembert::internal {

namespace {

/// "x[2]'" -> "x"
std::string base_of(const std::string& name) { return name.substr(0, name.find_first_of("['")); }

bool is_greek(const std::string& letter) { return letter == "lambda" || letter == "psi" || letter == "mu"; }

bool is_alpha(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

std::string word_at(const std::string& text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_alpha(text[end])) ++end;
  return text.substr(at, end - at);
}

}  // namespace

Name name_of(const std::string& symbol) { return {.text = symbol, .symbol = symbol}; }

Letters::Letters(const std::vector<std::string>& names, const std::vector<std::string>& indices,
                 const std::vector<std::string>& constraints,
                 const std::map<std::string, std::vector<std::string>>& lists) {
  std::set<std::string> bases;
  for (const std::string& name : names) bases.insert(base_of(name));
  const auto is_list_of_itself = [&](const std::string& letter) {
    const auto list = lists.find(letter);
    return list != lists.end() && std::all_of(list->second.begin(), list->second.end(),
                                              [&](const std::string& name) { return base_of(name) == letter; });
  };
  const auto taken = [&](const std::string& letter, const std::vector<std::string>& indexed_by) {
    return (bases.contains(letter) && !is_list_of_itself(letter)) ||
           std::any_of(indexed_by.begin(), indexed_by.end(),
                       [&](const std::string& index) { return bases.contains(letter + "_" + base_of(index)); });
  };
  for (const char* one : {"q",   "y",      "v",  "z", "Z", "p", "f", "N", "r", "g", "k", "c", "E", "t",
                          "psi", "lambda", "mu", "x", "u", "H", "J", "R", "B", "P", "S", "h", "s"}) {
    std::string letter = one;
    while (taken(letter, is_greek(one) ? constraints : indices)) letter += is_greek(one) ? "s" : one;
    if (letter != one) other_[one] = letter;
  }
}

Name Letters::operator()(const std::string& letter) const {
  const auto other = other_.find(letter);
  const std::string plain = is_greek(letter) ? "\\" + letter : letter;
  if (other == other_.end()) return {letter, plain};
  const bool capital = std::isupper(static_cast<unsigned char>(letter[0])) != 0;
  return {other->second, (is_greek(letter) ? "\\boldsymbol{" : capital ? "\\mathcal{" : "\\mathbf{") + plain + "}"};
}

Name Letters::indexed(const std::string& letter, const std::string& symbol) const {
  const Name own = (*this)(letter);
  return {.text = own.text + "_" + symbol, .letter = own.latex, .symbol = symbol};
}

Name Letters::formula(const std::string& text) const {
  Name out;
  for (std::size_t i = 0; i < text.size();) {
    const bool index = text[i] == '_' && i + 1 < text.size() && is_alpha(text[i + 1]);
    const std::string word = word_at(text, index ? i + 1 : i);
    if (word.empty() || (i > 0 && text[i - 1] == '^')) {
      out.text += text[i];
      out.latex += text[i++];
      continue;
    }
    i += word.size() + (index ? 1 : 0);
    if (word == "d" && text.compare(i, 3, "/dt") == 0) {
      out.text += "d/dt";
      out.latex += "\\frac{d}{dt}";
      i += 3;
      continue;
    }
    if (word.size() > 1 && !is_greek(word)) {
      out.text += word;
      out.latex += word == "grad" ? "\\nabla" : "\\mathrm{" + word + "}";
      continue;
    }
    const Name own = (*this)(word);
    const bool rate = i < text.size() && text[i] == '\'';
    if (rate) ++i;
    out.text += (index ? "_" : "") + own.text + (rate ? "'" : "");
    const std::string set = own.latex.size() == 1 ? own.latex : "{" + own.latex + "}";
    if (index) out.latex += "_" + set;
    else if (rate) out.latex += "\\dot" + (own.latex.size() == 1 ? " " + set : set);
    else out.latex += own.latex;
  }
  return out;
}

Name Letters::in_words(const std::string& before, const std::string& formula, const std::string& behind) const {
  const Name own = this->formula(formula);
  return {before + own.text + behind, before + "$" + own.latex + "$" + behind};
}

}  // namespace alembert::internal
