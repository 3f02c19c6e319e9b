#pragma once

// The command line: commands with their options, declared in one line each. Only command_line.cpp sees CLI11, whose
// header costs more to compile than most commands.

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace alembert::internal::app {

/// Declares what one command takes. Targets are written when the command line is read, so they must live until then;
/// what is not given leaves its target as it was. Values are taken as written: what they mean is the command's matter.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(&app) {}

  /// A word without a name that must be given, and one that may be left out.
  void argument(const char* name, std::string& to, const char* help);
  void optional_argument(const char* name, std::string& to, const char* help);
  /// What many commands have: the file of a model, and --set.
  void model(std::string& to);
  void overrides(std::vector<std::string>& to);
  /// All words without a name.
  void arguments(const char* name, std::vector<std::string>& to, const char* help);
  void optional_arguments(const char* name, std::vector<std::string>& to, const char* help);

  /// An option with a value: "-s,--stages" with the value S. Help shows what the target holds, if anything, as default.
  void option(const char* names, std::string& to, const char* value, const char* help);
  /// An option that may be given several times, with one value each; the second must be given at least once.
  void repeated(const char* names, std::vector<std::string>& to, const char* value, const char* help);
  void required(const char* names, std::vector<std::string>& to, const char* value, const char* help);
  /// An option with a value that help does not show: the program says it to itself.
  void hidden(const char* names, std::string& to);
  /// An option without a value.
  void flag(const char* names, bool& to, const char* help);

  /// What help says below the options.
  void footer(const char* text);

 private:
  friend class CommandLine;
  CLI::App* app_;
};

/// A command whose options are declared. perform() is called once the command line has been read, gives the exit code,
/// and throws InputError. examine(), where it is given, is called instead where the command line holds words that
/// nobody knows: it throws what else is wrong, and does nothing beside.
struct Command {
  Options options;
  std::function<int()> perform;
  std::function<void()> examine = {};
};

class CommandLine {
 public:
  CommandLine(const char* description, const std::string& version, const char* footer);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// An option without a value that every command takes, wherever it stands.
  void flag(const char* name, bool& to, const char* help);
  /// The options of a new command.
  Options command(const char* name, const char* help);
  /// Reads the command line, performs the command that it names and gives its exit code; prints help where that is
  /// asked for or no command is named. Throws InputError for all that it cannot place, with the nearest names as hints.
  /// prepare: called before the command.
  int perform(int argc, char** argv, const std::function<void()>& prepare, const std::vector<Command>& commands);

 private:
  std::unique_ptr<CLI::App> program_;
  std::vector<std::string> flags_;  // of every command
};

}  // namespace alembert::internal::app
