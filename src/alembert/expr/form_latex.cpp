// Forms as LaTeX, in pieces between which a line may be broken.

#include <quadmath.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "alembert/expr/form_cases.h"
#include "alembert/expr/form_print_impl.h"
#include "alembert/expr/operators.h"
#include "alembert/expr/print.h"

namespace alembert::internal::form {

namespace {

std::string latex_sum(const FormTable& table, const Sum& sum);

std::string latex_cases(const FormTable& table, const Cases& cases) {
  const ConditionWords words{">", "<", "\\le", "\\ge", "\\ne", "\\land", "\\lor", latex_sum};
  std::string text = "\\begin{cases} ";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const bool last = i + 1 == cases.size();
    text += latex_sum(table, cases[i].value) + " & \\text{";
    text += last ? "else} " : std::string(i == 0 ? "" : "else ") + "if } ";
    text += last ? "" : condition_text(table, *cases[i].when, words) + " \\\\ ";
  }
  return text + "\\end{cases}";
}

std::string latex_number(Quad value) {  // not negative
  const Fraction f = fraction_of(value, Writing::latex);
  return f.d == "1" ? f.n : "\\frac{" + f.n + "}{" + f.d + "}";
}

/// Round brackets that grow where what is in them is more than a name.
std::string latex_brackets(const FormTable& table, const Sum& sum) {
  const bool name = sum.terms.size() == 1 && sum.terms[0].coefficient == 1 && sum.terms[0].factors.size() == 1 &&
                    table.atom(sum.terms[0].factors[0].atom).op == Op::symbol;
  return name ? "(" + latex_sum(table, sum) + ")" : "\\left(" + latex_sum(table, sum) + "\\right)";
}

std::string latex_factor(const FormTable& table, const Factor& factor) {
  const Atom& atom = table.atom(factor.atom);
  const Quad exponent = fabsq(factor.exponent);
  const Fraction f = fraction_of(exponent, Writing::latex);
  const std::string power = exponent == 1 ? "" : "^{" + (f.d == "1" ? f.n : f.n + "/" + f.d) + "}";
  const bool root = exponent == Quad(0.5);
  if (atom.op == Op::symbol) {
    const std::string symbol = to_latex(atom.symbol, table.names);
    return root ? "\\sqrt{" + symbol + "}" : symbol + power;
  }
  const Sum& first = atom.arguments[0];
  if (atom.op == Op::add) {
    return root ? "\\sqrt{" + latex_sum(table, first) + "}" : "\\left(" + latex_sum(table, first) + "\\right)" + power;
  }
  if (atom.op == Op::power) {
    const std::string text = latex_brackets(table, first) + "^{" + latex_sum(table, atom.arguments[1]) + "}";
    return power.empty() ? text : "\\left(" + text + "\\right)" + power;
  }
  if (atom.op == Op::where || atom.op == Op::positive) {
    const std::string text = latex_cases(table, take_apart(table, Sum{{{1, {{factor.atom, 1}}}}}).cases[0]);
    return power.empty() ? text : "\\left(" + text + "\\right)" + power;
  }
  if (atom.op == Op::abs) return "\\left|" + latex_sum(table, first) + "\\right|" + power;
  if (atom.op == Op::piecewise) {
    const std::string text = to_latex(piecewise_of(atom), table.names) + latex_brackets(table, first);
    return power.empty() ? text : "\\left(" + text + "\\right)" + power;
  }
  const std::string name(operator_of(atom.op).latex);
  if (atom.arguments.size() == 2)
    return name + "\\left(" + latex_sum(table, first) + ", " + latex_sum(table, atom.arguments[1]) + "\\right)" + power;
  return name + power + latex_brackets(table, first);
}

/// Above or below a fraction line a sum that stands alone needs no brackets.
std::string latex_product(const FormTable& table, const std::string& number, const std::vector<Factor>& factors);
std::string latex_side(const FormTable& table, const std::string& number, const std::vector<Factor>& factors) {
  if (number == "1" && factors.size() == 1 && fabsq(factors[0].exponent) == 1) {
    const Atom& atom = table.atom(factors[0].atom);
    if (atom.op == Op::add) return latex_sum(table, atom.arguments[0]);
  }
  return latex_product(table, number, factors);
}

/// Names of several letters are set apart from their neighbours.
std::string latex_product(const FormTable& table, const std::string& number, const std::vector<Factor>& factors) {
  std::string text = number == "1" && !factors.empty() ? "" : number;
  bool after_word = false;
  for (const Factor& factor : factors) {
    const std::string next = latex_factor(table, factor);
    const bool is_word = next.starts_with("\\mathrm") || next.starts_with("\\mathtt");
    if (!text.empty()) text += is_word || after_word ? " \\, " : " ";
    text += next;
    after_word = is_word;
  }
  return text;
}

std::string latex_term(const FormTable& table, const Term& term) {
  std::vector<Factor> above, below;
  for (const Factor& factor : term.factors) (factor.exponent > 0 ? above : below).push_back(factor);
  const Quad size = fabsq(term.coefficient);
  if (below.empty()) return latex_product(table, size == 1 ? "1" : latex_number(size), above);
  const Fraction number = fraction_of(size, Writing::latex);
  return "\\frac{" + latex_side(table, number.n, above) + "}{" + latex_side(table, number.d, below) + "}";
}

std::string latex_sum(const FormTable& table, const Sum& sum) {
  const ChoosingSum parts = take_apart(table, sum);
  std::string text;
  for (const Term& term : written_order(parts.plain)) {
    const bool minus = term.coefficient < 0;
    text += text.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
    text += latex_term(table, term);
  }
  for (const Cases& cases : parts.cases) text += (text.empty() ? "" : " + ") + latex_cases(table, cases);
  return text.empty() ? "0" : text;
}

/// A sum or product that is too wide for a line is taken apart at its signs and between its factors.
class BreakablePieces {
 public:
  BreakablePieces(const FormTable& table, double line) : table_(table), line_(line) {}

  std::vector<std::string> take() { return std::move(pieces_); }

  void add(const Sum& sum) {
    const ChoosingSum parts = take_apart(table_, sum);
    bool first = true;
    for (const Term& term : written_order(parts.plain)) {
      const bool minus = term.coefficient < 0;
      begin(first ? (minus ? "-" : "") : (minus ? "- " : "+ "));
      add(term);
      first = false;
    }
    for (const Cases& cases : parts.cases) {
      begin((first ? "" : "+ ") + latex_cases(table_, cases));
      first = false;
    }
    if (first) begin("0");
  }

 private:
  // A piece begins, behind brackets that were opened.
  void begin(std::string text) {
    if (open_) pieces_.back() += text;
    else pieces_.push_back(std::move(text));
    open_ = false;
  }

  void add(const Term& term) {
    const std::string whole = latex_term(table_, term);
    const bool wide = latex_width(whole) > line_;
    if (!wide) {
      pieces_.back() += whole;
      return;
    }
    // A wide sum below a fraction line is written as a power instead.
    std::vector<Factor> above, below;
    for (const Factor& factor : term.factors)
      (factor.exponent > 0 || is_wide(factor) ? above : below).push_back(factor);
    const Quad size = fabsq(term.coefficient);
    Term front{size, below};
    std::string& now = pieces_.back();
    if (size != 1 || !below.empty()) now += latex_term(table_, front);
    bool first = now.empty() || now.ends_with(' ') || now.ends_with('-') || now.ends_with('(');
    for (const Factor& factor : above) {
      add(factor, first);
      first = false;
    }
  }

  void add(const Factor& factor, bool first) {
    const std::string whole = latex_factor(table_, factor);
    if (!is_wide(factor)) {
      if (first) pieces_.back() += whole;
      else if (latex_width(pieces_.back() + whole) > line_) pieces_.push_back("\\cdot " + whole);
      else pieces_.back() += " " + whole;
      return;
    }
    pieces_.back() += (first ? "" : " ") + std::string("\\bigl(");
    open_ = true;
    add(table_.atom(factor.atom).arguments[0]);
    const Fraction power = fraction_of(fabsq(factor.exponent), Writing::latex);
    const std::string sign = factor.exponent < 0 ? "-" : "";
    pieces_.back() += "\\bigr)";
    if (factor.exponent != 1) pieces_.back() += "^{" + sign + power.n + (power.d == "1" ? "" : "/" + power.d) + "}";
  }

  /// A sum that is better taken apart.
  bool is_wide(const Factor& factor) const {
    return table_.atom(factor.atom).op == Op::add && latex_width(latex_factor(table_, factor)) > line_ / 2;
  }

  const FormTable& table_;
  double line_;
  bool open_ = false;  // the last piece ends with a bracket that was opened
  std::vector<std::string> pieces_;
};

/// What stands between braces from here on; `at` goes behind it.
std::string_view braced(std::string_view text, std::size_t& at) {
  if (at >= text.size() || text[at] != '{') return text.substr(at, at < text.size() ? 1 : 0);
  const std::size_t from = ++at;
  for (int depth = 1; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) break;
  }
  return text.substr(from, at++ - from);
}

/// Of the rows behind \begin; `i` goes behind their end.
double widest_case(std::string_view text, std::size_t& i) {
  constexpr std::string_view opens = "\\begin{cases}", closes = "\\end{cases}";
  std::size_t row = i + std::string_view("{cases}").size();
  double widest = 0;
  int depth = 1;
  for (i = row; i < text.size(); ++i) {
    const std::string_view left = text.substr(i);
    if (left.starts_with(opens)) ++depth;
    if (left.starts_with(closes)) --depth;
    if (depth > 0 && !(depth == 1 && left.starts_with("\\\\ "))) continue;
    widest = std::max(widest, latex_width(text.substr(row, i - row)));
    row = i + 2;
    if (depth == 0) break;
  }
  i = std::min(i + closes.size(), text.size());
  return widest + 2;  // the brace, and the space before the conditions
}

}  // namespace

double latex_width(std::string_view text) {
  constexpr double small = 0.7;  // of indices and exponents
  double width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\\') {
      std::size_t end = i + 1;
      while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end]))) ++end;
      const std::string_view word = text.substr(i + 1, end - i - 1);
      i = std::max(end, i + 2);
      if (word == "begin" && text.substr(i).starts_with("{cases}")) {
        width += widest_case(text, i);
      } else if (word == "frac") {
        const double above = latex_width(braced(text, i));
        width += std::max(above, latex_width(braced(text, i))) + 0.5;
      } else if (word == "left" || word == "right" || word == "bigl" || word == "bigr" || word == "mathrm" ||
                 word == "mathtt" || word == "operatorname" || word == "text" || word == "dot" || word == "ddot" ||
                 word == "begin" || word == "end" || word.empty()) {
        continue;  // the width is that of what follows
      } else {
        constexpr std::array functions = {"sin", "cos", "tan", "exp", "log", "max", "min", "sqrt"};
        const bool function = std::find(functions.begin(), functions.end(), word) != functions.end();
        width += function ? 2.5 : 1.2;  // else a letter
      }
    } else if (c == '_' || c == '^') {
      ++i;
      if (i < text.size() && text[i] == '{') width += small * latex_width(braced(text, i));
      else if (i < text.size() && text[i] != '\\') {
        width += small;
        ++i;
      }
    } else {
      if (c == '+' || c == '-' || c == '=') width += 2.5;
      else if (c != '{' && c != '}' && c != ' ') width += 1;
      ++i;
    }
  }
  return width;
}

std::vector<std::string> to_latex_pieces(const FormTable& table, const Sum& sum, double line) {
  BreakablePieces pieces(table, line);
  pieces.add(sum);
  return pieces.take();
}

}  // namespace alembert::internal::form
