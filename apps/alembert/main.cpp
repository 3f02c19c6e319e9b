// The program: reads the command line, hands over to one command, and turns what it throws into an exit code.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "alembert/error.h"
#include "alembert/version.h"
#include "commands.h"

namespace alembert::internal::app {
namespace {

constexpr char description[] =
    "Constrained mechanical systems from a page of mathematics: derived, compiled, integrated.";
constexpr char footer[] =
    "alembert COMMAND --help tells the options of a command; MODEL is a file, or - for standard input.\n"
    "Exit codes: 0 done, 1 the numbers failed or were interrupted, 2 the input is wrong, 3 an error of the program.";

/// The words that CLI11 could not place, as an error with the nearest option or command.
void refuse_extras(const CLI::App& app, const std::string& kind, const std::vector<std::string>& known) {
  const std::vector<std::string> extras = app.remaining();
  if (extras.empty()) return;
  // Where an option is unknown, the plain words behind it are its values: the option is what went wrong.
  std::string word = extras.front();
  for (const std::string& extra : extras) {
    if (extra.size() > 1 && extra[0] == '-') {
      word = extra.substr(0, extra.find('='));
      break;
    }
  }
  const bool option = word.size() > 1 && word[0] == '-';
  const std::string near = nearest_name(word, known);
  const std::string where = app.get_parent() ? "alembert " + app.get_name() : "alembert";
  throw InputError(fmt::format("{} '{}' for '{}'", option ? "unknown option" : kind, word, where),
                   near.empty() ? "see " + where + " --help" : "did you mean '" + near + "'?");
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

int perform(int argc, char** argv) {
  CLI::App program{description, "alembert"};
  program.set_version_flag("--version", std::string("alembert ") + version, "Print the version");
  program.set_help_flag("-h,--help", "Print this help");
  program.footer(footer);
  program.require_subcommand(0, 1);
  program.allow_extras();
  program.get_formatter()->column_width(28);
  program.get_formatter()->label("SUBCOMMAND", "COMMAND");
  program.get_formatter()->label("Positionals", "Arguments");
  program.get_formatter()->label("REQUIRED", "");

  const Command commands[] = {add_run(program),   add_check(program),   add_derive(program),    add_methods(program),
                              add_fmt(program),   add_grammar(program), add_converge(program),  add_verify(program),
                              add_sweep(program), add_view(program),    add_reproduce(program), add_benchmark(program)};
  for (const Command& command : commands) {
    command.options->allow_extras();
    command.options->group("Commands");
    command.options->set_help_flag("-h,--help", "Print this help");
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help) { return program.exit(help); } catch (const CLI::ParseError& error) {
    // An unknown option takes the place of what is then missing: it is the better message.
    std::string help = "see alembert --help";
    for (const Command& command : commands) {
      if (!command.options->parsed()) continue;
      refuse_extras(*command.options, "unexpected argument", option_names(*command.options));
      help = "see alembert " + command.options->get_name() + " --help";
    }
    throw InputError(error.what(), help);
  }

  std::vector<std::string> known = option_names(program);
  for (const Command& command : commands) known.push_back(command.options->get_name());
  refuse_extras(program, "unknown command", known);
  for (const Command& command : commands) {
    if (!command.options->parsed()) continue;
    refuse_extras(*command.options, "unexpected argument", option_names(*command.options));
    return command.perform();
  }
  fmt::print("{}", program.help());
  return done;
}

}  // namespace
}  // namespace alembert::internal::app

int main(int argc, char** argv) {
  using namespace alembert::internal::app;
  int code = internal_error;
  try {
    code = perform(argc, argv);
  } catch (const alembert::InputError& error) {
    fmt::print(stderr, "{}\n", in_words_of_the_program(error).what());
    code = wrong_input;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "out of memory\n");
    code = failed;
  } catch (const std::exception& error) { fmt::print(stderr, "internal error: {}\n", error.what()); }
  // A full disk or a closed pipe must not look like success.
  if (std::fflush(stdout) != 0 && code == done) {
    fmt::print(stderr, "cannot write to standard output\n");
    code = failed;
  }
  return code;
}
