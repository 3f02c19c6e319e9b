// Methods by their names.

#include <algorithm>

#include "alembert/default_methods.h"
#include "alembert/error.h"
#include "alembert/methods/method.h"

namespace alembert::internal {

namespace {

Term parsed(const std::string& text) { return parse_term(std::make_shared<const Source>(Source{"method", text})); }

std::vector<Term> parsed(const std::vector<std::string>& texts) {
  std::vector<Term> terms;
  for (const std::string& text : texts) terms.push_back(parsed(text));
  return terms;
}

InputError unknown(const std::string& name) {
  std::vector<std::string> names;
  for (const MethodFamily& family : all_families()) {
    names.push_back(family.name);
    for (const Alias& alias : family.aliases) names.push_back(alias.name);
  }
  const std::string near = nearest_name(name, names);
  return InputError("unknown method '" + name + "'",
                    near.empty() ? "`describe_methods()` lists them all" : "did you mean '" + near + "'?");
}

/// The arguments of a member of a family: as given, or those that the alias stands for.
std::vector<Term> bound_arguments(const FoundFamily& found, const Term& term) {
  std::vector<Term> given = term.form == Term::Form::call ? term.parts : std::vector<Term>{};
  if (!found.alias || found.alias->arguments.empty()) return given;
  if (!given.empty())
    throw InputError("'" + term.text + "' takes no arguments", "it stands for " + meaning(*found.family, *found.alias) +
                                                                   "; others are " + found.family->signature);
  return parsed(found.alias->arguments);
}

void set_stages(std::vector<Term>& arguments, const FoundFamily& found, const std::string& name, int stages) {
  const bool bound = found.alias && !found.alias->arguments.empty();
  if (found.family->least_stages == 0 || bound)
    throw InputError(
        "'" + name + "' has no number of stages to set",
        bound ? "it stands for " + meaning(*found.family, *found.alias) : "its form is " + found.family->signature);
  const Term s = parsed(std::to_string(stages));
  if (arguments.empty()) arguments = {s};
  else arguments[0] = s;
}

}  // namespace

FoundFamily find_family(const std::string& name) {
  for (const MethodFamily& family : all_families()) {
    if (family.name == name) return {family, {}};
    for (const Alias& alias : family.aliases)
      if (alias.name == name) return {family, alias};
  }
  return {};
}

std::string meaning(const MethodFamily& family, const Alias& alias) {
  if (alias.arguments.empty()) return family.signature;
  std::string text = family.name + "(";
  for (std::size_t i = 0; i < alias.arguments.size(); ++i) text += (i ? ", " : "") + alias.arguments[i];
  return text + ")";
}

Method find_method(const Term& term, std::optional<int> stages) {
  if (term.form != Term::Form::call && term.form != Term::Form::name)
    throw InputError("'" + print(term) + "' is not a method",
                     "write a name with its arguments, such as " ALEMBERT_DEFAULT_METHOD);
  const FoundFamily found = find_family(term.text);
  if (!found.family) throw unknown(term.text);
  std::vector<Term> arguments = bound_arguments(found, term);
  if (stages) set_stages(arguments, found, term.text, *stages);
  return found.family->make(arguments);
}

Method find_method(const std::string& text) {
  if (text.find_first_not_of(" \t") == std::string::npos)
    throw InputError("no method is named", "write a name with its arguments, such as " ALEMBERT_DEFAULT_METHOD);
  return find_method(parsed(text));
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

std::vector<Method> sample_methods(const MethodFamily& family) {
  std::vector<Method> samples;
  for (const std::string& text : family.samples) samples.push_back(find_method(text));
  if (!samples.empty()) return samples;
  if (family.least_stages == 0) return {family.make(family.example)};
  constexpr int counts = 3;  // even, odd, and one beyond both
  for (int s = family.least_stages; s < family.least_stages + counts; ++s)
    samples.push_back(family.make({parsed(std::to_string(s))}));
  return samples;
}

std::optional<Method> reference_method(const Equations& e, int stages) {
  for (const MethodFamily& family : all_families()) {
    if (family.composer || family.least_stages == 0 || stages < family.least_stages) continue;
    Method method = family.make({parsed(std::to_string(stages))});
    const Claims& c = method.claims;
    const bool accurate = std::min({c.order_q, c.order_v, c.order_multiplier}) >= 2 * stages;
    const bool structured = c.symmetric && c.symplectic && c.position && c.velocity && c.nonholonomic;
    if (accurate && structured && refusal(method, e).empty()) return method;
  }
  return {};
}

}  // namespace alembert::internal
