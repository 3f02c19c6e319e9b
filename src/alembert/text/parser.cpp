#include <algorithm>
#include <utility>

#include "alembert/text/statements.h"
#include "alembert/text/syntax.h"
#include "alembert/text/terms.h"
#include "alembert/text/tokens.h"

namespace alembert::internal {
namespace {

using Kind = Token::Kind;

constexpr std::size_t most_errors = 10000;  // rubbish of gigabytes must not fill the memory with messages

std::string example(const StatementForm& form) { return "as in: " + std::string(form.example); }

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

/// Statements over terms. A list statement is read item by item, so that one broken item does not hide the names that
/// the others declare; still there is one message a statement.
class StatementParser {
 public:
  StatementParser(const std::shared_ptr<const Source>& source, const Tokens& tokens, std::vector<Diagnostic>& errors)
      : source_(source), tokens_(tokens), errors_(errors), terms_(tokens) {}

  std::vector<Statement> statements() {
    std::vector<Statement> statements;
    const std::size_t most = errors_.size() + most_errors;
    for (const LogicalLine& line : tokens_.lines) {
      if (errors_.size() >= most) break;
      statement(line, statements);
    }
    return statements;
  }

 private:
  void statement(const LogicalLine& line, std::vector<Statement>& statements) {
    Statement s;
    s.comments = line.comments;
    s.comment = line.comment;
    failed_ = false;
    terms_.start(line.begin);
    try {
      const StatementForm& form = keyword(s);
      body(form, s);
    } catch (const SyntaxFailure& failure) { report(failure); }
    if (!failed_ || !s.items.empty()) statements.push_back(std::move(s));
  }

  void report(const SyntaxFailure& failure) {
    if (!failed_) errors_.push_back({source_, failure.place, failure.message, failure.hint});
    failed_ = true;
  }

  const StatementForm& keyword(Statement& s) {
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

  void body(const StatementForm& form, Statement& s) {
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

  Term first_term(const StatementForm& form) {
    if (terms_.next().kind == Kind::end) terms_.fail("expected an expression", example(form));
    return terms_.term();
  }

  /// auxiliary s = 1: EXPR = EXPR; false, and nothing read, where no first guess stands there.
  bool first_guess(const StatementForm& form, Statement& s) {
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

  void labelled(const StatementForm& form, Statement& s) {
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
  void equals(const StatementForm& form, Statement& s) {
    if (!terms_.accept("=")) terms_.fail_operand("expected '='", example(form));
    s.right = terms_.term();
    if (form.shape == Shape::event || form.shape == Shape::condition) direction(s);
    ranges_behind(s);
  }

  void direction(Statement& s) {
    if (!terms_.next().is_word("rising") && !terms_.next().is_word("falling")) return;
    s.string = terms_.next().text;
    terms_.skip();
  }

  /// after EXPR NAME: how many in `left`, the event in `label`.
  void stop_after(const StatementForm& form, Statement& s) {
    s.string = "after";
    s.left = first_term(form);
    if (terms_.next().kind != Kind::name)
      terms_.fail_operand("expected the name of an event", "as in: stop after 10 hit");
    s.label = terms_.target();
  }

  /// NAME: ... or EXPR = EXPR: ..., and a list of assignments.
  void reset(const StatementForm& form, Statement& s) {
    Term first = first_term(form);
    const bool named = first.form == Term::Form::name || first.form == Term::Form::index;
    if (named && terms_.next().is(":")) {
      s.label = std::move(first);
    } else {
      s.left = std::move(first);
      if (!terms_.accept("=")) terms_.fail_operand("expected '=' or ':'", example(form));
      s.right = terms_.term();
      direction(s);
    }
    if (!terms_.accept(":")) terms_.fail_operand("expected ':'", example(form));
    list(form, s);
  }

  void ranges_behind(Statement& s) {
    if (terms_.accept_word("for")) s.ranges = terms_.ranges("as in: for i = 1..N");
  }

  void list(const StatementForm& form, Statement& s) {
    for (bool more = true; more;) {
      const std::size_t start = terms_.position();
      try {
        item(form, s);
        more = terms_.accept(",");
        if (more) continue;
        ranges_behind(s);
        if (terms_.next().kind != Kind::end) after_item(form, s);
      } catch (const SyntaxFailure& failure) {
        report(failure);
        more = terms_.skip_to_comma(start);
      }
    }
  }

  void item(const StatementForm& form, Statement& s) {
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

  [[noreturn]] void after_item(const StatementForm& form, const Statement& s) {
    const Token& token = terms_.next();
    const std::string expected = "expected ',' or the end of the line";
    if (s.items.back().value) terms_.fail_operand("expected an operator, ',' or the end of the line");
    if (token.kind == Kind::name && !token.is_word("of")) terms_.fail(expected, "names are separated by commas");
    if (token.is("=") || token.is_word("of")) terms_.fail(expected, example(form));
    terms_.fail_operand(expected);
  }

  void method(const StatementForm& form, Statement& s) {
    const auto put = [&](std::string name, const Place& place, Term value) {
      Term target;
      target.form = Term::Form::name;
      target.text = std::move(name);
      target.place = place;
      s.items.push_back({std::move(target), {}, std::move(value)});
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

  /// joint KIND NAME WORD EXPR ...: the kind in `string`, the name in `label`, the words as items.
  void element(const StatementForm& form, Statement& s) {
    const std::vector<std::string> kinds = split_words(form.kinds);
    if (!kinds.empty()) {
      const Token& token = terms_.next();
      if (token.kind != Kind::name) terms_.fail("expected the kind of the " + s.keyword, example(form));
      s.string = token.text;
      if (std::find(kinds.begin(), kinds.end(), s.string) == kinds.end()) {
        throw SyntaxFailure{token.place, "there is no " + s.keyword + " " + TermParser::quoted(token),
                            nearest_or_list(s.string, kinds)};
      }
      terms_.skip();
    }
    if (terms_.next().kind != Kind::name) terms_.fail("expected the name of the " + s.keyword, example(form));
    Term name = terms_.target();
    const Term* root = &name;
    while (root->form == Term::Form::index) root = &root->parts[0];
    // A draw names what there is already.
    if (root->form != Term::Form::name || (root->text.find('.') != std::string::npos && s.keyword != "draw")) {
      throw SyntaxFailure{name.place, "a " + s.keyword + " has a plain name", example(form)};
    }
    s.label = std::move(name);
    element_words(form, s);
    ranges_behind(s);
  }

  void element_words(const StatementForm& form, Statement& s) {
    std::vector<std::string> words;
    for (const std::string& word : split_words(form.words)) words.push_back(word);
    while (terms_.next().kind == Kind::name && !terms_.next().is_word("for")) {
      const Token& token = terms_.next();
      std::string word(token.text);
      const bool valued = std::find(words.begin(), words.end(), word + "=") != words.end();
      const bool quoted = std::find(words.begin(), words.end(), word + "\"") != words.end();
      if (!valued && !quoted && std::find(words.begin(), words.end(), word) == words.end()) {
        std::vector<std::string> plain;
        for (const std::string& one : words) plain.push_back(one.substr(0, one.find_last_not_of("=\"") + 1));
        throw SyntaxFailure{token.place, "a " + s.keyword + " has no " + TermParser::quoted(token),
                            nearest_or_list(word, plain)};
      }
      Term target;
      target.form = Term::Form::name;
      target.text = word;
      target.place = token.place;
      terms_.skip();
      if (valued && terms_.next().kind == Kind::end)
        terms_.fail("expected a value behind '" + word + "'", example(form));
      if (quoted && terms_.next().kind != Kind::string)
        terms_.fail("expected a text in quotes behind '" + word + "'", example(form));
      s.items.push_back({std::move(target), {}, {}});
      if (valued) s.items.back().value = terms_.term();
      if (!quoted) continue;
      s.items.back().unit = unquoted(terms_.next().text);
      terms_.skip();
    }
  }

  /// NAME: EXPR >= EXPR, or NAME from ... to ...; then words with their values, as items. `along` is one for each slip.
  void contact(const StatementForm& form, Statement& s) {
    if (terms_.next().kind != Kind::name) terms_.fail("expected the name of the contact", example(form));
    Term name = terms_.target();
    const Term* root = &name;
    while (root->form == Term::Form::index) root = &root->parts[0];
    if (root->form != Term::Form::name || root->text.find('.') != std::string::npos)
      throw SyntaxFailure{name.place, "a contact has a plain name", example(form)};
    s.label = std::move(name);
    if (terms_.accept(":")) {
      s.left = first_term(form);
      const Token& sign = terms_.next();
      if (!sign.is(">=") && !sign.is("<=")) terms_.fail_operand("expected '>='", example(form));
      s.string = sign.text;
      terms_.skip();
      s.right = terms_.term();
    } else if (!terms_.next().is_word("from")) {
      terms_.fail("expected ':' or 'from'", example(form));
    }
    const std::vector<std::string> words = split_words(form.words);
    while (terms_.next().kind == Kind::name && !terms_.next().is_word("for")) contact_word(form, words, s);
    ranges_behind(s);
  }

  void contact_word(const StatementForm& form, const std::vector<std::string>& words, Statement& s) {
    const Token& token = terms_.next();
    const std::string word(token.text);
    const bool valued = std::find(words.begin(), words.end(), word + "=") != words.end();
    if (!valued && std::find(words.begin(), words.end(), word) == words.end()) {
      std::vector<std::string> plain;
      for (const std::string& one : words) plain.push_back(one.back() == '=' ? one.substr(0, one.size() - 1) : one);
      throw SyntaxFailure{token.place, "a contact has no " + TermParser::quoted(token), nearest_or_list(word, plain)};
    }
    static const std::vector<std::string> sides = {"point", "axis", "sphere", "box", "disk", "ellipsoid", "plane"};
    const bool of_a_side = std::find(sides.begin(), sides.end(), word) != sides.end();
    for (const Item& item : s.items)
      if (item.target.text == word && !of_a_side)
        throw SyntaxFailure{token.place, "'" + word + "' is given twice", example(form)};
    const Term target = word_at(token);
    terms_.skip();
    if (valued && terms_.next().kind == Kind::end) terms_.fail("expected a value behind '" + word + "'", example(form));
    do {
      s.items.push_back({target, {}, {}});
      if (valued) s.items.back().value = terms_.term();
    } while (word == "along" && terms_.accept(","));
  }

  static Term word_at(const Token& token) {
    Term term;
    term.form = Term::Form::name;
    term.text = token.text;
    term.place = token.place;
    return term;
  }

  /// NAME(NAME) = "file" or points, then column and kind. Points and words are items.
  void table(const StatementForm& form, Statement& s) {
    if (terms_.next().kind != Kind::name) terms_.fail("expected the name of the table", example(form));
    Term name = terms_.target();
    const bool sound = name.form == Term::Form::call && name.parts.size() == 1 &&
                       name.parts[0].form == Term::Form::name && name.text.find('.') == std::string::npos;
    if (!sound) throw SyntaxFailure{name.place, "a table is a function of one argument", example(form)};
    s.label = std::move(name);
    if (!terms_.accept("=")) terms_.fail_operand("expected '='", example(form));
    if (terms_.next().kind == Kind::string) {
      s.string = unquoted(terms_.next().text);
      if (s.string.empty()) throw SyntaxFailure{terms_.next().place, "the name of the file is empty", example(form)};
      terms_.skip();
    } else {
      do {
        Term target;
        target.form = Term::Form::name;
        target.text = "point";
        target.place = terms_.next().place;
        s.items.push_back({std::move(target), {}, first_term(form)});
      } while (terms_.accept(","));
    }
    while (terms_.next().kind == Kind::name) table_word(form, s);
    if (terms_.next().kind != Kind::end)
      terms_.fail_operand("expected 'linear', 'spline', 'monotone' or the end of the line", example(form));
  }

  void table_word(const StatementForm& form, Statement& s) {
    const Token& token = terms_.next();
    const bool column = token.is_word("column");
    const auto kind = [](std::string_view text) { return text == "linear" || text == "spline" || text == "monotone"; };
    if (!column && !kind(token.text))
      throw SyntaxFailure{token.place, "a table has no " + TermParser::quoted(token),
                          nearest_or_list(std::string(token.text), {"linear", "spline", "monotone", "column"})};
    if (column && s.string.empty())
      throw SyntaxFailure{token.place, "'column' belongs to a file", "points are (argument, value)"};
    for (const Item& item : s.items)
      if (item.target.text != "point" && (item.target.text == "column") == column)
        throw SyntaxFailure{token.place, column ? "'column' is given twice" : "the kind of a table is given twice",
                            example(form)};
    s.items.push_back({word_at(token), {}, {}});
    terms_.skip();
    if (!column) return;
    const Token& which = terms_.next();
    if (which.kind != Kind::number && which.kind != Kind::name && which.kind != Kind::string)
      terms_.fail("expected the number or the name of a column", example(form));
    Term value = word_at(which);
    if (which.kind == Kind::number) value.form = Term::Form::number;
    if (which.kind == Kind::string) value.text = unquoted(which.text);
    terms_.skip();
    s.items.back().value = std::move(value);
  }

  /// NAME = "file" [with ...]; true where a list has been read to the end.
  bool component(const StatementForm& form, Statement& s) {
    if (terms_.next().kind != Kind::name) terms_.fail("expected the name of the component", example(form));
    Term name = terms_.target();
    const Term* root = &name;
    while (root->form == Term::Form::index) root = &root->parts[0];
    if (root->form != Term::Form::name || root->text.find('.') != std::string::npos) {
      throw SyntaxFailure{name.place, "a component has a plain name",
                          "a family of them is written: component cell = \"cell.alm\" for i = 1..N"};
    }
    s.label = std::move(name);
    if (!terms_.accept("=")) terms_.fail("expected '='", example(form));
    if (terms_.next().kind != Kind::string) terms_.fail("expected the file of the component in quotes", example(form));
    s.string = unquoted(terms_.next().text);
    terms_.skip();
    placement(s);
    if (terms_.accept_word("with")) {
      list(form, s);
      return true;
    }
    ranges_behind(s);
    if (terms_.next().kind != Kind::end)
      terms_.fail("expected 'at', 'turned', 'with', 'for' or the end of the line", example(form));
    return false;
  }

  /// at EXPR, turned EXPR about EXPR: where an assembly stands, in `left` and as a pair in `right`.
  void placement(Statement& s) {
    while (terms_.next().is_word("at") || terms_.next().is_word("turned")) {
      const Token& word = terms_.next();
      const bool at = word.is_word("at");
      if (at ? s.left.has_value() : s.right.has_value())
        throw SyntaxFailure{word.place, "'" + std::string(word.text) + "' is given twice", ""};
      terms_.skip();
      Term first = terms_.term();
      if (at) {
        s.left = std::move(first);
        continue;
      }
      Term pair;
      pair.form = Term::Form::tuple;
      pair.place = first.place;
      pair.parts.push_back(std::move(first));
      if (terms_.accept_word("about")) pair.parts.push_back(terms_.term());
      s.right = std::move(pair);
    }
  }

  static std::string nearest_or_list(const std::string& word, const std::vector<std::string>& known) {
    const std::string near = nearest_name(word, known);
    if (!near.empty()) return "did you mean '" + near + "'?";
    std::string hint = "one of";
    for (std::size_t i = 0; i < known.size(); ++i) hint += (i == 0 ? " " : ", ") + known[i];
    return hint;
  }

  static std::string unquoted(std::string_view quoted) {
    const std::string_view body = quoted.substr(1, quoted.size() - 2);
    std::string text;
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (body[i] == '\\' && i + 1 < body.size() && (body[i + 1] == '"' || body[i + 1] == '\\')) ++i;
      text += body[i];
    }
    return text;
  }

  std::shared_ptr<const Source> source_;
  const Tokens& tokens_;
  std::vector<Diagnostic>& errors_;
  TermParser terms_;
  bool failed_ = false;
};

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
