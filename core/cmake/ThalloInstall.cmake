# cmake --install copies what was built: programs to bin/, libraries to lib/, plugins and problems to
# the folder below lib/ where the build put them, so that the installed tree looks like the build tree
# and finds its parts by the same relative paths.
#
# With THALLO_BUNDLE (preset device) the tests are installed too, and every library that is not part
# of any Linux system (fmt, Lua, PNG, Boost ...) is copied beside ours: the folder runs on a machine
# with a newer glibc and libstdc++ that has none of them.

option(THALLO_BUNDLE "Install tests and third-party libraries, to run elsewhere" OFF)

if(THALLO_BUNDLE)
  # DT_RPATH, unlike DT_RUNPATH, also serves the libraries that the bundled libraries need.
  target_link_options(thallo_options INTERFACE "LINKER:--disable-new-dtags")
endif()

function(thallo_collect_targets folder result)
  get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  get_property(subfolders DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(subfolder IN LISTS subfolders)
    thallo_collect_targets("${subfolder}" below)
    list(APPEND targets ${below})
  endforeach()
  set(${result} ${targets} PARENT_SCOPE)
endfunction()

# Called once, when all targets are known.
function(thallo_install_targets)
  thallo_collect_targets("${PROJECT_SOURCE_DIR}" targets)
  # A bundle may be made of a few targets: the program, one test.
  set(optional "")
  if(THALLO_BUNDLE)
    set(optional OPTIONAL)
  endif()
  set(binaries "")
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(source_folder ${target} SOURCE_DIR)
    file(RELATIVE_PATH source_folder "${PROJECT_SOURCE_DIR}" "${source_folder}")
    if(source_folder MATCHES "^tests" AND NOT THALLO_BUNDLE)
      continue()
    endif()
    if(type STREQUAL "EXECUTABLE")
      get_target_property(folder ${target} RUNTIME_OUTPUT_DIRECTORY)
    elseif(type MATCHES "^(SHARED|MODULE)_LIBRARY$")
      get_target_property(folder ${target} LIBRARY_OUTPUT_DIRECTORY)
    else()
      continue()
    endif()
    file(RELATIVE_PATH folder "${CMAKE_BINARY_DIR}" "${folder}")
    file(RELATIVE_PATH to_lib "/${folder}" "/lib")
    if(to_lib STREQUAL "")
      set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
    else()
      set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
    endif()
    install(TARGETS ${target} RUNTIME DESTINATION "${folder}" ${optional}
                              LIBRARY DESTINATION "${folder}" ${optional})
    list(APPEND binaries "$<TARGET_FILE:${target}>")
  endforeach()

  if(THALLO_BUNDLE)
    list(JOIN binaries "\" \"" binaries)
    install(CODE "set(THALLO_BINARIES \"${binaries}\")")
    install(SCRIPT "${PROJECT_SOURCE_DIR}/core/cmake/ThalloBundle.cmake")
  endif()
endfunction()
