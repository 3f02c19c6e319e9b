#include "alembert/study/program_members.h"

#include <algorithm>
#include <cmath>

#include "alembert/error.h"
#include "alembert/run/report_names.h"
#include "alembert/run/simulate.h"

namespace alembert::internal {

namespace {

// Residuals above this are not what a good step leaves: the scalar engine knows what to say.
constexpr double suspicious_residual = 1e-9;

// A function of an event this near to zero at the start may be there but for rounding; the scalar engine, which looks
// closer, is right in any case.
constexpr double on_event = 1e-9;

/// Whole steps from the start to the end; 0 where the last one would be cut.
long whole_steps(double t0, double end, double h) {
  constexpr double rounding = 1e-9;  // of the quotient; a step that is cut by more is another step
  const double count = (end - t0) / h;
  const double whole = std::round(count);
  return whole >= 1 && whole < 1e15 && std::abs(count - whole) <= rounding * whole ? static_cast<long>(whole) : 0;
}

bool stops(const Event& event) { return event.stop || event.stop_after == 1; }

/// The program locates events, and can end with one.
std::string unsuitable(const MemberTask& task) {
  const StepOptions& steps = task.simulation.steps;
  if (steps.control != Control::fixed) return "steps have no fixed size";
  if (steps.most_steps != 0) return "the number of steps is limited";
  if (task.simulation.strict) return "warnings are to be failures, and only single runs warn";
  for (const Event& event : task.model->events)
    if ((event.stop || event.stop_after > 0 || !event.actions.empty()) && !(stops(event) && event.actions.empty()))
      return "events stop the motion or set something";
  return "";
}

}  // namespace

ProgramMembers::ProgramMembers(const MemberTask& task, int rows, bool lean)
    : task_(task), scalar_(make_scalar_engine(task)) {
  why_ = unsuitable(task);
  if (!why_.empty()) return;
  const EngineOptions options = engine_options(*task.equations, task.simulation);
  prototype_ = std::make_unique<Engine>(*task.model, *task.equations, *task.method, options);
  steps_ = whole_steps(prototype_->t0, task.simulation.end, options.step);
  if (steps_ == 0) why_ = "the end is not a whole number of steps away";
  if (why_.empty()) find_columns();
  if (!why_.empty()) return;
  // Residuals say whether a member can be trusted; the energy costs more, and is there for those who ask for it.
  const bool energy = std::any_of(columns_.begin(), columns_.end(), [](const Column& column) {
    return column.source == Source::energy_first || column.source == Source::energy_last ||
           column.source == Source::energy_error;
  });
  EngineProgramOptions wanted{
      .rows = rows, .reduce = true, .lean = lean, .watch = true, .energy = energy, .locate = true};
  EngineProgram made = program_of(*prototype_, wanted);
  program_ = std::move(made.step);
  why_ = made.why;
  if (!program_ || program_->own_matrix) return;
  wanted.own_matrix = true;
  exact_ = std::move(program_of(*prototype_, wanted).step);
}

/// A report whose entries tell where they come from.
void ProgramMembers::find_columns() {
  constexpr double of_y = 1e6, of_v = 2e6;  // no other entry of an empty report has such numbers
  const Equations& e = *task_.equations;
  Report report;
  describe(report, *task_.model, e, Method());
  for (std::size_t i = 0; i < e.y.size(); ++i) report.y.push_back(of_y + static_cast<double>(i));
  for (std::size_t i = 0; i < e.v.size(); ++i) report.v.push_back(of_v + static_cast<double>(i));
  const std::vector<ReportEntry> known = entries(report);
  const auto places = std::vector<std::pair<std::string, Source>>{{"t", Source::time},
                                                                  {"statistics.steps", Source::steps},
                                                                  {"energy.initial", Source::energy_first},
                                                                  {"energy.final", Source::energy_last},
                                                                  {"energy.max_error", Source::energy_error},
                                                                  {"residual.position", Source::position},
                                                                  {"residual.velocity", Source::velocity},
                                                                  {"residual.nonholonomic", Source::nonholonomic}};
  const auto state_of = [&](const std::string& path) -> std::optional<int> {
    for (const ReportEntry& entry : known) {
      if (entry.path != path || !std::holds_alternative<double>(entry.value)) continue;
      const double mark = std::get<double>(entry.value);
      if (mark >= of_v && e.v == e.z) return static_cast<int>(mark - of_v) + static_cast<int>(e.y.size());
      if (mark >= of_y && mark < of_v) return static_cast<int>(mark - of_y);
    }
    return {};
  };
  const std::vector<Event>& events = task_.model->events;
  const bool ends = std::any_of(events.begin(), events.end(), stops);
  for (const std::string& path : task_.columns) {
    const auto place = std::find_if(places.begin(), places.end(), [&](const auto& one) { return one.first == path; });
    if (place != places.end()) {
      columns_.push_back({place->second});
      continue;
    }
    if (const std::optional<int> state = state_of(path)) {
      columns_.push_back({Source::state, *state});
      continue;
    }
    const auto event = std::find_if(events.begin(), events.end(),
                                    [&](const Event& one) { return path == "events." + one.name + ".t"; });
    if (event == events.end()) {
      why_ = "'" + path + "' is known of single runs only";
      return;
    }
    columns_.push_back({Source::event, static_cast<int>(event - events.begin())});
  }
  // Programs end with the step in which an event stops the motion, not with the event.
  if (ends && std::any_of(columns_.begin(), columns_.end(), [](const Column& c) { return c.source != Source::event; }))
    why_ = "where an event stops the motion, only times of events are known (events.NAME.t)";
}

/// When an event ended the motion.
double ProgramMembers::stopped_at(const StepProgram& step, const double* v) const {
  double t = StepProgram::never;
  const std::vector<Event>& events = task_.model->events;
  for (std::size_t i = 0; i < events.size(); ++i)
    if (stops(events[i])) t = std::min(t, v[step.crossed + static_cast<int>(i)]);
  return t;
}

bool ProgramMembers::begin(const StepProgram& step, Engine& engine, const double* values, double* variables,
                           double* table) const {
  NamedValues named;
  for (std::size_t i = 0; i < task_.names.size(); ++i) named[task_.names[i]] = values[i];
  try {
    engine.reset_parameters();
    if (!engine.begin(named) || moved_start(task_, engine.initial, engine.t0)) return false;
  } catch (const InputError&) { return false; }
  begin_program(engine, step, static_cast<double>(steps_), variables);
  // A motion that begins on an event: whether that is one is no matter of a sign, which is rounding.
  for (std::size_t i = 0; i < task_.model->events.size(); ++i) {
    const double value = variables[step.crossing + static_cast<int>(i)];
    if (!(std::abs(value) > on_event)) return false;
  }
  std::copy(engine.parameters.begin(), engine.parameters.end(), table);
  return true;
}

std::optional<MemberResult> ProgramMembers::result(const StepProgram& s, const double* v) const {
  if (v[s.status] != 0 || v[s.left] != 0) return {};
  const auto finite = [&](int place) { return place < 0 || std::isfinite(v[place]); };
  for (int i = 0; i < s.states; ++i)
    if (!finite(s.state + i)) return {};
  if (!finite(s.energy) || !finite(s.energy_error)) return {};
  const double energy = v[s.first_energy], error = v[s.energy_error];
  const bool holds_velocity = static_cast<bool>(task_.method->claims.velocity);
  if (!(v[s.position] <= suspicious_residual) || (holds_velocity && !(v[s.velocity] <= suspicious_residual))) return {};
  MemberResult result;
  const double last = stopped_at(s, v);
  for (const Column& column : columns_) switch (column.source) {
      case Source::time: result.cells.emplace_back(task_.simulation.end); break;
      case Source::steps: result.cells.emplace_back(static_cast<long>(v[s.made])); break;
      case Source::energy_first: result.cells.emplace_back(energy); break;
      case Source::energy_last: result.cells.emplace_back(v[s.energy]); break;
      case Source::energy_error: result.cells.emplace_back(error); break;
      case Source::position: result.cells.emplace_back(v[s.position]); break;
      case Source::velocity: result.cells.emplace_back(v[s.velocity]); break;
      case Source::nonholonomic: result.cells.emplace_back(v[s.nonholonomic]); break;
      case Source::state: result.cells.emplace_back(v[s.state + column.index]); break;
      case Source::event: {
        const double t = v[s.crossed + column.index];
        if (t < StepProgram::never && t <= last) result.cells.emplace_back(t);
        else result.cells.emplace_back();
        break;
      }
    }
  return result;
}

MemberResult ProgramMembers::scalar(const double* values) const {
  MemberBatch batch;
  batch.count = 1;
  batch.values.assign(values, values + task_.names.size());
  return std::move(scalar_->run(batch).at(0));
}

}  // namespace alembert::internal
