# Debian packages, which cpack makes in the build folder of preset package (./dev package). What is
# installed belongs to one of three components, and each of them is a package:
#
#   thallo           the program, libraries, backends, problems, and the Python module
#   thallo-explorer  the app
#   libthallo-dev    headers, and what find_package(Thallo) reads
#
# What names no component is of the first, so that this file is included before anything is installed.

option(THALLO_DEBIAN "Install where Debian has Python modules, and a menu entry, for cpack" OFF)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME thallo)
set(THALLO_APP_COMPONENT thallo-explorer)
set(THALLO_DEVELOPMENT_COMPONENT libthallo-dev)

# Called once, when everything that is installed is known.
function(thallo_describe_packages)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_NAME thallo)
  set(CPACK_PACKAGE_VENDOR Thallo)
  set(CPACK_PACKAGE_CONTACT "Thallo <thallo@localhost>")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
  set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_COMPONENTS_ALL thallo ${THALLO_APP_COMPONENT} ${THALLO_DEVELOPMENT_COMPONENT})
  if(NOT thallo_has_gui)
    list(REMOVE_ITEM CPACK_COMPONENTS_ALL ${THALLO_APP_COMPONENT})
  endif()

  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
  set(same_version "(= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_THALLO_PACKAGE_NAME thallo)
  # Kernels for the cpu are compiled when they are needed. What is opened at run time is no dependency.
  set(CPACK_DEBIAN_THALLO_PACKAGE_RECOMMENDS "gcc | clang, libc6-dev, python3-numpy")
  set(CPACK_DEBIAN_THALLO_PACKAGE_SUGGESTS "libmumps-seq-5.5, libtiff6")
  set(CPACK_DEBIAN_THALLO_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/debian/prerm")
  configure_file("${PROJECT_SOURCE_DIR}/core/cmake/debian_prerm.sh" "${PROJECT_BINARY_DIR}/debian/prerm" COPYONLY)
  set(CPACK_DEBIAN_THALLO-EXPLORER_PACKAGE_NAME thallo-explorer)
  set(CPACK_DEBIAN_THALLO-EXPLORER_PACKAGE_DEPENDS "thallo ${same_version}")
  set(CPACK_DEBIAN_THALLO-EXPLORER_PACKAGE_RECOMMENDS "graphviz")
  set(CPACK_DEBIAN_THALLO-EXPLORER_DESCRIPTION "The desktop app of Thallo: schedules, their graphs, times and spaces")
  set(CPACK_DEBIAN_LIBTHALLO-DEV_PACKAGE_NAME libthallo-dev)
  set(CPACK_DEBIAN_LIBTHALLO-DEV_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_LIBTHALLO-DEV_PACKAGE_DEPENDS
      "thallo ${same_version}, libfmt-dev, libexpected-dev, nlohmann-json3-dev")
  set(CPACK_DEBIAN_LIBTHALLO-DEV_DESCRIPTION "Headers of Thallo, to embed it and to write plugins")
  include(CPack)
endfunction()
