// docs/plugin_guide.md shows the construct that `thallo new construct` writes. tests/package builds
// and uses it.
#include <gtest/gtest.h>

#include "tests/package/page.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

TEST(PluginGuide, ShowsTheFilesOfANewConstruct) {
  const TempDir folder;
  const ProcessResult result = run_process({THALLO_PROGRAM_FOLDER "/thallo", "new", "construct",
                                            "skip_zeros", "--dir", folder.path().string()},
                                           {"THALLO_LOG=warn"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  const auto files = files_of(read_text(THALLO_DOCS "/plugin_guide.md"));
  EXPECT_EQ(files.size(), 3);
  for (const auto& [name, text] : files)
    EXPECT_EQ(read_text(folder.path() / "skip_zeros" / name), text) << name;
}

}  // namespace
}  // namespace thallo::test
