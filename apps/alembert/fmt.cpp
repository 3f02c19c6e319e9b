// alembert fmt: models as canonical text.

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "alembert/error.h"
#include "alembert/trajectory.h"
#include "commands.h"

namespace alembert::internal::app {
namespace {

struct FmtOptions {
  std::vector<std::string> files;
  bool in_place = false, check = false;
};

/// Replaces a file at once, through a new one beside it: an interruption leaves the old or the new text, never half.
/// A link keeps pointing to its file, and the file keeps its rights.
void replace_file(const std::string& path, const std::string& text) {
  const std::filesystem::path target = std::filesystem::canonical(path);
  const auto rights = std::filesystem::status(target).permissions();
  std::string beside = target.string() + ".XXXXXX";
  const int descriptor = ::access(target.c_str(), W_OK) == 0 ? ::mkstemp(beside.data()) : -1;
  if (descriptor < 0) throw WriteError("cannot write '" + path + "': " + std::strerror(errno));
  ::close(descriptor);
  std::ofstream file(beside, std::ios::binary);
  file << text << std::flush;
  std::error_code problem;
  if (!file) problem = std::make_error_code(std::errc::no_space_on_device);
  if (!problem) std::filesystem::permissions(beside, rights, problem);
  if (!problem) std::filesystem::rename(beside, target, problem);
  if (!problem) return;
  ::unlink(beside.c_str());
  throw WriteError("cannot write '" + path + "': " + problem.message());
}

int format_files(const FmtOptions& options) {
  if (options.in_place && options.check) throw InputError("fmt takes --in-place or --check, not both");
  int code = done;
  std::vector<Diagnostic> errors;
  for (const std::string& path : options.files) {
    if (options.in_place && path == "-") throw InputError("fmt cannot replace standard input", "leave out --in-place");
    try {
      const std::shared_ptr<const Source> source = read_source(path);
      const std::string text = print(parse(source));
      if (options.check) {
        if (text == source->text) continue;
        fmt::print("{}\n", source->name);
        code = failed;
      } else if (options.in_place) {
        if (text != source->text) replace_file(path, text);
      } else {
        fmt::print("{}", text);
      }
    } catch (const InputError& error) {
      errors.insert(errors.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  }
  if (!errors.empty()) throw InputError(errors);
  return code;
}

}  // namespace

Command add_fmt(CommandLine& program) {
  Options options = program.command("fmt", "Print models as canonical text");
  auto arguments = std::make_shared<FmtOptions>();
  options.arguments("FILE", arguments->files, "Models; - is standard input");
  options.flag("-i,--in-place", arguments->in_place, "Replace the files instead of printing");
  options.flag("--check", arguments->check,
               "Only name the files that are not canonical; exit code 1 when there are any");
  return {options, [arguments] { return format_files(*arguments); }};
}

}  // namespace alembert::internal::app
