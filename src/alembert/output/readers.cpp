#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "alembert/base/lists.h"
#include "alembert/error.h"
#include "alembert/numerics.h"
#include "alembert/output/attributes.h"
#include "alembert/output/columns.h"
#include "alembert/output/hdf5_file.h"
#include "alembert/output/writers.h"
#include "alembert/trajectory.h"

namespace alembert::internal {
namespace {

using Strings = std::vector<std::string>;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError("'" + path + "' is no trajectory: " + why, "`write(trajectory, path)` writes one");
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError("cannot read '" + path + "': " + std::strerror(errno));
  std::ostringstream text;
  // A folder opens, and cannot be read; reading nothing counts as a failure, too.
  if (file.peek() != std::char_traits<char>::eof()) text << file.rdbuf();
  if (file.bad() || text.fail()) throw InputError("cannot read '" + path + "': " + std::strerror(errno));
  return text.str();
}

Trajectory with_columns(const std::string& path, const Strings& names, RunDescription run = {}) {
  Trajectory trajectory;
  if (names.empty() || names[0] != "t") refuse(path, "its first column is not the time t");
  trajectory.run = std::move(run);
  trajectory.columns = columns_from_names(names, trajectory.run.observed_columns);
  trajectory.values.resize(names.size());
  return trajectory;
}

/// The number of an event in the list of names, which it joins where it is new.
int number_of(Strings& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  names.push_back(name);
  return static_cast<int>(names.size()) - 1;
}

// .csv ----------------------------------------------------------------------------------------------------------------

/// The fields of a line; names may be quoted.
Strings fields(const std::string& line) {
  Strings list(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') list.back() += line[++i];
    else if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) list.emplace_back();
    else if (c != '\r') list.back() += c;
  }
  return list;
}

double number(const std::string& path, const std::string& text, long line) {
  if (text == "nan") return NAN;
  if (text == "inf" || text == "-inf") return text[0] == '-' ? -INFINITY : INFINITY;
  Quad value = 0;
  if (!read_number(text, value)) refuse(path, "line " + std::to_string(line) + " has '" + text + "' for a number");
  return static_cast<double>(value);
}

/// Of a file whose writing was cut short, and what is left of it.
std::string cut_short(std::size_t rows) {
  return "the file was cut short while it was written: what follows its " + std::to_string(rows) +
         " whole rows is left out";
}

/// Calls take(entries, number of the line) for all lines behind the first, which have `width` fields each. False where
/// the last line has no end: writing was cut short, and it may lack digits.
template <class Take>
bool each_line(const std::string& path, std::istream& lines, std::size_t width, const Take& take) {
  std::string line;
  for (long line_number = 2; std::getline(lines, line); ++line_number) {
    if (lines.eof()) return false;
    const Strings entries = fields(line);
    if (entries.size() != width) {
      refuse(path, "line " + std::to_string(line_number) + " has " + std::to_string(entries.size()) +
                       " fields instead of " + std::to_string(width));
    }
    take(entries, line_number);
  }
  return true;
}

Trajectory read_csv(const std::string& path) {
  std::istringstream lines(text_of(path));
  std::string head;
  std::getline(lines, head);
  Trajectory trajectory = with_columns(path, fields(head));
  const bool whole = each_line(path, lines, trajectory.values.size(), [&](const Strings& entries, long line) {
    for (std::size_t i = 0; i < entries.size(); ++i) trajectory.values[i].push_back(number(path, entries[i], line));
  });
  if (!whole) trajectory.note = cut_short(trajectory.rows());
  return trajectory;
}

Attributes json_attributes(const nlohmann::json& json) {
  Attributes attributes;
  for (const auto& [name, value] : json.items()) {
    if (value.is_number()) attributes.numbers[name] = value.get<double>();
    else attributes.texts[name] = value.get<std::string>();
  }
  return attributes;
}

/// From the file beside the table, where there is one; one with other columns was left there by another run. It says no
/// names of events that did not happen.
void read_csv_events(const std::string& path, Trajectory& trajectory) {
  const std::string beside = path.substr(0, path.size() - 4) + ".events.csv";
  if (!std::filesystem::exists(beside)) return;
  std::istringstream lines(text_of(beside));
  std::string head;
  std::getline(lines, head);
  if (fields(head) != joined<std::string>("event", trajectory.columns.names)) return;
  each_line(beside, lines, trajectory.values.size() + 1, [&](const Strings& entries, long line) {
    Trajectory::EventRow& event = trajectory.events.emplace_back();
    event.event = number_of(trajectory.columns.events, entries[0]);
    for (std::size_t i = 1; i < entries.size(); ++i) event.values.push_back(number(beside, entries[i], line));
  });
}

/// The same for which run it was.
void read_csv_run(const std::string& path, Trajectory& trajectory) {
  const std::string beside = path.substr(0, path.size() - 4) + ".run.json";
  if (!std::filesystem::exists(beside)) return;
  const nlohmann::json json = nlohmann::json::parse(text_of(beside), nullptr, false);
  try {
    if (json.at("columns").get<Strings>() != trajectory.columns.names) return;
    Trajectory known = with_columns(path, trajectory.columns.names, run_from(json_attributes(json.at("attributes"))));
    if (json.contains("units")) known.columns.units = json["units"].get<Strings>();
    trajectory.columns = std::move(known.columns);
    trajectory.run = std::move(known.run);
  } catch (const nlohmann::json::exception&) {
    return;  // whatever it is, it was not written beside this table
  }
}

// .json ---------------------------------------------------------------------------------------------------------------

std::vector<double> numbers(const std::string& path, const nlohmann::json& row, std::size_t width) {
  if (row.size() != width) refuse(path, "a row has another length than 'columns'");
  std::vector<double> values;
  for (const nlohmann::json& value : row) values.push_back(value.is_null() ? NAN : value.get<double>());
  return values;
}

/// The part of a file whose writing was cut short: its head, and the rows and events that stand there whole, a line
/// each as the writer puts them. Empty where not even the head is there.
std::string mended(const std::string& text, std::size_t& rows) {
  const std::string begin = "\"rows\":[";
  const std::size_t head = text.find(begin);
  if (head == std::string::npos) return "";
  std::string out = text.substr(0, head + begin.size());
  std::istringstream lines(text.substr(out.size()));
  std::string line;
  rows = 0;
  while (std::getline(lines, line)) {
    if (line.ends_with(',')) line.pop_back();
    if (line.empty()) continue;
    if (line.front() != '[' || !nlohmann::json::accept(line)) break;
    out += (rows++ > 0 ? ",\n" : "\n") + line;
  }
  out += "\n]";
  while (std::getline(lines, line) && !line.starts_with("\"events\":[")) {}
  out += ",\"events\":[";
  for (int events = 0; std::getline(lines, line);) {
    if (line.ends_with(',')) line.pop_back();
    if (line.empty() || line.front() != '{' || !nlohmann::json::accept(line)) break;
    out += (events++ > 0 ? ",\n" : "\n") + line;
  }
  return out + "]}";
}

nlohmann::json parsed(const std::string& path, std::string& note) {
  const std::string text = text_of(path);
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error&) {
    std::size_t rows = 0;
    const std::string part = mended(text, rows);
    if (!nlohmann::json::accept(part)) throw;
    note = cut_short(rows);
    return nlohmann::json::parse(part);
  }
}

/// What the library says, without its own number for it.
std::string words_of(const nlohmann::json::exception& error) {
  const std::string text = error.what();
  const std::size_t end = text.find("] ");
  return end == std::string::npos ? text : text.substr(end + 2);
}

Trajectory read_json(const std::string& path) {
  try {
    std::string note;
    const nlohmann::json json = parsed(path, note);
    Trajectory trajectory =
        with_columns(path, json.at("columns").get<Strings>(), run_from(json_attributes(json.at("attributes"))));
    trajectory.columns.units = json.value("units", Strings());
    const std::size_t width = trajectory.values.size();
    for (const nlohmann::json& row : json.at("rows")) {
      const std::vector<double> values = numbers(path, row, width);
      for (std::size_t i = 0; i < width; ++i) trajectory.values[i].push_back(values[i]);
    }
    for (const nlohmann::json& event : json.value("events", nlohmann::json::array()))
      trajectory.events.push_back({number_of(trajectory.columns.events, event.at("name").get<std::string>()),
                                   numbers(path, event.at("values"), width)});
    trajectory.note = note;
    return trajectory;
  } catch (const nlohmann::json::exception& error) { refuse(path, words_of(error)); }
}

// .h5 -----------------------------------------------------------------------------------------------------------------

// Texts have fixed lengths: those of other lengths are kept in a heap whose damage ends the program inside HDF5.
constexpr std::size_t longest_text = std::size_t{1} << 26;

Strings texts(hid_t attribute) {
  if (attribute < 0) return {};
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  if (type < 0 || space < 0 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) return {};
  const std::size_t length = H5Tget_size(type);
  const hssize_t points = H5Sget_simple_extent_npoints(space);
  if (length == 0 || points <= 0 || length > longest_text || static_cast<std::size_t>(points) > longest_text / length)
    return {};
  const auto count = static_cast<std::size_t>(points);
  std::string bytes(count * length, '\0');
  if (H5Aread(attribute, type, bytes.data()) < 0) return {};
  Strings list;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text = bytes.substr(i * length, length);
    list.push_back(text.substr(0, text.find_last_not_of('\0') + 1));
  }
  return list;
}

Strings texts(hid_t where, const char* name) { return texts(Handle(H5Aopen(where, name, H5P_DEFAULT), H5Aclose)); }

/// The numbers of a dataset, row after row; `columns` is what its attribute of that name says.
struct Table {
  Strings columns;
  std::vector<double> numbers;
};

Table read_table(const std::string& path, hid_t set, const std::string& name) {
  Table table;
  table.columns = texts(set, "columns");
  const Handle space(H5Dget_space(set), H5Sclose);
  hsize_t size[2] = {0, 0};
  if (H5Sget_simple_extent_ndims(space) != 2 || H5Sget_simple_extent_dims(space, size, nullptr) < 0 ||
      size[1] != table.columns.size()) {
    refuse(path, "'" + name + "' has another width than its 'columns'");
  }
  // No more numbers than the file has room for; what is not there reads as NaN.
  std::error_code ignored;
  const std::uint64_t bytes = std::filesystem::file_size(path, ignored);
  if (size[1] == 0 || size[0] > bytes / sizeof(double) / size[1])
    refuse(path, "'" + name + "' says to have more rows than the file has room for");
  const Handle type(H5Dget_type(set), H5Tclose);
  if (type < 0 || H5Tget_class(type) != H5T_FLOAT || H5Tget_size(type) != sizeof(double))
    refuse(path, "'" + name + "' does not hold numbers");
  table.numbers.resize(size[0] * size[1]);
  if (!table.numbers.empty() &&
      H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.numbers.data()) < 0) {
    refuse(path, "its numbers cannot be read");
  }
  return table;
}

/// False where there is no such number.
bool number_attribute(hid_t where, const char* name, double& value) {
  const Handle attribute(H5Aopen(where, name, H5P_DEFAULT), H5Aclose);
  if (attribute < 0) return false;
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  if (type < 0 || space < 0 || H5Tget_class(type) != H5T_FLOAT || H5Sget_simple_extent_npoints(space) != 1)
    return false;
  return H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) >= 0;
}

Attributes read_attributes(hid_t file) {
  const Attributes known = attributes_of({});
  Attributes attributes;
  const auto read = [&](const std::string& name) {
    const Strings words = texts(file, name.c_str());
    if (!words.empty()) attributes.texts[name] = words[0];
  };
  for (const auto& [name, unused] : known.texts) read(name);
  for (const std::string& path : lines_in(attributes.texts["files"])) read(file_attribute(path));
  for (const auto& [name, unused] : known.numbers) {
    double value = 0;
    if (number_attribute(file, name.c_str(), value)) attributes.numbers[name] = value;
    else read(name);  // of older versions
  }
  return attributes;
}

void read_hdf5_events(const std::string& path, hid_t file, Trajectory& trajectory) {
  const Handle set(H5Dopen2(file, "events", H5P_DEFAULT), H5Dclose);
  if (set < 0) return;
  trajectory.columns.events = texts(set, "names");
  const Table table = read_table(path, set, "events");
  const std::size_t width = trajectory.values.size() + 1;
  if (table.columns.size() != width) refuse(path, "'events' has other columns than 'trajectory'");
  for (auto row = table.numbers.begin(); row != table.numbers.end(); row += static_cast<long>(width)) {
    // Counted from 1 in the file; NaN where writing was cut short.
    if (!(*row >= 1 && *row <= static_cast<double>(trajectory.columns.events.size()))) {
      if (std::isnan(*row)) break;
      refuse(path, "'events' has a number without a name");
    }
    const int event = static_cast<int>(*row) - 1;
    trajectory.events.push_back({event, {row + 1, row + static_cast<long>(width)}});
  }
}

Trajectory read_hdf5(const std::string& path) {
  const QuietHdf5 quiet;
  if (!std::ifstream(path)) throw InputError("cannot read '" + path + "': " + std::strerror(errno));
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access, 0, 1);  // what is being written can be looked at
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  if (file < 0) refuse(path, "it is no HDF5 file");
  const Handle set(H5Dopen2(file, "trajectory", H5P_DEFAULT), H5Dclose);
  if (set < 0) refuse(path, "it has no dataset 'trajectory'");
  const Table table = read_table(path, set, "trajectory");
  Trajectory trajectory = with_columns(path, table.columns, run_from(read_attributes(file)));
  trajectory.columns.units = texts(set, "units");
  const std::size_t width = table.columns.size();
  // The time of a row that was written is a number.
  std::size_t rows = 0;
  while (rows < table.numbers.size() / width && !std::isnan(table.numbers[rows * width])) ++rows;
  for (std::size_t i = 0; i < width; ++i) {
    trajectory.values[i].reserve(rows);
    for (std::size_t row = 0; row < rows; ++row) trajectory.values[i].push_back(table.numbers[row * width + i]);
  }
  if (rows < table.numbers.size() / width) trajectory.note = cut_short(rows);
  read_hdf5_events(path, file, trajectory);
  return trajectory;
}

/// Rows follow one another in time, forward or backward; two may have one time, as before and after a jump.
void require_times(const std::string& path, const std::vector<double>& t) {
  const auto row = [](std::size_t i) { return "in row " + std::to_string(i + 1); };
  double direction = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (!std::isfinite(t[i])) refuse(path, "the time " + row(i) + " is " + to_text(t[i]));
    const double change = i > 0 ? t[i] - t[i - 1] : 0;
    if (change * direction < 0)
      refuse(path, "the time turns back " + row(i) + ", from " + to_text(t[i - 1]) + " to " + to_text(t[i]));
    if (change != 0) direction = change > 0 ? 1 : -1;
  }
}

Trajectory read_by_ending(const std::string& path) {
  if (path.ends_with(".json")) return read_json(path);
  if (path.ends_with(".h5")) return read_hdf5(path);
  if (!path.ends_with(".csv")) refuse_ending(path);
  Trajectory trajectory = read_csv(path);
  read_csv_run(path, trajectory);
  read_csv_events(path, trajectory);
  return trajectory;
}

}  // namespace
}  // namespace alembert::internal

namespace alembert {

Trajectory read_trajectory(const std::string& path) {
  Trajectory trajectory = internal::read_by_ending(path);
  if (trajectory.rows() == 0) internal::refuse(path, "it has no rows");
  internal::require_times(path, trajectory.t());
  const std::vector<std::string>& units = trajectory.columns.units;
  if (!units.empty() && units.size() != trajectory.columns.names.size())
    internal::refuse(path, "it has " + std::to_string(units.size()) + " units for " +
                               std::to_string(trajectory.columns.names.size()) + " columns");
  return trajectory;
}

}  // namespace alembert
