// The measurement store: one SQLite file with all results of explorations, so that nothing is
// measured twice. Several processes may write to one store at the same time while others read; each
// reader sees a consistent state.
//
//   auto store = MeasurementStore::open("warp.store", MeasurementStore::Access::Write);
//   if (!store) ...
//   const std::vector<StoreRecord> described = {device, problem, step};
//   if (auto added = store->add(described, Existing::Keep); !added) ...
//   const ResultSlot work = StepSlot{problem.signature, device.signature, step.key};
//   auto claims = store->acquire({&work, 1}, std::chrono::minutes(2));
//   if (claims && claims->front() == Claim::Taken) store->add(measure(...));  // ends the lease
//
// Every function can fail: if the file is damaged or cannot be written, if the disk is full, or if
// others have been writing for ten seconds. The message begins with the file's name. A call that
// fails writes nothing. A file that is deleted, renamed or replaced while it is written is noticed
// by the next call: a new file beside it gets everything, is written from then on, and is named in
// a warning. Damage is detected when a damaged page is read; opening a store reads too
// little to detect it everywhere, whereas check() reads the whole file.
//
// A store is safe to use from several threads. It must not be used in a process that was forked
// after it was opened; open it again there.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/explore/store/store_records.h"

namespace thallo {

// What happens to a result if the store already has one for the same slot. A successful result
// always replaces a failure, and a failure never replaces a successful result unless Replace is
// requested.
enum class Existing {
  Keep,             // the new one is dropped
  KeepMoreSamples,  // the one with fewer samples is dropped; the new one if equal
  Replace           // the old one is dropped
};

// Counts what happened to the results that were added.
struct StoreChanges {
  std::int64_t added = 0;     // the store had no result for the slot
  std::int64_t same = 0;      // the store had an equal one
  std::int64_t kept = 0;      // the store had another one and kept it
  std::int64_t replaced = 0;  // the store had another one, which was replaced

  friend bool operator==(const StoreChanges&, const StoreChanges&) = default;
};

// Selects records. An empty signature selects all.
struct StoreSelection {
  std::string problem;
  std::string device;
};

// Whether a caller may measure something now.
enum class Claim {
  Taken,  // yes, the caller now holds the lease
  Held,   // no, another process is measuring it
  Done    // no, the store already has the result
};

struct Lease {
  std::string problem;
  std::string device;
  std::string work;    // "step hot KEY", "schedule end_to_end HASH"
  std::string holder;  // "HOST:PID:SYSTEM:RANDOM"
  std::chrono::system_clock::time_point expires;
};

class MeasurementStore {
 public:
  enum class Access { Read, Write };

  // Access::Write creates the file if it does not exist, and upgrades one of an earlier version;
  // Access::Read upgrades a copy in memory.
  // Fails if the file is not a store, or if its version is later than ours.
  static Expected<MeasurementStore> open(const std::filesystem::path& path, Access access);
  MeasurementStore(MeasurementStore&&) noexcept;
  MeasurementStore& operator=(MeasurementStore&&) noexcept;
  ~MeasurementStore();

  // The file that is written now.
  std::filesystem::path path() const;

  // Adds all records in one transaction, or none of them. A description replaces an older one;
  // places and predictions of a schedule are merged with the existing ones. A result ends the lease
  // on its slot, whoever holds it. Of a run, that with more events has more samples. Fails if a
  // record refers to one that does not exist, or if check_record() refuses it.
  Expected<StoreChanges> add(std::span<const StoreRecord> records, Existing existing);
  Expected<StoreChanges> add(const StoreRecord& record, Existing existing = Existing::Keep);

  // Returns all records of a type, sorted by the texts that identify them. T is an alternative of
  // StoreRecord.
  template <class T>
  Expected<std::vector<T>> list(const StoreSelection& selection = {}) const;
  // Returns a snapshot of the records of all types, each after the records that it refers to.
  // Devices, spaces and kernels are left out if no selected record refers to them.
  Expected<std::vector<StoreRecord>> records(const StoreSelection& selection = {}) const;
  // Returns the result for a slot, if there is one.
  Expected<std::optional<StepSamples>> find(const StepSlot& slot) const;
  Expected<std::optional<ScheduleResult>> find(const ScheduleSlot& slot) const;

  // Claims work for this store object, for the given duration. Claims what is neither done (unless
  // it is to be replaced) nor held under an unexpired lease. Returns one answer for each slot, in
  // order. The problems and devices must have been described.
  Expected<std::vector<Claim>> acquire(std::span<const ResultSlot> work,
                                       std::chrono::milliseconds duration,
                                       Existing existing = Existing::Keep);
  // Extends leases that this object holds. The answer is Held or Done if it no longer holds the
  // lease, because the lease expired and was taken over or the result was recorded.
  Expected<std::vector<Claim>> renew(std::span<const ResultSlot> work,
                                     std::chrono::milliseconds duration);
  // Gives up the leases that this object holds; other leases are ignored.
  Expected<void> release(std::span<const ResultSlot> work);
  // Returns the leases that have not expired, without those of processes of this system that have
  // ended.
  Expected<std::vector<Lease>> leases() const;

  // Begins a run that this object writes, and returns it as the store has it. An earlier run of the
  // same request goes on if its search had not finished and nobody writes it now, unless
  // `existing` is Replace: its events and its time stay, its id and its origin, too.
  Expected<SearchRunRecord> begin_run(const SearchRunRecord& asked, Existing existing);
  // Adds events to the run, and says how far it got. An ending other than Open ends the writing.
  // The schedules of the events must have been described.
  Expected<void> extend_run(const std::string& id, std::span<const SearchEvent> events,
                            const SearchState& state);

  // Reads the whole file; fails when its structure is damaged.
  Expected<void> check() const;
  // Compares all records with their checksums, too. The message names those that are damaged.
  Expected<void> check_records() const;

 private:
  struct State;
  explicit MeasurementStore(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace thallo
