// docs/embedding.md: its program is built against the installed package, outside of the tree, and
// prints what the page says; its snippets compile.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "tests/package/installed.h"
#include "tests/package/page.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::AllOf, testing::ElementsAre, testing::HasSubstr, testing::Not;

TEST(Embedding, ItsProgramIsShortAndPrintsWhatThePageSays) {
  const InstalledThallo& thallo = InstalledThallo::shared();
  const std::string page = read_text(THALLO_EMBEDDING_PAGE);
  auto files = files_of(page);
  ASSERT_EQ(files.size(), 2);
  EXPECT_LT(std::ranges::count(files["fit.cpp"], '\n'), 40);

  const auto snippets = snippets_of(page, "cpp");
  ASSERT_EQ(snippets.size(), 4);
  std::string use = "#include <cstdio>\n#include <core/embed/energy_solver.h>\n";
  const std::string function =
      "void use(thallo::EnergySolver* solver, void* picture_on_gpu, void* stream)";
  use += function + ";\n" + function + " {\n";
  for (const std::string& snippet : snippets) use += snippet;
  files["snippets.cpp"] = use + "}\n";
  files["CMakeLists.txt"] += "target_sources(fit PRIVATE snippets.cpp)\n";

  const TempDir source;
  for (const auto& [name, text] : files) source.write(name, text);
  const std::string build = thallo.build(source.path());
  ASSERT_FALSE(HasFailure());
  const ProcessResult result = run_process({build + "/fit"}, {"THALLO_LOG=warn"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(snippets_of(page, "output"), ElementsAre(result.out));
  EXPECT_EQ(result.err, "");

  // Of what only explorations need it carries nothing.
  const ProcessResult libraries = run_process({"/usr/bin/ldd", build + "/fit"}, {});
  EXPECT_THAT(libraries.out, AllOf(HasSubstr("thallo_core"), Not(HasSubstr("thallo_explore")),
                                   Not(HasSubstr("sqlite"))));
}

}  // namespace
}  // namespace thallo::test
