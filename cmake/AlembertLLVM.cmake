# LLVM for the sources in code/ that know it: they see ALEMBERT_LLVM=1 and its headers. Without it they are compiled to
# what the interpreter needs.

if(ALEMBERT_LLVM)
  # 14 is what Debian 12 has; a config file accepts only its own major version, so that each has to be asked for.
  foreach(version 14 15 16 17 18 19 20)
    if(NOT LLVM_FOUND)
      find_package(LLVM ${version} QUIET CONFIG)
    endif()
  endforeach()
  if(NOT LLVM_FOUND)
    message(FATAL_ERROR "LLVM 14 or newer not found: install llvm-14-dev, or configure with -DALEMBERT_LLVM=OFF")
  endif()
  message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
endif()

# Moves the sources that ask for ALEMBERT_LLVM from the list named by `all` to the one named by `selected`.
function(alembert_select_llvm_sources selected all)
  set(found "")
  set(candidates ${${all}})
  list(FILTER candidates INCLUDE REGEX "/src/alembert/code/[^/]*\\.cpp$")
  foreach(source IN LISTS candidates)
    file(STRINGS ${source} lines REGEX "^#if !?ALEMBERT_LLVM" LIMIT_COUNT 1)
    if(lines)
      list(APPEND found ${source})
    endif()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${candidates})
  list(REMOVE_ITEM ${all} ${found})
  set(${selected} ${found} PARENT_SCOPE)
  set(${all} ${${all}} PARENT_SCOPE)
endfunction()

function(alembert_use_llvm target)
  if(NOT ALEMBERT_LLVM)
    return()
  endif()
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(${target} PRIVATE ALEMBERT_LLVM=1)
  target_compile_options(${target} PRIVATE ${definitions})
  if(NOT LLVM_ENABLE_RTTI)
    target_compile_options(${target} PRIVATE -fno-rtti)
  endif()
endfunction()

# The libraries that the compiler needs. As archives where there are some: loading the whole of LLVM, of which a small part
# is used, takes 15 ms at every start.
function(alembert_llvm_libraries result)
  set(libraries LLVM)
  if(TARGET LLVMOrcJIT)
    llvm_map_components_to_libnames(libraries orcjit native)
  endif()
  set(${result} ${libraries} PARENT_SCOPE)
endfunction()

# A name for what the sources make of an expression: code that is kept on disk is found under it, so that none is used that
# other sources have made.
function(alembert_code_identity result)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/alembert/code/*.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/src/alembert/code/*.h ${CMAKE_CURRENT_SOURCE_DIR}/src/alembert/expr/operators.*)
  list(APPEND sources ${CMAKE_CURRENT_SOURCE_DIR}/include/alembert/expr.h)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
  set(all "")
  foreach(source IN LISTS sources)
    file(SHA256 ${source} one)
    string(APPEND all ${one})
  endforeach()
  string(SHA256 all "${all}")
  set(${result} ${all} PARENT_SCOPE)
endfunction()
