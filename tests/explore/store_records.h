// Records for tests of the measurement store: a device, a problem with steps and
// schedules, results.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/explore/store/store.h"

namespace thallo::test {

inline const DeviceRecord SampleDevice = {"cuda NVIDIA H200 sm_90", "NVIDIA H200", "cuda"};
inline const ProblemRecord SampleProblem = {"p0123456789ab", "image_warping", "size=64",
                                            "drawn fish"};
inline const SpaceRecord SampleSpace = {"s3f09ab771c24", "published"};

// Steps and schedules are numbered.
std::string key_of(int step);
std::string hash_of(int schedule);
StepRecord step_of(int step);
ScheduleRecord schedule_of(int schedule);
StepSamples samples_of(int step, CacheState cache, std::vector<double> seconds);
ScheduleResult result_of(int schedule, ResultKind kind);
// A run that is under way: schedule 0 after a second, and schedule 1, which was known, after two.
SearchRunRecord run_of(const std::string& id);

// One of each type and more, with all their members set.
std::vector<StoreRecord> all_records();

// Throws what open() or add() returns as a fault.
MeasurementStore open_store(const std::filesystem::path& path,
                            MeasurementStore::Access access = MeasurementStore::Access::Write);
// A store with SampleDevice, SampleProblem, SampleSpace and steps 0 to below num_steps.
MeasurementStore make_store(const std::filesystem::path& path, int num_steps);

}  // namespace thallo::test
