#include "alembert/run/contact_course.h"

#include "alembert/run/contact_run.h"
#include "alembert/run/failure.h"

namespace alembert::internal {

namespace {

SimulateOptions steps_of(double h) {
  SimulateOptions options;
  options.step = h;
  return options;
}

}  // namespace

std::unique_ptr<Course> make_course(Engine& engine, const GridPoint& start, double t0, double h) {
  if (ContactCourse::needed(engine)) return std::make_unique<ContactCourse>(engine, start, t0, h);
  if (EventCourse::needed(engine)) return std::make_unique<EventCourse>(engine, start, t0, h);
  return {};
}

ContactCourse::ContactCourse(Engine& engine, const GridPoint& start, double t0, double h)
    : engine_(engine),
      options_(steps_of(h)),
      t0_(t0),
      modes_(std::make_shared<ContactModes>(engine.model, engine.e, engine.method, engine.asked)) {
  begin(start);
}

ContactCourse::~ContactCourse() = default;

std::span<const EventRecord> ContactCourse::events() const { return run_->events(); }
const std::vector<long>& ContactCourse::counts() const { return run_->counts(); }
const std::string& ContactCourse::stopped() const { return run_->report().stopped; }
Engine& ContactCourse::engine() { return run_->mode_engine(); }

/// What a run left half done is never taken on.
void ContactCourse::begin(const GridPoint& point) {
  auto run = std::make_unique<ContactRun>(engine_, options_, modes_);
  run->begin_at(point, t0_);
  run_ = std::move(run);
}

void ContactCourse::go_on(const GridPoint& point, double t0, double h) {
  const SimulateOptions before = options_;
  const double grid = t0_;
  options_ = steps_of(h);
  t0_ = t0;
  try {
    begin(point);
  } catch (const InputError&) {
    options_ = before;
    t0_ = grid;
    throw;
  }
  made_ = 0;
}

bool ContactCourse::advance(GridPoint& point) {
  failure_.clear();
  if (!stopped().empty()) {
    failure_ = "'" + stopped() + "' has stopped the motion at t = " + time_text(point.t);
    return false;
  }
  options_.end = t0_ + static_cast<double>(made_ + 1) * options_.step;
  if (!run_->advance()) {
    failure_ = run_->report().reason;
    begin(point);
    return false;
  }
  run_->stand(point);
  ++made_;
  return true;
}

std::span<const double> ContactCourse::rates(const GridPoint&) {
  rates_ = run_->rates();
  return rates_;
}

void ContactCourse::save(ByteWriter& out) const {
  out.write(static_cast<std::int64_t>(made_));
  out.write(t0_);
  out.write(options_.step);
  Archive fields(out);
  run_->archive(fields);
}

void ContactCourse::load(ByteReader& in) {
  made_ = static_cast<long>(in.read<std::int64_t>());
  in.read(t0_);
  in.read(options_.step);
  Archive fields(in);
  run_->take_up(fields);
}

}  // namespace alembert::internal
