#include "alembert/run/companion.h"

#include "alembert/base/finite.h"

namespace alembert::internal {

Companion::Companion(const Engine& engine, const GridPoint& from, double h)
    : of_(engine), t0_(from.t), h_(h), at_(from) {
  Multipliers multipliers(engine.multipliers);  // of its own: asking leaves a trace
  const std::span<const double> here = multipliers.at(from.t, from.state);
  ready_ = all_finite(here);
  if (!ready_) return;
  if (meets_kinks(engine)) {
    engine_ = std::make_unique<Engine>(engine);
    engine_->step.begin(here.data());
    engine_->step.carry_on(from.carried);
    begin_course();
  } else {
    step_.emplace(engine.step.clone());
    step_->begin(here.data());
  }
}

void Companion::begin_course() { course_ = std::make_unique<Course>(*engine_, at_, t0_, h_); }

bool Companion::advance(double t) {
  if (course_) return course_->advance(at_) && !stopped();
  const StepResult result = step_->advance(at_.t, h_, at_.state.data(), at_.compensation.data());
  at_.t = t;
  return result.newton.outcome == Outcome::converged;
}

long Companion::resets() const {
  long sum = 0;
  if (course_)
    for (std::size_t i = 0; i < of_.model.events.size(); ++i)
      if (!of_.model.events[i].actions.empty()) sum += course_->counts()[i];
  return sum;
}

void Companion::archive(Archive& fields) {
  fields(t0_, h_, ready_, at_);
  if (step_) fields(*step_);
  if (!engine_) return;
  fields(*engine_);
  if (fields.reading()) begin_course();
  fields(*course_);
}

}  // namespace alembert::internal
