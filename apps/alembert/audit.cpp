// alembert audit: every family of methods on models of every kind, what is claimed beside what is measured.

#include "alembert/lab/audit.h"

#include <fmt/format.h>

#include "alembert/error.h"
#include "commands.h"
#include "progress.h"

namespace alembert::internal::app {
namespace {

struct AuditArguments {
  std::vector<std::string> methods, models;
  bool full = false, json = false, markdown = false;
};

int make(const AuditArguments& arguments) {
  if (arguments.json && arguments.markdown) throw InputError("--json and --markdown are two forms: choose one");
  audit::Options options;
  options.methods = arguments.methods;
  options.models = arguments.models;
  options.full = arguments.full;
  ProgressBar bar(!arguments.json);
  if (bar.active()) options.progress = [&](double done, const std::string& now) { bar.show(done, now); };
  const audit::Audit made = audit::make_audit(options);
  bar.clear();
  fmt::print("{}", arguments.json ? to_json(made) : arguments.markdown ? to_markdown(made) : to_text(made));
  return made.passed() ? done : failed;
}

}  // namespace

Command add_audit(CommandLine& program) {
  Options options = program.command("audit", "Measure what all methods claim, on models of every kind");
  auto arguments = std::make_shared<AuditArguments>();
  options.repeated("-m,--method", arguments->methods, "M", "This method only; may be repeated");
  options.repeated("--model", arguments->models, "NAME", "This model of the gallery only; may be repeated");
  options.flag("--full", arguments->full,
               "All members that families offer, up to six stages, instead of one or two each");
  options.flag("--json", arguments->json, "Print one JSON object with every cell");
  options.flag("--markdown", arguments->markdown, "Print the page of the documentation");
  options.footer(
      "Known deficits are listed with their cause. Exit code 1: a claim is false and not among them, or one of them "
      "has gone.");
  return {options, [arguments] { return make(*arguments); }};
}

}  // namespace alembert::internal::app
