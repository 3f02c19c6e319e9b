// alembert grammar: the grammar of the model language, from the table that the parser works from.

#include <fmt/core.h>

#include "commands.h"

namespace alembert::internal::app {

Command add_grammar(CommandLine& program) {
  Options options = program.command("grammar", "Print the grammar of the model language");
  return {options, [] {
            fmt::print("{}", grammar());
            return done;
          }};
}

}  // namespace alembert::internal::app
