// The program as a shell starts it: without a display, and with what it cannot show.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <QImage>

#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Launch : public testing::Test {
 protected:
  // Without a display, and with no settings of the user.
  ProcessResult measurer(std::vector<std::string> arguments,
                         std::vector<std::string> environment = {}) {
    arguments.insert(arguments.begin(), THALLO_EXPLORER);
    const std::string home = folder.path().string();
    for (const std::string& its :
         {std::string("DISPLAY="), std::string("WAYLAND_DISPLAY="), std::string("QT_QPA_PLATFORM="),
          "HOME=" + home, "XDG_RUNTIME_DIR=" + home, std::string("THALLO_LOG=warn")})
      environment.insert(environment.begin(), its);
    return run_process(arguments, environment);
  }
  std::string picture() const { return (folder.path() / "page.png").string(); }
  void expect_refused(std::vector<std::string> arguments,
                      const testing::Matcher<std::string>& why) {
    arguments.insert(arguments.end(), {"--screenshot", picture()});
    const ProcessResult result = measurer(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, why);
    EXPECT_FALSE(std::filesystem::exists(picture()));
  }

  TempDir folder;
};

TEST_F(Launch, RefusesAPictureOfWhatCannotBeOpened) {
  const std::vector<std::string> problem = {"--problem", "poisson_image_editing"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), problem.begin(), problem.end());
    return more;
  };
  expect_refused({"--problem", "nope"}, AllOf(HasSubstr("thallo-explorer: no problem 'nope'"),
                                              HasSubstr("poisson_image_editing")));
  expect_refused(with({"--option", "size=-3"}), AllOf(HasSubstr("size"), HasSubstr("-3")));
  expect_refused(with({"--option", "nope=3"}), AllOf(HasSubstr("'nope'"), HasSubstr("size")));
  expect_refused(with({"--device", "nope"}), AllOf(HasSubstr("nope"), HasSubstr("h200")));
  expect_refused(with({"--schedule", "nope"}), AllOf(HasSubstr("'nope'"), HasSubstr("default")));
}

TEST_F(Launch, WorksWithoutADisplayWhereNoWindowIsAskedFor) {
  const ProcessResult help = measurer({"--help"});
  EXPECT_EQ(help.exit_code, 0) << help.err;
  EXPECT_THAT(help.out, HasSubstr("--screenshot"));
  EXPECT_EQ(measurer({"--version"}).exit_code, 0);
  const ProcessResult made =
      measurer({"--problem", "poisson_image_editing", "--device", "h200", "--schedule", "default",
                "--size", "1280x720", "--screenshot", picture()});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(QImage(QString::fromStdString(picture())).size(), QSize(1280, 720));
}

TEST_F(Launch, RefusesAWindowWithoutADisplayInASentence) {
  const ProcessResult unset = measurer({});
  EXPECT_EQ(unset.exit_code, 2);
  EXPECT_EQ(unset.err,
            "thallo-explorer: no display for a window: neither DISPLAY nor WAYLAND_DISPLAY is set "
            "(--screenshot needs none)\n");
  const ProcessResult gone = measurer({}, {"DISPLAY=:4711"});
  EXPECT_EQ(gone.exit_code, 2);
  EXPECT_THAT(gone.err, HasSubstr("DISPLAY=:4711 cannot be reached"));
  const ProcessResult wrong = measurer({"--colour"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("colour")) << "what is wrong besides comes first";
}

}  // namespace
}  // namespace thallo::test
