#pragma once

// Expressions as one reads them: sums of terms, each a number times powers of atoms, in the order in which one writes
// them. Made for display only (collect.h); equations that are computed with never pass through here.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "alembert/expr.h"
#include "alembert/expr/print.h"

namespace alembert::internal::form {

/// Factors of a product stand in this order, terms of a sum in the opposite one.
enum class Kind { number, parameter, multiplier, coordinate, function, velocity, acceleration };

struct Factor {
  int atom;  // number in FormTable
  Quad exponent = 1;
  friend bool operator==(const Factor&, const Factor&) = default;
};
/// Factors of different atoms, in the order of reading; exponents are not zero.
struct Term {
  Quad coefficient = 1;
  std::vector<Factor> factors;
};
/// Terms with different factors and coefficients that are not zero, in the order of reading; none is 0.
struct Sum {
  std::vector<Term> terms;
};

bool is_integer(Quad x);
/// 0 where the term does not have the atom.
Quad exponent_of(const Term& term, int atom);
/// Whether two coefficients differ by their sign and rounding only.
bool is_same_size(Quad a, Quad b);
/// What both have in common, each to the lower power; a and b are factors of terms.
std::vector<Factor> shared_factors(const std::vector<Factor>& a, const std::vector<Factor>& b);

struct Atom {
  Op op = Op::symbol;          // symbol, also for a parameter; a function; add for a sum in brackets
  Expr symbol;                 // where it is one
  std::vector<Sum> arguments;  // of the function; the sum in the brackets
  Kind kind = Kind::parameter;
  std::uint32_t rank = 0;  // within its kind
  int cost = 0;            // see FormTable::cost
};

/// The atoms of some forms, equal ones shared, and the arithmetic of forms over them.
class FormTable {
 public:
  LatexNames names;  // how symbols are set

  const Atom& atom(int number) const { return atoms_[number]; }

  int symbol(Expr e, Kind kind, std::uint32_t rank);
  /// A name that stands where another atom stood: in its place in the order of reading. It is a symbol of a graph of
  /// its own, the same one for all of them.
  int name(Expr e, int atom);
  int function(Op op, std::vector<Sum> arguments);
  /// The sum as one factor; its common factors stand before the brackets.
  Term bracket(const Sum& sum);
  /// The sum in brackets as it stands, even where it is one term.
  int whole(const Sum& sum);

  static Sum number(Quad value);
  Sum added(const Sum& a, const Sum& b, int sign = 1) const;
  Term multiplied(const Term& a, const Term& b) const;
  /// Every term of the sum times the term.
  Sum multiplied(const Sum& a, const Term& b) const;
  /// Term by term; nothing where the result would have more than `longest` terms.
  std::optional<Sum> expanded(const Sum& a, const Sum& b, std::size_t longest) const;
  /// Coefficient and exponents to a power: an integer one, or the coefficient is 1.
  Term power(const Term& a, Quad exponent) const;
  /// What all terms have in common: a number where all have the same but for the sign, and factors.
  Term common(const Sum& sum) const;

  /// How much there is to read: two for a name, one for a number, an exponent, a pair of brackets and a term.
  int cost(const Term& term) const;
  int cost(const Sum& sum) const;
  Kind kind(const Term& term) const;
  /// Whether the second atom is the first one or stands in it.
  bool contains(int atom, int part) const;
  /// A text that is the same for equal sums only.
  std::string key(const Sum& sum) const;

 private:
  int intern(const std::string& key, Atom atom);
  bool before_in_product(const Factor& a, const Factor& b) const;
  bool before_in_sum(const Term& a, const Term& b) const;
  void sort(Sum& sum) const;

  std::vector<Atom> atoms_;
  std::map<std::string, int> numbers_;
};

/// sin^2 + cos^2 = 1, wherever that makes fewer terms or lower powers.
Sum without_squares_of_sines(FormTable& table, Sum sum);
/// The same, and sin a cos b + cos a sin b = sin(a + b) and its likes.
Sum with_sums_of_angles(FormTable& table, Sum sum);
/// Common factors taken out, as far as that leaves less to read.
Sum factored(FormTable& table, const Sum& sum);

std::string to_infix(const FormTable& table, const Sum& sum);
/// About how wide LaTeX is when it is set, in letters.
double latex_width(std::string_view text);
/// Pieces between which a line may be broken, so that none is much wider than a line if that can be.
std::vector<std::string> to_latex_pieces(const FormTable& table, const Sum& sum, double line);

}  // namespace alembert::internal::form
