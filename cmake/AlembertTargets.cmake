# What every target of ours is compiled with.

find_program(ALEMBERT_CCACHE ccache)
mark_as_advanced(ALEMBERT_CCACHE)

function(alembert_settings target)
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  if(ALEMBERT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER ${ALEMBERT_CCACHE})
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

# alembert_precompile(TARGET HEADER...): headers that most sources of the target include, parsed once.
function(alembert_precompile target)
  if(ALEMBERT_PCH)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
