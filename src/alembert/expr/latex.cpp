// LaTeX of expressions; symbols are set as one writes them: x1' as a dotted x with index 1, lambda as the letter.

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>

#include "alembert/error.h"
#include "alembert/expr/operators.h"
#include "alembert/expr/piecewise.h"
#include "alembert/expr/print.h"
#include "alembert/expr/writer.h"

namespace alembert::internal {
namespace {

constexpr std::array<std::string_view, 39> greek = {
    "alpha",   "beta", "gamma", "delta", "epsilon", "zeta",     "eta",        "theta",  "iota",    "kappa",
    "lambda",  "mu",   "nu",    "xi",    "pi",      "rho",      "sigma",      "tau",    "upsilon", "phi",
    "chi",     "psi",  "omega", "Gamma", "Delta",   "Theta",    "Lambda",     "Xi",     "Pi",      "Sigma",
    "Upsilon", "Phi",  "Psi",   "Omega", "varphi",  "vartheta", "varepsilon", "varrho", "ell"};

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\backslash{}";
    } else {
      if (std::string_view("_%#&$^{}~").find(c) != std::string_view::npos) result += '\\';
      result += c;
      if (c == '^' || c == '~') result += "{}";
    }
  }
  return result;
}

// One word: a letter as it is, a Greek name as its letter, anything longer upright.
std::string word(std::string_view text) {
  if (std::find(greek.begin(), greek.end(), text) != greek.end()) return "\\" + std::string(text);
  const bool number = std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  if (number || (text.size() == 1 && std::isalpha(static_cast<unsigned char>(text[0])))) return std::string(text);
  return "\\mathrm{" + escaped(text) + "}";
}

std::string latex_name(std::string_view name, bool as_written = false);

std::string_view without_primes(std::string_view name) { return name.substr(0, name.find_last_not_of('\'') + 1); }

// What stands behind an underscore is a name of its own: x1 is set as a letter with an index, rod1 as a word.
std::string index_name(std::string_view name) {
  std::string_view letters = name;
  while (!letters.empty() && std::isdigit(static_cast<unsigned char>(letters.back()))) letters.remove_suffix(1);
  const bool is_letter = !letters.empty() && !word(letters).starts_with("\\mathrm");
  return is_letter && letters.size() < name.size() ? latex_name(name) : word(name);
}

// As many dots as the name has primes.
std::string dotted(const std::string& base, std::size_t primes) {
  constexpr std::array<std::string_view, 5> dots = {"", "\\dot", "\\ddot", "\\dddot", "\\ddddot"};
  if (primes == 0) return base;
  if (primes < dots.size()) return std::string(dots[primes]) + "{" + base + "}";
  return base + "^{(" + std::to_string(primes) + ")}";
}

// "link[2].r", part by part.
std::string dotted_parts(std::string_view name) {
  std::string text;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('.', at), name.size());
    text += (at == 0 ? "" : ".") + latex_name(name.substr(at, end - at));
    at = end + 1;
  }
  return text;
}

// The letters of multipliers, whose index is the name of a constraint; doubled where the model has that letter.
bool is_multiplier(std::string_view letter) {
  return letter == "lambda" || letter == "psi" || letter == "mu" || letter == "lambdas" || letter == "psis" ||
         letter == "mus";
}

// "i+1"
bool is_shifted(std::string_view index) {
  return index.size() > 2 && std::isalpha(static_cast<unsigned char>(index[0])) && (index[1] == '+' || index[1] == '-');
}

// "q1[2]'" is the dotted q with indices 1, 2; "motor.w" the w with the index motor.
std::string latex_name(std::string_view name, bool as_written) {
  const std::size_t primes = name.size() - without_primes(name).size();
  name = without_primes(name);
  if (as_written) return dotted("\\mathtt{" + escaped(name) + "}", primes);
  // Of link[2].r[1] the part behind the last dot is the letter, and what has it an index.
  const std::size_t part = name.rfind('.');
  std::string indices = part == std::string_view::npos ? "" : dotted_parts(name.substr(0, part));
  if (part != std::string_view::npos) {
    if (const std::size_t letter = name.find('_'); letter < part && is_multiplier(name.substr(0, letter)))
      return latex_name(name.substr(0, letter)) + "_{" + dotted_parts(name.substr(letter + 1)) + "}";
    name.remove_prefix(part + 1);
  }
  const auto add_index = [&](const std::string& index) {
    if (!index.empty()) indices += (indices.empty() ? "" : ",") + index;
  };
  const std::size_t bracket = std::min(name.find('['), name.size());
  std::string_view brackets = name.substr(bracket), base = name.substr(0, bracket);
  const std::size_t underscore = base.find('_', 1);
  if (underscore != std::string_view::npos) {
    if (underscore + 1 < base.size()) add_index(index_name(base.substr(underscore + 1)));
    base = base.substr(0, underscore);
  }
  std::size_t digits = 0;
  while (digits < base.size() && std::isdigit(static_cast<unsigned char>(base[base.size() - 1 - digits]))) ++digits;
  const std::string_view number = base.substr(base.size() - digits);
  if (digits < base.size()) base.remove_suffix(digits);
  if (digits > 0 && number.data() != base.data()) add_index(word(number));
  while (!brackets.empty()) {
    const std::size_t end = std::min(brackets.find(']'), brackets.size());
    const std::string_view index = brackets.substr(1, end - 1);
    add_index(is_shifted(index) ? std::string(index) : word(index));
    brackets.remove_prefix(std::min(end + 1, brackets.size()));
  }
  const std::string result = dotted(word(base), primes);
  return indices.empty() ? result : result + "_{" + indices + "}";
}

std::string fraction(const std::string& numerator, const std::string& denominator) {
  return "\\frac{" + numerator + "}{" + denominator + "}";
}

std::string number_text(Quad value) {  // not negative
  long p, q;
  if (value != value) return "\\mathrm{nan}";
  if (!finiteq(value)) return "\\infty";
  if (as_fraction(value, p, q)) return fraction(std::to_string(p), std::to_string(q));
  std::string text = constant_text(value);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::string exponent = text.substr(e + 1);
  if (exponent[0] == '+') exponent.erase(0, 1);
  const std::string front = text.substr(0, e);
  return (front == "1" ? "" : front + " \\cdot ") + "10^{" + exponent + "}";
}

class Latex {
 public:
  Latex(Graph& graph, const LatexNames& names) : graph_(graph), names_(names) {}

  Pieces expand(const Piece& piece) const {
    Form form = form_of(piece.e, piece.behind);
    if (form.level >= piece.level && !(form.minus && piece.behind)) return std::move(form.pieces);
    return {"\\left(", {piece.e, Level::sum}, "\\right)"};
  }

 private:
  Graph& graph_;
  const LatexNames& names_;

  const Node& node(Expr e) const { return graph_.node(e.id()); }
  Expr left(Expr e) const { return {&graph_, node(e).a}; }
  Expr right(Expr e) const { return {&graph_, node(e).b}; }

  // Down the left side as far as it is written without a bracket; not deeper than a reader looks.
  bool begins_with_digit(Expr e) const {
    for (int depth = 0; depth < 16; ++depth) {
      const Op op = node(e).op;
      if (op == Op::constant) return true;
      if (op != Op::power && op != Op::multiply) return false;
      e = left(e);
    }
    return false;
  }

  static Pieces frac(Pieces above, Pieces below) {
    Pieces pieces = {"\\frac{"};
    for (Piece& piece : above) pieces.push_back(std::move(piece));
    pieces.push_back("}{");
    for (Piece& piece : below) pieces.push_back(std::move(piece));
    pieces.push_back("}");
    return pieces;
  }

  // |c|*x
  Pieces multiple(Quad c, Expr x) const {
    long half;
    if (!as_half(c, half)) {
      return {number_text(c) + (begins_with_digit(x) ? " \\cdot " : " "), {x, Level::product, true}};
    }
    const std::string divisor = std::to_string(half);
    if (node(x).op == Op::divide) {
      return frac({{left(x), Level::sum}}, {divisor + " ", {right(x), Level::product, true}});
    }
    return frac({{x, Level::sum}}, {divisor});
  }

  Form product(Expr a, Expr b, bool behind) const {
    if (is_constant(a)) {
      const Quad factor = graph_.value(a.id());
      if (!(factor < 0)) return {Level::product, multiple(factor, b)};
      Pieces pieces = multiple(-factor, b);
      pieces.insert(pieces.begin(), "-");
      return {Level::sum, pieces, true};
    }
    const auto reciprocal = [&](Expr e) { return node(e).op == Op::divide && is_constant(left(e), 1); };
    if (reciprocal(b)) return {Level::power, frac({{a, Level::sum}}, {{right(b), Level::sum}})};
    if (reciprocal(a)) return {Level::power, frac({{b, Level::sum}}, {{right(a), Level::sum}})};
    return {Level::product,
            {{a, Level::product, behind}, begins_with_digit(b) ? " \\cdot " : " ", {b, Level::product, true}}};
  }

  // sin^2(x) rather than sin(x)^2.
  bool is_named_power(Expr base, Expr exponent) const {
    return node(base).op >= Op::sin && node(base).op <= Op::log && is_constant(exponent) &&
           graph_.value(exponent.id()) > 0;
  }

  Form call(Op op, const std::string& exponent, Expr a, Expr b) const {
    Pieces pieces = {std::string(operator_of(op).latex) + exponent + "\\left(", {a, Level::sum}};
    if (operand_count(op) == 2) {
      pieces.push_back(", ");
      pieces.push_back({b, Level::sum});
    }
    pieces.push_back("\\right)");
    return {Level::atom, pieces};
  }

  Form form_of(Expr e, bool behind) const {
    const Node n = node(e);
    const Expr a(&graph_, n.a), b(&graph_, n.b);
    switch (n.op) {
      case Op::constant: {
        const Quad value = graph_.value(e.id());
        if (value < 0) return {Level::sum, {"-" + number_text(-value)}, true};
        std::string text = number_text(value);
        const bool plain = text.find('^') == std::string::npos && text.find("\\frac") == std::string::npos;
        return {plain ? Level::atom : Level::product, {text}};
      }
      case Op::parameter:
      case Op::symbol: return {Level::atom, {names_(graph_.name(e.id()))}};
      case Op::add: return {Level::sum, {{a, Level::sum, behind}, " + ", {b, Level::sum, true}}};
      case Op::subtract: return {Level::sum, {{a, Level::sum, behind}, " - ", {b, Level::product, true}}};
      case Op::negate: return {Level::sum, {"-", {a, Level::product, true}}, true};
      case Op::multiply: return product(a, b, behind);
      case Op::divide: {
        if (!is_constant(a) || !(graph_.value(n.a) < 0)) {
          return {Level::power, frac({{a, Level::sum}}, {{b, Level::sum}})};
        }
        Pieces pieces = frac({number_text(-graph_.value(n.a))}, {{b, Level::sum}});
        pieces.insert(pieces.begin(), "-");
        return {Level::sum, pieces, true};
      }
      case Op::power:
        if (is_named_power(a, b))
          return call(node(a).op, "^{" + number_text(graph_.value(n.b)) + "}", left(a), left(a));
        return {Level::power, {{a, Level::atom, behind}, "^{", {b, Level::sum}, "}"}};
      case Op::piecewise:
        return {Level::atom, {to_latex(piecewise_of(e), names_) + "\\left(", {a, Level::sum}, "\\right)"}};
      case Op::sqrt: return {Level::atom, {"\\sqrt{", {a, Level::sum}, "}"}};
      case Op::abs: return {Level::atom, {"\\left|", {a, Level::sum}, "\\right|"}};
      default: return call(n.op, "", a, b);
    }
  }
};

}  // namespace

LatexNames::LatexNames(const std::vector<std::string>& symbols) {
  std::map<std::string, std::string_view> seen;
  for (const std::string& symbol : symbols) {
    const std::string_view name = without_primes(symbol);
    const auto [first, fresh] = seen.emplace(latex_name(name), name);
    if (!fresh && first->second != name) as_written_.emplace(name);
  }
}

std::string LatexNames::operator()(std::string_view symbol) const {
  return latex_name(symbol, as_written_.contains(without_primes(symbol)));
}

std::string to_latex(const Piecewise& function, const LatexNames& names) {
  return names(function.plain_name()) + std::string(static_cast<std::size_t>(function.order()), '\'');
}

std::string to_latex(Expr e, const LatexNames& names) {
  check(bool(e), "an empty expression cannot be printed");
  const Latex latex(e.graph(), names);
  return write(e, [&](const Piece& piece) { return latex.expand(piece); });
}

}  // namespace alembert::internal

namespace alembert {

std::string to_latex(Expr e) { return internal::to_latex(e, internal::LatexNames()); }

}  // namespace alembert
