// The measurement store: what goes in comes out, once, and files that cannot serve are refused.
#include "core/explore/store/store.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/io/file.h"
#include "core/explore/store/sqlite/database.h"
#include "tests/explore/child_process.h"
#include "tests/explore/store_records.h"
#include "tests/support/scoped_env.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

using testing::AllOf, testing::ElementsAre, testing::HasSubstr, testing::IsEmpty, testing::SizeIs,
    testing::StartsWith;
using namespace test;  // NOLINT: the records of these tests

using Access = MeasurementStore::Access;

class StoreFile : public testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "warp.store"; }
  static void remove_with_log(const fs::path& store) {
    for (const char* beside : {"", "-wal", "-shm"}) fs::remove(fs::path(store) += beside);
  }

  TempDir folder_;
};

template <class T>
std::vector<T> of_type(const std::vector<StoreRecord>& records) {
  std::vector<T> result;
  for (const StoreRecord& record : records) {
    if (const T* found = std::get_if<T>(&record)) result.push_back(*found);
  }
  return result;
}

template <class T>
void expect_listed(const MeasurementStore& store, const std::vector<StoreRecord>& records) {
  const auto listed = store.list<T>();
  ASSERT_TRUE(listed) << listed.error().message();
  EXPECT_THAT(*listed, testing::UnorderedElementsAreArray(of_type<T>(records)));
}

TEST_F(StoreFile, GivesBackEveryRecordAsItWas) {
  const std::vector<StoreRecord> records = all_records();
  {
    MeasurementStore store = open_store(path());
    const auto added = store.add(records, Existing::Keep);
    ASSERT_TRUE(added) << added.error().message();
    EXPECT_EQ(*added, (StoreChanges{.added = 7}));
  }
  const MeasurementStore store = open_store(path(), Access::Read);
  expect_listed<DeviceRecord>(store, records);
  expect_listed<ProblemRecord>(store, records);
  expect_listed<SpaceRecord>(store, records);
  expect_listed<KernelRecord>(store, records);
  expect_listed<StepRecord>(store, records);
  expect_listed<StepSamples>(store, records);
  expect_listed<ScheduleRecord>(store, records);
  expect_listed<ScheduleResult>(store, records);
  expect_listed<SearchRunRecord>(store, records);
  EXPECT_TRUE(store.check());
}

// What other programs do to the file of a store that is written.
TEST_F(StoreFile, GoesOnInANewOneWhenItIsNotInItsPlaceAnyMore) {
  const ScopedEnv temporary("TMPDIR", folder_.path().c_str());
  const fs::path folder = folder_.path() / "results";
  const fs::path its = folder / "warp.store";
  const auto replace = [&] {
    open_store(folder_.path() / "other.store");
    fs::rename(folder_.path() / "other.store", its);
  };
  const std::vector<std::function<void()>> ways = {
      [&] { remove_with_log(its); }, [&] { fs::rename(its, folder / "renamed.store"); }, replace,
      [&] { fs::remove_all(folder); }};
  for (std::size_t way = 0; way < ways.size(); ++way) {
    SCOPED_TRACE(way);
    fs::remove_all(folder);
    fs::create_directory(folder);
    MeasurementStore store = open_store(its);
    ASSERT_TRUE(store.add(all_records(), Existing::Keep));
    ways[way]();
    testing::internal::CaptureStderr();
    const bool is_added = store.add(DeviceRecord{"cpu", "Xeon", "cpu"}).has_value();
    const std::string said = testing::internal::GetCapturedStderr();
    ASSERT_TRUE(is_added) << said;
    ASSERT_TRUE(store.add(DeviceRecord{"gpu", "H200", "cuda"}));
    const fs::path next = store.path();
    EXPECT_EQ(next.filename(), "warp-2.store");
    EXPECT_THAT(said, AllOf(HasSubstr(its.string() + " was deleted, renamed or replaced"),
                            HasSubstr(next.string())));
    auto wanted = all_records();
    wanted.push_back(DeviceRecord{"cpu", "Xeon", "cpu"});
    wanted.push_back(DeviceRecord{"gpu", "H200", "cuda"});
    expect_listed<DeviceRecord>(open_store(next, Access::Read), wanted);
    expect_listed<StepSamples>(open_store(next, Access::Read), wanted);
    EXPECT_EQ(fs::exists(its), way == 2);
    if (way == 2) expect_listed<DeviceRecord>(open_store(its), {});
    if (way == 3) EXPECT_EQ(next.parent_path(), folder_.path());
  }
}

TEST_F(StoreFile, IsKeptWhenItIsDeletedBeforeItIsClosed) {
  {
    MeasurementStore store = open_store(path());
    ASSERT_TRUE(store.add(all_records(), Existing::Keep));
    fs::remove(path());
  }
  expect_listed<DeviceRecord>(open_store(folder_.path() / "warp-2.store", Access::Read),
                              all_records());
}

TEST_F(StoreFile, ListsRecordsAfterThoseThatTheyReferToAndWritesNothingForReaders) {
  MeasurementStore store = open_store(path());
  ASSERT_TRUE(store.add(all_records(), Existing::Keep));
  const auto records = store.records();
  ASSERT_TRUE(records);
  MeasurementStore copy = open_store(folder_.path() / "copy.store");
  ASSERT_TRUE(copy.add(*records, Existing::Keep));
  EXPECT_EQ(*copy.records(), *records);
  make_store(path(), 1);
  MeasurementStore read = open_store(path(), Access::Read);
  const auto added = read.add(samples_of(0, CacheState::Hot, {1e-3}));
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message(), HasSubstr("cannot be written, or was opened for reading"));
}

TEST_F(StoreFile, SelectsWhatBelongsToAProblem) {
  MeasurementStore store = open_store(path());
  ASSERT_TRUE(store.add(all_records(), Existing::Keep));
  ASSERT_TRUE(store.add(ProblemRecord{"p2", "poisson", "", ""}));
  ASSERT_TRUE(store.add(DeviceRecord{"cpu", "Xeon", "cpu"}));
  ASSERT_TRUE(store.add(StepRecord{"p2", key_of(0), "update", "", key_of(0)}));
  ASSERT_TRUE(store.add(StepSamples{{"p2", "cpu", key_of(0), CacheState::Hot}, {1e-3}}));

  const auto records = store.records({.problem = "p2", .device = ""});
  ASSERT_TRUE(records);
  EXPECT_THAT(of_type<DeviceRecord>(*records), ElementsAre(DeviceRecord{"cpu", "Xeon", "cpu"}));
  EXPECT_THAT(of_type<ProblemRecord>(*records), SizeIs(1));
  EXPECT_THAT(of_type<SpaceRecord>(*records), IsEmpty());
  EXPECT_THAT(of_type<KernelRecord>(*records), SizeIs(1)) << "its key is the same in both";
  EXPECT_THAT(of_type<StepSamples>(*records), SizeIs(1));
  EXPECT_THAT(of_type<ScheduleRecord>(*records), IsEmpty());
  EXPECT_THAT(*store.list<StepSamples>({.problem = "", .device = SampleDevice.signature}),
              SizeIs(3));
}

TEST_F(StoreFile, KeepsTheFirstResultUntilItIsToBeReplaced) {
  MeasurementStore store = make_store(path(), 1);
  const StepSamples first = samples_of(0, CacheState::Hot, {1e-3, 2e-3});
  const StepSamples second = samples_of(0, CacheState::Hot, {3e-3});
  EXPECT_EQ(*store.add(first), StoreChanges{.added = 1});
  EXPECT_EQ(*store.add(first), StoreChanges{.same = 1});
  EXPECT_EQ(*store.add(second), StoreChanges{.kept = 1});
  EXPECT_EQ(*store.find(first.slot), first);
  EXPECT_EQ(*store.add(second, Existing::Replace), StoreChanges{.replaced = 1});
  EXPECT_EQ(*store.find(first.slot), second);
  EXPECT_THAT(*store.list<StepSamples>(), SizeIs(1));
}

TEST_F(StoreFile, KeepsTheResultWithMoreSamples) {
  MeasurementStore store = make_store(path(), 1);
  const StepSamples two = samples_of(0, CacheState::Hot, {1e-3, 2e-3});
  const StepSamples other = samples_of(0, CacheState::Hot, {5e-3, 6e-3});
  const StepSamples three = samples_of(0, CacheState::Hot, {1e-3, 2e-3, 3e-3});
  ASSERT_TRUE(store.add(two));
  EXPECT_EQ(*store.add(other, Existing::KeepMoreSamples), StoreChanges{.kept = 1});
  EXPECT_EQ(*store.add(three, Existing::KeepMoreSamples), StoreChanges{.replaced = 1});
  EXPECT_EQ(*store.add(two, Existing::KeepMoreSamples), StoreChanges{.kept = 1});
  EXPECT_EQ(*store.find(two.slot), three);
}

TEST_F(StoreFile, PrefersResultsToFailures) {
  MeasurementStore store = open_store(path());
  ASSERT_TRUE(store.add(all_records(), Existing::Keep));
  const ScheduleSlot slot = result_of(1, ResultKind::EndToEnd).slot;
  const auto failure = store.find(slot);
  ASSERT_TRUE(failure && *failure);
  EXPECT_EQ((*failure)->status, ResultStatus::OutOfMemory);
  ScheduleResult other_failure = **failure;
  other_failure.reason = "later";
  EXPECT_EQ(*store.add(other_failure), StoreChanges{.kept = 1});
  const ScheduleResult ok = result_of(1, ResultKind::EndToEnd);
  EXPECT_EQ(*store.add(ok), StoreChanges{.replaced = 1});
  EXPECT_EQ(*store.add(other_failure, Existing::KeepMoreSamples), StoreChanges{.kept = 1});
  EXPECT_EQ(*store.find(slot), ok);
  EXPECT_EQ(*store.add(other_failure, Existing::Replace), StoreChanges{.replaced = 1});
  EXPECT_EQ(*store.find(slot), other_failure);
}

TEST_F(StoreFile, FindsNothingWhereNothingWasMeasuredAndBringsDescriptionsUpToDate) {
  MeasurementStore store = make_store(path(), 1);
  EXPECT_EQ(*store.find(samples_of(0, CacheState::Hot, {}).slot), std::nullopt);
  EXPECT_EQ(*store.find(result_of(0, ResultKind::Composed).slot), std::nullopt);
  store = make_store(path(), 1);
  ASSERT_TRUE(store.add(samples_of(0, CacheState::Hot, {1e-3})));
  StepRecord step = step_of(0);
  step.features = R"({"points": 7})";
  ASSERT_TRUE(store.add(step));
  EXPECT_THAT(*store.list<StepRecord>(), ElementsAre(step));
  EXPECT_THAT(*store.list<StepSamples>(), SizeIs(1)) << "what refers to it is still there";
}

// Compilers tell the time, and drivers the registers later.
TEST_F(StoreFile, KeepsWhatWasKnownOfAKernel) {
  MeasurementStore store = open_store(path());
  const KernelRecord compiled = {
      .key = "k", .compiler = "NVRTC", .role = "apply", .compile_seconds = 1.5};
  const KernelRecord loaded = {"k", "NVRTC", "apply", 40, 0, 512};
  ASSERT_TRUE(store.add(compiled));
  ASSERT_TRUE(store.add(loaded));
  ASSERT_TRUE(store.add(KernelRecord{"k", "NVRTC", "apply"}));
  EXPECT_THAT(*store.list<KernelRecord>(),
              ElementsAre(KernelRecord{"k", "NVRTC", "apply", 40, 0, 512, 1.5}));
}

TEST_F(StoreFile, JoinsPlacesAndPredictionsOfASchedule) {
  MeasurementStore store = make_store(path(), 0);
  ASSERT_TRUE(store.add(schedule_of(5)));
  ASSERT_TRUE(store.add(SpaceRecord{"s2", "ours"}));
  ScheduleRecord again = schedule_of(5);
  again.places = {{"s2", "123456789012345678901234567890"}};
  again.predictions = {{SampleDevice.signature, "learned", 3, 2},
                       {SampleDevice.signature, "roofline", 2, 1}};
  ASSERT_TRUE(store.add(again));
  const auto listed = store.list<ScheduleRecord>();
  ASSERT_TRUE(listed);
  ASSERT_THAT(*listed, SizeIs(1));
  EXPECT_THAT(listed->front().places, ElementsAre(again.places[0], schedule_of(5).places[0]));
  EXPECT_THAT(listed->front().predictions, ElementsAre(schedule_of(5).predictions[0],
                                                       again.predictions[0], again.predictions[1]));
}

TEST_F(StoreFile, AddsAllRecordsOrNone) {
  MeasurementStore store = make_store(path(), 1);
  const std::vector<StoreRecord> records = {samples_of(0, CacheState::Hot, {1e-3}),
                                            samples_of(7, CacheState::Hot, {1e-3})};
  const auto added = store.add(records, Existing::Keep);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().message(),
            fmt::format("{}: the store has no step '{}' of problem 'p0123456789ab'; add it first",
                        path().string(), key_of(7)));
  EXPECT_THAT(*store.list<StepSamples>(), IsEmpty());
  EXPECT_TRUE(store.add(records.front())) << "the store can be used after a failure";
}

TEST_F(StoreFile, SaysWhatARecordRefersToThatIsNotThere) {
  MeasurementStore store = open_store(path());
  const auto message_of = [&](const StoreRecord& record) {
    const auto added = store.add(record);
    return added ? "added" : added.error().what;
  };
  EXPECT_EQ(message_of(step_of(0)), "the store has no problem 'p0123456789ab'; add it first");
  ASSERT_TRUE(store.add(SampleProblem));
  EXPECT_EQ(message_of(schedule_of(0)), "the store has no space 's3f09ab771c24'; add it first");
  ASSERT_TRUE(store.add(SampleSpace));
  EXPECT_THAT(message_of(schedule_of(0)), StartsWith("the store has no device 'cuda NVIDIA H200"));
  ASSERT_TRUE(store.add(SampleDevice));
  EXPECT_THAT(message_of(result_of(3, ResultKind::Composed)),
              StartsWith("the store has no schedule '"));
}

TEST_F(StoreFile, RefusesRecordsThatMeanNothing) {
  MeasurementStore store = make_store(path(), 1);
  const auto message_of = [&](const StoreRecord& record) {
    const auto added = store.add(record);
    return added ? "added" : added.error().what;
  };
  EXPECT_EQ(message_of(DeviceRecord{}), "a device has no signature");
  EXPECT_EQ(message_of(KernelRecord{"key", "", "apply"}), "a kernel has no compiler");
  EXPECT_THAT(message_of(samples_of(0, CacheState::Hot, {})),
              HasSubstr("has neither times nor a reason why"));
  EXPECT_THAT(message_of(samples_of(0, CacheState::Hot, {1e-3, -1})), HasSubstr("is -1 s"));
  EXPECT_THAT(message_of(samples_of(0, CacheState::Hot, {std::nan("")})), HasSubstr("nan s"));
  StepSamples both = samples_of(0, CacheState::Hot, {1e-3});
  both.reason = "crashed";
  EXPECT_THAT(message_of(both), HasSubstr("has times although it failed: crashed"));
  ScheduleResult result = result_of(0, ResultKind::Composed);
  result.status = ResultStatus::Timeout;
  EXPECT_THAT(message_of(result), HasSubstr("has the status timeout without a reason"));
  result.status = ResultStatus::Ok;
  result.nonlinear_seconds = 0;
  EXPECT_THAT(message_of(result), HasSubstr("has no time"));
}

TEST_F(StoreFile, StaysSmall) {
  constexpr int NumSchedules = 2'500;
  constexpr int NumSteps = 500;
  constexpr std::uintmax_t MiB = 1 << 20;
  const std::string features(700, 'f');
  const std::string schedule_text(400, 's');
  MeasurementStore store = make_store(path(), 0);
  std::vector<StoreRecord> records;
  for (int i = 0; i < NumSteps; ++i) {
    StepRecord step = step_of(i);
    step.features = features;
    records.emplace_back(step);
    records.emplace_back(KernelRecord{key_of(i), "NVRTC 12.8 sm_90 -default-device", "apply", 40});
    for (const CacheState cache : {CacheState::Hot, CacheState::Evicted})
      records.emplace_back(samples_of(i, cache, std::vector<double>(15, 1e-3)));
  }
  for (int i = 0; i < NumSchedules; ++i) {
    ScheduleRecord schedule = schedule_of(i);
    schedule.text = schedule_text;
    records.emplace_back(schedule);
    ScheduleResult composed = result_of(i, ResultKind::Composed);
    composed.samples.clear();
    composed.trace.clear();
    records.emplace_back(composed);
    if (i % 20 != 0) continue;
    ScheduleResult solved = result_of(i, ResultKind::EndToEnd);
    solved.trace.assign(60, {0.5, 10});
    records.emplace_back(solved);
  }
  ASSERT_TRUE(store.add(records, Existing::Keep));
  store = open_store(folder_.path() / "other.store");  // which closes the first and its log
  EXPECT_LT(fs::file_size(path()), 4 * MiB);
  EXPECT_GT(fs::file_size(path()), 3 * MiB / 2);
}

// Files that are no stores.

std::string message_of_opening(const fs::path& path, Access access) {
  const auto store = MeasurementStore::open(path, access);
  return store ? "opened" : store.error().message();
}

TEST_F(StoreFile, SaysThatAFileIsNotThere) {
  EXPECT_EQ(message_of_opening(path(), Access::Read), path().string() + ": there is no such file");
  EXPECT_FALSE(fs::exists(path()));
  const fs::path deep = folder_.path() / "none" / "warp.store";
  EXPECT_THAT(message_of_opening(deep, Access::Write),
              AllOf(StartsWith(deep.string()), HasSubstr("or its folder cannot be opened")));
}

TEST_F(StoreFile, RefusesOtherFiles) {
  const fs::path text = folder_.write("notes.txt", std::string(5000, 'x'));
  for (const Access access : {Access::Read, Access::Write}) {
    EXPECT_EQ(message_of_opening(text, access), text.string() + ": this is no measurement store");
    EXPECT_EQ(message_of_opening(folder_.path(), access),
              folder_.path().string() + ": this is a folder, not a store");
  }
  EXPECT_EQ(*read_file(text), std::string(5000, 'x'));
  const fs::path empty = folder_.write("empty", "");
  EXPECT_THAT(message_of_opening(empty, Access::Read), HasSubstr("the file is empty"));
}

TEST_F(StoreFile, RefusesOtherDatabases) {
  {
    auto database = Database::open(path(), Database::Access::Write);
    ASSERT_TRUE(database && database->run("CREATE TABLE songs (name TEXT)"));
  }
  for (const Access access : {Access::Read, Access::Write}) {
    EXPECT_EQ(message_of_opening(path(), access),
              path().string() + ": this is a database, but no measurement store");
  }
}

TEST_F(StoreFile, RefusesALaterVersion) {
  make_store(path(), 1);
  {
    auto database = Database::open(path(), Database::Access::Write);
    ASSERT_TRUE(database && database->run("PRAGMA user_version = 1000"));
  }
  for (const Access access : {Access::Read, Access::Write}) {
    EXPECT_THAT(message_of_opening(path(), access),
                HasSubstr("the store is of version 1000, written by a later Thallo; this one knows "
                          "versions up to "));
  }
}

TEST_F(StoreFile, NoticesDamage) {
  { MeasurementStore store = make_store(path(), 2'000); }
  std::string content = *read_file(path());
  ASSERT_GT(content.size(), 60u * 4096);
  const std::string whole = content;
  // The pages in the middle are of records, not of the schema.
  content.replace(content.size() / 8192 * 4096, 8 * 4096, 8 * 4096, '\x5a');
  ASSERT_TRUE(write_file(path(), content));
  const MeasurementStore store = open_store(path(), Access::Read);
  const auto checked = store.check();
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message(),
              AllOf(StartsWith(path().string()), HasSubstr("the file is damaged")));
  const auto listed = store.list<StepRecord>();
  ASSERT_FALSE(listed);
  EXPECT_THAT(listed.error().message(), HasSubstr("the file is damaged"));

  const fs::path cut = folder_.write("cut.store", whole.substr(0, whole.size() / 2));
  const auto truncated = MeasurementStore::open(cut, Access::Read);
  EXPECT_TRUE(!truncated || !truncated->check());
}

// What `run` returns as a user who is not root, whom permissions do not stop.
int as_unprivileged(const std::function<int()>& run) {
  return test::wait_for(
      test::start([&] { return getuid() == 0 && setuid(65534) != 0 ? 100 : run(); }));
}

TEST_F(StoreFile, ReadsWhereNothingCanBeWritten) {
  make_store(path(), 3);
  constexpr fs::perms All = fs::perms::owner_all | fs::perms::group_all | fs::perms::others_all;
  constexpr fs::perms Write =
      fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  fs::permissions(path(), All & ~Write);
  fs::permissions(folder_.path(), All & ~Write);
  const int outcome = as_unprivileged([&] {
    const auto store = MeasurementStore::open(path(), Access::Read);
    if (!store) return 1;
    const auto steps = store->list<StepRecord>();
    if (!steps || steps->size() != 3) return 2;
    const auto written = MeasurementStore::open(path(), Access::Write);
    if (written) return 3;
    return written.error().message().find("cannot be written") == std::string::npos ? 4 : 0;
  });
  fs::permissions(folder_.path(), fs::perms::owner_all);
  EXPECT_EQ(outcome, 0);
}

}  // namespace
}  // namespace thallo
