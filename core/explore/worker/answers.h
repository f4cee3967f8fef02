#pragma once

// The answers of workers, and the parts of answers.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/backend/backend.h"
#include "core/base/fields.h"
#include "core/cost/model/cost_model.h"
#include "core/explore/store/store_records.h"
#include "core/kernel/program.h"
#include "core/problem/run_json.h"
#include "core/schedule/precision.h"
#include "core/solve/iteration_profile.h"

namespace thallo {

struct NoAnswer {};

THALLO_FIELDS(IterationCounts, linear_iterations, reset_period)

struct OpenedProblem {
  DeviceRecord device;  // without the device, only its backend
  ProblemRecord problem;
  std::string architecture;
  std::string spec;  // device_spec_text() of the device that predictions are made for
  Precision precision = Precision::Float;
  IterationCounts counts;
};
THALLO_FIELDS(OpenedProblem, device, problem, architecture, spec, precision, counts)

// A step of a schedule's program.
struct PreparedStep {
  std::string key;  // step_key.h
  std::string label;
  Phase phase = Phase::Setup;
  std::string kernel = {};                       // KernelRecord::key; empty if no kernel
  std::string features = {};                     // StepRecord::features
  std::map<std::string, double> predicted = {};  // seconds per run, by model
};
THALLO_FIELDS(PreparedStep, key, label, phase, kernel, features, predicted)

struct PreparedSchedule {
  double bytes = 0;
  double loop_bytes = 0;                             // that a linear iteration touches
  std::vector<SchedulePrediction> predictions = {};  // their device is not set
  std::vector<PreparedStep> steps = {};
  std::vector<KernelRecord> kernels = {};  // their compiler is not set
  std::vector<std::string> spilling = {};  // labels of the kernels that spill registers
};
THALLO_FIELDS(PreparedSchedule, bytes, loop_bytes, predictions, steps, kernels, spilling)

struct TimedStep {
  std::string key;
  std::vector<double> hot, evicted;  // seconds per run, one sample per batch
  std::string fault;                 // why there are no samples
  std::string uuid = {};             // DeviceInfo::uuid
};
THALLO_FIELDS(TimedStep, key, hot, evicted, fault, uuid)

// A step that launches a kernel, with what one launch does (core/kernel/features.h).
struct KernelLaunch {
  Phase phase = Phase::Setup;
  std::string label;  // "apply_jtjp [fit]"
  double flops = 0;
  double must_move = 0;  // bytes
  double atomics = 0;    // operations
};
THALLO_FIELDS(KernelLaunch, phase, label, flops, must_move, atomics)

// What is known about a kernel once it is compiled.
THALLO_FIELDS(CompiledKernel, from_cache, compile_seconds, warnings, registers, spill_bytes,
              shared_bytes)

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
  std::optional<CompiledKernel> compiled;  // absent if compiling was not requested
};
THALLO_FIELDS(KernelText, kernel, role, label, key, preamble, text, lines_of, slots, block_threads,
              launches, compiled)

struct KernelsAnswer {
  std::string schedule;  // as text
  std::string backend;
  std::string architecture;
  std::size_t num_kernels = 0;
};
THALLO_FIELDS(KernelsAnswer, schedule, backend, architecture, num_kernels)

// An iteration of a run, sent when it is finished.
struct RunIteration {
  int solve = 0;  // from 0
  IterationRecord record;
};
THALLO_FIELDS(RunIteration, solve, record)

THALLO_FIELDS(WrittenFile, kind, path, caption)

struct RunAnswer {
  RunRecord run;
  std::string device;
  std::vector<WrittenFile> files;
  bool cancelled = false;  // true if the run was cancelled and the result is partial
};
THALLO_FIELDS(RunAnswer, run, device, files, cancelled)

// Seconds are of the wall clock.
struct TimedChoice {
  std::string device;         // that it is chosen for
  std::size_t num_nodes = 0;  // of the energy
  std::string schedule;       // as text
  double seconds = 0;         // of choosing, with what is found out about the energy
  double again_seconds = 0;   // of choosing once more, with that and the prices known
  // Of a nonlinear iteration, by the name of the schedule: auto, default and opt.
  std::map<std::string, double> predicted = {};
  std::size_t num_plans = 0;  // that were drawn and have a program
  double price_seconds = 0;   // of pricing them, without drawing them
};
THALLO_FIELDS(TimedChoice, device, num_nodes, schedule, seconds, again_seconds, predicted,
              num_plans, price_seconds)

struct TimedReading {
  double cpu_seconds = 0;
};
THALLO_FIELDS(TimedReading, cpu_seconds)

struct DrawnPicture {
  std::string svg;  // the content of a file
};
THALLO_FIELDS(DrawnPicture, svg)

}  // namespace thallo
