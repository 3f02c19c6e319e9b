#include "alembert/output/writers.h"

#include <fcntl.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "alembert/error.h"

namespace alembert::internal {
namespace {

constexpr std::size_t flush_bytes = std::size_t{1} << 20;
constexpr std::chrono::seconds flush_interval{1};

/// Says when rows that were gathered have to go to the disk: when they are many, or old.
class FlushClock {
 public:
  bool due(std::size_t bytes) {
    if (bytes < flush_bytes && std::chrono::steady_clock::now() - last_ < flush_interval) return false;
    last_ = std::chrono::steady_clock::now();
    return true;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// A file that is known to be writable. What it held stays until clear(), so that a run that is refused destroys
/// nothing; a file that was made here and never cleared is removed again.
class OutputFile {
 public:
  explicit OutputFile(std::string path) : path_(std::move(path)) {
    existed_ = ::access(path_.c_str(), F_OK) == 0;
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail();
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!existed_ && !cleared_) ::unlink(path_.c_str());
  }

  const std::string& path() const { return path_; }

  void clear() {
    struct stat status;
    if (::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode) && ::ftruncate(descriptor_, 0) != 0) fail();
    cleared_ = true;
  }

  /// Adds text at the end, then `tail`, which the next call overwrites.
  void append(std::string_view text, std::string_view tail = {}) {
    write_all(text);
    if (tail.empty()) return;
    write_all(tail);
    if (::lseek(descriptor_, -static_cast<off_t>(tail.size()), SEEK_CUR) < 0) fail();
  }

  void close() {
    const int descriptor = std::exchange(descriptor_, -1);
    if (descriptor >= 0 && ::close(descriptor) != 0) fail();
  }

  [[noreturn]] void fail() const { fail(std::strerror(errno)); }
  [[noreturn]] void fail(const std::string& why) const {
    const std::size_t slash = path_.rfind('/');
    std::string hint;
    if (slash != std::string::npos && slash > 0 && ::access(path_.substr(0, slash).c_str(), F_OK) != 0) {
      hint = "there is no folder '" + path_.substr(0, slash) + "'";
    }
    throw InputError("cannot write '" + path_ + "': " + why, hint);
  }

 private:
  void write_all(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail();
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  std::string path_;
  int descriptor_ = -1;
  bool existed_ = false, cleared_ = false;
};

/// The fewest digits that read back as the same double.
void append_number(std::string& text, double value) {
  char buffer[32];
  text.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

/// Whole rows of text gathered in memory: what is on disk always ends with a whole row.
class TextWriter : public Observer {
 public:
  explicit TextWriter(const std::string& path) : file_(path) {}

  void begin(const Columns& columns, const std::map<std::string, std::string>& attributes) override {
    file_.clear();
    open_ = true;
    head(columns, attributes);
    flush();
  }
  void row(std::span<const double> values) override {
    line(values);
    if (clock_.due(text_.size())) flush();
  }
  void end() override {
    if (!std::exchange(open_, false)) return;
    flush();
    file_.close();
  }

 protected:
  virtual void head(const Columns& columns, const std::map<std::string, std::string>& attributes) = 0;
  virtual void line(std::span<const double> values) = 0;
  /// What closes the file as it stands.
  virtual std::string tail() const = 0;

  /// For destructors, which have nobody to tell.
  void end_quietly() noexcept {
    try {
      end();
    } catch (...) {}
  }

  std::string text_;

 private:
  void flush() {
    file_.append(text_, tail());
    text_.clear();
  }

  OutputFile file_;
  FlushClock clock_;
  bool open_ = false;
};

std::string csv_name(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

/// A table stays a table: events go to a file of their own, NAME.events.csv, with their name in the first column.
class CsvWriter final : public TextWriter {
 public:
  explicit CsvWriter(const std::string& path)
      : TextWriter(path), events_path_(path.substr(0, path.size() - 4) + ".events.csv") {}
  ~CsvWriter() override { end_quietly(); }

  void event(int number, std::span<const double> values) override {
    std::string text = csv_name(event_names_.at(number)) + ",";
    append_line(text, values);
    events_->append(text);
  }

 private:
  static void append_line(std::string& text, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i) text += ',';
      if (std::isnan(values[i])) {
        text += "nan";  // never -nan, which not every reader knows
      } else {
        append_number(text, values[i]);
      }
    }
    text += '\n';
  }
  void head(const Columns& columns, const std::map<std::string, std::string>&) override {
    for (std::size_t i = 0; i < columns.names.size(); ++i) text_ += (i ? "," : "") + csv_name(columns.names[i]);
    text_ += '\n';
    event_names_ = columns.events;
    if (event_names_.empty()) return;
    events_ = std::make_unique<OutputFile>(events_path_);
    events_->clear();
    events_->append("event," + text_);
  }
  void line(std::span<const double> values) override { append_line(text_, values); }
  std::string tail() const override { return {}; }

  std::string events_path_;
  std::vector<std::string> event_names_;
  std::unique_ptr<OutputFile> events_;  // where there may be some
};

/// The closing brackets are written after every flush and overwritten by the next rows, so that the file is whole at
/// all times.
class JsonWriter final : public TextWriter {
 public:
  using TextWriter::TextWriter;
  ~JsonWriter() override { end_quietly(); }

  void event(int number, std::span<const double> values) override {
    events_ += events_.empty() ? "\n" : ",\n";
    events_ += "{\"name\":" + dump(event_names_.at(number)) + ",\"values\":";
    append_list(events_, values);
    events_ += '}';
  }

 private:
  static std::string dump(const nlohmann::ordered_json& json) {
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }
  void head(const Columns& columns, const std::map<std::string, std::string>& attributes) override {
    text_ += "{\"attributes\":" + dump(attributes) + ",\n\"columns\":" + dump(columns.names) + ",\n\"rows\":[";
    event_names_ = columns.events;
  }
  static void append_list(std::string& text, std::span<const double> values) {
    text += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i) text += ',';
      if (!std::isfinite(values[i])) {
        text += "null";
      } else if (values[i] == 0 && std::signbit(values[i])) {
        text += "-0.0";  // readers take -0 for a whole number, which has no sign
      } else {
        append_number(text, values[i]);
      }
    }
    text += ']';
  }
  void line(std::span<const double> values) override {
    text_ += std::exchange(first_, false) ? "\n" : ",\n";
    append_list(text_, values);
  }
  std::string tail() const override {
    return event_names_.empty() ? "\n]}\n" : "\n],\n\"events\":[" + events_ + "\n]}\n";
  }

  bool first_ = true;
  std::vector<std::string> event_names_;
  std::string events_;  // all of them: they stand behind the rows
};

/// HDF5 prints its errors by itself unless told not to; here they become exceptions.
class QuietHdf5 {
 public:
  QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// An identifier of HDF5, closed by the function that belongs to its kind.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() { close(); }
  operator hid_t() const { return id_; }
  bool close() {
    const hid_t id = std::exchange(id_, -1);
    return id < 0 || close_(id) >= 0;
  }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

/// One extendible dataset "trajectory", a row a time, with the names of its columns as attribute "columns"; where there
/// may be events a second one, "events", with one column more: the number of the event, from 1, in its attribute
/// "names". Attributes of the run stand at the file. Rows are gathered and the file flushed after each batch: it can be
/// read if we die later.
class Hdf5Writer final : public Observer {
 public:
  explicit Hdf5Writer(const std::string& path) : file_(path) {}
  ~Hdf5Writer() override {
    try {
      end();
    } catch (...) {}
  }

  void begin(const Columns& columns, const std::map<std::string, std::string>& attributes) override {
    const QuietHdf5 quiet;
    file_.clear();
    file_.close();
    // The format of 1.8: names of thousands of columns do not fit into an attribute of the older one.
    const Handle access(valid(H5Pcreate(H5P_FILE_ACCESS)), H5Pclose);
    valid(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    h5_ = Handle(valid(H5Fcreate(file_.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access)), H5Fclose);
    text_type_ = Handle(valid(H5Tcopy(H5T_C_S1)), H5Tclose);
    valid(H5Tset_size(text_type_, H5T_VARIABLE));
    valid(H5Tset_cset(text_type_, H5T_CSET_UTF8));

    trajectory_ = table("trajectory", columns.names);
    if (!columns.events.empty()) {
      std::vector<std::string> names{"event"};
      names.insert(names.end(), columns.names.begin(), columns.names.end());
      events_ = table("events", names);
      list_attribute(events_.set, "names", columns.events);
    }
    const Handle scalar(valid(H5Screate(H5S_SCALAR)), H5Sclose);
    for (const auto& [name, value] : attributes) {
      const char* text = value.c_str();
      attribute(h5_, name.c_str(), scalar, &text);
    }
    valid(H5Fflush(h5_, H5F_SCOPE_LOCAL));
  }

  void row(std::span<const double> values) override {
    trajectory_.rows.insert(trajectory_.rows.end(), values.begin(), values.end());
    if (clock_.due(trajectory_.rows.size() * sizeof(double))) flush();
  }

  void event(int number, std::span<const double> values) override {
    events_.rows.push_back(number + 1);
    events_.rows.insert(events_.rows.end(), values.begin(), values.end());
  }

  void end() override {
    if (h5_ < 0) return;
    const QuietHdf5 quiet;
    flush();
    // All are closed even where one of them fails.
    const bool rows = trajectory_.set.close() & events_.set.close();
    const bool type = text_type_.close();
    const bool file = h5_.close();
    if (!rows || !type || !file) file_.fail("closing it failed");
  }

 private:
  static constexpr hsize_t chunk_bytes = hsize_t{1} << 18;

  struct Table {
    Handle set;
    hsize_t width = 0, written = 0;
    std::vector<double> rows;  // not written yet
  };

  template <class T>
  T valid(T result) const {
    if (result < 0) file_.fail(reason());
    return result;
  }

  /// What HDF5 says at the bottom of its stack, where the cause is.
  static std::string reason() {
    std::string text = "HDF5 failed";
    H5Ewalk2(
        H5E_DEFAULT, H5E_WALK_UPWARD,
        [](unsigned n, const H5E_error2_t* error, void* data) -> herr_t {
          if (n == 0 && error->desc) *static_cast<std::string*>(data) = error->desc;
          return 0;
        },
        &text);
    return text;
  }

  void attribute(hid_t where, const char* name, hid_t space, const void* values) {
    const Handle a(valid(H5Acreate2(where, name, text_type_, space, H5P_DEFAULT, H5P_DEFAULT)), H5Aclose);
    valid(H5Awrite(a, text_type_, values));
  }

  void list_attribute(hid_t where, const char* name, const std::vector<std::string>& texts) {
    std::vector<const char*> list;
    for (const std::string& text : texts) list.push_back(text.c_str());
    const hsize_t count = list.size();
    const Handle space(valid(H5Screate_simple(1, &count, nullptr)), H5Sclose);
    attribute(where, name, space, list.data());
  }

  Table table(const char* name, const std::vector<std::string>& columns) {
    Table made;
    made.width = columns.size();
    const hsize_t now[2] = {0, made.width};
    const hsize_t most[2] = {H5S_UNLIMITED, made.width};
    const hsize_t chunk[2] = {std::clamp<hsize_t>(chunk_bytes / (sizeof(double) * made.width), 1, 4096), made.width};
    const Handle space(valid(H5Screate_simple(2, now, most)), H5Sclose);
    const Handle layout(valid(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
    valid(H5Pset_chunk(layout, 2, chunk));
    made.set =
        Handle(valid(H5Dcreate2(h5_, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, layout, H5P_DEFAULT)), H5Dclose);
    list_attribute(made.set, "columns", columns);
    return made;
  }

  void append(Table& table) {
    if (table.rows.empty()) return;
    const hsize_t size[2] = {table.rows.size() / table.width, table.width};
    const hsize_t start[2] = {table.written, 0};
    const hsize_t total[2] = {table.written + size[0], table.width};
    valid(H5Dset_extent(table.set, total));
    const Handle file(valid(H5Dget_space(table.set)), H5Sclose);
    const Handle memory(valid(H5Screate_simple(2, size, nullptr)), H5Sclose);
    valid(H5Sselect_hyperslab(file, H5S_SELECT_SET, start, nullptr, size, nullptr));
    valid(H5Dwrite(table.set, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, table.rows.data()));
    table.written = total[0];
    table.rows.clear();
  }

  void flush() {
    if (trajectory_.rows.empty() && events_.rows.empty()) return;
    const QuietHdf5 quiet;
    append(trajectory_);
    append(events_);
    valid(H5Fflush(h5_, H5F_SCOPE_LOCAL));
  }

  OutputFile file_;
  FlushClock clock_;
  Handle h5_, text_type_;  // the file is opened first and closed last
  Table trajectory_, events_;
};

}  // namespace

std::unique_ptr<Observer> make_writer(const std::string& path) {
  const std::size_t dot = path.find_last_of("./");
  const std::string ending = dot == std::string::npos || path[dot] == '/' ? "" : path.substr(dot);
  if (ending == ".csv") return std::make_unique<CsvWriter>(path);
  if (ending == ".json") return std::make_unique<JsonWriter>(path);
  if (ending == ".h5") return std::make_unique<Hdf5Writer>(path);
  throw InputError("cannot tell the format of '" + path + "' by its ending",
                   "the endings .csv, .h5 and .json are known");
}

}  // namespace alembert::internal
