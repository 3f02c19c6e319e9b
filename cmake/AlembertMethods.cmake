# The list of methods is the list of files: NAME.cpp in one of the folders exports `MethodFamily NAME();` in
# alembert::internal::methods.

set(ALEMBERT_METHODS ${CMAKE_CURRENT_SOURCE_DIR}/src/alembert/methods)

function(alembert_generate_methods output)
  set(names "")
  foreach(folder IN LISTS ARGN)
    file(GLOB files CONFIGURE_DEPENDS ${folder}/*.cpp)
    foreach(file IN LISTS files)
      get_filename_component(name ${file} NAME_WE)
      list(APPEND names ${name})
    endforeach()
  endforeach()
  list(SORT names)
  set(declarations "")
  set(calls "")
  foreach(name IN LISTS names)
    string(APPEND declarations "MethodFamily ${name}();\n")
    string(APPEND calls "      methods::${name}(),\n")
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/methods.cpp.in ${output} @ONLY)
endfunction()

# The two default methods, for mechanical models and for port-Hamiltonian ones, as constants for every folder.
function(alembert_generate_default_methods output)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ALEMBERT_METHODS}/defaults.txt)
  file(STRINGS ${ALEMBERT_METHODS}/defaults.txt names)
  list(GET names 0 mechanical)
  list(GET names 1 port_hamiltonian)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/default_methods.h.in ${output} @ONLY)
endfunction()
