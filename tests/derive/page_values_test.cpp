// The printed page, read back: abbreviations worked out, families of rows written out, every right side evaluated. It
// has the values of what is computed with.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <regex>
#include <sstream>

#include "../expr/evaluator.h"
#include "../expr/reader.h"
#include "../model/support.h"
#include "alembert/base/lists.h"
#include "alembert/derive/show.h"
#include "source_folder.h"

namespace alembert::internal::test {
namespace {

struct PrintedRow {
  std::string name, value, range;
};
using Values = std::map<std::string, Quad>;

/// "i = 2, ..., 9" as i and 2 to 9.
std::pair<std::string, std::vector<int>> letter_and_values(const std::string& text) {
  std::pair<std::string, std::vector<int>> result{text.substr(0, text.find(' ')), {}};
  bool run = false;
  std::stringstream list(text.substr(text.find('=') + 1));
  for (std::string one; std::getline(list, one, ',');) {
    if (one == " ...") {
      run = true;
      continue;
    }
    const int value = std::stoi(one);
    while (run && result.second.back() + 1 < value) result.second.push_back(result.second.back() + 1);
    run = false;
    result.second.push_back(value);
  }
  return result;
}

/// [i-1] with i = 3 is [2].
std::string with_number(const std::string& text, const std::string& letter, int number) {
  const std::regex place("\\[" + letter + "([+-][0-9]+)?\\]");
  std::string result;
  auto last = text.cbegin();
  for (std::sregex_iterator at(text.begin(), text.end(), place), end; at != end; ++at) {
    result.append(last, (*at)[0].first);
    result += "[" + std::to_string(number + ((*at)[1].matched ? std::stoi((*at)[1].str()) : 0)) + "]";
    last = (*at)[0].second;
  }
  return result.append(last, text.cend());
}

/// The rows that a printed one stands for; of pairs all up to a number.
std::vector<PrintedRow> written_out(const PrintedRow& row) {
  if (row.range.empty()) return {row};
  std::vector<std::string> ranges;
  const std::string pairs = "for the pairs (";
  if (row.range.starts_with(pairs)) {
    ranges = {
        row.range.substr(pairs.size(), row.range.find(',') - pairs.size()) + " = 1, ..., 30",
        row.range.substr(row.range.find(", ") + 2, row.range.find(')') - row.range.find(", ") - 2) + " = 1, ..., 30"};
  } else {
    std::stringstream text(row.range);
    for (std::string one; std::getline(text, one, ';');) ranges.push_back(one.substr(one.find_first_not_of(' ')));
  }
  std::vector<PrintedRow> rows = {{row.name, row.value, ""}};
  for (const std::string& range : ranges) {
    const auto [letter, values] = letter_and_values(range);
    std::vector<PrintedRow> more;
    for (const PrintedRow& one : rows)
      for (const int value : values)
        more.push_back({with_number(one.name, letter, value), with_number(one.value, letter, value), ""});
    rows = more;
  }
  return rows;
}

/// The rows below a heading; none where there is a sentence.
std::vector<PrintedRow> rows_of(const std::string& section) {
  std::vector<PrintedRow> rows;
  std::stringstream text(section);
  for (std::string line; std::getline(text, line);) {
    if (line.find("themselves") != std::string::npos || !line.starts_with("  ")) return {};
    const std::size_t equal = line.find(" = "), tail = line.find("    # ");
    PrintedRow row{line.substr(2, equal - 2), line.substr(equal + 3, tail - equal - 3), ""};
    row.name.erase(row.name.find_last_not_of(' ') + 1);
    static const std::regex range("(for the pairs .*|[a-z]+ = [0-9].*)$");
    std::smatch found;
    if (tail != std::string::npos &&
        std::regex_search(line.cbegin() + static_cast<long>(tail), line.cend(), found, range))
      row.range = found[1];
    rows.push_back(row);
  }
  return rows;
}

Quad read(const std::string& text, const Values& names) { return testing_expr::Reader(text, names).read(); }

/// Values of the abbreviations; of pairs those whose names there are.
void define(Values& names, const std::vector<PrintedRow>& rows) {
  for (const PrintedRow& row : rows)
    for (const PrintedRow& one : written_out(row)) {
      try {
        const Quad value = read(one.value, names);
        names[one.name] = value;
      } catch (const std::out_of_range&) { ASSERT_TRUE(row.range.starts_with("for the pairs")) << one.value; }
    }
}

TEST(PageValues, WhatIsPrintedOfTheGalleryIsWhatIsComputedWith) {
  int models = 0, abbreviations = 0, families = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/models")) {
    if (entry.path().extension() != ".alm") continue;
    const Model m = read_model(entry.path().string());
    if (!m.tables.empty() || !m.contacts.empty() || m.port) continue;
    const Equations e = derive(m, {.symbolic_parameters = true});
    if (e.first_order > 0 || !e.auxiliary.empty() || e.y.size() > 60) continue;
    const std::string page = show(m, e, {.rows = 1000, .length = 1000000});
    if (page.find("left out") != std::string::npos) continue;  // of more than 20,000 operations
    Values names;
    Exprs symbols;
    std::vector<Quad> at;
    std::mt19937 random(5);
    for (std::uint32_t id = 0; id < e.graph->size(); ++id) {
      if (e.graph->node(id).op != Op::symbol) continue;
      symbols.push_back(Expr(e.graph.get(), id));
      const Quad value = Quad(0.5) + Quad(random() % 1000003) / 1000003;
      at.push_back(names.emplace(e.graph->name(id), value).first->second);
    }
    const testing_expr::Values<Quad> values(*e.graph, symbols, at);
    std::vector<Exprs> expected;
    const auto expect = [&](const Exprs& list) {
      if (!list.empty() && list[0]) expected.push_back(list);
    };
    const auto expect_reactions = [&](const Exprs& list) {
      if (!std::all_of(list.begin(), list.end(), [](Expr x) { return is_zero(x); })) expect(list);
    };
    if (e.v != e.z || e.form != Form::lagrangian) expect(e.v);
    if (e.p != e.z) expect(e.p);
    expect(e.f);
    expect_reactions(e.N);
    expect_reactions(e.r);
    for (const Exprs& list : {e.g, e.g_dot, e.k, Exprs{e.energy}, e.invariants, e.reduced}) expect(list);
    std::size_t section = 0;
    for (std::size_t begin = page.find("\n\n"); begin != std::string::npos;) {
      const std::size_t end = page.find("\n\n", begin + 2), first = page.find('\n', begin + 2) + 1;
      const std::string heading = page.substr(begin + 2, first - begin - 3), text = page.substr(first, end - first);
      begin = end;
      if (heading == "symbols") continue;
      const std::vector<PrintedRow> rows = rows_of(text);
      if (rows.empty()) continue;
      if (heading == "abbreviations") {
        define(names, rows);
        abbreviations += static_cast<int>(rows.size());
        continue;
      }
      ASSERT_LT(section, expected.size()) << entry.path() << "\n" << heading;
      std::vector<Quad> shown, computed;
      for (const PrintedRow& row : rows) {
        families += row.range.empty() ? 0 : 1;
        for (const PrintedRow& one : written_out(row)) shown.push_back(read(one.value, names));
      }
      for (const Expr x : expected[section]) computed.push_back(values(x));
      ASSERT_EQ(shown.size(), computed.size()) << entry.path() << "\n" << heading << "\n" << text;
      std::sort(shown.begin(), shown.end());
      std::sort(computed.begin(), computed.end());
      for (std::size_t i = 0; i < shown.size(); ++i) {
        if (!finiteq(computed[i])) continue;
        EXPECT_LT(testing_expr::distance(shown[i], computed[i]), 1e-24) << entry.path() << "\n"
                                                                        << heading << "\n"
                                                                        << text;
      }
      ++section;
    }
    EXPECT_EQ(section, expected.size()) << entry.path();
    ++models;
  }
  EXPECT_GT(models, 45);
  EXPECT_GT(abbreviations, 100);
  EXPECT_GT(families, 100);
}

}  // namespace
}  // namespace alembert::internal::test
