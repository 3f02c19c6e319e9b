#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>

#include "alembert/base/files.h"
#include "alembert/default_methods.h"
#include "alembert/error.h"
#include "alembert/numerics.h"
#include "alembert/trajectory.h"
#include "commands.h"

namespace alembert::internal::app {

std::shared_ptr<const Source> read_source(const std::string& path) {
  const bool standard = path == "-";
  static std::shared_ptr<const Source> read_before;  // standard input can be read once
  if (standard && read_before) return read_before;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      standard ? stdin : std::fopen(path.c_str(), "rb"), [](std::FILE* f) { return f == stdin ? 0 : std::fclose(f); });
  if (!file) throw InputError("cannot read '" + path + "': " + std::strerror(errno));
  auto source = std::make_shared<Source>();
  source->name = standard ? "<stdin>" : path;
  char buffer[1 << 16];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) {
    source->text.append(buffer, count);
    if (source->text.size() > longest_file) throw InputError("'" + path + "' is too long for a model");
  }
  if (std::ferror(file.get())) throw InputError("cannot read '" + path + "': " + std::strerror(errno));
  if (standard) read_before = source;
  return source;
}

std::string set_name(const std::string& text) {
  std::string name = text.substr(0, text.find('='));
  std::erase(name, ' ');
  return name;
}

void say(const std::string& text) noexcept {
  try {
    std::fflush(stdout);
    fmt::print(stderr, "{}\n", text);
  } catch (...) {}
}

void write_file(const std::string& option, const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw WriteError(option + " cannot write '" + path + "': " + std::strerror(errno));
}

void require_writable(const std::string& option, const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const std::string place = ::access(path.c_str(), F_OK) == 0 ? path : folder.empty() ? "." : folder.string();
  if (::access(place.c_str(), W_OK) != 0) {
    throw WriteError(option + " cannot write '" + path + "': " + std::strerror(errno));
  }
}

void require_distinct(const std::string& model, const std::vector<NamedFile>& outputs) {
  std::map<std::filesystem::path, std::string> seen;
  const auto place = [](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  };
  if (model != "-") seen.emplace(place(model), "the model");
  for (const NamedFile& one : outputs) {
    const auto [at, fresh] = seen.emplace(place(one.path), one.option);
    if (fresh) continue;
    if (at->second == one.option) throw InputError(one.option + " names '" + one.path + "' twice");
    const std::string who = at->second == "the model" ? "is the model" : "is written by " + at->second + " too";
    throw InputError(one.option + ": '" + one.path + "' " + who, "give each its own file");
  }
}

void require_regular(const std::string& option, const std::string& path) {
  require_writable(option, path);
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    throw InputError(option + ": '" + path + "' is no regular file", "name a file that may be replaced");
}

double read_real(const std::string& option, const std::string& text) {
  const std::size_t slash = text.find('/');
  Quad value = 0, divisor = 1;
  const bool read = read_number(text.substr(0, slash), value) &&
                    (slash == std::string::npos || read_number(text.substr(slash + 1), divisor));
  const double result = static_cast<double>(value / divisor);
  if (!read || !std::isfinite(result)) {
    throw InputError(option + " wants a finite number, not '" + text + "'", "such as 0.01, -1e-3 or 1/128");
  }
  return result;
}

double required_number(const std::string& option, const std::string& text, std::optional<double> from_model) {
  if (!text.empty()) return read_real("--" + option, text);
  if (from_model) return *from_model;
  throw InputError("the model says no " + option + ": give --" + option,
                   "or write it into the model: solve " ALEMBERT_DEFAULT_METHOD " step 0.01 end 10");
}

long read_whole(const std::string& option, const std::string& text, long least) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least) {
    throw InputError(option + " wants a whole number from " + std::to_string(least) + " on, not '" + text + "'");
  }
  return value;
}

namespace {

Method method_at(const std::shared_ptr<const Source>& source, const Term& term, std::optional<int> stages) {
  try {
    return find_method(term, stages);
  } catch (const InputError& error) {
    if (stages) throw;  // the number may be what is wrong, and it stands elsewhere
    std::vector<Diagnostic> diagnostics = error.diagnostics();
    for (Diagnostic& d : diagnostics) {
      if (d.source) continue;
      d.source = source;
      d.place = term.place;
    }
    throw InputError(diagnostics);
  }
}

}  // namespace

Method read_method(const std::string& option, const std::string& text, std::optional<int> stages) {
  const auto source = std::make_shared<const Source>(Source{option, text});
  return method_at(source, parse_term(source), stages);
}

Method solve_method(const Model& model, std::optional<int> stages) {
  return method_at(model.source, model.solve.method.value(), stages);
}

namespace {

/// The method that a text names, although nothing else may be right in it.
void check_solve(const std::string& path) {
  const std::shared_ptr<const Source> source = read_source(path);
  std::vector<Diagnostic> known;  // said already
  for (const Statement& s : parse(source, known).statements)
    for (const Item& item : s.items) {
      if (s.keyword != "solve" || item.target.text != "method" || !item.value) continue;
      const bool named = item.value->form == Term::Form::name || item.value->form == Term::Form::call;
      if (named) method_at(source, *item.value, {});
    }
}

Model read_or_throw(const std::string& path, const std::vector<std::string>& overrides,
                    const std::vector<std::string>& observed, const std::vector<std::string>& inputs) {
  if (path != "-") return read_model(path, overrides, observed, inputs);
  std::vector<Override> values;
  for (const std::string& text : overrides)
    values.push_back({std::make_shared<const Source>(Source{"--set " + text, text})});
  return make_model(parse(read_source(path)), values, observed, inputs);
}

}  // namespace

void declare_inputs(Options& options, std::vector<std::string>& inputs) {
  options.repeated(
      "--input", inputs, "NAME=FILE",
      "An input of the model follows a CSV file with the columns t and NAME, linear in between; may be repeated");
}

Model load_model(const std::string& path, const std::vector<std::string>& overrides,
                 const std::vector<std::string>& observed, const std::vector<std::string>& inputs) {
  Complaints wrong;
  // Of two values one would be ignored.
  std::set<std::string> names;
  for (const std::string& text : overrides)
    wrong.attempt([&] {
      if (!names.insert(set_name(text)).second)
        throw InputError("--set gives '" + set_name(text) + "' twice", "give one value");
    });
  names.clear();
  for (const std::string& text : inputs)
    wrong.attempt([&] {
      if (!names.insert(set_name(text)).second) throw InputError("--input gives '" + set_name(text) + "' twice");
    });
  std::optional<Model> model;
  wrong.attempt([&] { model = read_or_throw(path, overrides, observed, inputs); });
  if (!model && (path == "-" || file_is_there(path))) wrong.attempt([&] { check_solve(path); });
  wrong.raise();
  return std::move(*model);
}

Method chosen_method(const std::string& method, const std::string& stages, const Model& model) {
  std::optional<int> count;
  if (!stages.empty()) count = static_cast<int>(std::min(read_whole("--stages", stages, 1), 1000000L));
  if (!method.empty()) return read_method("--method", method, count);
  if (model.solve.method) return solve_method(model, count);
  return read_method("default method", model.port ? ALEMBERT_DEFAULT_PORT_METHOD : ALEMBERT_DEFAULT_METHOD, count);
}

}  // namespace alembert::internal::app
