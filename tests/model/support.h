#pragma once

// Models from text, and expressions as numbers, for the tests of model/ and derive/.

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "alembert/derive/equations.h"
#include "alembert/expr/operators.h"
#include "alembert/model/model.h"

namespace alembert::internal::test {

inline Model model_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return read_model(std::make_shared<const Source>(Source{"test.alm", text}), overrides);
}

/// What is wrong with a text; empty when nothing is.
inline std::vector<Diagnostic> errors_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    model_of(text, overrides);
  } catch (const InputError& e) { return e.diagnostics(); }
  return {};
}

/// Numbers for symbols; expressions are evaluated straight from the operator table, in extended precision.
class Numbers {
 public:
  void set(Expr symbol, double value) { values_[symbol.id()] = value; }
  void set(const Exprs& symbols, const std::vector<double>& values) {
    if (symbols.size() != values.size()) throw std::logic_error("sizes differ");
    for (std::size_t i = 0; i < values.size(); ++i) set(symbols[i], values[i]);
  }
  double operator()(Expr e) const { return (*this)(Exprs{e})[0]; }
  std::vector<double> operator()(const Exprs& list) const {
    if (list.empty()) return {};
    const Graph& graph = list[0].graph();
    std::map<std::uint32_t, Quad> value;
    for (std::uint32_t id : reachable(list)) {
      const Node n = graph.node(id);
      if (n.op == Op::constant || n.op == Op::parameter) value[id] = graph.value(id);
      else if (n.op == Op::symbol) value[id] = values_.at(id);
      else value[id] = evaluate<Quad>(n.op, value.at(n.a), operator_of(n.op).operands == 2 ? value.at(n.b) : Quad(0));
    }
    std::vector<double> result;
    for (Expr e : list) result.push_back(static_cast<double>(value.at(e.id())));
    return result;
  }

 private:
  std::map<std::uint32_t, Quad> values_;
};

/// Solves the reduced system, which must be linear in its unknowns, at the values that are set: z', then lambda, then
/// psi.
inline std::vector<double> solve_reduced(const Equations& e, Numbers numbers) {
  Exprs unknowns = e.z_dot;
  unknowns.insert(unknowns.end(), e.lambda.begin(), e.lambda.end());
  unknowns.insert(unknowns.end(), e.psi.begin(), e.psi.end());
  const std::size_t n = unknowns.size();
  if (n != e.reduced.size()) throw std::logic_error("the reduced system is not square");
  for (Expr x : unknowns) numbers.set(x, 0);
  const std::vector<double> constant = numbers(e.reduced);
  std::vector<std::vector<double>> A(n, std::vector<double>(n + 1));
  for (std::size_t j = 0; j < n; ++j) {
    numbers.set(unknowns[j], 1);
    const std::vector<double> column = numbers(e.reduced);
    numbers.set(unknowns[j], 0);
    for (std::size_t i = 0; i < n; ++i) A[i][j] = column[i] - constant[i];
  }
  for (std::size_t i = 0; i < n; ++i) A[i][n] = -constant[i];
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(A[i][k]) > std::abs(A[pivot][k])) pivot = i;
    std::swap(A[k], A[pivot]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = A[i][k] / A[k][k];
      for (std::size_t j = k; j <= n; ++j) A[i][j] -= factor * A[k][j];
    }
  }
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = A[i][n] / A[i][i];
  return x;
}

inline std::vector<double> doubles(const std::vector<Quad>& list) { return {list.begin(), list.end()}; }

// The models of the contract, word for word.
inline const char* const double_pendulum = R"(model "Double pendulum"
source "Symank 2025, section 7.3.1"
parameter m1 = 3, m2 = 1, l1 = 1, l2 = 1, gravity = 9.81
coordinate x1, y1, x2, y2
kinetic   m1/2*(x1'^2 + y1'^2) + m2/2*(x2'^2 + y2'^2)
potential m1*gravity*y1 + m2*gravity*y2
constraint rod1: x1^2 + y1^2 = l1^2
constraint rod2: (x2 - x1)^2 + (y2 - y1)^2 = l2^2
initial x1 = l1, x2 = l1 + l2                 # what is not given is 0
solve lobatto(3) step 0.01 end 240
)";

inline const char* const nonholonomic_particle = R"(model "Nonholonomic particle"
coordinate q[3]                               # a vector; also q1, q2, q3 as scalars if you like
kinetic norm2(q')/2
potential q[1]^2 + q[2]^2
constraint q[3]' = q[2]*q[1]'                 # contains velocities, so it is nonholonomic
initial q = (1, 0, 0), q' = (0, 1, 0)
solve gauss(3) step 0.2 end 250
)";

inline const char* const four_particles = R"(model "Four particles on two bars"            # Hamiltonian form
parameter m[4] = (1, 3, 2.3, 1.7), K1 = 100, K2 = 1000
coordinate q1[3], q2[3], q3[3], q4[3]
momentum p1[3] of q1, p2[3] of q2, p3[3] of q3, p4[3] of q4
let V1 = K1/4*(norm2(q1 - q3) - 1)^2
let V2 = K2/4*(norm2(q2 - q4) - 1)^2
hamiltonian norm2(p1)/(2*m[1]) + norm2(p2)/(2*m[2]) + norm2(p3)/(2*m[3]) + norm2(p4)/(2*m[4]) + V1 + V2
constraint norm(q1 - q2) = 1
constraint norm(q3 - q4) = 1
initial q2 = (1, 0, 0), q3 = (0, 1, 0), q4 = (1, 1, 0), p4 = (0, 0, 2)
conserve linear: p1 + p2 + p3 + p4            # watched beside energy and constraints
solve energy_momentum step 0.01 end 10
)";

inline const char* const steel_on_teflon = R"(model "Steel on teflon"                       # general form
parameter m = 1, b = 0.01, gravity = 9.81, cf = 0.1, rf = 0.85
variable y[2] = (10, 10), z[2] = (-3.6, -10.8)
multiplier psi = 1.7586
let normal = (-3*b*y[1]^2, 1)*psi
let friction = -cf*((1 + 9*b^2*y[1]^4)*psi^2)^(rf/2) * z/norm(z)
rate y' = z
rate z' = (0, -gravity) + reaction((normal + friction)/m)     # reaction(...) marks r; the rest is f
constraint y[2] = b*y[1]^3
solve true_euler(1/2) step 0.001 end 1
)";

inline const char* const chain = R"(parameter N = 5, m = 1.5, l = 0.5, gravity = 9.81
family i = 1..N
coordinate r[i][3]
kinetic sum(i, m/2*norm2(r[i]'))
potential sum(i, m*gravity*r[i][3])
constraint top: norm2(r[1]) = l^2
constraint rod: norm2(r[i] - r[i-1]) = l^2   for i = 2..N
initial r[i] = (i*l, 0, 0)
)";

}  // namespace alembert::internal::test
