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
  constexpr double many = 1e6;  // far more than anybody reads, and far from overflow where sharing doubles it
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

/// Of longer families the first and the last name are written.
constexpr std::size_t longest_family = 12;

std::string latex_left_out(const std::string& cut) { return "\\dots\\ \\text{(" + cut + ")}"; }

/// Letters on one line of equations: what the text width of an article holds, less the names on the left and right.
constexpr double latex_line = 46;
/// Beyond this the expression is written as it stands: gathering terms would cost more time than a reader waits.
constexpr double most_operations_collected = 20000;

}  // namespace

std::string Page::latex(const Name& name) const {
  if (name.symbol.empty()) return name.latex;
  const std::string symbol = collector_.table().names(name.symbol);
  return name.letter.empty() ? symbol : name.letter + "_{" + symbol + "}";
}

std::string Page::list(const std::vector<std::string>& names) const {
  const auto one = [&](const std::string& name) {
    return options_.latex ? "$" + latex(name_of(name)) + "$" : name_of(name).text;
  };
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? " " : ", ") + more; };
  for (const std::vector<std::string>& family : families(names)) {
    if (family.size() > longest_family) {
      add(one(family.front()));
      add(options_.latex ? "\\dots" : "...");
      add(one(family.back()));
    } else {
      for (const std::string& name : family) add(one(name));
    }
  }
  return text;
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

void Page::meanings(const std::vector<Meaning>& all) {
  heading({"symbols", "Symbols"});
  if (options_.latex) {
    text_ += "\\begin{itemize}\n";
    for (const Meaning& one : all) {
      const std::string name = latex(one.name);
      text_ += "  \\item " + (name.empty() ? "" : "$" + name + "$: ") + escaped(one.words);
      if (!one.formula.latex.empty()) text_ += " $" + one.formula.latex + "$";
      text_ += list(one.symbols) + "\n";
    }
    text_ += "\\end{itemize}\n";
    return;
  }
  std::size_t width = 0;
  for (const Meaning& one : all) width = std::max(width, one.name.text.size());
  for (const Meaning& one : all) {
    text_ += "  " + one.name.text + std::string(width - one.name.text.size(), ' ') + "  " + one.words;
    if (!one.formula.text.empty()) text_ += " " + one.formula.text;
    text_ += list(one.symbols) + "\n";
  }
}

void Page::note(const Name& title, const Name& sentence) {
  heading(title);
  text_ += options_.latex ? sentence.latex + "\n" : "  " + sentence.text + "\n";
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
