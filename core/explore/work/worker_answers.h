#pragma once

// What workers answer (worker.h), read from its JSON. The texts are those of a worker of the same
// program, so a fault in them is a bug and thrown.

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
  std::string kernel = {};                       // KernelRecord::key; empty for what is none
  std::string features = {};                     // StepRecord::features
  std::map<std::string, double> predicted = {};  // seconds of a run, by model
};

struct PreparedSchedule {
  double bytes = 0;
  double evicted = 0;  // share of what a linear iteration touches that leaves the cache
  std::vector<SchedulePrediction> predictions;  // without their device
  std::vector<PreparedStep> steps;
  std::vector<KernelRecord> kernels = {};  // without their compiler
};

struct TimedStep {
  std::string key;
  std::vector<double> hot, evicted;  // seconds of a run, a sample a batch
  std::string fault;                 // why there are none
};
OpenedProblem read_opened(const std::string& json);
PreparedSchedule read_prepared(const std::string& json);
TimedStep read_timed(const std::string& json);  // a part of the answer to "time"
// Without slot and origin.
ScheduleResult read_solved(const std::string& json);

}  // namespace thallo
