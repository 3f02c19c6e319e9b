#include "alembert/run/contact_system.h"

#include <algorithm>
#include <cmath>

#include "alembert/base/archive.h"
#include "alembert/base/decompositions.h"
#include "alembert/base/lists.h"
#include "alembert/error.h"
#include "alembert/run/contact_mode.h"

namespace alembert::internal {

namespace {

/// The normals and slips of all contacts, in the order of the rows: functions whose derivatives in z are the rows of K.
struct RowFunctions {
  Exprs rates, moving;
};

/// What has a load and no gap is always closed.
Expr gap_of(const Equations& e, const ContactFunctions& contact) {
  return contact.restitution ? contact.gap : e.graph->constant(0);
}

RowFunctions row_functions(const Equations& e) {
  RowFunctions rows;
  const Exprs zeros(e.z.size(), e.graph->constant(0));
  const Exprs time{e.t};
  for (const ContactFunctions& contact : e.contacts) {
    const Expr gap = gap_of(e, contact);
    rows.rates.push_back(along_motion(e, {gap}, {})[0]);
    rows.moving.push_back(gradient(gap, time)[0]);
    for (const auto& friction : contact.friction)
      for (const Expr slip : friction.slip) {
        rows.rates.push_back(slip);
        rows.moving.push_back(substitute(Exprs{slip}, e.z, zeros, *e.graph)[0]);
      }
  }
  return rows;
}

Exprs first_of(const Exprs& list, std::size_t n) {
  return {list.begin(), list.begin() + static_cast<std::ptrdiff_t>(n)};
}

}  // namespace

ContactSystem::Part ContactSystem::add(const Exprs& list, Exprs& all) const {
  const Part part{static_cast<int>(all.size())};
  append(all, list);
  return part;
}

ContactSystem::ContactSystem(const Equations& e) : e_(e), n_y_(e.y.size()), n_z_(e.z.size()) {
  Exprs gaps, restitution, coefficient, at_rest;
  for (const ContactFunctions& contact : e.contacts) {
    ContactLayout one;
    one.normal = rows_++;
    first_friction_.push_back(static_cast<int>(coefficient.size()));
    gaps.push_back(gap_of(e, contact));
    restitution.push_back(contact.restitution ? contact.restitution : e.graph->constant(0));
    for (const auto& friction : contact.friction) {
      one.friction.push_back({rows_, static_cast<int>(friction.slip.size())});
      rows_ += static_cast<int>(friction.slip.size());
      coefficient.push_back(friction.coefficient);
      at_rest.push_back(friction.at_rest);
    }
    contacts_.push_back(std::move(one));
  }
  const RowFunctions rows = row_functions(e);
  const bool momenta = e.form == Form::hamiltonian;
  mass_ = jacobian(e.p, e.z);
  K_ = jacobian(rows.rates, e.z);
  Kb_ = jacobian(joined<Expr>(e.g_dot, e.k), e.z);
  // Forces act along the gradients in q: in the other forms those of the rates in z.
  J_ = momenta ? jacobian(gaps, first_of(e.y, n_z_)) : K_;
  Jb_ = momenta ? jacobian(e.g, first_of(e.y, n_z_)) : Kb_;
  gap_y_ = jacobian(gaps, e.y);
  v_z_ = jacobian(mechanical_rates(e), e.z);
  Exprs all;
  gap_ = add(gaps, all);
  restitution_ = add(restitution, all);
  coefficient_ = add(coefficient, all);
  at_rest_ = add(at_rest, all);
  rates_ = add(rows.rates, all);
  moving_ = add(rows.moving, all);
  mass_part_ = add(mass_.value, all);
  K_part_ = add(K_.value, all);
  J_part_ = add(J_.value, all);
  Kb_part_ = add(Kb_.value, all);
  Jb_part_ = add(Jb_.value, all);
  gap_y_part_ = add(gap_y_.value, all);
  v_z_part_ = add(v_z_.value, all);
  const Exprs arguments = joined<Expr>(e.t, e.y, e.z);
  kernel_ = Kernel<double>(arguments, all, interpreted);
  second_ = Kernel<double>(joined<Expr>(arguments, e.z_dot), along_motion(e, rows.rates, e.z_dot), interpreted);
  Exprs loads;
  for (const ContactFunctions& contact : e.contacts)
    if (!contact.restitution) loads.push_back(contact.gap);
  loads_ = Kernel<double>(joined<Expr>(arguments, e.lambda, e.psi), loads, interpreted);
  in_.resize(static_cast<std::size_t>(kernel_.inputs()));
  out_.resize(static_cast<std::size_t>(kernel_.outputs()));
  second_in_.resize(static_cast<std::size_t>(second_.inputs()));
  work_.resize(std::max({kernel_.work(), second_.work(), loads_.work()}));
  gap_scale_.assign(gaps.size(), 0);
  rate_scale_.assign(rows.rates.size(), 0);
}

void ContactSystem::bind(const double* parameters) noexcept {
  kernel_.bind(parameters);
  second_.bind(parameters);
  loads_.bind(parameters);
}

void ContactSystem::archive(Archive& fields) { fields(gap_scale_, rate_scale_); }

void ContactSystem::glance(double t, std::span<const double> state) {
  in_[0] = t;
  std::copy(state.begin(), state.end(), in_.begin() + 1);
  kernel_(in_.data(), out_.data(), work_.data());
  solved_ = false;
}

void ContactSystem::look(double t, std::span<const double> state) {
  glance(t, state);
  const auto sum = [&](const SparseExprs& m, const Part& part, int row, std::size_t offset) {
    double size = 0;
    for (int k = m.row_start[row]; k < m.row_start[row + 1]; ++k)
      size += std::abs(out_[part.first + k] * in_[1 + offset + static_cast<std::size_t>(m.column[k])]);
    return size;
  };
  for (std::size_t i = 0; i < gap_scale_.size(); ++i)
    // Through auxiliary variables too: the rows of K are the gradients in the coordinates that they follow.
    gap_scale_[i] =
        std::max({gap_scale_[i], sum(gap_y_, gap_y_part_, static_cast<int>(i), 0), std::abs(gap(static_cast<int>(i))),
                  e_.form == Form::lagrangian ? sum(K_, K_part_, contacts_[i].normal, 0) : 0});
  for (std::size_t i = 0; i < rate_scale_.size(); ++i)
    rate_scale_[i] =
        std::max({rate_scale_[i], sum(K_, K_part_, static_cast<int>(i), n_y_), std::abs(moving(static_cast<int>(i)))});
}

std::vector<double> ContactSystem::accelerations(std::span<const double> z_dot) {
  std::copy(in_.begin(), in_.end(), second_in_.begin());
  std::copy(z_dot.begin(), z_dot.begin() + static_cast<std::ptrdiff_t>(n_z_),
            second_in_.begin() + static_cast<std::ptrdiff_t>(in_.size()));
  std::vector<double> result(static_cast<std::size_t>(second_.outputs()));
  second_(second_in_.data(), result.data(), work_.data());
  return result;
}

double ContactSystem::size_of_terms(int row, std::span<const double> z_dot) const {
  double size = 0;
  for (int k = K_.row_start[row]; k < K_.row_start[row + 1]; ++k)
    size += std::abs(out_[K_part_.first + k] * z_dot[static_cast<std::size_t>(K_.column[k])]);
  return size;
}

std::vector<double> ContactSystem::loads(std::span<const double> multipliers) {
  std::vector<double> arguments = in_, found(static_cast<std::size_t>(loads_.outputs()));
  arguments.insert(arguments.end(), multipliers.begin(), multipliers.end());
  loads_(arguments.data(), found.data(), work_.data());
  std::vector<double> all(contacts_.size(), 0);
  std::size_t next = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (loaded(static_cast<int>(i))) all[i] = found[next++];
  return all;
}

double ContactSystem::held_back(std::span<const double> multipliers) {
  columns({});
  double most = 0;
  const auto take = [&](const Eigen::VectorXd& acceleration) {
    if (acceleration.allFinite()) most = std::max(most, acceleration.cwiseAbs().maxCoeff());
  };
  if (Jbd_.rows() > 0) {
    const Eigen::Map<const Eigen::VectorXd> sizes(multipliers.data(), Jbd_.rows());
    const Eigen::MatrixXd mass = filled(mass_, mass_part_);
    take(least_squares(mass, Eigen::VectorXd(Jbd_.transpose() * sizes)));
  }
  if (!any_load()) return most;
  const std::vector<double> all = loads(multipliers);
  for (std::size_t i = 0; i < contacts_.size(); ++i)
    for (std::size_t k = 0; k < contacts_[i].friction.size(); ++k) {
      const double force = at_rest(first_friction_[i] + static_cast<int>(k)) * all[i];
      take(force * columns({contacts_[i].friction[k].first}).col(0));
    }
  return most;
}

std::vector<double> ContactSystem::reactions(const std::vector<int>& rows, const Eigen::VectorXd& impulses) {
  columns({});
  const auto n = static_cast<Eigen::Index>(n_z_);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(n);
  for (std::size_t i = 0; i < rows.size(); ++i)
    right += impulses[static_cast<Eigen::Index>(i)] * Jd_.row(rows[i]).transpose();
  const Eigen::VectorXd found = -inverse_.bottomLeftCorner(Kbd_.rows(), n) * right;
  return {found.data(), found.data() + found.size()};
}

Eigen::MatrixXd ContactSystem::filled(const SparseExprs& pattern, const Part& part) const {
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(pattern.rows, static_cast<Eigen::Index>(pattern.columns));
  for (int i = 0; i < pattern.rows; ++i)
    for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k)
      m(i, pattern.column[k]) = out_[part.first + k];
  return m;
}

/// The changes of z by unit impulses: p_z dz = J^T P + J_b^T P_b, K_b dz = 0.
Eigen::MatrixXd ContactSystem::columns(const std::vector<int>& rows) {
  const auto n = static_cast<Eigen::Index>(n_z_);
  if (!solved_) {
    solved_ = true;
    Kd_ = filled(K_, K_part_);
    Jd_ = e_.form == Form::hamiltonian ? filled(J_, J_part_) : Kd_;
    Kbd_ = filled(Kb_, Kb_part_);
    Jbd_ = e_.form == Form::hamiltonian ? filled(Jb_, Jb_part_) : Kbd_;
    const Eigen::Index m = Kbd_.rows();
    Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(n + m, n + m);
    whole.topLeftCorner(n, n) = filled(mass_, mass_part_);
    whole.topRightCorner(n, m) = -Jbd_.transpose();
    whole.bottomLeftCorner(m, n) = Kbd_;
    inverse_.resize(n + m, n + m);
    pseudo_inverse(whole, inverse_.data());
  }
  Eigen::MatrixXd right(n, static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) right.col(static_cast<Eigen::Index>(i)) = Jd_.row(rows[i]).transpose();
  return inverse_.topLeftCorner(n, n) * right;
}

Eigen::MatrixXd ContactSystem::response(const std::vector<int>& rows) {
  const Eigen::MatrixXd dz = columns(rows);
  Eigen::MatrixXd D(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) D.row(static_cast<Eigen::Index>(i)) = Kd_.row(rows[i]) * dz;
  return D;
}

Eigen::VectorXd ContactSystem::change(const std::vector<int>& rows, const Eigen::VectorXd& impulses) {
  return columns(rows) * impulses;
}

Eigen::VectorXd ContactSystem::displacement(const Eigen::VectorXd& change_of_z) const {
  return filled(v_z_, v_z_part_) * change_of_z;
}

void require_outside(const Model& model, const ContactSystem& system) {
  std::vector<Diagnostic> inside;
  for (std::size_t i = 0; i < model.contacts.size(); ++i) {
    const Contact& c = model.contacts[i];
    const double gap = system.gap(static_cast<int>(i));
    if (!std::isfinite(gap))
      inside.push_back({model.source, c.place, "the gap of '" + c.name + "' is not finite at the start", ""});
    else if (gap < -rounding_of_gaps * system.gap_scale(static_cast<int>(i)))
      inside.push_back({model.source, c.place,
                        "the motion starts inside the contact '" + c.name + "', by " + to_text(-gap),
                        "start where the gap is at least 0"});
  }
  if (!inside.empty()) throw InputError(std::move(inside));
}

Diagnostic at_contacts(const Model& model, std::string message, std::string hint) {
  return {model.source, model.contacts.at(0).place, std::move(message), std::move(hint)};
}

std::optional<Diagnostic> backward_with_contacts(const Model& model, double step) {
  if (step >= 0) return {};
  return at_contacts(model, "contacts are followed forward in time only: an impact cannot be undone",
                     "take a positive `step`, or remove the contacts");
}

std::vector<double> gaps_at(const Model& model, const Equations& e, double t, std::span<const double> state) {
  ContactSystem system(e);
  system.look(t, state);
  require_outside(model, system);
  std::vector<double> gaps;
  for (std::size_t i = 0; i < model.contacts.size(); ++i) gaps.push_back(system.gap(static_cast<int>(i)));
  return gaps;
}

}  // namespace alembert::internal
