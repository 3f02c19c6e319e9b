// alembert view: a page with the animation and the plots of a trajectory that a run wrote.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "alembert/base/utf8.h"
#include "alembert/error.h"
#include "alembert/plot/figures.h"
#include "commands.h"

namespace alembert::internal::app {
namespace {

// What a sound file takes at most on a slow processor; a gigabyte takes ten seconds on a usual one.
constexpr rlim_t least_seconds = 3, bytes_in_a_second = 5'000'000;

struct ViewArguments {
  std::string file, out;
};

/// HDF5 does not survive all damage that a file may have: another process tries first.
void require_sound(const std::string& file) {
  if (!file.ends_with(".h5")) return;
  const pid_t child = ::fork();
  if (child == 0) {
    std::error_code ignored;
    const auto size = static_cast<rlim_t>(std::filesystem::file_size(file, ignored));
    const rlim_t seconds = least_seconds + (ignored ? 0 : size / bytes_in_a_second);
    const rlimit limit = {seconds, seconds};
    ::setrlimit(RLIMIT_CPU, &limit);
    ::close(STDERR_FILENO);
    try {
      read_trajectory(file);
    } catch (...) {}
    ::_exit(0);
  }
  int status = 0;
  if (child > 0 && ::waitpid(child, &status, 0) == child && WIFSIGNALED(status))
    throw InputError("'" + file + "' is damaged: it cannot be read");
}

int view(const ViewArguments& arguments) {
  require_sound(arguments.file);
  const Trajectory trajectory = read_trajectory(arguments.file);
  const std::string out =
      arguments.out.empty() ? std::filesystem::path(arguments.file).replace_extension(".html").string() : arguments.out;
  if (!out.ends_with(".html") && !out.ends_with(".svg")) {
    throw InputError("--out cannot tell the format of '" + out + "' by its ending",
                     "the endings .html and .svg are known");
  }
  Figure figure = figure_of(trajectory);
  const std::string title =
      trajectory.run.model.empty() ? std::filesystem::path(arguments.file).filename().string() : figure.title;
  figure.title = title;
  write_file("--out", out, out.ends_with(".svg") ? to_svg(figure) : page_of(trajectory, title, ""));
  if (!trajectory.note.empty()) say("'" + arguments.file + "': " + trajectory.note);
  fmt::print("{}: {} rows from t = {} to {}, written to {}\n", printable(title), trajectory.rows(),
             trajectory.t().front(), trajectory.t().back(), out);
  return done;
}

}  // namespace

Command add_view(CommandLine& program) {
  Options options = program.command("view", "Make a page with the animation and the plots of a trajectory");
  auto arguments = std::make_shared<ViewArguments>();
  options.argument("FILE", arguments->file, "What alembert run --out wrote: .csv, .h5 or .json");
  options.option("-o,--out", arguments->out, "FILE",
                 "Page to write (.html, or .svg for the plots alone); else beside FILE");
  options.footer("The page needs no network and no other file: open it in any browser.");
  return {options, [arguments] { return view(*arguments); }};
}

}  // namespace alembert::internal::app
