#include "alembert/derive/indices.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace alembert::internal {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_of_name(char c) { return begins_name(c) || is_digit(c) || c == '.' || c == '[' || c == ']' || c == '\''; }

std::size_t brackets_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '['));
}

/// Whether all combinations of the indices between the smallest and the largest are there.
bool without_gaps(const std::vector<std::vector<long>>& members) {
  double all = 1;
  for (std::size_t k = 0; k < members[0].size(); ++k) {
    long least = members[0][k], most = least;
    for (const std::vector<long>& indices : members) {
      least = std::min(least, indices[k]);
      most = std::max(most, indices[k]);
    }
    all *= static_cast<double>(most - least + 1);
  }
  return all == static_cast<double>(members.size());
}

/// "2, ..., 9"
std::string list_of(const std::vector<long>& values, bool latex) {
  const long first = values.front(), last = values.back();
  const bool run = last - first + 1 == static_cast<long>(values.size());
  if (run && values.size() > 3)
    return std::to_string(first) + (latex ? ", \\dots, " : ", ..., ") + std::to_string(last);
  std::string text;
  for (const long value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

}  // namespace

std::string pattern_of(const std::string& text, std::vector<long>& indices) {
  std::string pattern;
  for (std::size_t i = 0; i < text.size(); ++i) {
    pattern += text[i];
    if (text[i] != '[') continue;
    long index = 0;
    while (i + 1 < text.size() && is_digit(text[i + 1])) index = 10 * index + (text[++i] - '0');
    indices.push_back(index);
  }
  return pattern;
}

std::vector<std::vector<std::string>> families(const std::vector<std::string>& names) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> of_pattern;
  std::map<std::string, std::vector<std::vector<long>>> indices_of;
  for (const std::string& name : names) {
    std::vector<long> indices;
    const std::string pattern = pattern_of(name, indices);
    if (!of_pattern.contains(pattern)) order.push_back(pattern);
    of_pattern[pattern].push_back(name);
    indices_of[pattern].push_back(indices);
  }
  std::vector<std::vector<std::string>> all;
  for (const std::string& pattern : order) {
    if (without_gaps(indices_of[pattern])) all.push_back(of_pattern[pattern]);
    else
      for (const std::string& name : of_pattern[pattern]) all.push_back({name});
  }
  return all;
}

std::optional<IndexFamily> IndexFamily::of(const std::vector<std::vector<long>>& rows,
                                           const std::vector<std::string>& letters) {
  IndexFamily family;
  family.letters_ = letters;
  std::vector<std::size_t> first_of_letter;
  const auto run_together = [&](std::size_t a, std::size_t b) {
    return std::all_of(rows.begin(), rows.end(),
                       [&](const auto& row) { return row[a] - row[b] == rows[0][a] - rows[0][b]; });
  };
  for (std::size_t k = 0; k < rows[0].size(); ++k) {
    Place place{-1, rows[0][k], k};
    if (!std::all_of(rows.begin(), rows.end(), [&](const auto& row) { return row[k] == rows[0][k]; })) {
      std::size_t letter = 0;
      while (letter < first_of_letter.size() && !run_together(k, first_of_letter[letter])) ++letter;
      if (letter == letters.size()) return {};
      if (letter == first_of_letter.size()) first_of_letter.push_back(k);
      place = {static_cast<int>(letter), rows[0][k] - rows[0][first_of_letter[letter]], first_of_letter[letter]};
    }
    family.places_.push_back(place);
  }
  std::set<std::vector<long>> distinct;
  double combinations = 1;
  for (const std::size_t first : first_of_letter) {
    std::set<long> values;
    for (const auto& row : rows) values.insert(row[first]);
    family.values_.emplace_back(values.begin(), values.end());
    combinations *= static_cast<double>(values.size());
  }
  for (const auto& row : rows) distinct.insert(family.values(row));
  if (distinct.size() != rows.size()) return {};  // two rows that are the same
  family.complete_ = combinations == static_cast<double>(rows.size());
  return family;
}

std::string IndexFamily::place(std::size_t k) const {
  const Place& place = places_[k];
  if (place.letter < 0) return std::to_string(place.value);
  const std::string& letter = letters_[static_cast<std::size_t>(place.letter)];
  if (place.value == 0) return letter;
  return letter + (place.value > 0 ? "+" : "-") + std::to_string(std::abs(place.value));
}

std::vector<long> IndexFamily::values(const std::vector<long>& row) const {
  std::vector<long> values;
  for (std::size_t k = 0; k < places_.size(); ++k)
    if (places_[k].letter == static_cast<int>(values.size()) && places_[k].first == k) values.push_back(row[k]);
  return values;
}

std::string IndexFamily::written(const std::string& text, std::size_t first_place) const {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] != '[') continue;
    while (i + 1 < text.size() && is_digit(text[i + 1])) ++i;
    result += place(first_place++);
  }
  return result;
}

std::string IndexFamily::range(bool latex) const {
  std::string text;
  for (std::size_t k = 0; k < values_.size(); ++k)
    text += (text.empty() ? "" : latex ? ",\\; " : "; ") + letters_[k] + " = " + list_of(values_[k], latex);
  return text;
}

std::string IndexFamily::letters() const {
  std::string text;
  for (std::size_t k = 0; k < values_.size(); ++k) text += (text.empty() ? "" : ", ") + letters_[k];
  return "(" + text + ")";
}

std::vector<NameInText> names_in(const std::string& text) {
  std::vector<NameInText> names;
  std::size_t places = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (begins_name(text[i])) {
      std::size_t end = i;
      while (end < text.size() && is_of_name(text[end])) ++end;
      names.push_back({text.substr(i, end - i), places});
      places += brackets_in(names.back().name);
      i = end;
    } else if (is_digit(text[i])) {  // 1e-12 has no name in it
      while (i < text.size() && (is_digit(text[i]) || text[i] == '.')) ++i;
      if (i + 1 < text.size() && text[i] == 'e' &&
          (is_digit(text[i + 1]) || text[i + 1] == '-' || text[i + 1] == '+')) {
        i += 2;
        while (i < text.size() && is_digit(text[i])) ++i;
      }
    } else {
      ++i;
    }
  }
  return names;
}

}  // namespace alembert::internal
