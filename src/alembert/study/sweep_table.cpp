// The table of a study as text, JSON and CSV: at once, or row after row into a file.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "alembert/output/member_table.h"
#include "alembert/output/output_file.h"
#include "alembert/study/table_sinks.h"

namespace alembert::internal {

namespace {

using Json = nlohmann::ordered_json;
using TableCell = MemberResult::Cell;

std::string dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json json_of(const TableCell& cell) {
  if (const long* whole = std::get_if<long>(&cell)) return *whole;
  if (const double* number = std::get_if<double>(&cell)) return *number;
  if (const std::string* text = std::get_if<std::string>(&cell)) return *text;
  return nullptr;
}

/// A cell for the eye: six digits, words without quotes, nothing for nothing.
std::string shown(const TableCell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return "-";
  if (const std::string* text = std::get_if<std::string>(&cell)) return *text;
  if (const double* number = std::get_if<double>(&cell)) return fmt::format("{:.6g}", *number);
  return std::to_string(std::get<long>(cell));
}

/// A value for the eye: as written, but for numbers of many digits.
std::string shown_value(const std::string& text) {
  constexpr std::size_t short_enough = 9;  // characters of a column
  const std::optional<double> number = text.size() > short_enough ? constant_value(text) : std::nullopt;
  return number ? fmt::format("{:.6g}", *number) : text;
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
  constexpr std::size_t most_rows = 5;  // as a reader takes in at once
  std::size_t count = 0;
  std::string text;
  for (const SweepRow& row : sweep.rows) {
    if (row.warnings.empty() || ++count > most_rows) continue;
    std::string values;
    for (std::size_t i = 0; i < sweep.axes.size(); ++i)
      values += (i > 0 ? ", " : "") + sweep.axes[i] + " = " + shown_value(row.values[i]);
    for (const Warning& warning : row.warnings) text += "  warning  " + values + ": " + warning.text + "\n";
  }
  if (count > most_rows) text += fmt::format("  warning  {} more runs have warnings\n", count - most_rows);
  return text;
}

std::string csv_cell(const TableCell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return "nan";
  if (const std::string* text = std::get_if<std::string>(&cell)) return csv_field(*text);
  return dump(json_of(cell));
}

std::string csv_head(const std::vector<std::string>& axes, const std::vector<std::string>& columns) {
  std::string text;
  for (const auto* names : {&axes, &columns})
    for (const std::string& name : *names) text += csv_field(name) + ",";
  return text + "failure,warnings\n";
}

std::string csv_line(const SweepRow& row) {
  std::string text;
  for (const std::string& value : row.values) text += csv_field(value) + ",";
  for (const TableCell& cell : row.cells) text += csv_cell(cell) + ",";
  return text + csv_field(row.failure) + "," + codes(row) + "\n";
}

Json json_row(const std::vector<std::string>& axes, const std::vector<std::string>& columns, const SweepRow& row) {
  Json vary = Json::object(), report = Json::object();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Json number = Json::parse(row.values[i], nullptr, false);
    vary[axes[i]] = number.is_number() ? number : Json(row.values[i]);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) report[columns[i]] = json_of(row.cells[i]);
  Json warnings = Json::array();
  for (const Warning& warning : row.warnings)
    warnings.push_back({{"code", warning.code}, {"text", warning.text}, {"t", warning.t}});
  return {{"vary", vary},
          {"report", report},
          {"failure", row.failure.empty() ? Json() : Json(row.failure)},
          {"warnings", warnings}};
}

/// described: with all that a file says of its study.
std::string json_head(const SweepHeader& header, bool described) {
  const std::string about = described ? ",\"attributes\":" + to_json(attributes_of(header)) : "";
  return "{\"model\":" + dump(Json(header.model)) + about + ",\"rows\":[";
}

/// Text that grows at its end, and what closes it for those who read it now.
class TextSink : public SweepSink {
 public:
  explicit TextSink(std::function<void(std::string_view)> write) : write_(std::move(write)) {}
  explicit TextSink(const std::string& path) : file_(std::make_unique<OutputFile>(path)) {}
  void end() override {
    put("", true);
    put_tail();
    if (file_) file_->close();
  }

 protected:
  void start() {
    if (file_) file_->clear();
  }
  void put(std::string_view text, bool now = false) {
    waiting_ += text;
    ends_.push_back(waiting_.size());
    if (!clock_.due(waiting_.size()) && !now) return;
    if (file_) file_->append(waiting_, ends_, tail());
    else write_(waiting_);
    waiting_.clear();
    ends_.clear();
  }
  virtual std::string tail() const { return ""; }
  bool in_file() const { return file_ != nullptr; }

 private:
  void put_tail() {
    const std::string text = tail();
    const std::size_t end = text.size();
    if (file_) file_->append(text, {&end, 1});
    else write_(text);
  }

  std::function<void(std::string_view)> write_;
  std::unique_ptr<OutputFile> file_;
  FlushClock clock_;
  std::string waiting_;
  std::vector<std::size_t> ends_;  // of the rows in it
};

/// A table and nothing else; which study it was stands beside it in NAME.run.json.
class CsvSink final : public TextSink {
 public:
  explicit CsvSink(const std::string& path) : TextSink(path), beside_(path.substr(0, path.size() - 4) + ".run.json") {}
  void begin(const SweepHeader& header) override {
    start();
    beside_.clear();
    beside_.append("{\"attributes\":" + to_json(attributes_of(header)) + "}\n", {});
    beside_.close();
    put(csv_head(header.names, header.columns), true);
  }
  void row(std::uint64_t, const SweepRow& row) override { put(csv_line(row)); }

 private:
  OutputFile beside_;
};

class JsonSink final : public TextSink {
 public:
  using TextSink::TextSink;
  void begin(const SweepHeader& header) override {
    header_ = header;
    start();
    put(json_head(header, in_file()), true);
    statistics_.begin(header);
  }
  void row(std::uint64_t member, const SweepRow& row) override {
    statistics_.row(member, row);
    put((first_ ? "" : ",") + dump(json_row(header_.names, header_.columns, row)));
    first_ = false;
  }

 protected:
  std::string tail() const override { return "],\"statistics\":" + to_json(statistics_.statistics()) + "}\n"; }

 private:
  SweepHeader header_;
  StatisticsSink statistics_;
  bool first_ = true;
};

/// Numbers of a member in one row; texts in lists of their own.
class Hdf5Sink final : public SweepSink {
 public:
  explicit Hdf5Sink(const std::string& path) : table_(make_member_table(path)) {}

  void begin(const SweepHeader& header) override {
    header_ = header;
    statistics_.begin(header);
    std::vector<std::string> columns = header.names;
    columns.insert(columns.end(), header.columns.begin(), header.columns.end());
    columns.insert(columns.end(), {"failed", "warnings"});
    table_->begin(columns, attributes_of(header));
    // Seen by others after each part, of which there are about a thousand: counted, so that the file depends on its
    // rows alone.
    constexpr std::uint64_t parts = 1000, largest = 1024;
    part_ = std::clamp<std::uint64_t>(header.members / parts, 1, largest);
  }

  void row(std::uint64_t member, const SweepRow& row) override {
    statistics_.row(member, row);
    std::vector<double> numbers;
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const std::optional<double> value = constant_value(row.values[i]);
      numbers.push_back(value.value_or(NAN));
      if (!value) table_->text(texts, member + 1, header_.names[i] + " = " + row.values[i]);
    }
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      numbers.push_back(number_of(row.cells[i]));
      if (const std::string* text = std::get_if<std::string>(&row.cells[i]))
        table_->text(texts, member + 1, header_.columns[i] + " = " + *text);
    }
    numbers.push_back(row.failure.empty() ? 0 : 1);
    numbers.push_back(static_cast<double>(row.warnings.size()));
    if (!row.failure.empty()) table_->text(failures, member + 1, row.failure);
    for (const Warning& warning : row.warnings) table_->text(warnings, member + 1, warning.code + ": " + warning.text);
    table_->row(numbers);
    if (++rows_ % part_ == 0) table_->flush();
  }

  void end() override {
    table_->flush();
    std::vector<double> rows, histograms;
    const std::vector<ColumnStatistics> all = statistics_.statistics();
    for (const ColumnStatistics& s : all) {
      rows.insert(rows.end(), {static_cast<double>(s.count), s.mean, s.deviation, s.least});
      rows.insert(rows.end(), std::begin(s.quantiles), std::end(s.quantiles));
      rows.push_back(s.most);
      for (std::size_t i = 0; i < histogram_parts; ++i)
        histograms.push_back(i < s.histogram.size() ? static_cast<double>(s.histogram[i]) : 0);
    }
    // A row for each column of the reports, in their order.
    table_->table("statistics", {"count", "mean", "deviation", "min", "0.05", "0.25", "0.5", "0.75", "0.95", "max"},
                  rows);
    std::vector<std::string> parts;
    for (std::size_t i = 1; i <= histogram_parts; ++i) parts.push_back("part " + std::to_string(i));
    table_->table("histograms", parts, histograms);
    table_->end();
  }

 private:
  static constexpr int failures = 0, warnings = 1, texts = 2;  // of member_texts
  static double number_of(const TableCell& cell) {
    if (const long* whole = std::get_if<long>(&cell)) return static_cast<double>(*whole);
    if (const double* number = std::get_if<double>(&cell)) return *number;
    return NAN;
  }

  std::unique_ptr<MemberTable> table_;
  SweepHeader header_;
  StatisticsSink statistics_;
  std::uint64_t rows_ = 0, part_ = 1;
};

}  // namespace

Attributes attributes_of(const SweepHeader& header) {
  Attributes attributes = attributes_of(header.run);
  for (const std::string& line : header.study) attributes.texts["study"] += line + "\n";
  attributes.numbers["members"] = static_cast<double>(header.members);
  return attributes;
}

std::unique_ptr<SweepSink> make_table_sink(const std::string& path) {
  if (path.ends_with(".csv")) return std::make_unique<CsvSink>(path);
  if (path.ends_with(".json")) return std::make_unique<JsonSink>(path);
  if (path.ends_with(".h5")) return std::make_unique<Hdf5Sink>(path);
  throw InputError("cannot tell the format of '" + path + "' by its ending",
                   "the endings .csv, .h5 and .json are known");
}

std::unique_ptr<SweepSink> make_json_sink(std::function<void(std::string_view)> write) {
  return std::make_unique<JsonSink>(std::move(write));
}

std::string to_text(const Sweep& sweep) {
  std::vector<std::vector<std::string>> table(1);
  table[0] = sweep.axes;
  table[0].insert(table[0].end(), sweep.columns.begin(), sweep.columns.end());
  for (const SweepRow& row : sweep.rows) {
    table.emplace_back();
    for (const std::string& value : row.values) table.back().push_back(shown_value(value));
    for (const TableCell& cell : row.cells) table.back().push_back(shown(cell));
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
  std::string text;
  JsonSink sink([&](std::string_view more) { text += more; });
  SweepHeader header;
  header.model = sweep.model;
  header.names = sweep.axes;
  header.columns = sweep.columns;
  sink.begin(header);
  for (std::size_t i = 0; i < sweep.rows.size(); ++i) sink.row(i, sweep.rows[i]);
  sink.end();
  text.pop_back();  // the end of the line
  return text;
}

std::string to_csv(const Sweep& sweep) {
  std::string text = csv_head(sweep.axes, sweep.columns);
  for (const SweepRow& row : sweep.rows) text += csv_line(row);
  return text;
}

}  // namespace alembert::internal
