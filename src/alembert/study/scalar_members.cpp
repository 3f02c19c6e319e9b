// Members by the compiled engine, one trajectory at a time.

#include <algorithm>
#include <optional>

#include "alembert/error.h"
#include "alembert/output/report_words.h"
#include "alembert/run/simulate.h"
#include "alembert/study/member_columns.h"
#include "alembert/study/member_engine.h"

namespace alembert::internal {

namespace {

class ScalarMembers final : public MemberEngine {
 public:
  explicit ScalarMembers(const MemberTask& task) : task_(task) {
    require_taken(*task.method, *task.model, *task.equations);
    EngineOptions options = engine_options(*task.equations, task.simulation);
    options.steps *= task.members;
    prototype_.emplace(*task.model, *task.equations, *task.method, options);
  }

  std::vector<MemberResult> run(const MemberBatch& batch) const override {
    std::vector<MemberResult> results;
    results.reserve(batch.count);
    const std::size_t width = task_.names.size();
    for (std::size_t i = 0; i < batch.count; ++i) results.push_back(run_one(batch.values.data() + i * width, nullptr));
    return results;
  }

  MemberResult run_one(const double* values, Observer* observer) const {
    MemberResult result;
    if (task_.simulation.interrupt && task_.simulation.interrupt->load(std::memory_order_relaxed)) {
      result.interrupted = true;
      return result;
    }
    NamedValues named;
    for (std::size_t i = 0; i < task_.names.size(); ++i) named[task_.names[i]] = values[i];
    try {
      // A copy for each, so that nothing of one run reaches the next.
      std::unique_ptr<Engine> engine = prototype_->begun(named);
      SimulateOptions options = task_.simulation;
      if (observer) options.observers = {observer};
      const Report report = simulate(*engine, options);
      result.interrupted = report.ending == Ending::interrupted;
      result.failure = report.reason;
      if (report.ending == Ending::failed && result.failure.empty()) result.failure = "failed";
      result.warnings = report.warnings;
      if (std::optional<Warning> moved = moved_start(task_, engine->initial, engine->t0)) {
        if (options.strict && result.failure.empty()) result.failure = moved->text;
        result.warnings.insert(result.warnings.begin(), std::move(*moved));
      }
      result.cells = member_cells(report, task_.columns);
    } catch (const InputError& error) {
      result.refused = true;
      result.failure = error.diagnostics().at(0).message;
      result.cells.assign(task_.columns.size(), {});
    }
    return result;
  }

 private:
  MemberTask task_;
  std::optional<Engine> prototype_;
};

}  // namespace

std::unique_ptr<MemberEngine> make_scalar_engine(const MemberTask& task) {
  return std::make_unique<ScalarMembers>(task);
}

std::optional<Warning> moved_start(const MemberTask& task, const InitialValues& initial, double t0) {
  std::string moved;
  for (const InitialValues::Change& change : initial.changes)
    if (std::find(task.names.begin(), task.names.end(), change.name) != task.names.end())
      moved += (moved.empty() ? "" : ", ") + moved_text(change.name, change.from, change.to);
  if (moved.empty()) return {};
  return Warning{"start", "the constraints do not allow what was varied; it was moved: " + moved, t0};
}

MemberResult run_observed(const MemberTask& task, const std::vector<double>& values, Observer& observer) {
  return ScalarMembers(task).run_one(values.data(), &observer);
}

}  // namespace alembert::internal
