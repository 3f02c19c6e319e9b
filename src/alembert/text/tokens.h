#pragma once

// From characters to tokens and logical lines. Used by the parser only.

#include <string>
#include <string_view>
#include <vector>

#include "alembert/error.h"

namespace alembert::internal {

struct Token {
  enum class Kind : unsigned char {
    number,
    name,
    string,  // with its quotes
    sign,    // + - * / ^ ' [ ] ( ) , = : .. and . behind ]
    bad,     // what is no token; Tokens::errors[error] says why
    end,     // of the logical line; its place is behind the last token
  };
  Kind kind = Kind::end;
  Place place;
  int error = -1;
  std::string_view text;  // into the source

  bool is(std::string_view sign) const { return kind == Kind::sign && text == sign; }
  bool is_word(std::string_view word) const { return kind == Kind::name && text == word; }
};

/// One statement's tokens [begin, end); tokens[end] is the end token.
struct LogicalLine {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<std::string> comments;  // as in Statement; comments between its lines stand here too
  std::string comment;
};

struct Tokens {
  std::vector<Token> tokens;
  std::vector<LogicalLine> lines;
  std::vector<std::string> comments;  // behind the last line
  std::vector<Diagnostic> errors;     // of the bad tokens
};

/// A line goes on while a bracket is open or after an operator, but never into a line that can only be a statement: an
/// open bracket does not swallow the rest of the text.
/// Returns false, with one error and nothing else, when the source is no text at all.
bool split(const Source& source, Tokens& tokens);

}  // namespace alembert::internal
