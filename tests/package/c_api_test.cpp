// docs/c_api.md: its program is built in C against the installed package, outside of the tree, and
// prints what the page says; its snippet compiles as C and as C++.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/package/installed.h"
#include "tests/package/page.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(CApi, ItsProgramInCPrintsWhatThePageSays) {
  const TempDir folder;
  const InstalledThallo thallo(folder.path() / "installed");
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

}  // namespace
}  // namespace thallo::test
