// SQLite for the store: transactions that fail as a whole, and the versions of the tables.
#include "core/explore/store/sqlite/database.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/explore/store/sqlite/schema.h"
#include "tests/explore/store_records.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr;

class StoreDatabase : public testing::Test {
 protected:
  static Database open(const std::filesystem::path& path) {
    auto database = Database::open(path, Database::Access::Write);
    if (!database) throw std::runtime_error(database.error().message());
    return *std::move(database);
  }

  test::TempDir folder_;
  Database database_ = open(folder_.path() / "test # 1?.store");
};

TEST_F(StoreDatabase, KeepsEveryTypeOfValue) {
  const std::vector<double> reals = {1.5, -0.0, 1e300};
  Transaction transaction(database_, Transaction::Kind::Write);
  transaction.run("CREATE TABLE t (a, b, c, d, e, f, g)");
  transaction.run("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)",
                  {SqlValue(), std::int64_t{1} << 60, 0.1, "text", std::string(),
                   std::as_bytes(std::span(reals)), std::span<const std::byte>()});
  Rows rows = transaction.query("SELECT * FROM t");
  ASSERT_TRUE(rows.next());
  EXPECT_TRUE(rows.is_null(0));
  EXPECT_EQ(rows.integer(1), std::int64_t{1} << 60);
  EXPECT_EQ(rows.real(2), 0.1);
  EXPECT_EQ(rows.text(3), "text");
  EXPECT_FALSE(rows.is_null(4));
  EXPECT_EQ(rows.text(4), "");
  EXPECT_EQ(rows.list<double>(5), reals);
  EXPECT_FALSE(rows.is_null(6));
  EXPECT_TRUE(rows.list<double>(6).empty());
  EXPECT_FALSE(rows.next());
  EXPECT_FALSE(rows.next());
  EXPECT_TRUE(transaction.commit());
}

TEST_F(StoreDatabase, ReadsOneQuerySeveralTimesAtOnceAndAnew) {
  Transaction transaction(database_, Transaction::Kind::Write);
  transaction.run("CREATE TABLE t (a INTEGER PRIMARY KEY)");
  for (const std::int64_t a : {1, 2, 3}) transaction.run("INSERT INTO t VALUES (?)", {a});
  constexpr const char* Query = "SELECT a FROM t WHERE a >= ? ORDER BY a";
  std::vector<std::int64_t> pairs;
  Rows outer = transaction.query(Query, {std::int64_t{2}});
  while (outer.next()) {
    Rows inner = transaction.query(Query, {std::int64_t{3}});
    while (inner.next()) pairs.push_back(10 * outer.integer(0) + inner.integer(0));
  }
  EXPECT_THAT(pairs, ElementsAre(23, 33));
  // One that was not read to its end begins anew, and its values are those of this time.
  EXPECT_TRUE(transaction.query(Query, {std::int64_t{1}}).next());
  Rows again = transaction.query(Query, {SqlValue()});
  EXPECT_FALSE(again.next()) << "nothing is at least NULL";
  EXPECT_TRUE(transaction.commit());
}

TEST_F(StoreDatabase, RollsBackAFailedTransaction) {
  ASSERT_TRUE(database_.run("CREATE TABLE t (a INTEGER PRIMARY KEY)"));
  {
    Transaction transaction(database_, Transaction::Kind::Write);
    EXPECT_EQ(transaction.run("INSERT INTO t VALUES (1), (2)"), 2);
    transaction.run("INSERT INTO t VALUES (2)");
    EXPECT_TRUE(transaction.has_failed());
    EXPECT_EQ(transaction.run("INSERT INTO t VALUES (3)"), 0) << "does nothing any more";
    const auto done = transaction.commit();
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().message(), HasSubstr("UNIQUE constraint failed: t.a"));
  }
  EXPECT_EQ(*database_.run("SELECT count(*) FROM t"), "0");
}

TEST_F(StoreDatabase, RollsBackWhatIsNotCommitted) {
  ASSERT_TRUE(database_.run("CREATE TABLE t (a)"));
  {
    Transaction transaction(database_, Transaction::Kind::Write);
    transaction.run("INSERT INTO t VALUES (1)");
  }
  EXPECT_EQ(*database_.run("SELECT count(*) FROM t"), "0");
}

TEST_F(StoreDatabase, LosesOnlyTheTransactionThatDoesNotFit) {
  ASSERT_TRUE(database_.run("CREATE TABLE t (a TEXT)"));
  ASSERT_TRUE(database_.run("PRAGMA max_page_count = 20"));
  int committed = 0;
  std::string fault;
  while (fault.empty() && committed < 1000) {
    Transaction transaction(database_, Transaction::Kind::Write);
    transaction.run("INSERT INTO t VALUES (?)", {std::string(3000, 'x')});
    if (auto done = transaction.commit()) {
      ++committed;
    } else {
      fault = done.error().message();
    }
  }
  EXPECT_THAT(fault, HasSubstr("the disk is full; what was being recorded is lost"));
  EXPECT_EQ(*database_.run("SELECT count(*) FROM t"), fmt::format("{}", committed));
  EXPECT_EQ(*database_.run("PRAGMA quick_check"), "ok");
}

// The tables of three versions, of which each changes those of the one before.
constexpr const char* Versions[] = {
    "CREATE TABLE results (key TEXT, seconds REAL)",
    "ALTER TABLE results ADD COLUMN mode TEXT NOT NULL DEFAULT 'hot'",
    "CREATE TABLE keys (id INTEGER PRIMARY KEY, text TEXT UNIQUE);"
    "INSERT INTO keys (text) SELECT DISTINCT key FROM results;"
    "ALTER TABLE results RENAME TO old;"
    "CREATE TABLE results (key INTEGER REFERENCES keys, mode TEXT, seconds REAL);"
    "INSERT INTO results SELECT keys.id, mode, seconds FROM old JOIN keys ON old.key = keys.text;"
    "DROP TABLE old"};

TEST_F(StoreDatabase, BringsOlderTablesUpToDate) {
  const std::span<const char* const> versions = Versions;
  ASSERT_TRUE(migrate(database_, versions.first(1)));
  ASSERT_TRUE(database_.run("INSERT INTO results VALUES ('a', 0.5), ('b', 0.25), ('a', 0.125)"));
  EXPECT_THAT(check_version(database_, 2, 3).error().message(),
              HasSubstr("is of version 1; open it once for writing, which brings it to version 3"));

  ASSERT_TRUE(migrate(database_, versions));
  EXPECT_TRUE(check_version(database_, 2, 3));
  Transaction transaction(database_, Transaction::Kind::Read);
  Rows rows = transaction.query(
      "SELECT text, mode, seconds FROM results JOIN keys ON keys.id = key ORDER BY seconds");
  std::vector<std::string> found;
  while (rows.next())
    found.push_back(fmt::format("{} {} {}", rows.text(0), rows.text(1), rows.real(2)));
  EXPECT_THAT(found, ElementsAre("a hot 0.125", "b hot 0.25", "a hot 0.5"));
}

TEST_F(StoreDatabase, LeavesTablesAsTheyWereWhenTheyCannotBeChanged) {
  const std::vector<const char*> versions = {Versions[0], Versions[1],
                                             "CREATE TABLE keys (id); CREATE TABLE results (id)"};
  ASSERT_TRUE(migrate(database_, std::span(versions).first(1)));
  EXPECT_FALSE(migrate(database_, versions)) << "results is there already";
  EXPECT_TRUE(check_version(database_, 1, 1));
  EXPECT_EQ(*database_.run("SELECT group_concat(name) FROM sqlite_schema"), "results");
  EXPECT_EQ(*database_.run("SELECT count(*) FROM pragma_table_info('results')"), "2");
}

// An empty database is version 0 of a store, and has every table after migration.
TEST_F(StoreDatabase, MakesAStoreOfAnEmptyDatabase) {
  const auto path = folder_.path() / "empty.store";
  {
    Database empty = open(path);
    ASSERT_TRUE(empty.run("PRAGMA user_version = 0"));
    ASSERT_TRUE(empty.run("CREATE TABLE t (a)"));
    ASSERT_TRUE(empty.run("DROP TABLE t"));
  }
  auto store = test::open_store(path);
  EXPECT_TRUE(store.add(test::all_records(), Existing::Keep));
  Database database = open(path);
  EXPECT_EQ(*database.run("PRAGMA user_version"), fmt::format("{}", store_scripts().size()));
  EXPECT_EQ(*database.run("PRAGMA journal_mode"), "wal");
  EXPECT_EQ(*database.run("PRAGMA foreign_key_check"), "");
}

// A store that cannot be written, as those that are shipped, is brought up to date in memory.
TEST_F(StoreDatabase, BringsStoresOfVersion1UpToDate) {
  ASSERT_TRUE(migrate(database_, store_scripts().first(1)));
  ASSERT_TRUE(database_.run("INSERT INTO problems VALUES (1, 'p', 'fit', '', '')"));
  ASSERT_TRUE(database_.run("INSERT INTO schedules VALUES (1, 1, 'h', 'r.a:way(1)', 8)"));
  const auto store = MeasurementStore::open(database_.path(), MeasurementStore::Access::Read);
  ASSERT_TRUE(store) << store.error().message();
  const auto schedules = store->list<ScheduleRecord>();
  ASSERT_TRUE(schedules) << schedules.error().message();
  EXPECT_THAT(*schedules, ElementsAre(ScheduleRecord{"p", "h", "r.a:way(1)", 8}));
  EXPECT_EQ(*database_.run("PRAGMA user_version"), "1");
  // A kernel of version 1 keeps its figures.
  ASSERT_TRUE(migrate(database_, store_scripts().first(1)));
  ASSERT_TRUE(database_.run("INSERT INTO keys VALUES (1, 'k')"));
  ASSERT_TRUE(database_.run("INSERT INTO kernels VALUES (1, 'NVRTC', 'apply', 40, 8, '')"));
  const auto of_version_1 =
      MeasurementStore::open(database_.path(), MeasurementStore::Access::Write);
  ASSERT_TRUE(of_version_1) << of_version_1.error().message();
  const auto kernels = of_version_1->list<KernelRecord>();
  ASSERT_TRUE(kernels) << kernels.error().message();
  EXPECT_THAT(*kernels, ElementsAre(KernelRecord{"k", "NVRTC", "apply", 40, 8}));
}

// Two devices of one kind become one, which has the results of both; those of the first are kept.
TEST_F(StoreDatabase, MakesDevicesOfVersion4KindsOfDevices) {
  ASSERT_TRUE(migrate(database_, store_scripts().first(4)));
  const std::string a = std::string(31, 'a') + '1', b = std::string(31, 'b') + '2';
  const auto add_device = [this](int id, const std::string& uuid) {
    return database_.run(fmt::format(
        "INSERT INTO devices VALUES ({}, 'H100, uuid {}, driver 13.0', 'H100', 'cuda', '')", id,
        uuid));
  };
  ASSERT_TRUE(add_device(1, a));
  ASSERT_TRUE(add_device(2, b));
  for (const char* sql :
       {"INSERT INTO devices VALUES (3, 'EPYC, gcc 12', 'EPYC', 'cpu', '')",
        "INSERT INTO problems VALUES (1, 'p', 'fit', '', '')",
        "INSERT INTO keys VALUES (1, 'k'), (2, 'l')",
        "INSERT INTO steps VALUES (1, 1, 1, 'k', '', NULL), (2, 1, 2, 'l', '', NULL)",
        "INSERT INTO step_samples VALUES (1, 1, 'hot', x'', 'r', 'c', 5)",
        "INSERT INTO step_samples VALUES (1, 2, 'hot', x'', 's', 'c', 6)",
        "INSERT INTO step_samples VALUES (2, 2, 'hot', x'', 't', 'c', 7)",
        "INSERT INTO step_samples VALUES (2, 3, 'hot', x'', 'u', 'c', 8)"})
    ASSERT_TRUE(database_.run(sql)) << sql;
  const auto store = MeasurementStore::open(database_.path(), MeasurementStore::Access::Write);
  ASSERT_TRUE(store) << store.error().message();
  EXPECT_THAT(*store->list<DeviceRecord>(),
              ElementsAre(DeviceRecord{"EPYC, gcc 12", "EPYC", "cpu"},
                          DeviceRecord{"H100, driver 13.0", "H100", "cuda"}));
  const auto samples = [](const char* device, const char* key, const char* reason,
                          std::int64_t time, const std::string& uuid) {
    return StepSamples{{"p", device, key}, {}, reason, {"c", time, uuid}};
  };
  EXPECT_THAT(*store->list<StepSamples>(),
              ElementsAre(samples("EPYC, gcc 12", "l", "u", 8, ""),
                          samples("H100, driver 13.0", "k", "r", 5, a),
                          samples("H100, driver 13.0", "l", "t", 7, b)));
}

// A store of version 5 has no runs, and gets some.
TEST_F(StoreDatabase, GivesStoresOfVersion5RunsOfSearches) {
  ASSERT_TRUE(migrate(database_, store_scripts().first(5)));
  for (const char* sql :
       {"INSERT INTO devices VALUES (1, 'cuda NVIDIA H200 sm_90', 'NVIDIA H200', 'cuda', '')",
        "INSERT INTO problems VALUES (1, 'p0123456789ab', 'fit', '', '')",
        "INSERT INTO schedules VALUES (1, 1, 'h', '', 8, NULL)"})
    ASSERT_TRUE(database_.run(sql)) << sql;
  {
    const auto read = MeasurementStore::open(database_.path(), MeasurementStore::Access::Read);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_TRUE(read->list<SearchRunRecord>()->empty());
    EXPECT_EQ(*database_.run("PRAGMA user_version"), "5");
  }
  auto store = MeasurementStore::open(database_.path(), MeasurementStore::Access::Write);
  ASSERT_TRUE(store) << store.error().message();
  SearchRunRecord run = test::run_of("one");
  run.events = {{1, "h", 0.5}};
  ASSERT_TRUE(store->add(run));
  EXPECT_THAT(*store->list<SearchRunRecord>(), ElementsAre(run));
}

}  // namespace
}  // namespace thallo
