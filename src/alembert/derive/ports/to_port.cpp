#include "alembert/derive/ports/to_port.h"

#include <algorithm>
#include <set>

#include "alembert/derive/split.h"
#include "alembert/error.h"

namespace alembert::internal {

namespace {

[[noreturn]] void refuse(const Model& model, const std::string& message, const std::string& hint) {
  throw InputError(std::vector<Diagnostic>{{model.source, {}, message, hint}});
}

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
class Builder {
 public:
  Builder(const Model& model, const Equations& e) : graph_(*e.graph) {
    for (const Block& parameter : model.parameters) taken_.insert(parameter.name);
    taken_.insert("t");
    s.t = e.t;
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
  void put(Expr from, Expr to) { from_.push_back(from), to_.push_back(to); }
  Exprs carry(const Exprs& list) const { return list.empty() ? list : substitute(list, from_, to_, graph_); }
  Expr carry(Expr f) const { return substitute(f, from_, to_, graph_); }

  static void add(Entries& to, int i, int j, Expr value) {
    if (is_zero(value)) return;
    const auto [place, fresh] = to.try_emplace({i, j}, value);
    if (!fresh) place->second = place->second + value;
  }
  /// Both halves of a skew matrix.
  void structure(int i, int j, Expr value) { add(J, i, j, value), add(J, j, i, -value); }
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

  Entries E, J, R, B;

  PortSystem take() {
    const int n = s.size(), m = static_cast<int>(s.u.size());
    s.E = sparse(n, n, E), s.J = sparse(n, n, J), s.R = sparse(n, n, R), s.B = sparse(n, m, B);
    s.P = sparse(n, m, {}), s.S = s.N = sparse(m, m, {});
    s.r.assign(s.x.size(), graph_.constant(0));
    std::vector<bool> moves(s.x.size(), false);
    for (const int j : s.E.column) moves[j] = true;
    for (int i = 0; i < n; ++i) (moves[i] ? s.differential : s.algebraic).push_back(i);
    for (int i = 0; i < m; ++i) {
      s.outputs.push_back({unique("y_" + s.inputs[i].name), {}, i, 1, {}});
      s.y.push_back(graph_.symbol(s.outputs.back().name));
    }
    return std::move(s);
  }

 private:
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

}  // namespace

PortSystem to_port(const Model& model, const Equations& e, ToPortOptions options) {
  if (model.port) {
    if (options.ggl) refuse(model, "the model is a port-Hamiltonian system already", "leave --form ggl out");
    return options.autonomous ? autonomous(*model.port) : *model.port;
  }
  const bool hamiltonian = e.form == Form::hamiltonian;
  if (!e.energy)
    refuse(model, "the general form has no energy, and so no port-Hamiltonian one",
           "write kinetic and potential energy (or the multibody form), or the port-Hamiltonian form itself");
  if (!model.auxiliary.empty())
    refuse(model, "contact-point variables have no port-Hamiltonian form",
           "put what their equation says of them into the other expressions");
  Graph& own = *e.graph;
  const SparseExprs Z = hamiltonian ? SparseExprs{} : jacobian(e.v, e.z);
  const SparseExprs M = jacobian(e.p, e.z), D = jacobian(e.p, e.y);
  const Exprs p_t = in_time(e, e.p), H_y = gradient(e.energy, e.y);
  const Expr H_t = in_time(e, {e.energy})[0];
  const bool timed = options.autonomous || !none(p_t) || !is_zero(H_t);

  Builder b(model, e);
  const int y = b.states(e.y, e.y_names, ""), z = b.states(e.z, e.z_names, hamiltonian ? "" : "v_");
  const int time = timed ? b.state("time") : -1;
  if (timed) b.put(e.t, b.s.x[time]);
  const int lambda = b.states(e.lambda, e.g_names, "lambda_"), psi = b.states(e.psi, e.k_names, "psi_");
  int mu = -1;
  for (std::size_t i = 0; i < e.g.size() && options.ggl; ++i) {
    const int number = b.state("mu_" + plain(e.g_names[i]));
    if (i == 0) mu = number;
  }
  const int n_y = static_cast<int>(e.y.size()), n_z = static_cast<int>(e.z.size());
  const Expr unit = own.constant(1);

  // Flow and efforts.
  for (int i = 0; i < n_y; ++i) b.E[{y + i, y + i}] = unit, b.s.z[y + i] = b.carry(H_y[i]);
  b.block(M, z, z, b.E);
  const Exprs velocities = hamiltonian ? e.v : e.z;
  for (int i = 0; i < n_z; ++i) b.s.z[z + i] = b.carry(velocities[i]);
  for (const int first : {lambda, psi, mu})
    for (int i = first; i >= 0 && i < static_cast<int>(b.s.x.size()); ++i) b.s.z[i] = b.s.x[i];
  if (timed) {
    b.E[{time, time}] = unit;
    for (int i = 0; i < n_z; ++i) b.add(b.E, z + i, time, b.carry(p_t[i]));
    b.s.z[time] = b.carry(hamiltonian ? H_t : H_t - dot(e.z, p_t));
    b.rest(time, unit);
  }
  b.s.H = b.carry(e.energy);

  // Structure.
  const SparseExprs G = jacobian(e.g, e.y);
  if (hamiltonian) {
    for (int i = 0; i < n_y; ++i) b.structure(y + i, z + i, unit);
    b.structure(G, lambda, z);
    Exprs g_t = in_time(e, e.g);
    for (std::size_t i = 0; i < g_t.size(); ++i) b.rest(lambda + static_cast<int>(i), b.carry(g_t[i]));
    // N = -A^T psi, k = A H_p + rest.
    Exprs minus = e.N;
    for (Expr& x : minus) x = -x;
    const SparseExprs A = transposed(jacobian(minus, e.psi));
    b.structure(A, psi, z);
    const Exprs linear = product(A, e.v, own);
    for (std::size_t i = 0; i < e.k.size(); ++i) b.rest(psi + static_cast<int>(i), b.carry(e.k[i] - linear[i]));
  } else {
    b.structure(Z, y, z);
    // K^T - K: each entry of K brings minus itself and, across, itself.
    const SparseExprs K = product(D, Z);
    const Exprs values = b.carry(K.value);
    for (int i = 0; i < K.rows; ++i)
      for (int k = K.row_start[i]; k < K.row_start[i + 1]; ++k)
        if (K.column[k] != i) b.structure(z + K.column[k], z + i, values[k]);
    for (const auto& [functions, first] : {std::pair(&e.g_dot, lambda), std::pair(&e.k, psi)}) {
      const SparseExprs A = jacobian(*functions, e.z);
      b.structure(A, first, z);
      const Exprs rest = b.carry(without_linear(e, *functions, A));
      for (std::size_t i = 0; i < rest.size(); ++i) b.rest(first + static_cast<int>(i), rest[i]);
    }
  }
  if (mu >= 0) {
    b.structure(G, mu, y);
    const Exprs linear = product(G, H_y, own);
    for (std::size_t i = 0; i < e.g.size(); ++i) b.rest(mu + static_cast<int>(i), b.carry(e.g[i] - linear[i]));
  }

  // Dissipation: of a homogeneous function of degree d, R z = gradient with R = Hessian/(d - 1). All else is a port.
  Exprs force = e.forces;
  if (e.rayleigh) {
    const Exprs braking = gradient(e.rayleigh, e.z);
    const std::optional<double> degree = homogeneous_degree(e.rayleigh, e.z);
    if (degree && *degree > 1) {
      SparseExprs hessian = jacobian(braking, e.z);
      for (Expr& x : hessian.value) x = *degree == 2 ? x : x / Quad(*degree - 1);
      b.block(hessian, z, z, b.R);
    } else {
      for (int i = 0; i < n_z; ++i) force[i] = force[i] - braking[i];
    }
  }
  // The multibody form has M v' alone on its left side: (K - K^T/2) v of a mass matrix that changes is a force there.
  if (model.multibody) {
    const SparseExprs K = product(D, Z);
    const Exprs forward = product(K, e.z, own), across = product(transposed(K), e.z, own);
    for (int i = 0; i < n_z; ++i) force[i] = force[i] + forward[i] - across[i] / Quad(2);
  }
  force = b.carry(force);
  const std::vector<std::string>& rows = e.form == Form::lagrangian ? e.y_names : e.z_names;
  for (int i = 0; i < n_z; ++i)
    if (!is_zero(force[i])) b.add(b.B, z + i, b.input("F_" + plain(rows[i]), force[i]), unit);
  return b.take();
}

}  // namespace alembert::internal
