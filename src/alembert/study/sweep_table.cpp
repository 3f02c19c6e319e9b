// The table of a parameter study as text, JSON and CSV.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "alembert/study/sweep.h"

namespace alembert::internal {

namespace {

using Json = nlohmann::ordered_json;
using Cell = SweepRow::Cell;

std::string dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json json_of(const Cell& cell) {
  if (const long* whole = std::get_if<long>(&cell)) return *whole;
  if (const double* number = std::get_if<double>(&cell)) return *number;
  if (const std::string* text = std::get_if<std::string>(&cell)) return *text;
  return nullptr;
}

/// A cell for the eye: six digits, words without quotes, nothing for nothing.
std::string shown(const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return "-";
  if (const std::string* text = std::get_if<std::string>(&cell)) return *text;
  if (const double* number = std::get_if<double>(&cell)) return fmt::format("{:.6g}", *number);
  return std::to_string(std::get<long>(cell));
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

/// The codes of all warnings: "accuracy energy".
std::string codes(const SweepRow& row) {
  std::string text;
  for (const Warning& warning : row.warnings) text += (text.empty() ? "" : " ") + warning.code;
  return text;
}

/// A line for each warning of the first rows that have some.
std::string warning_lines(const Sweep& sweep) {
  constexpr std::size_t most_rows = 5;
  std::size_t count = 0;
  std::string text;
  for (const SweepRow& row : sweep.rows) {
    if (row.warnings.empty() || ++count > most_rows) continue;
    std::string values;
    for (std::size_t i = 0; i < sweep.axes.size(); ++i)
      values += (i > 0 ? ", " : "") + sweep.axes[i] + " = " + row.values[i];
    for (const Warning& warning : row.warnings) text += "  warning  " + values + ": " + warning.text + "\n";
  }
  if (count > most_rows) text += fmt::format("  warning  {} more runs have warnings\n", count - most_rows);
  return text;
}

std::string csv_cell(const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return "nan";
  if (const std::string* text = std::get_if<std::string>(&cell)) return csv_field(*text);
  return dump(json_of(cell));
}

}  // namespace

std::string to_text(const Sweep& sweep) {
  std::vector<std::vector<std::string>> table(1);
  table[0] = sweep.axes;
  table[0].insert(table[0].end(), sweep.columns.begin(), sweep.columns.end());
  for (const SweepRow& row : sweep.rows) {
    table.push_back(row.values);
    for (const SweepRow::Cell& cell : row.cells) table.back().push_back(shown(cell));
  }
  std::vector<std::size_t> width(table[0].size(), 0);
  for (const auto& line : table)
    for (std::size_t i = 0; i < line.size(); ++i) width[i] = std::max(width[i], line[i].size());
  std::string text = (sweep.model.empty() ? "Model without a name" : sweep.model) + "\n";
  for (std::size_t n = 0; n < table.size(); ++n) {
    for (std::size_t i = 0; i < table[n].size(); ++i) text += fmt::format("  {:>{}}", table[n][i], width[i]);
    if (n > 0 && !sweep.rows[n - 1].failure.empty()) text += "  failed: " + sweep.rows[n - 1].failure;
    text += "\n";
  }
  return text + warning_lines(sweep);
}

std::string to_json(const Sweep& sweep) {
  Json json{{"model", sweep.model}, {"rows", Json::array()}};
  for (const SweepRow& row : sweep.rows) {
    Json vary = Json::object(), report = Json::object();
    for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
      const Json number = Json::parse(row.values[i], nullptr, false);
      vary[sweep.axes[i]] = number.is_number() ? number : Json(row.values[i]);
    }
    for (std::size_t i = 0; i < sweep.columns.size(); ++i) report[sweep.columns[i]] = json_of(row.cells[i]);
    Json warnings = Json::array();
    for (const Warning& warning : row.warnings)
      warnings.push_back({{"code", warning.code}, {"text", warning.text}, {"t", warning.t}});
    json["rows"].push_back({{"vary", vary},
                            {"report", report},
                            {"failure", row.failure.empty() ? Json() : Json(row.failure)},
                            {"warnings", warnings}});
  }
  return dump(json);
}

std::string to_csv(const Sweep& sweep) {
  std::string text;
  for (const auto* names : {&sweep.axes, &sweep.columns})
    for (const std::string& name : *names) text += csv_field(name) + ",";
  text += "failure,warnings\n";
  for (const SweepRow& row : sweep.rows) {
    for (const std::string& value : row.values) text += csv_field(value) + ",";
    for (const SweepRow::Cell& cell : row.cells) text += csv_cell(cell) + ",";
    text += csv_field(row.failure) + "," + codes(row) + "\n";
  }
  return text;
}

}  // namespace alembert::internal
