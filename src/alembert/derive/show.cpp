#include "alembert/derive/show.h"

#include <algorithm>
#include <map>

#include "alembert/base/lists.h"
#include "alembert/derive/ports/port_equations.h"
#include "alembert/derive/show_parts.h"

namespace alembert::internal {

namespace {

std::string counted(std::size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string title_of(const Model& model, const Equations& e) {
  const std::string head = (model.title.empty() ? "Model" : model.title) + ", " +
                           (model.multibody ? "multibody" : form_name(model.form)) + " form: ";
  if (e.port) {
    return head + counted(e.z.size(), "differential state") + ", " +
           counted(e.port->system.algebraic.size(), "algebraic state") + ", " + counted(e.port->inputs.size(), "input");
  }
  const auto states = static_cast<std::size_t>(e.first_order);
  return head + counted(e.y.size() - states - e.auxiliary.size(), "coordinate") + ", " +
         (states > 0 ? counted(states, "first-order state") + ", " : "") + counted(e.g.size(), "holonomic constraint") +
         ", " + counted(e.k.size(), "nonholonomic constraint");
}

/// The letters of the page. Names of multipliers are the page's own: lambda_rod is an entry of lambda.
Letters letters_of(const Model& model, const Equations& e, std::vector<std::string> names) {
  const std::vector<std::string> own = joined<std::string>(symbol_names(e.lambda), symbol_names(e.psi));
  std::erase_if(names, [&](const std::string& name) {
    return (std::find(own.begin(), own.end(), name) != own.end() && name.find('_') != std::string::npos) || name == "t";
  });
  std::map<std::string, std::vector<std::string>> lists;
  const std::string q = coordinate_letter(model, e);
  lists[q] = of_coordinates(e, e.y_names);
  if (model.multibody) lists["v"] = e.z_names;
  else if (e.form == Form::hamiltonian) lists["p"] = e.z_names;
  else if (e.form == Form::general) lists["z"] = e.z_names;
  std::vector<std::string> indices = joined<std::string>(e.y_names, e.z_names);
  if (e.port) {
    const PortSystem& s = e.port->system;
    lists.clear();
    for (int i = 0; i < s.size(); ++i) lists["x"].push_back(flat_name(s.states, i));
    for (int i = 0; i < static_cast<int>(s.u.size()); ++i) {
      lists["u"].push_back(flat_name(s.inputs, i));
      lists["y"].push_back(flat_name(s.outputs, i));
    }
    indices = lists["x"];
  }
  indices.insert(indices.end(), {"t", "q", "y", "v", "z"});
  return {names, indices, joined<std::string>(e.g_names, e.k_names), lists};
}

/// All names that may appear: states and parameters first, which keep the look that one expects.
std::vector<std::string> symbols_of(const Model& model, const Equations& e) {
  std::vector<std::string> names = joined<std::string>(e.y_names, e.z_names);
  names.insert(names.end(), {"t"});
  const auto add = [&](const std::vector<Block>& blocks) {
    for (const Block& block : blocks)
      for (int i = 0; i < block.size; ++i) names.push_back(entry_name(block, i));
  };
  add(model.parameters);
  add(model.inputs);
  if (e.port) {
    add(e.port->system.states);
    add(e.port->system.inputs);
    add(e.port->system.outputs);
  }
  add(model.invariants);
  return joined<std::string>(names, symbol_names(e.lambda), symbol_names(e.psi));
}

}  // namespace

std::string show(const Model& model, const Equations& e, const ShowOptions& options) {
  Collector collector({joined<Expr>(e.lambda, e.psi), joined<Expr>(e.t, e.y), e.z, e.z_dot});
  std::vector<std::string> symbols = symbols_of(model, e);
  const Letters letters = letters_of(model, e, symbols);
  for (const std::string& name : e.g_names) symbols.push_back(mu_name(letters, name));
  Page page(collector, options, title_of(model, e), symbols);
  if (e.port) write_ports(page, model, e, letters);
  else write_mechanics(page, model, e, options, letters);
  return page.take();
}

}  // namespace alembert::internal
