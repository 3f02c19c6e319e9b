// alembert verify: what a method really keeps on a model, measured beside what it claims.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "alembert/default_methods.h"
#include "alembert/derive/equations.h"
#include "alembert/error.h"
#include "alembert/study/verify.h"
#include "commands.h"

namespace alembert::internal::app {
namespace {

struct VerifyArguments {
  std::string model, method, stages, step, end;  // as written; empty where not given
  std::vector<std::string> set;
  bool json = false;
};

int verify_method(const VerifyArguments& arguments) {
  const Model model = load_model(arguments.model, arguments.set);
  const Method method = chosen_method(arguments.method, arguments.stages, model);
  VerifyOptions options;
  options.step = required_number("step", arguments.step, model.solve.step);
  options.end = required_number("end", arguments.end, model.solve.end);
  const Verification found = verify(model, derive(model), method, options);
  fmt::print("{}{}", arguments.json ? to_json(found) : to_text(found), arguments.json ? "\n" : "");
  return found.has_false_claim() || !found.failure.empty() ? failed : done;
}

}  // namespace

Command add_verify(CLI::App& program) {
  CLI::App* app = program.add_subcommand("verify", "Measure what a method keeps on a model, beside what it claims");
  auto arguments = std::make_shared<VerifyArguments>();
  app->add_option("MODEL", arguments->model, "Model file; - is standard input")->required()->type_name("");
  app->add_option("-m,--method", arguments->method, "Method, such as " ALEMBERT_DEFAULT_METHOD "; see alembert methods")
      ->type_name("M");
  app->add_option("-s,--stages", arguments->stages, "Replaces the method's number of stages")->type_name("S");
  app->add_option("--step", arguments->step, "Step size; negative runs backward in time")->type_name("H");
  app->add_option("--end", arguments->end, "End of the run that watches energy, constraints and invariants")
      ->type_name("T");
  app->add_option("--set", arguments->set,
                  "Replaces a parameter or an initial value: m1=2, \"y1'=10\"; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app->add_flag("--json", arguments->json, "Print one JSON object instead of the table");
  app->footer(
      "Orders, symplecticity, symmetry and reversibility are measured in quadruple precision where the model is small "
      "enough.\n"
      "Exit code 1: a claim is false on this model, or the run failed.");
  return {app, [arguments] { return verify_method(*arguments); }};
}

}  // namespace alembert::internal::app
