#include "alembert/model/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "alembert/expr/operators.h"

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

void multiply(Dimension& a, const Dimension& b, double power) {
  for (const auto& [unit, exponent] : b.powers) {
    double& sum = a.powers[unit];
    sum += power * exponent;
    if (std::abs(sum) < same) a.powers.erase(unit);
  }
  a.scale *= std::pow(b.scale, power);
}

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

/// What a node of the graph has: a unit, or nothing that is known, or it is a plain number.
struct Measure {
  enum class Is { unknown, number, known } is = Is::unknown;
  Dimension unit;
};

class UnitCheck {
 public:
  /// plain: expressions that count as numbers whatever they are made of.
  UnitCheck(Graph& graph, std::unordered_map<std::uint32_t, Dimension> given, const Exprs& plain)
      : graph_(graph), given_(std::move(given)) {
    for (const Expr one : plain) plain_.insert(one.id());
  }

  /// The unit of an expression; `wrong` says what does not fit, "" where all does.
  Measure of(Expr e, std::string& wrong) {
    for (const std::uint32_t id : reachable(ExprSpan(&e, 1)))
      if (!seen_.contains(id)) seen_.emplace(id, node(id, wrong));
    return seen_.at(e.id());
  }

 private:
  static bool known(const Measure& k) { return k.is == Measure::Is::known; }

  Measure alike(const Measure& a, const Measure& b, std::string& wrong) {
    if (known(a) && known(b) && !(a.unit == b.unit) && wrong.empty())
      wrong = a.unit.text() + " and " + b.unit.text() + " do not fit";
    return known(a) ? a : known(b) ? b : a.is == Measure::Is::unknown ? a : b;
  }

  Measure plain(const Measure& a, Op op, std::string& wrong) {
    if (known(a) && !(a.unit == Dimension{}) && wrong.empty())
      wrong = std::string(operator_of(op).name) + " takes a number, not " + a.unit.text();
    return {Measure::Is::number, {}};
  }

  Measure product(const Measure& a, const Measure& b, double power) {
    if (a.is == Measure::Is::unknown || b.is == Measure::Is::unknown) return {};
    if (!known(a) && !known(b)) return {Measure::Is::number, {}};
    Measure result{Measure::Is::known, a.unit};
    multiply(result.unit, b.unit, power);
    return result;
  }

  Measure node(std::uint32_t id, std::string& wrong) {
    const Node n = graph_.node(id);
    if (n.op == Op::constant || n.op == Op::parameter || plain_.contains(id)) return {Measure::Is::number, {}};
    if (n.op == Op::symbol) {
      const auto found = given_.find(id);
      return found == given_.end() ? Measure{} : Measure{Measure::Is::known, found->second};
    }
    Measure a = seen_.at(n.a), b = operand_count(n.op) == 2 ? seen_.at(n.b) : Measure{};
    switch (n.op) {
      case Op::add:
      case Op::subtract:
      case Op::min:
      case Op::max:
      case Op::hypot: return alike(a, b, wrong);
      case Op::multiply: return product(a, b, 1);
      case Op::divide: return product(a, b, -1);
      case Op::negate:
      case Op::abs: return a;
      case Op::where: return b;
      case Op::sqrt: return raised(a, 0.5);
      case Op::power:
        if (is_constant(Expr(&graph_, n.b))) return raised(a, static_cast<double>(graph_.value(n.b)));
        return a.is == Measure::Is::number ? a : Measure{};
      case Op::atan2: alike(a, b, wrong); return {Measure::Is::number, {}};
      case Op::sign:
      case Op::positive: return {Measure::Is::number, {}};
      default: return plain(a, n.op, wrong);
    }
  }

  static Measure raised(const Measure& a, double power) {
    if (!known(a)) return a;
    Measure result{Measure::Is::known, {}};
    multiply(result.unit, a.unit, power);
    return result;
  }

  Graph& graph_;
  std::unordered_map<std::uint32_t, Dimension> given_;
  std::unordered_map<std::uint32_t, Measure> seen_;
  std::unordered_set<std::uint32_t> plain_;
};

std::unordered_map<std::uint32_t, Dimension> given_units(Elaboration& e, bool& any) {
  std::unordered_map<std::uint32_t, Dimension> units;
  const Dimension second{{{"s", 1}}, 1};
  for (const Declaration& d : e.scope.declarations()) {
    if (d.unit.empty()) continue;
    const std::optional<Dimension> unit = read_unit(d.unit);
    if (!unit) {
      e.scope.error(d.place, "'" + d.unit + "' is no unit", "as in \"kg\", \"m/s^2\", \"N*m\"");
      continue;
    }
    any = true;
    for (const Expr s : d.symbols) units[s.id()] = *unit;
    for (const Expr v : d.velocities) {
      Dimension rate = *unit;
      multiply(rate, second, -1);
      units[v.id()] = rate;
    }
  }
  units[e.scope.t.id()] = second;
  return units;
}

}  // namespace

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
      multiply(result, unit, sign * power);
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

namespace {

/// As a column has it: the name of a derived unit of mechanics where there is one.
std::string shown(const Dimension& unit) {
  for (const char* name : {"N", "J", "W", "Pa"})
    if (unit == unit_named(name)) return name;
  const std::string text = unit.text();
  return text.substr(1, text.size() - 2);
}

void name_units_of_observed(Elaboration& e, UnitCheck& check) {
  std::string ignored;
  for (Block& block : e.model.observed) {
    const auto first = e.model.observed_values.begin() + block.first;
    const Measure unit = check.of(*first, ignored);
    const bool alike = unit.is == Measure::Is::known && std::all_of(first, first + block.size, [&](Expr value) {
                         const Measure other = check.of(value, ignored);
                         return other.is == Measure::Is::known && other.unit == unit.unit;
                       });
    if (alike) block.unit = shown(unit.unit);
  }
}

}  // namespace

namespace {

/// What must have the unit of another: an initial value, what an event sets, a rate, a force.
void check_fit(Elaboration& e, UnitCheck& check, const std::optional<Dimension>& energy) {
  using Fit = Elaboration::Sized::Fit;
  const Dimension second{{{"s", 1}}, 1};
  for (const Elaboration::Sized& one : e.sized) {
    if (one.fit == Fit::none) continue;
    std::string ignored;
    const Measure value = check.of(one.value, ignored), other = check.of(one.other, ignored);
    if (value.is != Measure::Is::known || other.is != Measure::Is::known || !ignored.empty()) continue;
    Dimension wanted = one.fit == Fit::force ? energy.value_or(Dimension{}) : other.unit;
    if (one.fit == Fit::force && !energy) continue;
    if (one.fit == Fit::force) multiply(wanted, other.unit, -1);
    if (one.fit == Fit::rate) multiply(wanted, second, -1);
    if (!(value.unit == wanted))
      e.scope.error(one.place, "the units do not fit: this is " + value.unit.text() + ", and must be " + wanted.text());
  }
}

}  // namespace

void check_units(Elaboration& e) {
  bool any = false;
  UnitCheck check(e.scope.graph(), given_units(e, any), e.scope.table_arguments);
  if (!any) return;
  std::optional<Dimension> energy;
  for (const Elaboration::Sized& one : e.sized) {
    std::string wrong;
    const Measure unit = check.of(one.value, wrong);
    if (!wrong.empty()) e.scope.error(one.place, "the units do not fit: " + wrong);
    if (!one.energy || unit.is != Measure::Is::known) continue;
    if (energy && !(*energy == unit.unit))
      e.scope.error(one.place,
                    "the units do not fit: this energy is " + unit.unit.text() + ", another " + energy->text());
    energy = unit.unit;
  }
  if (energy) e.model.energy_unit = shown(*energy);
  check_fit(e, check, energy);
  name_units_of_observed(e, check);
}

}  // namespace alembert::internal
