// Forms as text of the model language and as LaTeX.

#include <quadmath.h>

#include <algorithm>

#include "alembert/expr/form.h"
#include "alembert/expr/operators.h"
#include "alembert/expr/print.h"
#include "alembert/expr/writer.h"

namespace alembert::internal::form {

namespace {

/// A number as one writes it: n/d where that is short, else as it is (d = 1).
struct Fraction {
  std::string n, d;
};

Fraction fraction_of(Quad value) {  // not negative
  constexpr long largest_n = 30, largest_d = 16;
  constexpr double rounding = 1e-30;
  for (long d = 1; d <= largest_d; ++d) {
    const Quad n = roundq(value * d);
    if (n == 0 || n > largest_n || fabsq(n - value * d) > rounding * n) continue;
    return {std::to_string(static_cast<long>(n)), std::to_string(d)};
  }
  return {constant_text(value), "1"};
}

/// Terms as they are written: where some are positive one of these stands first.
std::vector<Term> written_order(const Sum& sum) {
  std::vector<Term> terms = sum.terms;
  const auto positive = std::find_if(terms.begin(), terms.end(), [](const Term& t) { return t.coefficient > 0; });
  if (positive != terms.end()) std::rotate(terms.begin(), positive, positive + 1);
  return terms;
}

std::string infix_sum(const FormTable& table, const Sum& sum);

std::string infix_exponent(Quad exponent) {
  const Fraction f = fraction_of(exponent);
  return f.d == "1" ? f.n : "(" + f.n + "/" + f.d + ")";
}

/// The factor to the absolute value of its exponent.
std::string infix_factor(const FormTable& table, const Factor& factor) {
  const Atom& atom = table.atom(factor.atom);
  const Quad exponent = fabsq(factor.exponent);
  const bool root = exponent == Quad(0.5);
  std::string text;
  if (atom.op == Op::symbol) {
    text = atom.symbol.graph().name(atom.symbol.id());
  } else if (atom.op == Op::add) {
    text = infix_sum(table, atom.arguments[0]);
    if (!root) text = "(" + text + ")";
  } else if (atom.op == Op::power) {
    text = "(" + infix_sum(table, atom.arguments[0]) + ")^(" + infix_sum(table, atom.arguments[1]) + ")";
    if (exponent != 1 && !root) text = "(" + text + ")";
  } else {
    text = std::string(operator_of(atom.op).name) + "(" + infix_sum(table, atom.arguments[0]);
    if (atom.arguments.size() == 2) text += ", " + infix_sum(table, atom.arguments[1]);
    text += ")";
  }
  if (root) return "sqrt(" + text + ")";
  return exponent == 1 ? text : text + "^" + infix_exponent(exponent);
}

std::string infix_term(const FormTable& table, const Term& term) {
  const Fraction number = fraction_of(fabsq(term.coefficient));
  std::vector<std::string> above, below;
  std::size_t parameters = 0;  // that stand in front
  for (const Factor& factor : term.factors) {
    const Atom& atom = table.atom(factor.atom);
    (factor.exponent > 0 ? above : below).push_back(infix_factor(table, factor));
    if (factor.exponent > 0 && atom.kind == Kind::parameter && parameters + 1 == above.size()) ++parameters;
  }
  const bool divisor_below = number.d != "1" && number.n == "1" && !below.empty();
  if (divisor_below) below.insert(below.begin(), number.d);
  std::string text;
  if (number.n != "1") text = number.d == "1" ? number.n : number.n + "/" + number.d;
  else if (above.empty()) text = number.d == "1" || divisor_below ? "1" : "1/" + number.d;
  // m/2*x'^2, but x'^2/2
  const bool divided = number.n == "1" && number.d != "1" && below.empty() && !above.empty();
  if (parameters == 0) parameters = above.size();
  for (std::size_t i = 0; i < above.size(); ++i) {
    text += (text.empty() ? "" : "*") + above[i];
    if (divided && i + 1 == parameters) text += "/" + number.d;
  }
  if (below.empty()) return text;
  std::string divisor = below[0];
  for (std::size_t i = 1; i < below.size(); ++i) divisor += "*" + below[i];
  return text + "/" + (below.size() > 1 ? "(" + divisor + ")" : divisor);
}

std::string infix_sum(const FormTable& table, const Sum& sum) {
  std::string text;
  for (const Term& term : written_order(sum)) {
    const bool minus = term.coefficient < 0;
    text += text.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
    text += infix_term(table, term);
  }
  return text.empty() ? "0" : text;
}

std::string latex_sum(const FormTable& table, const Sum& sum);

std::string latex_number(Quad value) {  // not negative
  const Fraction f = fraction_of(value);
  if (f.d != "1") return "\\frac{" + f.n + "}{" + f.d + "}";
  Graph scratch;
  return to_latex(scratch.constant(value));
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
  const Fraction f = fraction_of(exponent);
  const std::string power = exponent == 1 ? "" : "^{" + (f.d == "1" ? f.n : f.n + "/" + f.d) + "}";
  const bool root = exponent == Quad(0.5);
  if (atom.op == Op::symbol) return root ? "\\sqrt{" + to_latex(atom.symbol) + "}" : to_latex(atom.symbol) + power;
  const Sum& first = atom.arguments[0];
  if (atom.op == Op::add) {
    return root ? "\\sqrt{" + latex_sum(table, first) + "}" : "\\left(" + latex_sum(table, first) + "\\right)" + power;
  }
  if (atom.op == Op::power) {
    const std::string text = latex_brackets(table, first) + "^{" + latex_sum(table, atom.arguments[1]) + "}";
    return power.empty() ? text : "\\left(" + text + "\\right)" + power;
  }
  if (atom.op == Op::abs) return "\\left|" + latex_sum(table, first) + "\\right|" + power;
  const std::string name(operator_of(atom.op).latex);
  if (atom.arguments.size() == 2)
    return name + power + "\\left(" + latex_sum(table, first) + ", " + latex_sum(table, atom.arguments[1]) + "\\right)";
  return name + power + latex_brackets(table, first);
}

/// Names of several letters are set apart from their neighbours.
std::string latex_product(const FormTable& table, const std::string& number, const std::vector<Factor>& factors) {
  std::string text = number == "1" && !factors.empty() ? "" : number;
  bool after_word = false;
  for (const Factor& factor : factors) {
    const std::string next = latex_factor(table, factor);
    const bool is_word = next.starts_with("\\mathrm");
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
  const Fraction number = fraction_of(size);
  const std::string n = number.d == "1" ? latex_number(size) : number.n;
  return "\\frac{" + latex_product(table, n, above) + "}{" + latex_product(table, number.d, below) + "}";
}

std::string latex_sum(const FormTable& table, const Sum& sum) {
  std::string text;
  for (const std::string& term : to_latex_terms(table, sum)) text += (text.empty() ? "" : " ") + term;
  return text;
}

}  // namespace

std::string to_infix(const FormTable& table, const Sum& sum) { return infix_sum(table, sum); }

std::vector<std::string> to_latex_terms(const FormTable& table, const Sum& sum) {
  std::vector<std::string> texts;
  for (const Term& term : written_order(sum)) {
    const bool minus = term.coefficient < 0;
    const std::string sign = texts.empty() ? (minus ? "-" : "") : (minus ? "- " : "+ ");
    texts.push_back(sign + latex_term(table, term));
  }
  if (texts.empty()) texts.push_back("0");
  return texts;
}

}  // namespace alembert::internal::form
