// Which models a method takes, asked in one place by all commands.

#include <algorithm>

#include "alembert/default_methods.h"
#include "alembert/derive/massless.h"
#include "alembert/error.h"
#include "alembert/methods/method.h"
#include "alembert/start/finite.h"

namespace alembert::internal {

namespace {

/// A class of models, the capability that it needs, and what a method says that lacks it.
struct Need {
  bool Capabilities::*capability;
  std::string (*lacking)(const Equations&);  // "" where the model does not need the capability
};

std::string only_constant_mass(const Equations& e) {
  if (!e.constant_mass || e.form != Form::lagrangian)
    return "it takes L = v^T M v/2 - U(q) with constant M only (with another mass matrix its order would drop to 1)";
  if (depends(e.f, e.z)) return "it takes L = v^T M v/2 - U(q) only, and here the forces depend on velocities";
  return "";
}

std::string when(bool needed, const char* reason) { return needed ? reason : ""; }

const Need needs[] = {
    {&Capabilities::port_hamiltonian, [](const Equations& e) { return e.port ? port_refusal() : ""; }},
    {&Capabilities::mechanical,
     [](const Equations& e) { return when(!e.port, "it is for port-Hamiltonian systems only"); }},
    {&Capabilities::without_energy,
     [](const Equations& e) {
       if (!e.energy) return when(true, "it needs an energy, and the general form has none");
       return when(e.form == Form::general,
                   "it needs velocities or momenta of the coordinates themselves: the Lagrangian or Hamiltonian form");
     }},
    {&Capabilities::without_energy,
     [](const Equations& e) {
       return when(e.first_order > 0, "it knows no first-order states (variable, rate) beside the mechanics");
     }},
    {&Capabilities::varying_mass,
     [](const Equations& e) {
       return when(e.first_order > 0, "it knows no first-order states (variable, rate) beside the mechanics");
     }},
    {&Capabilities::holonomic,
     [](const Equations& e) {
       return when(!e.g.empty(), "it takes nonholonomic constraints only, and this model has holonomic ones");
     }},
    {&Capabilities::nonholonomic,
     [](const Equations& e) {
       return when(!e.k.empty(), "it takes holonomic constraints only, and this model has nonholonomic ones");
     }},
    {&Capabilities::velocity_reactions,
     [](const Equations& e) {
       return when(depends(e.r, e.z),
                   "the reaction of a holonomic constraint depends on velocities; SPARK methods take r(t, y, lambda)");
     }},
    {&Capabilities::varying_mass, only_constant_mass},
    {&Capabilities::contact_points,
     [](const Equations& e) {
       return when(!e.auxiliary.empty(),
                   "it does not solve for contact points at its stages; SPARK and collocation methods do");
     }},
};

std::string massless_refusal(const Method& method, const Massless& without) {
  return without.reason + ", " + method.massless_reason + "; " + families_that_take(&Capabilities::massless) +
         " take such models";
}

}  // namespace

std::string families_that_take(bool Capabilities::*capability) {
  std::vector<std::string> names;
  for (const MethodFamily& family : all_families()) {
    if (family.composer) continue;
    const Method example = family.make(family.example);
    if (!(example.capabilities.*capability)) continue;
    const bool usual = example.name == ALEMBERT_DEFAULT_METHOD || example.name == ALEMBERT_DEFAULT_PORT_METHOD;
    names.insert(usual ? names.begin() : names.end(), family.name);
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const char* between = i == 0 ? "" : i + 1 == names.size() ? " and " : ", ";
    text += between + names[i];
  }
  return text;
}

std::string port_refusal() {
  return "does not know the port-Hamiltonian form; " + families_that_take(&Capabilities::port_hamiltonian) +
         " and their compositions do";
}

std::string refusal(const Method& method, const Equations& equations) {
  const auto loaded = [](const ContactFunctions& contact) { return !contact.restitution; };
  if (method.capabilities.inclusions && std::any_of(equations.contacts.begin(), equations.contacts.end(), loaded))
    return "it knows no friction in joints and constraints ('load'), which is followed from event to event";
  const Equations e = seen_by_methods(equations);
  for (const Need& need : needs) {
    if (method.capabilities.*need.capability) continue;
    std::string reason = need.lacking(e);
    if (reason.empty()) continue;
    const bool port = need.capability == &Capabilities::port_hamiltonian;
    if (!port || method.port_reason.empty()) return reason;
    return method.port_reason + "; " + families_that_take(need.capability) + " then take it";
  }
  std::string reason = method.refuses ? method.refuses(e) : "";
  if (!reason.empty() || method.capabilities.massless) return reason;
  const Massless without = massless(e);
  return without.empty() ? "" : massless_refusal(method, without);
}

namespace {

/// "murua(s), lobatto_c(s) and more take it; ", as far as they fit into a line; "" where none does.
std::string families_that_take(const Equations& e) {
  constexpr std::size_t most = 5;  // names in a line
  std::vector<std::string> names;
  for (const MethodFamily& family : all_families())
    if (!family.composer && refusal(family.make(family.example), e).empty()) names.push_back(family.name);
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.empty()) return "";
  return text + (names.size() > most ? " and more" : "") + (names.size() == 1 ? " takes it; " : " take it; ");
}

}  // namespace

void require_taken(const Method& method, const Model& model, const Equations& e) {
  std::string reason = refusal(method, e);
  if (reason.empty()) return;
  Diagnostic diagnostic;
  diagnostic.message = "method " + method.name + " cannot integrate this model: " + reason;
  diagnostic.hint = "`examine(model)` lists the methods that apply";
  // Where masses are missing, the coordinate is shown; the reason names who takes that.
  const Massless without = massless(e);
  if (without.empty()) diagnostic.hint = families_that_take(e) + diagnostic.hint;
  if (!without.z.empty() && reason.find(without.reason) != std::string::npos) {
    diagnostic.source = model.source;
    diagnostic.place = place_of(blocks_of_z(model), without.z.front());
  }
  throw InputError({diagnostic});
}

}  // namespace alembert::internal
