#include "command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "alembert/error.h"

namespace alembert::internal::app {
namespace {

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
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

void refuse_extra_arguments(const CLI::App& command) {
  refuse_extras(command, "unexpected argument", option_names(command));
}

/// An empty text is no value: commands take it for an option that was not given.
void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& given = option->results();
    if (std::find(given.begin(), given.end(), "") == given.end()) continue;
    throw InputError(fmt::format("{} is given without a value", option->get_name()),
                     fmt::format("see alembert {} --help", command.get_name()));
  }
}

}  // namespace

void Options::argument(const char* name, std::string& to, const char* help) {
  app_->add_option(name, to, help)->required()->type_name("");
}

void Options::optional_argument(const char* name, std::string& to, const char* help) {
  app_->add_option(name, to, help)->type_name("");
}

void Options::arguments(const char* name, std::vector<std::string>& to, const char* help) {
  app_->add_option(name, to, help)->required()->type_name("");
}

void Options::optional_arguments(const char* name, std::vector<std::string>& to, const char* help) {
  app_->add_option(name, to, help)->type_name("");
}

void Options::option(const char* names, std::string& to, const char* value, const char* help) {
  CLI::Option* option = app_->add_option(names, to, help)->type_name(value);
  if (!to.empty()) option->capture_default_str();
}

void Options::repeated(const char* names, std::vector<std::string>& to, const char* value, const char* help) {
  app_->add_option(names, to, help)->type_name(value)->allow_extra_args(false);
}

void Options::required(const char* names, std::vector<std::string>& to, const char* value, const char* help) {
  app_->add_option(names, to, help)->required()->type_name(value)->allow_extra_args(false);
}

void Options::hidden(const char* names, std::string& to) { app_->add_option(names, to)->group(""); }

void Options::flag(const char* names, bool& to, const char* help) { app_->add_flag(names, to, help); }

void Options::footer(const char* text) { app_->footer(text); }

CommandLine::CommandLine(const char* description, const std::string& version, const char* footer)
    : program_(std::make_unique<CLI::App>(description, "alembert")) {
  program_->set_version_flag("--version", "alembert " + version, "Print the version");
  program_->set_help_flag("-h,--help", "Print this help");
  program_->footer(footer);
  program_->require_subcommand(0, 1);
  program_->allow_extras();
  program_->get_formatter()->column_width(28);
  program_->get_formatter()->label("SUBCOMMAND", "COMMAND");
  program_->get_formatter()->label("Positionals", "Arguments");
  program_->get_formatter()->label("REQUIRED", "");
}

CommandLine::~CommandLine() = default;

void CommandLine::flag(const char* name, bool& to, const char* help) {
  program_->add_flag(name, to, help);
  flags_.emplace_back(name);
}

Options CommandLine::command(const char* name, const char* help) {
  CLI::App* command = program_->add_subcommand(name, help);
  command->allow_extras();
  command->group("Commands");
  command->set_help_flag("-h,--help", "Print this help");
  return Options(*command);
}

int CommandLine::perform(int argc, char** argv, const std::function<void()>& prepare,
                         const std::vector<Command>& commands) {
  // CLI11 takes the arguments in reverse order, and those of the program before the command.
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const auto of_program = [&](const std::string& word) {
    return std::find(flags_.begin(), flags_.end(), word) != flags_.end();
  };
  std::stable_partition(words.begin(), words.end(), of_program);
  std::reverse(words.begin(), words.end());
  try {
    program_->parse(words);
  } catch (const CLI::Success& help) { return program_->exit(help); } catch (const CLI::ParseError& error) {
    // An unknown option takes the place of what is then missing: it is the better message.
    std::string help = "see alembert --help";
    for (const Command& command : commands) {
      const CLI::App& options = *command.options.app_;
      if (!options.parsed()) continue;
      refuse_extra_arguments(options);
      help = "see alembert " + options.get_name() + " --help";
    }
    throw InputError(error.what(), help);
  }

  std::vector<std::string> known = option_names(*program_);
  for (const Command& command : commands) known.push_back(command.options.app_->get_name());
  refuse_extras(*program_, "unknown command", known);
  for (const Command& command : commands) {
    if (!command.options.app_->parsed()) continue;
    refuse_extra_arguments(*command.options.app_);
    refuse_empty_values(*command.options.app_);
    prepare();
    return command.perform();
  }
  fmt::print("{}", program_->help());
  return 0;
}

}  // namespace alembert::internal::app
