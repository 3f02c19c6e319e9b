#include "alembert/model/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>
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

Dimension unit_named(const std::string& name) {
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
  return {{{name, 1}}, 1};
}

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

std::optional<Dimension> read_unit(const std::string& text) {
  Dimension result;
  double sign = 1;
  bool expects = true;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == ' ') {
      ++i;
    } else if (!expects && (c == '*' || c == '/')) {
      sign = c == '/' ? -1 : 1;
      expects = true;
      ++i;
    } else if (expects && c == '1') {
      expects = false;
      ++i;
    } else if (std::isalpha(static_cast<unsigned char>(c)) || c == '%') {
      std::size_t end = i + 1;
      while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end]))) ++end;
      const Dimension unit = unit_named(text.substr(i, end - i));
      double power = 1;
      if (end < text.size() && text[end] == '^') {
        std::size_t used = 0;
        const std::string rest = text.substr(end + 1);
        if (rest.empty() || (!std::isdigit(static_cast<unsigned char>(rest[0])) && rest[0] != '-')) return {};
        power = std::stod(rest, &used);
        end += 1 + used;
      }
      result = result.times(unit, sign * power);
      sign = 1;
      expects = false;
      i = end;
    } else {
      return {};
    }
  }
  if (expects && !text.empty()) return {};
  return result;
}

std::string Dimension::shown() const {
  for (const char* name : {"N", "J", "W", "Pa"})
    if (*this == unit_named(name)) return name;
  const std::string quoted = text();
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace alembert::internal
