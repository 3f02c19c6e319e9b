#include "alembert/run/motion.h"

#include <algorithm>

#include "alembert/base/lists.h"
#include "alembert/derive/ports/port_equations.h"

namespace alembert::internal {

namespace {

void fill(std::vector<double>& in, double t, std::initializer_list<std::span<const double>> lists) {
  in[0] = t;
  auto to = in.begin() + 1;
  for (const std::span<const double> list : lists) to = std::copy(list.begin(), list.end(), to);
}

Exprs port_outputs(const PortEquations& port, bool dirac) {
  Exprs out = joined<Expr>(port.inputs, port.outputs, port.energies);
  if (!dirac) return out;
  return joined<Expr>(out, port.flows, port.efforts);
}

Exprs reactions(const Equations& e) {
  Exprs out;
  for (const JointReaction& j : e.joints)
    for (const Exprs* list : {&j.force, &j.moment, &j.force_in_joint, &j.moment_in_joint}) append(out, *list);
  return out;
}

}  // namespace

Exprs state_arguments(const Equations& e) { return joined<Expr>(e.t, e.y, e.z); }

Motion::Motion(const Equations& e, KernelOptions options)
    : momenta_(e.p.size()),
      kernel_(state_arguments(e), joined<Expr>(e.p, e.v), options),
      in_(kernel_.inputs()),
      out_(kernel_.outputs()),
      work_(kernel_.work()) {}

void Motion::look(double t, std::span<const double> state) {
  fill(in_, t, {state});
  kernel_(in_.data(), out_.data(), work_.data());
}

PortValues::PortValues(const Equations& e, bool dirac, KernelOptions options)
    : ports_(e.port->inputs.size()),
      energies_(e.port->energies.size()),
      kernel_(joined<Expr>(e.t, e.y, e.z, e.psi), port_outputs(*e.port, dirac), options),
      in_(kernel_.inputs()),
      out_(kernel_.outputs()),
      work_(kernel_.work()) {}

void PortValues::look(double t, std::span<const double> state, std::span<const double> psi) {
  fill(in_, t, {state, psi});
  kernel_(in_.data(), out_.data(), work_.data());
}

JointReactions::JointReactions(const Equations& e)
    : kernel_(joined<Expr>(e.t, e.y, e.z, e.lambda, e.psi), reactions(e), interpreted) {
  for (const JointReaction& j : e.joints) {
    joints_.push_back({j.name, j.kind, j.body, j.other, std::vector<double>(j.force.size()),
                       std::vector<double>(j.moment.size()), std::vector<double>(j.force_in_joint.size()),
                       std::vector<double>(j.moment_in_joint.size())});
  }
}

std::vector<JointForces> JointReactions::at(double t, std::span<const double> state, std::span<const double> lambda,
                                            std::span<const double> psi) const {
  std::vector<JointForces> result = joints_;
  if (result.empty()) return result;
  std::vector<double> in(kernel_.inputs()), out(kernel_.outputs()), work(kernel_.work());
  fill(in, t, {state, lambda, psi});
  kernel_(in.data(), out.data(), work.data());
  auto from = out.begin();
  for (JointForces& joint : result)
    for (std::vector<double>* list : {&joint.force, &joint.moment, &joint.force_in_joint, &joint.moment_in_joint}) {
      std::copy_n(from, list->size(), list->begin());
      from += static_cast<std::ptrdiff_t>(list->size());
    }
  return result;
}

}  // namespace alembert::internal
