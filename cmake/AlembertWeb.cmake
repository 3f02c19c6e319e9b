# The pages of web/: packages from npm's registry are installed while configuring, when web/package-lock.json has changed,
# and bundled while building. Where there is no npm, or its registry cannot be reached, ALEMBERT_WEB_BUNDLE is off and the
# program has its simple page alone.

option(ALEMBERT_WEB "Bundle the pages of web/ (needs Node.js and npm); off: the simple page alone" ON)

# Installs the packages; sets `result` to whether they are there. What only the tests need is left out without them.
function(alembert_install_web_packages folder with_tests result)
  set(${result} OFF PARENT_SCOPE)
  find_program(ALEMBERT_NODE NAMES node nodejs)
  find_program(ALEMBERT_NPM npm)
  mark_as_advanced(ALEMBERT_NODE ALEMBERT_NPM)
  if(NOT ALEMBERT_NODE OR NOT ALEMBERT_NPM)
    message(STATUS "web: no Node.js with npm here: pages are the simple ones, without the view in space and the studio")
    return()
  endif()
  file(SHA256 ${folder}/package-lock.json wanted)
  set(stamp ${folder}/node_modules/.alembert)
  set(present "")
  if(EXISTS ${stamp})
    file(READ ${stamp} present)
  endif()
  if("${present}" STREQUAL "${wanted} tests" OR ("${present}" STREQUAL "${wanted}" AND NOT with_tests))
    set(${result} ON PARENT_SCOPE)
    return()
  endif()
  set(options --no-audit --no-fund --ignore-scripts --prefer-offline --loglevel=error)
  if(NOT with_tests)
    list(APPEND options --omit=dev)
  endif()
  message(STATUS "web: npm ci (packages of web/package-lock.json)...")
  execute_process(COMMAND ${CMAKE_COMMAND} -E env npm_config_fetch_retries=1 npm_config_fetch_timeout=60000
      ${ALEMBERT_NPM} ci ${options}
    WORKING_DIRECTORY ${folder} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said TIMEOUT 400)
  if(NOT status EQUAL 0)
    message(WARNING "web: npm ci failed (no network?): pages are the simple ones, without the view in space and the "
      "studio; configure again for another attempt\n${said}")
    return()
  endif()
  if(with_tests)
    string(APPEND wanted " tests")
  endif()
  file(WRITE ${stamp} "${wanted}")
  set(${result} ON PARENT_SCOPE)
endfunction()

# The C++ source with the bundles, made while building; without them one that has none.
function(alembert_bundle_web output)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/web)
  set(there OFF)
  if(ALEMBERT_WEB)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/package-lock.json)
    alembert_install_web_packages(${folder} "${ALEMBERT_TESTS}" there)
  endif()
  set(ALEMBERT_WEB_BUNDLE ${there} PARENT_SCOPE)
  if(NOT there)
    set(entries "")
    configure_file(cmake/web_bundle.cpp.in ${output} @ONLY)
    return()
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/src/*)
  add_custom_command(OUTPUT ${output}
    COMMAND ${ALEMBERT_NODE} ${folder}/build.mjs ${CMAKE_CURRENT_BINARY_DIR}/web ${output}
    DEPENDS ${sources} ${folder}/build.mjs ${folder}/package-lock.json ${CMAKE_CURRENT_SOURCE_DIR}/cmake/web_bundle.cpp.in
    COMMENT "Bundling the pages of web/" VERBATIM)
endfunction()
