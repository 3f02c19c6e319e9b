// alembert fmt: models as canonical text.

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "alembert/base/error.h"
#include "commands.h"

namespace alembert::app {
namespace {

struct FmtOptions {
  std::vector<std::string> files;
  bool in_place = false, check = false;
};

/// Replaces a file at once, through a new one beside it: an interruption leaves the old or the new text, never half.
/// A link keeps pointing to its file, and the file keeps its rights.
void replace_file(const std::string& path, const std::string& text) {
  const auto fail = [&](const std::string& step) {
    throw InputError("cannot write '" + path + "': " + step + ": " + std::strerror(errno));
  };
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  if (!real) fail("no such file");
  std::string beside = std::string(real.get()) + ".XXXXXX";
  struct stat status;
  if (::stat(real.get(), &status) != 0) fail("its rights");
  if (::access(real.get(), W_OK) != 0) fail("its rights");
  const int descriptor = ::mkstemp(beside.data());
  if (descriptor < 0) fail("a new file beside it");
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = ::write(descriptor, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    written += static_cast<std::size_t>(count);
  }
  const bool good = written == text.size() && ::fchmod(descriptor, status.st_mode & 07777) == 0;
  const int problem = errno;
  if (::close(descriptor) != 0 || !good || ::rename(beside.c_str(), real.get()) != 0) {
    if (!good) errno = problem;
    const int cause = errno;
    ::unlink(beside.c_str());
    errno = cause;
    fail("writing");
  }
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

Command add_fmt(CLI::App& program) {
  CLI::App* app = program.add_subcommand("fmt", "Print models as canonical text");
  auto options = std::make_shared<FmtOptions>();
  app->add_option("FILE", options->files, "Models; - is standard input")->required();
  app->add_flag("-i,--in-place", options->in_place, "Replace the files instead of printing");
  app->add_flag("--check", options->check, "Only name the files that are not canonical; exit code 1 when there are any");
  return {app, [options] { return format_files(*options); }};
}

}  // namespace alembert::app
