# The models of the gallery and the library of components as texts inside the library, so that `alembert reproduce` and
# `component NAME = "mass.alm"` work wherever the program is.

function(alembert_generate_texts folder with_ending template output)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.alm)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(entries "")
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}${with_ending}\", R\"alm(${text})alm\"},\n")
  endforeach()
  configure_file(${CMAKE_CURRENT_SOURCE_DIR}/cmake/${template} ${output} @ONLY)
endfunction()

function(alembert_generate_gallery output)
  alembert_generate_texts(models "" gallery.cpp.in ${output})
endfunction()

function(alembert_generate_components output)
  alembert_generate_texts(models/components ".alm" components.cpp.in ${output})
endfunction()
