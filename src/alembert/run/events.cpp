#include "alembert/run/events.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/epsilon.h"

namespace alembert::internal {

namespace {

// Events that near to each other, as a part of a step, happen at once: between them is rounding.
constexpr double together = 1e-10;

/// Whether a time lies on the kink where a step ended, behind the point in front of it.
bool in_kink(const GridPoint& step_end, double t) {
  if ((!step_end.kink && !step_end.at_kink) || step_end.before.empty() || step_end.t == step_end.t_before) return false;
  return (t > step_end.t_before) == (step_end.t > step_end.t_before);
}

}  // namespace

void cut(GridPoint& step_end, const EventRecord& event, bool rest_follows) {
  const bool whole = event.share == 1;
  // An event that lies on the kink where the step ended, which has a side in front and one behind.
  const bool on_kink = in_kink(step_end, event.t);
  if (rest_follows) step_end.on_grid = step_end.on_grid && whole;
  step_end.kink = step_end.kink && (whole || on_kink);
  step_end.at_kink = step_end.at_kink && (whole || on_kink);
  step_end.t = event.t;
  step_end.state = event.state;
  if (!whole) step_end.contacts.clear();
}

EventWatch::EventWatch(const Model& model, const Equations& e, DenseOutput& dense, Multipliers& multipliers,
                       KernelOptions options)
    : model_(model),
      n_z_(e.z.size()),
      n_g_(e.g.size()),
      dense_(dense),
      multipliers_(multipliers),
      zeros_(e, e.events, dense, multipliers, options),
      counts_(e.events.size(), 0) {}

EventWatch::EventWatch(const EventWatch& other, DenseOutput& dense, Multipliers& multipliers)
    : model_(other.model_),
      n_z_(other.n_z_),
      n_g_(other.n_g_),
      dense_(dense),
      multipliers_(multipliers),
      zeros_(other.zeros_, dense, multipliers),
      counts_(other.counts_.size(), 0) {}

void EventWatch::save(ByteWriter& out) const {
  out.write(counts_);
  out.write(here_.sides);
}

void EventWatch::load(ByteReader& in) {
  in.refill(counts_);
  in.refill(here_.sides);
}

// Those that happen at once act in the order of the text, at the latest of their times, whatever rounding made of them.
void EventWatch::order_at_once(double rounding) {
  const auto acts = [&](const ZeroSearch::Zero& zero) {
    const Event& event = model_.events[zero.function];
    return event.stop || event.stop_after > 0 || !event.actions.empty();
  };
  for (auto first = crossed_.begin(); first != crossed_.end();) {
    const double latest = first->share + std::max(together, rounding);
    const auto behind = std::find_if(first, crossed_.end(), [&](const auto& zero) { return zero.share > latest; });
    if (std::any_of(first, behind, acts)) {
      const double share = (behind - 1)->share;
      std::stable_sort(first, behind, [](const auto& a, const auto& b) { return a.function < b.function; });
      std::for_each(first, behind, [&](ZeroSearch::Zero& zero) { zero.share = share; });
    }
    first = behind;
  }
}

int EventWatch::coming(const GridPoint& at, double dt) {
  ZeroSearch::Values values = here_;
  zeros_.know(at, values);
  const std::vector<double> now = values.values;
  GridPoint later = at;
  zeros_.pass(later, dt, values, 0);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const Event& event = model_.events[i];
    if (event.actions.empty() || std::isnan(values.values[i]) || now[i] * values.values[i] >= 0) continue;
    const int side = (now[i] < 0) == (dt > 0) ? 1 : -1;
    if (event.direction == 0 || event.direction == side) return static_cast<int>(i);
  }
  return -1;
}

bool EventWatch::search(const GridPoint& from, const GridPoint& to, bool last, std::vector<EventRecord>& found) {
  found.clear();
  if (!zeros_.search(from, here_, to, next_, last, crossed_)) return false;
  const double forward = to.t > from.t ? 1 : -1;
  std::erase_if(crossed_, [&](const ZeroSearch::Zero& zero) {
    const int wanted = model_.events[zero.function].direction;
    const int side = zero.side != 0 ? zero.side : -here_.sides[zero.function];
    return wanted != 0 && side * forward != wanted;
  });
  std::swap(here_, next_);
  order_at_once(16 * epsilon * std::abs(to.t / (to.t - from.t)));
  // Others at the time of the one that ends the step happen too.
  double end = 1;
  for (const ZeroSearch::Zero& zero : crossed_) {
    if (zero.share > end + together) break;
    const Event& event = model_.events[zero.function];
    const bool enough = ++counts_[counter(event, zero.function)] == event.stop_after;
    if (event.stop || enough || !event.actions.empty()) end = std::min(end, zero.share);
  }
  for (const ZeroSearch::Zero& zero : crossed_) {
    if (zero.share > end + together) break;
    EventRecord& record = found.emplace_back();
    record.event = zero.function;
    record.share = zero.share;
    record.t = dense_.time(zero.share);
    if (record.share == 1) {
      record.state = to.state;
      record.t = to.t;
    } else if (in_kink(to, record.t)) {
      // Behind it other forces hold, which a step that ends there would see; so short a way is straight.
      const double part = (record.t - to.t_before) / (to.t - to.t_before);
      record.state = to.before;
      for (std::size_t i = 0; i < record.state.size(); ++i) record.state[i] += part * (to.state[i] - to.before[i]);
    } else if (!dense_.at(record.share, record.state)) {
      return false;
    }
    const std::span<const double> rates = multipliers_.at(record.t, record.state);
    record.lambda.assign(rates.begin() + static_cast<long>(n_z_), rates.begin() + static_cast<long>(n_z_ + n_g_));
    record.psi.assign(rates.begin() + static_cast<long>(n_z_ + n_g_), rates.end());
  }
  return true;
}

}  // namespace alembert::internal
