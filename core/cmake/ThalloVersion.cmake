# The build of core that C++ plugins must match exactly: project version and a hash of the public
# headers, in the generated header core/plugin/build_id.h (core/plugin/abi.h adds the compiler that
# sees it). The hash is made when building, so that an edited header makes every plugin a new one.

set(THALLO_GENERATED_DIR "${PROJECT_BINARY_DIR}/generated")

# The one glob of the build: a public header that a hand-written list forgot would let a stale
# plugin through.
file(GLOB_RECURSE thallo_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/core/*.h")

# Not public, hence neither hashed nor installed: the precompiled header, the command line, what a
# backend keeps in its own folder, the private folders of core/kernel and core/explore, those of the
# C libraries (thallo.h, Thallo.h and Opt.h are installed apart), and the header that includes a parser. Matches paths below core/. Headers of core/explore are installed, but
# not hashed: no plugin may include them.
set(THALLO_PRIVATE_HEADERS
    "^pch\\.h$|^c/|^compat/|^cli/|^backend/.*/|^kernel/(lowering|codegen|emit)/|^cost/pricing/estimate/|^explore/store/sqlite/|^base/io/toml\\.h$")

add_custom_command(
  OUTPUT "${THALLO_GENERATED_DIR}/core/plugin/build_id.h"
  COMMAND "${CMAKE_COMMAND}" -D "CORE=${PROJECT_SOURCE_DIR}/core" -D "VERSION=${PROJECT_VERSION}" -D
          "PRIVATE_HEADERS=${THALLO_PRIVATE_HEADERS}|^explore/" -D
          "OUTPUT=${THALLO_GENERATED_DIR}/core/plugin/build_id.h" -P
          "${CMAKE_CURRENT_LIST_DIR}/write_build_id.cmake"
  DEPENDS ${thallo_headers} "${CMAKE_CURRENT_LIST_DIR}/write_build_id.cmake"
  COMMENT "Hashing the public headers"
  VERBATIM)
add_custom_target(thallo_build_id DEPENDS "${THALLO_GENERATED_DIR}/core/plugin/build_id.h")

# The commit, for summaries of solves. The log of HEAD changes with it.
set(thallo_head_log "${PROJECT_SOURCE_DIR}/.git/logs/HEAD")
if(NOT EXISTS "${thallo_head_log}")
  set(thallo_head_log "")
endif()
add_custom_command(
  OUTPUT "${THALLO_GENERATED_DIR}/core/base/commit_id.h"
  COMMAND "${CMAKE_COMMAND}" -D "SOURCE=${PROJECT_SOURCE_DIR}" -D
          "OUTPUT=${THALLO_GENERATED_DIR}/core/base/commit_id.h" -P
          "${CMAKE_CURRENT_LIST_DIR}/write_commit.cmake"
  DEPENDS ${thallo_head_log} "${CMAKE_CURRENT_LIST_DIR}/write_commit.cmake"
  COMMENT "Asking for the commit"
  VERBATIM)
add_custom_target(thallo_commit DEPENDS "${THALLO_GENERATED_DIR}/core/base/commit_id.h")
