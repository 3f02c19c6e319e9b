// The structure of a port-Hamiltonian system: what the simplification at birth does not already show is evaluated in
// extended precision at the initial values and at points near them.

#include <quadmath.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "alembert/base/decompositions.h"
#include "alembert/base/finite.h"
#include "alembert/expr/operators.h"
#include "alembert/model/elaborate.h"
#include "alembert/model/ports/port.h"

namespace alembert::internal {

namespace {

constexpr int points = 4;  // the initial values and three near them

Quad scattered(int number) {
  const Quad x = (sqrtq(Quad(5)) - 1) / 2 * number;
  return x - floorq(x) - Quad(1) / 2;
}

/// Values of expressions at one point, by number of the node.
class Values {
 public:
  Values(const PortSystem& s, const Exprs& functions, const std::vector<std::pair<Expr, Quad>>& known, int trial)
      : graph_(s.H.graph()) {
    for (const auto& [symbol, value] : known) value_[symbol.id()] = value;
    int number = 1 + 1000 * trial;
    const auto near = [&](Expr symbol) {
      Quad& value = value_[symbol.id()];
      if (trial > 0) value += scattered(number++) * (fabsq(value) + Quad(1) / 10);
    };
    near(s.t);
    for (const Expr x : s.x) near(x);
    for (const std::uint32_t id : reachable(functions)) {
      const Node& n = graph_.node(id);
      if (n.op == Op::constant) value_[id] = graph_.value(id);
      else if (n.op != Op::symbol)
        value_[id] = evaluate<Quad>(n.op, value_.at(n.a), operator_of(n.op).operands == 2 ? value_.at(n.b) : Quad(0));
    }
  }
  Quad operator()(Expr e) const { return value_.at(e.id()); }

 private:
  const Graph& graph_;
  std::unordered_map<std::uint32_t, Quad> value_;
};

/// Two expressions that must be the same function, and what is said where they are not.
struct Equality {
  Expr a, b;
  Place place;
  std::string message;
  std::string left, right;  // names of the two sides
};

bool differ(Quad a, Quad b) {
  return finiteq(a) && finiteq(b) && fabsq(a - b) > Quad(1e-20) * (1 + fabsq(a) + fabsq(b));
}

std::string text(Quad value) { return to_text(static_cast<double>(value)); }
/// Of an eigenvalue: as many digits as anybody reads.
std::string brief(double value) {
  std::array<char, 32> digits;
  std::snprintf(digits.data(), digits.size(), "%.6g", value);
  return digits.data();
}

Place statement_place(const Elaboration& e, const char* keyword) {
  Place place = e.head();
  if (!e.has(keyword) && e.has("connect")) return statement_place(e, "connect");
  bool found = false;
  e.each(keyword, [&](const Statement& s) {
    if (!found) place = s.place;
    found = true;
  });
  return place;
}

class StructureCheck {
 public:
  StructureCheck(Elaboration& e, const PortSystem& s) : e_(e), s_(s), graph_(e.scope.graph()) {
    for (const Declaration& d : e.scope.declarations())
      for (std::size_t i = 0; i < d.symbols.size() && d.kind == Kind::state; ++i)
        known_.emplace_back(d.symbols[i], d.start[i].value);
    known_.emplace_back(s.t, Quad(0));
    for (std::size_t i = 0; i < e.model.parameter_symbols.size(); ++i)
      known_.emplace_back(e.model.parameter_symbols[i], e.model.parameter_values[i]);
  }

  void run() {
    symmetry(s_.J, "J", "structure", -1);
    symmetry(s_.R, "R", "dissipation", 1);
    efforts();
    Exprs all;
    for (const Equality& one : equalities_) all.insert(all.end(), {one.a, one.b});
    for (const SparseExprs* m : {&s_.R, &s_.P, &s_.S}) all.insert(all.end(), m->value.begin(), m->value.end());
    for (int trial = 0; trial < points; ++trial) {
      const Values at(s_, all, known_, trial);
      const std::size_t before = e_.scope.errors.size();
      for (const Equality& one : equalities_) {
        const Quad a = at(one.a), b = at(one.b);
        if (differ(a, b))
          e_.scope.error(one.place, one.message,
                         one.left + " is " + text(a) + ", " + one.right + " is " + text(b) +
                             (trial == 0 ? " at the start" : " at a point near the start"));
      }
      if (e_.scope.errors.size() == before) definiteness(at, trial);
      if (e_.scope.errors.size() > before) return;
    }
  }

 private:
  std::string state(int i) const { return flat_name(s_.states, i); }
  std::string entry(const char* letter, int i, int j) const {
    return std::string(letter) + "(" + state(i) + ", " + state(j) + ")";
  }

  void symmetry(const SparseExprs& m, const char* letter, const char* keyword, int sign) {
    const SparseExprs across = transposed(m);
    const Place place = statement_place(e_, keyword);
    const auto find = [](const SparseExprs& a, int i, int j) {
      for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
        if (a.column[k] == j) return a.value[k];
      return Expr();
    };
    for (int i = 0; i < m.rows; ++i)
      for (int k = m.row_start[i]; k < m.row_start[i + 1]; ++k) {
        const int j = m.column[k];
        const Expr other = find(across, i, j);
        if (j < i && other) continue;
        const Expr partner = other ? sign < 0 ? -other : other : graph_.constant(0);
        if (m.value[k] == partner) continue;
        const std::string what =
            sign < 0 ? "the structure matrix J is not skew: " : "the dissipation R is not symmetric: ";
        equalities_.push_back({m.value[k], partner, place, what + entry(letter, i, j) + " and " + entry(letter, j, i),
                               entry(letter, i, j), (sign < 0 ? "-" : "") + entry(letter, j, i)});
      }
  }

  void efforts() {
    const Exprs H_x = gradient(s_.H, s_.x), E_z = product(transposed(s_.E), s_.z, graph_);
    const bool given = e_.has("effort");
    for (int j = 0; j < s_.size(); ++j) {
      if (H_x[j] == E_z[j]) continue;
      const bool algebraic = std::binary_search(s_.algebraic.begin(), s_.algebraic.end(), j);
      const Place place = algebraic ? flat_place(s_.states, j) : statement_place(e_, given ? "effort" : "hamiltonian");
      equalities_.push_back(
          {H_x[j], E_z[j], place,
           algebraic
               ? "the Hamiltonian depends on '" + state(j) + "', whose column of E is 0"
               : "the effort z does not match the Hamiltonian: grad H = E^T z fails in the row of '" + state(j) + "'",
           "dH/d" + state(j), "(E^T z) there"});
    }
    const Expr H_t = gradient(s_.H, Exprs{s_.t})[0];
    Exprs terms;
    for (int i = 0; i < s_.size(); ++i) terms.push_back(s_.z[i] * s_.r[i]);
    const Expr z_r = sum(graph_, terms);
    if (!(H_t == z_r))
      equalities_.push_back({H_t, z_r, statement_place(e_, e_.has("drift") ? "drift" : "hamiltonian"),
                             "the drift r does not match the Hamiltonian: dH/dt = z^T r fails", "dH/dt", "z^T r"});
  }

  /// W = [R P; P^T S], block by block of those that hang together.
  void definiteness(const Values& at, int trial) {
    const int n = s_.size(), m = static_cast<int>(s_.u.size());
    std::vector<std::vector<std::pair<int, double>>> rows(static_cast<std::size_t>(n + m));
    const auto put = [&](const SparseExprs& a, int first, int second, bool across) {
      for (int i = 0; i < a.rows; ++i)
        for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k) {
          const double value = static_cast<double>(at(a.value[k]));
          rows[first + i].emplace_back(second + a.column[k], value);
          if (across) rows[second + a.column[k]].emplace_back(first + i, value);
        }
    };
    put(s_.R, 0, 0, false);
    put(s_.P, 0, n, true);
    put(s_.S, n, n, false);
    std::vector<char> seen(rows.size(), 0);
    for (int start = 0; start < n + m; ++start) {
      if (seen[start] || rows[start].empty()) continue;
      std::vector<int> part = {start};
      seen[start] = 1;
      for (std::size_t k = 0; k < part.size(); ++k)
        for (const auto& [j, ignored] : rows[part[k]])
          if (!std::exchange(seen[j], 1)) part.push_back(j);
      std::sort(part.begin(), part.end());
      const int size = static_cast<int>(part.size());
      std::vector<double> W(static_cast<std::size_t>(size) * size, 0.0);
      for (int i = 0; i < size; ++i)
        for (const auto& [j, value] : rows[part[i]])
          W[(std::lower_bound(part.begin(), part.end(), j) - part.begin()) * size + i] = value;
      if (!all_finite(W)) continue;
      const SymmetricEigen eigen = symmetric_eigen({W.data(), size, size});
      double largest = 0;
      for (const double entry : W) largest = std::max(largest, std::abs(entry));
      if (eigen.values[0] >= -1e-12 * largest) continue;
      std::vector<double> diagonal;
      for (int i = 0; i < size; ++i) diagonal.push_back(W[static_cast<std::size_t>(i) * (size + 1)]);
      report(part, diagonal, eigen, trial);
      return;
    }
  }

  void report(const std::vector<int>& part, const std::vector<double>& diagonal, const SymmetricEigen& eigen,
              int trial) {
    const int n = s_.size();
    const auto name = [&](int i) { return i < n ? state(i) : flat_name(s_.inputs, i - n); };
    const bool R = part.back() < n, S = part.front() >= n;
    const char* block = R ? "the dissipation R" : S ? "the feedthrough S" : "the dissipation W = [R P; P^T S]";
    const char* keyword = R ? "dissipation" : S ? "feedthrough" : "coupling";
    std::string message = std::string(block) + " is not positive semidefinite: ";
    int worst = -1;
    for (int i = 0; i < static_cast<int>(part.size()); ++i)
      if (diagonal[i] < 0 && (worst < 0 || diagonal[i] < diagonal[worst])) worst = i;
    if (worst >= 0) message += "its entry for " + name(part[worst]) + " is " + to_text(diagonal[worst]);
    else message += "its eigenvalue " + brief(eigen.values[0]) + " is negative";
    std::string hint = "eigenvector";
    for (int i = 0; i < static_cast<int>(part.size()); ++i)
      if (std::abs(eigen.vectors[i]) > 1e-3)
        hint += " " + name(part[i]) + ": " + brief(std::round(1000 * eigen.vectors[i]) / 1000);
    hint += worst >= 0 ? " of the eigenvalue " + brief(eigen.values[0]) : "";
    hint += trial == 0 ? " at the start" : " at a point near the start";
    e_.scope.error(statement_place(e_, keyword), message, hint);
  }

  Elaboration& e_;
  const PortSystem& s_;
  Graph& graph_;
  std::vector<std::pair<Expr, Quad>> known_;
  std::vector<Equality> equalities_;
};

}  // namespace

void check_port(Elaboration& e) {
  if (e.model.port) StructureCheck(e, *e.model.port).run();
}

}  // namespace alembert::internal
