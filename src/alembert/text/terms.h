#pragma once

// Terms from tokens: the part of the parser that knows precedence. Statements are in statement_parser.cpp.

#include <string>
#include <string_view>
#include <vector>

#include "alembert/text/syntax.h"
#include "alembert/text/tokens.h"

namespace alembert::internal {

/// What is wrong with a statement; never leaves the parser.
struct SyntaxFailure {
  Place place;
  std::string message;
  std::string hint;
};

/// Reads the tokens of one logical line from left to right. Recursion is bounded, and so is the height of the trees
/// that it makes: whoever walks them may recurse.
class TermParser {
 public:
  explicit TermParser(const Tokens& tokens) : tokens_(tokens) {}

  void start(std::size_t position);
  std::size_t position() const { return at_; }
  /// The token that comes next, or one further on or back in the same line.
  const Token& next(int ahead = 0) const;
  void skip() { ++at_; }
  bool accept(std::string_view sign);
  bool accept_word(std::string_view word);
  /// Goes behind the next comma that stands outside all brackets opened since `start`; false when there is none.
  bool skip_to_comma(std::size_t start);

  Term term();
  /// A term, a comparison, or several of them with and, or, not: what if(...) takes first.
  Term condition();
  /// A name with what is attached to it: x, q[2]', f(a, b).
  Term target();
  /// i = a..b, j = c..d
  std::vector<Range> ranges(const std::string& hint);
  void expect_end();

  /// Throws SyntaxFailure: "expected ..., found ..." at the next token. A bad token says itself what is wrong.
  [[noreturn]] void fail(const std::string& expected, const std::string& hint = {}) const;
  /// The same where an operand has just ended, so that an operator may have been forgotten.
  [[noreturn]] void fail_operand(const std::string& expected, const std::string& hint = {}) const;

  /// 'text' as it stands in messages, shortened.
  static std::string quoted(const Token& token);

 private:
  class Level;

  Term product();
  Term unary();
  Term power();
  Term postfix();
  Term primary();
  Term name();
  void member(Term& term, std::size_t start);
  void member_call(Term& term, std::size_t start);
  Term argument();
  Term conjunction();
  Term negation();
  Term comparison();
  Term words(std::string_view word, Term::Form form, Term (TermParser::*part)());
  Term called(std::size_t start, std::string name);
  Term chain(std::string_view signs, Term (TermParser::*part)());
  std::vector<Term> list(std::size_t opening, std::string_view closing, Term (TermParser::*part)());
  void close(std::size_t opening, std::string_view closing);
  void grow(int height);
  Term make(Term::Form form, std::size_t start, std::string text, std::vector<Term> parts) const;

  const Tokens& tokens_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  int depth_ = 0;              // open levels of the recursion
  int height_ = 0;             // of the term read last
  bool in_condition_ = false;  // brackets may hold comparisons
};

}  // namespace alembert::internal
