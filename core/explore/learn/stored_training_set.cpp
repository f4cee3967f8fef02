#include "core/explore/learn/stored_training_set.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/io/file.h"
#include "core/base/overloaded.h"
#include "core/base/scratch_folder.h"
#include "core/cost/device/spec_file.h"
#include "core/explore/measure/statistics.h"
#include "core/explore/store/store.h"
#include "core/explore/worker/recorded_work.h"

namespace thallo {
namespace {

// Of a loop whose data no cache holds.
constexpr double AnyNumberOfBytes = std::numeric_limits<double>::infinity();

struct ReadStore {
  std::filesystem::path path;
  std::vector<StoreRecord> records;
};

template <class T>
std::vector<const T*> all_of(const std::vector<StoreRecord>& records) {
  std::vector<const T*> result;
  for (const StoreRecord& record : records)
    if (const auto* its = std::get_if<T>(&record)) result.push_back(its);
  return result;
}

// SQLite reads files only, so a compressed store is unpacked into a folder first.
Expected<ReadStore> read_store(const std::filesystem::path& path, const ScratchFolder& scratch) {
  std::filesystem::path unpacked = path;
  if (compression_of_name(path) != Compression::None) {
    THALLO_TRY(const auto content, read_file(path));
    unpacked = scratch.path() / "unpacked.store";
    THALLO_CHECK(write_file(unpacked, content));
  }
  THALLO_TRY(const auto store, MeasurementStore::open(unpacked, MeasurementStore::Access::Read));
  THALLO_TRY(auto records, store.records());
  return ReadStore{path, std::move(records)};
}

// Leaves out the results of other schedules, and the steps that neither belong to one of these nor
// have one of the keys.
void keep_only(const std::set<std::string>& hashes, std::set<std::string> keys,
               std::vector<StoreRecord>& records) {
  for (const ScheduleRecord* schedule : all_of<ScheduleRecord>(records)) {
    if (!hashes.contains(schedule->hash)) continue;
    for (const StepUse& use : schedule->steps) keys.insert(use.key);
  }
  std::erase_if(records, [&](const StoreRecord& record) {
    return std::visit(
        Overloaded{[&](const StepRecord& its) { return !keys.contains(its.key); },
                   [&](const StepSamples& its) { return !keys.contains(its.slot.key); },
                   [&](const ScheduleRecord& its) { return !hashes.contains(its.hash); },
                   [&](const ScheduleResult& its) { return !hashes.contains(its.slot.schedule); },
                   [](const auto&) { return false; }},
        record);
  });
}

// Finds the device whose measurements are read.
Expected<DeviceRecord> chosen_device(const std::vector<ReadStore>& stores,
                                     const std::string& name) {
  std::map<std::string, DeviceRecord> found;  // by name
  std::set<std::string> names;
  for (const ReadStore& store : stores) {
    for (const DeviceRecord* device : all_of<DeviceRecord>(store.records)) {
      names.insert(device->name);
      if (device->name.find(name) == std::string::npos || device->spec.empty()) continue;
      found[device->name] = *device;
    }
  }
  if (found.size() == 1) return found.begin()->second;
  if (found.size() > 1)
    return fail("there are measurements of several devices, choose one: {}",
                fmt::join(names, ", "));
  if (names.empty()) return fail("nothing was measured");
  if (name.empty())
    return fail("an earlier version measured on {}: measure anew", fmt::join(names, ", "));
  return fail("no measured device is called {}: {}", name, fmt::join(names, ", "));
}

class SetReader {
 public:
  SetReader(DeviceRecord device, LeftOutRecords& left_out)
      : device_(std::move(device)), left_out_(left_out) {}

  Expected<TrainingSet> run(const std::vector<ReadStore>& stores) && {
    THALLO_TRY(set_.device, parse_device_spec(device_.spec, "the spec of " + device_.name));
    set_.device.name = device_.name;
    for (const ReadStore& store : stores) read(store.records);
    if (set_.steps.empty()) {
      return fail(
          "no step with its work was measured on {}: earlier versions did not record it; "
          "measure by `thallo explore`",
          device_.name);
    }
    return std::move(set_);
  }

 private:
  void read(const std::vector<StoreRecord>& records) {
    signatures_.clear();
    for (const DeviceRecord* device : all_of<DeviceRecord>(records))
      if (device->name == device_.name) signatures_.insert(device->signature);
    for (const ProblemRecord* problem : all_of<ProblemRecord>(records)) add(*problem);
    read_steps(records);
    read_schedules(records);
  }

  void add(const ProblemRecord& record) {
    if (instances_.contains(record.signature)) return;
    const auto known = std::ranges::find(set_.problems, record.name);
    const auto problem = static_cast<std::size_t>(known - set_.problems.begin());
    if (known == set_.problems.end()) set_.problems.push_back(record.name);
    instances_[record.signature] = set_.instances.size();
    set_.instances.push_back({.problem = problem, .options = record.options});
  }

  void read_steps(const std::vector<StoreRecord>& records) {
    std::map<std::pair<std::string, std::string>, const StepRecord*> described;
    for (const StepRecord* step : all_of<StepRecord>(records))
      described[{step->problem, step->key}] = step;
    for (const StepSamples* samples : all_of<StepSamples>(records)) {
      const StepSlot& slot = samples->slot;
      if (!signatures_.contains(slot.device)) continue;
      const auto key = std::tuple(slot.problem, slot.key, slot.cache);
      if (steps_.contains(key)) continue;
      const auto step = described.find({slot.problem, slot.key});
      auto work = samples->is_ok() && step != described.end()
                      ? parse_recorded_work(step->second->features)
                      : fail("not measured");
      const double seconds = samples->is_ok() ? median(samples->seconds) : 0;
      if (!work || !(seconds > 0)) {
        ++left_out_.steps;
        continue;
      }
      steps_[key] = set_.steps.size();
      const double loop_bytes = slot.cache == CacheState::Evicted ? AnyNumberOfBytes : 0;
      set_.steps.push_back({.problem = set_.instances[instances_.at(slot.problem)].problem,
                            .work = std::move(work->step),
                            .program = {.maps = std::move(work->maps), .loop_bytes = loop_bytes},
                            .seconds = seconds});
    }
  }

  void read_schedules(const std::vector<StoreRecord>& records) {
    std::map<std::pair<std::string, std::string>, const ScheduleRecord*> described;
    for (const ScheduleRecord* schedule : all_of<ScheduleRecord>(records))
      described[{schedule->problem, schedule->hash}] = schedule;
    for (const ScheduleResult* result : all_of<ScheduleResult>(records)) {
      const ScheduleSlot& slot = result->slot;
      if (!signatures_.contains(slot.device) || slot.kind != ResultKind::Composed ||
          !result->is_ok())
        continue;
      const std::pair key(slot.problem, slot.schedule);
      if (!schedules_.insert(key).second) continue;
      const auto schedule = described.find(key);
      auto uses =
          schedule == described.end() ? std::nullopt : uses_of(*schedule->second, slot.device);
      if (!uses) {
        ++left_out_.schedules;
        continue;
      }
      set_.schedules.push_back({.instance = instances_.at(slot.problem),
                                .seconds = result->nonlinear_seconds,
                                .linear_iterations = result->linear_iterations,
                                .loop_bytes = *schedule->second->loop_bytes,
                                .uses = *std::move(uses)});
    }
  }

  // Returns nothing if a step is unknown.
  std::optional<std::vector<MeasuredUse>> uses_of(const ScheduleRecord& schedule,
                                                  const std::string& device) const {
    if (!schedule.loop_bytes) return {};
    std::vector<MeasuredUse> uses;
    for (const StepUse& use : schedule.steps) {
      if (use.device != device) continue;
      const auto step = steps_.find({schedule.problem, use.key, CacheState::Hot});
      if (step == steps_.end()) return {};
      uses.push_back({.step = step->second, .runs = use.runs});
    }
    return uses.empty() ? std::nullopt : std::optional(std::move(uses));
  }

  DeviceRecord device_;
  LeftOutRecords& left_out_;
  TrainingSet set_;
  std::set<std::string> signatures_;              // of the device in the current store
  std::map<std::string, std::size_t> instances_;  // by signature of the problem
  std::map<std::tuple<std::string, std::string, CacheState>, std::size_t> steps_;
  std::set<std::pair<std::string, std::string>> schedules_;
};

}  // namespace

Expected<TrainingSet> read_training_set(std::span<const std::filesystem::path> stores,
                                        const std::string& device, LeftOutRecords& left_out) {
  THALLO_TRY(const auto scratch, ScratchFolder::make());
  std::vector<ReadStore> read;
  for (const std::filesystem::path& path : stores) {
    THALLO_TRY(auto store, read_store(path, scratch));
    read.push_back(std::move(store));
  }
  THALLO_TRY(auto chosen, chosen_device(read, device));
  return SetReader(std::move(chosen), left_out).run(read);
}

Expected<TrainingSet> read_training_set(const MeasurementStore& store, const std::string& problem,
                                        const DeviceRecord& device,
                                        std::span<const std::string> schedules,
                                        std::set<std::string> steps) {
  THALLO_TRY(auto records, store.records({.problem = problem, .device = device.signature}));
  keep_only({schedules.begin(), schedules.end()}, std::move(steps), records);
  LeftOutRecords left_out;
  return SetReader(device, left_out).run({{store.path(), std::move(records)}});
}

}  // namespace thallo
