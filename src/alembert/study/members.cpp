#include <tbb/parallel_for.h>

#include "alembert/run/simulate.h"
#include "alembert/study.h"

namespace alembert {

namespace {

Member run_member(const Stepper& stepper, const Values& values, const SimulateOptions& options) {
  Member member{values, {}, {}};
  try {
    auto engine = std::make_unique<internal::Engine>(stepper.engine());
    engine->reset_parameters();
    if (!engine->begin(values)) engine = stepper.engine().remade(values);
    member.report = internal::simulate(*engine, options);
  } catch (const InputError& error) { member.failure = error.diagnostics().at(0).message; }
  return member;
}

}  // namespace

std::vector<Member> sweep(const Stepper& stepper, const std::vector<Values>& values, const SimulateOptions& asked) {
  SimulateOptions options = asked;
  if (options.step == 0) options.step = stepper.h();
  if (!options.observers.empty())
    throw InputError("members of a sweep run side by side: observers would get the rows of all of them mixed");
  // What a run needs beyond the step is compiled once, before the members share it.
  internal::Engine& engine = stepper.engine();
  engine.prepare(internal::engine_options(engine.e, options, engine.t0));
  std::vector<Member> members(values.size());
  tbb::parallel_for(std::size_t(0), values.size(),
                    [&](std::size_t i) { members[i] = run_member(stepper, values[i], options); });
  return members;
}

}  // namespace alembert
