#pragma once

// Pieces that the parts of Scope share. Inside model/ only.

#include <utility>

#include "alembert/model/scope/scope.h"

namespace alembert::internal {

/// Functions of the language: those in the table of operators, and those of vectors and sums.
bool is_library_function(const std::string& name);
std::vector<std::string> library_functions();
/// Whether q2 is the second entry of what is of this kind.
bool has_entries(Kind kind);

/// While it lives, evaluation sees none of the locals around it: the text of a let or a function stands for itself.
struct Scope::Frame {
  explicit Frame(Scope& scope) : Frame(scope, scope.text_) {}
  Frame(Scope& scope, std::shared_ptr<const Source> source)
      : scope_(scope),
        visible_(scope.visible_),
        locals_(scope.locals_.size()),
        source_(std::exchange(scope.source, std::move(source))) {
    scope.visible_ = locals_;
  }
  ~Frame() {
    scope_.locals_.resize(locals_);
    scope_.visible_ = visible_;
    scope_.source = source_;
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

 private:
  Scope& scope_;
  std::size_t visible_, locals_;
  std::shared_ptr<const Source> source_;
};

/// x[2]' taken apart. Indices in the order written.
struct Scope::Path {
  const Term* root = nullptr;
  std::vector<const Term*> indices;
  int primes = 0;
  Place place;

  explicit Path(const Term& term) : place(term.place) {
    const Term* at = &term;
    while (at->form == Term::Form::index || at->form == Term::Form::prime) {
      if (at->form == Term::Form::prime) ++primes;
      else indices.insert(indices.begin(), &at->parts[1]);
      at = &at->parts[0];
    }
    root = at;
  }
};

}  // namespace alembert::internal
