#pragma once

// The contacts of a model as methods write them into their steps: gaps, rates, forces, and the unilateral laws.

#include <memory>
#include <utility>
#include <vector>

#include "alembert/derive/equations.h"
#include "alembert/methods/shared/frame.h"
#include "alembert/newton/inclusions.h"

namespace alembert::internal {

/// Rows: of each contact its normal, then the entries of its slips; impulses and rates are lists over them.
class ContactTerms {
 public:
  /// Both outlive this.
  ContactTerms(const Equations& equations, Frame& frame);

  bool any() const { return !e_.contacts.empty(); }
  int rows() const { return rows_; }
  /// Functions at a point of the step.
  Exprs gaps(Expr t, const Exprs& y) const;
  Exprs rates(const Point& x) const;
  Exprs moving(const Point& x) const;  // the parts of the rates without velocities
  /// The generalised forces of impulses in all rows; of one impulse a contact; of one a bilateral constraint.
  Exprs forces(const Point& x, const Exprs& impulses) const;
  Exprs forces_of_gaps(const Point& x, const Exprs& impulses) const;
  Exprs forces_of_constraints(const Point& x, const Exprs& impulses) const;
  Exprs normals(const Exprs& rows) const;
  /// One value a contact, in all its rows.
  Exprs over_rows(const Exprs& of_contacts) const;
  /// The rows with other normals.
  Exprs with_normals(Exprs rows, const Exprs& normals) const;
  /// The coefficients of restitution: an impact asks for the rate behind it and e times the one before to be >= 0.
  Exprs restitution(Expr t, const Exprs& y) const;
  /// 1 where a contact was closed and its gap at rest when the step began, else 0.
  Exprs persistent() const;
  /// For impulses of the front of a step: they act where it begins if the contact was closed and at rest there, else
  /// where it ends, with the others of the same impact, so that elastic ones keep the energy.
  Exprs forces_in_front(const Point& start, const Point& end, const Exprs& impulses) const;
  /// Rates of such impulses, from those at the start and at the end.
  Exprs in_front(const Exprs& at_start, const Exprs& at_end) const;
  /// A block of its own, the first: how z would change in the step without contacts, by what acts when it begins.
  void free_motion();
  int free_unknowns() const { return static_cast<int>(free_change_.empty() ? 0 : e_.z.size() + e_.g.size()); }
  /// The rates with which gaps close when they are met in the step: from the velocities when it begins and the free
  /// motion; where gaps are not met, the rates when it begins. One a contact. late: the part of a step by which the
  /// velocities of the method are ahead of their time.
  Exprs meeting(const Point& end, Quad late = 0) const;
  /// Its multipliers of the holonomic constraints, and the velocities at the start with what it adds once more or less.
  const Exprs& free_lambda() const { return free_lambda_; }
  Exprs pulled(const Exprs& z, Quad times) const;
  /// What the free motion adds to the rates of the gaps in the step.
  Exprs pulls(const Point& end) const;
  /// One list where the numbers, of 0 and 1, are 1, the other elsewhere.
  static Exprs chosen(const Exprs& numbers, const Exprs& a, const Exprs& b);
  /// For each row of friction whether its slip has these rates and none of them is a slip: 1, else 0; 0 for normals.
  Exprs no_slip(const Exprs& rates) const;

  /// A length below which gaps are closed: rounding of the coordinates, and what a body falls in a short part of a
  /// step. The same over the step is a velocity that is none.
  Expr closed_gap() const { return closed_gap_; }
  Expr closed_rate() const { return closed_gap_ / frame_.step.h; }
  /// More than the forces that act when the step begins press with anywhere.
  Expr pressing() const { return pressing_; }

  /// What is unknown from here on belongs to a block of its own.
  void begin_block();
  /// Blocks that were begun are forgotten; the laws that follow belong to one that begins with this unknown.
  void blocks_anew();
  void block(int first_unknown);
  struct Law {
    Exprs unknowns;      // one a row, of the present block
    Exprs rates;         // one a row
    Exprs closed;        // one a contact: it takes part where this is at most 0
    Exprs known = {};    // one a row: what the forces contain beside the unknowns; none: nothing
    bool grows = false;  // contacts take part as well where `passed` would become negative
    Exprs passed = {};   // one a contact; none: the rates
    Exprs rubs = {};     // one a contact: the part of the coefficients of friction that counts; none: all
  };
  /// Adds the laws of normal and tangential forces; the equations stand as their unknowns do.
  void laws(const Law& law);
  /// The same for unknowns of the normals alone, one a contact: 0 <= unknown + known, 0 <= gap, complementary.
  void gap_laws(const Exprs& unknowns, const Exprs& known, const Exprs& gaps, const Exprs& closed);

  /// -(impulse times mean of the rates before and after), for all contacts.
  Exprs losses(const Exprs& impulses, const Exprs& before, const Exprs& after) const;
  /// What was gained besides is taken from the losses of those contacts that do not persist, by the sizes of what they
  /// push with; nowhere where none of these pushes.
  void share(Exprs& losses, Expr gained, const Exprs& persistent, const Exprs& pushes) const;
  /// What ideal constraints at rest do with these multipliers where their rates are not 0.
  Expr power_of_constraints(const Point& x, const Exprs& lambda, const Exprs& psi) const;
  /// -(impulse times what the rates are without velocities), for all contacts: what moving supports do.
  Exprs supplies(const Exprs& impulses, const Exprs& moving) const;
  /// What is told of the step (StepEquations::contacts): impulses and rates0 over rows, the others over contacts.
  /// Closes the blocks.
  void tell(const Exprs& impulses, const Exprs& lost, const Exprs& supplied, const Exprs& rates0);

 private:
  struct Rows {
    int normal = 0;
    std::vector<std::pair<int, int>> friction;  // first, size
  };
  int rows_of(const Rows& rows) const;
  Expr weight(int& number);
  int number_of(Expr unknown) const;
  Exprs acting(const Exprs& rates, const Exprs& gaps, const Point& x, const Exprs& impulses) const;

  const Equations& e_;
  Frame& frame_;
  int rows_ = 0;
  std::vector<Rows> layout_;
  Exprs rates_, moving_, gaps_;      // of the model
  std::vector<Exprs> coefficients_;  // of each contact, in the step
  Expr closed_gap_, pressing_;
  Exprs free_change_, free_lambda_;
  std::shared_ptr<Inclusions> inclusions_;
};

/// Element by element.
Exprs added(const Exprs& a, const Exprs& b);
Exprs difference(const Exprs& a, const Exprs& b);
Exprs scaled(Expr factor, const Exprs& values);

}  // namespace alembert::internal
