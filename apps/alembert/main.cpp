// The program: reads the command line, hands over to one command, and turns what it throws into an exit code.

#include <fcntl.h>
#include <malloc.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <system_error>

#include "alembert/code/code_store.h"
#include "alembert/error.h"
#include "alembert/trajectory.h"
#include "alembert/version.h"
#include "commands.h"

namespace alembert::internal::app {
namespace {

constexpr char description[] =
    "Constrained mechanical systems from a page of mathematics: derived, compiled, integrated.";
constexpr char footer[] =
    "alembert COMMAND --help tells the options of a command; MODEL is a file, or - for standard input.\n"
    "Exit codes: 0 done, 1 the numbers failed, were interrupted or not written, 2 wrong input, 3 an error in the "
    "program.";

int perform(int argc, char** argv) {
  CommandLine program(description, version, footer);
  bool no_cache = false;
  program.flag("--no-cache", no_cache, "Neither use compiled code of earlier runs nor keep any; with every command");
  const auto prepare = [&] {
    const detail::StoreSettings settings = detail::store_settings();
    if (!settings.mistake.empty()) throw InputError(settings.mistake);
    // The processes of a study or of the studio do likewise.
    if (no_cache) ::setenv("ALEMBERT_CACHE", "off", 1);
  };
  return program.perform(
      argc, argv, prepare,
      {add_run(program), add_check(program), add_derive(program), add_methods(program), add_fmt(program),
       add_grammar(program), add_converge(program), add_verify(program), add_sweep(program), add_view(program),
       add_studio(program), add_gallery(program), add_reproduce(program), add_benchmark(program), add_export(program),
       add_audit(program), add_bench(program)});
}

/// What is given back to the system comes back as pages of zeros, one by one: large systems take the same memory again
/// and again, and 20,000 rods spent a twentieth of their start on it.
void keep_memory() {
#ifdef __GLIBC__
  constexpr int all = std::numeric_limits<int>::max();
  ::mallopt(M_MMAP_THRESHOLD, all);
  ::mallopt(M_TRIM_THRESHOLD, all);
#endif
}

/// Files must not get the numbers of streams that are closed, or what is printed would go there. What is read-only
/// refuses to be written, so that a closed output is seen.
void fill_closed_streams() {
  for (int stream = 0; stream < 3; ++stream)
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) != stream) std::_Exit(failed);
}

}  // namespace
}  // namespace alembert::internal::app

int main(int argc, char** argv) {
  using namespace alembert::internal::app;
  keep_memory();
  fill_closed_streams();
  // A closed pipe and a file that may not grow are told by what writes there.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  int code = internal_error;
  bool printed = true;
  try {
    code = perform(argc, argv);
  } catch (const alembert::WriteError& error) {
    say(error.what());
    code = failed;
  } catch (const alembert::InputError& error) {
    say(in_words_of_the_program(error).what());
    code = wrong_input;
  } catch (const std::bad_alloc&) {
    say("out of memory");
    code = failed;
  } catch (const std::system_error&) {
    // What is printed throws where it cannot be.
    printed = false;
  } catch (const std::exception& error) { say(std::string("internal error: ") + error.what()); }
  // A full disk or a closed pipe must not look like success.
  printed = std::fflush(stdout) == 0 && printed;
  if (!printed) {
    say("cannot write to standard output");
    if (code == done || code == internal_error) code = failed;
  }
  return code;
}
