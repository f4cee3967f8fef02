#include "core/explore/store/store.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <mutex>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "core/base/log.h"
#include "core/explore/store/sqlite/checksums.h"
#include "core/explore/store/sqlite/database.h"
#include "core/explore/store/sqlite/leases.h"
#include "core/explore/store/sqlite/records.h"
#include "core/explore/store/sqlite/schema.h"
#include "core/explore/store/sqlite/search_runs.h"

namespace thallo {
namespace {

namespace fs = std::filesystem;

// Faults of the request itself, rather than of the file, do not name a file.
Diagnostic with_file(Diagnostic fault, const std::filesystem::path& path) {
  if (!fault.where.known()) fault.where.file = path;
  return fault;
}

// Opens a store, which is made or upgraded if need be.
Expected<Database> open_to_write(const fs::path& path) {
  THALLO_TRY(auto database, Database::open(path, Database::Access::Write));
  THALLO_CHECK(migrate(database, store_scripts()));
  // In WAL mode, readers and a writer do not wait for each other. A power failure may lose the
  // last results; killing a process loses none.
  for (const char* pragma : {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL"}) {
    THALLO_CHECK(database.run(pragma));
  }
  THALLO_CHECK(keep_checksums(database));
  return database;
}

// Makes an empty file NAME-2.store, NAME-3.store ..., or one in the folder for temporary files if
// this folder is gone, too.
Expected<fs::path> make_beside(const fs::path& store) {
  std::error_code error;
  for (const fs::path& folder : {store.parent_path(), fs::temp_directory_path(error)}) {
    for (int number = 2;; ++number) {
      fs::path path = folder / fmt::format("{}-{}{}", store.stem().string(), number,
                                           store.extension().string());
      const int file = open(path.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0644);
      if (file >= 0) {
        close(file);
        return path;
      }
      if (errno != EEXIST) break;
    }
  }
  return fail("{}", std::strerror(errno));
}

template <class T>
void move_to(std::vector<StoreRecord>& all, std::vector<T> records) {
  all.insert(all.end(), std::make_move_iterator(records.begin()),
             std::make_move_iterator(records.end()));
}

}  // namespace

struct MeasurementStore::State {
  Database database;
  bool writes = false;
  std::string holder = make_lease_holder();
  std::mutex mutex = {};

  State(Database opened, Access access)
      : database(std::move(opened)), writes(access == Access::Write) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (auto kept = keep(); !kept) logger("store").error("{}", kept.error().message());
  }

  // Calls `work` with a transaction and returns its result.
  template <class Work>
  auto run(Transaction::Kind kind, const Work& work)
      -> Expected<decltype(work(std::declval<Transaction&>()))> {
    const std::lock_guard lock(mutex);
    const auto attempt = [&]() -> Expected<decltype(work(std::declval<Transaction&>()))> {
      Transaction transaction(database, kind);
      if constexpr (std::is_void_v<decltype(work(transaction))>) {
        work(transaction);
        return transaction.commit();
      } else {
        auto result = work(transaction);
        return transaction.commit(std::move(result));
      }
    };
    auto done = attempt();
    THALLO_TRY(const auto kept, keep());
    // SQLite refuses some work on a file that is not in its place any more.
    if (!done && kept) done = attempt();
    if (!done) return fail(with_file(done.error(), database.path()));
    return done;
  }

  // Goes on with a new file if the present one was deleted, renamed or replaced. Returns true then.
  // The new file has another name, since other processes may still use the present one's.
  Expected<bool> keep() {
    if (!writes || database.is_in_place()) return false;
    const fs::path lost = database.path();
    const auto made = make_beside(lost);
    auto next = made ? open_to_write(*made) : fail(made.error());
    if (next) {
      if (auto copied = database.copy_into(*next); !copied) next = fail(copied.error());
    }
    if (!next) {
      writes = false;
      return fail_at({lost},
                     "the store was deleted, renamed or replaced while it was used, and no other "
                     "can be written: {}",
                     next.error().message());
    }
    logger("store").warn(
        "{} was deleted, renamed or replaced while it was used; all that was measured is in {}, "
        "which is written from now on",
        lost.string(), made->string());
    database = *std::move(next);
    // They are of the lost file, and would damage one that is in its place.
    std::error_code error;
    for (const char* beside : {"-wal", "-shm"}) fs::remove(fs::path(lost) += beside, error);
    return true;
  }
};

MeasurementStore::MeasurementStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
MeasurementStore::MeasurementStore(MeasurementStore&&) noexcept = default;
MeasurementStore& MeasurementStore::operator=(MeasurementStore&&) noexcept = default;
MeasurementStore::~MeasurementStore() = default;

Expected<MeasurementStore> MeasurementStore::open(const std::filesystem::path& path,
                                                  Access access) {
  const bool writes = access == Access::Write;
  auto database = writes ? open_to_write(path) : Database::open(path, Database::Access::Read);
  if (!database) return fail(database.error());
  if (!writes) {
    const std::size_t newest = store_scripts().size();
    THALLO_CHECK(check_version(*database, 1, newest));
    // The file stays as it is.
    if (!check_version(*database, newest, newest)) {
      database = database->copy();
      if (!database) return fail(database.error());
      THALLO_CHECK(migrate(*database, store_scripts()));
    }
  }
  return MeasurementStore(std::make_unique<State>(*std::move(database), access));
}

fs::path MeasurementStore::path() const {
  const std::lock_guard lock(state_->mutex);
  return state_->database.path();
}

Expected<StoreChanges> MeasurementStore::add(std::span<const StoreRecord> records,
                                             Existing existing) {
  return state_->run(Transaction::Kind::Write, [&](Transaction& transaction) {
    StoreChanges changes;
    for (const StoreRecord& record : records) {
      if (transaction.has_failed()) break;
      write_record(transaction, record, existing, changes);
    }
    return changes;
  });
}

Expected<StoreChanges> MeasurementStore::add(const StoreRecord& record, Existing existing) {
  return add({&record, 1}, existing);
}

template <class T>
Expected<std::vector<T>> MeasurementStore::list(const StoreSelection& selection) const {
  return state_->run(Transaction::Kind::Read, [&](Transaction& transaction) {
    return read_records<T>(transaction, selection);
  });
}
template Expected<std::vector<DeviceRecord>> MeasurementStore::list(const StoreSelection&) const;
template Expected<std::vector<ProblemRecord>> MeasurementStore::list(const StoreSelection&) const;
template Expected<std::vector<SpaceRecord>> MeasurementStore::list(const StoreSelection&) const;
template Expected<std::vector<KernelRecord>> MeasurementStore::list(const StoreSelection&) const;
template Expected<std::vector<StepRecord>> MeasurementStore::list(const StoreSelection&) const;
template Expected<std::vector<StepSamples>> MeasurementStore::list(const StoreSelection&) const;
template Expected<std::vector<ScheduleRecord>> MeasurementStore::list(const StoreSelection&) const;
template Expected<std::vector<ScheduleResult>> MeasurementStore::list(const StoreSelection&) const;
template Expected<std::vector<SearchRunRecord>> MeasurementStore::list(const StoreSelection&) const;

Expected<std::vector<StoreRecord>> MeasurementStore::records(
    const StoreSelection& selection) const {
  return state_->run(Transaction::Kind::Read, [&](Transaction& transaction) {
    auto steps = read_records<StepRecord>(transaction, selection);
    auto samples = read_records<StepSamples>(transaction, selection);
    auto schedules = read_records<ScheduleRecord>(transaction, selection);
    auto results = read_records<ScheduleResult>(transaction, selection);
    auto runs = read_records<SearchRunRecord>(transaction, selection);
    auto devices = read_records<DeviceRecord>(transaction, selection);
    auto spaces = read_records<SpaceRecord>(transaction, selection);
    if (!selection.problem.empty()) {
      std::set<std::string> used_devices;
      std::set<std::string> used_spaces;
      for (const StepSamples& record : samples) used_devices.insert(record.slot.device);
      for (const ScheduleResult& record : results) used_devices.insert(record.slot.device);
      for (const SearchRunRecord& record : runs) used_devices.insert(record.request.device);
      for (const ScheduleRecord& record : schedules) {
        for (const auto& prediction : record.predictions) used_devices.insert(prediction.device);
        for (const auto& place : record.places) used_spaces.insert(place.space);
      }
      std::erase_if(devices, [&](const auto& d) { return !used_devices.contains(d.signature); });
      std::erase_if(spaces, [&](const auto& s) { return !used_spaces.contains(s.id); });
    }
    std::vector<StoreRecord> all;
    move_to(all, std::move(devices));
    move_to(all, read_records<ProblemRecord>(transaction, selection));
    move_to(all, std::move(spaces));
    move_to(all, read_records<KernelRecord>(transaction, selection));
    move_to(all, std::move(steps));
    move_to(all, std::move(samples));
    move_to(all, std::move(schedules));
    move_to(all, std::move(results));
    move_to(all, std::move(runs));
    return all;
  });
}

Expected<std::optional<StepSamples>> MeasurementStore::find(const StepSlot& slot) const {
  return state_->run(Transaction::Kind::Read,
                     [&](Transaction& transaction) { return find_result(transaction, slot); });
}

Expected<std::optional<ScheduleResult>> MeasurementStore::find(const ScheduleSlot& slot) const {
  return state_->run(Transaction::Kind::Read,
                     [&](Transaction& transaction) { return find_result(transaction, slot); });
}

Expected<std::vector<Claim>> MeasurementStore::acquire(std::span<const ResultSlot> work,
                                                       std::chrono::milliseconds duration,
                                                       Existing existing) {
  return state_->run(Transaction::Kind::Write, [&](Transaction& transaction) {
    const LeaseRequest request = {state_->holder, std::chrono::system_clock::now(), duration};
    std::vector<Claim> claims;
    for (const ResultSlot& slot : work)
      claims.push_back(acquire_lease(transaction, slot, request, existing));
    return claims;
  });
}

Expected<std::vector<Claim>> MeasurementStore::renew(std::span<const ResultSlot> work,
                                                     std::chrono::milliseconds duration) {
  return state_->run(Transaction::Kind::Write, [&](Transaction& transaction) {
    const LeaseRequest request = {state_->holder, std::chrono::system_clock::now(), duration};
    std::vector<Claim> claims;
    for (const ResultSlot& slot : work) claims.push_back(renew_lease(transaction, slot, request));
    return claims;
  });
}

Expected<void> MeasurementStore::release(std::span<const ResultSlot> work) {
  return state_->run(Transaction::Kind::Write, [&](Transaction& transaction) {
    for (const ResultSlot& slot : work) release_lease(transaction, slot, state_->holder);
  });
}

Expected<std::vector<Lease>> MeasurementStore::leases() const {
  return state_->run(Transaction::Kind::Read, [&](Transaction& transaction) {
    return read_leases(transaction, std::chrono::system_clock::now());
  });
}

Expected<SearchRunRecord> MeasurementStore::begin_run(const SearchRunRecord& asked,
                                                      Existing existing) {
  if (auto valid = check_record(asked); !valid) return fail(with_file(valid.error(), path()));
  return state_->run(Transaction::Kind::Write, [&](Transaction& transaction) {
    return thallo::begin_run(transaction, asked, state_->holder, existing);
  });
}

Expected<void> MeasurementStore::extend_run(const std::string& id,
                                            std::span<const SearchEvent> events,
                                            const SearchState& state) {
  return state_->run(Transaction::Kind::Write, [&](Transaction& transaction) {
    thallo::extend_run(transaction, id, events, state);
  });
}

Expected<void> MeasurementStore::check() const {
  const std::lock_guard lock(state_->mutex);
  THALLO_TRY(const auto found, state_->database.run("PRAGMA integrity_check"));
  if (found != "ok") return fail_at({state_->database.path()}, "the file is damaged ({})", found);
  return {};
}

Expected<void> MeasurementStore::check_records() const {
  THALLO_CHECK(check());
  const auto damaged = state_->run(
      Transaction::Kind::Read, [&](Transaction& transaction) { return find_damaged(transaction); });
  if (!damaged) return fail(damaged.error());
  if (!damaged->empty()) {
    return fail_at({state_->database.path()}, "damaged records: {} ({})", damaged->size(),
                   fmt::join(*damaged, "; "));
  }
  const std::lock_guard lock(state_->mutex);
  const auto lost = state_->database.run("PRAGMA foreign_key_check");
  if (!lost) return fail(lost.error());
  if (!lost->empty())
    return fail_at({state_->database.path()},
                   "the file is damaged (a row of {} refers to one that is lost)", *lost);
  return {};
}

}  // namespace thallo
