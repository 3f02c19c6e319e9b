// alembert grammar: the grammar of the model language, from the table that the parser works from.

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "commands.h"

namespace alembert::internal::app {

Command add_grammar(CLI::App& program) {
  CLI::App* options = program.add_subcommand("grammar", "Print the grammar of the model language");
  return {options, [] {
            fmt::print("{}", grammar());
            return done;
          }};
}

}  // namespace alembert::internal::app
