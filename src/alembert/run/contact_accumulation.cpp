// Impacts that follow each other faster and faster: behind their limit the contact stays closed.

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/decompositions.h"
#include "alembert/run/contact_cone.h"
#include "alembert/run/contact_run.h"
#include "alembert/run/contact_system.h"

namespace alembert::internal {

namespace {

// Impacts accumulate where the time that is left to their limit is below this part of a step, and below this time.
constexpr double accumulated_part = 1e-3, accumulated_time = 1e-5;
// Flights lower than this, against the sizes of the gap, are too low for their impacts to be found: ten times what
// rounding hides.
constexpr double lowest_flight = 3e-13;
// Single flights whose bounces end within this part of that, by the restitution alone, need not be seen to be steady.
constexpr double brief = 0.5;
// So many times between impacts must have had nearly the same ratio: two flights have one by themselves, the third says
// that it is a law. The rest of the flights is then known to the same part, of a time that is tiny itself.
constexpr int steady_ratios = 3;
constexpr double same_ratio = 1e-2;
// Ratios that differ so much are not those of the same accumulation; less comes from rounding of the last ones.
constexpr double other_ratio = 0.1;

}  // namespace

void ContactRun::note_impact(int i) {
  Impacts& own = impacts_[static_cast<std::size_t>(i)];
  const double passed = t_ - std::exchange(own.t, t_);
  const double ratio = passed / std::exchange(own.passed, passed);
  const bool same = std::abs(ratio - own.ratio) <= same_ratio;
  own.ratio = ratio;
  own.steady = same && ratio < 1 ? own.steady + 1 : 0;
  const double limit = t_ + ratio * passed / (1 - ratio), off = std::abs(limit - std::exchange(own.said, limit));
  if (!(ratio < 1) || std::abs(ratio - own.limit_ratio) > other_ratio) own.limit_off = INFINITY;
  if (!(same && ratio < 1 && off < own.limit_off)) return;
  own.limit = limit;
  own.limit_off = off;
  own.limit_ratio = ratio;
}

/// Closes contacts that bounce too low, or for too short a time. Whether there were some.
bool ContactRun::end_accumulations() {
  look();
  const std::span<const double> rates = compiled_->engine.multipliers.at(t_, state_);
  const std::vector<double> accelerated = system_->accelerations(rates);
  const double soon = std::min(accumulated_time, accumulated_part * std::abs(options_.step));
  std::vector<int> set;
  double after = 0;
  for (int i = 0; i < count(); ++i) {
    const Impacts& own = impacts_[static_cast<std::size_t>(i)];
    const double rate = system_->rate(contact(i).normal), a = accelerated[static_cast<std::size_t>(contact(i).normal)];
    // How high it goes is a size of the gap, also where all that is known of it is that it was closed.
    if (rate > 0 && a < 0) system_->reach(i, std::min(rate * rate / (-2 * a), rate * std::abs(options_.end - t_)));
    // Below the surface by rounding: where two contacts are met at once, that of the first.
    const double gap = system_->gap(i), lowest = lowest_flight * system_->gap_scale(i);
    const bool leaves = gap <= lowest && at_surface(i) && rate > 0 && falls(i, a, rates);
    const ContactMode& mode = mode_[static_cast<std::size_t>(i)];
    // What has just opened leaves with no rate, but for rounding: that is no flight.
    if (mode.closed || !leaves || (mode.touches && opens_[static_cast<std::size_t>(i)])) continue;
    const bool steady = own.steady >= steady_ratios;
    const double flight = -2 * rate / a;
    // Impacts of one contact alone are as long apart as it flies; else others take part, as where a block rocks.
    const bool known = own.limit_off < INFINITY && own.limit > t_;
    const bool alone = !known || std::abs(flight - own.limit_ratio * own.passed) <= same_ratio * flight;
    const double ratio = steady ? own.ratio : system_->restitution(i);
    const double left = alone ? flight / (1 - ratio) : own.limit - t_;
    const bool low = std::min(gap, 0.0) + rate * rate / (-2 * a) < lowest;
    const bool ends_soon = flight < brief * soon * (1 - system_->restitution(i));
    if (!low && !ends_soon && !(steady && left < soon)) continue;
    set.push_back(i);
    // Low flights may take long where hardly anything pulls.
    if (std::isfinite(left)) after = std::max(after, alone ? std::min(left, soon) : left);
  }
  if (set.empty()) return false;
  close_accumulated(set, after);
  return true;
}

/// The impulses in all rows of the contacts that end their rates. Bounces that are left out press by what they would
/// have, less than the contact that is closed meanwhile: these impulses are the difference, and so have its friction
/// where something slips; what sticks goes on to do so.
Eigen::VectorXd ContactRun::ending_impulses(const std::vector<int>& contacts, const ConeProblem& problem,
                                            const Eigen::VectorXd& rates) {
  std::vector<int> held;
  std::vector<Eigen::VectorXd> columns;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const ConeProblem::Contact& c = problem.contacts[k];
    Eigen::VectorXd normal = Eigen::VectorXd::Unit(rates.size(), c.normal);
    for (std::size_t f = 0; f < c.tangents.size(); ++f) {
      std::array<double, 2> direction{};
      const bool moves = slips(contact(contacts[k]).friction[f], direction);
      for (int j = 0; j < c.tangents[f].size; ++j) {
        const int row = c.tangents[f].first + j;
        if (moves) normal[row] = -c.tangents[f].mu * direction[static_cast<std::size_t>(j)];
        else held.push_back(row);
        if (!moves) columns.push_back(Eigen::VectorXd::Unit(rates.size(), row));
      }
    }
    if (c.given) continue;
    held.push_back(c.normal);
    columns.push_back(std::move(normal));
  }
  const auto n = static_cast<Eigen::Index>(held.size());
  Eigen::MatrixXd E(rates.size(), n), A(n, n);
  Eigen::VectorXd off(n);
  for (Eigen::Index k = 0; k < n; ++k) E.col(k) = columns[static_cast<std::size_t>(k)];
  const Eigen::MatrixXd response = problem.D * E;
  for (Eigen::Index k = 0; k < n; ++k) {
    A.row(k) = response.row(held[static_cast<std::size_t>(k)]);
    off[k] = rates[held[static_cast<std::size_t>(k)]];
  }
  return E * least_squares(A, Eigen::VectorXd(-off));
}

/// Whether its impacts have accumulated, at a limit that is still to come.
bool ContactRun::accumulates(int contact) const {
  return std::any_of(closing_.begin(), closing_.end(), [&](const auto& one) { return one.first == contact; });
}

/// Contacts that are open again by the impacts of others.
void ContactRun::forget_closing() {
  std::erase_if(closing_, [&](const auto& one) { return !mode_[static_cast<std::size_t>(one.first)].closed; });
}

/// The first of their limits.
double ContactRun::next_closing() const {
  double t = INFINITY;
  for (const auto& [contact, limit] : closing_) t = std::min(t, limit);
  return t;
}

/// Whether such a change of the velocities leads into contacts that are at their surfaces and open: these join.
bool ContactRun::meets_others(const Eigen::VectorXd& change, std::vector<int>& contacts) {
  const std::vector<double> before = state_;
  for (Eigen::Index i = 0; i < change.size(); ++i) state_[e_.y.size() + static_cast<std::size_t>(i)] += change[i];
  look();
  const std::size_t known = contacts.size();
  for (int i = 0; i < count(); ++i) {
    const int row = contact(i).normal;
    if (!at_surface(i) || system_->rate(row) >= 0 || at_rest(row)) continue;
    if (std::find(contacts.begin(), contacts.end(), i) == contacts.end()) contacts.push_back(i);
  }
  state_ = before;
  look();
  return contacts.size() > known;
}

/// Contacts whose impacts accumulate lose what is left of their rates and stay closed.
void ContactRun::close_accumulated(const std::vector<int>& set, double after) {
  // What lies on it without pressing while it flies bounces with it.
  std::vector<int> all = set;
  for (int i = 0; i < count(); ++i) {
    const ContactMode& mode = mode_[static_cast<std::size_t>(i)];
    if (mode.closed || (mode.touches && std::find(set.begin(), set.end(), i) == set.end())) all.push_back(i);
  }
  std::vector<int> rows;
  ConeProblem problem;
  Eigen::VectorXd rates, p, change;
  do {
    rows = rows_of(all);
    problem = cone(all, rows);
    rates.resize(static_cast<Eigen::Index>(rows.size()));
    for (std::size_t k = 0; k < rows.size(); ++k) rates[static_cast<Eigen::Index>(k)] = system_->rate(rows[k]);
    p = ending_impulses(all, problem, rates);
    change = system_->change(rows, p);
  } while (meets_others(change, all));
  const Eigen::VectorXd behind = rates + problem.D * p;
  book_impulses(all, problem, p, rates, behind, rows);
  for (const int i : set) impacts_[static_cast<std::size_t>(i)] = {};
  for (Eigen::Index i = 0; i < change.size(); ++i) state_[e_.y.size() + static_cast<std::size_t>(i)] += change[i];
  const Mode before = mode_;
  for (const int i : set) closing_.emplace_back(i, t_ + after);
  impacted_.assign(impacted_.size(), false);
  ending_ = set;
  const bool goes_on = choose_and_project(Told(slack_.size(), frictions()));
  ending_.clear();
  if (!goes_on) return;
  // What leaves without acceleration, but for rounding, does not come back.
  forget_closing();
  announce(before);
}

}  // namespace alembert::internal
