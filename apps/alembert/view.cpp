// alembert view: a page with the animation and the plots of a trajectory that a run wrote.

#include <fmt/format.h>

#include <filesystem>

#include "alembert/error.h"
#include "alembert/plot/figures.h"
#include "commands.h"

namespace alembert::internal::app {
namespace {

struct ViewArguments {
  std::string file, out;
};

int view(const ViewArguments& arguments) {
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
  fmt::print("{}: {} rows from t = {} to {}, written to {}\n", title, trajectory.rows(), trajectory.t().front(),
             trajectory.t().back(), out);
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
