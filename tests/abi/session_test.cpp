// What programs that run Thallo share, on the plugins of the build tree.
#include "core/plugin/session.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "core/base/log.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty, testing::SizeIs;

class SessionTest : public testing::Test {
 protected:
  test::ScopedEnv path_{"THALLO_PLUGIN_PATH", nullptr};
  test::ScopedEnv spec_{"THALLO_DEVICE_SPEC", nullptr};
  std::vector<std::string> steps_;
  Session::StepTaken step_taken_ = [this](std::string_view step) { steps_.emplace_back(step); };
};

TEST_F(SessionTest, LoadsPluginsOnceWhenTheyAreAskedFor) {
  Session session({}, step_taken_);
  EXPECT_THAT(steps_, IsEmpty());
  EXPECT_NE(session.problems().find("curve_fit"), nullptr);
  EXPECT_NE(session.constructs().find("block"), nullptr);
  EXPECT_EQ(&session.registry<Problem>(), &session.problems());
  EXPECT_THAT(session.plugins().failures, IsEmpty());
  EXPECT_THAT(steps_, ElementsAre("plugins"));
}

TEST_F(SessionTest, HasTheProblemsOfTomlFilesAndWhyOthersAreNone) {
  const LogCapture log;
  const test::TempDir folder;
  folder.write("line.lua", R"(
W = Dim("W")
X = Unknown("X", float, {W})
x = W()
r = Residuals { fit = X(x) - 1 }
)");
  folder.write("line.toml", "title = 'A line'\n");
  folder.write("wrong.toml", "titel = 'A line'\n");
  Session session({folder.path().string()});
  const auto line = session.problems().lookup("line");
  ASSERT_TRUE(line) << line.error().message();
  EXPECT_EQ((*line)->info().title, "A line");
  ASSERT_THAT(session.plugins().failures, SizeIs(1));
  EXPECT_THAT(session.plugins().failures[0].message, HasSubstr("did you mean 'title'?"));
}

TEST_F(SessionTest, OpensBackends) {
  Session session({}, step_taken_);
  const auto backend = session.open_backend("interpreter");
  ASSERT_TRUE(backend);
  EXPECT_EQ((*backend)->name(), "interpreter");
  EXPECT_THAT(steps_, ElementsAre("backend")) << "no plugin was needed";
  EXPECT_THAT(session.open_backend("interpreter", 2).error().message(),
              HasSubstr("interpreter has no device 2"));
  EXPECT_THAT(session.open_backend("interpeter").error().message(),
              HasSubstr("did you mean 'interpreter'?"));
}

TEST_F(SessionTest, TakesTheSpecThatIsNamedAndElseMeasures) {
  const test::TempDir cache;
  const test::ScopedEnv folder("THALLO_CACHE_DIR", cache.path().c_str());
  Session session({}, step_taken_);
  EXPECT_EQ(session.device_spec("h200", "cuda")->name, "NVIDIA H200");
  {
    const test::ScopedEnv named("THALLO_DEVICE_SPEC", "h100");
    EXPECT_EQ(session.device_spec("", "cuda")->name, "NVIDIA H100 80GB HBM3");
  }
  EXPECT_THAT(steps_, IsEmpty()) << "a device that is named need not be there";
  const auto measured = session.device_spec("", "interpreter");
  ASSERT_TRUE(measured) << measured.error().message();
  EXPECT_EQ(measured->backend, "interpreter");
  EXPECT_THAT(measured->source, testing::StartsWith("measured "));
  EXPECT_THAT(steps_, ElementsAre("backend"));
}

}  // namespace
}  // namespace thallo
