#include "alembert/run/report_names.h"

#include <algorithm>
#include <cmath>

#include "alembert/base/lists.h"
#include "alembert/derive/ports/port_equations.h"
#include "alembert/model/ports/port.h"
#include "alembert/version.h"

namespace alembert::internal {
namespace {

using Strings = std::vector<std::string>;

/// first: where the list that the blocks point into begins in the list of the report.
std::vector<Quantity> quantities(const std::vector<Block>& blocks, int first = 0) {
  std::vector<Quantity> list;
  for (const Block& block : blocks) list.push_back({block.name, block.shape, first + block.first, block.unit});
  return list;
}

std::vector<NamedConstraint> named_constraints(const Model& model, const Equations& e) {
  std::vector<NamedConstraint> list;
  for (const Constraint& constraint : model.constraints) list.push_back({constraint.name, -1, -1});
  for (std::size_t i = 0; i < e.g_constraint.size(); ++i) list.at(e.g_constraint[i]).lambda = static_cast<int>(i);
  for (std::size_t i = 0; i < e.psi_constraint.size(); ++i) list.at(e.psi_constraint[i]).psi = static_cast<int>(i);
  return list;
}

/// Momenta go by the name of their coordinate where the user gave them none of their own.
std::vector<Block> momenta_of(const Model& model) {
  if (model.port) return {};
  return blocks_of_z(model);
}

/// What is no first-order state.
std::vector<Block> coordinates_of(const Model& model) {
  const std::vector<Block> states = first_order_states(model);
  std::vector<Block> list;
  for (const Block& block : model.coordinates)
    if (states.empty() || block.first < states.front().first || block.first > states.back().first)
      list.push_back(block);
  return list;
}

std::vector<Quantity> variables_of(const Model& model) {
  std::vector<Quantity> states = quantities(first_order_states(model));
  if (model.form != Form::general) return states;
  const std::vector<Quantity> z = quantities(model.momenta, static_cast<int>(model.q.size()));
  return joined<Quantity>(quantities(coordinates_of(model)), z, states);
}

Strings event_names(const Model& model) {
  Strings names;
  for (const Event& event : model.events) names.push_back(event.name);
  return names;
}

PortReport port_names(const PortSystem& system, const Equations& e) {
  PortReport port;
  port.states = quantities(system.states);
  port.inputs = quantities(system.inputs);
  port.outputs = quantities(system.outputs);
  port.components = e.port->energy_names;
  return port;
}

/// Adds groups of columns one behind the other.
class ColumnList {
 public:
  explicit ColumnList(Strings& names) : names_(names) {}

  ColumnRange add(const Strings& names, const std::string& before = "") {
    const int begin = static_cast<int>(names_.size());
    for (const std::string& name : names) names_.push_back(before + name);
    return {begin, static_cast<int>(names_.size())};
  }

 private:
  Strings& names_;
};

/// Observed names are a space of their own: one that another column has stands behind "observed.".
/// The column of the energy has that name: a state that a user calls so stands behind "state.".
Strings beside_energy(Strings names) {
  for (std::string& name : names)
    if (name == "energy") name.insert(0, "state.");
  return names;
}

/// Conserved quantities by the names that the model gives them, behind "conserve." where one is taken.
Strings invariant_names(const Model& model, const Strings& taken) {
  Strings names;
  for (const Block& block : model.invariants) {
    const bool clash = std::find(taken.begin(), taken.end(), entry_name(block, 0)) != taken.end();
    for (int i = 0; i < block.size; ++i) names.push_back((clash ? "conserve." : "") + entry_name(block, i));
  }
  return names;
}

Strings observed_names(const Model& model, const Strings& taken) {
  Strings names;
  for (const Block& block : model.observed) {
    const bool clash = std::find(taken.begin(), taken.end(), entry_name(block, 0)) != taken.end();
    for (int i = 0; i < block.size; ++i) names.push_back((clash ? "observed." : "") + entry_name(block, i));
  }
  return names;
}

ColumnRange add_ports(ColumnList& list, const Equations& e, bool dirac) {
  const PortSystem& system = e.port->system;
  const ColumnRange inputs = list.add(flat_names(system.inputs), "input.");
  list.add(flat_names(system.outputs), "output.");
  list.add(e.port->energy_names, "energy.");
  if (dirac) {
    list.add(flat_names(system.states), "flow.");
    list.add(flat_names(system.states), "effort.");
  }
  const ColumnRange balance = list.add({"stored", "dissipated", "supplied", "residual"}, "balance.");
  return {inputs.begin, balance.end};
}

/// Units of coordinates and of what moves with them (velocities have them by the second), of multipliers, energy,
/// invariants and observed values.
void add_units(const Model& model, const Equations& e, Columns& columns) {
  std::vector<std::string> units(columns.names.size());
  bool any = false;
  const auto put = [&](const std::vector<Block>& blocks, int first, const char* behind) {
    for (const Block& block : blocks)
      for (int i = 0; i < block.size && !block.unit.empty(); ++i) {
        units.at(first + block.first + i) = block.unit + behind;
        any = true;
      }
  };
  put(model.coordinates, columns.coordinates.begin, "");
  put(model.observed, columns.observed.begin, "");
  put(model.invariants, columns.invariants.begin, "");
  const auto of_multiplier = [&](int constraint, int column) {
    units.at(static_cast<std::size_t>(column)) =
        model.constraints[static_cast<std::size_t>(constraint)].multiplier_unit;
  };
  int column = columns.multipliers.begin;
  for (const int i : e.g_constraint) of_multiplier(i, column++);
  for (const int i : e.psi_constraint) of_multiplier(i, column++);
  const bool lagrangian = model.form == Form::lagrangian;
  put(lagrangian ? own_coordinates(model) : model.momenta, columns.velocities.begin, lagrangian ? "/s" : "");
  if (!any) return;
  units.at(0) = "s";
  for (int i = columns.energy.begin; i < columns.energy.end; ++i)
    units.at(static_cast<std::size_t>(i)) = model.energy_unit;
  columns.units = std::move(units);
}

}  // namespace

void describe(Report& report, const Model& model, const Equations& e, const Method& method) {
  report.model = model.title;
  report.model_text = model.source ? model.source->text : "";
  report.parameters = parameters_of(model);
  report.method = method.name;
  report.overrides = model.overrides;
  report.inputs = model.input_files;
  report.files = model.files;
  report.version = version;
  report.stages = method.stages;
  report.order = {method.claims.order_q, method.claims.order_v, method.claims.order_multiplier};
  report.note = method.claims.note;
  report.has_energy = static_cast<bool>(e.energy);

  ReportNames& names = report.names;
  names.coordinates = quantities(coordinates_of(model));
  names.momenta = quantities(momenta_of(model));
  names.variables = variables_of(model);
  names.states = joined<std::string>(e.y_names, e.z_names);
  names.constraints = named_constraints(model, e);
  names.holonomic = e.g_names;
  names.nonholonomic = e.k_names;
  names.invariants = quantities(model.invariants);
  names.observed = quantities(model.observed);
  names.events = event_names(model);
  for (const Contact& contact : model.contacts) {
    report.contacts.push_back({contact.name, 0, 0, ""});
    names.events.push_back(contact.name);
  }
  if (model.port) report.port = port_names(*model.port, e);
  const Columns columns = make_columns(model, e, false);
  report.observed_columns.assign(columns.names.begin() + columns.observed.begin,
                                 columns.names.begin() + columns.observed.end);
}

void set_parameters(Report& report, std::span<const double> values) {
  auto from = values.begin();
  for (Parameter& parameter : report.parameters) {
    std::copy_n(from, parameter.values.size(), parameter.values.begin());
    from += static_cast<std::ptrdiff_t>(parameter.values.size());
  }
}

Columns make_columns(const Model& model, const Equations& e, bool dirac) {
  Columns columns;
  ColumnList list(columns.names);
  list.add({"t"});
  columns.coordinates = list.add(beside_energy(e.y_names));
  columns.velocities = list.add(beside_energy(e.z_names));
  columns.momenta = list.add(model.form == Form::lagrangian ? flat_names(own_coordinates(model)) : Strings(), "p.");
  columns.multipliers = list.add(e.g_names, "lambda.");
  columns.multipliers.end = list.add(e.psi_names, e.port ? "" : "psi.").end;
  columns.energy = list.add(e.energy ? Strings{"energy"} : Strings());
  columns.residuals = list.add({"position", "velocity", "nonholonomic"}, "residual.");
  columns.invariants = list.add(invariant_names(model, columns.names));
  columns.observed = list.add(observed_names(model, columns.names));
  columns.ports = e.port ? add_ports(list, e, dirac) : list.add({});
  columns.events = event_names(model);
  add_units(model, e, columns);
  return columns;
}

Columns columns_with_contacts(const Model& model, const Equations& e, bool dirac) {
  Columns columns = make_columns(model, e, dirac);
  if (model.contacts.empty()) return columns;
  const Strings taken = columns.names;
  const bool units = !columns.units.empty();
  const auto add = [&](const std::string& name, const std::string& unit) {
    const bool clash = std::find(taken.begin(), taken.end(), name) != taken.end();
    columns.names.push_back((clash ? "contact." : "") + name);
    if (units) columns.units.push_back(unit);
  };
  for (const Contact& contact : model.contacts) {
    if (contact.restitution) add(contact.name + ".gap", contact.gap_unit);
    add(contact.name + ".force", contact.force_unit);
    if (!contact.friction.empty()) {
      const std::size_t size = contact.friction[0].slip.size();
      const auto each = [&](const char* what, const std::string& unit) {
        for (std::size_t j = 0; j < size; ++j)
          add(contact.name + what + (size > 1 ? "[" + std::to_string(j + 1) + "]" : ""), unit);
      };
      each(".slip", contact.slip_unit);
      each(".friction", contact.force_unit);
    }
    add(contact.name + ".state", "");
    columns.events.push_back(contact.name);
  }
  columns.observed.end = columns.count();
  columns.ports = {columns.count(), columns.count()};
  return columns;
}

std::vector<double> port_states(const PortSystem& system, const std::vector<double>& z,
                                const std::vector<double>& psi) {
  std::vector<double> x(system.x.size(), std::nan(""));
  for (std::size_t i = 0; i < std::min(system.differential.size(), z.size()); ++i) x[system.differential[i]] = z[i];
  for (std::size_t i = 0; i < std::min(system.algebraic.size(), psi.size()); ++i) x[system.algebraic[i]] = psi[i];
  return x;
}

InitialState reported(const InitialValues& initial) {
  InitialState state;
  state.y = initial.y;
  state.z = initial.z;
  state.lambda = initial.lambda;
  state.psi = initial.psi;
  for (const InitialValues::Change& change : initial.changes)
    state.changes.push_back({change.name, change.from, change.to});
  state.redundant = initial.redundant;
  state.index = initial.index;
  return state;
}

SolverStatistics reported(const NewtonStatistics& statistics) {
  return {statistics.iterations, statistics.factorizations, statistics.evaluations, statistics.factorization_sizes};
}

}  // namespace alembert::internal
