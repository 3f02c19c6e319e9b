# The models of the gallery as texts inside the library, so that `alembert reproduce` works wherever the program is.

function(alembert_generate_gallery output)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/models/*.alm)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(entries "")
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"alm(${text})alm\"},\n")
  endforeach()
  configure_file(${CMAKE_CURRENT_SOURCE_DIR}/cmake/gallery.cpp.in ${output} @ONLY)
endfunction()
