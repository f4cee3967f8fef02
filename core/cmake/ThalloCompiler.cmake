# Before project(): the compiler and the linker of quick builds (preset dev). Without optimization clang
# compiles this project in 60 % of the time of g++ 12. Where it is not installed, or CXX or
# CMAKE_CXX_COMPILER names a compiler, that one is taken.

option(THALLO_QUICK_BUILD "Take clang, and mold or lld, where they are installed" OFF)

if(THALLO_QUICK_BUILD AND NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  # Versions before 16 do not compile <ranges> of g++ 12.
  find_program(THALLO_CLANG NAMES clang++-19 clang++-18 clang++-17 clang++-16
               DOC "The compiler of quick builds")
  mark_as_advanced(THALLO_CLANG)
  if(THALLO_CLANG)
    set(CMAKE_CXX_COMPILER "${THALLO_CLANG}")
    # The tests in C: CMake has one suffix of precompiled headers for both languages.
    string(REPLACE "clang++" "clang" CMAKE_C_COMPILER "${THALLO_CLANG}")
  endif()
endif()

if(THALLO_QUICK_BUILD)
  # g++ knows mold from version 12 on only.
  set(thallo_linkers ld.lld)
  if(THALLO_CLANG AND CMAKE_CXX_COMPILER STREQUAL THALLO_CLANG)
    set(thallo_linkers ld.mold ld.lld)
  endif()
  find_program(THALLO_LINKER NAMES ${thallo_linkers} DOC "The linker of quick builds")
  mark_as_advanced(THALLO_LINKER)
  if(THALLO_LINKER)
    string(REGEX REPLACE ".*/ld\\." "-fuse-ld=" thallo_linker_option "${THALLO_LINKER}")
    add_link_options("${thallo_linker_option}")
  endif()
  # A program finds its libraries when it starts: it is not linked again when one of them was.
  set(CMAKE_LINK_DEPENDS_NO_SHARED ON)
endif()
