// Components connected by M y + N u = 0. With y = eta + D u, eta = (B + P)^T z, elimination gives
//     (u_I, eta_c) = K (eta_I, u_c) + L u_e ,
// u_e being the inputs outside; u_I is put in, u_c are algebraic states. As many u as possible are eliminated, and all
// of those whose eta is 0 (components without states). Where M N^T + N M^T = 0 what is added is skew but for D.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "alembert/model/elaborate.h"
#include "alembert/model/port.h"

namespace alembert {

namespace {

using Row = std::map<int, Expr>;  // a linear form, by column

Real absolute(Real x) { return x < 0 ? -x : x; }

/// One scalar equation of a connect statement.
struct Wire {
  const Statement* statement;
  const Item* item;
  std::string index;  // "[2]" of a range or a vector
  Row u, y;           // by number of the port among the connected ones
  std::string text() const {
    return "'" + print(item->target) + " = " + print(*item->value) + "'" + (index.empty() ? "" : " " + index);
  }
};

class Joiner {
 public:
  Joiner(Elaboration& e, PortSystem& own) : e_(e), scope_(e.scope), graph_(e.scope.graph()), s_(own) {}

  void run() {
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

 private:
  std::string input(int i) const { return flat_name(s_.inputs, i); }

  // All systems in one, not yet connected ----------------------------------------------------------------------------

  void assemble() {
    Entries E, J, R, B, P, S, N;
    PortSystem all;
    all.t = s_.t;
    Exprs energies;
    const auto add = [&](const PortSystem& part) {
      const int n = all.size(), m = static_cast<int>(all.u.size());
      const auto put = [](Entries& to, const SparseExprs& from, int row, int column) {
        for (int i = 0; i < from.rows; ++i)
          for (int k = from.row_start[i]; k < from.row_start[i + 1]; ++k)
            to.emplace(std::pair(row + i, column + from.column[k]), from.value[k]);
      };
      put(E, part.E, n, n), put(J, part.J, n, n), put(R, part.R, n, n);
      put(B, part.B, n, m), put(P, part.P, n, m), put(S, part.S, m, m), put(N, part.N, m, m);
      const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
      const auto blocks = [](std::vector<Block>& to, const std::vector<Block>& from, int first) {
        for (Block block : from) block.first += first, to.push_back(std::move(block));
      };
      blocks(all.states, part.states, n), blocks(all.inputs, part.inputs, m), blocks(all.outputs, part.outputs, m);
      append(all.x, part.x), append(all.r, part.r), append(all.z, part.z);
      append(all.u, part.u), append(all.y, part.y), append(all.u_value, part.u_value);
      energies.push_back(part.H);
    };
    add(s_);
    if (!s_.x.empty()) all.parts.push_back({"", s_.H});
    for (const Component& c : e_.components) {
      add(c.system);
      all.parts.push_back({c.name, c.system.H});
    }
    const int n = all.size(), m = static_cast<int>(all.u.size());
    all.E = sparse(n, n, E), all.J = sparse(n, n, J), all.R = sparse(n, n, R);
    all.B = sparse(n, m, B), all.P = sparse(n, m, P), all.S = sparse(m, m, S), all.N = sparse(m, m, N);
    all.H = sum(graph_, energies);
    s_ = std::move(all);
    sort_states();
  }

  void sort_states() {
    std::vector<bool> differential(s_.x.size(), false);
    for (const int j : s_.E.column) differential[j] = true;
    s_.differential.clear(), s_.algebraic.clear();
    for (int j = 0; j < s_.size(); ++j) (differential[j] ? s_.differential : s_.algebraic).push_back(j);
  }

  // Inputs of components that get a value ----------------------------------------------------------------------------

  bool is_open(int i) const { return s_.u_value[i] == s_.u[i]; }

  void give_inputs() {
    e_.each("input", [&](const Statement& s, const Item& item) {
      const Term* root = &item.target;
      while (root->form == Term::Form::index) root = &root->parts[0];
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

  // connect ----------------------------------------------------------------------------------------------------------

  int port_number(int flat) {
    const auto [found, fresh] = connected_.emplace(flat, static_cast<int>(ports_.size()));
    if (fresh) ports_.push_back(flat);
    return found->second;
  }

  void read_wires() {
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

  bool read_wire(Wire& wire, Expr value) {
    const Place& place = wire.item->target.place;
    Exprs symbols, zeros;
    for (const Expr symbol : free_symbols(Exprs{value})) {
      if (number_.contains(symbol.id())) symbols.push_back(symbol);
      else if (!fixed(symbol)) {
        scope_.error(place, "a connection contains '" + graph_.name(symbol.id()) + "', which is no input or output",
                     "it is linear in inputs and outputs, with parameters as factors");
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
      scope_.error(place, "this connection says nothing", "it contains no input and no output");
      return false;
    }
    return true;
  }

  /// Groups of equations that share ports, each with as many ports as equations. The output of an input that has a
  /// value is no port of the connection: it is read off, and then the equation must hold an input.
  void check_counts() {
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
            for (const int other : wires_of[flat])
              if (!seen[other]) seen[other] = true, group.push_back(other);
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

  void check_open() {
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

  // M N^T + N M^T = 0 ------------------------------------------------------------------------------------------------

  /// Made of parameters alone.
  bool fixed(Expr e) { return !(scope_.contents(e) & ~unsigned(holds_parameter)); }

  /// Zero by simplification, or with the parameters as they are and to rounding.
  bool zero(Expr e, Real scale) { return is_zero(e) || (fixed(e) && absolute(number(e)) <= Real(1e-28) * scale); }

  Real number(Expr e) {
    std::string missing;
    return scope_.number(e, missing).value_or(0);
  }

  void check_power() {
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
      Real scale = 0;
      for (const Expr one : list) scale += absolute(number(one));
      if (zero(entry, scale)) continue;
      const Wire &a = wires_[pair.first], &b = wires_[pair.second];
      if (a.statement->string == "lossy" || b.statement->string == "lossy") continue;
      const std::string entry_text = "M N^T + N M^T has " + to_text(static_cast<double>(number(entry))) + " there";
      if (pair.first == pair.second)
        scope_.error(a.item->target.place, "the connection " + a.text() + " does not conserve power",
                     entry_text + "; connect lossy ... allows a connection that takes power");
      else
        scope_.error(
            b.item->target.place,
            "the connections " + a.text() + " and " + b.text() + " together do not conserve power",
            entry_text + "; " +
                (a.statement != b.statement ? "the first is in line " + std::to_string(a.item->target.place.line) + "; "
                                            : std::string()) +
                "usually a sign is wrong in one of them");
    }
  }

  // Elimination ------------------------------------------------------------------------------------------------------

  // Columns: u of connected port j is j, its eta m + j, an input outside 2 m + its number among all inputs.
  void eliminate() {
    const int m = static_cast<int>(ports_.size());
    const SparseExprs B_T = transposed(s_.B), P_T = transposed(s_.P);
    const auto has_eta = [&](int flat) {
      return B_T.row_start[flat] < B_T.row_start[flat + 1] || P_T.row_start[flat] < P_T.row_start[flat + 1];
    };
    const std::vector<Row> D = feedthrough();
    for (const Wire& wire : wires_) {
      Row& row = rows_.emplace_back();
      for (const auto& [flat, factor] : wire.u) add(row, connected_.at(flat), factor);
      for (const auto& [flat, factor] : wire.y) {
        if (has_eta(flat)) add(row, m + connected_.at(flat), factor);
        for (const auto& [other, value] : D[flat]) {
          const auto inner = connected_.find(other);
          add(row, inner == connected_.end() ? 2 * m + other : inner->second, factor * value);
        }
      }
    }
    columns_.resize(static_cast<std::size_t>(2 * m));
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (const auto& [c, ignored] : rows_[i])
        if (c < 2 * m) columns_[c].insert(static_cast<int>(i));
    pivot_row_.assign(static_cast<std::size_t>(2 * m), -1);
    used_.assign(rows_.size(), false);

    // Inputs of components without states must follow from the others.
    for (int j = 0; j < m; ++j) {
      if (has_eta(ports_[j])) continue;
      const int row = best_row(j);
      if (row >= 0) pivot(row, j);
      else loop_error(j);
    }
    if (!scope_.errors.empty()) return;
    // Then as many of the other inputs as possible, those first that stand with the fewest others.
    std::set<std::pair<int, int>> queue;
    const auto inputs_in = [&](int row) {
      int count = 0;
      for (const auto& [c, ignored] : rows_[row]) count += c < m && pivot_row_[c] < 0;
      return count;
    };
    for (int i = 0; i < static_cast<int>(rows_.size()); ++i)
      if (!used_[i]) queue.emplace(inputs_in(i), i);
    while (!queue.empty()) {
      const auto [count, row] = *queue.begin();
      queue.erase(queue.begin());
      if (const int now = inputs_in(row); now != count) {
        if (now > 0) queue.emplace(now, row);
        continue;
      }
      const int column = count > 0 ? best_column(row, 0, m) : -1;
      if (column >= 0) pivot(row, column);
    }
    // What is left relates outputs: each gives that of an input which stays.
    for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
      if (used_[i]) continue;
      const int column = best_column(i, m, 2 * m);
      if (column >= 0) pivot(i, column);
      else redundant_error(i);
    }
  }

  std::vector<Row> feedthrough() {
    std::vector<Row> D(s_.u.size());
    const auto put = [&](const SparseExprs& from, bool negative) {
      for (int i = 0; i < from.rows; ++i)
        for (int k = from.row_start[i]; k < from.row_start[i + 1]; ++k)
          add(D[i], from.column[k], negative ? -from.value[k] : from.value[k]);
    };
    put(s_.S, false), put(s_.N, true);
    return D;
  }

  void add(Row& row, int column, Expr value) {
    Expr& entry = row.emplace(column, graph_.constant(0)).first->second;
    const Expr before = entry;
    entry = before + value;
    if (is_zero(entry)) row.erase(column);
    else if (fixed(entry) && fixed(value) && zero(entry, absolute(number(before)) + absolute(number(value))))
      row.erase(column);
  }

  /// 3: 1 or -1; 2: a number that is not 0; 1: a function of the states.
  int quality(Expr e) {
    if (is_constant(e, 1) || is_constant(e, -1)) return 3;
    return fixed(e) ? 2 : 1;
  }

  int best_row(int column) {
    int best = -1;
    for (const int i : columns_[column]) {
      if (used_[i]) continue;
      const auto key = [&](int row) { return std::pair(-quality(rows_[row].at(column)), rows_[row].size()); };
      if (best < 0 || key(i) < key(best)) best = i;
    }
    return best;
  }

  /// Among the columns that may lead: of inputs those not yet eliminated, of outputs those of inputs that stay.
  int best_column(int row, int first, int last) {
    const int m = static_cast<int>(ports_.size());
    int best = -1;
    for (const auto& [c, value] : rows_[row]) {
      if (c < first || c >= last || pivot_row_[c] >= 0 || (c >= m && pivot_row_[c - m] >= 0)) continue;
      const auto key = [&](int column) {
        return std::tuple(-quality(rows_[row].at(column)), columns_[column].size(), -column);
      };
      if (best < 0 || key(c) < key(best)) best = c;
    }
    return best;
  }

  /// The row solved for the column, and put into all others.
  void pivot(int row, int column) {
    const int m = static_cast<int>(ports_.size());
    used_[row] = true;
    pivot_row_[column] = row;
    Row solved;
    const Expr lead = rows_[row].at(column);
    for (const auto& [c, value] : rows_[row]) solved[c] = c == column ? graph_.constant(1) : value / lead;
    rows_[row] = solved;
    const std::set<int> others = columns_[column];
    for (const int i : others) {
      if (i == row) continue;
      const Expr factor = rows_[i].at(column);
      rows_[i].erase(column);
      columns_[column].erase(i);
      for (const auto& [c, value] : solved) {
        if (c == column) continue;
        add(rows_[i], c, -(factor * value));
        if (c >= 2 * m) continue;
        if (rows_[i].contains(c)) columns_[c].insert(i);
        else columns_[c].erase(i);
      }
    }
  }

  void loop_error(int j) {
    std::string names;
    for (const Wire& wire : wires_)
      if (wire.u.contains(ports_[j])) names += (names.empty() ? "" : ", ") + wire.text();
    scope_.error(flat_place(s_.inputs, ports_[j]),
                 "the algebraic loop through the input '" + input(ports_[j]) + "' has no unique solution",
                 "its component has no state that could decide" + (names.empty() ? "" : ": " + names));
  }

  void redundant_error(int i) {
    const Wire& wire = wires_[i];
    if (rows_[i].empty()) {
      scope_.error(wire.item->target.place, "the connection " + wire.text() + " follows from the others",
                   "leave it out, and write what is missing");
      return;
    }
    std::string names;
    const int m = static_cast<int>(ports_.size());
    for (const auto& [c, ignored] : rows_[i])
      names += (names.empty() ? "" : ", ") + (c >= 2 * m ? input(c - 2 * m)
                                              : c >= m   ? flat_name(s_.outputs, ports_[c - m])
                                                         : input(ports_[c]));
    scope_.error(
        wire.item->target.place,
        "the algebraic loop through " + wire.text() + " has no solution: it leaves an equation in " + names + " alone",
        "no input is left that could make it hold");
  }

  // The system that is left ------------------------------------------------------------------------------------------

  void join() {
    const int m = static_cast<int>(ports_.size()), n = s_.size();
    std::vector<int> kept, outside;  // numbers of connected ports; of inputs
    std::vector<int> lambda(static_cast<std::size_t>(m), -1), place(s_.u.size(), -1);
    for (int j = 0; j < m; ++j)
      if (pivot_row_[j] < 0) lambda[j] = n + static_cast<int>(kept.size()), kept.push_back(j);
    const int n_all = n + static_cast<int>(kept.size());
    for (int i = 0; i < static_cast<int>(s_.u.size()); ++i)
      if (!connected_.contains(i)) place[i] = n_all + static_cast<int>(outside.size()), outside.push_back(i);

    // Every connected input as a form in z, lambda and the inputs outside.
    const SparseExprs B_T = transposed(s_.B), P_T = transposed(s_.P);
    const auto eta = [&](int j, Expr factor, Row& to) {
      for (const SparseExprs* matrix : {&B_T, &P_T})
        for (int k = matrix->row_start[ports_[j]]; k < matrix->row_start[ports_[j] + 1]; ++k)
          add(to, matrix->column[k], factor * matrix->value[k]);
    };
    const auto put_in = [&](int row, int column, Row& to) {
      for (const auto& [c, value] : rows_[row]) {
        if (c == column) continue;
        if (c < m) add(to, lambda[c], -value);
        else if (c < 2 * m) eta(c - m, -value, to);
        else add(to, place[c - 2 * m], -value);
      }
    };
    std::vector<Row> u(static_cast<std::size_t>(m));
    for (int j = 0; j < m; ++j)
      if (lambda[j] >= 0) u[j][lambda[j]] = graph_.constant(1);
      else put_in(pivot_row_[j], j, u[j]);

    // What they add to Gamma - W.
    std::vector<Row> added(static_cast<std::size_t>(n_all) + outside.size());
    const auto spread = [&](Row& to, Expr factor, const Row& form) {
      for (const auto& [c, value] : form) add(to, c, factor * value);
    };
    for (int j = 0; j < m; ++j) {
      for (int k = B_T.row_start[ports_[j]]; k < B_T.row_start[ports_[j] + 1]; ++k)
        spread(added[B_T.column[k]], B_T.value[k], u[j]);
      for (int k = P_T.row_start[ports_[j]]; k < P_T.row_start[ports_[j] + 1]; ++k)
        spread(added[P_T.column[k]], -P_T.value[k], u[j]);
      if (lambda[j] < 0) continue;
      Row& row = added[lambda[j]];  // 0 = K (...) + L u_e - eta
      eta(j, graph_.constant(-1), row);
      put_in(pivot_row_[m + j], m + j, row);
    }
    const std::vector<Row> D = feedthrough();
    for (const int i : outside)
      for (const auto& [other, value] : D[i])
        if (const auto inner = connected_.find(other); inner != connected_.end())
          spread(added[place[i]], -value, u[inner->second]);
    s_.connection.equations = static_cast<int>(wires_.size());
    for (const int j : kept) s_.connection.multipliers.push_back(input(ports_[j]));

    // Names of what has been eliminated.
    Exprs basis = s_.z;
    for (const int j : kept) basis.push_back(s_.u[ports_[j]]);
    for (const int i : outside) basis.push_back(s_.u[i]);
    const auto value_of = [&](const Row& form) {
      Exprs terms;
      for (const auto& [c, value] : form) terms.push_back(value * basis[c]);
      return sum(graph_, terms);
    };
    for (int j = 0; j < m; ++j) {
      const int flat = ports_[j];
      Row form;
      eta(j, graph_.constant(1), form);
      for (const auto& [other, value] : D[flat]) {
        const auto inner = connected_.find(other);
        if (inner == connected_.end()) add(form, place[other], value);
        else spread(form, value, u[inner->second]);
      }
      from_.push_back(s_.y[flat]), to_.push_back(value_of(form));
      if (lambda[j] < 0) from_.push_back(s_.u[flat]), to_.push_back(value_of(u[j]));
    }
    rebuild(added, kept, outside, n_all);
  }

  void rebuild(const std::vector<Row>& added, const std::vector<int>& kept, const std::vector<int>& outside,
               int n_all) {
    const int n = s_.size(), m_all = static_cast<int>(outside.size());
    std::vector<int> place(s_.u.size(), -1);
    for (int k = 0; k < m_all; ++k) place[outside[k]] = k;
    Entries E, J, R, B, P, S, N;
    const auto keep = [&](Entries& to, const SparseExprs& from, bool input_rows, bool input_columns) {
      for (int i = 0; i < from.rows; ++i)
        for (int k = from.row_start[i]; k < from.row_start[i + 1]; ++k) {
          const int row = input_rows ? place[i] : i, column = input_columns ? place[from.column[k]] : from.column[k];
          if (row >= 0 && column >= 0) to[{row, column}] = from.value[k];
        }
    };
    keep(E, s_.E, false, false), keep(J, s_.J, false, false), keep(R, s_.R, false, false);
    keep(B, s_.B, false, true), keep(P, s_.P, false, true), keep(S, s_.S, true, true), keep(N, s_.N, true, true);
    const auto put = [&](Entries& to, int i, int j, Expr value) {
      Expr& entry = to.emplace(std::pair(i, j), graph_.constant(0)).first->second;
      entry = entry + value;
    };
    // Gamma = [J B; -B^T N], W = [R P; P^T S]; i <= j, the other triangle follows.
    const auto skew = [&](int i, int j, Expr value) {
      if (j < n_all) put(J, i, j, value), put(J, j, i, -value);
      else if (i < n_all) put(B, i, j - n_all, value);
      else put(N, i - n_all, j - n_all, value), put(N, j - n_all, i - n_all, -value);
    };
    const auto symmetric = [&](int i, int j, Expr value) {
      if (i >= n_all) {
        put(S, i - n_all, j - n_all, value);
        if (i != j) put(S, j - n_all, i - n_all, value);
      } else if (j >= n_all) {
        put(P, i, j - n_all, value);
      } else {
        put(R, i, j, value);
        if (i != j) put(R, j, i, value);
      }
    };
    const Real half = Real(1) / 2;
    const Expr none = graph_.constant(0);
    const auto entry = [&](int i, int j) {
      const auto found = added[i].find(j);
      return found == added[i].end() ? none : found->second;
    };
    for (int i = 0; i < static_cast<int>(added.size()); ++i)
      for (const auto& [j, ignored] : added[i]) {
        if (j < i && !is_zero(entry(j, i))) continue;
        const int a = std::min(i, j), b = std::max(i, j);
        const Expr f = entry(a, b), g = entry(b, a);
        if (a == b) symmetric(a, a, -f);
        else if (equal(f, -g)) skew(a, b, f);
        else if (equal(f, g)) symmetric(a, b, -f);
        else skew(a, b, half * (f - g)), symmetric(a, b, -(half * (f + g)));
      }

    PortSystem all;
    all.t = s_.t, all.H = s_.H, all.parts = s_.parts, all.connection = s_.connection;
    all.states = s_.states, all.x = s_.x, all.r = s_.r, all.z = s_.z;
    const auto scalar = [](const std::string& name, int first, const Place& at) {
      return Block{name, {}, first, 1, at};
    };
    for (const int j : kept) {
      all.states.push_back(scalar(input(ports_[j]), all.size(), flat_place(s_.inputs, ports_[j])));
      all.x.push_back(s_.u[ports_[j]]);
      all.z.push_back(s_.u[ports_[j]]);
      all.r.push_back(none);
    }
    for (int k = 0; k < m_all; ++k) {
      const int i = outside[k];
      all.inputs.push_back(scalar(input(i), k, flat_place(s_.inputs, i)));
      all.outputs.push_back(scalar(flat_name(s_.outputs, i), k, flat_place(s_.outputs, i)));
      all.u.push_back(s_.u[i]), all.y.push_back(s_.y[i]), all.u_value.push_back(s_.u_value[i]);
    }
    if (!all.u_value.empty()) all.u_value = substitute(all.u_value, from_, to_, graph_);
    check(n_all == all.size() && n <= n_all, "the states of a connected system");
    all.E = sparse(n_all, n_all, E), all.J = sparse(n_all, n_all, J), all.R = sparse(n_all, n_all, R);
    all.B = sparse(n_all, m_all, B), all.P = sparse(n_all, m_all, P);
    all.S = sparse(m_all, m_all, S), all.N = sparse(m_all, m_all, N);
    s_ = std::move(all);
    sort_states();
  }

  bool equal(Expr a, Expr b) {
    if (a == b) return true;
    if (!fixed(a) || !fixed(b)) return is_zero(a - b);
    return zero(a - b, absolute(number(a)) + absolute(number(b)));
  }

  /// From here on a connected input or output means its value, in all that components brought along too.
  void finish_names() {
    const auto map = [&](Exprs& list) {
      if (!from_.empty() && !list.empty()) list = substitute(list, from_, to_, graph_);
    };
    Exprs all;
    std::vector<std::pair<Declaration*, std::size_t>> where;
    for (Declaration& d : scope_.declarations()) {
      if (d.kind != Kind::input && d.kind != Kind::output && !(d.imported && d.kind == Kind::let)) continue;
      where.emplace_back(&d, all.size());
      all.insert(all.end(), d.symbols.begin(), d.symbols.end());
    }
    map(all);
    for (const auto& [d, first] : where) {
      std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(first), d->symbols.size(), d->symbols.begin());
      if (d->kind == Kind::let) d->value.entries = d->symbols;
    }
    Model& model = e_.model;
    for (Component& c : e_.components) {
      map(c.invariant_values);
      for (Block block : c.invariants) {
        const auto first = c.invariant_values.begin() + block.first;
        block.first = static_cast<int>(model.invariant_values.size());
        model.invariant_values.insert(model.invariant_values.end(), first, first + block.size);
        model.invariants.push_back(std::move(block));
      }
      for (Event& event : c.events) {
        Exprs value = {event.value};
        map(value);
        event.value = value[0];
        model.events.push_back(std::move(event));
      }
    }
  }

  Elaboration& e_;
  Scope& scope_;
  Graph& graph_;
  PortSystem& s_;
  std::unordered_map<std::uint32_t, int> number_;  // of an input by the numbers of its symbol and its output's
  std::map<int, Place> given_;                     // inputs with a value from 'input a.F = ...'
  std::map<std::string, std::vector<int>> open_;
  std::vector<Wire> wires_;
  std::vector<int> ports_;        // connected: numbers of inputs
  std::map<int, int> connected_;  // and back
  std::vector<Row> rows_;
  std::vector<std::set<int>> columns_;
  std::vector<int> pivot_row_;
  std::vector<bool> used_;
  Exprs from_, to_;  // symbols of connected inputs and outputs, and their values
};

}  // namespace

void join_ports(Elaboration& e, PortSystem& system) {
  Joiner(e, system).run();
  if (e.scope.errors.empty() && !e.component) system.loops = input_loops(system);
}

}  // namespace alembert
