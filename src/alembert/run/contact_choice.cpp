// The mode behind an event: which contacts stay closed, which of them stick, and the state put onto them.

#include <algorithm>
#include <cmath>

#include "alembert/base/decompositions.h"
#include "alembert/run/contact_cone.h"
#include "alembert/run/contact_run.h"
#include "alembert/run/contact_system.h"

namespace alembert::internal {

namespace {

// A pull that no rounding explains: of the largest force that was seen, and beyond this part of the accelerations, for
// contacts that were never pressed.
constexpr double much_pull = 1e-5, much_to_accelerate = 1e-9;

}  // namespace

/// By the accelerations: forces are at least 0, friction in its cone.
void ContactRun::choose_mode(const Told& told) {
  look();
  std::vector<int> closed;
  for (int i = 0; i < count(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const bool accumulated = std::find(ending_.begin(), ending_.end(), i) != ending_.end();
    const bool near = at_surface(i) || told.hit[k] || mode_[k].touches || accumulated;
    if (near && !told.opens[k] && !told.idle[k] && (at_rest(contact(i).normal) || accumulated)) closed.push_back(i);
  }
  if (!sound_laws(closed)) return;
  // What leaves does so with no rate and an acceleration of 0, but for rounding: it is not met until it is inside by
  // more.
  const auto rest = [&] {
    for (std::size_t i = 0; i < mode_.size(); ++i)
      mode_[i].touches = mode_[i].touches || told.idle[i] || (told.opens[i] && !mode_[i].closed);
    opens_.assign(told.opens.begin(), told.opens.end());
  };
  if (closed.empty()) {
    take_mode(closed, {}, {});
    return rest();
  }
  std::optional<ConeProblem> problem = force_problem(closed, told);
  if (!problem) return fail("the accelerations are not determined at t = " + time_text(t_));
  const std::optional<ConeSolution> found = solved(*problem, closed, &free_multipliers_);
  if (!found) {
    if (jam(closed, *problem)) return choose_mode(Told(slack_.size(), frictions()));
    return;
  }
  take_mode(closed, *problem, *found);
  rest();
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
    problem.b[static_cast<Eigen::Index>(k)] = accelerated[static_cast<std::size_t>(rows[k])];
    // What rests all the time has no size of its own but what would become of its terms in a step: bodies that fall
    // together have no rate, and rounding of one.
    system_->reach_rate(rows[k], system_->size_of_terms(rows[k], free) * std::abs(options_.step));
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

/// The forces by which closed contacts press, a short time ahead: of each contact, 0 where it has none.
std::vector<double> ContactRun::normal_forces(double ahead) {
  const std::size_t rates = compiled_->e.z.size();
  std::span<const double> here = compiled_->engine.multipliers.at(t_, state_);
  if (ahead > 0) {
    std::vector<double> there = state_;
    base_.motion.look(t_, state_);
    const std::span<const double> v = base_.motion.velocity();
    for (std::size_t i = 0; i < there.size(); ++i) there[i] += ahead * (i < v.size() ? v[i] : here[i - v.size()]);
    here = compiled_->engine.multipliers.at(t_ + ahead, there);
  }
  std::vector<double> forces(mode_.size(), 0);
  for (std::size_t i = 0; i < mode_.size(); ++i)
    if (mode_[i].closed && bears_alone(mode_[i]) && !system_->loaded(static_cast<int>(i)))
      forces[i] = compiled_->normal_force(i, here.subspan(rates));
  return forces;
}

/// The contact that has to leave first: the one that would pull most; or, of those that hardly press, one whose force
/// would become negative at once, or that shares its load with others where the motion depends on how. -1: none.
int ContactRun::one_to_leave() {
  constexpr double hardly = 1e-9;   // of the largest force
  constexpr double at_once = 1e-3;  // of a step
  const std::vector<double> now = normal_forces(0), soon = normal_forces(at_once * std::abs(options_.step));
  double most = 0, least = INFINITY;
  for (const double force : now) most = std::max(most, std::abs(force));
  int found = -1;
  for (std::size_t i = 0; i < mode_.size(); ++i) {
    if (!mode_[i].closed || !bears_alone(mode_[i]) || system_->loaded(static_cast<int>(i)) || now[i] >= least) continue;
    const bool hardly_presses = now[i] <= hardly * most, pulls = now[i] < -hardly * most;
    if (!pulls && !(hardly_presses && (mode_[i].decides || soon[i] < -hardly * most))) continue;
    least = now[i];
    found = static_cast<int>(i);
  }
  return found;
}

/// Contacts that would pull leave, with an acceleration away from the surface; where others bear what they did they
/// touch without a force.
void ContactRun::leave_to_others() {
  for (std::size_t turn = 0; turn < mode_.size(); ++turn) {
    if (std::none_of(mode_.begin(), mode_.end(), [](const ContactMode& m) { return m.closed && bears_alone(m); }))
      return;
    compiled_ = &modes_.at(mode_, slack_, t_, state_, parameters_);
    const int i = one_to_leave();
    if (i < 0) return;
    const Mode before = mode_;
    ContactMode& mode = mode_[static_cast<std::size_t>(i)];
    mode.closed = false;
    mode.touches = mode.decides;
    find_shared();
    compiled_ = &modes_.at(mode_, slack_, t_, state_, parameters_);
    const std::span<const double> rates = compiled_->engine.multipliers.at(t_, state_);
    const double a = system_->accelerations(rates)[static_cast<std::size_t>(contact(i).normal)];
    if (mode.touches || !falls(i, a, rates)) continue;
    mode_ = before;  // where it pulls and would fall at once the laws contradict each other
    return;
  }
}

/// Whether all that is closed presses; where something pulls the laws do not hold, and the run ends.
bool ContactRun::none_pulls() {
  const std::span<const double> here = compiled_->engine.multipliers.at(t_, state_);
  double fastest = 0;
  for (std::size_t i = 0; i < compiled_->e.z.size(); ++i) fastest = std::max(fastest, std::abs(here[i]));
  const std::vector<double> forces = normal_forces(0);
  for (std::size_t i = 0; i < mode_.size(); ++i) {
    if (std::isfinite(forces[i])) largest_force_ = std::max(largest_force_, std::abs(forces[i]));
    if (!(forces[i] < -much_pull * largest_force_ - much_to_accelerate * fastest)) continue;
    fail("the contact '" + base_.model.contacts[i].name + "' pulls with " + to_text(-forces[i]) + " at t = " +
         time_text(t_) + ", and no contact does: the moment at which it opens was passed over; try a smaller step");
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
