// flow, structure, dissipation, port, coupling, feedthrough, effort, drift, input, output: what they say.

#include <algorithm>
#include <numeric>
#include <set>

#include "alembert/model/elaborate.h"
#include "alembert/model/ports/port.h"
#include "alembert/text/lookup.h"

namespace alembert::internal {

namespace {

/// A matrix while it is read: entries that the user gave, with their places.
struct Matrix {
  const char* keyword;
  const char* letter;
  int rows = 0, columns = 0;
  int partner = 0;  // sign of the entry across the diagonal that an entry brings; 0: none
  Entries entries;
  std::map<std::pair<int, int>, Place> places;
  bool whole = false;
};

class PortReader {
 public:
  explicit PortReader(Elaboration& e) : e_(e), scope_(e.scope), graph_(e.scope.graph()) {}

  std::shared_ptr<PortSystem> read() {
    auto system = std::make_shared<PortSystem>();
    PortSystem& s = *system;
    s.t = scope_.t;
    flatten(Kind::state, s.states, s.x);
    flatten(Kind::input, s.inputs, s.u);
    name_outputs(s);
    const int n = static_cast<int>(s.x.size()), m = static_cast<int>(s.u.size());
    const std::size_t before = scope_.errors.size();
    s.E = finished(read_matrix({"flow", "E", n, n, 0, {}, {}}), true);
    const std::vector<bool> moving = moving_rows(s.E);
    s.J = finished(read_matrix({"structure", "J", n, n, -1, {}, {}}), false, moving);
    s.R = finished(read_matrix({"dissipation", "R", n, n, 1, {}, {}}), false, moving);
    s.B = finished(read_matrix({"port", "B", n, m, 0, {}, {}}), false, moving);
    s.P = finished(read_matrix({"coupling", "P", n, m, 0, {}, {}}), false, moving);
    split_feedthrough(s, finished(read_matrix({"feedthrough", "S - N", m, m, 0, {}, {}}), false));
    s.r = read_rows("drift", n);
    for (Expr& x : s.r)
      if (!x) x = graph_.constant(0);
    s.H = read_energy(e_, "hamiltonian", "the Hamiltonian");
    if (!s.H) s.H = graph_.constant(0);
    std::vector<bool> differential(s.x.size(), false);
    for (const int j : s.E.column) differential[j] = true;
    for (int j = 0; j < n; ++j) (differential[j] ? s.differential : s.algebraic).push_back(j);
    s.z = read_rows("effort", n);
    read_inputs(s);
    if (scope_.errors.size() > before) return system;
    complete_efforts(s);
    return system;
  }

 private:
  void flatten(Kind kind, std::vector<Block>& blocks, Exprs& symbols) {
    for (Declaration& d : scope_.declarations()) {
      if (d.kind != kind || !d.ready || d.imported) continue;
      first_[&d] = static_cast<int>(symbols.size());
      blocks.push_back({d.name, d.shape, static_cast<int>(symbols.size()), d.size(), d.place});
      symbols.insert(symbols.end(), d.symbols.begin(), d.symbols.end());
    }
  }

  void name_outputs(PortSystem& s) {
    s.y.resize(s.u.size());
    s.outputs = s.inputs;
    std::vector<bool> named(s.inputs.size(), false);
    std::size_t next = 0;
    e_.each("output", [&](const Statement&, const Item& item) {
      const Term* root = &root_of(item.target);
      Declaration* d = scope_.find(root->text);
      if (!d || d->kind != Kind::output || !d->ready) return;
      std::size_t k = next;
      if (item.owner) {
        Declaration* owner = item.owner->form == Term::Form::name ? scope_.find(item.owner->text) : nullptr;
        if (!owner || owner->kind != Kind::input) {
          scope_.error(item.owner->place, "an output belongs to a whole input", "write the name of an input");
          return;
        }
        for (k = 0; k < s.inputs.size() && s.inputs[k].name != owner->name;) ++k;
      } else {
        while (k < named.size() && named[k]) ++k;
      }
      if (k >= s.inputs.size() || named[k]) {
        scope_.error(item.target.place,
                     k >= s.inputs.size() ? "there are more outputs than inputs"
                                          : "the input '" + s.inputs[k].name + "' has two outputs",
                     "each input has one output, y = (B + P)^T z + (S - N) u");
        return;
      }
      named[k] = true;
      next = item.owner ? next : k + 1;
      if (d->size() != s.inputs[k].size) {
        scope_.error(item.target.place, "'" + d->name + "' is " + shape_text(d->shape) + ", but its input '" +
                                            s.inputs[k].name + "' is " + shape_text(s.inputs[k].shape));
        return;
      }
      s.outputs[k].name = d->name;
      s.outputs[k].shape = d->shape;
      s.outputs[k].place = d->place;
      std::copy(d->symbols.begin(), d->symbols.end(), s.y.begin() + s.inputs[k].first);
    });
    for (std::size_t k = 0; k < named.size(); ++k) {
      if (named[k]) continue;
      Block& block = s.outputs[k];
      block.name = "y_" + s.inputs[k].name;
      Declaration* d = scope_.declare(Kind::output, name_term(block.name, block.place), nullptr);
      for (int i = 0; i < block.size; ++i) {
        s.y[block.first + i] = graph_.symbol(entry_name(block, i));
        scope_.mark(s.y[block.first + i], holds_port);
      }
      if (!d) continue;
      d->shape = block.shape;
      d->symbols.assign(s.y.begin() + block.first, s.y.begin() + block.first + block.size);
      d->ready = true;
    }
  }

  bool allowed(const Value& v, const Term& term, const std::string& what) {
    if (v.bad) return false;
    if (!(scope_.contents(v) & holds_port)) return true;
    scope_.error(term.place, what + " contains an input or an output", "it is a function of t and the states");
    return false;
  }

  /// A value as a block of a matrix: as it is, one row or column, a diagonal, or a multiple of the identity.
  bool fill(Matrix& m, const std::vector<int>& rows, const std::vector<int>& columns, const Value& v, const Term& term,
            const Place& place) {
    const int n = static_cast<int>(rows.size()), k = static_cast<int>(columns.size());
    const bool array = v.shape == ArrayShape{n, k};
    const bool vector = v.shape.size() == 1 && v.shape[0] == std::max(n, k) && (n == 1 || k == 1);
    const bool diagonal = n == k && v.shape == ArrayShape{n}, multiple = v.shape.empty() && n == k;
    const bool zero = v.shape.empty() && is_zero(v.entries[0]);
    const std::string what = m.whole ? std::string("the matrix ") + m.letter : "this block of " + std::string(m.letter);
    if (!array && !vector && !diagonal && !multiple && !zero) {
      scope_.error(term.place,
                   what + " has " + std::to_string(n) + " x " + std::to_string(k) + " entries, but this is " +
                       shape_text(v.shape),
                   m.keyword == std::string("port") || m.keyword == std::string("coupling")
                       ? "it has a row for each state and a column for each input"
                       : "");
      return false;
    }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < k; ++j) {
        Expr value = graph_.constant(0);
        if (array) value = v.entries[i * k + j];
        else if (vector) value = v.entries[i + j];
        else if (i == j && !zero) value = v.entries[multiple ? 0 : i];
        else if (i != j) continue;
        const std::pair at(rows[i], columns[j]);
        if (!m.places.emplace(at, place).second) {
          scope_.error(place, "this entry of " + std::string(m.letter) + " is given twice",
                       "first in line " + std::to_string(m.places.at(at).line));
          return false;
        }
        m.entries[at] = value;
      }
    return true;
  }

  /// Matrices are those of the model itself: its components have theirs.
  bool own(const std::optional<Target>& target, const Term& term) {
    if (!target) return false;
    if (!target->declaration->imported) return true;
    scope_.error(term.place, "'" + print(term) + "' belongs to a component, which has its own matrices",
                 "give the component a port and connect it");
    return false;
  }

  std::vector<int> numbers(const Target& target) {
    std::vector<int> list(static_cast<std::size_t>(shape_size(target.shape)));
    std::iota(list.begin(), list.end(), first_.at(target.declaration) + target.offset);
    return list;
  }

  static std::vector<int> all(int n) {
    std::vector<int> list(static_cast<std::size_t>(n));
    std::iota(list.begin(), list.end(), 0);
    return list;
  }

  Matrix read_matrix(Matrix m) {
    const std::string keyword = m.keyword;
    const Kind row_kind = keyword == "feedthrough" ? Kind::input : Kind::state;
    const Kind column_kind = keyword == "port" || keyword == "coupling" ? Kind::input : row_kind;
    const Statement* whole = nullptr;
    const auto take_whole = [&](const Statement& s, const Term& term) {
      if (whole || !m.entries.empty()) {
        scope_.error(
            s.place, "'" + keyword + "' is given twice",
            whole ? "first in line " + std::to_string(whole->place.line) : "write the whole matrix, or its entries");
        return;
      }
      whole = &s;
      m.whole = true;
      const Value v = scope_.evaluate(term);
      if (allowed(v, term, "the matrix " + std::string(m.letter)))
        fill(m, all(m.rows), all(m.columns), v, term, term.place);
    };
    e_.each(m.keyword, [&](const Statement& s) {
      if (s.left) take_whole(s, *s.left);
      for (const Item& item : s.items) {
        if (!item.value) continue;
        if (item.target.form == Term::Form::name) {
          take_whole(s, *item.value);
          continue;
        }
        if (item.target.form != Term::Form::call || item.target.parts.size() != 2) {
          scope_.error(item.target.place, "an entry of a matrix has a row and a column",
                       "write " + keyword + " " + std::string(1, m.letter[0]) + "(ROW, COLUMN) = ..., with names of " +
                           (row_kind == column_kind ? kind_name(row_kind) + std::string("s") : "a state and an input"));
          continue;
        }
        if (whole) {
          scope_.error(item.target.place, "'" + keyword + "' is given twice", "write the whole matrix, or its entries");
          continue;
        }
        scope_.loop(s.ranges, {&item.target.parts[0], &item.target.parts[1], &*item.value},
                    [&](const std::vector<long>&) {
                      const auto row = scope_.reference(item.target.parts[0], {row_kind}, m.keyword);
                      const auto column = scope_.reference(item.target.parts[1], {column_kind}, m.keyword);
                      const Value v = scope_.evaluate(*item.value);
                      if (!own(row, item.target.parts[0]) || !own(column, item.target.parts[1])) return false;
                      if (!allowed(v, *item.value, "the matrix " + std::string(m.letter))) return false;
                      return fill(m, numbers(*row), numbers(*column), v, *item.value, item.target.place);
                    });
      }
    });
    if (m.partner != 0 && !m.whole) {
      Entries given = m.entries;
      for (const auto& [at, value] : given) {
        const std::pair across(at.second, at.first);
        if (at.first == at.second || given.contains(across)) continue;
        m.entries[across] = m.partner > 0 ? value : -value;
      }
    }
    return m;
  }

  /// The rows of E x' = F in which something is differentiated; none where they depend on each other, so that
  /// combinations of them are algebraic.
  static std::vector<bool> moving_rows(const SparseExprs& E) {
    std::vector<bool> rows;
    for (int i = 0; i < E.rows; ++i) rows.push_back(E.row_start[i] < E.row_start[i + 1]);
    const std::set<int> columns(E.column.begin(), E.column.end());
    if (std::count(rows.begin(), rows.end(), true) != static_cast<long>(columns.size()))
      rows.assign(rows.size(), false);
    return rows;
  }

  /// Entries that are 0 with the parameters as they are do not count where that shapes the equations: a mass of 0 makes
  /// a state algebraic. In the rows (and columns, of J and R) that are `moving` it does not, and the parameters may
  /// change.
  SparseExprs finished(Matrix m, bool identity, const std::vector<bool>& moving = {}) {
    const auto may_change = [&](int i, int j) { return !moving.empty() && moving[i] && (m.partner == 0 || moving[j]); };
    if (identity && !m.whole)
      for (int i = 0; i < m.rows; ++i) m.entries.emplace(std::pair(i, i), graph_.constant(1));
    for (auto& [at, value] : m.entries) {
      std::string missing;
      if (is_zero(value) || (scope_.contents(value) & ~unsigned(holds_parameter))) continue;
      if (may_change(at.first, at.second)) continue;
      const std::optional<Quad> number = scope_.number(value, missing, Use::zero);
      if (number && *number == 0) value = graph_.constant(0);
    }
    return sparse(m.rows, m.columns, m.entries);
  }

  void split_feedthrough(PortSystem& s, const SparseExprs& D) {
    Entries S, N;
    const Quad half = Quad(1) / 2;
    const auto add = [&](Entries& to, int i, int j, Expr value) {
      Expr& entry = to.emplace(std::pair(i, j), graph_.constant(0)).first->second;
      entry = entry + value;
    };
    for (int i = 0; i < D.rows; ++i)
      for (int k = D.row_start[i]; k < D.row_start[i + 1]; ++k) {
        const int j = D.column[k];
        const Expr part = i == j ? D.value[k] : half * D.value[k];
        add(S, i, j, part);
        if (i == j) continue;
        add(S, j, i, part);
        add(N, i, j, -part);
        add(N, j, i, part);
      }
    s.S = sparse(D.rows, D.columns, S);
    s.N = sparse(D.rows, D.columns, N);
  }

  /// effort, drift: by states, or all at once. Entries nobody gave are empty.
  Exprs read_rows(const char* keyword, int n) {
    Exprs rows(static_cast<std::size_t>(n));
    const std::string what = keyword == std::string("effort") ? "the effort z" : "the drift r";
    const auto put = [&](const std::vector<int>& at, const Value& v, const Place& place) {
      for (std::size_t i = 0; i < at.size(); ++i) {
        if (rows[at[i]]) {
          scope_.error(place, "this entry of " + what + " is given twice");
          return false;
        }
        rows[at[i]] = v.entries[i];
      }
      return true;
    };
    const auto take_whole = [&](const Term& term) {
      Value v = scope_.evaluate(term);
      if (!allowed(v, term, what)) return;
      if (n == 1 && v.shape.empty()) v.shape = {1};
      v = scope_.fit(std::move(v), {n}, term.place, what);
      if (!v.bad) put(all(n), v, term.place);
    };
    e_.each(keyword, [&](const Statement& s) {
      if (s.left) take_whole(*s.left);
      for (const Item& item : s.items) {
        if (!item.value) continue;
        // A name that means nothing else stands for all of them: effort z = (...).
        const bool named = item.target.form == Term::Form::name && !scope_.find(item.target.text);
        if (named && (item.value->form == Term::Form::tuple || n == 1)) {
          take_whole(*item.value);
          continue;
        }
        scope_.loop(s.ranges, {&item.target, &*item.value}, [&](const std::vector<long>&) {
          const std::optional<Target> target = scope_.reference(item.target, {Kind::state}, keyword);
          Value v = scope_.evaluate(*item.value);
          if (!own(target, item.target) || !allowed(v, *item.value, what)) return false;
          v = scope_.fit(std::move(v), target->shape, item.value->place, what + " of '" + print(item.target) + "'");
          return !v.bad && put(numbers(*target), v, item.target.place);
        });
      }
    });
    return rows;
  }

  void read_inputs(PortSystem& s) {
    for (Declaration& d : scope_.declarations()) {
      if (d.kind != Kind::input || !d.ready || d.imported) continue;
      const std::size_t size = static_cast<std::size_t>(d.size());
      if (!d.definition) {
        s.u_value.insert(s.u_value.end(), d.symbols.begin(), d.symbols.end());
        continue;
      }
      const Value v =
          scope_.fit(scope_.evaluate(*d.definition), d.shape, d.definition->place, "the input '" + d.name + "'");
      if (v.bad) s.u_value.insert(s.u_value.end(), size, graph_.constant(0));
      else s.u_value.insert(s.u_value.end(), v.entries.begin(), v.entries.end());
      if (!v.bad && depends(v.entries, d.symbols))
        scope_.error(d.definition->place, "the input '" + d.name + "' is given by itself", "write it with an output");
    }
    std::vector<bool> used(s.u.size(), false);
    for (const SparseExprs* m : {&s.B, &s.P, &s.S, &s.N})
      for (const int j : m->column) used[j] = true;
    for (std::size_t j = 0; j < used.size(); ++j)
      if (!used[j] && e_.complete)
        scope_.error(
            flat_place(s.inputs, static_cast<int>(j)),
            "the input '" + flat_name(s.inputs, static_cast<int>(j)) + "' acts on nothing",
            "give its column of the port matrix: port B(STATE, " + flat_name(s.inputs, static_cast<int>(j)) + ") = 1");
  }

  // z from grad H = E^T z where the user gave none -------------------------------------------------------------------

  void complete_efforts(PortSystem& s) {
    const int n = s.size();
    const SparseExprs E_T = transposed(s.E);
    const Exprs H_x = gradient(s.H, s.x);
    // Rows and columns of E that hang together: node i is row i, node n + j column j.
    std::vector<int> group(static_cast<std::size_t>(2 * n));
    std::iota(group.begin(), group.end(), 0);
    const auto root = [&](int i) {
      while (group[i] != i) i = group[i] = group[group[i]];
      return i;
    };
    for (int i = 0; i < n; ++i)
      for (int k = s.E.row_start[i]; k < s.E.row_start[i + 1]; ++k) group[root(i)] = root(n + s.E.column[k]);
    std::map<int, std::pair<std::vector<int>, std::vector<int>>> parts;
    for (int i = 0; i < n; ++i) {
      if (s.E.row_start[i] < s.E.row_start[i + 1]) parts[root(i)].first.push_back(i);
      else if (!s.z[i]) algebraic_effort(s, i);
      if (E_T.row_start[i] < E_T.row_start[i + 1]) parts[root(n + i)].second.push_back(i);
    }
    for (const auto& [ignored, part] : parts) {
      const auto& [rows, columns] = part;
      const auto missing = std::find_if(rows.begin(), rows.end(), [&](int i) { return !s.z[i]; });
      if (missing == rows.end()) continue;
      const auto given = std::find_if(rows.begin(), rows.end(), [&](int i) { return static_cast<bool>(s.z[i]); });
      if (given != rows.end() || !solve_part(s, rows, columns, E_T, H_x))
        scope_.error(
            flat_place(s.states, *missing),
            "the effort z of '" + flat_name(s.states, *missing) + "' is not determined by grad H = E^T z alone",
            "write effort " + flat_name(s.states, *missing) + " = ...");
    }
    for (Expr& z : s.z)
      if (!z) z = graph_.constant(0);  // an error has been reported
  }

  void algebraic_effort(PortSystem& s, int i) {
    if (std::binary_search(s.algebraic.begin(), s.algebraic.end(), i)) {
      s.z[i] = s.x[i];
      return;
    }
    scope_.error(
        flat_place(s.states, i), "the effort z of '" + flat_name(s.states, i) + "' is missing",
        "its row of E is 0, so grad H = E^T z does not tell: write effort " + flat_name(s.states, i) + " = ...");
  }

  /// a/b where b is a factor of every term of a: m*v/m is v, also in rounding. Empty where it is not.
  Expr cancelled(Expr a, Expr b, int depth) {
    if (a == b) return graph_.constant(1);
    if (is_zero(a)) return a;
    if (depth == 0) return {};
    const Node n = graph_.node(a.id());
    const auto part = [&](std::uint32_t id) { return cancelled(Expr(&graph_, id), b, depth - 1); };
    if (n.op == Op::multiply) {
      if (const Expr left = part(n.a)) return left * Expr(&graph_, n.b);
      if (const Expr right = part(n.b)) return Expr(&graph_, n.a) * right;
    } else if (n.op == Op::divide) {
      if (const Expr left = part(n.a)) return left / Expr(&graph_, n.b);
    } else if (n.op == Op::negate) {
      if (const Expr inside = part(n.a)) return -inside;
    } else if (n.op == Op::add || n.op == Op::subtract) {
      const Expr left = part(n.a), right = left ? part(n.b) : Expr();
      if (right) return n.op == Op::add ? left + right : left - right;
    }
    return {};
  }

  /// Elimination by hand, with pivots that are not zero with the parameters as they are.
  bool solve_part(PortSystem& s, const std::vector<int>& rows, const std::vector<int>& columns, const SparseExprs& E_T,
                  const Exprs& H_x) {
    constexpr std::size_t most = 12;  // formulas grow with the cube
    const int n = static_cast<int>(rows.size());
    if (rows.size() != columns.size() || rows.size() > most) return false;
    std::vector<Exprs> a(rows.size(), Exprs(rows.size(), graph_.constant(0)));
    Exprs b;
    for (int i = 0; i < n; ++i) {
      const int c = columns[i];
      for (int k = E_T.row_start[c]; k < E_T.row_start[c + 1]; ++k) {
        const auto at = std::find(rows.begin(), rows.end(), E_T.column[k]);
        a[i][at - rows.begin()] = E_T.value[k];
      }
      b.push_back(H_x[c]);
    }
    const auto usable = [&](Expr e) {
      std::string missing;
      if (is_zero(e)) return 0;
      if (scope_.contents(e) & ~unsigned(holds_parameter)) return 1;  // better a constant
      const std::optional<Quad> number = scope_.number(e, missing, Use::zero);
      return number && *number != 0 ? 2 : 0;
    };
    for (int k = 0; k < n; ++k) {
      int pivot = k;
      for (int i = k + 1; i < n; ++i)
        if (usable(a[i][k]) > usable(a[pivot][k])) pivot = i;
      if (usable(a[pivot][k]) == 0) return false;
      std::swap(a[k], a[pivot]);
      std::swap(b[k], b[pivot]);
      for (int i = k + 1; i < n; ++i) {
        if (is_zero(a[i][k])) continue;
        const Expr factor = a[i][k] / a[k][k];
        for (int j = k + 1; j < n; ++j) a[i][j] = a[i][j] - factor * a[k][j];
        b[i] = b[i] - factor * b[k];
      }
    }
    for (int k = n; k-- > 0;) {
      for (int j = k + 1; j < n; ++j) b[k] = b[k] - a[k][j] * s.z[rows[j]];
      const Expr whole = cancelled(b[k], a[k][k], 40);
      s.z[rows[k]] = whole ? whole : b[k] / a[k][k];
    }
    return true;
  }

  Elaboration& e_;
  Scope& scope_;
  Graph& graph_;
  std::map<const Declaration*, int> first_;  // of states and inputs, in x and u
};

}  // namespace

void make_port(Elaboration& e) {
  if (e.model.form != Form::port_hamiltonian) return;
  Model& m = e.model;
  const std::shared_ptr<PortSystem> port = PortReader(e).read();
  m.port = port;
  if (e.scope.errors.empty()) join_ports(e, *port);
  m.hamiltonian = port->H;
  for (const int i : port->differential) {
    m.momenta.push_back({flat_name(port->states, i), {}, static_cast<int>(m.p.size()), 1, flat_place(port->states, i)});
    m.p.push_back(port->x[i]);
  }
  const auto unknown = [&](Expr symbol, const std::string& name, const Place& place) {
    e.scope.mark(symbol, holds_multiplier);
    Constraint c;
    c.name = c.multiplier_name = name;
    c.value = e.scope.graph().constant(0);
    c.multiplier = symbol;
    c.nonholonomic = true;
    c.place = place;
    m.constraints.push_back(std::move(c));
  };
  for (const int i : port->algebraic) unknown(port->x[i], flat_name(port->states, i), flat_place(port->states, i));
  for (const int i : port->loops) unknown(port->u[i], flat_name(port->inputs, i), flat_place(port->inputs, i));
}

}  // namespace alembert::internal
