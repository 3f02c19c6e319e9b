# What every target of ours is compiled with.

find_program(ALEMBERT_CCACHE ccache)
mark_as_advanced(ALEMBERT_CCACHE)
# Depend mode: the compiler's own list of headers instead of a second preprocessing. The sloppiness is what ccache asks
# for where headers are precompiled; they are in the cache themselves, so that all checkouts share the objects too.
set(ccache_launcher env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${ALEMBERT_CCACHE})

function(alembert_settings target)
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  if(ALEMBERT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${ccache_launcher}")
  endif()
  # No contraction to fused operations: interpreter and compiled code must give the same bits.
  # No -Wpedantic: it objects to __float128.
  target_compile_options(${target} PRIVATE -ffp-contract=off -Wall -Wextra -Wno-pedantic)
  # HDF5 and LLVM name libraries that we never call; loading them would cost time at every start.
  target_link_options(${target} PRIVATE -Wl,--as-needed)
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
    # GCC 12 sees std::string leave its bounds where it does not (GCC bug 105651), and here says so.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
    endif()
  endif()
endfunction()
