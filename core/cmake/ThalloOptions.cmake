# What every Thallo target is compiled with: C++20, the warnings, the include root. A target links
# thallo_options privately (libraries, plugins, problems, tests alike).

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

add_library(thallo_options INTERFACE)
target_compile_features(thallo_options INTERFACE cxx_std_20)
target_compile_options(
  thallo_options
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wdouble-promotion
            -Wnon-virtual-dtor
            -Wold-style-cast
            # Designated initializers name what differs from the defaults; the rest is meant.
            -Wno-missing-field-initializers
            $<$<BOOL:${THALLO_WERROR}>:-Werror>)
# With optimization, g++ 12 sees these in std::string and in tl::expected, where they are not.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(thallo_options INTERFACE -Wno-maybe-uninitialized -Wno-restrict)
  # The compiler collects garbage from 512 MiB on: a unity batch is some 10 % quicker to compile.
  target_compile_options(thallo_options INTERFACE --param=ggc-min-heapsize=524288)
endif()
# clang's have more under these names than g++'s; in a unity batch it takes names of other files for shadowed.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(
    thallo_options INTERFACE -Wno-sign-conversion -Wno-double-promotion -Wno-missing-braces -Wno-shadow)
endif()
# A library calls its own copy of a template. Otherwise it would call that of the program, and tests are compiled
# without optimization.
target_link_options(thallo_options INTERFACE LINKER:-Bsymbolic-functions)
# Repository root: includes are written as "core/ir/graph.h".
target_include_directories(thallo_options INTERFACE "${PROJECT_SOURCE_DIR}")
set(CMAKE_CXX_EXTENSIONS OFF)

# ccache sees through a precompiled header of g++ only when the compiler keeps its inclusion visible, and finds one of
# clang again only when it holds no times of files.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(thallo_options INTERFACE -fpch-preprocess)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(thallo_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()

set(THALLO_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined or thread")
if(THALLO_SANITIZE)
  target_compile_options(thallo_options INTERFACE -fsanitize=${THALLO_SANITIZE}
                                                  -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
  target_link_options(thallo_options INTERFACE -fsanitize=${THALLO_SANITIZE})
endif()

# thallo_sources_with_eigen(TARGET SOURCES): these sources are compiled each by itself, and by g++ without a
# precompiled header: g++ 12 loses the macros of SSE intrinsics in one, and Eigen uses them.
function(thallo_sources_with_eigen target)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# thallo_compile_quickly(TARGET): its code takes no time worth optimizing for. Without optimization it is
# compiled in half the time.
function(thallo_compile_quickly target)
  target_compile_options(${target} PRIVATE $<IF:$<CONFIG:Debug>,-O0,-O1>)
endfunction()

# thallo_precompile(NAME [OPTIMIZED] LIBRARIES ... HEADERS ...) makes a precompiled header for several targets,
# which say target_precompile_headers(target REUSE_FROM NAME) and link at least these libraries. Without OPTIMIZED
# they are compiled quickly, too.
function(thallo_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPTIMIZED" "" "LIBRARIES;HEADERS")
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  file(GENERATE OUTPUT "${source}" CONTENT "// A library has a source.\n")
  add_library(${name} OBJECT "${source}")
  target_link_libraries(${name} PRIVATE thallo_options ${arg_LIBRARIES})
  if(NOT arg_OPTIMIZED)
    thallo_compile_quickly(${name})
  endif()
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()
