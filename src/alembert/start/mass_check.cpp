#include "alembert/start/mass_check.h"

#include <algorithm>
#include <cmath>

#include "alembert/base/decompositions.h"
#include "alembert/linear/linear.h"
#include "alembert/model/refuse.h"
#include "alembert/start/dense.h"
#include "alembert/start/messages.h"
#include "alembert/start/nearest.h"

namespace alembert::internal {

namespace {

/// Of pivots, rows and columns having unit size: fifty units of rounding. Masses of one body that differ by more than
/// that cannot be told from a singular matrix.
constexpr double mass_rank_tolerance = 1e-14;

void check_entries(const Model& model, const Equations& e, const SparseRows& mass) {
  for (int i = 0; i < mass.rows; ++i) {
    for (int k = mass.row_start[i]; k < mass.row_start[i + 1]; ++k) {
      if (std::isfinite(mass.value[k])) continue;
      refuse(model, place_of(blocks_of_z(model), i),
             "the mass of " + e.z_names[i] + " is not finite at the start (" + to_text(mass.value[k]) + ")",
             "give other initial values or parameters");
    }
  }
}

/// Every row and column must have an entry; all that have none are named at once.
void check_rows_and_columns(const Model& model, const Equations& e, const SparseRows& mass) {
  std::vector<bool> row(mass.rows, false), column(mass.rows, false);
  for (int i = 0; i < mass.rows; ++i) {
    for (int k = mass.row_start[i]; k < mass.row_start[i + 1]; ++k) {
      if (mass.value[k] == 0) continue;
      row[i] = true;
      column[mass.column[k]] = true;
    }
  }
  const bool lagrangian = e.form == Form::lagrangian;
  std::vector<Diagnostic> diagnostics;
  for (int i = 0; i < mass.rows; ++i) {
    if (row[i] && column[i]) continue;
    const bool vanishes = mass.row_start[i] != mass.row_start[i + 1];  // an expression is there, but it is 0 now
    const char* hint = vanishes     ? "it vanishes at the start: give other parameters or initial values"
                       : lagrangian ? "give it a mass, or remove the coordinate"
                                    : "each z needs its own rate";
    diagnostics.push_back({model.source, place_of(blocks_of_z(model), i),
                           lagrangian
                               ? "there is no kinetic energy in " + e.z_names[i] + ": the mass matrix is singular"
                               : "the differentiated quantities do not determine " + e.z_names[i],
                           hint});
  }
  if (!diagnostics.empty()) throw InputError(std::move(diagnostics));
}

void check_sparse(const Model& model, const Equations& e, const SparseRows& mass) {
  SparseLu lu(mass.rows, mass.row_start, mass.column);
  if (lu.factor(mass.value.data())) return;
  const int i = std::max(0, lu.singular_column());
  refuse(model, place_of(blocks_of_z(model), i), "the mass matrix is singular at the start, seen at " + e.z_names[i],
         "each velocity needs kinetic energy of its own");
}

void check_dense(const Model& model, const Equations& e, const SparseRows& mass) {
  Eigen::MatrixXd a = to_dense(mass);
  // Light and heavy bodies are judged alike: square roots of the largest entries as units of rows and columns.
  const Eigen::VectorXd unit = a.cwiseAbs().rowwise().maxCoeff().cwiseSqrt().cwiseInverse();
  a = unit.asDiagonal() * a * unit.asDiagonal();
  const std::vector<double> kernel = null_space(a, mass_rank_tolerance);
  if (kernel.empty()) return;
  const Eigen::VectorXd together =
      unit.cwiseProduct(Eigen::Map<const Eigen::VectorXd>(kernel.data(), a.rows())).cwiseAbs();
  std::vector<int> numbers;
  for (int i = 0; i < mass.rows; ++i)
    if (together[i] >= named_entry * together.maxCoeff()) numbers.push_back(i);
  refuse(model, place_of(blocks_of_z(model), numbers.front()),
         "the mass matrix is singular at the start: " + listed(chosen(e.z_names, numbers)) +
             " can change together without kinetic energy",
         "each velocity needs kinetic energy of its own");
}

/// What is called kinetic energy is not negative. With constraints the diagonal alone tells: velocities that they
/// forbid do not matter. Nor does more for masses that are written by themselves, of which no matrix need be symmetric.
void check_sign(const Model& model, const Equations& e, const SparseRows& mass) {
  const char* const hint =
      model.kinetic ? "masses are positive; what is meant so can be written as a 'lagrangian'" : "masses are positive";
  std::vector<Diagnostic> negative;
  for (int i = 0; i < mass.rows; ++i)
    for (int k = mass.row_start[i]; k < mass.row_start[i + 1]; ++k)
      if (mass.column[k] == i && mass.value[k] < 0)
        negative.push_back({model.source, place_of(blocks_of_z(model), i),
                            "the kinetic energy of " + e.z_names[i] + " is negative: its mass is " +
                                to_text(mass.value[k]) + " at the start",
                            hint});
  if (!negative.empty()) throw InputError(std::move(negative));
  if (!model.kinetic || !model.constraints.empty() || mass.rows > largest_dense) return;
  const SymmetricEigen parts = symmetric_eigen(to_dense(mass));
  if (!parts.converged || parts.values.front() >= -mass_rank_tolerance * parts.values.back()) return;
  refuse(model, place_of(blocks_of_z(model), 0), "the kinetic energy is negative for some velocities at the start",
         hint);
}

}  // namespace

void check_mass(const Model& model, const Equations& e, const SparseRows& mass) {
  if (mass.rows == 0) return;
  check_entries(model, e, mass);
  check_rows_and_columns(model, e, mass);
  if ((e.form == Form::lagrangian && model.kinetic) || model.multibody) check_sign(model, e, mass);
  if (mass.rows > largest_dense) check_sparse(model, e, mass);
  else check_dense(model, e, mass);
}

void check_mobility(const Model& model, const Equations& e, const SparseRows& H_pp, const SparseExprs& g_y) {
  std::vector<bool> constrained(e.y.size(), false);
  for (const int j : g_y.column) constrained[j] = true;
  std::vector<Diagnostic> diagnostics;
  const int momenta = static_cast<int>(e.z.size());  // first-order states have none
  for (int i = 0; i < std::min(momenta, H_pp.rows); ++i) {
    const auto begin = H_pp.value.begin() + H_pp.row_start[i];
    const auto end = H_pp.value.begin() + H_pp.row_start[i + 1];
    if (!constrained[i] || std::any_of(begin, end, [](double v) { return v != 0; })) continue;
    diagnostics.push_back({model.source, place_of(model.momenta, i), "there is no kinetic energy in " + e.z_names[i],
                           "a constraint on " + e.y_names[i] + " needs a hamiltonian that is curved in this momentum"});
  }
  if (!diagnostics.empty()) throw InputError(std::move(diagnostics));
}

}  // namespace alembert::internal
