// alembert export: the compiled step of a model as C.

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

#include "alembert/error.h"
#include "alembert/run/c_export.h"
#include "commands.h"
#include "run_options.h"

namespace alembert::internal::app {
namespace {

struct ExportArguments {
  std::string model, open, c, out;
  RunChoices choices;

  /// `--c step.c` names the file; `--c MODEL --out step.c` says the same in two words.
  void sort() {
    if (model.empty() && !out.empty()) std::swap(model, c);
    if (model.empty()) throw InputError("MODEL is missing", "as in: alembert export pendulum.alm --c step.c");
    if (out.empty()) std::swap(out, c);
    if (out.empty()) throw InputError("nothing says what to write", "--c step.c writes the step as C");
    if (!c.empty() && c != out) throw InputError("--c and --out name two files", "one of them is enough: --c " + c);
  }
};

/// A C identifier from the name of a file.
std::string identifier(const std::string& name) {
  std::string result;
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    result += std::isalnum(letter) ? static_cast<char>(std::tolower(letter)) : '_';
  }
  return result.empty() || std::isdigit(static_cast<unsigned char>(result[0])) ? "m" + result : result;
}

int run_export(const ExportArguments& arguments) {
  const std::filesystem::path out(arguments.out);
  if (out.extension() != ".c") throw InputError("--c wants a file that ends in .c, not '" + arguments.out + "'");
  const Model model = load_model(arguments.model, arguments.choices.set);
  std::vector<std::string> open;
  if (!arguments.open.empty()) open = split_list(arguments.open);
  for (const Block& input : model.inputs)
    if (std::find(open.begin(), open.end(), input.name) == open.end()) open.push_back(input.name);
  const Equations equations = derive(model, {.inputs = open});
  const Method method = arguments.choices.chosen_method(model, equations).method;
  const SimulateOptions simulation = arguments.choices.simulation(model);
  if (simulation.steps.control != Control::fixed)
    throw InputError("the step that is written has one size", "leave out what controls the size of steps");
  require_taken(method, model, equations);
  EngineOptions options;
  options.step = simulation.step;
  options.steps = 1;
  options.newton = simulation.newton;
  Engine engine(model, equations, method, options);
  const std::string stem = out.stem().string();
  const CFiles files = export_c(engine, identifier(stem), stem + ".h");
  std::filesystem::path header = out;
  header.replace_extension(".h");
  write_file("--c", arguments.out, files.source);
  write_file("--c", header.string(), files.header);
  return done;
}

}  // namespace

Command add_export(CommandLine& program) {
  Options options = program.command("export", "Write the step of a model as C, for other programs and small machines");
  auto arguments = std::make_shared<ExportArguments>();
  options.optional_argument("MODEL", arguments->model, "Model file; - is standard input");
  options.option("--c", arguments->c, "FILE",
                 "The C source to be written, as step.c: C99 without dependencies; the header comes beside it");
  options.option("--open", arguments->open, "NAME,...",
                 "Parameters that stay open, to be given at every call; inputs of the model always are");
  arguments->choices.declare(options);
  options.option("-o,--out", arguments->out, "FILE", "The same, in one more word: --c MODEL --out FILE");
  return {options, [arguments] {
            arguments->sort();
            return run_export(*arguments);
          }};
}

}  // namespace alembert::internal::app
