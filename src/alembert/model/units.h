#pragma once

// Units as a model writes them, and whether they fit together. Inside model/ only.

#include <map>
#include <optional>
#include <string>

namespace alembert::internal {

struct Elaboration;
struct Expansion;

/// A product of powers of base units, times a number: "N" is 1 kg m s^-2.
struct Dimension {
  std::map<std::string, double> powers = {};  // none that is 0
  double scale = 1;

  bool operator==(const Dimension& other) const;
  Dimension times(const Dimension& other, double power = 1) const;
  std::string text() const;   // "'kg*m^2/s^2'"
  std::string shown() const;  // as a column has it: "J", the name of a derived unit of mechanics where there is one
};

struct UnitText {
  std::optional<Dimension> unit;  // nothing where the text is no unit
  std::string hint;               // why, where a word was probably meant otherwise; else ""
};

/// "m/s^2", "N*m", "kg/(m*s)", "1/s". A word that no table knows is a unit of its own ("px", "EUR"), unless it looks
/// like one that is known: another case, a long name, signs without a product ("Nm"), one letter more or less ("kgg").
UnitText read_unit(const std::string& text);

/// That each unit that is written is one.
void check_unit_texts(Elaboration& e);

/// Where units are given, the coordinates of bodies, multipliers, observed values, contacts and the energy get theirs;
/// sums, comparisons and equations of what does not fit are errors at their statements. Numbers and what has no unit
/// fit everything.
void check_units(Elaboration& e, const Expansion& expansion);

}  // namespace alembert::internal
