#include "alembert/run/rows.h"

#include <cmath>
#include <utility>

#include "alembert/run/report_names.h"

namespace alembert::internal {

Rows::Rows(Engine& engine, std::vector<Observer*> observers)
    : engine_(engine),
      observers_(std::move(observers)),
      columns_(make_columns(engine.model, engine.e, engine.options.dirac)) {
  row_.reserve(columns_.names.size());
  broken_.resize(observers_.size(), false);
}

// A file that cannot be written does not keep the others from theirs.
template <class Do>
void Rows::each(const Do& act) {
  for (std::size_t i = 0; i < observers_.size(); ++i) {
    if (broken_[i]) continue;
    try {
      act(*observers_[i]);
    } catch (const WriteError& error) {
      broken_[i] = true;
      failure_ += (failure_.empty() ? "" : "; ") + error.diagnostics().at(0).message;
    }
  }
}

void Rows::begin(const RunDescription& run) {
  for (Observer* observer : observers_) observer->begin(columns_, run);
}

void Rows::go_on(const RunDescription& run, std::span<const Observer::Mark> marks) {
  for (Observer* observer : observers_) observer->go_on(columns_, run, marks);
}

void Rows::end() {
  each([](Observer& observer) { observer.end(); });
}

std::vector<Observer::Mark> Rows::marks() {
  std::vector<Observer::Mark> marks;
  each([&](Observer& observer) {
    if (Observer::Mark mark = observer.mark(); !mark.empty()) marks.push_back(std::move(mark));
  });
  return marks;
}

void Rows::make(double t, std::span<const double> state, const Balance& balance) {
  const Watch& watch = engine_.watch;
  const std::span<const double> multipliers = engine_.multipliers.at(t, state).subspan(engine_.e.z.size());
  engine_.motion.look(t, state);
  row_.assign(1, t);
  add(state);
  if (!columns_.momenta.empty()) add(engine_.motion.momentum());
  add(multipliers);
  if (!columns_.energy.empty()) row_.push_back(watch.energy());
  row_.insert(row_.end(), {watch.position(), watch.velocity(), watch.nonholonomic()});
  add(watch.invariants());
  if (!columns_.observed.empty()) {
    engine_.observed.glance(t, state, engine_.multipliers);
    add(engine_.observed.values());
  }
  if (!engine_.ports) return;
  engine_.ports->look(t, state, multipliers);
  add(engine_.ports->all());
  const bool known = t == balance.t && balance.parted;
  const double none = std::nan("");
  row_.push_back(watch.energy() - watch.energy_watched.initial);
  row_.push_back(known ? balance.dissipated : none);
  row_.push_back(known ? balance.supplied : none);
  row_.push_back(known ? balance.residual : none);
}

void Rows::record(double t, std::span<const double> state, const Balance& balance) {
  if (observers_.empty()) return;
  make(t, state, balance);
  each([&](Observer& observer) { observer.row(row_); });
}

void Rows::record_event(int number, double t, std::span<const double> state, const Balance& balance) {
  if (observers_.empty()) return;
  make(t, state, balance);
  each([&](Observer& observer) { observer.event(number, row_); });
}

}  // namespace alembert::internal
