#include "alembert/run/contact_changes.h"

#include <cmath>
#include <utility>

#include "alembert/base/bytes.h"
#include "alembert/run/events.h"

namespace alembert::internal {

ContactChanges::ContactChanges(const Model& model)
    : model_(model), counts_(model.contact_events.size(), 0), acted_(model.contact_events.size(), -INFINITY) {}

void ContactChanges::happened(int contact, const std::string& kind, double t) {
  for (std::size_t i = 0; i < model_.contact_events.size(); ++i) {
    const Event& event = model_.contact_events[i];
    if (event.contact != contact || event.kind != kind) continue;
    const auto counted = static_cast<std::size_t>(counter(event, static_cast<int>(i)));
    if (++counts_[counted] == event.stop_after && stopped_.empty()) stopped_ = event.name;
    if (event.actions.empty() || acted_[i] == t) continue;
    acted_[i] = t;
    acting_.push_back(static_cast<int>(i));
  }
}

std::vector<int> ContactChanges::acting() { return std::exchange(acting_, {}); }

void ContactChanges::save(ByteWriter& out) const {
  out.write(counts_);
  out.write(acted_);
  out.write(stopped_);
}

void ContactChanges::load(ByteReader& in) {
  in.refill(counts_);
  in.refill(acted_);
  in.read(stopped_);
}

}  // namespace alembert::internal
