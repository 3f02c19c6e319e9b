#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "alembert/base/bytes.h"
#include "alembert/output/attributes.h"
#include "alembert/output/output_file.h"
#include "alembert/output/writers.h"

namespace alembert::internal {
namespace {

/// The fewest digits that read back as the same double.
void append_number(std::string& text, double value) {
  char buffer[32];
  text.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

/// Whole rows of text gathered in memory: what is on disk ends with a whole row, unless the program is killed while it
/// writes.
class TextWriter : public Observer {
 public:
  explicit TextWriter(const std::string& path) : file_(path) {}

  void begin(const Columns& columns, const RunDescription& run) override {
    file_.clear();
    open_ = true;
    know(columns);
    head(columns, run);
    flush();
  }
  void row(std::span<const double> values) override {
    line(values);
    ends_.push_back(text_.size());
    if (clock_.due(text_.size())) flush();
  }
  void end() override {
    if (!open_) return;
    flush();
    open_ = false;
    file_.close();
  }
  std::vector<std::byte> mark() override {
    flush();
    ByteWriter out;
    out.write(place_of_file(file_.path()));
    out.write(file_.size());
    out.write(file_.trace(file_.size()));
    save(out);
    return out.bytes();
  }
  void go_on(const Columns& columns, const RunDescription& run, std::span<const Mark> marks) override {
    std::optional<ByteReader> in = mark_of_file(marks, file_.path());
    if (!in) return begin(columns, run);
    const auto size = in->read<std::uint64_t>();
    if (file_.trace(size) != in->read<std::uint64_t>())
      throw InputError("'" + file_.path() + "' is not what the run had written up to the checkpoint",
                       "choose another file: it gets the rows from there on");
    know(columns);
    load(*in);
    file_.cut(size);
    open_ = true;
    flush();
  }

 protected:
  virtual void know(const Columns& columns) = 0;
  virtual void head(const Columns& columns, const RunDescription& run) = 0;
  virtual void line(std::span<const double> values) = 0;
  /// What closes the file as it stands.
  virtual std::string tail() const = 0;
  virtual void save(ByteWriter& out) = 0;
  virtual void load(ByteReader& in) = 0;

  /// For destructors, which have nobody to tell.
  void end_quietly() noexcept {
    try {
      end();
    } catch (...) {}
  }

  std::string text_;

 private:
  void flush() {
    open_ = false;  // what cannot be written is not tried again
    file_.append(text_, ends_, tail());
    open_ = true;
    text_.clear();
    ends_.clear();
  }

  OutputFile file_;
  FlushClock clock_;
  std::vector<std::size_t> ends_;  // of the rows in text_
  bool open_ = false;
};

std::string csv_name(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// What a file says about its run, without its rows.
std::string description_text(const Columns& columns, const RunDescription& run) {
  std::string text = "{\"attributes\":" + to_json(attributes_of(run)) + ",\n\"columns\":" + json_text(columns.names);
  if (!columns.units.empty()) text += ",\n\"units\":" + json_text(columns.units);
  return text;
}

/// A table stays a table: events go to a file of their own, NAME.events.csv, with their name in the first column, and
/// which run it was to NAME.run.json.
class CsvWriter final : public TextWriter {
 public:
  explicit CsvWriter(const std::string& path)
      : TextWriter(path),
        events_path_(path.substr(0, path.size() - 4) + ".events.csv"),
        run_path_(path.substr(0, path.size() - 4) + ".run.json") {}
  ~CsvWriter() override { end_quietly(); }

  void event(int number, std::span<const double> values) override {
    std::string text = csv_name(event_names_.at(number)) + ",";
    append_line(text, values);
    events_->append(text, {});
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
  void know(const Columns& columns) override {
    event_names_ = columns.events;
    if (!event_names_.empty()) events_ = std::make_unique<OutputFile>(events_path_);
  }
  void head(const Columns& columns, const RunDescription& run) override {
    OutputFile beside(run_path_);
    beside.clear();
    beside.append(description_text(columns, run) + "}\n", {});
    beside.close();
    for (std::size_t i = 0; i < columns.names.size(); ++i) text_ += (i ? "," : "") + csv_name(columns.names[i]);
    text_ += '\n';
    if (!events_) return;
    events_->clear();
    events_->append("event," + text_, {});
  }
  void save(ByteWriter& out) override { out.write(events_ ? events_->size() : std::uint64_t{0}); }
  void load(ByteReader& in) override {
    const auto size = in.read<std::uint64_t>();
    if (events_) events_->cut(size);
  }
  void line(std::span<const double> values) override { append_line(text_, values); }
  std::string tail() const override { return {}; }

  std::string events_path_, run_path_;
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
    events_ += "{\"name\":" + json_text(event_names_.at(number)) + ",\"values\":";
    append_list(events_, values);
    events_ += '}';
  }

 private:
  void head(const Columns& columns, const RunDescription& run) override {
    text_ += description_text(columns, run) + ",\n\"rows\":[";
  }
  void know(const Columns& columns) override { event_names_ = columns.events; }
  void save(ByteWriter& out) override {
    out.write(first_);
    out.write(events_);
  }
  void load(ByteReader& in) override {
    in.read(first_);
    in.read(events_);
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

}  // namespace

std::unique_ptr<Observer> make_csv_writer(const std::string& path) { return std::make_unique<CsvWriter>(path); }
std::unique_ptr<Observer> make_json_writer(const std::string& path) { return std::make_unique<JsonWriter>(path); }

}  // namespace alembert::internal
