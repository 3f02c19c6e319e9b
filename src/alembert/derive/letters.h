#pragma once

// The letters of theory on a page of equations: q, v, p, g, lambda. None of them looks like a name of the model.

#include <map>
#include <string>
#include <vector>

namespace alembert::internal {

/// A name as text and as LaTeX; or of a symbol, whose LaTeX is the page's matter: it may look like another one.
struct Name {
  std::string text, latex = {};
  std::string letter = {}, symbol = {};  // the letter with the symbol as its index, where both are there
  std::string second = {};               // a second index
};
/// The name of a symbol of the model: x1' is the dotted x with index 1.
Name name_of(const std::string& symbol);

class Letters {
 public:
  Letters() = default;
  /// names: of the model. A letter that is one of them, also with one of `indices` (multipliers: of `constraints`), is
  /// written differently: g as gg, in LaTeX as a bold g. `lists` says what letters stand for: q may be the list of
  /// q[1] and q[2].
  Letters(const std::vector<std::string>& names, const std::vector<std::string>& indices,
          const std::vector<std::string>& constraints, const std::map<std::string, std::vector<std::string>>& lists);

  Name operator()(const std::string& letter) const;
  /// "p_x1": the letter with the name as its index.
  Name indexed(const std::string& letter, const std::string& symbol) const;
  /// A formula in these letters: "q' = v + g_q^T mu". Words of several letters stay, but for lambda, psi and mu.
  Name formula(const std::string& text) const;
  /// The same between words: in LaTeX it is set as a formula.
  Name in_words(const std::string& before, const std::string& formula, const std::string& behind = {}) const;

 private:
  std::map<std::string, std::string> other_;  // the text of those that are taken
};

}  // namespace alembert::internal
