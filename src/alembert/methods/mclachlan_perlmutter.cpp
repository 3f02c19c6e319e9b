// McLachlan and Perlmutter's 2-stage Lobatto IIIB-A method, Jay 2009 (7.3), only for L = v^T M v / 2 - U(q), M
// constant:
//     Q_1 = q0 + h/2 v0                                              (7.3a)
//     M v1 = M v0 + h (f(Q_1) + N(Q_1, Psi_1))                       (7.3b)
//     q1 = q0 + h/2 (v0 + v1)                                        (7.3c)
//     0 = k(q1, v1)                                                  (7.3d)
// Order 2.

#include "alembert/methods/shared/spark.h"

namespace alembert::internal::methods {

namespace {

StepPlan mclachlan_perlmutter_step(const Equations& e) {
  Frame frame(e);
  StepEquations& step = frame.step;
  const Expr h = step.h, half = h / Quad(2);
  const Exprs dv = frame.unknown("dv", frame.z_dot0, h), Psi = frame.unknown("Psi", frame.psi0);
  Exprs Q, q1, v1, middle;
  for (std::size_t i = 0; i < e.y.size(); ++i) {
    Q.push_back(frame.y0[i] + half * frame.z0[i]);
    q1.push_back(frame.y0[i] + h * (frame.z0[i] + dv[i] / Quad(2)));
    v1.push_back(frame.z0[i] + dv[i]);
    middle.push_back(frame.z0[i] + dv[i] / Quad(2));
  }
  const Point at_Q{step.t0 + half, Q, middle};
  const Exprs f = at(e, e.f, at_Q), N = at(e, e.N, at_Q, {}, Psi);
  Exprs momentum = at(e, e.p, {step.t0, Q, dv});
  for (std::size_t i = 0; i < momentum.size(); ++i) momentum[i] = momentum[i] - h * (f[i] + N[i]);
  frame.equation(momentum, "momentum of ", e.z_names, "");
  frame.at_end(e, e.k, {step.t0 + h, q1, v1}, "constraint ", e.k_names);
  const int n = static_cast<int>(e.z.size());
  step.groups = {{0, n, frame.size_z()}, {n, static_cast<int>(Psi.size()), Expr()}};
  frame.keep(Psi, "Psi1.", e.k_names);
  return frame.plan(q1, v1);
}

}  // namespace

MethodFamily mclachlan_perlmutter() {
  MethodFamily family{.name = "mclachlan_perlmutter",
                      .signature = "mclachlan_perlmutter",
                      .summary = "2-stage Lobatto IIIB-IIIA, nonholonomic only",
                      .source = "McLachlan and Perlmutter 2006; Jay 2009 (7.3)",
                      .orders = "2"};
  family.make = [](const std::vector<Term>& arguments) {
    no_arguments("mclachlan_perlmutter", arguments);
    Method method;
    method.name = "mclachlan_perlmutter";
    method.claims.set_orders(2);
    method.claims.symplectic = true;  // without k it is the method of Verlet
    method.claims.symmetric = true;
    method.claims.position = method.claims.velocity = false;  // refused
    method.capabilities.holonomic = false;
    method.capabilities.varying_mass = false;
    method.step = mclachlan_perlmutter_step;
    return method;
  };
  return family;
}

}  // namespace alembert::internal::methods
