// Which form a model is written in: its statements say so.

#include <algorithm>

#include "alembert/model/elaborate.h"
#include "alembert/model/ports/port_variables.h"

namespace alembert::internal {

const char* form_name(Form form) {
  switch (form) {
    case Form::lagrangian: return "Lagrangian";
    case Form::hamiltonian: return "Hamiltonian";
    case Form::general: return "general";
    case Form::port_hamiltonian: return "port-Hamiltonian";
  }
  return "";
}

namespace {

struct FormWord {
  const char* keyword;
  Form form;
};
const FormWord form_words[] = {
    {"kinetic", Form::lagrangian},
    {"potential", Form::lagrangian},
    {"lagrangian", Form::lagrangian},
    {"rayleigh", Form::lagrangian},
    {"hamiltonian", Form::hamiltonian},
    {"momentum", Form::hamiltonian},
    {"variable", Form::general},
    {"multiplier", Form::general},
    {"quantity", Form::general},
    {"rate", Form::general},
    {"state", Form::port_hamiltonian},
    {"flow", Form::port_hamiltonian},
    {"structure", Form::port_hamiltonian},
    {"dissipation", Form::port_hamiltonian},
    {"port", Form::port_hamiltonian},
    {"coupling", Form::port_hamiltonian},
    {"feedthrough", Form::port_hamiltonian},
    {"effort", Form::port_hamiltonian},
    {"drift", Form::port_hamiltonian},
    {"input", Form::port_hamiltonian},
    {"output", Form::port_hamiltonian},
    {"component", Form::port_hamiltonian},
    {"connect", Form::port_hamiltonian},
};

std::string in_line(const Statement& s) { return "'" + s.keyword + "' (line " + std::to_string(s.place.line) + ")"; }

void only_once(Elaboration& e, const char* keyword) {
  const Statement* first = nullptr;
  e.each(keyword, [&](const Statement& s) {
    if (first)
      e.scope.error(s.place, "'" + s.keyword + "' is given twice",
                    "first in line " + std::to_string(first->place.line));
    else first = &s;
  });
}

/// First-order states (variable, rate) and inputs may stand beside mechanics, and say nothing about its form then.
bool stands_beside(const std::string& keyword) {
  return keyword == "variable" || keyword == "rate" || keyword == "input";
}

/// Whether the text has energies.
bool says_mechanics(const Text& text) {
  return std::any_of(text.statements.begin(), text.statements.end(), [](const Statement& s) {
    return std::any_of(std::begin(form_words), std::end(form_words), [&](const FormWord& word) {
      return s.keyword == word.keyword && (word.form == Form::lagrangian || word.form == Form::hamiltonian);
    });
  });
}

/// kinematics, velocity or mass: what must be there, and what does not go with them.
bool choose_multibody(Elaboration& e) {
  const Statement* first = nullptr;
  for (const Statement& s : e.text.statements)
    if (!first && (s.keyword == "kinematics" || s.keyword == "velocity" || s.keyword == "mass")) first = &s;
  if (!first) return false;
  Scope& scope = e.scope;
  e.model.form = Form::general;
  e.model.multibody = true;
  scope.form = Form::lagrangian;  // q' has a meaning, and multipliers need no declaration
  bool clash = false;
  for (const Statement& s : e.text.statements)
    for (const FormWord& word : form_words) {
      if (s.keyword != word.keyword || s.keyword == "potential" || s.keyword == "rayleigh" || clash) continue;
      if (stands_beside(s.keyword)) continue;
      clash = true;
      scope.error(s.place, in_line(s) + " does not go with " + in_line(*first) + " of the multibody form",
                  s.keyword == "kinetic" ? "the kinetic energy follows from 'mass'" : "a model has one form");
    }
  only_once(e, "solve");
  if (!e.complete || clash) return true;
  const std::pair<const char*, const char*> needed[] = {{"coordinate", "coordinate q[3]"},
                                                        {"velocity", "velocity v[3]"},
                                                        {"kinematics", "kinematics q' = v"},
                                                        {"mass", "mass v = m"}};
  // Velocities may turn and move without a place that anybody asks for: Euler's equations.
  const bool places = e.has("coordinate") || e.has("kinematics");
  for (const auto& [keyword, example] : needed)
    if (!e.has(keyword) && (places || keyword == std::string("velocity") || keyword == std::string("mass")))
      scope.error(first->place, std::string("the multibody form needs '") + keyword + "'",
                  "add '" + std::string(example) + "'");
  return true;
}

/// What decides the form, and whether something was said against it.
struct Choice {
  const Statement* first = nullptr;  // decides
  bool ports = false;                // the port-Hamiltonian form has a 'hamiltonian' too
  bool clash = false;
};

/// The first statement that belongs to one form only decides; the first that belongs to another is an error.
Choice first_of_its_form(Elaboration& e) {
  Choice choice;
  choice.ports = says_ports(e.text);
  const bool mechanics = !choice.ports && says_mechanics(e.text);
  for (const Statement& s : e.text.statements) {
    // Inputs belong to all forms; of a model that is nothing else they say what it was meant to be.
    if (stands_beside(s.keyword) && (mechanics || (s.keyword == "input" && !choice.ports && e.has("rate")))) continue;
    for (const FormWord& word : form_words) {
      if (s.keyword != word.keyword || (choice.ports && s.keyword == "hamiltonian")) continue;
      if (!choice.first) {
        choice.first = &s;
        e.model.form = word.form;
      } else if (word.form != e.model.form && !choice.clash) {
        choice.clash = true;
        e.scope.error(s.place,
                      in_line(s) + " belongs to the " + form_name(word.form) + " form, but " + in_line(*choice.first) +
                          " to the " + form_name(e.model.form) + " form",
                      "a model has one form");
      }
    }
  }
  e.scope.form = e.model.form;
  return choice;
}

/// What to write instead of a statement that the general or the port-Hamiltonian form does not have.
const char* instead_of(const std::string& keyword, bool ports) {
  if (!ports) return keyword == "force" ? "add it to a rate" : "declare a variable and give its rate";
  if (keyword == "force") return "write an input with its port";
  if (keyword == "coordinate") return "declare a state";
  return "a state with a zero row of the flow matrix is its multiplier";
}

/// Statements that several forms share, but not these two; the first is an error.
void refuse_foreign(Elaboration& e, Choice& choice) {
  if ((e.model.form != Form::general && !choice.ports) || choice.clash) return;
  std::vector<const char*> foreign = {"coordinate", "force"};
  if (choice.ports) foreign.push_back("constraint");
  for (const char* keyword : foreign)
    e.each(keyword, [&](const Statement& s) {
      if (choice.clash) return;
      choice.clash = true;
      e.scope.error(
          s.place,
          in_line(s) + " does not go with " + in_line(*choice.first) + " of the " + form_name(e.model.form) + " form",
          instead_of(s.keyword, choice.ports));
    });
}

/// A Lagrangian stands for both energies.
void refuse_energies_beside_lagrangian(Elaboration& e) {
  const Statement* lagrangian = nullptr;
  e.each("lagrangian", [&](const Statement& s) { lagrangian = &s; });
  if (!lagrangian) return;
  for (const char* keyword : {"kinetic", "potential"})
    e.each(keyword, [&](const Statement& s) {
      e.scope.error(s.place, in_line(s) + " clashes with " + in_line(*lagrangian),
                    "the Lagrangian already is kinetic minus potential energy");
    });
}

/// What each form needs at least.
void refuse_missing(Elaboration& e, const Statement& first) {
  Scope& scope = e.scope;
  switch (e.model.form) {
    case Form::lagrangian:
      if (!e.has("kinetic") && !e.has("lagrangian"))
        scope.error(first.place, "the kinetic energy is missing", "add 'kinetic EXPR', or give a 'lagrangian'");
      if (!e.has("coordinate")) scope.error(e.head(), "the model has no coordinates", "add 'coordinate x'");
      break;
    case Form::hamiltonian:
      if (!e.has("hamiltonian")) scope.error(first.place, "the Hamiltonian is missing", "add 'hamiltonian EXPR'");
      if (!e.has("coordinate"))
        scope.error(e.head(), "the model has no coordinates", "add 'coordinate x' and 'momentum p of x'");
      break;
    case Form::general:
      if (!e.has("variable"))
        scope.error(e.head(), "the model has no variables", "add 'variable y = ...' and 'rate y' = ...'");
      break;
    case Form::port_hamiltonian:
      if (!e.has("state") && !e.has("component") && !e.component)
        scope.error(first.place, "the model has no states", "add 'state x = ...'");
      if (!e.has("hamiltonian") && e.has("state"))
        scope.error(first.place, "the Hamiltonian is missing", "add 'hamiltonian EXPR'");
      break;
  }
}

}  // namespace

bool says_ports(const Text& text) {
  return std::any_of(text.statements.begin(), text.statements.end(), [](const Statement& s) {
    return std::any_of(std::begin(form_words), std::end(form_words), [&](const FormWord& word) {
      return s.keyword == word.keyword && word.form == Form::port_hamiltonian && s.keyword != "input";
    });
  });
}

void choose_form(Elaboration& e) {
  if (choose_multibody(e)) return;
  Choice choice = first_of_its_form(e);
  refuse_foreign(e, choice);
  only_once(e, "lagrangian");
  only_once(e, "hamiltonian");
  only_once(e, "solve");
  refuse_energies_beside_lagrangian(e);
  if (!e.complete || choice.clash) return;
  if (choice.first) refuse_missing(e, *choice.first);
  else
    e.scope.error(e.head(), "the model says nothing about its motion",
                  "it needs kinetic (and potential), lagrangian, hamiltonian, or variables with rates");
}

}  // namespace alembert::internal
