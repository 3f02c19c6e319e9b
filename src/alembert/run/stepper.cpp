#include "alembert/stepper.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "alembert/base/bytes.h"
#include "alembert/base/lists.h"
#include "alembert/run/simulate.h"
#include "alembert/version.h"

namespace alembert {

using internal::Engine;
using internal::EngineOptions;
using internal::GridPoint;

namespace {

constexpr double usual_step = 0.01;

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
  std::vector<std::string> names;

  // Where it stands: at t_base + n h.
  GridPoint point, next;
  double t_base = 0, h = 0;
  long n = 0;
  bool contacts = false;  // a step was asked of a model that has some
  bool failed = false;

  Body(Equations equations_, Method method_, const CompileOptions& options_)
      : equations(std::move(equations_)), method(std::move(method_)), options(options_) {
    compile();
    const internal::Equations& e = equations.internal();
    names = internal::joined<std::string>(e.y_names, e.z_names);
  }
  Body(const Body& other)
      : equations(other.equations),
        method(other.method),
        options(other.options),
        engine(std::make_unique<Engine>(*other.engine)),
        seconds(other.seconds),
        names(other.names),
        point(other.point),
        next(other.next),
        t_base(other.t_base),
        h(other.h),
        n(other.n),
        failed(other.failed) {
    // A clone of a step begins without history: what the next steps use is taken over.
    internal::ByteWriter out;
    other.engine->step.save(out);
    internal::ByteReader in(out.bytes());
    engine->step.load(in);
  }

  void compile() {
    const auto begin = std::chrono::steady_clock::now();
    engine = std::make_unique<Engine>(equations.model().internal(), equations.internal(), method.internal(),
                                      engine_options(equations, options));
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    stand_at_start();
  }
  void stand_at_start() {
    point = engine->point();
    next = point;
    h = engine->options.step;
    begin_counting();
  }
  void begin_counting() {
    t_base = point.t;
    n = 0;
    failed = false;
  }
  std::span<const double> rates() { return engine->multipliers.at(point.t, point.state); }
  void forget_history() {
    const std::span<const double> here = rates();
    if (std::all_of(here.begin(), here.end(), [](double x) { return std::isfinite(x); }))
      engine->step.restart(here.data());
    begin_counting();
  }
  void look() { engine->watch.glance(point.t, point.state); }
};

Stepper::Stepper(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Stepper::Stepper(const Stepper& other) : body_(std::make_unique<Body>(*other.body_)) {}
Stepper::Stepper(Stepper&&) noexcept = default;
Stepper& Stepper::operator=(Stepper other) noexcept {
  std::swap(body_, other.body_);
  return *this;
}
Stepper::~Stepper() = default;

Stepper compile(const Method& method, const Equations& equations, const CompileOptions& options) {
  if (!std::isfinite(options.start)) throw InputError("the start must be a finite number");
  if (!std::isfinite(options.step)) throw InputError("the step must be a finite number");
  internal::require_taken(method.internal(), equations.model().internal(), equations.internal());
  return Stepper(std::make_unique<Stepper::Body>(equations, method, options));
}

bool Stepper::step() noexcept {
  Body& b = *body_;
  b.contacts = !b.equations.model().internal().contacts.empty();
  if (b.contacts) return false;
  const double t_end = b.t_base + static_cast<double>(b.n + 1) * b.h;
  b.failed = !b.engine->maker.make(b.engine->step, b.point, b.h, t_end, b.next);
  if (b.failed) return false;
  std::swap(b.point, b.next);
  ++b.n;
  if (b.engine->watch.watches_rank()) b.engine->watch.look(b.point.t, b.point.state, {});
  return true;
}

bool Stepper::steps(long n) noexcept {
  for (long i = 0; i < n; ++i)
    if (!step()) return false;
  return true;
}

std::string Stepper::failure() const {
  const Body& b = *body_;
  if (b.contacts) return "the model has contacts, which single steps do not follow: simulate() does";
  if (!b.failed) return "";
  const internal::FailedStep& why = b.engine->maker.failed;
  return b.engine->failure.explain_step(why.result.newton, b.engine->step.label(why.result), why.t, why.h, why.state,
                                        b.engine->longest());
}

double Stepper::t() const noexcept { return body_->point.t; }
double Stepper::h() const noexcept { return body_->h; }
long Stepper::steps_made() const noexcept { return body_->n; }

void Stepper::set_step(double h) {
  if (!std::isfinite(h) || h == 0) throw InputError("the step must be a finite number other than 0");
  body_->h = h;
  body_->forget_history();
}

const std::vector<std::string>& Stepper::names() const { return body_->names; }
std::span<const double> Stepper::state() const noexcept { return body_->point.state; }

std::span<const double> Stepper::accelerations() { return body_->rates().first(body_->equations.internal().z.size()); }
std::span<const double> Stepper::multipliers() { return body_->rates().subspan(body_->equations.internal().z.size()); }

double Stepper::energy() {
  body_->look();
  return body_->equations.internal().energy ? body_->engine->watch.energy() : std::nan("");
}
double Stepper::position_residual() {
  body_->look();
  return body_->engine->watch.position();
}
double Stepper::velocity_residual() {
  body_->look();
  return body_->engine->watch.velocity();
}
double Stepper::nonholonomic_residual() {
  body_->look();
  return body_->engine->watch.nonholonomic();
}

std::span<double> Stepper::parameters() noexcept { return body_->engine->parameters; }
std::span<const double> Stepper::parameters() const noexcept { return body_->engine->parameters; }

namespace {

/// The place of a name in a list; nothing where it is not there.
std::optional<std::size_t> place_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return {};
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<std::string> observed_names(const Equations& equations) {
  return internal::flat_names(equations.model().internal().observed);
}

std::vector<std::string> multiplier_names(const internal::Equations& e) {
  std::vector<std::string> names;
  for (const std::string& name : e.g_names) names.push_back("lambda." + name);
  for (const std::string& name : e.psi_names) names.push_back((e.port ? "" : "psi.") + name);
  return names;
}

}  // namespace

double Stepper::value(const std::string& name) {
  const std::vector<std::string> inputs = body_->equations.inputs();
  if (const auto i = place_of(body_->names, name)) return state()[*i];
  if (const auto i = place_of(inputs, name)) return parameters()[*i];
  if (name == "t") return t();
  if (name == "energy") return energy();
  const std::vector<std::string> observed = observed_names(body_->equations);
  if (const auto i = place_of(observed, name)) {
    body_->engine->observed.glance(t(), state(), body_->engine->multipliers);
    return body_->engine->observed.values()[*i];
  }
  const std::vector<std::string> solved = multiplier_names(body_->equations.internal());
  if (const auto i = place_of(solved, name)) return multipliers()[*i];
  const std::string near = nearest_name(name, internal::joined<std::string>(body_->names, inputs, solved, observed,
                                                                            std::string("t"), std::string("energy")));
  throw InputError("the stepper has no value '" + name + "'", near.empty() ? "" : "did you mean '" + near + "'?");
}

void Stepper::set(const std::string& name, double value) { set(std::map<std::string, double>{{name, value}}); }

void Stepper::set(const std::map<std::string, double>& values) {
  Body& b = *body_;
  for (const auto& [name, value] : values)
    if (!std::isfinite(value)) throw InputError("'" + name + "' must be a finite number");
  if (b.engine->set(values, b.point)) b.forget_history();
}

void Stepper::restart(const std::map<std::string, double>& values) {
  Body& b = *body_;
  auto fresh = std::make_unique<Engine>(*b.engine);
  fresh->reset_parameters();
  if (!fresh->begin(values)) fresh = b.engine->remade(values);
  b.engine = std::move(fresh);
  const double h = b.h;
  b.stand_at_start();
  b.h = h;
}

namespace {

/// What tells saved states apart that belong to other programs, equations or methods.
std::string signature(const Equations& equations, const Method& method) {
  std::string text = "alembert stepper " + std::string(version) + "\n" + method.name() + "\n";
  for (const std::string& name : equations.inputs()) text += name + ",";
  return text + "\n" + equations.model().text();
}

void save_point(internal::ByteWriter& out, const GridPoint& point) {
  out.write(point.t);
  out.write(point.state);
  out.write(point.compensation);
  out.write(point.carried);
}

void load_point(internal::ByteReader& in, GridPoint& point) {
  in.read(point.t);
  in.refill(point.state);
  in.refill(point.compensation);
  in.refill(point.carried);
}

}  // namespace

std::vector<std::byte> Stepper::save() const {
  const Body& b = *body_;
  internal::ByteWriter out;
  out.write(signature(b.equations, b.method));
  out.write(b.engine->parameters);
  save_point(out, b.point);
  out.write(b.t_base);
  out.write(b.h);
  out.write(static_cast<std::int64_t>(b.n));
  b.engine->step.save(out);
  b.engine->multipliers.save(out);
  b.engine->watch.save(out);
  return out.bytes();
}

void Stepper::load(std::span<const std::byte> bytes) {
  auto loaded = std::make_unique<Body>(*body_);
  Body& b = *loaded;
  internal::ByteReader in(bytes);
  std::string saved;
  in.read(saved);
  if (saved != signature(b.equations, b.method))
    throw InputError("the saved state belongs to another model, method or version",
                     "compile the same model with the same inputs and method before loading");
  in.refill(b.engine->parameters);
  load_point(in, b.point);
  in.read(b.t_base);
  in.read(b.h);
  b.n = static_cast<long>(in.read<std::int64_t>());
  b.engine->step.load(in);
  b.engine->multipliers.load(in);
  b.engine->watch.load(in);
  in.finish();
  b.next = b.point;
  b.failed = false;
  body_ = std::move(loaded);
}

const Equations& Stepper::equations() const { return body_->equations; }
const Method& Stepper::method() const { return body_->method; }
double Stepper::compile_seconds() const { return body_->seconds; }
internal::Engine& Stepper::engine() const { return *body_->engine; }

}  // namespace alembert
