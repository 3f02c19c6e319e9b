#include "alembert/run/companion.h"

#include "alembert/base/finite.h"

namespace alembert::internal {

Companion::Companion(const Engine& engine, const GridPoint& from, double h)
    : of_(engine), multipliers_(engine.multipliers), t0_(from.t), h_(h), at_(from) {
  const std::span<const double> here = multipliers_.at(from.t, from.state);
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
    if (!engine.kernel) return;
    kernel_.emplace(engine.kernel, engine.parameters);
    kernel_->begin(*step_, from, here, from.t, 0, h);
  }
}

void Companion::begin_course() { course_ = std::make_unique<EventCourse>(*engine_, at_, t0_, h_); }

bool Companion::advance(double t, const SolvedStep<double>* first, const SolvedStep<double>* second) {
  if (course_) return course_->advance(at_) && !stopped();
  const bool made = advance_smoothly(first, second);
  at_.t = t;
  return made;
}

bool Companion::advance_smoothly(const SolvedStep<double>* first, const SolvedStep<double>* second) {
  if (kernel_) {
    if (kernel_->run(1) == 1) {
      kernel_->put(at_);
      return true;
    }
    kernel_.reset();
    const std::span<const double> here = multipliers_.at(at_.t, at_.state);
    if (all_finite(here)) step_->restart(here.data());
    step_->carry_on(at_.carried);
  }
  const auto make = [&] {
    return step_->advance(at_.t, h_, at_.state.data(), at_.compensation.data()).newton.outcome == Outcome::converged;
  };
  if (first && second) {
    // Multipliers cost more than the step: they are found where it is in doubt.
    const std::vector<double> carried = step_->carried();
    step_->guess_near(first, second);
    step_->be_brief(true);
    const bool made = make();
    step_->be_brief(false);
    if (made) return true;
    step_->carry_on(carried);
    const std::span<const double> here = multipliers_.at(at_.t, at_.state);
    if (all_finite(here)) step_->guess_from(here.data(), first, second);
  }
  return make();
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
  archive_motion(fields, kernel_, of_);
  if (!engine_) return;
  fields(*engine_);
  if (fields.reading()) begin_course();
  fields(*course_);
}

}  // namespace alembert::internal
