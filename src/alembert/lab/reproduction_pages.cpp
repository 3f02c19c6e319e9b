// What was reproduced as text, pages and a summary.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "alembert/error.h"
#include "alembert/lab/reproduce.h"
#include "alembert/lab/web.h"
#include "alembert/plot/figures.h"
#include "alembert/plot/web.h"
#include "alembert/trajectory.h"
#include "alembert/version.h"

namespace alembert::internal::reproduce {
namespace {

std::string verdict(const Findings& found) {
  if (!found.failure.empty()) return "failed";
  return found.passed() ? "ok" : "missed";
}

struct Count {
  int entries = 0, missed = 0, checks = 0;
};

Count count(const std::vector<Result>& results) {
  Count c;
  for (const Result& result : results) {
    ++c.entries;
    c.missed += result.findings.passed() ? 0 : 1;
    c.checks += static_cast<int>(result.findings.checks.size());
  }
  return c;
}

std::string paragraph(const std::string& topic, const std::string& text) {
  return text.empty() ? "" : "<p><b>" + topic + "</b> " + escaped(text) + "</p>\n";
}

std::string html_table(const Table& table) {
  std::string html = table.title.empty() ? "" : "<p><b>" + escaped(table.title) + "</b></p>\n";
  html += "<table><tr>";
  for (const std::string& cell : table.head) html += "<th>" + escaped(cell) + "</th>";
  html += "</tr>\n";
  for (const std::vector<std::string>& row : table.rows) {
    html += "<tr>";
    for (const std::string& cell : row) html += "<td>" + escaped(cell) + "</td>";
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

std::string html_checks(const Findings& found) {
  if (found.checks.empty()) return "";
  std::string html = "<table><tr><th>number</th><th>ours</th><th>expected</th><th></th></tr>\n";
  for (const Check& c : found.checks)
    html += fmt::format("<tr><td>{}</td><td>{:.7g}</td><td>{}</td><td class=\"{}\">{}</td></tr>\n", escaped(c.name),
                        c.value, escaped(expectation(c)), c.passed() ? "good" : "bad", c.passed() ? "ok" : "missed");
  return html + "</table>\n";
}

/// The commands that remake it, and the models that they read.
std::string html_sources(const Entry& entry) {
  std::string html;
  if (!entry.commands.empty()) {
    html += "<pre>";
    for (const std::string& command : entry.commands) html += escaped(command) + "\n";
    html += "</pre>\n";
  }
  for (const std::string& model : entry.models)
    html += fmt::format("<details><summary>models/{}.alm</summary><pre>{}</pre></details>\n", model,
                        escaped(gallery_text(model)));
  return html;
}

/// Links to the files of figures and data, behind a comma where there are any.
std::string html_links(const Result& result) {
  std::string links;
  for (const Findings::File& file : result.findings.figures)
    links += fmt::format(" <a href=\"figures/{0}.svg\">{0}.svg</a>", file_name(result.entry.id, file.name));
  for (const Findings::File& file : result.findings.data)
    links += fmt::format(" <a href=\"data/{0}.csv\">{0}.csv</a>", file_name(result.entry.id, file.name));
  return links.empty() ? "" : "," + links;
}

std::string html_entry(const Result& result) {
  const Entry& entry = result.entry;
  const Findings& found = result.findings;
  std::string content = paragraph("The paper:", entry.says) + paragraph("Misprints and remarks:", entry.remark) +
                        paragraph("Failed:", found.failure);
  for (const Findings::File& figure : found.figures) content += figure.text;
  for (const std::string& note : found.notes) content += "<p>" + escaped(note) + "</p>\n";
  content += html_checks(found);
  for (const Table& table : found.tables) content += html_table(table);
  content += html_sources(entry);
  return filled(lab_web_text("entry.html"), {{"anchor", file_name(entry.id, "")},
                                             {"title", escaped(entry.title)},
                                             {"class", found.passed() ? "good" : "bad"},
                                             {"verdict", verdict(found)},
                                             {"content", content},
                                             {"id", entry.id},
                                             {"seconds", fmt::format("{:.2g}", found.seconds)},
                                             {"links", html_links(result)}});
}

std::string html_paper(const Paper& paper, const std::vector<Result>& results) {
  std::string entries;
  for (const Result& result : results) entries += html_entry(result);
  const std::string body =
      filled(lab_web_text("paper.html"),
             {{"title", escaped(paper.title)}, {"authors", escaped(paper.authors)}, {"entries", entries}});
  return html_page(paper.id + ": " + paper.title, body);
}

/// What the first page says of a paper.
std::string html_index_paper(const Paper& paper, const std::vector<Result>& results) {
  std::string rows;
  for (const Result& result : results)
    rows += filled(lab_web_text("index_row.html"), {{"paper", paper.id},
                                                    {"anchor", file_name(result.entry.id, "")},
                                                    {"id", escaped(result.entry.id)},
                                                    {"title", escaped(result.entry.title)},
                                                    {"count", std::to_string(result.findings.checks.size())},
                                                    {"class", result.findings.passed() ? "good" : "bad"},
                                                    {"verdict", verdict(result.findings)}});
  return filled(
      lab_web_text("index_paper.html"),
      {{"id", paper.id}, {"title", escaped(paper.title)}, {"authors", escaped(paper.authors)}, {"rows", rows}});
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw WriteError("cannot write '" + path.string() + "'");
}

std::string summary_line(const Reproduction& reproduction) {
  Count all;
  for (const std::vector<Result>& list : reproduction.results) {
    const Count c = count(list);
    all.entries += c.entries;
    all.missed += c.missed;
    all.checks += c.checks;
  }
  const std::string made = fmt::format("{} figures and tables, {} numbers: ", all.entries, all.checks);
  return made + (all.missed == 0 ? "all as expected" : fmt::format("{} missed", all.missed));
}

}  // namespace

std::string to_text(const Reproduction& reproduction) {
  std::string text;
  for (std::size_t p = 0; p < reproduction.papers.size(); ++p) {
    text += fmt::format("{}  {}\n", reproduction.papers[p].id, reproduction.papers[p].title);
    for (const Result& result : reproduction.results[p]) {
      const Findings& found = result.findings;
      text +=
          fmt::format("  {:<16} {:<7} {:>3} numbers {:>8}  {}\n", result.entry.id, verdict(found), found.checks.size(),
                      result.cached ? "kept" : fmt::format("{:.1f} s", found.seconds), result.entry.title);
      if (!found.failure.empty()) text += fmt::format("{:20}{}\n", "", found.failure);
      for (const Check& c : found.checks) {
        if (!c.passed()) text += fmt::format("{:20}{}: {:.7g}, expected {}\n", "", c.name, c.value, expectation(c));
      }
    }
  }
  return text + summary_line(reproduction) + "\n";
}

namespace {

/// A word in a cell of a table.
std::string cell(const std::string& words) {
  std::string safe;
  for (const char c : words) safe += c == '|' ? "\\|" : std::string(1, c);
  return " " + safe + " |";
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& words : cells) row += cell(words);
  return row + "\n";
}

/// Folded away below its heading.
std::string folded(const std::string& heading, const std::vector<std::string>& head,
                   const std::vector<std::vector<std::string>>& rows) {
  std::string text = "<details><summary>" + escaped(heading) + "</summary>\n\n" + markdown_row(head) + "|";
  for (std::size_t i = 0; i < head.size(); ++i) text += "---|";
  text += "\n";
  for (const std::vector<std::string>& row : rows) text += markdown_row(row);
  return text + "\n</details>\n\n";
}

std::string markdown_entry(const Result& result, std::size_t largest_figure) {
  const Findings& found = result.findings;
  std::string text = fmt::format("\n### {}\n\n", result.entry.title);
  if (!result.entry.says.empty()) text += "The paper: " + result.entry.says + "\n\n";
  if (!result.entry.remark.empty()) text += "Misprints and remarks: " + result.entry.remark + "\n\n";
  for (const Findings::File& figure : found.figures) {
    if (figure.text.size() <= largest_figure)
      text += fmt::format("![{}](figures/{}.svg)\n\n", result.entry.title, file_name(result.entry.id, figure.name));
  }
  for (const std::string& note : found.notes) text += note + "\n\n";
  if (!found.failure.empty()) text += "**failed:** " + found.failure + "\n\n";
  std::vector<std::vector<std::string>> rows;
  for (const Check& c : found.checks)
    rows.push_back({c.name, fmt::format("{:.5g}", c.value), expectation(c), c.passed() ? "ok" : "**missed**"});
  if (!rows.empty())
    text += folded(fmt::format("{} numbers: {}", rows.size(), found.passed() ? "all as expected" : "missed"),
                   {"number", "ours", "expected", ""}, rows);
  for (const Table& table : found.tables) text += folded(table.title, table.head, table.rows);
  return text;
}

}  // namespace

std::string to_markdown(const Reproduction& reproduction, std::size_t largest_figure) {
  std::string text =
      "# Reproduction\n\nEvery figure and table of the papers, remade by `alembert reproduce`, which writes this page "
      "(summary.md; `tools/reproduction.sh`\ncopies it here) beside others that hold all figures and data. Numbers are "
      "compared with those of an independent\nimplementation in 30 to 40 digits.\n\n" +
      summary_line(reproduction) + (reproduction.quick ? " (quick)" : "") + ".\n";
  for (std::size_t p = 0; p < reproduction.papers.size(); ++p) {
    const Paper& paper = reproduction.papers[p];
    text += fmt::format("\n## {}: {}\n\n{}\n", paper.id, paper.title, paper.authors);
    for (const Result& result : reproduction.results[p]) text += markdown_entry(result, largest_figure);
  }
  return text;
}

namespace {

/// What is unusual about this reproduction.
std::string html_remarks(const Reproduction& reproduction) {
  std::string html;
  if (reproduction.quick) html += "<p>A quick run: the same checks, shorter runs.</p>\n";
  if (reproduction.overrides.empty()) return html;
  html += "<p class=\"bad\">With other values than the papers':";
  for (const std::string& text : reproduction.overrides) html += " <code>" + escaped(text) + "</code>";
  return html + "</p>\n";
}

std::string html_index(const Reproduction& reproduction) {
  std::string papers;
  for (std::size_t p = 0; p < reproduction.papers.size(); ++p)
    papers += html_index_paper(reproduction.papers[p], reproduction.results[p]);
  const std::string body = filled(lab_web_text("index.html"), {{"summary", escaped(summary_line(reproduction))},
                                                               {"remarks", html_remarks(reproduction)},
                                                               {"papers", papers},
                                                               {"version", version}});
  return html_page("Reproduction", body);
}

void write_files(const std::filesystem::path& root, const Result& result) {
  for (const Findings::File& file : result.findings.figures)
    write(root / "figures" / (file_name(result.entry.id, file.name) + ".svg"), file.text);
  for (const Findings::File& file : result.findings.data)
    write(root / "data" / (file_name(result.entry.id, file.name) + ".csv"), file.text);
}

}  // namespace

void write_pages(const Reproduction& reproduction, const std::string& folder) {
  const std::filesystem::path root(folder);
  std::error_code error;
  for (const char* name : {"figures", "data"}) {
    std::filesystem::create_directories(root / name, error);
    if (error) throw InputError("cannot make the folder '" + (root / name).string() + "': " + error.message());
  }
  for (std::size_t p = 0; p < reproduction.papers.size(); ++p) {
    for (const Result& result : reproduction.results[p]) write_files(root, result);
    write(root / (reproduction.papers[p].id + ".html"), html_paper(reproduction.papers[p], reproduction.results[p]));
  }
  write(root / "index.html", html_index(reproduction));
  write(root / "verdict.json", to_json(reproduction));
  // Figures that are larger than this are left to the pages: documentation is downloaded with every clone.
  constexpr std::size_t largest_figure = 45'000;
  write(root / "summary.md", to_markdown(reproduction, largest_figure));
}

}  // namespace alembert::internal::reproduce
