#include "command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "alembert/error.h"

namespace alembert::internal::app {
namespace {

std::string called(const CLI::App& app) { return app.get_parent() ? "alembert " + app.get_name() : "alembert"; }

Diagnostic misplaced(const CLI::App& app, const std::string& kind, const std::string& word,
                     const std::vector<std::string>& known) {
  const std::string near = nearest_name(word, known);
  return {nullptr,
          {},
          fmt::format("{} '{}' for '{}'", kind, word, called(app)),
          near.empty() ? "see " + called(app) + " --help" : "did you mean '" + near + "'?"};
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// The words that CLI11 could not place, each with the nearest name.
void note_extras(const CLI::App& app, const std::string& kind, const std::vector<std::string>& known,
                 std::vector<Diagnostic>& wrong) {
  for (const std::string& word : app.remaining()) {
    const bool option = word.size() > 1 && word[0] == '-';
    wrong.push_back(misplaced(app, option ? "unknown option" : kind, word.substr(0, word.find('=')), known));
  }
}

/// "--step=0.1" as "step", "-s3" as "s"; "" for what is no option: a value, a negative number.
std::string option_name(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return "";
  if (word[1] == '-') return word.substr(2, word.find('=') - 2);
  return std::isalpha(static_cast<unsigned char>(word[1])) ? word.substr(1, 1) : "";
}

Diagnostic without_value(const CLI::App& command, const CLI::Option& option) {
  return {nullptr,
          {},
          fmt::format("{} is given without a value", option.get_name()),
          fmt::format("as in {} {}; see {} --help", option.get_name(), option.get_type_name(), called(command))};
}

/// Takes the options that a command does not know, and those without the value that they want, of its words, with
/// what looks like their values, so that the others can be read.
void take_unknown_options(const CLI::App& command, std::vector<std::string>& words, std::vector<Diagnostic>& wrong) {
  const std::vector<std::string> known = option_names(command);
  const auto find = [&](const std::string& dashes, const std::string& name) {
    return command.get_option_no_throw(dashes + name);
  };
  std::vector<std::string> left;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = option_name(words[i]);
    if (words[i] == "--" || name.empty()) {
      left.push_back(words[i]);
      continue;
    }
    const std::string dashes = words[i][1] == '-' ? "--" : "-";
    const bool holds_value = dashes == "--" ? words[i].find('=') != std::string::npos : words[i].size() > 2;
    const CLI::Option* option = find(dashes, name);
    if (option) {
      const bool wants_value = !holds_value && option->get_items_expected_max() > 0;
      const bool none = i + 1 == words.size() || (words[i + 1].starts_with("--") && words[i + 1] != "--");
      if (wants_value && none && option->get_items_expected_min() > 0) {
        wrong.push_back(without_value(command, *option));
        continue;
      }
      left.push_back(words[i]);
      if (wants_value && i + 1 < words.size()) left.push_back(words[++i]);
      continue;
    }
    const std::string written = dashes == "--" ? "--" + name : words[i];
    wrong.push_back(misplaced(command, "unknown option", written, known));
    const std::string near = nearest_name(written, known);
    const CLI::Option* meant = near.empty() ? nullptr : command.get_option_no_throw(near);
    const bool takes_value = meant ? meant->get_items_expected_max() > 0 : true;
    const bool value_follows = i + 1 < words.size() && option_name(words[i + 1]).empty();
    // A file is rather what the command works on.
    if (takes_value && !holds_value && value_follows && !words[i + 1].ends_with(".alm")) ++i;
  }
  words = std::move(left);
}

/// CLI11 says "--step: At Most 1 required but received 2".
std::string in_words(const CLI::ParseError& error) {
  const std::string text = error.what();
  const std::size_t at = text.find(": At Most 1 required");
  return at == std::string::npos ? text : text.substr(0, at) + " is given more than once";
}

/// An empty text is no value: commands take it for an option that was not given.
void note_empty_values(const CLI::App& command, std::vector<Diagnostic>& wrong) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& given = option->results();
    if (std::find(given.begin(), given.end(), "") == given.end()) continue;
    wrong.push_back(without_value(command, *option));
  }
}

}  // namespace

void Options::argument(const char* name, std::string& to, const char* help) {
  app_->add_option(name, to, help)->required()->type_name("");
}

void Options::model(std::string& to) { argument("MODEL", to, "Model file; - is standard input"); }

void Options::overrides(std::vector<std::string>& to) {
  repeated("--set", to, "NAME=VALUE", "Replaces a parameter or an initial value: m1=2, \"y1'=10\"; may be repeated");
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
  std::vector<Diagnostic> wrong;
  for (const Command& command : commands) {
    const CLI::App& app = *command.options.app_;
    const auto named = std::find_if(words.begin(), words.end(), [](const std::string& word) { return word[0] != '-'; });
    if (named == words.end() || *named != app.get_name()) continue;
    std::vector<std::string> own(named + 1, words.end());
    take_unknown_options(app, own, wrong);
    words.erase(named + 1, words.end());
    words.insert(words.end(), own.begin(), own.end());
    break;
  }
  std::reverse(words.begin(), words.end());
  try {
    program_->parse(words);
  } catch (const CLI::Success& help) { return program_->exit(help); } catch (const CLI::ParseError& error) {
    // An unknown option takes the place of what is then missing: it is the better message.
    std::string help = "see alembert --help";
    for (const Command& command : commands) {
      const CLI::App& options = *command.options.app_;
      if (!options.parsed()) continue;
      note_extras(options, "unexpected argument", option_names(options), wrong);
      help = "see " + called(options) + " --help";
    }
    if (wrong.empty()) wrong.push_back({nullptr, {}, in_words(error), help});
    throw InputError(std::move(wrong));
  }

  std::vector<std::string> known = option_names(*program_);
  for (const Command& command : commands) known.push_back(command.options.app_->get_name());
  note_extras(*program_, "unknown command", known, wrong);
  for (const Command& command : commands) {
    const CLI::App& options = *command.options.app_;
    if (!options.parsed()) continue;
    note_extras(options, "unexpected argument", option_names(options), wrong);
    const std::size_t words_alone = wrong.size();
    note_empty_values(options, wrong);
    if (!wrong.empty() && wrong.size() == words_alone && command.examine) {
      try {
        command.examine();
      } catch (const InputError& more) {
        wrong.insert(wrong.end(), more.diagnostics().begin(), more.diagnostics().end());
      }
    }
    if (!wrong.empty()) throw InputError(std::move(wrong));
    prepare();
    return command.perform();
  }
  if (!wrong.empty()) throw InputError(std::move(wrong));
  fmt::print("{}", program_->help());
  return 0;
}

}  // namespace alembert::internal::app
