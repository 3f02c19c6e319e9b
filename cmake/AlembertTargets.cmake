# What every target of ours is compiled with.

find_program(ALEMBERT_CCACHE ccache)
mark_as_advanced(ALEMBERT_CCACHE)
# Depend mode: the compiler's own list of headers instead of a second preprocessing. The sloppiness is what ccache asks
# for where headers are precompiled; they are in the cache themselves, so that all checkouts share the objects too.
set(ccache_launcher env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${ALEMBERT_CCACHE})

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  execute_process(COMMAND g++ -print-file-name=include OUTPUT_VARIABLE ALEMBERT_GCC_HEADERS
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()

function(alembert_settings target)
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  if(ALEMBERT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${ccache_launcher}")
  endif()
  # No contraction to fused operations: interpreter and compiled code must give the same bits.
  # No -Wpedantic: it objects to __float128.
  target_compile_options(${target} PRIVATE -ffp-contract=off -Wall -Wextra -Wno-pedantic)
  # clang has no quadmath.h: gcc's own headers come last.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND ALEMBERT_GCC_HEADERS)
    target_compile_options(${target} PRIVATE "SHELL:-idirafter ${ALEMBERT_GCC_HEADERS}")
  endif()
  # HDF5 (loaded when it is needed) and LLVM name libraries that are not called; loading them would cost time at every start.
  target_link_options(${target} PRIVATE -Wl,--as-needed)
  # GCC collects its garbage from 128 MB on, and so spends 6 % of its time in sources whose templates need a GB.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE "SHELL:--param ggc-min-heapsize=786432")
  endif()
  if(ALEMBERT_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(ALEMBERT_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${ALEMBERT_SANITIZE} -fno-sanitize-recover=all
      -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${ALEMBERT_SANITIZE})
  endif()
endfunction()

# For targets that spend their time in the library: compiled in two thirds of the time.
function(alembert_optimize_less target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# alembert_precompile(TARGET HEADER...): headers that most sources of the target include, parsed once.
function(alembert_precompile target)
  if(ALEMBERT_PCH)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    alembert_ignore_false_warnings(${target})
  endif()
endfunction()

# GCC 12 sees std::string leave its bounds where it does not (GCC bug 105651), and says so where headers are precompiled.
function(alembert_ignore_false_warnings target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endfunction()

# alembert_precompile_as(TARGET OTHER): the headers of OTHER; its precompiled ones where the options of both are the same
# for certain (debug versions of libraries define macros).
function(alembert_precompile_as target other)
  if(ALEMBERT_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release")
    target_precompile_headers(${target} REUSE_FROM ${other})
    alembert_ignore_false_warnings(${target})
  elseif(ALEMBERT_PCH)
    get_target_property(headers ${other} PRECOMPILE_HEADERS)
    alembert_precompile(${target} ${headers})
  endif()
endfunction()

# alembert_unite(TARGET BASE SOURCE...): these sources of the target, below BASE, are compiled in groups of one folder,
# because much of the time goes into headers and templates that they share. Not all of a folder at once: a change costs
# seconds, and all cores have work to the end. Groups name their sources relative to BASE (CMake's own would name whole paths), so that
# all checkouts share what a compiler cache holds. Sources with options of their own are not given to it.
set(largest_group 12)
function(alembert_unite target base)
  if(NOT ALEMBERT_UNITY)
    return()
  endif()
  target_include_directories(${target} PRIVATE ${base})
  set(folders "")
  foreach(source IN LISTS ARGN)
    get_filename_component(folder ${source} DIRECTORY)
    list(APPEND folders ${folder})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    set(members ${ARGN})
    list(FILTER members INCLUDE REGEX "^${folder}/[^/]*$")
    list(LENGTH members length)
    math(EXPR groups "(${length} + ${largest_group} - 1) / ${largest_group}")
    file(RELATIVE_PATH name ${base} ${folder})
    string(REPLACE "/" "_" name "united_${name}")
    set(place 0)
    foreach(source IN LISTS members)
      math(EXPR number "${place} * ${groups} / ${length}")
      file(RELATIVE_PATH path ${base} ${source})
      string(APPEND text_${name}_${number} "#include \"${path}\"\n")
      math(EXPR place "${place} + 1")
    endforeach()
    set_source_files_properties(${members} PROPERTIES HEADER_FILE_ONLY ON)
    math(EXPR last "${groups} - 1")
    foreach(number RANGE ${last})
      set(united ${CMAKE_CURRENT_BINARY_DIR}/united/${target}/${name}_${number}.cpp)
      file(CONFIGURE OUTPUT ${united} CONTENT "${text_${name}_${number}}" @ONLY)
      target_sources(${target} PRIVATE ${united})
    endforeach()
  endforeach()
endfunction()

# alembert_same_names(RESULT SOURCE...): the sources that declare, outside of classes, a name that one before them has.
function(alembert_same_names result)
  set(names "")
  set(found "")
  foreach(source IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(READ ${source} text)
    # What begins a line is a declaration up to the character behind the name.
    string(REGEX MATCHALL "\n[A-Za-z][A-Za-z0-9_:<>,&* ]*" own "${text}")
    list(FILTER own EXCLUDE REGEX "^\n(namespace|template|using namespace) ")
    list(TRANSFORM own REPLACE "^.*[^A-Za-z0-9_:]([A-Za-z0-9_:]+) *$" "\\1")
    foreach(name IN LISTS own)
      if(name IN_LIST names)
        list(APPEND found ${source})
        break()
      endif()
    endforeach()
    list(APPEND names ${own})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# The name under which the loader finds HDF5, and its path here.
function(alembert_hdf5_library name path)
  list(GET HDF5_C_LIBRARIES 0 library)
  if(TARGET ${library})
    get_target_property(library ${library} IMPORTED_LOCATION)
  endif()
  file(REAL_PATH ${library} library)
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${library} OUTPUT_VARIABLE text ERROR_QUIET)
  if(text MATCHES "SONAME +([^ \n]+)")
    set(soname ${CMAKE_MATCH_1})
  else()
    get_filename_component(soname ${library} NAME)
  endif()
  message(STATUS "HDF5 is loaded as ${soname} (${library})")
  set(${name} ${soname} PARENT_SCOPE)
  set(${path} ${library} PARENT_SCOPE)
endfunction()
