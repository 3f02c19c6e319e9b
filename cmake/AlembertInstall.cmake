# cmake --install: program, library, public headers, and what find_package(alembert) reads.

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

# The public headers; everything in src/ is private.
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/alembert/*.h)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/alembert)
install(FILES ${PROJECT_BINARY_DIR}/generated/alembert/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/alembert)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/alembertConfig.cmake.in
  ${PROJECT_BINARY_DIR}/alembertConfig.cmake INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/alembertConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/alembertConfig.cmake
  ${PROJECT_BINARY_DIR}/alembertConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindKLU.cmake
  DESTINATION ${config_folder})
