// The way of somebody who writes a problem outside of the tree: install Thallo, let it write the
// problem, build that against the installed package, and solve it with the installed program.
#include <gmock/gmock.h>

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/io/image.h"
#include "tests/package/installed.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::HasSubstr, testing::Not;

TEST(Package, ANewProblemBuildsAgainstTheInstalledThallo) {
  const TempDir folder;
  const InstalledThallo thallo(folder.path() / "installed");
  thallo.run({"new", "problem", "tv_denoise", "--dir", folder.path().string()});
  const std::string build = thallo.build(folder.path() / "tv_denoise");
  ASSERT_FALSE(HasFailure());

  const std::string plugins = build + "/lib/thallo/problems";
  EXPECT_THAT(thallo.run({"--plugin-path", plugins, "problems"}), HasSubstr("\ntv_denoise\n"));
  EXPECT_THAT(thallo.run({"--plugin-path", plugins, "solve", "tv_denoise", "--backend",
                          "interpreter", "--size", "16"}),
              HasSubstr("RMS error after"));
  InstalledThallo::run_cmake({"-E", "chdir", build, THALLO_CMAKE_TEST, "--output-on-failure"});

  EXPECT_THAT(thallo.run({"explain", "curve_fit", "--device-spec", "h200"}), HasSubstr("buffers"))
      << "assets are installed, too";
  const auto warping = nlohmann::json::parse(thallo.run({"problems", "image_warping", "--json"}));
  EXPECT_EQ(warping["picture"], thallo.prefix() + "/lib/thallo/problems/image_warping.png");
  EXPECT_TRUE(read_image(warping["picture"].get<std::string>()));
  EXPECT_THAT(thallo.run({"problems"}), Not(HasSubstr("tv_denoise")));
  InstalledThallo::run_cmake({"--install", build, "--prefix", thallo.prefix()});
  EXPECT_THAT(thallo.run({"problems"}), HasSubstr("\ntv_denoise\n"));
}

TEST(Package, ANewSearchAndANewCostModelBuildAgainstTheInstalledThallo) {
  const TempDir folder;
  const InstalledThallo& thallo = InstalledThallo::shared();
  for (const auto& [what, name] :
       {std::pair("search", "patient"), std::pair("cost_model", "bytes")}) {
    thallo.run({"new", what, name, "--dir", folder.path().string()});
    const std::string build = thallo.build(folder.path() / name);
    ASSERT_FALSE(HasFailure());
    EXPECT_THAT(thallo.run({"--plugin-path", build + "/lib/thallo/plugins", "explore", "--help"}),
                HasSubstr(name));
    InstalledThallo::run_cmake({"-E", "chdir", build, THALLO_CMAKE_TEST, "--output-on-failure"});
  }
}

}  // namespace
}  // namespace thallo::test
