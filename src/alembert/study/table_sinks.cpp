#include "alembert/study/table_sinks.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace alembert::internal {

namespace {

std::optional<double> number_in(const MemberResult::Cell& cell) {
  if (const long* whole = std::get_if<long>(&cell)) return static_cast<double>(*whole);
  if (const double* number = std::get_if<double>(&cell)) return *number;
  return {};
}

/// Without blanks at its ends.
std::string stripped(const std::string& text) {
  const std::size_t from = text.find_first_not_of(' '), to = text.find_last_not_of(' ');
  return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

}  // namespace

void StatisticsSink::begin(const SweepHeader& header) {
  header_ = header;
  columns_.assign(header.columns.size(), {});
  written_ = std::chrono::steady_clock::now();
}

void StatisticsSink::row(std::uint64_t, const SweepRow& row) {
  ++rows_;
  failed_ += row.failure.empty() ? 0 : 1;
  for (std::size_t i = 0; i < row.cells.size(); ++i)
    if (const std::optional<double> number = number_in(row.cells[i])) columns_[i].add(*number);
  if (path_.empty()) return;
  // Sorting a million values takes a tenth of a second: not more often than that can be afforded.
  constexpr std::chrono::seconds pause{1};
  if (std::chrono::steady_clock::now() - written_ < pause) return;
  write();
  written_ = std::chrono::steady_clock::now();
}

void StatisticsSink::end() {
  if (!path_.empty()) write();
}

std::vector<ColumnStatistics> StatisticsSink::statistics() const {
  std::vector<ColumnStatistics> all;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    all.push_back(columns_[i].summary(header_.columns[i], histogram_parts));
  return all;
}

void StatisticsSink::write() const {
  // Whoever reads it finds the last one or this one, never a part.
  const std::string fresh = path_ + ".new";
  {
    std::ofstream file(fresh, std::ios::binary | std::ios::trunc);
    file << "{\"members\":" << header_.members << ",\"done\":" << rows_ << ",\"failed\":" << failed_
         << ",\"attributes\":" << to_json(attributes_of(header_)) << ",\"statistics\":" << to_json(statistics())
         << "}\n";
    if (!file) throw WriteError("cannot write '" + path_ + "'");
  }
  std::error_code error;
  std::filesystem::rename(fresh, path_, error);
  if (error) throw WriteError("cannot write '" + path_ + "': " + error.message());
}

void FirstRows::begin(const SweepHeader& header) {
  sweep.header = header;
  sweep.model = header.model;
  sweep.axes = header.names;
  sweep.columns = header.columns;
}

void FirstRows::row(std::uint64_t member, const SweepRow& row) {
  if (sweep.rows.size() < most_) sweep.rows.push_back(row);
  constexpr int most_notes = 5;  // the table and the statistics have them all
  if ((row.failure.empty() && row.warnings.empty()) || noted_++ >= most_notes) return;
  std::string member_words = "member " + std::to_string(member + 1) + " (";
  for (std::size_t i = 0; i < row.values.size(); ++i)
    member_words += (i > 0 ? ", " : "") + sweep.axes[i] + " = " + row.values[i];
  member_words += "): ";
  if (!row.failure.empty()) notes_ += "  failed   " + member_words + row.failure + "\n";
  for (const Warning& warning : row.warnings) notes_ += "  warning  " + member_words + warning.text + "\n";
}

std::string FirstRows::notes() const { return notes_; }

MapRequest read_map(const std::string& text, std::vector<Diagnostic>& wrong) {
  const std::size_t comma = text.find(','), arrow = text.find("->");
  MapRequest request;
  if (comma != std::string::npos && arrow != std::string::npos && comma < arrow)
    request = {stripped(text.substr(0, comma)), stripped(text.substr(comma + 1, arrow - comma - 1)),
               stripped(text.substr(arrow + 2))};
  if (request.x.empty() || request.y.empty() || request.column.empty())
    wrong.push_back(
        {nullptr, {}, "`map` wants two axes and a column, not '" + text + "'", "as in: \"l1, l2 -> events.flip.t\""});
  return request;
}

MapSink::MapSink(MapRequest request, const std::vector<SweepAxis>& axes) : request_(std::move(request)) {
  std::vector<Diagnostic> wrong;
  std::vector<std::string> names;
  for (const SweepAxis& axis : axes) names.push_back(axis.name);
  for (const auto& [name, axis, stride] :
       {std::tuple{&request_.x, &x_, &x_stride_}, std::tuple{&request_.y, &y_, &y_stride_}}) {
    const auto found = std::find(names.begin(), names.end(), *name);
    const std::string near = nearest_name(*name, names);
    if (found == names.end()) {
      wrong.push_back({nullptr,
                       {},
                       "`map`: '" + *name + "' is no axis of the study",
                       near.empty() ? "a map is drawn over two of `axes`" : "did you mean '" + near + "'?"});
      continue;
    }
    const std::size_t k = static_cast<std::size_t>(found - names.begin());
    *axis = axes[k];
    for (std::size_t j = k + 1; j < axes.size(); ++j) *stride *= axes[j].size();
  }
  if (wrong.empty() && request_.x == request_.y)
    wrong.push_back({nullptr, {}, "`map` names '" + request_.x + "' twice", "it is drawn over two axes"});
  for (const SweepAxis* axis : {&x_, &y_})
    for (const std::string& value : axis->values)
      if (!constant_value(value))
        wrong.push_back({nullptr, {}, "`map`: the value '" + value + "' of '" + axis->name + "' is no number", ""});
  if (!wrong.empty()) throw InputError(std::move(wrong));
  for (const SweepAxis& axis : axes) points_ *= axis.size();
}

void MapSink::begin(const SweepHeader& header) {
  const auto found = std::find(header.columns.begin(), header.columns.end(), request_.column);
  if (found == header.columns.end())
    throw InputError("`map`: there is no column '" + request_.column + "'", "it is one of `columns`");
  column_ = static_cast<std::size_t>(found - header.columns.begin());
  draws_ = header.members / points_;
  title_ = header.model;
  const std::uint64_t pixels = std::uint64_t{x_.size()} * y_.size();
  // A picture with more points than any screen has is a mistake.
  constexpr std::uint64_t most_pixels = 100'000'000;
  if (pixels > most_pixels)
    throw InputError("`map`: a picture of " + std::to_string(pixels) + " points is too large", "at most 100 million");
  several_ = header.members > pixels;
  sums_.assign(pixels, 0);
  counts_.assign(pixels, 0);
}

void MapSink::row(std::uint64_t member, const SweepRow& row) {
  const std::optional<double> value = number_in(row.cells[column_]);
  if (!value || !std::isfinite(*value)) return;
  const std::uint64_t point = member / draws_;
  const std::uint64_t x = point / x_stride_ % x_.size(), y = point / y_stride_ % y_.size();
  sums_[y * x_.size() + x] += *value;
  ++counts_[y * x_.size() + x];
}

HeatMap MapSink::map() const {
  HeatMap map;
  map.title = title_;
  map.x_label = request_.x;
  map.y_label = request_.y;
  map.label = several_ ? "mean of " + request_.column : request_.column;
  const auto value = [](const SweepAxis& axis, std::size_t i) {
    return axis.values.empty() ? axis.number(i) : constant_value(axis.values[i]).value();
  };
  for (std::size_t i = 0; i < x_.size(); ++i) map.x.push_back(value(x_, i));
  for (std::size_t i = 0; i < y_.size(); ++i) map.y.push_back(value(y_, i));
  for (std::size_t i = 0; i < sums_.size(); ++i) map.values.push_back(counts_[i] ? sums_[i] / counts_[i] : NAN);
  return map;
}

}  // namespace alembert::internal
