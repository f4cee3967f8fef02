# Runs at the end of cmake --install with THALLO_BUNDLE, or as a script on what was installed
# (cmake -DCMAKE_INSTALL_PREFIX=... -DTHALLO_BINARIES=... -P): copies the libraries that
# THALLO_BINARIES need, THALLO_OPENED, and those that these need, under their soname and as plain files (links get
# lost on the way to other machines). What any Linux with a C++ compiler has stays out. With
# THALLO_BUNDLE_RUNTIME libstdc++ and libgcc come along, for machines where they may be older.

cmake_policy(VERSION 3.25)

set(built "")
foreach(binary IN LISTS THALLO_BINARIES)
  if(EXISTS "${binary}")
    list(APPEND built "${binary}")
  endif()
endforeach()

set(runtime "")
if(NOT THALLO_BUNDLE_RUNTIME)
  set(runtime "^libgcc_s\\.so" "^libstdc\\+\\+\\.so")
endif()
file(
  GET_RUNTIME_DEPENDENCIES
  LIBRARIES ${built} ${THALLO_OPENED}
  RESOLVED_DEPENDENCIES_VAR resolved
  UNRESOLVED_DEPENDENCIES_VAR unresolved
  PRE_EXCLUDE_REGEXES "^libthallo_" "^linux-vdso" "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv)\\.so"
                      ${runtime})

set(lib "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib")
foreach(library IN LISTS resolved THALLO_OPENED)
  get_filename_component(soname "${library}" NAME)
  get_filename_component(real "${library}" REALPATH)
  message(STATUS "Bundling: ${lib}/${soname}")
  configure_file("${real}" "${lib}/${soname}" COPYONLY)
endforeach()
# Libraries of the GPU driver are opened at run time and are not among them.
if(unresolved)
  message(WARNING "Not found, and not bundled: ${unresolved}")
endif()
