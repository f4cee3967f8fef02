// The measurements that ship are of the problems as they are now: whoever changes the data or the
// energy of one of these problems has to measure it again.
#include <filesystem>

#include <gtest/gtest.h>
#include <QFile>

#include "core/base/assets.h"
#include "gui/models/space_model.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {
namespace {

class ShippedStores : public testing::TestWithParam<const char*> {};

TEST_P(ShippedStores, HaveMeasurementsOfTheProblemAsItIs) {
  OpenWorkspace open({.problem = GetParam(), .device = "h200"});
  gui::SpaceModel& space = open.workspace.space();
  QFile::remove(space.store());
  space.reload();
  ASSERT_TRUE(wait_until([&] { return space.space().state != gui::RemoteState::Busy; }));
  ASSERT_EQ(space.space().state, gui::RemoteState::Ready) << space.space().error.toStdString();
  EXPECT_EQ(space.space().value->device.name, "NVIDIA H200");
  EXPECT_GT(space.numShown(), 200u);
  QFile::remove(space.store());
}

INSTANTIATE_TEST_SUITE_P(Problems, ShippedStores,
                         testing::Values("bundle_adjustment", "bundle_fusion", "image_warping"),
                         [](const auto& problem) { return std::string(problem.param); });

TEST(ShippedStoresTogether, AreSmall) {
  std::uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(*find_asset("stores")))
    bytes += file.file_size();
  EXPECT_GT(bytes, 0u);
  EXPECT_LT(bytes, 1'000'000u);
}

}  // namespace
}  // namespace thallo::test
