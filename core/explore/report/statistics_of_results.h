#pragma once

// Computes the numbers of a report (report.h) from the candidates of one device.

#include <span>

#include "core/explore/report/report.h"

namespace thallo {

// Returns the kind that more candidates have a successful result of; Composed if the counts are
// equal.
ResultKind prevailing_kind(std::span<const Candidate> candidates);

// Returns the positions of candidates that have a time of that kind, the fastest first. Candidates
// with equal times keep their order.
std::vector<std::size_t> by_time(std::span<const Candidate> candidates, ResultKind kind);

// Returns the named marks in their order, followed by best and median if anything was measured.
std::vector<Mark> marks_of(std::span<const Candidate> candidates, ResultKind kind,
                           std::span<const NamedProposal> named);

// Returns one entry for each model that predicted at least one measured schedule, sorted by name.
std::vector<ModelAccuracy> accuracy_of_models(std::span<const Candidate> candidates,
                                              ResultKind kind);

Composition composition_of(std::span<const Candidate> candidates);
std::vector<FailureGroup> failures_of(std::span<const Candidate> candidates);

// Returns the traces of successful end-to-end results; a trace ends where the cost is no longer a
// number.
std::vector<CostTrace> traces_of(std::span<const Candidate> candidates);
std::optional<double> best_cost_of(std::span<const CostTrace> traces);

}  // namespace thallo
