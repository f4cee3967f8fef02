// Leases: two explorations, each with a store object of its own, share the work.
#include <gmock/gmock.h>

#include <chrono>
#include <thread>
#include <vector>

#include "core/explore/store/sqlite/database.h"
#include "core/explore/store/store.h"
#include "tests/explore/child_process.h"
#include "tests/explore/store_records.h"
#include "tests/support/temp_dir.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::IsEmpty, testing::SizeIs, testing::StartsWith;
using namespace std::chrono_literals;
using namespace test;  // NOLINT: the records of these tests

class StoreLeases : public testing::Test {
 protected:
  static ResultSlot slot(int step) { return samples_of(step, CacheState::Hot, {}).slot; }

  // The answers for steps 0, 1 ...
  static std::vector<Claim> claims(MeasurementStore& store, int num_steps,
                                   std::chrono::milliseconds duration = 1h) {
    std::vector<ResultSlot> work;
    for (int i = 0; i < num_steps; ++i) work.push_back(slot(i));
    return store.acquire(work, duration).value();
  }
  static Claim renewed(MeasurementStore& store, int step, std::chrono::milliseconds duration) {
    const ResultSlot work = slot(step);
    return store.renew({&work, 1}, duration).value().front();
  }

  TempDir folder_;
  std::filesystem::path path_ = folder_.path() / "warp.store";
  MeasurementStore one_ = make_store(path_, 4);
  MeasurementStore two_ = open_store(path_);
};

TEST_F(StoreLeases, KeepOthersFromTheSameWork) {
  EXPECT_THAT(claims(one_, 2), ElementsAre(Claim::Taken, Claim::Taken));
  EXPECT_THAT(claims(two_, 3), ElementsAre(Claim::Held, Claim::Held, Claim::Taken));
  EXPECT_THAT(claims(one_, 3), ElementsAre(Claim::Held, Claim::Held, Claim::Held))
      << "also another thread of the same explorer";
}

TEST_F(StoreLeases, AreForOneSlotEach) {
  const ResultSlot hot = samples_of(0, CacheState::Hot, {}).slot;
  const ResultSlot evicted = samples_of(0, CacheState::Evicted, {}).slot;
  const ResultSlot composed = result_of(0, ResultKind::Composed).slot;
  const ResultSlot solved = result_of(0, ResultKind::EndToEnd).slot;
  const ResultSlot all[] = {hot, evicted, composed, solved};
  EXPECT_THAT(one_.acquire(all, 1h).value(), testing::Each(Claim::Taken));
}

TEST_F(StoreLeases, EndWithTheResultUnlessWorkIsToBeDoneAgain) {
  claims(one_, 2);
  ASSERT_TRUE(one_.add(samples_of(0, CacheState::Hot, {1e-3})));
  EXPECT_THAT(*one_.leases(), SizeIs(1));
  EXPECT_THAT(claims(two_, 2), ElementsAre(Claim::Done, Claim::Held));
  EXPECT_EQ(renewed(one_, 0, 1h), Claim::Done);
  ASSERT_TRUE(one_.add(samples_of(0, CacheState::Hot, {1e-3})));
  const ResultSlot work = slot(0);
  EXPECT_THAT(two_.acquire({&work, 1}, 1h, Existing::Replace).value(), ElementsAre(Claim::Taken));
  EXPECT_THAT(one_.acquire({&work, 1}, 1h, Existing::Replace).value(), ElementsAre(Claim::Held));
}

TEST_F(StoreLeases, AreTakenOverWhenTheyHaveExpired) {
  EXPECT_THAT(claims(one_, 1, 30ms), ElementsAre(Claim::Taken));
  EXPECT_THAT(*two_.leases(), SizeIs(1));
  std::this_thread::sleep_for(60ms);
  EXPECT_THAT(*two_.leases(), IsEmpty());
  EXPECT_THAT(claims(two_, 1), ElementsAre(Claim::Taken));
  EXPECT_EQ(renewed(one_, 0, 1h), Claim::Held) << "the first has lost it";
  EXPECT_THAT(claims(one_, 1), ElementsAre(Claim::Held));
}

// Not those of processes that run, nor those that another system has numbered.
TEST_F(StoreLeases, AreTakenOverFromProcessesThatHaveEnded) {
  const pid_t holder = test::start([&] {
    MeasurementStore store = open_store(path_);
    return claims(store, 1)[0] == Claim::Taken ? 0 : 1;
  });
  ASSERT_EQ(test::wait_for(holder), 0);
  EXPECT_THAT(*two_.leases(), IsEmpty());
  EXPECT_THAT(claims(two_, 1), ElementsAre(Claim::Taken));
  EXPECT_THAT(claims(one_, 1), ElementsAre(Claim::Held));

  auto database = Database::open(path_, Database::Access::Write);
  ASSERT_TRUE(database->run(
      fmt::format("UPDATE leases SET holder = 'elsewhere:{}:00000000:00000000'", holder)));
  EXPECT_THAT(*two_.leases(), SizeIs(1));
  EXPECT_THAT(claims(one_, 1), ElementsAre(Claim::Held)) << "until it expires";
}

TEST_F(StoreLeases, AreRenewedAndReleasedByTheirHolderAlone) {
  claims(one_, 1, 1s);
  EXPECT_EQ(renewed(two_, 0, 1h), Claim::Held);
  EXPECT_EQ(renewed(one_, 0, 1h), Claim::Taken);
  const auto leases = one_.leases();
  ASSERT_THAT(*leases, SizeIs(1));
  EXPECT_GT(leases->front().expires, std::chrono::system_clock::now() + 50min);
  // A lease that has expired and that nobody wanted is still that of its holder.
  claims(one_, 1, 1ms);
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(renewed(one_, 0, 1h), Claim::Taken);
  EXPECT_THAT(claims(two_, 1), ElementsAre(Claim::Held));
  claims(one_, 1);
  const ResultSlot work = slot(0);
  ASSERT_TRUE(two_.release({&work, 1}));
  EXPECT_THAT(claims(two_, 1), ElementsAre(Claim::Held));
  ASSERT_TRUE(one_.release({&work, 1}));
  EXPECT_THAT(claims(two_, 1), ElementsAre(Claim::Taken));
}

TEST_F(StoreLeases, SayWhoHoldsWhatOfAProblemAndADevice) {
  claims(one_, 1);
  const auto leases = two_.leases();
  ASSERT_THAT(*leases, SizeIs(1));
  EXPECT_EQ(leases->front().problem, SampleProblem.signature);
  EXPECT_EQ(leases->front().device, SampleDevice.signature);
  EXPECT_EQ(leases->front().work, "step hot " + key_of(0));
  EXPECT_THAT(leases->front().holder, testing::HasSubstr(fmt::format(":{}:", getpid())));
  const ResultSlot work = StepSlot{"p9", SampleDevice.signature, key_of(0), CacheState::Hot};
  const auto claimed = one_.acquire({&work, 1}, 1h);
  ASSERT_FALSE(claimed);
  EXPECT_THAT(claimed.error().what, StartsWith("the store has no problem 'p9'"));
}

}  // namespace
}  // namespace thallo
