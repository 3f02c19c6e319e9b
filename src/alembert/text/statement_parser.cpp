#include "alembert/text/statement_parser.h"

#include <utility>

namespace alembert::internal {

namespace {

using Kind = Token::Kind;

constexpr std::size_t most_errors = 10000;  // rubbish of gigabytes must not fill the memory with messages

std::string keyword_hint(const std::string& word, const Token& next) {
  std::vector<std::string> keywords;
  for (const StatementForm& form : statement_forms()) keywords.emplace_back(form.keyword);
  const std::string near = nearest_name(word, keywords);
  if (!near.empty()) return "did you mean '" + near + "'?";
  if (next.is("=")) return "write 'parameter " + word + " = ...' or 'let " + word + " = ...'";
  std::string hint = "a statement starts with one of";
  for (std::size_t i = 0; i < keywords.size(); ++i) hint += (i == 0 ? " " : ", ") + keywords[i];
  return hint;
}

}  // namespace

std::string example(const StatementForm& form) { return "as in: " + std::string(form.example); }

std::vector<Statement> StatementParser::statements() {
  std::vector<Statement> statements;
  const std::size_t most = errors_.size() + most_errors;
  for (const LogicalLine& line : tokens_.lines) {
    if (errors_.size() >= most) break;
    statement(line, statements);
  }
  return statements;
}

void StatementParser::statement(const LogicalLine& line, std::vector<Statement>& statements) {
  Statement s;
  s.comments = line.comments;
  s.comment = line.comment;
  failed_ = false;
  terms_.start(line.begin);
  try {
    const StatementForm& form = keyword(s);
    body(form, s);
  } catch (const SyntaxFailure& failure) {
    report(failure);
    // Half an element is none; a list keeps the items that were read.
    const StatementForm* form = find_statement(s.keyword);
    const bool list = form && form->words.empty() && form->shape != Shape::table;
    if (!list) s.items.clear();
  }
  if (!failed_ || !s.items.empty()) statements.push_back(std::move(s));
}

void StatementParser::report(const SyntaxFailure& failure) {
  if (!failed_) errors_.push_back({source_, failure.place, failure.message, failure.hint});
  failed_ = true;
}

const StatementForm& StatementParser::keyword(Statement& s) {
  const Token& token = terms_.next();
  if (token.kind != Kind::name) {
    const bool joins =
        token.kind == Kind::sign && std::string_view("+-*/^,=").find(token.text) != std::string_view::npos;
    const bool comment = token.is("/") && (terms_.next(1).is("/") || terms_.next(1).is("*"));
    const std::string hint = comment ? "a comment starts with '#'"
                                     : "a line goes on after an operator, not before it: "
                                       "put it at the end of the line above";
    terms_.fail("expected a statement", joins ? hint : "");
  }
  s.keyword = token.text;
  s.place = token.place;
  const StatementForm* form = find_statement(token.text);
  if (!form) {
    const Token& next = terms_.next(1);
    throw SyntaxFailure{token.place, "unknown statement " + TermParser::quoted(token), keyword_hint(s.keyword, next)};
  }
  terms_.skip();
  return *form;
}

void StatementParser::body(const StatementForm& form, Statement& s) {
  switch (form.shape) {
    case Shape::text:
      if (terms_.next().kind != Kind::string) terms_.fail("expected a quoted text", example(form));
      s.string = unquoted(terms_.next().text);
      terms_.skip();
      break;
    case Shape::names:
    case Shape::declarations:
    case Shape::owned:
    case Shape::assignments: list(form, s); return;
    case Shape::matrix: {
      const std::size_t start = terms_.position();
      Term whole = first_term(form);
      if (terms_.next().is("=")) {
        terms_.start(start);
        list(form, s);
        return;
      }
      s.left = std::move(whole);
      break;
    }
    case Shape::expression: s.left = first_term(form); break;
    case Shape::condition:
      if (terms_.accept_word("after")) {
        stop_after(form, s);
        break;
      }
      if (!terms_.accept_word("when")) terms_.fail("expected 'when' or 'after'", example(form));
      s.left = first_term(form);
      equals(form, s);
      break;
    case Shape::reset: reset(form, s); return;
    case Shape::equation:
    case Shape::event:
      if (form.keyword == "auxiliary" && first_guess(form, s)) break;
      labelled(form, s);
      equals(form, s);
      break;
    case Shape::watched:
      if (terms_.next().is(":")) terms_.fail("expected a name before ':'", example(form));
      labelled(form, s);
      if (form.keyword == "observe" && !s.label)
        throw SyntaxFailure{s.left->place, "what is observed needs a name before ':'", example(form)};
      ranges_behind(s);
      break;
    case Shape::ranges: s.ranges = terms_.ranges(example(form)); break;
    case Shape::method: method(form, s); break;
    case Shape::element: element(form, s); break;
    case Shape::component:
      if (component(form, s)) return;
      break;
    case Shape::connection:
      if (terms_.next().is_word("lossy")) {
        s.string = "lossy";
        terms_.skip();
      }
      list(form, s);
      return;
    case Shape::contact: contact(form, s); break;
    case Shape::table: table(form, s); break;
  }
  terms_.expect_end();
}

Term StatementParser::first_term(const StatementForm& form) {
  if (terms_.next().kind == Kind::end) terms_.fail("expected an expression", example(form));
  return terms_.term();
}

/// auxiliary s = 1: EXPR = EXPR; false, and nothing read, where no first guess stands there.
bool StatementParser::first_guess(const StatementForm& form, Statement& s) {
  const std::size_t start = terms_.position();
  Item item;
  item.target = first_term(form);
  const bool named = item.target.form == Term::Form::name || item.target.form == Term::Form::index;
  if (named && terms_.accept("=")) {
    item.value = terms_.term();
    if (terms_.accept(":")) {
      s.label = item.target;
      s.items.push_back(std::move(item));
      s.left = terms_.term();
      equals(form, s);
      return true;
    }
  }
  terms_.start(start);
  return false;
}

void StatementParser::labelled(const StatementForm& form, Statement& s) {
  Term first = first_term(form);
  if (!terms_.accept(":")) {
    s.left = std::move(first);
    return;
  }
  const bool multipliers = form.shape == Shape::equation && first.form == Term::Form::call;
  const bool indexed = form.keyword == "auxiliary" || form.keyword == "observe" || form.keyword == "event";
  if (indexed && first.form == Term::Form::index) {
    s.label = std::move(first);
    s.left = terms_.term();
    return;
  }
  if (first.form != Term::Form::name && !multipliers) {
    throw SyntaxFailure{first.place, "what stands before ':' must be a name", example(form)};
  }
  for (const Term& part : first.parts) {
    const bool named = part.form == Term::Form::name;
    if (!named) throw SyntaxFailure{part.place, "a multiplier is given by its name", example(form)};
  }
  s.label = std::move(first);
  s.left = terms_.term();
}

/// The right side of an equation, and for what it is written.
void StatementParser::equals(const StatementForm& form, Statement& s) {
  const bool moment = form.shape == Shape::event || form.shape == Shape::condition;
  if (moment) refuse_comparison("expected '='");
  if (form.shape == Shape::condition && s.left->form == Term::Form::name && terms_.next().kind == Kind::end)
    terms_.fail("expected '='", "an event stops the run by: stop after 1 " + s.left->text);
  if (!terms_.accept("=")) terms_.fail_operand("expected '='", example(form));
  s.right = terms_.term();
  if (moment) direction(s, "the end of the line");
  ranges_behind(s);
}

/// An event is a moment, not the time for which something holds.
void StatementParser::refuse_comparison(const std::string& expected) {
  for (const char* sign : {"<", ">", "<=", ">="})
    if (terms_.next().is(sign))
      terms_.fail(expected, std::string("an event is the moment at which two sides become equal: write '=', and '") +
                                (sign[0] == '>' ? "rising" : "falling") + "' behind it");
}

void StatementParser::direction(Statement& s, const std::string& behind) {
  const Token& token = terms_.next();
  if (token.kind != Kind::name || token.is_word("for")) return;
  if (!token.is_word("rising") && !token.is_word("falling")) {
    const std::string near = nearest_name(std::string(token.text), {"rising", "falling"});
    terms_.fail(
        "expected " + behind + ", 'rising' or 'falling'",
        near.empty() ? "rising: left minus right grows there; falling: it falls" : "did you mean '" + near + "'?");
  }
  s.string = token.text;
  terms_.skip();
}

/// after EXPR NAME: how many in `left`, the event in `label`.
void StatementParser::stop_after(const StatementForm& form, Statement& s) {
  s.string = "after";
  s.left = first_term(form);
  if (terms_.next().kind != Kind::name)
    terms_.fail_operand("expected the name of an event", "as in: stop after 10 hit");
  s.label = terms_.target();
}

/// NAME: ... or EXPR = EXPR: ..., and a list of assignments.
void StatementParser::reset(const StatementForm& form, Statement& s) {
  Term first = first_term(form);
  const bool named = first.form == Term::Form::name || first.form == Term::Form::index;
  if (named && terms_.next().is(":")) {
    s.label = std::move(first);
  } else {
    s.left = std::move(first);
    refuse_comparison("expected '=' or ':'");
    if (!terms_.accept("=")) terms_.fail_operand("expected '=' or ':'", example(form));
    s.right = terms_.term();
    direction(s, "':'");
  }
  if (!terms_.accept(":")) terms_.fail_operand("expected ':'", example(form));
  list(form, s);
}

void StatementParser::ranges_behind(Statement& s) {
  const Place place = terms_.next().place;
  if (!terms_.accept_word("for")) return;
  if (!s.ranges.empty()) throw SyntaxFailure{place, "'for' is given twice", "as in: for i = 1..N, j = 1..i"};
  s.ranges = terms_.ranges("as in: for i = 1..N");
}

void StatementParser::list(const StatementForm& form, Statement& s) {
  for (bool more = true; more;) {
    const std::size_t start = terms_.position();
    try {
      item(form, s);
      more = terms_.accept(",");
      if (more) continue;
      if (form.shape == Shape::component) component_words(form, s);
      else ranges_behind(s);
      if (terms_.next().kind != Kind::end) after_item(form, s);
    } catch (const SyntaxFailure& failure) {
      report(failure);
      more = terms_.skip_to_comma(start);
    }
  }
}

void StatementParser::item(const StatementForm& form, Statement& s) {
  if (form.shape == Shape::connection) {
    Term left = first_term(form);
    if (!terms_.accept("=")) terms_.fail_operand("expected '='", example(form));
    s.items.push_back({std::move(left), {}, terms_.term()});
    return;
  }
  const Token& token = terms_.next();
  if (token.kind != Kind::name) {
    const bool vector = token.kind == Kind::number && !s.items.empty() && s.items.back().value;
    terms_.fail("expected a name", vector ? "a vector is written with brackets: (1, 0, 0)" : example(form));
  }
  s.items.push_back({terms_.target(), {}, {}});
  Item& item = s.items.back();
  if (form.shape == Shape::owned && terms_.accept_word("of")) {
    if (terms_.next().kind != Kind::name) terms_.fail("expected the name of a coordinate", example(form));
    item.owner = terms_.target();
  }
  const bool valued = form.shape == Shape::assignments || form.shape == Shape::matrix ||
                      form.shape == Shape::component || form.shape == Shape::reset;
  const bool changed = terms_.next().kind == Kind::sign && terms_.next(1).is("=") &&
                       std::string_view("+-*/").find(terms_.next().text) != std::string_view::npos;
  if (valued && changed) terms_.fail("expected '='", "write it out: n = n " + std::string(terms_.next().text) + " 1");
  if (valued && !terms_.next().is("=")) terms_.fail_operand("expected '='", example(form));
  if (form.shape != Shape::names && terms_.accept("=")) item.value = terms_.term();
  const bool measured = form.shape == Shape::declarations || form.shape == Shape::owned;
  if (measured && terms_.next().kind == Kind::string) {
    item.unit = unquoted(terms_.next().text);
    if (item.unit.empty())
      throw SyntaxFailure{terms_.next().place, "the unit is empty", "as in: parameter m = 3 \"kg\""};
    terms_.skip();
  }
}

void StatementParser::after_item(const StatementForm& form, const Statement& s) {
  const Token& token = terms_.next();
  const std::string expected = "expected ',' or the end of the line";
  const bool measured = form.shape == Shape::declarations || form.shape == Shape::owned;
  if (measured && s.items.back().value && s.items.back().unit.empty() && token.kind == Kind::name &&
      terms_.next(-1).kind == Kind::number && (terms_.next(1).kind == Kind::end || terms_.next(1).is(",")))
    terms_.fail("expected an operator, ',' or the end of the line",
                "between factors write '*'; a unit stands in quotes: \"" + std::string(token.text) + "\"");
  if (s.items.back().value) terms_.fail_operand("expected an operator, ',' or the end of the line");
  if (token.kind == Kind::name && !token.is_word("of")) terms_.fail(expected, "names are separated by commas");
  if (token.is("=") || token.is_word("of")) terms_.fail(expected, example(form));
  terms_.fail_operand(expected);
}

void StatementParser::method(const StatementForm& form, Statement& s) {
  const auto put = [&](std::string name, const Place& place, Term value) {
    s.items.push_back({name_term(std::move(name), place), {}, std::move(value)});
  };
  const Place place = terms_.next().place;
  put("method", place, first_term(form));
  while (terms_.next().is_word("step") || terms_.next().is_word("end")) {
    const Token& word = terms_.next();
    const std::string name(word.text);
    for (const Item& item : s.items) {
      if (item.target.text == name) throw SyntaxFailure{word.place, "'" + name + "' is given twice", example(form)};
    }
    terms_.skip();
    put(name, word.place, terms_.term());
  }
  const Kind kind = terms_.next().kind;
  if (kind == Kind::name || kind == Kind::number) {
    terms_.fail("expected 'step', 'end' or the end of the line", example(form));
  }
}

}  // namespace alembert::internal
