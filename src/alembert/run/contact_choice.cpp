// The mode behind an event: which contacts stay closed, which of them stick, and the state put onto them.

#include <algorithm>
#include <cmath>

#include "alembert/base/decompositions.h"
#include "alembert/run/contact_cone.h"
#include "alembert/run/contact_run.h"
#include "alembert/run/contact_system.h"

namespace alembert::internal {

namespace {

// Of the largest force that was seen: no force but for rounding; and a pull that no rounding explains.
constexpr double no_force = 1e-9, much_pull = 1e-5;
// The part of a step after which a force that is none shows where it goes.
constexpr double part_of_trial = 1e-2;

}  // namespace

/// By the accelerations: forces are at least 0, friction in its cone.
void ContactRun::choose_mode(const Told& told) {
  look();
  std::vector<int> closed;
  for (int i = 0; i < count(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const bool accumulated = std::find(closing_.begin(), closing_.end(), i) != closing_.end();
    const bool near = at_surface(i) || told.hit[k] || mode_[k].touches || accumulated;
    if (near && !told.opens[k] && (at_rest(contact(i).normal) || accumulated)) closed.push_back(i);
  }
  if (!sound_laws(closed)) return;
  if (closed.empty()) return take_mode(closed, {}, {});
  std::optional<ConeProblem> problem = force_problem(closed, told);
  if (!problem) return fail("the accelerations are not determined at t = " + time_text(t_));
  const std::optional<ConeSolution> found = solved(*problem, closed, &free_multipliers_);
  if (!found) {
    if (jam(closed, *problem)) return choose_mode(Told(slack_.size(), frictions()));
    return;
  }
  take_mode(closed, *problem, *found);
}

/// The forces of contacts that stay closed; nothing where the accelerations without them are not determined.
std::optional<ConeProblem> ContactRun::force_problem(const std::vector<int>& closed, const Told& told) {
  const std::vector<int> rows = rows_of(closed);
  const std::span<const double> free = accelerations();
  if (!std::all_of(free.begin(), free.end(), [](double x) { return std::isfinite(x); })) return {};
  free_multipliers_.assign(free.begin() + static_cast<std::ptrdiff_t>(e_.z.size()), free.end());
  const std::vector<double> accelerated = system_->accelerations(free);
  ConeProblem problem = cone(closed, rows);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double rate = accelerated[static_cast<std::size_t>(rows[k])];
    problem.b[static_cast<Eigen::Index>(k)] = rate;
    // What rests all the time has no size of its own but what would become of it in a step.
    system_->reach_rate(rows[k], std::abs(rate * options_.step));
  }
  for (std::size_t k = 0; k < closed.size(); ++k) {
    const int i = closed[k];
    for (std::size_t j = 0; j < contact(i).friction.size(); ++j) {
      const auto f = static_cast<std::size_t>(system_->first_friction(i)) + j;
      ConeProblem::Tangent& t = problem.contacts[k].tangents[j];
      if (told.starts[f] && t.size > 1 && t.at_rest > t.mu * (1 + 1e-9)) {
        // The force falls to that of sliding: which way it slips then is what the laws say.
        t.at_rest = t.mu;
      } else if (told.starts[f]) {
        t.slips = true;
        t.direction = told.direction[f];
      } else if (!told.stops[f]) {
        t.slips = slips(contact(i).friction[j], t.direction);
      }
    }
  }
  return problem;
}

void ContactRun::take_mode(const std::vector<int>& closed, const ConeProblem& problem, const ConeSolution& found) {
  for (ContactMode& mode : mode_) {
    mode.closed = false;
    mode.touches = false;
  }
  const double scale =
      found.w.size() > 0 ? std::max(problem.b.cwiseAbs().maxCoeff(), found.w.cwiseAbs().maxCoeff()) : 0;
  for (std::size_t k = 0; k < closed.size(); ++k) {
    const int i = closed[k];
    ContactMode& mode = mode_[static_cast<std::size_t>(i)];
    mode.closed = found.contacts[k].active || system_->loaded(i);
    mode.touches = !mode.closed && found.w[problem.contacts[k].normal] <= rounding_of_contacts * scale;
    for (std::size_t j = 0; j < mode.friction.size(); ++j) {
      const auto& state = found.contacts[k].tangents[j];
      const auto& t = problem.contacts[k].tangents[j];
      FrictionMode& own = mode.friction[j];
      std::array<double, 2> now{};
      const bool moves = slips(contact(i).friction[j], now);
      own.kind = !state.slips && !t.slips ? FrictionMode::Kind::sticks
                 : t.size > 1 && moves    ? FrictionMode::Kind::turns
                                          : FrictionMode::Kind::slips;
      own.direction = t.slips ? t.direction : state.direction;
      if (t.size == 1) own.direction = {own.direction[0] < 0 ? -1.0 : 1.0, 0};
    }
  }
  find_shared();
}

/// In the mode that was compiled last.
double ContactRun::normal_force(int i, double t, std::span<const double> state) {
  const int place = compiled_->normal[static_cast<std::size_t>(i)];
  return compiled_->engine.multipliers.at(t, state)[compiled_->e.z.size() + static_cast<std::size_t>(place)];
}

/// A contact that is closed without a force, and whose force becomes negative: it opens, and no event would say so,
/// since the force does not pass through 0. -1 where there is none.
int ContactRun::pulls_soon() {
  std::vector<int> idle;
  double scale = largest_force_;
  const auto presses = [&](int i) {
    const ContactMode& mode = mode_[static_cast<std::size_t>(i)];
    return mode.closed && !mode.shared && !system_->loaded(i);
  };
  if (ended_ || t_ >= options_.end) return -1;
  for (int i = 0; i < count(); ++i)
    if (presses(i)) idle.push_back(i);
  if (idle.empty()) return -1;
  compiled_ = &modes_.at(mode_, slack_, t_, state_, parameters_);
  for (const int i : idle) scale = std::max(scale, std::abs(normal_force(i, t_, state_)));
  largest_force_ = std::isfinite(scale) ? scale : largest_force_;
  std::erase_if(idle, [&](int i) { return !(std::abs(normal_force(i, t_, state_)) <= no_force * scale); });
  if (idle.empty()) return -1;
  Engine& engine = compiled_->engine;
  const double h = std::min(part_of_trial * std::abs(options_.step), options_.end - t_);
  GridPoint from, to;
  from.t = t_;
  from.state = state_;
  from.compensation.assign(state_.size(), 0);
  from.carried = engine.step.carried();
  const bool made = engine.maker.make(engine.step, from, h, t_ + h, to);
  int found = -1;
  double least = -no_force * scale;
  for (const int i : idle) {
    const double force = made ? normal_force(i, t_ + h, to.state) : 0;
    if (force >= least) continue;
    least = force;
    found = i;
  }
  internal::begin(engine, t_, state_);
  return found;
}

/// Whether all that is closed presses; where something pulls the laws do not hold, and the run ends.
bool ContactRun::none_pulls() {
  for (int i = 0; i < count(); ++i) {
    const ContactMode& mode = mode_[static_cast<std::size_t>(i)];
    if (!mode.closed || mode.shared || system_->loaded(i)) continue;
    const double force = normal_force(i, t_, state_);
    if (std::isfinite(force)) largest_force_ = std::max(largest_force_, std::abs(force));
    if (!(force < -much_pull * largest_force_)) continue;
    fail("the contact '" + base_.model.contacts[static_cast<std::size_t>(i)].name + "' pulls with " + to_text(-force) +
         " at t = " + time_text(t_) + ", and no contact does: the moment at which it opens was passed over; try a " +
         "smaller step");
    return false;
  }
  return true;
}

/// Closed gaps and what sticks to rounding, in the mass metric.
void ContactRun::project() {
  look();
  std::vector<int> normals, all;
  for (int i = 0; i < count(); ++i) {
    const ContactMode& mode = mode_[static_cast<std::size_t>(i)];
    if (!mode.closed) continue;
    normals.push_back(contact(i).normal);
    all.push_back(contact(i).normal);
    for (std::size_t j = 0; j < mode.friction.size(); ++j)
      for (int r = 0; mode.friction[j].kind == FrictionMode::Kind::sticks && r < contact(i).friction[j].size; ++r)
        all.push_back(contact(i).friction[j].first + r);
  }
  if (normals.empty()) return;
  const auto moved = [&](const std::vector<int>& rows, const Eigen::VectorXd& off) -> Eigen::VectorXd {
    const Eigen::MatrixXd D = system_->response(rows);
    return system_->change(rows, least_squares(D, Eigen::VectorXd(-off)));
  };
  Eigen::VectorXd gaps(static_cast<Eigen::Index>(normals.size())), rates(static_cast<Eigen::Index>(all.size()));
  Eigen::Index k = 0;
  for (int i = 0; i < count(); ++i)
    if (mode_[static_cast<std::size_t>(i)].closed) gaps[k++] = system_->gap(i);
  const Eigen::VectorXd dy = system_->displacement(moved(normals, gaps));
  for (Eigen::Index i = 0; i < dy.size(); ++i) state_[static_cast<std::size_t>(i)] += dy[i];
  look();
  for (std::size_t i = 0; i < all.size(); ++i) rates[static_cast<Eigen::Index>(i)] = system_->rate(all[i]);
  const Eigen::VectorXd dz = moved(all, rates);
  for (Eigen::Index i = 0; i < dz.size(); ++i) state_[e_.y.size() + static_cast<std::size_t>(i)] += dz[i];
  look();
}

}  // namespace alembert::internal
