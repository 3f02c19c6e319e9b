// Port-Hamiltonian systems as other port-Hamiltonian systems: with time as a state, in other variables.

#include <algorithm>

#include "alembert/derive/ports/to_port.h"

namespace alembert::internal {

PortSystem autonomous(const PortSystem& system) {
  const Exprs with_time = [&] {
    Exprs all = system.z;
    for (const SparseExprs* m : {&system.E, &system.J, &system.R, &system.B, &system.P, &system.S, &system.N})
      all.insert(all.end(), m->value.begin(), m->value.end());
    all.insert(all.end(), system.r.begin(), system.r.end());
    all.push_back(system.H);
    return all;
  }();
  if (!depends(with_time, Exprs{system.t})) return system;
  PortSystem s = system;
  Graph& graph = s.H.graph();
  const auto fresh = [&](std::string name) {
    const auto taken = [&](const std::vector<Block>& blocks) {
      return std::any_of(blocks.begin(), blocks.end(), [&](const Block& b) { return b.name == name; });
    };
    while (taken(s.states) || taken(s.inputs) || taken(s.outputs)) name += "_";
    return name;
  };
  const int n = s.size(), m = static_cast<int>(s.u.size());
  const std::string time = fresh("time"), clock = fresh("clock"), output = fresh("y_" + clock);
  s.states.push_back({time, {}, n, 1, {}});
  s.inputs.push_back({clock, {}, m, 1, {}});
  s.outputs.push_back({output, {}, m, 1, {}});
  s.x.push_back(graph.symbol(time));
  s.u.push_back(graph.symbol(clock));
  s.y.push_back(graph.symbol(output));
  s.differential.push_back(n);
  s.u_value.push_back(graph.constant(1));
  // [E r; 0 1], a port that lets time run, and an effort of 0: its power is none.
  const auto grown = [&](SparseExprs& from, int rows, int columns, const Entries& more) {
    Entries entries = more;
    for (int i = 0; i < from.rows; ++i)
      for (int k = from.row_start[i]; k < from.row_start[i + 1]; ++k) entries[{i, from.column[k]}] = from.value[k];
    from = sparse(rows, columns, entries);
  };
  Entries last{{{n, n}, graph.constant(1)}};
  for (int i = 0; i < n; ++i) last[{i, n}] = s.r[i];
  grown(s.E, n + 1, n + 1, last);
  grown(s.J, n + 1, n + 1, {});
  grown(s.R, n + 1, n + 1, {});
  grown(s.B, n + 1, m + 1, {{{n, m}, graph.constant(1)}});
  grown(s.P, n + 1, m + 1, {});
  grown(s.S, m + 1, m + 1, {});
  grown(s.N, m + 1, m + 1, {});
  s.z.push_back(graph.constant(0));
  s.r.assign(s.x.size(), graph.constant(0));
  const Exprs from{s.t}, to{s.x.back()};
  const Expr t = s.t;
  s = carried(s, [&](const Exprs& list) { return list.empty() ? list : substitute(list, from, to, graph); });
  s.t = t;
  return s;
}

PortSystem changed(const PortSystem& system, const std::vector<int>& replaced, const Exprs& values,
                   const Exprs& symbols) {
  PortSystem s = system;
  Graph& graph = s.H.graph();
  Exprs phi = system.x;
  for (std::size_t i = 0; i < replaced.size(); ++i) {
    Block& block =
        *std::find_if(s.states.begin(), s.states.end(), [&](const Block& b) { return b.first == replaced[i]; });
    block.name = graph.name(symbols[i].id());
    s.x[replaced[i]] = symbols[i];
    phi[replaced[i]] = values[i];
  }
  const auto put_in = [&](const Exprs& list) { return list.empty() ? list : substitute(list, system.x, phi, graph); };
  const Exprs x = s.x, u = s.u, y = s.y;
  s = carried(s, put_in);
  s.x = x;
  s.u = u;
  s.y = y;
  s.t = system.t;
  // E x' = E (phi_x x~' + phi_t)
  const SparseExprs V = jacobian(phi, s.x);
  const Exprs phi_t = directional(phi, Exprs{s.t}, Exprs{graph.constant(1)});
  const Exprs moved = product(s.E, phi_t, graph);
  for (std::size_t i = 0; i < s.r.size(); ++i) s.r[i] = s.r[i] + moved[i];
  s.E = product(s.E, V);
  s.differential.clear();
  s.algebraic.clear();
  std::vector<bool> moves(s.x.size(), false);
  for (const int j : s.E.column) moves[j] = true;
  for (int i = 0; i < s.size(); ++i) (moves[i] ? s.differential : s.algebraic).push_back(i);
  return s;
}

}  // namespace alembert::internal
