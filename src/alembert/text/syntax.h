#pragma once

// The tree of a model text. It knows no mathematics: names are not looked up, sizes not checked.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alembert/error.h"

namespace alembert::internal {

/// An expression as written. Chains of one precedence are flat, so that long sums are wide and never deep:
/// a - b + c is {chain, "-+", {a, b, c}}; a*b/c is {chain, "*/", {a, b, c}}.
struct Term {
  enum class Form {
    number,  // text is the literal
    name,    // text is the name; "cell[].q" with an index for each [] around it: cell[2].q
    prime,   // parts[0]'            (x', q[2]')
    index,   // parts[0][parts[1]]   (one bracket; r[i][3] is an index of an index)
    call,    // text(parts...)
    tuple,   // (parts...), at least two
    negate,  // -parts[0]
    chain,   // parts joined by the characters of text: all of "+-" or all of "*/"
    power,   // parts[0]^parts[1]
    range,   // parts[0] = parts[1]..parts[2], only as argument of a call: sum(i = 1..N, ...)
    // Only between the brackets of if(...):
    compare,   // parts with the signs of text between them: "<" or "<= <" for 0 <= x < 1
    both,      // parts[0] and parts[1] and ...
    either,    // parts[0] or parts[1] or ...
    opposite,  // not parts[0]
  };
  Form form = Form::number;
  Place place;  // of the whole term; of the operator for a chain or power is not kept
  std::string text;
  std::vector<Term> parts;
};

/// Places do not count: two texts that mean the same compare equal.
bool operator==(const Term& a, const Term& b);

/// "target [of owner] [= value]": one entry of a list statement. x[3] declares a vector, r[i][3] a family of them,
/// f(a, b) a function; in initial, rate and force the target is an expression such as q[2]'.
struct Item {
  Term target;
  std::optional<Term> owner;  // momentum p of q
  std::optional<Term> value;
  std::string unit = {};  // parameter m = 3 "kg"; "" where none is given
};
bool operator==(const Item& a, const Item& b);

/// "for i = 2..N" behind a statement, and the range of family.
struct Range {
  Term index;  // a name
  Term first, last;
};
bool operator==(const Range& a, const Range& b);

/// One statement. What is filled depends on the keyword; the table in statements.h says which. solve has the items
/// method, step and end. Comments between the lines of a statement count as standing before it.
struct Statement {
  std::string keyword;                // "constraint"
  Place place;                        // of the keyword
  std::string string;                 // model, source, component, table: the quoted text; connect: "lossy" or nothing
  std::optional<Term> label;          // constraint NAME: / NAME(multiplier): / conserve NAME: / component NAME
  std::vector<Item> items;            // lists of declarations and assignments; connect: equations
  std::optional<Term> left, right;    // constraint left = right; kinetic, potential ... : left
  std::vector<Range> ranges;          // for i = a..b [, j = c..d]; family
  std::vector<std::string> comments;  // before it, whole lines without '#': "" is a blank line, " " an empty comment
  std::string comment;                // behind it on its last line
};
bool operator==(const Statement& a, const Statement& b);

/// A whole text. `comments` are those behind the last statement.
struct Text {
  std::shared_ptr<const Source> source;
  std::vector<Statement> statements;
  std::vector<std::string> comments;
};
bool operator==(const Text& a, const Text& b);

/// Reads a text; throws InputError with every error that it holds. Never recurses deeper than a fixed limit.
Text parse(const std::shared_ptr<const Source>& source);
/// As parse, but appends what is wrong to `errors` and returns the statements that could be read; of a broken list
/// statement the items that could be read, so that the names which it declares are known.
Text parse(const std::shared_ptr<const Source>& source, std::vector<Diagnostic>& errors);
/// Reads "x1' = 10" as overrides of a model are written; source names where it stands in messages.
Item parse_assignment(const std::shared_ptr<const Source>& source);
/// Reads a single expression ("sin(3)").
Term parse_term(const std::shared_ptr<const Source>& source);

/// Canonical text: parse(print(x)) == x.
std::string print(const Text& text);
std::string print(const Statement& statement);
std::string print(const Term& term);

/// The grammar, generated from the table that the parser itself works from (docs/language.md holds it).
std::string grammar();

}  // namespace alembert::internal
