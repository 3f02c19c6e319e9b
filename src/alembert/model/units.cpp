#include "alembert/model/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>
#include <vector>

namespace alembert::internal {

namespace {

constexpr double same = 1e-9;  // of scales and powers: rounding of a few operations

struct KnownUnit {
  const char* name;
  const char* as;  // in base units
  double scale;
};
const KnownUnit known_units[] = {{"m", "m", 1},
                                 {"s", "s", 1},
                                 {"kg", "kg", 1},
                                 {"g", "kg", 1e-3},
                                 {"A", "A", 1},
                                 {"K", "K", 1},
                                 {"mol", "mol", 1},
                                 {"cd", "cd", 1},
                                 {"N", "kg m s-2", 1},
                                 {"J", "kg m2 s-2", 1},
                                 {"W", "kg m2 s-3", 1},
                                 {"Pa", "kg m-1 s-2", 1},
                                 {"bar", "kg m-1 s-2", 1e5},
                                 {"Hz", "s-1", 1},
                                 {"V", "kg m2 s-3 A-1", 1},
                                 {"C", "A s", 1},
                                 {"Ohm", "kg m2 s-3 A-2", 1},
                                 {"F", "kg-1 m-2 s4 A2", 1},
                                 {"H", "kg m2 s-2 A-2", 1},
                                 {"T", "kg s-2 A-1", 1},
                                 {"Wb", "kg m2 s-2 A-1", 1},
                                 {"rad", "", 1},
                                 {"deg", "", std::numbers::pi / 180},
                                 {"rev", "", 2 * std::numbers::pi},
                                 {"rpm", "s-1", std::numbers::pi / 30},
                                 {"min", "s", 60},
                                 {"h", "s", 3600},
                                 {"t", "kg", 1000},
                                 {"l", "m3", 1e-3},
                                 {"%", "", 0.01}};
const std::pair<char, double> prefixes[] = {{'k', 1e3},  {'M', 1e6},  {'G', 1e9},  {'m', 1e-3},
                                            {'u', 1e-6}, {'n', 1e-9}, {'c', 1e-2}, {'d', 1e-1}};

Dimension base_of(const KnownUnit& unit) {
  Dimension result;
  std::string word;
  for (const char c : std::string(unit.as) + " ") {
    if (c != ' ') {
      word += c;
      continue;
    }
    const std::size_t digits = word.find_first_of("-0123456789");
    if (!word.empty())
      result.powers[word.substr(0, digits)] = digits == std::string::npos ? 1 : std::stod(word.substr(digits));
    word.clear();
  }
  result.scale = unit.scale;
  return result;
}

/// With a prefix or without; nothing where no table knows it.
std::optional<Dimension> known_unit(const std::string& name) {
  const auto find = [](const std::string& word) -> const KnownUnit* {
    for (const KnownUnit& unit : known_units)
      if (word == unit.name) return &unit;
    return nullptr;
  };
  if (const KnownUnit* unit = find(name)) return base_of(*unit);
  for (const auto& [sign, factor] : prefixes)
    if (name.size() > 1 && name[0] == sign)
      if (const KnownUnit* unit = find(name.substr(1))) {
        Dimension result = base_of(*unit);
        result.scale *= factor;
        return result;
      }
  return {};
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Names of units where their signs are wanted, without the s of a plural.
const std::pair<const char*, const char*> long_names[] = {
    {"meter", "m"},    {"metre", "m"},  {"sec", "s"},         {"second", "s"}, {"gram", "g"},     {"kilogram", "kg"},
    {"kilo", "kg"},    {"newton", "N"}, {"joule", "J"},       {"watt", "W"},   {"pascal", "Pa"},  {"hertz", "Hz"},
    {"volt", "V"},     {"ampere", "A"}, {"amp", "A"},         {"ohm", "Ohm"},  {"farad", "F"},    {"henry", "H"},
    {"tesla", "T"},    {"weber", "Wb"}, {"coulomb", "C"},     {"kelvin", "K"}, {"radian", "rad"}, {"degree", "deg"},
    {"minute", "min"}, {"hour", "h"},   {"hr", "h"},          {"litre", "l"},  {"liter", "l"},    {"ton", "t"},
    {"tonne", "t"},    {"turn", "rev"}, {"revolution", "rev"}};

/// "N*m" for "Nm": signs that were written without a product; "" where it does not fall into signs.
std::string with_products(const std::string& word) {
  for (std::size_t size = word.size() - 1; size > 0; --size) {
    const std::string first = word.substr(0, size), rest = word.substr(size);
    const std::optional<Dimension> one = known_unit(first), other = known_unit(rest);
    if (one && other && one->powers != other->powers) return first + "*" + rest;
  }
  return "";
}

/// Whether one letter more, less or another makes one word of the other; their first letters are the same.
bool one_letter_apart(const std::string& a, const std::string& b) {
  if (a[0] != b[0] || a.size() > b.size() + 1 || b.size() > a.size() + 1) return false;
  std::size_t head = 0, tail = 0;
  const std::size_t shorter = std::min(a.size(), b.size()), longer = std::max(a.size(), b.size());
  while (head < shorter && a[head] == b[head]) ++head;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  return longer - head - tail <= 1;
}

/// The sign that was probably meant by a word that no table knows; "" where it may be a unit of its own.
std::string probably_meant(const std::string& word) {
  std::string small = lower(word);
  for (const int plural : {0, 1}) {
    if (plural == 1 && !small.ends_with('s')) break;
    if (plural == 1) small.pop_back();
    for (const auto& [name, sign] : long_names)
      if (small == name) return sign;
  }
  std::vector<std::string> signs;
  for (const KnownUnit& unit : known_units) {
    signs.emplace_back(unit.name);
    for (const char* prefix : {"k", "m", "c"}) signs.push_back(prefix + std::string(unit.name));
  }
  for (const std::string& sign : signs)
    if (sign.size() > 1 && lower(sign) == lower(word)) return sign;
  if (std::string product = with_products(word); !product.empty()) return product;
  constexpr std::size_t shortest = 3;  // words of two letters are all alike
  for (const std::string& sign : signs)
    if (word.size() >= shortest && sign.size() > 1 && one_letter_apart(word, sign)) return sign;
  return "";
}

/// Reads a unit from left to right.
class UnitReader {
 public:
  explicit UnitReader(const std::string& text) : text_(text) {}

  UnitText whole() {
    UnitText result;
    if (text_.find_first_not_of(' ') == std::string::npos) return {Dimension{}, ""};
    result.unit = product();
    skip();
    if (at_ < text_.size()) result.unit.reset();
    result.hint = hint_;
    return result;
  }

 private:
  static constexpr int deepest = 20;  // brackets in brackets
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  /// A space between two units is a product, too.
  std::optional<Dimension> product() {
    std::optional<Dimension> result = factor();
    while (result) {
      const std::size_t behind = at_;
      skip();
      if (at_ == text_.size() || text_[at_] == ')') return result;
      const bool by = take('/');
      if (!by && !take('*') && at_ == behind) return {};
      const std::optional<Dimension> next = factor();
      if (!next) return {};
      result = result->times(*next, by ? -1 : 1);
    }
    return result;
  }
  std::optional<Dimension> factor() {
    std::optional<Dimension> base;
    if (take('(')) {
      if (++depth_ > deepest) return {};
      base = product();
      --depth_;
      if (!base || !take(')')) return {};
    } else {
      base = word();
    }
    if (!base || at_ >= text_.size() || text_[at_] != '^') return base;
    ++at_;
    const std::optional<double> exponent = power();
    if (!exponent) return {};
    return Dimension{}.times(*base, *exponent);
  }
  std::optional<Dimension> word() {
    if (take('1')) return Dimension{};
    const std::size_t first = at_;
    while (at_ < text_.size() && (std::isalpha(static_cast<unsigned char>(text_[at_])) || text_[at_] == '%')) ++at_;
    if (at_ == first) return {};
    const std::string name = text_.substr(first, at_ - first);
    if (std::optional<Dimension> known = known_unit(name)) return known;
    const std::string meant = probably_meant(name);
    if (!meant.empty() && hint_.empty()) hint_ = "no unit is called '" + name + "': did you mean '" + meant + "'?";
    if (!meant.empty()) return {};
    return Dimension{{{name, 1}}, 1};
  }
  /// A plain number.
  std::optional<double> power() {
    constexpr double largest = 100;  // no formula has such a power; a slip of the key has
    double value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [behind, wrong] = std::from_chars(text_.data() + at_, end, value, std::chars_format::fixed);
    if (wrong != std::errc() || !(std::abs(value) <= largest)) return {};
    at_ = static_cast<std::size_t>(behind - text_.data());
    return value;
  }

  const std::string& text_;
  std::string hint_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Dimension Dimension::times(const Dimension& other, double power) const {
  Dimension result = *this;
  for (const auto& [unit, exponent] : other.powers) {
    double& sum = result.powers[unit];
    sum += power * exponent;
    if (std::abs(sum) < same) result.powers.erase(unit);
  }
  result.scale *= std::pow(other.scale, power);
  return result;
}

bool Dimension::operator==(const Dimension& other) const {
  if (std::abs(scale / other.scale - 1) > same || powers.size() != other.powers.size()) return false;
  for (const auto& [unit, power] : powers) {
    const auto found = other.powers.find(unit);
    if (found == other.powers.end() || std::abs(found->second - power) > same) return false;
  }
  return true;
}

std::string Dimension::text() const {
  std::string above, below;
  for (const auto& [unit, power] : powers) {
    std::string& side = power > 0 ? above : below;
    side += (side.empty() ? "" : "*") + unit;
    if (std::abs(power) != 1) side += fmt::format("^{:g}", std::abs(power));
  }
  if (above.empty()) above = "1";
  const std::string number = std::abs(scale - 1) > same ? fmt::format("{:g} ", scale) : "";
  return "'" + number + above +
         (below.empty() ? "" : "/" + (below.find('*') == std::string::npos ? below : "(" + below + ")")) + "'";
}

UnitText read_unit(const std::string& text) { return UnitReader(text).whole(); }

std::string Dimension::shown() const {
  for (const char* name : {"N", "J", "W", "Pa"})
    if (*this == *known_unit(name)) return name;
  const std::string quoted = text();
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace alembert::internal
