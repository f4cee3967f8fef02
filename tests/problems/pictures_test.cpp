// The pictures of the problems, as they lie beside the plugins in the build tree.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <set>

#include "core/base/io/image.h"
#include "tests/problems/loaded_problems.h"

namespace thallo::test {
namespace {

TEST(Pictures, OfEveryProblemLieBesideItsPlugin) {
  std::set<std::filesystem::path> files;
  std::uintmax_t bytes = 0;
  for (const auto* entry : loaded_problems().entries()) {
    SCOPED_TRACE(entry->name);
    const ProblemInfo info = entry->item->info();
    EXPECT_EQ(info.picture.filename(), entry->name + ".png");
    const auto picture = read_image(info.picture);
    ASSERT_TRUE(picture) << picture.error().message();
    EXPECT_EQ(picture->width, ProblemInfo::PictureWidth);
    EXPECT_EQ(picture->height, ProblemInfo::PictureHeight);
    EXPECT_TRUE(files.insert(info.picture).second) << "it is that of another problem, too";
    bytes += std::filesystem::file_size(info.picture);
  }
  EXPECT_GE(files.size(), 19u);
  EXPECT_LE(bytes, 600'000u) << "all together; they are part of the sources";
}

}  // namespace
}  // namespace thallo::test
