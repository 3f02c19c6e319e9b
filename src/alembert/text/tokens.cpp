#include "alembert/text/tokens.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "alembert/base/utf8.h"
#include "alembert/numerics.h"
#include "alembert/text/statements.h"

namespace alembert::internal {
namespace {

using Kind = Token::Kind;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

std::string_view without_end_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// What to write instead of characters that people copy from papers and word processors.
std::string replacement(std::string_view character) {
  static constexpr std::pair<std::string_view, std::string_view> table[] = {
      {"−", "'-'"},       {"–", "'-'"},     {"—", "'-'"},     {"·", "'*'"},     {"×", "'*'"},      {"⋅", "'*'"},
      {"∗", "'*'"},       {"÷", "'/'"},     {"’", "'"},       {"‘", "'"},       {"′", "'"},        {"“", "'\"'"},
      {"”", "'\"'"},      {"„", "'\"'"},    {"…", "'..'"},    {"²", "'^2'"},    {"³", "'^3'"},     {"⁴", "'^4'"},
      {"½", "'1/2'"},     {"√", "'sqrt'"},  {"α", "'alpha'"}, {"β", "'beta'"},  {"γ", "'gamma'"},  {"δ", "'delta'"},
      {"ε", "'epsilon'"}, {"ζ", "'zeta'"},  {"η", "'eta'"},   {"θ", "'theta'"}, {"κ", "'kappa'"},  {"λ", "'lambda'"},
      {"μ", "'mu'"},      {"µ", "'mu'"},    {"ν", "'nu'"},    {"ξ", "'xi'"},    {"π", "'pi'"},     {"ρ", "'rho'"},
      {"σ", "'sigma'"},   {"τ", "'tau'"},   {"φ", "'phi'"},   {"ϕ", "'phi'"},   {"χ", "'chi'"},    {"ψ", "'psi'"},
      {"ω", "'omega'"},   {"Γ", "'Gamma'"}, {"Δ", "'Delta'"}, {"Θ", "'Theta'"}, {"Λ", "'Lambda'"}, {"Ξ", "'Xi'"},
      {"Π", "'Pi'"},      {"Σ", "'Sigma'"}, {"Φ", "'Phi'"},   {"Ψ", "'Psi'"},   {"Ω", "'Omega'"}};
  for (const auto& [from, to] : table) {
    if (from == character) return "write " + std::string(to);
  }
  if (character == "\u00A0" || character == "\u2009" || character == "\u202F" || character == "\u200B") {
    return "this blank is a special one, write a plain one";
  }
  return static_cast<unsigned char>(character[0]) < 0x80 ? "" : "names consist of letters a-z, A-Z, digits and _";
}

std::string hint_for(char c) {
  switch (c) {
    case ';': return "one statement a line, without ';'";
    case '{':
    case '}': return "the brackets are ( ) and [ ]";
    case '%': return "comments start with '#'";
    case '!': return "comments start with '#'; conditions are turned round by 'not'";
    case '&': return "conditions are joined by 'and'";
    case '|': return "conditions are joined by 'or'; abs(x) and norm(v) are sizes";
    case '?': return "write if(condition, a, b)";
    case '.': return "a range is written 1..N, a number 0.5";
    default: return {};
  }
}

std::string byte_name(unsigned char byte) {
  char buffer[8];
  std::snprintf(buffer, sizeof buffer, "0x%02X", byte);
  return buffer;
}

class Splitter {
 public:
  Splitter(std::string_view text, Tokens& out) : text_(text), out_(out), at_(byte_order_mark(text)) {}

  void split() {
    while (at_ < text_.size()) line();
    finish();
    trim(pending_);
    out_.comments = std::move(pending_);
  }

 private:
  bool has(std::size_t ahead = 0) const { return at_ + ahead < text_.size(); }
  char peek(std::size_t ahead = 0) const { return has(ahead) ? text_[at_ + ahead] : '\0'; }
  bool open() const { return begin_ < out_.tokens.size(); }

  /// One physical line with its end.
  void line() {
    ++line_;
    column_ = 1;
    if (open() && starts_statement()) finish();
    const std::size_t first = out_.tokens.size();
    bool commented = false;
    while (has() && peek() != '\n') {
      if (is_blank(peek())) {
        take(1, 1);
      } else if (peek() == '#') {
        comment(out_.tokens.size() == first);
        commented = true;
      } else {
        token();
      }
    }
    if (has()) ++at_;
    const bool empty = out_.tokens.size() == first;
    if (empty && !commented && !open()) pending_.emplace_back();
    if (open() && !goes_on()) finish();
  }

  void take(std::size_t bytes, int columns) {
    at_ += bytes;
    column_ += columns;
  }

  /// A comment behind the last token of a statement is that statement's; all others wait for the statement that follows
  /// or goes on.
  void comment(bool whole_line) {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view body = without_end_blanks(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end;
    if (whole_line && !open()) {
      pending_.emplace_back(body.empty() ? " " : body);
    } else if (!whole_line && !goes_on()) {
      trailing_ = body;
    } else if (!body.empty()) {
      inner_.emplace_back(body);
    }
  }

  bool goes_on() const {
    if (depth_ > 0) return true;
    const Token& last = out_.tokens.back();
    if (last.kind != Kind::sign) return false;
    return last.text != ")" && last.text != "]" && last.text != "'";
  }

  /// Whether the line that starts here can only be a statement: a keyword with something behind it that no expression
  /// would have. A keyword before '(' or '-' might be a name, so there it must stand in the first column.
  bool starts_statement() const {
    std::size_t i = at_;
    while (i < text_.size() && is_blank(text_[i])) ++i;
    const bool indented = i > at_;
    const std::string_view keyword = word(i);
    if (!find_statement(keyword)) return false;
    i += keyword.size();
    const std::size_t blank = i;
    while (i < text_.size() && is_blank(text_[i])) ++i;
    if (i >= text_.size()) return false;
    const char next = text_[i];
    if (next == '"') return true;
    if (i == blank) return false;
    if (is_letter(next)) {
      const std::string_view second = word(i);
      return second != "of" && second != "for" && second != "step" && second != "end" && second != "rising" &&
             second != "falling" && second != "and" && second != "or";
    }
    if (is_digit(next)) return true;
    const char after = i + 1 < text_.size() ? text_[i + 1] : ' ';
    return !indented && (next == '(' || (next == '-' && !is_blank(after) && after != '\n'));
  }

  std::string_view word(std::size_t i) const {
    const std::size_t start = i;
    if (i < text_.size() && is_letter(text_[i])) {
      while (i < text_.size() && (is_letter(text_[i]) || is_digit(text_[i]))) ++i;
    }
    return text_.substr(start, i - start);
  }

  void add(Kind kind, std::size_t bytes, int columns) {
    Token token;
    token.kind = kind;
    token.place = {line_, column_, columns};
    token.text = text_.substr(at_, bytes);
    out_.tokens.push_back(token);
    take(bytes, columns);
  }

  void add_bad(std::size_t bytes, int columns, std::string message, std::string hint) {
    add(Kind::bad, bytes, columns);
    out_.tokens.back().error = static_cast<int>(out_.errors.size());
    out_.errors.push_back({nullptr, out_.tokens.back().place, std::move(message), std::move(hint)});
  }

  void token() {
    const char c = peek();
    if (is_letter(c)) {
      std::size_t size = word(at_).size();
      while (peek(size) == '.' && is_letter(peek(size + 1))) size += 1 + word(at_ + size + 1).size();  // arm.point
      add(Kind::name, size, static_cast<int>(size));
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if (c == '"') {
      string();
    } else if (c == '.' && peek(1) == '.') {
      add(Kind::sign, 2, 2);
    } else if (c == '.' && is_letter(peek(1)) && behind_bracket()) {
      add(Kind::sign, 1, 1);  // cell[2].q
    } else if (c == '<' || c == '>' || (c == '!' && peek(1) == '=')) {
      const int size = peek(1) == '=' ? 2 : 1;
      add(Kind::sign, size, size);
    } else if (std::string_view("+-*/^'[](),=:").find(c) != std::string_view::npos) {
      if (c == '(' || c == '[') ++depth_;
      if ((c == ')' || c == ']') && depth_ > 0) --depth_;
      add(Kind::sign, 1, 1);
    } else {
      strange();
    }
  }

  bool behind_bracket() const {
    if (!open()) return false;
    const Token& last = out_.tokens.back();
    return last.is("]") && last.place.line == line_ && last.place.column + 1 == column_;
  }

  void number() {
    std::size_t size = 0;
    while (is_digit(peek(size))) ++size;
    if (peek(size) == '.' && peek(size + 1) != '.') {
      ++size;
      while (is_digit(peek(size))) ++size;
    }
    if (peek(size) == 'e' || peek(size) == 'E') {
      const std::size_t sign = peek(size + 1) == '+' || peek(size + 1) == '-' ? 2 : 1;
      if (is_digit(peek(size + sign))) {
        size += sign;
        while (is_digit(peek(size))) ++size;
      }
    }
    Quad value = 0;
    const bool reads = read_number(text_.substr(at_, size), value);
    if (reads && value <= Quad(1.7976931348623157e308)) return add(Kind::number, size, static_cast<int>(size));
    add_bad(size, static_cast<int>(size), "this number is too large", "the largest is about 1.8e308");
  }

  void string() {
    std::size_t size = 1;
    int columns = 1;
    bool valid = true, shown = true;
    while (has(size) && peek(size) != '\n' && peek(size) != '"') {
      if (peek(size) == '\\' && (peek(size + 1) == '"' || peek(size + 1) == '\\')) {
        ++size;
        ++columns;
      }
      const int length = character_length(text_.substr(at_ + size));
      valid = valid && length > 0;
      shown = shown && (length == 0 || !is_control(text_.substr(at_ + size), length) || peek(size) == '\r');
      size += std::max(length, 1);
      ++columns;
    }
    if (peek(size) != '"') {
      add_bad(size, 1, "the quoted text is not closed", "a text ends with '\"' on the same line");
    } else if (!valid) {
      add_bad(size + 1, columns + 1, "the quoted text holds bytes that are no text", "the file must be UTF-8");
    } else if (!shown) {
      add_bad(size + 1, columns + 1, "the quoted text holds characters that nobody can see",
              "they steer the terminal, or turn the direction of writing: take them out");
    } else {
      add(Kind::string, size + 1, columns + 1);
    }
  }

  /// Characters that start no token; a run of them is one error.
  void strange() {
    const int length = character_length(text_.substr(at_));
    const unsigned char first = peek();
    if (first < 0x80) {
      const bool shows = first > 0x20 && first < 0x7F;
      const std::string what = shows ? " '" + std::string(1, peek()) + "'" : " " + byte_name(first);
      return add_bad(1, 1, "unexpected character" + what, hint_for(peek()));
    }
    std::size_t size = 0;
    int columns = 0;
    while (has(size) && static_cast<unsigned char>(peek(size)) >= 0x80) {
      size += std::max(character_length(text_.substr(at_ + size)), 1);
      ++columns;
    }
    if (length == 0) {
      add_bad(size, columns, "byte " + byte_name(first) + " is no text here", "the file must be UTF-8");
    } else {
      const std::string_view character = text_.substr(at_, length);
      // Control characters of the upper range must not reach a terminal.
      const bool shows = !(first == 0xC2 && static_cast<unsigned char>(peek(1)) < 0xA0);
      add_bad(size, columns, "unexpected character" + (shows ? " '" + std::string(character) + "'" : std::string()),
              replacement(character));
    }
  }

  /// Ends the logical line that is open, if one is.
  void finish() {
    depth_ = 0;
    if (!open()) return;
    LogicalLine line;
    line.begin = begin_;
    line.end = out_.tokens.size();
    line.comments = std::move(pending_);
    line.comments.insert(line.comments.end(), inner_.begin(), inner_.end());
    if (out_.lines.empty()) {
      const auto first = std::find_if(line.comments.begin(), line.comments.end(), [](auto& c) { return !c.empty(); });
      line.comments.erase(line.comments.begin(), first);
    }
    squeeze(line.comments);
    line.comment = std::move(trailing_);
    pending_.clear();
    inner_.clear();
    trailing_.clear();
    Token end;
    end.place = out_.tokens.back().place;
    end.place.column += end.place.length;
    end.place.length = 1;
    out_.tokens.push_back(end);
    begin_ = out_.tokens.size();
    out_.lines.push_back(std::move(line));
  }

  static void squeeze(std::vector<std::string>& comments) {
    const auto both = [](const std::string& a, const std::string& b) { return a.empty() && b.empty(); };
    comments.erase(std::unique(comments.begin(), comments.end(), both), comments.end());
  }

  void trim(std::vector<std::string>& comments) const {
    squeeze(comments);
    if (!comments.empty() && comments.back().empty()) comments.pop_back();
    if (out_.lines.empty() && !comments.empty() && comments.front().empty()) comments.erase(comments.begin());
  }

  std::string_view text_;
  Tokens& out_;
  std::size_t at_;
  int line_ = 0;
  int column_ = 1;
  std::size_t begin_ = 0;  // first token of the open logical line
  int depth_ = 0;          // open brackets
  std::vector<std::string> pending_, inner_;
  std::string trailing_;
};

Place place_of(std::string_view text, std::size_t at) {
  Place place{1, 1, 1};
  for (std::size_t i = byte_order_mark(text); i < at;) {
    const bool line_end = text[i] == '\n';
    i += std::max(character_length(text.substr(i)), 1);
    place = line_end ? Place{place.line + 1, 1, 1} : Place{place.line, place.column + 1, 1};
  }
  return place;
}

/// The first byte that shows that this is a file of another kind; npos for a text. Comments hold what they like: what
/// was read is read again when its blanks and brackets have gone.
std::size_t rubbish(std::string_view text) {
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) return zero;
  std::size_t first = std::string_view::npos;
  std::size_t count = 0, size = 0;
  bool comment = false;
  for (std::size_t i = 0; i < text.size();) {
    const int length = character_length(text.substr(i));
    const unsigned char byte = text[i];
    comment = byte == '#' || (comment && byte != '\n');
    if (comment) {
      i += std::max(length, 1);
      continue;
    }
    ++size;
    if (length == 0 || byte == 0x7F || (byte < 0x20 && byte != '\n' && !is_blank(text[i]))) {
      if (count++ == 0) first = i;
    }
    i += std::max(length, 1);
  }
  return count > 2 && count > size / 20 ? first : std::string_view::npos;
}

}  // namespace

bool split(const Source& source, Tokens& tokens) {
  const std::string_view text = source.text;
  const std::size_t bad = rubbish(text);
  if (bad != std::string_view::npos) {
    tokens.errors.push_back({nullptr, place_of(text, bad),
                             "this is not a text: it holds the byte " + byte_name(text[bad]),
                             "a model is plain UTF-8 text"});
    return false;
  }
  Splitter(text, tokens).split();
  return true;
}

}  // namespace alembert::internal
