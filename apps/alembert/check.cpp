// alembert check: what a model is, whether its initial values are consistent, and which methods take it.

#include "alembert/study/check.h"

#include <fmt/format.h>

#include "alembert/error.h"
#include "alembert/methods/method.h"
#include "commands.h"

namespace alembert::internal::app {
namespace {

struct CheckOptions {
  std::string model;
  std::vector<std::string> set, input;
  bool json = false;
};

int check_model(const CheckOptions& options) {
  const Model model = load_model(options.model, options.set, {}, options.input);
  const Equations equations = derive(model);
  const Examination found = examine(model, equations);
  fmt::print("{}", in_words_of_the_program(options.json ? to_json(found) + "\n" : to_text(found)));
  // Last, so that a method that is unknown or does not fit hides nothing of the model.
  if (!model.solve.method) return done;
  const Method method = solve_method(model);
  const std::string why = refusal(method, equations);
  if (why.empty()) return done;
  throw InputError(
      {Diagnostic{model.source, model.solve.method->place, method.name + " does not take this model", why}});
}

}  // namespace

Command add_check(CommandLine& program) {
  Options options = program.command("check", "Tell what a model is and whether its initial values are consistent");
  auto arguments = std::make_shared<CheckOptions>();
  options.model(arguments->model);
  options.overrides(arguments->set);
  declare_inputs(options, arguments->input);
  options.flag("--json", arguments->json, "Print one JSON object");
  return {options, [arguments] { return check_model(*arguments); }};
}

}  // namespace alembert::internal::app
