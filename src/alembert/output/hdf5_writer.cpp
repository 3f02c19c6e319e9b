#include <algorithm>
#include <vector>

#include "alembert/base/lists.h"
#include "alembert/output/attributes.h"
#include "alembert/output/hdf5_handle.h"
#include "alembert/output/output_file.h"
#include "alembert/output/writers.h"

namespace alembert::internal {
namespace {

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

  void begin(const Columns& columns, const RunDescription& run) override {
    const QuietHdf5 quiet;
    open();
    trajectory_ = table("trajectory", columns.names);
    if (!columns.units.empty()) list_attribute(trajectory_.set, "units", columns.units);
    if (!columns.events.empty()) {
      events_ = table("events", joined<std::string>("event", columns.names));
      list_attribute(events_.set, "names", columns.events);
    }
    const Handle scalar(valid(H5Screate(H5S_SCALAR)), H5Sclose);
    for (const auto& [name, value] : attributes_of(run)) {
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
  static constexpr hsize_t chunk_bytes = hsize_t{1} << 18;  // a quarter of the default cache of HDF5

  struct Table {
    Handle set;
    hsize_t width = 0, written = 0;
    std::vector<double> rows;  // not written yet
  };

  void open() {
    file_.clear();
    file_.close();
    // The format of 1.8: names of thousands of columns do not fit into an attribute of the older one.
    const Handle access(valid(H5Pcreate(H5P_FILE_ACCESS)), H5Pclose);
    valid(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    h5_ = Handle(valid(H5Fcreate(file_.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access)), H5Fclose);
    text_type_ = Handle(valid(H5Tcopy(H5T_C_S1)), H5Tclose);
    valid(H5Tset_size(text_type_, H5T_VARIABLE));
    valid(H5Tset_cset(text_type_, H5T_CSET_UTF8));
  }

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

std::unique_ptr<Observer> make_hdf5_writer(const std::string& path) { return std::make_unique<Hdf5Writer>(path); }

}  // namespace alembert::internal
