// The libraries for programs in C. The program of docs/c_api.md is built in C against the installed
// package, outside of the tree, and prints what the page says. Its snippet compiles as C and as
// C++.
#include <gmock/gmock.h>

#include <string>

#include "tests/package/installed.h"
#include "tests/package/page.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::Not;

TEST(CApi, ItsProgramInCPrintsWhatThePageSays) {
  const InstalledThallo& thallo = InstalledThallo::shared();
  const std::string page = read_text(THALLO_C_API_PAGE);
  auto files = files_of(page);
  ASSERT_EQ(files.size(), 2);
  const auto snippets = snippets_of(page, "c");
  ASSERT_EQ(snippets.size(), 1);
  const std::string use =
      "#include <stdio.h>\n#include <thallo.h>\n"
      "void use(thallo_solver* solver, const float* values);\n"
      "void use(thallo_solver* solver, const float* values) {\n" +
      snippets.front() + "}\n";
  files["snippet.c"] = use;
  files["snippet_too.cpp"] = use;
  files["CMakeLists.txt"] +=
      "enable_language(CXX)\n"
      "target_compile_options(fit PRIVATE -Wall -Wextra -Wpedantic -Werror)\n"
      "target_sources(fit PRIVATE snippet.c)\n"
      "add_library(in_cpp OBJECT snippet_too.cpp)\n"
      "target_link_libraries(in_cpp PRIVATE thallo::c)\n";

  const TempDir source;
  for (const auto& [name, text] : files) source.write(name, text);
  const std::string build = thallo.build(source.path());
  ASSERT_FALSE(HasFailure());
  const ProcessResult result = run_process({build + "/fit"}, {"THALLO_LOG=warn"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(snippets_of(page, "output"), ElementsAre(result.out));
  EXPECT_EQ(result.err, "");

  // It depends on the functions of thallo.h alone.
  const ProcessResult needs = run_process({"/usr/bin/readelf", "-d", build + "/fit"}, {});
  EXPECT_THAT(needs.out, HasSubstr("libthallo_c.so"));
  EXPECT_THAT(needs.out, Not(HasSubstr("libthallo_core.so")));
}

// As programs for the published systems are built: an include in extern "C", and -lThallo.
constexpr const char* PublishedProgram = R"(
#include <cstdio>
extern "C" {
#include <Thallo.h>
}

int main() {
  Thallo_InitializationParameters init = {};
  init.cpuOnly = 1;
  Thallo_State* state = Thallo_NewState(init);
  Thallo_Problem* problem = Thallo_ProblemDefine(state, "near.t", "gauss_newton");
  unsigned int dimensions[] = {2};
  Thallo_Plan* plan = Thallo_ProblemPlan(state, problem, dimensions);
  if (!plan) return 1;
  float x[] = {0, 0}, a[] = {3, 4}, weight = 2;
  void* params[] = {x, a, &weight};
  Thallo_ProblemSolve(state, plan, params);
  std::printf("%.3f %.3f\n", x[0], x[1]);
  Thallo_PlanFree(state, plan);
  Thallo_ProblemDelete(state, problem);
}
)";

TEST(CompatApi, ProgramsOfThePublishedSystemsLinkTheInstalledLibraries) {
  const InstalledThallo& thallo = InstalledThallo::shared();
  const TempDir source;
  source.write("main.cpp", PublishedProgram);
  source.write("near.t", R"(
local N = Dims("N")
Inputs { X = Unknown(float, {N}, 0), A = Array(float, {N}, 1), w = Param(float, 2) }
local n = N()
Residuals { fit = w * (X(n) - A(n)) }
)");
  source.write("CMakeLists.txt", R"(
cmake_minimum_required(VERSION 3.25)
project(published LANGUAGES CXX)
find_package(Thallo REQUIRED COMPONENTS c compat)
add_executable(by_cmake main.cpp)
target_link_libraries(by_cmake PRIVATE thallo::compat)
add_executable(by_hand main.cpp)
target_include_directories(by_hand PRIVATE "${CMAKE_PREFIX_PATH}/include")
target_link_options(by_hand PRIVATE "-L${CMAKE_PREFIX_PATH}/lib"
                    "-Wl,-rpath,${CMAKE_PREFIX_PATH}/lib")
target_link_libraries(by_hand PRIVATE Thallo)
)");
  const std::string build = thallo.build(source.path());
  ASSERT_FALSE(HasFailure());
  for (const char* program : {"/by_cmake", "/by_hand"}) {
    const ProcessResult result = run_process(
        {"/usr/bin/env", "-C", source.path().string(), build + program}, {"THALLO_LOG=warn"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "3.000 4.000\n");
  }
}

}  // namespace
}  // namespace thallo::test
