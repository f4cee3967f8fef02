// The measurements that ship are of the problems as they are now: whoever changes the data or the
// energy of one of these problems has to measure it again.
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <QFile>

#include "core/base/assets.h"
#include "core/explore/store/store.h"
#include "gui/base/text.h"
#include "gui/space/shipped_store.h"
#include "gui/space/space_model.h"
#include "tests/gui/qt_environment.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {
namespace {

using gui::toQt;
using Access = MeasurementStore::Access;

std::vector<StoreRecord> records_of(const std::filesystem::path& store) {
  return *MeasurementStore::open(store, Access::Read)->records();
}

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

INSTANTIATE_TEST_SUITE_P(Problems, ShippedStores, testing::Values("bundle_fusion", "image_warping"),
                         [](const auto& problem) { return std::string(problem.param); });

TEST(ShippedStore, IsWhereAStoreBegins) {
  const TempDir folder;
  const auto own = folder.path() / "data" / "own.store";
  ASSERT_TRUE(gui::addShipped(toQt(own.string()), "image_warping"));
  EXPECT_EQ(records_of(own), records_of(*find_asset("stores/image_warping.store")));
  ASSERT_TRUE(gui::addShipped(toQt((folder.path() / "b.store").string()), "curve_fit"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "b.store")) << "none ships";
}

// Of a later version, say, that ships what was measured on another device.
TEST(ShippedStore, IsAddedToAStoreThatLacksItsDevices) {
  const auto shipped = *find_asset("stores/image_warping.store");
  const TempDir folder;
  const auto own = folder.path() / "own.store";
  {
    std::vector<StoreRecord> records = records_of(shipped);
    std::erase_if(records, [](const StoreRecord& record) {
      return !std::holds_alternative<ProblemRecord>(record);
    });
    ASSERT_TRUE(MeasurementStore::open(own, Access::Write)->add(records, Existing::Keep));
  }
  ASSERT_LT(records_of(own).size(), records_of(shipped).size());
  ASSERT_TRUE(gui::addShipped(toQt(own.string()), "image_warping"));
  EXPECT_EQ(records_of(own), records_of(shipped));
}

// What was measured again stays as it is.
TEST(ShippedStore, TakesNothingFromAStoreThatHasItsDevices) {
  const auto shipped = *find_asset("stores/bundle_fusion.store");
  const TempDir folder;
  const auto own = folder.path() / "own.store";
  ASSERT_TRUE(gui::addShipped(toQt(own.string()), "bundle_fusion"));
  {
    auto store = MeasurementStore::open(own, Access::Write);
    ScheduleResult result = store->list<ScheduleResult>()->front();
    result.nonlinear_seconds = 1;
    ASSERT_TRUE(store->add({result}, Existing::Replace));
  }
  const auto before = records_of(own);
  ASSERT_TRUE(gui::addShipped(toQt(own.string()), "bundle_fusion"));
  EXPECT_EQ(records_of(own), before);
  EXPECT_NE(before, records_of(shipped));
}

TEST(ShippedStore, SaysWhichStoreIsDamaged) {
  const TempDir folder;
  const auto own = folder.write("own.store", "no store");
  const auto added = gui::addShipped(toQt(own.string()), "bundle_fusion");
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().message().find("own.store"), std::string::npos);
}

TEST(ShippedStoresTogether, AreSmall) {
  std::uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(*find_asset("stores"))) {
    // Whoever reads a store may keep files beside it for the moment.
    if (file.path().extension() == ".store") bytes += file.file_size();
  }
  EXPECT_GT(bytes, 0u);
  EXPECT_LT(bytes, 1'000'000u);
}

}  // namespace
}  // namespace thallo::test
