#pragma once

// Reads the answers of workers (worker.h) from JSON. The texts come from a worker of the same
// build, so a fault in them is our bug and is thrown.

#include <map>
#include <string>
#include <vector>

#include "core/cost/cost_model.h"
#include "core/cost/device_spec.h"
#include "core/explore/store_records.h"
#include "core/kernel/program.h"
#include "core/schedule/precision.h"

namespace thallo {

struct OpenedProblem {
  DeviceRecord device;
  ProblemRecord problem;
  std::string architecture;
  DeviceSpec spec;
  double memory = 0;  // bytes of the device
  Precision precision = Precision::Float;
  IterationCounts counts;
};

// A step of a schedule's program.
struct PreparedStep {
  std::string key;  // step_key.h
  std::string label;
  Phase phase = Phase::Setup;
  std::string kernel = {};                       // KernelRecord::key; empty if no kernel
  std::string features = {};                     // StepRecord::features
  std::map<std::string, double> predicted = {};  // seconds per run, by model
};

struct PreparedSchedule {
  double bytes = 0;
  double evicted = 0;  // share of a linear iteration's data that leaves the cache
  std::vector<SchedulePrediction> predictions;  // their device is not set
  std::vector<PreparedStep> steps;
  std::vector<KernelRecord> kernels = {};  // their compiler is not set
};

struct TimedStep {
  std::string key;
  std::vector<double> hot, evicted;  // seconds per run, one sample per batch
  std::string fault;                 // why there are no samples
};
OpenedProblem read_opened(const std::string& json);
PreparedSchedule read_prepared(const std::string& json);
TimedStep read_timed(const std::string& json);  // from a part of the answer to "time"
// The slot and the origin of the result are not set.
ScheduleResult read_solved(const std::string& json);

}  // namespace thallo
