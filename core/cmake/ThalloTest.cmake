include(GoogleTest)

# thallo_test(unit_ir SOURCES graph_test.cpp print_test.cpp LABELS unit
#             [LIBRARIES thallo::cli] [PRECOMPILED thallo_gui_headers] [TIMEOUT 60]
#             [SHARED_SETUP KernelsPageTest ...] [WHOLE Suite.Case ...] [ONE_ENTRY [LAUNCHER xvfb-run -a]])
#
# Adds a GoogleTest executable: links thallo::explore, with it thallo::core, and the shared main (which fails a test that logs
# an unexpected error), gives every case its CTest entry when ctest starts, so that a skipped case
# is listed by name. SHARED_SETUP names suites that SetUpTestSuite() makes something expensive for:
# one CTest entry each, since a case that runs alone makes all of it again. WHOLE names cases that get the label
# whole, too: they run in CI and with `-L whole`, not on every change. ONE_ENTRY makes one CTest
# entry of the whole executable; LAUNCHER runs it.
function(thallo_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ONE_ENTRY" "TIMEOUT;PRECOMPILED" "SOURCES;LABELS;LIBRARIES;LAUNCHER;SHARED_SETUP;WHOLE")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "thallo_test(${name}): unknown argument ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(arg_LAUNCHER AND NOT arg_ONE_ENTRY)
    message(FATAL_ERROR "thallo_test(${name}): LAUNCHER needs ONE_ENTRY")
  endif()
  if(NOT arg_LABELS)
    message(FATAL_ERROR "thallo_test(${name}): LABELS is missing; name its kind, e.g. unit")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  if(NOT arg_PRECOMPILED)
    set(arg_PRECOMPILED thallo_test_main)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE thallo_options thallo::explore thallo_test_main
                                        ${arg_LIBRARIES})
  # g++ 12 loses the macros of SSE intrinsics in a precompiled header; Eigen uses them.
  if(NOT ("Eigen3::Eigen" IN_LIST arg_LIBRARIES AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"))
    target_precompile_headers(${name} REUSE_FROM ${arg_PRECOMPILED})
  endif()
  thallo_compile_quickly(${name})
  if(arg_ONE_ENTRY)
    add_test(NAME ${name} COMMAND ${arg_LAUNCHER} $<TARGET_FILE:${name}>)
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
  else()
    set(apart ${arg_SHARED_SETUP})
    list(TRANSFORM apart APPEND ".*")
    foreach(suite IN LISTS arg_SHARED_SETUP)
      add_test(NAME ${name}/${suite} COMMAND $<TARGET_FILE:${name}> "--gtest_filter=${suite}.*")
      set_tests_properties(${name}/${suite} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
    endforeach()
    foreach(case IN LISTS arg_WHOLE)
      add_test(NAME ${name}/${case} COMMAND $<TARGET_FILE:${name}> "--gtest_filter=${case}")
      set_tests_properties(${name}/${case} PROPERTIES LABELS "${arg_LABELS};whole" TIMEOUT ${arg_TIMEOUT})
    endforeach()
    list(APPEND apart ${arg_WHOLE})
    set(others)
    if(apart)
      list(JOIN apart ":" filter)
      set(others TEST_FILTER "-${filter}")
    endif()
    gtest_discover_tests(
      ${name}
      ${others}
      DISCOVERY_MODE PRE_TEST
      TEST_PREFIX "${name}/"
      PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
  endif()
endfunction()
