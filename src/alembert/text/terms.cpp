#include "alembert/text/terms.h"

#include <algorithm>
#include <utility>

namespace alembert::internal {
namespace {

using Kind = Token::Kind;
using Form = Term::Form;

constexpr int deepest = 200;   // brackets, signs and powers inside each other
constexpr int highest = 1200;  // levels of a tree: a bracket may hold a few

/// "1." and "1.e5" lose their point, so that a printed number never runs into a following "..".
std::string number_text(std::string_view text) {
  std::string out(text);
  const std::size_t point = out.find('.');
  if (point == std::string::npos) return out;
  const char after = point + 1 < out.size() ? out[point + 1] : 'e';
  if (after == 'e' || after == 'E') out.erase(point, 1);
  return out;
}

bool is_comparison(const Token& token) {
  return token.is("<") || token.is(">") || token.is("<=") || token.is(">=") || token.is("!=");
}

}  // namespace

/// Sets a value for as long as it lives.
class Meanwhile {
 public:
  Meanwhile(bool& place, bool value) : place_(place), before_(std::exchange(place, value)) {}
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;
  ~Meanwhile() { place_ = before_; }

 private:
  bool& place_;
  bool before_;
};

/// One level of nesting, for as long as it lives.
class TermParser::Level {
 public:
  explicit Level(TermParser& parser) : parser_(parser) {
    if (++parser_.depth_ <= deepest) return;
    --parser_.depth_;
    throw SyntaxFailure{parser_.next().place, "the expression is nested too deeply",
                        "at most " + std::to_string(deepest) + " levels; name a part of it with 'let'"};
  }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
  ~Level() { --parser_.depth_; }

 private:
  TermParser& parser_;
};

void TermParser::start(std::size_t position) {
  at_ = begin_ = position;
  depth_ = height_ = 0;
  in_condition_ = false;
}

const Token& TermParser::next(int ahead) const { return tokens_.tokens[at_ + ahead]; }

bool TermParser::accept(std::string_view sign) {
  if (!next().is(sign)) return false;
  ++at_;
  return true;
}

bool TermParser::accept_word(std::string_view word) {
  if (!next().is_word(word)) return false;
  ++at_;
  return true;
}

bool TermParser::skip_to_comma(std::size_t start) {
  int open = 0;
  for (std::size_t i = start; tokens_.tokens[i].kind != Kind::end; ++i) {
    const Token& token = tokens_.tokens[i];
    if (token.is("(") || token.is("[")) ++open;
    if ((token.is(")") || token.is("]")) && open > 0) --open;
    if (i >= at_ && open == 0 && token.is(",")) {
      at_ = i + 1;
      return true;
    }
  }
  return false;
}

std::string TermParser::quoted(const Token& token) {
  constexpr std::size_t most = 40;  // characters: the message stays on its line
  if (token.kind == Kind::end) return "the end of the line";
  if (token.kind == Kind::string) return "a quoted text";
  if (token.text.size() <= most) return "'" + std::string(token.text) + "'";
  return "'" + std::string(token.text.substr(0, most)) + "...'";
}

void TermParser::fail(const std::string& expected, const std::string& hint) const {
  const Token& token = next();
  if (token.kind == Kind::bad) {
    const Diagnostic& error = tokens_.errors[token.error];
    throw SyntaxFailure{error.place, error.message, error.hint};
  }
  throw SyntaxFailure{token.place, expected + ", found " + quoted(token), hint};
}

void TermParser::fail_operand(const std::string& expected, const std::string& hint) const {
  const Token& token = next();
  const bool behind = at_ > begin_;
  if (behind && token.text == "*" && next(-1).is("*")) fail(expected, "a power is written a^b");
  if (token.is(")") || token.is("]")) fail(expected, "no bracket is open here that this could close");
  if (is_comparison(token) && expected.find("'>='") != std::string::npos)
    fail(expected, "a gap may be 0: write '>=' or '<='");
  if (is_comparison(token))
    fail(expected, "comparisons stand in if(x < a, ...); min(x, 0), max(x, 0) and abs(x) need none");
  if (behind && token.kind == Kind::string)
    fail(expected, "units stand in declarations: parameter m = 2 \"kg\", then mass m");
  if (token.is("..")) fail(expected, "a range stands behind 'for', 'family' or in sum(i = 1..N, ...)");
  if (behind && next(-1).kind != Kind::sign && token.is("(")) fail(expected, "between factors write '*'");
  const bool operand = token.kind == Kind::number || token.kind == Kind::name;
  const bool factor = behind && (next(-1).kind == Kind::number || next(-1).is(")") || next(-1).is("]"));
  if (operand && factor && expected.find("'..'") == std::string::npos) fail(expected, "between factors write '*'");
  fail(expected, hint);
}

void TermParser::expect_end() {
  if (next().kind != Kind::end) fail_operand("expected an operator or the end of the line");
}

Term TermParser::make(Form form, std::size_t start, std::string text, std::vector<Term> parts) const {
  Term term;
  term.form = form;
  term.text = std::move(text);
  term.parts = std::move(parts);
  // The place ends with the last token that stands on the first line.
  term.place = tokens_.tokens[start].place;
  const Place& last = tokens_.tokens[at_ - 1].place;
  if (last.line == term.place.line) term.place.length = last.column + last.length - term.place.column;
  return term;
}

void TermParser::grow(int height) {
  if (height > highest) {
    throw SyntaxFailure{next(-1).place, "the expression is nested too deeply", "name a part of it with 'let'"};
  }
  height_ = height;
}

Term TermParser::chain(std::string_view signs, Term (TermParser::*part)()) {
  const auto goes_on = [&] { return next().is(signs.substr(0, 1)) || next().is(signs.substr(1, 1)); };
  const std::size_t start = at_;
  Term first = (this->*part)();
  if (!goes_on()) return first;
  int height = height_;
  std::string text;
  std::vector<Term> parts;
  parts.push_back(std::move(first));
  while (goes_on()) {
    text += next().text;
    skip();
    parts.push_back((this->*part)());
    height = std::max(height, height_);
  }
  grow(height + 1);
  return make(Form::chain, start, std::move(text), std::move(parts));
}

Term TermParser::term() { return chain("+-", &TermParser::product); }

Term TermParser::product() { return chain("*/", &TermParser::unary); }

Term TermParser::unary() {
  const std::size_t start = at_;
  if (!next().is("-") && !next().is("+")) return power();
  const Level level(*this);
  const bool negative = next().is("-");
  skip();
  Term part = unary();
  if (!negative) return part;
  grow(height_ + 1);
  std::vector<Term> parts;
  parts.push_back(std::move(part));
  return make(Form::negate, start, {}, std::move(parts));
}

Term TermParser::power() {
  const std::size_t start = at_;
  Term base = postfix();
  if (!accept("^")) return base;
  const Level level(*this);
  const int height = height_;
  std::vector<Term> parts;
  parts.push_back(std::move(base));
  parts.push_back(unary());  // what a sign stands before is a power itself, so 2^-x^2 is 2^(-(x^2))
  grow(std::max(height, height_) + 1);
  return make(Form::power, start, {}, std::move(parts));
}

Term TermParser::postfix() {
  const std::size_t start = at_;
  Term term = primary();
  for (int count = 0;; ++count) {
    if (count > deepest) grow(highest + 1);
    const int height = height_;
    std::vector<Term> parts;
    if (next().is("'")) {
      if (term.form == Form::prime) {
        throw SyntaxFailure{next().place, "there is no second prime",
                            "accelerations are not written; they follow from the equations"};
      }
      skip();
      parts.push_back(std::move(term));
      grow(height + 1);
      term = make(Form::prime, start, {}, std::move(parts));
    } else if (next().is("[")) {
      const Level level(*this);
      const std::size_t opening = at_;
      skip();
      if (next().kind == Kind::end) close(opening, "]");
      parts.push_back(std::move(term));
      const Meanwhile plain(in_condition_, false);
      parts.push_back(this->term());
      if (next().is(",")) fail("expected ']'", "a second index has its own bracket: a[i][j]");
      close(opening, "]");
      grow(std::max(height, height_) + 1);
      term = make(Form::index, start, {}, std::move(parts));
      if (accept(".")) {
        member(term, start);
        if (next().is("(")) member_call(term, start);
      }
    } else {
      return term;
    }
  }
}

/// cell[2].q: the name of all of them is "cell[].q", and the index stays where it was.
void TermParser::member(Term& term, std::size_t start) {
  std::size_t indices = 0, holes = 0;
  Term* root = &term;
  for (; root->form == Form::index; root = &root->parts[0]) ++indices;
  for (std::size_t at = root->text.find("[]"); at != std::string::npos; at = root->text.find("[]", at + 2)) ++holes;
  if (root->form != Form::name || indices != holes + 1) {
    throw SyntaxFailure{term.place, "only a component of a family has names behind its index",
                        "as in cell[2].q: one index for each family"};
  }
  root->text += "[]." + std::string(next().text);
  skip();
  root->place = term.place = make(Form::name, start, {}, {}).place;
}

/// link[2].point(0, 0, 1): the indices of the family are the first parts of the call.
void TermParser::member_call(Term& term, std::size_t start) {
  std::vector<Term> parts;
  Term* root = &term;
  for (; root->form == Form::index; root = &root->parts[0]) parts.insert(parts.begin(), std::move(root->parts[1]));
  std::string name = root->text;
  const int height = height_;
  Term call = called(start, std::move(name));
  for (Term& argument : call.parts) parts.push_back(std::move(argument));
  call.parts = std::move(parts);
  grow(std::max(height, height_) + 1);
  term = std::move(call);
}

Term TermParser::primary() {
  const std::size_t start = at_;
  const Token& token = next();
  if (token.kind == Kind::number) {
    skip();
    grow(1);
    return make(Form::number, start, number_text(token.text), {});
  }
  if (token.kind == Kind::name) {
    Term called = name();
    if (!next().is("(")) return called;
    return this->called(start, std::move(called.text));
  }
  if (!token.is("(")) {
    std::string hint;
    if (token.is("*") && at_ > begin_ && next(-1).is("*")) hint = "a power is written a^b";
    if (token.is("/") && at_ > begin_ && next(-1).is("/")) hint = "comments start with '#'";
    if (token.is("=") && at_ > begin_ && next(-1).is("="))
      hint = in_condition_ ? "a comparison has one '='" : "an equation has one '='";
    if (token.is(">") && at_ > begin_ && next(-1).is("=")) hint = "'at least' is written >=";
    if (token.is("<") && at_ > begin_ && next(-1).is("=")) hint = "'at most' is written <=";
    if (token.is(">") && at_ > begin_ && next(-1).is("<")) hint = "'not equal' is written !=";
    fail(at_ > begin_ && next(-1).kind == Kind::sign ? "expected an expression behind " + quoted(next(-1))
                                                     : "expected an expression",
         hint);
  }
  const Level level(*this);
  std::vector<Term> parts = list(start, ")", in_condition_ ? &TermParser::condition : &TermParser::term);
  if (parts.empty()) throw SyntaxFailure{token.place, "the brackets are empty", "a vector has at least two components"};
  if (parts.size() > 1) return make(Form::tuple, start, {}, std::move(parts));
  // Brackets round a scalar leave no node: its place is theirs.
  const Place place = make(Form::name, start, {}, {}).place;
  height_ -= 1;
  Term inner = std::move(parts[0]);
  inner.place = place;
  return inner;
}

Term TermParser::called(std::size_t start, std::string name) {
  const Level level(*this);
  const bool conditional = name == "if";
  const Meanwhile here(in_condition_, conditional);
  std::vector<Term> parts = list(at_, ")", conditional ? &TermParser::condition : &TermParser::argument);
  return make(Form::call, start, std::move(name), std::move(parts));
}

/// part WORD part WORD ...
Term TermParser::words(std::string_view word, Form form, Term (TermParser::*part)()) {
  const std::size_t start = at_;
  Term first = (this->*part)();
  if (!next().is_word(word)) return first;
  int height = height_;
  std::vector<Term> parts;
  parts.push_back(std::move(first));
  while (accept_word(word)) {
    parts.push_back((this->*part)());
    height = std::max(height, height_);
  }
  grow(height + 1);
  return make(form, start, {}, std::move(parts));
}

Term TermParser::condition() { return words("or", Form::either, &TermParser::conjunction); }

Term TermParser::conjunction() { return words("and", Form::both, &TermParser::negation); }

Term TermParser::negation() {
  const std::size_t start = at_;
  if (!next().is_word("not")) return comparison();
  const Level level(*this);
  skip();
  std::vector<Term> parts;
  parts.push_back(negation());
  grow(height_ + 1);
  return make(Form::opposite, start, {}, std::move(parts));
}

Term TermParser::comparison() {
  const std::size_t start = at_;
  Term first = term();
  const auto goes_on = [&] { return is_comparison(next()) || next().is("="); };
  if (!goes_on()) return first;
  int height = height_;
  std::string signs;
  std::vector<Term> parts;
  parts.push_back(std::move(first));
  while (goes_on()) {
    signs += (signs.empty() ? "" : " ") + std::string(next().text);
    skip();
    parts.push_back(term());
    height = std::max(height, height_);
  }
  grow(height + 1);
  return make(Form::compare, start, std::move(signs), std::move(parts));
}

Term TermParser::name() {
  const std::size_t start = at_;
  if (next().kind != Kind::name) fail("expected a name");
  skip();
  grow(1);
  return make(Form::name, start, std::string(tokens_.tokens[start].text), {});
}

/// An expression, or i = a..b.
Term TermParser::argument() {
  const std::size_t start = at_;
  if (next().kind != Kind::name || !next(1).is("=")) return term();
  std::vector<Term> parts;
  parts.push_back(name());
  skip();
  parts.push_back(term());
  int height = height_;
  if (!accept("..")) fail("expected '..'", "'=' between brackets starts a range, as in sum(i = 1..N, x[i])");
  parts.push_back(term());
  height = std::max(height, height_);
  grow(height + 1);
  return make(Form::range, start, {}, std::move(parts));
}

std::vector<Term> TermParser::list(std::size_t opening, std::string_view closing, Term (TermParser::*part)()) {
  std::vector<Term> parts;
  int height = 0;
  skip();
  if (!next().is(closing)) {
    do {
      if (next().kind == Kind::end) close(opening, closing);
      parts.push_back((this->*part)());
      height = std::max(height, height_);
    } while (accept(","));
  }
  close(opening, closing);
  grow(height + 1);
  return parts;
}

void TermParser::close(std::size_t opening, std::string_view closing) {
  if (accept(closing)) return;
  const Token& open = tokens_.tokens[opening];
  const Token& token = next();
  // A token that starts another line shows that the bracket was forgotten further up.
  const bool line_start = token.place.line > next(-1).place.line;
  if (token.kind == Kind::end || (line_start && token.kind != Kind::bad)) {
    throw SyntaxFailure{open.place, quoted(open) + " is not closed", "'" + std::string(closing) + "' is missing"};
  }
  const std::string expected = closing == ")" ? "expected ',' or ')'" : "expected ']'";
  if (token.is(")") || token.is("]")) {
    const std::string place =
        "line " + std::to_string(open.place.line) + ", column " + std::to_string(open.place.column);
    fail(expected, quoted(open) + " was opened in " + place);
  }
  fail_operand(expected);
}

Term TermParser::target() {
  if (next().kind != Kind::name) fail("expected a name");
  return postfix();
}

std::vector<Range> TermParser::ranges(const std::string& hint) {
  std::vector<Range> ranges;
  do {
    if (next().kind != Kind::name) fail("expected the name of an index", hint);
    Range range;
    range.index = name();
    if (!accept("=")) fail("expected '='", hint);
    range.first = term();
    if (!accept("..")) fail_operand("expected '..'", hint);
    range.last = term();
    ranges.push_back(std::move(range));
  } while (accept(","));
  return ranges;
}

}  // namespace alembert::internal
