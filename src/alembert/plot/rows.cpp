#include "alembert/plot/rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

namespace alembert::internal {
namespace {

constexpr std::size_t most_bytes = 6'000'000;  // before base64, which makes 8 MB of them
constexpr std::size_t most_rows = 4000;        // more than pixels of a wide screen
constexpr std::size_t least_rows = 200;        // an animation with fewer is none

std::string base64(const void* data, std::size_t size) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::string text;
  text.reserve((size + 2) / 3 * 4);
  for (std::size_t i = 0; i < size; i += 3) {
    const std::uint32_t three =
        bytes[i] << 16 | (i + 1 < size ? bytes[i + 1] << 8 : 0) | (i + 2 < size ? bytes[i + 2] : 0);
    text += letters[three >> 18 & 63];
    text += letters[three >> 12 & 63];
    text += i + 1 < size ? letters[three >> 6 & 63] : '=';
    text += i + 2 < size ? letters[three & 63] : '=';
  }
  return text;
}

template <class T>
std::string base64(const std::vector<T>& list) {
  return base64(list.data(), list.size() * sizeof(T));
}

/// Which rows all columns show. `all` where nothing is left out.
std::vector<std::uint32_t> shown_rows(const Trajectory& trajectory) {
  const std::size_t rows = trajectory.rows(), columns = trajectory.values.size();
  constexpr std::size_t bytes_a_row = 8 + 2 * 12;  // a value, and two extremes with their rows
  std::size_t count = rows;
  if (rows > 2 * most_rows || rows * columns * 8 > most_bytes)
    count = std::clamp(most_bytes / (bytes_a_row * columns), least_rows, most_rows);
  count = std::min(count, rows);
  std::vector<std::uint32_t> shown;
  for (std::size_t i = 0; i < count; ++i)
    shown.push_back(static_cast<std::uint32_t>(count > 1 ? i * (rows - 1) / (count - 1) : 0));
  return shown;
}

struct Extremes {
  std::vector<std::uint32_t> rows;
  std::vector<double> values;
};

/// Between two rows that are shown, what goes beyond both of them.
Extremes extremes_of(const std::vector<double>& list, const std::vector<std::uint32_t>& shown) {
  Extremes found;
  for (std::size_t i = 0; i + 1 < shown.size(); ++i) {
    std::uint32_t least = shown[i], largest = shown[i];
    if (!(list[shown[i + 1]] >= list[least])) least = shown[i + 1];
    if (!(list[shown[i + 1]] <= list[largest])) largest = shown[i + 1];
    for (std::uint32_t row = shown[i] + 1; row < shown[i + 1]; ++row) {
      if (list[row] < list[least]) least = row;
      if (list[row] > list[largest]) largest = row;
    }
    for (const std::uint32_t row : {std::min(least, largest), std::max(least, largest)}) {
      if (row == shown[i] || row == shown[i + 1]) continue;
      found.rows.push_back(row);
      found.values.push_back(list[row]);
    }
  }
  return found;
}

/// "floor[2]" of the column "floor[2].force": what a contact observes stands behind its name.
std::string contact_of(const std::string& column) {
  const std::size_t dot = column.rfind('.');
  if (dot == std::string::npos) return "";
  const std::string what = column.substr(dot + 1, column.find('[', dot) - dot - 1);
  for (const char* known : {"gap", "force", "slip", "friction", "state"})
    if (what == known) return column.substr(0, dot);
  return "";
}

/// The names of all contacts: each has its force and its state among the observed columns.
std::set<std::string> contacts_of(const Columns& c) {
  const auto first = c.names.begin() + c.observed.begin, last = c.names.begin() + c.observed.end;
  std::set<std::string> contacts;
  for (auto name = first; name != last; ++name)
    if (name->ends_with(".state") && std::find(first, last, contact_of(*name) + ".force") != last)
      contacts.insert(contact_of(*name));
  return contacts;
}

const char* kind_of(const Columns& c, int column) {
  const auto in = [&](const ColumnRange& range) { return column >= range.begin && column < range.end; };
  if (in(c.coordinates)) return "coordinates";
  if (in(c.velocities)) return "velocities";
  if (in(c.momenta)) return "momenta";
  if (in(c.multipliers)) return "multipliers";
  if (in(c.energy)) return "energy";
  if (in(c.residuals)) return "residuals";
  if (in(c.invariants)) return "invariants";
  if (in(c.observed)) return "observed";
  if (in(c.ports)) return "ports";
  return column == 0 ? "time" : "other";
}

}  // namespace

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string run_json(const Trajectory& trajectory, const std::string& title) {
  using Json = nlohmann::json;
  const std::vector<std::uint32_t> shown = shown_rows(trajectory);
  const bool whole = shown.size() == trajectory.rows();
  const std::set<std::string> contacts = contacts_of(trajectory.columns);
  Json columns = Json::array();
  for (std::size_t k = 0; k < trajectory.values.size(); ++k) {
    const std::vector<double>& list = trajectory.values[k];
    std::vector<double> values;
    for (const std::uint32_t row : shown) values.push_back(list[row]);
    const char* kind = kind_of(trajectory.columns, static_cast<int>(k));
    if (std::string_view(kind) == "observed" && contacts.contains(contact_of(trajectory.columns.names[k])))
      kind = "contacts";
    Json column = {{"name", trajectory.columns.names[k]},
                   {"kind", kind},
                   {"unit", k < trajectory.columns.units.size() ? trajectory.columns.units[k] : ""},
                   {"values", base64(values)}};
    if (!whole && k > 0) {
      const Extremes extremes = extremes_of(list, shown);
      column["extremeRows"] = base64(extremes.rows);
      column["extremes"] = base64(extremes.values);
      std::vector<double> times;
      for (const std::uint32_t row : extremes.rows) times.push_back(trajectory.t()[row]);
      column["extremeTimes"] = base64(times);
    }
    columns.push_back(std::move(column));
  }
  constexpr std::size_t most_events = 5000;  // more are no marks any more but a band
  Json events = Json::array();
  for (const Trajectory::EventRow& event : trajectory.events) {
    if (events.size() >= most_events || event.event < 0 ||
        static_cast<std::size_t>(event.event) >= trajectory.columns.events.size())
      break;
    events.push_back({{"name", trajectory.columns.events[event.event]}, {"values", base64(event.values)}});
  }
  const Json run = {{"title", title},
                    {"model", trajectory.run.model},
                    {"method", trajectory.run.method},
                    {"step", trajectory.run.step},
                    {"rows", trajectory.rows()},
                    {"every", trajectory.every},
                    {"shown", base64(shown)},
                    {"columns", columns},
                    {"events", events}};
  return run.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace alembert::internal
