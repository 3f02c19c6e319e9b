#include "alembert/stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <unordered_set>
#include <utility>

#include "alembert/base/bytes.h"
#include "alembert/base/inside.h"
#include "alembert/base/lists.h"
#include "alembert/run/course.h"
#include "alembert/run/inside_stepper.h"
#include "alembert/run/settled.h"
#include "alembert/run/simulate.h"
#include "alembert/version.h"

namespace alembert {

using internal::Engine;
using internal::EngineOptions;
using internal::GridPoint;
using internal::inside;

namespace {

constexpr double usual_step = 0.01;  // where neither the model nor its user says one
constexpr const char* moved_from = "this stepper was moved from and holds nothing";

EngineOptions engine_options(const Equations& equations, const CompileOptions& options) {
  EngineOptions result;
  result.t0 = options.start;
  result.step = options.step != 0 ? options.step : equations.model().step().value_or(usual_step);
  result.steps = options.steps;
  result.rows = options.steps;
  result.newton = options.newton;
  return result;
}

}  // namespace

struct Stepper::Body {
  Equations equations;
  Method method;
  CompileOptions options;
  std::unique_ptr<Engine> engine;
  double seconds = 0;  // of compiling
  // Where masses vanish since the last restart: the engine is one of these equations, and the usual one waits.
  std::shared_ptr<const internal::SettledModel> settled;
  std::shared_ptr<Engine> usual;
  std::vector<std::pair<std::size_t, double>> held;  // parameters that are folded, and their values
  std::vector<std::string> names, event_names;

  // Where it stands: at t_base + n h.
  GridPoint point, next;
  double t_base = 0, h = 0;
  long n = 0;
  bool failed = false;
  std::string failure;                       // in words, where the step alone does not say it
  std::unique_ptr<internal::Course> course;  // where the model has events, kinks or contacts

  Body(Equations equations_, Method method_, const CompileOptions& options_)
      : equations(std::move(equations_)), method(std::move(method_)), options(options_) {
    compile();
    const internal::Equations& e = inside(equations);
    names = internal::joined<std::string>(e.y_names, e.z_names);
    const internal::Model& model = inside(equations.model());
    for (const internal::Event& event : model.events) event_names.push_back(event.name);
    for (const internal::Contact& contact : model.contacts) event_names.push_back(contact.name);
  }
  Body(const Body& other)
      : equations(other.equations),
        method(other.method),
        options(other.options),
        engine(std::make_unique<Engine>(*other.engine)),
        seconds(other.seconds),
        settled(other.settled),
        usual(other.usual),
        held(other.held),
        names(other.names),
        event_names(other.event_names),
        point(other.point),
        next(other.next),
        t_base(other.t_base),
        h(other.h),
        n(other.n),
        failed(other.failed),
        failure(other.failure) {
    engine->maker.failed = other.engine->maker.failed;
    // Clones begin without history: what the next steps use is taken over.
    begin_course();
    internal::ByteWriter out;
    other.engine->step.save(out);
    other.engine->multipliers.save(out);
    if (other.course) other.course->save(out);
    internal::ByteReader in(out.bytes());
    engine->step.load(in);
    engine->multipliers.load(in);
    if (course) course->load(in);
  }

  void compile() {
    const auto begin = std::chrono::steady_clock::now();
    engine = std::make_unique<Engine>(inside(equations.model()), inside(equations), inside(method),
                                      engine_options(equations, options));
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    h = engine->options.step;
    stand_at(engine->point());
    begin_course();
  }
  /// From the start, with these values: with the engine that there is, or another.
  void begin(const std::map<std::string, double>& values) {
    const Engine& own = usual ? *usual : *engine;
    std::shared_ptr<const internal::SettledModel> without;
    std::unique_ptr<Engine> fresh;
    try {
      fresh = own.begun(values);
    } catch (const InputError&) {
      without = internal::without_masses(inside(equations.model()), inside(equations), values);
      if (!without) throw;
      internal::require_taken(inside(method), without->model, without->equations);
      fresh = std::make_unique<Engine>(without->model, without->equations, inside(method),
                                       engine_options(equations, options))
                  ->begun(values);
    }
    // Nothing has changed where no motion begins here.
    const GridPoint start = fresh->point();
    course = internal::make_course(*fresh, start, start.t, h);
    if (without && !usual) usual = std::move(engine);
    if (!without) usual.reset();
    engine = std::move(fresh);
    settled = std::move(without);
    stand_at(start);
    held.clear();
    const std::vector<std::string> names = equations.inputs();
    for (std::size_t i = 0; settled && i < names.size(); ++i)
      if (std::find(settled->names.begin(), settled->names.end(), names[i]) != settled->names.end())
        held.emplace_back(i, engine->parameters[i]);
  }
  /// Why the values of open parameters ask for other equations than those that there are; "" where they do not.
  std::string refusal(std::size_t parameter, double value) const {
    for (const auto& [i, fixed] : held)
      if (i == parameter && value != fixed)
        return "'" + equations.inputs()[i] + "' stays " + to_text(fixed) +
               ": masses vanish with it, which leaves other equations; another value takes a restart";
    return "";
  }
  bool keeps_settled() noexcept {
    for (const auto& [i, fixed] : held)
      if (engine->parameters[i] != fixed) {
        failure = refusal(i, engine->parameters[i]);
        return false;
      }
    return true;
  }
  void stand_at(const GridPoint& start) {
    point = start;
    next = start;
    t_base = start.t;
    n = 0;
    failed = false;
  }
  void begin_course() {
    course.reset();
    course = internal::make_course(*engine, point, t_base, h);
  }
  void begin_counting() {
    if (course) course->go_on(point, point.t, h);
    t_base = point.t;
    n = 0;
    failed = false;
  }
  bool follow_course() noexcept {
    try {
      if (course->advance(point)) return true;
      failure = course->failure();
    } catch (const std::exception& error) { failure = error.what(); }
    return false;
  }
  std::span<const double> rates() {
    return course ? course->rates(point) : engine->multipliers.at(point.t, point.state);
  }
  /// The motion begins anew where something was set; where it cannot, all is as it was.
  template <class Set>
  void change(const Set& set) {
    const GridPoint before = point;
    const std::vector<double> parameters(engine->parameters.begin(), engine->parameters.end());
    const double step = h;
    try {
      if (set()) forget_history();
    } catch (const InputError&) {
      point = before;
      h = step;
      std::copy(parameters.begin(), parameters.end(), engine->parameters.begin());
      throw;
    }
  }
  void forget_history() {
    const std::span<const double> here = engine->multipliers.at(point.t, point.state);
    if (std::all_of(here.begin(), here.end(), [](double x) { return std::isfinite(x); }))
      engine->step.restart(here.data());
    begin_counting();
  }
  void look() { engine->watch.glance(point.t, point.state); }
};

Stepper::Stepper(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Stepper::Stepper(const Stepper& other) : body_(std::make_unique<Body>(other.body())) {}
Stepper::Stepper(Stepper&&) noexcept = default;
Stepper& Stepper::operator=(Stepper other) noexcept {
  std::swap(body_, other.body_);
  return *this;
}
Stepper::~Stepper() = default;

Stepper::Body& Stepper::body() const {
  if (!body_) throw InputError(moved_from, "use the one that it was moved to");
  return *body_;
}

namespace {

/// Equations that were derived to be read have parameters without values.
void require_values(const internal::Equations& e) {
  std::unordered_set<std::uint32_t> known;
  for (const Expr x : internal::joined<Expr>(e.t, e.y, e.z, e.lambda, e.psi, e.z_dot)) known.insert(x.id());
  for (const std::uint32_t id : internal::reachable(internal::joined<Expr>(e.v, e.p, e.f, e.N, e.r, e.g, e.k)))
    if (e.graph->node(id).op == Op::symbol && !known.contains(id))
      throw InputError("the parameter '" + e.graph->name(id) + "' has no value in these equations",
                       "they were derived with `symbolic_parameters`, to be read; derive them without");
}

}  // namespace

Stepper compile(const Method& method, const Equations& equations, const CompileOptions& options) {
  if (!std::isfinite(options.start)) throw InputError("the start must be a finite number");
  if (!std::isfinite(options.step)) throw InputError("the step must be a finite number");
  if (!(options.steps >= 0 && std::isfinite(options.steps)))
    throw InputError("`steps` must be a number of at least 0, not " + to_text(options.steps));
  require_values(inside(equations));
  internal::require_taken(inside(method), inside(equations.model()), inside(equations));
  return Stepper(std::make_unique<Stepper::Body>(equations, method, options));
}

bool Stepper::step() noexcept {
  if (!body_) return false;
  Body& b = *body_;
  if (!b.held.empty() && !b.keeps_settled()) {
    b.failed = true;
    return false;
  }
  if (b.course) {
    b.failed = !b.follow_course();
    if (b.failed) return false;
  } else {
    const double t_end = b.t_base + static_cast<double>(b.n + 1) * b.h;
    b.failed = !b.engine->maker.make(b.engine->step, b.point, b.h, t_end, b.next);
    if (b.failed) {
      b.failure.clear();
      return false;
    }
    std::swap(b.point, b.next);
  }
  ++b.n;
  if (b.engine->watch.watches_rank()) b.engine->watch.look(b.point.t, b.point.state, {});
  return true;
}

bool Stepper::steps(long n) noexcept {
  if (n < 0 && body_) {
    body_->failed = true;
    body_->failure = "a number of steps is at least 0; `set_step` takes a negative size to go backward in time";
  }
  if (n < 0) return false;
  for (long i = 0; i < n; ++i)
    if (!step()) return false;
  return true;
}

std::string Stepper::failure() const {
  if (!body_) return moved_from;
  const Body& b = *body_;
  if (!b.failed) return "";
  if (!b.failure.empty()) return b.failure;
  const internal::FailedStep& why = b.engine->maker.failed;
  return b.engine->failure.explain_step(why.result.newton, b.engine->step.label(why.result), why.t, why.h, why.state,
                                        b.engine->longest(), b.engine->moves(why));
}

std::span<const EventRecord> Stepper::events() const {
  if (!body().course) return {};
  return body().course->events();
}

const std::vector<std::string>& Stepper::event_names() const { return body().event_names; }

const std::string& Stepper::stopped() const {
  static const std::string none;
  return body().course ? body().course->stopped() : none;
}

double Stepper::t() const { return body().point.t; }
double Stepper::h() const { return body().h; }
long Stepper::steps_made() const { return body().n; }

void Stepper::set_step(double h) {
  if (!std::isfinite(h) || h == 0) throw InputError("the step must be a finite number other than 0");
  body().change([&] {
    body().h = h;
    return true;
  });
}

const std::vector<std::string>& Stepper::names() const { return body().names; }
std::span<const double> Stepper::state() const { return body().point.state; }

std::span<const double> Stepper::accelerations() { return body().rates().first(inside(body().equations).z.size()); }
std::span<const double> Stepper::multipliers() { return body().rates().subspan(inside(body().equations).z.size()); }

double Stepper::energy() {
  body().look();
  return inside(body().equations).energy ? body().engine->watch.energy() : std::nan("");
}
double Stepper::position_residual() {
  body().look();
  return body().engine->watch.position();
}
double Stepper::velocity_residual() {
  body().look();
  return body().engine->watch.velocity();
}
double Stepper::nonholonomic_residual() {
  body().look();
  return body().engine->watch.nonholonomic();
}

std::span<double> Stepper::parameters() { return body().engine->parameters; }
std::span<const double> Stepper::parameters() const { return body().engine->parameters; }

namespace {

/// The place of a name in a list; nothing where it is not there.
std::optional<std::size_t> place_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return {};
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<std::string> observed_names(const Equations& equations) {
  return internal::flat_names(inside(equations.model()).observed);
}

std::vector<std::string> multiplier_names(const internal::Equations& e) {
  std::vector<std::string> names;
  for (const std::string& name : e.g_names) names.push_back("lambda." + name);
  for (const std::string& name : e.psi_names) names.push_back((e.port ? "" : "psi.") + name);
  return names;
}

}  // namespace

double Stepper::value(const std::string& name) {
  const std::vector<std::string> inputs = body().equations.inputs();
  if (const auto i = place_of(body().names, name)) return state()[*i];
  if (const auto i = place_of(inputs, name)) return parameters()[*i];
  if (name == "t") return t();
  if (name == "energy") return energy();
  const std::vector<std::string> observed = observed_names(body().equations);
  if (const auto i = place_of(observed, name)) {
    Engine& engine = body().course ? body().course->engine() : *body().engine;
    engine.observed.glance(t(), state(), engine.multipliers);
    return engine.observed.values()[*i];
  }
  const std::vector<std::string> solved = multiplier_names(inside(body().equations));
  if (const auto i = place_of(solved, name)) return multipliers()[*i];
  const std::string near = nearest_name(name, internal::joined<std::string>(body().names, inputs, solved, observed,
                                                                            std::string("t"), std::string("energy")));
  throw InputError("the stepper has no value '" + name + "'", near.empty() ? "" : "did you mean '" + near + "'?");
}

void Stepper::set(const std::string& name, double value) { set(std::map<std::string, double>{{name, value}}); }

void Stepper::set(const std::map<std::string, double>& values) {
  Body& b = body();
  for (const auto& [name, value] : values)
    if (!std::isfinite(value)) throw InputError("'" + name + "' must be a finite number");
  const std::vector<std::string> inputs = b.equations.inputs();
  for (std::size_t i = 0; !b.held.empty() && i < inputs.size(); ++i)
    if (const auto given = values.find(inputs[i]); given != values.end())
      if (const std::string why = b.refusal(i, given->second); !why.empty()) throw InputError(why);
  b.change([&] { return b.engine->set(values, b.point); });
}

void Stepper::set_state(std::span<const double> state) {
  Body& b = body();
  if (state.size() != b.names.size())
    throw InputError("the state has " + std::to_string(b.names.size()) + " entries, not " +
                     std::to_string(state.size()));
  for (std::size_t i = 0; i < state.size(); ++i)
    if (!std::isfinite(state[i])) throw InputError("'" + b.names[i] + "' must be a finite number");
  b.change([&] {
    b.engine->set_state(state, b.point);
    return true;
  });
}

std::vector<MovedValue> Stepper::restart(const std::map<std::string, double>& values) {
  Body& b = body();
  b.begin(values);
  std::vector<MovedValue> moved;
  for (const auto& [name, from, to] : b.engine->initial.changes) moved.push_back({name, from, to});
  return moved;
}

namespace {

/// What tells saved states apart that belong to other programs, equations or methods. Parameters that are folded into
/// the equations are told by their values.
std::string signature(const Equations& equations, const Method& method, const internal::SettledModel* settled) {
  std::string text = "alembert stepper " + std::string(version) + "\n" + method.name() + "\n";
  for (const std::string& name : equations.inputs()) text += name + ",";
  for (const Parameter& parameter : internal::parameters_of(settled ? settled->model : inside(equations.model())))
    for (const double value : parameter.values) text += fmt::format(" {}={:a}", parameter.name, value);
  return text + "\n" + equations.model().text();
}

/// FNV-1a, 64 bits: enough to find damage.
std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const std::byte b : bytes) sum = (sum ^ static_cast<std::uint64_t>(b)) * 0x100000001b3;
  return sum;
}

void save_point(internal::ByteWriter& out, const GridPoint& point) {
  out.write(point.t);
  out.write(point.state);
  out.write(point.compensation);
  out.write(point.carried);
  out.write(point.at_kink);
}

void load_point(internal::ByteReader& in, GridPoint& point) {
  in.read(point.t);
  in.refill(point.state);
  in.refill(point.compensation);
  in.refill(point.carried);
  in.read(point.at_kink);
}

}  // namespace

std::vector<std::byte> Stepper::save() const {
  const Body& b = body();
  internal::ByteWriter out;
  out.write(signature(b.equations, b.method, b.settled.get()));
  out.write(std::vector<double>(b.engine->parameters.begin(), b.engine->parameters.end()));
  save_point(out, b.point);
  out.write(b.t_base);
  out.write(b.h);
  out.write(static_cast<std::int64_t>(b.n));
  b.engine->step.save(out);
  b.engine->multipliers.save(out);
  b.engine->watch.save(out);
  if (b.course) b.course->save(out);
  out.write(checksum(out.bytes()));
  return out.bytes();
}

void Stepper::load(std::span<const std::byte> bytes) {
  auto loaded = std::make_unique<Body>(body());
  Body& b = *loaded;
  std::uint64_t sum = 0;
  if (bytes.size() < sizeof sum) throw InputError("the saved state is too short");
  const std::span<const std::byte> content = bytes.first(bytes.size() - sizeof sum);
  std::memcpy(&sum, content.data() + content.size(), sizeof sum);
  if (sum != checksum(content)) throw InputError("the saved state is damaged: its checksum does not fit");
  internal::ByteReader in(content);
  std::string saved;
  in.read(saved);
  if (saved != signature(b.equations, b.method, b.settled.get()))
    throw InputError("the saved state belongs to another model, method or version",
                     "compile the same model with the same inputs and method before loading");
  std::vector<double> parameters(b.engine->parameters.size());
  in.refill(parameters);
  std::copy(parameters.begin(), parameters.end(), b.engine->parameters.begin());
  load_point(in, b.point);
  in.read(b.t_base);
  in.read(b.h);
  b.n = static_cast<long>(in.read<std::int64_t>());
  b.begin_course();
  b.engine->step.load(in);
  b.engine->multipliers.load(in);
  b.engine->watch.load(in);
  if (b.course) b.course->load(in);
  in.finish();
  b.next = b.point;
  b.failed = false;
  body_ = std::move(loaded);
}

const Equations& Stepper::equations() const { return body().equations; }
const Method& Stepper::method() const { return body().method; }
double Stepper::compile_seconds() const { return body().seconds; }

}  // namespace alembert

namespace alembert::internal {

Engine& InsideStepper::engine(const Stepper& stepper) {
  const Stepper::Body& b = stepper.body();
  return b.usual ? *b.usual : *b.engine;
}

std::unique_ptr<Engine> InsideStepper::engine_here(const Stepper& stepper, double step) {
  const Stepper::Body& b = stepper.body();
  if (const std::string& by = stepper.stopped(); !by.empty())
    throw InputError("the motion has been stopped by '" + by + "' and does not go on",
                     "restart the stepper, or set its state");
  auto engine = std::make_unique<Engine>(*b.engine);
  if (b.course) engine->events_before = b.course->counts();
  const bool goes_on = step == b.h;
  engine->begin_at(b.point, goes_on ? b.t_base : b.point.t);
  if (!goes_on) return engine;
  ByteWriter out;
  b.engine->step.save(out);
  ByteReader in(out.bytes());
  engine->step.load(in);
  return engine;
}

}  // namespace alembert::internal
