#pragma once

// A file of HDF5 that is written while something runs: tables that grow, and attributes. Brings in HDF5: for the
// sources of this folder only. Everything throws InputError where the file cannot be written.

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "alembert/output/attributes.h"
#include "alembert/output/hdf5_calls.h"
#include "alembert/output/output_file.h"

namespace alembert::internal {

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

/// What HDF5 says at the bottom of its stack of errors, where the cause is.
std::string hdf5_reason();

/// Writes the first `count` of the rows behind the `written` ones of a dataset, and forgets all of them; throws
/// WriteError in the name of the file.
void append_rows(const OutputFile& file, hid_t set, hsize_t width, hsize_t count, hsize_t& written,
                 std::vector<double>& rows);

class Hdf5File {
 public:
  /// Rows of numbers that are gathered, and then written together.
  struct Table {
    Handle set;
    hsize_t width = 0, written = 0, chunk = 1;  // chunk: rows of one
    std::vector<double> rows;                   // not written yet
  };
  /// The same for texts, one a row.
  struct Texts {
    Handle set;
    hsize_t written = 0;
    std::vector<std::string> rows;
  };

  explicit Hdf5File(const std::string& path) : file_(path) {}

  bool is_open() const { return h5_ >= 0; }
  /// What was in the file is gone. Others may read it while it grows; the same calls give the same bytes.
  void open();
  void group(const char* name);
  /// An extendible dataset with the names of its columns as attribute "columns"; what is not there yet is NaN.
  /// expected: how many rows come, where that is known; room is made for as many at once.
  Table table(const char* name, const std::vector<std::string>& columns, std::size_t expected = SIZE_MAX);
  Texts texts(const char* name);
  void append(Table& table);
  void append(Texts& texts);
  void attributes(const Attributes& all);
  void list_attribute(hid_t where, const char* name, const std::vector<std::string>& texts);
  void flush();
  /// Tables are closed before.
  bool close();
  [[noreturn]] void fail(const std::string& why) const { file_.fail(why); }

 private:
  template <class T>
  T valid(T result) const {
    if (result < 0) file_.fail(hdf5_reason());
    return result;
  }
  /// Reserves so much on the disk, and something for the trees: where HDF5 cannot write it leaves half of it behind,
  /// and crashes when it is closed.
  void make_room(std::uint64_t bytes);
  void attribute(hid_t where, const char* name, hid_t space, const void* values);
  Handle extendible(const char* name, hid_t type, hsize_t width, hsize_t chunk_rows, const double* fill);

  OutputFile file_;
  Handle h5_, text_type_;  // the file is opened first and closed last
};

}  // namespace alembert::internal
