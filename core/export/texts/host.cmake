# @NAME@: a solver that needs compilers for C and C++ alone.
#
#   cmake -B build && cmake --build build --parallel && ctest --test-dir build
cmake_minimum_required(VERSION 3.18)
project(@NAME@ LANGUAGES C CXX)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()
option(@MACRO@_NATIVE "compile for the processor of this machine" ON)
find_package(Threads REQUIRED)

add_library(@NAME@
@SOURCES@)
target_include_directories(@NAME@ PUBLIC include PRIVATE runtime)
target_link_libraries(@NAME@ PRIVATE Threads::Threads m)
target_compile_features(@NAME@ PRIVATE cxx_std_20)
set_target_properties(@NAME@ PROPERTIES C_STANDARD 17 POSITION_INDEPENDENT_CODE ON)
# The flags with which the kernels were measured; "omp simd" marks loops, and needs no OpenMP.
target_compile_options(
  @NAME@ PRIVATE $<$<COMPILE_LANGUAGE:C>:-O3 -fno-math-errno -fno-trapping-math -ffp-contract=fast -fopenmp-simd>
                 $<$<BOOL:${@MACRO@_NATIVE}>:-march=native>)
@LEVELS@
add_executable(@NAME@_example example/example.cpp)
target_link_libraries(@NAME@_example PRIVATE @NAME@)
target_compile_features(@NAME@_example PRIVATE cxx_std_20)

@TEST@