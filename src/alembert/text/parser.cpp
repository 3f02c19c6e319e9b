#include <utility>

#include "alembert/text/statement_parser.h"
#include "alembert/text/syntax.h"
#include "alembert/text/terms.h"
#include "alembert/text/tokens.h"

namespace alembert::internal {

namespace {

using Kind = Token::Kind;

/// Runs `read` over a source that holds one thing, as options do.
template <class Read>
auto parse_one(const std::shared_ptr<const Source>& source, Read read) {
  check(source != nullptr, "a parser needs a source");
  Tokens tokens;
  const auto reject = [&](const Place& place, std::string message, std::string hint) {
    return InputError({Diagnostic{source, place, std::move(message), std::move(hint)}});
  };
  if (!split(*source, tokens)) {
    throw reject(tokens.errors[0].place, tokens.errors[0].message, tokens.errors[0].hint);
  }
  if (tokens.lines.empty()) {
    tokens.tokens.emplace_back();
    tokens.tokens.back().place = {1, 1, 1};
    tokens.lines.emplace_back();
  }
  try {
    TermParser terms(tokens);
    terms.start(tokens.lines[0].begin);
    auto result = read(terms);
    terms.expect_end();
    if (tokens.lines.size() > 1) {
      terms.start(tokens.lines[1].begin);
      terms.fail("expected the end of the text");
    }
    return result;
  } catch (const SyntaxFailure& failure) { throw reject(failure.place, failure.message, failure.hint); }
}

}  // namespace

Text parse(const std::shared_ptr<const Source>& source, std::vector<Diagnostic>& errors) {
  check(source != nullptr, "a parser needs a source");
  Text text;
  text.source = source;
  Tokens tokens;
  if (!split(*source, tokens)) {
    for (Diagnostic& error : tokens.errors) {
      error.source = source;
      errors.push_back(std::move(error));
    }
    return text;
  }
  text.statements = StatementParser(source, tokens, errors).statements();
  text.comments = std::move(tokens.comments);
  return text;
}

Text parse(const std::shared_ptr<const Source>& source) {
  std::vector<Diagnostic> errors;
  Text text = parse(source, errors);
  if (!errors.empty()) throw InputError(std::move(errors));
  return text;
}

Item parse_assignment(const std::shared_ptr<const Source>& source) {
  return parse_one(source, [](TermParser& terms) {
    if (terms.next().kind != Kind::name) terms.fail("expected a name", "as in: x1' = 10");
    Item item{terms.target(), {}, {}};
    if (!terms.accept("=")) terms.fail("expected '='", "as in: x1' = 10");
    item.value = terms.term();
    return item;
  });
}

Term parse_term(const std::shared_ptr<const Source>& source) {
  return parse_one(source, [](TermParser& terms) { return terms.term(); });
}

}  // namespace alembert::internal
