#include "core/base/io/bundler.h"

#include <gmock/gmock.h>

#include <regex>
#include <string>

#include "core/base/io/file.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::DoubleNear, testing::ElementsAre, testing::HasSubstr, testing::Pointwise;

// The camera is turned by a quarter turn about z.
const std::string Text =
    "# Bundle file v0.3\n2 2\n500 0.1 -0.2\n0 -1 0\n1 0 0\n0 0 1\n1 2 3\n"
    "0 0 0\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n"
    "0.5 0.25 -10\n255 0 10\n1 0 42 3.5 -4.25\n1 1 1\n0 0 0\n0\n";

TEST(Bundler, IsReadAsTheSceneOfABalFileAndWrittenAsItWasRead) {
  EXPECT_TRUE(is_bundler(Text));
  const auto file = parse_bundler("bundle.out", Text);
  ASSERT_TRUE(file) << file.error().message();
  constexpr double Quarter = 1.5707963267948966;
  EXPECT_THAT(file->scene.cameras.at(0),
              Pointwise(DoubleNear(1e-15), {0.0, 0.0, Quarter, 1.0, 2.0, 3.0, 500.0, 0.1, -0.2}));
  EXPECT_THAT(file->scene.points.at(0), ElementsAre(0.5, 0.25, -10));
  EXPECT_THAT(file->scene.observations, ElementsAre(BalObservation{0, 0, 3.5, -4.25}));
  EXPECT_THAT(file->keys, ElementsAre(42));
  const test::TempDir folder;
  ASSERT_TRUE(write_bundler(folder.path() / "bundle.out", *file));
  const auto written = read_file(folder.path() / "bundle.out");
  EXPECT_EQ(std::regex_replace(*written, std::regex("\\s+"), " "),
            std::regex_replace(Text, std::regex("\\s+"), " "));
  // A camera that was turned has another matrix.
  BundlerFile turned = *file;
  turned.scene.cameras[0][2] = 0;
  ASSERT_TRUE(write_bundler(folder.path() / "turned.out", turned));
  EXPECT_THAT(*read_file(folder.path() / "turned.out"),
              HasSubstr("\n1 0 0\n0 1 0\n0 0 1\n1 2 3\n"));
}

TEST(Bundler, NamesWhatIsWrong) {
  const auto message = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    const auto file = parse_bundler("bundle.out", text);
    return file ? "no error" : file.error().message();
  };
  EXPECT_THAT(message(Text, "1 0 42", "1 3 42"), HasSubstr("names camera 3, but there are 2"));
  EXPECT_THAT(message(Text, "0 -1 0", "0 nan 0"), HasSubstr("bundle.out:4: found 'nan'"));
  EXPECT_THAT(message(Text, "2 2\n500", "2 2000\n500"), HasSubstr("it promises 2000 points"));
  EXPECT_THAT(message(Text, "\n0\n", "\n"), HasSubstr("number of observations of point 1"));
}

}  // namespace
}  // namespace thallo
