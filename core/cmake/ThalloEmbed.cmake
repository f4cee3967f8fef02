# thallo_embed_texts(TARGET OUTPUT FILE...): the target can include OUTPUT, in which the build writes the
# texts of these files (embed_texts.cmake), so that installed programs need none of them.
function(thallo_embed_texts target output)
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" OUTPUT_VARIABLE files)
  set(script "${PROJECT_SOURCE_DIR}/core/cmake/embed_texts.cmake")
  add_custom_command(
    OUTPUT "${THALLO_GENERATED_DIR}/${output}"
    COMMAND "${CMAKE_COMMAND}" -D "FILES=${files}" -D "OUTPUT=${THALLO_GENERATED_DIR}/${output}" -P "${script}"
    DEPENDS ${files} "${script}"
    COMMENT "Embedding ${output}"
    VERBATIM)
  string(MAKE_C_IDENTIFIER "${output}" name)
  add_custom_target(${name} DEPENDS "${THALLO_GENERATED_DIR}/${output}")
  add_dependencies(${target} ${name})
  target_include_directories(${target} PRIVATE "${THALLO_GENERATED_DIR}")
endfunction()
