# cmake --install copies what was built: programs to bin/, libraries to lib/, plugins and problems to
# the folder below lib/ where the build put them, so that the installed tree looks like the build tree
# and finds its parts by the same relative paths. Public headers go to include/, and with the package
# in lib/cmake/Thallo a project outside of the tree finds them: find_package(Thallo).
#
# With THALLO_BUNDLE (preset device) the tests are installed too, and every library that is not part
# of any Linux system (fmt, Lua, PNG, Boost ...) is copied beside ours: the folder runs on a machine
# with a newer glibc and libstdc++ that has none of them (preset wheel: and an older libstdc++).

option(THALLO_BUNDLE "Install tests and third-party libraries, to run elsewhere" OFF)
option(THALLO_BUNDLE_RUNTIME "libstdc++ and libgcc are among these libraries" OFF)

# DT_RPATH, unlike DT_RUNPATH, also serves the libraries that the bundled libraries need.
target_link_options(thallo_options INTERFACE "LINKER:--disable-new-dtags")

function(thallo_collect_targets folder result)
  get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  get_property(subfolders DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(subfolder IN LISTS subfolders)
    thallo_collect_targets("${subfolder}" below)
    list(APPEND targets ${below})
  endforeach()
  set(${result} ${targets} PARENT_SCOPE)
endfunction()

function(thallo_install_package)
  include(CMakePackageConfigHelpers)
  set(package lib/cmake/Thallo)
  set(made "${PROJECT_BINARY_DIR}/package")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/core/cmake/ThalloConfig.cmake.in"
                                "${made}/ThalloConfig.cmake" INSTALL_DESTINATION "${package}"
                                NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file("${made}/ThalloConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
  install(FILES "${made}/ThalloConfig.cmake" "${made}/ThalloConfigVersion.cmake"
                "${PROJECT_SOURCE_DIR}/core/cmake/ThalloPlugin.cmake" DESTINATION "${package}"
          COMPONENT ${THALLO_DEVELOPMENT_COMPONENT})
  install(EXPORT ThalloTargets NAMESPACE thallo:: DESTINATION "${package}"
          COMPONENT ${THALLO_DEVELOPMENT_COMPONENT})

  foreach(header IN LISTS thallo_headers)
    file(RELATIVE_PATH header "${PROJECT_SOURCE_DIR}/core" "${header}")
    if(NOT header MATCHES "${THALLO_PRIVATE_HEADERS}")
      get_filename_component(folder "include/core/${header}" DIRECTORY)
      install(FILES "${PROJECT_SOURCE_DIR}/core/${header}" DESTINATION "${folder}"
              COMPONENT ${THALLO_DEVELOPMENT_COMPONENT})
    endif()
  endforeach()
  install(FILES "${THALLO_GENERATED_DIR}/core/plugin/build_id.h" DESTINATION include/core/plugin
          COMPONENT ${THALLO_DEVELOPMENT_COMPONENT})
  install(FILES "${PROJECT_SOURCE_DIR}/core/c/thallo.h" "${PROJECT_SOURCE_DIR}/core/compat/Thallo.h"
                "${PROJECT_SOURCE_DIR}/core/compat/Opt.h" DESTINATION include
          COMPONENT ${THALLO_DEVELOPMENT_COMPONENT})
endfunction()

# Called once, when all targets are known.
function(thallo_install_targets)
  thallo_collect_targets("${PROJECT_SOURCE_DIR}" targets)
  # A bundle may be made of a few targets: the program, one test.
  set(optional "")
  if(THALLO_BUNDLE)
    set(optional OPTIONAL)
  endif()
  # What a plugin outside of the tree needs; a bundle is for machines that only run.
  set(exported_targets "")
  if(NOT THALLO_BUNDLE)
    set(exported_targets thallo_core thallo_c thallo_compat_thallo thallo_compat_opt thallo_explore thallo
        thallo_seal)
    install(TARGETS thallo_compat EXPORT ThalloTargets)
    thallo_install_package()
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
    set(export "")
    if(target IN_LIST exported_targets)
      set(export EXPORT ThalloTargets)
    endif()
    set(component ${CMAKE_INSTALL_DEFAULT_COMPONENT_NAME})
    if(source_folder MATCHES "^gui")
      set(component ${THALLO_APP_COMPONENT})
    endif()
    install(TARGETS ${target} ${export}
            RUNTIME DESTINATION "${folder}" COMPONENT ${component} ${optional}
            LIBRARY DESTINATION "${folder}" COMPONENT ${component} ${optional})
    if(target MATCHES "^(plugin|problem)_")
      thallo_seal_installed_(${target} "${folder}")
    endif()
    list(APPEND binaries "$<TARGET_FILE:${target}>")
  endforeach()

  if(THALLO_BUNDLE)
    list(JOIN binaries "\" \"" binaries)
    install(CODE "set(THALLO_BINARIES \"${binaries}\")\nset(THALLO_BUNDLE_RUNTIME ${THALLO_BUNDLE_RUNTIME})")
    # A wheel is passed on, and libtiff needs a library under the GPL: there that of the system is opened.
    if(NOT THALLO_BUNDLE_RUNTIME)
      install(CODE "set(THALLO_OPENED \"${THALLO_TIFF_LIBRARY}\" ${thallo_mumps_opened})")
    endif()
    install(SCRIPT "${PROJECT_SOURCE_DIR}/core/cmake/ThalloBundle.cmake")
  endif()
endfunction()
