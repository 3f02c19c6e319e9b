#include "alembert/studio/desk.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <new>

#include "alembert/derive/show.h"
#include "alembert/lab/entry.h"
#include "alembert/methods/method.h"
#include "alembert/output/report_words.h"
#include "alembert/plot/figures.h"
#include "alembert/plot/rows.h"
#include "alembert/plot/scene.h"
#include "alembert/studio/access.h"
#include "alembert/studio/bench.h"
#include "alembert/studio/folder.h"
#include "alembert/studio/limits.h"
#include "alembert/studio/words.h"
#include "alembert/study/converge.h"
#include "alembert/study/verify.h"

namespace alembert::internal::studio {
namespace {

using Clock = std::chrono::steady_clock;

/// Thrown through what can only be ended so.
class Interrupted : public std::exception {};

std::string text_field(const Json& request, const char* name, const std::string& otherwise = {}) {
  const auto found = request.find(name);
  if (found == request.end() || found->is_null()) return otherwise;
  if (!found->is_string()) throw InputError(std::string(name) + " is a text");
  return found->get<std::string>();
}

double number_field(const Json& request, const char* name) {
  const auto found = request.find(name);
  if (found == request.end() || found->is_null()) return 0;
  if (!found->is_number()) throw InputError(std::string(name) + " is a number");
  return found->get<double>();
}

Control control_field(const Json& request) {
  const std::string text = text_field(request, "control", "fixed");
  if (text == "fixed") return Control::fixed;
  if (text == "tolerance") return Control::tolerance;
  if (text == "reversible") return Control::reversible;
  throw InputError("control is fixed, tolerance or reversible, not '" + text + "'");
}

Script script_of(const Json& request) {
  Script script{text_field(request, "text"), text_field(request, "path", "model.alm")};
  if (script.text.size() > largest_model) throw InputError("the text is too large for a model");
  return script;
}

RunWish wish_of(const Json& request) {
  RunWish wish;
  wish.script = script_of(request);
  wish.method = text_field(request, "method");
  wish.step = number_field(request, "step");
  wish.end = number_field(request, "end");
  wish.control = control_field(request);
  wish.tolerance = number_field(request, "tolerance");
  if (const auto values = request.find("values"); values != request.end() && !values->is_null()) {
    if (!values->is_object()) throw InputError("values is an object of numbers");
    for (const auto& [name, value] : values->items()) {
      if (!value.is_number()) throw InputError("the value of '" + name + "' is no number");
      wish.values[name] = value.get<double>();
    }
  }
  return wish;
}

/// Rows that are kept of a run, so that its numbers stay within what may be sent.
std::size_t most_rows(const Model& model, const Equations& equations, std::size_t numbers) {
  const auto columns = static_cast<std::size_t>(Bench::columns(model, equations).count());
  return std::max<std::size_t>(numbers / columns, 64);
}

/// What a page shows of a run, as further members of an answer: these texts are long, and JSON already.
std::string shown(const Trajectory& trajectory, const Script& script) {
  const SceneText scene =
      scene_text(trajectory, std::make_shared<const Source>(Source{script.path, trajectory.run.model_text}));
  return ",\"scene\":" + scene.json + ",\"note\":" + dumped(scene.note) +
         ",\"run\":" + run_json(trajectory, trajectory.run.model);
}

/// Ends a run at a time, or when somebody else says so.
class Deadline : public Observer {
 public:
  Deadline(Clock::time_point when, const std::atomic<bool>& interrupt) : when_(when), interrupt_(interrupt) {}
  void begin(const Columns&, const RunDescription&) override {}
  void row(std::span<const double>) override {
    if (interrupt_ || Clock::now() > when_) passed = true;
  }
  void end() override {}
  std::atomic<bool> passed{false};

 private:
  Clock::time_point when_;
  const std::atomic<bool>& interrupt_;
};

void write_whole(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw InputError("cannot write the file: is the disk full?");
}

}  // namespace

struct Desk::Body {
  Body(const std::string& place, std::string export_place) : folder(place), exports(std::move(export_place)) {}

  Folder folder;
  std::string exports;
  Bench bench;
  std::string more;  // of the answer to the present request

  Json listed() const;
  Json text_of(const Json& request) const;
  Json saved(const Json& request) const;
  Json checked(const Json& request);
  Json described(const Json& request);
  Json derived(const Json& request);
  Json pictured(const Json& request, const std::atomic<bool>& interrupt);
  Json run(const Json& request, const Reply& reply, const std::atomic<bool>& interrupt);
  Json verified(const Json& request);
  Json converged(const Json& request, const Reply& reply, const std::atomic<bool>& interrupt);
  Json exported(const Json& request, const Reply& reply, const std::atomic<bool>& interrupt);
  Json answered(const Json& request, const Reply& reply, const std::atomic<bool>& interrupt);
  std::function<void(double)> teller(const Json& request, const Reply& reply) const;
};

Json Desk::Body::listed() const {
  Json said = {{"gallery", Json::array()}, {"files", Json::array()}};
  for (const std::string& name : reproduce::gallery_names())
    said["gallery"].push_back({{"name", name}, {"title", title_of(reproduce::gallery_text(name))}});
  for (const ModelFile& file : folder.models()) said["files"].push_back({{"path", file.path}, {"title", file.title}});
  return said;
}

Json Desk::Body::text_of(const Json& request) const {
  const std::string name = text_field(request, "gallery");
  if (!name.empty()) return {{"text", reproduce::gallery_text(name)}, {"path", ""}, {"gallery", name}};
  const std::string path = text_field(request, "path");
  return {{"text", folder.read(path)}, {"path", path}};
}

Json Desk::Body::saved(const Json& request) const {
  const std::string path = text_field(request, "path");
  folder.save(path, text_field(request, "text"));
  return {{"path", path}};
}

Json Desk::Body::checked(const Json& request) {
  const Script script = script_of(request);
  try {
    const Model& model = bench.model(script);
    const Equations& equations = bench.equations(script);
    if (model.solve.method) {
      const Method method = find_method(*model.solve.method);
      const std::string why = refusal(method, equations);
      if (!why.empty())
        throw InputError(
            {Diagnostic{model.source, model.solve.method->place, method.name + " does not take this model", why}});
    }
  } catch (const InputError& error) { return {{"diagnostics", diagnostics(error, script.path)}}; }
  return {{"diagnostics", Json::array()}};
}

Json Desk::Body::described(const Json& request) {
  const Script script = script_of(request);
  return description(bench.model(script), bench.equations(script));
}

Json Desk::Body::derived(const Json& request) {
  const Model& model = bench.model(script_of(request));
  ShowOptions options;
  options.latex = true;
  const std::string form = text_field(request, "form");
  if (form == "index1") options.form = ShownForm::index1;
  else if (form == "index2") options.form = ShownForm::index2;
  else if (form == "ggl") options.form = ShownForm::ggl;
  else if (!form.empty()) throw InputError("form is index1, index2 or ggl, not '" + form + "'");
  if (model.port && !form.empty())
    throw InputError("a form says how holonomic constraints stand, and a port-Hamiltonian model has none");
  const Equations symbolic = derive(model, {.symbolic_parameters = true});
  Json said = {{"latex", show(model, symbolic, options)}};
  options.latex = false;
  said["text"] = show(model, symbolic, options);
  return said;
}

std::function<void(double)> Desk::Body::teller(const Json& request, const Reply& reply) const {
  const Json id = request.value("id", Json());
  return [&reply, id](double done) { reply.progress(dumped({{"id", id}, {"kind", "progress"}, {"done", done}})); };
}

/// A small picture of a model of the gallery or the folder: what it does in the time that one waits for pictures.
Json Desk::Body::pictured(const Json& request, const std::atomic<bool>& interrupt) {
  constexpr auto patience = std::chrono::milliseconds(700);  // all ninety take a minute
  const Json found = text_of(request);
  RunWish wish;
  wish.script = {found.at("text"), text_field(request, "path", text_field(request, "gallery") + ".alm")};
  const Model& model = bench.model(wish.script);
  const Equations& equations = bench.equations(wish.script);
  SimulateOptions options = Bench::options(wish, model);
  // Paths of a few hundred steps are lines that one can follow; those of a whole long run are a tangle.
  constexpr double most_steps = 400;
  if (std::abs(options.end) > most_steps * std::abs(options.step))
    options.end = std::copysign(most_steps * options.step, options.end);
  Recorder recorder(most_rows(model, equations, most_picture_numbers));
  Deadline deadline(Clock::now() + patience, interrupt);
  options.observers = {&recorder, &deadline};
  options.interrupt = &deadline.passed;
  recorder.trajectory.run = bench.run(wish, options);
  more = shown(recorder.trajectory, wish.script);
  return Json::object();
}

Json Desk::Body::run(const Json& request, const Reply& reply, const std::atomic<bool>& interrupt) {
  const Clock::time_point begun = Clock::now();
  const RunWish wish = wish_of(request);
  const Model& model = bench.model(wish.script);
  const Equations& equations = bench.equations(wish.script);
  SimulateOptions options = Bench::options(wish, model);
  Recorder recorder(most_rows(model, equations, most_numbers));
  options.observers.push_back(&recorder);
  options.interrupt = &interrupt;
  options.progress = teller(request, reply);
  const Report report = bench.run(wish, options);
  recorder.trajectory.run = report;
  more = ",\"report\":" + to_json(report) + shown(recorder.trajectory, wish.script);
  const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  return {{"text", to_text(report)}, {"seconds", seconds}};
}

Json Desk::Body::verified(const Json& request) {
  const RunWish wish = wish_of(request);
  const Model model = Bench::changed(wish);
  const Equations equations = derive(model);
  const SimulateOptions options = Bench::options(wish, model);
  const Method method = Bench::method(wish, model, equations, options).method;
  const Verification found = verify(model, equations, method, {.step = options.step, .end = options.end});
  return {{"text", to_text(found)}, {"found", json_of(to_tree(found))}};
}

Json Desk::Body::converged(const Json& request, const Reply& reply, const std::atomic<bool>& interrupt) {
  const RunWish wish = wish_of(request);
  const Model model = Bench::changed(wish);
  const Equations equations = derive(model);
  ConvergeOptions options;
  options.methods.push_back(Bench::method(wish, model, equations, Bench::options(wish, model)).method);
  const std::function<void(double)> tell = teller(request, reply);
  options.progress = [&](double done) {
    if (interrupt) throw Interrupted();
    tell(done);
  };
  const Convergence found = converge(model, equations, options);
  return {{"text", to_text(found)}, {"found", json_of(to_tree(found))}, {"svg", to_svg(found)}};
}

Json Desk::Body::exported(const Json& request, const Reply& reply, const std::atomic<bool>& interrupt) {
  const std::string format = text_field(request, "format");
  if (format != "csv" && format != "h5" && format != "json" && format != "html" && format != "svg")
    throw InputError("format is csv, h5, json, html or svg, not '" + format + "'");
  const RunWish wish = wish_of(request);
  const Model& model = bench.model(wish.script);
  SimulateOptions options = Bench::options(wish, model);
  options.interrupt = &interrupt;
  options.progress = teller(request, reply);
  const std::string name = random_token() + "." + format, path = exports + "/" + name;
  const bool data = format != "html" && format != "svg";
  if (data) {
    const std::unique_ptr<Observer> writer = make_writer(path);
    options.observers.push_back(writer.get());
    const Report report = bench.run(wish, options);
    writer->end();
    return {{"download", name}, {"format", format}, {"ending", word_of(report.ending)}};
  }
  Recorder recorder;
  options.observers.push_back(&recorder);
  const Report report = bench.run(wish, options);
  recorder.trajectory.run = report;
  const std::string title = model.title.empty() ? "Model without a name" : model.title;
  write_whole(path, format == "svg" ? to_svg(figure_of(recorder.trajectory))
                                    : page_of(recorder.trajectory, title, to_text(report), wish.script.path));
  return {{"download", name}, {"format", format}, {"ending", word_of(report.ending)}};
}

Json Desk::Body::answered(const Json& request, const Reply& reply, const std::atomic<bool>& interrupt) {
  const std::string what = text_field(request, "do");
  if (what == "hello") {
    Json said = language();
    said["folder"] = std::filesystem::current_path().string();
    return said;
  }
  if (what == "list") return listed();
  if (what == "read") return text_of(request);
  if (what == "save") return saved(request);
  if (what == "check") return checked(request);
  if (what == "describe") return described(request);
  if (what == "derive") return derived(request);
  if (what == "picture") return pictured(request, interrupt);
  if (what == "run") return run(request, reply, interrupt);
  if (what == "verify") return verified(request);
  if (what == "converge") return converged(request, reply, interrupt);
  if (what == "export") return exported(request, reply, interrupt);
  throw InputError("there is no request '" + what + "'");
}

Desk::Desk(const std::string& folder, std::string exports)
    : body_(std::make_unique<Body>(folder, std::move(exports))) {}
Desk::~Desk() = default;

std::string Desk::answer(const std::string& text, const Reply& reply, const std::atomic<bool>& interrupt) {
  Json request, said;
  std::string own_path;
  try {
    body_->more.clear();
    request = Json::parse(text);
    if (!request.is_object()) throw InputError("a request is a JSON object");
    own_path = request.contains("path") && request["path"].is_string() ? text_field(request, "path") : "model.alm";
    said = body_->answered(request, reply, interrupt);
    said["kind"] = "result";
  } catch (const InputError& error) {
    said = {{"kind", "error"}, {"text", error.what()}, {"diagnostics", diagnostics(error, own_path)}};
  } catch (const Interrupted&) { said = {{"kind", "cancelled"}}; } catch (const std::bad_alloc&) {
    said = {{"kind", "error"}, {"text", "out of memory: the studio gives each task a limit"}};
  } catch (const std::exception& error) { said = {{"kind", "error"}, {"text", error.what()}}; }
  if (request.is_object()) said["id"] = request.value("id", Json());
  std::string whole = dumped(said);
  if (said["kind"] == "result" && !body_->more.empty()) {
    whole.pop_back();
    whole += body_->more + "}";
  }
  if (whole.size() > largest_answer)
    whole = dumped({{"id", said["id"]}, {"kind", "error"}, {"text", "the answer is too large to be shown"}});
  return whole;
}

}  // namespace alembert::internal::studio
