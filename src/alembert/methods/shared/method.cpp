#include <algorithm>
#include <cmath>

#include "alembert/derive/massless.h"
#include "alembert/error.h"
#include "alembert/methods/method.h"

namespace alembert::internal {

namespace {

// More stages than this gain nothing in double precision and cost minutes to compile.
constexpr int most_stages = 30;

InputError wrong(const std::string& message, const std::string& hint, const Place& place = {}) {
  return InputError({Diagnostic{nullptr, place, message, hint}});
}

}  // namespace

std::string refusal(const Method& method, const Equations& e) {
  if (e.port && !method.ports) return port_refusal;
  const std::string reason = method.refuses ? method.refuses(e) : "";
  if (!reason.empty() || method.massless) return reason;
  const Massless without = massless(e);
  if (without.empty()) return "";
  if (method.name.starts_with("lobatto("))
    return without.reason +
           ", and the last column of Lobatto IIIB is zero, so no force at the end of a step determines " +
           "it: the matrix of the step is singular; lobatto_damped takes such models";
  return without.reason + ", so the momenta do not determine the velocities at the end of a step";
}

std::string table_text(const std::string& heading, const std::vector<std::vector<Quad>>& rows) {
  std::string text = heading + "\n";
  for (const std::vector<Quad>& row : rows) {
    for (const Quad value : row) {
      std::string number = to_text(static_cast<double>(value));
      number.resize(std::max<std::size_t>(number.size(), 25), ' ');
      text += "  " + number;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

void no_arguments(const std::string& family, const std::vector<Term>& arguments) {
  if (!arguments.empty()) throw wrong("'" + family + "' takes no arguments", "write " + family);
}

int stages_argument(const std::string& family, const std::vector<Term>& arguments, int least, int normal) {
  if (arguments.empty()) return normal;
  if (arguments.size() > 1)
    throw wrong("'" + family + "' takes one argument, the number of stages",
                "write " + family + "(" + std::to_string(normal) + ")");
  Quad value = 0;
  const Term& s = arguments[0];
  const Term& digits = s.form == Term::Form::negate ? s.parts[0] : s;
  const bool number = digits.form == Term::Form::number && read_number(digits.text, value);
  if (&digits != &s) value = -value;
  const bool outside = value < least || value > most_stages;
  if (!number || (!outside && value != static_cast<Quad>(static_cast<long>(value))))
    throw wrong("the number of stages of '" + family + "' must be a whole number, not '" + print(s) + "'",
                "write " + family + "(" + std::to_string(normal) + ")");
  if (outside)
    throw wrong("'" + family + "' takes " + std::to_string(least) + " to " + std::to_string(most_stages) +
                    " stages, not " + print(s),
                "write " + family + "(" + std::to_string(normal) + ")");
  return static_cast<int>(value);
}

Method find_method(const Term& term, std::optional<int> stages) {
  const bool call = term.form == Term::Form::call;
  if (!call && term.form != Term::Form::name)
    throw wrong("'" + print(term) + "' is not a method", "write a name with its arguments, such as lobatto(3)");
  std::vector<std::string> names;
  for (const MethodFamily& family : all_families()) {
    names.push_back(family.name);
    if (family.name != term.text) continue;
    std::vector<Term> arguments = call ? term.parts : std::vector<Term>{};
    if (stages) {
      if (!family.signature.starts_with(family.name + "(s"))
        throw wrong("'" + family.name + "' has no number of stages to set", "its form is " + family.signature);
      Term s;
      s.text = std::to_string(*stages);
      if (arguments.empty()) arguments = {s};
      else arguments[0] = s;
    }
    return family.make(arguments);
  }
  const std::string near = nearest_name(term.text, names);
  throw wrong("unknown method '" + term.text + "'",
              near.empty() ? "'alembert methods' lists them all" : "did you mean '" + near + "'?");
}

Method find_method(const std::string& name, const std::vector<double>& arguments) {
  Term term;
  term.form = arguments.empty() ? Term::Form::name : Term::Form::call;
  term.text = name;
  for (const double a : arguments) {
    Term part;
    part.text = to_text(a);
    term.parts.push_back(part);
  }
  return find_method(term);
}

}  // namespace alembert::internal
