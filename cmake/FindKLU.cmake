# KLU of SuiteSparse as the target KLU::KLU; SuiteSparse 5 (Debian 12) brings no config file for it.

find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
set(parts klu amd colamd btf suitesparseconfig)
set(KLU_LIBRARIES "")
foreach(part IN LISTS parts)
  find_library(KLU_${part}_LIBRARY ${part})
  list(APPEND KLU_LIBRARIES ${KLU_${part}_LIBRARY})
  mark_as_advanced(KLU_${part}_LIBRARY)
endforeach()
mark_as_advanced(KLU_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU REQUIRED_VARS KLU_INCLUDE_DIR KLU_klu_LIBRARY KLU_amd_LIBRARY KLU_colamd_LIBRARY
  KLU_btf_LIBRARY KLU_suitesparseconfig_LIBRARY)
if(KLU_FOUND AND NOT TARGET KLU::KLU)
  add_library(KLU::KLU INTERFACE IMPORTED)
  set_target_properties(KLU::KLU PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${KLU_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${KLU_LIBRARIES}")
endif()
