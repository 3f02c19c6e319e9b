// alembert studio: a page on this machine in which models are written, run and compared.

#include "alembert/studio/server/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "alembert/error.h"
#include "alembert/plot/web.h"
#include "alembert/studio/worker.h"
#include "commands.h"

namespace alembert::internal::app {
namespace {

// Always the same where it is free, so that a browser finds again what it kept for this address.
constexpr unsigned short usual_port = 7414;

struct StudioArguments {
  std::string folder, port;  // as written; empty where not given
  std::string worker;        // where a worker puts files to be downloaded; "" in the server
  bool no_browser = false;
};

unsigned short read_port(const std::string& text) {
  const long port = read_whole("--port", text, 0);
  if (port > 65535) throw InputError("--port is at most 65535, not " + text);
  return static_cast<unsigned short>(port);
}

/// With what the desktop uses; nothing where there is no desktop.
void open_browser(const std::string& address) {
  if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY")) return;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  std::string program = "xdg-open", place = address;
  char* arguments[] = {program.data(), place.data(), nullptr};
  pid_t ignored = 0;
  ::posix_spawnp(&ignored, program.c_str(), &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
}

int open_studio(const StudioArguments& arguments) {
  const std::string folder = arguments.folder.empty() ? "." : arguments.folder;
  if (!arguments.worker.empty()) {
    studio::work(folder, arguments.worker);
    return done;
  }
  if (web_bundle("studio.js").empty())
    throw InputError("this program was built without its pages, so that there is no studio in it",
                     "build it where npm and its registry can be reached");
  studio::ServerOptions options;
  options.folder = folder;
  options.port = arguments.port.empty() ? usual_port : read_port(arguments.port);
  options.port_is_wish = arguments.port.empty();
  options.worker = {std::filesystem::read_symlink("/proc/self/exe").string(), "studio", "--worker"};
  studio::Server server(options);
  fmt::print("alembert studio, models in {}\n  open        {}\n  end         Ctrl-C\n",
             std::filesystem::canonical(folder).string(), server.address());
  std::fflush(stdout);
  if (!arguments.no_browser) open_browser(server.address());
  server.run();
  fmt::print("ended\n");
  return done;
}

}  // namespace

Command add_studio(CommandLine& program) {
  Options options = program.command("studio", "Open a page in which models are written, run and compared");
  auto arguments = std::make_shared<StudioArguments>();
  options.optional_argument("FOLDER", arguments->folder, "Where your models are; this folder where not given");
  options.option("--port", arguments->port, "N", "Port on this machine; 0: any that is free");
  options.flag("--no-browser", arguments->no_browser, "Print the address only");
  options.hidden("--worker", arguments->worker);
  options.footer(
      "The page is served to this machine alone, and only to who knows the address: its long number is another one at\n"
      "every start. Nothing outside FOLDER is read or written, and links in it are not followed. Ctrl-C ends it.");
  return {options, [arguments] { return open_studio(*arguments); }};
}

}  // namespace alembert::internal::app
