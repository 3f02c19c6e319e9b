#include <hdf5.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "alembert/error.h"
#include "alembert/output/trajectory.h"
#include "alembert/quad.h"

namespace alembert::internal {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError("'" + path + "' is no trajectory: " + why, "alembert run MODEL --out FILE writes one");
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError("cannot read '" + path + "': " + std::strerror(errno));
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad() || text.fail()) throw InputError("cannot read '" + path + "'");
  return text.str();
}

/// The fields of a line; names may be quoted.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> list(1);
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

Trajectory with_columns(const std::string& path, const std::vector<std::string>& names) {
  Trajectory trajectory;
  if (names.empty() || names[0] != "t") refuse(path, "its first column is not the time t");
  trajectory.columns = columns_from_names(names);
  trajectory.values.resize(names.size());
  return trajectory;
}

Trajectory read_csv(const std::string& path) {
  std::istringstream lines(text_of(path));
  std::string line;
  std::getline(lines, line);
  Trajectory trajectory = with_columns(path, fields(line));
  for (long number_of_line = 2; std::getline(lines, line); ++number_of_line) {
    const std::vector<std::string> entries = fields(line);
    if (entries.size() != trajectory.values.size()) {
      refuse(path, "line " + std::to_string(number_of_line) + " has " + std::to_string(entries.size()) +
                       " fields instead of " + std::to_string(trajectory.values.size()));
    }
    for (std::size_t i = 0; i < entries.size(); ++i)
      trajectory.values[i].push_back(number(path, entries[i], number_of_line));
  }
  return trajectory;
}

Trajectory read_json(const std::string& path) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text_of(path));
    Trajectory trajectory = with_columns(path, json.at("columns").get<std::vector<std::string>>());
    trajectory.attributes = json.at("attributes").get<std::map<std::string, std::string>>();
    for (const nlohmann::json& row : json.at("rows")) {
      if (row.size() != trajectory.values.size()) refuse(path, "a row has another length than 'columns'");
      for (std::size_t i = 0; i < row.size(); ++i)
        trajectory.values[i].push_back(row[i].is_null() ? NAN : row[i].get<double>());
    }
    return trajectory;
  } catch (const nlohmann::json::exception& error) { refuse(path, error.what()); }
}

/// Closes what HDF5 opened.
class Open {
 public:
  Open(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  ~Open() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

std::vector<std::string> texts(hid_t attribute) {
  const Open type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  if (attribute < 0 || type < 0 || H5Tis_variable_str(type) <= 0) return {};
  std::vector<char*> words(static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space))));
  if (words.empty() || H5Aread(attribute, type, words.data()) < 0) return {};
  std::vector<std::string> list(words.begin(), words.end());
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, words.data());
  return list;
}

Trajectory read_hdf5(const std::string& path) {
  H5E_auto2_t printer = nullptr;
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &printer, &data);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  struct Restore {
    H5E_auto2_t printer;
    void* data;
    ~Restore() { H5Eset_auto2(H5E_DEFAULT, printer, data); }
  } restore{printer, data};

  if (!std::ifstream(path)) throw InputError("cannot read '" + path + "': " + std::strerror(errno));
  const Open file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (file < 0) refuse(path, "it is no HDF5 file");
  const Open set(H5Dopen2(file, "trajectory", H5P_DEFAULT), H5Dclose);
  if (set < 0) refuse(path, "it has no dataset 'trajectory'");
  const Open names(H5Aopen(set, "columns", H5P_DEFAULT), H5Aclose);
  Trajectory trajectory = with_columns(path, texts(names));
  const Open space(H5Dget_space(set), H5Sclose);
  hsize_t size[2] = {0, 0};
  if (H5Sget_simple_extent_ndims(space) != 2 || H5Sget_simple_extent_dims(space, size, nullptr) < 0 ||
      size[1] != trajectory.values.size()) {
    refuse(path, "'trajectory' has another width than its 'columns'");
  }
  std::vector<double> all(size[0] * size[1]);
  if (!all.empty() && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0) {
    refuse(path, "its numbers cannot be read");
  }
  for (hsize_t i = 0; i < size[1]; ++i) {
    trajectory.values[i].reserve(size[0]);
    for (hsize_t row = 0; row < size[0]; ++row) trajectory.values[i].push_back(all[row * size[1] + i]);
  }
  for (const char* name : {"model", "method", "step"}) {
    const Open attribute(H5Aopen(file, name, H5P_DEFAULT), H5Aclose);
    if (attribute < 0) continue;
    const std::vector<std::string> words = texts(attribute);
    if (!words.empty()) trajectory.attributes[name] = words[0];
  }
  return trajectory;
}

}  // namespace

Trajectory read_trajectory(const std::string& path) {
  const auto ends = [&](const std::string& with) {
    return path.size() > with.size() && path.compare(path.size() - with.size(), with.size(), with) == 0;
  };
  Trajectory trajectory;
  if (ends(".csv")) trajectory = read_csv(path);
  else if (ends(".json")) trajectory = read_json(path);
  else if (ends(".h5")) trajectory = read_hdf5(path);
  else
    throw InputError("cannot tell the format of '" + path + "' by its ending",
                     "the endings .csv, .h5 and .json are known");
  if (trajectory.rows() == 0) refuse(path, "it has no rows");
  return trajectory;
}

}  // namespace alembert::internal
