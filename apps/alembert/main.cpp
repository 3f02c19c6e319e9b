// The program: reads the command line, hands over to one command, and turns what it throws into an exit code.

#include <fmt/core.h>

#include <cstdio>
#include <exception>

#include "alembert/error.h"
#include "alembert/version.h"
#include "commands.h"

namespace alembert::internal::app {
namespace {

constexpr char description[] =
    "Constrained mechanical systems from a page of mathematics: derived, compiled, integrated.";
constexpr char footer[] =
    "alembert COMMAND --help tells the options of a command; MODEL is a file, or - for standard input.\n"
    "Exit codes: 0 done, 1 the numbers failed or were interrupted, 2 the input is wrong, 3 an error of the program.";

int perform(int argc, char** argv) {
  CommandLine program(description, version, footer);
  return program.perform(
      argc, argv,
      {add_run(program), add_check(program), add_derive(program), add_methods(program), add_fmt(program),
       add_grammar(program), add_converge(program), add_verify(program), add_sweep(program), add_view(program),
       add_reproduce(program), add_benchmark(program), add_export(program)});
}

}  // namespace
}  // namespace alembert::internal::app

int main(int argc, char** argv) {
  using namespace alembert::internal::app;
  int code = internal_error;
  try {
    code = perform(argc, argv);
  } catch (const alembert::InputError& error) {
    fmt::print(stderr, "{}\n", in_words_of_the_program(error).what());
    code = wrong_input;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "out of memory\n");
    code = failed;
  } catch (const std::exception& error) { fmt::print(stderr, "internal error: {}\n", error.what()); }
  // A full disk or a closed pipe must not look like success.
  if (std::fflush(stdout) != 0 && code == done) {
    fmt::print(stderr, "cannot write to standard output\n");
    code = failed;
  }
  return code;
}
