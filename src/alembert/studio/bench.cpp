#include "alembert/studio/bench.h"

#include <algorithm>

#include "alembert/default_methods.h"
#include "alembert/error.h"
#include "alembert/run/choose_method.h"
#include "alembert/run/report_names.h"
#include "alembert/study/sweep.h"

namespace alembert::internal::studio {
namespace {

// Texts between which one goes back and forth, and what is dragged on each of them.
constexpr std::size_t most_read = 4, most_compiled = 12;

// A value that is moved is moved again: how often a run is made while a slider is dragged, roughly. It decides whether
// compiling pays off.
constexpr double runs_of_a_drag = 30;

std::vector<std::string> as_overrides(const std::map<std::string, double>& values) {
  std::vector<std::string> overrides;
  for (const auto& [name, value] : values) overrides.push_back(name + "=" + to_text(value));
  return overrides;
}

std::shared_ptr<const Source> source_of(const Script& script) {
  return std::make_shared<const Source>(Source{script.path, script.text});
}

/// The first of a list that fits comes to its front; else nothing.
template <class T, class Fits>
T* found_and_first(std::list<std::unique_ptr<T>>& list, const Fits& fits) {
  const auto at = std::find_if(list.begin(), list.end(), [&](const auto& one) { return fits(*one); });
  if (at == list.end()) return nullptr;
  list.splice(list.begin(), list, at);
  return list.front().get();
}

template <class T>
T& put_first(std::list<std::unique_ptr<T>>& list, std::unique_ptr<T> one, std::size_t most) {
  list.push_front(std::move(one));
  if (list.size() > most) list.pop_back();
  return *list.front();
}

}  // namespace

struct Bench::Read {
  Script script;
  Model model;
  std::optional<Equations> equations;
};

/// Code for a text, a method and a set of open values. What is not open is folded in.
struct Bench::Compiled {
  RunWish wish;  // `values` has the names that are open, and the values of all others
  std::vector<std::string> open;
  Model model;
  Equations equations;
  MethodChoice choice;
  std::unique_ptr<Engine> engine;
};

Bench::Bench() = default;
Bench::~Bench() = default;

Bench::Read& Bench::read(const Script& script) {
  if (Read* known = found_and_first(read_, [&](const Read& one) { return one.script == script; })) return *known;
  return put_first(read_, std::make_unique<Read>(Read{script, read_model(source_of(script)), {}}), most_read);
}

const Model& Bench::model(const Script& script) { return read(script).model; }

const Equations& Bench::equations(const Script& script) {
  Read& known = read(script);
  if (!known.equations) known.equations = derive(known.model);
  return *known.equations;
}

Model Bench::changed(const RunWish& wish) {
  Model model = read_model(source_of(wish.script), as_overrides(wish.values));
  if (wish.step != 0) model.solve.step = wish.step;
  if (wish.end != 0) model.solve.end = wish.end;
  return model;
}

SimulateOptions Bench::options(const RunWish& wish, const Model& model) {
  SimulateOptions options;
  options.steps.control = wish.control;
  if (wish.control == Control::tolerance && wish.tolerance > 0) options.steps.tolerance = wish.tolerance;
  options.end = wish.end != 0 ? wish.end : model.solve.end.value_or(0);
  options.step = wish.step != 0 ? wish.step : model.solve.step.value_or(0);
  // As in a run from the command line: the first of steps that a tolerance chooses may be anything.
  if (options.step == 0 && wish.control == Control::tolerance) options.step = 1e-3 * options.end;
  std::vector<Diagnostic> missing;
  if (options.end == 0)
    missing.push_back({nullptr, {}, "the model says no end", "write it into the model, or give one"});
  else if (options.step == 0)
    missing.push_back({nullptr, {}, "the model says no step", "write it into the model, or give one"});
  if (!missing.empty()) throw InputError(std::move(missing));
  return options;
}

MethodChoice Bench::method(const RunWish& wish, const Model& model, const Equations& equations,
                           const SimulateOptions& options) {
  const bool unnamed = wish.method.empty() && wish.control == Control::tolerance;
  if (wish.method == "auto" || unnamed) return choose_method(model, equations, options);
  if (!wish.method.empty()) {
    return {find_method(parse_term(std::make_shared<const Source>(Source{"method", wish.method}))), ""};
  }
  if (model.solve.method) return {find_method(*model.solve.method), ""};
  const char* usual = model.port ? ALEMBERT_DEFAULT_PORT_METHOD : ALEMBERT_DEFAULT_METHOD;
  return {find_method(parse_term(std::make_shared<const Source>(Source{"method", usual}))), ""};
}

Bench::Compiled& Bench::compiled(const RunWish& wish, const SimulateOptions& options) {
  const Model& usual = model(wish.script);
  RunWish key = wish;
  std::vector<std::string> open;
  for (const auto& [name, value] : wish.values)
    if (can_stay_open(usual, name)) open.push_back(name);
  for (const std::string& name : open) key.values.erase(name);
  const auto fits = [&](const Compiled& one) {
    return one.open == open && one.wish.values == key.values && one.wish.script == key.script &&
           one.wish.method == key.method && one.wish.step == key.step && one.wish.end == key.end &&
           one.wish.control == key.control && one.wish.tolerance == key.tolerance;
  };
  if (Compiled* known = found_and_first(compiled_, fits)) return *known;
  auto fresh = std::make_unique<Compiled>();
  fresh->wish = key;
  fresh->open = open;
  fresh->model = read_model(source_of(wish.script), as_overrides(key.values));
  fresh->equations = derive(fresh->model, {.inputs = open});
  fresh->choice = method(wish, fresh->model, fresh->equations, options);
  EngineOptions asked = engine_options(fresh->equations, options);
  if (!open.empty()) asked.steps *= runs_of_a_drag;
  fresh->engine = std::make_unique<Engine>(fresh->model, fresh->equations, fresh->choice.method, asked);
  fresh->engine->prepare(asked);
  return put_first(compiled_, std::move(fresh), most_compiled);
}

Report Bench::run(const RunWish& wish, SimulateOptions options) {
  if (wish.values.empty()) {
    Compiled& code = compiled(wish, options);
    Engine engine(*code.engine);
    Report report = simulate(engine, options);
    report.choice = code.choice.reason;
    return report;
  }
  std::unique_ptr<Engine> engine;
  std::string choice;
  try {
    const Compiled& code = compiled(wish, options);
    engine = std::make_unique<Engine>(*code.engine);
    engine->reset_parameters();
    std::map<std::string, double> open;
    for (const std::string& name : code.open) open[name] = wish.values.at(name);
    if (!engine->begin(open)) engine.reset();
    choice = code.choice.reason;
  } catch (const InputError&) { engine.reset(); }
  if (engine) {
    Report report = simulate(*engine, options);
    report.choice = choice;
    return report;
  }
  // These values ask for other equations, or are wrong: they stand in the text then, and what is wrong is said of it.
  const Model model = changed(wish);
  const Equations equations = derive(model);
  const MethodChoice chosen = method(wish, model, equations, options);
  Report report = simulate(model, equations, chosen.method, options);
  report.choice = chosen.reason;
  return report;
}

Columns Bench::columns(const Model& model, const Equations& equations) { return make_columns(model, equations, false); }

}  // namespace alembert::internal::studio
