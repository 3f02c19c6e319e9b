// Components connected: elimination of their inputs, and the system that is left.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alembert/model/ports/port_join_impl.h"

namespace alembert::internal::joining {

namespace {

/// Adds an item to a list that begins behind `before` others, and gives its number there.
int placed(int before, std::vector<int>& list, int item) {
  list.push_back(item);
  return before + static_cast<int>(list.size()) - 1;
}

}  // namespace

void Joiner::eliminate() {
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
  columns_.resize(2 * m);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (const auto& [c, ignored] : rows_[i])
      if (c < 2 * m) columns_[c].insert(static_cast<int>(i));
  pivot_row_.assign(2 * m, -1);
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

std::vector<Row> Joiner::feedthrough() {
  std::vector<Row> D(s_.u.size());
  const auto put = [&](const SparseExprs& from, bool negative) {
    for (int i = 0; i < from.rows; ++i)
      for (int k = from.row_start[i]; k < from.row_start[i + 1]; ++k)
        add(D[i], from.column[k], negative ? -from.value[k] : from.value[k]);
  };
  put(s_.S, false);
  put(s_.N, true);
  return D;
}

void Joiner::add(Row& row, int column, Expr value) {
  Expr& entry = row.emplace(column, graph_.constant(0)).first->second;
  const Expr before = entry;
  entry = before + value;
  const auto cancelled = [&] {
    return fixed(entry) && fixed(value) && zero(entry, magnitude(number(before)) + magnitude(number(value)));
  };
  if (is_zero(entry) || cancelled()) row.erase(column);
}

int Joiner::quality(Expr e) {
  if (is_constant(e, 1) || is_constant(e, -1)) return 3;
  return fixed(e) ? 2 : 1;
}

int Joiner::best_row(int column) {
  int best = -1;
  for (const int i : columns_[column]) {
    if (used_[i]) continue;
    const auto key = [&](int row) { return std::pair(-quality(rows_[row].at(column)), rows_[row].size()); };
    if (best < 0 || key(i) < key(best)) best = i;
  }
  return best;
}

int Joiner::best_column(int row, int first, int last) {
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

void Joiner::pivot(int row, int column) {
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

void Joiner::loop_error(int j) {
  std::string names;
  for (const Wire& wire : wires_)
    if (wire.u.contains(ports_[j])) names += (names.empty() ? "" : ", ") + wire.text();
  scope_.error(flat_place(s_.inputs, ports_[j]),
               "the algebraic loop through the input '" + input(ports_[j]) + "' has no unique solution",
               "its component has no state that could decide" + (names.empty() ? "" : ": " + names));
}

void Joiner::redundant_error(int i) {
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

// long: one elimination, whose parts share the places of ports, multipliers and inputs
void Joiner::join() {
  const int m = static_cast<int>(ports_.size()), n = s_.size();
  std::vector<int> kept, outside;  // numbers of connected ports; of inputs
  std::vector<int> lambda(static_cast<std::size_t>(m), -1), place(s_.u.size(), -1);
  for (int j = 0; j < m; ++j)
    if (pivot_row_[j] < 0) lambda[j] = placed(n, kept, j);
  const int n_all = n + static_cast<int>(kept.size());
  for (int i = 0; i < static_cast<int>(s_.u.size()); ++i)
    if (!connected_.contains(i)) place[i] = placed(n_all, outside, i);

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
    from_.push_back(s_.y[flat]);
    to_.push_back(value_of(form));
    if (lambda[j] < 0) {
      from_.push_back(s_.u[flat]);
      to_.push_back(value_of(u[j]));
    }
  }
  rebuild(added, kept, outside, n_all);
}

PortSystem Joiner::enlarged(const std::vector<int>& kept, const std::vector<int>& outside) {
  PortSystem all;
  all.t = s_.t;
  all.H = s_.H;
  all.parts = s_.parts;
  all.connection = s_.connection;
  all.states = s_.states;
  all.x = s_.x;
  all.r = s_.r;
  all.z = s_.z;
  const auto scalar = [](const std::string& name, int first, const Place& at) { return Block{name, {}, first, 1, at}; };
  for (const int j : kept) {
    all.states.push_back(scalar(input(ports_[j]), all.size(), flat_place(s_.inputs, ports_[j])));
    all.x.push_back(s_.u[ports_[j]]);
    all.z.push_back(s_.u[ports_[j]]);
    all.r.push_back(graph_.constant(0));
  }
  for (int k = 0; k < static_cast<int>(outside.size()); ++k) {
    const int i = outside[k];
    all.inputs.push_back(scalar(input(i), k, flat_place(s_.inputs, i)));
    all.outputs.push_back(scalar(flat_name(s_.outputs, i), k, flat_place(s_.outputs, i)));
    all.u.push_back(s_.u[i]);
    all.y.push_back(s_.y[i]);
    all.u_value.push_back(s_.u_value[i]);
  }
  if (!all.u_value.empty()) all.u_value = substitute(all.u_value, from_, to_, graph_);
  return all;
}

void Joiner::rebuild(const std::vector<Row>& added, const std::vector<int>& kept, const std::vector<int>& outside,
                     int n_all) {
  const int n = s_.size(), m_all = static_cast<int>(outside.size());
  std::vector<int> place(s_.u.size(), -1);
  for (int k = 0; k < m_all; ++k) place[outside[k]] = k;
  PortEntries entries;
  entries.add(
      s_, [](int i) { return i; }, [&](int i) { return place[i]; });
  const auto put = [&](Entries& to, int i, int j, Expr value) {
    Expr& entry = to.emplace(std::pair(i, j), graph_.constant(0)).first->second;
    entry = entry + value;
  };
  // Gamma = [J B; -B^T N], W = [R P; P^T S]; i <= j, the other triangle follows.
  const auto skew = [&](int i, int j, Expr value) {
    if (j < n_all) {
      put(entries.J, i, j, value);
      put(entries.J, j, i, -value);
    } else if (i < n_all) put(entries.B, i, j - n_all, value);
    else {
      put(entries.N, i - n_all, j - n_all, value);
      put(entries.N, j - n_all, i - n_all, -value);
    }
  };
  const auto symmetric = [&](int i, int j, Expr value) {
    if (i >= n_all) {
      put(entries.S, i - n_all, j - n_all, value);
      if (i != j) put(entries.S, j - n_all, i - n_all, value);
    } else if (j >= n_all) {
      put(entries.P, i, j - n_all, value);
    } else {
      put(entries.R, i, j, value);
      if (i != j) put(entries.R, j, i, value);
    }
  };
  const Quad half = Quad(1) / 2;
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
      else {
        skew(a, b, half * (f - g));
        symmetric(a, b, -(half * (f + g)));
      }
    }

  PortSystem all = enlarged(kept, outside);
  check(n_all == all.size() && n <= n_all, "the states of a connected system");
  entries.give(all);
  s_ = std::move(all);
}

bool Joiner::equal(Expr a, Expr b) {
  if (a == b) return true;
  if (!fixed(a) || !fixed(b)) return is_zero(a - b);
  return zero(a - b, magnitude(number(a)) + magnitude(number(b)));
}

void Joiner::finish_names() {
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
    map(c.observed_values);
    const auto take = [](const std::vector<Block>& blocks, const Exprs& values, std::vector<Block>& to, Exprs& all) {
      for (Block block : blocks) {
        const auto first = values.begin() + block.first;
        block.first = static_cast<int>(all.size());
        all.insert(all.end(), first, first + block.size);
        to.push_back(std::move(block));
      }
    };
    take(c.invariants, c.invariant_values, model.invariants, model.invariant_values);
    take(c.observed, c.observed_values, model.observed, model.observed_values);
    for (Event& event : c.events) {
      Exprs value = {event.value};
      map(value);
      event.value = value[0];
      model.events.push_back(std::move(event));
    }
  }
}

}  // namespace alembert::internal::joining
