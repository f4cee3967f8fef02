# thallo_add_plugin(materialize SOURCES materialize.cpp [FILES data.txt ...] [LIBRARIES ...]
#                   [FOLDER lib/thallo/plugins])
# thallo_add_problem(curve_fit SOURCES curve_fit.cpp nist.cpp [ENERGIES curve_fit.lua]
#                    [PICTURES curve_fit.png] [LIBRARIES ...])
#
# Make the module NAME.thallo.so (target plugin_NAME or problem_NAME) where the loader looks:
# lib/thallo/plugins or lib/thallo/problems, in the build tree and where installed. FILES, ENERGIES
# and PICTURES are copied beside it, where Registrar::folder() points. FOLDER, relative to the build
# tree, takes a plugin away from there (test plugins).
#
# The same functions serve plugins outside of the tree, after find_package(Thallo).

# Everything the loader finds without being told; whoever runs thallo depends on it.
if(NOT TARGET thallo_plugins)
  add_custom_target(thallo_plugins)
endif()

# Installing writes another search path into a module, so that its checksum (core/plugin/seal.h) is another, too.
function(thallo_seal_installed_ target folder)
  set(file "\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}/$<TARGET_FILE_NAME:${target}>")
  install(CODE "if(EXISTS \"${file}\")
  execute_process(COMMAND \"$<TARGET_FILE:thallo::seal>\" \"${file}\" COMMAND_ERROR_IS_FATAL ANY)
endif()")
endfunction()

# Modules in the tree share precompiled headers. Searches spend most of their time in constructs, and solves of small
# problems in the parts that draw their inputs: these are optimized.
function(thallo_precompile_module_ target is_optimized)
  if(NOT TARGET thallo_module_headers)
    return()
  endif()
  if(is_optimized)
    target_precompile_headers(${target} REUSE_FROM thallo_optimized_headers)
  else()
    thallo_compile_quickly(${target})
    target_precompile_headers(${target} REUSE_FROM thallo_module_headers)
  endif()
endfunction()

function(thallo_add_module_ target name folder sources files libraries)
  add_library(${target} MODULE ${sources})
  target_link_libraries(${target} PRIVATE $<TARGET_NAME_IF_EXISTS:thallo_options> thallo::core
                                          ${libraries})
  set_target_properties(
    ${target}
    PROPERTIES OUTPUT_NAME ${name}
               PREFIX ""
               SUFFIX ".thallo.so"
               LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/${folder}"
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON)
  target_link_options(${target} PRIVATE -Wl,--build-id)
  add_custom_command(TARGET ${target} POST_BUILD COMMAND $<TARGET_FILE:thallo::seal> $<TARGET_FILE:${target}>
                     VERBATIM)
  set(is_optimized OFF)
  if(folder STREQUAL lib/thallo/plugins)
    set(is_optimized ON)
  endif()
  thallo_precompile_module_(${target} ${is_optimized})
  foreach(file IN LISTS files)
    get_filename_component(file_name "${file}" NAME)
    set(copy "${CMAKE_BINARY_DIR}/${folder}/${file_name}")
    add_custom_command(
      OUTPUT "${copy}"
      COMMAND "${CMAKE_COMMAND}" -E copy "${CMAKE_CURRENT_SOURCE_DIR}/${file}" "${copy}"
      DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${file}"
      COMMENT "Copying ${file_name}"
      VERBATIM)
    target_sources(${target} PRIVATE "${copy}")
  endforeach()
endfunction()

function(thallo_publish_module_ target folder files)
  add_dependencies(thallo_plugins ${target})
  # An undefined symbol is found when linking. (Sanitizers leave theirs to the program.)
  if(NOT THALLO_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
  if(files)
    install(FILES ${files} DESTINATION "${folder}")
  endif()
  # In the tree ThalloInstall.cmake installs the modules with everything else.
  if(Thallo_FOUND)
    install(TARGETS ${target} LIBRARY DESTINATION "${folder}")
    thallo_seal_installed_(${target} "${folder}")
  endif()
endfunction()

function(thallo_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "SOURCES;FILES;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "thallo_add_plugin(${name} SOURCES ... [FILES ...] [LIBRARIES ...] "
                        "[FOLDER ...]): got ${ARGN}")
  endif()
  if(arg_FOLDER)
    thallo_add_module_(plugin_${name} ${name} "${arg_FOLDER}" "${arg_SOURCES}" "${arg_FILES}"
                       "${arg_LIBRARIES}")
  else()
    thallo_add_module_(plugin_${name} ${name} lib/thallo/plugins "${arg_SOURCES}" "${arg_FILES}"
                       "${arg_LIBRARIES}")
    thallo_publish_module_(plugin_${name} lib/thallo/plugins "${arg_FILES}")
    # In the tree: building the program is enough to solve energy texts.
    if(TARGET thallo)
      add_dependencies(thallo plugin_${name})
    endif()
  endif()
endfunction()

function(thallo_add_problem name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;ENERGIES;PICTURES;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "thallo_add_problem(${name} SOURCES ... [ENERGIES ...] [PICTURES ...] "
                        "[LIBRARIES ...]): got ${ARGN}")
  endif()
  set(files ${arg_ENERGIES} ${arg_PICTURES})
  thallo_add_module_(problem_${name} ${name} lib/thallo/problems "${arg_SOURCES}" "${files}"
                     "${arg_LIBRARIES}")
  thallo_publish_module_(problem_${name} lib/thallo/problems "${files}")
endfunction()
