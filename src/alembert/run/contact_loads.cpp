// Friction in joints and in constraints: its bound is a function of their reactions, which friction itself changes.

#include <algorithm>
#include <cmath>

#include "alembert/run/contact_cone.h"
#include "alembert/run/contact_run.h"
#include "alembert/run/contact_system.h"

namespace alembert::internal {

namespace {

// Loads follow from forces and forces from loads, in turns, with half of the way from the tenth on: friction that
// changes its own load by less than itself gets there to rounding (coefficient 0.5 in a bearing: 20 turns).
constexpr int most_load_turns = 200, halved_from = 10;
constexpr double same_load = 1e-14;

}  // namespace

/// The laws of contacts where some have loads. at_rest: the multipliers without contacts; null for impulses.
std::optional<ConeSolution> ContactRun::solved(ConeProblem& problem, const std::vector<int>& contacts,
                                               const std::vector<double>* at_rest) {
  if (std::none_of(problem.contacts.begin(), problem.contacts.end(), [](const auto& c) { return c.given; }))
    return solve(problem);
  const std::vector<int> rows = rows_of(contacts);
  const std::vector<double> none(base_.e.lambda.size() + base_.e.psi.size(), 0);
  // A load that is there without multipliers has no impulse.
  const std::vector<double> resting = at_rest ? std::vector<double>(mode_.size(), 0) : system_->loads(none);
  const std::vector<double>& first = at_rest ? *at_rest : kink_impulses_.empty() ? none : kink_impulses_;
  std::vector<double> multipliers = first;
  for (int turn = 0; turn < most_load_turns; ++turn) {
    const std::vector<double> loads = system_->loads(multipliers);
    double change = 0, size = 0;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      ConeProblem::Contact& c = problem.contacts[k];
      if (!c.given) continue;
      const auto i = static_cast<std::size_t>(contacts[k]);
      double load = std::max(0.0, loads[i] - resting[i]);
      if (turn >= halved_from) load = (load + c.offset) / 2;
      change = std::max(change, std::abs(load - c.offset));
      size = std::max(size, load);
      c.offset = load;
    }
    std::optional<ConeSolution> found = solve(problem);
    if (!found || (turn > 0 && change <= same_load * size)) return found;
    const std::vector<double> added = system_->reactions(rows, found->p);
    for (std::size_t k = 0; k < added.size(); ++k) multipliers[k] = first[k] + added[k];
  }
  return {};
}

}  // namespace alembert::internal
