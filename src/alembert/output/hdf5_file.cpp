#include "alembert/output/hdf5_file.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

namespace alembert::internal {

namespace {

/// What texts take in a file, roughly and from above: beside each its place and length, and pages that are not full.
std::uint64_t bytes_of(const std::vector<std::string>& texts) {
  std::uint64_t bytes = 0;
  for (const std::string& text : texts) bytes += 2 * text.size() + 64;
  return bytes;
}

}  // namespace

void append_rows(const OutputFile& file, hid_t set, hsize_t width, hsize_t count, hsize_t& written,
                 std::vector<double>& rows) {
  const auto valid = [&](auto result) {
    if (result < 0) file.fail(hdf5_reason());
    return result;
  };
  const hsize_t size[2] = {count, width};
  const hsize_t start[2] = {written, 0};
  const hsize_t total[2] = {written + count, width};
  valid(H5Dset_extent(set, total));
  const Handle place(valid(H5Dget_space(set)), H5Sclose);
  const Handle memory(valid(H5Screate_simple(2, size, nullptr)), H5Sclose);
  valid(H5Sselect_hyperslab(place, H5S_SELECT_SET, start, nullptr, size, nullptr));
  valid(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, place, H5P_DEFAULT, rows.data()));
  written = total[0];
  rows.clear();
}

void Hdf5File::make_room(std::uint64_t bytes) {
  constexpr std::uint64_t trees = std::uint64_t{1} << 16;  // what the library adds for its own: indices of chunks
  if (!file_.reserve(bytes + trees)) file_.fail(std::strerror(errno));
}

void Hdf5File::open() {
  file_.clear();
  make_room(0);
  // The format of 1.8: names of thousands of columns do not fit into an attribute of the older one.
  const Handle access(valid(H5Pcreate(H5P_FILE_ACCESS)), H5Pclose);
  valid(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
#if H5_VERSION_GE(1, 10, 7)
  // A lock would keep others from reading while it grows.
  valid(H5Pset_file_locking(access, false, true));
#endif
  const Handle creation(valid(H5Pcreate(H5P_FILE_CREATE)), H5Pclose);
  valid(H5Pset_obj_track_times(creation, false));
  h5_ = Handle(valid(H5Fcreate(file_.path().c_str(), H5F_ACC_TRUNC, creation, access)), H5Fclose);
  text_type_ = Handle(valid(H5Tcopy(H5T_C_S1)), H5Tclose);
  valid(H5Tset_size(text_type_, H5T_VARIABLE));
  valid(H5Tset_cset(text_type_, H5T_CSET_UTF8));
}

std::string hdf5_reason() {
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

void Hdf5File::attribute(hid_t where, const char* name, hid_t space, const void* values) {
  const Handle a(valid(H5Acreate2(where, name, text_type_, space, H5P_DEFAULT, H5P_DEFAULT)), H5Aclose);
  valid(H5Awrite(a, text_type_, values));
}

void Hdf5File::list_attribute(hid_t where, const char* name, const std::vector<std::string>& texts) {
  std::vector<const char*> list;
  for (const std::string& text : texts) list.push_back(text.c_str());
  const hsize_t count = list.size();
  make_room(bytes_of(texts));
  const Handle space(valid(H5Screate_simple(1, &count, nullptr)), H5Sclose);
  attribute(where, name, space, list.data());
}

void Hdf5File::attributes(const Attributes& all) {
  const Handle scalar(valid(H5Screate(H5S_SCALAR)), H5Sclose);
  std::uint64_t bytes = 0;
  for (const auto& [name, value] : all.texts) bytes += bytes_of({name, value});
  make_room(bytes);
  for (const auto& [name, value] : all.texts) {
    const char* text = value.c_str();
    attribute(h5_, name.c_str(), scalar, &text);
  }
  for (const auto& [name, value] : all.numbers) {
    const Handle a(valid(H5Acreate2(h5_, name.c_str(), H5T_IEEE_F64LE, scalar, H5P_DEFAULT, H5P_DEFAULT)), H5Aclose);
    valid(H5Awrite(a, H5T_NATIVE_DOUBLE, &value));
  }
}

void Hdf5File::group(const char* name) {
  const Handle creation(valid(H5Pcreate(H5P_GROUP_CREATE)), H5Pclose);
  valid(H5Pset_obj_track_times(creation, false));
  const Handle made(valid(H5Gcreate2(h5_, name, H5P_DEFAULT, creation, H5P_DEFAULT)), H5Gclose);
}

Handle Hdf5File::extendible(const char* name, hid_t type, hsize_t width, hsize_t chunk_rows, const double* fill) {
  const int rank = width > 0 ? 2 : 1;
  const hsize_t now[2] = {0, width}, most[2] = {H5S_UNLIMITED, width}, chunk[2] = {chunk_rows, width};
  const Handle space(valid(H5Screate_simple(rank, now, most)), H5Sclose);
  const Handle layout(valid(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
  valid(H5Pset_chunk(layout, rank, chunk));
  valid(H5Pset_obj_track_times(layout, false));
  if (fill) valid(H5Pset_fill_value(layout, H5T_NATIVE_DOUBLE, fill));
  return {valid(H5Dcreate2(h5_, name, type, space, H5P_DEFAULT, layout, H5P_DEFAULT)), H5Dclose};
}

Hdf5File::Table Hdf5File::table(const char* name, const std::vector<std::string>& columns, std::size_t expected) {
  constexpr hsize_t chunk_bytes = hsize_t{1} << 18;  // a quarter of the default cache of HDF5
  Table made;
  made.width = columns.size();
  const hsize_t rows =
      std::clamp<hsize_t>(chunk_bytes / (sizeof(double) * made.width), 1, std::clamp<hsize_t>(expected, 1, 4096));
  const double missing = NAN;
  made.chunk = rows;
  made.set = extendible(name, H5T_NATIVE_DOUBLE, made.width, rows, &missing);
  list_attribute(made.set, "columns", columns);
  return made;
}

Hdf5File::Texts Hdf5File::texts(const char* name) {
  constexpr hsize_t rows = 256;  // of 16 bytes each: a page
  return {extendible(name, text_type_, 0, rows, nullptr), 0, {}};
}

void Hdf5File::append(Table& table) {
  if (table.rows.empty()) return;
  const hsize_t count = table.rows.size() / table.width;
  make_room((count + 2 * table.chunk) * table.width * sizeof(double));  // the first and the last chunk are whole
  append_rows(file_, table.set, table.width, count, table.written, table.rows);
}

void Hdf5File::append(Texts& texts) {
  if (texts.rows.empty()) return;
  make_room(bytes_of(texts.rows));
  std::vector<const char*> list;
  for (const std::string& text : texts.rows) list.push_back(text.c_str());
  const hsize_t size = list.size(), start = texts.written, total = start + size;
  valid(H5Dset_extent(texts.set, &total));
  const Handle file(valid(H5Dget_space(texts.set)), H5Sclose);
  const Handle memory(valid(H5Screate_simple(1, &size, nullptr)), H5Sclose);
  valid(H5Sselect_hyperslab(file, H5S_SELECT_SET, &start, nullptr, &size, nullptr));
  valid(H5Dwrite(texts.set, text_type_, memory, file, H5P_DEFAULT, list.data()));
  texts.written = total;
  texts.rows.clear();
}

void Hdf5File::flush() { valid(H5Fflush(h5_, H5F_SCOPE_LOCAL)); }

bool Hdf5File::close() {
  const bool type = text_type_.close();
  const bool file = h5_.close();
  file_.release();
  return type && file;
}

}  // namespace alembert::internal
