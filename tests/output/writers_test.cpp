#include "alembert/trajectory.h"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>

#include "alembert/error.h"

namespace alembert::internal {
namespace {

namespace fs = std::filesystem;
using Rows = std::vector<std::vector<double>>;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "alembert_writers_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Columns columns_of(std::vector<std::string> names) {
  Columns columns;
  columns.names = std::move(names);
  return columns;
}

/// What a reader finds, whatever the format; read by other means than those that wrote it.
struct Table {
  std::vector<std::string> names;
  Rows rows;
  std::map<std::string, std::string> attributes;
};

Table read_csv(const std::string& path) {
  Table table;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::istringstream head(line);
  for (std::string name; std::getline(head, name, ',');) table.names.push_back(name);
  while (std::getline(file, line)) {
    table.rows.emplace_back();
    const char* at = line.c_str();
    while (*at) {
      char* end = nullptr;
      table.rows.back().push_back(std::strtod(at, &end));
      if (end == at) throw std::runtime_error("not a number: " + line);
      at = *end == ',' ? end + 1 : end;
    }
  }
  return table;
}

Table read_json(const std::string& path) {
  const nlohmann::json json = nlohmann::json::parse(text_of(path));
  Table table;
  table.names = json.at("columns").get<std::vector<std::string>>();
  for (const auto& [name, value] : json.at("attributes").items())
    if (value.is_string()) table.attributes[name] = value.get<std::string>();
  for (const auto& row : json.at("rows")) {
    table.rows.emplace_back();
    for (const auto& value : row) { table.rows.back().push_back(value.is_null() ? std::nan("") : value.get<double>()); }
  }
  return table;
}

std::vector<std::string> read_strings(hid_t where, const char* name) {
  const hid_t attribute = H5Aopen(where, name, H5P_DEFAULT);
  const hid_t space = H5Aget_space(attribute);
  const hid_t type = H5Aget_type(attribute);
  EXPECT_EQ(H5Tis_variable_str(type), 0) << "a damaged file of these breaks HDF5";
  const std::size_t size = H5Tget_size(type), count = H5Sget_simple_extent_npoints(space);
  std::string raw(size * count, ' ');
  EXPECT_GE(H5Aread(attribute, type, raw.data()), 0) << name;
  std::vector<std::string> strings;
  for (std::size_t i = 0; i < count; ++i) strings.emplace_back(raw.substr(i * size, size).c_str());
  H5Tclose(type);
  H5Sclose(space);
  H5Aclose(attribute);
  return strings;
}

Table read_h5(const std::string& path, const char* dataset = "trajectory") {
  Table table;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) throw std::runtime_error("cannot open " + path);
  const hid_t data = H5Dopen2(file, dataset, H5P_DEFAULT);
  const hid_t space = H5Dget_space(data);
  hsize_t size[2] = {0, 0};
  EXPECT_EQ(H5Sget_simple_extent_dims(space, size, nullptr), 2);
  std::vector<double> values(size[0] * size[1]);
  EXPECT_GE(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  for (hsize_t i = 0; i < size[0]; ++i) {
    table.rows.emplace_back(values.begin() + i * size[1], values.begin() + (i + 1) * size[1]);
  }
  table.names = read_strings(data, "columns");
  for (const char* name : {"model", "method"}) {
    if (H5Aexists(file, name) > 0) table.attributes[name] = read_strings(file, name).at(0);
  }
  H5Sclose(space);
  H5Dclose(data);
  H5Fclose(file);
  return table;
}

Table read_table(const std::string& path) {
  if (path.ends_with(".csv")) return read_csv(path);
  return path.ends_with(".json") ? read_json(path) : read_h5(path);
}

/// The same bits, any NaN equal to any other.
bool same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }

class WritersTest : public ::testing::TestWithParam<std::string> {
 protected:
  Folder folder;
  std::string path = folder / ("run" + GetParam());
};

TEST_P(WritersTest, EventsStandBesideTheRows) {
  Columns columns = columns_of({"t", "x"});
  columns.events = {"low, left", "stop"};
  const auto writer = make_writer(path);
  writer->begin(columns, {});
  const Rows rows = {{0, 1}, {1, 0.25}}, events = {{0.125, 0.5}, {0.75, -0.0}, {1, 1.0 / 3}};
  writer->row(rows[0]);
  writer->event(0, events[0]);
  writer->event(0, events[1]);
  writer->event(1, events[2]);
  writer->row(rows[1]);
  writer->end();
  EXPECT_EQ(read_table(path).rows, rows);
  if (GetParam() == ".csv") {
    EXPECT_EQ(text_of(folder / "run.events.csv"),
              "event,t,x\n\"low, left\",0.125,0.5\n\"low, left\",0.75,-0\nstop,1,0.3333333333333333\n");
  } else if (GetParam() == ".json") {
    const nlohmann::json list = nlohmann::json::parse(text_of(path)).at("events");
    ASSERT_EQ(list.size(), 3u);
    EXPECT_EQ(list[1]["name"], "low, left");
    EXPECT_EQ(list[2]["values"], (std::vector<double>{1, 1.0 / 3}));
  } else {
    const Table table = read_h5(path, "events");
    EXPECT_EQ(table.names, (std::vector<std::string>{"event", "t", "x"}));
    EXPECT_EQ(table.rows, (Rows{{1, 0.125, 0.5}, {1, 0.75, -0.0}, {2, 1, 1.0 / 3}}));
  }
}

TEST_P(WritersTest, NumbersComeBackBitForBit) {
  const double third = 1.0 / 3;
  const Rows rows = {{0.1, -0.0, third, std::numbers::pi},
                     {std::nextafter(1.0, 2), std::nextafter(1.0, 0), 1e22, 123456789012345678.0},
                     {std::numeric_limits<double>::min(), std::numeric_limits<double>::denorm_min(),
                      std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()},
                     {5e-324, 2.2250738585072011e-308, 9007199254740993.0, -1e-5}};
  const auto writer = make_writer(path);
  RunDescription run;
  run.model = "Pendel ü";
  run.method = "lobatto(3)";
  writer->begin(columns_of({"t", "x1'", "q[2]", "lambda.rod1"}), run);
  for (const auto& row : rows) writer->row(row);
  writer->end();
  const Table table = read_table(path);
  EXPECT_EQ(table.names, (std::vector<std::string>{"t", "x1'", "q[2]", "lambda.rod1"}));
  ASSERT_EQ(table.rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(table.rows[i].size(), rows[i].size());
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      EXPECT_TRUE(same(table.rows[i][j], rows[i][j])) << i << " " << j << ": " << table.rows[i][j];
    }
  }
  if (GetParam() != ".csv") {
    EXPECT_EQ(table.attributes.at("model"), "Pendel ü");
    EXPECT_EQ(table.attributes.at("method"), "lobatto(3)");
  }
}

// Everything that it takes to make the run again; the sizes of steps and tolerances are numbers.
TEST_P(WritersTest, FilesSayWhichRunItWas) {
  RunDescription run;
  run.model = "Wind";
  run.model_text = "input F = 0\n";
  run.parameters = {{"l", {2}, {1, 0.5}, "m"}};
  run.method = "gauss(3)";
  run.step = 1.0 / 3;
  run.control = Control::tolerance;
  run.tolerance = 1e-9;
  run.absolute = 2.5e-12;
  run.overrides = {"l[1]=1", "x'=2"};
  run.inputs = {"F=wind.csv"};
  run.files = {{"a folder/leg.alm", "body thigh\n"}, {"wind.csv", "t,F\n0,1\n"}};
  run.version = "1";
  const auto writer = make_writer(path);
  writer->begin(columns_of({"t", "x"}), run);
  writer->row(std::vector<double>{0, 1});
  writer->end();
  const RunDescription read = read_trajectory(path).run;
  EXPECT_EQ(read.model_text, run.model_text);
  EXPECT_EQ(read.step, run.step);
  EXPECT_EQ(read.control, run.control);
  EXPECT_EQ(read.tolerance, run.tolerance);
  EXPECT_EQ(read.absolute, run.absolute);
  EXPECT_EQ(read.overrides, run.overrides);
  EXPECT_EQ(read.inputs, run.inputs);
  ASSERT_EQ(read.files.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.files[i].path, run.files[i].path);
    EXPECT_EQ(read.files[i].text, run.files[i].text);
  }
  if (GetParam() == ".h5") return;
  const std::string beside = GetParam() == ".csv" ? path.substr(0, path.size() - 4) + ".run.json" : path;
  const nlohmann::json attributes = nlohmann::json::parse(text_of(beside)).at("attributes");
  EXPECT_EQ(attributes.at("step"), 1.0 / 3);
  EXPECT_EQ(attributes.at("tolerance"), 1e-9);
  EXPECT_EQ(attributes.at("file:wind.csv"), "t,F\n0,1\n");
}

TEST_P(WritersTest, ManyRowsAreWhole) {
  const int count = 50000;
  const auto writer = make_writer(path);
  writer->begin(columns_of({"t", "x", "y"}), {});
  for (int i = 0; i < count; ++i) writer->row(std::vector<double>{i * 0.01, std::sin(i), std::cos(i)});
  writer->end();
  const Table table = read_table(path);
  ASSERT_EQ(table.rows.size(), static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) ASSERT_EQ(table.rows[i], (std::vector<double>{i * 0.01, std::sin(i), std::cos(i)}));
}

TEST_P(WritersTest, RunWithoutRowsIsReadable) {
  const auto writer = make_writer(path);
  writer->begin(columns_of({"t", "x"}), {});
  writer->end();
  const Table table = read_table(path);
  EXPECT_EQ(table.names, (std::vector<std::string>{"t", "x"}));
  EXPECT_TRUE(table.rows.empty());
}

TEST_P(WritersTest, EndTwiceAndDestructorAreHarmless) {
  {
    const auto writer = make_writer(path);
    writer->begin(columns_of({"t"}), {});
    writer->row(std::vector<double>{1.5});
    writer->end();
    writer->end();
  }
  EXPECT_EQ(read_table(path).rows, (Rows{{1.5}}));
  {
    const auto writer = make_writer(path);
    writer->begin(columns_of({"t"}), {});
    writer->row(std::vector<double>{2.5});
  }
  EXPECT_EQ(read_table(path).rows, (Rows{{2.5}}));
}

TEST_P(WritersTest, ShorterRunLeavesNothingOfTheLongerOne) {
  for (const int count : {3000, 2}) {
    const auto writer = make_writer(path);
    writer->begin(columns_of({"t", "x"}), {});
    for (int i = 0; i < count; ++i) writer->row(std::vector<double>{i * 1.0, i / 7.0});
    writer->end();
  }
  EXPECT_EQ(read_table(path).rows, (Rows{{0, 0}, {1, 1 / 7.0}}));
}

// A process that dies between two flushes leaves a file that reads, with what was flushed.
TEST_P(WritersTest, FileIsReadableAfterSuddenDeath) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto* writer = make_writer(path).release();
    writer->begin(columns_of({"t", "x", "y", "z"}), {});
    for (int i = 0; i < 200000; ++i) writer->row(std::vector<double>{i * 1.0, i / 3.0, std::sqrt(i), -i / 7.0});
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  const Table table = read_table(path);
  ASSERT_GT(table.rows.size(), 100000u);
  ASSERT_LT(table.rows.size(), 200000u) << "the death came after everything was flushed: nothing was tested";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const double n = static_cast<double>(i);
    ASSERT_EQ(table.rows[i], (std::vector<double>{n, n / 3.0, std::sqrt(n), -n / 7.0}));
  }
}

TEST_P(WritersTest, OldFileStaysUntilTheRunBegins) {
  {
    std::ofstream(path) << "precious";
    const auto writer = make_writer(path);
  }
  EXPECT_EQ(text_of(path), "precious");
  {
    const auto writer = make_writer(folder / ("new" + GetParam()));
    EXPECT_TRUE(fs::exists(folder / ("new" + GetParam())));
  }
  EXPECT_FALSE(fs::exists(folder / ("new" + GetParam()))) << "a run that never began leaves no file";
}

TEST_P(WritersTest, RefusesWhatCannotBeWritten) {
  EXPECT_THROW(make_writer(folder / ("missing/run" + GetParam())), InputError);
  fs::create_directory(path);
  EXPECT_THROW(make_writer(path), InputError);
  try {
    make_writer(folder / ("missing/run" + GetParam()));
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("missing/run" + GetParam()), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("no folder"), std::string::npos) << error.what();
  }
}

// In a process of its own: HDF5 keeps a file that it could not close, and complains of it at exit.
TEST_P(WritersTest, FullDiskIsSaid) {
  fs::create_symlink("/dev/full", path);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    try {
      const auto writer = make_writer(path);
      writer->begin(columns_of({"t"}), {});
      writer->row(std::vector<double>{1});
      writer->end();
    } catch (const InputError&) { ::_exit(42); } catch (...) {
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 42);
}

TEST_P(WritersTest, ThousandsOfColumns) {
  std::vector<std::string> names;
  for (int i = 0; i < 20000; ++i) names.push_back("r[" + std::to_string(i) + "]");
  std::vector<double> row(names.size());
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = 1.0 / (i + 1);
  const auto writer = make_writer(path);
  writer->begin(columns_of(names), {});
  for (int i = 0; i < 5; ++i) writer->row(row);
  writer->end();
  const Table table = read_table(path);
  EXPECT_EQ(table.names, names);
  EXPECT_EQ(table.rows, Rows(5, row));
}

INSTANTIATE_TEST_SUITE_P(Formats, WritersTest, ::testing::Values(".csv", ".json", ".h5"),
                         [](const auto& info) { return info.param.substr(1); });

TEST(Writers, WhatIsNotFinite) {
  const Folder folder;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::string name : {"a.csv", "a.json", "a.h5"}) {
    const auto writer = make_writer(folder / name);
    writer->begin(columns_of({"a", "b", "c"}), {});
    writer->row(std::vector<double>{-std::nan(""), infinity, -infinity});
  }
  EXPECT_EQ(text_of(folder / "a.csv"), "a,b,c\nnan,inf,-inf\n");
  EXPECT_EQ(nlohmann::json::parse(text_of(folder / "a.json")).at("rows").dump(), "[[null,null,null]]");
  const Table table = read_h5(folder / "a.h5");
  EXPECT_TRUE(std::isnan(table.rows.at(0).at(0)));
  EXPECT_EQ(table.rows.at(0).at(1), infinity);
  EXPECT_EQ(table.rows.at(0).at(2), -infinity);
}

TEST(Writers, RowsThatWereNeverWrittenAreNotRead) {
  const Folder folder;
  const std::string path = folder / "a.h5";
  {
    const auto writer = make_writer(path);
    writer->begin(columns_of({"t", "x"}), {});
    for (int i = 0; i < 3; ++i) writer->row(std::vector<double>{i * 0.5, 1.0});
  }
  // What a full disk leaves: room for more rows, and nothing in it.
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t set = H5Dopen2(file, "trajectory", H5P_DEFAULT);
  const hsize_t size[2] = {7, 2};
  ASSERT_GE(H5Dset_extent(set, size), 0);
  H5Dclose(set);
  H5Fclose(file);
  const Trajectory read = read_trajectory(path);
  EXPECT_EQ(read.t(), (std::vector<double>{0, 0.5, 1}));
  EXPECT_FALSE(read.note.empty());
}

TEST(Writers, CsvNamesAreQuotedWhereNeeded) {
  const Folder folder;
  {
    const auto writer = make_writer(folder / "a.csv");
    writer->begin(columns_of({"t", "a,b", "say \"x\"", "x1'"}), {});
  }
  EXPECT_EQ(text_of(folder / "a.csv"), "t,\"a,b\",\"say \"\"x\"\"\",x1'\n");
}

TEST(Writers, UnknownEndingsAreRefused) {
  const Folder folder;
  for (const std::string name : {"a.txt", "a", "a.", ".", "", "a.csv.gz", "x.json/y", "a.CSVX"}) {
    EXPECT_THROW(make_writer(folder / name), InputError) << name;
  }
}

}  // namespace
}  // namespace alembert::internal
