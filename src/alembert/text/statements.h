#pragma once

// The one table of the language: parser, printer and grammar() all work from it. A new statement is a line in it.

#include <string>
#include <string_view>
#include <vector>

namespace alembert::internal {

/// What follows a keyword. Every shape except text, expression, ranges, method and element may end with "for i = a..b,
/// ...".
enum class Shape {
  text,          // "..."
  names,         // TARGET, ...
  declarations,  // TARGET [= EXPR], ...
  owned,         // TARGET [of TARGET] [= EXPR], ...
  assignments,   // TARGET = EXPR, ...
  matrix,        // EXPR, or TARGET = EXPR, ...
  expression,    // EXPR
  equation,      // [LABEL:] EXPR = EXPR
  watched,       // [NAME:] EXPR
  event,         // [NAME:] EXPR = EXPR [rising|falling]
  condition,     // when EXPR = EXPR [rising|falling], or after EXPR NAME
  reset,         // NAME: TARGET = EXPR, ..., or EXPR = EXPR [rising|falling]: TARGET = EXPR, ...
  ranges,        // i = EXPR..EXPR, ...
  method,        // EXPR [step EXPR] [end EXPR]
  element,       // [KIND] NAME WORD [EXPR | "..."] ...
  component,     // NAME = "..." [with TARGET = EXPR, ...]
  connection,    // [lossy] EXPR = EXPR, ...
  contact,       // NAME: EXPR >= EXPR WORD [EXPR] ..., or NAME from NAME WORD ... to NAME WORD ...
  table,         // NAME(NAME) = "..." [column ...] [KIND], or NAME(NAME) = (EXPR, EXPR), ... [KIND]
};

struct StatementForm {
  std::string_view keyword;
  Shape shape;
  std::string_view description;
  std::string_view example;
  std::string_view kinds = {};  // of an element, separated by blanks; none: there is no KIND
  std::string_view words = {};  // of an element; those that end with '=' have a value, with '"' a text
};

/// "mass= planar" taken apart.
std::vector<std::string> split_words(std::string_view words);

const std::vector<StatementForm>& statement_forms();

/// The form of a keyword, or null.
const StatementForm* find_statement(std::string_view keyword);

/// "parameter TARGET [= EXPR], ... [for RANGES]"
std::string syntax_of(const StatementForm& form);

}  // namespace alembert::internal
