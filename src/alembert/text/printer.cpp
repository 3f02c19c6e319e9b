#include <algorithm>
#include <utility>

#include "alembert/text/statements.h"
#include "alembert/text/syntax.h"

namespace alembert::internal {
namespace {

// Of a line, and of its parts where it has to be broken.
constexpr std::size_t width = 120;
constexpr std::size_t indent = 4;

using Form = Term::Form;

/// How tightly a form holds together; a part that binds looser than its context asks for gets brackets.
enum Binding { either, both, opposite, compare, sum, product, sign, power, whole };

Binding binding_of(const Term& term) {
  switch (term.form) {
    case Form::chain: return term.text.find_first_of("+-") == std::string::npos ? product : sum;
    case Form::negate: return sign;
    case Form::power: return power;
    case Form::either: return either;
    case Form::both: return both;
    case Form::opposite: return opposite;
    case Form::compare: return compare;
    default: return whole;
  }
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '"';
    // A backslash is an escape only before a quote or another backslash.
    if (text[i] == '"' || (text[i] == '\\' && (next == '"' || next == '\\'))) out += '\\';
    out += text[i] == '\n' ? ' ' : text[i];
  }
  return out + "\"";
}

/// Text with the positions where a line may be broken, and how well it would look there.
class Printer {
 public:
  void text(std::string_view text) { out_ += text; }

  void term(const Term& term, Binding least = sum) {
    const bool brackets = binding_of(term) < least;
    if (brackets) open("(");
    form(term);
    if (brackets) close(")");
  }

  void ranges(const std::vector<Range>& ranges) {
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (i > 0) comma();
      range(ranges[i].index, ranges[i].first, ranges[i].last);
    }
  }

  void items(const std::vector<Item>& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      // `source "kg"` at the start of a line would be a statement.
      const bool statement_like = !items[i].unit.empty() && find_statement(items[i].target.text);
      if (i > 0 && statement_like) text(", ");
      else if (i > 0) comma();
      term(items[i].target);
      if (items[i].owner) {
        text(" of ");
        term(*items[i].owner);
      }
      if (items[i].value) {
        equals();
        term(*items[i].value);
      }
      if (!items[i].unit.empty()) text(" " + quoted(items[i].unit));
    }
  }

  void equals() {
    text(" =");
    may_break(1);
    text(" ");
  }

  const std::string& line() const { return out_; }

  /// The text in lines of at most `width` columns, as far as it has places to break.
  std::string lines() const {
    std::string result;
    std::size_t start = 0;
    std::size_t first = 0;  // break not yet passed
    for (std::size_t room = width; out_.size() - start > room; room = width - indent) {
      const std::size_t chosen = choose(start, room, first);
      if (chosen == breaks_.size()) break;
      result.append(out_, start, breaks_[chosen].at - start);
      result += "\n" + std::string(indent, ' ');
      start = breaks_[chosen].at;
      if (start < out_.size() && out_[start] == ' ') ++start;
      first = chosen + 1;
    }
    return result.append(out_, start, std::string::npos);
  }

  void comma() {
    text(",");
    may_break(0);
    text(" ");
  }

 private:
  struct Break {
    std::size_t at;  // behind the operator or comma
    int cost;        // grows with the nesting
  };

  void may_break(int rank) { breaks_.push_back({out_.size(), 4 * depth_ + rank}); }

  void open(std::string_view bracket) {
    text(bracket);
    ++depth_;
  }

  void close(std::string_view bracket) {
    text(bracket);
    --depth_;
  }

  void list(const std::vector<Term>& parts, Binding least = sum) {
    open("(");
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) comma();
      term(parts[i], least);
    }
    close(")");
  }

  void range(const Term& index, const Term& first, const Term& last) {
    term(index);
    text(" = ");
    ++tight_;
    term(first);
    text("..");
    term(last);
    --tight_;
  }

  void form(const Term& t) {
    switch (t.form) {
      case Form::number:
      case Form::name: text(t.text); break;
      case Form::prime:
        term(t.parts[0], whole);
        text("'");
        break;
      case Form::index: index(t); break;
      case Form::call: call(t); break;
      case Form::tuple: list(t.parts); break;
      case Form::negate:
        text("-");
        term(t.parts[0], sign);
        break;
      case Form::chain: chain(t); break;
      case Form::power:
        term(t.parts[0], whole);
        text("^");
        term(t.parts[1], sign);
        break;
      case Form::range: range(t.parts[0], t.parts[1], t.parts[2]); break;
      case Form::compare: comparison(t); break;
      case Form::both: words(t, " and", opposite); break;
      case Form::either: words(t, " or", both); break;
      case Form::opposite:
        text("not ");
        term(t.parts[0], opposite);
        break;
    }
  }

  /// The first parts stand where the name has its [].
  void call(const Term& t) {
    std::size_t next = 0, at = 0;
    const std::string_view name = t.text;
    for (std::size_t hole = name.find("[]"); hole != std::string_view::npos && next < t.parts.size();
         hole = name.find("[]", at)) {
      text(name.substr(at, hole - at));
      bracket(t.parts[next++]);
      at = hole + 2;
    }
    text(name.substr(at));
    list({t.parts.begin() + static_cast<std::ptrdiff_t>(next), t.parts.end()}, t.text == "if" ? either : sum);
  }

  void words(const Term& t, std::string_view word, Binding least) {
    for (std::size_t i = 0; i < t.parts.size(); ++i) {
      if (i > 0) {
        text(word);
        may_break(1);
        text(" ");
      }
      term(t.parts[i], least);
    }
  }

  void comparison(const Term& t) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < t.parts.size(); ++i) {
      if (i > 0) {
        const std::size_t end = std::min(t.text.find(' ', at), t.text.size());
        text(" " + t.text.substr(at, end - at));
        may_break(2);
        text(" ");
        at = end + 1;
      }
      term(t.parts[i], sum);
    }
  }

  void bracket(const Term& inside) {
    open("[");
    ++tight_;
    term(inside);
    --tight_;
    close("]");
  }

  /// The first indices stand where the name has its [].
  void index(const Term& t) {
    std::vector<const Term*> indices;
    const Term* root = &t;
    for (; root->form == Form::index; root = &root->parts[0]) indices.insert(indices.begin(), &root->parts[1]);
    std::size_t next = 0;
    if (root->form == Form::name) {
      const std::string_view name = root->text;
      std::size_t at = 0;
      for (std::size_t hole = name.find("[]"); hole != std::string_view::npos && next < indices.size();
           hole = name.find("[]", at)) {
        text(name.substr(at, hole - at));
        bracket(*indices[next++]);
        at = hole + 2;
      }
      text(name.substr(at));
    } else {
      term(*root, whole);
    }
    for (; next < indices.size(); ++next) bracket(*indices[next]);
  }

  /// Blanks stand round + and -, but not inside an index or a range: r[i-1].
  void chain(const Term& t) {
    check(t.parts.size() == t.text.size() + 1, "a chain has one sign less than parts");
    const bool sums = binding_of(t) == sum;
    const bool blanks = sums && tight_ == 0;
    term(t.parts[0], sums ? product : sign);
    for (std::size_t i = 0; i < t.text.size(); ++i) {
      if (blanks) text(" ");
      out_ += t.text[i];
      may_break(sums ? 2 : 3);
      if (blanks) text(" ");
      term(t.parts[i + 1], sums ? product : sign);
    }
  }

  /// The cheapest break in the second half of the room, else the last before it, else the first behind it.
  std::size_t choose(std::size_t start, std::size_t room, std::size_t first) const {
    std::size_t best = breaks_.size();
    for (std::size_t i = first; i < breaks_.size(); ++i) {
      const std::size_t length = breaks_[i].at - start;
      if (length > room) return best == breaks_.size() ? i : best;
      const bool early = best == breaks_.size() || breaks_[best].at - start < room / 2;
      if (early || breaks_[i].cost <= breaks_[best].cost) best = i;
    }
    return best;
  }

  std::string out_;
  std::vector<Break> breaks_;
  int depth_ = 0;
  int tight_ = 0;
};

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  text.erase(text.find_last_not_of(" \t\r\f\v") + 1);
  return text;
}

/// Whole-line comments, with never two blank lines in a row.
void print_comments(const std::vector<std::string>& comments, std::string& out) {
  for (const std::string& comment : comments) {
    const bool blank_before = out.empty() || (out.size() > 1 && out.substr(out.size() - 2) == "\n\n");
    if (comment.empty()) {
      if (!blank_before) out += "\n";
    } else {
      out += "#" + one_line(comment) + "\n";
    }
  }
}

bool is_plain_name(const std::string& text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// road(x) = "road.csv" column 2 spline; ramp(t) = (0, 0), (1, 2) linear
void print_table(const Statement& s, Printer& printer) {
  if (s.label) printer.term(*s.label);
  printer.equals();
  bool first = true;
  if (!s.string.empty()) printer.text(quoted(s.string));
  for (const Item& item : s.items) {
    const std::string& word = item.target.text;
    if (word == "file") continue;
    if (word == "point" && item.value) {
      if (!std::exchange(first, false)) printer.comma();
      printer.term(*item.value);
    } else if (item.value) {
      const bool name = item.value->form == Form::name && !is_plain_name(item.value->text);
      printer.text(" " + word + " " + (name ? quoted(item.value->text) : print(*item.value)));
    } else {
      printer.text(" " + word);
    }
  }
}

/// cell = "cell.alm" at (1, 0, 0) rotated 1 about (0, 0, 1) with R = 2 for i = 1..N
void print_component(const Statement& s, Printer& printer) {
  if (s.label) printer.term(*s.label);
  printer.text(" = " + quoted(s.string));
  if (s.left) printer.text(" at " + print(*s.left));
  if (s.right) printer.text(" rotated " + print(s.right->parts.at(0)));
  if (s.right && s.right->parts.size() > 1) printer.text(" about " + print(s.right->parts[1]));
  if (!s.items.empty()) printer.text(" with ");
  printer.items(s.items);
  if (!s.ranges.empty()) {
    printer.text(" for ");
    printer.ranges(s.ranges);
  }
}

/// hit: x' = -x'; t = 5 rising: k = 2
void print_reset(const Statement& s, Printer& printer) {
  if (s.label) printer.term(*s.label);
  if (s.left) printer.term(*s.left);
  if (s.right) {
    printer.equals();
    printer.term(*s.right);
  }
  if (!s.string.empty()) printer.text(" " + s.string);
  printer.text(": ");
  printer.items(s.items);
  if (!s.ranges.empty()) {
    printer.text(" for ");
    printer.ranges(s.ranges);
  }
}

/// floor: y >= 0 restitution e friction mu along x', y'; in one line, as elements are.
void print_contact(const Statement& s, Printer& printer) {
  if (s.label) printer.text(print(*s.label));
  if (s.left && s.right) printer.text(": " + print(*s.left) + " " + s.string + " " + print(*s.right));
  std::string before;
  for (const Item& item : s.items) {
    const std::string& word = item.target.text;
    const bool goes_on = word == "along" && before == word;
    printer.text(goes_on ? "," : " " + word);
    if (item.value) printer.text(" " + print(*item.value));
    before = word;
  }
  if (!s.ranges.empty()) {
    printer.text(" for ");
    printer.ranges(s.ranges);
  }
}

std::string print_body(const Statement& s) {
  Printer printer;
  printer.text(s.keyword);
  printer.text(" ");
  const StatementForm* form = find_statement(s.keyword);
  if (form && form->shape == Shape::text) {
    printer.text(quoted(s.string));
  } else if (form && form->shape == Shape::method) {
    for (std::size_t i = 0; i < s.items.size(); ++i) {
      if (i > 0) printer.text(" " + s.items[i].target.text + " ");
      if (s.items[i].value) printer.term(*s.items[i].value);
    }
  } else if (form && form->shape == Shape::element) {
    // In one line: behind a break a name and the word after it could be taken for a statement.
    if (!s.string.empty()) printer.text(s.string + " ");
    if (s.label) printer.text(print(*s.label));
    for (const Item& item : s.items) {
      printer.text(" " + item.target.text);
      if (item.value) printer.text(" " + print(*item.value));
      else if (form->words.find(" " + item.target.text + "\"") != std::string_view::npos)
        printer.text(" " + quoted(item.unit));
    }
    if (!s.ranges.empty()) {
      printer.text(" for ");
      printer.ranges(s.ranges);
    }
  } else if (form && form->shape == Shape::contact) {
    print_contact(s, printer);
  } else if (form && form->shape == Shape::component) {
    print_component(s, printer);
  } else if (form && form->shape == Shape::condition && s.string == "after") {
    printer.text("after ");
    if (s.left) printer.term(*s.left);
    printer.text(" ");
    if (s.label) printer.term(*s.label);
  } else if (form && form->shape == Shape::reset) {
    print_reset(s, printer);
  } else if (form && form->shape == Shape::table) {
    print_table(s, printer);
  } else if (form && form->shape == Shape::ranges) {
    printer.ranges(s.ranges);
  } else {
    // With a label the only item is a first guess of what it names.
    if (s.label) {
      if (s.items.empty()) printer.term(*s.label);
      else printer.items(s.items);
      printer.text(": ");
    }
    if (form && form->shape == Shape::condition) printer.text("when ");
    if (form && form->shape == Shape::connection && !s.string.empty()) printer.text(s.string + " ");
    if (!s.label) printer.items(s.items);
    if (s.left) printer.term(*s.left);
    if (s.right) {
      printer.equals();
      printer.term(*s.right);
    }
    const bool directed = form && (form->shape == Shape::event || form->shape == Shape::condition);
    if (directed && !s.string.empty()) printer.text(" " + s.string);
    if (!s.ranges.empty()) {
      printer.text(" for ");
      printer.ranges(s.ranges);
    }
  }
  std::string out = printer.lines();
  const std::string comment = one_line(s.comment);
  if (!comment.empty()) out += "  #" + comment;
  return out;
}

}  // namespace

std::string print(const Term& term) {
  Printer printer;
  printer.term(term);
  return printer.line();
}

std::string print(const Statement& statement) {
  std::string out;
  print_comments(statement.comments, out);
  return out + print_body(statement);
}

std::string print(const Text& text) {
  std::string out;
  for (const Statement& statement : text.statements) {
    print_comments(statement.comments, out);
    out += print_body(statement) + "\n";
  }
  print_comments(text.comments, out);
  while (out.size() > 1 && out.substr(out.size() - 2) == "\n\n") out.pop_back();
  return out;
}

}  // namespace alembert::internal
