#include "alembert/start/reduced.h"

namespace alembert::internal {

ImplicitEquations reduced_system(const Equations& e) {
  ImplicitEquations system;
  system.inputs = {e.t};
  for (const Exprs* list : {&e.y, &e.z}) system.inputs.insert(system.inputs.end(), list->begin(), list->end());
  for (const Exprs* list : {&e.z_dot, &e.lambda, &e.psi})
    system.unknowns.insert(system.unknowns.end(), list->begin(), list->end());
  system.equations = e.reduced;
  // z' decides; multipliers follow. It may vanish: forces and masses say what is small.
  const int n_z = static_cast<int>(e.z.size());
  const Expr scale = largest(*e.graph, e.f) / largest(*e.graph, jacobian(e.p, e.z).value);
  system.groups = {{0, n_z, n_z > 0 ? scale : e.graph->constant(0)},
                   {n_z, static_cast<int>(system.unknowns.size()) - n_z, Expr()}};
  return system;
}

}  // namespace alembert::internal
