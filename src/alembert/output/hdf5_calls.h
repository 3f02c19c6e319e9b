#pragma once

// HDF5, loaded when it is first called: it brings thirty libraries with it (networks, encryption), whose loading took
// 5 ms at the start of every process. Below, the names of its functions stand for those that were loaded; a source that
// calls another one adds it to both lists; the test `light_start` says where that was forgotten.

#include <hdf5.h>

namespace alembert::internal {

// clang-format off
#define ALEMBERT_HDF5_NAMES(X) \
  X(H5open) X(H5check_version) X(H5dont_atexit) X(H5get_libversion) X(H5Aclose) X(H5Acreate2) X(H5Aget_space) X(H5Aget_type) X(H5Aopen) X(H5Aread) \
  X(H5Awrite) X(H5Dclose) X(H5Dcreate2) X(H5Dget_space) X(H5Dget_type) X(H5Dopen2) X(H5Dread) X(H5Dset_extent) \
  X(H5Dwrite) X(H5Eget_auto2) X(H5Eset_auto2) X(H5Ewalk2) X(H5Fclose) X(H5Fcreate) X(H5Fflush) X(H5Fopen) \
  X(H5Gclose) X(H5Gcreate2) X(H5Pclose) X(H5Pcreate) X(H5Pset_chunk) X(H5Pset_file_locking) \
  X(H5Pset_fill_value) X(H5Pset_libver_bounds) X(H5Pset_obj_track_times) X(H5Sclose) X(H5Screate) \
  X(H5Screate_simple) X(H5Sget_simple_extent_dims) X(H5Sget_simple_extent_ndims) \
  X(H5Sget_simple_extent_npoints) X(H5Sselect_hyperslab) X(H5Tclose) X(H5Tcopy) X(H5Tget_class) X(H5Tget_size) \
  X(H5Tis_variable_str) X(H5Tset_cset) X(H5Tset_size) X(H5Tset_strpad) X(H5P_CLS_FILE_CREATE_ID_g) \
  X(H5P_CLS_FILE_ACCESS_ID_g) X(H5P_CLS_DATASET_CREATE_ID_g) X(H5P_CLS_GROUP_CREATE_ID_g) X(H5T_C_S1_g) \
  X(H5T_NATIVE_DOUBLE_g) X(H5T_IEEE_F64LE_g)
// clang-format on

/// Their addresses.
struct Hdf5Calls {
#define ALEMBERT_HDF5_MEMBER(name) decltype(&::name) name;  // NOLINT(bugprone-macro-parentheses): a declaration
  ALEMBERT_HDF5_NAMES(ALEMBERT_HDF5_MEMBER)
#undef ALEMBERT_HDF5_MEMBER

  /// All of them by find(name); the name that was not found, or null.
  template <class Find>
  const char* load(const Find& find) {
#define ALEMBERT_HDF5_FIND(name)                          \
  (name) = reinterpret_cast<decltype(name)>(find(#name)); \
  if (!(name)) return #name;
    ALEMBERT_HDF5_NAMES(ALEMBERT_HDF5_FIND)
#undef ALEMBERT_HDF5_FIND
    return nullptr;
  }
  /// Nothing is closed at exit. To be said before anything else.
  void leave_at_exit() const { H5dont_atexit(); }
  void version(unsigned* major, unsigned* minor, unsigned* release) const { H5get_libversion(major, minor, release); }
};

/// Loads the library at the first call. Throws InputError where it is not there, or is of another version than the
/// headers.
const Hdf5Calls& hdf5_calls();

}  // namespace alembert::internal

#define H5open ::alembert::internal::hdf5_calls().H5open
#define H5check_version ::alembert::internal::hdf5_calls().H5check_version
#define H5get_libversion ::alembert::internal::hdf5_calls().H5get_libversion
#define H5Aclose ::alembert::internal::hdf5_calls().H5Aclose
#define H5Acreate2 ::alembert::internal::hdf5_calls().H5Acreate2
#define H5Aget_space ::alembert::internal::hdf5_calls().H5Aget_space
#define H5Aget_type ::alembert::internal::hdf5_calls().H5Aget_type
#define H5Aopen ::alembert::internal::hdf5_calls().H5Aopen
#define H5Aread ::alembert::internal::hdf5_calls().H5Aread
#define H5Awrite ::alembert::internal::hdf5_calls().H5Awrite
#define H5Dclose ::alembert::internal::hdf5_calls().H5Dclose
#define H5Dcreate2 ::alembert::internal::hdf5_calls().H5Dcreate2
#define H5Dget_space ::alembert::internal::hdf5_calls().H5Dget_space
#define H5Dget_type ::alembert::internal::hdf5_calls().H5Dget_type
#define H5Dopen2 ::alembert::internal::hdf5_calls().H5Dopen2
#define H5Dread ::alembert::internal::hdf5_calls().H5Dread
#define H5Dset_extent ::alembert::internal::hdf5_calls().H5Dset_extent
#define H5Dwrite ::alembert::internal::hdf5_calls().H5Dwrite
#define H5Eget_auto2 ::alembert::internal::hdf5_calls().H5Eget_auto2
#define H5Eset_auto2 ::alembert::internal::hdf5_calls().H5Eset_auto2
#define H5Ewalk2 ::alembert::internal::hdf5_calls().H5Ewalk2
#define H5Fclose ::alembert::internal::hdf5_calls().H5Fclose
#define H5Fcreate ::alembert::internal::hdf5_calls().H5Fcreate
#define H5Fflush ::alembert::internal::hdf5_calls().H5Fflush
#define H5Fopen ::alembert::internal::hdf5_calls().H5Fopen
#define H5Gclose ::alembert::internal::hdf5_calls().H5Gclose
#define H5Gcreate2 ::alembert::internal::hdf5_calls().H5Gcreate2
#define H5Pclose ::alembert::internal::hdf5_calls().H5Pclose
#define H5Pcreate ::alembert::internal::hdf5_calls().H5Pcreate
#define H5Pset_chunk ::alembert::internal::hdf5_calls().H5Pset_chunk
#define H5Pset_file_locking ::alembert::internal::hdf5_calls().H5Pset_file_locking
#define H5Pset_fill_value ::alembert::internal::hdf5_calls().H5Pset_fill_value
#define H5Pset_libver_bounds ::alembert::internal::hdf5_calls().H5Pset_libver_bounds
#define H5Pset_obj_track_times ::alembert::internal::hdf5_calls().H5Pset_obj_track_times
#define H5Sclose ::alembert::internal::hdf5_calls().H5Sclose
#define H5Screate ::alembert::internal::hdf5_calls().H5Screate
#define H5Screate_simple ::alembert::internal::hdf5_calls().H5Screate_simple
#define H5Sget_simple_extent_dims ::alembert::internal::hdf5_calls().H5Sget_simple_extent_dims
#define H5Sget_simple_extent_ndims ::alembert::internal::hdf5_calls().H5Sget_simple_extent_ndims
#define H5Sget_simple_extent_npoints ::alembert::internal::hdf5_calls().H5Sget_simple_extent_npoints
#define H5Sselect_hyperslab ::alembert::internal::hdf5_calls().H5Sselect_hyperslab
#define H5Tclose ::alembert::internal::hdf5_calls().H5Tclose
#define H5Tcopy ::alembert::internal::hdf5_calls().H5Tcopy
#define H5Tget_class ::alembert::internal::hdf5_calls().H5Tget_class
#define H5Tget_size ::alembert::internal::hdf5_calls().H5Tget_size
#define H5Tis_variable_str ::alembert::internal::hdf5_calls().H5Tis_variable_str
#define H5Tset_cset ::alembert::internal::hdf5_calls().H5Tset_cset
#define H5Tset_size ::alembert::internal::hdf5_calls().H5Tset_size
#define H5Tset_strpad ::alembert::internal::hdf5_calls().H5Tset_strpad
#define H5P_CLS_FILE_CREATE_ID_g (*::alembert::internal::hdf5_calls().H5P_CLS_FILE_CREATE_ID_g)
#define H5P_CLS_FILE_ACCESS_ID_g (*::alembert::internal::hdf5_calls().H5P_CLS_FILE_ACCESS_ID_g)
#define H5P_CLS_DATASET_CREATE_ID_g (*::alembert::internal::hdf5_calls().H5P_CLS_DATASET_CREATE_ID_g)
#define H5P_CLS_GROUP_CREATE_ID_g (*::alembert::internal::hdf5_calls().H5P_CLS_GROUP_CREATE_ID_g)
#define H5T_C_S1_g (*::alembert::internal::hdf5_calls().H5T_C_S1_g)
#define H5T_NATIVE_DOUBLE_g (*::alembert::internal::hdf5_calls().H5T_NATIVE_DOUBLE_g)
#define H5T_IEEE_F64LE_g (*::alembert::internal::hdf5_calls().H5T_IEEE_F64LE_g)
