#pragma once

// Rows of a page of equations, made shorter: what is written several times gets a name, and rows that differ by their
// indices only are one.

#include <optional>
#include <string>
#include <vector>

#include "alembert/derive/letters.h"
#include "alembert/expr/form.h"

namespace alembert::internal {

/// name = right side.
struct Row {
  Name name;
  std::optional<form::Sum> sum;              // none where it is too long to be worked out:
  std::string text = {};                     // what stands there then
  double operations = 0;                     // of the right side, written out
  std::string behind = {};                   // said beside the row
  bool in_full = false;                      // however long
  std::size_t stands_for = 1;                // rows
  std::string range = {}, latex_range = {};  // of the indices, where it stands for several
};

/// Names that no symbol of the page has, and that look like none.
class FreeNames {
 public:
  FreeNames() = default;
  explicit FreeNames(const std::vector<std::string>& symbols);
  /// The letter of abbreviations: none of the symbols begins with it alone or with a number behind it.
  const std::string& letter() const { return letter_; }
  /// i and j, or others: those of families of rows.
  const std::vector<std::string>& indices() const { return indices_; }

 private:
  std::string letter_;
  std::vector<std::string> indices_;
};

/// Gives names to what stands several times in the rows, in these rows; the definitions, those that others need first.
/// own: a graph for symbols that stand for nothing but themselves.
std::vector<Row> abbreviated(form::FormTable& table, Graph& own, const std::vector<Row*>& rows, const FreeNames& free);

/// Rows that differ by their indices as one. With `all_pairs` also where not every combination of two indices is there.
std::vector<Row> joined_families(form::FormTable& table, Graph& own, const std::vector<Row>& rows,
                                 const std::vector<std::string>& letters, bool all_pairs = false);

/// The definitions that the rows need, themselves or for other definitions.
std::vector<Row> needed(const form::FormTable& table, const std::vector<Row>& definitions,
                        const std::vector<const Row*>& rows);

}  // namespace alembert::internal
