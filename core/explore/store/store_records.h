// The contents of the measurement store (store.h), as plain values. Some records are descriptions:
// devices, problems, spaces, kernels, steps, schedules. The others are results: the times of a
// step, the times of a schedule, and what a search found and when. Records refer to each other by
// text: signatures, keys, hashes.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/enum_names.h"
#include "core/base/fields.h"
#include "core/explore/space/decision.h"
#include "core/search/search_figure.h"

namespace thallo {

struct DeviceRecord {
  // Of the kind of device and its compiler, as the backend reports it.
  std::string signature;
  std::string name;     // "NVIDIA H200"
  std::string backend;  // "cuda"
  // device_spec_text() of what predictions were last made for (core/cost/device/spec_file.h); empty
  // if an earlier version wrote the record.
  std::string spec = {};

  friend bool operator==(const DeviceRecord&, const DeviceRecord&) = default;
};
THALLO_FIELDS(DeviceRecord, signature, name, backend, spec)

struct ProblemRecord {
  std::string signature;  // problem_signature()
  std::string name;       // "image_warping"
  std::string options;    // Options::text()
  std::string title;      // Instance::title

  friend bool operator==(const ProblemRecord&, const ProblemRecord&) = default;
};
THALLO_FIELDS(ProblemRecord, signature, name, options, title)

// A space of schedules.
struct SpaceRecord {
  std::string id;  // IndexedSpace::id()
  std::string description;

  friend bool operator==(const SpaceRecord&, const SpaceRecord&) = default;
};
THALLO_FIELDS(SpaceRecord, id, description)

// A kernel as a compiler made it.
struct KernelRecord {
  std::string key;       // StepInfo::key
  std::string compiler;  // with version, options and target: DeviceRecord::signature
  std::string role;      // CompiledKernel::role
  // Absent if kernels have no such numbers (cpu, interpreter), or if they could not be read.
  std::optional<std::int64_t> registers = {};     // of a thread
  std::optional<std::int64_t> spill_bytes = {};   // of a thread
  std::optional<std::int64_t> shared_bytes = {};  // of a block
  std::optional<double> compile_seconds = {};
  std::string reason = {};  // why the kernel does not compile; empty if it does

  friend bool operator==(const KernelRecord&, const KernelRecord&) = default;
};
THALLO_FIELDS(KernelRecord, key, compiler, role, registers, spill_bytes, shared_bytes,
              compile_seconds, reason)

// A step of the programs of one problem. A kernel is identified by its key; a library operation, a
// clear or a dense solve by a text with its kind, format and sizes.
struct StepRecord {
  std::string problem;
  std::string key;
  std::string label;  // StepInfo::label in the program where it first occurred
  // The input of cost models, as text_of() writes it (core/explore/worker/recorded_work.h); that of
  // an earlier version is not understood, and an empty one is unknown.
  std::string features;
  std::string kernel = {};  // KernelRecord::key; empty if unknown or no kernel

  friend bool operator==(const StepRecord&, const StepRecord&) = default;
};
THALLO_FIELDS(StepRecord, problem, key, label, features, kernel)

// What the caches of the device hold when a step begins: what the previous step left (Hot), or
// nothing that this step reads (Evicted).
enum class CacheState { Hot, Evicted };
template <>
inline constexpr EnumNames enum_names<CacheState> = {"state of the caches", {"hot", "evicted"}};

// Says which build measured something, when, and on which device.
struct Origin {
  std::string commit;
  std::int64_t unix_seconds = 0;
  std::string uuid = {};  // DeviceInfo::uuid; empty if unknown, and for sums over steps

  friend bool operator==(const Origin&, const Origin&) = default;
};
THALLO_FIELDS(Origin, commit, unix_seconds, uuid)
template <>
inline constexpr bool is_flat<Origin> = true;

// Identifies a StepSamples. The store has at most one for each slot.
struct StepSlot {
  std::string problem;
  std::string device;
  std::string key;
  CacheState cache = CacheState::Hot;

  friend auto operator<=>(const StepSlot&, const StepSlot&) = default;
};
THALLO_FIELDS(StepSlot, problem, device, key, cache)
template <>
inline constexpr bool is_flat<StepSlot> = true;

struct StepSamples {
  StepSlot slot;
  std::vector<double> seconds;  // of one run of the step, in measuring order
  std::string reason = {};      // why there are no samples; empty if there are
  Origin origin = {};

  bool is_ok() const { return reason.empty(); }
  friend bool operator==(const StepSamples&, const StepSamples&) = default;
};
THALLO_FIELDS(StepSamples, slot, seconds, reason, origin)

// The place of a schedule in a space. It has no number if the space is not numbered.
struct SchedulePlace {
  std::string space;
  std::optional<std::string> index;  // decimal, below the space's size

  friend bool operator==(const SchedulePlace&, const SchedulePlace&) = default;
};
THALLO_FIELDS(SchedulePlace, space, index)

// What a cost model predicts; infinite if the schedule's data do not fit into memory.
struct SchedulePrediction {
  std::string device;
  std::string model;
  double nonlinear_seconds = 0;  // per nonlinear iteration, with its linear iterations
  double linear_seconds = 0;     // per linear iteration

  friend bool operator==(const SchedulePrediction&, const SchedulePrediction&) = default;
};
THALLO_FIELDS(SchedulePrediction, device, model, nonlinear_seconds, linear_seconds)

// A step of a schedule's program on a device.
struct StepUse {
  std::string device;
  std::string key;                               // StepRecord::key
  double runs = 0;                               // per nonlinear iteration
  std::optional<double> predicted_seconds = {};  // per run, by the exploration's cost model

  friend bool operator==(const StepUse&, const StepUse&) = default;
};
THALLO_FIELDS(StepUse, device, key, runs, predicted_seconds)

struct ScheduleRecord {
  std::string problem;
  std::string hash;        // Schedule::hash(), hex
  std::string text;        // Schedule::text()
  std::int64_t bytes = 0;  // memory that its program needs on a device, in total
  // Bytes that a linear iteration touches; absent if an earlier version wrote the record.
  std::optional<double> loop_bytes = {};
  std::vector<SchedulePlace> places = {};
  std::vector<SchedulePrediction> predictions = {};
  std::vector<StepUse> steps = {};  // set if the schedule was composed or solved
  // The decisions of the text, in its order. A record with a text and without decisions was written
  // by an earlier version.
  std::vector<Decision> decisions = {};

  friend bool operator==(const ScheduleRecord&, const ScheduleRecord&) = default;
};
THALLO_FIELDS(ScheduleRecord, problem, hash, text, bytes, places, predictions, steps, decisions,
              loop_bytes)

// Composed: the sum of the times of the schedule's steps. EndToEnd: whole solves were timed.
enum class ResultKind { Composed, EndToEnd };
template <>
inline constexpr EnumNames enum_names<ResultKind> = {"kind of results", {"composed", "end_to_end"}};

enum class ResultStatus {
  Ok,
  Mismatch,  // its results differ from what the energy defines
  DoesNotCompile,
  OutOfMemory,
  Timeout,
  Crash,
  NotRun
};
template <>
inline constexpr EnumNames enum_names<ResultStatus> = {
    "status of results",
    {"ok", "mismatch", "does_not_compile", "out_of_memory", "timeout", "crash", "not_run"}};

// Identifies a ScheduleResult. The store has at most one for each slot.
struct ScheduleSlot {
  std::string problem;
  std::string device;
  std::string schedule;  // ScheduleRecord::hash
  ResultKind kind = ResultKind::Composed;

  friend auto operator<=>(const ScheduleSlot&, const ScheduleSlot&) = default;
};
THALLO_FIELDS(ScheduleSlot, problem, device, schedule, kind)
template <>
inline constexpr bool is_flat<ScheduleSlot> = true;

struct CostPoint {
  double seconds = 0;  // since the solve began
  double cost = 0;

  friend bool operator==(const CostPoint&, const CostPoint&) = default;
};
THALLO_FIELDS(CostPoint, seconds, cost)

struct ScheduleResult {
  ScheduleSlot slot;
  ResultStatus status = ResultStatus::Ok;
  std::string reason = {};            // set for every status but Ok
  double nonlinear_seconds = 0;       // per nonlinear iteration, with its linear iterations
  double linear_seconds = 0;          // per linear iteration
  double linear_iterations = 0;       // per nonlinear iteration, on average
  std::vector<double> samples = {};   // seconds per nonlinear iteration, one for each solve
  std::vector<CostPoint> trace = {};  // entry i is the state after i nonlinear iterations
  // The largest relative error of its results; infinite if a result is not a number, absent if they
  // were not verified.
  std::optional<double> verification_error = {};
  // The largest error on the small instance of the problem, compared with what the energy defines.
  std::optional<double> small_error = {};
  Origin origin = {};

  bool is_ok() const { return status == ResultStatus::Ok; }
  friend bool operator==(const ScheduleResult&, const ScheduleResult&) = default;
};
THALLO_FIELDS(ScheduleResult, slot, status, reason, nonlinear_seconds, linear_seconds,
              linear_iterations, samples, trace, verification_error, small_error, origin)

// What was asked of a search. Runs that differ in their seeds alone are runs of one kind.
struct SearchRequest {
  std::string problem;
  std::string device;
  std::string search;  // its name
  std::string space;   // SpaceRecord::id; the space's name if its schedules have no numbers
  std::map<std::string, std::string> options = {};  // all options of the search
  std::map<std::string, std::string> settings =
      {};  // what else decides what it proposes: "samples"
  std::uint64_t seed = 1;
  ResultKind kind = ResultKind::Composed;  // of the times by which schedules are compared

  friend bool operator==(const SearchRequest&, const SearchRequest&) = default;
};
THALLO_FIELDS(SearchRequest, problem, device, search, space, options, settings, seed, kind)
template <>
inline constexpr bool is_flat<SearchRequest> = true;

// A schedule that got a time.
struct SearchEvent {
  double at = 0;           // seconds since the run began
  std::string schedule;    // ScheduleRecord::hash
  double seconds = 0;      // of a nonlinear iteration
  bool was_known = false;  // true if the store had its time before

  friend bool operator==(const SearchEvent&, const SearchEvent&) = default;
};
THALLO_FIELDS(SearchEvent, at, schedule, seconds, was_known)

enum class SearchEnding {
  Open,       // it has not ended, or was killed
  Finished,   // it proposed all that it proposes
  OutOfTime,  // its budget was used up
  Cancelled   // by a person, or by a fault
};
template <>
inline constexpr EnumNames enum_names<SearchEnding> = {
    "ending of a search", {"open", "finished", "out_of_time", "cancelled"}};

// How far a run got.
struct SearchState {
  double seconds = 0;  // since it began, without pauses
  SearchEnding ending = SearchEnding::Open;
  SearchFigures figures = {};  // what the search last reported about itself

  friend bool operator==(const SearchState&, const SearchState&) = default;
};
THALLO_FIELDS(SearchState, seconds, ending, figures)
template <>
inline constexpr bool is_flat<SearchState> = true;

// A run of a search: what it found, and when.
struct SearchRunRecord {
  std::string id;  // unlike that of any other run in any store
  SearchRequest request;
  std::optional<double> budget = {};  // seconds
  Origin origin = {};                 // the build that began it, and when
  SearchState state = {};
  std::vector<SearchEvent> events = {};  // in their order

  friend bool operator==(const SearchRunRecord&, const SearchRunRecord&) = default;
};
THALLO_FIELDS(SearchRunRecord, id, request, budget, origin, state, events)

using ResultSlot = std::variant<StepSlot, ScheduleSlot>;

// Ordered so that records come after those that they refer to.
using StoreRecord = std::variant<DeviceRecord, ProblemRecord, SpaceRecord, KernelRecord, StepRecord,
                                 StepSamples, ScheduleRecord, ScheduleResult, SearchRunRecord>;

// Fails if a record is invalid: a name is empty, a time is negative or not a number, a successful
// result has no times, a failed one has no reason, or the events of a run are not in their order.
Expected<void> check_record(const StoreRecord& record);

}  // namespace thallo
