#include "alembert/run/reactions.h"

#include "alembert/code/kernel.h"

namespace alembert::internal {

std::vector<JointForces> joint_forces(const Equations& e, double t, std::span<const double> state,
                                      std::span<const double> lambda, std::span<const double> psi) {
  std::vector<JointForces> result;
  if (e.joints.empty()) return result;
  Exprs in{e.t}, out;
  for (const Exprs* list : {&e.y, &e.z, &e.lambda, &e.psi}) in.insert(in.end(), list->begin(), list->end());
  for (const JointReaction& j : e.joints)
    for (const Exprs* list : {&j.force, &j.moment, &j.force_in_joint, &j.moment_in_joint})
      out.insert(out.end(), list->begin(), list->end());
  const Kernel<double> kernel(in, out, {Backend::interpreter, false});
  std::vector<double> x{t}, values(out.size()), work(kernel.work());
  for (const auto& list : {state, lambda, psi}) x.insert(x.end(), list.begin(), list.end());
  kernel(x.data(), values.data(), work.data());
  auto from = values.begin();
  for (const JointReaction& j : e.joints) {
    JointForces f{j.name, j.kind, j.body, j.other, {}, {}, {}, {}};
    const auto take = [&](std::vector<double>& to, const Exprs& like) {
      to.assign(from, from + static_cast<std::ptrdiff_t>(like.size()));
      from += static_cast<std::ptrdiff_t>(like.size());
    };
    take(f.force, j.force), take(f.moment, j.moment);
    take(f.force_in_joint, j.force_in_joint), take(f.moment_in_joint, j.moment_in_joint);
    result.push_back(std::move(f));
  }
  return result;
}

}  // namespace alembert::internal
