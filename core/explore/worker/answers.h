#pragma once

// The answers of workers, and the parts of answers. message_fields.h declares their fields in JSON.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/cost/model/cost_model.h"
#include "core/explore/store/store_records.h"
#include "core/explore/worker/step_features.h"
#include "core/kernel/program.h"
#include "core/problem/run_json.h"
#include "core/schedule/precision.h"

namespace thallo {

struct NoAnswer {};

struct OpenedProblem {
  DeviceRecord device;  // without the device, only its backend
  ProblemRecord problem;
  std::string architecture;
  std::string spec;  // device_spec_text() of the device that predictions are made for
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
  double loop_bytes = 0;                             // that a linear iteration touches
  std::vector<SchedulePrediction> predictions = {};  // their device is not set
  std::vector<PreparedStep> steps = {};
  std::vector<KernelRecord> kernels = {};  // their compiler is not set
};

struct TimedStep {
  std::string key;
  std::vector<double> hot, evicted;  // seconds per run, one sample per batch
  std::string fault;                 // why there are no samples
  std::string uuid = {};             // DeviceInfo::uuid
};

// A step that launches a kernel.
struct KernelLaunch {
  Phase phase = Phase::Setup;
  std::string label;      // "apply_jtjp [fit]"
  StepFeatures features;  // of one launch
};

// What is known about a kernel once it is compiled.
struct KernelResources {
  bool from_cache = false;
  double seconds = 0;  // compiling, or reading from the cache
  std::string warnings;
  int registers = 0;  // per thread; 0 if unknown
  int spill_bytes = 0;
  int shared_bytes = 0;  // per block
};

struct KernelText {
  std::size_t kernel = 0;  // its position in the program
  std::string role;        // the name of the function: "apply_jtjp"
  std::string label;       // "apply_jtjp [fit]"
  std::string key;         // canonical key (core/kernel/emit.h), hex
  // CUDA or C as people read it (readable_text()); for the interpreter the loop nest.
  std::string preamble, text;
  // For each line of `text`: the lines of the energy's text that it comes from (readable_text()).
  std::vector<std::vector<int>> lines_of;
  std::vector<std::string> slots;    // what the arguments of the text stand for: "x = X over (W)"
  std::optional<int> block_threads;  // CUDA
  std::vector<KernelLaunch> launches;
  std::optional<KernelResources> compiled;  // absent if compiling was not requested
};

struct KernelsAnswer {
  std::string schedule;  // as text
  std::string backend;
  std::string architecture;
  std::size_t num_kernels = 0;
};

// An iteration of a run, sent when it is finished.
struct RunIteration {
  int solve = 0;  // from 0
  IterationRecord record;
};

struct RunAnswer {
  RunRecord run;
  std::string device;
  std::vector<WrittenFile> files;
  bool cancelled = false;  // true if the run was cancelled and the result is partial
};

}  // namespace thallo
