#pragma once

// Results as names and values: what is written as JSON, and what other languages hold as lists and dictionaries of
// their own.

#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace alembert {

/// A number, a word, yes or no, nothing (also in place of a number that is not finite), a list, or members with names,
/// in their order.
struct Tree {
  using List = std::vector<Tree>;
  using Members = std::vector<std::pair<std::string, Tree>>;
  std::variant<std::monostate, bool, long, double, std::string, List, Members> value;

  Tree() = default;
  Tree(bool yes) : value(yes) {}
  Tree(int number) : value(static_cast<long>(number)) {}
  Tree(long number) : value(number) {}
  Tree(double number) {
    if (std::isfinite(number)) value = number;
  }
  Tree(const char* word) : value(std::string(word)) {}
  Tree(std::string word) : value(std::move(word)) {}
  Tree(List list) : value(std::move(list)) {}
  Tree(Members members) : value(std::move(members)) {}
  template <class T>
  Tree(const std::vector<T>& list) : value(List(list.begin(), list.end())) {}

  /// The member of this name; null where there is none, and where this has no members.
  const Tree* find(const std::string& name) const;
  /// The same to be written; one that holds nothing is added where there is none. Only for members, and for nothing.
  Tree& operator[](const std::string& name);
};

/// One JSON text on one line.
std::string to_json(const Tree& tree);

}  // namespace alembert
