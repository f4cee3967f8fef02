// The construct of docs/plugin_guide.md, which `thallo new construct` writes, is built against the
// installed package, its tests pass, and it is used by its name.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <map>
#include <string>

#include "tests/package/installed.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::HasSubstr, testing::Not;

TEST(PluginGuide, ItsConstructIsBuiltAndUsedByName) {
  const TempDir folder;
  const InstalledThallo& thallo = InstalledThallo::shared();
  thallo.run({"new", "construct", "skip_zeros", "--dir", folder.path().string()});
  const auto made = folder.path() / "skip_zeros";
  const std::string build = thallo.build(made);
  ASSERT_FALSE(HasFailure());
  InstalledThallo::run_cmake({"-E", "chdir", build, THALLO_CMAKE_TEST, "--output-on-failure"});

  const std::string plugins = build + "/lib/thallo/plugins";
  const std::string schedule = (made / "example.sched").string();
  EXPECT_THAT(thallo.run({"--plugin-path", plugins, "plugins"}), HasSubstr("\nskip_zeros "));
  const auto with_plugin = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--plugin-path", plugins});
    arguments.insert(arguments.end(), {"image_warping", "--size", "16"});
    return thallo.run(arguments);
  };
  EXPECT_THAT(with_plugin({"print", "schedule", "--schedule", schedule}),
              HasSubstr("r.reg_left:skip_zeros(true)"));
  EXPECT_THAT(with_plugin({"verify", "--schedule", schedule, "--backend", "interpreter"}),
              HasSubstr("verified 1, mismatched 0"));
  EXPECT_THAT(with_plugin({"verify", "--sample", "20", "--backend", "interpreter"}),
              HasSubstr("verified 20, mismatched 0"));
  EXPECT_THAT(with_plugin({"explain", "--schedule", schedule}),
              HasSubstr("r.fit:skip_zeros(true)"));
  EXPECT_THAT(with_plugin({"explain", "choices", "--schedule", "default"}),
              HasSubstr("skip_zeros of fit"));
  EXPECT_THAT(thallo.run({"plugins"}), Not(HasSubstr("skip_zeros")));

  // Dropped in after an exploration it adds schedules to it, and what is known stays known.
  const auto explore = [&](std::vector<std::string> arguments, bool has_plugin) {
    arguments.insert(arguments.end(), {"--backend", "interpreter", "--store",
                                       (folder.path() / "warp.store").string(), "--search",
                                       "random", "--sample", "2", "--best", "0", "--json"});
    arguments.insert(arguments.begin(), "explore");
    if (has_plugin) return nlohmann::json::parse(with_plugin(arguments));
    arguments.insert(arguments.end(), {"image_warping", "--size", "16"});
    return nlohmann::json::parse(thallo.run(arguments));
  };
  const auto without = explore({}, false);
  EXPECT_GT(without["measured"], 0);
  const auto extended = explore({}, true);
  EXPECT_NE(extended["space"], without["space"]);
  std::map<std::string, nlohmann::json> seconds;
  for (const auto& candidate : without["candidates"])
    seconds[candidate["schedule"]] = candidate["composed"];
  int num_shared = 0;
  for (const auto& candidate : extended["candidates"]) {
    const auto known = seconds.find(candidate["schedule"].get<std::string>());
    if (known == seconds.end()) continue;
    ++num_shared;
    EXPECT_EQ(candidate["composed"], known->second);
  }
  EXPECT_GE(num_shared, 3) << "the named schedules are in both";
  EXPECT_LT(extended["measured"], extended["steps"]);
}

}  // namespace
}  // namespace thallo::test
