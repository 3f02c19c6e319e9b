// A method that is not one of ours, to see that a file in the folder is all that a method needs: the implicit midpoint
// rule y1 = y0 + h v(m), p1 = p0 + h f(m) at the mean point m, without constraints. Order 2, symmetric, symplectic.

#include "alembert/methods/method.h"
#include "alembert/methods/shared/frame.h"

namespace alembert::internal::methods {

namespace {

StepPlan step(const Equations& e) {
  Frame frame(e);
  const Expr h = frame.step.h;
  const Expr t_mean = frame.step.t0 + h / Quad(2);
  const int n_y = static_cast<int>(e.y.size());
  const int n_z = static_cast<int>(e.z.size());
  const Exprs dy = frame.unknown("dy", at(e, e.v, {frame.step.t0, frame.y0, frame.z0}), h);
  const Exprs dz = frame.unknown("dz", frame.z_dot0, h);
  Point mean{t_mean, {}, {}};
  Exprs y1, z1;
  for (int i = 0; i < n_y; ++i) {
    mean.y.push_back(frame.y0[i] + dy[i] / Quad(2));
    y1.push_back(frame.y0[i] + dy[i]);
  }
  for (int i = 0; i < n_z; ++i) {
    mean.z.push_back(frame.z0[i] + dz[i] / Quad(2));
    z1.push_back(frame.z0[i] + dz[i]);
  }
  Exprs position = at(e, e.v, mean), momentum = at(e, e.p, {t_mean, mean.y, dz});
  const Exprs f = at(e, e.f, mean);
  for (int i = 0; i < n_y; ++i) position[i] = dy[i] - h * position[i];
  for (int i = 0; i < n_z; ++i) momentum[i] = momentum[i] - h * f[i];
  frame.equation(position, "position of ", e.y_names, "");
  frame.equation(momentum, "momentum of ", e.z_names, "");
  frame.step.groups = {{0, n_y, frame.size_y()}, {n_y, n_z, frame.size_z()}};
  return frame.plan(y1, z1);
}

}  // namespace

MethodFamily dummy_midpoint() {
  MethodFamily family{.name = "dummy_midpoint",
                      .signature = "dummy_midpoint",
                      .summary = "the implicit midpoint rule without constraints",
                      .source = "the tests",
                      .orders = "2"};
  family.make = [](const std::vector<Term>& arguments) {
    no_arguments("dummy_midpoint", arguments);
    Method method;
    method.name = "dummy_midpoint";
    method.claims.set_orders(2);
    method.claims.symplectic = true;
    method.claims.symmetric = true;
    method.capabilities.holonomic = false;
    method.capabilities.nonholonomic = false;
    method.capabilities.varying_mass = false;
    method.step = step;
    return method;
  };
  return family;
}

}  // namespace alembert::internal::methods
