#pragma once

// Errors of the user: every one has a place in a source text, and all of them are reported at once.
// Errors of the numbers are returned values (newton/newton_result.h); errors of ours throw std::logic_error (check()).

#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace alembert {

/// A text that a user gave: a model file, or a value that replaces one of it (name "`set` m1=2").
struct Source {
  std::string name;
  std::string text;
};

/// Where something stands in a source; lines and columns count from 1, line 0 means "no place".
struct Place {
  int line = 0;
  int column = 0;
  int length = 1;
};

struct Diagnostic {
  std::shared_ptr<const Source> source;  // may be null when there is no text to show
  Place place;
  // Fields of option structs and functions of the library stand in backticks, `step`, so that programs can put their
  // own words there.
  std::string message;  // "unknown name 'lenght'"
  std::string hint;     // "did you mean 'length' (parameter, line 3)?"; may be empty
};

/// "file:line:column: message", the line of text, and a caret with the hint below it.
std::string format(const Diagnostic& diagnostic);

/// The input is wrong. Carries all diagnostics that were found; never empty.
class InputError : public std::exception {
 public:
  explicit InputError(std::vector<Diagnostic> diagnostics);
  explicit InputError(std::string message, std::string hint = {});  // without a place (options, files)
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::vector<Diagnostic> diagnostics_;
  std::string text_;
};

/// The candidate nearest to `name` by edit distance, or "" when none is near enough to be meant.
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

/// Throws std::logic_error when a promise inside the program is broken.
void check(bool condition, const char* what);

}  // namespace alembert
