#include "alembert/run/course.h"

#include <utility>

#include "alembert/run/failure.h"

namespace alembert::internal {

namespace {

// Steps of a grid without an end; more than anyone makes, and few enough for their number to be exact.
constexpr double endless = 1e15;

}  // namespace

EventCourse::EventCourse(Engine& engine, const GridPoint& start, double t0, double h)
    : engine_(engine), t0_(t0), h_(h), counts_(engine.model.events.size(), 0), first_(start) {
  next_[0] = start;
  next_[1] = start;
  if (!engine.e.actions.empty()) resets_.emplace(engine);
  if (changes_act(engine)) {
    contacts_ = std::make_unique<ContactStates>(engine, h);
    contacts_->begin(start);
    changes_.emplace(engine.model);
  }
  if (engine.events) engine.events->begin(start);
  begin_steps(start);
}

void EventCourse::begin_steps(const GridPoint& start) {
  control_ = make_control(engine_, {}, t0_ + endless * h_, h_, start, t0_);
}

void EventCourse::go_on(const GridPoint& point, double t0, double h) {
  t0_ = t0;
  h_ = h;
  stopped_.clear();
  if (changes_) changes_->go_on();
  begin_steps(point);
  if (engine_.events) engine_.events->go_on(point);
}

bool EventCourse::fail(std::string words) {
  failure_ = std::move(words);
  return false;
}

bool EventCourse::advance(GridPoint& point) {
  happened_.clear();
  failure_.clear();
  if (!stopped_.empty()) return fail("'" + stopped_ + "' has stopped the motion at t = " + time_text(point.t));
  first_ = point;
  do {
    if (move(point)) continue;
    point = first_;
    begin_steps(point);
    if (engine_.events) engine_.events->go_on(point);
    return false;
  } while (!point.on_grid && stopped_.empty());
  return true;
}

// One part of a step.
bool EventCourse::move(GridPoint& point) {
  bool last = false;
  if (control_->advance(point, next_, last) == 0) return fail(control_->failure());
  acting_.clear();
  if (engine_.events && !meet_events(point, next_[0]))
    return fail("the events behind t = " + time_text(point.t) +
                " could not be found: part of the step has no solution; try a smaller step");
  if (contacts_) meet_changes(point, next_[0]);
  swap(point, next_[0]);
  return (acting_.empty() && changing_.empty()) || act(point);
}

void EventCourse::meet_changes(const GridPoint& from, const GridPoint& to) {
  const int events = static_cast<int>(engine_.model.events.size());
  for (const ContactStates::Change& change : contacts_->take(from, to)) {
    changes_->happened(change.contact, change.kind, to.t);
    EventRecord record;
    record.event = events + change.contact;
    record.t = to.t;
    record.state = to.state;
    record.kind = change.kind;
    happened_.push_back(std::move(record));
  }
  changing_ = changes_->acting();
  if (stopped_.empty()) stopped_ = changes_->stopped();
}

bool EventCourse::meet_events(const GridPoint& from, GridPoint& to) {
  engine_.begin_dense(from, to);
  if (!engine_.events->search(from, to, false, found_)) return false;
  for (EventRecord& record : found_) {
    const Event& event = engine_.model.events[record.event];
    const bool enough = ++counts_[counter(event, record.event)] == event.stop_after;
    const bool stops = event.stop || enough;
    if (stops || !event.actions.empty()) cut(to, record, true);
    if (stops && stopped_.empty()) stopped_ = event.name;
    if (!event.actions.empty()) acting_.push_back(happened_.size());
    happened_.push_back(std::move(record));
  }
  return true;
}

bool EventCourse::apply(int number, const Event& event, GridPoint& at) {
  const std::string wrong =
      resets_->apply(number, at, engine_.multipliers.at(at.t, at.state).subspan(engine_.e.z.size()));
  return wrong.empty() || fail("what '" + event.name + "' sets at t = " + time_text(at.t) + " cannot be: " + wrong);
}

bool EventCourse::act(GridPoint& at) {
  const Model& model = engine_.model;
  for (const std::size_t i : acting_) {
    const int number = happened_[i].event;
    if (!apply(number, model.events[static_cast<std::size_t>(number)], at)) return false;
    happened_[i].state = at.state;
  }
  for (const int number : std::exchange(changing_, {})) {
    const Event& change = model.contact_events[static_cast<std::size_t>(number)];
    if (!apply(static_cast<int>(model.events.size()) + number, change, at)) return false;
    for (EventRecord& record : happened_)
      if (record.event == static_cast<int>(model.events.size()) + change.contact && record.kind == change.kind)
        record.state = at.state;
  }
  begin_steps(at);
  if (engine_.events) engine_.events->go_on(at);
  return true;
}

void EventCourse::save(ByteWriter& out) const {
  out.write(counts_);
  out.write(stopped_);
  control_->save(out);
  if (engine_.events) engine_.events->save(out);
  if (!contacts_) return;
  contacts_->save(out);
  changes_->save(out);
}

void EventCourse::load(ByteReader& in) {
  in.refill(counts_);
  in.read(stopped_);
  control_->load(in);
  if (engine_.events) engine_.events->load(in);
  if (!contacts_) return;
  contacts_->load(in);
  changes_->load(in);
}

}  // namespace alembert::internal
