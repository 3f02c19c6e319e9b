# Files as texts inside the library: the models of the gallery and the library of components with its data, so that `alembert reproduce`
# and `component NAME = "mass.alm"` work wherever the program is, and the sources of pages.

# All files of a folder that fit the pattern. Each becomes an entry {"name", "text"} of a map, for @entries@ of the
# template; the name is that of the file, with its ending where with_ending is on.
function(alembert_generate_texts folder pattern with_ending template output)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${pattern})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(entries "")
  foreach(file IN LISTS files)
    if(with_ending)
      get_filename_component(name ${file} NAME)
    else()
      get_filename_component(name ${file} NAME_WE)
    endif()
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"text(${text})text\"},\n")
  endforeach()
  configure_file(${CMAKE_CURRENT_SOURCE_DIR}/cmake/${template} ${output} @ONLY)
endfunction()

function(alembert_generate_gallery output)
  alembert_generate_texts(models *.alm OFF gallery.cpp.in ${output})
endfunction()

function(alembert_generate_components output)
  alembert_generate_texts(models/components *.* ON components.cpp.in ${output})
endfunction()

# CSS, JavaScript and HTML of the pages of a room, as the function that its web.h declares.
function(alembert_generate_web room function output)
  alembert_generate_texts(src/alembert/${room}/web * ON web.cpp.in ${output})
endfunction()
