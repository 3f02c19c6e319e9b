# cmake --install: program, library, headers, and what find_package(alembert) reads.

include(CMakePackageConfigHelpers)

set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/alembert)
set(targets alembert)
if(TARGET alembert_cli)
  list(APPEND targets alembert_cli)
endif()
install(TARGETS ${targets} EXPORT alembertTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT alembertTargets NAMESPACE alembert:: DESTINATION ${config_folder})

# A header that brings in LLVM, Eigen and the like is private to its folder (tools/check_includes.py) and stays here.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/alembert/*.h)
foreach(header IN LISTS headers)
  file(STRINGS ${PROJECT_SOURCE_DIR}/src/${header} foreign LIMIT_COUNT 1
    REGEX "^#include <(llvm|Eigen|unsupported/Eigen|fmt|nlohmann|tbb|oneapi|klu\\.h|hdf5\\.h)")
  if(NOT foreign)
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES ${PROJECT_SOURCE_DIR}/src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
  endif()
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/generated/alembert/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/alembert)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/alembertConfig.cmake.in
  ${PROJECT_BINARY_DIR}/alembertConfig.cmake INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/alembertConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/alembertConfig.cmake
  ${PROJECT_BINARY_DIR}/alembertConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindKLU.cmake
  DESTINATION ${config_folder})
