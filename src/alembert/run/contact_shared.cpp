// Loads that closed contacts share in more than one way: a box on its corners, a disc in a groove.

#include <algorithm>
#include <cmath>

#include "alembert/base/archive.h"
#include "alembert/base/decompositions.h"
#include "alembert/base/nth.h"
#include "alembert/run/contact_cone.h"
#include "alembert/run/contact_run.h"
#include "alembert/run/contact_system.h"

namespace alembert::internal {

namespace {

// Loads are shared where the response of the contacts has no full rank, and by those whose part in that is not small.
constexpr double rounding_of_shares = 1e-10, part_of_share = 1e-6;
// The part of a step to which the end of what shared loads hold is found.
constexpr double located = 1e-12;

/// The velocities that unit impulses bring about, as a norm.
Eigen::VectorXd sizes(const Eigen::MatrixXd& D) { return D.diagonal().cwiseAbs().cwiseSqrt().cwiseMax(1e-300); }

/// Forces that together move nothing, one list of length 1 a row, in these sizes.
Eigen::MatrixXd idle_forces(Eigen::MatrixXd D) {
  const Eigen::VectorXd size = sizes(D);
  D = size.cwiseInverse().asDiagonal() * D * size.cwiseInverse().asDiagonal();
  const SymmetricEigen parts = symmetric_eigen(Eigen::MatrixXd((D + D.transpose()) / 2));
  const double largest = std::max(std::abs(parts.values.front()), std::abs(parts.values.back()));
  const Eigen::Index n = D.rows();
  Eigen::Index idle = 0;
  while (idle < n && parts.values[static_cast<std::size_t>(idle)] <= rounding_of_shares * largest) ++idle;
  const Eigen::Map<const Eigen::MatrixXd> vectors(parts.vectors.data(), n, n);
  return vectors.leftCols(idle).transpose();
}

}  // namespace

/// Which closed contacts have forces that can move to others without moving anything.
void ContactRun::find_shared() {
  std::vector<int> rows, owner;
  for (int i = 0; i < count(); ++i) {
    ContactMode& mode = mode_[static_cast<std::size_t>(i)];
    mode.shared = false;
    mode.decides = false;
    mode.by_others.clear();
    if (!mode.closed) continue;
    if (!system_->loaded(i)) {
      rows.push_back(contact(i).normal);
      owner.push_back(i);
    }
    for (std::size_t j = 0; j < mode.friction.size(); ++j)
      for (int r = 0; mode.friction[j].kind == FrictionMode::Kind::sticks && r < contact(i).friction[j].size; ++r) {
        rows.push_back(contact(i).friction[j].first + r);
        owner.push_back(i);
      }
  }
  if (rows.size() < 2) return;
  const Eigen::MatrixXd moves = idle_forces(system_->response(rows));
  for (Eigen::Index k = 0; k < moves.rows(); ++k)
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (std::abs(moves(k, static_cast<Eigen::Index>(r))) > part_of_share)
        mode_[static_cast<std::size_t>(owner[r])].shared = true;
  const bool slide = std::any_of(mode_.begin(), mode_.end(), [](const ContactMode& m) {
    return m.closed && m.shared && state_of(m) == ContactState::sliding;
  });
  for (ContactMode& mode : mode_) mode.decides = mode.shared && slide;
  if (slide) share_as_springs();
}

/// Where the motion depends on how normal forces are shared they are so as between springs of the same stiffness: what
/// they could move to each other without moving anything, none of it is in them. So some of them follow from the
/// others, and a motion does not depend on how one looks at it.
void ContactRun::share_as_springs() {
  std::vector<int> contacts, rows;
  for (int i = 0; i < count(); ++i) {
    const ContactMode& mode = mode_[static_cast<std::size_t>(i)];
    if (!mode.closed || !mode.decides || system_->loaded(i)) continue;
    contacts.push_back(i);
    rows.push_back(contact(i).normal);
  }
  if (rows.size() < 2) return;
  const Eigen::MatrixXd D = system_->response(rows);
  Eigen::MatrixXd moves = idle_forces(D) * sizes(D).cwiseInverse().asDiagonal();
  std::vector<Eigen::Index> following;
  constexpr double about_the_largest = 0.9;  // the first of these, whatever rounding makes of equal ones
  for (Eigen::Index k = 0; k < moves.rows(); ++k) {
    const double enough = about_the_largest * moves.row(k).cwiseAbs().maxCoeff();
    Eigen::Index at = 0;
    while (std::abs(moves(k, at)) < enough) ++at;
    moves.row(k) /= moves(k, at);
    following.push_back(at);
    for (Eigen::Index other = 0; other < moves.rows(); ++other)
      if (other != k) moves.row(other) -= moves(other, at) * moves.row(k).eval();
  }
  for (Eigen::Index k = 0; k < moves.rows(); ++k) {
    ContactMode& mode =
        mode_[static_cast<std::size_t>(contacts[static_cast<std::size_t>(following[static_cast<std::size_t>(k)])])];
    for (Eigen::Index i = 0; i < moves.cols(); ++i)
      if (std::abs(moves(k, i)) > part_of_share && std::find(following.begin(), following.end(), i) == following.end())
        mode.by_others.emplace_back(contacts[static_cast<std::size_t>(i)], -moves(k, i));
  }
}

/// What sticks goes on to do so.
ContactRun::Told ContactRun::as_it_is(const std::vector<int>& closed) const {
  Told told(slack_.size(), frictions());
  for (const int i : closed)
    for (std::size_t j = 0; j < contact(i).friction.size(); ++j)
      told.stops[static_cast<std::size_t>(system_->first_friction(i)) + j] =
          mode_[static_cast<std::size_t>(i)].friction[j].kind == FrictionMode::Kind::sticks;
  return told;
}

/// Loads that are shared, as the laws allow: the shortest forces, by which steps are made, may lie outside of the cones
/// where others do the same.
void ContactRun::share(double t, std::span<const double> state, std::vector<double>& multipliers) {
  std::vector<int> closed;
  for (int i = 0; i < count(); ++i)
    if (mode_[static_cast<std::size_t>(i)].closed) closed.push_back(i);
  // Nothing of this is part of the run.
  ByteWriter before;
  Archive kept(before);
  kept(base_.multipliers, *system_, modes_.acceleration, t_, state_);
  t_ = t;
  state_.assign(state.begin(), state.end());
  look();
  std::optional<ConeProblem> problem = force_problem(closed, as_it_is(closed));
  const std::optional<ConeSolution> found = problem ? solved(*problem, closed, &free_multipliers_) : std::nullopt;
  for (std::size_t k = 0; found && k < closed.size(); ++k) {
    const auto i = static_cast<std::size_t>(closed[k]);
    if (bears_alone(mode_[i])) continue;
    if (compiled_->normal[i] >= 0)
      multipliers[static_cast<std::size_t>(compiled_->normal[i])] = found->p[problem->contacts[k].normal];
    for (std::size_t j = 0; j < mode_[i].friction.size(); ++j) {
      const ConeProblem::Tangent& tangent = problem->contacts[k].tangents[j];
      const int psi = compiled_->friction[i][j];
      for (int r = 0; psi >= 0 && r < tangent.size; ++r) multipliers[nth(psi + r)] = -found->p[tangent.first + r];
    }
  }
  ByteReader from(before.bytes());
  Archive back(from);
  back(base_.multipliers, *system_, modes_.acceleration, t_, state_);
}

/// Whether forces exist at the present state that keep all closed contacts closed and all that stick at rest.
bool ContactRun::shared_holds() {
  look();
  std::vector<int> closed;
  for (int i = 0; i < count(); ++i)
    if (mode_[static_cast<std::size_t>(i)].closed) closed.push_back(i);
  std::optional<ConeProblem> problem = force_problem(closed, as_it_is(closed));
  if (!problem) return true;
  const std::optional<ConeSolution> found = solved(*problem, closed, &free_multipliers_);
  if (!found) return false;
  for (std::size_t k = 0; k < closed.size(); ++k) {
    const ContactMode& mode = mode_[static_cast<std::size_t>(closed[k])];
    const double scale = std::max(problem->b.cwiseAbs().maxCoeff(), found->w.cwiseAbs().maxCoeff());
    if (found->w[problem->contacts[k].normal] > rounding_of_contacts * scale) return false;
    for (std::size_t j = 0; j < mode.friction.size(); ++j) {
      const auto& t = problem->contacts[k].tangents[j];
      if (mode.friction[j].kind != FrictionMode::Kind::sticks) continue;
      if (found->w.segment(t.first, t.size).norm() > rounding_of_contacts * scale) return false;
    }
  }
  return true;
}

/// Up to where shared loads are held, a step at a time: found by steps that nobody sees.
double ContactRun::shared_end(double end) {
  breaks_ = false;
  if (ended_ ||
      std::none_of(mode_.begin(), mode_.end(), [](const ContactMode& m) { return m.closed && !bears_alone(m); }))
    return end;
  const double h = std::abs(options_.step), start = t_;
  const double next = base_.t0 + (std::floor((t_ - base_.t0) / h * (1 + 1e-14) + 1e-9) + 1) * h;
  if (next < end) {
    end = next;
    handed_.ends_on_grid = true;
  }
  Engine& engine = compiled_->engine;
  const std::vector<double> from = state_;
  GridPoint point, to;
  point.t = start;
  point.state = from;
  point.compensation.assign(from.size(), 0);
  const auto holds_after = [&](double length) {
    internal::begin(engine, start, from);
    point.carried = engine.step.carried();
    if (!engine.maker.make(engine.step, point, length, start + length, to)) return true;
    t_ = start + length;
    state_ = to.state;
    const bool holds = shared_holds();
    t_ = start;
    state_ = from;
    return holds;
  };
  double low = 0, high = end - start;
  if (high > 0 && !holds_after(high)) {
    while (high - low > located * h) {
      const double middle = (low + high) / 2;
      (holds_after(middle) ? low : high) = middle;
    }
    end = start + high;
    breaks_ = true;
    handed_.ends_on_grid = false;
  }
  look();
  internal::begin(engine, start, from);
  return end;
}

}  // namespace alembert::internal
