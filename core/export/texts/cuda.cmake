# @NAME@: a solver that needs a C++ compiler and the CUDA toolkit alone.
#
#   cmake -B build && cmake --build build --parallel && ctest --test-dir build
cmake_minimum_required(VERSION 3.24)
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES native)
endif()
project(@NAME@ LANGUAGES CXX CUDA)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_package(CUDAToolkit REQUIRED)

add_library(@NAME@
@SOURCES@)
target_include_directories(@NAME@ PUBLIC include PRIVATE runtime)
target_link_libraries(@NAME@ PRIVATE CUDA::cudart_static)
target_compile_features(@NAME@ PRIVATE cxx_std_20)
set_target_properties(@NAME@ PROPERTIES POSITION_INDEPENDENT_CODE ON)
# The flags with which the kernels were measured.
target_compile_options(@NAME@ PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--std=c++20 --fmad=true --prec-div=false --prec-sqrt=false>)
@LEVELS@
add_executable(@NAME@_example example/example.cpp)
target_link_libraries(@NAME@_example PRIVATE @NAME@)
target_compile_features(@NAME@_example PRIVATE cxx_std_20)

@TEST@