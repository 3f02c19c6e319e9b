// Statements with words of their own: bodies, joints and what acts between them, contacts, tables, components.

#include <algorithm>
#include <utility>

#include "alembert/text/statement_parser.h"

namespace alembert::internal {

namespace {
using Kind = Token::Kind;
}  // namespace

/// joint KIND NAME WORD EXPR ...: the kind in `string`, the name in `label`, the words as items.
void StatementParser::element(const StatementForm& form, Statement& s) {
  const std::vector<std::string> kinds = split_words(form.kinds);
  if (!kinds.empty()) {
    const Token& token = terms_.next();
    if (token.kind != Kind::name) terms_.fail("expected the kind of the " + s.keyword, example(form));
    s.string = token.text;
    if (std::find(kinds.begin(), kinds.end(), s.string) == kinds.end()) {
      const SyntaxFailure failure{token.place, "there is no " + s.keyword + " " + TermParser::quoted(token),
                                  nearest_or_list(s.string, kinds)};
      s.string = nearest_name(s.string, kinds);
      if (s.string.empty()) throw failure;
      report(failure);  // the rest is read as the kind that was meant
    }
    terms_.skip();
  }
  if (terms_.next().kind != Kind::name) terms_.fail("expected the name of the " + s.keyword, example(form));
  Term name = terms_.target();
  const Term* root = &root_of(name);
  // A draw names what there is already.
  if (root->form != Term::Form::name || (root->text.find('.') != std::string::npos && s.keyword != "draw")) {
    throw SyntaxFailure{name.place, "a " + s.keyword + " has a plain name", example(form)};
  }
  s.label = std::move(name);
  element_words(form, s);
}

void StatementParser::element_words(const StatementForm& form, Statement& s) {
  std::vector<std::string> words;
  for (const std::string& word : split_words(form.words)) words.push_back(word);
  while (terms_.next().kind == Kind::name) {
    if (terms_.next().is_word("for")) {
      ranges_behind(s);
      continue;
    }
    const Token& token = terms_.next();
    std::string word(token.text);
    std::vector<std::string> plain;
    for (const std::string& one : words) plain.push_back(one.substr(0, one.find_last_not_of("=\"") + 1));
    if (std::find(plain.begin(), plain.end(), word) == plain.end()) {
      const SyntaxFailure failure{token.place, "a " + s.keyword + " has no " + TermParser::quoted(token),
                                  nearest_or_list(word, plain)};
      word = nearest_name(word, plain);
      if (word.empty()) throw failure;
      report(failure);
    }
    const bool valued = std::find(words.begin(), words.end(), word + "=") != words.end();
    const bool quoted = std::find(words.begin(), words.end(), word + "\"") != words.end();
    Term target = word_at(token);
    target.text = word;
    terms_.skip();
    if (valued && terms_.next().kind == Kind::end) terms_.fail("expected a value behind '" + word + "'", example(form));
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
void StatementParser::contact(const StatementForm& form, Statement& s) {
  if (terms_.next().kind != Kind::name) terms_.fail("expected the name of the contact", example(form));
  Term name = terms_.target();
  const Term* root = &root_of(name);
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
  } else if (terms_.next().kind != Kind::name || terms_.next().is_word("for")) {
    terms_.fail("expected ':', 'from' or 'load'", example(form));
  }
  const std::vector<std::string> words = split_words(form.words);
  while (terms_.next().kind == Kind::name) {
    if (terms_.next().is_word("for")) ranges_behind(s);
    else contact_word(form, words, s);
  }
}

void StatementParser::contact_word(const StatementForm& form, const std::vector<std::string>& words, Statement& s) {
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

/// NAME(NAME) = "file" or points, then column and kind. Points and words are items.
void StatementParser::table(const StatementForm& form, Statement& s) {
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
    s.items.push_back({name_term("file", terms_.next().place), {}, {}});  // where it stands
    terms_.skip();
  } else {
    do {
      const Place place = terms_.next().place;
      s.items.push_back({name_term("point", place), {}, first_term(form)});
    } while (terms_.accept(","));
  }
  while (terms_.next().kind == Kind::name) table_word(form, s);
  if (terms_.next().kind != Kind::end)
    terms_.fail_operand("expected 'linear', 'spline', 'monotone' or the end of the line", example(form));
}

void StatementParser::table_word(const StatementForm& form, Statement& s) {
  const Token& token = terms_.next();
  const bool column = token.is_word("column");
  const auto kind = [](std::string_view text) { return text == "linear" || text == "spline" || text == "monotone"; };
  if (!column && !kind(token.text))
    throw SyntaxFailure{token.place, "a table has no " + TermParser::quoted(token),
                        nearest_or_list(std::string(token.text), {"linear", "spline", "monotone", "column"})};
  if (column && s.string.empty())
    throw SyntaxFailure{token.place, "'column' belongs to a file", "points are (argument, value)"};
  for (const Item& item : s.items)
    if (item.target.text != "point" && item.target.text != "file" && (item.target.text == "column") == column)
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
bool StatementParser::component(const StatementForm& form, Statement& s) {
  if (terms_.next().kind != Kind::name) terms_.fail("expected the name of the component", example(form));
  Term name = terms_.target();
  const Term* root = &root_of(name);
  if (root->form != Term::Form::name || root->text.find('.') != std::string::npos) {
    throw SyntaxFailure{name.place, "a component has a plain name",
                        "a family of them is written: component cell = \"cell.alm\" for i = 1..N"};
  }
  s.label = std::move(name);
  if (!terms_.accept("=")) terms_.fail("expected '='", example(form));
  if (terms_.next().kind != Kind::string) terms_.fail("expected the file of the component in quotes", example(form));
  s.string = unquoted(terms_.next().text);
  terms_.skip();
  angle_.reset();
  axis_.reset();
  if (component_words(form, s)) return true;
  if (terms_.next().kind != Kind::end)
    terms_.fail("expected 'at', 'rotated', 'with', 'for' or the end of the line", example(form));
  return false;
}

/// What follows the file, in any order; true where 'with' was there, whose list then has been read and all behind it.
bool StatementParser::component_words(const StatementForm& form, Statement& s) {
  while (terms_.next().kind == Kind::name) {
    if (terms_.next().is_word("for")) {
      ranges_behind(s);
    } else if (terms_.next().is_word("with")) {
      if (!s.items.empty()) throw SyntaxFailure{terms_.next().place, "'with' is given twice", "names go on by commas"};
      terms_.skip();
      list(form, s);
      return true;
    } else if (!placement(s)) {
      break;
    }
  }
  if (axis_ && !angle_)
    throw SyntaxFailure{axis_->place, "'about' belongs to 'rotated'", "as in: rotated 20*deg about (0, 0, 1)"};
  return false;
}

/// at EXPR, rotated EXPR, about EXPR: where an assembly stands, in `left` and as a pair in `right`. `turned` is the
/// older word for rotated. False where none of them stands here.
bool StatementParser::placement(Statement& s) {
  const Token& word = terms_.next();
  const bool at = word.is_word("at"), about = word.is_word("about");
  if (!at && !about && !word.is_word("rotated") && !word.is_word("turned")) return false;
  std::optional<Term>& given = at ? s.left : about ? axis_ : angle_;
  if (given) throw SyntaxFailure{word.place, "'" + std::string(word.text) + "' is given twice", ""};
  terms_.skip();
  given = terms_.term();
  if (at || !angle_) return true;
  s.right = Term{Term::Form::tuple, angle_->place, "", {*angle_}};
  if (axis_) s.right->parts.push_back(*axis_);
  return true;
}

Term StatementParser::word_at(const Token& token) { return name_term(std::string(token.text), token.place); }

std::string StatementParser::nearest_or_list(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest_name(word, known);
  if (!near.empty()) return "did you mean '" + near + "'?";
  std::string hint = "one of";
  for (std::size_t i = 0; i < known.size(); ++i) hint += (i == 0 ? " " : ", ") + known[i];
  return hint;
}

std::string StatementParser::unquoted(std::string_view quoted) {
  const std::string_view body = quoted.substr(1, quoted.size() - 2);
  std::string text;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] == '\\' && i + 1 < body.size() && (body[i + 1] == '"' || body[i + 1] == '\\')) ++i;
    text += body[i];
  }
  return text;
}

}  // namespace alembert::internal
