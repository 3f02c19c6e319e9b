// alembert view: a page with the animation and the plots of a trajectory that a run wrote.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "alembert/base/utf8.h"
#include "alembert/error.h"
#include "alembert/plot/figures.h"
#include "commands.h"

namespace alembert::internal::app {
namespace {

// What a sound file takes at most on a slow processor; a gigabyte takes ten seconds on a usual one.
constexpr rlim_t least_seconds = 3, bytes_in_a_second = 5'000'000;

struct ViewArguments {
  std::vector<std::string> files;
  std::string out;
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

std::string name_of(const std::string& file) { return std::filesystem::path(file).filename().string(); }

/// Runs over one another are told apart by their files, or where these have one name by their paths.
std::vector<PageRun> named_runs(const std::vector<std::string>& files, const std::vector<Trajectory>& trajectories) {
  std::set<std::string> names;
  for (const std::string& file : files) names.insert(name_of(file));
  std::vector<PageRun> runs;
  for (std::size_t i = 0; i < files.size(); ++i)
    runs.push_back({&trajectories[i], names.size() == files.size() ? name_of(files[i]) : files[i]});
  return runs;
}

int view(const ViewArguments& arguments) {
  std::vector<Trajectory> trajectories;
  trajectories.reserve(arguments.files.size());
  for (const std::string& file : arguments.files) {
    require_sound(file);
    trajectories.push_back(read_trajectory(file));
  }
  const std::string& file = arguments.files[0];
  const std::string out =
      arguments.out.empty() ? std::filesystem::path(file).replace_extension(".html").string() : arguments.out;
  if (!out.ends_with(".html") && !out.ends_with(".svg")) {
    throw InputError("--out cannot tell the format of '" + out + "' by its ending",
                     "the endings .html and .svg are known");
  }
  if (out.ends_with(".svg") && trajectories.size() > 1)
    throw InputError("a figure (.svg) shows one run, a page (.html) several over one another");
  const Trajectory& first = trajectories[0];
  Figure figure = figure_of(first);
  std::string title = first.run.model.empty() ? name_of(file) : figure.title;
  if (trajectories.size() > 1)
    title = (first.run.model.empty() ? name_of(file) : first.run.model) + ", " + std::to_string(trajectories.size()) +
            " runs";
  figure.title = title;
  if (out.ends_with(".html") && !page_note().empty()) say("note: " + page_note());
  write_file(
      "--out", out,
      out.ends_with(".svg") ? to_svg(figure) : page_of(named_runs(arguments.files, trajectories), title, "", file));
  for (std::size_t i = 0; i < trajectories.size(); ++i) {
    const Trajectory& one = trajectories[i];
    if (!one.note.empty()) say("'" + arguments.files[i] + "': " + one.note);
    const std::string& name = trajectories.size() > 1 ? arguments.files[i] : title;
    fmt::print("{}: {} rows from t = {} to {}, written to {}\n", printable(name), one.rows(), one.t().front(),
               one.t().back(), printable(out));
  }
  return done;
}

}  // namespace

Command add_view(CommandLine& program) {
  Options options = program.command("view", "Make a page with the animation and the plots of a trajectory");
  auto arguments = std::make_shared<ViewArguments>();
  options.arguments("FILE", arguments->files,
                    "What alembert run --out wrote: .csv, .h5 or .json; several are laid over one another");
  options.option("-o,--out", arguments->out, "FILE",
                 "Page to write (.html, or .svg for the plots alone); else beside FILE");
  options.footer("The page needs no network and no other file: open it in any browser.");
  return {options, [arguments] { return view(*arguments); }};
}

}  // namespace alembert::internal::app
