#pragma once

// The fields of the messages from and to workers in JSON, each declared once for reading and for
// writing (core/base/json_fields.h).

#include "core/explore/store/record_fields.h"
#include "core/explore/worker/answers.h"
#include "core/explore/worker/messages.h"
#include "core/explore/worker/requests.h"
#include "core/problem/run_fields.h"

namespace thallo {

inline Expected<WrittenFile::Kind> parse_as(std::string_view text, WrittenFile::Kind) {
  return parse_written_kind(text);
}

template <class Fields>
void visit_fields(StepFeatures& r, Fields&& fields) {
  fields("points", r.points);
  fields("flops", r.flops);
  fields("loads", r.loads);
  fields("reads", r.reads);
  fields("writes", r.writes);
  fields("scatters", r.scatters);
  fields("atomics", r.atomics);
  fields("must_read", r.must_read);
  fields("must_write", r.must_write);
}
template <class Fields>
void visit_fields(SourceText& r, Fields&& fields) {
  fields("name", r.name);
  fields("source", r.source);
}
template <class Fields>
void visit_fields(PassOptions& r, Fields&& fields) {
  for (const PassInfo& pass : all_passes()) fields(pass.name.data(), r.*pass.is_on);
}
template <class Fields>
void visit_fields(ExplorationTarget& r, Fields&& fields) {
  fields("problem", r.problem);
  fields("bindings", r.bindings);
  fields("options", r.options);
  fields("backend", r.backend);
  fields("device", r.device);
  fields("device_spec", r.device_spec);
  fields("model", r.model);
  fields("precision", r.precision);
  fields("solver_options", r.solver_options);
  fields("sites", r.sites);
  fields("passes", r.passes);
  fields("memory_limit", r.memory_limit);
  fields("num_threads", r.num_threads);
  fields("plugin_path", r.plugin_path);
}

// The names of the alternatives of WorkerRequest, in their order.
constexpr const char* RequestNames[] = {"open",  "prepare", "kernels", "time",
                                        "solve", "run",     "cancel"};
static_assert(std::size(RequestNames) == std::variant_size_v<WorkerRequest>);

template <class Fields>
void visit_fields(OpenRequest& r, Fields&& fields) {
  fields("target", r.target);
  fields("device", r.device);
  fields("architecture", r.architecture);
  fields("spec", r.spec);
}
template <class Fields>
void visit_fields(PrepareRequest& r, Fields&& fields) {
  fields("schedule", r.schedule);
}
template <class Fields>
void visit_fields(KernelsRequest& r, Fields&& fields) {
  fields("schedule", r.schedule);
  fields("compile", r.compile);
}
template <class Fields>
void visit_fields(TimeRequest& r, Fields&& fields) {
  fields("schedule", r.schedule);
  fields("keys", r.keys);
}
template <class Fields>
void visit_fields(SolveRequest& r, Fields&& fields) {
  fields("schedule", r.schedule);
  fields("solves", r.solves);
}
template <class Fields>
void visit_fields(RunOrder& r, Fields&& fields) {
  fields("target", r.target);
  fields("schedule", r.schedule);
  fields("folder", r.folder);
}
template <class Fields>
void visit_fields(CancelRequest&, Fields&&) {}

template <class Fields>
void visit_fields(NoAnswer&, Fields&&) {}
template <class Fields>
void visit_fields(IterationCounts& r, Fields&& fields) {
  fields("linear_iterations", r.linear_iterations);
  fields("reset_period", r.reset_period);
}
template <class Fields>
void visit_fields(OpenedProblem& r, Fields&& fields) {
  fields("device", r.device);
  fields("problem", r.problem);
  fields("architecture", r.architecture);
  fields("spec", r.spec);
  fields("precision", r.precision);
  fields("counts", r.counts);
}
template <class Fields>
void visit_fields(PreparedStep& r, Fields&& fields) {
  fields("key", r.key);
  fields("label", r.label);
  fields("phase", r.phase);
  fields("kernel", r.kernel);
  fields("features", r.features);
  fields("predicted", r.predicted);
}
template <class Fields>
void visit_fields(PreparedSchedule& r, Fields&& fields) {
  fields("bytes", r.bytes);
  fields("loop_bytes", r.loop_bytes);
  fields("predictions", r.predictions);
  fields("steps", r.steps);
  fields("kernels", r.kernels);
}
template <class Fields>
void visit_fields(TimedStep& r, Fields&& fields) {
  fields("key", r.key);
  fields("hot", r.hot);
  fields("evicted", r.evicted);
  fields("fault", r.fault);
  fields("uuid", r.uuid);
}
template <class Fields>
void visit_fields(KernelLaunch& r, Fields&& fields) {
  fields("phase", r.phase);
  fields("label", r.label);
  fields("features", r.features);
}
template <class Fields>
void visit_fields(KernelResources& r, Fields&& fields) {
  fields("from_cache", r.from_cache);
  fields("seconds", r.seconds);
  fields("warnings", r.warnings);
  fields("registers", r.registers);
  fields("spill_bytes", r.spill_bytes);
  fields("shared_bytes", r.shared_bytes);
}
template <class Fields>
void visit_fields(KernelText& r, Fields&& fields) {
  fields("kernel", r.kernel);
  fields("role", r.role);
  fields("label", r.label);
  fields("key", r.key);
  fields("preamble", r.preamble);
  fields("text", r.text);
  fields("lines_of", r.lines_of);
  fields("slots", r.slots);
  fields("block_threads", r.block_threads);
  fields("launches", r.launches);
  fields("compiled", r.compiled);
}
template <class Fields>
void visit_fields(KernelsAnswer& r, Fields&& fields) {
  fields("schedule", r.schedule);
  fields("backend", r.backend);
  fields("architecture", r.architecture);
  fields("kernels", r.num_kernels);
}
template <class Fields>
void visit_fields(RunIteration& r, Fields&& fields) {
  fields("solve", r.solve);
  fields("record", r.record);
}
template <class Fields>
void visit_fields(WrittenFile& r, Fields&& fields) {
  fields("kind", r.kind);
  fields("path", r.path);
  fields("caption", r.caption);
}
template <class Fields>
void visit_fields(RunAnswer& r, Fields&& fields) {
  fields("run", r.run);
  fields("device", r.device);
  fields("files", r.files);
  fields("cancelled", r.cancelled);
}

template <class Fields>
void visit_fields(WorkerDoing& r, Fields&& fields) {
  fields("what", r.what);
  fields("step", r.step);
  fields("solve", r.solve);
}
template <class Fields>
void visit_fields(WorkerFault& r, Fields&& fields) {
  fields("reason", r.reason);
  fields("status", r.status);
  fields("cancelled", r.is_cancelled);
}

}  // namespace thallo
