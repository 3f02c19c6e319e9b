#pragma once

// The names of a model: what kind of thing each of them is, and what has been said of it.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "alembert/model/model.h"
#include "alembert/model/scope/value.h"

namespace alembert::internal {

struct Table;     // model/tables.h
class Piecewise;  // expr/piecewise.h

enum class Kind {
  parameter,
  family,
  coordinate,
  momentum,
  variable,
  multiplier,
  quantity,
  let,
  function,
  state,
  input,
  output,
  component
};
const char* kind_name(Kind kind);

/// One entry that can be given a value at the start.
struct Start {
  Quad value = 0;
  Expr expression;  // of parameters, and of what was given before it; empty: 0
  bool given = false, overridden = false, pinned = false;
  bool inherited = false;  // given by a component, so the model around it may give another
};

/// A value from --set for a parameter, or for one entry of it.
struct Replacement {
  const Term* target;
  const Term* value;
  std::shared_ptr<const Source> source;
};

struct Declaration {
  enum class State { untouched, active, done };
  Kind kind = Kind::let;
  std::string name;
  std::string unit;  // as written; "" where none is given
  Place place;
  State state = State::untouched;  // of what is worked out on first use
  bool bad = false;                // an error was reported; uses stay silent
  bool ready = false;              // shape and symbols are known

  const Term* target = nullptr;  // as declared
  const Term* definition = nullptr;
  const Statement* statement = nullptr;
  ArrayShape shape;
  std::vector<long> origin;  // first index of each dimension; empty: all 1
  Exprs symbols, velocities;
  Exprs definitions;  // parameter: its values as expressions of others
  std::vector<Start> start, start_velocity;
  std::vector<Replacement> replacements;

  long first = 1, last = 0;            // family
  std::vector<std::string> arguments;  // function; let over families: its indices
  std::vector<std::pair<long, long>> argument_ranges;
  std::shared_ptr<const Table> table;           // function: of one argument, by its values
  const Piecewise* table_function = nullptr;    // the same, where the table is good
  std::function<Value(const Place& use)> made;  // let: what works it out where there is no text of it
  Value value;                                  // let, quantity
  std::map<std::vector<long>, Value> members;   // let over families
  std::set<std::vector<long>> active_members;

  Declaration* partner = nullptr;  // coordinate <-> momentum
  Exprs rate, reaction;            // general form, empty Expr where not given
  bool is_z = false;
  bool auxiliary = false;  // a coordinate that an equation determines
  bool closed = false;     // and the equation says s = EXPR without s on its right
  bool imported = false;   // the name of a component's: entries may be expressions

  int size() const { return shape_size(shape); }
};

/// A declared thing, or a part of it, that a target such as q[2]' means.
struct Target {
  Declaration* declaration = nullptr;
  bool primed = false;
  int offset = 0;
  ArrayShape shape;
};

}  // namespace alembert::internal
