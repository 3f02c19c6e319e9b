#include <tbb/parallel_for.h>

#include <mutex>

#include "alembert/derive/names.h"
#include "alembert/run/control.h"
#include "alembert/run/inside_stepper.h"
#include "alembert/run/settled.h"
#include "alembert/run/simulate.h"
#include "alembert/study.h"

namespace alembert {

namespace {

Member run_member(const internal::Engine& usual, const Values& values, const SimulateOptions& options) {
  Member member{values, {}, {}};
  if (options.interrupt && options.interrupt->load(std::memory_order_relaxed)) {
    member.failure = "interrupted";
    return member;
  }
  const auto failed = [&](const InputError& error) {
    member.failure = error.diagnostics().at(0).message;
    return member;
  };
  try {
    member.report = internal::simulate(*usual.begun(values), options);
  } catch (const InputError& error) {
    const auto settled = internal::without_masses(usual.model, usual.e, values);
    if (!settled) return failed(error);
    try {
      internal::require_taken(usual.method, settled->model, settled->equations);
      const internal::Engine other(settled->model, settled->equations, usual.method, usual.asked);
      member.report = internal::simulate(*other.begun(values), options);
    } catch (const InputError& then) { return failed(then); }
  }
  return member;
}

}  // namespace

std::vector<Member> sweep(const Stepper& stepper, const std::vector<Values>& values, const SimulateOptions& asked,
                          const MemberObserver& observer) {
  SimulateOptions options = asked;
  if (options.step == 0) options.step = stepper.h();
  if (!options.observers.empty())
    throw InputError("members of a sweep run side by side: observers would get the rows of all of them mixed");
  options.progress = {};
  internal::Engine& engine = internal::InsideStepper::engine(stepper);
  Values named;
  for (const Values& one : values) named.insert(one.begin(), one.end());
  internal::check_names(engine.model, engine.e, named);
  internal::check_steps(options.steps, engine.method, engine.t0, options.end, options.step);
  // What a run needs beyond the step is compiled once, before the members share it.
  engine.prepare(internal::engine_options(engine.e, options, engine.t0));
  std::vector<Member> members(values.size());
  std::mutex telling;
  std::size_t done = 0;
  tbb::parallel_for(std::size_t(0), values.size(), [&](std::size_t i) {
    SimulateOptions own = options;
    if (Observer* one = observer ? observer(i) : nullptr) own.observers.push_back(one);
    members[i] = run_member(engine, values[i], own);
    const std::lock_guard<std::mutex> lock(telling);
    ++done;
    if (asked.progress) asked.progress(static_cast<double>(done) / static_cast<double>(values.size()));
  });
  return members;
}

}  // namespace alembert
