#pragma once

// Names and rows that differ by indices in square brackets only: x[1], x[2], ... are a family x[i].

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace alembert::internal {

/// "x[2].r[1]" is the pattern "x[].r[]" with its indices 2, 1.
std::string pattern_of(const std::string& text, std::vector<long>& indices);

/// Names with the same pattern, in the order in which the first of them comes. A list with gaps is several families of
/// one name.
std::vector<std::vector<std::string>> families(const std::vector<std::string>& names);

/// What changes from text to text of the same pattern: each place is a number, or one of few letters plus a number.
class IndexFamily {
 public:
  /// Rows of indices, all of the same length; nothing where they need more letters than there are.
  static std::optional<IndexFamily> of(const std::vector<std::vector<long>>& rows,
                                       const std::vector<std::string>& letters);

  /// How many letters there are; 0 where all rows are alike.
  std::size_t count() const { return values_.size(); }
  /// Whether every combination of the letters' values is a row.
  bool complete() const { return complete_; }
  /// The place's text: "2", "i", "i+1".
  std::string place(std::size_t k) const;
  /// The values of the letters in a row.
  std::vector<long> values(const std::vector<long>& row) const;
  /// The text with its places in letters, from the given one on: "r[2][1]" as "r[i][1]".
  std::string written(const std::string& text, std::size_t first_place = 0) const;
  /// "i = 2, ..., 9; j = 1, 2, 3".
  std::string range(bool latex) const;
  /// "(i, j)"
  std::string letters() const;

 private:
  struct Place {
    int letter = -1;        // number of the letter; -1: the same in all rows
    long value = 0;         // of the place, or what is added to the letter
    std::size_t first = 0;  // the place that is the letter itself
  };
  std::vector<std::string> letters_;
  std::vector<Place> places_;
  std::vector<std::vector<long>> values_;  // of each letter, ascending
  bool complete_ = false;
};

/// The names in a text of the model language, with the place at which each begins to have indices.
struct NameInText {
  std::string name;
  std::size_t first_place;
};
std::vector<NameInText> names_in(const std::string& text);

}  // namespace alembert::internal
