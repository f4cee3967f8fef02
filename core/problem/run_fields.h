// The fields of a finished run (run_json.h) in JSON.
#pragma once

#include "core/base/json_fields.h"
#include "core/problem/run_json.h"

namespace thallo {

inline Expected<Precision> parse_as(std::string_view text, Precision) {
  for (const Precision precision : AllPrecisions)
    if (text == to_string(precision)) return precision;
  return fail("there is no precision '{}'", text);
}

THALLO_FIELDS(IterationRecord, iteration, cost, cost_change, gradient_max, step_norm,
              relative_decrease, radius, linear_iterations, failed_blocks, accepted, loose, seconds,
              total_seconds)

THALLO_FIELDS(SecondsSpread, count, min, max, mean, deviation)

THALLO_FIELDS(SolverTimes, total, iteration, linearize, linear, resolve)

template <class Fields>
void visit_fields(SolveRecord& r, Fields&& fields) {
  fields("initial_cost", r.initial_cost);
  fields("final_cost", r.final_cost);
  fields("initial_minimized_cost", r.initial_minimized_cost);
  fields("final_minimized_cost", r.final_minimized_cost);
  fields("unknowns", r.num_unknowns);
  fields("iterations", r.num_iterations);
  fields("accepted", r.num_accepted);
  fields("rejected", r.num_rejected);
  fields("linear_iterations", r.num_linear_iterations);
  fields("loose", r.num_loose);
  fields("termination", r.termination);
  fields("converged", r.converged);
  fields("ending", r.ending);
  fields("warnings", r.warnings);
  fields("why", r.why);
  fields("seconds", r.seconds);
  fields("times", r.times);
  fields("records", r.iterations);
}

THALLO_FIELDS(Metric, name, value, unit)

template <class Fields>
void visit_fields(GroupSummary& r, Fields&& fields) {
  fields("name", r.name);
  fields("cost", r.cost);
  fields("residuals", r.num_residuals);
  fields("inliers", r.num_inliers);
}

template <class Fields>
void visit_fields(MemberSummary& r, Fields&& fields) {
  fields("initial_cost", r.initial_cost);
  fields("final_cost", r.final_cost);
  fields("iterations", r.num_iterations);
  fields("accepted", r.num_accepted);
  fields("termination", r.termination);
}

// The members of a run that are objects of JSON.
struct RunSecondsFields {
  RunRecord& run;
};
struct RunKernelsFields {
  RunRecord& run;
};

template <class Fields>
void visit_fields(RunSecondsFields& r, Fields&& fields) {
  fields("compile", r.run.compile_seconds);
  fields("linearize", r.run.seconds.linearize);
  fields("linear", r.run.seconds.linear);
  fields("cost", r.run.seconds.cost);
  fields("update", r.run.seconds.update);
  fields("solve", r.run.seconds.total);
  fields("total", r.run.total_seconds);
}

template <class Fields>
void visit_fields(RunKernelsFields& r, Fields&& fields) {
  fields("count", r.run.num_kernels);
  fields("from_cache", r.run.num_kernels_from_cache);
}

template <class Fields>
void visit_fields(RunRecord& r, Fields&& fields) {
  fields("problem", r.problem);
  fields("instance", r.instance);
  fields("labels", AsObject<std::string>{r.labels});
  fields("schedule", r.schedule);
  fields("backend", r.backend);
  fields("precision", r.precision);
  fields("why_precision", r.why_precision);
  fields("device", r.facts.device);
  fields("threads", r.facts.num_threads);
  fields("commit", r.facts.commit);
  fields("date", r.facts.date);
  fields("peak_memory_bytes", r.facts.peak_memory_bytes);
  fields("cpu_seconds", r.facts.cpu_seconds);
  fields("solver", r.solver);
  fields("linear_solver", r.linear_solver);
  fields("why_linear_solver", r.why_linear_solver);
  fields("preconditioner", r.preconditioner);
  fields("unknowns", r.num_unknowns);
  fields("free_unknowns", r.num_free_unknowns);
  fields("residuals", r.num_residuals);
  fields("initial_cost", r.initial_cost);
  fields("final_cost", r.final_cost);
  fields("iterations", r.num_iterations);
  fields("linear_iterations", r.num_linear_iterations);
  fields("failed_blocks", r.num_failed_blocks);
  fields("ending", r.ending);
  fields("termination", r.termination);
  fields("why", r.why);
  fields("options", AsObject<std::string>{r.options});
  fields("seconds", RunSecondsFields{r});
  fields("kernels", RunKernelsFields{r});
  fields("groups", r.groups);
  fields("members", r.members);
  fields("metrics", r.metrics);
  fields("warnings", r.warnings);
  fields("shortfall", r.shortfall);
  fields("solves", r.solves);
}

}  // namespace thallo
