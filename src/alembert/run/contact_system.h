#pragma once

// The contacts of a model at one state: gaps, rates, slips, and how impulses change them in the mass metric, with the
// bilateral constraints kept.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alembert/code/kernel.h"
#include "alembert/derive/equations.h"
#include "alembert/error.h"
#include "alembert/run/contact_layout.h"

namespace alembert::internal {

class Archive;

class ContactSystem {
 public:
  /// The equations, of the model without any contact closed, outlive this.
  explicit ContactSystem(const Equations& equations);
  void bind(const double* parameters) noexcept;

  const std::vector<ContactLayout>& contacts() const { return contacts_; }

  /// From now on all the following speaks of this state, which counts for the sizes by which rounding is measured.
  void look(double t, std::span<const double> state);
  /// The same for a state that does not count: what is written of a motion does not change it.
  void glance(double t, std::span<const double> state);
  /// From now on it speaks of what is just behind a state that lies in a kink: the limit through two points so far and
  /// twice as far behind it.
  void look_behind(double t, std::span<const double> near, double t_far, std::span<const double> far);

  /// The sizes by which rounding is measured.
  void archive(Archive& fields);

  double gap(int contact) const { return value(gap_, contact); }
  /// What is rounding in it, where so much is the largest seen so far.
  double gap_scale(int contact) const { return gap_scale_[static_cast<std::size_t>(contact)]; }
  /// A gap of this size is or will be seen.
  void reach(int contact, double gap) {
    double& size = gap_scale_[static_cast<std::size_t>(contact)];
    size = std::max(size, gap);
  }
  double restitution(int contact) const { return value(restitution_, contact); }
  /// Of the frictions of all contacts, one behind the other.
  double coefficient(int friction) const { return value(coefficient_, friction); }
  double at_rest(int friction) const { return value(at_rest_, friction); }
  int first_friction(int contact) const { return first_friction_[static_cast<std::size_t>(contact)]; }
  /// The rate of the gap, or an entry of a slip; the part that is there without velocities; its scale.
  double rate(int row) const { return value(rates_, row); }
  double moving(int row) const { return value(moving_, row); }
  double rate_scale(int row) const { return rate_scale_[static_cast<std::size_t>(row)]; }
  /// What rounding may make of a gap at the state at which it looks, where all positions are as large as the largest.
  double rounding_of_gap(int contact) const;
  /// A rate of this size is seen, or a sum of terms of this size.
  void reach_rate(int row, double rate) {
    double& size = rate_scale_[static_cast<std::size_t>(row)];
    if (std::isfinite(rate)) size = std::max(size, rate);
  }

  /// Whether it has no restitution and so no gap: what stands in its place is the load, its normal force.
  bool loaded(int contact) const { return !e_.contacts[static_cast<std::size_t>(contact)].restitution; }
  bool any_load() const { return loads_.outputs() > 0; }
  /// The loads where the multipliers (lambda, then psi) are these: one for each contact, 0 where it has none.
  std::vector<double> loads(std::span<const double> multipliers);
  /// The largest acceleration that bilateral reactions of this size, and friction by their loads, hold back.
  double held_back(std::span<const double> multipliers);
  /// What keeps the bilateral constraints where they have left the velocities behind, as in a kink: the change of z,
  /// and the impulses as multipliers.
  struct Kept {
    Eigen::VectorXd change;
    std::vector<double> multipliers;
  };
  Kept kept();
  /// The work of the bilateral constraints that move by themselves while impulses act in rows.
  double supplied(const std::vector<int>& rows, const Eigen::VectorXd& impulses);
  /// The multipliers that impulses in rows bring about.
  std::vector<double> reactions(const std::vector<int>& rows, const Eigen::VectorXd& impulses);

  /// The derivatives of the rates where the z' are these.
  std::vector<double> accelerations(std::span<const double> z_dot);
  /// The largest terms of which such a derivative is the sum.
  double size_of_terms(int row, std::span<const double> z_dot) const;
  /// D: how unit impulses in some rows change the rates in some rows.
  Eigen::MatrixXd response(const std::vector<int>& rows);
  /// The change of z by impulses in rows.
  Eigen::VectorXd change(const std::vector<int>& rows, const Eigen::VectorXd& impulses);
  /// The same change as one of the coordinates y.
  Eigen::VectorXd displacement(const Eigen::VectorXd& change_of_z) const;

 private:
  void measure();
  struct Part {
    int first = 0;
  };
  double value(const Part& part, int i) const { return out_[part.first + i]; }
  Eigen::MatrixXd columns(const std::vector<int>& rows);
  Part add(const Exprs& list, Exprs& all) const;
  Eigen::MatrixXd filled(const SparseExprs& pattern, const Part& part) const;

  const Equations& e_;
  std::size_t n_y_, n_z_;
  std::vector<ContactLayout> contacts_;
  std::vector<int> first_friction_;
  int rows_ = 0;
  Part gap_, restitution_, coefficient_, at_rest_, rates_, moving_, bilateral_, bilateral_moving_, mass_part_, K_part_,
      J_part_, Kb_part_, Jb_part_, gap_y_part_, v_z_part_;
  SparseExprs mass_, K_, J_, Kb_, Jb_, gap_y_, v_z_;
  Kernel<double> kernel_, second_, loads_;
  std::vector<double> in_, out_, work_, second_in_;
  std::vector<double> gap_scale_, rate_scale_;
  bool solved_ = false;  // the matrices below belong to the state
  Eigen::MatrixXd M_, Kd_, Jd_, Kbd_, Jbd_;
  Eigen::MatrixXd inverse_;  // of the matrix of impulses and bilateral reactions
};

/// Gaps below this part of the largest sizes seen are rounding, and closed.
constexpr double rounding_of_gaps = 1e-11;

/// Throws InputError, with depths and names, where a motion would start inside contacts. The system looks at the start.
/// Gaps that are inside by what rounding makes of positions of that size count as closed.
void require_outside(const Model& model, ContactSystem& system);

/// What is wrong with a run because there are contacts in it: said at the first of them.
Diagnostic at_contacts(const Model& model, std::string message, std::string hint);
/// The same for one that goes back in time.
std::optional<Diagnostic> backward_with_contacts(const Model& model, double step);

/// What is wrong with a run because there are contacts in it: said at the first of them.
Diagnostic at_contacts(const Model& model, std::string message, std::string hint);
/// The same for one that goes back in time.
std::optional<Diagnostic> backward_with_contacts(const Model& model, double step);

}  // namespace alembert::internal
