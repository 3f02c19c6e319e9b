#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "alembert/base/bytes.h"
#include "alembert/base/lists.h"
#include "alembert/output/attributes.h"
#include "alembert/output/hdf5_file.h"
#include "alembert/output/output_file.h"
#include "alembert/output/writers.h"

namespace alembert::internal {
namespace {

/// One extendible dataset "trajectory", a row a time, with the names of its columns as attribute "columns"; where there
/// may be events a second one, "events", with one column more: the number of the event, from 1, in its attribute
/// "names". Attributes of the run stand at the file; all texts have fixed lengths, so that a damaged file can be looked
/// at. Rows are gathered and the file flushed after each batch: it can be read if we die later. Before a batch is
/// handed to HDF5 its room on the disk is reserved, because HDF5 leaves half of it there when it cannot write the rest.
/// What was never written reads as NaN.
class Hdf5Writer final : public Observer {
 public:
  explicit Hdf5Writer(const std::string& path) : file_(path) {}
  ~Hdf5Writer() override {
    try {
      end();
    } catch (...) {}
  }

  void begin(const Columns& columns, const RunDescription& run) override {
    const QuietHdf5 quiet;
    file_.clear();
    const Attributes attributes = attributes_of(run);
    if (!file_.reserve(room_of_head(columns, attributes))) file_.fail(std::strerror(errno));
    h5_ = Handle(valid(H5Fcreate(file_.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access())), H5Fclose);
    trajectory_ = table("trajectory", columns.names);
    if (!columns.units.empty()) list_attribute(trajectory_.set, "units", columns.units);
    if (!columns.events.empty()) {
      events_ = table("events", joined<std::string>("event", columns.names));
      list_attribute(events_.set, "names", columns.events);
    }
    const Handle scalar(valid(H5Screate(H5S_SCALAR)), H5Sclose);
    for (const auto& [name, value] : attributes.texts) attribute(h5_, name.c_str(), scalar, {value});
    for (const auto& [name, value] : attributes.numbers) {
      const Handle a(valid(H5Acreate2(h5_, name.c_str(), H5T_IEEE_F64LE, scalar, H5P_DEFAULT, H5P_DEFAULT)), H5Aclose);
      valid(H5Awrite(a, H5T_NATIVE_DOUBLE, &value));
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
    std::optional<WriteError> failed;
    try {
      flush();
    } catch (const WriteError& error) { failed = error; }
    // All are closed even where one of them fails.
    const bool rows = trajectory_.set.close() & events_.set.close();
    const bool file = h5_.close();
    if (failed) throw WriteError(*failed);
    if (!rows || !file) file_.fail("closing it failed");
    file_.release();
  }

  Mark mark() override {
    flush();
    ByteWriter out;
    out.write(place_of_file(file_.path()));
    out.write(trajectory_.written);
    out.write(events_.written);
    return out.bytes();
  }

  void go_on(const Columns& columns, const RunDescription& run, std::span<const Mark> marks) override {
    std::optional<ByteReader> in = mark_of_file(marks, file_.path());
    if (!in) return begin(columns, run);
    const auto rows = in->read<hsize_t>(), events = in->read<hsize_t>();
    take_up(columns, rows, events);
  }

 private:
  static constexpr hsize_t chunk_bytes = hsize_t{1} << 18;  // a quarter of the default cache of HDF5
  // The tree that finds chunks grows by nodes of 2 kB for 64 of them, and the heads change with it; twice that.
  static constexpr std::uint64_t room_of_tree = std::uint64_t{1} << 16;

  struct Table {
    Handle set;
    hsize_t width = 0, written = 0, chunk = 1;  // chunk: rows of one
    std::vector<double> rows;                   // not written yet
  };

  static std::uint64_t room_of_head(const Columns& columns, const Attributes& attributes) {
    std::uint64_t longest = 1, texts = 0;
    for (const auto& [name, value] : attributes.texts) texts += name.size() + value.size();
    for (const std::string& name : columns.names) longest = std::max<std::uint64_t>(longest, name.size());
    return 2 * (texts + 3 * longest * columns.names.size()) + room_of_tree;
  }

  // The format of 1.8: names of thousands of columns do not fit into an attribute of the older one, and newer ones mark
  // a file that is being written, so that others refuse it if we die. Locking is ours.
  Handle access() const {
    Handle list(valid(H5Pcreate(H5P_FILE_ACCESS)), H5Pclose);
    valid(H5Pset_libver_bounds(list, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    valid(H5Pset_file_locking(list, 0, 1));
    return list;
  }

  template <class T>
  T valid(T result) const {
    if (result < 0) file_.fail(hdf5_reason());
    return result;
  }

  void attribute(hid_t where, const char* name, hid_t space, const std::vector<std::string>& texts) {
    std::size_t longest = 1;
    for (const std::string& text : texts) longest = std::max(longest, text.size());
    const Handle type(valid(H5Tcopy(H5T_C_S1)), H5Tclose);
    valid(H5Tset_size(type, longest));
    valid(H5Tset_strpad(type, H5T_STR_NULLPAD));
    valid(H5Tset_cset(type, H5T_CSET_UTF8));
    std::string bytes;
    for (const std::string& text : texts) bytes += text + std::string(longest - text.size(), '\0');
    const Handle a(valid(H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT)), H5Aclose);
    valid(H5Awrite(a, type, bytes.data()));
  }

  void list_attribute(hid_t where, const char* name, const std::vector<std::string>& texts) {
    const hsize_t count = texts.size();
    const Handle space(valid(H5Screate_simple(1, &count, nullptr)), H5Sclose);
    attribute(where, name, space, texts);
  }

  static hsize_t rows_of_chunk(hsize_t width) {
    return std::clamp<hsize_t>(chunk_bytes / (sizeof(double) * width), 1, 4096);
  }

  Table table(const char* name, const std::vector<std::string>& columns) {
    Table made;
    made.width = columns.size();
    made.chunk = rows_of_chunk(made.width);
    const hsize_t now[2] = {0, made.width};
    const hsize_t most[2] = {H5S_UNLIMITED, made.width};
    const hsize_t chunk[2] = {made.chunk, made.width};
    const Handle space(valid(H5Screate_simple(2, now, most)), H5Sclose);
    const Handle layout(valid(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
    valid(H5Pset_chunk(layout, 2, chunk));
    const double nothing = std::nan("");
    valid(H5Pset_fill_value(layout, H5T_NATIVE_DOUBLE, &nothing));
    made.set =
        Handle(valid(H5Dcreate2(h5_, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, layout, H5P_DEFAULT)), H5Dclose);
    list_attribute(made.set, "columns", columns);
    return made;
  }

  Table table_again(const char* name, hsize_t width, hsize_t rows) {
    Table made;
    made.width = width;
    made.chunk = rows_of_chunk(width);
    made.written = rows;
    made.set = Handle(valid(H5Dopen2(h5_, name, H5P_DEFAULT)), H5Dclose);
    const Handle space(valid(H5Dget_space(made.set)), H5Sclose);
    hsize_t size[2] = {0, 0};
    if (H5Sget_simple_extent_ndims(space) != 2 || H5Sget_simple_extent_dims(space, size, nullptr) < 0 ||
        size[1] != width || size[0] < rows)
      file_.fail("rows that were written there are missing");
    const hsize_t total[2] = {rows, width};
    valid(H5Dset_extent(made.set, total));
    return made;
  }

  void take_up(const Columns& columns, hsize_t rows, hsize_t events) {
    const QuietHdf5 quiet;
    h5_ = Handle(valid(H5Fopen(file_.path().c_str(), H5F_ACC_RDWR, access())), H5Fclose);
    trajectory_ = table_again("trajectory", columns.names.size(), rows);
    if (!columns.events.empty()) events_ = table_again("events", columns.names.size() + 1, events);
    valid(H5Fflush(h5_, H5F_SCOPE_LOCAL));
  }

  static std::uint64_t room(const Table& table, hsize_t rows) {
    if (rows == 0) return 0;
    const auto chunks = [&](hsize_t count) { return (count + table.chunk - 1) / table.chunk; };
    const hsize_t fresh = chunks(table.written + rows) - chunks(table.written);
    return fresh * table.chunk * table.width * sizeof(double) + room_of_tree;
  }

  void append(Table& table, hsize_t rows) {
    if (rows > 0) append_rows(file_, table.set, table.width, rows, table.written, table.rows);
  }

  void flush() {
    const auto rows_in = [](const Table& table) -> hsize_t {
      return table.rows.empty() ? 0 : table.rows.size() / table.width;
    };
    hsize_t rows = rows_in(trajectory_), events = rows_in(events_);
    if (rows == 0 && events == 0) return;
    const QuietHdf5 quiet;
    int why = 0;
    // Where not all fits, as much as does.
    while (rows + events > 0 && !file_.reserve(room(trajectory_, rows) + room(events_, events))) {
      why = errno;
      rows /= 2;
      events /= 2;
    }
    append(trajectory_, rows);
    append(events_, events);
    valid(H5Fflush(h5_, H5F_SCOPE_LOCAL));
    if (why == 0) return;
    trajectory_.rows.clear();
    events_.rows.clear();
    file_.fail(std::strerror(why));
  }

  OutputFile file_;
  FlushClock clock_;
  Handle h5_;  // opened first and closed last
  Table trajectory_, events_;
};

}  // namespace

std::unique_ptr<Observer> make_hdf5_writer(const std::string& path) { return std::make_unique<Hdf5Writer>(path); }

}  // namespace alembert::internal
