#pragma once

// Statements from terms. Private to text/.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "alembert/text/lookup.h"
#include "alembert/text/statements.h"
#include "alembert/text/syntax.h"
#include "alembert/text/terms.h"
#include "alembert/text/tokens.h"

namespace alembert::internal {

/// "as in: " and the example of the form.
std::string example(const StatementForm& form);

/// Statements over terms. A list statement is read item by item, so that one broken item does not hide the names that
/// the others declare; still there is one message a statement.
class StatementParser {
 public:
  StatementParser(const std::shared_ptr<const Source>& source, const Tokens& tokens, std::vector<Diagnostic>& errors)
      : source_(source), tokens_(tokens), errors_(errors), terms_(tokens) {}

  std::vector<Statement> statements();

 private:
  void statement(const LogicalLine& line, std::vector<Statement>& statements);
  void report(const SyntaxFailure& failure);
  const StatementForm& keyword(Statement& s);
  void body(const StatementForm& form, Statement& s);
  Term first_term(const StatementForm& form);
  bool first_guess(const StatementForm& form, Statement& s);
  void labelled(const StatementForm& form, Statement& s);
  void equals(const StatementForm& form, Statement& s);
  void direction(Statement& s, const std::string& behind);
  void refuse_comparison(const std::string& expected);
  void stop_after(const StatementForm& form, Statement& s);
  void reset(const StatementForm& form, Statement& s);
  void ranges_behind(Statement& s);
  void list(const StatementForm& form, Statement& s);
  void item(const StatementForm& form, Statement& s);
  [[noreturn]] void after_item(const StatementForm& form, const Statement& s);
  void method(const StatementForm& form, Statement& s);

  // Those with words of their own (element_statements.cpp).
  void element(const StatementForm& form, Statement& s);
  void element_words(const StatementForm& form, Statement& s);
  void contact(const StatementForm& form, Statement& s);
  void contact_word(const StatementForm& form, const std::vector<std::string>& words, Statement& s);
  void table(const StatementForm& form, Statement& s);
  void table_word(const StatementForm& form, Statement& s);
  bool component(const StatementForm& form, Statement& s);
  bool component_words(const StatementForm& form, Statement& s);
  bool placement(Statement& s);
  static Term word_at(const Token& token);
  static std::string nearest_or_list(const std::string& word, const std::vector<std::string>& known);
  static std::string unquoted(std::string_view quoted);

  std::shared_ptr<const Source> source_;
  const Tokens& tokens_;
  std::vector<Diagnostic>& errors_;
  TermParser terms_;
  std::optional<Term> angle_, axis_;  // of the component that is being read
  bool failed_ = false;
};

}  // namespace alembert::internal
