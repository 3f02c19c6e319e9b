#pragma once

// A page of equations: titled sections of rows, as text or as a LaTeX document. Knows nothing of mechanics.

#include <string>
#include <vector>

#include "alembert/derive/letters.h"
#include "alembert/derive/rows.h"
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
  /// The whole page, ended: what is written several times named, rows that differ by their indices only as one.
  std::string take();

 private:
  /// Lines as they are, or a section whose rows are written when all are known.
  struct Part {
    std::string text = {};
    std::vector<Row> rows = {};
    std::size_t left_out = 0;  // rows that were not even looked at
  };
  void heading(const Name& title);
  Row row_of(const Name& name, Expr value, const Exprs& unknowns) const;
  /// Fewer rows that say the same; the definitions that they need are put in their place.
  void shorten();
  std::string written(const std::vector<Row>& rows, std::size_t left_out) const;
  /// In lines that fit on a page, where it is LaTeX.
  std::string right_side(const Row& row) const;
  std::string left_out(const Row& row) const;
  std::string list(const std::vector<std::string>& names) const;
  std::string& text();

  Collector& collector_;
  const ShowOptions& options_;
  FreeNames free_;
  Graph names_;              // whose symbols are abbreviations and names with letters as indices
  std::vector<Part> parts_;  // the first: title and symbols
};

}  // namespace alembert::internal
