#pragma once

// Looks up what schedules of a problem take on one device, in a store. Nothing is measured or
// compiled. A schedule that the store has no result of has a time all the same if the store has
// the times of all steps of its program: their keys are found by generating the program's text.
//
//   auto times = StoredTimes::open("all.store", problem, {.device = {"h200"}});
//   if (const auto seconds = (*times)->seconds(proposal)) ...

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/cost/device/device_spec.h"
#include "core/explore/measure/candidate.h"
#include "core/explore/measure/chosen_devices.h"
#include "core/explore/measure/step_table.h"
#include "core/search/search.h"

namespace thallo {

struct StoredTimesOptions {
  DeviceChoice device;
  // A file or a name; if empty, the spec that the store keeps of the device, or this machine.
  std::string device_spec;
};

class StoredTimes {
 public:
  // Fails if the file is not there or no store, if it has no result of the problem, if results are
  // of no such device or of several (the message lists them), or if no spec of it is known. The
  // problem must outlive the result.
  static Expected<std::unique_ptr<StoredTimes>> open(const std::filesystem::path& path,
                                                     const ExploredProblem& problem,
                                                     const StoredTimesOptions& options);
  StoredTimes(const StoredTimes&) = delete;
  StoredTimes& operator=(const StoredTimes&) = delete;

  std::filesystem::path path() const { return store_.path(); }
  const DeviceRecord& device() const { return device_; }
  const DeviceSpec& spec() const { return spec_; }
  const MeasurementStore& store() const { return store_; }
  // Times are composed of those of steps, or of whole solves: the kind that more schedules have.
  ResultKind kind() const { return kind_; }

  // Returns the seconds of a nonlinear iteration. Infinite if the schedule failed, absent if the
  // store does not know. Takes as long as generating the program (some milliseconds) for a
  // schedule without a result, the first time that it is asked for.
  std::optional<double> seconds(const Proposal& proposal);
  // Returns the least seconds of all results, and of what was composed so far; infinite if there is
  // no time.
  double best() const { return best_; }
  // How many schedules without a result were composed of stored steps so far.
  std::int64_t num_composed() const { return num_composed_; }
  // Returns the keys of the steps that a schedule was composed of, given its hash; none if the
  // store has its result.
  std::set<std::string> composed_of(const std::string& hash) const;

 private:
  StoredTimes(MeasurementStore store, const ExploredProblem& problem, DeviceRecord device,
              DeviceSpec spec);
  Expected<void> load();
  std::optional<double> compose(const Proposal& proposal);
  std::vector<std::string> kernel_keys(const GeneratedProgram& program);

  MeasurementStore store_;
  const ExploredProblem& problem_;
  DeviceRecord device_;
  DeviceSpec spec_;
  ResultKind kind_ = ResultKind::Composed;
  StepTable steps_;
  std::set<std::string> kernels_;  // keys of the kernels of all steps that the store knows
  std::optional<std::string> architecture_;  // that these keys are made for; absent if unknown yet
  std::map<std::string, std::optional<double>> seconds_;      // by hash
  std::map<std::string, std::set<std::string>> composed_of_;  // keys of steps, by hash
  double best_ = 0;
  std::int64_t num_composed_ = 0;
};

}  // namespace thallo
