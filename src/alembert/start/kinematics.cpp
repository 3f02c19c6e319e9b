#include "alembert/start/kinematics.h"

#include <Eigen/Core>
#include <Eigen/LU>

#include "alembert/start/differentiable.h"

namespace alembert::internal {

namespace {

/// Numbers of the columns that a null vector contains; empty for full column rank. Columns are judged by their size.
std::vector<int> dependent_columns(const SparseRows& rows) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(rows.rows, rows.columns);
  for (int i = 0; i < rows.rows; ++i)
    for (int k = rows.row_start[i]; k < rows.row_start[i + 1]; ++k) a(i, rows.column[k]) += rows.value[k];
  if (!a.allFinite()) return {};  // said elsewhere
  Eigen::FullPivLU<Eigen::MatrixXd> lu(a);
  lu.setThreshold(1e-12);
  if (lu.rank() == a.cols()) return {};
  const Eigen::MatrixXd kernel = lu.kernel();
  std::vector<int> columns;
  for (Eigen::Index j = 0; j < a.cols(); ++j)
    if (kernel.row(j).cwiseAbs().maxCoeff() > 1e-8 * kernel.cwiseAbs().maxCoeff())
      columns.push_back(static_cast<int>(j));
  return columns;
}

Exprs arguments(const Equations& e) {
  Exprs all = {e.t};
  for (const Exprs* list : {&e.y, &e.z}) all.insert(all.end(), list->begin(), list->end());
  return all;
}

std::string listed(const std::vector<int>& numbers, const std::vector<std::string>& names) {
  std::string text;
  for (const int i : numbers) text += (text.empty() ? "" : ", ") + names[static_cast<std::size_t>(i)];
  return text;
}

}  // namespace

void check_kinematics(const Model& model, const Equations& e, const State& state) {
  if (!model.multibody) return;
  const std::vector<int> idle = dependent_columns(DifferentiableList(arguments(e), e.v, e.z).derivative(flat(state)));
  if (idle.empty()) return;
  throw InputError(
      {Diagnostic{model.source, place_of(model.momenta, idle.front()),
                  "Z(q) does not have full rank at the start: " + listed(idle, e.z_names) +
                      (idle.size() == 1 ? " moves nothing" : " can change together and move nothing"),
                  "start at another position, or choose other coordinates (quaternions have no such place)"}});
}

void check_contact_points(const Model& model, const Equations& e, const State& state) {
  if (model.auxiliary.empty()) return;
  Exprs s, c;
  std::vector<std::string> names;
  const Constraint* first = nullptr;
  for (const int i : model.auxiliary) {
    s.push_back(e.y[static_cast<std::size_t>(i)]);
    names.push_back(e.y_names[static_cast<std::size_t>(i)]);
  }
  for (std::size_t i = 0; i < e.g.size(); ++i) {
    const Constraint& constraint = model.constraints[e.g_constraint[i]];
    if (!constraint.auxiliary) continue;
    if (!first) first = &constraint;
    c.push_back(e.g[i]);
  }
  const std::vector<int> loose = dependent_columns(DifferentiableList(arguments(e), c, s).derivative(flat(state)));
  if (loose.empty()) return;
  throw InputError(
      {Diagnostic{model.source, first->place,
                  "c(q, s) = 0 does not determine the contact points at the start: c_s is singular, seen at " +
                      listed(loose, names),
                  "start elsewhere, or give other starting values of " + listed(loose, names)}});
}

}  // namespace alembert::internal
