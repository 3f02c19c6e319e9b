// Components connected by M y + N u = 0. With y = eta + D u, eta = (B + P)^T z, elimination gives
//     (u_I, eta_c) = K (eta_I, u_c) + L u_e ,
// u_e being the inputs outside; u_I is put in, u_c are algebraic states. As many u as possible are eliminated, and all
// of those whose eta is 0 (components without states). Where M N^T + N M^T = 0 what is added is skew but for D.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alembert/base/lists.h"
#include "alembert/model/ports/port_join_impl.h"
#include "alembert/text/lookup.h"

namespace alembert::internal {

namespace joining {

namespace {

/// Where the name of a symbol stands in a term; null where it does not.
const Term* named(const Term& term, const std::string& name) {
  if (term.form == Term::Form::name) return name == term.text || name.starts_with(term.text + "[") ? &term : nullptr;
  for (const Term& part : term.parts)
    if (const Term* found = named(part, name)) return found;
  return nullptr;
}

}  // namespace

void Joiner::run() {
  if (!e_.components.empty()) assemble();
  for (std::size_t i = 0; i < s_.u.size(); ++i) number_[s_.u[i].id()] = number_[s_.y[i].id()] = static_cast<int>(i);
  give_inputs();
  read_wires();
  if (!scope_.errors.empty()) return;
  check_counts();
  check_open();
  if (!scope_.errors.empty()) return;
  if (!wires_.empty()) {
    check_power();
    if (scope_.errors.empty()) eliminate();
    if (scope_.errors.empty()) join();
  }
  if (!scope_.errors.empty()) return;
  finish_names();
}

void Joiner::assemble() {
  PortEntries entries;
  PortSystem all;
  all.t = s_.t;
  Exprs energies;
  const auto add = [&](const PortSystem& part) {
    const int n = all.size(), m = static_cast<int>(all.u.size());
    entries.add(
        part, [n](int i) { return n + i; }, [m](int i) { return m + i; });
    const auto blocks = [](std::vector<Block>& to, const std::vector<Block>& from, int first) {
      for (Block block : from) {
        block.first += first;
        to.push_back(std::move(block));
      }
    };
    blocks(all.states, part.states, n);
    blocks(all.inputs, part.inputs, m);
    blocks(all.outputs, part.outputs, m);
    append(all.x, part.x);
    append(all.r, part.r);
    append(all.z, part.z);
    append(all.u, part.u);
    append(all.y, part.y);
    append(all.u_value, part.u_value);
    energies.push_back(part.H);
  };
  add(s_);
  if (!s_.x.empty()) all.parts.push_back({"", s_.H});
  for (const Component& c : e_.components) {
    add(c.system);
    all.parts.push_back({c.name, c.system.H});
  }
  entries.give(all);
  all.H = sum(graph_, energies);
  s_ = std::move(all);
}

void Joiner::give_inputs() {
  e_.each("input", [&](const Statement& s, const Item& item) {
    const Term* root = &root_of(item.target);
    if (root->text.find('.') == std::string::npos) return;
    if (!item.value) {
      scope_.error(item.target.place, "the input '" + print(item.target) + "' belongs to a component already",
                   "give it a value: input " + print(item.target) + " = ...");
      return;
    }
    scope_.loop(s.ranges, {&item.target, &*item.value}, [&](const std::vector<long>&) {
      const std::optional<Target> target = scope_.reference(item.target, {Kind::input}, "input");
      if (!target) return false;
      const Value v =
          scope_.fit(scope_.evaluate(*item.value), target->shape, item.value->place, "'" + print(item.target) + "'");
      if (v.bad) return false;
      for (int k = 0; k < shape_size(target->shape); ++k) {
        const Expr symbol = target->declaration->symbols[target->offset + k];
        const auto found = number_.find(symbol.id());
        const bool port = found != number_.end() && s_.u[found->second] == symbol;
        if (!port || !is_open(found->second)) {
          scope_.error(item.target.place, "the input '" + print(item.target) + "' has a value already",
                       port ? "its component or a line above gives one" : "it is connected inside its component");
          return false;
        }
        if (depends(v.entries[k], Exprs{symbol})) {
          scope_.error(item.value->place, "the input '" + print(item.target) + "' is given by itself",
                       "write it with an output");
          return false;
        }
        s_.u_value[found->second] = v.entries[k];
        given_.emplace(found->second, item.target.place);
      }
      return true;
    });
  });
}

int Joiner::port_number(int flat) {
  const auto [found, fresh] = connected_.emplace(flat, static_cast<int>(ports_.size()));
  if (fresh) ports_.push_back(flat);
  return found->second;
}

void Joiner::read_wires() {
  std::map<int, Place> lone;  // inputs that stand alone on the left
  e_.each("connect", [&](const Statement& s) {
    s_.connection.lossy |= s.string == "lossy";
    for (const Item& item : s.items) {
      if (!item.value) continue;
      scope_.loop(s.ranges, {&item.target, &*item.value}, [&](const std::vector<long>& index) {
        const Value left = scope_.evaluate(item.target), right = scope_.evaluate(*item.value);
        if (left.bad || right.bad) return false;
        const bool to_left = left.shape.empty() && is_zero(left.entries[0]);
        const ArrayShape shape = to_left ? right.shape : left.shape;
        const Value a = scope_.fit(left, shape, item.target.place, "the left side");
        const Value b = scope_.fit(right, shape, item.value->place, "the left side");
        if (a.bad || b.bad) return false;
        for (int k = 0; k < shape_size(shape); ++k) {
          Wire wire{&s, &item, brackets(index), {}, {}};
          if (!shape.empty()) wire.index += entry_name({"", shape, 0, shape_size(shape), {}}, k);
          if (!read_wire(wire, a.entries[k] - b.entries[k])) return false;
          const auto found = number_.find(a.entries[k].id());
          if (found != number_.end() && s_.u[found->second] == a.entries[k]) {
            const auto [first, fresh] = lone.emplace(found->second, item.target.place);
            if (!fresh) {
              scope_.error(item.target.place, "the input '" + input(found->second) + "' is connected twice",
                           "first in line " + std::to_string(first->second.line) +
                               "; a junction is written a.F + b.F + c.F = 0, a.v = b.v, a.v = c.v");
              return false;
            }
          }
          wires_.push_back(std::move(wire));
        }
        return true;
      });
    }
  });
}

bool Joiner::read_wire(Wire& wire, Expr value) {
  const Place& place = wire.item->target.place;
  Exprs symbols, zeros;
  for (const Expr symbol : free_symbols(Exprs{value})) {
    if (number_.contains(symbol.id())) symbols.push_back(symbol);
    else if (!fixed(symbol)) {
      const std::string name = graph_.name(symbol.id());
      const Term* left = named(wire.item->target, name);
      const Term* there = left ? left : named(*wire.item->value, name);
      const std::string ports = scope_.ports_of(name.substr(0, name.rfind('.')));
      scope_.error(there ? there->place : place, "a connection contains '" + name + "', which is no input or output",
                   ports.empty() ? "it is linear in inputs and outputs, with parameters as factors" : ports);
      return false;
    }
  }
  const SparseExprs slopes = jacobian(Exprs{value}, symbols);
  for (const Expr slope : slopes.value)
    if (scope_.contents(slope) & holds_port) {
      scope_.error(place, "a connection is linear in inputs and outputs", "no products, powers or functions of them");
      return false;
    }
  zeros.assign(symbols.size(), graph_.constant(0));
  if (!zero(substitute(value, symbols, zeros, graph_), 0)) {
    scope_.error(place, "a connection has no constant term", "what comes from outside is an input: input a.F = ...");
    return false;
  }
  bool any = false;
  for (std::size_t k = 0; k < slopes.column.size(); ++k) {
    const Expr symbol = symbols[slopes.column[k]];
    const int flat = number_.at(symbol.id());
    if (zero(slopes.value[k], 0)) continue;
    if (s_.u[flat] == symbol && !is_open(flat)) {
      const auto given = given_.find(flat);
      scope_.error(place, "the input '" + input(flat) + "' is connected and has a value",
                   given == given_.end() ? "its component gives it one"
                                         : "leave out 'input' in line " + std::to_string(given->second.line));
      return false;
    }
    any = true;
    (s_.u[flat] == symbol ? wire.u : wire.y)[flat] = slopes.value[k];
  }
  if (!any) {
    scope_.error(place, "this connection says nothing", "no input and no output is left in it");
    return false;
  }
  return true;
}

void Joiner::check_counts() {
  std::map<int, std::vector<int>> wires_of;  // by port
  for (std::size_t i = 0; i < wires_.size(); ++i)
    for (const Row* row : {&wires_[i].u, &wires_[i].y})
      for (const auto& [flat, ignored] : *row) wires_of[flat].push_back(static_cast<int>(i));
  for (const auto& [flat, of] : wires_of) {
    if (!is_open(flat))
      scope_.error(wires_[of[0]].item->target.place,
                   "the output '" + flat_name(s_.outputs, flat) + "' is connected, but its input '" + input(flat) +
                       "' has a value",
                   "leave the value out, or write an input with this output instead of a connection");
    port_number(flat);
  }
  std::vector<bool> seen(wires_.size(), false);
  for (std::size_t start = 0; start < wires_.size(); ++start) {
    if (seen[start]) continue;
    std::vector<int> group = {static_cast<int>(start)};
    std::set<int> members;
    seen[start] = true;
    for (std::size_t k = 0; k < group.size(); ++k)
      for (const Row* row : {&wires_[group[k]].u, &wires_[group[k]].y})
        for (const auto& [flat, ignored] : *row) {
          if (!members.insert(flat).second) continue;
          for (const int other : wires_of[flat]) {
            if (seen[other]) continue;
            seen[other] = true;
            group.push_back(other);
          }
        }
    if (group.size() == members.size()) continue;
    const bool few = group.size() < members.size();
    std::string names;
    int shown = 0;
    for (const int flat : members)
      if (++shown <= 8) names += (names.empty() ? "" : ", ") + input(flat);
    if (shown > 8) names += ", ...";
    scope_.error(wires_[start].item->target.place,
                 std::string("the connection has too ") + (few ? "few" : "many") +
                     " equations: " + std::to_string(group.size()) + " for the " + std::to_string(members.size()) +
                     (members.size() == 1 ? " input " : " inputs ") + names,
                 few ? "each connected input needs one equation: where a.F acts on b, connect a.F and b's input too"
                     : "leave one out, or connect the others");
  }
}

void Joiner::check_open() {
  if (e_.component || !e_.complete) return;
  for (int i = 0; i < static_cast<int>(s_.u.size()); ++i) {
    if (!is_open(i) || connected_.contains(i)) continue;
    const std::string name = input(i);
    const std::size_t cut = name.rfind('.');
    if (cut == std::string::npos)
      scope_.error(flat_place(s_.inputs, i), "the input '" + name + "' has no value",
                   "write input " + name + " = EXPR in t, states and outputs; 0 where nothing is connected");
    else  // one place for all inputs of a component, so all of them in one message
      open_[name.substr(0, cut)].push_back(i);
  }
  for (const auto& [component, inputs] : open_) {
    std::string names;
    for (const int i : inputs) names += (names.empty() ? "'" : ", '") + input(i).substr(component.size() + 1) + "'";
    scope_.error(flat_place(s_.inputs, inputs[0]),
                 (inputs.size() == 1 ? "the input " : "the inputs ") + names + " of the component '" + component +
                     "' " + (inputs.size() == 1 ? "has" : "have") + " no value and " +
                     (inputs.size() == 1 ? "is" : "are") + " not connected",
                 "write connect " + input(inputs[0]) + " = ..., or input " + input(inputs[0]) + " = ...");
  }
}

Quad Joiner::number(Expr e) {
  std::string missing;
  return scope_.number(e, missing).value_or(0);
}

void Joiner::check_power() {
  std::map<std::pair<int, int>, Exprs> terms;
  std::map<int, std::vector<std::pair<int, Expr>>> u_rows, y_rows;  // by port: (equation, factor)
  for (std::size_t i = 0; i < wires_.size(); ++i) {
    for (const auto& [flat, factor] : wires_[i].u) u_rows[flat].emplace_back(static_cast<int>(i), factor);
    for (const auto& [flat, factor] : wires_[i].y) y_rows[flat].emplace_back(static_cast<int>(i), factor);
  }
  for (const auto& [flat, by_u] : u_rows)
    for (const auto& [i, a] : by_u)
      for (const auto& [j, b] : y_rows[flat]) {
        const Expr product = a * b;
        terms[std::minmax(i, j)].push_back(i == j ? 2 * product : product);
      }
  for (const auto& [pair, list] : terms) {
    const Expr entry = sum(graph_, list);
    Quad scale = 0;
    for (const Expr one : list) scale += magnitude(number(one));
    if (zero(entry, scale)) continue;
    const Wire &a = wires_[pair.first], &b = wires_[pair.second];
    if (a.statement->string == "lossy" || b.statement->string == "lossy") continue;
    const std::string entry_text = "M N^T + N M^T has " + to_text(static_cast<double>(number(entry))) + " there";
    if (pair.first == pair.second)
      scope_.error(a.item->target.place, "the connection " + a.text() + " does not conserve power",
                   entry_text + "; connect lossy ... allows a connection that takes power");
    else
      scope_.error(
          b.item->target.place, "the connections " + a.text() + " and " + b.text() + " together do not conserve power",
          entry_text + "; " +
              (a.statement != b.statement ? "the first is in line " + std::to_string(a.item->target.place.line) + "; "
                                          : std::string()) +
              "usually a sign is wrong in one of them");
  }
}

}  // namespace joining

void join_ports(Elaboration& e, PortSystem& system) {
  joining::Joiner(e, system).run();
  if (e.scope.errors.empty() && !e.component) system.loops = input_loops(system);
}

}  // namespace alembert::internal
