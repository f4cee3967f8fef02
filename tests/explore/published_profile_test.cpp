// The files that say what a published space has.
#include "core/explore/space/published_profile.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::AllOf, testing::ElementsAre, testing::EndsWith, testing::HasSubstr;

class PublishedProfileFile : public testing::Test {
 protected:
  Expected<PublishedProfile> read(const std::string& content) {
    return read_published_profile(folder_.write("mine.toml", content).string());
  }
  std::string fault_of(const std::string& content) {
    const auto profile = read(content);
    return profile ? "no fault" : profile.error().message();
  }

  // A file without faults.
  const std::string groups_ = "groups = 'split'\n";
  const std::string limit_ = "memory_limit = 1000\n";
  const std::string strategies_ = "strategies = ['Jt[Jp]', 'JtJp']\n";
  const std::string with_sum_ = "strategies_with_sum = ['Jt[Jp]']\n";

 private:
  const test::TempDir folder_;
};

TEST_F(PublishedProfileFile, SaysWhatTheSpaceHas) {
  const auto profile = read(groups_ + limit_ + strategies_ + with_sum_);
  ASSERT_TRUE(profile) << profile.error().message();
  EXPECT_EQ(profile->name, "mine");
  EXPECT_TRUE(profile->splits_groups);
  EXPECT_EQ(profile->memory_limit, 1000);
  EXPECT_THAT(profile->strategies, ElementsAre(Strategy::StoredJp, Strategy::JtJp));
  EXPECT_THAT(profile->strategies_with_sum, ElementsAre(Strategy::StoredJp));
}

TEST_F(PublishedProfileFile, FaultsAreFoundWithTheirLines) {
  const std::string others = limit_ + strategies_ + with_sum_;
  EXPECT_THAT(
      fault_of("group = 'split'\n" + others),
      HasSubstr("mine.toml:1: unknown key 'group'; did you mean 'groups'? (legal: groups,"));
  EXPECT_THAT(fault_of("groups = 'splits'\n" + others),
              AllOf(HasSubstr("mine.toml:1: 'groups' says "), HasSubstr("did you mean 'split'?"),
                    EndsWith("(legal: as written, split)")));
  EXPECT_THAT(fault_of(others), HasSubstr("mine.toml: the key 'groups' is missing"));
  EXPECT_THAT(fault_of(groups_ + "memory_limit = '1 GB'\n" + strategies_ + with_sum_),
              HasSubstr("mine.toml:2: 'memory_limit' is a number of bytes"));
  EXPECT_THAT(fault_of(groups_ + limit_ + "strategies = []\n" + with_sum_),
              HasSubstr("mine.toml:3: 'strategies' is a list of strategies (legal: JtJp, "));
  EXPECT_THAT(fault_of(groups_ + limit_ + strategies_ + "strategies_with_sum = ['jt[jp]']\n"),
              HasSubstr("mine.toml:4: 'strategies_with_sum' has no strategy 'jt[jp]'; did you mean "
                        "'Jt[Jp]'?"));
  EXPECT_THAT(fault_of(groups_ + limit_ + strategies_ + "strategies_with_sum = [1]\n"),
              HasSubstr("mine.toml:4: 'strategies_with_sum' has an entry that is no text"));
  EXPECT_THAT(fault_of(groups_ + limit_ + "strategies = ['JtJp', 'JtJp']\n" + with_sum_),
              HasSubstr("mine.toml:3: 'strategies' lists 'JtJp' twice"));
  EXPECT_THAT(fault_of(groups_ + "memory_limit = \n"), HasSubstr("mine.toml:2: "));
}

TEST(PublishedProfiles, AreFoundByName) {
  EXPECT_THAT(published_profile_names(), ElementsAre("published", "published-split"));
  for (const std::string& name : published_profile_names()) {
    const auto profile = read_published_profile(name);
    ASSERT_TRUE(profile) << profile.error().message();
    EXPECT_EQ(profile->name, name);
    EXPECT_EQ(profile->memory_limit, 8'950'985'523);
    EXPECT_EQ(profile->splits_groups, name == "published-split");
  }
  const auto unknown = read_published_profile("publisht");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message(),
            "no space 'publisht'; did you mean 'published'? (legal: published, published-split, "
            "the path of a .toml file)");
  const auto absent = read_published_profile("none.toml");
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().message(), HasSubstr("none.toml"));
}

}  // namespace
}  // namespace thallo
