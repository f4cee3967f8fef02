#pragma once

// Reads measured steps and schedules from stores.

#include <filesystem>
#include <set>
#include <span>
#include <string>

#include "core/base/diagnostic.h"
#include "core/cost/learned/training_set.h"

namespace thallo {

// What was not read, because it says too little.
struct LeftOutRecords {
  std::size_t steps = 0;      // written by an earlier version, or not measured
  std::size_t schedules = 0;  // whose steps are not all known
};

// Reads the stores, which may be compressed by gzip, bzip2 or xz. `device` selects one by a part of
// its name; if it is empty, there must be only one. Steps that several stores have are read once.
// Fails if a store cannot be read, if there is no such device or several, and if nothing was
// measured on it.
Expected<TrainingSet> read_training_set(std::span<const std::filesystem::path> stores,
                                        const std::string& device, LeftOutRecords& left_out);

class MeasurementStore;
struct DeviceRecord;

// Reads those steps that these schedules of a problem consist of, given its signature and their
// hashes, and the steps with these keys, as they were measured on this device. Schedules without a
// composed time are left out. Equal arguments and measurements give equal sets, with the steps in
// the same order. Fails if none of the steps was measured, or if the store cannot be read.
Expected<TrainingSet> read_training_set(const MeasurementStore& store, const std::string& problem,
                                        const DeviceRecord& device,
                                        std::span<const std::string> schedules,
                                        std::set<std::string> steps = {});

}  // namespace thallo
