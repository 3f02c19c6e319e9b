#include "alembert/derive/ports/port.h"

#include <algorithm>
#include <cmath>

#include "alembert/derive/ports/row_reduction.h"
#include "alembert/derive/split.h"
#include "alembert/model/refuse.h"

namespace alembert::internal {

namespace {

/// A loop 0 = u - value whose slope in u is below this has cancelled up to rounding: the terms of it are of size 1.
constexpr double no_slope = 1e-13;
constexpr int most_names = 8;  // in one message

/// 0 = value, or E x' = value, with the name of what it came from.
struct Row {
  Expr value;
  std::string name;
};

bool all_constant(const Exprs& list) {
  return std::all_of(list.begin(), list.end(), [](Expr x) { return is_constant(x); });
}

/// Row i of a matrix whose entries in it are constant.
SparseRow constant_row(const SparseExprs& m, int i) {
  SparseRow row;
  for (int k = m.row_start[i]; k < m.row_start[i + 1]; ++k)
    row.emplace_back(m.column[k], static_cast<double>(constant_value(m.value[k])));
  return row;
}

bool row_is_constant(const SparseExprs& m, int i) {
  return std::all_of(m.value.begin() + m.row_start[i], m.value.begin() + m.row_start[i + 1],
                     [](Expr x) { return is_constant(x); });
}

Row combination(const SparseRow& parts, const std::vector<Row>& rows, Graph& graph) {
  Exprs terms;
  Row result;
  for (const auto& [i, factor] : parts) {
    terms.push_back(Quad(factor) * rows[i].value);
    result.name += (result.name.empty() ? "" : ", ") + rows[i].name;
  }
  result.value = sum(graph, terms);
  return result;
}

/// The columns of E that belong to the differential states; the others vanish.
SparseExprs differential_columns(const PortSystem& system) {
  const int n = system.size();
  const int n_d = static_cast<int>(system.differential.size());
  std::vector<int> column(static_cast<std::size_t>(n), -1);
  for (int j = 0; j < n_d; ++j) column[system.differential[j]] = j;
  Entries entries;
  for (int i = 0; i < n; ++i)
    for (int k = system.E.row_start[i]; k < system.E.row_start[i + 1]; ++k)
      if (!is_zero(system.E.value[k])) entries[{i, column[system.E.column[k]]}] = system.E.value[k];
  return sparse(n, n_d, entries);
}

/// The rows of E x' = F by kind.
struct SplitRows {
  std::vector<int> dynamic;    // numbers of rows, as many as differential states
  std::vector<Row> algebraic;  // 0 = F of rows, or of combinations of rows, in which E vanishes
};

/// A row without entries in E is algebraic. Where there are more of the others than differential states, they depend on
/// each other, and combinations in which a constant E cancels are algebraic too.
SplitRows split_rows(const SparseExprs& E, const std::vector<Row>& rows, Graph& graph) {
  SplitRows result;
  for (int i = 0; i < E.rows; ++i) {
    if (E.row_start[i] < E.row_start[i + 1]) result.dynamic.push_back(i);
    else result.algebraic.push_back(rows[i]);
  }
  if (static_cast<int>(result.dynamic.size()) <= E.columns || !all_constant(E.value)) return result;
  std::vector<SparseRow> numbers;
  for (int i = 0; i < E.rows; ++i) numbers.push_back(constant_row(E, i));
  RowReduction reduction = reduce_rows(std::move(numbers));
  result.dynamic = std::move(reduction.independent);
  result.algebraic.clear();
  for (const SparseRow& parts : reduction.vanishing) result.algebraic.push_back(combination(parts, rows, graph));
  return result;
}

/// The differential states must be as many as the rows that differentiate them.
void check_flow(const Model& model, const PortSystem& system, const std::vector<int>& dynamic) {
  const int n_d = static_cast<int>(system.differential.size());
  const int found = static_cast<int>(dynamic.size());
  if (found == n_d) return;
  std::string names;
  for (int j = 0; j < n_d && j < most_names; ++j)
    names += (j > 0 ? ", " : "") + flat_name(system.states, system.differential[j]);
  const bool more = found > n_d;
  refuse(model, flat_place(model.port->states, system.differential.empty() ? 0 : system.differential[0]),
         "the flow matrix E has " + std::to_string(found) + (more ? " independent" : "") + " rows for the " +
             std::to_string(n_d) + " states " + names + " that it differentiates",
         more ? "combine its rows so that those of algebraic equations are 0"
              : "change the states so that the algebraic ones have columns of zeros");
}

/// E z' = f + N: the dynamic rows, with what contains psi in N.
void fill_motion(Equations& e, const SparseExprs& E, const std::vector<int>& dynamic, const Exprs& F) {
  Graph& graph = *e.graph;
  for (const int i : dynamic) {
    Exprs moving, momentum;
    for (int k = E.row_start[i]; k < E.row_start[i + 1]; ++k) {
      moving.push_back(E.value[k] * e.z_dot[E.column[k]]);
      momentum.push_back(E.value[k] * e.z[E.column[k]]);
    }
    e.inertial.push_back(sum(graph, moving));
    e.p.push_back(sum(graph, momentum));
    e.f.push_back(F[i]);
  }
  int mixed = -1;  // there is one kind of multiplier only
  ForceParts parts = split_force(e.f, {}, e.psi, graph, mixed);
  e.f = std::move(parts.free);
  e.N = std::move(parts.nonholonomic);
  e.r.assign(e.f.size(), graph.constant(0));
  e.applied = e.r;
}

/// 0 = u - value for each input that an algebraic loop determines.
void add_loops(const Model& model, const PortSystem& system, const Exprs& loops, std::vector<Row>& algebraic) {
  for (std::size_t i = 0; i < system.loops.size(); ++i) {
    const int input = system.loops[i];
    const std::string name = flat_name(system.inputs, input);
    const Expr slope = gradient(loops[i], Exprs{system.u[input]})[0];
    if (is_constant(slope) && std::abs(static_cast<double>(constant_value(slope))) < no_slope)
      refuse(model, flat_place(system.inputs, input),
             "the algebraic loop of the input '" + name + "' does not determine it",
             "its value depends on itself, through the feedthrough and the outputs, and there it cancels");
    algebraic.push_back({loops[i], "input " + name});
  }
}

/// Algebraic rows that determine psi, and those without psi, which are constraints k(t, z) = 0 of index 2.
struct AlgebraicRows {
  std::vector<Row> with_psi, constraints;
};

/// Rows whose slopes in psi are constant and depend on each other are combined until psi cancels.
AlgebraicRows split_algebraic(const std::vector<Row>& rows, const Exprs& psi, Graph& graph) {
  Exprs values;
  for (const Row& row : rows) values.push_back(row.value);
  const SparseExprs by_psi = jacobian(values, psi);
  AlgebraicRows result;
  std::vector<Row> linear;  // in psi, with constant slopes
  std::vector<SparseRow> slopes;
  for (int i = 0; i < by_psi.rows; ++i) {
    if (row_is_constant(by_psi, i)) {
      linear.push_back(rows[i]);
      slopes.push_back(constant_row(by_psi, i));
    } else {
      result.with_psi.push_back(rows[i]);
    }
  }
  const RowReduction reduction = reduce_rows(std::move(slopes));
  for (const int i : reduction.independent) result.with_psi.push_back(linear[i]);
  const Exprs zeros(psi.size(), graph.constant(0));
  for (const SparseRow& parts : reduction.vanishing) {
    Row row = combination(parts, linear, graph);
    row.value = substitute(row.value, psi, zeros, graph);  // its slopes cancel to rounding; now exactly
    result.constraints.push_back(std::move(row));
  }
  return result;
}

void fill_constraints(Equations& e, const std::vector<Row>& constraints) {
  e.k.clear();
  e.k_names.clear();
  e.k_constraint.clear();
  for (const Row& row : constraints) {
    e.k_constraint.push_back(e.psi_constraint[e.k.size()]);
    e.k.push_back(row.value);
    e.k_names.push_back(row.name);
  }
}

/// What is reported of the system: inputs, outputs, flows, efforts, powers, energies of the components.
PortEquations ports_of(PortSystem system, const PortRows& rows) {
  PortEquations port;
  port.inputs = rows.u;
  port.outputs = rows.y;
  port.flows = rows.F;
  port.efforts = system.z;
  port.dissipated = rows.dissipated;
  port.supplied = rows.supplied;
  for (const PortSystem::Part& part : system.parts) {
    port.energies.push_back(part.H);
    port.energy_names.push_back(part.name.empty() ? "own" : part.name);
  }
  port.system = std::move(system);
  return port;
}

}  // namespace

void derive_port(const Model& model, Equations& e, PortSystem system) {
  Graph& graph = *e.graph;
  if (system.differential.empty())
    refuse(model, flat_place(model.port->states, 0), "no state is differentiated: the flow matrix E is 0",
           "give E, or leave it out: it is the identity");
  const PortRows right = port_rows(system);
  std::vector<Row> rows;
  for (int i = 0; i < system.size(); ++i) rows.push_back({right.F[i], flat_name(system.states, i)});

  const SparseExprs E = differential_columns(system);
  SplitRows split = split_rows(E, rows, graph);
  check_flow(model, system, split.dynamic);
  e.y.clear();
  e.v.clear();
  e.energy = system.H;
  fill_motion(e, E, split.dynamic, right.F);

  add_loops(model, system, right.loops, split.algebraic);
  const AlgebraicRows algebraic = split_algebraic(split.algebraic, e.psi, graph);
  fill_constraints(e, algebraic.constraints);
  PortEquations port = ports_of(std::move(system), right);
  for (const Row& row : algebraic.with_psi) {
    port.algebraic.push_back(row.value);
    port.algebraic_names.push_back(row.name);
  }
  e.port = std::make_shared<const PortEquations>(std::move(port));
}

}  // namespace alembert::internal
