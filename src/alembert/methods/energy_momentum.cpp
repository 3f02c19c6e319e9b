// The integral-preserving scheme of Gonzalez 1999, (21), for any energy, with discrete derivatives D over the step:
//     y1 - y0 = h D_2 H                                                  (21a)
//     p1 - p0 = -h D_1 H - h Dg^T lambda - h A^T psi + h F               (21b)
//     0 = g(t1, y1)                                                      (21c)
//     0 = k(t_m, y_m, (y1 - y0)/h)                                       nonholonomic, at the mean point
// It keeps the energy exactly (for the model's own forces; with others the balance of power), and every momentum that
// belongs to translations or rotations under which all the terms that the energy is made of are unchanged. Order 2.
//
// Velocities across the constraints change their sign at every step and stay of size h^2: g' = 0 (and k = 0) hold in
// the mean only. The projected variant stands on both levels at every grid point:
//     p0 + n(y0, mu) -> the step above -> p1 + n(y1, mu) ,   g'(t1, y1, p1) = 0 , k(t1, y1, p1) = 0
// with n(y, mu) normal to the constraints and of kinetic energy |mu|^2/2, so that what is put in at the start is taken
// out at the end: energy and momenta are kept as before, and the step stays symmetric. It is near the identity, which
// the plain step is not; compositions of it have the orders 4, 6, ...

#include <algorithm>

#include "alembert/error.h"
#include "alembert/methods/shared/composition.h"
#include "alembert/methods/shared/discrete_motion.h"
#include "alembert/methods/shared/frame.h"
#include "alembert/methods/shared/momenta.h"

namespace alembert::internal::methods {

namespace {

struct Variant {
  int order = 2;
  bool projected = false;
  EnergyGradient gradient = EnergyGradient::full;
};

Exprs plus(const Exprs& a, const Exprs& b) {
  Exprs result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] + b[i]);
  return result;
}

Exprs scaled(Expr factor, Exprs list) {
  for (Expr& x : list) x = factor * x;
  return list;
}

StepPlan step(const Equations& e, const Variant& variant) {
  Frame frame(e);
  Graph& graph = frame.graph;
  StepEquations& step = frame.step;
  const Expr t0 = step.t0, h = step.h, t1 = t0 + h;
  const Exprs &y0 = frame.y0, &z0 = frame.z0;
  const int n = static_cast<int>(e.y.size()), m = static_cast<int>(e.g.size() + e.k.size());
  const bool projected = variant.projected && m > 0;
  const auto zeros = [&](int count) { return Exprs(count, graph.constant(0)); };

  const Exprs dz = frame.unknown("dz", frame.z_dot0, h);
  // Positions that are rounded at |y| eps show in velocities as |y| eps/h.
  const Expr rounding = Quad(1e-4) * frame.size_y() / abs(h);
  step.groups.push_back({0, n, graph.make(Op::max, frame.size_z(), rounding)});
  const Exprs lambda = frame.unknown("lambda", frame.lambda0), psi = frame.unknown("psi", frame.psi0);
  const Exprs mu = frame.unknown("mu", zeros(projected ? m : 0)), w = frame.unknown("w", zeros(needs_w(e) ? n : 0));
  step.groups.push_back({n, static_cast<int>(step.unknowns.size()) - n, Expr()});

  const Normal normal0 = projected ? normal_velocity(e, {t0, y0, z0}, mu) : Normal{zeros(n), zeros(n)};
  const Exprs za = plus(z0, normal0.z), zb = plus(za, dz);
  // y1 = y0 + h u where u is known without y1; else an equation.
  const Exprs somewhere = graph.symbols("y1", n);
  Exprs y1 =
      plus(y0, scaled(h, discrete_motion(e, variant.gradient, {t0, t1, y0, somewhere, za, zb}, w, lambda, psi).u));
  const bool implicit = depends(y1, somewhere);
  Exprs dy;
  if (implicit) {
    const int first = static_cast<int>(step.unknowns.size());
    dy = frame.unknown("dy", at(e, e.v, {t0, y0, z0}), h);
    step.groups.push_back({first, n, frame.size_y()});
    y1 = plus(y0, dy);
  }
  const DiscreteMotion motion = discrete_motion(e, variant.gradient, {t0, t1, y0, y1, za, zb}, w, lambda, psi);

  Exprs change = dz;
  if (e.form == Form::lagrangian) {
    change = at(e, e.p, {t1, y1, e.constant_mass ? dz : zb});
    const Exprs before = at(e, e.p, {t0, y0, za});
    for (int i = 0; i < n && !e.constant_mass; ++i) change[i] = change[i] - before[i];
  }
  const Exprs impulse = scaled(h, motion.P);
  for (int i = 0; i < n; ++i) change[i] = change[i] - impulse[i];
  frame.equation(change, "momentum of ", e.z_names, "");
  if (implicit) {
    Exprs velocity;
    for (int i = 0; i < n; ++i) velocity.push_back(dy[i] - h * motion.u[i]);
    frame.equation(velocity, "velocity of ", e.y_names, "");
  }
  frame.equation(motion.w_equations, "velocity of ", e.y_names, "");

  // p1 from the momentum equation itself: what Newton leaves over does not add up.
  Exprs dz_whole = e.form == Form::lagrangian ? dz : impulse;
  const Normal normal1 = projected ? normal_velocity(e, {t1, y1, zb}, mu) : Normal{zeros(n), zeros(n)};
  for (int i = 0; i < n; ++i) dz_whole[i] = dz_whole[i] + (normal0.z[i] - normal1.z[i]);
  const Exprs z1 = plus(z0, dz_whole);
  frame.at_end(e, e.g, {t1, y1, z1}, "constraint ", e.g_names);
  frame.equation(motion.k, "constraint ", e.k_names, " in the middle of the step");
  if (projected) {
    frame.at_end(e, e.g_dot, {t1, y1, z1}, "velocity of constraint ", e.g_names);
    frame.at_end(e, e.k, {t1, y1, z1}, "constraint ", e.k_names);
  }
  frame.keep(lambda, "lambda.", e.g_names);
  frame.keep(psi, "psi.", e.k_names);
  step.energy_change = h * motion.power;
  if (projected && reactions_work(e))
    step.energy_change = step.energy_change + dot(normal0.impulse, at(e, e.v, {t0, y0, z0})) -
                         dot(normal1.impulse, at(e, e.v, {t1, y1, z1}));
  step.discrete = motion.k;
  return frame.plan(y1, z1);
}

std::vector<Quad> shares(int order) {
  if (order == 2) return {1};
  if (order == 4) return suzuki_shares(2);
  if (order == 6) return nine_shares();
  std::vector<Quad> result;
  for (const Quad outer : suzuki_shares(order - 2))
    for (const Quad inner : shares(order - 2)) result.push_back(outer * inner);
  return result;
}

std::string refuses(const Equations& e, const Variant& variant) {
  if (e.form == Form::lagrangian && e.v != e.z)
    return "it needs velocities that are the derivatives of the coordinates";
  if (variant.gradient == EnergyGradient::partitioned && needs_w(e))
    return "the partitioned gradient needs H(q, p): write the model with momenta and a Hamiltonian";
  if (variant.projected && depends(jacobian(e.form == Form::lagrangian ? e.p : e.v, e.z).value, e.z))
    return "the projected variant needs a kinetic energy that is quadratic in velocities or momenta";
  return "";
}

std::string remark(const Equations& e, const Variant& variant) {
  if (variant.projected || (e.g.empty() && e.k.empty())) return "";
  return std::string(e.g.empty()   ? "k = 0 holds"
                     : e.k.empty() ? "g' = 0 holds"
                                   : "g' = 0 and k = 0 hold") +
         " in the mean of a step, at grid points up to an oscillation of size h^2; "
         "energy_momentum(projected) holds them everywhere";
}

constexpr const char* usage =
    "write energy_momentum, energy_momentum(projected), energy_momentum(4), energy_momentum(6, partitioned)";

Variant read(const std::vector<Term>& arguments) {
  Variant variant;
  Quad order = 2;
  for (const Term& argument : arguments) {
    if (argument.form == Term::Form::name && argument.text == "projected") variant.projected = true;
    else if (argument.form == Term::Form::name && argument.text == "full") variant.gradient = EnergyGradient::full;
    else if (argument.form == Term::Form::name && argument.text == "partitioned")
      variant.gradient = EnergyGradient::partitioned;
    else if (argument.form == Term::Form::name && argument.text == "midpoint")
      variant.gradient = EnergyGradient::midpoint;
    else if (argument.form == Term::Form::number && read_number(argument.text, order)) {
    } else
      throw InputError("'energy_momentum' takes an order and the words projected, full, partitioned, midpoint", usage);
  }
  for (const int known : {2, 4, 6, 8, 10, 12})
    if (order == known) variant.order = known;
  if (order != variant.order)
    throw InputError("energy_momentum exists in the orders 2, 4, 6, 8, 10 and 12, not " + to_text(order), usage);
  if (variant.order > 2) variant.projected = true;
  return variant;
}

std::string name_of(const Variant& variant) {
  std::string inside;
  const auto add = [&](const std::string& word) { inside += (inside.empty() ? "" : ", ") + word; };
  if (variant.order > 2) add(std::to_string(variant.order));
  else if (variant.projected) add("projected");
  if (variant.gradient == EnergyGradient::partitioned) add("partitioned");
  if (variant.gradient == EnergyGradient::midpoint) add("midpoint");
  return inside.empty() ? "energy_momentum" : "energy_momentum(" + inside + ")";
}

}  // namespace

MethodFamily energy_momentum() {
  MethodFamily family{
      .name = "energy_momentum",
      .signature = "energy_momentum(order, variant)",
      .summary = "discrete gradients: energy, constraints and momenta preserved exactly",
      .source = "Gonzalez 1999 (21); projected variant and orders 4, 6, ... are ours",
      .orders = "2, 4, 6, ...",
      .samples = {"energy_momentum", "energy_momentum(projected)", "energy_momentum(midpoint)", "energy_momentum(4)"}};
  family.make = [](const std::vector<Term>& arguments) {
    const Variant variant = read(arguments);
    Method method;
    method.name = name_of(variant);
    Claims& claims = method.claims;
    claims.set_orders(variant.order);
    claims.symmetric = true;
    claims.energy = true;
    claims.velocity = claims.nonholonomic = variant.projected;
    claims.near_identity = variant.projected;
    method.capabilities.without_energy = false;
    method.refuses = [variant](const Equations& e) { return refuses(e, variant); };
    method.remark = [variant](const Equations& e) { return remark(e, variant); };
    method.step = [variant](const Equations& e) { return compose(step(e, variant), shares(variant.order)); };
    method.momenta = [variant](const Equations& e, const InitialValues& initial) {
      return find_momenta(e, variant.gradient, initial);
    };
    return method;
  };
  return family;
}

}  // namespace alembert::internal::methods
