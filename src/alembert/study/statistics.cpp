#include "alembert/study/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace alembert::internal {

void RunningStatistics::add(double value) {
  if (!std::isfinite(value)) return;
  ++count_;
  const double from_mean = value - mean_;
  mean_ += from_mean / static_cast<double>(count_);
  squares_ += from_mean * (value - mean_);
  least_ = count_ == 1 ? value : std::min(least_, value);
  most_ = count_ == 1 ? value : std::max(most_, value);
  if (kept_.size() == room) thin();
  // Kept values stand for `weight_` each: of as many new ones the middle one is taken.
  if (skipped_++ == weight_ / 2) {
    kept_.push_back(value);
    sorted_ = false;
  }
  if (skipped_ == weight_) skipped_ = 0;
}

const std::vector<double>& RunningStatistics::sorted() const {
  if (!sorted_) std::sort(kept_.begin(), kept_.end());
  sorted_ = true;
  return kept_;
}

void RunningStatistics::thin() {
  sorted();
  for (std::size_t i = 0; i < room / 2; ++i) kept_[i] = kept_[2 * i + (upper_ ? 1 : 0)];
  kept_.resize(room / 2);
  upper_ = !upper_;
  weight_ *= 2;
}

double RunningStatistics::deviation() const {
  return count_ < 2 ? NAN : std::sqrt(squares_ / static_cast<double>(count_ - 1));
}

double RunningStatistics::quantile(double share) const {
  const std::vector<double>& values = sorted();
  if (values.empty()) return NAN;
  const double place = share * static_cast<double>(values.size() - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(place), values.size() - 1);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

std::vector<std::uint64_t> RunningStatistics::histogram(std::size_t parts) const {
  std::vector<std::uint64_t> counts(parts, 0);
  const double width = (most_ - least_) / static_cast<double>(parts);
  for (const double value : kept_) {
    const double place = width > 0 ? (value - least_) / width : 0;
    counts[std::min(static_cast<std::size_t>(std::max(place, 0.0)), parts - 1)] += weight_;
  }
  return counts;
}

ColumnStatistics RunningStatistics::summary(const std::string& column, std::size_t parts) const {
  ColumnStatistics s;
  s.column = column;
  s.count = count_;
  if (count_ == 0) {
    s.mean = s.deviation = s.least = s.most = NAN;
    std::fill(std::begin(s.quantiles), std::end(s.quantiles), NAN);
    return s;
  }
  s.mean = mean_;
  s.deviation = deviation();
  s.least = least_;
  s.most = most_;
  constexpr double shares[] = {0.05, 0.25, 0.5, 0.75, 0.95};
  for (std::size_t i = 0; i < std::size(shares); ++i) s.quantiles[i] = quantile(shares[i]);
  s.histogram = histogram(parts);
  return s;
}

namespace {

/// Counts as eight heights, for a line of text.
std::string sparkline(const std::vector<std::uint64_t>& counts) {
  static const char* const heights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::uint64_t most = 0;
  for (const std::uint64_t count : counts) most = std::max(most, count);
  std::string line;
  for (const std::uint64_t count : counts)
    line += count == 0 ? " "
                       : heights[static_cast<std::size_t>(7 * static_cast<double>(count) / static_cast<double>(most))];
  return line;
}

}  // namespace

std::string to_text(const std::vector<ColumnStatistics>& statistics) {
  std::size_t width = 6;
  for (const ColumnStatistics& s : statistics) width = std::max(width, s.column.size());
  std::string text = fmt::format("  {:>{}}  {:>8}  {:>11}  {:>11}  {:>11}  {:>11}  {:>11}  {:>11}  {:>11}\n", "column",
                                 width, "members", "mean", "deviation", "least", "5 %", "50 %", "95 %", "most");
  for (const ColumnStatistics& s : statistics) {
    text += fmt::format("  {:>{}}  {:>8}", s.column, width, s.count);
    for (const double value : {s.mean, s.deviation, s.least, s.quantiles[0], s.quantiles[2], s.quantiles[4], s.most})
      text += std::isfinite(value) ? fmt::format("  {:>11.6g}", value) : fmt::format("  {:>11}", "-");
    if (!s.histogram.empty() && s.least < s.most) text += "  |" + sparkline(s.histogram) + "|";
    text += "\n";
  }
  return text;
}

std::string to_json(const std::vector<ColumnStatistics>& statistics) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Json object = Json::object();
  for (const ColumnStatistics& s : statistics)
    object[s.column] = {{"count", s.count},
                        {"mean", number(s.mean)},
                        {"deviation", number(s.deviation)},
                        {"min", number(s.least)},
                        {"max", number(s.most)},
                        {"quantiles",
                         {{"0.05", number(s.quantiles[0])},
                          {"0.25", number(s.quantiles[1])},
                          {"0.5", number(s.quantiles[2])},
                          {"0.75", number(s.quantiles[3])},
                          {"0.95", number(s.quantiles[4])}}},
                        {"histogram", s.histogram}};
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace alembert::internal
