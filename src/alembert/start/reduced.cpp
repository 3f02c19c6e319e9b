#include "alembert/start/reduced.h"

#include "alembert/base/lists.h"

namespace alembert::internal {

ImplicitEquations reduced_system(const Equations& e) {
  ImplicitEquations system;
  system.inputs = joined<Expr>(e.t, e.y, e.z);
  system.unknowns = joined<Expr>(e.z_dot, e.lambda, e.psi);
  system.equations = e.reduced;
  // z' decides; multipliers follow, where the equations are linear in them. It may vanish: forces and masses say what
  // is small.
  const int n_z = static_cast<int>(e.z.size());
  const Expr scale = largest(*e.graph, e.f) / largest(*e.graph, jacobian(e.p, e.z).value);
  const Exprs multipliers = joined<Expr>(e.lambda, e.psi);
  UnknownGroup reactions{n_z, static_cast<int>(multipliers.size()), Expr()};
  if (depends(jacobian(e.reduced, multipliers).value, multipliers)) {
    reactions.reactions = true;
    reactions.scale = e.graph->constant(0);
  }
  system.groups = {{0, n_z, n_z > 0 ? scale : e.graph->constant(0)}, reactions};
  return system;
}

}  // namespace alembert::internal
