// What the measurement store (store.h) keeps, as plain values. Some records describe: devices,
// problems, spaces, kernels, steps, schedules. The others are results: the times of a step, the
// times of a schedule. All names that refer from one record to another are texts: signatures, keys,
// hashes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"

namespace thallo {

struct DeviceRecord {
  std::string signature;  // of the device and what compiles for it, as its backend tells
  std::string name;       // "NVIDIA H200"
  std::string backend;    // "cuda"

  friend bool operator==(const DeviceRecord&, const DeviceRecord&) = default;
};

struct ProblemRecord {
  std::string signature;  // problem_signature()
  std::string name;       // "image_warping"
  std::string options;    // Options::text()
  std::string title;      // Instance::title

  friend bool operator==(const ProblemRecord&, const ProblemRecord&) = default;
};

// A space of schedules.
struct SpaceRecord {
  std::string id;  // IndexedSpace::id()
  std::string description;

  friend bool operator==(const SpaceRecord&, const SpaceRecord&) = default;
};

// A kernel as a compiler made it.
struct KernelRecord {
  std::string key;       // StepInfo::key
  std::string compiler;  // with its version, options and target: DeviceRecord::signature
  std::string role;      // CompiledKernel::role
  // Absent where kernels have none (cpu, interpreter) or nothing could be read of them.
  std::optional<std::int64_t> registers = {};     // of a thread
  std::optional<std::int64_t> spill_bytes = {};   // of a thread
  std::optional<std::int64_t> shared_bytes = {};  // of a block
  std::optional<double> compile_seconds = {};
  std::string reason = {};  // why it does not compile; empty when it does

  friend bool operator==(const KernelRecord&, const KernelRecord&) = default;
};

// A step of programs of one problem: a kernel by its key, or a library's operation, a clear or a
// dense solve by a text with its kind, format and sizes.
struct StepRecord {
  std::string problem;
  std::string key;
  std::string label;        // StepInfo::label, of the program that it was first met in
  std::string features;     // what cost models learn from, as JSON; empty when not known
  std::string kernel = {};  // KernelRecord::key; empty for what is none, or not known

  friend bool operator==(const StepRecord&, const StepRecord&) = default;
};

// What the caches of the device hold when a step begins: what the step before it left, or nothing
// that it reads.
enum class CacheState { Hot, Evicted };
std::string_view to_string(CacheState state);  // "hot", "evicted"
Expected<CacheState> parse_cache_state(std::string_view text);

// By which build and when something was measured.
struct Origin {
  std::string commit;
  std::int64_t unix_seconds = 0;

  friend bool operator==(const Origin&, const Origin&) = default;
};

// What a StepSamples is of. The store has at most one for each.
struct StepSlot {
  std::string problem;
  std::string device;
  std::string key;
  CacheState cache = CacheState::Hot;

  friend bool operator==(const StepSlot&, const StepSlot&) = default;
};

struct StepSamples {
  StepSlot slot;
  std::vector<double> seconds;  // of one run of the step, in the order of measuring
  std::string reason = {};      // why there are none; empty when there are
  Origin origin = {};

  bool is_ok() const { return reason.empty(); }
  friend bool operator==(const StepSamples&, const StepSamples&) = default;
};

// Where a schedule lies in a space; without a number where the space is not numbered.
struct SchedulePlace {
  std::string space;
  std::optional<std::string> index;  // decimal, below the space's size

  friend bool operator==(const SchedulePlace&, const SchedulePlace&) = default;
};

// What a cost model expects; infinite when the schedule's data do not fit in memory.
struct SchedulePrediction {
  std::string device;
  std::string model;
  double nonlinear_seconds = 0;  // of a nonlinear iteration with its linear iterations
  double linear_seconds = 0;     // of a linear iteration

  friend bool operator==(const SchedulePrediction&, const SchedulePrediction&) = default;
};

// A step that a schedule's program has on a device.
struct StepUse {
  std::string device;
  std::string key;                               // StepRecord::key
  double runs = 0;                               // in a nonlinear iteration
  std::optional<double> predicted_seconds = {};  // of one run, by the model of the exploration

  friend bool operator==(const StepUse&, const StepUse&) = default;
};

struct ScheduleRecord {
  std::string problem;
  std::string hash;        // Schedule::hash(), hex
  std::string text;        // Schedule::text()
  std::int64_t bytes = 0;  // all memory that its program needs on a device
  std::vector<SchedulePlace> places = {};
  std::vector<SchedulePrediction> predictions = {};
  std::vector<StepUse> steps = {};  // of schedules that were run end to end

  friend bool operator==(const ScheduleRecord&, const ScheduleRecord&) = default;
};

// Composed: the sum of the times of its steps. EndToEnd: whole solves were timed.
enum class ResultKind { Composed, EndToEnd };
std::string_view to_string(ResultKind kind);  // "composed", "end_to_end"
Expected<ResultKind> parse_result_kind(std::string_view text);

enum class ResultStatus {
  Ok,
  Mismatch,  // it computes something else than the energy defines
  DoesNotCompile,
  OutOfMemory,
  Timeout,
  Crash,
  NotRun
};
// "ok", "mismatch", "does_not_compile", "out_of_memory", "timeout", "crash", "not_run"
std::string_view to_string(ResultStatus status);
Expected<ResultStatus> parse_result_status(std::string_view text);

// What a ScheduleResult is of. The store has at most one for each.
struct ScheduleSlot {
  std::string problem;
  std::string device;
  std::string schedule;  // ScheduleRecord::hash
  ResultKind kind = ResultKind::Composed;

  friend bool operator==(const ScheduleSlot&, const ScheduleSlot&) = default;
};

struct CostPoint {
  double seconds = 0;  // since the solve began
  double cost = 0;

  friend bool operator==(const CostPoint&, const CostPoint&) = default;
};

struct ScheduleResult {
  ScheduleSlot slot;
  ResultStatus status = ResultStatus::Ok;
  std::string reason = {};            // of every status but Ok
  double nonlinear_seconds = 0;       // of a nonlinear iteration with its linear iterations
  double linear_seconds = 0;          // of a linear iteration
  double linear_iterations = 0;       // of a nonlinear iteration, on average
  std::vector<double> samples = {};   // seconds of a nonlinear iteration in each solve
  std::vector<CostPoint> trace = {};  // entry i is after i nonlinear iterations
  // The largest relative error of what it computes, infinite where it computes no number; absent
  // where that was not verified.
  std::optional<double> verification_error = {};
  // The same on the small instance of its problem, compared with what the energy defines.
  std::optional<double> small_error = {};
  Origin origin = {};

  bool is_ok() const { return status == ResultStatus::Ok; }
  friend bool operator==(const ScheduleResult&, const ScheduleResult&) = default;
};

using ResultSlot = std::variant<StepSlot, ScheduleSlot>;

// In an order in which every record comes after those that it refers to.
using StoreRecord = std::variant<DeviceRecord, ProblemRecord, SpaceRecord, KernelRecord, StepRecord,
                                 StepSamples, ScheduleRecord, ScheduleResult>;

// Fails for a record that means nothing: a name that is empty, a time that is negative or no
// number, an ok result without times or a failed one without a reason.
Expected<void> check_record(const StoreRecord& record);

}  // namespace thallo
