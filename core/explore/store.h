// The measurement store: one SQLite file that keeps everything that exploration measures, so that
// nothing is measured twice. Several processes may explore into one store at the same time, and
// others read while they write: each reads a consistent state.
//
//   auto store = MeasurementStore::open("warp.store", MeasurementStore::Access::Write);
//   if (!store) ...
//   const std::vector<StoreRecord> described = {device, problem, step};
//   if (auto added = store->add(described, Existing::Keep); !added) ...
//   const ResultSlot work = StepSlot{problem.signature, device.signature, step.key};
//   auto claims = store->acquire({&work, 1}, std::chrono::minutes(2));
//   if (claims && claims->front() == Claim::Taken) store->add(measure(...));  // ends the lease
//
// Every function fails with a message that begins with the file: when it is damaged or cannot be
// written, when the disk is full, or when others have been writing for ten seconds. What a call was
// to write is then not written at all. Damage is noticed where it is met; opening reads too little
// of the file to find it everywhere, and check() reads all.
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
#include "core/explore/store_records.h"

namespace thallo {

// What becomes of a result when the store has one for the same slot. An ok result takes the place
// of a failure, and no failure that of an ok result, unless Replace is asked for.
enum class Existing {
  Keep,             // the new one is dropped
  KeepMoreSamples,  // the one with fewer samples is dropped; the new one, if they have equally many
  Replace           // the old one is dropped
};

// What became of the results that were added.
struct StoreChanges {
  std::int64_t added = 0;     // there was none
  std::int64_t same = 0;      // the store had an equal one
  std::int64_t kept = 0;      // it had another, which is still there
  std::int64_t replaced = 0;  // it had another, which is gone

  friend bool operator==(const StoreChanges&, const StoreChanges&) = default;
};

// Which records; an empty signature stands for all.
struct StoreSelection {
  std::string problem;
  std::string device;
};

// Whether a caller may measure something now.
enum class Claim {
  Taken,  // yes, the caller holds the lease
  Held,   // no, somebody else is measuring it
  Done    // no, the store has the result
};

struct Lease {
  std::string problem;
  std::string device;
  std::string work;    // "step hot KEY", "schedule end_to_end HASH"
  std::string holder;  // "HOST:PID:" and 8 random hexadecimal digits
  std::chrono::system_clock::time_point expires;
};

class MeasurementStore {
 public:
  enum class Access { Read, Write };

  // Write makes a file that is not there, and brings one of an earlier version up to date. Fails
  // for a file that is no store, and for one of a later version.
  static Expected<MeasurementStore> open(const std::filesystem::path& path, Access access);
  MeasurementStore(MeasurementStore&&) noexcept;
  MeasurementStore& operator=(MeasurementStore&&) noexcept;
  ~MeasurementStore();

  const std::filesystem::path& path() const;

  // Adds all records in one transaction, or none. Descriptions take the place of older ones; places
  // and predictions of a schedule join those that are there. A result ends the lease on its slot,
  // whoever holds it. Fails for a record that refers to one that is not there, and for one that
  // check_record() refuses.
  Expected<StoreChanges> add(std::span<const StoreRecord> records, Existing existing);
  Expected<StoreChanges> add(const StoreRecord& record, Existing existing = Existing::Keep);

  // All records of a type, sorted by what names them. T is an alternative of StoreRecord.
  template <class T>
  Expected<std::vector<T>> list(const StoreSelection& selection = {}) const;
  // All of all types as they are at one moment, each after those that it refers to, without
  // devices, spaces and kernels that nothing selected refers to.
  Expected<std::vector<StoreRecord>> records(const StoreSelection& selection = {}) const;
  // The result for a slot, if there is one.
  Expected<std::optional<StepSamples>> find(const StepSlot& slot) const;
  Expected<std::optional<ScheduleResult>> find(const ScheduleSlot& slot) const;

  // Claims work for this store object until a time from now: what is neither done (unless it is to
  // be replaced) nor held under a lease that has not expired. One answer for each slot, in their
  // order. Problems and devices must be described.
  Expected<std::vector<Claim>> acquire(std::span<const ResultSlot> work,
                                       std::chrono::milliseconds duration,
                                       Existing existing = Existing::Keep);
  // Extends leases that this object holds. The answer is Held or Done where it holds none any more,
  // because it expired and was taken over, or the result was recorded.
  Expected<std::vector<Claim>> renew(std::span<const ResultSlot> work,
                                     std::chrono::milliseconds duration);
  // Gives up leases that this object holds, and ignores others.
  Expected<void> release(std::span<const ResultSlot> work);
  // Those that have not expired.
  Expected<std::vector<Lease>> leases() const;

  // Reads the whole file; fails when it is damaged.
  Expected<void> check() const;

 private:
  struct State;
  explicit MeasurementStore(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace thallo
