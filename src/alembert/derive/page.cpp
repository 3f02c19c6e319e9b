#include "alembert/derive/page.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "alembert/derive/indices.h"
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
constexpr std::size_t longest_family = 6;

/// Letters on one line of equations: what the text width of an article holds, less the names on the left and right.
constexpr double latex_line = 46;
/// Beyond this the expression is written as it stands: gathering terms would cost more time than a reader waits.
constexpr double most_operations_collected = 20000;

}  // namespace

std::string Page::latex(const Name& name) const {
  if (name.symbol.empty()) return name.latex;
  std::string symbol = collector_.table().names(name.symbol);
  if (!name.second.empty()) symbol += ",\\, " + collector_.table().names(name.second);
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
    : collector_(collector), options_(options), free_(symbols) {
  collector_.table().names = LatexNames(symbols);
  if (options_.latex) {
    text() = "\\documentclass{article}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n\\begin{document}\n\n\\noindent " +
             escaped(title) + ".\n";
  } else {
    text() = title + "\n";
  }
}

void Page::heading(const Name& title) {
  if (options_.latex) text() += "\n\\paragraph{" + latex(title) + "}\n";
  else text() += "\n" + title.text + "\n";
}

void Page::line(const Name& sentence) {
  text() += options_.latex ? "\n" + latex(sentence) + "\n" : sentence.text + "\n";
}

void Page::meanings(const std::vector<Meaning>& all) {
  heading({"symbols", "Symbols"});
  if (options_.latex) {
    text() += "\\begin{itemize}\n";
    for (const Meaning& one : all) {
      const std::string name = latex(one.name);
      text() += "  \\item " + (name.empty() ? "" : "$" + name + "$: ") + escaped(one.words);
      if (!one.formula.latex.empty()) text() += " $" + one.formula.latex + "$";
      text() += list(one.symbols) + "\n";
    }
    text() += "\\end{itemize}\n";
    parts_.emplace_back();
    return;
  }
  std::size_t width = 0;
  for (const Meaning& one : all) width = std::max(width, one.name.text.size());
  for (const Meaning& one : all) {
    text() += "  " + one.name.text + std::string(width - one.name.text.size(), ' ') + "  " + one.words;
    if (!one.formula.text.empty()) text() += " " + one.formula.text;
    text() += list(one.symbols) + "\n";
  }
  parts_.emplace_back();
}

void Page::note(const Name& title, const Name& sentence) {
  heading(title);
  text() += options_.latex ? sentence.latex + "\n" : "  " + sentence.text + "\n";
}

std::string& Page::text() {
  if (parts_.empty() || !parts_.back().rows.empty()) parts_.emplace_back();
  return parts_.back().text;
}

void Page::section(const Name& title, const std::vector<Name>& names, const Exprs& values, const Exprs& unknowns,
                   const std::vector<std::string>& behind) {
  if (values.empty()) return;
  heading(title);
  Part section;
  double operations = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Rows that would not be shown are looked at for families only, while that is quick.
    operations += i < options_.rows ? 0 : written_operations(values[i]) + 1;
    if (operations > most_operations_collected) {
      section.left_out = values.size() - i;
      break;
    }
    section.rows.push_back(row_of(names[i], values[i], unknowns));
    if (!behind.empty()) section.rows.back().behind = behind[i];
  }
  parts_.push_back(std::move(section));
}

Row Page::row_of(const Name& name, Expr value, const Exprs& unknowns) const {
  Row row{name, {}};
  row.operations = written_operations(value);
  if (row.operations <= most_operations_collected) row.sum = collector_.collect(value, unknowns);
  else if (row.operations > static_cast<double>(options_.length)) row.text = left_out(row);
  else row.text = options_.latex ? to_latex(value, collector_.table().names) : to_infix(value);
  return row;
}

std::string Page::left_out(const Row& row) const {
  const std::string cut = std::to_string(static_cast<long>(row.operations)) +
                          (row.operations < 1e6 ? " operations, left out" : " operations or more, left out");
  return options_.latex ? "\\dots\\ \\text{(" + cut + ")}" : "... (" + cut + ")";
}

void Page::shorten() {
  form::FormTable& table = collector_.table();
  std::vector<Row*> rows;
  for (Part& part : parts_)
    for (Row& row : part.rows) rows.push_back(&row);
  std::vector<Row> definitions = abbreviated(table, names_, rows, free_);
  definitions = joined_families(table, names_, definitions, free_.indices(), true);
  const bool every_row = options_.rows == std::numeric_limits<std::size_t>::max();
  std::vector<const Row*> shown;
  for (Part& part : parts_) {
    if (!every_row) part.rows = joined_families(table, names_, part.rows, free_.indices());
    for (; part.rows.size() > options_.rows; part.rows.pop_back()) part.left_out += part.rows.back().stands_for;
    for (const Row& row : part.rows) shown.push_back(&row);
  }
  definitions = needed(table, definitions, shown);
  for (Row& row : definitions) row.in_full = true;
  if (definitions.empty()) return;
  Part section{options_.latex ? "\n\\paragraph{Abbreviations}\n" : "\nabbreviations\n"};
  const auto behind_symbols = parts_.begin() + (parts_.size() > 1 ? 1 : 0);
  parts_.insert(behind_symbols, {section, Part{{}, std::move(definitions)}});
}

std::string Page::written(const std::vector<Row>& rows, std::size_t left_out) const {
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.name.text.size());
  std::string text = options_.latex ? "\\begin{align*}\n" : "";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    if (options_.latex) {
      const std::string separator = row.behind.empty() || row.range.empty() ? "" : ",\\; ";
      const std::string behind = row.behind.empty() ? "" : "\\text{" + escaped(row.behind) + "}";
      text += "  " + latex(row.name) + " &= " + right_side(row);
      if (!row.behind.empty() || !row.range.empty()) text += " && " + behind + separator + row.latex_range;
      text += i + 1 < rows.size() ? " \\\\\n" : "\n";
    } else {
      const std::string separator = row.behind.empty() || row.range.empty() ? "" : ", ";
      text += "  " + row.name.text + std::string(width - row.name.text.size(), ' ') + " = " + right_side(row);
      if (!row.behind.empty() || !row.range.empty()) text += "    # " + row.behind + separator + row.range;
      text += "\n";
    }
  }
  if (options_.latex) text += "\\end{align*}\n";
  if (left_out == 0) return text;
  return text + (options_.latex ? "" : "  ") + "... and " + std::to_string(left_out) + " more equation" +
         (left_out == 1 ? "" : "s") + "\n";
}

std::string Page::right_side(const Row& row) const {
  if (!row.sum) return row.text;
  const form::FormTable& table = collector_.table();
  if (!options_.latex) {
    const std::string text = to_infix(table, *row.sum);
    return text.size() > options_.length && !row.in_full ? left_out(row) : text;
  }
  std::string text;
  double on_line = 0;
  for (const std::string& piece : to_latex_pieces(table, *row.sum, latex_line)) {
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
  return text.size() > options_.length && !row.in_full ? left_out(row) : text;
}

std::string Page::take() {
  shorten();
  std::string page;
  for (const Part& part : parts_) page += part.rows.empty() ? part.text : written(part.rows, part.left_out);
  return options_.latex ? page + "\n\\end{document}\n" : page;
}

}  // namespace alembert::internal
