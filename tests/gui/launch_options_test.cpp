#include "gui/app/launch_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace thallo::gui {
namespace {

using testing::HasSubstr;

Expected<LaunchOptions> read(const QStringList& arguments) {
  return readLaunchOptions(QStringList("thallo-explorer") + arguments);
}
std::string faultOf(const QStringList& arguments) {
  const auto options = read(arguments);
  return options ? "" : options.error().message();
}

TEST(LaunchOptions, NameAProblemWithItsOptions) {
  const auto options = read({"--problem", "image_warping", "--option", "size=128", "--device",
                             "h200", "--page", "graph", "--size", "1920x1200", "--theme", "dark"});
  ASSERT_TRUE(options) << options.error().message();
  EXPECT_EQ(options->problem->problem, "image_warping");
  EXPECT_EQ(options->problem->options.front(), std::pair(QString("size"), QString("128")));
  EXPECT_EQ(options->problem->device, "h200");
  EXPECT_EQ(options->page, "graph");
  EXPECT_EQ(options->size, QSize(1920, 1200));
  EXPECT_EQ(options->theme, Theme::Dark);
}

TEST(LaunchOptions, ShowFurtherStoresBesideTheFirst) {
  const auto options = read({"--store", "a.store", "--store", "b.store", "--store", "c.store"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->store, "a.store");
  EXPECT_EQ(options->besideStores, QStringList({"b.store", "c.store"}));
}

TEST(LaunchOptions, KeepTheSessionFromQt) {
  EXPECT_EQ(argumentsBesideQt({"app", "--session", "a.json", "--page", "graph"}),
            (std::vector<std::string>{"app", "--session=a.json", "--page", "graph"}));
  EXPECT_EQ(argumentsBesideQt({"app", "--session"}),
            (std::vector<std::string>{"app", "--session"}));
  const auto options = read({"--session=a.json"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->session, "a.json");
}

TEST(LaunchOptions, RefuseWhatMeansNothing) {
  EXPECT_THAT(faultOf({"--size", "big"}), HasSubstr("WIDTHxHEIGHT"));
  EXPECT_THAT(faultOf({"--theme", "blue"}), HasSubstr("legal: light, dark"));
  EXPECT_THAT(faultOf({"--option", "size=1"}), HasSubstr("name it by --problem"));
  EXPECT_THAT(faultOf({"--problem", "p", "--option", "size"}), HasSubstr("NAME=VALUE"));
  EXPECT_THAT(faultOf({"image_warping"}), HasSubstr("named by --problem"));
  EXPECT_THAT(faultOf({"--colour"}), HasSubstr("colour"));
  for (const char* option : {"--store", "--session", "--screenshot"})
    EXPECT_THAT(faultOf({option, ""}), HasSubstr("takes a file"));
}

}  // namespace
}  // namespace thallo::gui
