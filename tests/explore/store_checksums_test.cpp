// Checksums of a store's records: damage that SQLite does not notice is named.
#include <gmock/gmock.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "core/base/io/file.h"
#include "core/explore/store/sqlite/database.h"
#include "core/explore/store/store.h"
#include "tests/explore/store_records.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;
using namespace test;  // NOLINT: the records of these tests

using Access = MeasurementStore::Access;

class StoreChecksums : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(open_store(path()).add(all_records(), Existing::Keep));
    const MeasurementStore store = open_store(path(), Access::Read);
    written_ = *store.records();
    const auto checked = store.check_records();
    ASSERT_TRUE(checked) << checked.error().message();
  }
  fs::path path() const { return folder_.path() / "warp.store"; }
  // Changes the file as nobody should.
  void change(const std::vector<std::string>& statements) const {
    auto database = Database::open(path(), Database::Access::Write);
    ASSERT_TRUE(database);
    for (const std::string& sql : statements) {
      const auto done = database->run(sql);
      ASSERT_TRUE(done) << done.error().message();
    }
  }

  TempDir folder_;
  std::vector<StoreRecord> written_;
};

// Each bit matters to nobody, or its change is noticed.
TEST_F(StoreChecksums, NoticesAndNamesADamagedRecord) {
  const std::string whole = *read_file(path());
  std::mt19937 random(3);
  int num_named = 0;
  for (int i = 0; i < 250; ++i) {
    std::string flipped = whole;
    flipped[random() % flipped.size()] ^= static_cast<char>(1 << random() % 8);
    const fs::path file = folder_.write("flipped.store", flipped);
    const auto store = MeasurementStore::open(file, Access::Read);
    const auto checked = store ? store->check_records() : Expected<void>();
    if (!store || !checked) {
      num_named += !checked && checked.error().what.starts_with("damaged records: 1 (");
      continue;
    }
    const auto read = store->records();  // fails where a table has lost a column
    ASSERT_EQ(read.value_or(written_), written_) << "at the flip number " << i;
  }
  EXPECT_GT(num_named, 2);
  change({"UPDATE results SET linear_seconds = 7 WHERE kind = 'composed'",
          "UPDATE devices SET name = 'NVIDIA H20O'"});
  const auto checked = open_store(path(), Access::Read).check_records();
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message(),
            path().string() +
                ": damaged records: 2 (device cuda NVIDIA H200 sm_90; composed result of schedule "
                "239df2b4b7e1e40997eeeb5ffa9f8cce)");
}

// As a store of an earlier version gets them when it is opened.
TEST_F(StoreChecksums, GetsChecksumsFromEarlierOnes) {
  std::vector<std::string> statements = {"PRAGMA user_version = 6"};
  for (const char* table :
       {"devices", "problems", "spaces", "keys", "kernels", "steps", "step_samples", "schedules",
        "places", "predictions", "results", "uses", "choices", "decisions", "runs", "run_settings",
        "run_figures", "run_events"})
    statements.push_back(std::string("ALTER TABLE ") + table + " DROP COLUMN checksum");
  change(statements);
  for (const Access access : {Access::Read, Access::Write}) {
    const MeasurementStore store = open_store(path(), access);
    const auto checked = store.check_records();
    EXPECT_TRUE(checked) << checked.error().message();
    EXPECT_EQ(*store.records(), written_);
  }
}

}  // namespace
}  // namespace thallo
