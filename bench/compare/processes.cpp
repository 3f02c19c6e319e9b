// Whole processes: the model of the README, with and without the code that earlier ones compiled.

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>

#include "contests.h"

extern char** environ;

namespace alembert::bench {

double process_seconds(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed) return NAN;
  int status = 0;
  rusage used{};
  if (::wait4(child, &status, 0, &used) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return NAN;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void compare_processes(const BenchOptions& options, Results& results) {
  if (options.program.empty()) return;
  const std::string model = std::string(ALEMBERT_SOURCE_DIR) + "/models/double_pendulum.alm";
  const auto process = [&](const char* name, std::vector<std::string> words) {
    words.insert(words.begin(), options.program);
    return Contestant{name, Kind::ours, [words] { return process_seconds(words); }};
  };
  process_seconds({options.program, "run", model, "--quiet"});  // from now on its code is kept
  results.comparisons.push_back({"alembert run models/double_pendulum.alm", "of the whole process",
                                 measure({process("code kept by an earlier run", {"run", model, "--quiet"}),
                                          process("without it: --no-cache", {"run", model, "--quiet", "--no-cache"}),
                                          process("alembert --version", {"--version"})},
                                         options.rounds)});
}

}  // namespace alembert::bench
