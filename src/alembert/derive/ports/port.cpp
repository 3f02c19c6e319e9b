#include "alembert/derive/ports/port.h"

#include <algorithm>
#include <cmath>

#include "alembert/derive/split.h"

namespace alembert::internal {

namespace {

/// Rows in elimination: what stands on the left (with constant coefficients), and what on the right.
struct Row {
  std::vector<std::pair<int, double>> left;  // ascending columns
  std::vector<std::pair<int, double>> from;  // combination of the original rows
};

std::vector<std::pair<int, double>> combined(const std::vector<std::pair<int, double>>& a, double factor,
                                             const std::vector<std::pair<int, double>>& b) {
  std::vector<std::pair<int, double>> sum;
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) sum.push_back(*i++);
    else if (i == a.end() || j->first < i->first) sum.emplace_back(j->first, factor * j->second), ++j;
    else {
      const double value = i->second + factor * j->second;
      // What cancels was equal up to rounding.
      if (std::abs(value) > 1e-13 * std::abs(i->second)) sum.emplace_back(i->first, value);
      ++i, ++j;
    }
  }
  return sum;
}

/// Combinations of rows whose left sides vanish, each as (row, factor)...; rows that are used as pivots stay as they
/// are. One pass, sparse.
std::vector<std::vector<std::pair<int, double>>> vanishing(std::vector<Row> rows, std::vector<int>& pivots) {
  std::vector<int> pivot_of;  // column -> number of the row that eliminates it
  std::vector<std::vector<std::pair<int, double>>> result;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Row& row = rows[r];
    while (!row.left.empty()) {
      // The largest entry leads, so that factors stay small; a column that has a pivot is eliminated first.
      auto hit = std::find_if(row.left.begin(), row.left.end(), [&](const auto& x) {
        return x.first < static_cast<int>(pivot_of.size()) && pivot_of[x.first] >= 0;
      });
      if (hit == row.left.end()) break;
      const Row& pivot = rows[pivot_of[hit->first]];
      const auto at =
          std::find_if(pivot.left.begin(), pivot.left.end(), [&](const auto& x) { return x.first == hit->first; });
      const double factor = -hit->second / at->second;
      row.left = combined(row.left, factor, pivot.left);
      row.from = combined(row.from, factor, pivot.from);
    }
    if (row.left.empty()) {
      result.push_back(row.from);
      continue;
    }
    const auto lead = std::max_element(row.left.begin(), row.left.end(), [](const auto& a, const auto& b) {
      return std::abs(a.second) < std::abs(b.second);
    });
    if (lead->first >= static_cast<int>(pivot_of.size())) pivot_of.resize(lead->first + 1, -1);
    // Rows before it keep the column: it is taken from later ones only, so each row has columns of its own.
    pivot_of[lead->first] = static_cast<int>(r);
    pivots.push_back(static_cast<int>(r));
  }
  return result;
}

std::vector<Row> constant_rows(const SparseExprs& m) {
  std::vector<Row> rows(static_cast<std::size_t>(m.rows));
  for (int i = 0; i < m.rows; ++i) {
    for (int k = m.row_start[i]; k < m.row_start[i + 1]; ++k)
      rows[i].left.emplace_back(m.column[k], static_cast<double>(constant_value(m.value[k])));
    rows[i].from = {{i, 1.0}};
  }
  return rows;
}

bool all_constant(const Exprs& list) {
  return std::all_of(list.begin(), list.end(), [](Expr x) { return is_constant(x); });
}

struct Equation {
  Expr value;
  std::string name;
};

Equation combination(const std::vector<std::pair<int, double>>& parts, const std::vector<Equation>& rows,
                     Graph& graph) {
  Exprs terms;
  Equation result;
  for (const auto& [i, factor] : parts) {
    terms.push_back(Quad(factor) * rows[i].value);
    result.name += (result.name.empty() ? "" : ", ") + rows[i].name;
  }
  result.value = sum(graph, terms);
  return result;
}

[[noreturn]] void refuse(const Model& model, int state, const std::string& message, const std::string& hint) {
  throw InputError(std::vector<Diagnostic>{{model.source, flat_place(model.port->states, state), message, hint}});
}

}  // namespace

void derive_port(const Model& model, Equations& e, PortSystem system) {
  Graph& graph = *e.graph;
  const int n = system.size(), n_d = static_cast<int>(system.differential.size());
  const PortEquations rows = port_equations(system);
  e.energy = system.H;
  e.u = rows.u, e.y_out = rows.y;
  e.flows = rows.F, e.efforts = system.z;
  e.dissipated = rows.dissipated, e.supplied = rows.supplied;
  for (const PortSystem::Part& part : system.parts) {
    e.energies.push_back(part.H);
    e.energy_names.push_back(part.name.empty() ? "own" : part.name);
  }
  e.y.clear(), e.v.clear();
  e.k.clear(), e.k_names.clear(), e.k_constraint.clear();

  if (n_d == 0)
    refuse(model, 0, "no state is differentiated: the flow matrix E is 0",
           "give E, or leave it out: it is the identity");

  // The rows of E, in the columns of the differential states.
  std::vector<int> column(static_cast<std::size_t>(n), -1);
  for (int j = 0; j < n_d; ++j) column[system.differential[j]] = j;
  Entries entries;
  std::vector<Equation> all;
  std::vector<int> dynamic;
  std::vector<Equation> algebraic;
  for (int i = 0; i < n; ++i) {
    all.push_back({rows.F[i], flat_name(system.states, i)});
    for (int k = system.E.row_start[i]; k < system.E.row_start[i + 1]; ++k)
      if (!is_zero(system.E.value[k])) entries[{i, column[system.E.column[k]]}] = system.E.value[k];
  }
  const SparseExprs E = sparse(n, n_d, entries);
  for (int i = 0; i < n; ++i)
    if (E.row_start[i] < E.row_start[i + 1]) dynamic.push_back(i);
    else algebraic.push_back(all[i]);
  if (static_cast<int>(dynamic.size()) > n_d && all_constant(E.value)) {
    std::vector<int> pivots;
    algebraic.clear();
    for (const auto& parts : vanishing(constant_rows(E), pivots)) algebraic.push_back(combination(parts, all, graph));
    dynamic = pivots;
  }
  if (static_cast<int>(dynamic.size()) != n_d) {
    std::string names;
    for (int j = 0; j < n_d && j < 8; ++j) names += (j ? ", " : "") + flat_name(system.states, system.differential[j]);
    const bool more = static_cast<int>(dynamic.size()) > n_d;
    refuse(model, system.differential.empty() ? 0 : system.differential[0],
           "the flow matrix E has " + std::to_string(dynamic.size()) + (more ? " independent" : "") + " rows for the " +
               std::to_string(n_d) + " states " + names + " that it differentiates",
           more ? "combine its rows so that those of algebraic equations are 0"
                : "change the states so that the algebraic ones have columns of zeros");
  }
  for (const int i : dynamic) {
    Exprs moving, momentum;
    for (int k = E.row_start[i]; k < E.row_start[i + 1]; ++k) {
      moving.push_back(E.value[k] * e.z_dot[E.column[k]]);
      momentum.push_back(E.value[k] * e.z[E.column[k]]);
    }
    e.inertial.push_back(sum(graph, moving));
    e.p.push_back(sum(graph, momentum));
    e.f.push_back(rows.F[i]);
  }
  int mixed = -1;
  ForceParts parts = split_force(e.f, {}, e.psi, graph, mixed);
  e.f = std::move(parts.free), e.N = std::move(parts.nonholonomic);
  e.r.assign(e.f.size(), graph.constant(0));
  e.applied = e.r;

  // 0 = F without psi is k; rows with constant coefficients of psi that depend on each other give more of them.
  for (std::size_t i = 0; i < system.loops.size(); ++i) {
    const int input = system.loops[i];
    const Expr own = gradient(rows.loops[i], Exprs{system.u[input]})[0];
    if (is_constant(own) && std::abs(static_cast<double>(constant_value(own))) < 1e-13)
      throw InputError(std::vector<Diagnostic>{
          {model.source, flat_place(system.inputs, input),
           "the algebraic loop of the input '" + flat_name(system.inputs, input) + "' does not determine it",
           "its value depends on itself, through the feedthrough and the outputs, and there it cancels"}});
    algebraic.push_back({rows.loops[i], "input " + flat_name(system.inputs, input)});
  }
  Exprs values;
  for (const Equation& one : algebraic) values.push_back(one.value);
  const SparseExprs by_psi = jacobian(values, e.psi);
  std::vector<Equation> implicit, constant;
  std::vector<Row> candidates;
  for (int i = 0; i < by_psi.rows; ++i) {
    Row row;
    bool plain = true;
    for (int k = by_psi.row_start[i]; k < by_psi.row_start[i + 1]; ++k) {
      plain = plain && is_constant(by_psi.value[k]);
      if (plain) row.left.emplace_back(by_psi.column[k], static_cast<double>(constant_value(by_psi.value[k])));
    }
    if (!plain) {
      implicit.push_back(algebraic[i]);
      continue;
    }
    row.from = {{static_cast<int>(constant.size()), 1.0}};
    candidates.push_back(std::move(row));
    constant.push_back(algebraic[i]);
  }
  std::vector<int> pivots;
  std::vector<Equation> hidden;
  const Exprs zeros(e.psi.size(), graph.constant(0));
  for (const auto& combined : vanishing(std::move(candidates), pivots)) {
    Equation one = combination(combined, constant, graph);
    one.value = substitute(one.value, e.psi, zeros, graph);  // psi cancels: its coefficients are constant
    hidden.push_back(std::move(one));
  }
  for (const int i : pivots) implicit.push_back(constant[i]);
  for (const Equation& one : hidden) {
    e.k.push_back(one.value);
    e.k_names.push_back(one.name);
    e.k_constraint.push_back(e.psi_constraint[e.k_constraint.size()]);
  }
  for (const Equation& one : implicit) {
    e.algebraic.push_back(one.value);
    e.algebraic_names.push_back(one.name);
  }
  e.port = std::make_shared<const PortSystem>(std::move(system));
}

}  // namespace alembert::internal
