// A motion with contacts that somebody advances part by part.

#include <algorithm>

#include "alembert/run/contact_run.h"
#include "alembert/run/contact_system.h"

namespace alembert::internal {

void ContactRun::begin_at(const GridPoint& point, double grid) {
  in_parts_ = true;
  t_ = point.t;
  piece_begin_ = t_;
  state_ = point.state;
  handed_.grid = grid;
  handed_.counts.assign(base_.model.events.size(), 0);
  begin();
}

/// What was set from outside acts at once: a contact that was closed may open, one that stuck slip.
void ContactRun::take_parameters() {
  if (std::equal(parameters_.begin(), parameters_.end(), base_.parameters.begin())) return;
  std::copy(base_.parameters.begin(), base_.parameters.end(), parameters_.begin());
  going_ = true;
  books_.report().ending = Ending::done;
  look();
  for (int i = 0; i < count(); ++i)
    if (system_->gap(i) < -10 * slack_[static_cast<std::size_t>(i)]) return fail(inside(i));
  settle(Told(slack_.size(), frictions()), true);
}

bool ContactRun::advance() {
  Report& report = books_.report();
  report.events.erase(report.events.begin(), report.events.begin() + static_cast<std::ptrdiff_t>(told_));
  for (std::size_t& i : pending_) i -= told_;
  ended_ = false;
  try {
    take_parameters();
    while (going_ && segment()) continue;
    if (going_) mode_engine();
  } catch (const InputError& error) {
    fail("the motion cannot go on with these contacts at t = " + time_text(t_) + ": " +
         error.diagnostics().at(0).message);
  }
  told_ = report.events.size();
  std::copy(parameters_.begin(), parameters_.end(), base_.parameters.begin());
  return report.ending == Ending::done;
}

std::span<const EventRecord> ContactRun::events() { return std::span(books_.report().events).first(told_); }

void ContactRun::stand(GridPoint& point) const {
  point.t = t_;
  point.state = state_;
  point.compensation.assign(state_.size(), 0);
}

Engine& ContactRun::mode_engine() {
  take_parameters();
  compiled_ = &modes_.at(mode_, slack_, t_, state_, parameters_);
  list_reactions(compiled_->engine);
  return compiled_->engine;
}

std::vector<double> ContactRun::rates() {
  Engine& engine = mode_engine();
  const std::span<const double> all = engine.multipliers.at(t_, state_);
  const auto own = all.first(e_.z.size() + e_.lambda.size());
  const auto psi = all.subspan(e_.z.size() + engine.e.lambda.size(), e_.psi.size());
  std::vector<double> rates(own.begin(), own.end());
  rates.insert(rates.end(), psi.begin(), psi.end());
  return rates;
}

}  // namespace alembert::internal
