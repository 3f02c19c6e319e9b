// Impacts: the impulses of all contacts that are closed, and what they take.

#include <algorithm>
#include <cmath>

#include "alembert/base/decompositions.h"
#include "alembert/run/contact_cone.h"
#include "alembert/run/contact_run.h"
#include "alembert/run/contact_system.h"

namespace alembert::internal {

namespace {

// More of them in a run come from laws that contradict each other.
constexpr int most_jams = 200;

}  // namespace

bool ContactRun::impact(const Told& told) {
  constexpr int most_impacts = 50;  // each takes energy, and contacts that hit each other settle in a few
  for (int n = 0; n < most_impacts; ++n) {
    look();
    std::vector<int> set;
    bool meets = false;
    for (int i = 0; i < count(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (!at_surface(i) && !told.hit[k] && !mode_[k].touches) continue;
      set.push_back(i);
      meets = meets || (system_->rate(contact(i).normal) < 0 && !at_rest(contact(i).normal));
    }
    if (!meets && !kink_loads()) return true;
    if (!impact_once(set)) return false;
    kink_impulses_.clear();
  }
  fail("impacts at t = " + time_text(t_) + " do not end");
  return false;
}

ConeProblem ContactRun::cone(const std::vector<int>& contacts, const std::vector<int>& rows) {
  ConeProblem problem;
  problem.D = system_->response(rows);
  problem.b = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(rows.size()));
  int row = 0;
  for (const int i : contacts) {
    ConeProblem::Contact one;
    one.normal = row++;
    one.given = system_->loaded(i);
    int friction = system_->first_friction(i);
    for (const auto& f : contact(i).friction) {
      ConeProblem::Tangent t;
      t.first = row;
      t.size = f.size;
      row += f.size;
      t.mu = system_->coefficient(friction);
      t.at_rest = system_->at_rest(friction);
      ++friction;
      one.tangents.push_back(t);
    }
    problem.contacts.push_back(std::move(one));
  }
  return problem;
}

/// The impulses of an impact where restitution is multiplied by a factor; empty where there are none. By Poisson's law
/// what was pressed together comes back, by the restitution; contacts with Newton's law have theirs over the whole.
std::optional<Eigen::VectorXd> ContactRun::impulses(ConeProblem problem, const std::vector<int>& set, double factor) {
  const Eigen::VectorXd before = problem.b;
  Eigen::VectorXd asked = Eigen::VectorXd::Zero(before.size());
  bool any_poisson = false;
  for (std::size_t k = 0; k < set.size(); ++k) {
    ConeProblem::Contact& c = problem.contacts[k];
    for (auto& t : c.tangents) t.at_rest = t.mu;
    const bool poisson = base_.model.contacts[static_cast<std::size_t>(set[k])].poisson;
    any_poisson = any_poisson || poisson;
    if (!poisson) asked[c.normal] = factor * system_->restitution(set[k]) * before[c.normal];
  }
  problem.b = before + asked;
  const std::optional<ConeSolution> first = solved(problem, set, nullptr);
  if (!first) return {};
  if (!any_poisson) return first->p;
  Eigen::VectorXd there = Eigen::VectorXd::Zero(before.size());
  for (std::size_t k = 0; k < set.size(); ++k) {
    ConeProblem::Contact& c = problem.contacts[k];
    if (!base_.model.contacts[static_cast<std::size_t>(set[k])].poisson) continue;
    c.offset = factor * system_->restitution(set[k]) * first->p[c.normal];
    there[c.normal] = first->p[c.normal] + c.offset;
    for (const auto& t : c.tangents) there.segment(t.first, t.size) = first->p.segment(t.first, t.size);
  }
  problem.b = before + asked + problem.D * there;
  const std::optional<ConeSolution> second = solved(problem, set, nullptr);
  if (!second) return {};
  return there + second->p;
}

bool ContactRun::impact_once(const std::vector<int>& set) {
  const std::vector<int> rows = rows_of(set);
  const auto size = static_cast<Eigen::Index>(rows.size());
  ConeProblem problem = cone(set, rows);
  for (Eigen::Index k = 0; k < size; ++k) problem.b[k] = system_->rate(rows[static_cast<std::size_t>(k)]);
  const Eigen::VectorXd before = problem.b;
  if (!sound_laws(set)) return false;
  const auto lost_by = [&](const Eigen::VectorXd& p) { return -p.dot(before + problem.D * p / 2); };
  double factor = 1;
  std::optional<Eigen::VectorXd> p = impulses(problem, set, factor);
  const auto adds = [&] { return lost_by(*p) < -1e-12 * (p->cwiseAbs().dot(before.cwiseAbs())); };
  if (p && adds()) {
    // Restitution is lowered until no energy is added: to rounding by bisection.
    double low = 0, high = 1;
    for (int n = 0; n < 60; ++n) {
      factor = (low + high) / 2;
      p = impulses(problem, set, factor);
      (!p || adds() ? high : low) = factor;
    }
    factor = low;
    p = impulses(problem, set, factor);
  }
  if (!p) {
    fail("no impulses fulfil the laws of the impact at t = " + time_text(t_) + " (" + names(set) + ")");
    return false;
  }
  const Eigen::VectorXd change = system_->change(rows, *p);
  for (Eigen::Index i = 0; i < change.size(); ++i) state_[e_.y.size() + static_cast<std::size_t>(i)] += change[i];
  book(set, problem, *p, before, rows, factor);
  return true;
}

/// The numbers of the laws, where they are functions of the state.
bool ContactRun::sound_laws(const std::vector<int>& set) {
  for (const int i : set) {
    const Contact& c = base_.model.contacts[static_cast<std::size_t>(i)];
    const double e = system_->restitution(i);
    if (!(e >= 0 && e <= 1)) {
      fail("the restitution of '" + c.name + "' must be between 0 and 1, and is " + to_text(e) +
           " at t = " + time_text(t_));
      return false;
    }
    for (std::size_t k = 0; k < c.friction.size(); ++k) {
      const int f = system_->first_friction(i) + static_cast<int>(k);
      if (system_->coefficient(f) >= 0 && system_->at_rest(f) >= system_->coefficient(f)) continue;
      fail("the friction of '" + c.name + "' must be at least 0, and at rest not below that of sliding; it is " +
           to_text(system_->coefficient(f)) + " at t = " + time_text(t_));
      return false;
    }
  }
  return true;
}

std::string ContactRun::names(const std::vector<int>& set) const {
  std::string text;
  for (const int i : set) text += (text.empty() ? "" : ", ") + base_.model.contacts[static_cast<std::size_t>(i)].name;
  return text;
}

/// What impulses took at each contact, and what moving surfaces and bilateral constraints supplied.
void ContactRun::book_impulses(const std::vector<int>& set, const ConeProblem& problem, const Eigen::VectorXd& p,
                               const Eigen::VectorXd& before, const Eigen::VectorXd& after,
                               const std::vector<int>& rows) {
  for (std::size_t k = 0; k < set.size(); ++k) {
    const auto& c = problem.contacts[k];
    int size = 1;
    for (const auto& t : c.tangents) size += t.size;
    double lost = 0, supplied = 0;
    for (int j = c.normal; j < c.normal + size; ++j) {
      lost -= p[j] * (before[j] + after[j]) / 2;
      supplied -= p[j] * system_->moving(rows[static_cast<std::size_t>(j)]);
    }
    books_.impact(set[k], lost, supplied);
  }
  if (!set.empty()) books_.impact(set[0], 0, system_->supplied(rows, p));
}

void ContactRun::book(const std::vector<int>& set, const ConeProblem& problem, const Eigen::VectorXd& p,
                      const Eigen::VectorXd& before, const std::vector<int>& rows, double factor) {
  const Eigen::VectorXd after = before + problem.D * p;
  // Rates are known to the rounding of what was added.
  const Eigen::VectorXd sizes = before.cwiseAbs() + problem.D.cwiseAbs() * p.cwiseAbs();
  for (std::size_t k = 0; k < rows.size(); ++k) system_->reach_rate(rows[k], sizes[static_cast<Eigen::Index>(k)]);
  book_impulses(set, problem, p, before, after, rows);
  const double largest = p.cwiseAbs().maxCoeff();
  for (std::size_t k = 0; k < set.size(); ++k) {
    const auto& c = problem.contacts[k];
    const int i = set[k];
    const bool meets = before[c.normal] < 0 && !at_rest(contact(i).normal);
    if (!meets || p[c.normal] <= 1e-14 * largest) continue;
    books_.count(i);
    impacted_[static_cast<std::size_t>(i)] = true;
    if (factor < 1)
      notes_[static_cast<std::size_t>(i)] =
          "restitution lowered to " + to_text(factor * system_->restitution(i)) + ", or the impact would add energy";
  }
}

/// The impulses of a jam: those of some of the contacts, as many as possible, that end all their rates; the others are
/// left alone or leave. Nothing where there are none.
std::optional<Eigen::VectorXd> ContactRun::jamming_impulses(const ConeProblem& problem, const Eigen::VectorXd& before) {
  constexpr std::size_t most_contacts = 10;  // of which all choices are tried
  const std::size_t n = problem.contacts.size();
  const unsigned all = n <= most_contacts ? (1U << n) - 1 : 1;
  for (unsigned left = 0; left < all; ++left) {
    std::vector<int> rows;
    for (std::size_t k = 0; k < n; ++k) {
      const ConeProblem::Contact& c = problem.contacts[k];
      if (left >> k & 1U) continue;
      rows.push_back(c.normal);
      for (const auto& t : c.tangents)
        for (int j = 0; j < t.size; ++j) rows.push_back(t.first + j);
    }
    const Eigen::MatrixXd D = problem.D(rows, rows);
    Eigen::VectorXd p = Eigen::VectorXd::Zero(before.size());
    const Eigen::VectorXd off = before(rows);
    const Eigen::VectorXd ends = least_squares(D, Eigen::VectorXd(-off));
    p(rows) = ends;
    const Eigen::VectorXd after = before + problem.D * p;
    bool possible = p.allFinite();
    for (std::size_t k = 0; k < n && possible; ++k) {
      const ConeProblem::Contact& c = problem.contacts[k];
      const bool acts = !(left >> k & 1U);
      possible = acts ? p[c.normal] > 0 : after[c.normal] >= -1e-10 * after.cwiseAbs().maxCoeff();
      for (const auto& t : c.tangents)
        possible = possible && p.segment(t.first, t.size).norm() <= t.mu * p[c.normal] * (1 + 1e-10);
    }
    if (possible) return p;
  }
  return {};
}

/// Painleve's paradox: forces cannot keep the contacts closed, whatever they are. Where an impulse stops the slip at
/// once it does.
bool ContactRun::jam(const std::vector<int>& closed, const ConeProblem& forces) {
  const std::vector<int> rows = rows_of(closed);
  const std::string what =
      "Painleve's paradox at t = " + time_text(t_) + ": no forces of " + names(closed) + " fulfil the laws of friction";
  Eigen::VectorXd before(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) before[static_cast<Eigen::Index>(k)] = system_->rate(rows[k]);
  const std::optional<Eigen::VectorXd> p = jamming_impulses(forces, before);
  if (!p || ++jams_ >= most_jams) {
    fail(what + ", and no impulse ends the slip");
    return false;
  }
  const Eigen::VectorXd change = system_->change(rows, *p);
  for (Eigen::Index i = 0; i < change.size(); ++i) state_[e_.y.size() + static_cast<std::size_t>(i)] += change[i];
  book(closed, forces, *p, before, rows, 1);
  for (std::size_t k = 0; k < closed.size(); ++k) {
    if (!((*p)[forces.contacts[k].normal] > 0)) continue;
    const int i = closed[k];
    books_.count(i);
    impacted_[static_cast<std::size_t>(i)] = true;
    notes_[static_cast<std::size_t>(i)] =
        "jam: an impact without collision ends the slip (Painleve's paradox: no forces fulfil the laws of friction)";
  }
  warn("painleve", what + "; an impulse ends the slip there (jam)");
  return true;
}

/// What the laws promise of friction: no coefficient below 0, and no energy from it.
bool ContactRun::laws_hold() {
  for (int i = 0; i < count(); ++i) {
    const int first = system_->first_friction(i);
    for (int f = 0; f < static_cast<int>(contact(i).friction.size()); ++f) {
      const double mu = system_->coefficient(first + f);
      if (!mode_[static_cast<std::size_t>(i)].closed || mu >= 0) continue;
      fail("the coefficient of friction of '" + base_.model.contacts[static_cast<std::size_t>(i)].name +
           "' must not be negative, and is " + to_text(mu) + " at t = " + time_text(t_));
      return false;
    }
  }
  const int creating = books_.creating();
  if (creating < 0) return true;
  fail("friction at '" + base_.model.contacts[static_cast<std::size_t>(creating)].name +
       "' has added energy before t = " + time_text(t_) +
       ", which it never does: several contacts stick and share the load in more than one way, and no motion was found "
       "that all their laws allow");
  return false;
}

/// Where more is closed and stuck than the bodies can move, the laws leave open which contact slips first.
void ContactRun::warn_of_shared_friction(int slipping, const Mode& before) {
  std::vector<int> rows;
  int sticking = 0;
  for (int i = 0; i < count(); ++i) {
    if (!before[static_cast<std::size_t>(i)].closed) continue;
    if (!system_->loaded(i)) rows.push_back(contact(i).normal);
    if (state_of(before[static_cast<std::size_t>(i)]) != ContactState::sticking) continue;
    ++sticking;
    for (const auto& f : contact(i).friction)
      for (int j = 0; j < f.size; ++j) rows.push_back(f.first + j);
  }
  if (sticking < 2) return;
  // Of unit columns: loads that are shared exactly leave rounding, 1e-16 times the condition of the masses.
  constexpr double rounding_of_columns = 1e-9;
  if (independent_columns(system_->response(rows), rounding_of_columns).size() == rows.size()) return;
  warn("indeterminate",
       "'" + base_.model.contacts[static_cast<std::size_t>(slipping)].name +
           "' no longer sticks at t = " + time_text(t_) +
           " while it stuck together with others: they share the load in more than one way, and the laws of friction "
           "do not say when the first of them slips; the smallest forces were taken");
}

}  // namespace alembert::internal
