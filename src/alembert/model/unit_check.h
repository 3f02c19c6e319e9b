#pragma once

// The units of expressions. Inside model/ only.

#include <optional>
#include <string>
#include <unordered_map>

#include "alembert/expr.h"
#include "alembert/model/units.h"

namespace alembert::internal {

/// What an expression has: a unit, or nothing that is known, or it is a plain number, which fits everything.
struct Measure {
  enum class Is { unknown, number, known } is = Is::unknown;
  Dimension unit = {};
  bool of_time = false;  // the time alone, whose unit nobody gave: a number in a product with it may have any

  static Measure of(const std::optional<Dimension>& unit);
  static Measure number() { return {Is::number, {}}; }
  bool known() const { return is == Is::known; }
  /// Of a product with a power of the other.
  Measure times(const Measure& other, double power = 1) const;
};

class UnitCheck {
 public:
  explicit UnitCheck(Graph& graph) : graph_(graph) {}

  /// What an expression has, whatever it is made of. Counts for what is asked afterwards.
  void give(Expr e, const Measure& measure) { seen_[e.id()] = measure; }
  /// The unit of an expression; `wrong` says what does not fit, unchanged where all does.
  Measure of(Expr e, std::string& wrong);
  /// The same where it does not matter what is wrong.
  Measure of(Expr e);

 private:
  Measure node(std::uint32_t id, std::string& wrong) const;

  Graph& graph_;
  std::unordered_map<std::uint32_t, Measure> seen_;
};

/// The units that the elements of a model are made of.
struct ElementUnits {
  std::optional<Dimension> length, mass;
  std::optional<Dimension> energy() const;
};

/// What the words of bodies, joints, springs, loads and motors must have is checked, each by what it is; the
/// coordinates of bodies get theirs.
ElementUnits check_element_units(Elaboration& e, const Expansion& expansion, UnitCheck& check);
/// Forces and torques that elements have made.
void give_reactions(Elaboration& e, const Expansion& expansion, UnitCheck& check, const ElementUnits& units);

}  // namespace alembert::internal
