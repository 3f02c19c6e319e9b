#include "alembert/derive/page.h"

#include <algorithm>
#include <unordered_map>

#include "alembert/derive/show.h"
#include "alembert/expr/operators.h"
#include "alembert/expr/print.h"

namespace alembert::internal {

namespace {

/// Operations of the expression written out as a tree: shared parts count each time. Stops growing at a million.
double written_operations(Expr e) {
  constexpr double many = 1e6;
  const Exprs root = {e};
  std::unordered_map<std::uint32_t, double> count;
  for (std::uint32_t id : reachable(root)) {
    const Node& n = e.graph().node(id);
    if (operand_count(n.op) == 0) {
      count[id] = 0;
      continue;
    }
    double c = 1 + count.at(n.a);
    if (operand_count(n.op) == 2) c += count.at(n.b);
    count[id] = std::min(c, many);
  }
  return count.at(e.id());
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string("_%#&${}").find(c) != std::string::npos) result += '\\';
    if (c == '^' || c == '~') result += std::string("\\") + c + "{}";
    else result += c;
  }
  return result;
}

/// Names of a list that are written; that there are more is said.
constexpr std::size_t most_names = 12;

std::string text_list(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i) text += (i ? ", " : " ") + names[i];
  return names.size() > most_names ? text + ", ..." : text;
}
std::string latex_left_out(const std::string& cut) { return "\\dots\\ \\text{(" + cut + ")}"; }

/// Letters on one line of equations: what the text width of an article holds, less the names on the left and right.
constexpr double latex_line = 46;
/// Beyond this the expression is written as it stands: gathering terms would cost more time than a reader waits.
constexpr double most_operations_collected = 20000;

}  // namespace

Name name_of(const std::string& symbol) { return {.text = symbol, .symbol = symbol}; }

Name indexed(const std::string& letter, const std::string& symbol) {
  return {.text = letter + "_" + symbol, .letter = letter, .symbol = symbol};
}

std::string Page::latex(const Name& name) const {
  if (name.symbol.empty()) return name.latex;
  const std::string symbol = collector_.table().names(name.symbol);
  return name.letter.empty() ? symbol : name.letter + "_{" + symbol + "}";
}

std::string Page::latex_list(const std::vector<std::string>& names) const {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i)
    text += (i ? ", $" : " $") + latex(name_of(names[i])) + "$";
  return names.size() > most_names ? text + ", \\dots" : text;
}

Page::Page(Collector& collector, const ShowOptions& options, const std::string& title,
           const std::vector<std::string>& symbols)
    : collector_(collector), options_(options) {
  collector_.table().names = LatexNames(symbols);
  if (options_.latex) {
    text_ = "\\documentclass{article}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n\\begin{document}\n\n\\noindent " +
            escaped(title) + ".\n";
  } else {
    text_ = title + "\n";
  }
}

void Page::heading(const Name& title) {
  if (options_.latex) text_ += "\n\\paragraph{" + latex(title) + "}\n";
  else text_ += "\n" + title.text + "\n";
}

void Page::line(const Name& sentence) {
  text_ += options_.latex ? "\n" + latex(sentence) + "\n" : sentence.text + "\n";
}

void Page::meanings(const std::vector<Meaning>& list) {
  heading({"symbols", "Symbols"});
  const std::size_t shown = std::min(list.size(), options_.rows);
  const std::string more = "and " + std::to_string(list.size() - shown) + " more";
  if (options_.latex) {
    text_ += "\\begin{itemize}\n";
    for (std::size_t i = 0; i < shown; ++i) {
      const std::string name = latex(list[i].name);
      text_ += "  \\item " + (name.empty() ? "" : "$" + name + "$: ") + escaped(list[i].words);
      if (!list[i].formula.latex.empty()) text_ += " $" + list[i].formula.latex + "$";
      text_ += latex_list(list[i].symbols) + "\n";
    }
    if (list.size() > shown) text_ += "  \\item \\dots\\ " + more + "\n";
    text_ += "\\end{itemize}\n";
    return;
  }
  std::size_t width = 0;
  for (std::size_t i = 0; i < shown; ++i) width = std::max(width, list[i].name.text.size());
  for (std::size_t i = 0; i < shown; ++i) {
    text_ += "  " + list[i].name.text + std::string(width - list[i].name.text.size(), ' ') + "  " + list[i].words;
    if (!list[i].formula.text.empty()) text_ += " " + list[i].formula.text;
    text_ += text_list(list[i].symbols) + "\n";
  }
  if (list.size() > shown) text_ += "  ... " + more + "\n";
}

void Page::note(const Name& title, const std::string& text) {
  heading(title);
  text_ += (options_.latex ? escaped(text) : "  " + text) + "\n";
}

void Page::section(const Name& title, const std::vector<Name>& names, const Exprs& values, const Exprs& unknowns,
                   const std::vector<std::string>& behind) {
  if (values.empty()) return;
  heading(title);
  const std::size_t shown = std::min(values.size(), options_.rows);
  std::size_t width = 0;
  for (std::size_t i = 0; i < shown; ++i) width = std::max(width, names[i].text.size());
  if (options_.latex) text_ += "\\begin{align*}\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string tail = behind.empty() ? "" : behind[i];
    if (options_.latex) {
      text_ += "  " + latex(names[i]) + " &= " + right_side(values[i], unknowns);
      if (!tail.empty()) text_ += " && \\text{" + escaped(tail) + "}";
      text_ += i + 1 < shown ? " \\\\\n" : "\n";
    } else {
      text_ += "  " + names[i].text + std::string(width - names[i].text.size(), ' ') + " = ";
      text_ += right_side(values[i], unknowns);
      if (!tail.empty()) text_ += "    # " + tail;
      text_ += "\n";
    }
  }
  if (options_.latex) text_ += "\\end{align*}\n";
  if (values.size() == shown) return;
  const std::size_t more = values.size() - shown;
  text_ += (options_.latex ? "" : "  ") + std::string("... and ") + std::to_string(more) + " more equation" +
           (more == 1 ? "" : "s") + "\n";
}

std::string Page::right_side(Expr e, const Exprs& unknowns) {
  const double operations = written_operations(e);
  const std::string cut = std::to_string(static_cast<long>(operations)) +
                          (operations < 1e6 ? " operations, left out" : " operations or more, left out");
  std::string shown_cut = options_.latex ? latex_left_out(cut) : "... (" + cut + ")";
  if (operations > most_operations_collected) {
    if (operations > static_cast<double>(options_.length)) return shown_cut;
    return options_.latex ? to_latex(e, collector_.table().names) : to_infix(e);
  }
  const form::Sum sum = collector_.collect(e, unknowns);
  if (!options_.latex) {
    const std::string text = to_infix(collector_.table(), sum);
    return text.size() > options_.length ? shown_cut : text;
  }
  std::string text;
  double on_line = 0;
  for (const std::string& piece : to_latex_pieces(collector_.table(), sum, latex_line)) {
    const double width = form::latex_width(piece);
    if (on_line > 0 && on_line + width > latex_line) {
      text += " \\\\\n    &\\quad {} ";
      on_line = 0;
    } else if (on_line > 0) {
      text += " ";
    }
    text += piece;
    on_line += width;
  }
  return text.size() > options_.length ? shown_cut : text;
}

std::string Page::take() {
  if (options_.latex) text_ += "\n\\end{document}\n";
  return std::move(text_);
}

}  // namespace alembert::internal
