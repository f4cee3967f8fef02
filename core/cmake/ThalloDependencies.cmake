# Every library Thallo uses, found in one place; all are packages of Debian 12 (./dev installs them).
# CUDA is special: only its headers are needed to build, the driver and its libraries are opened at
# run time, so a build with CUDA runs on a machine without a GPU.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(spdlog 1.10 REQUIRED)
find_package(tl-expected REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS iostreams)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(TIFF 4.5 REQUIRED)
# libtiff is opened at run time (core/base/io/libtiff.h), by the name that programs are linked to.
get_target_property(tiff_library TIFF::TIFF IMPORTED_LOCATION)
if(NOT tiff_library)
  get_target_property(tiff_library TIFF::TIFF IMPORTED_LOCATION_RELEASE)
endif()
file(REAL_PATH "${tiff_library}" tiff_library)
string(REGEX MATCH "^.*/libtiff\\.so\\.[0-9]+" THALLO_TIFF_LIBRARY "${tiff_library}")
if(NOT THALLO_TIFF_LIBRARY)
  message(FATAL_ERROR "libtiff is no shared library: ${tiff_library}")
endif()
find_package(OpenEXR 3.1 REQUIRED CONFIG)
find_package(Lua 5.4 EXACT REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(nanoflann 1.4 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
pkg_check_modules(tomlplusplus REQUIRED tomlplusplus>=3.3)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash>=0.8)

# FindLua makes variables only.
if(NOT TARGET Lua::Lua)
  add_library(Lua::Lua INTERFACE IMPORTED)
  target_include_directories(Lua::Lua SYSTEM INTERFACE "${LUA_INCLUDE_DIR}")
  target_link_libraries(Lua::Lua INTERFACE ${LUA_LIBRARIES})
endif()

if(THALLO_BUILD_TESTS)
  find_package(GTest 1.12 REQUIRED)
endif()

set(thallo_gui_summary "off (THALLO_BUILD_GUI=OFF)")
set(thallo_has_gui OFF)
if(NOT THALLO_BUILD_GUI STREQUAL "OFF")
  find_package(Qt6 6.4 QUIET COMPONENTS PrintSupport Svg Test Widgets)
  if(Qt6_FOUND)
    find_package(QCustomPlotQt6 QUIET)
  endif()
  if(Qt6_FOUND AND QCustomPlotQt6_FOUND)
    set(thallo_has_gui ON)
    set(thallo_gui_summary "Qt ${Qt6_VERSION}, QCustomPlot")
  elseif(THALLO_BUILD_GUI STREQUAL "ON")
    message(FATAL_ERROR "THALLO_BUILD_GUI=ON, but Qt 6.4 (Widgets, PrintSupport, Svg, Test) or "
                        "QCustomPlotQt6 was not found.")
  else()
    set(thallo_gui_summary "not built: Qt 6.4 or QCustomPlotQt6 was not found; `./dev gui` installs them")
  endif()
endif()

# Used by plugins/multifrontal_cholesky alone, which opens the library at run time, by the name that it has here.
find_path(THALLO_MUMPS_INCLUDE_DIR dmumps_c.h DOC "Folder with dmumps_c.h")
find_library(THALLO_MUMPS_LIBRARY dmumps_seq DOC "MUMPS in double, without MPI")
set(thallo_has_mumps OFF)
if(THALLO_MUMPS_INCLUDE_DIR AND THALLO_MUMPS_LIBRARY)
  set(thallo_has_mumps ON)
  file(REAL_PATH "${THALLO_MUMPS_LIBRARY}" thallo_mumps_opened)
  get_filename_component(thallo_mumps_name "${thallo_mumps_opened}" NAME)
  set(thallo_mumps_summary "${thallo_mumps_opened}")
else()
  set(thallo_mumps_summary "not found, so the linear solver multifrontal_cholesky is left out; it is in \
libmumps-seq-dev on Debian")
endif()

# Used by plugins/mpi alone. A bundle is for one machine.
set(thallo_mpi_summary "off (THALLO_WITH_MPI=${THALLO_WITH_MPI})")
set(thallo_has_mpi OFF)
if(NOT THALLO_WITH_MPI STREQUAL "OFF" AND NOT THALLO_BUNDLE)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    set(thallo_has_mpi ON)
    set(thallo_mpi_summary "MPI ${MPI_CXX_VERSION}, ${MPI_CXX_COMPILER}")
  elseif(THALLO_WITH_MPI STREQUAL "ON")
    message(FATAL_ERROR "THALLO_WITH_MPI=ON, but Open MPI was not found: install it "
                        "(libopenmpi-dev on Debian), or use AUTO.")
  else()
    set(thallo_mpi_summary "not found, so `mpirun thallo explore` will not work; it is Open MPI \
(libopenmpi-dev on Debian)")
  endif()
endif()

set(thallo_cuda_summary "off (THALLO_WITH_CUDA=OFF)")
if(NOT THALLO_WITH_CUDA STREQUAL "OFF")
  find_path(THALLO_CUDA_INCLUDE_DIR cuda.h
            HINTS ENV CUDA_PATH ENV CUDA_HOME
            PATHS /usr/local/cuda
            PATH_SUFFIXES include targets/x86_64-linux/include
            DOC "Folder with cuda.h, nvrtc.h, cublas_v2.h and cusparse.h")
  set(thallo_cuda_missing "")
  foreach(header cuda.h nvrtc.h cublas_v2.h cusparse.h)
    if(NOT EXISTS "${THALLO_CUDA_INCLUDE_DIR}/${header}")
      list(APPEND thallo_cuda_missing ${header})
    endif()
  endforeach()
  if(thallo_cuda_missing)
    if(THALLO_WITH_CUDA STREQUAL "ON")
      message(FATAL_ERROR "THALLO_WITH_CUDA=ON, but these headers were not found: "
                          "${thallo_cuda_missing}. Set THALLO_CUDA_INCLUDE_DIR, or use AUTO.")
    endif()
    set(thallo_cuda_summary "not found (${thallo_cuda_missing})")
  else()
    # Links nothing; defines THALLO_HAVE_CUDA_HEADERS for core/backend/cuda alone.
    add_library(thallo_cuda_headers INTERFACE)
    target_include_directories(thallo_cuda_headers SYSTEM INTERFACE "${THALLO_CUDA_INCLUDE_DIR}")
    target_compile_definitions(thallo_cuda_headers INTERFACE THALLO_HAVE_CUDA_HEADERS=1)
    set(thallo_cuda_summary "headers in ${THALLO_CUDA_INCLUDE_DIR}")
  endif()
endif()

function(thallo_print_summary)
  set(pch "on")
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    set(pch "off")
  endif()
  message(STATUS "Thallo ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}")
  message(STATUS "  compiler      ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} "
                 "(${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CXX_COMPILER})")
  message(STATUS "  sanitizers    ${THALLO_SANITIZE}")
  message(STATUS "  precompiled   ${pch}")
  message(STATUS "  fmt ${fmt_VERSION}, spdlog ${spdlog_VERSION}, Boost ${Boost_VERSION_STRING}, "
                 "Eigen ${Eigen3_VERSION}, Lua ${LUA_VERSION_STRING}, PNG ${PNG_VERSION_STRING}, "
                 "JPEG ${JPEG_VERSION}, TIFF ${TIFF_VERSION_STRING}, OpenEXR ${OpenEXR_VERSION}, "
                 "SQLite ${SQLite3_VERSION}, xxHash ${xxhash_VERSION}")
  message(STATUS "  CUDA          ${thallo_cuda_summary}")
  message(STATUS "  MUMPS         ${thallo_mumps_summary}")
  message(STATUS "  MPI           ${thallo_mpi_summary}")
  message(STATUS "  app           ${thallo_gui_summary}")
  message(STATUS "  tests         ${THALLO_BUILD_TESTS}")
endfunction()
