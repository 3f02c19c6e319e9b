// alembert verify: what a method really keeps on a model, measured beside what it claims.

#include <fmt/format.h>

#include "alembert/default_methods.h"
#include "alembert/derive/equations.h"
#include "alembert/error.h"
#include "alembert/study/verify.h"
#include "commands.h"
#include "run_options.h"

namespace alembert::internal::app {
namespace {

struct VerifyArguments {
  std::string model, method, stages, step, end;  // as written; empty where not given
  std::vector<std::string> set, input;
  bool json = false;
};

int verify_method(const VerifyArguments& arguments) {
  RunChoices choices;
  choices.method = arguments.method;
  choices.stages = arguments.stages;
  choices.step = arguments.step;
  choices.end = arguments.end;
  Complaints wrong;
  std::optional<Model> read;
  wrong.attempt([&] { read = load_model(arguments.model, arguments.set, {}, arguments.input); });
  choices.check(read ? &*read : nullptr, wrong);
  wrong.raise();
  const Model& model = *read;
  const Method method = chosen_method(arguments.method, arguments.stages, model);
  VerifyOptions options;
  options.step = required_number("step", arguments.step, model.solve.step);
  options.end = required_number("end", arguments.end, model.solve.end);
  const Verification found = verify(model, derive(model), method, options);
  fmt::print("{}{}", arguments.json ? to_json(found) : to_text(found), arguments.json ? "\n" : "");
  return found.failed() ? failed : done;
}

}  // namespace

Command add_verify(CommandLine& program) {
  Options options = program.command("verify", "Measure what a method preserves on a model, beside what it claims");
  auto arguments = std::make_shared<VerifyArguments>();
  options.model(arguments->model);
  options.option("-m,--method", arguments->method, "M",
                 "Method, such as " ALEMBERT_DEFAULT_METHOD "; see alembert methods");
  options.option("-s,--stages", arguments->stages, "S", "Replaces the method's number of stages");
  options.option("--step", arguments->step, "H", "Step size; negative runs backward in time");
  options.option("--end", arguments->end, "T", "End of the run that watches energy, constraints and invariants");
  options.overrides(arguments->set);
  declare_inputs(options, arguments->input);
  options.flag("--json", arguments->json, "Print one JSON object instead of the table");
  options.footer(
      "Orders, symplecticity, symmetry and reversibility are measured in quadruple precision where the model is small "
      "enough.\n"
      "Exit code 1: a claim is false on this model, or the run failed.");
  return {options, [arguments] { return verify_method(*arguments); }};
}

}  // namespace alembert::internal::app
