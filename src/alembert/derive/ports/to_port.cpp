#include "alembert/derive/ports/to_port.h"

#include <algorithm>
#include <map>
#include <set>

#include "alembert/base/lists.h"
#include "alembert/derive/split.h"
#include "alembert/model/ports/port_entries.h"
#include "alembert/model/refuse.h"

namespace alembert::internal {

namespace {

/// "r[4][1]" -> "r_4_1", "arm.r[1]" -> "arm_r_1": names that the language takes.
std::string plain(const std::string& name) {
  std::string result;
  for (const char c : name) {
    if (c == '[' || c == '.' || c == ' ' || c == '-') result += '_';
    else if (c != ']' && c != '\'') result += c;
  }
  return result;
}

/// Builds a system state by state and entry by entry, with names of its own.
class Builder : public PortEntries {
 public:
  Builder(const Model& model, const Equations& e) : graph_(*e.graph) {
    for (const Block& parameter : model.parameters) taken_.insert(parameter.name);
    taken_.insert("t");
    s.t = e.t;
    put_inputs(model, e);
  }

  PortSystem s;
  int state(const std::string& wanted) {
    s.states.push_back({unique(wanted), {}, static_cast<int>(s.x.size()), 1, {}});
    s.x.push_back(graph_.symbol(s.states.back().name));
    s.z.push_back(graph_.constant(0));
    return static_cast<int>(s.x.size()) - 1;
  }
  /// A state for each symbol, which it stands for from now on; the number of the first.
  int states(const Exprs& symbols, const std::vector<std::string>& names, const std::string& prefix) {
    const int first = static_cast<int>(s.x.size());
    for (std::size_t i = 0; i < symbols.size(); ++i) put(symbols[i], s.x[state(prefix + plain(names[i]))]);
    return first;
  }
  int input(const std::string& wanted, Expr value) {
    const int number = static_cast<int>(s.u.size());
    s.inputs.push_back({unique(wanted), {}, number, 1, {}});
    s.u.push_back(graph_.symbol(s.inputs.back().name));
    s.u_value.push_back(value);
    return number;
  }
  void put(Expr from, Expr to) {
    from_.push_back(from);
    to_.push_back(to);
  }
  Exprs carry(const Exprs& list) const { return list.empty() ? list : substitute(list, from_, to_, graph_); }
  Expr carry(Expr f) const { return substitute(f, from_, to_, graph_); }

  static void add(Entries& to, int i, int j, Expr value) {
    if (is_zero(value)) return;
    const auto [place, fresh] = to.try_emplace({i, j}, value);
    if (!fresh) place->second = place->second + value;
  }
  /// Both halves of a skew matrix.
  void structure(int i, int j, Expr value) {
    add(J, i, j, value);
    add(J, j, i, -value);
  }
  void block(const SparseExprs& from, int row, int column, Entries& to) {
    const Exprs values = carry(from.value);
    for (int i = 0; i < from.rows; ++i)
      for (int k = from.row_start[i]; k < from.row_start[i + 1]; ++k)
        add(to, row + i, column + from.column[k], values[k]);
  }
  void structure(const SparseExprs& from, int row, int column) {
    const Exprs values = carry(from.value);
    for (int i = 0; i < from.rows; ++i)
      for (int k = from.row_start[i]; k < from.row_start[i + 1]; ++k)
        structure(row + i, column + from.column[k], values[k]);
  }
  /// What stands in a row besides the matrices: behind the input that is 1.
  void rest(int row, Expr value) {
    if (is_zero(value)) return;
    add(B, row, one(), value);
  }
  int one() {
    if (one_ < 0) one_ = input("one", graph_.constant(1));
    return one_;
  }

  PortSystem take() {
    const int m = static_cast<int>(s.u.size());
    give(s);
    s.r.assign(s.x.size(), graph_.constant(0));
    for (int i = 0; i < m; ++i) {
      s.outputs.push_back({unique("y_" + s.inputs[i].name), {}, i, 1, {}});
      s.y.push_back(graph_.symbol(s.outputs.back().name));
    }
    return std::move(s);
  }

 private:
  /// What comes from outside is what it is where nobody sets it: it may depend on time and parameters.
  void put_inputs(const Model& model, const Equations& e) {
    if (model.inputs.empty()) return;
    Exprs from{model.t}, to{s.t};
    for (const Expr p : model.parameter_symbols) {
      from.push_back(p);
      to.push_back(graph_.symbol(p.graph().name(p.id())));
    }
    std::map<std::string, Expr> values;
    for (std::size_t i = 0; i < model.input_symbols.size(); ++i)
      values[flat_name(model.inputs, static_cast<int>(i))] = substitute(model.input_values[i], from, to, graph_);
    Exprs all = joined<Expr>(e.forces, e.g, e.g_dot, e.k, e.p, e.v, e.energy);
    if (e.rayleigh) all.push_back(e.rayleigh);
    for (const Expr symbol : free_symbols(all))
      if (const auto value = values.find(graph_.name(symbol.id())); value != values.end()) put(symbol, value->second);
  }
  std::string unique(std::string name) {
    while (!taken_.insert(name).second) name += "_";
    return name;
  }

  Graph& graph_;
  std::set<std::string> taken_;
  Exprs from_, to_;
  int one_ = -1;
};

Exprs at_rest(const Equations& e, const Exprs& list) {
  return list.empty() ? list : substitute(list, e.z, Exprs(e.z.size(), e.graph->constant(0)), *e.graph);
}

/// f - A z, where A = f_z; without cancellation where A does not depend on z.
Exprs without_linear(const Equations& e, const Exprs& f, const SparseExprs& A) {
  if (!depends(A.value, e.z)) return at_rest(e, f);
  Exprs result = f;
  const Exprs linear = product(A, e.z, *e.graph);
  for (std::size_t i = 0; i < f.size(); ++i) result[i] = result[i] - linear[i];
  return result;
}

/// The partial derivative in time.
Exprs in_time(const Equations& e, const Exprs& list) {
  return directional(list, Exprs{e.t}, Exprs{e.graph->constant(1)});
}

bool none(const Exprs& list) {
  return std::all_of(list.begin(), list.end(), [](Expr x) { return is_zero(x); });
}

/// The system of a model that is not port-Hamiltonian yet; its states are y, z, time, lambda, psi, mu in this order.
class Conversion {
 public:
  Conversion(const Model& model, const Equations& e, const ToPortOptions& options)
      : model_(model),
        e_(e),
        graph_(*e.graph),
        hamiltonian_(e.form == Form::hamiltonian),
        Z_(hamiltonian_ ? SparseExprs{} : jacobian(e.v, e.z)),
        M_(jacobian(e.p, e.z)),
        D_(jacobian(e.p, e.y)),
        p_t_(in_time(e, e.p)),
        H_y_(gradient(e.energy, e.y)),
        H_t_(in_time(e, {e.energy})[0]),
        one_(graph_.constant(1)),
        b_(model, e) {
    declare_states(options);
  }

  PortSystem take() {
    flows_and_efforts();
    const SparseExprs G = jacobian(e_.g, e_.y);
    if (hamiltonian_) structure_of_hamiltonian(G);
    else structure_of_velocities();
    if (mu_ >= 0) structure_of_positions(G);
    forces(without_dissipation(e_.forces));
    return b_.take();
  }

 private:
  void declare_states(const ToPortOptions& options) {
    const bool timed = options.autonomous || !none(p_t_) || !is_zero(H_t_);
    y_ = b_.states(e_.y, e_.y_names, "");
    z_ = b_.states(e_.z, e_.z_names, hamiltonian_ ? "" : "v_");
    if (timed) {
      time_ = b_.state("time");
      b_.put(e_.t, b_.s.x[time_]);
    }
    lambda_ = b_.states(e_.lambda, e_.g_names, "lambda_");
    psi_ = b_.states(e_.psi, e_.k_names, "psi_");
    for (std::size_t i = 0; i < e_.g.size() && options.ggl; ++i) {
      const int number = b_.state("mu_" + plain(e_.g_names[i]));
      if (i == 0) mu_ = number;
    }
  }

  /// y' and d/dt p on the left, H_y and the velocities as efforts; multipliers are their own efforts.
  void flows_and_efforts() {
    for (int i = 0; i < n_y(); ++i) {
      b_.E[{y_ + i, y_ + i}] = one_;
      b_.s.z[y_ + i] = b_.carry(H_y_[i]);
    }
    b_.block(M_, z_, z_, b_.E);
    const Exprs& velocities = hamiltonian_ ? e_.v : e_.z;
    for (int i = 0; i < n_z(); ++i) b_.s.z[z_ + i] = b_.carry(velocities[i]);
    for (const int first : {lambda_, psi_, mu_})
      for (int i = first; i >= 0 && i < static_cast<int>(b_.s.x.size()); ++i) b_.s.z[i] = b_.s.x[i];
    if (time_ >= 0) {
      b_.E[{time_, time_}] = one_;
      for (int i = 0; i < n_z(); ++i) b_.add(b_.E, z_ + i, time_, b_.carry(p_t_[i]));
      b_.s.z[time_] = b_.carry(hamiltonian_ ? H_t_ : H_t_ - dot(e_.z, p_t_));
      b_.rest(time_, one_);
    }
    b_.s.H = b_.carry(e_.energy);
  }

  void structure_of_hamiltonian(const SparseExprs& G) {
    for (int i = 0; i < n_y(); ++i) b_.structure(y_ + i, z_ + i, one_);
    b_.structure(G, lambda_, z_);
    rests(lambda_, in_time(e_, e_.g));
    // N = -A^T psi, k = A H_p + rest.
    Exprs minus = e_.N;
    for (Expr& x : minus) x = -x;
    const SparseExprs A = transposed(jacobian(minus, e_.psi));
    b_.structure(A, psi_, z_);
    rests(psi_, without(e_.k, product(A, e_.v, graph_)));
  }

  void structure_of_velocities() {
    b_.structure(Z_, y_, z_);
    // K^T - K: each entry of K brings minus itself and, across, itself.
    const SparseExprs K = product(D_, Z_);
    const Exprs values = b_.carry(K.value);
    for (int i = 0; i < K.rows; ++i)
      for (int k = K.row_start[i]; k < K.row_start[i + 1]; ++k)
        if (K.column[k] != i) b_.structure(z_ + K.column[k], z_ + i, values[k]);
    for (const auto& [functions, first] : {std::pair(&e_.g_dot, lambda_), std::pair(&e_.k, psi_)}) {
      const SparseExprs A = jacobian(*functions, e_.z);
      b_.structure(A, first, z_);
      rests(first, without_linear(e_, *functions, A));
    }
  }

  /// Gear, Gupta and Leimkuhler: g = 0, with mu in y'.
  void structure_of_positions(const SparseExprs& G) {
    b_.structure(G, mu_, y_);
    rests(mu_, without(e_.g, product(G, H_y_, graph_)));
  }

  /// Dissipation: of a homogeneous function of degree d, R z = gradient with R = Hessian/(d - 1). All else is a force.
  Exprs without_dissipation(Exprs force) {
    if (e_.rayleigh) {
      const Exprs braking = gradient(e_.rayleigh, e_.z);
      const std::optional<double> degree = homogeneous_degree(e_.rayleigh, e_.z);
      if (degree && *degree > 1) {
        SparseExprs hessian = jacobian(braking, e_.z);
        for (Expr& x : hessian.value) x = *degree == 2 ? x : x / Quad(*degree - 1);
        b_.block(hessian, z_, z_, b_.R);
      } else {
        force = without(std::move(force), braking);
      }
    }
    if (!model_.multibody) return force;
    // The multibody form has M v' alone on its left side: (K - K^T/2) v of a mass matrix that changes is a force there.
    const SparseExprs K = product(D_, Z_);
    const Exprs forward = product(K, e_.z, graph_);
    const Exprs across = product(transposed(K), e_.z, graph_);
    for (int i = 0; i < n_z(); ++i) force[i] = force[i] + forward[i] - across[i] / Quad(2);
    return force;
  }

  /// Each force is an input with a port of its own.
  void forces(const Exprs& written) {
    const Exprs force = b_.carry(written);
    const std::vector<std::string>& rows = e_.form == Form::lagrangian ? e_.y_names : e_.z_names;
    for (int i = 0; i < n_z(); ++i)
      if (!is_zero(force[i])) b_.add(b_.B, z_ + i, b_.input("F_" + plain(rows[i]), force[i]), one_);
  }

  void rests(int first, const Exprs& values) {
    const Exprs carried = b_.carry(values);
    for (std::size_t i = 0; i < carried.size(); ++i) b_.rest(first + static_cast<int>(i), carried[i]);
  }
  static Exprs without(Exprs a, const Exprs& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] - b[i];
    return a;
  }
  int n_y() const { return static_cast<int>(e_.y.size()); }
  int n_z() const { return static_cast<int>(e_.z.size()); }

  const Model& model_;
  const Equations& e_;
  Graph& graph_;
  bool hamiltonian_;
  SparseExprs Z_, M_, D_;  // v_z, p_z, p_y
  Exprs p_t_, H_y_;
  Expr H_t_, one_;
  Builder b_;
  int y_ = 0, z_ = 0, lambda_ = 0, psi_ = 0;  // numbers of the first states of each kind
  int time_ = -1, mu_ = -1;                   // -1: not there
};

}  // namespace

PortSystem to_port(const Model& model, const Equations& e, ToPortOptions options) {
  if (model.port) {
    if (options.ggl) refuse(model, {}, "the model is a port-Hamiltonian system already", "leave `ggl` out");
    return options.autonomous ? autonomous(*model.port) : *model.port;
  }
  if (!e.energy)
    refuse(model, {}, "the general form has no energy, and so no port-Hamiltonian one",
           "write kinetic and potential energy (or the multibody form), or the port-Hamiltonian form itself");
  if (!model.contacts.empty())
    refuse(model, model.contacts.front().place,
           "the contact '" + model.contacts.front().name + "' is no part of a port-Hamiltonian system",
           "leave contacts, limits, ropes and friction in joints out, or run the model as it is");
  if (!model.first_order.empty() || !e.actions.empty())
    refuse(model, {},
           model.first_order.empty() ? "what events set is no part of a port-Hamiltonian system"
                                     : "first-order states beside the mechanics have no energy, and so no ports",
           "leave them out, or write the port-Hamiltonian form itself");
  if (!model.auxiliary.empty() && options.ggl)
    refuse(model, {}, "with auxiliary variables there is no system that holds both levels of the constraints",
           "leave `ggl` out: the variables are states with the rates that follow from their equations");
  return Conversion(model, e, options).take();
}

}  // namespace alembert::internal
