#pragma once

// The fields of the records of the measurement store (store_records.h) in JSON, each declared once
// for reading and for writing (core/base/json_fields.h). The third argument of a field is the first
// format of exported files (store_json.h) that has it, if that is not 1.

#include "core/base/json_fields.h"
#include "core/explore/store/store_records.h"

namespace thallo {

inline Expected<CacheState> parse_as(std::string_view text, CacheState) {
  return parse_cache_state(text);
}
inline Expected<ResultKind> parse_as(std::string_view text, ResultKind) {
  return parse_result_kind(text);
}
inline Expected<ResultStatus> parse_as(std::string_view text, ResultStatus) {
  return parse_result_status(text);
}
inline Expected<SearchEnding> parse_as(std::string_view text, SearchEnding) {
  return parse_search_ending(text);
}
inline Expected<SearchFigure::Unit> parse_as(std::string_view text, SearchFigure::Unit) {
  return parse_figure_unit(text);
}

template <class Fields>
void visit_fields(DeviceRecord& r, Fields&& fields) {
  fields("signature", r.signature);
  fields("name", r.name);
  fields("backend", r.backend);
  fields("spec", r.spec, 4);
}
template <class Fields>
void visit_fields(ProblemRecord& r, Fields&& fields) {
  fields("signature", r.signature);
  fields("name", r.name);
  fields("options", r.options);
  fields("title", r.title);
}
template <class Fields>
void visit_fields(SpaceRecord& r, Fields&& fields) {
  fields("id", r.id);
  fields("description", r.description);
}
template <class Fields>
void visit_fields(KernelRecord& r, Fields&& fields) {
  fields("key", r.key);
  fields("compiler", r.compiler);
  fields("role", r.role);
  fields("registers", r.registers);
  fields("spill_bytes", r.spill_bytes);
  fields("shared_bytes", r.shared_bytes, 2);
  fields("compile_seconds", r.compile_seconds, 2);
  fields("reason", r.reason);
}
template <class Fields>
void visit_fields(StepRecord& r, Fields&& fields) {
  fields("problem", r.problem);
  fields("key", r.key);
  fields("label", r.label);
  fields("features", r.features);
  fields("kernel", r.kernel, 2);
}
template <class Fields>
void visit_fields(Origin& r, Fields&& fields) {
  fields("commit", r.commit);
  fields("unix_seconds", r.unix_seconds);
  fields("uuid", r.uuid, 5);
}
template <class Fields>
void visit_fields(StepSamples& r, Fields&& fields) {
  fields("problem", r.slot.problem);
  fields("device", r.slot.device);
  fields("key", r.slot.key);
  fields("cache", r.slot.cache);
  fields("seconds", r.seconds);
  fields("reason", r.reason);
  visit_fields(r.origin, fields);
}
template <class Fields>
void visit_fields(SchedulePlace& r, Fields&& fields) {
  fields("space", r.space);
  fields("index", r.index);
}
template <class Fields>
void visit_fields(SchedulePrediction& r, Fields&& fields) {
  fields("device", r.device);
  fields("model", r.model);
  fields("nonlinear_seconds", r.nonlinear_seconds);
  fields("linear_seconds", r.linear_seconds);
}
template <class Fields>
void visit_fields(StepUse& r, Fields&& fields) {
  fields("device", r.device);
  fields("key", r.key);
  fields("runs", r.runs);
  fields("predicted_seconds", r.predicted_seconds);
}
template <class Fields>
void visit_fields(Decision& r, Fields&& fields) {
  fields("construct", r.construct);
  fields("site", r.site);
  fields("choice", r.choice);
}
template <class Fields>
void visit_fields(ScheduleRecord& r, Fields&& fields) {
  fields("problem", r.problem);
  fields("hash", r.hash);
  fields("text", r.text);
  fields("bytes", r.bytes);
  fields("places", r.places);
  fields("predictions", r.predictions);
  fields("steps", r.steps, 2);
  fields("decisions", r.decisions, 3);
  fields("loop_bytes", r.loop_bytes, 4);
}
template <class Fields>
void visit_fields(CostPoint& r, Fields&& fields) {
  fields("seconds", r.seconds);
  fields("cost", r.cost);
}
template <class Fields>
void visit_fields(ScheduleResult& r, Fields&& fields) {
  fields("problem", r.slot.problem);
  fields("device", r.slot.device);
  fields("schedule", r.slot.schedule);
  fields("kind", r.slot.kind);
  fields("status", r.status);
  fields("reason", r.reason);
  fields("nonlinear_seconds", r.nonlinear_seconds);
  fields("linear_seconds", r.linear_seconds);
  fields("linear_iterations", r.linear_iterations);
  fields("samples", r.samples);
  fields("trace", r.trace);
  fields("verification_error", r.verification_error);
  fields("small_error", r.small_error, 2);
  visit_fields(r.origin, fields);
}
template <class Fields>
void visit_fields(SearchFigure& r, Fields&& fields) {
  fields("name", r.name);
  fields("value", r.value);
  fields("unit", r.unit);
}
template <class Fields>
void visit_fields(SearchEvent& r, Fields&& fields) {
  fields("at", r.at);
  fields("schedule", r.schedule);
  fields("seconds", r.seconds);
  fields("was_known", r.was_known);
}
template <class Fields>
void visit_fields(SearchRunRecord& r, Fields&& fields) {
  fields("id", r.id);
  fields("problem", r.request.problem);
  fields("device", r.request.device);
  fields("search", r.request.search);
  fields("space", r.request.space);
  fields("options", r.request.options);
  fields("settings", r.request.settings);
  fields("seed", r.request.seed);
  fields("kind", r.request.kind);
  fields("budget", r.budget);
  visit_fields(r.origin, fields);
  fields("seconds", r.state.seconds);
  fields("ending", r.state.ending);
  fields("figures", r.state.figures);
  fields("events", r.events);
}

}  // namespace thallo
