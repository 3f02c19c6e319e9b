// Forms as text of the model language.

#include <fmt/format.h>
#include <quadmath.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "alembert/error.h"
#include "alembert/expr/form.h"
#include "alembert/expr/form_cases.h"
#include "alembert/expr/form_print_impl.h"
#include "alembert/expr/operators.h"
#include "alembert/expr/print.h"
#include "alembert/expr/writer.h"

namespace alembert::internal::form {

const Piecewise& piecewise_of(const Atom& atom) {
  const Sum& number = atom.arguments[1];
  check(number.terms.size() == 1, "a table has a number");
  const Piecewise* const function = find_piecewise(static_cast<double>(number.terms[0].coefficient));
  check(function != nullptr, "a table that nobody knows");
  return *function;
}

Quad shown_number(Quad value) {
  Quad read = value;
  read_number(fmt::format("{}", static_cast<double>(value)), read);
  return read;
}

namespace {

/// n/d to all digits but for rounding.
struct Ratio {
  long n, d;
};
std::optional<Ratio> ratio_of(Quad value, long largest_n, long largest_d) {
  constexpr double rounding = 1e-30;  // quadruple precision has 34 digits
  for (long d = 1; d <= largest_d; ++d) {
    const Quad n = roundq(value * d);
    if (n == 0 || n > largest_n || fabsq(n - value * d) > rounding * n) continue;
    return Ratio{static_cast<long>(n), d};
  }
  return {};
}

std::string decimal(Quad value, Writing writing) {
  if (writing == Writing::infix) return constant_text(value);
  Graph scratch;
  return to_latex(scratch.constant(shown_number(value)));
}

std::string times(long factor, const std::string& name, Writing writing) {
  if (factor == 1) return name;
  return std::to_string(factor) + (writing == Writing::latex ? " " : "*") + name;
}

/// sqrt(3)/2 and 2/3*pi, which reached us as numbers.
std::optional<Fraction> root_or_pi(Quad value, Writing writing) {
  const bool latex = writing == Writing::latex;
  const Quad pi = acosq(Quad(-1));
  if (const auto share = ratio_of(value / pi, 30, 180))  // degrees too
    return Fraction{times(share->n, latex ? "\\pi" : "pi", writing), std::to_string(share->d)};
  const auto square = ratio_of(value * value, 1000, 1000);
  if (!square) return {};
  // n/d = n*d/d^2: the root of n*d, whose squares stand before it, over d.
  long inside = square->n * square->d, outside = 1, below = square->d;
  for (long factor = 2; factor * factor <= inside; ++factor)
    for (; inside % (factor * factor) == 0; inside /= factor * factor) outside *= factor;
  const long shared = std::gcd(outside, below);
  outside /= shared;
  below /= shared;
  const std::string root = (latex ? "\\sqrt{" : "sqrt(") + std::to_string(inside) + (latex ? "}" : ")");
  return Fraction{times(outside, root, writing), std::to_string(below)};
}

}  // namespace

Fraction fraction_of(Quad value, Writing writing) {
  const auto written = [](const Ratio& ratio) { return Fraction{std::to_string(ratio.n), std::to_string(ratio.d)}; };
  if (const auto small = ratio_of(value, 30, 16)) return written(*small);
  const Quad shown = shown_number(value);
  if (is_same_size(shown, value)) return {decimal(shown, writing), "1"};
  // What is no short decimal was a quotient, 1/24, or a root.
  if (const auto large = ratio_of(value, 1000, 1000)) return written(*large);
  if (const auto root = root_or_pi(value, writing)) return *root;
  return {decimal(value, writing), "1"};
}

std::vector<Term> written_order(const Sum& sum) {
  std::vector<Term> terms = sum.terms;
  const auto positive = std::find_if(terms.begin(), terms.end(), [](const Term& t) { return t.coefficient > 0; });
  if (positive != terms.end()) std::rotate(terms.begin(), positive, positive + 1);
  return terms;
}

namespace {

std::string infix_sum(const FormTable& table, const Sum& sum);

/// if(c, a, if(d, b, 0))
std::string infix_cases(const FormTable& table, const Cases& cases) {
  const ConditionWords words{">", "<", "<=", ">=", "!=", "and", "or", infix_sum};
  std::string text = infix_sum(table, cases.back().value);
  for (std::size_t i = cases.size() - 1; i-- > 0;)
    text = "if(" + condition_text(table, *cases[i].when, words) + ", " + infix_sum(table, cases[i].value) + ", " +
           text + ")";
  return text;
}

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
  } else if (atom.op == Op::piecewise) {
    text = piecewise_of(atom).name() + "(" + infix_sum(table, atom.arguments[0]) + ")";
  } else if (atom.op == Op::where || atom.op == Op::positive) {
    text = infix_cases(table, take_apart(table, Sum{{{1, {{factor.atom, 1}}}}}).cases[0]);
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
  const ChoosingSum parts = take_apart(table, sum);
  std::string text;
  for (const Term& term : written_order(parts.plain)) {
    const bool minus = term.coefficient < 0;
    text += text.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
    text += infix_term(table, term);
  }
  for (const Cases& cases : parts.cases) text += (text.empty() ? "" : " + ") + infix_cases(table, cases);
  return text.empty() ? "0" : text;
}

}  // namespace

std::string to_infix(const FormTable& table, const Sum& sum) { return infix_sum(table, sum); }

}  // namespace alembert::internal::form
