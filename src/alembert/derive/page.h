#pragma once

// A page of equations: titled sections of rows, as text or as a LaTeX document. Knows nothing of mechanics.

#include <string>
#include <vector>

#include "alembert/derive/letters.h"
#include "alembert/equations.h"
#include "alembert/expr/collect.h"

namespace alembert::internal {

/// What a symbol stands for: words, a formula where there is one, and the model's own names of it.
struct Meaning {
  Name name;  // may be empty: symbols of which there is no more to say
  std::string words;
  Name formula = {};
  std::vector<std::string> symbols = {};
};

class Page {
 public:
  /// symbols: all that appear.
  Page(Collector& collector, const ShowOptions& options, const std::string& title,
       const std::vector<std::string>& symbols);

  /// A sentence of its own.
  void line(const Name& sentence);
  /// Symbols and what they stand for, in words: all of them; of long families the first and the last.
  void meanings(const std::vector<Meaning>& all);
  /// One section: name = value, row by row. The coefficients of `unknowns` are gathered. `behind` is said beside the
  /// rows. Nothing when there are no rows.
  void section(const Name& title, const std::vector<Name>& names, const Exprs& values, const Exprs& unknowns = {},
               const std::vector<std::string>& behind = {});
  /// A section that is a sentence.
  void note(const Name& title, const Name& sentence);
  /// A name as this page writes it.
  std::string latex(const Name& name) const;
  /// The whole page, ended.
  std::string take();

 private:
  void heading(const Name& title);
  /// In lines that fit on a page, where it is LaTeX.
  std::string right_side(Expr e, const Exprs& unknowns);
  std::string list(const std::vector<std::string>& names) const;

  Collector& collector_;
  const ShowOptions& options_;
  std::string text_;
};

}  // namespace alembert::internal
