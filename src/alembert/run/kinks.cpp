#include "alembert/run/kinks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/derive/ports/port_equations.h"
#include "alembert/expr/piecewise.h"

namespace alembert::internal {

namespace {

/// direction*(x - c): places that are equal but for rounding in more digits than those of a double are one.
struct Threshold {
  std::uint32_t x;
  Quad c;
  int direction;
};
std::optional<Threshold> threshold(Expr function) {
  Graph& graph = function.graph();
  const Node node = graph.node(function.id());
  if (node.op != Op::subtract && node.op != Op::add) return {};
  for (const auto& [x, c] : {std::pair(node.a, node.b), std::pair(node.b, node.a)}) {
    const Expr constant(&graph, c);
    if (!is_constant(constant)) continue;
    const Quad at = node.op == Op::add ? -constant_value(constant) : constant_value(constant);
    const int direction = node.op == Op::subtract && c == node.a ? -1 : 1;
    const std::optional<Threshold> inner = threshold(Expr(&graph, x));
    if (!inner) return Threshold{x, at, direction};
    // (x - d) - c; a difference the other way round is another x.
    const Node of = graph.node(x);
    if (of.op == Op::subtract && is_constant(Expr(&graph, of.a))) return Threshold{x, at, direction};
    return Threshold{inner->x, inner->c + at, direction};
  }
  return {};
}

bool may_bend(Op op) {
  return op == Op::atan2 || op == Op::piecewise || op == Op::min || op == Op::max || op == Op::abs || op == Op::sign ||
         op == Op::positive;
}

/// Whether what a node is made of is told from what it was a turn before.
bool feels_turns(Op op) { return op != Op::sin && op != Op::cos && op != Op::piecewise; }

/// Of all expressions that were ever made: looking at each once is quicker than finding out which belong to a list.
bool anything_bends(const Graph& graph) {
  for (std::uint32_t id = 0; id < graph.size(); ++id)
    if (may_bend(graph.node(id).op)) return true;
  return false;
}

class Collector {
 public:
  explicit Collector(const Equations& e)
      : e_(e), graph_(*e.graph), arguments_(joined<Expr>(e.t, e.y, e.z, e.lambda, e.psi)) {}

  /// known: only where its kink is one of those that were found before.
  void add(std::uint32_t id, bool known) {
    const Node node = graph_.node(id);  // a copy: new nodes may move the graph's
    if (node.op == Op::piecewise) return add_table(Expr(&graph_, id), known);
    // Of least and largest values as their derivatives write it.
    const bool two = node.op == Op::min || node.op == Op::max;
    Expr function = two ? Expr(&graph_, node.b) - Expr(&graph_, node.a) : Expr(&graph_, node.a);
    int direction = 1;
    if (graph_.node(function.id()).op == Op::negate) {
      function = Expr(&graph_, graph_.node(function.id()).a);
      direction = -1;
    }
    if (!depends(function, arguments_) || depends(function, e_.z_dot)) return;
    const auto [kink, turned] = number_of(function);
    if (kink == found_.functions.size()) {
      if (known) return;
      found_.functions.push_back(function);
    }
    seen_.emplace(function.id(), std::pair(kink, turned));
    found_.switches.push_back({id, kink, direction * turned});
  }

  Kinks take() {
    // Tables stand behind all functions.
    for (Switch& one : found_.switches)
      if (graph_.node(one.node).op == Op::piecewise) one.kink += found_.functions.size();
    return std::move(found_);
  }

 private:
  /// Of the function that has this zero, and how the two are directed; the next number where there is none yet.
  std::pair<std::size_t, int> number_of(Expr function) {
    const std::size_t next = found_.functions.size();
    if (const auto same = seen_.find(function.id()); same != seen_.end()) return same->second;
    if (const auto negative = seen_.find((-function).id()); negative != seen_.end())
      return {negative->second.first, -negative->second.second};
    if (const std::optional<Threshold> place = threshold(function)) {
      const auto [at, fresh] =
          thresholds_.try_emplace({place->x, static_cast<double>(place->c)}, next, place->direction);
      if (!fresh && at->second.first < next) return {at->second.first, place->direction * at->second.second};
      at->second = {next, place->direction};
    }
    return {next, 1};
  }

  /// The table of a node, where it has kinks that the motion may pass.
  void add_table(Expr node, bool known) {
    const KinkedTable table{Expr(&graph_, graph_.node(node.id()).a), &piecewise_of(node).kinks()};
    if (table.places->empty() || !depends(table.argument, arguments_) || depends(table.argument, e_.z_dot)) return;
    // Slopes have kinks where their table has them.
    const auto same = [&](const KinkedTable& other) {
      return other.argument == table.argument && *other.places == *table.places;
    };
    const auto at = std::find_if(found_.tables.begin(), found_.tables.end(), same);
    if (known && at == found_.tables.end()) return;
    found_.switches.push_back({node.id(), static_cast<std::size_t>(at - found_.tables.begin()), 1});
    if (at == found_.tables.end()) found_.tables.push_back(table);
  }

  const Equations& e_;
  Graph& graph_;
  const Exprs arguments_;
  Kinks found_;
  std::map<std::uint32_t, std::pair<std::size_t, int>> seen_;
  std::map<std::pair<std::uint32_t, double>, std::pair<std::size_t, int>> thresholds_;
};

/// others: what has switches at the same kinks.
Kinks switching_functions(const Equations& e, const Exprs& all, const Exprs& others = {}) {
  if (all.empty() || !anything_bends(*e.graph)) return {};
  Collector found(e);
  const auto add = [&](const Exprs& list, bool known) {
    const std::vector<std::uint32_t> nodes = reachable(list);
    std::set<std::uint32_t> turns;  // angles that jump by a turn where somebody feels it; tables of angles are periodic
    for (const Expr one : list)
      if (e.graph->node(one.id()).op == Op::atan2) turns.insert(one.id());
    for (const std::uint32_t id : nodes) {
      const Node node = e.graph->node(id);
      if (!feels_turns(node.op)) continue;
      const int operands = operand_count(node.op);
      if (operands > 0 && e.graph->node(node.a).op == Op::atan2) turns.insert(node.a);
      if (operands > 1 && e.graph->node(node.b).op == Op::atan2) turns.insert(node.b);
    }
    for (const std::uint32_t id : nodes) {
      const Op op = e.graph->node(id).op;
      if (may_bend(op) && (op != Op::atan2 || turns.contains(id))) found.add(id, known);
    }
  };
  add(all, false);
  if (!others.empty()) add(others, true);
  return found.take();
}

}  // namespace

Kinks kinks(const Equations& e) {
  Exprs others = joined<Expr>(e.applied, e.forces, e.friction_powers);
  for (const Expr one : {e.energy, e.L, e.rayleigh})
    if (one) others.push_back(one);
  if (e.port) {
    const PortEquations& port = *e.port;
    append(others, joined<Expr>(port.algebraic, port.inputs, port.outputs, port.flows, port.efforts, port.energies));
    append(others, joined<Expr>(port.dissipated, port.supplied, port.system.u_value, port.system.z, port.system.H));
  }
  std::erase_if(others, [](Expr one) { return !one; });
  return switching_functions(e, joined<Expr>(e.v, e.p, e.f, e.N, e.r, e.g, e.g_dot, e.k, e.reduced), others);
}

bool constraints_have_kinks(const Equations& e) {
  return !switching_functions(e, joined<Expr>(e.g, e.g_dot, e.k)).empty();
}

bool have_kinks_in_time(const Equations& e) {
  const Kinks all = kinks(e);
  const Exprs state = joined<Expr>(e.y, e.z, e.lambda, e.psi);
  return std::any_of(all.functions.begin(), all.functions.end(), [&](Expr f) { return !depends(f, state); }) ||
         std::any_of(all.tables.begin(), all.tables.end(),
                     [&](const KinkedTable& table) { return !depends(table.argument, state); });
}

double just_behind(double t, double direction) {
  constexpr double next_to_zero = 1e-300;  // its square vanishes, a quotient by it does not overflow
  if (t == 0) return std::copysign(next_to_zero, direction);
  constexpr double beyond_rounding = 16 * std::numeric_limits<double>::epsilon();  // of t minus the place of a kink
  return t + std::copysign(beyond_rounding * t, direction);
}

}  // namespace alembert::internal
