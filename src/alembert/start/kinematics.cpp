#include "alembert/start/kinematics.h"

#include "alembert/base/decompositions.h"
#include "alembert/base/lists.h"
#include "alembert/model/refuse.h"
#include "alembert/start/dense.h"
#include "alembert/start/messages.h"

namespace alembert::internal {

namespace {

/// Pivots of Z below this share of the largest are rounding: its entries are of size 1 (directions and rotations).
constexpr double joint_rank_tolerance = 1e-12;

/// Numbers of the columns that a null vector contains; empty for full column rank, and where something is not finite,
/// which is said elsewhere.
std::vector<int> dependent_columns(const SparseRows& rows) {
  const Eigen::MatrixXd a = to_dense(rows);
  if (!a.allFinite()) return {};
  const std::vector<double> kernel = null_space(a, joint_rank_tolerance);
  std::vector<double> share(static_cast<std::size_t>(a.cols()), 0);  // the largest entry of each column in it
  for (std::size_t k = 0; k < kernel.size(); ++k) {
    double& entry = share[k % share.size()];
    entry = std::max(entry, std::abs(kernel[k]));
  }
  std::vector<int> columns;
  for (std::size_t j = 0; j < share.size(); ++j)
    if (share[j] > named_entry * max_abs(share)) columns.push_back(static_cast<int>(j));
  return columns;
}

std::string all_listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// The velocities that stand in the kinematics at all: a rotor may spin without a coordinate that counts its turns.
std::vector<int> moving(const Equations& e) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < e.z.size(); ++i)
    if (depends(e.v, Exprs{e.z[i]})) numbers.push_back(static_cast<int>(i));
  return numbers;
}

}  // namespace

KinematicsCheck::KinematicsCheck(const Model& model, const Equations& e) {
  const Exprs arguments = joined<Expr>(e.t, e.y, e.z);
  Exprs velocities;
  if (model.multibody)
    for (const int i : moving(e)) velocities.push_back(e.z[static_cast<std::size_t>(i)]);
  if (!velocities.empty()) velocities_.emplace(arguments, e.v, velocities);
  if (model.auxiliary.empty()) return;
  const Exprs s(e.y.end() - static_cast<long>(e.auxiliary.size()), e.y.end());
  contacts_.emplace(arguments, auxiliary_equations(e), s);
}

void KinematicsCheck::check_rank(const Model& model, const Equations& e, const State& state) const {
  if (!velocities_) return;
  std::vector<int> idle = dependent_columns(velocities_->derivative(flat(state)));
  if (idle.empty()) return;
  const std::vector<int> numbers = moving(e);
  for (int& i : idle) i = numbers[static_cast<std::size_t>(i)];
  refuse(model, place_of(model.momenta, idle.front()),
         "Z(q) does not have full rank at the start: " + all_listed(chosen(e.z_names, idle)) +
             (idle.size() == 1 ? " moves nothing" : " can change together and move nothing"),
         "start at another position, or choose other coordinates (quaternions have no such place)");
}

void KinematicsCheck::check_contact_points(const Model& model, const State& state) const {
  if (!contacts_) return;
  const std::vector<int> loose = dependent_columns(contacts_->derivative(flat(state)));
  if (loose.empty()) return;
  std::vector<std::string> all;
  for (const Auxiliary& one : model.auxiliary) all.push_back(one.name);
  const std::string names = all_listed(chosen(all, loose));
  refuse(model, model.auxiliary[static_cast<std::size_t>(loose.front())].place,
         "c(q, s) = 0 does not determine the contact points at the start: c_s is singular, seen at " + names,
         "start elsewhere, or give other starting values of " + names);
}

void KinematicsCheck::bind(const double* parameters) {
  if (velocities_) velocities_->bind(parameters);
  if (contacts_) contacts_->bind(parameters);
}

}  // namespace alembert::internal
