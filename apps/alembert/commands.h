#pragma once

// The commands of the program, one file each, and what they share.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alembert/error.h"
#include "alembert/methods/method.h"
#include "alembert/model/model.h"
#include "alembert/text/syntax.h"
#include "alembert/trajectory.h"
#include "command_line.h"

namespace alembert::internal::app {

/// Exit codes: done; the numbers failed (or a check said no); the input is wrong; a mistake of ours.
inline constexpr int done = 0, failed = 1, wrong_input = 2, internal_error = 3;

Command add_run(CommandLine& program);
Command add_check(CommandLine& program);
Command add_derive(CommandLine& program);
Command add_methods(CommandLine& program);
Command add_fmt(CommandLine& program);
Command add_grammar(CommandLine& program);
Command add_converge(CommandLine& program);
Command add_verify(CommandLine& program);
Command add_reproduce(CommandLine& program);
Command add_view(CommandLine& program);
Command add_gallery(CommandLine& program);
Command add_sweep(CommandLine& program);
Command add_benchmark(CommandLine& program);
Command add_export(CommandLine& program);
Command add_studio(CommandLine& program);
Command add_audit(CommandLine& program);
Command add_bench(CommandLine& program);

/// What is wrong with independent parts of an input, so that all of it is said at once.
class Complaints {
 public:
  std::vector<Diagnostic> list;

  /// Does a part; the InputError that it throws is kept.
  template <class Part>
  void attempt(const Part& part) {
    try {
      part();
    } catch (const WriteError& error) {
      take(error);
      ++unwritten_;
    } catch (const InputError& error) { take(error); }
  }
  void add(std::string message, std::string hint = {}) {
    list.push_back({nullptr, {}, std::move(message), std::move(hint)});
  }
  /// Throws all of it where there is something; WriteError where files are all that is wrong.
  void raise() const {
    if (list.empty()) return;
    if (unwritten_ == list.size()) throw WriteError(list);
    throw InputError(list);
  }

 private:
  void take(const InputError& error) {
    list.insert(list.end(), error.diagnostics().begin(), error.diagnostics().end());
  }
  std::size_t unwritten_ = 0;
};

/// A whole file, or standard input for "-"; throws InputError when it cannot be read.
std::shared_ptr<const Source> read_source(const std::string& path);
/// The model in a file, or on standard input for "-". Where it is wrong, so may be the method that it names: that is
/// said too.
Model load_model(const std::string& path, const std::vector<std::string>& overrides = {},
                 const std::vector<std::string>& observed = {}, const std::vector<std::string>& inputs = {});

/// --input, for all commands that read a model.
void declare_inputs(Options& options, std::vector<std::string>& inputs);

/// What "NAME=VALUE" gives a value to.
std::string set_name(const std::string& text);

/// What the library says, with the options of the program where that names its own fields: "`step`" becomes "--step".
std::string in_words_of_the_program(std::string text);
InputError in_words_of_the_program(const InputError& error);

/// A line on standard error; nothing where that is closed or full: the exit code says it too.
void say(const std::string& text) noexcept;

/// Writes a whole file that an option names; throws WriteError where that fails.
void write_file(const std::string& option, const std::string& path, const std::string& text);
/// Throws what write_file would, before long work; leaves no trace.
void require_writable(const std::string& option, const std::string& path);

/// Files that a command writes, with the options that name them, are different ones, and none is the model, which would
/// be lost; throws InputError.
struct NamedFile {
  std::string option, path;
};
void require_distinct(const std::string& model, const std::vector<NamedFile>& outputs);
/// For files that are put in place whole: what is there already must be a regular one.
void require_regular(const std::string& option, const std::string& path);

/// What an option says as a number: "0.01", "-1e-3", "1/128"; throws InputError naming the option.
double read_real(const std::string& option, const std::string& text);
/// The same for a whole number of at least `least`.
long read_whole(const std::string& option, const std::string& text, long least);
/// What --OPTION says (as written; empty where not given), else the model; throws InputError where neither does.
double required_number(const std::string& option, const std::string& text, std::optional<double> from_model);
/// The method that an option names or that a model's solve names; what is wrong with it is shown there.
Method read_method(const std::string& option, const std::string& text, std::optional<int> stages = {});
Method solve_method(const Model& model, std::optional<int> stages = {});
/// What --method and --stages say (as written; empty where not given), else the model, else the
/// default method.
Method chosen_method(const std::string& method, const std::string& stages, const Model& model);

}  // namespace alembert::internal::app
