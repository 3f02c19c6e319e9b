// The words of the library in those of the program.

#include <algorithm>

#include "commands.h"

namespace alembert::internal::app {
namespace {

/// What stands in backticks in a message of the library, and what the user of the program knows it by.
struct Word {
  const char* field;
  const char* option;
};

constexpr Word words[] = {
    {"step", "--step"},
    {"end", "--end"},
    {"every", "--every"},
    {"at", "--at"},
    {"sample", "--sample"},
    {"control", "--control"},
    {"tolerance", "--tolerance"},
    {"absolute", "--absolute-tolerance"},
    {"smallest", "--min-step"},
    {"largest", "--max-step"},
    {"growth", "--growth"},
    {"shrink", "--shrink"},
    {"good_steps", "--good-steps"},
    {"most_steps", "--max-steps"},
    {"checkpoint", "--checkpoint"},
    {"resume", "--resume"},
    {"set", "--set"},
    {"axes", "--vary"},
    {"draws", "--draw"},
    {"members", "--members"},
    {"sampling", "--sampling"},
    {"resume", "--resume"},
    {"map", "--map"},
    {"out", "--out"},
    {"observed", "--columns"},
    {"input", "--input"},
    {"columns", "--report"},
    {"device", "--device"},
    {"steps", "--steps"},
    {"ggl", "--form ggl"},
    {"guess", "--guess"},
    {"two_matrix", "--newton two-matrix"},
    {"write(trajectory, path)", "alembert run MODEL --out FILE"},
    {"examine(model)", "'alembert check'"},
    {"converge", "'alembert converge'"},
    {"describe_methods()", "'alembert methods'"},
    {"to_json(report)", "'alembert run --json'"},
};

const char* option_of(std::string_view field) {
  const auto found =
      std::find_if(std::begin(words), std::end(words), [&](const Word& word) { return field == word.field; });
  return found == std::end(words) ? nullptr : found->option;
}

}  // namespace

std::string in_words_of_the_program(std::string text) {
  for (std::size_t open = text.find('`'); open != std::string::npos; open = text.find('`', open + 1)) {
    const std::size_t close = text.find('`', open + 1);
    if (close == std::string::npos) break;
    const char* option = option_of(std::string_view(text).substr(open + 1, close - open - 1));
    if (option) text.replace(open, close - open + 1, option);
  }
  return text;
}

InputError in_words_of_the_program(const InputError& error) {
  std::vector<Diagnostic> diagnostics = error.diagnostics();
  for (Diagnostic& d : diagnostics) {
    d.message = in_words_of_the_program(d.message);
    d.hint = in_words_of_the_program(d.hint);
    if (!d.source || d.source->name.find('`') == std::string::npos) continue;
    d.source = std::make_shared<const Source>(Source{in_words_of_the_program(d.source->name), d.source->text});
  }
  return InputError(std::move(diagnostics));
}

}  // namespace alembert::internal::app
